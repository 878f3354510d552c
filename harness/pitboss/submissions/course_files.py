"""Builds a program for which the course provides files, with these or with the submission's own files instead.

A submission with a makefile for the program is built with make. Otherwise, or if make fails, its sources are compiled
in each of the combinations that parts.py finds, until one succeeds:

    BUILDS/<stage>/      the course's files that are used, the submission's files, and the program
"""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath

import msgspec

from pitboss.sandbox import removal
from pitboss.submissions.compilers import Build, Run
from pitboss.submissions.native import by_make, compiled
from pitboss.submissions.parts import Parts, parts_of, parts_of_make
from pitboss.submissions.sources import Source, copy_of, language_of_source
from pitboss.submissions.submission import listed

_MAX_NAMED = 20
_OTHERS = "If the course provided other files, name their folder with --given."


def is_missing(file: str, source: Source) -> str:
    """A sentence on why a program of several files cannot be built without this one."""
    return f"There is no {file}: {source.program} is made of {', '.join(source.files)}."


def with_course_files(source: Source, given: Path, into: Path, run: Run) -> Build:
    """Build a program in the new folder `into`: the first attempt that succeeds, or the most relevant failure."""
    ways = _ways_to_build(source, given)
    failures: list[Build] = []
    for source, parts in ways:
        if failures:
            removal.remove(str(into))
        _copy(source, parts, into)
        build = by_make(source, into, run) if source.language == "make" else _compiled(source, parts, into, run)
        if build.program is not None:
            sentence = f"Built with {_ingredients(source, parts)}.{_explain_choice(failures, ways, parts)}"
            return msgspec.structs.replace(build, made_with=sentence)
        sentence = f"Tried with {_ingredients(source, parts)}.{f' {_OTHERS}' if parts.given else ''}"
        failures.append(msgspec.structs.replace(build, made_with=sentence))
        if build.was_stopped:
            break
    # A submission with its own headers and main does not use the course's main: errors about that would mislead.
    is_whole = len(failures) > 1 and bool(ways[1][1].own and ways[1][1].main)
    return failures[1 if is_whole and ways[0][0].language != "make" else 0]


def _ways_to_build(source: Source, given: Path) -> list[tuple[Source, Parts]]:
    """The ways to build a program, the likeliest first."""
    if source.language != "make":
        return [(source, parts) for parts in parts_of(source, given)]
    ways = [(source, parts_of_make(source, given))]
    if not source.files:
        return ways
    language = language_of_source(source.files[0])
    source = msgspec.structs.replace(source, language=language, file=source.files[0])
    return ways + [(source, parts) for parts in parts_of(source, given)]


def _copy(source: Source, parts: Parts, into: Path) -> None:
    copy_of(source, into, parts.left_out, parts.not_given)
    for file, name in parts.misspelt:
        if not (into / name).exists():
            shutil.copy2(into / file, into / name)


def _compiled(source: Source, parts: Parts, into: Path, run: Run) -> Build:
    """Compiles the program from these parts.

    A listed file may be missing only if the submission has other files than the course expects.
    """
    if parts.missing and not (parts.own or parts.main):
        return Build(None, reason=is_missing(parts.missing[0], source))
    build = compiled(source, parts.files, into, run, (".", *parts.folders))
    if build.program is None and parts.missing and not build.was_stopped:
        return msgspec.structs.replace(build, reason=is_missing(parts.missing[0], source))
    return build


def _ingredients(source: Source, parts: Parts) -> str:
    """The files that a program is built with, as the end of a sentence."""
    names = [PurePosixPath(name).name for name in parts.own]
    if source.language == "make":
        names = [source.file]
    elif parts.main and parts.main not in source.files:
        names.append(PurePosixPath(parts.main).name)
    given = listed(parts.given, _MAX_NAMED) if parts.given else ""
    clauses = [f"its own {listed(names, _MAX_NAMED)}"] if names else []
    if parts.main in source.files:
        clauses.append(f"the main of its {PurePosixPath(parts.main).name}")
    if not clauses:
        return f"the course's files of {source.given_as}"
    if not given:
        return " and ".join(clauses) + ("" if source.language == "make" else ", without the course's files")
    verb = "is" if len(parts.given) == 1 else "are"
    return f"{' and '.join(clauses)}; {given} {verb} the course's, of {source.given_as}"


def _explain_choice(failures: list[Build], ways: list[tuple[Source, Parts]], parts: Parts) -> str:
    """Sentences on earlier attempts that failed and on what was changed, each preceded by a blank."""
    sentences = []
    if failures and ways[0][0].language == "make":
        sentences.append(f"Its {ways[0][0].file} does not build it: {failures[0].reason}")
    if parts.left_out:
        own = [PurePosixPath(name).name for name in parts.left_out]
        sentences.append(f"With its own {listed(own, _MAX_NAMED)} it cannot be built.")
    for file, name in parts.misspelt:
        known, spelt = PurePosixPath(file).name, PurePosixPath(name).name
        sentences.append(f"{known} is included as {spelt}: file names are case-sensitive here.")
    return "".join(f" {sentence}" for sentence in sentences)
