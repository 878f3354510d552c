"""Programs that draw from another seed than the typed one.

The generator may be seeded with the time of day, the process ID, a constant, or a number next to the typed one. Each of
these can be tested: the session's seeded environment fixes the time and the process ID, and the correct program shows
what it does with any seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.results import Diagnosis
from pitboss.experiments.naming.explaining import length, right_run
from pitboss.experiments.relation import experiment_of
from pitboss.model.invocation import Invocation
from pitboss.model.scripts import InputScript
from pitboss.model.transcript import Event, Transcript, Typed
from pitboss.sessions.determinism import visible_seeds_of
from pitboss.sessions.references import DrawSource, ExpectedRun

#: Seeds that occur as constants in programs; without 1, the seed of an unseeded generator, which is a known mistake.
_CONSTANTS = (0, *range(2, 32), 42, 99, 100, 123, 1000, 1234, 12345, 123456, 1234567, 12345678, 123456789)
#: How many seconds may have passed before a program reads the time.
_LATER_S = 2
_SEED = re.compile(rb"-?[0-9]{1,20}")
_HINT = "Use the seed as it is typed: seed the generator with it, once, before anything is drawn."
_NOTE = "The same as the reference with that seed, in every session."


class _WrongSeed(NamedTuple):
    """A wrong way to choose a seed, and the seeds that it may give in a session."""

    id: str
    title: str
    seeds: Callable[[JudgedSession], Sequence[int]]


def own_seed_of(stage: Stage, failed: Sequence[JudgedSession], accepted: Sequence[JudgedSession]) -> list[Diagnosis]:
    """The seed used instead of the typed one, if that explains all of these sessions; empty if nothing does.

    An accepted session with seed 0 contradicts nothing: 0 often means that nothing is drawn.
    """
    right = right_run(stage) if has_seeds(stage) else None
    seen = [*failed, *(session for session in accepted if _typed_seed(session) != 0)]
    if right is None or None in map(_typed_seed, seen):
        return []
    probe = min(failed, key=length)
    for way in _wrong_seeds(probe):
        if all(
            any(_is_of_seed(right, session, seed, stage) for seed in way.seeds(session)) for session in (probe, *seen)
        ):
            return [Diagnosis(way.id, way.title, _HINT, _NOTE, len(failed), len(failed))]
    return []


def has_seeds(stage: Stage) -> bool:
    """Whether the first line of a session is a seed."""
    cases = [case.session for case in stage.spec.cases if isinstance(case.session, Generated)]
    return not stage.reader and any(None not in case.seeds for case in cases)


def _typed_seed(judged: JudgedSession) -> int | None:
    first = judged.actual.lines[0] if judged.actual.lines else b""
    return int(first) if _SEED.fullmatch(first) else None


def _wrong_seeds(probe: JudgedSession) -> Iterator[_WrongSeed]:
    def times(session: JudgedSession) -> Sequence[int]:
        second = visible_seeds_of(session.environment_seed).second
        return range(second, second + _LATER_S)

    yield _WrongSeed("seeded-by-the-time", "the time is used instead of the seed", times)
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


def _is_of_seed(right: ExpectedRun, judged: JudgedSession, seed: int, stage: Stage) -> bool:
    """Whether a session equals the correct program's with this seed, except for the line with the seed itself."""
    return experiment_of(judged, stage).is_explained_by(_with_seed(right, seed, judged.actual.lines[0]))


def _with_seed(right: ExpectedRun, seed: int, typed: bytes) -> ExpectedRun:
    def run(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        is_first = True

        def script(events: Sequence[Event]) -> bytes | None:
            nonlocal is_first
            line = input_script(events)
            if is_first and line == typed:
                line = str(seed).encode()
            is_first = False
            return line

        transcript = right(script, draws, invocation=invocation)
        first = next((number for number, event in enumerate(transcript.events) if isinstance(event, Typed)), None)
        if first is None:
            return transcript
        events = (*transcript.events[:first], Typed(typed), *transcript.events[first + 1 :])
        return msgspec.structs.replace(transcript, events=events)

    return run
