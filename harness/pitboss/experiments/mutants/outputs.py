"""Mutants of a reference command's output, which test what the comparison detects, not the command's logic.

Lines that differ only in their numbers are changed together: a letter, a blank, a number or the position changes, or
the lines are left out or repeated. Pauses are also changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session, all_sessions_of, sessions_of
from pitboss.compare.side_outputs import first_difference
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.trial import MutantResult
from pitboss.experiments.mutants.unseeded_mutants import refused_in
from pitboss.experiments.mutation.expressions import changed_texts
from pitboss.experiments.relation import played
from pitboss.model.transcript import Event, Paused, Shown, Transcript, canonical
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.unseeded.drawn import DrawnSession, invented
from pitboss.unseeded.unseeded import Judge

_NUMBER = re.compile(rb"[0-9]+")
Lines = list[bytes]
#: Changes the lines of a text that was shown.
_Change = Callable[[Lines], Lines]


class Altered(NamedTuple):
    """A change to a command's output."""

    id: str
    events: Callable[[tuple[Event, ...]], tuple[Event, ...]]


class OutputTrial:
    """The changes to a command's output, and the sessions that may catch the changes."""

    at_once = 250

    def __init__(self, assignment: Assignment, stage: Stage) -> None:
        """Run the command in the sessions of the stage."""
        self.stage = stage
        self._job = Job(assignment, (stage,), find_conditions("auto", "none"), assignment.name)
        self.sessions = list(self._run_all())
        distinct = list(dict.fromkeys(transcript.events for _, transcript in self.sessions))
        self.mutants = [
            alteration
            for alteration in alterations(distinct)
            if any(alteration.events(events) != events for events in distinct)
        ]

    def unreached(self) -> list[str]:
        """No lines: the source lines that a command runs are unknown."""
        return []

    def _run_all(self) -> Iterator[tuple[Session, Transcript]]:
        run, patience = expected_run_here(self.stage), CircuitBreaker()
        sessions = sessions_of(self.stage) if self.stage.reader else all_sessions_of(self.stage)
        for number, session in enumerate(sessions):
            draws = invented(self.stage.draws, number) if self.stage.reader else None
            with suppress(HarnessError):  # `pitboss verify` reports the error
                yield session, patience.call(played, run, session, draws)

    @property
    def count(self) -> int:
        """The number of changes."""
        return len(self.mutants)

    def try_mutants(self, numbers: Iterable[int]) -> list[tuple[int, MutantResult]]:
        """The results for the changes with these numbers."""
        return [
            (number, MutantResult(self.mutants[number].id, self._catches(self.mutants[number]))) for number in numbers
        ]

    def _catches(self, mutant: Altered) -> str:
        sessions = self.sessions_with(mutant)
        if not self.stage.reader:
            return next((session.name for session, _ in sessions), "")
        read = self._judge().read
        differing = (DrawnSession(session, changed, read(changed.events)) for session, changed in sessions)
        return refused_in(differing, self._judge)

    def _judge(self) -> Judge:
        return Judge(self._job, self.stage)

    def sessions_with(self, mutant: Altered) -> Iterator[tuple[Session, Transcript]]:
        """The sessions in which the comparison detects a change, with the changed transcripts."""
        for session, transcript in self.sessions:
            changed = msgspec.structs.replace(transcript, events=mutant.events(transcript.events))
            if first_difference(transcript, changed, session.case.policy) is not None:
                yield session, changed


def alterations(sessions: Sequence[tuple[Event, ...]]) -> Iterator[Altered]:
    """All distinct changes to the output of these sessions."""
    kinds: dict[bytes, bytes] = {}
    for events in sessions:
        for event in events:
            for line in _lines(event.text) if isinstance(event, Shown) else ():
                kinds.setdefault(_NUMBER.sub(b"#", line), line)
    texts = sorted(kind.decode("utf-8", "surrogateescape") for kind in kinds)
    for kind in kinds:
        yield from _of_line(kind, texts)
    if any(isinstance(event, Paused) for events in sessions for event in events):
        for change in (-1000, 500, 1000):
            yield Altered(f"pauses: {change:+d} ms", partial(_with_pauses, change))


def _lines(text: bytes) -> Lines:
    return text.splitlines(keepends=True)


def _of_line(kind: bytes, texts: Sequence[str]) -> Iterator[Altered]:
    text = kind.decode("utf-8", "surrogateescape")
    for changed_text in changed_texts(text, texts):
        # The line's own numbers replace the # marks until no numbers are left.
        yield _alteration(
            kind, f"{text!r} → {changed_text!r}", _replaced(kind, changed_text.encode("utf-8", "surrogateescape"))
        )
    if b"#" in kind:
        for step in (1, -1):
            yield _alteration(kind, f"{text!r}: its numbers {step:+d}", partial(_with_step, step))
    yield _alteration(kind, f"{text!r} left out", lambda line: [])
    yield _alteration(kind, f"{text!r} twice", lambda line: [line, line])
    yield Altered(f"output: {text!r} exchanged with the next line", lambda events: _changed(events, _exchanged(kind)))


def _alteration(kind: bytes, description: str, change: Callable[[bytes], Lines]) -> Altered:
    def changed_lines(lines: Lines) -> Lines:
        return [
            new_line for line in lines for new_line in (change(line) if _NUMBER.sub(b"#", line) == kind else [line])
        ]

    return Altered(f"output: {description}", lambda events: _changed(events, changed_lines))


def _replaced(kind: bytes, new_text: bytes) -> Callable[[bytes], Lines]:
    def change(line: bytes) -> Lines:
        numbers = iter(_NUMBER.findall(line))
        return [re.sub(rb"#", lambda _: next(numbers, b"#"), new_text)]

    return change


def _with_step(step: int, line: bytes) -> Lines:
    return [_NUMBER.sub(lambda number: str(int(number[0]) + step).encode(), line)]


def _exchanged(kind: bytes) -> _Change:
    def change(lines: Lines) -> Lines:
        changed = list(lines)
        for index in range(len(lines) - 1):
            if _NUMBER.sub(b"#", lines[index]) == kind:
                changed[index], changed[index + 1] = lines[index + 1], lines[index]
        return changed

    return change


def _changed(events: tuple[Event, ...], change: _Change) -> tuple[Event, ...]:
    return canonical(
        Shown(b"".join(change(_lines(event.text)))) if isinstance(event, Shown) else event for event in events
    )


def _with_pauses(change_ms: int, events: tuple[Event, ...]) -> tuple[Event, ...]:
    return canonical(
        Paused(max(0, event.duration_ms + change_ms)) if isinstance(event, Paused) else event for event in events
    )
