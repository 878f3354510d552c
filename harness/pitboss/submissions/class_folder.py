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

    Raises UsageError if the folder is not a single class; the message says what was found instead, and calls the
    folder `called`.
    """
    called = called or folder
    if _has_program(folder, stages):
        name = folder.resolve().name
        raise UsageError(
            f"{called}: this is one submission, not a class: it directly contains programs; "
            f"give the folder that contains {name}, or check it: pitboss check {called}"
        )
    found, others = _handed_in(folder, stages)
    if not found:
        raise UsageError(_no_submission(called, others))
    classes = [path for path in found if path.is_dir() and _is_class(path, stages)]
    if not classes or any(_counts(path, stages) for path in found if path not in classes):
        return found, others
    if len(classes) == 1:
        inner, below = _handed_in(classes[0], stages)
        return inner, [*others, *below]
    counted = [f"{path.name} ({len(_handed_in(path, stages)[0])} submissions)" for path in classes]
    raise UsageError(f"{called}: this is not one class: there is {listed(counted)}; grade one of them")


def see_class(folder: Path) -> None:
    """Raises UsageError unless a folder can be read and something in it may be a submission."""
    if not folder.exists():
        raise missing_folder(folder)
    if not folder.is_dir():
        raise UsageError(f"{folder}: this is a file; give the folder that holds the submissions")
    paths = _paths_in(folder)
    if not any(path.is_dir() or may_be_submission(path) for path in paths):
        raise UsageError(_no_submission(folder, [path.name for path in paths]))


def _no_submission(folder: Path, others: Sequence[str]) -> str:
    found = f"; there is {listed(others)}" if others else ""
    return f"{folder}: there is no submission in it — each is a folder or an archive of its own{found}"


def _paths_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not is_left_out(path.name))
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be read: {error.strerror}") from error


def _handed_in(folder: Path, stages: Sequence[Stage]) -> tuple[list[Path], list[str]]:
    """The submissions directly in a folder, and the names of the other files there."""
    paths = _paths_in(folder)
    found = [path for path in paths if path.is_dir() or is_archive(path) or _is_program(path, stages)]
    return found, [readable(path.name) for path in paths if path not in found]


def _is_program(path: Path, stages: Sequence[Stage]) -> bool:
    """Whether a file is a whole submission: a source, if only one stage is graded."""
    return len(stages) == 1 and path.is_file() and source_of_file(path, stages[0], is_alone=True) is not None


def _has_program(folder: Path, stages: Sequence[Stage]) -> bool:
    """Whether a folder directly contains programs, and nothing below it looks like a submission."""
    place, names = folders_below(folder)[0]
    if not any(source_among(place, names, stage) for stage in stages):
        return False
    inner = [path for path in folder.iterdir() if path.is_dir() and not is_left_out(path.name)]
    return not any(_counts(path, stages) for path in inner)


def _counts(path: Path, stages: Sequence[Stage]) -> bool:
    """Whether a path of a class counts as a submission: any file, or a folder with a program outside archives."""
    return not path.is_dir() or any(find_source(path, stage) for stage in stages)


def _is_class(folder: Path, stages: Sequence[Stage]) -> bool:
    """Whether a folder contains submissions: folders or archives, at least two of which have the same program."""
    inner = [path for path in _handed_in(folder, stages)[0] if path.is_dir() or is_archive(path)]
    place, names = folders_below(folder)[0]
    if len(inner) < 2 or any(source_among(place, names, stage) for stage in stages):
        return False
    counts = [sum(_may_have_program(path, stage) for path in inner) for stage in stages]
    return max(counts, default=0) > 1


def _may_have_program(path: Path, stage: Stage) -> bool:
    """Whether a path is an archive, which may have any program, or has a program for a stage."""
    return is_archive(path) or find_source(path, stage) is not None
