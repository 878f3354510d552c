"""Selects the cases of a stage that the command line requests: the public cases, or one session.

A bundle without the reference has only recorded sessions; one of them is selected by the seed that is typed in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from pitboss.assignments.answers import parse_answers
from pitboss.assignments.assignment import Answers, Assignment, Case, Generated, Player, Recorded, Spec, Stage
from pitboss.assignments.nodes import Keyed, Text, read_yaml
from pitboss.assignments.specfile import ASSIGNMENT_FILE, assignments_in
from pitboss.errors import HarnessError, UsageError, as_found, did_you_mean, listed
from pitboss.model.transcript import Transcript
from pitboss.model.words import joined

#: The maximum number of ranges of seeds that a sentence lists before "… more".
_MAX_RANGES = 12


def public_stages(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Returns copies of the stages with only their public cases.

    A stage without public cases is not run, so it is removed from the `needs` of the other stages. A needed stage that
    is not in `stages` is kept.
    """
    public = {stage.name: stage.spec.public_cases for stage in stages}
    return tuple(
        msgspec.structs.replace(
            stage.with_cases(public[stage.name]), needs=tuple(need for need in stage.needs if public.get(need, True))
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


def bundle_in(specs: Path) -> Path | None:
    """Returns the folder of the only assignment in `specs` if it is a bundle for students; otherwise None."""
    folders = list(assignments_in((specs,)).values())
    try:
        root = read_yaml(folders[0] / ASSIGNMENT_FILE) if len(folders) == 1 else None
    except HarnessError:  # loading the assignment reports the error
        return None
    flag = root.entries.get("bundle") if isinstance(root, Keyed) else None
    return folders[0] if isinstance(flag, Text) and flag.value in ("yes", "true") else None


def with_bundled_sessions(assignment: Assignment, stage: Stage, seed: int | None, *, has_lines: bool) -> Stage:
    """Returns the stage of a bundle with only the recorded sessions that begin with this seed, and without its `needs`.

    `has_lines` says whether the command line has lines or a player. Raises UsageError if it has either of them, or no
    seed, since the correct output is then unknown without the reference. Raises UsageError too if no session has this
    seed, or if the assignment is not seeded.
    """
    if has_lines or seed is None:
        raise UsageError(
            f"{assignment.name} is a bundle for students, without the reference: the correct output for other "
            "lines or another player is unknown — omit --answers and --player"
        )
    if not assignment.is_seeded:
        raise UsageError(f"--seed: {assignment.name} is not seeded")
    cases = tuple(case for case in stage.spec.cases if seed_of(case) == seed)
    if not cases:
        bundled = seed_ranges_text(seeds_of(stage))
        available = f"it has {bundled}" if bundled else "it has no session of this stage"
        raise UsageError(
            f"--seed {seed}: {assignment.name} is a bundle for students, without the reference, and has no session of "
            f"{stage.name} with this seed — {available}"
        )
    return msgspec.structs.replace(stage.with_cases(cases), needs=())


def seeds_of(stage: Stage) -> list[int]:
    """Returns the seeds of a stage's sessions, sorted, without duplicates."""
    seeds: set[int | None] = set()
    for case in stage.spec.cases if stage.is_seeded else ():
        seeds |= {seed_of(case)} if isinstance(case.session, Recorded) else set(case.session.seeds)
    return sorted(seed for seed in seeds if seed is not None)


def seed_of(case: Case) -> int | None:
    """Returns the seed typed first in a case's recorded session; None for other cases, or if it is not a number."""
    lines = Transcript(case.session.events).lines if isinstance(case.session, Recorded) else ()
    try:
        return int(lines[0])
    except (IndexError, ValueError):
        return None


def seed_ranges_text(seeds: Iterable[int]) -> str:
    """Returns ascending seeds as text for a message, shortened if there are many.

    >>> seed_ranges_text([-1, 1, 2, 3, 4, 7, 8]), seed_ranges_text([5]), seed_ranges_text([])
    ('seeds -1, 1..4, 7 and 8', 'seed 5', '')
    """
    sequences: list[list[int]] = []
    for seed in seeds:
        if sequences and seed == sequences[-1][-1] + 1:
            sequences[-1].append(seed)
        else:
            sequences.append([seed])
    ranges = [range_text for sequence in sequences for range_text in _range_texts(sequence)]
    omitted_count = len(ranges) - _MAX_RANGES
    if omitted_count > 1:  # "1 more" would not be shorter than the range
        ranges = [*ranges[:_MAX_RANGES], f"{omitted_count} more"]
    count = sum(map(len, sequences))
    return f"seed{'' if count == 1 else 's'} {joined(ranges)}" if ranges else ""


def _range_texts(sequence: list[int]) -> list[str]:
    """Returns consecutive seeds as one range if there are more than two, otherwise as separate numbers."""
    return [f"{sequence[0]}..{sequence[-1]}"] if len(sequence) > 2 else list(map(str, sequence))
