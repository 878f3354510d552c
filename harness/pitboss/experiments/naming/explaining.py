"""Finds the known mistakes that explain sessions.

A mistake explains a session if a program with this mistake does in the session what the submission did.

The options of a program are selected to explain its sessions, and its free texts (`compare: free`), which it may word
as it likes, are read from these sessions. If a mistake shows in all sessions in which an option or a text shows, the
option or text cannot be determined. So the texts are read and the options are determined once more for each likely
mistake, with a program that has this mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import islice, takewhile

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.functions import resolve_function
from pitboss.assignments.options import Setting, accepted_by, own_keywords, own_setting, with_setting, with_value
from pitboss.compare.outcome import JudgedSession
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Mistake, MistakesOfStage
from pitboss.experiments.relation import Experiment, SessionOrder, experiment_of
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import ExpectedRun, at_most_events, expected_run_in_process
from pitboss.unseeded.replay import Replay, replay
from pitboss.unseeded.setting_search import SettingSearch

JudgedSessions = Sequence[JudgedSession]
#: If no mistake explains all sessions: how many failed sessions are tried first.
_SAMPLE_SIZE = 8
#: If no mistake explains all sessions: the minimum share of failed sessions that a reported mistake explains.
_MIN_NEAR_SHARE = 0.85
#: If no mistake explains all sessions: the maximum number of reported mistakes, which explain equally many sessions.
_MAX_NEAR_MISTAKES = 3
#: A wrong reference is stopped after _EVENTS_FACTOR times the events of the longest session, plus _EXTRA_EVENTS, since
#: one pause may be split into a hundred.
_EVENTS_FACTOR, _EXTRA_EVENTS = 4, 1_000
#: The share of failed sessions with hidden draws above which `have_many_hidden_draws` is true.
_MAX_SHARE_OF_HIDDEN_SESSIONS = 0.34


def right_run(stage: Stage) -> ExpectedRun | None:
    """Returns a function that runs the stage's reference in this process; None if the reference is not a function."""
    function = stage.reference.function
    if not function:
        return None
    main = resolve_function(function, stage.name)
    return expected_run_in_process(main, stage.name, accepted_by(main, own_keywords(stage.options)))


def mistakes_that_explain(stage: Stage, mistakes: Iterable[Mistake], sessions: JudgedSessions) -> list[Mistake]:
    # Sessions with hidden draws come last, since guessing these takes long. Of the sessions with hidden draws, and of
    # those without, failed ones come first: they contradict nearly every mistake, and accepted sessions contradict few.
    ordered = sorted(
        sessions, key=lambda session: (None in (session.draws or ()), session.is_accepted, event_count(session))
    )
    experiments = [experiment_of(session, stage) for session in ordered]
    order = SessionOrder(experiments)
    with at_most_events(_EVENTS_FACTOR * max(map(event_count, sessions), default=0) + _EXTRA_EVENTS):
        return [mistake for mistake in mistakes if order.first(contradiction_check(mistake, stage)) is None]


def contradiction_check(mistake: Mistake, stage: Stage) -> Callable[[Experiment], bool]:
    """Returns a function that tells whether a program with this mistake cannot have produced a session."""
    run = mistake.runs[stage.name]
    return lambda experiment: not experiment.is_explained_by(run)


