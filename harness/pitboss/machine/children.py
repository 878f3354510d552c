"""The children of this process: distinguishes programs that its launchers run from orphans that it has adopted."""

from __future__ import annotations

import _thread
import os


class _Children:
    """The programs that launchers of this process run now; all other children are orphans."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._starting = 0
        self._children_file = -1

    def begin(self) -> None:
        """Open the list of our children; call this before a launcher joins a namespace whose /proc does not show us."""
        if self._children_file < 0:
            self._children_file = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)

    def forget(self) -> None:
        """Forget the parent's children; called in a process that has just been forked."""
        if self._children_file >= 0:
            os.close(self._children_file)
        self._running.clear()
        self._starting, self._children_file = 0, -1

    def note_starting(self) -> None:
        """Note that a launcher is about to start a program."""
        self._starting += 1

    def note_started(self, pid: int) -> None:
        """Note the process id of the program that was started; `pid` is 0 if it could not be started."""
        self._running.add(pid)
        self._starting -= 1

    def note_ended(self, pid: int) -> None:
        """Note that the program has ended and been waited for."""
        self._running.discard(pid)

    def reap(self) -> None:
        """Wait for the orphans that have ended: an orphan not waited for still counts as a process of its user."""
        self.begin()
        with REAPING:
            children = os.pread(self._children_file, 1 << 16, 0).split()
            if self._starting:  # one of the children may be a program, not an orphan: we do not know its id yet
                return
            for pid in {int(pid) for pid in children} - self._running:
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    pass


#: Locked while the kernel's list of children is read and orphans are waited for: if a child leaves the list during
#: the reading, the kernel skips other children.
REAPING = _thread.allocate_lock()
CHILDREN = _Children()
os.register_at_fork(after_in_child=CHILDREN.forget)
