"""Finds mistakes that hide which options a program has.

The options of a program are chosen to explain its sessions, and its free texts are read from these sessions. If a
mistake shows in all sessions in which an option or a text shows, the option or text cannot be determined. So the texts
are read and the options are determined once more, assuming the mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import Setting, own_setting, with_setting
from pitboss.compare.outcome import JudgedSession
from pitboss.errors import HarnessError
from pitboss.experiments.catalogue import Catalogue, Mistake
from pitboss.experiments.naming.explaining import contradicts, explaining, length, right_run
from pitboss.experiments.relation import experiment_of
from pitboss.model.transcript import Transcript
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.replay import Replay, replay
from pitboss.unseeded.setting_search import SettingSearch

#: How many failed sessions determine the options of a program, and how many do so for each mistake tried.
_FOR_OPTIONS, _FOR_MISTAKES = 60, 6
#: How many mistakes are tried at most: those with which the sessions agree furthest.
_MOST = 4
#: Runs the program of a stage with other options; None if the program cannot be run in this process.
RunOf = Callable[[Stage], ExpectedRun | None]


def with_options(stage: Stage, run_of: RunOf, failed: Sequence[JudgedSession]) -> Stage:
    """The stage with the options for which `run_of` explains the most of these sessions."""
    if not stage.options or any(session.draws is None for session in failed):
        return stage
    sample = failed[:: max(1, len(failed) // _FOR_OPTIONS)][:_FOR_OPTIONS]
    search = SettingSearch(stage.options, _Replays(stage, run_of, sample))
    return with_setting(stage, search.best_setting(own_setting(stage.options), range(len(sample))))


def mistakes_with_hidden_options(
    stage: Stage, catalogue: Catalogue, failed: Sequence[JudgedSession], accepted: Sequence[JudgedSession]
) -> list[Mistake]:
    """The mistakes that explain all of these sessions, given the free texts or options that the mistakes hid."""
    if any(session.draws is None for session in failed):
        return []
    unread = sorted(map(with_texts_unread, failed), key=length)
    sessions = [*unread, *map(with_texts_unread, accepted)]
    found: dict[str, Mistake] = {}
    for near_stage, mistake in _agreeing_further(stage, catalogue, unread[:_FOR_MISTAKES]):

        def run_of(variant: Stage, id_: str = mistake.id) -> ExpectedRun | None:
            same_mistake = next((mistake for mistake in catalogue(variant) if mistake.id == id_), None)
            return same_mistake.run_of(variant.name) if same_mistake else None

        is_contradicted = contradicts(mistake, near_stage)
        unexplained = [session for session in unread if is_contradicted(experiment_of(session, near_stage))]
        variant = (
            with_options(near_stage, run_of, [*unexplained, *unread][:_FOR_MISTAKES]) if unexplained else near_stage
        )
        candidates = [candidate for candidate in catalogue(variant) if candidate.id == mistake.id]
        found |= {mistake.id: mistake for mistake in explaining(variant, candidates, sessions)}
    return list(found.values())


def with_texts_unread(judged: JudgedSession) -> JudgedSession:
    """The session without accepted free texts, because these were read with other options."""
    if not judged.policy.free:
        return judged
    return msgspec.structs.replace(judged, policy=msgspec.structs.replace(judged.policy, accepted_texts=None))


def _agreeing_further(
    stage: Stage, catalogue: Catalogue, sample: Sequence[JudgedSession]
) -> list[tuple[Stage, Mistake]]:
    """The mistakes with which sessions agree further than with the correct program, best first.

    Each mistake comes after the stage, with one more feature if the sessions then agree further.
    """
    right = _Replays(stage, right_run, sample)
    setting = own_setting(stage.options)
    agreements = [right.quick(setting, number).agrees for number in range(len(sample))]
    ranked: dict[str, tuple[int, Stage, Mistake]] = {}
    for variant in (stage, *_with_one_more_feature(stage)):
        for mistake in catalogue(variant):
            replays = _Replays(variant, partial(_the_same, mistake.run_of(variant.name)), sample)
            gains = 0
            for number, agrees in enumerate(agreements):
                gain = replays.quick(setting, number).agrees - agrees
                if gain <= 0:
                    break
                gains += gain
            else:
                if mistake.id not in ranked or gains > ranked[mistake.id][0]:
                    ranked[mistake.id] = gains, variant, mistake
    best = sorted(ranked.values(), key=lambda entry: -entry[0])[:_MOST]
    return [(variant, mistake) for _, variant, mistake in best]


def _with_one_more_feature(stage: Stage) -> Iterator[Stage]:
    """Variants of the stage, each with one more free feature that the program was not found to have."""
    own = own_setting(stage.options)
    for index, option in enumerate(stage.options):
        for value, option_value in enumerate(option.values):
            if option.is_free and option.shows and value != own[index] and option_value.value is True:
                yield with_setting(stage, (*own[:index], value, *own[index + 1 :]))


def _the_same(run: ExpectedRun | None, _: Stage) -> ExpectedRun | None:
    return run


class _Replays:
    """Replays sessions with the program of a stage, with any options; see `Replays` in `setting_search`."""

    def __init__(self, stage: Stage, run_of: RunOf, judged_sessions: Sequence[JudgedSession]) -> None:
        self._stage, self._run_of, self._judged_sessions = stage, run_of, judged_sessions
        self._runs: dict[Setting, ExpectedRun | None] = {}
        self._quick: dict[tuple[Setting, int], Replay] = {}
        self._explains: dict[tuple[Setting, int], bool] = {}

    def quick(self, setting: Setting, number: int) -> Replay:
        """See `Replays` of the search."""
        if (setting, number) not in self._quick:
            self._quick[setting, number] = self._replay(setting, self._judged_sessions[number])
        return self._quick[setting, number]

    def has_unknown(self, number: int) -> bool:
        """See `Replays` of the search."""
        return None in (self._judged_sessions[number].draws or ())

    def explains(self, setting: Setting, number: int) -> bool:
        """See `Replays` of the search."""
        if (setting, number) not in self._explains:
            run, experiment = self._run(setting), experiment_of(self._judged_sessions[number], self._stage)
            self._explains[setting, number] = run is not None and experiment.is_explained_by(run)
        return self._explains[setting, number]

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
