"""A bubblewrap that is killed just after it has begun leaves a child, which does not know yet that it is to end too."""

import os

import pytest

from pitboss.errors import SessionError
from pitboss.sandbox import processes
from pitboss.sessions.tracing import bubblewrap
from pitboss.sessions.tracing.bubblewrap import _Bubblewrap

#: The child has the other end of the channel as its output, as that of a bubblewrap has it.
ABANDONS = "sleep 1000 & kill -KILL $$"


class Abandoned(_Bubblewrap):
    def __init__(self):
        super().__init__()
        self._start(["/bin/sh", "-c", ABANDONS], self._theirs.fileno(), console=self._theirs.fileno())

    def wait(self):
        self._receive(b"ready")


def test_one_that_is_ended_before_anybody_waited_for_it_leaves_no_child_either():
    processes.adopt()
    before = processes.children(os.getpid())
    abandoned = Abandoned()
    os.waitid(os.P_PID, abandoned._process.pid, os.WEXITED | os.WNOWAIT)  # it has killed itself
    abandoned.end()
    assert abandoned.is_gone(waits=True)
    bubblewrap.reap()
    assert processes.children(os.getpid()) == before


def test_a_child_that_was_abandoned_is_ended_and_nobody_waits_for_it():
    processes.adopt()
    before = processes.children(os.getpid())
    abandoned = Abandoned()
    with pytest.raises(SessionError, match="bubblewrap did not start: it printed nothing"):
        abandoned.wait()
    abandoned.end()
    assert abandoned.is_gone(waits=True)
    bubblewrap.reap()
    assert processes.children(os.getpid()) == before
