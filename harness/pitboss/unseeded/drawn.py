"""Sessions of a submission with their draws, which were read back from the screen."""

from __future__ import annotations

import random
from functools import lru_cache

import msgspec

from pitboss.assignments.assignment import Draws
from pitboss.assignments.cases import Session
from pitboss.model.transcript import Transcript
from pitboss.unseeded.reader import Reading
from pitboss.unseeded.replay import GivenDraws, Replay

#: How many draws are invented for a session: more than the longest session needs.
_INVENTED = 1_000


class DrawnSession(msgspec.Struct, frozen=True):
    """A session that was run, and its draws."""

    session: Session
    #: The transcript; None if the session was not run.
    transcript: Transcript | None
    #: The draws that were read from the transcript.
    reading: Reading = Reading(())
    #: What went wrong on our side while the session was run or read, as a sentence; empty if nothing went wrong.
    failure: str = ""

    @property
    def can_be_replayed(self) -> bool:
        """Whether the session was run and read without a failure on our side."""
        return self.transcript is not None and not self.failure


#: The replay of each session, in order; None for a session that could not be replayed.
Replays = list[Replay | None]


def invented_draws(source: Draws, number: int) -> GivenDraws:
    """Returns a source of pseudorandom draws, always the same for the same number."""
    return GivenDraws(invented_values(source, number), source)


@lru_cache(maxsize=1_000)
def invented_values(source: Draws, number: int) -> tuple[str, ...]:
    """Returns pseudorandom values that `source` can draw, always the same for the same number."""
    generator = random.Random(number)
    values: list[str] = []
    while len(values) < _INVENTED:
        size = source.bag or len(source.values)
        values += generator.sample(source.values, size) if source.bag else generator.choices(source.values, k=size)
    return tuple(values)
