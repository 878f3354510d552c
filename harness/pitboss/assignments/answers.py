"""Lines to type, given on a command line: reads and writes `--answers`, and finds the options that rerun a session."""

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
    #: The folder of the course's files, as the command line names it; empty if the command line names no folder.
    named_course_folder: str = msgspec.field(default="", name="given")
    #: The session's name; empty if the session is run again by typing its lines.
    session: str = ""
    #: Whether the session's case is not public, so that the command needs `--hidden`.
    is_hidden: bool = False
    #: The seed; None if no seed is needed.
    seed: int | None = None
    #: The value of `--answers`; None if the option is not needed.
    answers: str | None = None
    #: The name of the player; empty if no player is needed.
    player: str = ""


def rerun_of(session: Session, expected: tuple[Event, ...], assignment: str) -> Rerun | None:
    """Returns how to run only this session again; None if that is impossible.

    If the typed lines determine the session, the result contains these lines, so that a student can try other lines as
    well. Otherwise the result names the session, if its case is in the spec file. If the stage has a reader, a
    session of a case in the spec file is always named, since its draws depend on the session's number.
    """
    case, stage = session.case, session.stage
    course_folder = stage.given_as if stage.is_given_by_option else ""
    is_in_file = case.place != str(stage.spec.path)  # a case in the file has the place file:line
    if _has_stage_defaults(case, stage) and not (stage.reader and is_in_file):
        options = _typing_options(session, expected)
        if options is not None:
            return Rerun(
                stage.name, assignment, course_folder, seed=session.seed, answers=options.answers, player=options.player
            )
    if not is_in_file:
        return None
    return Rerun(stage.name, assignment, course_folder, session.name, case.visibility != "public")


def _has_stage_defaults(case: Case, stage: Stage) -> bool:
    """Whether the case has the stage's policy and invocation, and exit code 0, as a session of `--answers` has."""
    return case.policy == stage.policy and not case.exit_code and case.invocation == stage.invocation


class _TypingOptions(NamedTuple):
    """The options that type a session's lines: answers, or a player. Neither is set if nothing follows the seed."""

    answers: str | None = None
    player: str = ""


def _typing_options(session: Session, expected: tuple[Event, ...]) -> _TypingOptions | None:
    """Returns the options that type exactly the lines of this session; None if that is impossible."""
    case_session = session.case.session
    if not isinstance(case_session, Generated):
        return None
    has_seed, answers_or_player = session.seed is not None, case_session.answers
    # With a reader, the typed lines depend on the draws; without expected events, they are unknown.
    if session.stage.reader or not expected:
        if isinstance(answers_or_player, Player):
            return _TypingOptions(player=answers_or_player.name)
        answers = format_answers(answers_or_player)
    else:
        typed_answers = answers_of_session(expected, has_seed=has_seed)
        # If the input ended, all answers of the case were typed: use the case's answers and their mark.
        if typed_answers.then is Then.END and isinstance(answers_or_player, Answers):
            typed_answers = answers_or_player
        answers = format_answers(typed_answers)
    if answers is None:
        return _TypingOptions(player=answers_or_player.name) if isinstance(answers_or_player, Player) else None
    # With a seed, empty answers can be omitted. Without a seed, only `--answers` requests a single session.
    return _TypingOptions(answers) if answers or not has_seed else _TypingOptions()


def answers_of_session(events: Sequence[Event], *, has_seed: bool) -> Answers:
    """Returns answers that type the lines of a session, without the seed, and end the input if the session ended it."""
    lines = Transcript(tuple(events)).lines[has_seed:]
    return Answers(lines, Then.END if InputEnded() in events else Then.LAST_AGAIN)


#: The mark that ends the input, and the mark that repeats the answers from the first.
_MARKS = {"<eof>": Then.END, "...": Then.FIRST_AGAIN}
_MARK_OF = {then: mark for mark, then in _MARKS.items()}
#: An escaped mark: one or more backslashes and a mark. The typed line has one backslash less.
_ESCAPED_MARK = re.compile(r"\\+(?:<eof>|\.\.\.)")


class MisplacedMarkError(ValueError):
    """A mark that is not the last answer, or that has no answers before it to repeat."""

    def __init__(self, index: int, message: str) -> None:
        """`message` says what is wrong, and what is allowed instead.

        `index` is the index, from 0, of the item that the message begins with: the item after the mark, or the mark
        that has no answers before it.
        """
        super().__init__(message)
        self.index = index


