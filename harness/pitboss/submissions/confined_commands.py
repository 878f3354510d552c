"""Runs a command such as a compiler, make or a syntax check: without a terminal, confined, and within limits.

When it fails, finds out whether this machine lacks something. A build can print anything, and end itself by any signal.
So what it says only decides whether it is tried once more. A failure is ours only if this machine says so too: its
disk, its kernel's counters, or a tool that is not there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import resource
import selectors
import shutil
import signal
import subprocess
from pathlib import Path

import msgspec

from pitboss.errors import SessionError
from pitboss.machine import processes, scratch
from pitboss.machine.processes import memory_kill_count, task_count_of, text_of
from pitboss.machine.retry import refusal_error
from pitboss.machine.shortages import error_with_remedy, retry_shortages
from pitboss.machine.signals import FROM_OUTSIDE
from pitboss.machine.stops import Stops
from pitboss.model.transcript import EndingKind
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox.subprocesses import Confinement, Subprocess, lend_user
from pitboss.sandbox.subreaper import TOO_MANY_PROCESSES, TOO_MUCH_MEMORY
from pitboss.sandbox.tools import BUILD_TOOLS, find_tool, readable_folders, search_path
from pitboss.sessions.programs import Program, environment_of
from pitboss.sessions.tracing.bubblewrap import start_error_of
from pitboss.sessions.tracing.watchdog import Deadline

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


#: The limit on the CPU time of each process of a command, in seconds.
_CPU_S = 30
#: The limit on the real time of a command, in seconds.
_WALL_S = 60
#: The limit on the size of each file that a command writes.
_FILE_BYTES = 64 << 20
#: The limit on the length of a command's output.
_OUTPUT_BYTES = 256 << 10
#: The limit on the memory that all processes of a command use together.
_MEMORY_MB = 2048
_LIMITS = (("RLIMIT_CPU", _CPU_S), ("RLIMIT_FSIZE", _FILE_BYTES), ("RLIMIT_CORE", 0))
#: The maximum that a command may write into its folder: compiling a course's program needs less than half.
_MAX_WRITTEN_BYTES = 32 << 20
#: How often the folder is checked, in seconds: a runaway command fills a disk fast.
_CHECK_INTERVAL_S = 0.02
#: The maximum number of processes of a command at the same time. A makefile needs fewer, even if it compiles all files
#: of a program in parallel.
_PROCESSES = 256
#: Why a command was ended, by `Subprocess.excess`.
_EXCESSES = {
    TOO_MANY_PROCESSES: f"it had more than {_PROCESSES} processes at once",
    TOO_MUCH_MEMORY: f"it used more than {_MEMORY_MB} MB of memory",
}


class CommandOutcome(msgspec.Struct, frozen=True):
    """The result of a command."""

    exit_code: int
    #: The command's stdout and stderr, interleaved, at most _OUTPUT_BYTES.
    output: str
    #: A clause on why pitboss stopped the command; empty if the command was not stopped.
    why_stopped: str = ""
    #: Whether the command says that this machine was short of something, which it may say for any reason.
    speaks_of_shortage: bool = False
    #: A clause on what this machine was short of while such a command ran; empty if of nothing, as far as it knows.
    shortage_clause: str = ""

    @property
    def is_ok(self) -> bool:
        """Whether the command exited with code 0 and was not stopped."""
        return self.exit_code == 0 and not self.why_stopped


def run_confined(
    argv: list[str], folder: Path, sandbox: Sandbox, variables: tuple[tuple[str, str], ...] = ()
) -> CommandOutcome:
    """Runs a command in `folder`, the only folder that the command may write to; no process of the command survives.

    `variables` are added to the usual environment, or replace its values.

    Raises SessionError if this machine lacks resources to run it.
    """
    try:
        with lend_user(sandbox.level) as user_id:
            if user_id is not None:
                _change_owner(folder, user_id)
            return retry_shortages(lambda: _run(argv, folder, sandbox, variables, user_id))
    except OSError as error:
        raise refusal_error(f"{argv[0]} could not be run", error) from error


def _run(
    argv: list[str], folder: Path, sandbox: Sandbox, variables: tuple[tuple[str, str], ...], user_id: int | None
) -> CommandOutcome:
    environment = environment_of(Program(tuple(argv), folder, variables), str(folder))
    confinement = Confinement(sandbox.level, folder, readable_folders(), _LIMITS, _PROCESSES, _MEMORY_MB, user_id)
    cpu_before_s, kills_before = _children_cpu_s(), memory_kill_count()
    folder_limit = _FolderLimit(folder)
    process = Subprocess(argv, confinement, environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        output, why_stopped = _read_output(process, folder_limit)
        exit_code = process.poll()
        if not why_stopped and not process.was_begun:
            raise start_error_of(output)
    finally:
        process.end()
    code = -signal.SIGKILL if exit_code is None else exit_code
    text = output.decode("utf-8", "replace")
    if why_stopped:
        return CommandOutcome(code, text, why_stopped)
    # All processes of the command have been reaped by now, so their CPU time is included.
    has_used_its_time = _children_cpu_s() - cpu_before_s >= _CPU_S  # then the kernel may have killed a process
    if has_used_its_time or not speaks_of_shortage(code, text):
        return CommandOutcome(code, text)
    return CommandOutcome(code, text, "", True, folder_limit.lack_of_room or lack_of_memory(kills_before))


def _children_cpu_s() -> float:
    """Returns the CPU time of all reaped child processes of this process, and of their own children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _change_owner(folder: Path, user_id: int) -> None:
    for path, folders, files in os.walk(folder):
        for name in (path, *(os.path.join(path, name) for name in (*folders, *files))):
            os.chown(name, user_id, user_id, follow_symlinks=False)


