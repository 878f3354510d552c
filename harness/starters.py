"""Starter kits: a skeleton of each program, a makefile, and a handout whose samples the reference plays just then.

A kit's templates are those of its language, or those an assignment has of its own for it:

    student_templates/<language>/…                  program.<suffix>.j2, Makefile.j2
    student_templates/<assignment>/<language>/…     any files, each a template
    student_templates/handout.md.j2
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from harness.assignment import Assignment, Recorded, Stage
from harness.drivers import performance_here
from harness.errors import UsageError
from harness.reading import near
from harness.rendering.plain import plain_session
from harness.templates import filled
from harness.transcript import Paused, Shown, Transcript, Typed
from harness.verifying import retold

_SUFFIXES = {"c": "c", "cpp": "cpp", "csharp": "cs", "python": "py"}
LANGUAGES = tuple(_SUFFIXES)
_MOST_SAMPLES = 3


class Sample(msgspec.Struct, frozen=True):
    """A session of the handout."""

    name: str
    text: str
    has_pauses: bool
    transcript: Transcript


def kit_of(assignment: Assignment, language: str, templates: Path) -> dict[str, str]:
    """The files of a starter kit by their names; UsageError for a language there is none in."""
    if language not in _SUFFIXES:
        raise UsageError(
            f"there is no starter kit in {language!r} — there are {', '.join(LANGUAGES)}{near(language, LANGUAGES)}"
        )
    stages = tuple(stage for stage in assignment.stages if not stage.is_optional)
    own = templates / assignment.name / language
    samples = {stage.name: samples_of(stage) for stage in assignment.stages}
    programs = tuple(dict.fromkeys(program_of(stage, language) for stage in stages))
    values: dict[str, object] = {"assignment": assignment.name, "title": assignment.title, "programs": programs}
    files = {"HANDOUT.md": _handout(assignment, samples, values, templates)}
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


def program_of(stage: Stage, language: str) -> str:
    """What the file of a stage is called in a language, without its suffix: a class of C# has a capital letter."""
    names = (*stage.submitted_as, stage.name)
    fitting = [name for name in names if name[:1].isupper() == (language == "csharp")]
    return fitting[0] if fitting else names[0]


def samples_of(stage: Stage) -> tuple[Sample, ...]:
    """The first recorded cases of a stage, as the reference plays them now."""
    perform = performance_here(stage)
    recorded = [case for case in stage.spec.cases if isinstance(case.session, Recorded) and case.visibility == "public"]
    samples = []
    for case in recorded[:_MOST_SAMPLES]:
        assert isinstance(case.session, Recorded)
        told = retold(stage, case.session.events, perform)
        has_pauses = any(isinstance(event, Paused) for event in told.events)
        samples.append(Sample(case.name, plain_session(told.events), has_pauses, told))
    return tuple(samples)


def _opening(samples: tuple[Sample, ...]) -> tuple[str, ...]:
    """The question that a program begins with; nothing where it shows something else before."""
    events = samples[0].transcript.events if samples else ()
    if len(events) > 1 and isinstance(events[0], Shown) and isinstance(events[1], Typed):
        question = events[0].text.decode("utf-8", "replace")
        return () if "\n" in question else (question,)
    return ()


def _handout(
    assignment: Assignment, samples: dict[str, tuple[Sample, ...]], values: dict[str, object], templates: Path
) -> str:
    stages = [
        {
            "name": stage.name,
            "title": stage.title,
            "needs": stage.needs,
            "rules": rules_of(stage),
            "samples": samples[stage.name],
        }
        for stage in assignment.stages
    ]
    return filled(templates, "handout.md.j2", {**values, "stages": stages, "is_seeded": assignment.is_seeded})


def rules_of(stage: Stage) -> tuple[str, ...]:
    """The rules of a stage, in the words of its assignment or of its cases."""
    named = [rule.name for rule in stage.rules] or [rule for case in stage.spec.cases for rule in case.rules]
    return tuple(dict.fromkeys(named))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
