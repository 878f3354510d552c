"""A class: which files and folders in its folder are submissions, and which are not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.errors import UsageError, missing_folder
from pitboss.submissions.archives import is_archive
from pitboss.submissions.sources import find_source, folders_below, is_left_out, source_among, source_of_file
from pitboss.submissions.submission import listed, may_be_submission, readable


def submissions_in(
    folder: Path, stages: Sequence[Stage], *, called: Path | None = None
) -> tuple[list[Path], list[str]]:
    """The submissions of a class, in its folder or its only subfolder that is a class, and the names of other files.

    Raises UsageError if the folder is not a single class; the message says what it contains instead, and
    names the folder `called`.
    """
    called = called or folder
    if _has_program(folder, stages):
        name = folder.resolve().name
        raise UsageError(
            f"{called}: this is one submission, not a class: it directly contains programs; "
            f"give the folder that contains {name}, or check it: pitboss check {called}"
        )
    paths, others = _submissions_and_others(folder, stages)
    if not paths:
        raise UsageError(_no_submission(called, others))
    classes = [path for path in paths if path.is_dir() and _is_class(path, stages)]
    if not classes or any(_is_submission(path, stages) for path in paths if path not in classes):
        return paths, others
    if len(classes) == 1:
        inner, below = _submissions_and_others(classes[0], stages)
        return inner, [*others, *below]
    descriptions = [f"{path.name} ({len(_submissions_and_others(path, stages)[0])} submissions)" for path in classes]
    raise UsageError(f"{called}: this is not one class: there is {listed(descriptions)}; grade one of them")


def check_class_folder(folder: Path) -> None:
    """Raises UsageError unless a folder can be read and something in it may be a submission."""
    if not folder.exists():
        raise missing_folder(folder)
    if not folder.is_dir():
        raise UsageError(f"{folder}: this is a file; give the folder that contains the submissions")
    paths = _paths_in(folder)
    if not any(path.is_dir() or may_be_submission(path) for path in paths):
        raise UsageError(_no_submission(folder, [path.name for path in paths]))


def _no_submission(folder: Path, others: Sequence[str]) -> str:
    contents = f"; there is {listed(others)}" if others else ""
    return f"{folder}: there is no submission in it — each submission is a separate folder or archive{contents}"


def _paths_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not is_left_out(path.name))
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be read: {error.strerror}") from error


def _submissions_and_others(folder: Path, stages: Sequence[Stage]) -> tuple[list[Path], list[str]]:
    """The submissions directly in a folder, and the names of the other files there."""
    paths = _paths_in(folder)
    submissions = [path for path in paths if path.is_dir() or is_archive(path) or _is_program(path, stages)]
    return submissions, [readable(path.name) for path in paths if path not in submissions]


def _is_program(path: Path, stages: Sequence[Stage]) -> bool:
    """Whether a file is a complete submission: a source, if only one stage is graded."""
    return len(stages) == 1 and path.is_file() and source_of_file(path, stages[0], is_alone=True) is not None


def _has_program(folder: Path, stages: Sequence[Stage]) -> bool:
    """Whether a folder directly contains programs, and nothing below it looks like a submission."""
    top, names = folders_below(folder)[0]
    if not any(source_among(top, names, stage) for stage in stages):
        return False
    inner = [path for path in folder.iterdir() if path.is_dir() and not is_left_out(path.name)]
    return not any(_is_submission(path, stages) for path in inner)


def _is_submission(path: Path, stages: Sequence[Stage]) -> bool:
    """Whether a path in a class is a submission: any file, or a folder with a program outside archives."""
    return not path.is_dir() or any(find_source(path, stage) for stage in stages)


def _is_class(folder: Path, stages: Sequence[Stage]) -> bool:
    """Whether a folder contains submissions: folders or archives, at least two of which have the same program."""
    inner = [path for path in _submissions_and_others(folder, stages)[0] if path.is_dir() or is_archive(path)]
    top, names = folders_below(folder)[0]
    if len(inner) < 2 or any(source_among(top, names, stage) for stage in stages):
        return False
    counts = [sum(_has_program_or_is_archive(path, stage) for path in inner) for stage in stages]
    return max(counts, default=0) > 1


def _has_program_or_is_archive(path: Path, stage: Stage) -> bool:
    return is_archive(path) or find_source(path, stage) is not None
