"""What is told while a submission is checked, as values: see sandbox/progress.py."""

from __future__ import annotations

from enum import Enum

import msgspec

from pitboss.compare.results import Result, StageReport
from pitboss.model.transcript import InputEnded
from pitboss.sandbox.progress import WorkProgress


class StageWork(Enum):
    """What is being done with a stage."""

    COMPILING = "compiling"
    RUNNING = "sessions"
    NAMING = "naming the mistake"
    CHECKING_MEMORY = "looking for misuse of memory"
    SHRINKING = "looking for a smaller one"


class Begun(msgspec.Struct, frozen=True):
    """Some work on a stage has begun."""

    work: StageWork
    stage: str
    #: Whether nobody knows how many sessions there will be: they are run in batches until they show enough.
    is_open: bool = False


class Replayed(msgspec.Struct, frozen=True):
    """How often a reference that takes long was started to judge sessions by what they drew."""

    count: int


class Tally:
    """How many sessions of some work have begun, and of how many, over all their batches."""

    def __init__(self) -> None:
        """None so far."""
        self._before = self._last = self._of = 0

    def add(self, taken: WorkProgress) -> WorkProgress:
        """The sums, now that this is told."""
        if taken.count <= self._last:
            self._before += self._of
        self._last, self._of = taken.count, taken.of
        return WorkProgress(self._before + taken.count, self._before + taken.of)


class Failed(msgspec.Struct, frozen=True):
    """A session has failed, and nothing that becomes known later changes that."""

    result: Result
    #: Whether what was shown is left out: a session that floods the terminal is too long for the line.
    is_cut: bool = False

    def shortened(self) -> Failed:
        """The same without what was shown: see sandbox/progress.py."""
        expected, actual = (
            msgspec.structs.replace(
                one, events=(InputEnded(),) if InputEnded() in one.events else (), written=(), errors=None
            )
            for one in (self.result.expected, self.result.actual)
        )
        return Failed(msgspec.structs.replace(self.result, expected=expected, actual=actual, difference=None), True)


class Judged(msgspec.Struct, frozen=True):
    """All sessions of a stage are judged; names of mistakes and remarks may follow."""

    report: StageReport