def answers_from_items(texts: Sequence[str]) -> Answers:
    r"""Returns the answers from a list in a file, in which each text is a line.

    As the last text, `<eof>` ends the input and `...` repeats the answers. With a backslash before it, either mark is
    an ordinary line. Raises MisplacedMarkError for a mark elsewhere.

    >>> answers_from_items(["h", "<eof>"]).then, answers_from_items([r"\<eof>", r"\\..."]).lines
    (<Then.END: 'nothing: the input ends'>, (b'<eof>', b'\\...'))
    """
    return _answers_from_lines_and_marks(
        [_MARKS.get(text) or (text[1:] if _ESCAPED_MARK.fullmatch(text) else text) for text in texts]
    )


def _answers_from_lines_and_marks(items: Sequence[str | Then]) -> Answers:
    """Returns answers from lines and marks.

    Raises MisplacedMarkError for a mark that does not come last, or that has no answers to repeat.
    """
    for index, item in enumerate(items):
        if not isinstance(item, Then):
            continue
        mark = _MARK_OF[item]
        alternative = f"to type this text, write \\{mark}"
        if index + 1 < len(items):
            next_item = items[index + 1]
            next_text = as_found(_MARK_OF[next_item] if isinstance(next_item, Then) else next_item)
            effect = "ends the input" if item is Then.END else "repeats the answers"
            raise MisplacedMarkError(
                index + 1, f"{next_text} after {mark}, which {effect} — {mark} must come last; {alternative}"
            )
        if item is Then.FIRST_AGAIN and not index:
            raise MisplacedMarkError(index, f"{mark} with no answer before it to repeat — {alternative}")
    lines = tuple(item.encode("utf-8", "surrogateescape") for item in items if not isinstance(item, Then))
    last_item = items[-1] if items else None
    return Answers(lines, last_item if isinstance(last_item, Then) else Then.LAST_AGAIN)


