"""Choosing the reference that a submission is judged by: the stage's own, or one of those it tolerates.

The same for all sessions of a submission: the one that explains most of them. Sessions are added as they are held,
and what was replayed once is not replayed again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from harness.assignment import Reference, Stage
from harness.cases import Session
from harness.drivers import Conditions
from harness.readers import Reading
from harness.references import Performance, performance_of
from harness.replaying import Replay, progress, replay
from harness.transcript import EndingKind, Transcript

#: So many sessions that the stage's own reference does not explain tell which of the others are worth a closer look,
#: and so many of them get it.
_SAMPLE, _FINALISTS = 10, 3


class Held(msgspec.Struct, frozen=True):
    """A session that was held, and what it drew."""

    session: Session
    #: None where it was not tried.
    transcript: Transcript | None
    reading: Reading = Reading(())

    @property
    def can_be_replayed(self) -> bool:
        """Whether there is something to replay."""
        return self.transcript is not None and self.transcript.ending.kind is not EndingKind.FAULT


#: One for each session; None where there was nothing to replay.
Replays = list[Replay | None]


class Choice:
    """The references of a stage, and what each makes of the sessions so far."""

    def __init__(self, stage: Stage, conditions: Conditions) -> None:
        """Choose among the references of this stage; those that are commands are run under these conditions."""
        self._stage, self._conditions = stage, conditions
        self._references: dict[str, Reference] = {"": stage.reference}
        self._references |= {one.name: one.reference for one in stage.tolerated}
        self._replays: dict[str, Replays] = {}
        self._performances: dict[str, Performance] = {}
        #: The one that was chosen last.
        self._name = ""

    def made(self, held: Sequence[Held]) -> tuple[str, Replays]:
        """The name of the reference that explains most, empty for the stage's own, and its replays."""
        for name in dict.fromkeys(("", self._name)):
            replays = self._of(name, held)
            if len(self._references) == 1 or not _parted(replays):
                self._name = name
                return name, replays
        best, replays, is_better = "", self._of("", held), True
        # What tells two of them apart may show in few sessions: those that the best so far does not explain are asked.
        while is_better and _parted(replays):
            is_better = False
            for name in self._finalists(held, _parted(replays)):
                attempt = self._of(name, held)
                if _explained(attempt) > _explained(replays):
                    best, replays, is_better = name, attempt, True
        self._name = best
        return best, replays

    def _finalists(self, held: Sequence[Held], parted: Sequence[int]) -> list[str]:
        """The tolerated references that explain most of some sessions which the stage's own does not."""
        sample = [held[index] for index in parted[:: max(1, len(parted) // _SAMPLE)][:_SAMPLE]]
        names = [name for name in self._references if name]
        names.sort(
            key=lambda name: _explained([self._replay(name, one, guesses=False) for one in sample]), reverse=True
        )
        return names[:_FINALISTS]

    def _of(self, name: str, held: Sequence[Held]) -> Replays:
        """All sessions replayed by one reference."""
        known = self._replays.setdefault(name, [])
        known += [self._replay(name, one) if one.can_be_replayed else None for one in held[len(known) :]]
        return known[: len(held)]

    def _replay(self, name: str, one: Held, *, guesses: bool = True) -> Replay:
        assert one.transcript is not None
        policy = one.session.case.policy
        return replay(one.transcript, one.reading, self._stage, policy, self._performance(name), guesses=guesses)

    def _performance(self, name: str) -> Performance:
        if name not in self._performances:
            conditions, limits = self._conditions, self._stage.limits
            self._performances[name] = performance_of(
                self._stage,
                lambda program: conditions.driver_of(program, limits),
                self._references[name],
            )
        return self._performances[name]


def _parted(replays: Replays) -> list[int]:
    """Which sessions part from their replays."""
    return [index for index, one in enumerate(replays) if one is not None and one.difference is not None]


def _explained(replays: Sequence[Replay | None]) -> tuple[int, int]:
    """How many sessions a reference explains, and how far it goes together with the others."""
    differences = [one.difference for one in replays if one is not None]
    whole = sum(difference is None for difference in differences)
    return whole, sum(progress(difference) for difference in differences if difference is not None)
