"""Finds out how a submission can be confined on this machine: bubblewrap, Landlock, the filter, another user.

`find_sandbox` finds out what the machine can do. Its value says what is enforced and what is not, and every report
prints it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable
from enum import Enum
from functools import cache
from pathlib import Path

import msgspec

from pitboss.errors import SessionError, UsageError
from pitboss.sandbox import abi, landlock, processes, users
from pitboss.sandbox.concealment import concealed_in, rules_around
from pitboss.sandbox.retry import obtain
from pitboss.sandbox.shortages import PATIENCE_S, is_short, shortage_in


class Level(Enum):
    """How a submission is confined, strongest first."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    NONE = "none"


class Sandbox(msgspec.Struct, frozen=True):
    """A level of confinement, and what it does not enforce on this machine."""

    level: Level
    #: Sentences for the instructor; empty if everything is enforced.
    weaknesses: tuple[str, ...] = ()
    #: Why no stronger level is used; empty if none was requested or this is the strongest.
    reason: str = ""

    @property
    def description(self) -> str:
        """One line for a report."""
        name = {
            Level.BUBBLEWRAP: "bubblewrap with Landlock and a system call filter",
            Level.LANDLOCK: "Landlock and a system call filter",
            Level.NONE: "none",
        }[self.level]
        return f"{name} ({self.reason})" if self.reason else name


#: The folders of libraries, interpreters and compilers; read-only.
SYSTEM_FOLDERS = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin")
#: The few files of /etc that loaders, runtimes and name look-ups read.
SYSTEM_FILES = (
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/mono",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/sys/devices/system/cpu",
)
DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")


_SHARING_USERS = (
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-net",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--cap-drop",
    "ALL",
    "--cap-add",
    "CAP_SETUID",
    "--cap-add",
    "CAP_SETGID",
    "--cap-add",
    "CAP_CHOWN",
)


def base_interpreter() -> str:
    """The path of the Python from which our own environment was created."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def interpreter_folders() -> tuple[str, ...]:
    """The folders of that Python, which runs submissions in Python and the process inside a bubblewrap.

    Without the folders of our own environment, which may contain the references.
    """
    folders = {sys.base_prefix, sysconfig.get_paths()["stdlib"]}
    outside = [folder for folder in folders if not folder.startswith(("/usr", "/lib"))]
    inner = {folder for folder in outside for other in outside if folder.startswith(f"{other}/")}
    return tuple(sorted(set(outside) - inner))


def landlock_rules(*folders: str) -> tuple[tuple[str, int], ...]:
    """Landlock rules with which a program can read the system and these folders, as pairs of a path and rights.

    It can read nothing that is concealed, unless one of the folders is itself concealed.
    """
    readable = (*SYSTEM_FOLDERS, *SYSTEM_FILES, "/proc", *folders)
    concealed = concealed_in(readable)
    rules = (rule for path in readable for rule in rules_around(path, concealed))
    return (*rules, *((path, landlock.DEVICE) for path in DEVICES))


def bubblewrap_argv(
    *, readable: tuple[str, ...], writable: tuple[str, ...] = (), becomes_others: bool = False
) -> list[str]:
    """The command line of a bubblewrap that shows only the system and `readable`, and lets only `writable` be written.

    With `becomes_others` user ids are the same inside and outside. Its first process, started by root, may become
    another user and give that user a folder, but nothing else that root may do.
    """
    namespaces = _SHARING_USERS if becomes_others else ("--unshare-all", "--cap-drop", "ALL")
    argv = ["bwrap", *namespaces, "--die-with-parent", "--new-session"]
    if becomes_others:  # otherwise only root can pass through the parent folders that bwrap creates
        argv += _open_to_all(path for path in SYSTEM_FILES if os.path.exists(path))
    for path in (*SYSTEM_FOLDERS, *SYSTEM_FILES):
        if os.path.islink(path):
            argv += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            argv += ["--ro-bind", path, path]
    argv += ["--proc", "/proc", *_memory("/dev"), "--symlink", "/proc/self/fd", "/dev/fd"]
    for path in DEVICES:  # not /dev/zero: a compiler that includes it never ends
        argv += ["--dev-bind", path, path]
    argv += [*_memory("/tmp"), *_memory("/home")]
    if becomes_others:
        argv += _open_to_all((*readable, *writable))
    return [*argv, *_bound(readable, writable)]


#: The maximum size of each folder in memory that a bubblewrap shows.
MEMORY_BYTES = 256 << 20
_UNTRIED = "bubblewrap cannot be tried"


def _memory(folder: str) -> list[str]:
    """Arguments that put a folder in memory here, limited in size where bubblewrap can do that (since 0.7)."""
    return [*(["--size", str(MEMORY_BYTES)] if _knows_sizes() else []), "--tmpfs", folder]


@cache
def _knows_sizes() -> bool:
    if shutil.which("bwrap") is None:
        return False
    helped = obtain(_UNTRIED, lambda: subprocess.run(["bwrap", "--help"], capture_output=True, check=False))
    _unless_killed(helped.returncode)
    return b"--size" in helped.stdout


def _unless_killed(exit_code: int) -> None:
    """Raise SessionError if a trial was killed: the machine is the cause, not bubblewrap."""
    if exit_code in (-signal.SIGKILL, 128 + signal.SIGKILL):
        raise SessionError(f"{_UNTRIED}: it was killed")


def _bound(readable: tuple[str, ...], writable: tuple[str, ...]) -> list[str]:
    """Arguments that show these folders, with concealed files and folders replaced by empty ones.

    A folder that is itself concealed is still shown, so it is bound after the folder that contains it.
    """
    concealed = concealed_in((*SYSTEM_FOLDERS, *readable))
    outer = [path for path in readable if any(inner.startswith(f"{os.path.realpath(path)}/") for inner in concealed)]
    argv = [word for path in outer for word in ("--ro-bind", path, path)]
    for path in concealed:
        argv += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    argv += [word for path in readable if path not in outer for word in ("--ro-bind", path, path)]
    argv += [word for path in writable for word in ("--bind", path, path)]
    emptied = [
        path
        for path in concealed
        if os.path.isdir(path) and not path.startswith(tuple(f"{folder}/" for folder in writable))
    ]
    return [*argv, *(word for path in emptied for word in ("--remount-ro", path))]


def _open_to_all(paths: Iterable[str]) -> list[str]:
    """Arguments that create the parent folders of these paths so that every user may pass through them."""
    folders = sorted({str(parent) for path in paths for parent in Path(path).parents})
    return [word for folder in folders for word in ("--perms", "0755", "--dir", folder)]


def find_sandbox(wanted: str) -> Sandbox:
    """The sandbox for `--sandbox` auto, require, bubblewrap, landlock or none.

    Raises UsageError, with reason and remedy, if a sandbox that was requested by name does not work here.
    """
    if wanted == "none":
        return Sandbox(Level.NONE, ("a submission can do whatever you can do on this machine",))
    bubblewrap_refusal = refusal_of_bubblewrap() if wanted != "landlock" else ""
    if wanted != "landlock" and not bubblewrap_refusal:
        return Sandbox(Level.BUBBLEWRAP)
    if wanted in ("require", "bubblewrap"):
        raise UsageError(f"--sandbox={wanted}: bubblewrap does not work here: {bubblewrap_refusal}")
    landlock_refusal = refusal_of_landlock()
    if not landlock_refusal:
        reason = "" if wanted == "landlock" else f"no bubblewrap: {bubblewrap_refusal}"
        return Sandbox(Level.LANDLOCK, _weaknesses(), reason)
    if wanted == "landlock":
        raise UsageError(f"--sandbox=landlock: Landlock does not work here: {landlock_refusal}")
    reason = f"no bubblewrap: {bubblewrap_refusal}; no Landlock: {landlock_refusal}"
    return Sandbox(Level.NONE, ("a submission can do whatever you can do on this machine",), reason)


def _weaknesses() -> tuple[str, ...]:
    version = landlock.version()
    weaknesses = ["a submission can see which other processes run"]
    if version < 4:
        weaknesses.append("Landlock of this kernel does not restrict TCP; the system call filter does")
    if version < 6:
        weaknesses.append("this kernel cannot scope signals, so submissions may send none, not even to themselves")
    if not may_become_others():
        weaknesses.append("a submission runs as your own user")
    return tuple(weaknesses)


def is_root() -> bool:
    """Whether we are root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@cache
