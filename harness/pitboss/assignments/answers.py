"""Typed lines on a command line: reading and writing `--answers`, and what is asked for to run a session again."""

from __future__ import annotations

import re
import shlex
import sys
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Answers, Case, Generated, Player, Stage
from pitboss.assignments.cases import Session
from pitboss.errors import UsageError
from pitboss.model.transcript import Event, InputEnded, Transcript


class Rerun(msgspec.Struct, frozen=True, omit_defaults=True):
    """What runs one session again: by its name, or by what is typed in it."""

    stage: str
    #: The assignment, as it is called on the command line.
    assignment: str
    #: The folder of the course's files, as it was given on the command line; empty if none was.
    given: str = ""
    #: The session's name, and whether its case is hidden; empty where it is run by what is typed.
    session: str = ""
    is_hidden: bool = False
    #: The seed, the value of `--answers`, and the name of the player who types; each where it is needed.
    seed: int | None = None
    answers: str | None = None
    player: str = ""


def rerun_of(session: Session, expected: tuple[Event, ...], assignment: str) -> Rerun | None:
    """What runs only this session again; None if nothing does.

    If the typed lines determine the session they are written out, so that a student can try other lines as well.
    Otherwise the session is named, whose case must be in the spec file. So it is if draws are read back, which follow
    from the session's number.
    """
    case, stage = session.case, session.stage
    given = stage.given_as if stage.is_given_by_option else ""
    is_in_file = case.place != str(stage.spec.path)
    if _is_as_asked_for(case, stage) and not (stage.reader and is_in_file):
        typed = _typed(session, expected)
        if typed is not None:
            return Rerun(stage.name, assignment, given, seed=session.seed, answers=typed.answers, player=typed.player)
    if not is_in_file:
        return None
    return Rerun(stage.name, assignment, given, session.name, case.visibility != "public")


def _is_as_asked_for(case: Case, stage: Stage) -> bool:
    """Whether a game given on the command line has the same policy, exit code and invocation."""
    return case.policy == stage.policy and not case.exit_code and case.invocation == stage.invocation


class _Typed(NamedTuple):
    """Who types a session's lines: these answers, or a player; neither where nothing follows the seed."""

    answers: str | None = None
    player: str = ""


def _typed(session: Session, expected: tuple[Event, ...]) -> _Typed | None:
    """What types exactly the lines of this session; None if no options do."""
    generated = session.case.session
    if not isinstance(generated, Generated):
        return None
    has_seed = session.seed is not None
    lines = Transcript(expected).lines[has_seed:]
    has_ended = any(isinstance(event, InputEnded) for event in expected)
    # The lines depend on the draws, or do not say where the input ends, or are not known.
    if session.stage.reader or has_ended or not expected:
        if isinstance(generated.answers, Player):
            return _Typed(player=generated.answers.name)
        lines = generated.answers.lines
    answers = answers_text(lines)
    if answers is None:
        return _Typed(player=generated.answers.name) if isinstance(generated.answers, Player) else None
    # Without a seed, only the answers say that one game is to be run.
    return _Typed(answers) if answers or not has_seed else _Typed()


def answers_text(lines: tuple[bytes, ...]) -> str | None:
    """Lines as a value of `--answers`, in the shortest form; None if a line is not UTF-8 or contains a newline.

    >>> answers_text((b"h", b"h", b"s")), answers_text((b"900",)), answers_text((b"hit",)), answers_text((b"9", b"0"))
    ('hhs', '900', 'hit,', '9,0')
    """
    try:
        texts = tuple(line.decode("utf-8") for line in lines)
    except UnicodeDecodeError:
        return None
    if any("\n" in text for text in texts):
        return None
    together = "".join(texts)
    is_short = all(len(text) == 1 for text in texts) or len(texts) == 1
    if is_short and re.fullmatch(r"[^\W_]*|[+-]?[0-9.]+", together) and tuple(_KEY.findall(together)) == texts:
        return together
    return ",".join(map(_escaped, texts)) + ("," if len(texts) == 1 or not texts[-1] else "")


def typed_by(text: str) -> Answers:
    """What a value of `--answers` types; bytes of it that are no UTF-8 are typed as they are. UsageError as below."""
    return Answers(tuple(line.encode("utf-8", "surrogateescape") for line in answers_in(text)))


def answers_in(text: str) -> tuple[str, ...]:
    r"""The lines in a value of `--answers`.

    Without a comma each letter is a line, and so is each number. With commas each part is a line; a single part ends
    in a comma. Escapes are `\,` `\\` `\t` `\xHH` `\uHHHH` `\UHHHHHHHH`. Raises UsageError for any other escape, for a
    newline in a line, and for blanks without a comma.

    >>> answers_in("hhs"), answers_in("900"), answers_in("10hs"), answers_in("9,0"), answers_in("hit,")
    (('h', 'h', 's'), ('900',), ('10', 'h', 's'), ('9', '0'), ('hit',))
    """
    parts = [""]
    for piece in _PIECE.findall(text):
        if piece == ",":
            parts.append("")
        else:
            parts[-1] += _unescaped(piece)
    if any("\n" in part for part in parts):
        raise UsageError(f"--answers {shlex.quote(text)}: a line has no newline in it — give two lines: h,s")
    if len(parts) > 1:
        return tuple(parts[:-1] if not parts[-1] else parts)
    if " " in text:
        raise UsageError(
            f"--answers {shlex.quote(text)}: blanks separate nothing — write {shlex.quote(text.replace(' ', ','))}, or "
            f"{shlex.quote(text + ',')} for one line with blanks in it"
        )
    return tuple(_KEY.findall(parts[0]))


#: One line of a value without commas: a number, or one character.
_KEY = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?|[\s\S]")
_PIECE = re.compile(r"\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\[\s\S]?|[^\\]")
_ESCAPES = {"\\,": ",", "\\\\": "\\", "\\t": "\t"}


def _unescaped(piece: str) -> str:
    if not piece.startswith("\\"):
        return piece
    if len(piece) > 2 and 0xD800 <= int(piece[2:], 16) <= 0xDFFF:
        raise UsageError(f"--answers: {piece} is no character but half of one")
    if len(piece) > 2 and int(piece[2:], 16) <= sys.maxunicode:
        return chr(int(piece[2:], 16))
    if piece not in _ESCAPES:
        raise UsageError(f"--answers: {piece!s} is no escape — there are \\\\ \\, \\t \\xHH and \\uHHHH")
    return _ESCAPES[piece]


def _escaped(text: str) -> str:
    """A line as a part between commas; commas, backslashes and unprintable characters are escaped."""
    return "".join(f"\\{one}" if one in ",\\" else one if one.isprintable() else escape_of(one) for one in text)


def escape_of(character: str) -> str:
    r"""A character by its number, as `--answers` and YAML have it: \x07, \u2028, \U0001f0a0."""
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
