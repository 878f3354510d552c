import os
import subprocess
import time

import pytest

from pitboss.machine import abi, processes
from pitboss.machine.processes import Orphanage
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import EndingKind, Shown, Typed
from pitboss.sandbox.limits import Limits
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.tracing.draws import RandomBytes
from pitboss.sessions.tracing.family import LauncherContext
from pitboss.sessions.tracing.traced_session import TracedSession
from pitboss.sessions.tracing.watchdog import Watchdog


@pytest.fixture
def session():
    """A session whose program is this process."""
    orphanage = Orphanage(os.getpid())
    session = TracedSession(
        Script(script_of_lines((b"10", b"20"))),
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
def process_state(monkeypatch):
    """What the watchdog sees when it looks at the program; tests change it."""
    process_state = {"cpu_ns": 5, "waits": True, "is_still": True}
    monkeypatch.setattr(processes, "tree", lambda pids: pids)
    monkeypatch.setattr(processes, "is_asleep", lambda pid: True)
    monkeypatch.setattr(processes, "used_memory_kb", lambda pids, limit_kb: 0)
    monkeypatch.setattr(processes, "cpu_ns", lambda pid: process_state["cpu_ns"])
    monkeypatch.setattr(processes, "waits_for", lambda pids, device: process_state["waits"])
    monkeypatch.setattr(processes, "none_runs", lambda pids: process_state["is_still"])
    return process_state


def tick_after(session, silence_s):
    """Let the watchdog look at a program that last showed activity so many seconds ago."""
    session._watchdog._lived_at = time.monotonic() - silence_s
    session.on_tick()


def test_no_line_is_typed_if_the_last_one_is_read_during_a_look(session, process_state):
    """The program may read the line after the look at what it waits for, and before the look at the terminal."""
    tick_after(session, 1)  # its CPU time has changed since the session began
    tick_after(session, 1)
    assert session._output.so_far() == [Typed(b"10")]
    os.read(session.terminal.program_end, 100)
    tick_after(session, 1)
    assert session._output.so_far() == [Typed(b"10")]
    os.write(session.terminal.program_end, b"thanks")
    process_state["cpu_ns"] = 6
    tick_after(session, 1)
    tick_after(session, 1)
    tick_after(session, 1)
    assert session._output.so_far() == [Typed(b"10"), Shown(b"thanks"), Typed(b"20")]


def test_a_program_that_gets_no_core_is_not_idle(session, process_state, monkeypatch):
    process_state |= {"waits": False, "is_still": False}
    tick_after(session, 100)
    tick_after(session, 100)
    assert session._stop_reason is None
    process_state["is_still"] = True
    stop_reasons = []
    monkeypatch.setattr(session, "_stop", stop_reasons.append)
    tick_after(session, 100)
    assert stop_reasons == [EndingKind.OUT_OF_IDLE_TIME]


@pytest.mark.parametrize("has_kcmp", [True, False])
def test_the_memory_of_pitboss_is_not_mistaken_for_that_of_a_program(tmp_path, monkeypatch, has_kcmp):
    """Until execve is done, /proc shows the memory of the process that starts the program."""
    monkeypatch.setitem(abi.NR, "kcmp", abi.NR["kcmp"] if has_kcmp else 9999)
    os.mkfifo(tmp_path / "fifo")
    starter = os.fork()
    if starter == 0:
        wait_for_writer = (os.POSIX_SPAWN_OPEN, 0, str(tmp_path / "fifo"), os.O_RDONLY, 0)
        os.posix_spawn("/bin/true", ["true"], {}, file_actions=[wait_for_writer])
        os._exit(0)
    while not (pids := processes.children(starter)):
        pass
    child_kb, together_kb, starter_kb = (
        processes.used_memory_kb(group, 0) for group in (pids, [starter, *pids], [starter])
    )
    os.close(os.open(tmp_path / "fifo", os.O_WRONLY))
    os.waitpid(starter, 0)
    assert child_kb == 0
    assert together_kb <= 1.5 * starter_kb
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert processes.used_memory_kb([process.pid], 0) > 0


def ending_after_pauses(monkeypatch, count, *, real_s, skipped_ms):
    """Why a program is stopped after `count` pauses at one position, each of these lengths in real and skipped time."""
    now_s = 100.0
    monkeypatch.setattr("pitboss.sessions.tracing.watchdog.time.monotonic", lambda: now_s)
    watchdog, ending = Watchdog(Limits(idle_s=10), 0), None
    for _ in range(count):
        ending = ending or watchdog.saw_pause("the same position", skipped_ms * 1_000_000, skips_pauses=True)
        now_s += real_s
    return ending


def test_a_pause_of_a_runtime_on_a_busy_machine_is_not_idle_time(monkeypatch):
    """Two seconds of Java are 40 pauses; each takes real time until the machine has run all threads."""
    assert ending_after_pauses(monkeypatch, 40, real_s=0.5, skipped_ms=50) is None


def test_a_runtime_that_only_wakes_up_now_and_then_is_idle(monkeypatch):
    assert ending_after_pauses(monkeypatch, 2000, real_s=0.008, skipped_ms=50) is EndingKind.OUT_OF_IDLE_TIME


def test_a_long_pause_is_not_idle_time_if_it_is_skipped(monkeypatch):
    assert ending_after_pauses(monkeypatch, 2, real_s=0.01, skipped_ms=3_600_000) is None


def test_running_processes_and_all_starts_are_limited_separately(monkeypatch):
    monkeypatch.setattr(processes, "are_more_living_than", lambda most, pids: len(pids) > most)
    watchdog = Watchdog(Limits(processes=2, starts=5), 0)
    assert [watchdog.saw_start(lambda: [1]) for _ in range(6)] == [None] * 5 + [EndingKind.OVER_STARTS]
    watchdog = Watchdog(Limits(processes=2, starts=5), 0)
    assert [watchdog.saw_start(lambda: [1, 2]) for _ in range(3)] == [None, None, EndingKind.OVER_PROCESSES]


def disable_kill(session, monkeypatch):
    """Keep the session from killing its program, which is this process."""
    monkeypatch.setattr(session, "_kill", lambda: None)
    monkeypatch.setattr(session.family, "kill_again", lambda: None)


def test_a_program_is_not_idle_while_pitboss_itself_is_stopped(session, process_state, monkeypatch):
    process_state |= {"waits": False}
    tick_after(session, 1)  # its CPU time has changed since the session began
    monotonic, stopped_s = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + stopped_s[0])

    def waits_for(pids, device):
        stopped_s[0] = 86_400.0
        return False

    monkeypatch.setattr(processes, "waits_for", waits_for)
    disable_kill(session, monkeypatch)
    tick_after(session, 1)
    tick_after(session, 1)
    assert session._stop_reason is None
    tick_after(session, 100)
    assert session._stop_reason is EndingKind.OUT_OF_IDLE_TIME


def test_a_session_does_not_time_out_while_pitboss_itself_is_stopped(session, process_state, monkeypatch):
    monotonic, stopped_s = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + stopped_s[0])
    check_deadline = session._deadline.check_deadline

    def check_a_day_later(running):
        stopped_s[0] = 86_400.0
        return check_deadline(running)

    monkeypatch.setattr(session._deadline, "check_deadline", check_a_day_later)
    disable_kill(session, monkeypatch)
    tick_after(session, 0)
    tick_after(session, 0)
    assert session._stop_reason is None
