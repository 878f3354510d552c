"""Sessions requested by name, even of players that no case has: `a wandering player #412`, `the player X #3`.

What a player that no case has types is known only after sessions of the cases' players: see `rerun` in `gathering`.
Until then, sessions in which nothing is typed represent the sessions of the player.
"""

from __future__ import annotations

import re

from pitboss.assignments.assignment import Answers, Assignment, Case, Generated, Player, Stage
from pitboss.assignments.cases import Session, sessions_of

#: The name of the built-in player's sessions.
BUILT_IN = "a wandering player"
_NAME = re.compile(r"(?P<who>.*) #(?P<number>[1-9][0-9]{0,8})", re.DOTALL)


def of_player(player: Player) -> str:
    """The name of the sessions of a player that no case has."""
    return f"the player {player.name}"


def requested_sessions(assignment: Assignment, stage: Stage, only: tuple[str, ...]) -> list[Session]:
    """The sessions of a stage with these names; without names, all sessions of its cases.

    Raises UsageError for a name that no case, session or player has.
    """
    others = {name: session for name in only if (session := _session_of_other_player(assignment, stage, name))}
    own_names = tuple(name for name in only if name not in others)
    return [*(sessions_of(stage, own_names) if own_names or not others else ()), *others.values()]


def is_further(session: Session) -> bool:
    """Whether no case has the player of a session."""
    return session.case not in session.stage.spec.cases


def _session_of_other_player(assignment: Assignment, stage: Stage, name: str) -> Session | None:
    """The session with this name, without its player, if no case has the player; None for other names."""
    match = _NAME.fullmatch(name)
    if not match or not stage.reader or stage.is_manual:
        return None
    case_name = match["who"]
    other_names = {BUILT_IN, *map(of_player, further_players(assignment, stage))}
    if case_name not in other_names - {case.name for case in stage.spec.cases}:
        return None
    return Session(stage, case_of(case_name, Answers(()), stage), None, int(match["number"]))


def further_players(assignment: Assignment, stage: Stage) -> list[Player]:
    """The players of the assignment that no case of the stage has."""
    case_players = {case.session.answers for case in stage.spec.cases if isinstance(case.session, Generated)}
    return [player for player in assignment.players if player not in case_players]


def case_of(name: str, answers: Answers | Player, stage: Stage) -> Case:
    """A new case for a player that no case has; hidden if any case is, since it may reveal what hidden cases type."""
    is_public = all(case.visibility == "public" for case in stage.spec.cases)
    return Case(
        name,
        Generated((None,), answers),
        stage.lenient,
        visibility="public" if is_public else "hidden",
        place=f"{stage.spec.path}: {name}",
        invocation=stage.invocation,
    )
