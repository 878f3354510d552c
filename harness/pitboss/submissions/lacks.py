"""Finds what this machine lacked when a build failed, from the exit code, the output and the scratch folder.

The result of such a build does not depend on the program. Exceeding pitboss's own limits is not a lack.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import signal

from pitboss.model.languages import TOOLS
from pitboss.sandbox.procfs import text_of
from pitboss.sandbox.sandbox import Level
from pitboss.sandbox.shortages import remedy_of, retry_shortages
from pitboss.sandbox.signals import FROM_OUTSIDE
from pitboss.sessions.programs import ENVIRONMENT

#: The free space that builds need, in bytes and in files; with less a compiler may fail silently.
_ROOM_BYTES, _ROOM_FILES = 1 << 20, 16
#: Signals that no program's content makes a compiler end with. A file mapped from a full disk gives SIGBUS.
_SIGNALS = tuple(signal.Signals[name] for name in (*FROM_OUTSIDE, "SIGBUS"))
_NAMES = "Killed|Terminated|Hangup|Interrupt|Quit"
#: Messages of a compiler if a signal ended a part of it, and of make if a signal ended a command.
_ENDED_BY_SIGNAL = re.compile(
    rf"^\S+: (?:fatal |internal compiler )?error: (?:(?:{_NAMES}|Bus error) (?:signal terminated|\(program) .*"
    rf"|\S+ terminated with signal \d+ .*|unable to execute command: (?:{_NAMES}|Bus error).*)"
    rf"|^make(?:\[\d+\])?: (?:\*\*\* )?\[[^\]\n]*\] (?:(?:{_NAMES})\b|Error (?:129|130|131|137|143)\b).*",
    re.MULTILINE,
)
_SHORTAGE_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOBUFS, errno.EIO)
_ERRNO_BY_MESSAGE = {os.strerror(number): number for number in _SHORTAGE_ERRNOS} | {
    "Disk full": errno.ENOSPC,
    "Cannot fork": errno.EAGAIN,
    "unable to create native thread": errno.EAGAIN,
}
#: A shortage is reported at the end of a line, after what failed. Source lines that a compiler quotes are skipped.
_SHORTAGE = re.compile(
    rf"^(?![ \d]*\|)(?:.*(?:[:.(] ?|\] )['\"(]?)?({'|'.join(map(re.escape, _ERRNO_BY_MESSAGE))})"
    r"['\")]*\.?(?: Path .*|: possibly .*)?$",
    re.MULTILINE,
)
_NO_MEMORY = re.compile(
    r"Cannot allocate memory$|virtual memory exhausted|out of memory allocating"
    r"|insufficient memory for the Java Runtime|Could not reserve enough space",
    re.MULTILINE,
)
#: The parts of compilers, as makefiles call them.
_TOOLS = (*TOOLS, "gcc", "g++", "ld", "as", "ar", "sh", "make")
_NO_TOOL = re.compile(r"^(?:make(?:\[\d+\])?|\S*sh): (?:\d+: )?(\S+): (?:No such file or directory|not found)$", re.M)
_NO_PART = re.compile(r"^\S+: (?:fatal )?error: (?:cannot execute |error trying to exec |cannot find ['‘]ld).*", re.M)
#: The output if the command could not be executed.
_NOT_EXECUTED = re.compile(r"(?:bwrap: execvp )?(\S+): [A-Z][^:\n]*")


def lack_of(exit_code: int, output: str, name: str, level: Level, memory: int, *, has_used_its_time: bool) -> str:
    """Returns what made the command `name` fail, which pitboss did not stop; empty if nothing points to this machine.

    `memory` is the limit of each of its processes in bytes; `has_used_its_time`: whether a process may have been
    killed for its CPU time.
    """
    ending = "" if has_used_its_time else _signal_clause(exit_code, output, level)
    if ending:
        return (
            f"{ending}; pitboss did not send the signal: the kernel does when memory runs out — end other "
            "programs, or use a smaller --jobs"
        )
    if exit_code == 0:
        return ""
    lack = lack_in(output)
    if lack:
        return lack
    if _NO_MEMORY.search(output) and _free_memory() < memory:
        return remedy_of(OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)))
    executed = _NOT_EXECUTED.fullmatch(output.strip())
    return f"{output.strip()}" if executed and os.path.basename(executed[1]) == os.path.basename(name) else ""


def lack_in(output: str) -> str:
    """Returns what this machine lacks according to the output of a build; empty if nothing."""
    shortage = _SHORTAGE.search(output)
    if shortage:
        return remedy_of(OSError(_ERRNO_BY_MESSAGE[shortage[1]], os.strerror(_ERRNO_BY_MESSAGE[shortage[1]])))
    part = _NO_PART.search(output)
    if part:
        return f"“{part[0]}”"
    path = dict(ENVIRONMENT)["PATH"]
    missing = [name for name in _NO_TOOL.findall(output) if "/" not in name and shutil.which(name, path=path) is None]
    for name in missing:
        # For example rustup's rustc, which is in a home directory.
        if (path_here := shutil.which(name)) is not None:
            return (
                f"{name} is in {os.path.dirname(path_here)}, which submissions cannot access: install it for all users"
            )
        if name in _TOOLS:
            return f"this machine has no {name}"
    return ""


def _signal_clause(exit_code: int, output: str, level: Level) -> str:
    """Returns the beginning of a clause on a process that a signal ended; empty if there is no sign of that."""
    # bubblewrap exits with 128 plus the signal.
    codes = {-number: number for number in _SIGNALS}
    codes |= {128 + number: number for number in _SIGNALS if level is Level.BUBBLEWRAP}
    if exit_code in codes:
        return f"it was ended by {codes[exit_code].name}"
    match = _ENDED_BY_SIGNAL.search(output)
    return f"“{match[0].strip()}”: it was ended by a signal" if match else ""


def lack_of_room(folder: str | os.PathLike[str]) -> str:
    """Returns why nothing can be built below a folder; empty if there is room."""
    try:
        status = os.statvfs(folder)
    except OSError as error:
        return remedy_of(error)
    if status.f_flag & os.ST_RDONLY:
        return remedy_of(OSError(errno.EROFS, os.strerror(errno.EROFS)))
    has_files = not status.f_files or status.f_favail >= _ROOM_FILES  # some file systems do not count files
    if status.f_bavail * status.f_frsize >= _ROOM_BYTES and has_files:
        return ""
    return remedy_of(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


def wait_for_room(folder: str | os.PathLike[str]) -> None:
    """Waits a while for room in a folder: the files that fill it may be removed soon."""

    def check_room() -> None:
        if lack_of_room(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with contextlib.suppress(OSError):
        retry_shortages(check_room)


def _free_memory() -> int:
    """Returns the memory available to a program now, in bytes; a huge number if unknown."""
    amounts = {
        line.partition(":")[0]: int(line.split()[1]) << 10
        for line in text_of("/proc/meminfo").splitlines()
        if line.endswith(" kB")
    }
    plenty = 1 << 62
    if text_of("/proc/sys/vm/overcommit_memory").strip() == "2":
        return min(
            amounts.get("CommitLimit", plenty) - amounts.get("Committed_AS", 0), amounts.get("MemAvailable", plenty)
        )
    return amounts.get("MemAvailable", plenty)
