"""Naming the mistake: a submission that behaves as a known wrong reference does is told so.

A mistake is named when its wrong program does in every session just what the submission did, in those that failed and
in those that were accepted. Nothing is said where nothing fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from harness.assignments.assignment import Stage
from harness.assignments.functions import resolved
from harness.draws.replay import progress
from harness.errors import HarnessError
from harness.judging.comparison import difference_between
from harness.judging.outcome import Witness
from harness.judging.results import Diagnosis, StageReport
from harness.mistakes.catalogue import Mistake, mistakes_beside, mistakes_of, pairs_of
from harness.mistakes.habits import habit_of
from harness.mistakes.likeness import does_same, told_by
from harness.running.references import ExpectedRun, expected_run_in_process
from harness.transcripts.transcript import EndingKind, Event, Typed

#: So many failed sessions are looked at to rank mistakes that do not explain all; and a mistake that explains less
#: than this part of them is not worth a word.
_SAMPLE, _NEAR = 12, 0.75
#: From so many failed sessions on something is done throughout.
_LEAST = 3
#: So many failed sessions tell which pairs of mistakes are worth trying.
_PROBES = 4
#: So many accepted sessions must not speak against a mistake.
_AGAINST = 60


def diagnosed(stage: Stage, witnesses: Sequence[Witness], judged_as: str = "") -> tuple[Diagnosis, ...]:
    """What explains the failed sessions of a stage, best first; nothing where none failed or nothing fits.

    `judged_as` names the tolerated reference that they were judged by, if any.
    """
    failed = [one for one in witnesses if one.actual.ending.kind is EndingKind.EXITED and _went_wrong(one)]
    accepted = [one for one in witnesses if one.is_accepted]
    known = mistakes_beside(stage, judged_as) if judged_as else mistakes_of(stage)
    mistakes = [one for one in known if not one.invisible]
    if not failed:
        return ()
    found = _explaining(stage, mistakes, failed, accepted) or _habit(failed)
    if not judged_as:
        found = found or _explaining(stage, _pairs(stage, mistakes, failed), failed, accepted)
    return tuple(found) or tuple(_near(stage, mistakes, failed, accepted))


def with_diagnosis(report: StageReport, stage: Stage, witnesses: Sequence[Witness]) -> StageReport:
    """A stage's report with what explains its failed sessions.

    Where the known mistakes cannot be tried the verdict stands, and why not is a fault of the report.
    """
    try:
        return msgspec.structs.replace(report, diagnosis=diagnosed(stage, witnesses, report.judged_as))
    except HarnessError as error:
        return msgspec.structs.replace(report, faults=(*report.faults, str(error)))


def _went_wrong(witness: Witness) -> bool:
    """Whether a session failed for what was done in it, and not for what was drawn: that the right one does as well."""
    if witness.is_accepted or witness.expected is None or witness.draws is None:
        return not witness.is_accepted
    return difference_between(witness.expected, witness.actual.events, witness.policy) is not None


def _habit(failed: Sequence[Witness]) -> list[Diagnosis]:
    """What was done to the text throughout, where that alone explains what failed; one session is no habit."""
    if len(failed) < _LEAST or any(one.expected is None for one in failed):
        return []
    habit = habit_of([(one.expected or (), one.actual.events) for one in failed])
    if habit is None:
        return []
    return [Diagnosis(habit.id, habit.title, habit.hint, "Found by comparing text.", len(failed), len(failed))]


def _pairs(stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[Witness]) -> Iterator[Mistake]:
    """Mistakes two by two, those that may explain a few of the failed sessions as far as each alone tells.

    There are thousands of pairs. Two mistakes together part from the right program where the first of them does: so
    that must be between the same two typed lines as in the session, and what stands there be of its making, or of
    both's.
    """
    probes = [_parts(stage, mistakes, one) for one in sorted(failed, key=_length)[:_PROBES]]

    def may_explain(one: str, other: str) -> bool:
        for done, alone in probes:
            first, later = sorted((alone[one], alone[other]))
            if first.parts != done.parts or (later.parts != done.parts and first.agrees <= done.agrees):
                return False
        return True

    return pairs_of(stage, may_explain)


def _length(witness: Witness) -> int:
    return len(witness.actual.events)


class _Alone(NamedTuple):
    """After how many typed lines a program parts from the right one in a session, and how far it agrees with it."""

    parts: int
    agrees: int


def _parts(stage: Stage, mistakes: Sequence[Mistake], witness: Witness) -> tuple[_Alone, dict[str, _Alone]]:
    """The right program in a session, and each mistake alone, by its id."""
    right, done = _right(stage), witness.actual.events
    normal = told_by(right, witness, stage) if right else None
    if normal is None:  # all of them may explain it then
        unknown = _Alone(0, 0)
        return unknown, {mistake.id: unknown for mistake in mistakes}

    def parts(told: tuple[Event, ...]) -> int:
        difference = difference_between(normal, told, witness.policy)
        return _NEVER if difference is None else _typed(difference.matched)

    def agrees(told: tuple[Event, ...]) -> int:
        return progress(difference_between(told, done, witness.policy))

    alone = {}
    for mistake in mistakes:
        expected_run = mistake.run_of(stage.name)
        assert expected_run is not None
        told = told_by(expected_run, witness, stage)
        # One that comes to no end here may do anything beside another.
        alone[mistake.id] = _Alone(parts(done), _NEVER) if told is None else _Alone(parts(told), agrees(told))
    return _Alone(parts(done), agrees(normal)), alone


#: More than any session has typed lines.
_NEVER = 1 << 60


def _typed(events: tuple[Event, ...]) -> int:
    return sum(isinstance(event, Typed) for event in events)


def _right(stage: Stage) -> ExpectedRun | None:
    """The stage's own reference where it is a function, as the wrong ones are."""
    function = stage.reference.function
    return expected_run_in_process(resolved(function, stage.name), stage.name) if function else None


