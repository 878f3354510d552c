"""A known mistake in a feature costs points only in the stage about that feature.

Several stages may share one program. If in every session of a stage the program does exactly what the correct program
with one mistake does, and the mistake is in a feature that only another stage is about, the stage is judged without
the sessions in which the mistake shows. `unseeded/other_features` handles mistakes in features that are not in the
catalogue, by where the difference appears.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.assignments.options import Option, features_of, with_setting
from pitboss.compare.outcome import Outcome
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Mistake, mistakes_of_another
from pitboss.experiments.naming.confirming import parts_on_invented_draws
from pitboss.experiments.naming.explaining import explaining, is_mostly_hidden, right_run
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.reader import rule_counts
from pitboss.unseeded.unseeded import Judge

#: To check that a program without the feature cannot make the mistake, this many series of random draws are tried per
#: case.
_INVENTED_SERIES = 4
#: The largest fraction of a wrong session's draws that may be missing from its output.
_MAX_HIDDEN = 0.25


class MistakesOfOtherStages:
    """The mistakes of other stages that a submission may make in this stage."""

    def __init__(self, stage: Stage, stages: Sequence[Stage]) -> None:
        """`stage` is as declared, before a setting is chosen; `stages` are all stages of its assignment."""
        self._stage, self._stages = stage, stages
        #: The id of the mistake that explained all sessions last time; tried first, as it often explains new sessions.
        self._last: str = ""

    def judged_without(self, outcome: Outcome, judge: Judge) -> Outcome:
        """The outcome without the sessions that show a mistake of another stage.

        These sessions are left out if a single mistake explains all wrong sessions.
        """
        selection, indexes = judge.selection, outcome.wrong
        wrong = [session for session in outcome.judged_sessions if not session.is_accepted]
        is_whole = len(outcome.judged_sessions) == len(outcome.results) > len(indexes) > 0
        if not is_whole or selection.tolerated or is_mostly_hidden(wrong, _MAX_HIDDEN) or _has_bad_draws(selection):
            return outcome
        try:
            feature, mistake = next(self._explaining(outcome, selection), (None, None))
            # Rules that came up in the excluded sessions count: the program is right except for the mistake.
            excluded_counts = [rule_counts(self._stage, session.actual.events) for session in wrong]
        except HarnessError:
            return outcome
        if feature is None or mistake is None:
            return outcome
        self._last = mistake.id
        # Worded like the option's value: "with doubling".
        reason = f"a mistake {feature.values[1].description}, which is graded in another stage ({mistake.title})"
        rules = tuple(
            (name, count + sum(count.get(name, 0) for count in excluded_counts)) for name, count in outcome.rules
        )
        outcome = outcome.without_results(indexes, f"{len(indexes)} sessions with {reason}")
        return judge.as_accepted(msgspec.structs.replace(outcome, rules=rules))

    def _explaining(self, outcome: Outcome, selection: Selection) -> Iterator[tuple[Option, Mistake]]:
        """The mistakes that explain all sessions, each with its feature."""

        def is_not_last(candidate: tuple[Option, Stage, Mistake]) -> bool:
            _, _, mistake = candidate
            return mistake.id != self._last

        candidates = sorted(self._candidates(selection), key=is_not_last)
        for feature, other, mistake in candidates:
            is_explained = explaining(selection.stage, [mistake], outcome.judged_sessions)
            if is_explained and not self._is_possible_without(feature, other, mistake, selection):
                yield feature, mistake

    def _candidates(self, selection: Selection) -> Iterator[tuple[Option, Stage, Mistake]]:
        """The mistakes catalogued for other stages, with the feature and the stage.

        Each of these stages tests a single feature that the program has and this stage does not test.
        """
        untested_features = {option.name: option for option in selection.features_beside(self._stage)}
        for other in self._stages:
            names = [feature.name for feature in features_of(other) if feature.name in untested_features]
            if len(names) == 1:
                feature = untested_features[names[0]]
                yield from ((feature, other, mistake) for mistake in mistakes_of_another(selection.stage, other))

    def _is_possible_without(self, feature: Option, other: Stage, mistake: Mistake, selection: Selection) -> bool:
        """Whether a program without the feature can make the mistake too, so that the mistake is not in the feature."""
        pairs = zip(self._stage.options, selection.setting, strict=True)
        stage = with_setting(self._stage, tuple(0 if option.name == feature.name else value for option, value in pairs))
        right, wrong = right_run(stage), None
        for candidate in mistakes_of_another(stage, other):
            wrong = candidate.run_of(stage.name) if candidate.id == mistake.id else wrong
        if right is None or wrong is None:
            return True
        cases = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
        return any(
            parts_on_invented_draws({"right": right, "wrong": wrong}, stage, case, _INVENTED_SERIES) for case in cases
        )


def _has_bad_draws(selection: Selection) -> bool:
    """Whether a session has impossible or unreadable draws, which no mistake explains."""
    impossible = any(replay is not None and replay.is_impossible for replay in selection.replays)
    return impossible or any(session.reading.problem for session in selection.drawn)
