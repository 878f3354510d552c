"""Choosing the further sessions to run: which players type, how often, and with which session numbers.

The choice depends only on the sessions run before and what was drawn in them, never on time or on workers. Sessions in
which much is drawn carry most evidence, so a player gets sessions in proportion to the draws of its sessions, and to
how many its case has, which says what it is worth; sessions that could not be used count against it. Once the players
of the cases have not been enough, every second session is one of the built-in player, who types what they may not;
fewer once most of its sessions turn out not to be usable.

A session of a player that no case has can be used if a reference explains it, or if all its steps up to where it parts
are steps of some case: an assignment leaves things open, and such players may ask. Where the program ends although the
reference goes on, that must be a step of some case as well: it may have come to something that the assignment leaves
open before it showed that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import msgspec

from pitboss.assignments.assignment import Assignment, Case, Generated, Stage
from pitboss.assignments.cases import Session
from pitboss.errors import HarnessError, UsageError, as_found
from pitboss.experiments.adequacy.named_sessions import BUILT_IN, case_of, further_players, of_player
from pitboss.experiments.hunting.examples import fixed_options, known_games
from pitboss.experiments.hunting.games import wandering
from pitboss.experiments.hunting.questions import END, KnownGames, steps_of
from pitboss.model.transcript import InputEnded, Typed
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.reader import reader_of
from pitboss.unseeded.replay import replay

#: Its sessions: each so many-th, also once most of them cannot be used; and from how many on that is looked at.
_OFTEN, _SELDOM, _ENOUGH = 2, 8, 8


class Candidate:
    """Someone who types: sessions of one case, or of a player that no case has."""

    def __init__(self, case_of: Callable[[int], Case], number: int = 0, weight: float = 1) -> None:
        """`case_of` returns the case for the number of a session; `number` is the last one that the cases have.

        Of two with `weight` 1 and 2, the latter gets two sessions for each one of the other.
        """
        self._case_of, self._number, self._weight = case_of, number, weight
        self._count = self._used = self._draws = 0

    def see(self, drawn: DrawnSession, *, is_used: bool) -> None:
        """Take note of one of its sessions."""
        self._count += 1
        self._used += is_used
        self._draws += is_used * len(drawn.reading.draws)

    def next_session(self, stage: Stage) -> Session:
        """Its next session."""
        self._number += 1
        return self.session(stage, self._number)

    def session(self, stage: Stage, number: int) -> Session:
        """Its session with this number."""
        return Session(stage, self._case_of(number), None, number)

    @property
    def is_mostly_useless(self) -> bool:
        """Whether more than half of its sessions could not be used, if there were enough to tell."""
        return self._count >= _ENOUGH and 2 * self._used < self._count

    def turn(self, asked: int) -> float:
        """When its turn is, the lowest first; `asked` sessions of it were chosen and not run yet.

        Its sessions so far, divided by its weight and by what one of them gave on average; one more of average use is
        assumed.
        """
        return (self._count + asked) * (self._count + 1) / (1 + self._used + self._draws) / self._weight


class Candidates:
    """Those who may type in the further sessions of a stage."""

    def __init__(self, stage: Stage) -> None:
        """At first these are the generated cases of the stage."""
        self._stage = stage
        self._all: dict[str, Candidate] = {}
        for case in stage.spec.cases:
            if isinstance(case.session, Generated):
                count = len(case.session.seeds)
                self._all[case.name] = Candidate(_always(case), count, count)

    def see(self, drawn: DrawnSession, *, is_used: bool = True) -> None:
        """Take note of a session that was run."""
        self._all[drawn.session.case.name].see(drawn, is_used=is_used)

    def widen(self, assignment: Assignment, known: KnownGames, texts: Mapping[str, bytes | None]) -> None:
        """Add the players of the assignment that no case has, and the built-in player.

        `texts` are what the program shows for the free texts.
        """
        stage = self._stage
        cases = [len(case.session.seeds) for case in stage.spec.cases if isinstance(case.session, Generated)]
        average = sum(cases) / len(cases) if cases else 1
        for player in further_players(assignment, stage):
            name = of_player(player)
            self._all.setdefault(name, Candidate(_always(case_of(name, player, stage)), weight=average))
        if known.questions:
            built_in = Candidate(lambda number: case_of(BUILT_IN, wandering(stage, known, number, texts), stage))
            self._all.setdefault(BUILT_IN, built_in)

    def session_like(self, asked: Session) -> Session:
        """The session that was asked for by name, with the player who types in it; UsageError if there is none."""
        name = asked.case.name
        if name not in self._all:
            raise UsageError(f"{self._stage.spec.path}: no case shows what {as_found(name)} could type")
        return self._all[name].session(self._stage, asked.number)

    def next_sessions(self, count: int) -> list[Session]:
        """The next `count` sessions to run; empty if nobody may type."""
        asked = dict.fromkeys((name for name in self._all if name != BUILT_IN), 0)
        sessions: list[Session] = []
        built_in = self._all.get(BUILT_IN)
        every = _SELDOM if built_in is not None and built_in.is_mostly_useless else _OFTEN
        while self._all and len(sessions) < count:
            if built_in is not None and (len(sessions) % every == 0 or not asked):
                sessions.append(built_in.next_session(self._stage))
                continue
            name = min(asked, key=lambda name: self._all[name].turn(asked[name]))
            asked[name] += 1
            sessions.append(self._all[name].next_session(self._stage))
        return sessions


def _always(case: Case) -> Callable[[int], Case]:
    return lambda _: case


def known_of(chosen: Selection) -> KnownGames:
    """What the cases of a stage type, learned from its own reference and from what the program is judged by."""
    stage = chosen.stage
    tolerated = tuple(one for one in stage.tolerated if one.name == chosen.tolerated)
    return known_games(
        msgspec.structs.replace(stage, tolerated=tolerated, options=fixed_options(stage)), until=math.inf
    )


def usable(stage: Stage, known: KnownGames, right: ExpectedRun) -> Callable[[DrawnSession], bool]:
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
