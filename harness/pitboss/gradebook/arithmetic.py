"""The arithmetic of a grade, line by line; docs/grading.md explains it to instructors."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from pitboss.assignments.grading_policy import GradingPolicy, StagePolicy
from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.grades import Circumstances, DayBasis, Grade, GradeLine, Lateness
from pitboss.gradebook.number_format import format_number, named, percentage
from pitboss.gradebook.outcomes import EarnedScore, outcome_of

_NOTHING, _ALL = Fraction(0), Fraction(1)
#: The text of a sum whose day is unknown although the policy depends on it.
_AS_ON_TIME = {
    Lateness.NO_SUBMISSION_TIME: "the time of submission is unknown: treated as on time",
    Lateness.NO_DUE_DATE: "there is no due date: treated as on time",
    Lateness.NOT_LATE: "not late, days early unknown: treated as on time",
}
#: Stands for the style score among the stages whose outcome is unknown: no stage has an empty name.
_STYLE = ""
#: Stands for constructs that the sources could not be searched for.
_SOURCES = " "
#: Stands for the number of days late.
_DAYS = "  "
#: More days late than anything is.
_ENDLESS_DAYS = 10**9
#: Why anything but a stage is unknown.
_OPEN = {
    _STYLE: "style is not given yet",
    _SOURCES: "a construct that counts could not be checked",
    _DAYS: "marked late, days unknown: set them with `pitboss mark --late DAYS`",
}


def grade_of(report: Report | None, policy: GradingPolicy, circumstances: Circumstances) -> Grade:
    """The grade of a submission; `report` is None if nothing was submitted.

    The report must be complete: raises ValueError for one made `for_students`, which lacks the results of hidden cases.
    A report of a check with only public cases cannot be recognised, and is graded by these.

    If the outcome of a stage or the style score is unknown, the grade is open and has no score; its lines add up to the
    least that it can become. So nobody loses a point because of our faults. The grade is not open if none of the
    unknowns could change the sum.

    Unknown are: sessions and stages that this machine could not judge (JUDGE_ERROR), stages that were not run although
    all their gates are perfect (SKIPPED), everything after the point where a check was stopped, a required stage that
    the report lacks, and manual grades that are missing. A stage earns nothing, and is known, if it was not submitted,
    cannot be compiled, has a gate that is not perfect, or is not offered.
    """
    if report is not None and any(stage.hidden is not None for stage in report.stages):
        raise ValueError("a report for students lacks the results of hidden cases, so no grade can be made of it")
    sums = _Sums(report, policy, circumstances)
    lines = sums.lines()
    low, high = _sum(lines), _sum(sums.lines(sums.unknown))
    set_by = circumstances.override
    if set_by is not None:
        lines = (
            *lines,
            GradeLine(f"set to {format_number(set_by.score)} manually: {set_by.reason}", set_by.score - low),
        )
        low = high = set_by.score
    return Grade(
        score=low if low == high else None,
        out_of=policy.out_of,
        lines=lines,
        open=() if low == high else sums.reasons(low, high),
        at_most=high,
    )


def _sum(lines: Sequence[GradeLine]) -> Fraction:
    return sum((line.amount for line in lines), _NOTHING)


class _Sums:
    """The possible sums of a report, from the worst to the best outcome of everything unknown."""

    def __init__(self, report: Report | None, policy: GradingPolicy, circumstances: Circumstances) -> None:
        self._policy, self._circumstances = policy, circumstances
        self._is_nothing = report is None or (
            bool(report.stages) and all(stage.verdict is Verdict.EMPTY for stage in report.stages)
        )
        reports: dict[str, StageReport] = {stage.stage: stage for stage in report.stages} if report else {}
        self._broken = [(stage.stage, one) for stage in reports.values() for one in stage.broken]
        given, unasked = dict(circumstances.by_person), frozenset(report.unasked if report else ())
        #: Each stage's worst outcome, which is certain, and its best.
        self._certain: dict[str, EarnedScore] = {}
        self._hoped: dict[str, EarnedScore] = {}
        for stage in policy.stages:
            facts = reports.get(stage.name), stage, given.get(stage.name)
            is_asked = stage.name not in unasked
            self._certain[stage.name] = outcome_of(*facts, is_asked=is_asked)
            self._hoped[stage.name] = outcome_of(*facts, is_asked=is_asked, is_hoped=True)
        #: Unknown parts: stages, constructs, the style score and the days late.
        self.unknown = frozenset(name for name, outcome in self._certain.items() if outcome.unknown)
        if any(one.unseen and one.points for _, one in self._broken):
            self.unknown |= {_SOURCES}
        if circumstances.style is None and policy.style:
            self.unknown |= {_STYLE}
        if circumstances.days_late is None and circumstances.lateness is Lateness.LATE:
            self.unknown |= {_DAYS}

    def lines(self, hoped: frozenset[str] = frozenset()) -> tuple[GradeLine, ...]:
        """The lines of the sum, with the parts in `hoped` at their best and all others at their worst."""
        if self._is_nothing:
            return (GradeLine("nothing was handed in", _NOTHING), *self._rubric(_NOTHING))
        outcomes = {name: self._hoped[name] if name in hoped else one for name, one in self._certain.items()}
        lines = [self._line(stage, outcomes) for stage in self._policy.stages if stage.points]
        lines += self._constructs(_sum(lines), _SOURCES in hoped)
        lines += self._limits(_sum(lines), outcomes)
        earned = _sum(lines)
        lines = [GradeLine(line.text, line.amount * self._policy.functionality) for line in lines]
        lines += self._style(earned, _STYLE in hoped)
        lines += self._rubric(_sum(lines))
        lines += self._late(_sum(lines), _DAYS in hoped)
        return (*lines, *self._rounding(_sum(lines)))

    def reasons(self, low: Fraction, high: Fraction) -> tuple[str, ...]:
        """Why the sum is unknown: everything that could change it."""
        names = [name for name in (*self._certain, _SOURCES, _STYLE, _DAYS) if name in self.unknown]
        relevant = [
            name
            for name in names
            if _sum(self.lines(frozenset({name}))) != low or _sum(self.lines(self.unknown - {name})) != high
        ]
        return tuple(_OPEN.get(name) or self._certain[name].unknown for name in relevant or names)

    def _line(self, stage: StagePolicy, outcomes: dict[str, EarnedScore]) -> GradeLine:
        outcome = outcomes[stage.name]
        shut = [gate for gate in stage.gates if not (outcomes[gate].is_perfect or outcomes[gate].is_absent)]
        earned = stage.points * (_NOTHING if shut else outcome.share)
        words = outcome.words
        if shut and (outcome.share or outcome.unknown):  # gates do not matter for a stage that earns nothing anyway
            only = f"it counts only when {named(stage.gates)} {_are(stage.gates)} perfect"
            words = only if len(stage.gates) == 1 else f"{only}, and {named(shut)} {_are(shut)} not"
        weight = f" × {percentage(self._policy.functionality)}" if self._policy.style else ""
        return GradeLine(f"{stage.name}: {format_number(earned)} of {_points(stage.points)}{weight}, {words}", earned)

    def _constructs(self, earned: Fraction, is_hoped: bool) -> list[GradeLine]:
        """Deductions for required or forbidden constructs, which never exceed the points earned.

        A construct that could not be checked costs its points unless `is_hoped`.
        """
        lines = []
        for stage, one in self._broken:
            off = min(earned, Fraction(one.points))
            if off and not (one.unseen and is_hoped):
                earned -= off
                name = f"call of {one.called}" if one.called else one.construct
                words = f"{name} at {one.file}:{one.line}" if one.is_forbidden else f"no {name}"
                words = f"{name} could not be checked" if one.unseen else words
                lines.append(GradeLine(f"{stage}: {words}", -off))
        return lines

    def _limits(self, earned: Fraction, outcomes: dict[str, EarnedScore]) -> list[GradeLine]:
        """Deductions for the cap of the last perfect stage, and for the most that all stages earn."""
        lines = []
        cap, why = self._cap(outcomes)
        if cap is not None and earned > cap:
            lines.append(GradeLine(f"capped at {format_number(cap)} since {why}", cap - earned))
            earned = cap
        most = self._policy.most
        if most is not None and earned > most:
            lines.append(GradeLine(f"all stages earn {format_number(most)} at most", most - earned))
        return lines

    def _cap(self, outcomes: dict[str, EarnedScore]) -> tuple[Fraction | None, str]:
        """The cap of the last stage in the unbroken row of perfect stages from the first, and why it applies."""
        capped = [stage for stage in self._policy.stages if stage.cap is not None]
        if not capped:
            return None, ""
        reached: StagePolicy | None = None
        for stage in capped:
            if outcomes[stage.name].is_absent:
                continue
            if not outcomes[stage.name].is_perfect:
                break
            reached = stage
        if reached is None:
            return capped[0].cap, f"{capped[0].name} is not perfect"
        return reached.cap, f"{reached.name} is the last perfect stage"

    def _style(self, earned: Fraction, is_hoped: bool) -> list[GradeLine]:
        """Points for style, if it counts."""
        policy, given = self._policy, self._circumstances.style
        if not policy.style:
            return []
        of = policy.style * (policy.out_of if policy.style_of == "total" else earned)
        if given is None:
            return [GradeLine(f"style: not given yet, of {_points(of)}", of if is_hoped else _NOTHING)]
        return [GradeLine(f"style: {percentage(given)} of {_points(of)}", of * given)]

    def _rubric(self, score: Fraction) -> list[GradeLine]:
        """The picked items of the rubric, which never make a score negative."""
        lines = [GradeLine(f"rubric: {text}", points) for text, points in self._circumstances.picked]
        below = score + _sum(lines)
        return [*lines, GradeLine("a score is never below 0", -below)] if lines and below < 0 else lines

    def _late(self, score: Fraction, is_hoped: bool) -> list[GradeLine]:
        """What being late or early changes. An unknown number of days late is one at best, and any number at worst."""
        if not self._policy.late:
            return []
        days, lateness, basis = self._days(), self._circumstances.lateness, self._basis()
        if days is None and lateness is Lateness.LATE:
            change = self._policy.change_for(1 if is_hoped else _ENDLESS_DAYS)
            return [GradeLine(f"marked late, days unknown{basis}", score * change)] if change else []
        change = self._policy.change_for(days or 0)
        if days is None:
            matters = lateness is not Lateness.NOT_LATE or self._policy.has_early_rows
            return [GradeLine(f"{_AS_ON_TIME[lateness]}{basis}", score * change)] if matters or change or basis else []
        if not change and not basis:
            return []
        count = f"{abs(days):,} day{'' if abs(days) == 1 else 's'}"
        when = f"{count} {'late' if days > 0 else 'early'}" if days else "on time"
        effect = "no credit" if change == -1 else percentage(change, signed=True)
        return [GradeLine(f"{when}{basis}: {effect}" if change else f"{when}{basis}", score * change)]

    def _basis(self) -> str:
        """The text on a due date that differs from the class's; empty if it does not."""
        due = self._circumstances.own_due
        own = f"the due date set for this person, {due:%Y-%m-%d %H:%M}" if due is not None else ""
        return {
            DayBasis.CLASS: "",
            DayBasis.OWN_DUE: f", by {own}",
            DayBasis.OWN_DUE_NO_TIME: f"; {own}, has no effect since the time of submission is unknown",
            DayBasis.PERSON: ", as set by a person",
        }[self._circumstances.day_basis]

    def _days(self) -> int | None:
        """The days late; early days are those of the class unless the policy counts from a person's own due date."""
        days, of_class = self._circumstances.days_late, self._circumstances.days_late_by_class_due
        if days is None or days >= 0 or of_class is None or self._policy.early_from == "own":
            return days
        return max(days, min(of_class, 0))

    def _rounding(self, score: Fraction) -> list[GradeLine]:
        rounding = self._policy.rounding
        if rounding is None or rounding.rounded(score) == score:
            return []
        steps = f"a multiple of {format_number(rounding.step)}" if rounding.step != 1 else "a whole number"
        how = {"nearest": "rounded", "up": "rounded up", "down": "rounded down"}[rounding.direction]
        return [GradeLine(f"{how} to {steps}", rounding.rounded(score) - score)]


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _points(number: Fraction) -> str:
    return f"{format_number(number)} point{'' if number == 1 else 's'}"
