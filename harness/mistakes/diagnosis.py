"""Naming the mistake of a submission that behaves like a known wrong reference.

A mistake is named if its wrong program does exactly what the submission did in every session, failed and accepted
alike. If none fits, none is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from harness.assignments.assignment import Stage
from harness.assignments.cases import Session
from harness.assignments.functions import resolved
from harness.assignments.options import accepted_by, own_keywords
from harness.draws.replay import progress
from harness.errors import HarnessError
from harness.judging.comparison import difference_between
from harness.judging.location import located
from harness.judging.outcome import Witness
from harness.judging.reading_texts import settled
from harness.judging.results import Diagnosis, StageReport
from harness.judging.submission_texts import Seen, remark_on
from harness.mistakes.catalogue import Mistake, mistakes_beside, mistakes_of, pairs_of
from harness.mistakes.confirming import sessions_to_confirm
from harness.mistakes.habits import habit_of
from harness.mistakes.likeness import does_same, told_by
from harness.mistakes.reach import Answers, answers_in, reach_of, until
from harness.mistakes.stages import as_other_stages
from harness.running.references import ExpectedRun, expected_run_in_process
from harness.transcripts.transcript import EndingKind, Event, Transcript, Typed

#: How many failed sessions are used to rank mistakes that do not explain all; a mistake that explains a smaller part
#: of them than _NEAR is not reported.
_SAMPLE, _NEAR = 12, 0.75
#: A habit needs at least this many failed sessions.
_LEAST = 3
#: How many failed sessions decide which pairs of mistakes are worth trying.
_PROBES = 4


#: Runs further sessions of a stage with the program; returns those that show how it behaves.
Holding = Callable[[Sequence[Session]], Sequence[Witness]]


def diagnosed(
    stage: Stage,
    witnesses: Sequence[Witness],
    tolerated: str = "",
    holding: Holding | None = None,
    stages: Sequence[Stage] = (),
) -> tuple[Diagnosis, ...]:
    """The mistakes that explain the failed sessions of a stage, best first; empty if none failed or none fits.

    `tolerated` names the tolerated reference by which they were judged, if any; the options by which they were are
    those of the stage. With `holding`, what explains all of them is put to the test in further sessions. `stages` are
    those of the assignment: a program may do what another one asks.
    """
    answers = answers_in(witnesses)
    failed, accepted = _parted(witnesses, answers)
    if not failed:
        return ()
    known = mistakes_beside(stage, tolerated) if tolerated else mistakes_of(stage)
    mistakes = [one for one in known if not one.invisible]
    found = _explaining(stage, mistakes, [*failed, *accepted])
    found = found or _explaining(stage, as_other_stages(stage, stages), [*failed, *accepted])[:1]
    habit = [] if found else _habit(failed, accepted)
    if not found and not habit and not tolerated:
        found = _explaining(stage, _pairs(stage, mistakes, failed), [*failed, *accepted])
    failed_too: list[Witness] = []
    if (found or habit) and holding is not None:
        more = holding(sessions_to_confirm(stage, _right(stage), found))
        failed_too, accepted_too = _parted(more, answers)
        found = _explaining(stage, found, [*failed_too, *accepted_too])
        habit = habit and _habit([*failed, *failed_too], [*accepted, *accepted_too])
    whole = [*habit, *(_diagnosis(one, len(failed), len(failed)) for one in found)]
    named = [
        msgspec.structs.replace(one, explains=len(failed), of=len(failed), tested=len(failed_too)) for one in whole
    ]
    return tuple(named) or tuple(_near(stage, mistakes, failed, accepted))


def _parted(witnesses: Sequence[Witness], answers: Answers) -> tuple[list[Witness], list[Witness]]:
    """The sessions that failed, with how far each reaches, and those that were accepted."""
    failed = [msgspec.structs.replace(one, reach=reach_of(one, answers)) for one in witnesses if not one.is_accepted]
    accepted = [one for one in witnesses if one.is_accepted]
    return [one for one in failed if _ended_by_itself(one) and _went_wrong(one)], accepted


def with_diagnosis(
    report: StageReport,
    stage: Stage,
    witnesses: Sequence[Witness],
    tolerated: str = "",
    holding: Holding | None = None,
    stages: Sequence[Stage] = (),
) -> StageReport:
    """A stage's report with the mistakes that explain its failed sessions.

    If the known mistakes cannot be tried, the verdict stands and the reason becomes a fault of the report.
    """
    try:
        return msgspec.structs.replace(report, diagnosis=diagnosed(stage, witnesses, tolerated, holding, stages))
    except HarnessError as error:
        return msgspec.structs.replace(report, faults=(*report.faults, str(error)))


def _ended_by_itself(witness: Witness) -> bool:
    """Whether all that is graded of a session is the program's own doing: what follows may end in any way."""
    return witness.actual.ending.kind is EndingKind.EXITED or witness.reach is not None


