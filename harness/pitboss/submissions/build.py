"""Building a submission: from a student's folder to one program for each stage.

A student's folder is never written to. Each stage is built in a separate copy:

    BUILDS/<stage>/      the copied sources, and the program built from them

If several stages share a C or C++ program, it is built for one of them, and that build is copied for the others.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import msgspec

from pitboss.errors import ShortageError, UsageError
from pitboss.model.languages import packages_of
from pitboss.sandbox import removal
from pitboss.sandbox.retry import refusal_error
from pitboss.sandbox.sandbox import Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.compilers import Build
from pitboss.submissions.confined_commands import DEFAULT_ALLOWANCE, Allowance, CommandOutcome, run_confined
from pitboss.submissions.course_files import build_with_course_files
from pitboss.submissions.lacks import lack_in, lack_of_room, wait_for_room
from pitboss.submissions.native import COMPILERS
from pitboss.submissions.sources import Source, copy_for_build
from pitboss.submissions.toolchains import Toolchain, toolchains_of
from pitboss.submissions.trials import why_toolchain_fails


def build(source: Source, into: Path, conditions: Conditions, *, flags: tuple[str, ...] = ()) -> Build:
    """Builds a stage in the new folder `into`, with the first toolchain of its language that works here.

    `flags` are extra flags for the C or C++ compiler. A build that fails because this machine lacks something is tried
    once more; if the build fails again, or if no toolchain works under `conditions`, `is_fault` is set in the result.
    Raises UsageError if this machine has no toolchain or the submission cannot be read, SessionError if the disk has no
    room for the copied sources.
    """
    try:
        toolchain, unusable_clauses = first_working_toolchain(source.language, conditions)
    except ShortageError as error:
        toolchain, unusable_clauses = None, [str(error)]
    if toolchain is None and not unusable_clauses:  # nothing is installed
        toolchain = _missing_toolchain(source)
    if toolchain is None:
        reason = f"{source.program} could not be built on this machine: {'; '.join(unusable_clauses)}."
        return Build(None, reason=reason, is_fault=True)
    result = _build_with_retry(source, into, toolchain, conditions.sandbox, flags)
    toolchain_note = f"{'; '.join(unusable_clauses)}. It was built by {toolchain.title}." if unusable_clauses else ""
    return msgspec.structs.replace(result, made_with=" ".join(filter(None, (toolchain_note, result.made_with))))


def _missing_toolchain(source: Source) -> Toolchain:
    """Returns the toolchain to report as missing when none is installed for the language of `source`.

    Raises UsageError for C#, which has two toolchains.
    """
    if source.language == "csharp":
        raise UsageError(
            f"{source.folder / source.file}: this machine has neither dotnet nor mcs to build it with; "
            "on Ubuntu: apt install dotnet-sdk-8.0; on Debian: apt install mono-mcs"
        )
    return toolchains_of(source.language)[0]


def first_working_toolchain(language: str, conditions: Conditions) -> tuple[Toolchain | None, list[str]]:
    """Returns the first toolchain of a language that works under these conditions, or None if no toolchain works.

    Also returns a clause on each installed toolchain that was tried before and does not work. If there is neither a
    toolchain nor a clause, no toolchain is installed. Raises SessionError if this machine has no room for a trial now.
    """
    unusable_clauses: list[str] = []
    for toolchain in toolchains_of(language):
        if not toolchain.is_installed:
            continue
        reason = why_unusable(toolchain, conditions)
        if not reason:
            return toolchain, unusable_clauses
        unusable_clauses.append(f"{toolchain.title} does not work here: {reason}")
    return None, unusable_clauses


#: The results of `why_unusable`, by language, title and conditions: a process tries each toolchain only once.
_TRIED: dict[tuple[str, str, Conditions], str] = {}


def why_unusable(toolchain: Toolchain, conditions: Conditions) -> str:
    """Returns a clause on why a toolchain cannot build and run programs under these conditions; empty if it can.

    Raises SessionError if this machine has no room for a trial now.
    """
    key = toolchain.language, toolchain.title, conditions
    if key not in _TRIED:
        build_by_toolchain = partial(_build_with_retry, sandbox=conditions.sandbox)
        _TRIED[key] = why_toolchain_fails(toolchain, conditions, build_by_toolchain)
    return _TRIED[key]


def _build_with_retry(
    source: Source, into: Path, toolchain: Toolchain, sandbox: Sandbox, flags: tuple[str, ...] = ()
) -> Build:
    """Builds a stage, and builds it once more if this machine lacked something."""
    try:
        return _build_once(source, into, toolchain, sandbox, flags)
    except _LackError:
        removal.remove(str(into))
        wait_for_room(into.parent)
    try:
        return _build_once(source, into, toolchain, sandbox, flags)
    except _LackError as error:
        return Build(
            None, reason=f"{source.program} could not be built on this machine, twice: {error}.", is_fault=True
        )


class _LackError(Exception):
    """A build failed because this machine lacks something, which the message names."""


def _build_once(source: Source, into: Path, toolchain: Toolchain, sandbox: Sandbox, flags: tuple[str, ...]) -> Build:
    """Builds a stage once; raises _LackError if the build failed because this machine lacks something."""

    def run(*argv: str, allowance: Allowance = DEFAULT_ALLOWANCE) -> CommandOutcome:
        if shutil.which(argv[0]) is None:
            sentence = f"{source.folder / source.file}: this machine has no {argv[0]} to build it with"
            raise UsageError(f"{sentence}; on Debian: apt install {packages_of(argv[0])}")
        outcome = run_confined([*argv, *flags], into, sandbox, allowance)
        into.chmod(0o755)  # a makefile may have removed the permissions, which affects every user but root
        if outcome.shortage_clause:
            raise _LackError(f"{Path(argv[0]).name}: {outcome.shortage_clause}")
        return outcome

    try:
        if source.course_files_folder is not None and (source.language == "make" or source.language in COMPILERS):
            build = build_with_course_files(source, source.course_files_folder, into, run)
        else:
            copy_for_build(source, into)
            build = toolchain.build(source, into, run)
    except OSError as error:
        raise refusal_error(f"{source.folder}: it could not be copied", error) from error
    into.chmod(0o755)
    if build.was_stopped:  # the stopped command may have filled the disk
        removal.empty(str(into))
    # A makefile may ignore that a command failed because this machine lacks something: then make still exits with 0.
    lack = "" if build.program or build.was_stopped else lack_of_room(into.parent) or lack_in(build.messages)
    if lack:
        raise _LackError(lack)
    return build


def copied_build(build: Build, original: Source, source: Source, into: Path) -> Build | None:
    """Returns the build of `source` in the new folder `into`, as a copy of `build`, the build of the source `original`.

    Returns None if `source` must be built separately, for example because it differs in more than the program's name.
    Makefiles and compilers of other languages always run again, since their output may depend on the name.
    """
    program = build.program
    if (
        original.language not in COMPILERS
        or msgspec.structs.replace(original, program=source.program) != source
        or program is None
    ):
        return None
    # The submission's own file of this name would be lost, or replaced, when the program is renamed.
    if (original.folder / original.program).exists() or (program.folder / source.program).exists():
        return None
    try:
        shutil.copytree(program.folder, into)
        (into / original.program).rename(into / source.program)
    except OSError as error:
        raise refusal_error(f"{source.folder}: it could not be copied", error) from error
    into.chmod(0o755)
    program = msgspec.structs.replace(program, argv=(str(into / source.program),), folder=into)
    command = build.command.replace(f"-o {original.program} ", f"-o {source.program} ", 1)
    return msgspec.structs.replace(build, program=program, command=command)
