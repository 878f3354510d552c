"""The processes of a session as /proc shows them: which exist, what each is doing, and how to end all of them.

A subreaper is started with each command that is run, so this module imports little.
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
_GONE = frozenset("ZXx")
_SHARING = {str(NR["vfork"]), str(NR["clone"])}
_READS = {NR["read"], NR["readv"]}
#: More than enough for a flood of processes to reach its user's limit.
_MAX_LOOKS = 200
_QUIET_LOOKS = 3
_EPOLLS = {NR["epoll_wait"], NR["epoll_pwait"]}


def children(pid: int) -> list[int]:
    """The child processes of all threads of a process; empty if it is gone."""
    found: list[int] = []
    for task in names_in(f"/proc/{pid}/task"):
        found += map(int, text_of(f"/proc/{pid}/task/{task}/children").split())
    return found


class Orphanage:
    """The processes that a subreaper has adopted when their own parent ended: children of its first thread."""

    def __init__(self, reaper: int) -> None:
        """`reaper` is its id; SessionError if /proc does not list children, OSError if resources are short."""
        path = f"/proc/{reaper}/task/{reaper}/children"
        #: Children that lived before: processes of pitboss.
        self._others: frozenset[int] = frozenset()
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            if is_short(error.errno):
                raise
            raise SessionError(f"{path} cannot be read: {error.strerror}") from error
        try:
            self._others = frozenset(pid for pid in self.pids() if not is_gone(pid))
        except BaseException:
            self.close()
            raise

    def pids(self) -> list[int]:
        """The orphans that exist now."""
        text, place = b"", 0
        with REAPING:
            while chunk := os.pread(self._file, 1 << 16, place):  # the kernel returns a page at a time
                text += chunk
                place = len(text)
        return [pid for pid in map(int, text.split()) if pid not in self._others]

    def close(self) -> None:
        """Close the file in /proc."""
        os.close(self._file)


def tree(pids: list[int]) -> list[int]:
    """These processes and all that descend from them."""
    found: list[int] = []
    waiting = list(pids)
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children(pid)
    return found


def living_in_group(group: int) -> list[int]:
    """The processes of a process group that have not ended."""
    found = []
    for name in names_in("/proc"):
        fields = text_of(f"/proc/{name}/stat").rpartition(")")[2].split() if name.isdigit() else []
        if len(fields) > 2 and int(fields[2]) == group and fields[0] not in _GONE:
            found.append(int(name))
    return found


def parent(pid: int) -> int:
    """The parent of a process; 0 if the process is gone."""
    fields = text_of(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return int(fields[1]) if fields else 0


def kill_all(pids: list[int]) -> list[int]:
    """Kill processes and their descendants, or only the former if descriptors are short; returns the killed."""
    try:
        killed = tree(pids)
    except OSError:
        killed = pids
    _signal_all(killed, signal.SIGKILL)
    return killed


def end_all(roots: Callable[[], list[int]]) -> None:
    """Kill the processes that `roots` returns and all their descendants, even if they keep starting others.

    A stopped process starts no others and remains the parent of its children. So all are stopped first, until we find
    no new ones, and then they are killed.
    """
    stopped: set[int] = set()
    quiet_looks = 0
    for _ in range(_MAX_LOOKS):
        found = set(tree(roots())) - stopped
        # We miss a process whose parent ends while we walk the tree.
        quiet_looks = 0 if found else quiet_looks + 1
        if quiet_looks == _QUIET_LOOKS:
            break
        _signal_all(found, signal.SIGSTOP)
        stopped |= found
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
        self._others = frozenset(children(os.getpid()))

    def end(self, but: Iterable[int] = ()) -> None:
        """Kill them and their descendants, and wait for them: until then each counts as a process of its user.

        `but` are processes that have been started meanwhile and are spared.
        """
        others = self._others.union(but)
        for _ in range(_MAX_LOOKS):
            found = [pid for pid in children(os.getpid()) if pid not in others]
            if not found:
                return
            kill_all([pid for pid in found if not is_gone(pid)])
            for pid in found:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)


def _signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):  # gone, and its id may be another process' by now
            pass


def tasks_of(user_id: int) -> int:
    """How many processes and threads a user has."""
    return sum(_tasks(name) for name in names_in("/proc") if name.isdigit() and _owner(f"/proc/{name}") == user_id)


def _tasks(pid: str) -> int:
    return sum(1 for _ in names_in(f"/proc/{pid}/task"))


def _owner(path: str) -> int | None:
    try:
        return os.stat(path).st_uid
    except OSError:
        return None


def state(pid: int) -> str:
    """The state of a process' first thread, one letter as in proc_pid_stat(5); X if the process is gone.

    If that thread has ended before the others, the state of one of those: the process still lives.
    """
    first = _state(f"/proc/{pid}/stat")
    if first not in _GONE:
        return first
    others = (_state(f"/proc/{pid}/task/{task}/stat") for task in names_in(f"/proc/{pid}/task") if task != str(pid))
    living = [letter for letter in others if letter not in _GONE]
    return next((letter for letter in living if letter not in _ASLEEP), living[0]) if living else first


def _state(path: str) -> str:
    _, _, after_name = text_of(path).rpartition(")")
    return after_name.split()[0] if after_name else "X"


def is_gone(pid: int) -> bool:
    """Whether a process has ended, waited for or not."""
    return state(pid) in _GONE


def are_living(pids: list[int], more_than: int) -> bool:
    """Whether more than this many of these processes have not ended; zombies have."""
    return len(pids) > more_than and sum(not is_gone(pid) for pid in pids) > more_than


def is_asleep(pid: int) -> bool:
    """Whether a process waits for something and does not run."""
    return _is_still(pid, _ASLEEP)


def _is_still(pid: int, states: frozenset[str]) -> bool:
    """Whether a process is in one of these states, or waits for a child that shares its memory; see vfork(2)."""
    letter = state(pid)
    return letter in states or (letter == "D" and text_of(f"/proc/{pid}/syscall").partition(" ")[0] in _SHARING)


def are_still(pids: Iterable[int]) -> bool:
    """Whether none of these processes runs or is ready to run."""
    return all(_is_still(pid, _ASLEEP | _GONE) for pid in pids)


def cpu_ns(pid: int) -> int:
    """The CPU time that all threads of a process have used, in nanoseconds."""
    return sum(used for used, _ in _schedules(pid))


def busy_ns(pid: int) -> int:
    """How long threads of a process have run or waited for a core, in nanoseconds."""
    return sum(used + waited for used, waited in _schedules(pid))


def kept_waiting_ns(pid: int) -> int:
    """The longest that any thread of a process has waited for a core, in nanoseconds."""
    return max((waited for _, waited in _schedules(pid)), default=0)


def _schedules(pid: int) -> Iterator[tuple[int, int]]:
    """For each thread of a process, how long it has run and how long it has waited for a core, in nanoseconds."""
    for task in names_in(f"/proc/{pid}/task"):
        fields = text_of(f"/proc/{pid}/task/{task}/schedstat").split()
        if len(fields) > 1:
            yield int(fields[0]), int(fields[1])


def peak_memory_kb(pid: int) -> int:
    """The most memory that a process has used so far, in kB; 0 if it is gone or has not begun.

    Until its execve is done it shares the memory and arguments of the process that starts it, see vfork(2): what /proc
    reports until then belongs to that process.
    """
    if text_of(f"/proc/{pid}/cmdline") == text_of(f"/proc/{parent(pid)}/cmdline"):
        return 0
    _, _, after = text_of(f"/proc/{pid}/status").partition("\nVmHWM:")
    return int(after.split()[0]) if after else 0


def has_mark(pid: int, mark: int) -> bool:
    """Whether a process has this mark, which it inherits from its ancestors: see rlimits.set_limits."""
    _, _, after = text_of(f"/proc/{pid}/limits").partition("\nMax file locks")
    return after.split()[:1] == [str(mark)]


def is_terminal(tid: int, descriptor: int, device: int) -> bool:
    """Whether a descriptor of a task is the terminal with this device number."""
    try:
        return os.stat(f"/proc/{tid}/fd/{descriptor}").st_rdev == device
    except OSError:
        return False


def waits_for(pids: list[int], device: int) -> bool:
    """Whether any of these processes waits for input from the terminal with this device number.

    Finds waits at which the filter does not stop: reads of a descriptor other than 0 (getpass), and epoll (node).
    """
    for pid in pids:
        for task in names_in(f"/proc/{pid}/task"):
            number, *arguments = text_of(f"/proc/{pid}/task/{task}/syscall").split() or ["running"]
            if not number.isdigit():
                continue
            if int(number) in _READS and is_terminal(pid, int(arguments[0], 16), device):
                return True
            if int(number) in _EPOLLS and _has_terminal(pid, device):
                return True
    return False


def _has_terminal(pid: int, device: int) -> bool:
    return any(is_terminal(pid, int(name), device) for name in names_in(f"/proc/{pid}/fd"))