def _went_wrong(witness: Witness) -> bool:
    """Whether a session failed for its events and not for its draws, on which the right program would agree."""
    if witness.is_accepted or witness.expected is None or witness.draws is None:
        return not witness.is_accepted
    is_wrong = difference_between(witness.expected, witness.actual.events, witness.policy) is not None
    return is_wrong or witness.differs_apart


def _habit(failed: Sequence[Witness], accepted: Sequence[Witness]) -> list[Diagnosis]:
    """The habit that alone explains the failed sessions and that no accepted one contradicts; empty if none does.

    It is empty too if too few sessions failed.
    """
    if len(failed) < _LEAST or any(one.expected in (None, one.actual.events) for one in failed):
        return []
    habit = habit_of(list(map(_as_expected_and_shown, failed)), list(map(_as_expected_and_shown, accepted)))
    if habit is None or any(map(_varies, failed)):
        return []
    return [Diagnosis(habit.id, habit.title, habit.hint, "Found by comparing text.", len(failed), len(failed))]


def _as_expected_and_shown(witness: Witness) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
    """What a session should have shown, with the submission's own texts for free ones, and what it did show."""
    shown = witness.actual.events
    expected = settled(witness.expected or shown, shown, witness.policy)[0]
    if witness.reach is None:
        return expected, shown
    return until(Transcript(expected), witness.reach).events, until(witness.actual, witness.reach).events


def _varies(witness: Witness) -> bool:
    """Whether a session failed for a free text that is another one elsewhere: then nothing is done each time."""
    if not witness.policy.free or witness.expected is None:
        return False
    expected, actual = witness.expected, witness.actual.events
    difference = difference_between(expected, actual, witness.policy)
    if difference is None:
        return False
    return (
        remark_on(located(difference, expected, actual, witness.policy), Seen(witness.policy, expected, actual)) != ""
    )


def _pairs(stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[Witness]) -> Iterator[Mistake]:
    """The pairs of mistakes that may explain a few of the failed sessions, judged from runs of each mistake alone.

    There are thousands of pairs. A pair parts from the right program where the first of its mistakes does. So that
    place must lie between the same two typed lines as in the session, and the text there must come from that mistake
    or from both.
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
    """After how many typed lines a program parts from the right one, and how far it agrees with the session."""

    parts: int
    agrees: int


def _parts(stage: Stage, mistakes: Sequence[Mistake], witness: Witness) -> tuple[_Alone, dict[str, _Alone]]:
    """Where the session parts from the right program, and where each mistake alone does, by its id."""
    right, done = _right(stage), witness.actual.events
    normal = told_by(right, witness, stage) if right else None
    if normal is None:  # then any of them may explain it
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
        # A mistake that fails or does not end here may do anything in a pair.
        alone[mistake.id] = _Alone(parts(done), _NEVER) if told is None else _Alone(parts(told), agrees(told))
    return _Alone(parts(done), agrees(normal)), alone


#: More typed lines than any session has.
_NEVER = 1 << 60


def _typed(events: tuple[Event, ...]) -> int:
    return sum(isinstance(event, Typed) for event in events)


def _right(stage: Stage) -> ExpectedRun | None:
    """The stage's own reference if it is a function, like the wrong ones; else None."""
    function = stage.reference.function
    if not function:
        return None
    main = resolved(function, stage.name)
    return expected_run_in_process(main, stage.name, accepted_by(main, own_keywords(stage.options)))


def _explaining(stage: Stage, mistakes: Iterable[Mistake], seen: Sequence[Witness]) -> list[Mistake]:
    """The mistakes that explain all of these sessions, failed and accepted ones alike."""
    return [mistake for mistake in mistakes if all(map(_does(stage, mistake), seen))]


def _near(
    stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[Witness], accepted: Sequence[Witness]
) -> list[Diagnosis]:
    """Mistakes that explain most of the failed sessions and contradict none of the accepted ones."""
    sample = sorted(failed[:: max(1, len(failed) // _SAMPLE)][:_SAMPLE], key=_length)
    ranked = []
    for mistake in mistakes:
        does = _does(stage, mistake)
        if _does_most(does, sample) and all(map(does, accepted)):
            ranked.append((sum(map(does, failed)), mistake))
    ranked.sort(key=lambda one: -one[0])
    return [_diagnosis(mistake, explains, len(failed)) for explains, mistake in ranked[:3] if explains > 1]


def _does_most(does: Callable[[Witness], bool], sample: Sequence[Witness]) -> bool:
    """Whether `does` holds for most sessions of a sample; stops as soon as the answer is certain."""
    misses = 0
    for witness in sample:
        misses += not does(witness)
        if misses > (1 - _NEAR) * len(sample):
            return False
    return True


def _diagnosis(mistake: Mistake, explains: int, of: int) -> Diagnosis:
    return Diagnosis(mistake.id, mistake.title, mistake.hint, mistake.note, explains, of)


def _does(stage: Stage, mistake: Mistake) -> Callable[[Witness], bool]:
    """A function that returns whether the wrong program of a stage reproduces a session."""
    expected_run = mistake.run_of(stage.name)
    assert expected_run is not None
    return lambda witness: does_same(expected_run, witness, stage)
