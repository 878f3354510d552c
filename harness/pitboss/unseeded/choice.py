"""Chooses the reference by which a submission is judged, and the setting of its options.

One choice is made for all sessions of a submission: the reference and setting that explain most of them. Sessions are
added as they are run, and each is replayed only once under each setting. If the assignment's reader depends on the
setting, the draws of a session are read again for each setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Reference, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.options import (
    Option,
    Setting,
    own_setting,
    setting_description,
    settings_near,
    with_setting,
    with_value,
)
from pitboss.compare.comparison import Difference, difference_between, first_difference
from pitboss.compare.results import Result
from pitboss.errors import AssignmentError, HarnessError
from pitboss.model.comparison_policy import Policy
from pitboss.model.equality import equality
from pitboss.model.free_texts import without_free_texts
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import InputEnded, Transcript, Typed, count_typed_lines, events_of_flat, flat
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.references import ExpectedRun, check_max_lines, checked_run, expected_run_of
from pitboss.unseeded.likely import LikelyTexts, Texts
from pitboss.unseeded.randomness import twice_in_a_bag
from pitboss.unseeded.reader import DrawnSession, Replays, reader_keywords, reader_of
from pitboss.unseeded.replay import (
    Differences,
    GivenDraws,
    Memory,
    Replay,
    better_replay,
    draws_with_other_values,
    replay,
    with_open_line,
)
from pitboss.unseeded.setting_search import MAX_FRUITLESS, Score, SettingSearch, score_of
from pitboss.unseeded.used_up import end_of_bag

#: Tolerated references are ranked by this many sessions that the best reference so far does not explain.
_SAMPLE = 10
#: This many of the highest-ranked references are then tried on all sessions.
_FINALISTS = 3


class Selection(msgspec.Struct, frozen=True):
    """The reference and setting by which a submission's sessions are judged, and the replays by them."""

    #: The stage, with the selected setting as the stage's own setting.
    stage: Stage
    #: The name of the selected tolerated reference; empty if the stage's own reference was selected.
    tolerated: str
    #: The selected setting; its indexes refer to the options of the stage before the selection.
    setting: Setting
    #: A description for the report: all differences from the stage's own reference and setting; empty if none.
    description: str
    #: The submission's sessions, with the draws that the reader finds in them under the selected setting. A session is
    #: cut where its bag is used up, if the reference explains it up to there.
    drawn: Sequence[DrawnSession]
    #: The replay of each session by the selected reference under the selected setting.
    replays: Replays

    def features(self, stage: Stage) -> list[tuple[Option, bool]]:
        """Return each feature that a program may have, and if it has; `stage` is the stage before the selection."""
        pairs = zip(stage.options, self.setting, strict=True)
        features = ((option, option.values[value].value is True) for option, value in pairs if option.feature_rule)
        return [(option, is_selected) for option, is_selected in features if option.is_free or is_selected]


class ReferenceWithSetting(NamedTuple):
    """A reference and a setting by which sessions may be judged."""

    #: The name of a tolerated reference; empty for the stage's own reference.
    reference: str
    setting: Setting


