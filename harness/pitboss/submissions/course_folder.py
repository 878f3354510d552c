"""The option --given: a folder whose files replace the course files of the assignment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import UsageError, as_found, did_you_mean, missing_folder
from pitboss.model.languages import is_c_source
from pitboss.model.words import shortlist
from pitboss.submissions.native import has_main
from pitboss.submissions.sources import is_ignored_name

_OPTION = "--given"


def with_course_folders(assignment: Assignment, arguments: Sequence[str]) -> Assignment:
    """Returns the assignment with the course files that --given names.

    Each of `arguments` is DIR, or STAGE=DIR for a single stage. Raises UsageError if a folder lacks a course file of a
    stage, or contains a file that students submit.
    """
    folders: dict[str, str] = {}
    for argument in arguments:
        stage, folder = _stage_and_folder(assignment, argument)
        if stage in folders:
            for_stage = f" for {stage}" if stage else ""
            raise UsageError(f"{_OPTION} {argument}: a folder is given already{for_stage}: {folders[stage]}")
        folders[stage] = folder
    if not folders:
        return assignment
    if not any(stage.given for stage in assignment.stages):
        raise UsageError(f"{_OPTION}: {assignment.name} has no stage with files that the course provides")
    stages = tuple(_with_folder(stage, folders.get(stage.name) or folders.get("", "")) for stage in assignment.stages)
    return msgspec.structs.replace(assignment, stages=stages)


def _stage_and_folder(assignment: Assignment, argument: str) -> tuple[str, str]:
    """Returns the name of the stage and the folder in an argument of --given; an empty name stands for all stages."""
    name, equals, folder = argument.partition("=")
    if not equals or Path(argument).is_dir():
        return "", argument
    stage = assignment.stage(name)
    if stage is None:
        names = [stage.name for stage in assignment.stages if stage.given]
        raise UsageError(
            f"{_OPTION} {argument}: {assignment.name} has no stage {as_found(name)} — stages with files that the "
            f"course provides are {shortlist(names, most=20) or 'none'}{did_you_mean(name, names)}"
        )
    if stage.given is None:
        raise UsageError(f"{_OPTION} {argument}: the course provides no files for {name}")
    return name, folder


def _with_folder(stage: Stage, path_as_given: str) -> Stage:
    """Returns a stage with the course files in the folder `path_as_given`: its path as the user wrote it.

    Returns the stage unchanged if the course provides no files for the stage, or if `path_as_given` is empty.
    """
    if stage.given is None or not path_as_given:
        return stage
    folder = Path(path_as_given)
    names = _files_in(folder)
    needed = _files_in(stage.given)
    missing = [name for name in needed if name not in names]
    if missing:
        contents = f"there is {shortlist(names, most=10)}" if names else "it is empty"
        raise UsageError(
            f"{_OPTION} {path_as_given}: there is no {' and no '.join(missing)} in it, and {stage.name} is built with "
            f"{shortlist(needed, most=20)}; {contents}{_letter_case_hint(missing, names)}"
        )
    submitted = [name for name in names if name in stage.sources]
    if submitted:
        verb = "is" if len(submitted) == 1 else "are"
        raise UsageError(
            f"{_OPTION} {path_as_given}: students submit {shortlist(submitted)}, which {verb} "
            "in this folder; give a folder with only the files that the course provides"
        )
    mains = [name for name in names if is_c_source(name) and has_main(folder / name)]
    if len(mains) > 1:
        raise UsageError(f"{_OPTION} {path_as_given}: {shortlist(mains)} define main, and a program has only one main")
    return msgspec.structs.replace(stage, given=folder.resolve(), given_as=path_as_given, is_given_by_option=True)


def _files_in(folder: Path) -> list[str]:
    """Returns the names of the files in a course's folder; raises UsageError if the folder cannot be read."""
    if not folder.exists():
        raise missing_folder(folder, f"{_OPTION} ")
    if not folder.is_dir():
        raise UsageError(f"{_OPTION} {folder}: this is a file; give the folder of the files that the course provides")
    try:
        return sorted(path.name for path in folder.iterdir() if path.is_file() and not is_ignored_name(path.name))
    except OSError as error:
        raise UsageError(f"{_OPTION} {folder}: the folder cannot be read: {error.strerror}") from error


def _letter_case_hint(missing: Sequence[str], names: Sequence[str]) -> str:
    """Returns a clause on letter case if a missing file exists in another letter case; else empty."""
    missing_lower = {name.lower() for name in missing}
    return "; names are case-sensitive" if any(name.lower() in missing_lower for name in names) else ""
