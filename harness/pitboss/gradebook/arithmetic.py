"""The arithmetic of a grade, line by line: docs/grading.md says it in words, for an instructor."""

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
#: What a sum says where the day is not known and the policy depends on it.
_AS_ON_TIME = {
    Lateness.NO_INSTANT: "when it was handed in is not known: taken as on time",
    Lateness.NO_DUE_DATE: "there is no due date: taken as on time",
    Lateness.NOT_LATE: "not late; how early is not known: taken as on time",
}
#: Stands for the person's score for style among the stages whose outcome is unknown: no stage has an empty name.
_STYLE = ""
#: Stands for constructs that nobody could look for in the sources.
_SOURCES = " "
#: Stands for how many days late something was.
_DAYS = "  "
#: Later than this nothing is.
_ENDLESS_DAYS = 10**9
#: Why what is no stage is not known.
_OPEN = {
    _STYLE: "style is not given yet",
    _SOURCES: "nobody could look for a construct that counts",
    _DAYS: "it is marked as late, and by how many days is not known: `pitboss mark --late DAYS` says it",
}


def grade_of(report: Report | None, policy: GradingPolicy, circumstances: Circumstances) -> Grade:
    """The grade of a submission; `report` is None if nothing was handed in.

    The report must have all that was judged: one `for_students` lacks the results of hidden cases, and ValueError is
    raised for it; one of a check with public cases alone cannot be told, and makes a grade of these.

    Where the outcome of a stage or the score for style is not known, the grade is open and has no score: its lines then
    add up to the least that it can become. So nobody loses a point by our fault. It is not open where nothing of that
    could change the sum.

    Not known is: sessions and stages that this machine could not judge (JUDGE_ERROR), stages that were not run although
    all their gates are perfect (SKIPPED), what a stopped check did not come to, a stage that the report does not have
    although it is not optional, and what a person has yet to give. Nothing is earned by a stage that was not handed in
    or cannot be compiled, by one whose gates are not perfect, and by one that is not offered: nothing is wrong there.
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
            GradeLine(f"set to {format_number(set_by.score)} by a person: {set_by.reason}", set_by.score - low),
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
    """The sums that a report can come to, depending on what is hoped for of the unknown."""

    def __init__(self, report: Report | None, policy: GradingPolicy, circumstances: Circumstances) -> None:
        self._policy, self._circumstances = policy, circumstances
        self._is_nothing = report is None or (
            bool(report.stages) and all(stage.verdict is Verdict.EMPTY for stage in report.stages)
        )
        reports: dict[str, StageReport] = {stage.stage: stage for stage in report.stages} if report else {}
        self._broken = [(stage.stage, one) for stage in reports.values() for one in stage.broken]
        given, unasked = dict(circumstances.by_person), frozenset(report.unasked if report else ())
        #: Of each stage what is certain, and what is hoped for.
        self._certain: dict[str, EarnedScore] = {}
        self._hoped: dict[str, EarnedScore] = {}
        for stage in policy.stages:
            known = reports.get(stage.name), stage, given.get(stage.name)
            is_asked = stage.name not in unasked
            self._certain[stage.name] = outcome_of(*known, is_asked=is_asked)
            self._hoped[stage.name] = outcome_of(*known, is_asked=is_asked, is_hoped=True)
        #: What is not known: stages, and the score for style.
        self.unknown = frozenset(name for name, outcome in self._certain.items() if outcome.unknown)
        if any(one.unseen and one.points for _, one in self._broken):
            self.unknown |= {_SOURCES}
        if circumstances.style is None and policy.style:
            self.unknown |= {_STYLE}
        if circumstances.days_late is None and circumstances.lateness is Lateness.LATE:
            self.unknown |= {_DAYS}

    def lines(self, hoped: frozenset[str] = frozenset()) -> tuple[GradeLine, ...]:
        """The lines of the sum, where all is at its worst but what is hoped for."""
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
        """Why the sum is not known: all that could change it."""
        names = [name for name in (*self._certain, _SOURCES, _STYLE, _DAYS) if name in self.unknown]
        telling = [
            name
            for name in names
            if _sum(self.lines(frozenset({name}))) != low or _sum(self.lines(self.unknown - {name})) != high
        ]
        return tuple(_OPEN.get(name) or self._certain[name].unknown for name in telling or names)

    def _line(self, stage: StagePolicy, outcomes: dict[str, EarnedScore]) -> GradeLine:
        outcome = outcomes[stage.name]
        shut = [gate for gate in stage.gates if not (outcomes[gate].is_perfect or outcomes[gate].is_absent)]
        earned = stage.points * (_NOTHING if shut else outcome.share)
        words = outcome.words
        if shut and (outcome.share or outcome.unknown):  # of what earns nothing by itself the gates say nothing more
            only = f"it counts only when {named(stage.gates)} {_are(stage.gates)} perfect"
            words = only if len(stage.gates) == 1 else f"{only}, and {named(shut)} {_are(shut)} not"
        weight = f" × {percentage(self._policy.functionality)}" if self._policy.style else ""
        return GradeLine(f"{stage.name}: {format_number(earned)} of {_points(stage.points)}{weight}, {words}", earned)

    def _constructs(self, earned: Fraction, is_hoped: bool) -> list[GradeLine]:
        """What is taken off for constructs that the sources lack or have: never more than was earned.

        What nobody could look for counts as not met, unless that is hoped for.
        """
        lines = []
        for stage, one in self._broken:
            off = min(earned, Fraction(one.points))
            if off and not (one.unseen and is_hoped):
                earned -= off
                name = f"call of {one.called}" if one.called else one.construct
                words = f"{name} at {one.file}:{one.line}" if one.is_forbidden else f"no {name}"
                words = f"nobody has looked for {name}" if one.unseen else words
                lines.append(GradeLine(f"{stage}: {words}", -off))
        return lines

    def _limits(self, earned: Fraction, outcomes: dict[str, EarnedScore]) -> list[GradeLine]:
        """What is taken away by the cap of the stage reached, and by the most that all stages earn."""
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
        """The cap of the last of the stages that are perfect in a row from the first, and why it holds."""
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
        """What is given for style, where it counts."""
        policy, given = self._policy, self._circumstances.style
        if not policy.style:
            return []
        of = policy.style * (policy.out_of if policy.style_of == "total" else earned)
        if given is None:
            return [GradeLine(f"style: not given yet, of {_points(of)}", of if is_hoped else _NOTHING)]
        return [GradeLine(f"style: {percentage(given)} of {_points(of)}", of * given)]

    def _rubric(self, score: Fraction) -> list[GradeLine]:
        """What was picked of the rubric, which takes off no more than there is."""
        lines = [GradeLine(f"rubric: {text}", points) for text, points in self._circumstances.picked]
        below = score + _sum(lines)
        return [*lines, GradeLine("a score is never below 0", -below)] if lines and below < 0 else lines

    def _late(self, score: Fraction, is_hoped: bool) -> list[GradeLine]:
        """What the day adds or takes. An unknown number of days late is one at best, and any number at worst."""
        if not self._policy.late:
            return []
        days, lateness, basis = self._days(), self._circumstances.lateness, self._basis()
        if days is None and lateness is Lateness.LATE:
            change = self._policy.change_for(1 if is_hoped else _ENDLESS_DAYS)
            return (
                [GradeLine(f"marked as late: by how many days is not known{basis}", score * change)] if change else []
            )
        change = self._policy.change_for(days or 0)
        if days is None:
            matters = lateness is not Lateness.NOT_LATE or self._policy.has_early_rows
            return [GradeLine(f"{_AS_ON_TIME[lateness]}{basis}", score * change)] if matters or change or basis else []
        if not change and not basis:
            return []
        count = f"{abs(days):,} day{'' if abs(days) == 1 else 's'}"
        when = f"{count} {'late' if days > 0 else 'early'}" if days else "on time"
        said = "no credit" if change == -1 else percentage(change, signed=True)
        return [GradeLine(f"{when}{basis}: {said}" if change else f"{when}{basis}", score * change)]

    def _basis(self) -> str:
        """What a sum says of a day that is not counted as everybody's is; empty where it is."""
        due = self._circumstances.own_due
        own = f"the due date set for this person, {due:%Y-%m-%d %H:%M}" if due is not None else ""
        return {
            DayBasis.CLASS: "",
            DayBasis.OWN_DUE: f", by {own}",
            DayBasis.OWN_DUE_UNUSED: f"; {own}, changes nothing since nobody knows when it was handed in",
            DayBasis.PERSON: ", as set by a person",
        }[self._circumstances.day_basis]

    def _days(self) -> int | None:
        """How many days late it was; early days are those of the class unless the policy counts a person's own."""
        days, of_class = self._circumstances.days_late, self._circumstances.days_late_of_class
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
