"""The recorded sessions of a bundle without the reference, selected by the seed that is typed in them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Assignment, Case, Recorded, Stage
from pitboss.assignments.nodes import Keyed, Text, read_yaml
from pitboss.assignments.specfile import ASSIGNMENT_FILE, assignments_in
from pitboss.errors import HarnessError, UsageError
from pitboss.model.transcript import Transcript
from pitboss.model.words import joined

#: The maximum number of ranges of seeds that a sentence lists before "… more".
_MAX_RANGES = 12


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
        bundled = seed_ranges_text(bundled_seeds(stage))
        available = f"it has {bundled}" if bundled else "it has no session of this stage"
        raise UsageError(
            f"--seed {seed}: {assignment.name} is a bundle for students, without the reference, and has no session of "
            f"{stage.name} with this seed — {available}"
        )
    return msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases), needs=())


def bundled_seeds(stage: Stage) -> list[int]:
    """Returns the seeds of a stage's recorded sessions, sorted, without duplicates."""
    seeds = {seed_of(case) for case in stage.spec.cases} if stage.is_seeded else set()
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
