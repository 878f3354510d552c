"""Guesses the assignment if none is named: from the named stages, or from the programs in the folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.common_options import OWN_SPECS
from pitboss.errors import HarnessError, UsageError, did_you_mean, missing_folder, shortened
from pitboss.submissions.archives import is_archive
from pitboss.submissions.submission import may_be_submission, not_a_submission, program_count

#: The maximum number of submissions of a class that are examined.
_MAX_TRIED = 20


def guess_assignment(known: Mapping[str, Path], words: Sequence[str]) -> str:
    """Returns the only assignment that fits the arguments of a command: an optional folder, and stages.

    If several fit, but only one of them is in ./specs, returns that. UsageError, with advice, if none or several fit.
    An assignment that cannot be loaded is reported and never fits.
    """
    if len(known) == 1:
        return next(iter(known))
    loadable = loadable_of(known)
    names = {stage.name for assignment in loadable.values() for stage in assignment.stages}
    # The name of a stage means the stage, even if a program here has the same name.
    folder = None if words and words[0] in names else _folder_in(words)
    stages = tuple(words[1:]) if folder else tuple(words)
    fitting = {
        name: assignment for name, assignment in loadable.items() if all(assignment.stage(stage) for stage in stages)
    }
    if not fitting and stages:
        unknown = next((stage for stage in stages if stage not in names), None)
        if unknown in known and unknown not in loadable:
            raise UsageError(f"{unknown} cannot be used until its files are corrected")
        if unknown in known:
            raise UsageError(f"{unknown} is an assignment, not a stage — give it as --assignment {unknown}")
        if unknown is not None:
            neither = f"{unknown}: there is no folder of this name, and no assignment has a stage {unknown!r}"
            raise UsageError(neither + did_you_mean(unknown, names))
    counts = {name: _programs_in(folder or Path("."), assignment) for name, assignment in fitting.items()}
    best = [name for name, count in counts.items() if count == max(counts.values())]
    if len(best) == 1 and (len(fitting) == 1 or counts[best[0]]):
        return best[0]
    own = [name for name in best if known[name].parent == OWN_SPECS]
    if len(own) == 1:
        return own[0]
    choice = ", ".join(best if any(counts.values()) else fitting or known)
    raise UsageError(f"which assignment? Give --assignment with one of: {choice or '(none found)'}")


def _folder_in(words: Sequence[str]) -> Path | None:
    """Returns the folder, archive or source that the arguments begin with, if any; none of them is a stage.

    UsageError for a missing folder, and for any other file.
    """
    path = Path(words[0]) if words else Path()
    if os.path.isdir(path) or (os.path.isfile(path) and may_be_submission(path)):
        return path if words else None
    if os.path.exists(path):
        raise UsageError(not_a_submission(path))
    if "/" in words[0]:
        raise missing_folder(path)
    return None


def loadable_of(known: Mapping[str, Path]) -> dict[str, Assignment]:
    """Returns the assignments that can be loaded, with or without cases; reports the others on standard error."""
    assignments = {}
    for name, folder in known.items():
        try:
            assignments[name] = load_assignment(folder, may_lack_cases=True)
        except HarnessError as error:
            click.echo(left_out(name, error), err=True)
    return assignments


def left_out(name: str, error: HarnessError) -> str:
    """Returns the message about an assignment that is skipped since it cannot be loaded."""
    return f"pitboss: {shortened(name)} is left out: {' '.join(str(error).split())}"


def _programs_in(folder: Path, assignment: Assignment) -> int:
    """Returns how many stages a submission has; for a class, the first submission that has any."""
    for path in (folder, *_first_submissions(folder)):
        try:
            count = program_count(path, assignment.stages)
        except UsageError:
            continue
        if count:
            return count
    return 0


def _first_submissions(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() or is_archive(path))[:_MAX_TRIED]
