"""The processes of a session as /proc shows them: which exist, what each is doing, and how to end all of them.

This module imports little: each command that is run gets a subreaper, a new Python that needs this module.

A function that reads /proc returns nothing if a process is gone, and raises OSError if we lack the descriptors.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import stat
import sys
import time

from pitboss.errors import RefusalError
from pitboss.machine import abi
from pitboss.machine.abi import NR
from pitboss.machine.children import REAPING
from pitboss.machine.shortages import is_short, retry_shortages

_CHUNK_BYTES = 1 << 16


def names_in(folder: str) -> list[str]:
    """The names in a folder; empty if it cannot be read, but OSError if the cause is that resources are short."""
    try:
        return retry_shortages(lambda: os.listdir(folder))
    except OSError as error:
        if is_short(error.errno):
            raise
        return []


def text_of(path: str) -> str:
    """The text of a file; empty if it cannot be read, but OSError if the cause is that resources are short."""
    try:
        return retry_shortages(lambda: _read(path))
    except OSError as error:
        if is_short(error.errno):
            raise
        return ""


def memory_kill_count() -> int:
    """How many processes the kernel has ended so far for lack of memory, from /proc/vmstat; 0 if unknown.

    Processes of all containers are counted, whichever container used the memory.
    """
    lines = (line.split() for line in text_of("/proc/vmstat").splitlines())
    return next((int(number) for name, number in lines if name == "oom_kill"), 0)


def _read(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chunks = []
        while chunk := os.read(descriptor, _CHUNK_BYTES):
            chunks.append(chunk)
    finally:
        os.close(descriptor)
    return b"".join(chunks).decode("utf-8", "replace")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: States in proc_pid_stat(5) of a task that will not run until something wakes it.
ASLEEP = frozenset("STtI")
#: States of a task that has ended, waited for (X, x) or not (Z).
GONE = frozenset("ZXx")
#: The numbers, as text, of the calls in which a process waits for a child that shares its memory.
VFORK_CALLS = {str(NR[name]) for name in ("vfork", "clone", "clone3")}
#: The calls that can read a terminal, with the number of the argument that is the terminal's descriptor.
READS = {NR[name]: int(name == "sendfile") for name in ("read", "readv", "preadv2", "splice", "sendfile")}
#: How many times we look for further processes at most. A flood of processes reaches its user's limit earlier.
_MAX_SCANS = 200
#: After this many scans in a row without a new process we assume that there are no more.
_QUIET_SCANS = 3
#: How often we look whether a process shows its open files, a millisecond apart: for a moment of its start none does.
_SHOWING_TRIES = 20
#: How long the kernel, or a worker that ends its children, may take to end a process, in seconds.
ENDING_S = 10.0
_EPOLLS = {NR["epoll_wait"], NR["epoll_pwait"]}


def children(pid: int) -> list[int]:
    """The child processes of all threads of a process; empty if the process is gone."""
    pids: list[int] = []
    for task in names_in(f"/proc/{pid}/task"):
        pids += map(int, text_of(f"/proc/{pid}/task/{task}/children").split())
    return pids


class Orphanage:
    """The orphans of a subreaper: processes whose own parent has ended, now children of its first thread."""

    def __init__(self, reaper: int) -> None:
        """`reaper` is the subreaper's process id.

        Raises RefusalError if /proc does not list children, OSError if resources are short.
        """
        path = f"/proc/{reaper}/task/{reaper}/children"
        #: Children that the subreaper had when this object was made: processes of pitboss, not orphans.
        self._earlier_children: frozenset[int] = frozenset()
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            if is_short(error.errno):
                raise
            raise RefusalError(f"{path} cannot be read: {error.strerror}") from error
        try:
            self._earlier_children = frozenset(pid for pid in self.pids() if not is_gone(pid))
        except BaseException:
            self.close()
            raise

    def pids(self) -> list[int]:
        """The orphans that exist now."""
        text, offset = b"", 0
        with REAPING:
            while chunk := os.pread(self._file, 1 << 16, offset):  # the kernel returns a page at a time
                text += chunk
                offset = len(text)
        return [pid for pid in map(int, text.split()) if pid not in self._earlier_children]

    def close(self) -> None:
        """Close the file in /proc that lists the children."""
        os.close(self._file)


def tree(pids: list[int]) -> list[int]:
    """These processes and all that descend from them."""
    members: list[int] = []
    unvisited = list(pids)
    while unvisited:
        pid = unvisited.pop()
        members.append(pid)
        unvisited += children(pid)
    return members


def parent(pid: int) -> int:
    """The parent of a process; 0 if the process is gone."""
    fields = text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()  # the program's name may contain blanks
    return int(fields[1]) if fields else 0


def state_in(path: str) -> str:
    """The state in a file of proc_pid_stat(5), one letter; X if the task is gone."""
    return text_of(path).rpartition(")")[2][1:2] or "X"


def kill_all(pids: list[int]) -> list[int]:
    """Kill processes and their descendants, or only `pids` if descriptors are short; returns the killed ones."""
    try:
        killed = tree(pids)
    except OSError:
        killed = pids
    _signal_all(killed, signal.SIGKILL)
    return killed


def end_all(roots: Callable[[], list[int]]) -> None:
    """Kill the processes that `roots` returns and all their descendants, even if they keep starting new ones.

    A stopped process starts no processes and remains the parent of its children. So we first stop all processes, until
    we find no new ones, and then kill them.
    """
    stopped: set[int] = set()
    quiet_scans = 0
    for _ in range(_MAX_SCANS):
        new_pids = set(tree(roots())) - stopped
        # One scan is not enough: it misses a process whose parent ends while we walk the tree.
        quiet_scans = 0 if new_pids else quiet_scans + 1
        if quiet_scans == _QUIET_SCANS:
            break
        _signal_all(new_pids, signal.SIGSTOP)
        stopped |= new_pids
    _signal_all(stopped, signal.SIGKILL)


def adopt() -> None:
    """Make this process adopt orphaned descendants; see PR_SET_CHILD_SUBREAPER in prctl(2)."""
    if abi.IS_KNOWN:
        abi.call("prctl", abi.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Strays:
    """The orphans that this process adopts while it runs a program: processes that the program left behind."""

    def __init__(self) -> None:
        """Record our children before the program is started, and begin to adopt its orphans."""
        adopt()
        self._earlier_children = frozenset(children(os.getpid()))

    def end(self, but: Iterable[int] = ()) -> None:
        """Kill the strays and their descendants, and reap them, since a zombie still counts as a process of its user.

        `but` are children of ours that were started meanwhile, and that are spared. They are reaped in any order: the
        first process of a namespace ends only after the others in it have been reaped.
        """
        spared = self._earlier_children.union(but)
        strays: list[int] = []

        def are_gone() -> bool:
            strays[:] = [pid for pid in children(os.getpid()) if pid not in spared and not has_ended(pid)]
            kill_all(strays)
            return not strays

        if not wait_until(are_gone):
            sys.stderr.write(f"pitboss: processes that do not end are left: {strays}\n")


def wait_until(is_done: Callable[[], bool]) -> bool:
    """Call a function again and again until it returns True, for at most `ENDING_S`; returns whether it did."""
    deadline = time.monotonic() + ENDING_S
    while not (done := is_done()) and time.monotonic() < deadline:
        time.sleep(0.001)
    return done


def has_ended(child: int) -> bool:
    """Reap a child if it has ended; returns whether it has ended, now or before."""
    try:
        return os.waitpid(child, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def _signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):  # gone; another process may have the id by now
            pass


def task_count_of(user_id: int) -> int:
    """How many processes and threads a user has."""
    pids = [name for name in names_in("/proc") if name.isdigit() and _owner(f"/proc/{name}") == user_id]
    return sum(len(names_in(f"/proc/{pid}/task")) for pid in pids)


def _owner(path: str) -> int | None:
    try:
        return os.stat(path).st_uid
    except OSError:
        return None


def state(pid: int) -> str:
    """The state of a process' first thread, one letter as in proc_pid_stat(5); X if the process is gone.

    If the first thread has ended before the others, returns the state of another thread: the process still lives.
    """
    first_state = state_in(f"/proc/{pid}/stat")
    if first_state not in GONE:
        return first_state
    others = [task for task in names_in(f"/proc/{pid}/task") if task != str(pid)]
    states = [state_in(f"/proc/{pid}/task/{task}/stat") for task in others]
    living_states = [letter for letter in states if letter not in GONE]
    if not living_states:
        return first_state
    return next((letter for letter in living_states if letter not in ASLEEP), living_states[0])


def is_gone(pid: int) -> bool:
    """Whether a process has ended, even if its parent has not waited for it."""
    return state(pid) in GONE


def are_more_living_than(most: int, pids: list[int]) -> bool:
    """Whether more than `most` of these processes have not ended. Zombies have ended."""
    return len(pids) > most and sum(not is_gone(pid) for pid in pids) > most


def is_asleep(pid: int) -> bool:
    """Whether a process waits for something and does not run."""
    return _is_in_state(pid, ASLEEP)


def _is_in_state(pid: int, states: frozenset[str]) -> bool:
    """Whether a process is in one of these states, or waits for a child that shares its memory (see vfork(2))."""
    letter = state(pid)
    return letter in states or (letter == "D" and text_of(f"/proc/{pid}/syscall").partition(" ")[0] in VFORK_CALLS)


def none_runs(pids: Iterable[int]) -> bool:
    """Whether none of these processes runs or is ready to run."""
    return all(_is_in_state(pid, ASLEEP | GONE) for pid in pids)


def cpu_ns(pid: int) -> int:
    """The CPU time that all threads of a process have used, in nanoseconds."""
    return sum(used for used, _ in _thread_times_ns(pid))


def busy_ns(pid: int) -> int:
    """How long threads of a process have run or waited for a core, in nanoseconds."""
    return sum(used + waited for used, waited in _thread_times_ns(pid))


def longest_core_wait_ns(pid: int) -> int:
    """How long a process's threads have waited for a core: the total of the thread that waited most, in nanoseconds."""
    return max((waited for _, waited in _thread_times_ns(pid)), default=0)


