"""Looks at a program from outside, for what no notification tells of."""

import os
import subprocess
import time

import pytest

from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import EndingKind, Shown, Typed
from pitboss.sandbox import processes
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.processes import Orphanage
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.tracing.draws import RandomBytes
from pitboss.sessions.tracing.launcher_context import LauncherContext
from pitboss.sessions.tracing.traced_session import TracedSession
from pitboss.sessions.tracing.watchdog import Watchdog


@pytest.fixture
def session():
    orphanage = Orphanage(os.getpid())
    session = TracedSession(
        Script(typing((b"10", b"20"))),
        Limits(),
        LauncherContext(orphanage, 0, SeededEnvironment(None), RandomBytes(SeededEnvironment(None))),
        skips_pauses=True,
    )
    session.family.pid = os.getpid()
    yield session
    session.family.pid = 0
    session.close()
    orphanage.close()


@pytest.fixture
def seen(monkeypatch):
    """What a look sees, to be changed by a test."""
    seen = {"cpu_ns": 5, "waits": True, "is_still": True}
    monkeypatch.setattr(processes, "tree", lambda pids: pids)
    monkeypatch.setattr(processes, "is_asleep", lambda pid: True)
    monkeypatch.setattr(processes, "peak_memory_kb", lambda pid: 0)
    monkeypatch.setattr(processes, "cpu_ns", lambda pid: seen["cpu_ns"])
    monkeypatch.setattr(processes, "waits_for", lambda pids, device: seen["waits"])
    monkeypatch.setattr(processes, "are_still", lambda pids: seen["is_still"])
    return seen


def tick_after(session, silence_s):
    session._watchdog._lived_at = time.monotonic() - silence_s
    session.on_tick()


def test_a_line_that_was_taken_in_the_middle_of_a_look_is_not_followed_by_another(session, seen):
    """Between the look at what the program waits for and the look at the terminal it may take the line typed before."""
    tick_after(session, 1)  # it has run since the session began
    tick_after(session, 1)
    assert session._output.so_far() == [Typed(b"10")]
    os.read(session.terminal.program_end, 100)
    tick_after(session, 1)
    assert session._output.so_far() == [Typed(b"10")]
    os.write(session.terminal.program_end, b"thanks")
    seen["cpu_ns"] = 6
    tick_after(session, 1)
    tick_after(session, 1)
    tick_after(session, 1)
    assert session._output.so_far() == [Typed(b"10"), Shown(b"thanks"), Typed(b"20")]


def test_who_does_not_get_to_run_is_not_idle(session, seen, monkeypatch):
    seen |= {"waits": False, "is_still": False}
    tick_after(session, 100)
    tick_after(session, 100)
    assert session._stopped is None
    seen["is_still"] = True
    stopped = []
    monkeypatch.setattr(session, "_stop", stopped.append)
    tick_after(session, 100)
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


def paused_at_one_place(monkeypatch, count, *, real_s, skipped_ms):
    """Why a program is stopped that pauses so often, each time for so long in real time and in its own."""
    now_s = 100.0
    monkeypatch.setattr("pitboss.sessions.tracing.watchdog.time.monotonic", lambda: now_s)
    watchdog, ending = Watchdog(Limits(idle_s=10), 0), None
    for _ in range(count):
        ending = ending or watchdog.saw_pause((2, 1), skipped_ms * 1_000_000, skips=True)
        now_s += real_s
    return ending


def test_a_pause_of_a_runtime_on_a_busy_machine_is_not_idle_time(monkeypatch):
    """Two seconds of Java are 40 pauses; each takes real time until the machine has run all threads."""
    assert paused_at_one_place(monkeypatch, 40, real_s=0.5, skipped_ms=50) is None


def test_a_runtime_that_wakes_now_and_then_for_long_is_idle(monkeypatch):
    assert paused_at_one_place(monkeypatch, 2000, real_s=0.008, skipped_ms=50) is EndingKind.OUT_OF_IDLE_TIME


def test_a_long_pause_is_not_idle_time_as_long_as_it_takes_no_time(monkeypatch):
    assert paused_at_one_place(monkeypatch, 2, real_s=0.01, skipped_ms=3_600_000) is None


def test_starts_are_counted_by_how_many_run_and_by_how_many_there_were(monkeypatch):
    monkeypatch.setattr(processes, "are_living", lambda pids, most: len(pids) > most)
    watchdog = Watchdog(Limits(processes=2, starts=5), 0)
    assert [watchdog.saw_start(lambda: [1]) for _ in range(6)] == [None] * 5 + [EndingKind.OVER_STARTS]
    watchdog = Watchdog(Limits(processes=2, starts=5), 0)
    assert [watchdog.saw_start(lambda: [1, 2]) for _ in range(3)] == [None, None, EndingKind.OVER_PROCESSES]


def never_killed(session, monkeypatch):
    """Its program is this process."""
    monkeypatch.setattr(session, "_kill", lambda: None)
    monkeypatch.setattr(session.family, "kill_again", lambda: None)


def test_a_stop_of_our_own_in_the_middle_of_a_look_is_no_idleness(session, seen, monkeypatch):
    seen |= {"waits": False}
    tick_after(session, 1)  # it has run since the session began
    monotonic, stopped_s = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + stopped_s[0])

    def waits_for(pids, device):
        stopped_s[0] = 86_400.0
        return False

    monkeypatch.setattr(processes, "waits_for", waits_for)
    never_killed(session, monkeypatch)
    tick_after(session, 1)
    tick_after(session, 1)
    assert session._stopped is None
    tick_after(session, 100)
    assert session._stopped is EndingKind.OUT_OF_IDLE_TIME


def test_nor_is_it_a_session_without_end(session, seen, monkeypatch):
    monotonic, stopped_s = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + stopped_s[0])
    passed = session._deadline.passed

    def passed_in_a_day(running):
        stopped_s[0] = 86_400.0
        return passed(running)

    monkeypatch.setattr(session._deadline, "passed", passed_in_a_day)
    never_killed(session, monkeypatch)
    tick_after(session, 0)
    tick_after(session, 0)
    assert session._stopped is None
