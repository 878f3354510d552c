"""Chooses the further sessions to run: which players type, how often, and with which session numbers.

The choice depends only on earlier sessions and their draws, never on time or on workers. Sessions with many draws carry
the most evidence. So a player gets sessions in proportion to its draws per session and to its weight, the number of
sessions that its case declares; unusable sessions reduce its share. If the players of the cases are not enough, the
built-in player, which types random answers, gets every second session, and fewer sessions once most of its sessions
prove unusable.

A player that no case has may reach a situation for which the assignment defines no behaviour. So a session of such a
player can be used only if a reference explains the session, or if all steps before the first difference are steps of
some case. (A step is a question, a kind of answer, and what follows: see `hunting/questions`.) If the program ends
although the reference continues, that end must be a step of some case too: the program may have reached an undefined
situation and ended before its output showed that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import msgspec

from pitboss.assignments.assignment import Assignment, Case, Generated, Stage
from pitboss.assignments.cases import Session
from pitboss.errors import HarnessError, UsageError, as_found
from pitboss.experiments.adequacy.named_sessions import BUILT_IN, case_of, further_players, session_name_of_player
from pitboss.experiments.hunting.games import random_player
from pitboss.experiments.hunting.questions import END, KnownGames, fixed_options, known_games, steps_of
from pitboss.model.transcript import InputEnded, Typed
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.reader import reader_of
from pitboss.unseeded.replay import replay

#: One session in this many is the built-in player's.
_USUAL_INTERVAL = 2
#: One session in this many is the built-in player's if most of the built-in player's sessions proved unusable.
_LONG_INTERVAL = 8
#: How many sessions of a player are needed to decide whether most of the player's sessions are unusable.
_MIN_SESSIONS = 8


class Candidate:
    """A player that may type in further sessions: the player of a case, or a player that no case has."""

    def __init__(self, case_for_number: Callable[[int], Case], last_number: int = 0, weight: float = 1) -> None:
        """`case_for_number` returns the case for a session number; `last_number` is the last that the case declares.

        A candidate with `weight` 2 gets twice as many sessions as an equal candidate with `weight` 1.
        """
        self._case_for_number, self._last_number, self._weight = case_for_number, last_number, weight
        self._session_count = self._used_count = self._draw_count = 0

    def record(self, drawn: DrawnSession, *, is_used: bool) -> None:
        """Record a session of this candidate that was run; `is_used` tells whether the session can be used."""
        self._session_count += 1
        if is_used:
            self._used_count += 1
            self._draw_count += len(drawn.reading.draws)

    def next_session(self, stage: Stage) -> Session:
        self._last_number += 1
        return self.session(stage, self._last_number)

    def session(self, stage: Stage, number: int) -> Session:
        return Session(stage, self._case_for_number(number), None, number)

    @property
    def is_mostly_useless(self) -> bool:
        """Whether more than half of the candidate's sessions were unusable; False before enough sessions were run."""
        return self._session_count >= _MIN_SESSIONS and 2 * self._used_count < self._session_count

    def scheduling_rank(self, pending: int) -> float:
        """The candidate's rank; the candidate with the lowest rank gets the next session.

        The rank is the number of the candidate's sessions, including `pending` sessions that have not run yet, divided
        by its weight and by the average yield of a session. A session yields 1 plus its number of draws if it was used,
        else 0; the average includes one extra session that yields 1.
        """
        return (
            (self._session_count + pending)
            * (self._session_count + 1)
            / (1 + self._used_count + self._draw_count)
            / self._weight
        )


class Candidates:
    """The players that may type in the further sessions of a stage."""

    def __init__(self, stage: Stage) -> None:
        """Begin with the generated cases of the stage."""
        self._stage = stage
        self._candidates: dict[str, Candidate] = {}
        for case in stage.spec.cases:
            if isinstance(case.session, Generated):
                count = len(case.session.seeds)
                self._candidates[case.name] = Candidate(_constant_case(case), count, count)

    def record(self, drawn: DrawnSession, *, is_used: bool = True) -> None:
        """Record a session that was run; `is_used` tells whether the session can be used."""
        self._candidates[drawn.session.case.name].record(drawn, is_used=is_used)

    def add_players_without_case(
        self, assignment: Assignment, known: KnownGames, texts: Mapping[str, bytes | None]
    ) -> None:
        """Add the players of the assignment that no case has, and the built-in player.

        `texts` maps the name of each free text (one that programs may word freely, `compare: free`) to the text that
        the program shows; None if the program shows no such text.
        """
        stage = self._stage
        session_counts = [len(case.session.seeds) for case in stage.spec.cases if isinstance(case.session, Generated)]
        average = sum(session_counts) / len(session_counts) if session_counts else 1
        for player in further_players(assignment, stage):
            name = session_name_of_player(player)
            self._candidates.setdefault(name, Candidate(_constant_case(case_of(name, player, stage)), weight=average))
        if known.questions:
            built_in = Candidate(lambda number: case_of(BUILT_IN, random_player(stage, known, number, texts), stage))
            self._candidates.setdefault(BUILT_IN, built_in)

    def session_like(self, requested: Session) -> Session:
        """The requested session, with the player that it names; raises UsageError if the player has nothing to type."""
        name = requested.case.name
        if name not in self._candidates:
            raise UsageError(f"{self._stage.spec.path}: no case shows what {as_found(name)} could type")
        return self._candidates[name].session(self._stage, requested.number)

    def next_sessions(self, count: int) -> list[Session]:
        """The next `count` sessions to run; empty if there are no players."""
        pending = dict.fromkeys((name for name in self._candidates if name != BUILT_IN), 0)
        sessions: list[Session] = []
        built_in = self._candidates.get(BUILT_IN)
        interval = _LONG_INTERVAL if built_in is not None and built_in.is_mostly_useless else _USUAL_INTERVAL
        while self._candidates and len(sessions) < count:
            if built_in is not None and (len(sessions) % interval == 0 or not pending):
                sessions.append(built_in.next_session(self._stage))
                continue
            name = min(pending, key=lambda name: self._candidates[name].scheduling_rank(pending[name]))
            pending[name] += 1
            sessions.append(self._candidates[name].next_session(self._stage))
        return sessions


def _constant_case(case: Case) -> Callable[[int], Case]:
    """A function that returns the same case for every session number."""
    return lambda _: case


def games_known_from_cases(selection: Selection) -> KnownGames:
    """The questions and steps of a stage's cases, learned from its own reference and the reference of the selection."""
    stage = selection.stage
    tolerated = tuple(variant for variant in stage.tolerated if variant.name == selection.tolerated)
    return known_games(
        msgspec.structs.replace(stage, tolerated=tolerated, options=fixed_options(stage)), until=math.inf
    )


def usability_check(stage: Stage, known: KnownGames, right: ExpectedRun) -> Callable[[DrawnSession], bool]:
    """Return a function that decides, for sessions of players that no case has, whether a session can be used.

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
        agreed_events = expected if difference is None else difference.matched
        # A player ends the input at an unknown question, and no case defines what is right after that.
        if any(isinstance(event, InputEnded) for event in (*agreed_events, *actual.events)):
            return False
        step_count = sum(isinstance(event, Typed) for event in agreed_events)
        expected_steps, actual_steps = (
            steps_of(events, is_seeded=False)[:step_count] for events in (expected, actual.events)
        )
        # If the program ended at its last step, that end must be a step of some case too.
        return known.is_fair(expected_steps) and (
            not actual_steps or actual_steps[-1].next_question != END or known.is_fair(actual_steps[-1:])
        )

    return is_usable
