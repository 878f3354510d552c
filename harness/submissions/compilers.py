"""What a build gives, and what the outcome of a compiler's command means for it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec

from harness.errors import UsageError
from harness.running.binaries import refusal_of
from harness.running.programs import Program
from harness.submissions.commands import Outcome

_PACKAGES = {
    "cc": "gcc",
    "c++": "g++",
    "make": "make",
    "mcs": "mono-mcs",
    "mono": "mono-runtime",
    "javac": "default-jdk-headless",
    "java": "default-jre-headless",
}
#: What an error is called by the compilers, and what says why a build failed where none is.
_ERROR = re.compile(
    r"\berror:|\berror CS\d+:|out of memory|undefined reference|\*\*\*|multiple definition|Error|: not found|No rule"
)

#: Runs a command in the folder of a build.
Run = Callable[..., Outcome]


class Build(msgspec.Struct, frozen=True):
    """The result of building one stage."""

    #: None where it failed.
    program: Program | None
    #: The command as a student would type it; empty where nothing had to be built.
    command: str = ""
    #: What the compiler said: errors, or warnings of a build that went well.
    messages: str = ""
    #: One sentence on why it failed; empty where it did not.
    reason: str = ""
    #: Whether it failed since this machine lacks something, which is no fault of the program.
    is_fault: bool = False


def built(outcome: Outcome, argv: tuple[str, ...], name: str, into: Path) -> Build:
    """The result of a command that makes a program of this name."""
    failure = failed(outcome, argv, name, into)
    if failure:
        return failure
    command, messages = said(outcome, argv, into)
    program = into / name
    if not program.exists():
        return Build(None, command, messages, f"{argv[0]} went well, but made no program named {name}.")
    refusal = refusal_of(program)
    if refusal:
        return Build(None, command, messages, f"{argv[0]} went well, but {refusal}")
    return Build(Program((str(program),), into), command, messages)


def failed(outcome: Outcome, argv: tuple[str, ...], name: str, into: Path) -> Build | None:
    """The build that a command's failure is; None where it went well."""
    command, messages = said(outcome, argv, into)
    if outcome.stopped:
        return Build(None, command, messages, f"{argv[0]} was stopped: {outcome.stopped}.")
    if outcome.exit_code:
        return Build(None, command, messages, f"{argv[0]} could not build {name}: {first_error(messages)}")
    return None


def said(outcome: Outcome, argv: tuple[str, ...], into: Path) -> tuple[str, str]:
    """The command as a student would type it, and what it printed."""
    return " ".join(argv), outcome.output.replace(f"{into}/", "").strip()


def first_error(messages: str) -> str:
    """The line that says why a build failed."""
    return next((line.strip() for line in messages.splitlines() if _ERROR.search(line)), "it did not say why.")


def found(name: str) -> str:
    """The path of a program of this machine that runs others; UsageError where it lacks it."""
    path = shutil.which(name)
    if path is None:
        raise UsageError(f"this machine has no {name} to run it with; on Debian: apt install {package_of(name)}")
    return os.path.realpath(path)


def package_of(name: str) -> str:
    """The package of Debian in which a program is."""
    return _PACKAGES.get(name, name)
