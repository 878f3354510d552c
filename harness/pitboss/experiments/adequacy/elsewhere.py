"""A known mistake in a feature costs the stage of that feature, and no stage that is about something else.

Several stages may be one program. Where it does in every session of a stage, right and wrong, exactly what the right
program with one mistake does, the stage is judged without the sessions in which that shows, if the mistake is one of a
feature that only another stage is about. `unseeded/other_features` finds slips that are no known mistakes, where they show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.assignments.options import Option, features_of, under
from pitboss.compare.outcome import Outcome
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Mistake, mistakes_of_another
from pitboss.experiments.naming.confirming import parts_on_invented_draws
from pitboss.experiments.naming.explaining import explaining, is_mostly_hidden, right_run
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.reader import rule_counts
from pitboss.unseeded.unseeded import Judge

#: How many times draws are made up for each case, to see that a program without the feature cannot make the mistake.
_DEALS = 4
#: Which part of its draws a wrong session may leave hidden.
_MOST_HIDDEN = 0.25


class Elsewhere:
    """The mistakes of other stages that one submission may make in this one."""

    def __init__(self, stage: Stage, stages: Sequence[Stage]) -> None:
        """`stage` is the one before the choice of a setting, and `stages` are all of its assignment."""
        self._stage, self._stages = stage, stages
        #: What explained all sessions the last time; asked first, since it mostly explains the new ones too.
        self._last: str = ""

    def judged_without(self, outcome: Outcome, judge: Judge) -> Outcome:
        """The outcome without the sessions in which one mistake of another stage shows, if it explains all of them."""
        chosen, places = judge.selection, outcome.wrong
        wrong = [one for one in outcome.judged_sessions if not one.is_accepted]
        is_whole = len(outcome.judged_sessions) == len(outcome.results) > len(places) > 0
        if not is_whole or chosen.tolerated or is_mostly_hidden(wrong, _MOST_HIDDEN) or _draw_wrongly(chosen):
            return outcome
        try:
            feature, mistake = next(self._explaining(outcome, chosen), (None, None))
            # What came up in the other sessions came up too: the program is right but for the mistake.
            also = [rule_counts(self._stage, one.actual.events) for one in wrong]
        except HarnessError:
            return outcome
        if feature is None or mistake is None:
            return outcome
        self._last = mistake.id
        # As the option's value says it: "with doubling".
        said = f"a mistake {feature.values[1].said} that another stage counts ({mistake.title})"
        rules = tuple((name, count + sum(one.get(name, 0) for one in also)) for name, count in outcome.rules)
        outcome = outcome.without(places, f"{len(places)} sessions that show {said}")
        return judge.as_accepted(msgspec.structs.replace(outcome, rules=rules))

    def _explaining(self, outcome: Outcome, chosen: Selection) -> Iterator[tuple[Option, Mistake]]:
        """The features with their mistakes that explain all sessions."""
        candidates = sorted(self._candidates(chosen), key=lambda one: one[2].id != self._last)
        for feature, other, mistake in candidates:
            is_explained = explaining(chosen.stage, [mistake], outcome.judged_sessions)
            if is_explained and not self._is_possible_without(feature, other, mistake, chosen):
                yield feature, mistake

    def _candidates(self, chosen: Selection) -> Iterator[tuple[Option, Stage, Mistake]]:
        """The mistakes of the stages that are about one feature which the program has and this stage is not about."""
        had = {one.name: one for one in chosen.features_beside(self._stage)}
        for other in self._stages:
            subjects = [had[one.name] for one in features_of(other) if one.name in had]
            if len(subjects) == 1:
                yield from ((subjects[0], other, mistake) for mistake in mistakes_of_another(chosen.stage, other))

    def _is_possible_without(self, feature: Option, other: Stage, mistake: Mistake, chosen: Selection) -> bool:
        """Whether a program without the feature can make the mistake too: then it is no mistake in the feature."""
        pairs = zip(self._stage.options, chosen.setting, strict=True)
        stage = under(self._stage, tuple(0 if one.name == feature.name else value for one, value in pairs))
        right, wrong = right_run(stage), None
        for one in mistakes_of_another(stage, other):
            wrong = one.run_of(stage.name) if one.id == mistake.id else wrong
        if right is None or wrong is None:
            return True
        cases = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
        return any(parts_on_invented_draws({"right": right, "wrong": wrong}, stage, case, _DEALS) for case in cases)


def _draw_wrongly(chosen: Selection) -> bool:
    """Whether a session has draws that no right program makes, or that cannot be read: nothing explains these."""
    impossible = any(one is not None and one.is_impossible for one in chosen.replays)
    return impossible or any(one.reading.problem for one in chosen.drawn)
