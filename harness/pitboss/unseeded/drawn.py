"""Sessions of a submission with their draws, as they are read back from what was shown."""

from __future__ import annotations

import random
from functools import lru_cache

import msgspec

from pitboss.assignments.assignment import Draws
from pitboss.assignments.cases import Session
from pitboss.model.transcript import Transcript
from pitboss.unseeded.reader import Reading
from pitboss.unseeded.replay import GivenDraws, Replay

#: How many draws are made up for a session: more than the longest takes.
_MADE_UP = 1_000


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


def invented(source: Draws, number: int) -> GivenDraws:
    """Draws of nobody's, pseudorandom and the same for the same number."""
    return GivenDraws(invented_values(source, number), source)


@lru_cache(maxsize=1_000)
def invented_values(source: Draws, number: int) -> tuple[str, ...]:
    """The values of draws that are made up."""
    chance = random.Random(number)
    values: list[str] = []
    while len(values) < _MADE_UP:
        size = source.bag or len(source.values)
        values += chance.sample(source.values, size) if source.bag else chance.choices(source.values, k=size)
    return tuple(values)
