"""Starter kits: skeletons of the programs, a makefile, tasks for an editor, and a handout.

A kit uses the templates of its language, or templates of the assignment:

    student_templates/<language>/…                  program.<suffix>.j2, Makefile.j2
    student_templates/<assignment>/<language>/…     any files, each a template
    student_templates/handout.md.j2
    student_templates/tasks.json.j2                 .vscode/tasks.json, with <language>/matcher.json
    student_templates/generators/<generator>.md.j2  how to call it from each language
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import UsageError, as_found, did_you_mean
from pitboss.kits.data_files import check_names, data_files_of, declared_of
from pitboss.kits.handouts import handout_values
from pitboss.kits.printing import handout_files
from pitboss.kits.samples import Sample, samples_of
from pitboss.model import languages
from pitboss.model.languages import language_called
from pitboss.model.transcript import Shown, Typed
from pitboss.reports.templates import filled_template

LANGUAGES = tuple(sorted(name for name, language in languages.LANGUAGES.items() if language.has_kit))
#: The makefile of a kit without skeletons.
_CHECKING_ALONE = """\
# It checks the programs. How they are built is up to you.
check:
\tpitboss check --assignment {}

.PHONY: check
"""


def has_kit(language: str) -> bool:
    """Whether there are skeletons in a language, by any of its names; C if empty."""
    return (language_called(language) or "c") in LANGUAGES


def kit_of(
    assignment: Assignment, language: str, templates: Path, *, called: str = "", may_lack_programs: bool = False
) -> dict[str, str]:
    """The files of a starter kit by name, in a language given by any of its names; C if empty.

    `called` is the assignment on a command line, if not its name. Raises UsageError for a language without templates,
    unless `may_lack_programs`: then there are no skeletons, and the makefile only checks. Also raises it if a data
    file has the same name as another file of the kit.
    """
    if not has_kit(language) and not may_lack_programs:
        raise UsageError(
            f"there is no starter kit in {as_found(language)} — there are "
            f"{', '.join(LANGUAGES)}{did_you_mean(language_called(language), LANGUAGES)}"
        )
    data = _data_files(assignment)
    own = _own_files(assignment, language_called(language) or "c", templates, called or assignment.name)
    check_names(assignment, data, own)
    return data | own


def _own_files(assignment: Assignment, language: str, templates: Path, called: str) -> dict[str, str]:
    """All files of a kit by name, except the data files of the sessions."""
    stages = tuple(stage for stage in assignment.stages if not stage.is_optional)
    own = templates / assignment.name / language
    samples = {stage.name: samples_of(stage) for stage in assignment.stages}
    programs = tuple(dict.fromkeys(program_of(stage, language) for stage in stages))
    values: dict[str, object] = {
        "assignment": shlex.quote(called).replace("$", "$$"),
        "title": assignment.title,
        "programs": programs,
        "classes": [(program, _class_of(program)) for program in programs],
    }
    written = tuple(dict.fromkeys(source for stage in stages for source in stage.sources)) if own.is_dir() else ()
    written = written or tuple(f"{program}{_suffix_of(language)}" for program in programs)
    files = _kit_values(assignment, language, templates, samples, (written, programs, called))
    if own.is_dir():
        names = sorted(path.relative_to(own).as_posix() for path in own.rglob("*.j2"))
        return files | {name.removesuffix(".j2"): filled_template(own, name, values) for name in names}
    if language not in LANGUAGES:
        return files | {"Makefile": _CHECKING_ALONE.format(values["assignment"])}
    common = templates / language
    files["Makefile"] = filled_template(common, "Makefile.j2", values)
    for stage in stages:
        suffix, program = _suffix_of(language).removeprefix("."), program_of(stage, language)
        opening = _opening(samples[stage.name])
        given = {**values, "title": _capital(stage.title), "opening": opening, "program": program}
        given["class"] = _class_of(program)
        files.setdefault(f"{program}.{suffix}", filled_template(common, f"program.{suffix}.j2", given))
    return files


def _kit_values(
    assignment: Assignment,
    language: str,
    templates: Path,
    samples: dict[str, tuple[Sample, ...]],
    names: tuple[Sequence[str], Sequence[str], str],
) -> dict[str, str]:
    """The values for a kit's templates; `names` are the names of the files, the programs and the assignment."""
    written, programs, called = names
    stages = tuple(stage for stage in assignment.stages if not stage.is_optional)
    record = languages.LANGUAGES.get(language)
    of_kit = {
        "language": language,
        "is_interpreted": record is not None and record.is_interpreted,
        "checks_one": _checks_one(stages, programs, called),
    }
    of_kit["watching"] = f"pitboss check --watch --assignment {shlex.quote(called)}"
    generator = _generator(assignment, language, templates)
    transcript = {**handout_values(assignment, samples, written, called), **of_kit, "generator": generator}
    transcript["has_tasks"] = has_kit(language)
    markdown = filled_template(templates, "handout.md.j2", transcript)
    tasks = {".vscode/tasks.json": filled_template(templates, "tasks.json.j2", of_kit)} if has_kit(language) else {}
    return handout_files(assignment.title, markdown) | tasks


def _generator(assignment: Assignment, language: str, templates: Path) -> str:
    """How to call the generator of an assignment from a language; empty if it names none."""
    if not assignment.generator:
        return ""
    return filled_template(templates, f"generators/{assignment.generator}.md.j2", {"language": language}).strip()


def _checks_one(stages: Sequence[Stage], programs: Sequence[str], called: str) -> str:
    """An editor's command that checks the program in the open file; empty if files are not named as stages are."""
    names = {stage.name for stage in stages}
    if len(programs) < 2 or {name.lower() for name in programs} != {name.lower() for name in names}:
        return ""
    # `check` takes only exact names of stages, not Deal for deal; a file is always recognised as its stage's program.
    which = "fileBasenameNoExtension" if set(programs) == names else "relativeFile"
    return f"pitboss check ${{{which}}} --assignment {shlex.quote(called)}"


def _data_files(assignment: Assignment) -> dict[str, str]:
    """Samples of the files that programs read and that a submission may add."""
    declared = declared_of(assignment)
    samples = (*data_files_of(assignment.stages), *((declared.sample,) if declared else ()))
    return {sample.name: sample.text for sample in samples}


def program_of(stage: Stage, language: str) -> str:
    """The name of a stage's file in a language, without its suffix; class names begin with a capital letter."""
    names = (*stage.submitted_as, stage.name)
    record = languages.LANGUAGES.get(language)
    fitting = [
        name for name in names if name[:1].isupper() == (record is not None and record.has_capitalized_program_names)
    ]
    name = fitting[0] if fitting else names[0]
    return _capital(name) if record is not None and record.is_named_by_class else name


def _class_of(program: str) -> str:
    """The name of the class with `main` in a file with this name: Main if that is not a valid class name."""
    return program if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", program) else "Main"


def _suffix_of(language: str) -> str:
    """The suffix of sources in a language, with its dot; empty if unknown."""
    return languages.LANGUAGES[language].suffixes[0] if language in languages.LANGUAGES else ""


def _opening(samples: tuple[Sample, ...]) -> tuple[str, ...]:
    """The question with which a program begins; empty if it shows something else first."""
    events = samples[0].transcript.events if samples else ()
    if len(events) > 1 and isinstance(events[0], Shown) and isinstance(events[1], Typed):
        question = events[0].text.decode("utf-8", "replace")
        return () if "\n" in question else (question,)
    return ()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
