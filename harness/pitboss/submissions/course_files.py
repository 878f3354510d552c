"""Builds a program for which the course provides files: with the course's files, or with the submission's own files.

A submission with a makefile for the program is built with make. Otherwise, or if make fails, its sources are compiled
in each of the combinations that parts.py finds, until a build succeeds. The folder of a build contains the course's
files that are used, the submission's files, and the program.

The files of the folder given with --given replace the course files of the assignment.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import msgspec

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.errors import UsageError, as_found, did_you_mean
from pitboss.machine import removal
from pitboss.model.languages import is_c_source
from pitboss.model.words import shortlist
from pitboss.submissions.compilers import Build, Run
from pitboss.submissions.native import build_native, build_with_make, has_main
from pitboss.submissions.parts import Parts, parts_of, parts_of_make
from pitboss.submissions.sources import Source, copy_for_build, language_of_source, paths_in

_OPTION = "--given"


def with_course_folders(assignment: Assignment, arguments: Sequence[str]) -> Assignment:
    """Returns the assignment with the course files that --given names.

    Each of `arguments` is DIR, or STAGE=DIR for a single stage. Raises UsageError if a folder lacks a course file of a
    stage, or contains a file that students submit.
    """
    folders: dict[str, str] = {}
    for argument in arguments:
        stage, folder = _stage_and_folder(assignment, argument)
        if stage in folders:
            for_stage = f" for {stage}" if stage else ""
            raise UsageError(f"{_OPTION} {argument}: a folder is given already{for_stage}: {folders[stage]}")
        folders[stage] = folder
    if not folders:
        return assignment
    if not any(stage.given for stage in assignment.stages):
        raise UsageError(f"{_OPTION}: {assignment.name} has no stage with files that the course provides")
    stages = tuple(_with_folder(stage, folders.get(stage.name) or folders.get("", "")) for stage in assignment.stages)
    return msgspec.structs.replace(assignment, stages=stages)


def _stage_and_folder(assignment: Assignment, argument: str) -> tuple[str, str]:
    """Returns the name of the stage and the folder in an argument of --given; an empty name stands for all stages."""
    name, equals, folder = argument.partition("=")
    if not equals or Path(argument).is_dir():
        return "", argument
    stage = assignment.stage(name)
    if stage is None:
        names = [stage.name for stage in assignment.stages if stage.given]
        raise UsageError(
            f"{_OPTION} {argument}: {assignment.name} has no stage {as_found(name)} — stages with files that the "
            f"course provides are {shortlist(names, most=20) or 'none'}{did_you_mean(name, names)}"
        )
    if stage.given is None:
        raise UsageError(f"{_OPTION} {argument}: the course provides no files for {name}")
    return name, folder


def _with_folder(stage: Stage, path_as_given: str) -> Stage:
    """Returns a stage with the course files in the folder `path_as_given`: its path as the user wrote it.

    Returns the stage unchanged if the course provides no files for the stage, or if `path_as_given` is empty.
    """
    if stage.given is None or not path_as_given:
        return stage
    folder = Path(path_as_given)
    names = _files_in(folder)
    needed = _files_in(stage.given)
    missing = [name for name in needed if name not in names]
    if missing:
        contents = f"there is {shortlist(names, most=10)}" if names else "it is empty"
        raise UsageError(
            f"{_OPTION} {path_as_given}: there is no {' and no '.join(missing)} in it, and {stage.name} is built with "
            f"{shortlist(needed, most=20)}; {contents}{_letter_case_hint(missing, names)}"
        )
    submitted = [name for name in names if name in stage.sources]
    if submitted:
        verb = "is" if len(submitted) == 1 else "are"
        raise UsageError(
            f"{_OPTION} {path_as_given}: students submit {shortlist(submitted)}, which {verb} "
            "in this folder; give a folder with only the files that the course provides"
        )
    mains = [name for name in names if is_c_source(name) and has_main(folder / name)]
    if len(mains) > 1:
        raise UsageError(f"{_OPTION} {path_as_given}: {shortlist(mains)} define main, and a program has only one main")
    return msgspec.structs.replace(stage, given=folder.resolve(), given_as=path_as_given, is_given_by_option=True)


def _files_in(folder: Path) -> list[str]:
    """Returns the names of the files in a course's folder; raises UsageError if the folder cannot be read."""
    paths = paths_in(folder, "the folder of the files that the course provides", f"{_OPTION} ")
    return [path.name for path in paths if path.is_file()]


def _letter_case_hint(missing: Sequence[str], names: Sequence[str]) -> str:
    """Returns a clause on letter case if a missing file exists in another letter case; else empty."""
    missing_lower = {name.lower() for name in missing}
    return "; names are case-sensitive" if any(name.lower() in missing_lower for name in names) else ""


#: The maximum number of files that a sentence names.
_MAX_NAMED = 20
_OTHER_FILES_HINT = "If the course provided other files, name their folder with --given."


