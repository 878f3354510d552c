"""Mutants of a reference command's output. They test what the comparison detects, not the command's logic.

Lines that differ only in their numbers have the same *pattern*: the line with # for each number. A mutant changes all
lines with one pattern in the same way: it changes a letter, a blank or a number, leaves each line out, repeats each
line, or exchanges each line with the next line. Other mutants change the length of all pauses.
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
from pitboss.assignments.cases import Session, sessions_of
from pitboss.compare.comparison import first_difference
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.trial import MutantResult
from pitboss.experiments.mutants.unseeded_mutants import rejecting_session
from pitboss.experiments.mutation.expressions import changed_texts
from pitboss.experiments.relation import run_in_session
from pitboss.model.transcript import Event, Paused, Shown, Transcript, canonical
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.unseeded.reader import DrawnSession, invented_draws
from pitboss.unseeded.unseeded import Judge

_NUMBER = re.compile(rb"[0-9]+")
#: The lines of a text, each with its line end.
Lines = list[bytes]
#: A function that changes the lines of a text that was shown.
_LinesChange = Callable[[Lines], Lines]


class OutputMutant(NamedTuple):
    """A change to a command's output."""

    id: str
    #: Returns the events of a session with the change.
    with_change: Callable[[tuple[Event, ...]], tuple[Event, ...]]


class OutputTrial:
    """The changes to a command's output, and the sessions that may catch the changes."""

    #: How many changes are tried between two reports of progress.
    batch_size = 250

    def __init__(self, assignment: Assignment, stage: Stage) -> None:
        """Run the command in the sessions of the stage, and list the changes that affect at least one session."""
        self.stage = stage
        self._job = Job(assignment, (stage,), find_conditions("auto", "none"), assignment.name)
        self.sessions = list(self._run_all())
        distinct = list(dict.fromkeys(transcript.events for _, transcript in self.sessions))
        self.mutants = [
            mutant
            for mutant in output_mutants_in(distinct)
            if any(mutant.with_change(events) != events for events in distinct)
        ]

    def unreached(self) -> list[str]:
        """Returns no lines: which source lines a command runs is unknown."""
        return []

    def _run_all(self) -> Iterator[tuple[Session, Transcript]]:
        run, breaker = expected_run_here(self.stage), CircuitBreaker()
        for number, session in enumerate(sessions_of(self.stage)):
            draws = invented_draws(self.stage.draws, number) if self.stage.reader else None
            with suppress(HarnessError):  # `pitboss verify` reports the error
                yield session, breaker.call(run_in_session, run, session, draws)

    @property
    def count(self) -> int:
        return len(self.mutants)

    def try_mutants(self, numbers: Iterable[int]) -> list[tuple[int, MutantResult]]:
        return [
            (number, MutantResult(self.mutants[number].id, self._catching_session(self.mutants[number])))
            for number in numbers
        ]

    def _catching_session(self, mutant: OutputMutant) -> str:
        """The name of a session that catches a change; empty if no session does."""
        sessions = self.sessions_with(mutant)
        if not self.stage.reader:
            return next((session.name for session, _ in sessions), "")
        read = self._new_judge().read
        differing = (DrawnSession(session, changed, read(changed.events)) for session, changed in sessions)
        return rejecting_session(differing, self._new_judge)

    def _new_judge(self) -> Judge:
        return Judge(self._job, self.stage)

    def sessions_with(self, mutant: OutputMutant) -> Iterator[tuple[Session, Transcript]]:
        """The sessions in which the comparison detects a change, with the changed transcripts."""
        for session, transcript in self.sessions:
            changed = msgspec.structs.replace(transcript, events=mutant.with_change(transcript.events))
            if first_difference(transcript, changed, session.case.policy) is not None:
                yield session, changed


