import os
import signal
from contextlib import contextmanager

import pytest

from pitboss.machine import processes
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import EndingKind, Paused, Shown, Typed, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions import expecting
from pitboss.sessions.expecting import ExpectingDriver, Stillness
from pitboss.sessions.programs import Program

HEAD = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <sys/resource.h>
#include <unistd.h>
static long used_ms(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec * 1000 + used.ru_utime.tv_usec / 1000;
}
/* Reads no clock: a program that does nothing but read a clock is waiting, which would be reported as a pause. */
static void computes(int ms) { long end = used_ms() + ms; while (used_ms() < end) for (volatile int i = 0; i < 9999; i++); }
"""

#: Correct programs, and the events that each is expected to produce.
CORRECT_PROGRAMS = {
    "computes before it prints": (
        'puts("a"); fflush(stdout); computes(700); puts("b"); return 0;',
        (Shown(b"a\nb\n"),),
    ),
    "computes after it was answered": (
        'char a[9]; printf("? "); fflush(stdout); fgets(a, 9, stdin); computes(700); printf("%s", a); return 0;',
        (Shown(b"? "), Typed(b"1"), Shown(b"1\n")),
    ),
    "pauses": (
        'puts("a"); fflush(stdout); sleep(1); computes(400); puts("b"); return 0;',
        (Shown(b"a\n"), Paused(1000), Shown(b"b\n")),
    ),
    "has a child that ends after it": (
        'puts("a"); fflush(stdout); if (fork() == 0) { computes(30); _exit(0); } return 0;',
        (Shown(b"a\n"),),
    ),
    "has a child that computes": (
        'puts("a"); fflush(stdout); if (fork() == 0) { computes(700); puts("b"); exit(0); } wait(0); return 0;',
        (Shown(b"a\nb\n"),),
    ),
}


@contextmanager
def busy_machine(loops, most_s):
    """Let this many processes compute all the time; each ends itself after `most_s` seconds at the latest."""
    pids = []
    try:
        for _ in range(loops):
            pid = os.fork()
            if pid == 0:
                signal.alarm(most_s)
                while True:
                    pass
            pids.append(pid)
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def run_session(path, expected):
    program = Program((str(path),), path.parent)
    with ExpectingDriver(program, Limits(cpu_s=2, idle_s=3), Sandbox(Level.LANDLOCK)) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines([b"1"]), expected)])
    return transcript


@pytest.mark.parametrize("case", CORRECT_PROGRAMS)
def test_a_correct_program_with_silent_phases_is_accepted(compiled, case):
    body, expected = CORRECT_PROGRAMS[case]
    transcript = run_session(compiled(f"{HEAD}int main(void) {{ {body} }}"), expected)
    assert (transcript.events, transcript.ending) == (expected, exited())


@pytest.mark.slow
@pytest.mark.parametrize("case", CORRECT_PROGRAMS)
def test_a_correct_program_is_accepted_on_a_busy_machine(compiled, case):
    body, expected = CORRECT_PROGRAMS[case]
    path = compiled(f"{HEAD}int main(void) {{ {body} }}")
    with busy_machine(loops=12, most_s=60):
        for _ in range(3):
            transcript = run_session(path, expected)
            assert (transcript.events, transcript.ending) == (expected, exited())


@pytest.mark.slow
def test_a_pause_that_is_too_long_is_measured_on_a_busy_machine(compiled):
    path = compiled(f'{HEAD}int main(void) {{ puts("a"); fflush(stdout); sleep(2); puts("b"); return 0; }}')
    with busy_machine(loops=12, most_s=60):
        transcript = run_session(path, (Shown(b"a\n"), Paused(1000), Shown(b"b\n")))
    assert isinstance(transcript.events[1], Paused) and transcript.events[1].duration_ms >= 1700


def test_a_child_that_never_ends_is_reported(compiled):
    path = compiled(
        f'{HEAD}int main(void) {{ puts("a"); fflush(stdout); if (fork() == 0) for (;;) pause(); return 0; }}'
    )
    assert run_session(path, (Shown(b"a\n"),)).ending.kind is EndingKind.LEFT_PROCESSES


@pytest.fixture
def snapshot(monkeypatch):
    """What the observer sees: the time, how long each process was busy, and if all are motionless. Tests change it."""
    snapshot = {"now": 50.0, "busy_ns": {1: 0}, "is_still": True}
    monkeypatch.setattr(expecting.time, "monotonic", lambda: snapshot["now"])
    monkeypatch.setattr(processes, "busy_ns", lambda pid: snapshot["busy_ns"][pid])
    monkeypatch.setattr(processes, "none_runs", lambda pids: snapshot["is_still"])
    return snapshot


def sleep_after_looks(snapshot, *looks):
    """The seconds that a program surely slept, and those that it perhaps slept besides, after several looks at it.

    A look is the time, the seconds that the program was busy until then, and whether it is motionless. The observation
    of sleep begins with the look at 51.0; the earlier look shows only what the program did before.
    """
    observer = Stillness(lambda: list(snapshot["busy_ns"]))
    for now, busy_s, is_still in looks:
        snapshot |= {"now": now, "busy_ns": {1: int(busy_s * 1e9)}, "is_still": is_still}
        observer.begin() if now == 51.0 else observer.look()
    return round(observer.slept_s, 3), round(observer.perhaps_slept_s, 3)


def test_a_program_that_is_still_at_each_look_has_slept(snapshot):
    assert sleep_after_looks(snapshot, (50.99, 0, True), (51.0, 0, True), (52.0, 0, True), (53.0, 0, True)) == (
        2.0,
        0.01,
    )


def test_a_program_that_runs_or_waits_for_a_core_has_not_slept(snapshot):
    assert sleep_after_looks(snapshot, (50.99, 0, False), (51.0, 0, False), (52.0, 0.1, False), (53.0, 2.0, False)) == (
        0.0,
        0.01,
    )


def test_a_program_that_was_busy_between_two_looks_slept_for_the_rest(snapshot):
    assert sleep_after_looks(snapshot, (50.99, 0, True), (51.0, 0, True), (53.0, 1.5, True)) == (0.5, 0.01)


def test_after_a_late_look_the_start_of_the_sleep_is_uncertain(snapshot):
    """The driver could not look for a second, in which the program may have printed at once and then slept."""
    assert sleep_after_looks(snapshot, (50.0, 0, True), (51.0, 0, True), (51.2, 0, True)) == (0.2, 1.0)


def test_a_program_that_printed_before_a_late_look_may_sleep_again(snapshot):
    """The driver could not look for a second: the program slept for two, printed, and may be in its next sleep."""
    observer = Stillness(lambda: [1])
    for snapshot["now"] in (50.0, 51.0, 52.0):
        observer.look()
    snapshot["now"] = 53.0
    observer.look_at_text()
    assert (observer.slept_s, observer.perhaps_slept_s) == (2.0, 1.0)


def test_time_that_several_processes_waited_at_once_counts_once(snapshot):
    observer = Stillness(lambda: [1, 2, 3])
    for snapshot["now"], busy_s in ((50.0, 0), (53.0, 1.0)):
        snapshot["busy_ns"] = dict.fromkeys((1, 2, 3), int(busy_s * 1e9))
        observer.look()
    assert observer.slept_s == 2.0


def test_the_start_of_a_sleep_between_two_looks_is_uncertain(snapshot):
    assert sleep_after_looks(snapshot, (50.99, 0, False), (51.0, 0, False), (51.3, 0.1, True), (51.4, 0.1, True)) == (
        0.1,
        0.21,
    )


def test_a_program_that_has_not_begun_does_not_sleep(snapshot):
    snapshot["busy_ns"] = {}
    observer = Stillness(lambda: [])
    snapshot["now"] = 52.0
    observer.look()
    snapshot["now"] = 53.0
    observer.look()
    assert (observer.slept_s, observer.perhaps_slept_s) == (0, 0)


def test_the_busy_time_of_a_computing_process_grows():
    with busy_machine(loops=1, most_s=600):
        (*_, busy) = processes.children(os.getpid())
        before = processes.busy_ns(busy)
        while processes.busy_ns(busy) == before:  # until the kernel lets it run
            assert busy in processes.children(os.getpid())
