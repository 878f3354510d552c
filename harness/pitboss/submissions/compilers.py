"""The result of a build, derived from the outcome of a compiler's command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from pitboss.errors import UsageError, fitted
from pitboss.model.languages import LANGUAGES, install_hint
from pitboss.sandbox.tools import find_tool
from pitboss.sessions.executables import refusal_of
from pitboss.sessions.programs import Program
from pitboss.submissions.confined_commands import CommandOutcome

#: Matches lines of compilers and make that explain a failed build.
_COMMON_ERROR = re.compile(
    r"\berror(?:\[E\d+\]| [A-Z]+\d+)?:|out of memory|undefined reference|\*\*\*|multiple definition|Error"
    r"|: not found|cannot find -l|No rule"
)
#: Matches lines which only say that a command before them failed.
_CONSEQUENCE = re.compile(
    r"^g?make(?:\[\d+\])?: (?:\*\*\* \[.*\] \w|Leaving directory|Target .* not remade)|ld returned \d+ exit status"
    r"|linker command failed|^compilation terminated|^error: (?:linking with|could not compile|aborting due to)"
)
#: The address in an object file that some linkers put after a place in the source: `a.c:7:(.text+0x61):`.
_ADDRESS = re.compile(r":\(\.[\w.]+\+0x[0-9a-f]+\)(?=:)")
#: The pattern for all languages, and patterns for single languages.
_ERROR_PATTERNS = (_COMMON_ERROR, *(re.compile(language.error) for language in LANGUAGES.values() if language.error))

#: The maximum number of characters of a reason: a line of a program can be of any length.
_MAX_REASON = 500

#: A function that runs a command in the folder of a build; the arguments are the words of the command.
Run = Callable[..., CommandOutcome]


class Build(msgspec.Struct, frozen=True):
    """The result of building one stage."""

    #: The program that was built; None if the build failed.
    program: Program | None
    #: The command as a student would type it; empty if nothing had to be built.
    command: str = ""
    #: The compiler's output: errors, or the warnings of a successful build.
    messages: str = ""
    #: A sentence on why the build failed; empty if it succeeded.
    reason: str = ""
    #: Notes on the build: which files of the course and of the submission were used, if the course provides files; and
    #: which toolchain was used in place of one that does not work here.
    made_with: str = ""
    #: The compiler or interpreter and its version, such as gcc 12.2.0; empty if unknown.
    tool: str = ""
    #: Whether the build failed because pitboss stopped its command.
    was_stopped: bool = False
    #: Whether the build failed because this machine lacks something, so that the program is not to blame.
    is_fault: bool = False


def build_from_outcome(outcome: CommandOutcome, argv: tuple[str, ...], name: str, into: Path) -> Build:
    """Returns the build for the outcome of a command that should create the program `name` in the folder `into`."""
    program = into / name
    failure = failed_build(outcome, argv, program.name, into)
    if failure:
        return failure
    command, messages = command_and_output(outcome, argv, into)
    if not program.exists():
        reason = f"{argv[0]} succeeded, but did not create a program named {program.name}."
        return Build(None, command, messages, reason)
    refusal = refusal_of(program)
    if refusal:
        return Build(None, command, messages, f"{argv[0]} succeeded, but {refusal}")
    return Build(Program((str(program),), into), command, messages)


def failed_build(outcome: CommandOutcome, argv: tuple[str, ...], name: str, into: Path) -> Build | None:
    """Returns the failed build for the outcome of a command; None if the command succeeded."""
    command, messages = command_and_output(outcome, argv, into)
    if outcome.why_stopped:
        return Build(None, command, messages, f"{argv[0]} was stopped: {outcome.why_stopped}.", was_stopped=True)
    if outcome.exit_code:
        return Build(None, command, messages, f"{argv[0]} could not build {name}: {first_error(messages)}")
    return None


def build_without_packages(failure: Build, user: str, packages: Iterable[str]) -> Build:
    """Returns a failed build with the reason that `user` uses these packages; unchanged if there are none."""
    names = list(dict.fromkeys(filter(None, packages)))
    verb = "is" if len(names) == 1 else "are"
    reason = f"{user} uses {' and '.join(names)}, which {verb} not available here."
    return msgspec.structs.replace(failure, messages="", reason=reason) if names else failure


def without_progress(build: Build) -> Build:
    """Returns a build without messages if it succeeded without warnings: tools such as make print what they do too."""
    is_built_without_warnings = build.program is not None and "warning" not in build.messages
    return msgspec.structs.replace(build, messages="") if is_built_without_warnings else build


def command_and_output(outcome: CommandOutcome, argv: tuple[str, ...], into: Path) -> tuple[str, str]:
    """Returns the command as a student would type it, and its output without the path of the folder `into`."""
    return " ".join(argv), outcome.output.replace(f"{into}/", "").strip()


def first_error(messages: str) -> str:
    """Returns the line of messages that explains why a build failed, with the next line if it ends in a colon.

    Some linkers add the address in the object file to the line of the source, which says nothing to a student.
    """
    lines = [_ADDRESS.sub("", line.strip()) for line in messages.splitlines() if line.strip()]
    first, *more = lines[error_index(lines) :] or ["it printed no reason."]
    return fitted(" ".join((first, *more[:1])) if first.endswith(":") else first, _MAX_REASON)


def error_index(lines: list[str]) -> int:
    """Returns the index of the first line that explains why a build failed.

    If no line does, of the last line before those which only say so: a message of a tool, or the command that failed.
    """
    causes = [number for number, line in enumerate(lines) if line.strip() and not _CONSEQUENCE.search(line)]
    errors = (number for number in causes if any(pattern.search(lines[number]) for pattern in _ERROR_PATTERNS))
    return next(errors, causes[-1] if causes else 0)


def runtime_path(name: str) -> str:
    """Returns the path of a runtime or interpreter such as java; raises UsageError if this machine lacks it."""
    tool = find_tool(name)
    if tool is None:
        raise UsageError(f"this machine has no {name} to run it with; {install_hint(name)}")
    return tool.path