class Choice:
    """Chooses among the references and settings of a stage; caches the replays of the sessions so far."""

    def __init__(
        self,
        stage: Stage,
        conditions: Conditions,
        *,
        max_fruitless: int = MAX_FRUITLESS,
        first: ReferenceWithSetting | None = None,
    ) -> None:
        """Choose for this stage. References that are commands run under these conditions.

        `max_fruitless`: see `SettingSearch`; `first` is tried first, and the search begins with its setting.
        """
        self._max_fruitless = max_fruitless
        self._stage, self._conditions = stage, conditions
        self._references: dict[str, Reference] = {"": stage.reference}
        self._references |= {variant.name: variant.reference for variant in stage.tolerated}
        self._own_candidate = ReferenceWithSetting("", own_setting(stage.options))
        #: The candidate that was selected last; at first the one that is tried first.
        self.selected = first or self._own_candidate
        #: The numbers of sessions that the last search did not explain: they need no further search.
        self._unexplained: set[int] = set()
        self._drawn: Sequence[DrawnSession] = ()
        #: Replays by candidate and session number. In quick replays unknown draws have arbitrary values, in full
        #: replays guessed values.
        self._quick_replays: dict[tuple[ReferenceWithSetting, int], Replay] = {}
        self._full_replays: dict[tuple[ReferenceWithSetting, int], Replay] = {}
        #: The full replays whose open lines were determined.
        self._open_replays: set[tuple[ReferenceWithSetting, int]] = set()
        #: The differences from expected sessions, by session number. Many settings lead to the same expected session,
        #: so each pair of sessions is compared only once.
        self._differences: dict[int, Differences] = {}
        #: Sessions whose draws were read again, by the reader's keywords and the session number.
        self._reread_sessions: dict[tuple[object, int], DrawnSession] = {}
        self._stages: dict[Setting, Stage] = {}
        self._runs: dict[ReferenceWithSetting, ExpectedRun] = {}
        #: Circuit breakers, which give up a reference that repeatedly exceeds its time limit.
        self._breakers: dict[ReferenceWithSetting, CircuitBreaker] = {}
        #: Sessions that a candidate explains up to where their bag is used up, cut there.
        self._cut_sessions: dict[tuple[ReferenceWithSetting, int], DrawnSession] = {}
        #: See `typed_before`; by the candidate without the feature and the session's number, with the replay.
        self._typed_before: dict[tuple[ReferenceWithSetting, int], tuple[Replay, int | None]] = {}
        #: The earlier runs of references that are commands, by candidate.
        self._memories: dict[ReferenceWithSetting, Memory] = {}
        #: What the submission showed so far for free texts: texts that a program may word freely, `compare: free`. If
        #: a session is explained with these texts, its own texts need not be read.
        self.likely = LikelyTexts()
        #: How many replays were run.
        self.replay_count = 0

    def select(self, drawn: Sequence[DrawnSession]) -> Selection:
        """Select the reference and setting that explain most of these sessions.

        `drawn` begins with the sessions of the previous call.
        """
        self._drawn = drawn
        numbers = self._replay_order()
        for candidate, excepted in ((self._own_candidate, set[int]()), (self.selected, self._unexplained)):
            counted = (number for number in numbers if number not in excepted)
            if self._has_no_alternatives or all(self.explains(candidate, number) for number in counted):
                return self._selection_of(candidate)
        search = SettingSearch(self._stage.options, _ReplaysOfReference(self, ""), self._max_fruitless)
        own, first = self._own_candidate.setting, self.selected.setting
        best = ReferenceWithSetting("", search.best_setting(own, numbers, first))
        if not all(self.explains(best, number) for number in numbers):
            best = max(
                dict.fromkeys((self._own_candidate, best, self.selected)),
                key=lambda candidate: self._score(candidate, numbers),
            )
            best = self._best_tolerated(best, numbers)
        self._unexplained = {number for number in numbers if not self.explains(best, number)}
        return self._selection_of(best)

    def select_again(self, drawn: Sequence[DrawnSession]) -> Selection:
        """Select the same reference and setting for these sessions, which begin with those of the previous call."""
        self._drawn = drawn
        return self._selection_of(self.selected)

    def settings_with_fewer_changes(self) -> list[Setting]:
        """Return the selected setting with the stage's own value for a changed option, for each that is no feature."""
        own, selected = self._own_candidate.setting, self.selected.setting
        return [
            with_value(selected, index, own[index])
            for index, option in enumerate(self._stage.options)
            if selected[index] != own[index] and not option.feature_rule
        ]

    def select_setting(self, setting: Setting) -> Selection:
        """Select this setting for the sessions of the previous call, with the same reference."""
        return self._selection_of(ReferenceWithSetting(self.selected.reference, setting))

    def select_with_change(self, selection: Selection, feature: Option) -> Selection:
        """Select, for the same sessions, the reference without a feature that it has, or with one it lacks."""
        return self._selection_of(self._with_change(selection, feature))

    def replay_wrong_sessions(self, selection: Selection, texts: Texts, results: Sequence[Result]) -> Selection:
        """Replay again, with the submission's free texts, the wrong sessions that have unknown draws.

        Returns the selection with the new replays. Returns `selection` itself if more than a quarter of the sessions
        are wrong, or if no wrong session has unknown draws.
        """
        candidate, replays = ReferenceWithSetting(selection.tolerated, selection.setting), list(selection.replays)
        wrong = [index for index, result in enumerate(results) if result.difference is not None]
        if len(wrong) > len(replays) / 4 or not any(map(self.has_unknown_draws, wrong)):
            return selection
        for index in filter(self.has_unknown_draws, wrong):
            session, new = self._drawn[index], self._replay(candidate, index, guesses=True, texts=texts)
            policy = session.session.case.policy.with_accepted_texts(texts)
            best = better_replay(new, replays[index], session.transcript, policy)
            # Cached: otherwise the next selection would have the old replay again.
            self._full_replays[candidate, index] = (
                best if best is not new else self._with_open_line(candidate, index, new, policy)
            )
            replays[index] = self._full_replays[candidate, index]
        return msgspec.structs.replace(selection, drawn=self._cut(candidate, selection.drawn), replays=replays)

    def failure_of(self, index: int) -> str:
        """How any reference failed on a session, as a sentence; empty if no reference failed.

        To be called for a session that the selected reference does not explain. If another reference failed, it might
        have explained the session, so the session is not judged.
        """
        replays = (replay for (_, number), replay in self._full_replays.items() if number == index)
        return next((replay.failure for replay in replays if replay.failure), "")

    def run_of(self, selection: Selection) -> ExpectedRun:
        """Return a function that runs the selected reference with the selected setting."""
        return self._run(ReferenceWithSetting(selection.tolerated, selection.setting))

    def typed_before(self, selection: Selection, feature: Option, index: int) -> int | None:
        """How many lines are typed in a session before a feature changes what the reference does; None if it does not.

        The reference runs on the draws of the replay, with and without the feature. Raises HarnessError if it fails.
        """
        drawn, replayed = selection.drawn[index], selection.replays[index]
        if drawn.transcript is None or replayed is None:
            return None
        candidate, case = self._with_change(selection, feature), drawn.session.case
        known_replay, typed_before = self._typed_before.get((candidate, index), (None, None))
        if known_replay is not replayed:
            run = self._run(candidate)
            draws = GivenDraws(replayed.given, self._stage.draws)
            changed = run(script_of_lines(drawn.transcript.lines), draws, invocation=case.invocation)
            # Both sessions are the reference's, so their free texts need not be read.
            expected, other = (
                msgspec.structs.replace(
                    each, events=events_of_flat(without_free_texts(flat(each.events), case.policy.free))
                )
                for each in (replayed.expected, changed)
            )
            difference = first_difference(expected, other, msgspec.structs.replace(case.policy, free=()))
            typed_before = None if difference is None else count_typed_lines(difference.quoted.expected_before)
            self._typed_before[candidate, index] = replayed, typed_before
        return typed_before

    def run_with_change(self, selection: Selection, feature: Option) -> ExpectedRun:
        """Return a function that runs the selected reference without a feature that it has, or with one it lacks."""
        return self._run(self._with_change(selection, feature))

    def _with_change(self, selection: Selection, feature: Option) -> ReferenceWithSetting:
        pairs = zip(self._stage.options, selection.setting, strict=True)
        setting = tuple(1 - value if option.name == feature.name else value for option, value in pairs)
        return ReferenceWithSetting(selection.tolerated, setting)

    def alternative_runs(self, selection: Selection) -> list[ExpectedRun]:
        """Return functions that run the other references with the selected setting, and the selected one with others.

        The other settings are those near the selected one: see `settings_near`.
        """
        runs = [
            self._run(ReferenceWithSetting(name, selection.setting))
            for name in self._references
            if name != selection.tolerated
        ]
        reference, driver_of = self._references[selection.tolerated], self._conditions.driver_of
        neighbouring_stages = (
            with_setting(selection.stage, setting) for setting in settings_near(selection.stage.options)
        )
        return [*runs, *(expected_run_of(stage, driver_of, reference) for stage in neighbouring_stages)]

    @property
    def _has_no_alternatives(self) -> bool:
        """Whether the stage has only one reference and no free option."""
        return len(self._references) == 1 and not any(option.is_free for option in self._stage.options)

    def _replay_order(self) -> list[int]:
        """The numbers of the sessions to replay: the first session of each case, shortest first; then the second; …"""
        turns: dict[str, int] = {}
        order = []
        for number, session in enumerate(self._drawn):
            if session.can_be_replayed:
                name = session.session.case.name
                turns[name] = turns.get(name, 0) + 1
                order.append((turns[name], len(session.transcript.text) if session.transcript else 0, number))
        return [number for _, _, number in sorted(order)]

    def _selection_of(self, candidate: ReferenceWithSetting) -> Selection:
        """Select a candidate; returns the selection, with replays of all sessions."""
        self.selected = candidate
        name, setting = candidate
        sessions = [self._session_under(setting, number) for number in range(len(self._drawn))]
        replays = [
            self._open_replay(candidate, number) if session.can_be_replayed else None
            for number, session in enumerate(sessions)
        ]
        sessions = self._cut(candidate, sessions)
        description = ", ".join(filter(None, (name, setting_description(self._stage.options, setting))))
        return Selection(self._stage_under(setting), name, setting, description, sessions, replays)

    def _cut(self, candidate: ReferenceWithSetting, sessions: Sequence[DrawnSession]) -> list[DrawnSession]:
        """The sessions, each cut where the candidate explains it up to where its bag is used up."""
        return [self._cut_sessions.get((candidate, number), session) for number, session in enumerate(sessions)]

    def _best_tolerated(self, best: ReferenceWithSetting, numbers: Sequence[int]) -> ReferenceWithSetting:
        """The tolerated reference with the highest score, under the setting of `best`; `best` if none is better."""
        names, setting = [name for name in self._references if name], best.setting
        may_improve = True
        # Only sessions that the best candidate so far does not explain are sampled: a sample of all sessions might have
        # none of the few in which two references differ.
        while names and may_improve:
            may_improve = False
            unexplained = [number for number in numbers if not self.explains(best, number)]
            if not unexplained:
                break
            sample = unexplained[:: max(1, len(unexplained) // _SAMPLE)][:_SAMPLE]
            ranked = sorted(
                names, key=lambda name: self._quick_score(ReferenceWithSetting(name, setting), sample), reverse=True
            )
            for name in ranked[:_FINALISTS]:
                candidate = ReferenceWithSetting(name, setting)
                if self._score(candidate, numbers) > self._score(best, numbers):
                    best, may_improve = candidate, True
        return best

    def _quick_score(self, candidate: ReferenceWithSetting, sample: Sequence[int]) -> Score:
        return score_of([self.quick_replay(candidate, number) for number in sample])

    def _score(self, candidate: ReferenceWithSetting, numbers: Sequence[int]) -> Score:
        """How many sessions a candidate explains, and how far it agrees with the other sessions."""
        return score_of([self._full_replay(candidate, number) for number in numbers])

    def explains(self, candidate: ReferenceWithSetting, number: int) -> bool:
        return self._full_replay(candidate, number).explains

    def has_unknown_draws(self, number: int) -> bool:
        """Whether a session has draws that were never shown."""
        return None in self._drawn[number].reading.draws

    def quick_replay(self, candidate: ReferenceWithSetting, number: int) -> Replay:
        """The replay of a session with arbitrary values for unknown draws; precise enough to rank candidates."""
        key = (candidate, number)
        if key not in self._quick_replays:
            self._quick_replays[key] = self._full_replays.get(key) or self._replay(candidate, number, guesses=False)
        return self._quick_replays[key]

    def _full_replay(self, candidate: ReferenceWithSetting, number: int) -> Replay:
        """The replay of a session with guessed values for unknown draws."""
        key = (candidate, number)
        if key not in self._full_replays:
            quick = self._quick_replays.get(key)
            # Without unknown draws there is nothing to guess.
            if quick and not quick.explains and None in self._session_under(candidate.setting, number).reading.draws:
                quick = None
            self._full_replays[key] = quick or self._replay(candidate, number, guesses=True)
        return self._full_replays[key]

    def _open_replay(self, candidate: ReferenceWithSetting, number: int) -> Replay:
        """The replay of a session with guessed values, and with … in the expected line for what depends on them."""
        key, replayed = (candidate, number), self._full_replay(candidate, number)
        if key not in self._open_replays:
            self._open_replays.add(key)
            policy = self._drawn[number].session.case.policy
            self._full_replays[key] = self._with_open_line(candidate, number, replayed, policy)
        return self._full_replays[key]

    def _with_open_line(self, candidate: ReferenceWithSetting, number: int, replayed: Replay, policy: Policy) -> Replay:
        session, stage = self._session_under(candidate.setting, number), self._stage_under(candidate.setting)
        if replayed.difference is None or replayed.failure or session.transcript is None:
            return replayed
        try:
            return self._breakers[candidate].call(
                with_open_line,
                replayed,
                draws_with_other_values(replayed, session.reading.draws, stage.draws),
                session.transcript,
                stage,
                policy,
                self._run(candidate),
                invocation=session.session.case.invocation,
                likely=self.likely,
                memory=self._memory_of(candidate),
            )
        except HarnessError:
            return replayed  # that the reference fails on other draws is no evidence about the program

    def _memory_of(self, candidate: ReferenceWithSetting) -> Memory | None:
        """The earlier runs of a reference that is a command; None for others, which are started fast."""
        is_command = bool(self._references[candidate.reference].command)
        return self._memories.setdefault(candidate, Memory()) if is_command else None

    def _replay(
        self, candidate: ReferenceWithSetting, number: int, *, guesses: bool, texts: Texts | None = None
    ) -> Replay:
        """Replay a session by a candidate; a HarnessError becomes the failure of the returned replay."""
        self.replay_count += 1
        breaker = self._breakers.setdefault(candidate, CircuitBreaker())
        try:
            session = self._session_under(candidate.setting, number)
            if session.failure:
                return Replay(Transcript(()), None, failure=session.failure)
            differences = self._differences.setdefault(number, {}) if texts is None else {}
            replayed = breaker.call(self._checked_replay, session, candidate, guesses, differences, texts)

            def replay_of(end: DrawnSession) -> Replay:
                return breaker.call(self._checked_replay, end, candidate, guesses, {}, texts)

            if used_up := end_of_bag(session, replayed, self._stage.draws, replay_of):
                replayed = used_up.replayed
                self._cut_sessions[candidate, number] = msgspec.structs.replace(
                    used_up.session, reading=session.reading
                )
            is_impossible = twice_in_a_bag(self._stage.draws, session.reading.draws) is not None
            return msgspec.structs.replace(replayed, is_impossible=is_impossible)
        except HarnessError as error:
            return Replay(Transcript(()), None, failure=str(error))

    def _checked_replay(
        self,
        session: DrawnSession,
        candidate: ReferenceWithSetting,
        guesses: bool,
        differences: Differences,
        texts: Texts | None,
    ) -> Replay:
        """Replay a session by a candidate, and check the reference's run.

        `texts` are the submission's free texts, if known; `differences` is a cache for this session.

        Raises the reference's error, unless the reference went on reading input after it differed from the session:
        lines that were typed in answer to another question may have any effect.
        """
        assert session.transcript is not None
        case, actual = session.session.case, session.transcript
        try:
            replayed = replay(
                actual,
                session.reading.draws,
                self._stage_under(candidate.setting),
                case.policy if texts is None else case.policy.with_accepted_texts(texts),
                self._run(candidate),
                guesses=guesses,
                invocation=case.invocation,
                likely=self.likely if texts is None else None,
                differences=differences,
                memory=self._memory_of(candidate),
            )
        except AssignmentError as error:
            transcript_so_far = Transcript(error.events)  # type: ignore[arg-type]
            difference = difference_between(transcript_so_far.events, actual.events, case.policy)
            if not _reads_past_difference(difference):
                check_max_lines(session.session, transcript_so_far.events)
                raise
            return Replay(transcript_so_far, difference)
        # A reference that has read on may end with any exit code, after any number of lines.
        has_read_on = _reads_past_difference(replayed.difference)
        if not has_read_on:
            check_max_lines(session.session, replayed.expected.events)
        exit_code = replayed.expected.ending.exit_code if has_read_on else case.exit_code
        expected = checked_run(replayed.expected, exit_code, case.place)
        replayed = msgspec.structs.replace(replayed, expected=expected)
        if not has_read_on:
            equality(case.policy).check_anything_is_judged(replayed.expected.events, case.place)
        return replayed

    def _session_under(self, setting: Setting, number: int) -> DrawnSession:
        """A session with the draws that the reader finds under a setting."""
        session, stage = self._drawn[number], self._stage_under(setting)
        if not session.can_be_replayed or session.transcript is None or not stage.options:
            return session
        keywords = reader_keywords(stage)
        if keywords == reader_keywords(session.session.stage):  # the session was read with these keywords
            return session
        key = (tuple(keywords.items()), number)
        if key not in self._reread_sessions:
            try:
                reading = reader_of(stage)(session.transcript.events)
                self._reread_sessions[key] = msgspec.structs.replace(session, reading=reading)
            except HarnessError as error:
                self._reread_sessions[key] = msgspec.structs.replace(session, failure=str(error))
        return self._reread_sessions[key]

    def _stage_under(self, setting: Setting) -> Stage:
        if setting not in self._stages:
            self._stages[setting] = with_setting(self._stage, setting)
        return self._stages[setting]

    def _run(self, candidate: ReferenceWithSetting) -> ExpectedRun:
        if candidate not in self._runs:
            name, setting = candidate
            driver_of = self._conditions.driver_of
            self._runs[candidate] = expected_run_of(self._stage_under(setting), driver_of, self._references[name])
        return self._runs[candidate]


class _ReplaysOfReference:
    """The replays by one reference, for the search for its best setting."""

    def __init__(self, choice: Choice, name: str) -> None:
        self._choice, self._name = choice, name

    def quick_replay(self, setting: Setting, number: int, /) -> Replay:
        return self._choice.quick_replay(ReferenceWithSetting(self._name, setting), number)

    def has_unknown_draws(self, number: int, /) -> bool:
        return self._choice.has_unknown_draws(number)

    def explains(self, setting: Setting, number: int, /) -> bool:
        return self._choice.explains(ReferenceWithSetting(self._name, setting), number)


def _reads_past_difference(difference: Difference | None) -> bool:
    """Whether a reference went on reading input after it differed from a session."""
    return difference is not None and any(isinstance(event, Typed | InputEnded) for event in difference.expected)
