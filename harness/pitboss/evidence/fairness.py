"""Which sessions of players that no case has can be used: an assignment leaves things open, and such players may ask.

A session can be used if a reference explains it, or if all its steps up to where it parts are steps of some case. Where
the program ends although the reference goes on, that must be a step of some case as well: it may have come to something
that the assignment leaves open before it showed that.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.draws.choice import Chosen
from pitboss.draws.drawn import DrawnSession
from pitboss.draws.reader import reader_of
from pitboss.draws.replay import replay
from pitboss.errors import HarnessError
from pitboss.hunting.examples import held, known_games
from pitboss.hunting.questions import END, Known, steps_of
from pitboss.running.references import ExpectedRun
from pitboss.transcripts.transcript import InputEnded, Typed


def known_of(chosen: Chosen) -> Known:
    """What the cases of a stage type, learned from its own reference and from what the program is judged by."""
    stage = chosen.stage
    tolerated = tuple(one for one in stage.tolerated if one.name == chosen.tolerated)
    return known_games(msgspec.structs.replace(stage, tolerated=tolerated, options=held(stage)), until=math.inf)


def usable(stage: Stage, known: Known, right: ExpectedRun) -> Callable[[DrawnSession], bool]:
    """A function that returns whether a session of a player that no case has can be used.

    `right` runs the reference that explains the sessions of the cases.
    """
    read = reader_of(stage)

    def is_usable(one: DrawnSession) -> bool:
        if one.transcript is None or one.failure:
            return False
        actual, case = one.transcript, one.session.case
        try:
            reading = read(actual.events)
            replayed = replay(actual, reading.draws, stage, case.policy, right, invocation=case.invocation)
        except HarnessError:
            return False
        expected, difference = replayed.expected.events, replayed.difference
        if difference is None and reading.problem is None:
            return True
        before = expected if difference is None else difference.matched
        # A player that does not know a question ends the input there, and no case says what is right then.
        if any(isinstance(event, InputEnded) for event in (*before, *actual.events)):
            return False
        count = sum(isinstance(event, Typed) for event in before)
        ours, theirs = (steps_of(events, is_seeded=False)[:count] for events in (expected, actual.events))
        return known.is_fair(ours) and (not theirs or theirs[-1].then != END or known.is_fair(theirs[-1:]))

    return is_usable
