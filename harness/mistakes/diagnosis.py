"""Naming the mistake of a submission that behaves like a known wrong reference.

A mistake is named if its wrong program does exactly what the submission did in every session, failed and accepted
alike. If none fits, none is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from harness.assignments.assignment import Stage
from harness.assignments.cases import Session
from harness.errors import HarnessError
from harness.judging.comparison import difference_between
from harness.judging.location import located
from harness.judging.outcome import Witness
from harness.judging.results import Diagnosis, StageReport
from harness.judging.submission_texts import Seen, remark_on
from harness.mistakes.catalogue import Mistake, mistakes_beside, mistakes_of
from harness.mistakes.confirming import sessions_to_confirm
from harness.mistakes.explaining import explaining, near, right_run
from harness.mistakes.habits import habit_of
from harness.mistakes.pairs import pairs_that_may
from harness.mistakes.reach import Answers, answers_in, reach_of
from harness.mistakes.stages import as_other_stages
from harness.mistakes.through import as_expected_and_shown, found_through
from harness.transcripts.transcript import EndingKind

#: A habit needs at least this many failed sessions.
_LEAST = 3
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

    def known(stage: Stage) -> list[Mistake]:
        every = mistakes_beside(stage, tolerated) if tolerated else mistakes_of(stage)
        return [one for one in every if not one.invisible]

    mistakes, lens = known(stage), None
    found = explaining(stage, mistakes, [*failed, *accepted])
    found = found or explaining(stage, as_other_stages(stage, stages), [*failed, *accepted])[:1]
    habit = [] if found else _habit(failed, accepted)
    if not found and not habit:
        through = found_through(stage, known, failed, accepted)
        lens, found = through or (None, [])
    if not found and not habit and not tolerated:
        found = explaining(stage, pairs_that_may(stage, mistakes, failed), [*failed, *accepted])
    failed_too: list[Witness] = []
    if (found or habit) and holding is not None:
        right = right_run(stage)
        more = holding(sessions_to_confirm(stage, lens.of_run(right) if lens and right else right, found))
        failed_too, accepted_too = _parted(more, answers)
        seen = [*failed_too, *accepted_too]
        found = explaining(stage, found, [lens.of_witness(one) for one in seen] if lens else seen)
        habit = habit and _habit([*failed, *failed_too], [*accepted, *accepted_too])
    whole = [*habit, *(_diagnosis(one, len(failed), len(failed)) for one in found)]
    named = [
        msgspec.structs.replace(one, explains=len(failed), of=len(failed), tested=len(failed_too)) for one in whole
    ]
    return tuple(named) or tuple(
        _diagnosis(one, explains, len(failed)) for explains, one in near(stage, mistakes, failed, accepted)
    )


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
    habit = habit_of(list(map(as_expected_and_shown, failed)), list(map(as_expected_and_shown, accepted)))
    if habit is None or any(map(_varies, failed)):
        return []
    return [Diagnosis(habit.id, habit.title, habit.hint, "Found by comparing text.", len(failed), len(failed))]


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


def _diagnosis(mistake: Mistake, explains: int, of: int) -> Diagnosis:
    return Diagnosis(mistake.id, mistake.title, mistake.hint, mistake.note, explains, of)
