"""Which assignment is meant where none is named: the one whose stages are named, or whose programs are in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.assignments.assignment import Assignment
from harness.assignments.nodes import near
from harness.assignments.specfile import load_assignment
from harness.errors import HarnessError, UsageError
from harness.submissions.archives import is_archive
from harness.submissions.submission import may_be_submission, not_a_submission, program_count

#: So many of a class are looked at.
_MOST_TRIED = 20


def guessed(known: Mapping[str, Path], words: Sequence[str]) -> str:
    """The name of the assignment that the words of a command line fit alone: a folder or none, and stages.

    UsageError, with what to do, where none or several fit.
    """
    if len(known) == 1:
        return next(iter(known))
    loadable = _loadable(known)
    names = {stage.name for one in loadable.values() for stage in one.stages}
    # What a stage is called is the stage, also where its program stands here.
    folder = None if words and words[0] in names else _folder_in(words)
    stages = tuple(words[1:]) if folder else tuple(words)
    fitting = {name: one for name, one in loadable.items() if all(one.stage(stage) for stage in stages)}
    if not fitting and stages:
        unknown = next((stage for stage in stages if stage not in names), None)
        if unknown is not None:
            neither = f"{unknown}: there is no folder of this name, and no assignment has a stage {unknown!r}"
            raise UsageError(neither + near(unknown, names))
    counts = {name: _programs_in(folder or Path("."), one) for name, one in fitting.items()}
    best = [name for name, count in counts.items() if count == max(counts.values())]
    if len(best) == 1 and (len(fitting) == 1 or counts[best[0]]):
        return best[0]
    choice = ", ".join(best if any(counts.values()) else fitting or known)
    raise UsageError(f"which assignment? Give --assignment with one of: {choice or '(none is known)'}")


def _folder_in(words: Sequence[str]) -> Path | None:
    """The folder, archive or source that the words begin with, if they do; UsageError for one that is not there.

    A file such as the program `play` beside `play.c` is none of them: the word names a stage.
    """
    path = Path(words[0]) if words else Path()
    if path.is_dir() or (path.is_file() and may_be_submission(path)):
        return path if words else None
    if "/" in words[0]:
        if path.exists():
            raise UsageError(not_a_submission(path))
        raise UsageError(f"{path}: there is no such folder")
    return None


def _loadable(known: Mapping[str, Path]) -> dict[str, Assignment]:
    found = {}
    for name, folder in known.items():
        try:
            found[name] = load_assignment(folder)
        except HarnessError:  # it is told when it is asked for by name
            continue
    return found


def _programs_in(folder: Path, assignment: Assignment) -> int:
    """How many stages are handed in in a submission, or in the first of a class that has any."""
    for place in (folder, *_first_of(folder)):
        try:
            count = program_count(place, assignment.stages)
        except UsageError:
            continue
        if count:
            return count
    return 0


def _first_of(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() or is_archive(path))[:_MOST_TRIED]
