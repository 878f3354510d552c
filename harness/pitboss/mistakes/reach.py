"""How far into a session the behaviour of a program tells of its mistake.

A program that has parted from the right one may read a line that was meant for another question, or more lines than
there are. What it does with a line that nobody types at its question, and after the last line, nobody grades; so no
mistake need explain it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set

from pitboss.judging.comparison import last_line
from pitboss.judging.outcome import Witness
from pitboss.judging.verdicts import asked_too_often
from pitboss.transcripts.transcript import EndingKind, Event, InputEnded, Transcript, Typed

#: For each question, as it stands on the line of the screen where a line is typed, the kinds of lines typed there.
Answers = Mapping[bytes, Set[bytes]]
_NUMBER = re.compile(rb"[+-]?[0-9]+(?:\.[0-9]+)?")


def answers_in(witnesses: Iterable[Witness], right: Iterable[Transcript] = ()) -> Answers:
    """The answers that the right program gets at its questions in these sessions, and in these of its own."""
    found: dict[bytes, set[bytes]] = {}
    # Where a witness is in step its lines were meant for the program that was tried.
    expected = [one.expected or () for one in witnesses if not one.is_in_step]
    for events in (*expected, *(one.events for one in right)):
        for question, read in _reads(events):
            if isinstance(read, Typed):
                found.setdefault(question, set()).add(_kind(read.line))
    return found


def reach_of(witness: Witness, answers: Answers) -> int | None:
    """The number of the last read, from 1, up to which a session is compared; None if that is all of it.

    It is a line that is none of the answers to the question it was typed at, or a read past the end of input.
    """
    expected, actual = witness.expected or (), witness.actual.events
    if witness.draws is None:
        for number, (question, read) in enumerate(_reads(actual), 1):
            if isinstance(read, Typed) and question in answers and _kind(read.line) not in answers[question]:
                return number
    if witness.actual.ending.kind is EndingKind.OUT_OF_LINES:
        return sum(1 for _ in _reads(actual))
    if not asked_too_often(expected, actual):
        return None
    return _number_of_end(actual, 1 + sum(isinstance(event, InputEnded) for event in expected))


def _reads(events: tuple[Event, ...]) -> Iterator[tuple[bytes, Typed | InputEnded]]:
    """Each read, and what is shown before it on its line."""
    for index, event in enumerate(events):
        if isinstance(event, Typed | InputEnded):
            yield last_line(events[:index]), event


def _kind(line: bytes) -> bytes:
    """One value for all numbers; any other line is a kind of its own."""
    return b"0" if _NUMBER.fullmatch(line.strip()) else line


def _number_of_end(events: tuple[Event, ...], ends: int) -> int:
    """The number, among all reads, of this end of input."""
    reads = [event for event in events if isinstance(event, Typed | InputEnded)]
    places = [number for number, event in enumerate(reads, 1) if isinstance(event, InputEnded)]
    return places[ends - 1]
