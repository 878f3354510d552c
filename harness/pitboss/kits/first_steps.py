"""The next step of a student who has nothing to check yet: no program, or one with another name."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import HarnessError
from pitboss.model.languages import LANGUAGES, language_called, language_of
from pitboss.submissions.instead import name_meant
from pitboss.submissions.sources import folders_below, sources_below
from pitboss.submissions.submission import listed, readable


def first_step(assignment: Assignment, stages: Sequence[Stage], folder: Path, called: str) -> str:
    """A sentence with a command for a folder that has no program for these stages; may be empty."""
    needed = [stage for stage in stages if not stage.is_optional]
    if not folder.is_dir() or not needed:
        return ""
    option = f"--assignment {shlex.quote(called)}"
    if several := _several(folder, needed):
        stage, place = several
        example = f"pitboss check {shlex.quote(str(place))} {stage.name} {option}"
        return f"next: hand in one of them; to check one, name its folder, as in\n  {example}"
    names_here = _names_in(folder)
    meant = ((name, name_meant(name, stage)) for name in names_here for stage in needed if not language_of(name))
    if renamed := next((pair for pair in meant if pair[1]), None):
        now, then = (shlex.quote(str(folder / name)) for name in renamed)
        return f"next: give it the expected name, as with\n  mv {now} {then}"
    found = sorted(readable(name) for name in names_here if language_of(name))
    suffix = Path(found[0]).suffix.lower() if found else _suffix_of(assignment.language)
    names = list(dict.fromkeys(_file_of(stage, suffix) for stage in needed))
    if found:
        example = f"pitboss check {shlex.quote(str(folder / found[0]))} {stages[0].name} {option}"
        after = " after its stage:" if len(names) > 1 else ""
        which = "name it" if len(found) == 1 else "name each"
        return f"next: {which}{after} {_alternatives_text(names)}; or say which stage it is, as in\n  {example}"
    from pitboss.kits.starters import has_kit  # slow to import

    is_bundle = not all(stage.has_reference for stage in stages)  # its handout came with it
    if is_bundle or not has_kit(assignment.language):
        return f"next: save your first program as {names[0]}"
    kit = f"pitboss starter {shlex.quote(called)} --into NEW-FOLDER"
    return f"next: save your first program as {names[0]}, or begin with a skeleton and the handout:\n  {kit}"


def _suffix_of(language: str) -> str:
    """The suffix of sources in the language of a course; the suffix of C if the course has no language."""
    return LANGUAGES.get(language_called(language), LANGUAGES["c"]).suffixes[0]


def _file_of(stage: Stage, suffix: str) -> str:
    """The file name under which a stage is submitted, with this suffix."""
    if stage.sources:
        return listed(stage.sources)
    name = (stage.submitted_as or (stage.name,))[0] if stage.reader else stage.name
    language = language_of(f"{name}{suffix}")
    is_class = language is not None and language.is_named_by_class
    return f"{name[:1].upper()}{name[1:]}{suffix}" if is_class else f"{name}{suffix}"


def _alternatives_text(names: Sequence[str]) -> str:
    """These names as alternatives: `a, b or c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _names_in(folder: Path) -> list[str]:
    """The names of the files that are directly in a folder."""
    try:
        (_, names), *_ = folders_below(folder)
    except HarnessError:
        return []
    return sorted(names)


def _several(folder: Path, stages: Sequence[Stage]) -> tuple[Stage, Path] | None:
    """The first stage that has several programs in a folder, and the folder of one of them."""
    for stage in stages:
        try:
            places = [source.folder for source in sources_below(folder, stage)]
        except HarnessError:
            return None
        if len(places) > 1:
            return stage, min(places)
    return None
