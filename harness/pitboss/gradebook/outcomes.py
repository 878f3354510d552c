"""What a stage earned: a share of its points, whether it is perfect, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import msgspec

from pitboss.assignments.grading_policy import StagePolicy
from pitboss.compare.findings import Oddity
from pitboss.compare.results import Result, StageReport, Verdict
from pitboss.gradebook.grades import format_number
from pitboss.model.words import counted

_ZERO, _FULL = Fraction(0), Fraction(1)


class StageOutcome(msgspec.Struct, frozen=True):
    """What a stage earned, regardless of its gates: the stages that must be perfect before it earns points."""

    #: The share of the stage's points, from 0 to 1.
    share: Fraction
    is_perfect: bool
    #: Why the stage earned this share: a clause that follows the points in the line of the grade.
    reason: str
    #: A clause on why the share is unknown; `share` is then its minimum or its maximum. Empty if the share is known.
    unknown: str = ""
    #: Whether gates and caps ignore the stage, although it is not perfect.
    is_absent: bool = False


class _CaseWeight(msgspec.Struct, frozen=True):
    """The points that a case is worth in its stage, and the points of its accepted sessions."""

    worth: Fraction
    earned: Fraction
    #: The number of accepted sessions.
    accepted: int
    #: The number of all sessions.
    sessions: int

    @property
    def is_accepted(self) -> bool:
        return self.accepted == self.sessions


def outcome_of(
    report: StageReport | None,
    policy: StagePolicy,
    manual_score: Fraction | None,
    *,
    is_included: bool = True,
    is_at_best: bool = False,
) -> StageOutcome:
    """The outcome of a stage. `report` is None if the report of the submission lacks the stage.

    `manual_score` is the grader's score. `is_included`: whether the check included the stage. Everything unknown is
    assumed to be at its worst, or at its best if `is_at_best`: sessions that this machine could not judge, stages that
    were not run, a check that was stopped, a manual grade that is missing.
    """
    if report is None:
        return _missing_outcome(policy, is_included, is_at_best)
    if policy.is_manual:
        return _manual_outcome(report, policy, manual_score, is_at_best)
    if report.verdict is Verdict.NOT_OFFERED:
        return StageOutcome(_ZERO, False, "not offered")
    if report.is_partial:
        return _stopped_outcome(report, policy, is_at_best)
    if report.results:
        return _judged_outcome(report, policy, is_at_best)
    if report.verdict is Verdict.JUDGE_ERROR:
        return _unknown_outcome(is_at_best, "it could not be judged (our fault)", f"{policy.name} could not be judged")
    if report.verdict is Verdict.SKIPPED:
        return _unknown_outcome(is_at_best, "not run", f"{policy.name} was not run")
    is_perfect = report.verdict is Verdict.ACCEPTED
    return StageOutcome(_FULL if is_perfect else _ZERO, is_perfect, report.verdict.words)


def _unknown_outcome(is_at_best: bool, reason: str, unknown: str, *, may_be_perfect: bool = True) -> StageOutcome:
    """The outcome of a stage about which nothing is known."""
    return StageOutcome(_FULL if is_at_best else _ZERO, is_at_best and may_be_perfect, reason, unknown)


def _missing_outcome(policy: StagePolicy, is_included: bool, is_at_best: bool) -> StageOutcome:
    """The outcome of a stage that the report lacks, which is normal for an optional stage that was not submitted."""
    if policy.is_optional and is_included:
        return StageOutcome(_ZERO, False, "not handed in", is_absent=True)
    unknown = f"{policy.name} was not checked"
    return _unknown_outcome(is_at_best, "not checked", unknown, may_be_perfect=not policy.is_manual)


def _manual_outcome(
    report: StageReport, policy: StagePolicy, manual_score: Fraction | None, is_at_best: bool
) -> StageOutcome:
    if report.verdict in (Verdict.NOT_HANDED_IN, Verdict.EMPTY):
        return StageOutcome(_ZERO, False, report.verdict.words)
    if manual_score is not None:
        return StageOutcome(manual_score, False, "graded manually")
    unknown = f"{policy.name} has not been graded yet"
    return _unknown_outcome(is_at_best, "not graded yet", unknown, may_be_perfect=False)


def _stopped_outcome(report: StageReport, policy: StagePolicy, is_at_best: bool) -> StageOutcome:
    """The outcome of a stage whose check was stopped after a failed session; the other results are unknown.

    The stage can be perfect only if its policy drops cases.
    """
    reason, drops_cases = "a session failed, and the check was stopped", bool(policy.dropped or policy.drop_lowest)
    if policy.partial_credit == "none" and not drops_cases:
        return StageOutcome(_ZERO, False, reason)
    unknown = f"the check was stopped in {policy.name}"
    return _unknown_outcome(is_at_best, reason, unknown, may_be_perfect=drops_cases)


def _judged_outcome(report: StageReport, policy: StagePolicy, is_at_best: bool) -> StageOutcome:
    """The outcome of a stage whose sessions were judged.

    The stage is perfect if it is accepted, or would be accepted without the dropped cases. A stage that is not accepted
    although all its sessions are (for example because every run draws the same) earns nothing: such sessions prove
    nothing.
    """
    # A fault: a session that could not be judged. At best, such sessions are assumed to be accepted.
    fault_count = sum(result.verdict is Verdict.JUDGE_ERROR for result in report.results)
    unknown = f"{counted(fault_count, 'session')} of {policy.name} could not be judged" if fault_count else ""
    assumes_accepted = is_at_best and bool(fault_count)
    cases = _case_weights(
        report.results, policy, {Verdict.ACCEPTED, Verdict.JUDGE_ERROR} if assumes_accepted else {Verdict.ACCEPTED}
    )
    graded_cases = _without_lowest(tuple(cases.values()), policy.drop_lowest)
    dropped_count = len(_results_by_case(report.results)) - len(graded_cases)
    text = _sessions_text(graded_cases, dropped_count, policy, fault_count)
    if report.verdict is Verdict.ACCEPTED:
        return StageOutcome(_FULL, True, text)
    # If the policy drops all cases, none is graded: the stage is then perfect only if acceptance is assumed.
    all_cases_accepted = all(case.is_accepted for case in graded_cases) and (bool(graded_cases) or assumes_accepted)
    drops_cases = bool(policy.dropped or policy.drop_lowest)
    # The report states why the whole stage fails, or the stage is not accepted although all its cases are.
    has_odd_draws = report.draws is not None and report.draws.kind is not Oddity.NEW_BAG  # sessions show a new bag
    fails_as_whole = bool(report.summary or report.reason or has_odd_draws) or (all_cases_accepted and not drops_cases)
    if fails_as_whole and not assumes_accepted:
        return StageOutcome(_ZERO, False, f"{text}, but not the stage", unknown)
    if policy.partial_credit == "none" and not all_cases_accepted:
        return StageOutcome(_ZERO, False, f"{text}, and it is graded all or nothing", unknown)
    return StageOutcome(
        _share(graded_cases) if graded_cases or assumes_accepted else _ZERO, all_cases_accepted, text, unknown
    )


def _results_by_case(results: Iterable[Result]) -> dict[tuple[str, str], list[Result]]:
    """The results by case: location and name, since two cases of a file may begin on the same line."""
    cases: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        cases.setdefault((result.place, result.case), []).append(result)
    return cases


def _case_weights(
    results: Iterable[Result], policy: StagePolicy, accepted: set[Verdict]
) -> dict[tuple[str, str], _CaseWeight]:
    """The weights of the cases, without those that the policy drops by name; the keys are a case's location and name.

    `accepted`: the verdicts with which a session earns its points.
    """
    cases = {}
    for (location, name), sessions in _results_by_case(results).items():
        if name in policy.dropped:
            continue
        points = [Fraction(session.points) for session in sessions]
        accepted_points = [Fraction(session.points) for session in sessions if session.verdict in accepted]
        if policy.partial_credit == "cases":
            worth, earned = max(points), accepted_points[0] if len(accepted_points) == len(sessions) else _ZERO
        else:
            worth, earned = sum(points, _ZERO), sum(accepted_points, _ZERO)
        cases[location, name] = _CaseWeight(worth, earned, len(accepted_points), len(sessions))
    return cases


def _without_lowest(cases: Sequence[_CaseWeight], count: int) -> tuple[_CaseWeight, ...]:
    """Drops `count` cases, but not all; returns the remaining cases, which earn the largest possible share of points.

    Which cases to drop depends on that share. So the share is raised until it is stable: Dinkelbach's method, which is
    exact for fractions.
    """
    graded_cases, remaining_count = tuple(cases), max(len(cases) - count, 1)
    if not count:
        return graded_cases
    share = Fraction(-1)
    while _share(graded_cases) > share:
        share = _share(graded_cases)
        graded_cases = tuple(sorted(cases, key=lambda case: _gain(case, share), reverse=True)[:remaining_count])
    return graded_cases


def _gain(case: _CaseWeight, share: Fraction) -> tuple[Fraction, bool]:
    """Returns a sort key: how much better a case is than this share; among equal cases, accepted cases are better."""
    return case.earned - share * case.worth, case.is_accepted


def _share(cases: Sequence[_CaseWeight]) -> Fraction:
    """The share of their points that cases earn. If cases are worth no points: 1 if all are accepted, else 0."""
    worth = sum((case.worth for case in cases), _ZERO)
    if not worth:
        return _FULL if all(case.is_accepted for case in cases) else _ZERO
    return sum((case.earned for case in cases), _ZERO) / worth


def _sessions_text(
    graded_cases: Sequence[_CaseWeight], dropped_count: int, policy: StagePolicy, fault_count: int
) -> str:
    """How many sessions or cases are accepted; also their points, if the share of the points is different."""
    accepted, total = sum(case.accepted for case in graded_cases), sum(case.sessions for case in graded_cases)
    unit = "session"
    if policy.partial_credit == "cases":
        accepted, total, unit = sum(case.is_accepted for case in graded_cases), len(graded_cases), "case"
    text = f"{accepted:,} of {counted(total, unit)} accepted"
    share = _share(graded_cases)
    if total and share != Fraction(accepted, total) and policy.partial_credit != "none":
        earned = sum((case.earned for case in graded_cases), _ZERO)
        worth = sum((case.worth for case in graded_cases), _ZERO)
        text += f", worth {_points(earned)} of {_points(worth)}"
    if fault_count:
        text += f", {counted(fault_count, 'session')} not judged (our fault)"
    return text + (f", {counted(dropped_count, 'case')} dropped" if dropped_count else "")


def _points(number: Fraction) -> str:
    return f"{int(number):,}" if number.denominator == 1 else format_number(number)
