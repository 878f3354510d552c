"""The result of a build, derived from the outcome of a compiler's command."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec

from pitboss.errors import UsageError
from pitboss.model.languages import LANGUAGES, packages_of
from pitboss.sessions.binaries import refusal_of
from pitboss.sessions.programs import Program
from pitboss.submissions.confined_commands import CommandOutcome

#: Matches lines of compilers and make that explain a failed build.
_COMMON_ERROR = re.compile(
    r"\berror(?:\[E\d+\])?:|\berror CS\d+:|out of memory|undefined reference|\*\*\*|multiple definition|Error"
    r"|: not found|No rule"
)
#: The pattern for all languages, and patterns for single languages.
_ERROR_PATTERNS = (_COMMON_ERROR, *(re.compile(language.error) for language in LANGUAGES.values() if language.error))

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
    #: Whether the build failed because pitboss stopped its command.
    was_stopped: bool = False
    #: Whether the build failed because this machine lacks something, so that the program is not to blame.
    is_fault: bool = False


def build_from_outcome(outcome: CommandOutcome, argv: tuple[str, ...], name: str, into: Path) -> Build:
    """Returns the build for the outcome of a command that should create the program `name` in the folder `into`."""
    failure = failed_build(outcome, argv, name, into)
    if failure:
        return failure
    command, messages = command_and_output(outcome, argv, into)
    program = into / name
    if not program.exists():
        return Build(None, command, messages, f"{argv[0]} succeeded, but did not create a program named {name}.")
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


def command_and_output(outcome: CommandOutcome, argv: tuple[str, ...], into: Path) -> tuple[str, str]:
    """Returns the command as a student would type it, and its output without the path of the folder `into`."""
    return " ".join(argv), outcome.output.replace(f"{into}/", "").strip()


def first_error(messages: str) -> str:
    """Returns the first line of a compiler's messages that explains why a build failed."""
    return next(
        (line.strip() for line in messages.splitlines() if any(pattern.search(line) for pattern in _ERROR_PATTERNS)),
        "it printed no reason.",
    )


def runtime_path(name: str) -> str:
    """Returns the path of a runtime or interpreter such as java; raises UsageError if this machine lacks it."""
    path = shutil.which(name)
    if path is None:
        raise UsageError(f"this machine has no {name} to run it with; on Debian: apt install {packages_of(name)}")
    return os.path.realpath(path)
