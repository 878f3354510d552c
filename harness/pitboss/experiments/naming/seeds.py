"""Finds the wrong seed that a program uses instead of the typed seed.

A program may seed its generator with the time of day, the process ID, a constant, or the typed seed plus or minus 1.
Each of these seeds can be tested: the environment of a session fixes the time and the process ID, and the correct
program can be run with any seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.results import Diagnosis
from pitboss.experiments.naming.explaining import JudgedSessions, event_count, right_run
from pitboss.experiments.relation import experiment_of
from pitboss.model.invocation import InputScript
from pitboss.model.transcript import Event, Transcript, Typed
from pitboss.sessions.determinism import visible_seeds_of
from pitboss.sessions.references import ExpectedRun

#: Seeds that occur as constants in programs, except 1: an unseeded generator uses 1, which is a known mistake.
_CONSTANTS = (0, *range(2, 32), 42, 99, 100, 123, 1000, 1234, 12345, 123456, 1234567, 12345678, 123456789)
#: A program is assumed to read the time less than this many seconds after it starts.
_MAX_DELAY_S = 2
_SEED_LINE = re.compile(rb"-?[0-9]{1,20}")
_HINT = "Use the seed as it is typed: seed the generator with it, once, before anything is drawn."
_NOTE = "Behaves in every session like the reference with that seed."


class _WrongSeed(NamedTuple):
    """A wrong way to choose a seed, with a function that gives the possible seeds of a session."""

    id: str
    title: str
    seeds: Callable[[JudgedSession], Sequence[int]]


def wrong_seed_diagnoses(stage: Stage, failed: JudgedSessions, accepted: JudgedSessions) -> list[Diagnosis]:
    """The diagnosis of a wrong seed that explains all of these sessions; empty if no wrong seed does.

    An accepted session with seed 0 contradicts nothing: 0 often means that nothing is drawn.
    """
    right = right_run(stage) if has_seeds(stage) else None
    sessions = [*failed, *(session for session in accepted if _typed_seed(session) != 0)]
    if right is None or None in map(_typed_seed, sessions):
        return []
    probe = min(failed, key=event_count)  # tried first: most wrong seeds do not explain even the shortest session
    for wrong_seed in _wrong_seeds(probe):
        if all(
            any(_is_explained_by_seed(right, session, seed, stage) for seed in wrong_seed.seeds(session))
            for session in (probe, *sessions)
        ):
            return [Diagnosis(wrong_seed.id, wrong_seed.title, _HINT, _NOTE, len(failed), len(failed))]
    return []


def has_seeds(stage: Stage) -> bool:
    """Whether the first line typed in sessions of the stage is a seed."""
    generated = [case.session for case in stage.spec.cases if isinstance(case.session, Generated)]
    return not stage.reader and any(None not in sessions.seeds for sessions in generated)


def _typed_seed(judged: JudgedSession) -> int | None:
    """The seed in the first typed line of a session; None if this line is not a number."""
    first_line = judged.actual.lines[0] if judged.actual.lines else b""
    return int(first_line) if _SEED_LINE.fullmatch(first_line) else None


def _wrong_seeds(probe: JudgedSession) -> Iterator[_WrongSeed]:
    """Yields the wrong seeds to test; the typed seed of the failed session `probe` is not among the constants."""

    def seconds_near_start(session: JudgedSession) -> Sequence[int]:
        second = visible_seeds_of(session.environment_seed).second
        return range(second, second + _MAX_DELAY_S)

    yield _WrongSeed("seeded-by-the-time", "the time is used instead of the seed", seconds_near_start)
    title = "the process ID is used instead of the seed"
    yield _WrongSeed(
        "seeded-by-the-process", title, lambda session: [visible_seeds_of(session.environment_seed).process]
    )
    for step in (1, -1):
        title = f"1 is {'added to' if step > 0 else 'subtracted from'} the seed"
        yield _WrongSeed("seeded-beside", title, lambda session, step=step: [(_typed_seed(session) or 0) + step])  # type: ignore[misc]
    for constant in _CONSTANTS:
        if constant != _typed_seed(probe):
            title = f"{constant} is always used instead of the typed seed"
            yield _WrongSeed("seeded-with-a-constant", title, lambda _, constant=constant: [constant])  # type: ignore[misc]


def _is_explained_by_seed(right: ExpectedRun, judged: JudgedSession, seed: int, stage: Stage) -> bool:
    """Whether the correct program with this seed explains a session, apart from the typed line with the seed."""
    return experiment_of(judged, stage).is_explained_by(_with_seed(right, seed, judged.actual.lines[0]))


def _with_seed(right: ExpectedRun, seed: int, typed_line: bytes) -> ExpectedRun:
    """Returns a function that runs the correct program with `seed` instead of the seed in `typed_line`.

    The transcripts have `typed_line` as the first typed line.
    """

    def run(input_script: InputScript, *arguments: Any, **keywords: Any) -> Transcript:
        is_first_line = True

        def script(events: Sequence[Event]) -> bytes | None:
            nonlocal is_first_line
            line = input_script(events)
            if is_first_line and line == typed_line:
                line = str(seed).encode()
            is_first_line = False
            return line

        transcript = right(script, *arguments, **keywords)
        seed_index = next((index for index, event in enumerate(transcript.events) if isinstance(event, Typed)), None)
        if seed_index is None:
            return transcript
        events = (*transcript.events[:seed_index], Typed(typed_line), *transcript.events[seed_index + 1 :])
        return msgspec.structs.replace(transcript, events=events)

    return run