class _FolderLimit:
    """The limit on what a command may write into its folder."""

    def __init__(self, folder: Path) -> None:
        """Allows _MAX_WRITTEN_BYTES in addition to what the folder contains now."""
        self._folder = str(folder)
        self._bytes_before = scratch.used_bytes(self._folder)
        #: A clause on why the command could not write as much as it may, at one of the checks; empty if it could.
        self.lack_of_room = ""

    def why_exceeded(self, pids: list[int]) -> str:
        """A clause on how the command, whose processes are `pids`, exceeded the limit; empty if it did not."""
        used_bytes = scratch.used_bytes(self._folder) + processes.unnamed_bytes(pids, _FILE_BYTES)
        if used_bytes >= scratch.TOO_MUCH:
            return f"it created more than {scratch.MAX_FILES:,} files, or some that cannot be counted"
        left_bytes = self._bytes_before + _MAX_WRITTEN_BYTES - used_bytes
        if left_bytes < 0:
            return f"it wrote more than {_MAX_WRITTEN_BYTES >> 20} MB into its folder"
        self.lack_of_room = self.lack_of_room or lack_of_room(os.path.dirname(self._folder), left_bytes)
        return ""


def _read_output(process: Subprocess, folder_limit: _FolderLimit) -> tuple[bytes, str]:
    """Reads a command's output until it ends or must be stopped.

    Returns the output, and a clause on why the command must be stopped; the clause is empty if the command ended.

    Raises SessionError if the machine was too busy to decide whether the command takes too long.
    """
    assert process.stdout is not None
    output = bytearray()
    stops, deadline, ending = Stops(), Deadline(_WALL_S), None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        for descriptor in (process.stdout.fileno(), *process.end_descriptors):
            selector.register(descriptor, selectors.EVENT_READ)
        while ending is None:
            selector.select(timeout=_CHECK_INTERVAL_S)
            if why_exceeded := folder_limit.why_exceeded(process.living_processes()):
                return bytes(output), why_exceeded
            has_ended = process.poll() is not None  # the command may leave a process that keeps the pipe open
            output += _read(process.stdout.fileno())
            if len(output) > _OUTPUT_BYTES:
                return bytes(output[:_OUTPUT_BYTES]), f"it printed more than {_OUTPUT_BYTES >> 10} kB"
            if has_ended:
                return bytes(output), _EXCESSES.get(process.excess, "")
            ending = deadline.check_deadline(process.living_processes)
            if own_stop_s := stops.stopped_time_s():  # a time in which pitboss itself did not run
                deadline.allow(own_stop_s)
                ending = None
    if ending is EndingKind.FAULT:
        raise SessionError(f"a build could not be finished: {deadline.sentence}")
    return bytes(output), f"it took longer than {_WALL_S} s"


def _read(descriptor: int) -> bytes:
    """Reads what is available without waiting, and stops after more than _OUTPUT_BYTES."""
    chunks: list[bytes] = []
    try:
        while sum(map(len, chunks)) <= _OUTPUT_BYTES and (chunk := os.read(descriptor, 65536)):
            chunks.append(chunk)
    except BlockingIOError:
        pass
    return b"".join(chunks)
