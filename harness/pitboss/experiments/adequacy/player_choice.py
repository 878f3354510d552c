"""Chooses the further sessions to run: which players type, how often, and with which session numbers.

The choice depends only on earlier sessions and what was drawn in them, never on time or on workers. Sessions with many
draws carry the most evidence, so a player gets sessions in proportion to its draws per session and to its weight, the
number of sessions that its case declares; sessions that could not be used count against the player. If the players of
the cases are not enough, the built-in player, which types other things, gets every second session, and fewer sessions
once most of its sessions prove unusable.

A session of a player that no case has can be used if a reference explains it, or if all its steps before the first
difference are steps of some case: such a player may reach something that the assignment leaves open. If the program
ends although the reference continues, that end must be a step of some case too: the program may have reached something
left open, and ended before its output showed that.
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

#: The built-in player gets every _OFTEN-th session; every _SELDOM-th if, after _ENOUGH sessions, most were unusable.
_OFTEN, _SELDOM, _ENOUGH = 2, 8, 8


class Candidate:
    """A source of further sessions: a case, or a player that no case has."""

    def __init__(self, case_of: Callable[[int], Case], number: int = 0, weight: float = 1) -> None:
        """`case_of` returns the case for a session number; `number` is the last number that the case declares.

        A candidate with `weight` 2 gets twice as many sessions as an equal candidate with `weight` 1.
        """
        self._case_of, self._number, self._weight = case_of, number, weight
        self._count = self._used = self._draws = 0

    def see(self, drawn: DrawnSession, *, is_used: bool) -> None:
        """Record a session of this candidate."""
        self._count += 1
        self._used += is_used
        self._draws += is_used * len(drawn.reading.draws)

    def next_session(self, stage: Stage) -> Session:
        """The candidate's next session."""
        self._number += 1
        return self.session(stage, self._number)

    def session(self, stage: Stage, number: int) -> Session:
        """The candidate's session with this number."""
        return Session(stage, self._case_of(number), None, number)

    @property
    def is_mostly_useless(self) -> bool:
        """Whether more than half of the candidate's sessions could not be used; False before it has enough sessions."""
        return self._count >= _ENOUGH and 2 * self._used < self._count

    def turn(self, pending: int) -> float:
        """The candidate's rank, the lowest first; `pending` of its sessions were chosen and have not run yet.

        The rank is the number of its sessions, divided by its weight and by the average yield of a session. A session
        yields 1 plus its number of draws if it was used, else 0; the average includes one extra session that yields 1.
        """
        return (self._count + pending) * (self._count + 1) / (1 + self._used + self._draws) / self._weight


class Candidates:
    """The players that may type in the further sessions of a stage."""

    def __init__(self, stage: Stage) -> None:
        """Begin with the generated cases of the stage."""
        self._stage = stage
        self._all: dict[str, Candidate] = {}
        for case in stage.spec.cases:
            if isinstance(case.session, Generated):
                count = len(case.session.seeds)
                self._all[case.name] = Candidate(_always(case), count, count)

    def see(self, drawn: DrawnSession, *, is_used: bool = True) -> None:
        """Record a session that was run."""
        self._all[drawn.session.case.name].see(drawn, is_used=is_used)

    def widen(self, assignment: Assignment, known: KnownGames, texts: Mapping[str, bytes | None]) -> None:
        """Add the players of the assignment that no case has, and the built-in player.

        `texts` maps free texts to what the program shows for them.
        """
        stage = self._stage
        session_counts = [len(case.session.seeds) for case in stage.spec.cases if isinstance(case.session, Generated)]
        average = sum(session_counts) / len(session_counts) if session_counts else 1
        for player in further_players(assignment, stage):
            name = of_player(player)
            self._all.setdefault(name, Candidate(_always(case_of(name, player, stage)), weight=average))
        if known.questions:
            built_in = Candidate(lambda number: case_of(BUILT_IN, wandering(stage, known, number, texts), stage))
            self._all.setdefault(BUILT_IN, built_in)

    def session_like(self, requested: Session) -> Session:
        """The session requested by name, with its player; raises UsageError if nothing is known of the player."""
        name = requested.case.name
        if name not in self._all:
            raise UsageError(f"{self._stage.spec.path}: no case shows what {as_found(name)} could type")
        return self._all[name].session(self._stage, requested.number)

    def next_sessions(self, count: int) -> list[Session]:
        """The next `count` sessions to run; empty if there are no players."""
        pending = dict.fromkeys((name for name in self._all if name != BUILT_IN), 0)
        sessions: list[Session] = []
        built_in = self._all.get(BUILT_IN)
        interval = _SELDOM if built_in is not None and built_in.is_mostly_useless else _OFTEN
        while self._all and len(sessions) < count:
            if built_in is not None and (len(sessions) % interval == 0 or not pending):
                sessions.append(built_in.next_session(self._stage))
                continue
            name = min(pending, key=lambda name: self._all[name].turn(pending[name]))
            pending[name] += 1
            sessions.append(self._all[name].next_session(self._stage))
        return sessions


def _always(case: Case) -> Callable[[int], Case]:
    return lambda _: case


def known_of(selection: Selection) -> KnownGames:
    """What the cases of a stage type, learned from its own reference and the reference that judges the program."""
    stage = selection.stage
    tolerated = tuple(variant for variant in stage.tolerated if variant.name == selection.tolerated)
    return known_games(
        msgspec.structs.replace(stage, tolerated=tolerated, options=fixed_options(stage)), until=math.inf
    )


def usable(stage: Stage, known: KnownGames, right: ExpectedRun) -> Callable[[DrawnSession], bool]:
    """A function that tells whether a session of a player that no case has can be used.

    `right` runs the reference that explains the sessions of the cases.
    """
    read = reader_of(stage)

    def is_usable(session: DrawnSession) -> bool:
        if session.transcript is None or session.failure:
            return False
        actual, case = session.transcript, session.session.case
        try:
            reading = read(actual.events)
            replayed = replay(actual, reading.draws, stage, case.policy, right, invocation=case.invocation)
        except HarnessError:
            return False
        expected, difference = replayed.expected.events, replayed.difference
        if difference is None and reading.problem is None:
            return True
        before = expected if difference is None else difference.matched
        # A player ends the input at an unknown question, and no case defines what is right after that.
        if any(isinstance(event, InputEnded) for event in (*before, *actual.events)):
            return False
        count = sum(isinstance(event, Typed) for event in before)
        expected_steps, actual_steps = (
            steps_of(events, is_seeded=False)[:count] for events in (expected, actual.events)
        )
        return known.is_fair(expected_steps) and (
            not actual_steps or actual_steps[-1].then != END or known.is_fair(actual_steps[-1:])
        )

    return is_usable
