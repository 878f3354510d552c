"""The processes of a session as /proc shows them: which exist, what each is doing, and how to end all of them.

This module imports little: each command that is run gets a subreaper, a new Python that needs this module.
"""

from __future__ import annotations

import contextlib
import os
import signal

from pitboss.errors import SessionError
from pitboss.sandbox import abi
from pitboss.sandbox.abi import NR
from pitboss.sandbox.children import REAPING
from pitboss.sandbox.procfs import names_in, text_of
from pitboss.sandbox.shortages import is_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: States in proc_pid_stat(5) of a task that will not run until something wakes it.
_ASLEEP = frozenset("STtI")
#: States of a task that has ended, waited for (X, x) or not (Z).
_GONE = frozenset("ZXx")
#: The numbers, as text, of the calls in which a process waits for a child that shares its memory.
_VFORK_CALLS = {str(NR["vfork"]), str(NR["clone"])}
_READS = {NR["read"], NR["readv"]}
#: How many times we look for further processes at most. A flood of processes reaches its user's limit earlier.
_MAX_SCANS = 200
#: After this many scans in a row without a new process we assume that there are no more.
_QUIET_SCANS = 3
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

        Raises SessionError if /proc does not list children, OSError if resources are short.
        """
        path = f"/proc/{reaper}/task/{reaper}/children"
        #: Children that the subreaper had when this object was made: processes of pitboss, not orphans.
        self._earlier_children: frozenset[int] = frozenset()
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            if is_short(error.errno):
                raise
            raise SessionError(f"{path} cannot be read: {error.strerror}") from error
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


def living_in_group(group: int) -> list[int]:
    """The processes of a process group that have not ended."""
    members = []
    for name in names_in("/proc"):
        fields = _stat_fields(f"/proc/{name}/stat") if name.isdigit() else []
        if len(fields) > _GROUP and int(fields[_GROUP]) == group and fields[_STATE] not in _GONE:
            members.append(int(name))
    return members


#: Indices in the result of `_stat_fields`.
_STATE, _PARENT, _GROUP = 0, 1, 2


def _stat_fields(path: str) -> list[str]:
    """The fields after the program's name in a file of proc_pid_stat(5); empty if the task is gone."""
    _, _, after_name = text_of(path).rpartition(")")
    return after_name.split()


def parent(pid: int) -> int:
    """The parent of a process; 0 if the process is gone."""
    fields = _stat_fields(f"/proc/{pid}/stat")
    return int(fields[_PARENT]) if fields else 0


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

        `but` are children of ours that were started meanwhile, and that are spared.
        """
        spared = self._earlier_children.union(but)
        for _ in range(_MAX_SCANS):
            strays = [pid for pid in children(os.getpid()) if pid not in spared]
            if not strays:
                return
            kill_all([pid for pid in strays if not is_gone(pid)])
            for pid in strays:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)


def _signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):  # gone; another process may have the id by now
            pass


def task_count_of(user_id: int) -> int:
    """How many processes and threads a user has."""
    pids = [name for name in names_in("/proc") if name.isdigit() and _owner(f"/proc/{name}") == user_id]
    return sum(map(_count_tasks, pids))


def _count_tasks(pid: str) -> int:
    return sum(1 for _ in names_in(f"/proc/{pid}/task"))


def _owner(path: str) -> int | None:
    try:
        return os.stat(path).st_uid
    except OSError:
        return None


def state(pid: int) -> str:
    """The state of a process' first thread, one letter as in proc_pid_stat(5); X if the process is gone.

    If the first thread has ended before the others, returns the state of another thread: the process still lives.
    """
    first_state = _state_in(f"/proc/{pid}/stat")
    if first_state not in _GONE:
        return first_state
    others = [task for task in names_in(f"/proc/{pid}/task") if task != str(pid)]
    states = [_state_in(f"/proc/{pid}/task/{task}/stat") for task in others]
    living_states = [letter for letter in states if letter not in _GONE]
    if not living_states:
        return first_state
    return next((letter for letter in living_states if letter not in _ASLEEP), living_states[0])


def _state_in(path: str) -> str:
    """The state in a file of proc_pid_stat(5); X if the task is gone."""
    fields = _stat_fields(path)
    return fields[_STATE] if fields else "X"


def is_gone(pid: int) -> bool:
    """Whether a process has ended, even if its parent has not waited for it."""
    return state(pid) in _GONE


def are_more_living_than(most: int, pids: list[int]) -> bool:
    """Whether more than `most` of these processes have not ended. Zombies have ended."""
    return len(pids) > most and sum(not is_gone(pid) for pid in pids) > most


def is_asleep(pid: int) -> bool:
    """Whether a process waits for something and does not run."""
    return _is_in_state(pid, _ASLEEP)


def _is_in_state(pid: int, states: frozenset[str]) -> bool:
    """Whether a process is in one of these states, or waits for a child that shares its memory (see vfork(2))."""
    letter = state(pid)
    return letter in states or (letter == "D" and text_of(f"/proc/{pid}/syscall").partition(" ")[0] in _VFORK_CALLS)


def none_runs(pids: Iterable[int]) -> bool:
    """Whether none of these processes runs or is ready to run."""
    return all(_is_in_state(pid, _ASLEEP | _GONE) for pid in pids)


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


def peak_memory_kb(pid: int) -> int:
    """The most memory that a process has used so far, in kB; 0 if it is gone or has not begun its program.

    Until its execve is done, a process shares the memory and the arguments of its parent (see vfork(2)), so /proc
    reports the parent's values until then.
    """
    if text_of(f"/proc/{pid}/cmdline") == text_of(f"/proc/{parent(pid)}/cmdline"):
        return 0
    _, _, fields = text_of(f"/proc/{pid}/status").partition("\nVmHWM:")
    return int(fields.split()[0]) if fields else 0


def has_mark(pid: int, mark: int) -> bool:
    """Whether a process has this mark, which it inherits from its ancestors: see rlimits.set_limits."""
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
            if int(number) in _READS and is_terminal(pid, int(arguments[0], 16), device):
                return True
            if int(number) in _EPOLLS and _has_terminal(pid, device):
                return True
    return False


def _has_terminal(pid: int, device: int) -> bool:
    return any(is_terminal(pid, int(name), device) for name in names_in(f"/proc/{pid}/fd"))
