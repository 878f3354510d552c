"""Which wrong programs the sessions that were run could have shown.

A session shows a wrong program if that program, run on the session's draws and typed lines, does something else than
the reference, and if the judge would have rejected it for that: its own session is read back and replayed as a
submission's is, and no reference of the stage explains it. A wrong program that a tolerated reference explains in one
session is compared in further ones, since one reference must explain all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from harness.assignments.assignment import Draws, Stage
from harness.draws.choice import Choice, DrawnSession
from harness.draws.randomness import twice_in_a_bag
from harness.draws.reader import Reader
from harness.draws.replay import GivenDraws
from harness.errors import HarnessError
from harness.evidence.wrong import Wrong
from harness.judging.comparison import difference_between
from harness.running.drivers import Conditions
from harness.running.references import ExpectedRun
from harness.transcripts.scripts import typing
from harness.transcripts.transcript import Transcript


class Held(msgspec.Struct, frozen=True):
    """An accepted session: how it was read, and what was expected of it."""

    drawn: DrawnSession
    expected: Transcript


class Showing:
    """Which wrong programs have been shown by the sessions so far.

    Each is run on each session until one shows it, so those that show soon cost little.
    """

    def __init__(
        self, stage: Stage, wrong: Sequence[Wrong], right: ExpectedRun, read: Reader, conditions: Conditions
    ) -> None:
        """No session has been run yet; `right` runs the reference that explains the sessions."""
        self._stage, self._right, self._read, self._conditions = stage, right, read, conditions
        self._missing = list(wrong)
        self._held: list[Held] = []
        #: Wrong programs that part from the reference, and that some other reference has explained so far.
        self._doubted: dict[str, _Doubt] = {}
        #: The number of the session that first showed each wrong program, by its id.
        self.shown: dict[str, int] = {}

    @property
    def missing(self) -> tuple[Wrong, ...]:
        """The wrong programs that no session has shown."""
        return tuple(self._missing)

    @property
    def count(self) -> int:
        """How many sessions were used so far."""
        return len(self._held)

    def is_let_pass(self, one: Wrong) -> bool:
        """Whether a missing wrong program did something else in some session, and another reference does the same."""
        return one.id in self._doubted

    def add(self, held: Held) -> None:
        """Use a further session."""
        self._held.append(held)
        inputs = list(self._inputs(held)) if self._missing else []
        for one in list(self._missing):
            if self._is_shown(one, inputs):
                self.shown[one.id] = len(self._held) - 1
                self._missing.remove(one)

    def _is_shown(self, one: Wrong, inputs: Sequence[_Inputs]) -> bool:
        """Whether the last session shows a wrong program, by itself or together with those before it."""
        held = self._held[-1]
        if one.id in self._doubted:
            return self._doubted[one.id].is_settled_by(self._told(one, held))
        told = None
        for given in inputs:
            told = _run(one.run, held, given)
            if told is not None and not _parts(held, told):
                return False
        if not inputs:
            return False
        if told is None:  # it fails or does not end, and the reference does not
            return True
        doubt = _Doubt(Choice(self._stage, self._conditions), self._stage.draws)
        before = (self._told(one, other) for other in self._held[:-1])
        if doubt.is_settled_by(self._as_drawn(held, told)) or any(map(doubt.is_settled_by, before)):
            return True
        self._doubted[one.id] = doubt
        return False

    def _told(self, one: Wrong, held: Held) -> DrawnSession | None:
        """A session of a wrong program, read as one of a submission; None if it fails there or the draws are unknown."""
        given = next(self._inputs(held), None)
        told = _run(one.run, held, given) if given is not None else None
        return self._as_drawn(held, told) if told is not None else None

    def _as_drawn(self, held: Held, told: Transcript) -> DrawnSession | None:
        try:
            return DrawnSession(held.drawn.session, told, self._read(told.events))
        except HarnessError:
            return None

    def _inputs(self, held: Held) -> Iterator[_Inputs]:
        """The draws of a session: as they were read, or with two different values for those that were never shown.

        Only values with which the reference does what it did are used.
        """
        draws, source = held.drawn.reading.draws, self._stage.draws
        if None not in draws:
            yield draws, source
            return
        for values in (source.values, source.values[::-1]):
            given = draws, Draws(values, source.bag)
            again = _run(self._right, held, given)
            if again is not None and not _parts(held, again):
                yield given


#: The draws that were read, and the source that completes them.
_Inputs = tuple[tuple[str | None, ...], Draws]


class _Doubt:
    """The sessions of one wrong program, judged as a submission's."""

    def __init__(self, choice: Choice, source: Draws) -> None:
        self._choice, self._source = choice, source
        self._told: list[DrawnSession] = []

    def is_settled_by(self, told: DrawnSession | None) -> bool:
        """Whether no reference explains the sessions together with this one; false for None, which is left out."""
        if told is None:
            return False
        if told.reading.problem is not None:
            return True
        if self._source.bag and twice_in_a_bag(self._source, told.reading.draws):
            return True
        self._told.append(told)
        _, replays = self._choice.made(self._told)
        for one, replay in zip(self._told, replays, strict=True):
            if replay is None or replay.failure or one.transcript is None:
                continue
            if replay.difference is not None or replay.expected.ending.exit_code != one.transcript.ending.exit_code:
                return True
        return False


def _run(program: ExpectedRun, held: Held, given: _Inputs) -> Transcript | None:
    """A program's run on the typed lines and draws of a session; None if it fails or does not end."""
    try:
        return program(typing(held.expected.lines), GivenDraws(*given))
    except HarnessError:
        return None


def _parts(held: Held, told: Transcript) -> bool:
    """Whether a program's run differs from what was expected."""
    if told.ending.exit_code != held.expected.ending.exit_code:
        return True
    return difference_between(held.expected.events, told.events, held.drawn.session.case.policy) is not None
