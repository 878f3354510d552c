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
    """How to run one session again: by its name, or by what is typed in it."""

    stage: str
    #: The assignment, as the command line names it.
    assignment: str
    #: The folder of the course's files, as it was given on the command line; empty if none was.
    given: str = ""
    #: The session's name, and whether its case is hidden; empty if it is run by what is typed.
    session: str = ""
    is_hidden: bool = False
    #: The seed, the value of `--answers`, and the name of the player; each if it is needed.
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
    given = stage.given_as if stage.is_given_by_option else ""
    is_in_file = case.place != str(stage.spec.path)
    if _matches_command_line(case, stage) and not (stage.reader and is_in_file):
        typed = _typed(session, expected)
        if typed is not None:
            return Rerun(stage.name, assignment, given, seed=session.seed, answers=typed.answers, player=typed.player)
    if not is_in_file:
        return None
    return Rerun(stage.name, assignment, given, session.name, case.visibility != "public")


def _matches_command_line(case: Case, stage: Stage) -> bool:
    """Whether a game given on the command line has the same policy, exit code and invocation."""
    return case.policy == stage.policy and not case.exit_code and case.invocation == stage.invocation


class _Typed(NamedTuple):
    """What types a session's lines: these answers, or a player; neither if nothing follows the seed."""

    answers: str | None = None
    player: str = ""


def _typed(session: Session, expected: tuple[Event, ...]) -> _Typed | None:
    """The options that type exactly the lines of this session; None if none do."""
    generated = session.case.session
    if not isinstance(generated, Generated):
        return None
    has_seed, who = session.seed is not None, generated.answers
    # The lines depend on the draws, or are not known.
    if session.stage.reader or not expected:
        if isinstance(who, Player):
            return _Typed(player=who.name)
        answers = answers_text(who)
    else:
        typed = answers_of(expected, has_seed=has_seed)
        # Answers that end the input are as short as what they typed.
        answers = answers_text(who if typed.then is Then.END and isinstance(who, Answers) else typed)
    if answers is None:
        return _Typed(player=who.name) if isinstance(who, Player) else None
    # Without a seed, only the answers request a single game.
    return _Typed(answers) if answers or not has_seed else _Typed()


def answers_of(events: Sequence[Event], *, has_seed: bool) -> Answers:
    """Returns answers that type the lines of a session, without its seed, and end its input where it ended."""
    lines = Transcript(tuple(events)).lines[has_seed:]
    return Answers(lines, Then.END if InputEnded() in events else Then.LAST_AGAIN)


#: The marks for ending the input, and for repeating the answers from the first.
_MARKS = {"<eof>": Then.END, "...": Then.FIRST_AGAIN}
_WRITTEN = {then: mark for mark, then in _MARKS.items()}
#: A line that would be read as a mark is written with an extra backslash in front.
_ESCAPED_MARK = re.compile(r"\\+(?:<eof>|\.\.\.)")


class MisplacedError(ValueError):
    """A mark is not at the end of answers, or has none before it; `number` is that of the item, from 0."""

    def __init__(self, number: int, text: str) -> None:
        """`text` says what was found and what is allowed."""
        super().__init__(text)
        self.number = number


def answers_listed(texts: Sequence[str]) -> Answers:
    r"""Returns the answers in a list of a file, one in each text.

    As the last text, `<eof>` ends the input and `...` begins the answers again. A backslash before either types it.
    Raises MisplacedError for a mark elsewhere.

    >>> answers_listed(["h", "<eof>"]).then, answers_listed([r"\<eof>", r"\\..."]).lines
    (<Then.END: 'nothing: the input ends'>, (b'<eof>', b'\\...'))
    """
    return _answers([_MARKS.get(text) or text[bool(_ESCAPED_MARK.fullmatch(text)) :] for text in texts])


def _answers(items: Sequence[str | Then]) -> Answers:
    """The answers given as lines and marks; raises MisplacedError for a mark that is not the last of them."""
    for number, item in enumerate(items):
        if not isinstance(item, Then):
            continue
        mark = _WRITTEN[item]
        alternative = f"a line with this text is written \\{mark}"
        if number + 1 < len(items):
            after = items[number + 1]
            what = as_found(_WRITTEN[after] if isinstance(after, Then) else after)
            does = "ends the input" if item is Then.END else "begins the answers again"
            raise MisplacedError(number + 1, f"{what} after {mark}, which {does} — {mark} is the last; {alternative}")
        if item is Then.FIRST_AGAIN and not number:
            raise MisplacedError(number, f"{mark} with no answer before it to type again — {alternative}")
    lines = tuple(item.encode("utf-8", "surrogateescape") for item in items if not isinstance(item, Then))
    last = items[-1] if items else None
    return Answers(lines, last if isinstance(last, Then) else Then.LAST_AGAIN)


