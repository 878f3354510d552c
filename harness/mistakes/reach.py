"""How far into a session the behaviour of a program tells of its mistake.

With a seed the lines that are typed are those of the right program. A program that has parted from it may read a line
that was meant for another question, or more lines than there are. What it does then nobody grades, and no mistake need
explain it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from harness.judging.comparison import last_line
from harness.judging.outcome import Witness
from harness.judging.verdicts import asked_too_often
from harness.transcripts.transcript import Event, InputEnded, Transcript, Typed


def questions_of(witnesses: Iterable[Witness]) -> frozenset[bytes]:
    """What the right program shows on the line where it reads, in any of these sessions."""
    return frozenset(question for one in witnesses for question in _questions(one.expected or ()))


def reach_of(witness: Witness, questions: frozenset[bytes]) -> int | None:
    """The number of the last read, from 1, up to which a session is compared; None if that is all of it.

    It is a read at the wrong question, if `questions` are those of the right program, or past the end of input.
    """
    expected, actual = witness.expected or (), witness.actual.events
    if witness.draws is None and not witness.is_in_step:
        pairs = zip(_questions(expected), _questions(actual), strict=False)
        for number, (meant, asked) in enumerate(pairs, 1):
            if asked != meant and asked in questions:
                return number
    if not asked_too_often(expected, actual):
        return None
    return _number_of_end(actual, 1 + sum(isinstance(event, InputEnded) for event in expected))


def until(told: Transcript, reads: int) -> Transcript:
    """The session up to and including this read, as if it had ended well there; all of it if it has fewer."""
    number = 0
    for index, event in enumerate(told.events):
        number += isinstance(event, Typed | InputEnded)
        if number == reads:
            return Transcript(told.events[: index + 1])
    return told


def _questions(events: tuple[Event, ...]) -> Iterator[bytes]:
    """What is shown on the line of each read, before it."""
    for index, event in enumerate(events):
        if isinstance(event, Typed | InputEnded):
            yield last_line(events[:index])


def _number_of_end(events: tuple[Event, ...], ends: int) -> int:
    """The number, among all reads, of this end of input."""
    reads = [event for event in events if isinstance(event, Typed | InputEnded)]
    places = [number for number, event in enumerate(reads, 1) if isinstance(event, InputEnded)]
    return places[ends - 1]
