"""Finds whether a program waits: no thread of any of its processes runs or is ready to run."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable

from pitboss.sandbox.processes import VFORK_CALLS, is_gone, names_in, text_of

#: The letters in /proc/PID/stat for the states of tasks that wait or are stopped.
_ASLEEP = frozenset("StTI")
#: The letters for the states of tasks that have ended.
_GONE = frozenset("ZXx")


class Quiescence:
    """Checks whether all tasks of a program wait."""

    def __init__(self) -> None:
        #: The task that was last seen running, or 0: usually it still runs, and the other tasks need not be checked.
        self._runner = 0
        #: The number of tasks at the last full check.
        self.count = 0

    def are_all_waiting(self, roots: Iterable[int], stopped: Collection[int]) -> bool:
        """Whether all tasks of the processes `roots` and their descendants wait.

        `stopped` are tasks that wait for our answer. The first of `roots` is the program itself: once the program has
        ended the result is False.

        A task may be woken after we checked it, by a task that we check later. So all tasks are checked twice: if none
        has run in between, there was a moment at which all tasks waited.
        """
        if self._runner and not _is_inactive(self._runner, is_stopped=self._runner in stopped):
            return False
        self._runner = 0
        roots = list(roots)
        if len(stopped) == 1 and list(stopped) == roots and _is_single_task(roots[0]):
            self.count = 1  # the program's only task waits for our answer
            return True
        counts_before = self._run_counts(roots, stopped)
        if counts_before is None or counts_before != self._run_counts(roots, stopped):
            return False
        return not is_gone(roots[0])

    def is_alone(self, roots: list[int], tid: int) -> bool:
        """Whether this task is the program's only task."""
        return roots == [tid] and _is_single_task(tid)

    def _run_counts(self, roots: list[int], stopped: Collection[int]) -> dict[int, str] | None:
        """Returns how often each task has run, by the task's id; None if a task runs now."""
        run_counts = {}
        unchecked_pids = list(roots)
        while unchecked_pids:
            pid = unchecked_pids.pop()
            for tid in map(int, names_in(f"/proc/{pid}/task")):
                if not _is_inactive(tid, is_stopped=tid in stopped):
                    self._runner = tid
                    return None
                # The last number is how often the task was given a core.
                run_counts[tid] = text_of(f"/proc/{tid}/schedstat").rpartition(" ")[2]
                unchecked_pids += map(int, text_of(f"/proc/{pid}/task/{tid}/children").split())
        self.count = len(run_counts)
        return run_counts


def lives(pid: int) -> bool:
    """Whether a process has not ended."""
    return _state_of(pid) not in (*_GONE, "")


def _state_of(tid: int) -> str:
    """Returns the letter of a task's state, which follows the name in brackets; empty if the task does not exist."""
    return text_of(f"/proc/{tid}/stat").rpartition(")")[2][1:2]


def _is_single_task(pid: int) -> bool:
    """Whether a process has one thread and no child."""
    try:
        # The link count of this folder is 2 plus the number of threads.
        return os.stat(f"/proc/{pid}/task").st_nlink == 3 and not text_of(f"/proc/{pid}/task/{pid}/children")
    except OSError:
        return False


def _is_inactive(tid: int, *, is_stopped: bool) -> bool:
    """Whether a task sleeps until it is woken, or has ended.

    A task in state D (uninterruptible sleep) counts only if it waits for our answer or for a vfork child.
    """
    state = _state_of(tid)
    if state == "D":
        return is_stopped or text_of(f"/proc/{tid}/syscall").partition(" ")[0] in VFORK_CALLS
    return state in _ASLEEP or state in _GONE or not state
