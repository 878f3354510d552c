"""Sessions requested by name, even of players that no case has: `a wandering player #412`, `the player X #3`.

A player that no case has can type only after sessions of the cases' players were run: see `rerun` in `gathering`. Until
then, each requested session of such a player is represented by a session in which nothing is typed.
"""

from __future__ import annotations

import re

from pitboss.assignments.assignment import Answers, Assignment, Case, Generated, Player, Stage
from pitboss.assignments.cases import Session, sessions_of

#: The name of the built-in player's sessions, without the session number.
BUILT_IN = "a wandering player"
_NAME = re.compile(r"(?P<who>.*) #(?P<number>[1-9][0-9]{0,8})", re.DOTALL)


def session_name_of_player(player: Player) -> str:
    """The name, without the session number, of the sessions of a player that no case has."""
    return f"the player {player.name}"


def requested_sessions(assignment: Assignment, stage: Stage, only: tuple[str, ...]) -> list[Session]:
    """The sessions of a stage with the names `only`; if `only` is empty, all sessions of the stage's cases.

    Raises UsageError for a name that no case, session or player has.
    """
    other_sessions = {name: session for name in only if (session := _session_of_other_player(assignment, stage, name))}
    remaining_names = tuple(name for name in only if name not in other_sessions)
    # Without names, `sessions_of` returns all sessions.
    return [
        *(sessions_of(stage, remaining_names) if remaining_names or not other_sessions else ()),
        *other_sessions.values(),
    ]


def has_player_without_case(session: Session) -> bool:
    return session.case not in session.stage.spec.cases


def _session_of_other_player(assignment: Assignment, stage: Stage, name: str) -> Session | None:
    """A session of a player that no case has, by its name; nothing is typed in the session. None for other names."""
    match = _NAME.fullmatch(name)
    if not match or not stage.reader or stage.is_manual:
        return None
    case_name = match["who"]
    player_names = {BUILT_IN, *map(session_name_of_player, further_players(assignment, stage))}
    if case_name not in player_names - {case.name for case in stage.spec.cases}:
        return None
    return Session(stage, case_of(case_name, Answers(()), stage), None, int(match["number"]))


def further_players(assignment: Assignment, stage: Stage) -> list[Player]:
    case_players = {case.session.answers for case in stage.spec.cases if isinstance(case.session, Generated)}
    return [player for player in assignment.players if player not in case_players]


def case_of(name: str, answers: Answers | Player, stage: Stage) -> Case:
    """A new case for a player that no case of the stage has.

    The new case is hidden if any case of the stage is hidden, since it may reveal what the hidden cases type.
    """
    is_public = all(case.visibility == "public" for case in stage.spec.cases)
    return Case(
        name,
        Generated((None,), answers),
        stage.lenient_policy,
        visibility="public" if is_public else "hidden",
        place=f"{stage.spec.path}: {name}",
        invocation=stage.invocation,
    )
