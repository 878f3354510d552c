"""The expecting driver on a busy machine: what a program is kept waiting for is no pause, no question, and no failure."""

import os
import signal
from contextlib import contextmanager

import pytest

from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import EndingKind, Paused, Shown, Typed, exited
from pitboss.sandbox import processes
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions import stillness
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.stillness import Stillness

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
/* Without a look at any clock: to do nothing else than that is to wait, and would be told as a pause. */
static void computes(int ms) { long end = used_ms() + ms; while (used_ms() < end) for (volatile int i = 0; i < 9999; i++); }
"""

#: Right programs, and what each is expected to do.
RIGHT = {
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
    """So many processes that compute all the time, but no longer than that."""
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


def run(path, expected):
    program = Program((str(path),), path.parent)
    with ExpectingDriver(program, Limits(cpu_s=2, idle_s=3), Sandbox(Level.LANDLOCK)) as driver:
        ((_, transcript),) = driver.sessions([Script(typing([b"1"]), expected)])
    return transcript


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_program_that_is_silent_is_right(compiled, case):
    body, expected = RIGHT[case]
    transcript = run(compiled(f"{HEAD}int main(void) {{ {body} }}"), expected)
    assert (transcript.events, transcript.ending) == (expected, exited())


@pytest.mark.slow
@pytest.mark.parametrize("case", RIGHT)
def test_a_right_program_is_right_on_a_busy_machine(compiled, case):
    body, expected = RIGHT[case]
    path = compiled(f"{HEAD}int main(void) {{ {body} }}")
    with busy_machine(loops=12, most_s=60):
        for _ in range(3):
            transcript = run(path, expected)
            assert (transcript.events, transcript.ending) == (expected, exited())


@pytest.mark.slow
def test_a_wrong_program_is_wrong_on_a_busy_machine(compiled):
    path = compiled(f'{HEAD}int main(void) {{ puts("a"); fflush(stdout); sleep(2); puts("b"); return 0; }}')
    with busy_machine(loops=12, most_s=60):
        transcript = run(path, (Shown(b"a\n"), Paused(1000), Shown(b"b\n")))
    assert isinstance(transcript.events[1], Paused) and transcript.events[1].duration_ms >= 1700


def test_a_process_that_stays_is_left(compiled):
    path = compiled(
        f'{HEAD}int main(void) {{ puts("a"); fflush(stdout); if (fork() == 0) for (;;) pause(); return 0; }}'
    )
    assert run(path, (Shown(b"a\n"),)).ending.kind is EndingKind.LEFT_PROCESSES


@pytest.fixture
def seen(monkeypatch):
    """What a look sees, to be changed by a test: time, and each process with its state and the time it was busy for."""
    seen = {"now": 50.0, "busy_ns": {1: 0}, "is_still": True}
    monkeypatch.setattr(stillness.time, "monotonic", lambda: seen["now"])
    monkeypatch.setattr(processes, "busy_ns", lambda pid: seen["busy_ns"][pid])
    monkeypatch.setattr(processes, "are_still", lambda pids: seen["is_still"])
    return seen


def looked(seen, *looks):
    """What is known after looks at a program, each of a time, how long it was busy until then, and whether it is still."""
    looking = Stillness(lambda: list(seen["busy_ns"]))
    for now, busy_s, is_still in looks:
        seen |= {"now": now, "busy_ns": {1: int(busy_s * 1e9)}, "is_still": is_still}
        looking.begin() if now == 51.0 else looking.look()
    return round(looking.slept_s, 3), round(looking.perhaps_s, 3)


def test_who_sleeps_from_look_to_look_has_slept(seen):
    assert looked(seen, (50.99, 0, True), (51.0, 0, True), (52.0, 0, True), (53.0, 0, True)) == (2.0, 0.01)


def test_who_runs_or_waits_for_a_core_has_not(seen):
    assert looked(seen, (50.99, 0, False), (51.0, 0, False), (52.0, 0.1, False), (53.0, 2.0, False)) == (0.0, 0.01)


def test_who_was_kept_waiting_between_two_looks_has_slept_for_the_rest(seen):
    assert looked(seen, (50.99, 0, True), (51.0, 0, True), (53.0, 1.5, True)) == (0.5, 0.01)


def test_a_look_that_is_late_leaves_open_when_the_program_began_to_sleep(seen):
    """The machine kept us from looking for a second, in which the program may have printed at once, and slept."""
    assert looked(seen, (50.0, 0, True), (51.0, 0, True), (51.2, 0, True)) == (0.2, 1.0)


def test_who_has_shown_something_until_a_late_look_may_sleep_again_already(seen):
    """We were kept from looking for a second: it slept for two, printed, and is in its next sleep."""
    looking = Stillness(lambda: [1])
    for seen["now"] in (50.0, 51.0, 52.0):
        looking.look()
    seen["now"] = 53.0
    looking.look_at_text()
    assert (looking.slept_s, looking.perhaps_s) == (2.0, 1.0)


def test_processes_that_waited_at_the_same_time_waited_once(seen):
    looking = Stillness(lambda: [1, 2, 3])
    for seen["now"], busy_s in ((50.0, 0), (53.0, 1.0)):
        seen["busy_ns"] = dict.fromkeys((1, 2, 3), int(busy_s * 1e9))
        looking.look()
    assert looking.slept_s == 2.0


def test_when_it_went_to_sleep_between_two_looks_is_not_known(seen):
    assert looked(seen, (50.99, 0, False), (51.0, 0, False), (51.3, 0.1, True), (51.4, 0.1, True)) == (0.1, 0.21)


def test_a_program_that_has_not_begun_does_not_sleep(seen):
    seen["busy_ns"] = {}
    looking = Stillness(lambda: [])
    seen["now"] = 52.0
    looking.look()
    seen["now"] = 53.0
    looking.look()
    assert (looking.slept_s, looking.perhaps_s) == (0, 0)


def test_busy_processes_of_this_machine_are_seen():
    with busy_machine(loops=1, most_s=600):
        (*_, busy) = processes.children(os.getpid())
        before = processes.busy_ns(busy)
        while processes.busy_ns(busy) == before:  # until it is its turn
            assert busy in processes.children(os.getpid())
