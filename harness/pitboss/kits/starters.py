"""Starter kits: skeletons of the programs, a makefile or projects, tasks for an editor, and a handout.

A kit uses the templates of its language, or templates of the assignment:

    student_templates/<language>/…                  program.<suffix>.j2, Makefile.j2 or project.csproj.j2
    student_templates/<assignment>/<language>/…     any files, each a template
    student_templates/handout.md.j2
    student_templates/tasks.json.j2                 .vscode/tasks.json, with <language>/matcher.json
    student_templates/generators/<generator>.md.j2  how to call the generator from each language

A student whose folder has no program to check, or a program under a wrong name, gets a next step instead.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import HarnessError, UsageError, as_found, did_you_mean
from pitboss.kits.handouts import handout_files, handout_values
from pitboss.kits.samples import Sample, check_names, data_files_of, declaration_file_of, samples_of
from pitboss.model.languages import LANGUAGES, language_name_for, language_of
from pitboss.model.transcript import Shown, Typed
from pitboss.model.words import joined, shortlist
from pitboss.reports.templates import fill_template
from pitboss.submissions.sources import folders_below
from pitboss.submissions.stage_files import closest_expected_name, sources_in
from pitboss.submissions.submission import encodable

#: The languages with templates of skeletons.
KIT_LANGUAGES = tuple(sorted(name for name, language in LANGUAGES.items() if language.has_kit))
#: The template of the project file of a program, in a language whose kits have projects and no makefile.
_PROJECT = "project.csproj.j2"
#: The makefile of a kit without skeletons.
_CHECK_ONLY_MAKEFILE = """\
# This makefile only checks the programs. How they are built is up to you.
check:
\tpitboss check --assignment {}

.PHONY: check
"""


def has_kit(language: str) -> bool:
    """Whether there are skeletons in a language, given by any of its names; an empty name means C."""
    return (language_name_for(language) or "c") in KIT_LANGUAGES


def kit_of(
    assignment: Assignment, language: str, templates: Path, *, called: str = "", may_lack_programs: bool = False
) -> dict[str, str]:
    """The files of a starter kit by name, in a language given by any of its names; an empty name means C.

    `called` is the assignment's name on the command line, if it differs from the name in the assignment. Raises
    UsageError for a language without templates, unless `may_lack_programs`: then there are no skeletons, and the
    makefile only checks. Also raises UsageError if a data file has the same name as another file of the kit.
    """
    if not has_kit(language) and not may_lack_programs:
        raise UsageError(
            f"there is no starter kit in {as_found(language)} — there are "
            f"{', '.join(KIT_LANGUAGES)}{did_you_mean(language_name_for(language), KIT_LANGUAGES)}"
        )
    declared = declaration_file_of(assignment)
    samples = (*data_files_of(assignment.stages), *((declared.sample,) if declared else ()))
    data_files = {sample.name: sample.text for sample in samples}
    kit_files = _kit_files(assignment, language_name_for(language) or "c", templates, called or assignment.name)
    check_names(assignment, data_files, kit_files)
    return data_files | kit_files


def _kit_files(assignment: Assignment, language: str, templates: Path, called: str) -> dict[str, str]:
    """All files of a kit by name, except the data files of the sessions."""
    stages = tuple(stage for stage in assignment.stages if not stage.is_optional)
    samples = {stage.name: samples_of(stage) for stage in assignment.stages}
    common, own, record = templates / language, templates / assignment.name / language, LANGUAGES.get(language)
    has_projects, is_own = (common / _PROJECT).is_file(), own.is_dir()
    programs = tuple(dict.fromkeys(program_name_of(stage, language) for stage in stages))
    files_by_program = {
        program: _file_of(program, language, has_project=has_projects, is_only=len(programs) == 1)
        for program in programs
    }
    sources = tuple(dict.fromkeys(source for stage in stages for source in stage.sources)) if is_own else ()
    file_names = sources or tuple(files_by_program.values())
    option = f"--assignment {shlex.quote(called)}"
    check_command = f"pitboss check {option}" if has_projects else "make check"
    builds = [f"dotnet build {Path(name).parent}" for name in file_names]
    values: dict[str, object] = {
        "assignment": shlex.quote(called).replace("$", "$$"),  # in a makefile, $$ is a dollar sign
        "title": assignment.title,
        "programs": programs,
        "classes": [(program, _class_of(program)) for program in programs],
        "language": language,
        "is_interpreted": record is not None and record.is_interpreted,
        "build_command": " && ".join(builds) if has_projects else "make",
        "check_command": check_command,
        "checks_one": _check_command(stages, programs, file_names, called),
        "watching": f"pitboss check --watch {option}",
        "has_tasks": has_kit(language),
        "generator": "",
    }
    if assignment.generator:
        values["generator"] = fill_template(templates, f"generators/{assignment.generator}.md.j2", values).strip()
    handout = values | handout_values(assignment, samples, file_names, called, check_command)
    files = handout_files(assignment.title, fill_template(templates, "handout.md.j2", handout))
    if has_kit(language):
        files[".vscode/tasks.json"] = fill_template(templates, "tasks.json.j2", values)
    if is_own:
        names = sorted(path.relative_to(own).as_posix() for path in own.rglob("*.j2"))
        return files | {name.removesuffix(".j2"): fill_template(own, name, values) for name in names}
    if language not in KIT_LANGUAGES:
        return files | {"Makefile": _CHECK_ONLY_MAKEFILE.format(values["assignment"])}
    if not has_projects:
        files["Makefile"] = fill_template(common, "Makefile.j2", values)
    for stage in stages:
        program = program_name_of(stage, language)
        file, opening = files_by_program[program], _opening(samples[stage.name])
        skeleton = {"title": _with_capital(stage.title), "opening": opening, "program": program}
        skeleton["class"] = _class_of(program)
        files.setdefault(file, fill_template(common, f"program{_suffix_of(language)}.j2", values | skeleton))
        if has_projects:
            # dotnet would compile the sources of a bundle's reference with the program.
            project = fill_template(common, _PROJECT, {"has_specs": called.startswith("specs/") and "/" not in file})
            name = _with_capital(assignment.name if program == "Program" else program)
            files[Path(file).with_name(f"{name}.csproj").as_posix()] = project
    return files


def _check_command(stages: Sequence[Stage], programs: Sequence[str], file_names: Sequence[str], called: str) -> str:
    """An editor's command that checks the program in the open file.

    Empty if there are fewer than two programs, or if programs and stages differ in name, even without regard to case.
    """
    names = {stage.name for stage in stages}
    if len(programs) < 2 or {name.lower() for name in programs} != {name.lower() for name in names}:
        return ""
    # `check` accepts only exact names of stages, not Sums for sums; a file is always recognised as its stage's program.
    is_named_by_stage = set(programs) == names == {Path(name).stem for name in file_names}
    editor_variable = "fileBasenameNoExtension" if is_named_by_stage else "relativeFile"
    return f"pitboss check ${{{editor_variable}}} --assignment {shlex.quote(called)}"


def program_name_of(stage: Stage, language: str) -> str:
    """The name of a stage's file in a language, without its suffix.

    It is the first of the stage's names that begins with a capital letter exactly if names of programs in the language
    do; if no name does, simply the first name. A file named by its class always gets a capital letter.
    """
    names = (*stage.submitted_as, stage.name)
    record = LANGUAGES.get(language)
    is_capitalized = record is not None and record.has_capitalized_program_names
    name = next((name for name in names if name[:1].isupper() == is_capitalized), names[0])
    return _with_capital(name) if record is not None and record.is_named_by_class else name


def _file_of(program: str, language: str, *, has_project: bool, is_only: bool) -> str:
    """The path of a program's file in a kit; with a project, a program has its own folder unless it is the only one."""
    suffix = _suffix_of(language)
    if not has_project:
        return f"{program}{suffix}"
    return f"Program{suffix}" if is_only else f"{_with_capital(program)}/Program{suffix}"


