"""The progress events of checking a submission, as values: see sandbox/progress.py."""

from __future__ import annotations

from enum import Enum

import msgspec

from pitboss.compare.results import Result, StageReport
from pitboss.model.transcript import InputEnded
from pitboss.sandbox.progress import WorkProgress


class StageWork(Enum):
    """A kind of work on a stage."""

    COMPILING = "compiling"
    RUNNING = "sessions"
    NAMING = "naming the mistake"
    CHECKING_MEMORY = "looking for misuse of memory"
    SHRINKING = "looking for a smaller failure"


class Begun(msgspec.Struct, frozen=True):
    """Work on a stage has begun."""

    work: StageWork
    stage: str
    #: Whether the number of sessions is unknown: sessions are run in batches until they show enough.
    is_open: bool = False


class Replayed(msgspec.Struct, frozen=True):
    """How often a slow reference was started to replay sessions with their draws."""

    count: int


class Tally:
    """Sums the progress of several batches of sessions."""

    def __init__(self) -> None:
        self._previous_batches = self._last_count = self._last_total = 0

    def add(self, batch: WorkProgress) -> WorkProgress:
        if batch.count <= self._last_count:  # a new batch
            self._previous_batches += self._last_total
        self._last_count, self._last_total = batch.count, batch.of
        return WorkProgress(self._previous_batches + batch.count, self._previous_batches + batch.of)


class Failed(msgspec.Struct, frozen=True):
    """A session has definitely failed: nothing found later changes that."""

    result: Result
    #: Whether the transcripts are left out: a session that floods the terminal is too long for a progress event.
    is_cut: bool = False

    def shortened(self) -> Failed:
        """Return the event without its transcripts, except for an end of input in them: see sandbox/progress.py."""
        expected, actual = (
            msgspec.structs.replace(
                transcript, events=(InputEnded(),) if InputEnded() in transcript.events else (), written=(), errors=None
            )
            for transcript in (self.result.expected, self.result.actual)
        )
        return Failed(msgspec.structs.replace(self.result, expected=expected, actual=actual, difference=None), True)


class Judged(msgspec.Struct, frozen=True):
    """All sessions of a stage are judged; names of mistakes and remarks may follow."""

    report: StageReport
