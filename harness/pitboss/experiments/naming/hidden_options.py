"""Finds mistakes that hide which options a program has.

The options of a program are selected to explain its sessions, and its free texts (`compare: free`), which it may word
as it likes, are read from these sessions. If a mistake shows in all sessions in which an option or a text shows, the
option or text cannot be determined. So the texts are read and the options are determined once more for each likely
mistake, with a program that has this mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import Setting, own_setting, with_setting
from pitboss.compare.outcome import JudgedSession
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Mistake, MistakesOfStage
from pitboss.experiments.naming.explaining import contradiction_check, event_count, mistakes_that_explain, right_run
from pitboss.experiments.relation import experiment_of
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.replay import Replay, replay
from pitboss.unseeded.setting_search import SettingSearch

#: The maximum number of failed sessions from which `with_best_options` determines options.
_MAX_FAILED = 60
#: The maximum number of failed sessions from which options are determined for each likely mistake.
_MAX_FAILED_PER_MISTAKE = 6
#: The maximum number of mistakes that are tried. The mistakes with which sessions agree furthest are selected.
_MAX_MISTAKES = 4
#: Returns the function that runs a program with the options of the given stage, a variant of the submission's stage;
#: None if the program cannot be run in this process.
RunOf = Callable[[Stage], ExpectedRun | None]


def with_best_options(stage: Stage, run_of: RunOf, failed: Sequence[JudgedSession]) -> Stage:
    """The stage with the options for which the program of `run_of` explains the most of these sessions.

    `stage` itself if it has no options, or if the draws of a session were not read back.
    """
    if not stage.options or any(session.draws is None for session in failed):
        return stage
    sample = failed[:: max(1, len(failed) // _MAX_FAILED)][:_MAX_FAILED]
    search = SettingSearch(stage.options, _Replays(stage, run_of, sample))
    return with_setting(stage, search.best_setting(own_setting(stage.options), range(len(sample))))


def mistakes_with_hidden_options(
    stage: Stage,
    mistakes_of_stage: MistakesOfStage,
    failed: Sequence[JudgedSession],
    accepted: Sequence[JudgedSession],
) -> list[Mistake]:
    """The mistakes that explain all of these sessions once free texts and options are determined with the mistake.

    Empty if the draws of a failed session were not read back.
    """
    if any(session.draws is None for session in failed):
        return []
    failed_without_texts = sorted(map(without_accepted_texts, failed), key=event_count)
    sessions = [*failed_without_texts, *map(without_accepted_texts, accepted)]
    explanations: dict[str, Mistake] = {}
    for tried_stage, mistake in _mistakes_agreeing_further(
        stage, mistakes_of_stage, failed_without_texts[:_MAX_FAILED_PER_MISTAKE]
    ):

        def run_of(variant: Stage, id_: str = mistake.id) -> ExpectedRun | None:
            same_mistake = next((candidate for candidate in mistakes_of_stage(variant) if candidate.id == id_), None)
            return same_mistake.run_of(variant.name) if same_mistake else None

        is_contradicted = contradiction_check(mistake, tried_stage)
        unexplained = [
            session for session in failed_without_texts if is_contradicted(experiment_of(session, tried_stage))
        ]
        variant = (
            with_best_options(tried_stage, run_of, [*unexplained, *failed_without_texts][:_MAX_FAILED_PER_MISTAKE])
            if unexplained
            else tried_stage
        )
        candidates = [candidate for candidate in mistakes_of_stage(variant) if candidate.id == mistake.id]
        explanations |= {
            explanation.id: explanation for explanation in mistakes_that_explain(variant, candidates, sessions)
        }
    return list(explanations.values())


def without_accepted_texts(judged: JudgedSession) -> JudgedSession:
    """The session without accepted free texts, because these were read with other options."""
    if not judged.policy.free:
        return judged
    return msgspec.structs.replace(judged, policy=msgspec.structs.replace(judged.policy, accepted_texts=None))


def _mistakes_agreeing_further(
    stage: Stage, mistakes_of_stage: MistakesOfStage, sample: Sequence[JudgedSession]
) -> list[tuple[Stage, Mistake]]:
    """The mistakes with which all sessions of the sample agree further than with the correct program, best first.

    Each is returned as a pair: the stage in which the mistake was tried, and the mistake. That stage is `stage`, or
    `stage` with one more feature if the sessions agree further with that.
    """
    right_replays = _Replays(stage, right_run, sample)
    setting = own_setting(stage.options)
    agreements = [right_replays.quick_replay(setting, number).agreement for number in range(len(sample))]
    ranked: dict[str, tuple[int, Stage, Mistake]] = {}
    for variant in (stage, *_variants_with_one_more_feature(stage)):
        for mistake in mistakes_of_stage(variant):
            replays = _Replays(variant, partial(_run_for_any_stage, mistake.run_of(variant.name)), sample)
            total_gain = 0
            for number, right_agreement in enumerate(agreements):
                gain = replays.quick_replay(setting, number).agreement - right_agreement
                if gain <= 0:
                    break
                total_gain += gain
            else:
                if mistake.id not in ranked or total_gain > ranked[mistake.id][0]:
                    ranked[mistake.id] = total_gain, variant, mistake
    best = sorted(ranked.values(), key=lambda entry: -entry[0])[:_MAX_MISTAKES]
    return [(variant, mistake) for _, variant, mistake in best]


def _variants_with_one_more_feature(stage: Stage) -> Iterator[Stage]:
    setting = own_setting(stage.options)
    for index, option in enumerate(stage.options):
        for value_index, option_value in enumerate(option.values):
            if option.is_free and option.feature_rule and value_index != setting[index] and option_value.value is True:
                yield with_setting(stage, (*setting[:index], value_index, *setting[index + 1 :]))


def _run_for_any_stage(run: ExpectedRun | None, _: Stage) -> ExpectedRun | None:
    """Returns `run` for any variant of a stage."""
    return run


class _Replays:
    """Replays sessions with a stage's program under any setting of its options; see `SettingReplays`."""

    def __init__(self, stage: Stage, run_of: RunOf, judged_sessions: Sequence[JudgedSession]) -> None:
        self._stage, self._run_of, self._judged_sessions = stage, run_of, judged_sessions
        self._runs: dict[Setting, ExpectedRun | None] = {}
        #: The results of `quick_replay` and of `explains` so far.
        self._quick_replays: dict[tuple[Setting, int], Replay] = {}
        self._explanations: dict[tuple[Setting, int], bool] = {}

    def quick_replay(self, setting: Setting, number: int) -> Replay:
        """Return the replay of a session, with arbitrary values for draws that were never shown."""
        if (setting, number) not in self._quick_replays:
            self._quick_replays[setting, number] = self._replay(setting, self._judged_sessions[number])
        return self._quick_replays[setting, number]

    def has_unknown_draws(self, number: int) -> bool:
        """Whether a session has draws that were never shown."""
        return None in (self._judged_sessions[number].draws or ())

    def explains(self, setting: Setting, number: int) -> bool:
        if (setting, number) not in self._explanations:
            run, experiment = self._run(setting), experiment_of(self._judged_sessions[number], self._stage)
            self._explanations[setting, number] = run is not None and experiment.is_explained_by(run)
        return self._explanations[setting, number]

    def _run(self, setting: Setting) -> ExpectedRun | None:
        if setting not in self._runs:
            self._runs[setting] = self._run_of(with_setting(self._stage, setting))
        return self._runs[setting]

    def _replay(self, setting: Setting, session: JudgedSession) -> Replay:
        draws, run = session.draws or (), self._run(setting)
        if run is None:
            return Replay(Transcript(()), None, failure="there is no such program")
        try:
            return replay(
                session.actual, draws, self._stage, session.policy, run, guesses=False, invocation=session.invocation
            )
        except HarnessError as error:
            return Replay(Transcript(()), None, failure=str(error))
