"""Typed lines on a command line: reads and writes `--answers`, and finds the options that run a session again."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Answers, Case, Generated, Player, Stage, Then
from pitboss.assignments.cases import Session
from pitboss.errors import UsageError, as_found
from pitboss.model.transcript import Event, InputEnded, Transcript


class Rerun(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to run one session again: by its name, or by typing its lines."""

    stage: str
    #: The assignment, as the command line names it.
    assignment: str
    #: The folder of the course's files, as it was given on the command line; empty if none was.
    given: str = ""
    #: The session's name, and whether its case is hidden; the name is empty if its lines are typed instead.
    session: str = ""
    is_hidden: bool = False
    #: The seed, the value of `--answers`, and the name of the player, each only if needed.
    seed: int | None = None
    answers: str | None = None
    player: str = ""


def rerun_of(session: Session, expected: tuple[Event, ...], assignment: str) -> Rerun | None:
    """Returns how to run only this session again; None if that is impossible.

    If the typed lines determine the session they are written out, so that a student can try other lines as well.
    Otherwise the session is named, and its case must be in the spec file. It is also named if draws are read back,
    since these depend on the session's number.
    """
    case, stage = session.case, session.stage
    course_folder = stage.given_as if stage.is_given_by_option else ""
    is_in_file = case.place != str(stage.spec.path)
    if _matches_command_line(case, stage) and not (stage.reader and is_in_file):
        typed = _typing_options(session, expected)
        if typed is not None:
            return Rerun(
                stage.name, assignment, course_folder, seed=session.seed, answers=typed.answers, player=typed.player
            )
    if not is_in_file:
        return None
    return Rerun(stage.name, assignment, course_folder, session.name, case.visibility != "public")


def _matches_command_line(case: Case, stage: Stage) -> bool:
    """Whether a session typed by options of the command line has the policy, exit code and invocation of this case."""
    return case.policy == stage.policy and not case.exit_code and case.invocation == stage.invocation


class _TypingOptions(NamedTuple):
    """The options that type a session's lines: answers, or a player; neither if nothing follows the seed."""

    answers: str | None = None
    player: str = ""


def _typing_options(session: Session, expected: tuple[Event, ...]) -> _TypingOptions | None:
    """Returns the options that type exactly the lines of this session; None if that is impossible."""
    generated = session.case.session
    if not isinstance(generated, Generated):
        return None
    has_seed, source = session.seed is not None, generated.answers
    # The lines depend on the draws, or are unknown.
    if session.stage.reader or not expected:
        if isinstance(source, Player):
            return _TypingOptions(player=source.name)
        answers = answers_text(source)
    else:
        typed = answers_of(expected, has_seed=has_seed)
        # If the input ended, the case's own answers are just as short.
        answers = answers_text(source if typed.then is Then.END and isinstance(source, Answers) else typed)
    if answers is None:
        return _TypingOptions(player=source.name) if isinstance(source, Player) else None
    # Without a seed, only `--answers` requests a single session.
    return _TypingOptions(answers) if answers or not has_seed else _TypingOptions()


def answers_of(events: Sequence[Event], *, has_seed: bool) -> Answers:
    """Returns answers that type a session's lines, without its seed, and end the input if the session did."""
    lines = Transcript(tuple(events)).lines[has_seed:]
    return Answers(lines, Then.END if InputEnded() in events else Then.LAST_AGAIN)


#: The marks that end the input, and that repeat the answers from the first.
_MARKS = {"<eof>": Then.END, "...": Then.FIRST_AGAIN}
_MARK_OF = {then: mark for mark, then in _MARKS.items()}
#: A line that would be read as a mark is written with an extra backslash in front.
_ESCAPED_MARK = re.compile(r"\\+(?:<eof>|\.\.\.)")


class MisplacedMarkError(ValueError):
    """A mark that is not the last answer, or that has no answer before it; `number` is the item's index, from 0."""

    def __init__(self, number: int, text: str) -> None:
        """`text` is the message: what was found, and what is allowed."""
        super().__init__(text)
        self.number = number