def _class_of(program: str) -> str:
    """The name of the class with `main` in a file with this name: Main if that is not a valid class name."""
    return program if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", program) else "Main"


def _suffix_of(language: str) -> str:
    """The suffix of sources in a language, with its dot; empty if unknown."""
    return LANGUAGES[language].suffixes[0] if language in LANGUAGES else ""


def _opening(samples: tuple[Sample, ...]) -> tuple[str, ...]:
    """The question with which the first sample begins, as the only element; empty if it begins otherwise."""
    events = samples[0].transcript.events if samples else ()
    if len(events) > 1 and isinstance(events[0], Shown) and isinstance(events[1], Typed):
        question = events[0].text.decode("utf-8", "replace")
        return () if "\n" in question else (question,)
    return ()


def _with_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


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
    course_language = LANGUAGES.get(language_name_for(assignment.language), LANGUAGES["c"])
    suffix = Path(sources[0]).suffix.lower() if sources else course_language.suffixes[0]
    names = list(dict.fromkeys(_file_name_of(stage, suffix) for stage in required_stages))
    if sources:
        example = f"pitboss check {shlex.quote(str(folder / sources[0]))} {stages[0].name} {option}"
        hint = " after its stage:" if len(names) > 1 else ""
        verb = "name it" if len(sources) == 1 else "name each"
        return f"next: {verb}{hint} {joined(names, 'or')}; or say which stage it is, as in\n  {example}"
    is_bundle = not all(stage.has_reference for stage in stages)  # a bundle already has its handout
    if is_bundle or not has_kit(assignment.language):
        return f"next: save your first program as {names[0]}"
    hint = f"or begin with a skeleton and the handout:\n  pitboss starter {shlex.quote(called)} --into NEW-FOLDER"
    return f"next: save your first program as {names[0]}, {hint}"


def _file_name_of(stage: Stage, suffix: str) -> str:
    """The file name under which a stage is submitted, with this suffix; if the stage names its sources, these names."""
    if stage.sources:
        return shortlist(stage.sources)
    name = (stage.submitted_as or (stage.name,))[0] if stage.reader else stage.name
    language = language_of(f"{name}{suffix}")
    is_class = language is not None and language.is_named_by_class
    return f"{_with_capital(name) if is_class else name}{suffix}"


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
