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


def guess_assignment(folders_by_name: Mapping[str, Path], words: Sequence[str]) -> str:
    """Returns the name of the only assignment that fits the arguments of a command: an optional folder, and stages.

    `folders_by_name` are the folders of all assignments by name. If several assignments fit equally, but only one of
    them is in ./specs, returns the name of that one. Otherwise raises UsageError with advice. An assignment that cannot
    be loaded is reported on standard error, and never fits.
    """
    if len(folders_by_name) == 1:
        return next(iter(folders_by_name))
    loadable = loadable_of(folders_by_name)
    stage_names = {stage.name for assignment in loadable.values() for stage in assignment.stages}
    # A first argument that is the name of a stage means the stage, even if a file or folder here has the same name.
    folder = None if words and words[0] in stage_names else _folder_in(words)
    stages = tuple(words[1:]) if folder else tuple(words)
    fitting = {
        name: assignment for name, assignment in loadable.items() if all(assignment.stage(stage) for stage in stages)
    }
    if not fitting and stages:
        unknown_word = next((stage for stage in stages if stage not in stage_names), None)
        if unknown_word in folders_by_name and unknown_word not in loadable:
            raise UsageError(f"{unknown_word} cannot be used until its files are corrected")
        if unknown_word in folders_by_name:
            raise UsageError(f"{unknown_word} is an assignment, not a stage — give it as --assignment {unknown_word}")
        if unknown_word is not None:
            missing = "" if os.path.exists(unknown_word) else "there is no file or folder of this name, and "
            problem = f"{missing}no assignment has a stage {unknown_word!r}"
            raise UsageError(f"{unknown_word}: {problem}{did_you_mean(unknown_word, stage_names)}")
    program_counts = {name: _count_programs(folder or Path("."), assignment) for name, assignment in fitting.items()}
    best_names = [name for name, count in program_counts.items() if count == max(program_counts.values())]
    if len(best_names) == 1 and (len(fitting) == 1 or program_counts[best_names[0]]):
        return best_names[0]
    own_names = [name for name in best_names if folders_by_name[name].parent == OWN_SPECS]
    if len(own_names) == 1:
        return own_names[0]
    choices = best_names if any(program_counts.values()) else list(fitting or folders_by_name)
    raise UsageError(f"which assignment? Give --assignment with one of: {', '.join(choices) or '(none found)'}")


def _folder_in(words: Sequence[str]) -> Path | None:
    """Returns the first argument if it is a folder, an archive or a source, else None.

    The first argument must not name a stage. Raises UsageError for a path with a / that does not exist, and for any
    other file.
    """
    if not words:
        return None
    path = Path(words[0])
    if os.path.isdir(path) or (os.path.isfile(path) and may_be_submission(path)):
        return path
    if os.path.exists(path):
        raise UsageError(not_a_submission(path))
    if "/" in words[0]:
        raise missing_folder(path)
    return None


def loadable_of(folders_by_name: Mapping[str, Path]) -> dict[str, Assignment]:
    """Returns the assignments that can be loaded, with or without cases; reports the others on standard error."""
    assignments = {}
    for name, folder in folders_by_name.items():
        try:
            assignments[name] = load_assignment(folder, may_lack_cases=True)
        except HarnessError as error:
            click.echo(skip_message(name, error), err=True)
    return assignments


def skip_message(name: str, error: HarnessError) -> str:
    """Returns the message about an assignment that is skipped since it cannot be loaded."""
    return f"pitboss: {shortened(name)} is left out: {' '.join(str(error).split())}"


def _count_programs(folder: Path, assignment: Assignment) -> int:
    """Counts the stages for which the submission in a folder has a program.

    For the folder of a class, counts them in the first submission that has any program.
    """
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