def answers_listed(texts: Sequence[str]) -> Answers:
    r"""Returns the answers listed in a file, one per text.

    As the last text, `<eof>` ends the input and `...` repeats the answers. A backslash before either types it.
    Raises MisplacedError for a mark elsewhere.

    >>> answers_listed(["h", "<eof>"]).then, answers_listed([r"\<eof>", r"\\..."]).lines
    (<Then.END: 'nothing: the input ends'>, (b'<eof>', b'\\...'))
    """
    return _answers([_MARKS.get(text) or text[bool(_ESCAPED_MARK.fullmatch(text)) :] for text in texts])


def _answers(items: Sequence[str | Then]) -> Answers:
    """Returns answers from lines and marks; raises MisplacedError for a mark that does not come last."""
    for number, item in enumerate(items):
        if not isinstance(item, Then):
            continue
        mark = _MARK_OF[item]
        alternative = f"to type this text, write \\{mark}"
        if number + 1 < len(items):
            following = items[number + 1]
            misplaced = as_found(_MARK_OF[following] if isinstance(following, Then) else following)
            effect = "ends the input" if item is Then.END else "repeats the answers"
            raise MisplacedMarkError(
                number + 1, f"{misplaced} after {mark}, which {effect} — {mark} must come last; {alternative}"
            )
        if item is Then.FIRST_AGAIN and not number:
            raise MisplacedMarkError(number, f"{mark} with no answer before it to repeat — {alternative}")
    lines = tuple(item.encode("utf-8", "surrogateescape") for item in items if not isinstance(item, Then))
    last = items[-1] if items else None
    return Answers(lines, last if isinstance(last, Then) else Then.LAST_AGAIN)


def answers_text(answers: Answers) -> str | None:
    """Returns the shortest value of `--answers`; None if a line is not UTF-8 or contains a newline.

    >>> [answers_text(Answers(lines)) for lines in ((b"h", b"h", b"s"), (b"900",), (b"hit",), (b"9", b"0"))]
    ['hhs', '900', 'hit,', '9,0']
    >>> answers_text(Answers((b"h",), Then.END)), answers_text(Answers((b"hit",), Then.FIRST_AGAIN))
    ('h<eof>', 'hit,...')
    """
    try:
        texts = tuple(line.decode("utf-8") for line in answers.lines)
    except UnicodeDecodeError:
        return None
    if any("\n" in text for text in texts):
        return None
    mark = _MARK_OF.get(answers.then, "")
    joined = "".join(texts)
    is_short = all(len(text) == 1 for text in texts) or (len(texts) == 1 and joined)
    if is_short and re.fullmatch(r"[^\W_]*|[+-]?[0-9][0-9.]*", joined) and answers_in(joined + mark) == answers:
        return joined + mark
    parts = [*map(_escaped, texts), *([mark] if mark else [])]
    return ",".join(parts) + ("," if len(parts) == 1 or not parts[-1] else "")


