"""The children of this process: distinguishes programs that its launchers run from orphans that it has adopted."""

from __future__ import annotations

import _thread
import os


class _Children:
    """The programs that launchers of this process run now; all other children are orphans."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._starting = 0
        self._listed = -1

    def begin(self) -> None:
        """Start tracking; call this before a launcher moves to namespaces in which /proc does not show us."""
        if self._listed < 0:
            self._listed = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)

    def forget(self) -> None:
        """Stop tracking, in a process that has just been forked."""
        if self._listed >= 0:
            os.close(self._listed)
        self._running.clear()
        self._starting, self._listed = 0, -1

    def starts(self) -> None:
        """Note that a launcher is about to start a program."""
        self._starting += 1

    def started(self, pid: int) -> None:
        """Note that the program runs, or with 0 that it could not be started."""
        self._running.add(pid)
        self._starting -= 1

    def ended(self, pid: int) -> None:
        """Note that the program has ended and been waited for."""
        self._running.discard(pid)

    def reap(self) -> None:
        """Wait for the orphans that have ended: until then the kernel counts each as a process of its user."""
        self.begin()
        with REAPING:
            children = os.pread(self._listed, 1 << 16, 0).split()
            if self._starting:  # one of them may be a program whose id we do not know yet
                return
            for pid in {int(pid) for pid in children} - self._running:
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    pass


#: Locked while orphans are waited for: if some leave the kernel's list of children while it is read, it skips others.
REAPING = _thread.allocate_lock()
CHILDREN = _Children()
os.register_at_fork(after_in_child=CHILDREN.forget)