def format_answers(answers: Answers) -> str | None:
    """Returns the shortest value of `--answers` for these answers; None if a line is not UTF-8 or contains a newline.

    >>> [format_answers(Answers(lines)) for lines in ((b"h", b"h", b"s"), (b"900",), (b"hit",), (b"9", b"0"))]
    ['hhs', '900', 'hit,', '9,0']
    >>> format_answers(Answers((b"h",), Then.END)), format_answers(Answers((b"hit",), Then.FIRST_AGAIN))
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
    # A value needs no commas if each line is one character, or if there is one line. It must then consist of letters
    # and digits, or be a number, and be read back as the same answers.
    may_lack_commas = all(len(text) == 1 for text in texts) or (len(texts) == 1 and joined)
    if (
        may_lack_commas
        and re.fullmatch(r"[^\W_]*|[+-]?[0-9][0-9.]*", joined)
        and parse_answers(joined + mark) == answers
    ):
        return joined + mark
    parts = [*map(_escape_line, texts), *([mark] if mark else [])]
    # A single part needs a comma after it; so does an empty last part, since parse_answers would drop it.
    return ",".join(parts) + ("," if len(parts) == 1 or not parts[-1] else "")


def parse_answers(text: str) -> Answers:
    r"""Returns the answers in a value of `--answers`; bytes that are not UTF-8 are typed unchanged.

    Without a comma, each letter and each number is a line. With commas, each part is a line; a single part needs a
    comma after it. At the end, `<eof>` ends the input and `...` repeats the answers. Escapes are `\,` `\\` `\<` `\.`
    `\t` `\xHH` `\uHHHH` `\UHHHHHHHH`. Raises UsageError for any other escape, for a newline in a line, for blanks
    without a comma, and for `<eof>` or `...` before the end.

    >>> [parse_answers(text).lines for text in ("hhs", "900", "10hs", "9,0", "hit,")]
    [(b'h', b'h', b's'), (b'900',), (b'10', b'h', b's'), (b'9', b'0'), (b'hit',)]
    >>> parse_answers("hit,<eof>").then, parse_answers("hs...").then, parse_answers(r"\<eof>,").lines
    (<Then.END: 'nothing: the input ends'>, <Then.FIRST_AGAIN: 'all of the answers again, from the first'>, (b'<eof>',))
    """
    parts: list[list[str]] = [[]]
    for piece in _PIECE.findall(text):
        if piece == ",":
            parts.append([])
        else:
            parts[-1].append(piece)
    unescaped = ["".join(map(_unescape_piece, part)) for part in parts]
    if any("\n" in part for part in unescaped):
        raise UsageError(f"--answers {shlex.quote(text)}: a line cannot contain a newline — give two lines: h,s")
    items: list[str | Then]
    if len(parts) > 1:
        _check_end_marks(text, parts)
        items = [_MARKS.get("".join(part)) or line for part, line in zip(parts, unescaped, strict=True)]
        items = items if items[-1] else items[:-1]  # after a comma at the end there is no further line
    elif " " in text:
        raise UsageError(
            f"--answers {shlex.quote(text)}: blanks do not separate lines — write {shlex.quote(text.replace(' ', ','))}"
            f", or {shlex.quote(text + ',')} for one line with blanks in it"
        )
    else:
        items = list(_items_without_commas(parts[0]))
    try:
        return _answers_from_lines_and_marks(items)
    except MisplacedMarkError as error:
        raise UsageError(f"--answers {shlex.quote(text)}: {error}") from None


def _check_end_marks(text: str, parts: Sequence[Sequence[str]]) -> None:
    """Raise UsageError if `<eof>` has other text next to it between two commas."""
    for part in parts:
        if _EOF_MARK in part and len(part) > 1:
            suggestion = ",".join(filter(None, "".join(part).partition(_EOF_MARK)))
            raise UsageError(
                f"--answers {shlex.quote(text)}: {_EOF_MARK} is next to other text — separate them by a comma: "
                f"{shlex.quote(suggestion)}; to type this text, write \\{_EOF_MARK}"
            )


def _items_without_commas(pieces: Sequence[str]) -> Iterator[str | Then]:
    """Yields the lines and marks in a value without commas."""
    has_repeat_mark = tuple(pieces[-3:]) == (".",) * 3
    unescaped_text = ""
    for piece in pieces[:-3] if has_repeat_mark else pieces:
        if piece == _EOF_MARK:
            yield from _LINE.findall(unescaped_text)
            yield Then.END
            unescaped_text = ""
        else:
            unescaped_text += _unescape_piece(piece)
    yield from _LINE.findall(unescaped_text)
    if has_repeat_mark:
        yield Then.FIRST_AGAIN


_EOF_MARK = _MARK_OF[Then.END]
#: One line of a value without commas: a number, or one character.
_LINE = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?|[\s\S]")
#: A piece of a value: the mark <eof>, an escape, or one character.
_PIECE = re.compile(rf"{_EOF_MARK}|\\x[0-9a-fA-F]{{2}}|\\u[0-9a-fA-F]{{4}}|\\U[0-9a-fA-F]{{8}}|\\[\s\S]?|[^\\]")
_ESCAPES = {f"\\{character}": character for character in ",\\<."} | {"\\t": "\t"}


def _unescape_piece(piece: str) -> str:
    """Returns the character of an escape, or any other piece unchanged; raises UsageError for a wrong escape."""
    if not piece.startswith("\\"):
        return piece
    # An escape of more than two characters has hexadecimal digits: \xHH, \uHHHH or \UHHHHHHHH.
    if len(piece) > 2 and 0xD800 <= int(piece[2:], 16) <= 0xDFFF:
        raise UsageError(f"--answers: {piece} is half of a surrogate pair, not a character")
    if len(piece) > 2 and int(piece[2:], 16) <= sys.maxunicode:
        return chr(int(piece[2:], 16))
    if piece not in _ESCAPES:
        raise UsageError(f"--answers: {piece!s} is not an escape — allowed are \\\\ \\, \\< \\. \\t \\xHH and \\uHHHH")
    return _ESCAPES[piece]


def _escape_line(text: str) -> str:
    """Returns a line for a value with commas: commas, backslashes, marks and unprintable characters are escaped."""
    escaped = "".join(map(_escape_character, text))
    return f"\\{escaped}" if escaped in _MARKS else escaped.replace(_EOF_MARK, f"\\{_EOF_MARK}")


def _escape_character(character: str) -> str:
    """Returns a comma, a backslash or an unprintable character escaped, and any other character unchanged."""
    if character in ",\\":
        return f"\\{character}"
    return character if character.isprintable() else escape_of(character)


def escape_of(character: str) -> str:
    r"""Returns the escape of a character in `--answers` and YAML: \x07, \u2028, \U0001f0a0."""
    code_point = ord(character)
    if code_point < 0x100:
        return f"\\x{code_point:02x}"
    return f"\\u{code_point:04x}" if code_point < 0x10000 else f"\\U{code_point:08x}"