def _thread_times_ns(pid: int) -> Iterator[tuple[int, int]]:
    """For each thread of a process, how long it has run and how long it has waited for a core, in nanoseconds."""
    for task in names_in(f"/proc/{pid}/task"):
        fields = text_of(f"/proc/{pid}/task/{task}/schedstat").split()
        if len(fields) > 1:
            yield int(fields[0]), int(fields[1])


def used_memory_kb(pids: list[int], limit_kb: int) -> int:
    """The memory that processes use together, in kB, swapped or not; addresses that are only reserved do not count.

    Memory that several processes share counts once, but only where the sum would exceed `limit_kb`: that takes longer.
    """
    used_kb = {
        pid: max((_kilobytes(f"{place}/status", "VmRSS", "VmSwap") for place in _places(pid)), default=0)
        for pid in pids
    }
    if sum(used_kb.values()) <= limit_kb:
        return sum(used_kb.values())
    # The kernel may refuse to show us the shares of another user's process.
    return sum(
        _kilobytes(f"/proc/{pid}/smaps_rollup", "Pss", "SwapPss") or used_kb[pid]
        for pid in pids
        if not _borrows_memory(pid)
    )


def _borrows_memory(pid: int) -> bool:
    """Whether a process has its parent's memory, because it has not begun its program: see vfork(2)."""
    try:
        return abi.call("kcmp", pid, parent(pid), abi.KCMP_VM, 0, 0) == 0
    except OSError:  # refused, or a kernel without it; a process without a program has the arguments of its parent
        return text_of(f"/proc/{pid}/cmdline") == text_of(f"/proc/{parent(pid)}/cmdline")


