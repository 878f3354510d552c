"""Building a submission: from a student's folder to one program for each stage.

A student's folder is never written to. Each stage is built in a copy of its own:

    BUILDS/<stage>/      the copied sources, and the program built from them

Stages that are one program of C or C++ are built once, and the others copied from that.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

import msgspec

from pitboss.errors import ShortageError, UsageError
from pitboss.model.languages import packages_of
from pitboss.sandbox import removal
from pitboss.sandbox.retry import refused
from pitboss.sandbox.sandbox import Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.compilers import Build
from pitboss.submissions.confined_commands import USUAL, Allowance, CommandOutcome, run_confined
from pitboss.submissions.course_files import with_course_files
from pitboss.submissions.lacks import lack_in, lack_of_room, wait_for_room
from pitboss.submissions.native import COMPILERS
from pitboss.submissions.sources import Source, copy_of
from pitboss.submissions.toolchains import Toolchain, toolchains_of
from pitboss.submissions.trials import refusal_of


def build(source: Source, into: Path, conditions: Conditions, *, flags: tuple[str, ...] = ()) -> Build:
    """Build a stage in the new folder `into`, by the first toolchain of its language that works under these conditions.

    `flags` are extra flags for the C or C++ compiler. What fails for want of something of this machine is built once
    more, and then it is a fault, as it is where no toolchain works. Raises UsageError if this machine has none or the
    submission cannot be read, SessionError if there is no room for the copy.
    """
    try:
        toolchain, refusals = first_that_works(source.language, conditions)
    except ShortageError as error:
        toolchain, refusals = None, [str(error)]
    if toolchain is None and not refusals:  # nothing is installed
        toolchain = _missing(source)
    if toolchain is None:
        reason = f"{source.program} could not be built on this machine: {'; '.join(refusals)}."
        return Build(None, reason=reason, is_fault=True)
    made = _twice(source, into, toolchain, conditions.sandbox, flags)
    passed_over = f"{'; '.join(refusals)}. It was built by {toolchain.title}." if refusals else ""
    return msgspec.structs.replace(made, made_with=" ".join(filter(None, (passed_over, made.made_with))))


def _missing(source: Source) -> Toolchain:
    """The toolchain that says what is missing, where a language has none here; UsageError where it has several."""
    if source.language == "csharp":
        raise UsageError(
            f"{source.folder / source.file}: this machine has neither dotnet nor mcs to build it with; "
            "on Ubuntu: apt install dotnet-sdk-8.0; on Debian: apt install mono-mcs"
        )
    return toolchains_of(source.language)[0]


def first_that_works(language: str, conditions: Conditions) -> tuple[Toolchain | None, list[str]]:
    """The first toolchain of a language that works under these conditions, and clauses on those that were passed over.

    None if there is no such one; without a clause none is installed. Raises SessionError if none can be tried now.
    """
    refusals: list[str] = []
    for one in toolchains_of(language):
        if not one.is_here:
            continue
        refusal = trial_of(one, conditions)
        if not refusal:
            return one, refusals
        refusals.append(f"{one.title} does not work here: {refusal}")
    return None, refusals


#: By language, title and conditions: a process tries each once.
_TRIED: dict[tuple[str, str, Conditions], str] = {}


def trial_of(toolchain: Toolchain, conditions: Conditions) -> str:
    """Why programs cannot be built and run by a toolchain under these conditions, as a clause; empty if they can.

    Raises SessionError if this machine has no room for a trial now.
    """
    key = toolchain.language, toolchain.title, conditions
    if key not in _TRIED:
        _TRIED[key] = refusal_of(toolchain, conditions, partial(_twice, sandbox=conditions.sandbox))
    return _TRIED[key]


def _twice(source: Source, into: Path, toolchain: Toolchain, sandbox: Sandbox, flags: tuple[str, ...] = ()) -> Build:
    """A build, tried again where something of this machine was missing."""
    try:
        return _built(source, into, toolchain, sandbox, flags)
    except _LackError:
        removal.remove(str(into))
        wait_for_room(into.parent)
    try:
        return _built(source, into, toolchain, sandbox, flags)
    except _LackError as error:
        return Build(
            None, reason=f"{source.program} could not be built on this machine, twice: {error}.", is_fault=True
        )


class _LackError(Exception):
    """A build failed for want of something of this machine; the text says of what."""


def _built(source: Source, into: Path, toolchain: Toolchain, sandbox: Sandbox, flags: tuple[str, ...]) -> Build:
    """A build, as far as this machine is not to blame for what came of it; else _LackError."""

    def run(*argv: str, allowance: Allowance = USUAL) -> CommandOutcome:
        if shutil.which(argv[0]) is None:
            lacking = f"{source.folder / source.file}: this machine has no {argv[0]} to build it with"
            raise UsageError(f"{lacking}; on Debian: apt install {packages_of(argv[0])}")
        outcome = run_confined([*argv, *flags], into, sandbox, allowance)
        into.chmod(0o755)  # a makefile may have closed it, which holds for everybody but root
        if outcome.lack:
            raise _LackError(f"{Path(argv[0]).name}: {outcome.lack}")
        return outcome

    try:
        if source.given is not None and (source.language == "make" or source.language in COMPILERS):
            made = with_course_files(source, source.given, into, run)
        else:
            copy_of(source, into)
            made = toolchain.build(source, into, run)
    except OSError as error:
        raise refused(f"{source.folder}: it could not be copied", error) from error
    into.chmod(0o755)
    if made.was_stopped:  # it may have filled the disk, which others need
        removal.empty(str(into))
    # A makefile may go on after what has failed.
    lack = "" if made.program or made.was_stopped else lack_of_room(into.parent) or lack_in(made.messages)
    if lack:
        raise _LackError(lack)
    return made


def copied(build: Build, of: Source, source: Source, into: Path) -> Build | None:
    """The build of `source` in the new folder `into`, copied from the `build` of a source that is the same but in name.

    None if it must be built by itself: what a makefile or another language's compiler makes may depend on the name.
    """
    done = build.program
    if of.language not in COMPILERS or msgspec.structs.replace(of, program=source.program) != source or done is None:
        return None
    if (of.folder / of.program).exists() or (done.folder / source.program).exists():
        return None
    try:
        shutil.copytree(done.folder, into)
        (into / of.program).rename(into / source.program)
    except OSError as error:
        raise refused(f"{source.folder}: it could not be copied", error) from error
    into.chmod(0o755)
    program = msgspec.structs.replace(done, argv=(str(into / source.program),), folder=into)
    command = build.command.replace(f"-o {of.program} ", f"-o {source.program} ", 1)
    return msgspec.structs.replace(build, program=program, command=command)
