"""The arithmetic of a grade, line by line; docs/grading.md explains it to instructors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import takewhile

from pitboss.assignments.grading_policy import GradingPolicy, StagePolicy
from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.gradebook.grades import (
    Circumstances,
    DayBasis,
    Grade,
    GradeLine,
    Lateness,
    format_number,
    percentage,
)
from pitboss.gradebook.outcomes import StageOutcome, outcome_of
from pitboss.model.words import counted, joined

_ZERO = Fraction(0)
#: The text of the grade line for lateness when the number of days late is unknown although the policy depends on it.
_AS_ON_TIME = {
    Lateness.NO_SUBMISSION_TIME: "the time of submission is unknown: treated as on time",
    Lateness.NO_DUE_DATE: "there is no due date: treated as on time",
    Lateness.NOT_LATE: "not late, days early unknown: treated as on time",
}
# A set of unknown parts has names of stages, and these three texts, none of which can be the name of a stage.
#: Represents, in a set of unknown parts, the style score.
_STYLE = ""
#: Represents, in a set of unknown parts, the required and forbidden constructs that could not be checked.
_SOURCES = " "
#: Represents, in a set of unknown parts, the number of days late.
_DAYS = "  "
#: The number of days late to assume at worst: more than in any policy.
_UNLIMITED_DAYS = 10**9
#: Why the style score, a construct or the days late are unknown.
_REASONS = {
    _STYLE: "style has not been graded yet",
    _SOURCES: "a construct worth points could not be checked",
    _DAYS: "marked late, days unknown: set them with `pitboss mark --late DAYS`",
}


def grade_of(report: Report | None, policy: GradingPolicy, circumstances: Circumstances) -> Grade:
    """The grade of a submission; `report` is None if nothing was submitted.

    The report must be complete: raises ValueError for a report from which `student_report` has removed the hidden
    cases. A report of a check that ran only the public cases cannot be recognised: its submission is graded by these
    cases.

    If the outcome of a stage or the style score is unknown, the grade is open and has no score; its lines add up to the
    lowest score still possible. So nobody loses a point because of our faults. The grade is not open if nothing unknown
    could change the sum.

    Unknown are: sessions and stages that this machine could not judge (JUDGE_ERROR), stages that were not run
    although all their gates are perfect (SKIPPED), everything after the point where a check was stopped, a required
    stage that the report lacks, and manual grades that are missing. The gates of a stage are the stages that must be
    perfect before it earns points. A stage certainly earns nothing if it was not submitted, cannot be compiled, has a
    gate that is not perfect, or is not offered.
    """
    if report is not None and any(stage.hidden is not None for stage in report.stages):
        raise ValueError("a report for students lacks the results of hidden cases, so it cannot be graded")
    sums = _PossibleSums(report, policy, circumstances)
    lines = sums.lines()
    low, high = _sum(lines), _sum(sums.lines(sums.unknown))
    override = circumstances.override
    if override is not None:
        lines = (
            *lines,
            GradeLine(f"set to {format_number(override.score)} manually: {override.reason}", override.score - low),
        )
        low = high = override.score
    return Grade(
        score=low if low == high else None,
        out_of=policy.out_of,
        lines=lines,
        open=() if low == high else sums.reasons(low, high),
        at_most=high,
    )


def _sum(lines: Sequence[GradeLine]) -> Fraction:
    return sum((line.amount for line in lines), _ZERO)


class _PossibleSums:
    """The possible sums of a report, from the worst to the best outcome of everything unknown."""

    def __init__(self, report: Report | None, policy: GradingPolicy, circumstances: Circumstances) -> None:
        self._policy, self._circumstances = policy, circumstances
        self._has_no_submission = report is None or (
            bool(report.stages) and all(stage.verdict is Verdict.EMPTY for stage in report.stages)
        )
        reports: dict[str, StageReport] = {stage.stage: stage for stage in report.stages} if report else {}
        self._violations = [(stage.stage, construct) for stage in reports.values() for construct in stage.broken]
        manual_scores, omitted = dict(circumstances.manual_scores), frozenset(report.unrequested if report else ())
        #: The worst and the best possible outcome of each stage, by the stage's name.
        self._worst: dict[str, StageOutcome] = {}
        self._best: dict[str, StageOutcome] = {}
        for stage in policy.stages:
            possible_outcome = partial(
                outcome_of,
                reports.get(stage.name),
                stage,
                manual_scores.get(stage.name),
                is_included=stage.name not in omitted,
            )
            self._worst[stage.name], self._best[stage.name] = possible_outcome(), possible_outcome(is_at_best=True)
        #: The unknown parts of the grade: names of stages, _SOURCES, _STYLE and _DAYS.
        self.unknown = frozenset(name for name, outcome in self._worst.items() if outcome.unknown)
        if any(construct.why_not_searched and construct.points for _, construct in self._violations):
            self.unknown |= {_SOURCES}
        if circumstances.style is None and policy.style:
            self.unknown |= {_STYLE}
        if circumstances.days_late is None and circumstances.lateness is Lateness.LATE:
            self.unknown |= {_DAYS}

    def lines(self, at_best: frozenset[str] = frozenset()) -> tuple[GradeLine, ...]:
        """The lines of the sum, with the unknown parts in `at_best` at their best and all others at their worst."""
        if self._has_no_submission:
            return (GradeLine("nothing was handed in", _ZERO), *self._rubric_lines(_ZERO))
        outcomes = {name: self._best[name] if name in at_best else outcome for name, outcome in self._worst.items()}
        lines = [self._stage_line(stage, outcomes) for stage in self._policy.stages if stage.points]
        lines += self._construct_lines(_sum(lines), _SOURCES in at_best)
        lines += self._limit_lines(_sum(lines), outcomes)
        earned = _sum(lines)
        lines = [GradeLine(line.text, line.amount * self._policy.functionality) for line in lines]
        lines += self._style_lines(earned, _STYLE in at_best)
        lines += self._rubric_lines(_sum(lines))
        lines += self._lateness_lines(_sum(lines), _DAYS in at_best)
        return (*lines, *self._rounding_lines(_sum(lines)))

    def reasons(self, low: Fraction, high: Fraction) -> tuple[str, ...]:
        """Why the sum is unknown: a clause for each unknown part that could change the sum."""
        names = [name for name in (*self._worst, _SOURCES, _STYLE, _DAYS) if name in self.unknown]
        # A part is relevant if it raises the lowest sum by itself, or if the highest sum is not reached without it. If
        # no part is relevant by itself, only several parts together change the sum, so all are returned.
        relevant = [
            name
            for name in names
            if _sum(self.lines(frozenset({name}))) != low or _sum(self.lines(self.unknown - {name})) != high
        ]
        return tuple(_REASONS.get(name) or self._worst[name].unknown for name in relevant or names)

    def _stage_line(self, stage: StagePolicy, outcomes: dict[str, StageOutcome]) -> GradeLine:
        """The line of a stage: its points, and the reason. A stage earns nothing unless its gates are perfect."""
        outcome = outcomes[stage.name]
        imperfect_gates = [gate for gate in stage.gates if not (outcomes[gate].is_perfect or outcomes[gate].is_absent)]
        earned = stage.points * (_ZERO if imperfect_gates else outcome.share)
        text = outcome.reason
        # Gates do not matter for a stage that earns nothing anyway.
        if imperfect_gates and (outcome.share or outcome.unknown):
            condition = f"it counts only when {joined(stage.gates)} {_is_or_are(stage.gates)} perfect"
            text = (
                condition
                if len(stage.gates) == 1
                else f"{condition}, and {joined(imperfect_gates)} {_is_or_are(imperfect_gates)} not"
            )
        weight = f" × {percentage(self._policy.functionality)}" if self._policy.style else ""
        return GradeLine(f"{stage.name}: {format_number(earned)} of {_points(stage.points)}{weight}, {text}", earned)

    def _construct_lines(self, earned: Fraction, is_at_best: bool) -> list[GradeLine]:
        """Deductions for forbidden constructs and for missing ones; they never exceed the points earned.

        A construct that could not be checked costs its points unless `is_at_best`.
        """
        lines = []
        for stage, construct in self._violations:
            deduction = min(earned, Fraction(construct.points))
            if deduction and not (construct.why_not_searched and is_at_best):
                earned -= deduction
                name = f"call of {construct.called}" if construct.called else construct.construct
                text = f"{name} at {construct.file}:{construct.line}" if construct.is_forbidden else f"no {name}"
                text = f"{name} could not be checked" if construct.why_not_searched else text
                lines.append(GradeLine(f"{stage}: {text}", -deduction))
        return lines

    def _limit_lines(self, earned: Fraction, outcomes: dict[str, StageOutcome]) -> list[GradeLine]:
        """Deductions for the cap of the last perfect stage, and for the maximum of all stages together."""
        lines = []
        cap, reason = self._cap(outcomes)
        if cap is not None and earned > cap:
            lines.append(GradeLine(f"capped at {format_number(cap)} since {reason}", cap - earned))
            earned = cap
        maximum = self._policy.most
        if maximum is not None and earned > maximum:
            lines.append(GradeLine(f"all stages earn {format_number(maximum)} at most", maximum - earned))
        return lines

    def _cap(self, outcomes: dict[str, StageOutcome]) -> tuple[Fraction | None, str]:
        """The cap on the points of all stages, and why it applies; None if there are no caps.

        The cap is that of the last perfect stage before the first imperfect stage; absent stages and stages without a
        cap are ignored. If there is no such perfect stage, the first cap applies.
        """
        capped_stages = [stage for stage in self._policy.stages if stage.cap is not None]
        if not capped_stages:
            return None, ""
        present = [stage for stage in capped_stages if not outcomes[stage.name].is_absent]
        perfect = list(takewhile(lambda stage: outcomes[stage.name].is_perfect, present))
        if perfect:
            return perfect[-1].cap, f"{perfect[-1].name} is the last perfect stage"
        reason = f"{present[0].name} is not perfect" if present else f"{capped_stages[0].name} was not handed in"
        return capped_stages[0].cap, reason

    def _style_lines(self, earned: Fraction, is_at_best: bool) -> list[GradeLine]:
        policy, share = self._policy, self._circumstances.style
        if not policy.style:
            return []
        maximum = policy.style * (policy.out_of if policy.style_of == "total" else earned)
        if share is None:
            return [GradeLine(f"style: not graded yet, of {_points(maximum)}", maximum if is_at_best else _ZERO)]
        return [GradeLine(f"style: {percentage(share)} of {_points(maximum)}", maximum * share)]

    def _rubric_lines(self, score: Fraction) -> list[GradeLine]:
        """The lines of the picked rubric items, and a line that raises a negative score to 0."""
        lines = [GradeLine(f"rubric: {text}", points) for text, points in self._circumstances.picked]
        total = score + _sum(lines)
        return [*lines, GradeLine("a score is never below 0", -total)] if lines and total < 0 else lines

    def _lateness_lines(self, score: Fraction, is_at_best: bool) -> list[GradeLine]:
        """The line for a late or early submission.

        If the submission is late by an unknown number of days, assume 1 day if `is_at_best`, else unlimited days.
        """
        if not self._policy.late:
            return []
        days, lateness, basis = self._effective_days_late(), self._circumstances.lateness, self._basis_text()
        if days is None and lateness is Lateness.LATE:
            change = self._policy.change_for(1 if is_at_best else _UNLIMITED_DAYS)
            return [GradeLine(f"marked late, days unknown{basis}", score * change)] if change else []
        change = self._policy.change_for(days or 0)
        if days is None:
            # If the submission was not late, the unknown days matter only to a policy for early submissions.
            is_relevant = lateness is not Lateness.NOT_LATE or self._policy.has_early_rows
            return (
                [GradeLine(f"{_AS_ON_TIME[lateness]}{basis}", score * change)] if is_relevant or change or basis else []
            )
        if not change and not basis:
            return []
        timing = f"{counted(abs(days), 'day')} {'late' if days > 0 else 'early'}" if days else "on time"
        effect = "no credit" if change == -1 else percentage(change, signed=True)
        return [GradeLine(f"{timing}{basis}: {effect}" if change else f"{timing}{basis}", score * change)]

    def _basis_text(self) -> str:
        """The source of the number of days, to append to the line; empty for the due date of the class."""
        due = self._circumstances.own_due
        own_due_text = f"the due date set for this person, {due:%Y-%m-%d %H:%M}" if due is not None else ""
        return {
            DayBasis.CLASS: "",
            DayBasis.OWN_DUE: f", by {own_due_text}",
            DayBasis.OWN_DUE_NO_TIME: f"; {own_due_text}, has no effect since the time of submission is unknown",
            DayBasis.PERSON: ", as set by a person",
        }[self._circumstances.day_basis]

    def _effective_days_late(self) -> int | None:
        """The days late, negative if early; None if unknown.

        A submission is early only by the due date of the class, unless the policy allows the person's own due date.
        """
        days, class_days = self._circumstances.days_late, self._circumstances.days_late_by_class_due
        if days is None or days >= 0 or class_days is None or self._policy.early_from == "own":
            return days
        # Early by the person's own due date: count only the days by which it is early for the class as well.
        return max(days, min(class_days, 0))

    def _rounding_lines(self, score: Fraction) -> list[GradeLine]:
        rounding = self._policy.rounding
        if rounding is None or rounding.round_number(score) == score:
            return []
        steps = f"a multiple of {format_number(rounding.step)}" if rounding.step != 1 else "a whole number"
        verb = {"nearest": "rounded", "up": "rounded up", "down": "rounded down"}[rounding.direction]
        return [GradeLine(f"{verb} to {steps}", rounding.round_number(score) - score)]


def _is_or_are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _points(number: Fraction) -> str:
    return f"{format_number(number)} point{'' if number == 1 else 's'}"