def output_mutants_in(sessions: Sequence[tuple[Event, ...]]) -> Iterator[OutputMutant]:
    texts = (event.text for events in sessions for event in events if isinstance(event, Shown))
    patterns = dict.fromkeys(_NUMBER.sub(b"#", line) for text in texts for line in _lines(text))
    sorted_patterns = sorted(pattern.decode("utf-8", "surrogateescape") for pattern in patterns)
    for pattern in patterns:
        yield from _mutants_of_pattern(pattern, sorted_patterns)
    if any(isinstance(event, Paused) for events in sessions for event in events):
        for step_ms in (-1000, 500, 1000):
            yield OutputMutant(f"pauses: {step_ms:+d} ms", partial(_with_changed_pauses, step_ms))


def _lines(text: bytes) -> Lines:
    return text.splitlines(keepends=True)


def _mutants_of_pattern(pattern: bytes, all_patterns: Sequence[str]) -> Iterator[OutputMutant]:
    """All changes to the lines with this pattern, including its replacement by another one of `all_patterns`."""
    shown_pattern = pattern.decode("utf-8", "surrogateescape")
    for changed_pattern in changed_texts(shown_pattern, all_patterns):
        # In each changed line, the numbers of the original line replace the # marks; surplus # marks remain.
        yield _mutant_of_lines(
            pattern,
            f"{shown_pattern!r} → {changed_pattern!r}",
            _replacement_with(changed_pattern.encode("utf-8", "surrogateescape")),
        )
    if b"#" in pattern:
        for step in (1, -1):
            yield _mutant_of_lines(
                pattern, f"{shown_pattern!r}: its numbers {step:+d}", partial(_with_changed_numbers, step)
            )
    yield _mutant_of_lines(pattern, f"{shown_pattern!r} left out", lambda line: [])
    yield _mutant_of_lines(pattern, f"{shown_pattern!r} twice", lambda line: [line, line])
    yield OutputMutant(
        f"output: {shown_pattern!r} exchanged with the next line",
        lambda events: _with_changed_lines(events, _exchange_with_next(pattern)),
    )


def _mutant_of_lines(pattern: bytes, description: str, change: Callable[[bytes], Lines]) -> OutputMutant:
    """The change that replaces each line with this pattern by the lines that `change` returns."""

    def changed_lines(lines: Lines) -> Lines:
        return [
            new_line for line in lines for new_line in (change(line) if _NUMBER.sub(b"#", line) == pattern else [line])
        ]

    return OutputMutant(f"output: {description}", lambda events: _with_changed_lines(events, changed_lines))


def _replacement_with(changed_pattern: bytes) -> Callable[[bytes], Lines]:
    """Returns a function that replaces a line by `changed_pattern`, with the numbers of the replaced line."""

    def change(line: bytes) -> Lines:
        numbers = iter(_NUMBER.findall(line))
        return [re.sub(rb"#", lambda _: next(numbers, b"#"), changed_pattern)]

    return change


def _with_changed_numbers(step: int, line: bytes) -> Lines:
    """The line with `step` added to each number."""
    return [_NUMBER.sub(lambda number: str(int(number[0]) + step).encode(), line)]


def _exchange_with_next(pattern: bytes) -> _LinesChange:
    def change(lines: Lines) -> Lines:
        changed = list(lines)
        for index in range(len(lines) - 1):
            if _NUMBER.sub(b"#", lines[index]) == pattern:
                changed[index], changed[index + 1] = lines[index + 1], lines[index]
        return changed

    return change


def _with_changed_lines(events: tuple[Event, ...], change: _LinesChange) -> tuple[Event, ...]:
    return canonical(
        Shown(b"".join(change(_lines(event.text)))) if isinstance(event, Shown) else event for event in events
    )


def _with_changed_pauses(change_ms: int, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events with all pauses longer by `change_ms`, or shorter if `change_ms` is negative."""
    return canonical(
        Paused(max(0, event.duration_ms + change_ms)) if isinstance(event, Paused) else event for event in events
    )
