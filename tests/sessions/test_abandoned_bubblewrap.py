"""If a bubblewrap is killed just after its start, its child goes on: it had not yet tied its life to its parent's."""

import os

import pytest

from pitboss.errors import SessionError
from pitboss.sandbox import processes
from pitboss.sessions.tracing import bubblewrap
from pitboss.sessions.tracing.bubblewrap import _Bubblewrap

#: A shell command in place of bubblewrap: it starts a child, which keeps the channel open, and kills itself.
KILLS_ITSELF = "sleep 1000 & kill -KILL $$"


class AbandonedBubblewrap(_Bubblewrap):
    """A bubblewrap that has been killed and whose child still runs."""

    def __init__(self):
        super().__init__()
        self._start(["/bin/sh", "-c", KILLS_ITSELF], self._other_end.fileno(), console=self._other_end.fileno())

    def wait(self):
        self._receive(b"ready")


def test_ending_a_killed_bubblewrap_also_ends_its_child():
    processes.adopt()
    before = processes.children(os.getpid())
    abandoned = AbandonedBubblewrap()
    os.waitid(os.P_PID, abandoned._process.pid, os.WEXITED | os.WNOWAIT)  # it has killed itself
    abandoned.end()
    assert abandoned.is_gone(waits=True)
    bubblewrap.reap()
    assert processes.children(os.getpid()) == before


def test_waiting_for_a_killed_bubblewrap_fails_and_does_not_hang():
    processes.adopt()
    before = processes.children(os.getpid())
    abandoned = AbandonedBubblewrap()
    with pytest.raises(SessionError, match="bubblewrap did not start: it printed nothing"):
        abandoned.wait()
    abandoned.end()
    assert abandoned.is_gone(waits=True)
    bubblewrap.reap()
    assert processes.children(os.getpid()) == before
