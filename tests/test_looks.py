"""Looks at a program from outside, for what no notification tells of."""

import os
import subprocess

import pytest

from harness.assignment import Limits
from harness.sessions import typing
from harness.transcript import EndingKind, Shown, Typed
from harness.watching import processes
from harness.watching.processes import Orphanage
from harness.watching.session import Session, Surroundings


@pytest.fixture
def session():
    orphanage = Orphanage(os.getpid())
    session = Session(typing((b"10", b"20")), Limits(), Surroundings(orphanage, "NOBODY=1"), skips_pauses=True)
    session._pid = os.getpid()
    yield session
    session._pid = 0
    session.close()
    orphanage.close()


def test_a_line_that_was_taken_in_the_middle_of_a_look_is_not_followed_by_another(session, monkeypatch):
    """Between the look at what the program waits for and the look at the terminal it may take the line typed before."""
    used_ns = 5
    monkeypatch.setattr(processes, "tree", lambda pids: pids)
    monkeypatch.setattr(processes, "cpu_ns", lambda pid: used_ns)
    monkeypatch.setattr(processes, "waits_for", lambda pids, device: True)
    monkeypatch.setattr(processes, "are_still", lambda pids: True)
    session._look()  # it has run since the session began
    session._look()
    assert session._output.so_far() == [Typed(b"10")]
    os.read(session.terminal.program_end, 100)
    session._look()
    assert session._output.so_far() == [Typed(b"10")]
    os.write(session.terminal.program_end, b"thanks")
    used_ns = 6
    session._look()
    session._look()
    assert session._output.so_far() == [Typed(b"10"), Shown(b"thanks"), Typed(b"20")]


def test_who_does_not_get_to_run_is_not_idle(session, monkeypatch):
    monkeypatch.setattr(processes, "tree", lambda pids: pids)
    monkeypatch.setattr(processes, "cpu_ns", lambda pid: 5)
    monkeypatch.setattr(processes, "waits_for", lambda pids, device: False)
    monkeypatch.setattr(processes, "are_still", lambda pids: False)
    session._lived_at = 0.0
    session._look()
    session._look()
    assert session._stopped is None
    assert session._lived_at > 0
    monkeypatch.setattr(processes, "are_still", lambda pids: True)
    stopped = []
    monkeypatch.setattr(session, "_stop", stopped.append)
    session._lived_at = 0.0
    session._look()
    assert stopped == [EndingKind.OUT_OF_IDLE_TIME]


def test_a_program_that_has_not_begun_is_not_taken_for_as_large_as_we_are():
    """Until its execve is done /proc tells of the memory of the process that starts it."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(theirs)
        os.read(ours, 1)
        os._exit(0)
    os.close(ours)
    assert processes.peak_memory_kb(pid) == 0
    os.close(theirs)
    os.waitpid(pid, 0)
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as begun:
        assert processes.peak_memory_kb(begun.pid) > 0
