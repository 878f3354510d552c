"""Running a command that is not on a terminal, confined and within limits: a compiler, make, a syntax check."""

from __future__ import annotations

import json
import os
import secrets
import selectors
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import msgspec

from harness import confine, users
from harness.obtaining import obtained
from harness.programs import ENVIRONMENT
from harness.sandbox import (
    Level,
    Sandbox,
    bubblewrap_argv,
    interpreter_folders,
    landlock_rules,
    may_become_others,
)
from harness.watching import landlock, processes

_CPU_S, _WALL_S, _MEMORY, _FILE, _OUTPUT_BYTES = 30, 60, 2 << 30, 64 << 20, 256 << 10
_MARK = "PITBOSS_COMMAND"


class Outcome(msgspec.Struct, frozen=True):
    """How a command went."""

    exit_code: int
    #: What it printed, both streams as they came, at most 256 kB of it.
    output: str
    #: Why it was stopped by us, as a clause; empty when it was not.
    stopped: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether it ended by itself and well."""
        return self.exit_code == 0 and not self.stopped


def run_confined(argv: list[str], folder: Path, sandbox: Sandbox) -> Outcome:
    """Run a command in `folder`, the one place it may write. Nothing it starts is left running.

    SessionError where this machine is short of what it takes.
    """
    return obtained(f"{argv[0]} could not be run", partial(_run_confined, argv, folder, sandbox))


def _run_confined(argv: list[str], folder: Path, sandbox: Sandbox) -> Outcome:
    if sandbox.level is not Level.LANDLOCK or not may_become_others():
        return _run(argv, folder, sandbox, None)
    with users.lent() as user_id:
        _give(folder, user_id)
        return _run(argv, folder, sandbox, user_id)


def _run(argv: list[str], folder: Path, sandbox: Sandbox, user_id: int | None) -> Outcome:
    mark = secrets.token_hex(8)
    environment = dict(ENVIRONMENT) | {"HOME": str(folder), "TMPDIR": str(folder), _MARK: mark}
    strays = processes.Strays()
    process = subprocess.Popen(
        [
            sys.executable,
            "-I",
            "-S",
            confine.__file__,
            _setup(folder, sandbox, user_id),
            *_inside(argv, folder, sandbox),
        ],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, stopped = _heard(process)
    finally:
        _end(process, mark)
        if user_id is not None:
            users.end_all_of(user_id)
        strays.end()
    return Outcome(process.returncode, output.decode("utf-8", "replace"), stopped)


def _setup(folder: Path, sandbox: Sandbox, user_id: int | None) -> str:
    rules: tuple[tuple[str, int], ...] = ()
    if sandbox.level is Level.LANDLOCK:
        rules = (*landlock_rules(*interpreter_folders()), (str(folder), landlock.WRITE))
    limits = [("RLIMIT_CPU", _CPU_S), ("RLIMIT_AS", _MEMORY), ("RLIMIT_FSIZE", _FILE), ("RLIMIT_CORE", 0)]
    return json.dumps({"limits": limits, "rules": rules, "user_id": user_id})


def _inside(argv: list[str], folder: Path, sandbox: Sandbox) -> list[str]:
    if sandbox.level is not Level.BUBBLEWRAP:
        return argv
    wrapped = bubblewrap_argv(readable=interpreter_folders(), writable=(str(folder),))
    return [*wrapped, "--chdir", str(folder), "--", *argv]


def _give(folder: Path, user_id: int) -> None:
    for path, folders, files in os.walk(folder):
        for name in (path, *(os.path.join(path, name) for name in (*folders, *files))):
            os.chown(name, user_id, user_id, follow_symlinks=False)


def _heard(process: subprocess.Popen[bytes]) -> tuple[bytes, str]:
    """What a command prints until it ends or has to be stopped, and why it had to be."""
    assert process.stdout is not None
    output = bytearray()
    until = time.monotonic() + _WALL_S
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while time.monotonic() < until:
            if not selector.select(timeout=0.1):
                if process.poll() is not None:  # something it left behind holds the pipe open
                    return bytes(output), ""
                continue
            chunk = os.read(process.stdout.fileno(), 65536)
            if not chunk:
                process.wait()
                return bytes(output), ""
            output += chunk
            if len(output) > _OUTPUT_BYTES:
                return bytes(output[:_OUTPUT_BYTES]), f"it printed more than {_OUTPUT_BYTES >> 10} kB"
    return bytes(output), f"it took longer than {_WALL_S} s"


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill what is left of a command, however it has hidden itself."""
    if process.poll() is None:
        processes.kill_all([process.pid])
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
    if sys.platform == "linux":
        left = [pid for pid in processes.children(os.getpid()) if processes.has_in_environment(pid, f"{_MARK}={mark}")]
        processes.kill_all(left)
