"""Finds the submissions of a class among the files and folders in its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.errors import UsageError, missing_folder
from pitboss.model.words import shortlist
from pitboss.submissions.archives import is_archive
from pitboss.submissions.projects import has_outer_file
from pitboss.submissions.sources import folders_below, is_ignored_name
from pitboss.submissions.stage_files import find_source, source_of_file, sources_in
from pitboss.submissions.submission import encodable, may_be_submission


def submissions_in(
    folder: Path, stages: Sequence[Stage], *, folder_in_messages: Path | None = None
) -> tuple[list[Path], list[str]]:
    """Returns the paths of the submissions of a class, and the names of the other files.

    The submissions may also be in a subfolder, if there are no submissions beside the subfolder. Raises UsageError if
    the folder is not a single class. The message says what the folder contains, and names it `folder_in_messages`.
    """
    folder_in_messages = folder_in_messages or folder
    if _is_submission_itself(folder, stages):
        name = folder.resolve().name
        raise UsageError(
            f"{folder_in_messages}: this is one submission, not a class: it directly contains programs; "
            f"give the folder that contains {name}, or check it: pitboss check {folder_in_messages}"
        )
    paths, other_names = _submissions_and_others(folder, stages)
    if not paths:
        raise UsageError(_no_submission(folder_in_messages, other_names))
    class_folders = [path for path in paths if path.is_dir() and _is_class(path, stages)]
    # If there is a submission beside these folders, `folder` itself is the class.
    if not class_folders or any(_is_submission(path, stages) for path in paths if path not in class_folders):
        return paths, other_names
    if len(class_folders) == 1:
        submissions, inner_names = _submissions_and_others(class_folders[0], stages)
        return submissions, [*other_names, *inner_names]
    descriptions = [
        f"{path.name} ({len(_submissions_and_others(path, stages)[0])} submissions)" for path in class_folders
    ]
    raise UsageError(
        f"{folder_in_messages}: this is not one class: there is {shortlist(descriptions)}; grade one of them"
    )


def check_class_folder(folder: Path) -> None:
    """Raises UsageError if a folder cannot be read, or if nothing in the folder can be a submission."""
    if not folder.exists():
        raise missing_folder(folder)
    if not folder.is_dir():
        raise UsageError(f"{folder}: this is a file; give the folder that contains the submissions")
    paths = _paths_in(folder)
    if not any(path.is_dir() or may_be_submission(path) for path in paths):
        raise UsageError(_no_submission(folder, [path.name for path in paths]))


def _no_submission(folder: Path, other_names: Sequence[str]) -> str:
    """Returns the message about a folder without submissions."""
    contents = f"; there is {shortlist(other_names)}" if other_names else ""
    return f"{folder}: there is no submission in it — each submission is a separate folder or archive{contents}"


def _paths_in(folder: Path) -> list[Path]:
    """Returns the files and folders in a folder, except those whose names are ignored in submissions."""
    try:
        return sorted(path for path in folder.iterdir() if not is_ignored_name(path.name))
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be read: {error.strerror}") from error


def _submissions_and_others(folder: Path, stages: Sequence[Stage]) -> tuple[list[Path], list[str]]:
    """Returns the submissions directly in a folder, and the names of the other files in that folder."""
    paths = _paths_in(folder)
    submissions = [path for path in paths if path.is_dir() or is_archive(path) or _is_program(path, stages)]
    known = set(submissions)
    return submissions, [encodable(path.name) for path in paths if path not in known]


def _is_program(path: Path, stages: Sequence[Stage]) -> bool:
    """Whether a file is a source and thus a complete submission, which is possible if only one stage is graded."""
    return len(stages) == 1 and path.is_file() and source_of_file(path, stages[0], is_alone=True) is not None


def _is_submission_itself(folder: Path, stages: Sequence[Stage]) -> bool:
    """Whether a folder is itself a submission: it directly has a program, and no subfolder looks like a submission."""
    if not any(sources_in(folders_below(folder)[:1], stage) for stage in stages):
        return False
    subfolders = [path for path in folder.iterdir() if path.is_dir() and not is_ignored_name(path.name)]
    return not any(_is_submission(path, stages) for path in subfolders)


def _is_submission(path: Path, stages: Sequence[Stage]) -> bool:
    """Whether a path in a class is a submission: any file, or a folder with a program that is not in an archive."""
    return not path.is_dir() or any(find_source(path, stage) for stage in stages)


def _is_class(folder: Path, stages: Sequence[Stage]) -> bool:
    """Whether a folder is a class: at least two folders or archives in it may have a program of the same stage.

    A folder that directly contains a program or a solution is not a class.
    """
    candidates = [path for path in _submissions_and_others(folder, stages)[0] if path.is_dir() or is_archive(path)]
    top = folders_below(folder)[:1]
    if len(candidates) < 2 or has_outer_file(top[0][1]) or any(sources_in(top, stage) for stage in stages):
        return False
    counts = [sum(_has_program_or_is_archive(path, stage) for path in candidates) for stage in stages]
    return max(counts, default=0) > 1


def _has_program_or_is_archive(path: Path, stage: Stage) -> bool:
    return is_archive(path) or find_source(path, stage) is not None