def _explaining(
    stage: Stage, mistakes: Iterable[Mistake], failed: Sequence[Witness], accepted: Sequence[Witness]
) -> list[Diagnosis]:
    seen = [*failed, *accepted]
    return [
        _diagnosis(mistake, len(failed), len(failed)) for mistake in mistakes if all(map(_does(stage, mistake), seen))
    ]


def _near(
    stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[Witness], accepted: Sequence[Witness]
) -> list[Diagnosis]:
    """Mistakes that explain much of what failed, with nothing that speaks against them in what did not."""
    sample = sorted(failed[:: max(1, len(failed) // _SAMPLE)][:_SAMPLE], key=_length)
    ranked = []
    for mistake in mistakes:
        does = _does(stage, mistake)
        if _does_most(does, sample) and all(map(does, accepted[:_AGAINST])):
            ranked.append((sum(map(does, failed)), mistake))
    ranked.sort(key=lambda one: -one[0])
    return [_diagnosis(mistake, explains, len(failed)) for explains, mistake in ranked[:3] if explains > 1]


def _does_most(does: Callable[[Witness], bool], sample: Sequence[Witness]) -> bool:
    """Whether it does what was done in most sessions of a sample; it is not asked longer than it takes to know."""
    misses = 0
    for witness in sample:
        misses += not does(witness)
        if misses > (1 - _NEAR) * len(sample):
            return False
    return True


def _diagnosis(mistake: Mistake, explains: int, of: int) -> Diagnosis:
    return Diagnosis(mistake.id, mistake.title, mistake.hint, mistake.note, explains, of)


def _does(stage: Stage, mistake: Mistake) -> Callable[[Witness], bool]:
    """Whether the wrong program of a stage does in a session what was done in it."""
    expected_run = mistake.run_of(stage.name)
    assert expected_run is not None
    return lambda witness: does_same(expected_run, witness, stage)