def answers_in(text: str) -> Answers:
    r"""Returns the answers in a value of `--answers`; bytes that are not UTF-8 are typed unchanged.

    Without a comma each letter is a line, and so is each number. With commas each part is a line; a single part ends
    in a comma. At the end, `<eof>` ends the input and `...` repeats the answers. Escapes are `\,` `\\` `\<` `\.`
    `\t` `\xHH` `\uHHHH` `\UHHHHHHHH`. Raises UsageError for any other escape, for a newline in a line, for blanks
    without a comma, and for `<eof>` or `...` before the end.

    >>> [answers_in(text).lines for text in ("hhs", "900", "10hs", "9,0", "hit,")]
    [(b'h', b'h', b's'), (b'900',), (b'10', b'h', b's'), (b'9', b'0'), (b'hit',)]
    >>> answers_in("hit,<eof>").then, answers_in("hs...").then, answers_in(r"\<eof>,").lines
    (<Then.END: 'nothing: the input ends'>, <Then.FIRST_AGAIN: 'all of the answers again, from the first'>, (b'<eof>',))
    """
    parts: list[list[str]] = [[]]
    for piece in _PIECE.findall(text):
        if piece == ",":
            parts.append([])
        else:
            parts[-1].append(piece)
    unescaped = ["".join(map(_unescaped, part)) for part in parts]
    if any("\n" in part for part in unescaped):
        raise UsageError(f"--answers {shlex.quote(text)}: a line cannot contain a newline — give two lines: h,s")
    items: list[str | Then]
    if len(parts) > 1:
        _check_end_marks(text, parts)
        items = [_MARKS.get("".join(part)) or line for part, line in zip(parts, unescaped, strict=True)]
        items = items if items[-1] else items[:-1]
    elif " " in text:
        raise UsageError(
            f"--answers {shlex.quote(text)}: blanks do not separate lines — write {shlex.quote(text.replace(' ', ','))}"
            f", or {shlex.quote(text + ',')} for one line with blanks in it"
        )
    else:
        items = list(_items_without_commas(parts[0]))
    try:
        return _answers(items)
    except MisplacedMarkError as error:
        raise UsageError(f"--answers {shlex.quote(text)}: {error}") from None


def _check_end_marks(text: str, parts: Sequence[Sequence[str]]) -> None:
    """Raise UsageError if `<eof>` has other text next to it between two commas."""
    for part in parts:
        if _END in part and len(part) > 1:
            separated = ",".join(filter(None, "".join(part).partition(_END)))
            raise UsageError(
                f"--answers {shlex.quote(text)}: {_END} is next to other text — separate them by a comma: "
                f"{shlex.quote(separated)}; to type this text, write \\{_END}"
            )


def _items_without_commas(pieces: Sequence[str]) -> Iterator[str | Then]:
    """Yields the lines and marks in a value without commas."""
    repeats = tuple(pieces[-3:]) == (".",) * 3
    letters = ""
    for piece in pieces[:-3] if repeats else pieces:
        if piece == _END:
            yield from _LINE.findall(letters)
            yield Then.END
            letters = ""
        else:
            letters += _unescaped(piece)
    yield from _LINE.findall(letters)
    if repeats:
        yield Then.FIRST_AGAIN


_END = _MARK_OF[Then.END]
#: One line of a value without commas: a number, or one character.
_LINE = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?|[\s\S]")
_PIECE = re.compile(rf"{_END}|\\x[0-9a-fA-F]{{2}}|\\u[0-9a-fA-F]{{4}}|\\U[0-9a-fA-F]{{8}}|\\[\s\S]?|[^\\]")
_ESCAPES = {f"\\{character}": character for character in ",\\<."} | {"\\t": "\t"}


def _unescaped(piece: str) -> str:
    """Returns the character that an escape means, and other pieces unchanged; UsageError for a wrong escape."""
    if not piece.startswith("\\"):
        return piece
    if len(piece) > 2 and 0xD800 <= int(piece[2:], 16) <= 0xDFFF:
        raise UsageError(f"--answers: {piece} is half of a surrogate pair, not a character")
    if len(piece) > 2 and int(piece[2:], 16) <= sys.maxunicode:
        return chr(int(piece[2:], 16))
    if piece not in _ESCAPES:
        raise UsageError(f"--answers: {piece!s} is not an escape — allowed are \\\\ \\, \\< \\. \\t \\xHH and \\uHHHH")
    return _ESCAPES[piece]


def _escaped(text: str) -> str:
    """Returns a line as written between commas, with commas, backslashes, marks and unprintable characters escaped."""
    written = "".join(
        f"\\{character}" if character in ",\\" else character if character.isprintable() else escape_of(character)
        for character in text
    )
    return f"\\{written}" if written in _MARKS else written.replace(_END, f"\\{_END}")


def escape_of(character: str) -> str:
    r"""Returns the escape of a character in `--answers` and YAML: \x07, \u2028, \U0001f0a0."""
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
