"""Finds out whether this machine lacks something when a build has failed.

A build can print anything, and end itself by any signal. So what it says only decides whether it is tried once more. A
failure is ours only if this machine says so too: its disk, its kernel's counters, or a tool that is not there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import signal

from pitboss.machine.processes import memory_kill_count, task_count_of, text_of
from pitboss.machine.shortages import error_with_remedy, retry_shortages
from pitboss.machine.signals import FROM_OUTSIDE
from pitboss.sandbox.sandbox import Level
from pitboss.sandbox.tools import BUILD_TOOLS, find_tool, search_path

#: The free space that builds need, in bytes and in inodes; with less, a compiler may fail silently.
_MIN_FREE_BYTES, _MIN_FREE_INODES = 1 << 20, 16
#: With less memory than this, in bytes, a compiler may get none.
_MIN_FREE_MEMORY = 256 << 20
#: An ordinary user who has more processes and threads may be short of them, since programs run as the same user.
_MANY_TASKS = 100
#: Signals that may end a compiler, but whose reason is never the source that it compiles. Using a file mapped from a
#: full disk raises SIGBUS.
_OUTSIDE_SIGNALS = tuple(signal.Signals[name] for name in (*FROM_OUTSIDE, "SIGBUS"))
_SHORTAGE_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.EIO)
#: What compilers, make, shells, runtimes and bubblewrap print about shortages and about signals from outside.
_SHORTAGE = re.compile(
    rf"{'|'.join(map(re.escape, map(os.strerror, _SHORTAGE_ERRNOS)))}"
    r"|^bwrap: execvp |Cannot fork|create native thread|(?:out of|insufficient) memory|memory exhausted"
    r"|(?:\]|error:|command:) (?:Killed|Terminated|Hangup|Interrupt|Quit|Bus error|Error (?:129|130|131|135|137|143))\b"
    r"|terminated with signal \d|not reserve enough"
)
#: The messages of make, a shell, env, CMake, ccache and compilers that a command does not exist.
_TOOL_NOT_FOUND = re.compile(
    r"^(?:make(?:\[\d+\])?|\S*sh|\S*env): (?:(?:line )?\d+: )?['‘]?([^\s'‘’]+)['’]?: "
    r"(?:No such file or directory|(?:command )?not found|Permission denied)$"
    r"|^  The CMAKE_\w+_COMPILER:\s+(\S+)\s+is not a full path|find compiler \"([^\"]+)\""
    r"|^\S+: (?:fatal )?error: (?:cannot execute|error trying to exec|cannot find) ['‘]([\w+-]+)['’]",
    re.M,
)
#: A compiler, perhaps with its folder, the machine for which it compiles, and its version, or a part of gcc.
_COMPILER = re.compile(
    r"(?:/\S*/)?(?:[\w.]+-)*(?:g?cc|[gc]\+\+|clang(?:\+\+)?|c[89]9|tcc|ic[cx]|icp[cx]|nvcc|gfortran)(?:-?\d[\d.]*)?"
    r"|cc1\w*|collect2|lto1"
)


def speaks_of_shortage(exit_code: int, output: str) -> bool:
    """Whether a command says, by its exit code or in its output, that this machine was short of something.

    The exit code is minus the signal that ended the command; bubblewrap and shells exit with 128 plus the signal.
    """
    return bool({-exit_code, exit_code - 128}.intersection(_OUTSIDE_SIGNALS) or _SHORTAGE.search(output))


def missing_tools(output: str, level: Level) -> dict[str, str]:
    """Returns the tools that a build says it did not find, each with a clause on why builds cannot use it here."""
    clauses: dict[str, str] = {}
    for name in map("".join, _TOOL_NOT_FOUND.findall(output)):
        tool, is_build_tool = find_tool(name), name in BUILD_TOOLS
        if tool is None and (is_build_tool or _COMPILER.fullmatch(name)):
            clauses[name] = f"this machine has no {name}"
        elif tool and is_build_tool and (refusal := tool.refusal(level)):
            clauses[name] = refusal
        elif tool and "/" not in name and shutil.which(name, path=search_path()) is None:
            clauses[name] = f"{name} is in {tool.found_in}, which submissions cannot access: install it for all users"
    return clauses


def lack_of_memory(kills_before: int) -> str:
    """Returns a clause if memory has run out since `memory_kill_count` was `kills_before`, or nearly; else empty."""
    if memory_kill_count() == kills_before and _free_memory() >= _MIN_FREE_MEMORY:
        return ""
    return error_with_remedy(OSError(errno.ENOMEM, os.strerror(errno.ENOMEM)))


def lack_of_room(folder: str | os.PathLike[str], min_bytes: int = _MIN_FREE_BYTES) -> str:
    """Returns a clause on why `min_bytes` cannot be written below a folder; empty if there is enough free space."""
    try:
        status = os.statvfs(folder)
    except OSError as error:
        return error_with_remedy(error)
    if status.f_flag & os.ST_RDONLY:
        return error_with_remedy(OSError(errno.EROFS, os.strerror(errno.EROFS)))
    # f_files is 0 on file systems that do not count inodes.
    has_free_inodes = status.f_files == 0 or status.f_favail >= _MIN_FREE_INODES
    if status.f_bavail * status.f_frsize >= min_bytes and has_free_inodes:
        return ""
    return error_with_remedy(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))


def wait_for_room(folder: str | os.PathLike[str]) -> None:
    """Waits a while for free space in a folder and for room for processes: what uses up either may be ended soon."""

    def check_room() -> None:
        if lack_of_room(folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if os.geteuid() and task_count_of(os.geteuid()) > _MANY_TASKS:  # root lends each build a user of its own
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

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
