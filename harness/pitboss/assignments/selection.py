"""The cases of a stage that a command line selects: those that everybody may see, or one session that it describes."""

from __future__ import annotations

import msgspec

from pitboss.assignments.answers import answers_in
from pitboss.assignments.assignment import Answers, Assignment, Case, Generated, Player, Spec, Stage
from pitboss.assignments.bundled import with_bundled_sessions
from pitboss.errors import UsageError, as_found, listed, near


def _public_cases(stage: Stage) -> tuple[Case, ...]:
    return tuple(case for case in stage.spec.cases if case.visibility == "public")


def public_stages(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Returns the stages with the cases that everybody may see; grading has the others too.

    A stage with only hidden cases is not run, so no stage needs it.
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


def with_one_game(
    assignment: Assignment, stage: Stage, seed: int | None, answers: str | None, player: str | None
) -> Stage:
    """Returns a stage with the one case that --seed, --answers and --player describe; UsageError if they conflict."""
    if not stage.has_reference:
        return with_bundled_sessions(assignment, stage, seed, has_lines=answers is not None or player is not None)
    if assignment.is_seeded and seed is None:
        raise UsageError("--answers and --player need --seed: in this assignment the first line typed is one")
    if not assignment.is_seeded and seed is not None:
        raise UsageError(f"--seed: {assignment.name} is not seeded; give --answers or --player alone")
    if answers is not None and player is not None:
        raise UsageError("--answers and --player exclude each other")
    who: Answers | Player = answers_in(answers or "")
    if player is not None:
        known = {one.name: one for one in assignment.players}
        if player not in known:
            raise UsageError(
                f"there is no player {as_found(player)} — known are {listed(known) or 'none'}{near(player, known)}"
            )
        who = known[player]
    case = Case(
        "the game asked for",
        Generated((seed,), who),
        stage.policy,
        place=f"{stage.spec.path}",
        invocation=stage.invocation,
    )
    return msgspec.structs.replace(stage, spec=Spec(stage.spec.path, stage.name, (case,)), needs=())
