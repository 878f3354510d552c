"""Sessions of a submission with their draws, as they were read back from the screen."""

from __future__ import annotations

import random
from functools import lru_cache

import msgspec

from pitboss.assignments.assignment import Draws
from pitboss.assignments.cases import Session
from pitboss.model.transcript import Transcript
from pitboss.unseeded.reader import Reading
from pitboss.unseeded.replay import GivenDraws, Replay

#: How many draws are invented for a session: more than the longest needs.
_INVENTED = 1_000


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
    """Returns invented draws, pseudorandom and the same for the same number."""
    return GivenDraws(invented_values(source, number), source)


@lru_cache(maxsize=1_000)
def invented_values(source: Draws, number: int) -> tuple[str, ...]:
    """Returns the values of invented draws."""
    chance = random.Random(number)
    values: list[str] = []
    while len(values) < _INVENTED:
        size = source.bag or len(source.values)
        values += chance.sample(source.values, size) if source.bag else chance.choices(source.values, k=size)
    return tuple(values)