def near_explanations(
    stage: Stage, mistakes: Sequence[Mistake], failed: JudgedSessions, accepted: JudgedSessions
) -> list[tuple[int, Mistake]]:
    """Returns the mistakes that explain the most failed sessions, if nearly all, and contradict no accepted session.

    Each is returned as a pair: the number of failed sessions that the mistake explains, and the mistake. The list is
    empty if no mistake explains enough sessions.
    """
    failed_experiments, accepted_experiments = (
        [experiment_of(session, stage) for session in group] for group in (failed, accepted)
    )
    sampled = failed[:: max(1, len(failed) // _SAMPLE_SIZE)][:_SAMPLE_SIZE]
    sample = [experiment_of(session, stage) for session in sorted(sampled, key=event_count)]
    max_misses = int((1 - _MIN_NEAR_SHARE) * len(sample))
    ranked = []
    for mistake in mistakes:
        is_unexplained = contradiction_check(mistake, stage)
        excess_misses = islice(filter(is_unexplained, sample), max_misses, None)
        if next(excess_misses, None) is None and not any(map(is_unexplained, accepted_experiments)):
            ranked.append((len(failed) - sum(map(is_unexplained, failed_experiments)), mistake))
    max_explained = max((explained_count for explained_count, _ in ranked), default=0)
    is_near_enough = max_explained > 1 and max_explained >= _MIN_NEAR_SHARE * len(failed)
    if not is_near_enough:
        return []
    best = [(explained_count, mistake) for explained_count, mistake in ranked if explained_count == max_explained]
    return best[:_MAX_NEAR_MISTAKES]


def names_of_unexplained(stage: Stage, mistake: Mistake, failed: JudgedSessions) -> tuple[str, ...]:
    is_unexplained = contradiction_check(mistake, stage)
    return tuple(session.session for session in failed if is_unexplained(experiment_of(session, stage)))


def have_many_hidden_draws(failed: JudgedSessions, max_share: float = 0.0) -> bool:
    """Whether in many failed sessions more than `max_share` of the draws are hidden, that is, were never shown.

    If so, a diagnosis proves little and takes long, since each hidden draw is guessed for each program that is tried.
    If `max_share` is 0, one hidden draw in a session is enough.
    """
    hidden_count = sum((session.draws or ()).count(None) > len(session.draws or ()) * max_share for session in failed)
    return hidden_count > len(failed) * _MAX_SHARE_OF_HIDDEN_SESSIONS


def event_count(judged: JudgedSession) -> int:
    """The length of a session in events; short sessions are tried first."""
    return len(judged.actual.events)


#: The maximum number of failed sessions from which `with_best_options` determines options.
_MAX_FAILED = 60
#: The maximum number of failed sessions from which options are determined for each likely mistake.
_MAX_FAILED_PER_MISTAKE = 6
#: The maximum number of mistakes that are tried. The mistakes with which sessions agree furthest are selected.
_MAX_MISTAKES = 4
#: Returns the function that runs a program with the options of the given stage, a variant of the submission's stage;
#: None if the program cannot be run in this process.
RunOf = Callable[[Stage], ExpectedRun | None]


def with_best_options(stage: Stage, run_of: RunOf, failed: JudgedSessions) -> Stage:
    """The stage with the options for which the program of `run_of` explains the most of these sessions.

    `stage` itself if it has no options, or if the draws of a session were not read back.
    """
    if not stage.options or any(session.draws is None for session in failed):
        return stage
    sample = failed[:: max(1, len(failed) // _MAX_FAILED)][:_MAX_FAILED]
    search = SettingSearch(stage.options, _Replays(stage, run_of, sample))
    return with_setting(stage, search.best_setting(own_setting(stage.options), range(len(sample))))


def mistakes_with_hidden_options(
    stage: Stage, mistakes_of_stage: MistakesOfStage, failed: JudgedSessions, accepted: JudgedSessions
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
    stage: Stage, mistakes_of_stage: MistakesOfStage, sample: JudgedSessions
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
            all_gains = (
                replays.quick_replay(setting, number).agreement - right_agreement
                for number, right_agreement in enumerate(agreements)
            )
            gains = list(takewhile(lambda gain: gain > 0, all_gains))
            if len(gains) == len(agreements) and (mistake.id not in ranked or sum(gains) > ranked[mistake.id][0]):
                ranked[mistake.id] = sum(gains), variant, mistake
    best = sorted(ranked.values(), key=lambda entry: -entry[0])[:_MAX_MISTAKES]
    return [(variant, mistake) for _, variant, mistake in best]


def _variants_with_one_more_feature(stage: Stage) -> Iterator[Stage]:
    setting = own_setting(stage.options)
    for index, option in enumerate(stage.options):
        for value_index, option_value in enumerate(option.values):
            if option.is_free and option.feature_rule and value_index != setting[index] and option_value.value is True:
                yield with_setting(stage, with_value(setting, index, value_index))


def _run_for_any_stage(run: ExpectedRun | None, _: Stage) -> ExpectedRun | None:
    """Returns `run` for any variant of a stage."""
    return run


class _Replays:
    """Replays sessions with a stage's program under any setting of its options; see `SettingReplays`."""

    def __init__(self, stage: Stage, run_of: RunOf, judged_sessions: JudgedSessions) -> None:
        self._stage, self._judged_sessions = stage, judged_sessions
        self._run = cache(lambda setting: run_of(with_setting(stage, setting)))
        self.quick_replay, self.explains = cache(self._quick_replay), cache(self._explains)

    def has_unknown_draws(self, number: int) -> bool:
        """Whether a session has draws that were never shown."""
        return None in (self._judged_sessions[number].draws or ())

    def _explains(self, setting: Setting, number: int) -> bool:
        run, experiment = self._run(setting), experiment_of(self._judged_sessions[number], self._stage)
        return run is not None and experiment.is_explained_by(run)

    def _quick_replay(self, setting: Setting, number: int) -> Replay:
        session, run = self._judged_sessions[number], self._run(setting)
        draws = session.draws or ()
        if run is None:
            return Replay(Transcript(()), None, failure="there is no such program")
        try:
            return replay(
                session.actual, draws, self._stage, session.policy, run, guesses=False, invocation=session.invocation
            )
        except HarnessError as error:
            return Replay(Transcript(()), None, failure=str(error))
