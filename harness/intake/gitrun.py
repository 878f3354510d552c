"""Runs git in a repository of ours, without any configuration of this machine or a user, and within limits."""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
import time
from pathlib import Path

from pitboss.harness.errors import HarnessError
from pitboss.harness.machine.obtaining import refused
from pitboss.harness.machine.util_linux import prlimit

#: Longer than the largest class project takes; and what git may take of memory.
_TIME_S, _MEMORY_BYTES = 60.0, 2 << 30
_MOST = 1 << 20
_ENVIRONMENT = {
    "PATH": os.defpath,
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
}
_SET = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null", "protocol.allow=never")
#: So that a large pack needs no more memory than it may have.
_WINDOWS = ("core.packedGitWindowSize=32m", "core.packedGitLimit=256m")


class GitError(HarnessError):
    """A student's repository cannot be taken; the text is a sentence."""


class NoCommit(GitError):
    """There is nothing in a repository, or nothing yet at that time."""


def run(repository: Path, *words: str, typed: bytes = b"", most: int = _MOST) -> bytes:
    """What a git command says; raises GitError if it fails, takes too long or says more than `most` bytes."""
    settings = [word for one in (*_SET, *_WINDOWS, f"safe.directory={repository}") for word in ("-c", one)]
    git = ["git", "--no-optional-locks", "--no-pager", f"--git-dir={repository}", *settings, *words]
    limits = [limiter, f"--as={_MEMORY_BYTES}", "--"] if (limiter := prlimit()) else []
    try:
        with tempfile.TemporaryFile() as file:
            file.write(typed)
            file.seek(0)
            process = subprocess.Popen(
                [*limits, *git],
                cwd=repository,
                env={**_ENVIRONMENT, "PATH": os.environ.get("PATH", os.defpath)},
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
    except OSError as error:
        raise refused("git could not be started", error) from error
    try:
        said = _said(process, most)
        if process.wait(_TIME_S):
            raise GitError("The repository is damaged or incomplete: git cannot read it.")
        return said
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _said(process: subprocess.Popen[bytes], most: int) -> bytes:
    said, end = bytearray(), time.monotonic() + _TIME_S
    out = process.stdout
    while out is not None:
        if not select.select([out], [], [], max(0.0, end - time.monotonic()))[0]:
            raise GitError(f"The repository could not be read within {_TIME_S:.0f} seconds.")
        chunk = os.read(out.fileno(), 1 << 16)
        if not chunk:
            break
        said += chunk
        if len(said) > most:
            raise GitError("The repository has more files than can be listed: hand in only the programs.")
    return bytes(said)
