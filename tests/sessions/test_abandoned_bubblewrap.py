import os
import shutil

import pytest

from pitboss.errors import SessionError
from pitboss.machine import processes
from pitboss.sessions.tracing import bubblewrap
from pitboss.sessions.tracing.bubblewrap import _Bubblewrap

#: A shell command in place of bubblewrap: it starts a child, which keeps the channel open, and kills itself.
KILLS_ITSELF = "{child} 1000 & kill -KILL $$"


class AbandonedBubblewrap(_Bubblewrap):
    """A bubblewrap that has been killed and whose child still runs."""

    def __init__(self, folder):
        """`folder` gets a file by whose name the child is known: we may adopt what earlier tests left, too."""
        super().__init__()
        self._child = folder / "abandoned"
        self._child.symlink_to(shutil.which("sleep"))
        self._start(
            ["/bin/sh", "-c", KILLS_ITSELF.format(child=self._child)],
            self._other_end.fileno(),
            console=self._other_end.fileno(),
        )

    def wait(self):
        self._receive(b"ready")

    def left(self):
        """Its processes that are still children of ours, ended or not."""
        children = processes.children(os.getpid())
        return [
            pid
            for pid in children
            if pid == self._process.pid or processes.text_of(f"/proc/{pid}/comm").strip() == self._child.name
        ]


def test_ending_a_killed_bubblewrap_also_ends_its_child(tmp_path):
    processes.adopt()
    abandoned = AbandonedBubblewrap(tmp_path)
    os.waitid(os.P_PID, abandoned._process.pid, os.WEXITED | os.WNOWAIT)  # it has killed itself
    abandoned.end()
    bubblewrap.reap(waits=True)
    assert abandoned.left() == []


def test_waiting_for_a_killed_bubblewrap_fails_and_does_not_hang(tmp_path):
    processes.adopt()
    abandoned = AbandonedBubblewrap(tmp_path)
    with pytest.raises(SessionError, match="bubblewrap did not start: it printed nothing"):
        abandoned.wait()
    abandoned.end()
    bubblewrap.reap(waits=True)
    assert abandoned.left() == []
