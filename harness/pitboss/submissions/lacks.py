"""Finds what this machine lacked when a build failed, from the exit code, the output and the scratch folder.

A failure for lack of memory, disk space or a tool does not depend on the program. But a build that exceeds pitboss's
own limits fails because of the program.
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
from pitboss.sandbox.shortages import error_with_remedy, retry_shortages
from pitboss.sandbox.signals import FROM_OUTSIDE
from pitboss.sessions.programs import ENVIRONMENT

#: The free space that builds need, in bytes and in inodes; with less, a compiler may fail silently.
_MIN_FREE_BYTES, _MIN_FREE_INODES = 1 << 20, 16
#: Signals that may end a compiler, but whose reason is never the source that it compiles. Using a file mapped from a
#: full disk raises SIGBUS.
_OUTSIDE_SIGNALS = tuple(signal.Signals[name] for name in (*FROM_OUTSIDE, "SIGBUS"))
#: The texts that compilers and make print for signals from outside.
_SIGNAL_TEXTS = "Killed|Terminated|Hangup|Interrupt|Quit"
#: Messages of a compiler when a signal ended one of its processes, and of make when a signal ended a command.
_ENDED_BY_SIGNAL = re.compile(
    rf"^\S+: (?:fatal |internal compiler )?error: (?:(?:{_SIGNAL_TEXTS}|Bus error) (?:signal terminated|\(program) .*"
    rf"|\S+ terminated with signal \d+ .*|unable to execute command: (?:{_SIGNAL_TEXTS}|Bus error).*)"
    rf"|^make(?:\[\d+\])?: (?:\*\*\* )?\[[^\]\n]*\] (?:(?:{_SIGNAL_TEXTS})\b|Error (?:129|130|131|137|143)\b).*",
    re.MULTILINE,
)
_SHORTAGE_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOBUFS, errno.EIO)
_ERRNO_BY_MESSAGE = {os.strerror(number): number for number in _SHORTAGE_ERRNOS} | {
    "Disk full": errno.ENOSPC,
    "Cannot fork": errno.EAGAIN,
    "unable to create native thread": errno.EAGAIN,
}
#: Messages name a shortage at the end of a line, after the action that failed. Source lines that a compiler quotes are
#: skipped.
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
#: Compilers and their parts, under the names that makefiles use.
_TOOLS = (*TOOLS, "gcc", "g++", "ld", "as", "ar", "sh", "make")
#: The message of make or a shell that a command does not exist.
_TOOL_NOT_FOUND = re.compile(
    r"^(?:make(?:\[\d+\])?|\S*sh): (?:\d+: )?(\S+): (?:No such file or directory|not found)$", re.M
)
#: The message of a compiler that one of its parts, such as the linker, cannot be executed.
_PART_NOT_EXECUTED = re.compile(
    r"^\S+: (?:fatal )?error: (?:cannot execute |error trying to exec |cannot find ['‘]ld).*", re.M
)
#: The entire output if the command itself could not be executed.
_COMMAND_NOT_EXECUTED = re.compile(r"(?:bwrap: execvp )?(\S+): [A-Z][^:\n]*")


def lack_of(exit_code: int, output: str, name: str, level: Level, memory_limit: int, *, has_used_its_time: bool) -> str:
    """Returns a clause on what this machine lacked when the command `name` ended; empty if nothing suggests that.

    Must not be called for a command that pitboss stopped. `exit_code` may be 0 although a signal has ended one of the
    command's processes. `memory_limit`: the limit of each process of the command, in bytes. `has_used_its_time`:
    whether a process may have been killed because its CPU time was used up.
    """
    signal_clause = "" if has_used_its_time else _signal_clause(exit_code, output, level)
    if signal_clause:
        return (
            f"{signal_clause}; pitboss did not send the signal: the kernel sends it when memory runs out — end other "
            "programs, or use a smaller --jobs"
        )
    if exit_code == 0:
        return ""
    shortage_clause = lack_in(output)
    if shortage_clause:
        return shortage_clause
    # If more memory than the limit is free, the command has reached the limit, and the machine lacks nothing.
    if _NO_MEMORY.search(output) and _free_memory() < memory_limit:
        return error_with_remedy(OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)))
    execution_error = _COMMAND_NOT_EXECUTED.fullmatch(output.strip())
    is_about_command = execution_error and os.path.basename(execution_error[1]) == os.path.basename(name)
    return output.strip() if is_about_command else ""


def lack_in(output: str) -> str:
    """Returns a clause on what this machine lacks according to the output of a build; empty if nothing."""
    shortage = _SHORTAGE.search(output)
    if shortage:
        number = _ERRNO_BY_MESSAGE[shortage[1]]
        return error_with_remedy(OSError(number, os.strerror(number)))
    part_error = _PART_NOT_EXECUTED.search(output)
    if part_error:
        return f"“{part_error[0]}”"
    path = dict(ENVIRONMENT)["PATH"]
    missing_tools = [
        name for name in _TOOL_NOT_FOUND.findall(output) if "/" not in name and shutil.which(name, path=path) is None
    ]
    for name in missing_tools:
        # The tool may be in a home directory, as rustup's rustc is.
        if (path_outside_sandbox := shutil.which(name)) is not None:
            folder = os.path.dirname(path_outside_sandbox)
            return f"{name} is in {folder}, which submissions cannot access: install it for all users"
        if name in _TOOLS:
            return f"this machine has no {name}"
    return ""


def _signal_clause(exit_code: int, output: str, level: Level) -> str:
    """Returns the beginning of a clause on a process that a signal ended; empty if nothing points to a signal."""
    # The exit code is minus the signal; bubblewrap exits with 128 plus the signal.
    codes = {-number: number for number in _OUTSIDE_SIGNALS}
    codes |= {128 + number: number for number in _OUTSIDE_SIGNALS if level is Level.BUBBLEWRAP}
    if exit_code in codes:
        return f"it was ended by {codes[exit_code].name}"
    match = _ENDED_BY_SIGNAL.search(output)
    return f"“{match[0].strip()}”: it was ended by a signal" if match else ""


def lack_of_room(folder: str | os.PathLike[str]) -> str:
    """Returns a clause on why nothing can be built below a folder; empty if there is enough free space."""
    try:
        status = os.statvfs(folder)
    except OSError as error:
        return error_with_remedy(error)
    if status.f_flag & os.ST_RDONLY:
        return error_with_remedy(OSError(errno.EROFS, os.strerror(errno.EROFS)))
    # f_files is 0 on file systems that do not count inodes.
    has_free_inodes = status.f_files == 0 or status.f_favail >= _MIN_FREE_INODES
    if status.f_bavail * status.f_frsize >= _MIN_FREE_BYTES and has_free_inodes:
        return ""
    return error_with_remedy(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


def wait_for_room(folder: str | os.PathLike[str]) -> None:
    """Waits a while for free space in a folder: the files that fill the disk may be removed soon."""

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
    if text_of("/proc/sys/vm/overcommit_memory").strip() == "2":  # the kernel commits no more than CommitLimit
        return min(
            amounts.get("CommitLimit", plenty) - amounts.get("Committed_AS", 0), amounts.get("MemAvailable", plenty)
        )
    return amounts.get("MemAvailable", plenty)
