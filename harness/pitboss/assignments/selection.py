"""Selects the cases of a stage that the command line requests: the public cases, or one session."""

from __future__ import annotations

import msgspec

from pitboss.assignments.answers import parse_answers
from pitboss.assignments.assignment import Answers, Assignment, Case, Generated, Player, Spec, Stage
from pitboss.assignments.bundled import with_bundled_sessions
from pitboss.errors import UsageError, as_found, did_you_mean, listed


def _public_cases(stage: Stage) -> tuple[Case, ...]:
    """Returns the public cases of a stage."""
    return tuple(case for case in stage.spec.cases if case.visibility == "public")


def public_stages(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Returns copies of the stages with only their public cases.

    A stage without public cases is not run, so it is removed from the `needs` of the other stages. A needed stage that
    is not in `stages` is kept.
    """
    public = {stage.name: _public_cases(stage) for stage in stages}
    return tuple(
        msgspec.structs.replace(
            stage,
            spec=msgspec.structs.replace(stage.spec, cases=public[stage.name]),
            needs=tuple(need for need in stage.needs if public.get(need, True)),
        )
        for stage in stages
    )


def with_single_session(
    assignment: Assignment, stage: Stage, seed: int | None, answers: str | None, player: str | None
) -> Stage:
    """Returns a copy of the stage with only the session that --seed, --answers and --player describe.

    With neither `answers` nor `player`, only the seed is typed. In a bundle without the reference, the recorded
    sessions with this seed are selected. Raises UsageError if an option is missing, if the assignment has no such
    player, or if the options exclude each other.
    """
    if not stage.has_reference:
        return with_bundled_sessions(assignment, stage, seed, has_lines=answers is not None or player is not None)
    if assignment.is_seeded and seed is None:
        raise UsageError("--answers and --player need --seed: in this assignment the first line typed is a seed")
    if not assignment.is_seeded and seed is not None:
        raise UsageError(f"--seed: {assignment.name} is not seeded; give only --answers or --player")
    if answers is not None and player is not None:
        raise UsageError("--answers and --player exclude each other")
    answers_or_player: Answers | Player = parse_answers(answers or "")
    if player is not None:
        players = {assignment_player.name: assignment_player for assignment_player in assignment.players}
        if player not in players:
            raise UsageError(
                f"there is no player {as_found(player)} — known are {listed(players) or 'none'}"
                f"{did_you_mean(player, players)}"
            )
        answers_or_player = players[player]
    case = Case(
        "the requested session",
        Generated((seed,), answers_or_player),
        stage.policy,
        place=f"{stage.spec.path}",
        invocation=stage.invocation,
    )
    return msgspec.structs.replace(stage, spec=Spec(stage.spec.path, stage.name, (case,)), needs=())
