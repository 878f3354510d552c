"""Sessions of a submission with their draws, as they are read back from what was shown."""

from __future__ import annotations

import msgspec

from pitboss.harness.assignments.cases import Session
from pitboss.harness.draws.reader import Reading
from pitboss.harness.draws.replay import Replay
from pitboss.harness.transcripts.transcript import Transcript


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
