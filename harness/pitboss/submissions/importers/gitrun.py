"""Runs git on the objects of a student's repository, within limits and without the configuration of machine and user.

The objects are linked into an empty repository that pitboss created: see git.py.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from pitboss.errors import HarnessError, SessionError
from pitboss.sandbox import processes
from pitboss.sandbox.retry import refusal_error
from pitboss.sandbox.util_linux import prlimit

#: The limit on git's CPU time: more than the largest class project takes.
_CPU_S = 60
#: The limit on git's memory.
_MEMORY_BYTES = 2 << 30
#: The limit on elapsed time. If git exceeds only this limit, the machine or a disk is busy, and the student is not to
#: blame.
_MAX_WAIT_S = 1200.0
_MAX_OUTPUT_BYTES = 1 << 20
#: The environment of git, besides PATH.
_ENVIRONMENT = {
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
}
_SAFE_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "protocol.allow=never",
)
#: Settings that let a large pack fit into the memory limit.
_MEMORY_SETTINGS = ("core.packedGitWindowSize=32m", "core.packedGitLimit=256m")


class GitError(HarnessError):
    """A student's repository cannot be imported; the message is a sentence."""


class NoCommit(GitError):
    """A repository has no commit, or no commit up to the instant `until` of an import."""


def run_git(repository: Path, *arguments: str, stdin: bytes = b"", max_bytes: int = _MAX_OUTPUT_BYTES) -> bytes:
    """Runs git with these arguments, and returns the output.

    Raises GitError if git fails, uses too much CPU time or prints more than `max_bytes`; SessionError if this machine
    cannot start git, kills it, or blocks it for too long.
    """
    setting_arguments = [
        argument
        for setting in (*_SAFE_SETTINGS, *_MEMORY_SETTINGS, f"safe.directory={repository}")
        for argument in ("-c", setting)
    ]
    git = ["git", "--no-optional-locks", "--no-pager", f"--git-dir={repository}", *setting_arguments, *arguments]
    limiter = prlimit()
    limit_command = [limiter, f"--as={_MEMORY_BYTES}", f"--cpu={_CPU_S}:{_CPU_S + 5}", "--"] if limiter else []
    try:
        with tempfile.TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            process = subprocess.Popen(
                [*limit_command, *git],
                cwd=repository,
                env={**_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)},
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
    except OSError as error:
        raise refusal_error("git could not be started", error) from error
    try:
        output = _output_of(process, max_bytes)
        code = process.wait(_MAX_WAIT_S)
        if code == -signal.SIGKILL:
            raise SessionError("git was killed while it read a repository: is this machine out of memory?")
        if code == -signal.SIGXCPU:
            raise GitError(f"The repository could not be read within {_CPU_S} seconds of computing.")
        if code:
            raise GitError("The repository is damaged or incomplete: git cannot read it.")
        return output
    finally:
        process.kill()
        processes.wait_until(lambda: process.poll() is not None)
        if process.stdout is not None:
            process.stdout.close()


def _output_of(process: subprocess.Popen[bytes], max_bytes: int) -> bytes:
    """Returns the output of a process; raises GitError if the output is too long, SessionError if git is too slow."""
    output, deadline = bytearray(), time.monotonic() + _MAX_WAIT_S
    stream = process.stdout
    while stream is not None:
        if not select.select([stream], [], [], max(0.0, deadline - time.monotonic()))[0]:
            raise SessionError(f"git has not read a repository within {_MAX_WAIT_S:.0f} seconds: is this machine busy?")
        chunk = os.read(stream.fileno(), 1 << 16)
        if not chunk:
            break
        output += chunk
        if len(output) > max_bytes:
            raise GitError("The repository has too many or too large files: hand in only the programs.")
    return bytes(output)
