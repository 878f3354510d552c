"""Suggests a next step to a student whose folder has no program to check, or a program under a wrong name."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import HarnessError
from pitboss.model.languages import LANGUAGES, language_name_for, language_of
from pitboss.model.words import joined, shortlist
from pitboss.submissions.instead import closest_expected_name
from pitboss.submissions.sources import folders_below
from pitboss.submissions.stage_files import sources_in
from pitboss.submissions.submission import encodable


def first_step(assignment: Assignment, stages: Sequence[Stage], folder: Path, called: str) -> str:
    """The next step for a folder in which no program of these stages can be checked, with a command; may be empty.

    `called` is the assignment's name on the command line.
    """
    required_stages = [stage for stage in stages if not stage.is_optional]
    if not folder.is_dir() or not required_stages:
        return ""
    option = f"--assignment {shlex.quote(called)}"
    if ambiguity := _stage_with_several_programs(folder, required_stages):
        stage, program_folder = ambiguity
        example = f"pitboss check {shlex.quote(str(program_folder))} {stage.name} {option}"
        return f"next: hand in one of the programs; to check one, name its folder, as in\n  {example}"
    file_names = _file_names_in(folder)
    renamings = (
        (name, expected_name)
        for name in file_names
        for stage in required_stages
        if not language_of(name) and (expected_name := closest_expected_name(name, stage))
    )
    if renaming := next(renamings, None):
        current, expected = (shlex.quote(str(folder / name)) for name in renaming)
        return f"next: give your file the expected name, as with\n  mv {current} {expected}"
    sources = sorted(encodable(name) for name in file_names if language_of(name))
    suffix = Path(sources[0]).suffix.lower() if sources else _suffix_of(assignment.language)
    names = list(dict.fromkeys(_file_name_of(stage, suffix) for stage in required_stages))
    if sources:
        example = f"pitboss check {shlex.quote(str(folder / sources[0]))} {stages[0].name} {option}"
        hint = " after its stage:" if len(names) > 1 else ""
        verb = "name it" if len(sources) == 1 else "name each"
        return f"next: {verb}{hint} {joined(names, 'or')}; or say which stage it is, as in\n  {example}"
    from pitboss.kits.starters import has_kit  # slow to import

    is_bundle = not all(stage.has_reference for stage in stages)  # a bundle already has its handout
    if is_bundle or not has_kit(assignment.language):
        return f"next: save your first program as {names[0]}"
    starter_command = f"pitboss starter {shlex.quote(called)} --into NEW-FOLDER"
    return (
        f"next: save your first program as {names[0]}, or begin with a skeleton and the handout:\n  {starter_command}"
    )


def _suffix_of(language: str) -> str:
    """The suffix of sources in the language of a course; the suffix of C if the course has no language."""
    return LANGUAGES.get(language_name_for(language), LANGUAGES["c"]).suffixes[0]


def _file_name_of(stage: Stage, suffix: str) -> str:
    """The file name under which a stage is submitted, with this suffix; if the stage names its sources, these names."""
    if stage.sources:
        return shortlist(stage.sources)
    name = (stage.submitted_as or (stage.name,))[0] if stage.reader else stage.name
    language = language_of(f"{name}{suffix}")
    is_class = language is not None and language.is_named_by_class
    return f"{name[:1].upper()}{name[1:]}{suffix}" if is_class else f"{name}{suffix}"


def _file_names_in(folder: Path) -> list[str]:
    try:
        (_, names), *_ = folders_below(folder)
    except HarnessError:
        return []
    return sorted(names)


def _stage_with_several_programs(folder: Path, stages: Sequence[Stage]) -> tuple[Stage, Path] | None:
    """The first stage with several programs below a folder, and the folder of one program; None if not found."""
    for stage in stages:
        try:
            folders = [source.folder for source in sources_in(folders_below(folder), stage)]
        except HarnessError:
            return None
        if len(folders) > 1:
            return stage, min(folders)
    return None
