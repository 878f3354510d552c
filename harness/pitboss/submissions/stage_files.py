"""Finds the source of a stage's program in a student's folder, and files that may have been meant as that program.

The program of a stage is one of, in any letter case:

    <stage>.c, .cpp, .py …             named after the stage, or by another name that the stage allows
    Makefile, CMakeLists.txt …         a project that makes a program of one of these names: see projects.py
    the stage's own list of sources    built together with the files that the course provides
    main.c, Program.cs …               the only program of its folder, if the folder is named after the stage, or if
                                       the assignment has no other program

A misnamed source, a compiled program, a document or an archive may have been meant as a program.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.machine.files import head_of
from pitboss.model.languages import BY_SUFFIX, LANGUAGES, language_name_for, language_of, suffix_of
from pitboss.submissions.archives import is_archive
from pitboss.submissions.native import has_main
from pitboss.submissions.projects import project_above, project_files_in, top_of
from pitboss.submissions.sources import Source, folders_below, language_of_source

#: The names, without suffix, that editors give to the only program of a project.
USUAL_NAMES = ("main", "program")
#: Folders that are named by their place in a project.
_PLACES = ("src", "source", "main", "java")
#: The number of file names that a sentence gives as examples.
_MAX_EXAMPLES = 2


def expected_files(stage: Stage) -> tuple[str, ...]:
    """Returns the file names that a stage accepts, the likeliest first."""
    return (*stage.sources, *(f"{name}{suffix}" for name in program_names(stage) for suffix in BY_SUFFIX))


def likely_files(stage: Stage) -> list[str]:
    """Returns examples of file names that a stage accepts, for a sentence; the course's language comes first."""
    course_language = LANGUAGES.get(language_name_for(stage.language)) if stage.language else None
    files = expected_files(stage)
    if course_language is None or stage.sources:
        return list(files[:_MAX_EXAMPLES])
    files_in_language = [
        file
        for file in files
        if language_of(file) is course_language
        and (file[:1].isupper() or not course_language.has_capitalized_program_names)
    ]
    return [*files_in_language[:1], *(file for file in files if file not in files_in_language)][:_MAX_EXAMPLES]


def is_expected(name: str, stage: Stage) -> bool:
    """Whether a stage accepts a file of this name, in any letter case."""
    return name.lower() in {expected.lower() for expected in expected_files(stage)}


def candidates_in(names: Collection[str], stage: Stage) -> list[str]:
    """Returns the files that are named after a stage, in any letter case, the likeliest first."""
    expected_names = expected_files(stage)[len(stage.sources) :]
    # In reversed order, so that the first of several names with the same lower-case name determines the rank.
    rank_by_lower_case = {name.lower(): rank for rank, name in reversed(list(enumerate(expected_names)))}

    def sort_key(name: str) -> tuple[int, str]:
        """Sorts names in the expected letter case before all others."""
        if name in expected_names:
            return expected_names.index(name), name
        return len(expected_names) + rank_by_lower_case[name.lower()], name

    return sorted((name for name in names if name.lower() in rank_by_lower_case), key=sort_key)


def program_names(stage: Stage) -> tuple[str, ...]:
    """Returns the names that a stage's program may have, also capitalised: Java and C# files are named like classes."""
    names = (stage.name, *stage.submitted_as)
    return tuple(dict.fromkeys((*names, *(name[:1].upper() + name[1:] for name in names))))


def listed_in(stage: Stage, names: Collection[str]) -> dict[str, list[str]]:
    """Finds a stage's list of sources among `names`; maps each source to other files that could have been meant.

    The letter case of a file may differ from the stage's list, and so may the suffix if it is of the same language. A
    missing source is included under the name in the stage's list. If all sources are missing, the result is empty.
    """
    files: dict[str, list[str]] = {}
    has_any = False
    for name in stage.sources:
        suffixes = BY_SUFFIX[suffix_of(name)].suffixes if suffix_of(name) in BY_SUFFIX else ()
        accepted_names = [name.lower(), *(f"{Path(name).stem.lower()}{suffix}" for suffix in suffixes)]
        matches = [candidate for candidate in names if candidate.lower() in accepted_names]
        matches.sort(key=lambda match: (match != name, accepted_names.index(match.lower()), match))
        has_any = has_any or bool(matches)
        files[matches[0] if matches else name] = matches[1:]
    return files if has_any else {}


