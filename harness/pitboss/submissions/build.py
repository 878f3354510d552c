"""Building a submission: from a student's folder to one program for each stage.

A student's folder is never written to. Each stage is built in a separate copy:

    BUILDS/<stage>/      the copied sources, and the program built from them

If several stages share a program that is no project, it is built for one of them, and that build is copied for the
others.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from pitboss.errors import ShortageError, UsageError
from pitboss.machine import removal
from pitboss.machine.retry import refusal_error
from pitboss.model.languages import LANGUAGES, install_hint
from pitboss.sandbox.sandbox import Sandbox
from pitboss.sandbox.tools import find_tool, search_path
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.compilers import Build
from pitboss.submissions.confined_commands import (
    CommandOutcome,
    lack_of_room,
    missing_tools,
    run_confined,
    wait_for_room,
)
from pitboss.submissions.course_files import build_with_course_files
from pitboss.submissions.native import COMPILERS, SCRIPTS_FOLDER, script_name, write_compiler_scripts
from pitboss.submissions.sources import Source, copy_for_build, language_of_source
from pitboss.submissions.toolchains import Toolchain, tool_version, toolchain_of, why_toolchain_fails


def build(source: Source, into: Path, conditions: Conditions, *, flags: tuple[str, ...] = ()) -> Build:
    """Builds a stage in the new folder `into`, with the toolchain of its language; without its project if that fails.

    `flags` are extra flags for the C or C++ compiler. A build that fails and says that this machine lacks something is
    tried once more; if it fails again and this machine agrees, or if the toolchain fails under `conditions`, `is_fault`
    is set in the result.
    Raises UsageError if this machine has no toolchain or the submission cannot be read, SessionError if the disk has no
    room for the copied sources.
    """
    is_here = all(map(find_tool, toolchain_of(source.language).commands))
    result = _build(source, into, conditions, flags) if is_here or not source.main else None
    if result and (not source.main or result.program or result.was_stopped):
        return result
    removal.remove(str(into))
    fields = {"language": language_of_source(source.main), "file": source.main, "main": ""}
    main_result = _build(msgspec.structs.replace(source, **fields), into, conditions, flags)
    if main_result.program is None and result:
        return result
    if main_result.program is None:
        removal.remove(str(into))
        return _build(source, into, conditions, flags)  # which names the missing tool
    note = f"{source.file} does not build it: {result.reason}" if result else ""
    return msgspec.structs.replace(main_result, made_with=note)


def _build(source: Source, into: Path, conditions: Conditions, flags: tuple[str, ...]) -> Build:
    """Builds a project, or a program without one; parameters and errors as for `build`."""
    toolchain = toolchain_of(source.language)

    def why_unusable_now(*, again: bool = False) -> str:
        try:
            return why_unusable(toolchain, conditions, source.flags, again=again)
        except ShortageError as error:
            return str(error)

    if reason := why_unusable_now():
        reason = f"{source.program} could not be built on this machine: {reason}."
        return Build(None, reason=reason, is_fault=True)
    return _build_with_retry(source, into, toolchain, conditions.sandbox, flags, lambda: why_unusable_now(again=True))


#: The results of `why_unusable`, by language, title and conditions: a process tries each toolchain only once.
_TRIED: dict[tuple[str, str, Conditions], str] = {}


def why_unusable(
    toolchain: Toolchain, conditions: Conditions, flags: tuple[str, ...] = (), *, again: bool = False
) -> str:
    """Returns a clause on why a toolchain fails under these conditions; empty if it works, or if it is not installed.

    `flags` are an assignment's flags for compilers of C and C++. With `again` it is tried even if it has been tried
    before. Raises SessionError if this machine has no room for a trial now.
    """
    refusals = [tool.refusal(conditions.sandbox.level) for tool in map(find_tool, toolchain.commands) if tool]
    if any(refusals) or len(refusals) < len(toolchain.commands):
        return next(filter(None, refusals), "")
    toolchain = msgspec.structs.replace(toolchain, title=" ".join((toolchain.title, *flags)))
    key = toolchain.language, toolchain.title, conditions
    if not again and key in _TRIED:
        return _TRIED[key]

    def build_trial(source: Source, into: Path, toolchain: Toolchain) -> Build:
        source = msgspec.structs.replace(source, flags=flags)
        return _build_with_retry(source, into, toolchain, conditions.sandbox, (), str)

    reason = why_toolchain_fails(toolchain, conditions, build_trial, again=again)
    clause = f"{toolchain.title} does not work here: {reason}" if reason else ""
    return clause if again else _TRIED.setdefault(key, clause)


def _build_with_retry(
    source: Source, into: Path, toolchain: Toolchain, sandbox: Sandbox, flags: tuple[str, ...], trial: Callable[[], str]
) -> Build:
    """Builds a stage, and once more if this machine may have lacked something; a fault if it did, also that time.

    `trial` tries the toolchain, and returns a clause on why it fails.
    """
    try:
        return _build_once(source, into, toolchain, sandbox, flags, {})
    except _LackError as error:
        missing = error.missing
        removal.remove(str(into))
        wait_for_room(into.parent)
    try:
        return _build_once(source, into, toolchain, sandbox, flags, missing)
    except _LackError as error:
        if not (lack := error.lack or trial()):
            return error.build
        return Build(None, reason=f"{source.program} could not be built on this machine, twice: {lack}.", is_fault=True)


class _LackError(Exception):
    """A build failed, perhaps because this machine lacks something."""

    def __init__(self, build: Build, lack: str, missing: Mapping[str, str]) -> None:
        """`lack`: a clause on what this machine does lack; `missing`: tools that it may lack, and such clauses."""
        super().__init__(lack)
        self.build, self.lack, self.missing = build, lack, missing


def _build_once(
    source: Source,
    into: Path,
    toolchain: Toolchain,
    sandbox: Sandbox,
    flags: tuple[str, ...],
    missing: Mapping[str, str],
) -> Build:
    """Builds a stage; raises _LackError if it fails and this machine may lack something.

    Of the tools in `missing`, those are lacking that the build calls.
    """
    outcomes: list[CommandOutcome] = []
    lacks: list[str] = []

    def run(*argv: str, variables: tuple[tuple[str, str], ...] = ()) -> CommandOutcome:
        tool = find_tool(argv[0])
        if tool is None:
            sentence = f"{source.folder / source.file}: this machine has no {argv[0]} to build it with"
            raise UsageError(f"{sentence}; {install_hint(argv[0])}")
        if refusal := tool.refusal(sandbox.level):
            raise _LackError(Build(None), refusal, {})
        path, scripts = tool.path, into / SCRIPTS_FOLDER
        if source.language in (*COMPILERS, "make", "cmake"):
            if not scripts.exists():
                write_compiler_scripts(scripts, source.flags, missing)
            path = str(scripts / argv[0]) if (scripts / argv[0]).exists() else path
            variables = (("PATH", f"{scripts}{os.pathsep}{search_path()}"), *variables)
        outcome = run_confined([path, *argv[1:], *flags], into, sandbox, variables)
        outcome = msgspec.structs.replace(outcome, output=outcome.output.replace(f"{tool.path}: ", f"{argv[0]}: "))
        into.chmod(0o755)  # a makefile may have removed the permissions, which affects every user but root
        outcomes.append(outcome)
        lacks.append(outcome.shortage_clause)
        called = [tool for tool in missing if scripts.exists() and not (scripts / script_name(tool)).exists()]
        lacks.extend(missing[tool] for tool in called)
        return outcome

    try:
        if source.course_files_folder is not None and (source.language == "make" or source.language in COMPILERS):
            build = build_with_course_files(source, source.course_files_folder, into, run)
        else:
            copy_for_build(source, into)
            build = toolchain.build(source, into, run)
    except OSError as error:
        raise refusal_error(f"{source.folder}: it could not be copied", error) from error
    finally:
        removal.remove(str(into / SCRIPTS_FOLDER))
    into.chmod(0o755)
    build = msgspec.structs.replace(build, tool=tool_version(source.language))
    if build.was_stopped:  # the stopped command may have filled the disk
        removal.empty(str(into))
    if build.program or build.was_stopped:
        return build
    # A makefile may ignore that a command failed because this machine lacks something: then make still exits with 0.
    lack = next(filter(None, (lack_of_room(into.parent), *lacks)), "")
    missing = missing_tools("\n".join(outcome.output for outcome in outcomes), sandbox.level)
    if lack or missing or any(outcome.speaks_of_shortage for outcome in outcomes):
        raise _LackError(build, lack, missing)
    return build


def copied_build(build: Build, original: Source, source: Source, into: Path) -> Build | None:
    """Returns the build of `source` in the new folder `into`, as a copy of `build`, the build of the source `original`.

    Returns None if `source` must be built separately, for example because it differs in more than the program's name.
    Projects are always built again, since what they make may depend on the name.
    """
    program = build.program
    if (
        original.language not in LANGUAGES
        or msgspec.structs.replace(original, program=source.program) != source
        or program is None
    ):
        return None
    has_name = program.argv[0] == str(program.folder / original.program)
    # The submission's own file of this name would be lost, or replaced, when the program is renamed.
    if has_name and ((original.folder / original.program).exists() or (program.folder / source.program).exists()):
        return None
    try:
        shutil.copytree(program.folder, into)
        if has_name:
            (into / original.program).rename(into / source.program)
    except OSError as error:
        raise refusal_error(f"{source.folder}: it could not be copied", error) from error
    into.chmod(0o755)
    program = program.moved_to(into)
    if has_name:
        program = msgspec.structs.replace(program, argv=(str(into / source.program), *program.argv[1:]))
    command = build.command.replace(f"-o {original.program} ", f"-o {source.program} ", 1)
    return msgspec.structs.replace(build, program=program, command=command)
