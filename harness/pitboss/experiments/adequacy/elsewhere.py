"""A known mistake in a feature costs points only in the stage about that feature.

Several stages may share one program. If in every session of a stage the program does exactly what the correct program
with one mistake does, and the mistake is in a feature that only another stage is about, the stage is judged without
the sessions in which the mistake shows. `unseeded/other_features` handles mistakes that are not in the catalogue, by
the position of the difference in the output.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.assignments.options import Option, stage_features, with_setting
from pitboss.compare.outcome import Outcome
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Mistake, mistakes_of_another
from pitboss.experiments.naming.confirming import differ_on_invented_draws
from pitboss.experiments.naming.explaining import have_many_hidden_draws, mistakes_that_explain, right_run
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.reader import rule_counts
from pitboss.unseeded.unseeded import Judge

#: To check that a program that lacks the feature of a mistake cannot make the mistake, this many series of random draws
#: are tried per case.
_INVENTED_SERIES = 4
#: A wrong session proves little if more than this fraction of its draws is missing from its output: see
#: `have_many_hidden_draws`.
_MAX_HIDDEN_FRACTION = 0.25


class MistakesOfOtherStages:
    """The mistakes of other stages that a submission may make in this stage."""

    def __init__(self, stage: Stage, stages: Sequence[Stage]) -> None:
        """`stage` is the stage as declared, before a setting is selected; `stages` are all stages of its assignment."""
        self._stage, self._stages = stage, stages
        #: The id of the last mistake that explained all sessions; tried first, as it often explains new sessions too.
        self._last_id: str = ""

    def judged_without(self, outcome: Outcome, judge: Judge) -> Outcome:
        """The outcome without the sessions that show a mistake of another stage.

        These sessions are left out if a single mistake explains all sessions, the wrong and the accepted ones. If no
        mistake does, the outcome is returned unchanged.
        """
        selection, indexes = judge.selection, outcome.deciding_wrong_indexes
        wrong_sessions = [session for session in outcome.judged_sessions if not session.is_accepted]
        # Every session was judged, some are accepted, and only the wrong ones keep the stage from being accepted.
        is_filterable = len(outcome.judged_sessions) == len(outcome.results) > len(indexes) > 0
        if (
            not is_filterable
            or selection.tolerated
            or have_many_hidden_draws(wrong_sessions, _MAX_HIDDEN_FRACTION)
            or _has_bad_draws(selection)
        ):
            return outcome
        try:
            feature, mistake = next(self._explaining_mistakes(outcome, selection), (None, None))
            # Rules in the excluded sessions are counted too: the program is right except for the mistake.
            excluded_counts = [rule_counts(self._stage, session.actual.events) for session in wrong_sessions]
        except HarnessError:
            return outcome
        if feature is None or mistake is None:
            return outcome
        self._last_id = mistake.id
        # values[1] means that the program has the feature; its description is a phrase such as "with doubling".
        reason = f"a mistake {feature.values[1].description}, which is graded in another stage ({mistake.title})"
        rules = tuple(
            (name, accepted_count + sum(counts.get(name, 0) for counts in excluded_counts))
            for name, accepted_count in outcome.rules
        )
        outcome = outcome.without_results(indexes, f"{len(indexes)} sessions with {reason}")
        return judge.with_findings_if_accepted(msgspec.structs.replace(outcome, rules=rules))

    def _explaining_mistakes(self, outcome: Outcome, selection: Selection) -> Iterator[tuple[Option, Mistake]]:
        """The mistakes that explain all sessions and need their feature, each with its feature."""

        def did_not_explain_last(candidate: tuple[Option, Stage, Mistake]) -> bool:
            _, _, mistake = candidate
            return mistake.id != self._last_id

        candidates = sorted(self._candidates(selection), key=did_not_explain_last)
        for feature, other, mistake in candidates:
            is_explained = mistakes_that_explain(selection.stage, [mistake], outcome.judged_sessions)
            if is_explained and not self._is_possible_without_feature(feature, other, mistake, selection):
                yield feature, mistake

    def _candidates(self, selection: Selection) -> Iterator[tuple[Option, Stage, Mistake]]:
        """The known mistakes that only other stages can have, each with its feature and its stage.

        Only stages are used that test exactly one feature that the program has and this stage does not test.
        """
        untested_features = {option.name: option for option in selection.features_beside(self._stage)}
        for other in self._stages:
            names = [feature.name for feature in stage_features(other) if feature.name in untested_features]
            if len(names) == 1:
                feature = untested_features[names[0]]
                yield from ((feature, other, mistake) for mistake in mistakes_of_another(selection.stage, other))

    def _is_possible_without_feature(
        self, feature: Option, other: Stage, mistake: Mistake, selection: Selection
    ) -> bool:
        """Whether a program without the feature can make the mistake too, so that the mistake is not in the feature.

        True if that cannot be tried, for example because the reference is not a function.
        """
        options_with_values = zip(self._stage.options, selection.setting, strict=True)
        stage_without_feature = with_setting(
            self._stage, tuple(0 if option.name == feature.name else value for option, value in options_with_values)
        )
        right, wrong_run = right_run(stage_without_feature), None
        for candidate in mistakes_of_another(stage_without_feature, other):
            wrong_run = candidate.run_of(stage_without_feature.name) if candidate.id == mistake.id else wrong_run
        if right is None or wrong_run is None:
            return True
        cases = [case for case in stage_without_feature.spec.cases if isinstance(case.session, Generated)]
        return any(
            differ_on_invented_draws(
                {"right": right, "wrong": wrong_run}, stage_without_feature, case, _INVENTED_SERIES
            )
            for case in cases
        )


def _has_bad_draws(selection: Selection) -> bool:
    """Whether a session has impossible or unreadable draws, which no mistake explains."""
    impossible = any(replay is not None and replay.is_impossible for replay in selection.replays)
    return impossible or any(session.reading.problem for session in selection.drawn)
