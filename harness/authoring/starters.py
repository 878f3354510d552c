"""Starter kits: a skeleton of each program, a makefile, and a handout with samples freshly run by the reference.

A kit uses the templates of its language, or those that the assignment has for it:

    student_templates/<language>/…                  program.<suffix>.j2, Makefile.j2
    student_templates/<assignment>/<language>/…     any files, each a template
    student_templates/handout.md.j2
"""

from __future__ import annotations

import shlex
from pathlib import Path

from harness.assignments.assignment import Assignment, Stage
from harness.assignments.nodes import near
from harness.authoring.handouts import Sample, handout_values, samples_of
from harness.errors import UsageError
from harness.reports.templates import filled
from harness.transcripts.transcript import Shown, Typed

_SUFFIXES = {"c": "c", "cpp": "cpp", "csharp": "cs", "python": "py"}
LANGUAGES = tuple(_SUFFIXES)


def kit_of(assignment: Assignment, language: str, templates: Path, *, called: str = "") -> dict[str, str]:
    """The files of a starter kit by their names; raises UsageError for a language without templates.

    `called` is how the assignment is called on a command line, if not by its name.
    """
    if language not in _SUFFIXES:
        raise UsageError(
            f"there is no starter kit in {language!r} — there are {', '.join(LANGUAGES)}{near(language, LANGUAGES)}"
        )
    stages = tuple(stage for stage in assignment.stages if not stage.is_optional)
    own = templates / assignment.name / language
    samples = {stage.name: samples_of(stage) for stage in assignment.stages}
    programs = tuple(dict.fromkeys(program_of(stage, language) for stage in stages))
    called = called or assignment.name
    values: dict[str, object] = {
        "assignment": shlex.quote(called).replace("$", "$$"),
        "title": assignment.title,
        "programs": programs,
    }
    written = tuple(dict.fromkeys(source for stage in stages for source in stage.sources)) if own.is_dir() else ()
    written = written or tuple(f"{program}.{_SUFFIXES[language]}" for program in programs)
    handout = handout_values(assignment, samples, written, called)
    files = _data_files(assignment) | {"HANDOUT.md": filled(templates, "handout.md.j2", handout)}
    if own.is_dir():
        names = sorted(path.relative_to(own).as_posix() for path in own.rglob("*.j2"))
        return files | {name.removesuffix(".j2"): filled(own, name, values) for name in names}
    common = templates / language
    files["Makefile"] = filled(common, "Makefile.j2", values)
    for stage in stages:
        suffix, program = _SUFFIXES[language], program_of(stage, language)
        opening = _opening(samples[stage.name])
        given = {**values, "title": _capital(stage.title), "opening": opening}
        files.setdefault(f"{program}.{suffix}", filled(common, f"program.{suffix}.j2", given))
    return files


def _data_files(assignment: Assignment) -> dict[str, str]:
    """The files that the programs find where they run, if they are text in the folder itself."""
    found = {}
    for file in (file for stage in assignment.stages for file in stage.invocation.files or ()):
        try:
            found[file.name] = file.content.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return found


def program_of(stage: Stage, language: str) -> str:
    """The name of a stage's file in a language, without its suffix; C# class names begin with a capital letter."""
    names = (*stage.submitted_as, stage.name)
    fitting = [name for name in names if name[:1].isupper() == (language == "csharp")]
    return fitting[0] if fitting else names[0]


def _opening(samples: tuple[Sample, ...]) -> tuple[str, ...]:
    """The question that a program begins with; empty if it shows something else first."""
    events = samples[0].transcript.events if samples else ()
    if len(events) > 1 and isinstance(events[0], Shown) and isinstance(events[1], Typed):
        question = events[0].text.decode("utf-8", "replace")
        return () if "\n" in question else (question,)
    return ()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
