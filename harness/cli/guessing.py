"""Which assignment is meant where none is named: the one whose stages are named, or whose programs are in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.assignment import Assignment
from harness.errors import HarnessError, UsageError
from harness.reading import near
from harness.sources import find_source
from harness.specfile import load_assignment


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
            raise UsageError(f"{unknown}: there is no folder of this name, and no assignment has a stage "
                             f"{unknown!r}{near(unknown, names)}")  # fmt: skip
    counts = {name: _programs_in(folder or Path("."), one) for name, one in fitting.items()}
    best = [name for name, count in counts.items() if count == max(counts.values())]
    if len(best) == 1 and (len(fitting) == 1 or counts[best[0]]):
        return best[0]
    choice = ", ".join(best if any(counts.values()) else fitting or known)
    raise UsageError(f"which assignment? Give --assignment with one of: {choice or '(none is known)'}")


def _folder_in(words: Sequence[str]) -> Path | None:
    """The folder that the words begin with, if they do; UsageError for one that is none."""
    path = Path(words[0]) if words else Path()
    if path.is_dir():
        return path if words else None
    if path.exists():
        raise UsageError(f"{path}: this is a file; give the folder that holds the programs")
    if "/" in words[0]:
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
    """How many stages are handed in in a folder, or in the first submission of a class."""
    for place in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())[:3]):
        try:
            count = sum(find_source(place, stage) is not None for stage in assignment.stages)
        except UsageError:
            continue
        if count:
            return count
    return 0
