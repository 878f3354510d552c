"""What a stage earned: a share of its points, whether it is perfect, and why, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import msgspec

from pitboss.assignments.grading_policy import StagePolicy
from pitboss.compare.results import Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.number_format import format_number

_NOTHING, _ALL = Fraction(0), Fraction(1)


class EarnedScore(msgspec.Struct, frozen=True):
    """What a stage earned, before its gates."""

    #: The share of its points, from 0 to 1.
    share: Fraction
    is_perfect: bool
    #: Why it earned that; follows the points in a line.
    words: str
    #: A clause on why its share is unknown, and at its worst or best; empty if it is known.
    unknown: str = ""
    #: Whether other stages may count although it is not perfect.
    is_absent: bool = False


class _Case(msgspec.Struct, frozen=True):
    """The sessions of one case as weights: their worth, and how much of it is accepted."""

    worth: Fraction
    earned: Fraction
    accepted: int
    sessions: int

    @property
    def is_accepted(self) -> bool:
        return self.accepted == self.sessions


def outcome_of(
    report: StageReport | None,
    policy: StagePolicy,
    given: Fraction | None,
    *,
    is_asked: bool = True,
    is_hoped: bool = False,
) -> EarnedScore:
    """The outcome of a stage; `report` is None if the stage is not in the report, `given` is the grader's score.

    Anything unknown counts at its worst, or at its best if `is_hoped`: sessions that this machine could not judge,
    stages that were not run, a check that was stopped, a manual grade that is missing. `is_asked`: whether the check
    included the stage.
    """
    if report is None:
        return _missing(policy, is_asked, is_hoped)
    if policy.is_manual:
        return _manually_graded(report, policy, given, is_hoped)
    if report.verdict is Verdict.NOT_OFFERED:
        return EarnedScore(_NOTHING, False, "not offered")
    if report.is_partial:
        return _stopped(report, policy, is_hoped)
    if report.results:
        return _judged(report, policy, is_hoped)
    if report.verdict is Verdict.JUDGE_ERROR:
        return _guess(is_hoped, "it could not be judged, which is our fault", f"{policy.name} could not be judged")
    if report.verdict is Verdict.SKIPPED:
        return _guess(is_hoped, "not run", f"{policy.name} was not run")
    is_perfect = report.verdict is Verdict.ACCEPTED
    return EarnedScore(_ALL if is_perfect else _NOTHING, is_perfect, report.verdict.words)


def _guess(is_hoped: bool, words: str, unknown: str) -> EarnedScore:
    return EarnedScore(_ALL if is_hoped else _NOTHING, is_hoped, words, unknown)


def _missing(policy: StagePolicy, is_asked: bool, is_hoped: bool) -> EarnedScore:
    """The outcome of a stage that the report lacks, which is normal for an optional stage that was not submitted."""
    if policy.is_optional and is_asked:
        return EarnedScore(_NOTHING, False, "not handed in", is_absent=True)
    if policy.is_manual:
        return EarnedScore(_ALL if is_hoped else _NOTHING, False, "not checked", f"{policy.name} was not checked")
    return _guess(is_hoped, "not checked", f"{policy.name} was not checked")


def _manually_graded(report: StageReport, policy: StagePolicy, given: Fraction | None, is_hoped: bool) -> EarnedScore:
    if report.verdict in (Verdict.NOT_HANDED_IN, Verdict.EMPTY):
        return EarnedScore(_NOTHING, False, report.verdict.words)
    if given is not None:
        return EarnedScore(given, False, "graded manually")
    unknown = f"{policy.name} has not been graded yet"
    return EarnedScore(_ALL if is_hoped else _NOTHING, False, "not graded yet", unknown)


def _stopped(report: StageReport, policy: StagePolicy, is_hoped: bool) -> EarnedScore:
    """One session failed, so the stage is not perfect; how many others would be accepted is unknown."""
    words, is_dropping = "a session failed, and the check was stopped", bool(policy.dropped or policy.drop_lowest)
    if policy.partial_credit == "none" and not is_dropping:
        return EarnedScore(_NOTHING, False, words)
    unknown = f"the check was stopped in {policy.name}"
    return EarnedScore(_ALL if is_hoped else _NOTHING, is_hoped and is_dropping, words, unknown)


def _judged(report: StageReport, policy: StagePolicy, is_hoped: bool) -> EarnedScore:
    """The outcome of a stage whose sessions were judged.

    It is perfect if it is accepted, or would be without the cases that do not count. A stage that is not accepted
    although its sessions are (for example because every run draws the same) earns nothing: they prove nothing then.
    """
    faults = sum(result.verdict is Verdict.JUDGE_ERROR for result in report.results)
    unknown = f"{_counted(faults, 'session')} of {policy.name} could not be judged" if faults else ""
    is_mended = is_hoped and bool(faults)
    cases = _cases(report.results, policy, {Verdict.ACCEPTED, Verdict.JUDGE_ERROR} if is_mended else {Verdict.ACCEPTED})
    counted = _without_lowest(tuple(cases.values()), policy.drop_lowest)
    words = _words(counted, len(_cases_of(report.results)) - len(counted), policy, faults)
    if report.verdict is Verdict.ACCEPTED:
        return EarnedScore(_ALL, True, words)
    is_right = all(case.is_accepted for case in counted) and (bool(counted) or is_mended)
    is_without = bool(policy.dropped or policy.drop_lowest)
    if ((report.summary or report.reason) and not is_mended) or (is_right and not (is_without or is_mended)):
        return EarnedScore(_NOTHING, False, f"{words}, but not the stage", unknown)
    if policy.partial_credit == "none" and not is_right:
        return EarnedScore(_NOTHING, False, f"{words}, and it counts only as a whole", unknown)
    return EarnedScore(_share(counted) if counted or is_mended else _NOTHING, is_right, words, unknown)


def _cases_of(results: Iterable[Result]) -> dict[tuple[str, str], list[Result]]:
    """The results by case: place and name, since two cases of a file may begin on the same line."""
    cases: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        cases.setdefault((result.place, result.case), []).append(result)
    return cases


def _cases(results: Iterable[Result], policy: StagePolicy, accepted: set[Verdict]) -> dict[tuple[str, str], _Case]:
    """The cases that are not dropped by name, as weights."""
    cases = {}
    for (place, name), sessions in _cases_of(results).items():
        if name in policy.dropped:
            continue
        points = [Fraction(one.points) for one in sessions]
        right = [Fraction(one.points) for one in sessions if one.verdict in accepted]
        if policy.partial_credit == "cases":
            worth, earned = max(points), right[0] if len(right) == len(sessions) else _NOTHING
        else:
            worth, earned = sum(points, _NOTHING), sum(right, _NOTHING)
        cases[place, name] = _Case(worth, earned, len(right), len(sessions))
    return cases


def _without_lowest(cases: Sequence[_Case], count: int) -> tuple[_Case, ...]:
    """Drops `count` cases, leaving at least one, so that the share of the others is largest.

    The choice depends on the share itself, which is raised until it is stable (Dinkelbach's method, exact here).
    """
    counted, left = tuple(cases), max(len(cases) - count, 1)
    if not count:
        return counted
    share = Fraction(-1)
    while _share(counted) > share:
        share = _share(counted)
        counted = tuple(sorted(cases, key=lambda case: _gain(case, share), reverse=True)[:left])
    return counted


def _gain(case: _Case, share: Fraction) -> tuple[Fraction, bool]:
    """How much better a case is than this share; among cases worth nothing, accepted ones are better."""
    return case.earned - share * case.worth, case.is_accepted


def _share(cases: Sequence[_Case]) -> Fraction:
    """The accepted share of their worth; for cases worth nothing all or nothing."""
    worth = sum((case.worth for case in cases), _NOTHING)
    if not worth:
        return _ALL if all(case.is_accepted for case in cases) else _NOTHING
    return sum((case.earned for case in cases), _NOTHING) / worth


def _words(counted: Sequence[_Case], dropped: int, policy: StagePolicy, faults: int) -> str:
    accepted, total = sum(case.accepted for case in counted), sum(case.sessions for case in counted)
    what = "session"
    if policy.partial_credit == "cases":
        accepted, total, what = sum(case.is_accepted for case in counted), len(counted), "case"
    words = f"{accepted:,} of {_counted(total, what)} accepted"
    share = _share(counted)
    if total and share != Fraction(accepted, total) and policy.partial_credit != "none":
        earned = sum((case.earned for case in counted), _NOTHING)
        worth = sum((case.worth for case in counted), _NOTHING)
        words += f", worth {_points(earned)} of {_points(worth)}"
    if faults:
        words += f", {_counted(faults, 'session')} not judged by our fault"
    return words + (f", {_counted(dropped, 'case')} dropped" if dropped else "")


def _points(number: Fraction) -> str:
    return f"{int(number):,}" if number.denominator == 1 else format_number(number)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