def may_become_others() -> bool:
    """Whether we may run programs as another user: root may, if there are other user ids."""
    return is_root() and users.are_there()


@cache
def refusal_of_bubblewrap() -> str:
    """Why bubblewrap cannot be used here, with the remedy; empty if it can."""
    if "bubblewrap" in os.environ.get("PITBOSS_WITHOUT", ""):
        return "it is switched off by PITBOSS_WITHOUT"
    if shutil.which("bwrap") is None:
        return "it is not installed (on Debian: apt install bubblewrap)"
    return "" if becomes_others() else _refusal(becomes_others=False)


@cache
def becomes_others() -> bool:
    """Whether a process that we start inside a bubblewrap can become another user."""
    return may_become_others() and not _refusal(becomes_others=True)


def _refusal(*, becomes_others: bool) -> str:
    """Why a bubblewrap cannot be run, empty if it can; ShortageError if resources are short."""
    argv = [*bubblewrap_argv(readable=(), becomes_others=becomes_others), "--", "/bin/sh", "-c", ":"]
    until = time.monotonic() + PATIENCE_S
    while True:
        words = obtain(_UNTRIED, lambda: _words_of(argv))
        if not shortage_in(words) or time.monotonic() > until:
            return words
        time.sleep(0.1)


def _words_of(argv: list[str]) -> str:
    """The error message of a trial bubblewrap; empty if it runs. Raises OSError if it cannot be started now."""
    strays = processes.Strays()  # its first process inside may outlive it for a moment
    try:
        tried = subprocess.run(argv, capture_output=True, timeout=20, check=False, text=True)
    except subprocess.TimeoutExpired as error:
        return f"it cannot be run: {error}"
    except OSError as error:
        if is_short(error.errno):
            raise
        return f"it cannot be run: {error}"
    finally:
        strays.end()
    _unless_killed(tried.returncode)
    return (tried.stderr.strip().splitlines() or ["it failed without a message"])[-1] if tried.returncode else ""


@cache
def refusal_of_landlock() -> str:
    """Why Landlock and the filter cannot be used here; empty if they can."""
    if "landlock" in os.environ.get("PITBOSS_WITHOUT", ""):
        return "it is switched off by PITBOSS_WITHOUT"
    if not abi.IS_KNOWN:
        return "it needs Linux on x86-64"
    if landlock.version() == 0:
        return "this kernel lacks it, or has it switched off (it needs Linux 5.13 with landlock among its LSMs)"
    return ""


def readable_folders(folder: Path, *more: str) -> tuple[str, ...]:
    """The folders outside the system that a program in `folder` may read."""
    return (*interpreter_folders(), str(folder), *more)