def find_source(folder: Path, stage: Stage) -> Source | None:
    """Returns the only source of a stage in a submission's folder or below it; None if there is not exactly one.

    Raises UsageError if the folder cannot be read.
    """
    sources = sources_in(folders_below(folder), stage)
    return sources[0] if len(sources) == 1 else None


def sources_in(folders: Sequence[tuple[Path, frozenset[str]]], stage: Stage) -> list[Source]:
    """Returns the sources of a stage among the files of these folders; does not search below a folder with a source.

    Raises UsageError if a file cannot be read.
    """
    names_by_folder = dict(folders)
    for find in (_named_source, _usual_source):
        sources: list[Source] = []
        for folder, names in folders:
            if not any(source.folder in folder.parents for source in sources):
                source = find(folder, names, stage)
                sources += [source] if source else []
        projects = [project_above(source.folder, names_by_folder, source.language) for source in sources]
        is_test = [project is not None and project.matches(project.kind.tests) for project in projects]
        tests = [source for source, is_apart in zip(sources, is_test, strict=True) if is_apart]
        usual = [source for source in sources if _usual_files([source.file])]  # any project may have such a file
        vague = [source for source in usual if not _is_folder_of(stage, source.folder)]
        for less_likely in (tests, vague):
            sources = [source for source in sources if source not in less_likely] or sources
        if sources:
            return [_in_project(sources[0], names_by_folder, stage)] if len(sources) == 1 else sources
    return []


def _named_source(folder: Path, names: frozenset[str], stage: Stage) -> Source | None:
    """Returns the source of a stage among the files `names` of a folder, by the names that the stage accepts."""
    listed = listed_in(stage, names)
    for project in project_files_in(folder, names):
        target = next(filter(None, map(project.program_named, program_names(stage))), "")
        # The course's files are added to the files of a makefile only.
        if target and (not project.kind.languages or not (listed or stage.given)):
            files = tuple(listed)
            return Source(folder, project.kind.name, project.path.name, target, files=files, **_course_fields(stage))
    if listed:
        return _source_of_files(folder, listed, stage)
    candidates = candidates_in(names, stage)
    if not candidates:
        return None
    file, *others = candidates
    passed_over = tuple((file, other) for other in others)
    return Source(folder, language_of_source(file), file, stage.name, passed_over=passed_over, flags=stage.flags)


def _usual_source(folder: Path, names: frozenset[str], stage: Stage) -> Source | None:
    """Returns the source of a stage among the files `names` of a folder, by the names that editors give."""
    projects = list(project_files_in(folder, names))
    is_named = any(project.path.stem.lower() in map(str.lower, program_names(stage)) for project in projects)
    if not is_named and not (stage.is_only or _is_folder_of(stage, folder)):
        return None
    for project in projects:
        if project.matches(project.kind.any_program) and not project.matches(project.kind.tests) and not stage.given:
            return Source(folder, project.kind.name, project.path.name, stage.name, flags=stage.flags)
    usual = _usual_files(names)
    if not {*map(language_of_source, usual)}.isdisjoint(map(language_of_source, stage.sources)):
        return None  # the stage has several files in that language
    if len(usual) != 1 or any(has_main(folder / name) for name in names if language_of(name) and name not in usual):
        return None
    return Source(folder, language_of_source(usual[0]), usual[0], stage.name, flags=stage.flags)


def _is_folder_of(stage: Stage, folder: Path) -> bool:
    """Whether a folder, or the folder of the project that it is a part of, is named after a stage."""
    outer = (path.name.lower() for path in (folder.resolve(), *folder.resolve().parents))
    name = next((name for name in outer if name not in _PLACES), "")
    return name in map(str.lower, program_names(stage))


def _in_project(source: Source, folders: Mapping[Path, frozenset[str]], stage: Stage) -> Source:
    """Returns a source as the source of the project that it belongs to, if there is one."""
    project = project_above(source.folder, folders, source.language)
    if project is None or not project.kind.languages or stage.given or source.files:
        return source
    top = top_of(project, folders)
    below = [folder for folder in folders if source.folder in (folder, *folder.parents)]
    mains = [source.folder / source.file] if language_of(source.file) else []
    mains += [folder / name for folder in below for name in candidates_in(folders[folder], stage)]
    mains += [folder / name for folder in below for name in _usual_files(folders[folder])]
    names = [
        path.relative_to(top).as_posix() for path in mains if language_of_source(path.name) in project.kind.languages
    ]
    file, main = project.path.relative_to(top).as_posix(), next(iter(names), "")
    return msgspec.structs.replace(source, folder=top, language=project.kind.name, file=file, main=main)


