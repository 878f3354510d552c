"""Finds whether a program waits: no thread of any of its processes runs or is ready to run."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from pitboss.sandbox.abi import NR
from pitboss.sandbox.procfs import names_in, text_of

_ASLEEP = frozenset("StTI")
_GONE = frozenset("ZXx")
#: A parent waits in these for a child that shares its memory; see vfork(2).
_SHARING = {str(NR[name]) for name in ("vfork", "clone", "clone3")}


class Quiescence:
    """Checks all tasks of a program."""

    def __init__(self) -> None:
        #: The task that was last seen running: usually it still runs, and the other tasks need not be checked.
        self._runner = 0
        #: The number of tasks at the last full check.
        self.count = 0

    def is_still(self, roots: Iterable[int], stopped: Collection[int]) -> bool:
        """Whether no task of these processes and their descendants runs; `stopped` are tasks that wait for our answer.

        The first process is the program itself: once it has ended the result is False.

        A task may be woken after we checked it, by a task that we check later. So all tasks are checked twice: if none
        has run in between, there was a moment at which all were still.
        """
        if self._runner and not _rests(self._runner, is_stopped=self._runner in stopped):
            return False
        self._runner = 0
        roots = list(roots)
        if len(stopped) == 1 and list(stopped) == roots and _is_alone(roots[0]):
            self.count = 1
            return True
        before = self._runs(roots, stopped)
        return before is not None and before == self._runs(roots, stopped) and not _has_ended(roots[0])

    def is_alone(self, roots: list[int], tid: int) -> bool:
        """Whether this task is the program's only task."""
        return roots == [tid] and _is_alone(tid)

    def _runs(self, roots: list[int], stopped: Collection[int]) -> dict[int, str] | None:
        """How often each task has run, by its id; None if a task runs now."""
        runs = {}
        waiting = list(roots)
        while waiting:
            pid = waiting.pop()
            for tid in map(int, names_in(f"/proc/{pid}/task")):
                if not _rests(tid, is_stopped=tid in stopped):
                    self._runner = tid
                    return None
                runs[tid] = text_of(f"/proc/{tid}/schedstat").rpartition(" ")[2]
                waiting += map(int, text_of(f"/proc/{pid}/task/{tid}/children").split())
        self.count = len(runs)
        return runs


def lives(pid: int) -> bool:
    """Whether a process has not ended."""
    return text_of(f"/proc/{pid}/stat").rpartition(")")[2][1:2] not in (*_GONE, "")


def _has_ended(pid: int) -> bool:
    """Whether all threads of a process have ended; the main thread may end before the others."""
    return not lives(pid) and not any(map(lives, map(int, names_in(f"/proc/{pid}/task"))))


def _is_alone(pid: int) -> bool:
    """Whether a process has one thread and no child."""
    try:
        return os.stat(f"/proc/{pid}/task").st_nlink == 3 and not text_of(f"/proc/{pid}/task/{pid}/children")
    except OSError:
        return False


def _rests(tid: int, *, is_stopped: bool) -> bool:
    """Whether a task sleeps until it is woken; in state D only if it waits for our answer or for a vfork child."""
    state = text_of(f"/proc/{tid}/stat").rpartition(")")[2][1:2]
    if state == "D":
        return is_stopped or text_of(f"/proc/{tid}/syscall").partition(" ")[0] in _SHARING
    return state in _ASLEEP or state in _GONE or not state