def _kilobytes(path: str, *names: str) -> int:
    """The sum of these fields of a file in /proc; 0 if the process is gone."""
    # Not by splitlines: the name of a program may have any control character but a newline.
    lines = (line.split() for line in text_of(path).split("\n"))
    return sum(int(fields[1]) for fields in lines if fields and fields[0][:-1] in names)


def _places(pid: int) -> list[str]:
    """The folders in /proc of a process: of its first thread, and of threads that have other open files than that.

    Those have other files for which the first thread has ended: it has neither files nor memory any more.
    """
    tasks = map(int, names_in(f"/proc/{pid}/task"))
    return [f"/proc/{pid}/task/{task}" for task in tasks if task == pid or not _shares_files(pid, task)]


def _shares_files(pid: int, task: int) -> bool:
    try:
        return abi.call("kcmp", pid, task, abi.KCMP_FILES, 0, 0) == 0
    except OSError as error:
        return error.errno == errno.ENOSYS


def _hides_files(pid: int, place: str) -> bool:
    """Whether a program of our user closes to us which files it has open: see PR_SET_DUMPABLE in prctl(2).

    A process that ends has no memory of its own any more; one that has not begun its program has none yet.
    """
    for _ in range(_SHOWING_TRIES):
        is_shown = os.access(f"{place}/fd", os.R_OK)
        if is_shown or not _kilobytes(f"{place}/status", "VmRSS") or _borrows_memory(pid):
            return False
        time.sleep(0.001)
    return True


