"""Mistakes in a program whose options the mistake itself hides.

The options of a program are chosen to explain its sessions, and its free texts are read from them. If a mistake shows
in all sessions in which an option or a text shows, neither can be determined. So the texts are read and the options are
determined once more, assuming the mistake.
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

#: How many failed sessions determine the options of a program, without and with a mistake.
_FOR_OPTIONS, _FOR_MISTAKES = 60, 6
#: How many mistakes are tried: the ones that agree with a program much further than the correct program does.
_MOST = 4
#: Runs the program of a stage with other options; None if that cannot be run in this process.
RunOf = Callable[[Stage], ExpectedRun | None]


def with_options(stage: Stage, run_of: RunOf, failed: Sequence[JudgedSession]) -> Stage:
    """The stage with the options with which `run_of` explains most of these sessions."""
    if not stage.options or any(session.draws is None for session in failed):
        return stage
    some = failed[:: max(1, len(failed) // _FOR_OPTIONS)][:_FOR_OPTIONS]
    search = SettingSearch(stage.options, _Replays(stage, run_of, some))
    return with_setting(stage, search.best_setting(own_setting(stage.options), range(len(some))))


def mistakes_with_hidden_options(
    stage: Stage, catalogue: Catalogue, failed: Sequence[JudgedSession], accepted: Sequence[JudgedSession]
) -> list[Mistake]:
    """The mistakes that explain all of these sessions with the free texts or options that they hid."""
    if any(session.draws is None for session in failed):
        return []
    unread = sorted(map(with_texts_unread, failed), key=length)
    seen = [*unread, *map(with_texts_unread, accepted)]
    found: dict[str, Mistake] = {}
    for near, mistake in _agreeing_further(stage, catalogue, unread[:_FOR_MISTAKES]):

        def run_of(variant: Stage, id_: str = mistake.id) -> ExpectedRun | None:
            same = next((mistake for mistake in catalogue(variant) if mistake.id == id_), None)
            return same.run_of(variant.name) if same else None

        is_contradicted = contradicts(mistake, near)
        left = [session for session in unread if is_contradicted(experiment_of(session, near))]
        variant = with_options(near, run_of, [*left, *unread][:_FOR_MISTAKES]) if left else near
        candidates = [candidate for candidate in catalogue(variant) if candidate.id == mistake.id]
        found |= {mistake.id: mistake for mistake in explaining(variant, candidates, seen)}
    return list(found.values())


def with_texts_unread(judged: JudgedSession) -> JudgedSession:
    """The session with its free texts unread: those accepted for all sessions were read with other options."""
    if not judged.policy.free:
        return judged
    return msgspec.structs.replace(judged, policy=msgspec.structs.replace(judged.policy, accepted_texts=None))


def _agreeing_further(stage: Stage, catalogue: Catalogue, some: Sequence[JudgedSession]) -> list[tuple[Stage, Mistake]]:
    """The mistakes with which sessions agree further than with the correct program, the furthest first.

    Each comes with the stage as it is, or with one more feature if the sessions agree further with that.
    """
    right = _Replays(stage, right_run, some)
    setting = own_setting(stage.options)
    before = [right.quick(setting, number).agrees for number in range(len(some))]
    ranked: dict[str, tuple[int, Stage, Mistake]] = {}
    for variant in (stage, *_with_one_more_feature(stage)):
        for mistake in catalogue(variant):
            replays = _Replays(variant, partial(_the_same, mistake.run_of(variant.name)), some)
            gains = 0
            for number, agrees in enumerate(before):
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
    """The stage with each of its free features that the program was not found to have."""
    own = own_setting(stage.options)
    for index, option in enumerate(stage.options):
        for value, option_value in enumerate(option.values):
            if option.is_free and option.shows and value != own[index] and option_value.value is True:
                yield with_setting(stage, (*own[:index], value, *own[index + 1 :]))


def _the_same(run: ExpectedRun | None, _: Stage) -> ExpectedRun | None:
    return run


class _Replays:
    """Sessions replayed with the program of a stage, under any options; see `Replays` in `setting_search`."""

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
