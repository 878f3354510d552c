"""Runs an assignment's own checker on a session: a function, or a command that gets the session as JSON.

The checker replaces the comparison of what the program shows, writes to files and writes to standard error. How the
program ends is still judged as usual. A checker that fails is the assignment's fault: AssignmentError, never a verdict.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from pitboss.assignments.authored import MAX_S, call, short_repr, text_of
from pitboss.assignments.functions import parse_function_name, resolve_function
from pitboss.errors import AssignmentError
from pitboss.model.comparison_policy import Checker
from pitboss.model.transcript import FileKind, Transcript, Typed, lines_of, text_in

#: The exit codes with which a checker command accepts and rejects a session.
ACCEPTS, REJECTS = 0, 1
#: A checker command's sentence on a line of the screen: `4: what is wrong`.
_NUMBERED_SENTENCE = re.compile(r"([0-9]{1,9}): *(.*)", re.DOTALL)
#: A checker's sentence is truncated to this many characters.
_MAX_SENTENCE_CHARACTERS = 1000


class Side(NamedTuple):
    """One of the two sessions that a checker gets. Bytes that are not UTF-8 become lone surrogates."""

    #: The program's output on the screen, without the typed lines.
    text: str
    #: The lines of the screen, including the typed input.
    lines: tuple[str, ...]
    #: The contents of the compared files that exist, by name.
    files: Mapping[str, str]
    #: The program's output to standard error, if standard error is compared; else empty.
    errors: str
    exit_code: int

    def line(self, number: int) -> str:
        """Return a line of the screen by its number, from 1; empty if there are fewer lines."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""


class CheckedSession(NamedTuple):
    """What a checker gets: the submission's session and the expected session."""

    #: The submission's session.
    shown: Side
    #: The reference's session with the same typed lines, or the recorded transcript.
    expected: Side
    #: The lines that the program read, without their newlines.
    typed: tuple[str, ...]


class Rejection(msgspec.Struct, frozen=True):
    """A checker's finding that a session is wrong."""

    #: The checker's sentence for the student; empty if the checker returns none.
    sentence: str
    #: The line number on the screen, from 1; None if the checker names no line.
    line: int | None = None


def rejection_of(expected: Transcript, actual: Transcript, checker: Checker) -> Rejection | None:
    """Returns a checker's rejection of a session; None if the session is right.

    Raises AssignmentError if the checker fails or breaks its contract, SpecError if its function cannot be imported.
    """
    if not checker.function:
        return _rejection_by_command(checker.command, _checked_session(expected, actual))
    label = f"the checker {parse_function_name(checker.function).written!r}"
    return rejection_by_function(label, resolve_function(checker.function, label), expected, actual)


def rejection_by_function(
    label: str, check: Callable[[CheckedSession], object], expected: Transcript, actual: Transcript
) -> Rejection | None:
    """Returns a function's rejection of a session, as `rejection_of` does; messages name the function by `label`."""
    session = _checked_session(expected, actual)

    def read(returned: object) -> Rejection | None:
        return _rejection(label, returned, len(session.shown.lines))

    rejection: Rejection | None = call(label, check, session, read=read)
    return rejection


def _checked_session(expected: Transcript, actual: Transcript) -> CheckedSession:
    """Returns two transcripts in the form that a checker gets."""
    return CheckedSession(_side_of(actual), _side_of(expected), tuple(map(_decoded, actual.lines)))


def _rejection_by_command(argv: tuple[str, ...], session: CheckedSession) -> Rejection | None:
    """Runs a checker command; returns its rejection, or None if it accepts the session.

    The command reads the session as JSON from standard input. It exits with 0 to accept the session. To reject the
    session, it writes a sentence to standard output and exits with 1.
    """
    label = f"the checker {argv[0]}"
    request = msgspec.json.encode(
        {"shown": session.shown._asdict(), "expected": session.expected._asdict(), "typed": session.typed},
        enc_hook=str,
    )
    try:
        process = subprocess.run(argv, input=request, capture_output=True, timeout=MAX_S, check=False)
    except subprocess.TimeoutExpired:
        raise AssignmentError(f"{label} did not come to an end within {MAX_S:.0f} s", is_endless=True) from None
    except OSError as error:
        raise AssignmentError(f"{label} cannot be started: {error.strerror}") from error
    if process.returncode == ACCEPTS:
        return None
    if process.returncode != REJECTS:
        last = process.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise AssignmentError(f"{label} ended with exit code {process.returncode}{f': {last}' if last else ''}")
    sentence = process.stdout.decode("utf-8", "replace").strip()
    numbered = _NUMBERED_SENTENCE.fullmatch(sentence)
    value = (int(numbered[1]), numbered[2]) if numbered else sentence
    return _rejection(label, value, len(session.shown.lines))


def _rejection(label: str, value: Any, line_count: int) -> Rejection | None:
    """Returns the rejection that a checker's return value stands for; None if the value accepts the session.

    Raises AssignmentError if the value is not allowed.
    """
    if value is None or value is True:
        return None
    if value is False:
        return Rejection("")
    line, sentence = value if isinstance(value, tuple) and len(value) == 2 else (None, value)
    if not isinstance(sentence, str) or isinstance(line, bool) or not isinstance(line, int | None):
        raise AssignmentError(
            f"{label} returned {short_repr(value)} — it must return None or True if the session is right, else False, "
            "a sentence, or a line number and a sentence"
        )
    if line is not None and not 1 <= line <= line_count + 1:
        raise AssignmentError(f"{label} named line {line} of a session with {line_count} lines")
    return Rejection(" ".join(text_of(sentence).split())[:_MAX_SENTENCE_CHARACTERS], line)


def _side_of(transcript: Transcript) -> Side:
    files = {file.name: _decoded(file.content) for file in transcript.written if file.kind is FileKind.REGULAR}
    lines = tuple(
        _decoded(text_in(line) + b"".join(event.line for event in line if isinstance(event, Typed)))
        for line in lines_of(transcript.events)
    )
    return Side(
        _decoded(transcript.text), lines, files, _decoded(transcript.errors or b""), transcript.ending.exit_code
    )


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