def answers_text(answers: Answers) -> str | None:
    """Returns a value of `--answers`, in the shortest form; None if a line is not UTF-8 or contains a newline.

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
    mark = _WRITTEN.get(answers.then, "")
    together = "".join(texts)
    is_short = all(len(text) == 1 for text in texts) or (len(texts) == 1 and together)
    if is_short and re.fullmatch(r"[^\W_]*|[+-]?[0-9][0-9.]*", together) and answers_in(together + mark) == answers:
        return together + mark
    parts = [*map(_escaped, texts), *([mark] if mark else [])]
    return ",".join(parts) + ("," if len(parts) == 1 or not parts[-1] else "")


def answers_in(text: str) -> Answers:
    r"""Returns the answers in a value of `--answers`; bytes that are not UTF-8 are typed unchanged.

    Without a comma each letter is a line, and so is each number. With commas each part is a line; a single part ends
    in a comma. At the end, `<eof>` ends the input and `...` begins the answers again. Escapes are `\,` `\\` `\<` `\.`
    `\t` `\xHH` `\uHHHH` `\UHHHHHHHH`. Raises UsageError for any other escape, for a newline in a line, for blanks
    without a comma, and for `<eof>` or `...` before the end.

    >>> [answers_in(text).lines for text in ("hhs", "900", "10hs", "9,0", "hit,")]
    [(b'h', b'h', b's'), (b'900',), (b'10', b'h', b's'), (b'9', b'0'), (b'hit',)]
    >>> answers_in("hit,<eof>").then, answers_in("hs...").then, answers_in(r"\<eof>,").lines
    (<Then.END: 'nothing: the input ends'>, <Then.FIRST_AGAIN: 'all of them again, from the first on'>, (b'<eof>',))
    """
    parts: list[list[str]] = [[]]
    for piece in _PIECE.findall(text):
        if piece == ",":
            parts.append([])
        else:
            parts[-1].append(piece)
    unescaped = ["".join(map(_unescaped, part)) for part in parts]
    if any("\n" in part for part in unescaped):
        raise UsageError(f"--answers {shlex.quote(text)}: a line has no newline in it — give two lines: h,s")
    items: list[str | Then]
    if len(parts) > 1:
        _see_marks(text, parts)
        items = [_MARKS.get("".join(part)) or line for part, line in zip(parts, unescaped, strict=True)]
        items = items if items[-1] else items[:-1]
    elif " " in text:
        raise UsageError(
            f"--answers {shlex.quote(text)}: blanks separate nothing — write {shlex.quote(text.replace(' ', ','))}, or "
            f"{shlex.quote(text + ',')} for one line with blanks in it"
        )
    else:
        items = list(_together(parts[0]))
    try:
        return _answers(items)
    except MisplacedError as error:
        raise UsageError(f"--answers {shlex.quote(text)}: {error}") from None


def _see_marks(text: str, parts: Sequence[Sequence[str]]) -> None:
    """Raise UsageError if the end of input is beside other text between two commas."""
    for part in parts:
        if _END in part and len(part) > 1:
            beside = ",".join(filter(None, "".join(part).partition(_END)))
            raise UsageError(
                f"--answers {shlex.quote(text)}: {_END} stands beside other text — between commas it is a part of its "
                f"own: {shlex.quote(beside)}; a line with this text is written \\{_END}"
            )


def _together(pieces: Sequence[str]) -> Iterator[str | Then]:
    """The lines and marks in a value without commas."""
    is_again = tuple(pieces[-3:]) == (".",) * 3
    letters = ""
    for piece in pieces[:-3] if is_again else pieces:
        if piece == _END:
            yield from _KEY.findall(letters)
            yield Then.END
            letters = ""
        else:
            letters += _unescaped(piece)
    yield from _KEY.findall(letters)
    if is_again:
        yield Then.FIRST_AGAIN


_END = _WRITTEN[Then.END]
#: One line of a value without commas: a number, or one character.
_KEY = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?|[\s\S]")
_PIECE = re.compile(rf"{_END}|\\x[0-9a-fA-F]{{2}}|\\u[0-9a-fA-F]{{4}}|\\U[0-9a-fA-F]{{8}}|\\[\s\S]?|[^\\]")
_ESCAPES = {f"\\{one}": one for one in ",\\<."} | {"\\t": "\t"}


def _unescaped(piece: str) -> str:
    if not piece.startswith("\\"):
        return piece
    if len(piece) > 2 and 0xD800 <= int(piece[2:], 16) <= 0xDFFF:
        raise UsageError(f"--answers: {piece} is not a character but half of one")
    if len(piece) > 2 and int(piece[2:], 16) <= sys.maxunicode:
        return chr(int(piece[2:], 16))
    if piece not in _ESCAPES:
        raise UsageError(f"--answers: {piece!s} is not an escape — allowed are \\\\ \\, \\< \\. \\t \\xHH and \\uHHHH")
    return _ESCAPES[piece]


def _escaped(text: str) -> str:
    """A line as a part between commas; commas, backslashes, marks and unprintable characters are escaped."""
    written = "".join(f"\\{one}" if one in ",\\" else one if one.isprintable() else escape_of(one) for one in text)
    return f"\\{written}" if written in _MARKS else written.replace(_END, f"\\{_END}")


def escape_of(character: str) -> str:
    r"""Returns the escape of a character in `--answers` and YAML: \x07, \u2028, \U0001f0a0."""
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