def missing_file_sentence(file: str, source: Source) -> str:
    """Returns a sentence on a missing file, without which a program of several files cannot be built."""
    return f"{file} is missing: {source.program} is built from {', '.join(source.files)}."


def build_with_course_files(source: Source, course_folder: Path, into: Path, run: Run) -> Build:
    """Builds a program in the new folder `into`, with the course's files in the folder `course_folder`.

    Returns the first successful build, or the most relevant failed build.
    """
    attempts = _attempts(source, course_folder)
    failures: list[Build] = []
    for tried_source, parts in attempts:
        if failures:
            removal.remove(str(into))
        _copy(tried_source, parts, into)
        if tried_source.language == "make":
            build = build_with_make(tried_source, into, run)
        else:
            build = _compile(tried_source, parts, into, run)
        if build.program is not None:
            sentence = f"Built with {_files_phrase(tried_source, parts)}.{_explanation(failures, attempts, parts)}"
            return msgspec.structs.replace(build, made_with=sentence)
        hint = f" {_OTHER_FILES_HINT}" if parts.used_course_files else ""
        sentence = f"Tried with {_files_phrase(tried_source, parts)}.{hint}"
        failures.append(msgspec.structs.replace(build, made_with=sentence))
        if build.was_stopped:
            break
    is_second_relevant = len(failures) > 1 and _second_uses_own_main(attempts)
    return failures[1] if is_second_relevant else failures[0]


def _second_uses_own_main(attempts: list[tuple[Source, Parts]]) -> bool:
    """Whether the second attempt uses headers and a main of the submission.

    The first attempt then uses these headers with the course's main, and its errors would mislead.
    """
    (first_source, _), (_, second_parts) = attempts[:2]
    return first_source.language != "make" and bool(second_parts.override_files and second_parts.main)


def _attempts(source: Source, course_folder: Path) -> list[tuple[Source, Parts]]:
    """Returns the sources and parts with which to try to build a program, the likeliest first."""
    if source.language != "make":
        return [(source, parts) for parts in parts_of(source, course_folder)]
    attempts = [(source, parts_of_make(source, course_folder))]
    if not source.files:
        return attempts
    language = language_of_source(source.files[0])
    source = msgspec.structs.replace(source, language=language, file=source.files[0])
    return attempts + [(source, parts) for parts in parts_of(source, course_folder)]


def _copy(source: Source, parts: Parts, into: Path) -> None:
    """Copies the files of a program, and copies misspelt files again under the names in the #include lines."""
    copy_for_build(source, into, parts.left_out, parts.unused_course_files)
    for file, name in parts.misspelt:
        if not (into / name).exists():
            shutil.copy2(into / file, into / name)


def _compile(source: Source, parts: Parts, into: Path, run: Run) -> Build:
    """Compiles a program from `parts`; returns the build.

    A file that the stage lists may be missing only if the submission has its own headers or its own main.
    """
    if parts.missing and not (parts.override_files or parts.main):
        return Build(None, reason=missing_file_sentence(parts.missing[0], source))
    build = build_native(source, parts.files, into, run, (".", *parts.folders))
    if build.program is None and parts.missing and not build.was_stopped:
        return msgspec.structs.replace(build, reason=missing_file_sentence(parts.missing[0], source))
    return build


def _files_phrase(source: Source, parts: Parts) -> str:
    """Returns the end of a sentence, after "with": the files that a program is built from."""
    names = [PurePosixPath(name).name for name in parts.override_files]
    if source.language == "make":
        names = [source.file]
    elif parts.main and parts.main not in source.files:
        names.append(PurePosixPath(parts.main).name)
    course_names = shortlist(parts.used_course_files, _MAX_NAMED) if parts.used_course_files else ""
    clauses = [f"its own {shortlist(names, _MAX_NAMED)}"] if names else []
    if parts.main in source.files:
        clauses.append(f"the main of its {PurePosixPath(parts.main).name}")
    if not clauses:
        return f"the course's files of {source.course_folder_label}"
    if not course_names:
        return " and ".join(clauses) + ("" if source.language == "make" else ", without the course's files")
    verb = "is" if len(parts.used_course_files) == 1 else "are"
    return f"{' and '.join(clauses)}; {course_names} {verb} the course's, of {source.course_folder_label}"


def _explanation(failures: list[Build], attempts: list[tuple[Source, Parts]], parts: Parts) -> str:
    """Returns sentences on a failed makefile, on files left out, and on misspelt file names; a space precedes each."""
    sentences = []
    if failures and attempts[0][0].language == "make":
        sentences.append(f"Its {attempts[0][0].file} does not build it: {failures[0].reason}")
    if parts.left_out:
        replaced_names = [PurePosixPath(name).name for name in parts.left_out]
        sentences.append(f"With its own {shortlist(replaced_names, _MAX_NAMED)} it cannot be built.")
    for file, name in parts.misspelt:
        file_name, included_as = PurePosixPath(file).name, PurePosixPath(name).name
        sentences.append(f"{file_name} is included as {included_as}: file names are case-sensitive here.")
    return "".join(f" {sentence}" for sentence in sentences)
