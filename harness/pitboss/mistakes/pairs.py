"""Which two known mistakes a program may make together: there are thousands of pairs, and few are worth a try."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.draws.replay import progress
from pitboss.experiments.relation import experiment_of
from pitboss.judging.comparison import difference_between
from pitboss.judging.outcome import Witness
from pitboss.mistakes.catalogue import Mistake, pairs_of
from pitboss.mistakes.explaining import length, right_run
from pitboss.transcripts.transcript import Event, Transcript, Typed

#: How many failed sessions decide which pairs of mistakes are worth trying.
_PROBES = 4


def pairs_that_may(stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[Witness]) -> Iterator[Mistake]:
    """The pairs of mistakes that may explain a few of the failed sessions, judged from runs of each mistake alone.

    There are thousands of pairs. A pair parts from the right program where the first of its mistakes does. So that
    place must lie between the same two typed lines as in the session, and the text there must come from that mistake
    or from both.
    """
    probes = [_parts(stage, mistakes, one) for one in sorted(failed, key=length)[:_PROBES]]

    def may_explain(one: str, other: str) -> bool:
        for done, alone in probes:
            first, later = sorted((alone[one], alone[other]))
            if first.parts != done.parts or (later.parts != done.parts and first.agrees <= done.agrees):
                return False
        return True

    return pairs_of(stage, may_explain)


class _Alone(NamedTuple):
    """After how many typed lines a program parts from the right one, and how far it agrees with the session."""

    parts: int
    agrees: int


def _parts(stage: Stage, mistakes: Sequence[Mistake], witness: Witness) -> tuple[_Alone, dict[str, _Alone]]:
    """Where the session parts from the right program, and where each mistake alone does, by its id."""
    experiment = msgspec.structs.replace(experiment_of(witness, stage), reach=None)
    right = right_run(stage)
    normal = experiment.observed(right) if right else None
    if normal is None:  # then any of them may explain it
        unknown = _Alone(0, 0)
        return unknown, {mistake.id: unknown for mistake in mistakes}

    def parts(done: Transcript) -> int:
        difference = difference_between(normal.transcript.events, done.events, witness.policy)
        return _NEVER if difference is None else _typed(difference.matched)

    alone = {}
    for mistake in mistakes:
        run = mistake.run_of(stage.name)
        assert run is not None
        wrong = experiment.observed(run)
        # A mistake that fails or does not end here may do anything in a pair.
        alone[mistake.id] = (
            _Alone(parts(witness.actual), _NEVER)
            if wrong is None
            else _Alone(parts(wrong.transcript), progress(wrong.difference))
        )
    return _Alone(parts(witness.actual), progress(normal.difference)), alone


#: More typed lines than any session has.
_NEVER = 1 << 60


def _typed(events: tuple[Event, ...]) -> int:
    return sum(isinstance(event, Typed) for event in events)