def _usual_files(names: Collection[str]) -> list[str]:
    """Returns the sources that are named as editors name the only program of a project."""
    return sorted(name for name in names if language_of(name) and Path(name).stem.lower() in USUAL_NAMES)


def _source_of_files(folder: Path, listed: Mapping[str, list[str]], stage: Stage) -> Source:
    files = tuple(listed)
    passed_over = tuple((name, other) for name, others in listed.items() for other in others)
    fields = {"files": files, "passed_over": passed_over, **_course_fields(stage)}
    return Source(folder, language_of_source(files[0]), files[0], stage.name, **fields)


def _course_fields(stage: Stage) -> dict[str, Any]:
    """Returns the fields of a `Source` that describe the course's folder and its flags."""
    return {"course_files_folder": stage.given, "course_folder_label": stage.given_as, "flags": stage.flags}


def source_of_file(file: Path, stage: Stage, *, is_alone: bool) -> Source | None:
    """Returns a file with any name as the source of a stage; None if its suffix belongs to no known language.

    If `is_alone`, the file is built without the other files of its folder.
    """
    language = language_of(file)
    if language is None:
        return None
    listed = {} if is_alone else listed_in(stage, os.listdir(file.parent))
    if file.name in listed:
        return _source_of_files(file.parent, listed, stage)
    return Source(file.parent, language.name, file.name, stage.name, is_alone=is_alone, flags=stage.flags)


#: The first bytes of compiled files: ELF, Windows, Java, Mach-O.
_COMPILED_MAGIC = (b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa")
#: The first bytes of documents: office files (which are zip or OLE), PDF and rich text.
_DOCUMENT_MAGIC = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF", b"{\\rtf")
_MAX_MAGIC_BYTES = max(map(len, (*_COMPILED_MAGIC, *_DOCUMENT_MAGIC)))
#: The maximum number of sentences.
_MAX_SENTENCES = 3
#: How similar two names must be to count as close, from 0 to 1: see difflib.
_MIN_SIMILARITY = 0.75


def sentences_on_likely_programs(paths: Iterable[Path], stage: Stage, *, has_code: bool) -> list[str]:
    """Returns a sentence for each file that may have been meant as a stage's program, for at most three files.

    `has_code`: whether the submission has sources. If so, only the names of the files are examined, not the contents.
    """
    sentences = (_sentence_on(path, stage, has_code=has_code) for path in sorted(paths))
    return [sentence for sentence in sentences if sentence][:_MAX_SENTENCES]


def closest_expected_name(name: str, stage: Stage) -> str:
    """Returns the file name that a stage expects and `name` resembles; empty if `name` is expected or resembles none.

    Such a name has an additional suffix (sums.c.txt), text after the stage's name (sums (1).c), or one or two wrong
    letters.
    """
    if is_expected(name, stage):
        return ""
    for expected in expected_files(stage):
        stem, suffix = Path(expected).stem.lower(), Path(expected).suffix.lower()
        if re.match(rf"{re.escape(expected.lower())}[^a-z0-9]", name.lower()):
            return expected
        actual = Path(name.lower())
        if actual.suffix == suffix and (
            re.match(rf"{re.escape(stem)}[^a-z]", actual.stem) or _is_similar(actual.stem, stem)
        ):
            return expected
    return ""


def _is_similar(name: str, other: str) -> bool:
    return bool(difflib.get_close_matches(name, [other], cutoff=_MIN_SIMILARITY))


def _sentence_on(path: Path, stage: Stage, *, has_code: bool) -> str:
    """Returns a sentence on a file that may have been meant as a stage's program; empty if nothing suggests that."""
    if expected_name := closest_expected_name(path.name, stage):
        return f"{path.name} would be graded if it were named {expected_name}."
    if has_code:
        return ""
    if is_archive(path):  # only archives within archives are passed here
        return f"{path.name} is an archive in an archive, which is not unpacked: hand it in separately."
    beginning = head_of(path, _MAX_MAGIC_BYTES, follows_links=False)
    if beginning.startswith(_COMPILED_MAGIC):
        return f"{path.name} is a compiled program: the source that it was made from is missing."
    if beginning.startswith(_DOCUMENT_MAGIC):
        return f"{path.name} is a document, not a program: save its text as {likely_files(stage)[0]}."
    return ""
