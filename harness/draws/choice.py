"""Choosing the reference that a submission is judged by: the stage's own, or one of those it tolerates.

One reference is used for all sessions of a submission: the one that explains most of them. Sessions are added as they
are run, and each is replayed only once by each reference.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from harness.assignments.assignment import Reference, Stage
from harness.assignments.authored import Patience
from harness.assignments.cases import Session
from harness.draws.reader import Reading
from harness.draws.replay import Replay, progress, replay
from harness.errors import AssignmentError, HarnessError
from harness.judging.comparison import Difference, difference_between
from harness.running.drivers import Conditions
from harness.running.references import ExpectedRun, checked_run, expected_run_of
from harness.transcripts.scope import checked
from harness.transcripts.transcript import InputEnded, Transcript, Typed

#: How many sessions that the stage's own reference does not explain are used to rank the other references, and how
#: many of these are then tried on all sessions.
_SAMPLE, _FINALISTS = 10, 3


class DrawnSession(msgspec.Struct, frozen=True):
    """A session that was run, and its draws."""

    session: Session
    #: None if it was not run.
    transcript: Transcript | None
    reading: Reading = Reading(())
    #: What went wrong on our side while it was run or read; empty if nothing did.
    failure: str = ""

    @property
    def can_be_replayed(self) -> bool:
        """Whether the session was run and read without a failure on our side."""
        return self.transcript is not None and not self.failure


#: One for each session; None if there was nothing to replay.
Replays = list[Replay | None]


class Choice:
    """The references of a stage, and the replays by each of the sessions so far."""

    def __init__(self, stage: Stage, conditions: Conditions) -> None:
        """Choose among the references of this stage; commands among them run under these conditions."""
        self._stage, self._conditions = stage, conditions
        self._references: dict[str, Reference] = {"": stage.reference}
        self._references |= {one.name: one.reference for one in stage.tolerated}
        self._replays: dict[str, Replays] = {}
        self._runs: dict[str, ExpectedRun] = {}
        self._patience: dict[str, Patience] = {}
        #: The name of the reference that was chosen last.
        self._name = ""

    def made(self, drawn: Sequence[DrawnSession]) -> tuple[str, Replays]:
        """The name of the reference that explains most (empty: the stage's own), and its replays."""
        for name in dict.fromkeys(("", self._name)):
            replays = self._of(name, drawn)
            if len(self._references) == 1 or not _parted(replays):
                self._name = name
                return name, replays
        best, replays, is_better = "", self._of("", drawn), True
        # Few sessions may show what distinguishes two references, so only those that the best one so far does not
        # explain are sampled.
        while is_better and _parted(replays):
            is_better = False
            for name in self._finalists(drawn, _parted(replays)):
                attempt = self._of(name, drawn)
                if _explained(attempt) > _explained(replays):
                    best, replays, is_better = name, attempt, True
        self._name = best
        return best, replays

    def failure_of(self, index: int) -> str:
        """How some reference failed on a session that the chosen one does not explain; empty if none failed.

        The reference that failed might have explained the session, so it is not judged then.
        """
        replays = [known[index] for known in self._replays.values() if index < len(known)]
        return next((one.failure for one in replays if one is not None and one.failure), "")

    def _finalists(self, drawn: Sequence[DrawnSession], parted: Sequence[int]) -> list[str]:
        """The tolerated references that explain most of a sample of the `parted` sessions."""
        sample = [drawn[index] for index in parted[:: max(1, len(parted) // _SAMPLE)][:_SAMPLE]]
        names = [name for name in self._references if name]
        names.sort(
            key=lambda name: _explained([self._replay(name, one, guesses=False) for one in sample]), reverse=True
        )
        return names[:_FINALISTS]

    def _of(self, name: str, drawn: Sequence[DrawnSession]) -> Replays:
        """All sessions replayed by one reference."""
        known = self._replays.setdefault(name, [])
        known += [self._replay(name, one) if one.can_be_replayed else None for one in drawn[len(known) :]]
        return known[: len(drawn)]

    def _replay(self, name: str, one: DrawnSession, *, guesses: bool = True) -> Replay:
        patience = self._patience.setdefault(name, Patience())
        try:
            return patience.call(self._judged, one, self._run(name), guesses)
        except HarnessError as error:
            return Replay(Transcript(()), None, failure=str(error))

    def _judged(self, one: DrawnSession, expected_run: ExpectedRun, guesses: bool) -> Replay:
        """The replay of a session by a reference.

        Raises what the reference raises, unless the two had already parted and the reference read on: lines typed
        for another question may have any effect on it.
        """
        assert one.transcript is not None
        case, actual = one.session.case, one.transcript
        try:
            found = replay(
                actual,
                one.reading.draws,
                self._stage,
                case.policy,
                expected_run,
                guesses=guesses,
                invocation=case.invocation,
            )
        except AssignmentError as error:
            until = Transcript(error.events)  # type: ignore[arg-type]
            difference = difference_between(until.events, actual.events, case.policy)
            if not _was_led_astray(difference):
                raise
            return Replay(until, difference)
        exit_code = found.expected.ending.exit_code if _was_led_astray(found.difference) else case.exit_code
        checked_run(found.expected, exit_code, case.place)
        if not _was_led_astray(found.difference):
            checked(found.expected.events, case.policy, case.place)
        return found

    def _run(self, name: str) -> ExpectedRun:
        if name not in self._runs:
            driver_of, reference = self._conditions.driver_of, self._references[name]
            self._runs[name] = expected_run_of(self._stage, driver_of, reference)
        return self._runs[name]


def _was_led_astray(difference: Difference | None) -> bool:
    """Whether a reference went on reading input after it had parted from a session."""
    return difference is not None and any(isinstance(event, Typed | InputEnded) for event in difference.expected)


def _parted(replays: Replays) -> list[int]:
    """The indexes of sessions that part from their replays, or whose reference failed."""
    return [index for index, one in enumerate(replays) if one is not None and not one.explains]


def _explained(replays: Sequence[Replay | None]) -> tuple[int, int]:
    """How many sessions a reference explains, and how far it agrees with the others."""
    whole = sum(one.explains for one in replays if one is not None)
    return whole, sum(progress(one.difference) for one in replays if one is not None and one.difference is not None)