#: A semaphore of the C library, and what a JVM measures about itself, whose file it deletes before it ends.
_SMALL_FILE = re.compile(r"/sem\.[^/]*$|/hsperfdata_[^/]+/\d+$")


def unnamed_bytes(pids: Iterable[int], max_file_bytes: int) -> int:
    """How much space the files without a name take that processes use, on a disk or in memory (memfd_create(2)).

    If a file is mapped but not open, only root can see its size; otherwise it counts as `max_file_bytes`, or as nothing
    if it is named like a file that is always small. Returns sys.maxsize if a program of our user closed to us what it
    uses.
    """
    open_bytes: dict[tuple[int, int], int] = {}
    mapped_bytes: dict[int, int] = {}
    for pid, place in ((member, place) for member in pids for place in _places(member)):
        if os.geteuid() and _hides_files(pid, place):
            return sys.maxsize
        open_bytes |= _open_unnamed_files(place)
        mapped_bytes |= _mapped_unnamed_files(place, max_file_bytes)
    open_inodes = {inode for _, inode in open_bytes}
    return sum(open_bytes.values()) + sum(size for inode, size in mapped_bytes.items() if inode not in open_inodes)


def _open_unnamed_files(place: str) -> dict[tuple[int, int], int]:
    """The bytes of the files without a name that are open in a folder of /proc, by their devices and inodes."""
    open_bytes: dict[tuple[int, int], int] = {}
    for name in names_in(f"{place}/fd"):
        try:
            status = os.stat(f"{place}/fd/{name}")
        except OSError:  # just closed
            continue
        if stat.S_ISREG(status.st_mode) and not status.st_nlink:
            open_bytes[status.st_dev, status.st_ino] = status.st_blocks * 512
    return open_bytes


def _mapped_unnamed_files(place: str, max_file_bytes: int) -> dict[int, int]:
    """The bytes of the files without a name that are mapped in a folder of /proc, by their inodes."""
    mapped_bytes: dict[int, int] = {}
    for line in text_of(f"{place}/maps").split("\n"):  # the name of a file may have any other control character
        # The kernel calls memory that processes share without a file /dev/zero.
        if not line.endswith(" (deleted)") or line.endswith(" /dev/zero (deleted)"):
            continue
        addresses, *_, inode, path = line.removesuffix(" (deleted)").split(maxsplit=5)
        try:
            size = os.stat(f"{place.partition('/task/')[0]}/map_files/{addresses}").st_blocks * 512
        except OSError:
            if line not in text_of(f"{place}/maps").split("\n"):  # a process that ends has nothing mapped any more
                continue
            size = 0 if _SMALL_FILE.search(path) else max_file_bytes
        mapped_bytes[int(inode)] = size
    return mapped_bytes


def has_mark(pid: int, mark: int) -> bool:
    """Whether a process has this mark, which it inherits from its ancestors: see limits.set_limits."""
    _, _, fields = text_of(f"/proc/{pid}/limits").partition("\nMax file locks")
    return fields.split()[:1] == [str(mark)]


def is_terminal(tid: int, descriptor: int, device: int) -> bool:
    """Whether a descriptor of a task is the terminal with this device number."""
    try:
        return os.stat(f"/proc/{tid}/fd/{descriptor}").st_rdev == device
    except OSError:
        return False


def waits_for(pids: list[int], device: int) -> bool:
    """Whether any of these processes waits for input from the terminal with this device number.

    This finds waits at which the filter does not stop a program: reads of descriptors other than 0, as by getpass, and
    epoll, as by node.
    """
    for pid in pids:
        for task in names_in(f"/proc/{pid}/task"):
            # The call that the task waits in, and its arguments; just `running` if it runs, nothing if it is gone.
            number, *arguments = text_of(f"/proc/{pid}/task/{task}/syscall").split() or [""]
            if not number.isdigit():
                continue
            index = READS.get(int(number))
            if index is not None and is_terminal(pid, int(arguments[index], 16), device):
                return True
            if int(number) in _EPOLLS and _has_terminal(pid, device):
                return True
    return False


def _has_terminal(pid: int, device: int) -> bool:
    return any(is_terminal(pid, int(name), device) for name in names_in(f"/proc/{pid}/fd"))
