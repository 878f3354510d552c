"""Finds out how a submission can be confined on this machine: bubblewrap, Landlock, the filter, another user.

`find_sandbox` returns a Sandbox: the level of confinement to use, and what that level does not enforce on this machine.
Every report prints the sandbox.

Files that no submission may read are concealed: pitboss itself, the assignments, and the code of their references.
Usually they are outside the folders that a sandbox shows. But pip without a virtual environment installs pitboss beside
the interpreter, in a folder that programs in Python must be able to read.
"""

from __future__ import annotations

import glob
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from pathlib import Path

import msgspec

from pitboss.errors import SessionError, UsageError
from pitboss.machine import abi, processes, users
from pitboss.machine.retry import obtain
from pitboss.machine.shortages import PATIENCE_S, errno_of_shortage, is_short
from pitboss.sandbox import landlock

_paths: set[str] = set()


def conceal(path: str | os.PathLike[str]) -> None:
    """Prevent submissions from reading this file, or this folder and everything in it."""
    _paths.add(os.path.realpath(path))


conceal(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def concealed_in(folders: Iterable[str]) -> tuple[str, ...]:
    """The paths of concealed files and folders below these folders, but not of those inside a concealed folder."""
    prefixes = tuple(f"{os.path.realpath(folder)}/" for folder in folders)
    paths = sorted(path for path in _paths if path.startswith(prefixes))
    return tuple(path for path in paths if not any(path.startswith(f"{outer}/") for outer in paths))


def concealed_path_in(folder: str) -> str:
    """A concealed path that is this folder or in it; empty if there is none."""
    return min((path for path in _paths if is_within(path, folder)), default="")


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder itself or below it; both are compared as texts."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def rules_around(folder: str, concealed: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Landlock rules, pairs of a path and its rights, with which a folder can be read except for concealed contents.

    Of the concealed files and folders only the names can be read. A rule applies to everything below its path. So a
    folder with something concealed below it gets no rule for reading: each of its entries gets rules instead.
    """
    concealed_below = [path for path in concealed if path.startswith(f"{os.path.realpath(folder)}/")]
    if not concealed_below:
        yield folder, landlock.READ
        return
    yield folder, landlock.LIST  # an interpreter looks for modules by listing the folders that they may be in
    with os.scandir(folder) as entries:
        # Links are left out: a rule for a link applies to its target, which may be concealed.
        paths = [os.path.realpath(entry.path) for entry in entries if not entry.is_symlink()]
    for path in paths:
        if path not in concealed_below:
            yield from rules_around(path, concealed_below)


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
    #: Why no stronger level is used; empty if this level was requested by name or is the strongest.
    reason: str = ""

    @property
    def description(self) -> str:
        """The level and the reason for it, as one line of a report."""
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
    "/etc/ssl/openssl.cnf",  # without which Node does not start
    *sorted(glob.glob("/etc/fpc*.cfg")),  # Free Pascal's
    *sorted(glob.glob("/etc/java*")),  # to which files of Debian's and Fedora's JDKs are linked
    "/sys/devices/system/cpu",
)
DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")


#: Options of bubblewrap with `switches_users` (see `bubblewrap_argv`): all namespaces are new except that of users, and
#: root keeps three capabilities.
_SHARED_USERS_OPTIONS = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_CHOWN"),
)


def base_interpreter() -> str:
    """The path of the Python interpreter from which our own virtual environment was created."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def interpreter_folders() -> tuple[str, ...]:
    """The folders of the base interpreter, which runs submissions in Python and the process inside a bubblewrap.

    The folders of our own virtual environment are left out, since they may contain the references.
    """
    folders = {sys.base_prefix, sysconfig.get_paths()["stdlib"]}
    outside_system = [folder for folder in folders if not folder.startswith(("/usr", "/lib"))]
    nested = {folder for folder in outside_system for outer in outside_system if folder.startswith(f"{outer}/")}
    return tuple(sorted(set(outside_system) - nested))


def landlock_rules(*folders: str) -> tuple[tuple[str, int], ...]:
    """Landlock rules with which a program can read the system and these folders, as pairs of a path and rights.

    The program cannot read concealed files and folders, except those of `folders` that are concealed themselves.
    """
    readable = (*SYSTEM_FOLDERS, *SYSTEM_FILES, "/proc", *folders)
    concealed = concealed_in(readable)
    rules = (rule for path in readable for rule in rules_around(path, concealed))
    return (*rules, *((path, landlock.DEVICE) for path in DEVICES))


def bubblewrap_argv(
    *, readable: tuple[str, ...], writable: tuple[str, ...] = (), switches_users: bool = False
) -> list[str]:
    """The command line of a bubblewrap in which programs can read only the system and `readable`, and write `writable`.

    With `switches_users` user ids are the same inside and outside. The first process inside, started by root, may then
    become another user and give that user a folder, but it may do nothing else that root may.
    """
    namespaces = _SHARED_USERS_OPTIONS if switches_users else ("--unshare-all", "--cap-drop", "ALL")
    argv = ["bwrap", *namespaces, "--die-with-parent", "--new-session"]
    if switches_users:  # by default only root can pass through the parent folders that bwrap creates
        argv += _parent_arguments(path for path in SYSTEM_FILES if os.path.exists(path))
    for path in (*SYSTEM_FOLDERS, *SYSTEM_FILES):
        if os.path.islink(path):
            argv += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            argv += ["--ro-bind", path, path]
    argv += ["--proc", "/proc", *_tmpfs_arguments("/dev"), "--symlink", "/proc/self/fd", "/dev/fd"]
    argv += ["--symlink", "/proc/self/fd/0", "/dev/stdin"]  # how Node reads an input that is a file
    # Semaphores and shared memory with a name are files there. In a program's own folder they count as what it writes,
    # and no later session finds them.
    argv += ["--symlink", "/proc/self/cwd", "/dev/shm"]
    for path in DEVICES:  # not /dev/zero: a compiler that includes it never ends
        argv += ["--dev-bind", path, path]
    argv += [*_tmpfs_arguments("/tmp"), *_tmpfs_arguments("/home")]
    if switches_users:
        argv += _parent_arguments((*readable, *writable))
    return [*argv, *_bind_arguments(readable, writable)]


#: The maximum size of each folder in memory, such as /tmp, inside a bubblewrap.
MEMORY_BYTES = 256 << 20
_TRIAL_REFUSAL = "bubblewrap cannot be tried"


def _tmpfs_arguments(folder: str) -> list[str]:
    """Arguments that create a folder in memory at this path, limited in size if bubblewrap can do that (since 0.7)."""
    return [*(["--size", str(MEMORY_BYTES)] if _can_limit_sizes() else []), "--tmpfs", folder]


@cache
def _can_limit_sizes() -> bool:
    if shutil.which("bwrap") is None:
        return False
    help_run = obtain(
        _TRIAL_REFUSAL, lambda: subprocess.run(["bwrap", "--help"], capture_output=True, check=False, timeout=60)
    )
    _check_not_killed(help_run.returncode)
    return b"--size" in help_run.stdout


def _check_not_killed(exit_code: int) -> None:
    """Raise SessionError if a trial run of bubblewrap was killed: then the machine is the cause, not bubblewrap."""
    if exit_code in (-signal.SIGKILL, 128 + signal.SIGKILL):
        raise SessionError(f"{_TRIAL_REFUSAL}: it was killed")


def _bind_arguments(readable: tuple[str, ...], writable: tuple[str, ...]) -> list[str]:
    """Arguments that show these folders, with concealed files and folders replaced by empty ones.

    What is bound later covers what was bound before. So the order is: folders that contain something concealed, empty
    files and folders over what is concealed, and then the other folders, which are shown even if they are concealed.
    """
    concealed = concealed_in((*SYSTEM_FOLDERS, *readable))
    outer = [path for path in readable if any(inner.startswith(f"{os.path.realpath(path)}/") for inner in concealed)]
    argv = [argument for path in outer for argument in ("--ro-bind", path, path)]
    for path in concealed:
        argv += ["--tmpfs", path] if os.path.isdir(path) else ["--ro-bind", "/dev/null", path]
    argv += [argument for path in readable if path not in outer for argument in ("--ro-bind", path, path)]
    argv += [argument for path in writable for argument in ("--bind", path, path)]
    # Last, the empty folders become read-only, except those that a writable folder now covers.
    emptied = [
        path
        for path in concealed
        if os.path.isdir(path) and not path.startswith(tuple(f"{folder}/" for folder in writable))
    ]
    return [*argv, *(argument for path in emptied for argument in ("--remount-ro", path))]


def _parent_arguments(paths: Iterable[str]) -> list[str]:
    """Arguments that create the parent folders of these paths so that every user may pass through them."""
    folders = sorted({str(parent) for path in paths for parent in Path(path).parents})
    return [argument for folder in folders for argument in ("--perms", "0755", "--dir", folder)]


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
        weaknesses.append(
            "Landlock of this kernel cannot restrict signals, so a submission may send none, not even to itself"
        )
    if not may_become_others():
        weaknesses.append("a submission runs as your own user")
    return tuple(weaknesses)


def is_root() -> bool:
    """Whether this process runs as root."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


@cache
def may_become_others() -> bool:
    """Whether we may run programs as other users: only root may, and only if other user ids exist."""
    return is_root() and users.has_ids_to_lend()


@cache
def refusal_of_bubblewrap() -> str:
    """Why bubblewrap cannot be used here, with the remedy; empty if it can."""
    if "bubblewrap" in os.environ.get("PITBOSS_WITHOUT", ""):
        return "it is switched off by PITBOSS_WITHOUT"
    if shutil.which("bwrap") is None:
        return "it is not installed (on Debian: apt install bubblewrap)"
    return "" if can_switch_users_inside() else _refusal(switches_users=False)


@cache
def can_switch_users_inside() -> bool:
    """Whether a process that we start inside a bubblewrap can become another user."""
    return may_become_others() and not _refusal(switches_users=True)


def _refusal(*, switches_users: bool) -> str:
    """Why a bubblewrap cannot be run; empty if it can. Raises ShortageError if resources are short."""
    argv = [*bubblewrap_argv(readable=(), switches_users=switches_users), "--", "/bin/sh", "-c", ":"]
    deadline = time.monotonic() + PATIENCE_S
    while True:
        message = obtain(_TRIAL_REFUSAL, lambda: _trial_error(argv))
        if not errno_of_shortage(message) or time.monotonic() > deadline:
            return message
        time.sleep(0.1)


def _trial_error(argv: list[str]) -> str:
    """The error message of a trial run of bubblewrap; empty if it succeeds. Raises OSError if resources are short."""
    strays = processes.Strays()  # the first process inside may outlive bubblewrap for a moment
    try:
        trial = subprocess.run(argv, capture_output=True, timeout=20, check=False, text=True)
    except subprocess.TimeoutExpired as error:
        return f"it cannot be run: {error}"
    except OSError as error:
        if is_short(error.errno):
            raise
        return f"it cannot be run: {error}"
    finally:
        strays.end()
    _check_not_killed(trial.returncode)
    if trial.returncode == 0:
        return ""
    lines = trial.stderr.strip().splitlines()
    return lines[-1] if lines else "it failed without a message"


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
