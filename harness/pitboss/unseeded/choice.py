"""Chooses what a submission is judged by: a setting of the stage's options, or a tolerated reference.

One choice is made for all sessions of a submission: what explains most of them. Sessions are added as they are
run, and each is replayed only once under each setting. If the reader depends on the setting, draws are read under it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitboss.assignments.assignment import Reference, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.options import Option, Setting, own_setting, setting_description, settings_near, with_setting
from pitboss.compare.comparison import Difference, difference_between
from pitboss.compare.results import Result
from pitboss.errors import AssignmentError, HarnessError
from pitboss.model.relaxation import check_anything_is_judged
from pitboss.model.transcript import InputEnded, Transcript, Typed
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.expected_transcript import see_end
from pitboss.sessions.references import ExpectedRun, checked_run, expected_run_of
from pitboss.unseeded.drawn import DrawnSession, Replays
from pitboss.unseeded.likely import Likely, Texts
from pitboss.unseeded.randomness import twice_in_a_bag
from pitboss.unseeded.reader import reader_keywords, reader_of
from pitboss.unseeded.replay import Differences, Replay, better, replay
from pitboss.unseeded.replay_memory import Memory
from pitboss.unseeded.setting_search import MAX_FRUITLESS, SettingSearch, score_of

#: Tolerated references are ranked by this many sessions that the best one so far does not explain; and this many of the
#: highest ranked ones are then tried on all sessions.
_SAMPLE, _FINALISTS = 10, 3


class Selection(msgspec.Struct, frozen=True):
    """What the sessions of a submission are judged by."""

    #: The stage, with the selected setting as its own.
    stage: Stage
    #: The name of a tolerated reference; empty for the stage's own.
    tolerated: str
    #: Relative to the stage before the selection.
    setting: Setting
    #: Everything that differs from the stage's own reference and setting, in words for the report.
    said: str
    #: The sessions, their draws as they are read under the setting.
    drawn: Sequence[DrawnSession]
    replays: Replays

    def features_beside(self, stage: Stage) -> tuple[Option, ...]:
        """Return the features that the program has but that `stage`, as before the selection, is not about."""
        pairs = zip(stage.options, self.setting, strict=True)
        return tuple(option for option, value in pairs if option.shows and value and not option.is_subject)


#: The name of a tolerated reference, empty for the stage's own, and a setting.
_Candidate = tuple[str, Setting]


class Choice:
    """The references and settings of a stage, and the replays of the sessions so far by each."""

    def __init__(self, stage: Stage, conditions: Conditions, *, max_fruitless: int = MAX_FRUITLESS) -> None:
        """Choose for this stage; references that are commands run under these conditions."""
        self._max_fruitless = max_fruitless
        self._stage, self._conditions = stage, conditions
        self._references: dict[str, Reference] = {"": stage.reference}
        self._references |= {variant.name: variant.reference for variant in stage.tolerated}
        self._own: _Candidate = ("", own_setting(stage.options))
        #: The candidate that was selected last.
        self._selected = self._own
        self._drawn: Sequence[DrawnSession] = ()
        #: Replays by candidate and number of the session: with arbitrary values for unknown draws, and guessed ones.
        self._quick: dict[tuple[_Candidate, int], Replay] = {}
        self._whole: dict[tuple[_Candidate, int], Replay] = {}
        #: Many settings expect the same, so each session is compared only once with each expected one.
        self._differences: dict[int, Differences] = {}
        self._readings: dict[tuple[object, int], DrawnSession] = {}
        self._stages: dict[Setting, Stage] = {}
        self._runs: dict[_Candidate, ExpectedRun] = {}
        self._patience: dict[_Candidate, CircuitBreaker] = {}
        #: The earlier runs of references that are commands.
        self._memories: dict[_Candidate, Memory] = {}
        #: What the submission showed for free texts so far. If these explain a session, its texts need not be read.
        self.likely = Likely()
        #: How many replays were made.
        self.count = 0

    def select(self, drawn: Sequence[DrawnSession]) -> Selection:
        """Select what explains most of these sessions; `drawn` begins with the sessions of the previous call."""
        self._drawn = drawn
        numbers = self._in_turn()
        for candidate in dict.fromkeys((self._own, self._selected)):
            if self._is_alone or all(self.explains(candidate, number) for number in numbers):
                return self._settled(candidate)
        search = SettingSearch(self._stage.options, _Of(self, ""), self._max_fruitless)
        best: _Candidate = ("", search.best_setting(self._own[1], numbers))
        if not all(self.explains(best, number) for number in numbers):
            best = max(
                dict.fromkeys((self._own, best, self._selected)), key=lambda setting: self._score(setting, numbers)
            )
            best = self._tolerated(best, numbers)
        return self._settled(best)

    def again(self, selection: Selection, texts: Texts, results: Sequence[Result]) -> Selection:
        """Replay the wrong sessions with unknown draws again, given the submission's texts, and return the selection.

        Returns `selection` itself if more than a quarter of the sessions are wrong, or none of them has unknown draws.
        """
        candidate, replays = (selection.tolerated, selection.setting), list(selection.replays)
        wrong = [index for index, result in enumerate(results) if result.difference is not None]
        if len(wrong) > len(replays) / 4 or not any(map(self.has_unknown, wrong)):
            return selection
        for index in filter(self.has_unknown, wrong):
            session, new = self._drawn[index], self._replay(candidate, index, guesses=True, texts=texts)
            best = better(
                new, replays[index], session.transcript, session.session.case.policy.with_accepted_texts(texts)
            )
            # Cached: otherwise the next selection would have the old replay again.
            replays[index] = self._whole[candidate, index] = best
        return msgspec.structs.replace(selection, replays=replays)

    def failure_of(self, index: int) -> str:
        """How some reference failed on a session that the selected one does not explain; empty if none failed.

        The failed reference might have explained the session, so the session is not judged then.
        """
        replays = (replay for (_, number), replay in self._whole.items() if number == index)
        return next((replay.failure for replay in replays if replay.failure), "")

    def run_of(self, selection: Selection) -> ExpectedRun:
        """Return what runs the selected reference with the selected setting."""
        return self._run((selection.tolerated, selection.setting))

    def alternative_runs(self, selection: Selection) -> list[ExpectedRun]:
        """Return what runs the alternatives: other references, and settings that differ in one option."""
        runs = [self._run((name, selection.setting)) for name in self._references if name != selection.tolerated]
        own, driver_of = self._references[selection.tolerated], self._conditions.driver_of
        near = (with_setting(selection.stage, setting) for setting in settings_near(selection.stage.options))
        return [*runs, *(expected_run_of(stage, driver_of, own) for stage in near)]

    @property
    def _is_alone(self) -> bool:
        """Whether there is nothing to choose."""
        return len(self._references) == 1 and not any(option.is_free for option in self._stage.options)

    def _in_turn(self) -> list[int]:
        """The numbers of the sessions to replay: the first of each case, shortest first; then the second of each."""
        turns: dict[str, int] = {}
        order = []
        for number, session in enumerate(self._drawn):
            if session.can_be_replayed:
                name = session.session.case.name
                turns[name] = turns.get(name, 0) + 1
                order.append((turns[name], len(session.transcript.text) if session.transcript else 0, number))
        return [number for _, _, number in sorted(order)]

    def _settled(self, candidate: _Candidate) -> Selection:
        self._selected = candidate
        name, setting = candidate
        read = [self._read(setting, number) for number in range(len(self._drawn))]
        replays = [
            self._replayed(candidate, number) if session.can_be_replayed else None
            for number, session in enumerate(read)
        ]
        in_words = ", ".join(filter(None, (name, setting_description(self._stage.options, setting))))
        return Selection(self._under(setting), name, setting, in_words, read, replays)

    def _tolerated(self, best: _Candidate, numbers: Sequence[int]) -> _Candidate:
        """The tolerated reference that explains more than `best`; `best` if none does."""
        names, is_better = [name for name in self._references if name], bool(self._references)
        # Only sessions that the best one so far does not explain are sampled: few sessions distinguish two references.
        while names and is_better:
            is_better = False
            parted = [number for number in numbers if not self.explains(best, number)]
            if not parted:
                break
            sample = parted[:: max(1, len(parted) // _SAMPLE)][:_SAMPLE]
            ranked = sorted(names, key=lambda name: self._ranked((name, best[1]), sample), reverse=True)
            for name in ranked[:_FINALISTS]:
                candidate = (name, best[1])
                if self._score(candidate, numbers) > self._score(best, numbers):
                    best, is_better = candidate, True
        return best

    def _ranked(self, candidate: _Candidate, sample: Sequence[int]) -> tuple[int, int]:
        return score_of([self.quick(candidate, number) for number in sample])

    def _score(self, candidate: _Candidate, numbers: Sequence[int]) -> tuple[int, int]:
        """How many sessions a candidate explains, and how far it agrees with the others."""
        return score_of([self._replayed(candidate, number) for number in numbers])

    def explains(self, candidate: _Candidate, number: int) -> bool:
        """Whether a candidate explains a session."""
        return self._replayed(candidate, number).explains

    def has_unknown(self, number: int) -> bool:
        """Whether a session has draws that were never shown."""
        return None in self._drawn[number].reading.draws

    def quick(self, candidate: _Candidate, number: int) -> Replay:
        """A session replayed with arbitrary values for unknown draws, enough to choose by."""
        key = (candidate, number)
        if key not in self._quick:
            self._quick[key] = self._whole.get(key) or self._replay(candidate, number, guesses=False)
        return self._quick[key]

    def _replayed(self, candidate: _Candidate, number: int) -> Replay:
        """A session replayed by a candidate."""
        key = (candidate, number)
        if key not in self._whole:
            quick = self._quick.get(key)
            self._whole[key] = quick if quick and quick.explains else self._replay(candidate, number, guesses=True)
        return self._whole[key]

    def _replay(self, candidate: _Candidate, number: int, *, guesses: bool, texts: Texts | None = None) -> Replay:
        self.count += 1
        patience = self._patience.setdefault(candidate, CircuitBreaker())
        try:
            session = self._read(candidate[1], number)
            if session.failure:
                return Replay(Transcript(()), None, failure=session.failure)
            differences = self._differences.setdefault(number, {}) if texts is None else {}
            found = patience.call(self._judged, session, candidate, guesses, differences, texts)
            is_impossible = bool(self._stage.draws.bag and twice_in_a_bag(self._stage.draws, session.reading.draws))
            return msgspec.structs.replace(found, is_impossible=is_impossible)
        except HarnessError as error:
            return Replay(Transcript(()), None, failure=str(error))

    def _judged(
        self, session: DrawnSession, candidate: _Candidate, guesses: bool, known: Differences, texts: Texts | None
    ) -> Replay:
        """Replay a session by a candidate; `texts` are the submission's free texts, if known.

        Raises what the reference raises, unless it read on after it differed from the session: lines typed for another
        question may have any effect on it.
        """
        assert session.transcript is not None
        case, actual = session.session.case, session.transcript
        is_slow = bool(self._references[candidate[0]].command)
        try:
            found = replay(
                actual,
                session.reading.draws,
                self._under(candidate[1]),
                case.policy if texts is None else case.policy.with_accepted_texts(texts),
                self._run(candidate),
                guesses=guesses,
                invocation=case.invocation,
                likely=self.likely if texts is None else None,
                known=known,
                memory=self._memories.setdefault(candidate, Memory()) if is_slow else None,
            )
        except AssignmentError as error:
            until = Transcript(error.events)  # type: ignore[arg-type]
            difference = difference_between(until.events, actual.events, case.policy)
            if not _was_led_astray(difference):
                see_end(session.session, until.events)
                raise
            return Replay(until, difference)
        is_astray = _was_led_astray(found.difference)
        if not is_astray:
            see_end(session.session, found.expected.events)
        exit_code = found.expected.ending.exit_code if is_astray else case.exit_code
        expected = checked_run(found.expected, exit_code, case.place)
        found = msgspec.structs.replace(found, expected=expected)
        if not is_astray:
            check_anything_is_judged(found.expected.events, case.policy, case.place)
        return found

    def _read(self, setting: Setting, number: int) -> DrawnSession:
        """A session with its draws as they are read under a setting."""
        session, stage = self._drawn[number], self._under(setting)
        if not session.can_be_replayed or session.transcript is None or not stage.options:
            return session
        keywords = reader_keywords(stage)
        if keywords == reader_keywords(session.session.stage):
            return session
        key = (tuple(keywords.items()), number)
        if key not in self._readings:
            try:
                reading = reader_of(stage)(session.transcript.events)
                self._readings[key] = msgspec.structs.replace(session, reading=reading)
            except HarnessError as error:
                self._readings[key] = msgspec.structs.replace(session, failure=str(error))
        return self._readings[key]

    def _under(self, setting: Setting) -> Stage:
        if setting not in self._stages:
            self._stages[setting] = with_setting(self._stage, setting)
        return self._stages[setting]

    def _run(self, candidate: _Candidate) -> ExpectedRun:
        if candidate not in self._runs:
            name, setting = candidate
            driver_of = self._conditions.driver_of
            self._runs[candidate] = expected_run_of(self._under(setting), driver_of, self._references[name])
        return self._runs[candidate]


class _Of:
    """The replays by one reference, for a search of its setting."""

    def __init__(self, choice: Choice, name: str) -> None:
        self._choice, self._name = choice, name

    def quick(self, setting: Setting, number: int, /) -> Replay:
        return self._choice.quick((self._name, setting), number)

    def has_unknown(self, number: int, /) -> bool:
        return self._choice.has_unknown(number)

    def explains(self, setting: Setting, number: int, /) -> bool:
        return self._choice.explains((self._name, setting), number)


def _was_led_astray(difference: Difference | None) -> bool:
    """Whether a reference went on reading input after it differed from a session."""
    return difference is not None and any(isinstance(event, Typed | InputEnded) for event in difference.expected)
