import os

import pytest

from pitboss.compare.findings import Compared
from pitboss.machine import processes
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Ending, EndingKind, Paused, Shown, Transcript, exited
from pitboss.reports.endings import ending_sentence
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing import driver, watchdog
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.sessions.tracing.watchdog import Deadline
from tests.drivers import InhabitedBubblewrapDriver

LIMITS = Limits(cpu_s=1, idle_s=1, memory_mb=128, output_kb=128, processes=16)

C_HEAD = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static char *none[] = {"PITBOSS_SESSION=77", 0};
/* Computes for a while. */
static void works(int ms) { struct timespec now, end; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); while ((now.tv_sec - end.tv_sec) * 1000 + (now.tv_nsec - end.tv_nsec) / 1000000 < ms); }
static void *waits(void *nothing) { for (;;) pause(); }
static void *sleeps(void *nothing) { sleep(2); puts("done"); exit(0); }
static void *leaves(void *nothing) { if (fork() == 0) { pthread_t t; pthread_create(&t, 0, waits, 0); pthread_exit(0); } return 0; }
"""


SLOW_PARAMS = [pytest.param(name, marks=pytest.mark.slow) for name in ("a user of its own", "bubblewrap")]


@pytest.fixture(params=["our own user", "bubblewrap of an ordinary user", *SLOW_PARAMS])
def run_session(request, compiled, monkeypatch):
    """A function that runs one session of a C program, and returns its transcript and the program's path.

    With any argument, the program itself waits for ever: see "stay" in LEFT_PROCESSES.
    """
    driver_class, level = TracingDriver, Level.BUBBLEWRAP if "bubblewrap" in request.param else Level.LANDLOCK
    if request.param == "our own user":
        monkeypatch.setattr(driver, "may_become_others", lambda: False)
    if request.param == "bubblewrap of an ordinary user":
        monkeypatch.setattr(driver, "can_switch_users_inside", lambda: False)
        driver_class = InhabitedBubblewrapDriver

    def run(body, limits=LIMITS):
        path = compiled(
            f"{C_HEAD}int main(int argc, char **argv) {{ if (argc > 1) for (;;) pause(); {body} }}", "-pthread"
        )
        with driver_class(Program((str(path),), path.parent), limits, Sandbox(level)) as sessions:
            ((_, transcript),) = sessions.sessions([Script(script_of_lines(()))])
        return transcript, path

    return run


#: Programs that wait in unusual ways and then end, each with its events.
UNUSUAL_WAITS = {
    "a child by vfork sleeps": (
        'puts("a"); if (vfork() == 0) { sleep(1); _exit(0); } puts("b"); return 0;',
        (Shown(b"a\n"), Paused(1000), Shown(b"b\n")),
    ),
    "the first thread ends before another": (
        'puts("a"); pthread_t t; pthread_create(&t, 0, sleeps, 0); pthread_exit(0);',
        (Shown(b"a\n"), Paused(2000), Shown(b"done\n")),
    ),
    "a child without its environment": (
        'puts("a"); if (fork() == 0) { execle("/bin/sleep", "sleep", "1", (char *)0, none); } wait(0); puts("b"); return 0;',
        (Shown(b"a\n"), Paused(1000), Shown(b"b\n")),
    ),
}


@pytest.mark.parametrize("case", UNUSUAL_WAITS)
def test_an_unusual_wait_is_a_pause_after_which_the_program_ends(run_session, case):
    body, events = UNUSUAL_WAITS[case]
    transcript, _ = run_session(body)
    assert (transcript.events, transcript.ending) == (events, exited())


#: Processes that a program leaves behind, each hiding in another way.
LEFT_PROCESSES = {
    "without its environment": 'if (fork() == 0) { execle("/proc/self/exe", "x", "stay", (char *)0, none); }',
    "unreadable": "if (fork() == 0) { prctl(PR_SET_DUMPABLE, 0); setsid(); for (;;) pause(); }",
    "with other limits": (
        "if (fork() == 0) { struct rlimit no = {0, 0}; setrlimit(RLIMIT_LOCKS, &no); syscall(SYS_setrlimit, RLIMIT_LOCKS, &no);"
        ' execle("/proc/self/exe", "x", "stay", (char *)0, none); }'
    ),
    "stopped": "if (fork() == 0) { setsid(); for (;;) raise(SIGSTOP); }",
    "as a thread whose leader has ended": "leaves(0);",
    "waiting for a child by vfork": "if (fork() == 0) { if (vfork() == 0) for (;;) pause(); }",
}


@pytest.mark.parametrize("case", LEFT_PROCESSES)
def test_a_process_left_behind_is_found_however_it_hides(run_session, case):
    transcript, path = run_session(f"{LEFT_PROCESSES[case]} usleep(1000); return 3;")
    assert transcript.ending == Ending(EndingKind.LEFT_PROCESSES, exit_code=3)
    assert running_pids(path) == []


#: Programs that run for ever without exceeding any other limit.
ENDLESS = {
    "prints now and then": "for (;;) { works(2); putchar('.'); fflush(stdout); if (fork() == 0) _exit(0); wait(0); }",
    "has a child use its time": "for (;;) { if (fork() == 0) { works(200); _exit(0); } wait(0); }",
    "has a child by vfork use its time": "for (;;) { int p = vfork(); if (p == 0) { if (fork() == 0) { works(200); _exit(0); } wait(0); _exit(0); } }",
    "blocks every signal": "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); for (;;) { if (fork() == 0) { works(200); _exit(0); } wait(0); }",
}


FIRST_ENDLESS, *OTHER_ENDLESS = ENDLESS


@pytest.mark.parametrize(
    "case", [FIRST_ENDLESS, *(pytest.param(name, marks=pytest.mark.slow) for name in OTHER_ENDLESS)]
)
def test_a_session_ends_when_its_real_time_is_over(run_session, case, monkeypatch):
    monkeypatch.setattr(Limits, "max_session_s", 0.4)
    # So that the session never ends with a fault, even if other tests keep the machine busy.
    monkeypatch.setattr(watchdog, "_MAX_TIMES", 100)
    transcript, path = run_session(ENDLESS[case])
    assert transcript.ending == Ending(EndingKind.OUT_OF_REAL_TIME)
    assert running_pids(path) == []


def running_pids(path):
    pids = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.readlink(f"/proc/{name}/exe") == str(path) and not processes.is_gone(int(name)):
                pids.append(name)
        except OSError:
            pass
    return pids


@pytest.fixture
def deadline_clock(monkeypatch):
    """The time, and for how long the program has waited for a core, in seconds; tests set both."""
    state = {"now": 100.0, "waited": 0.0}
    monkeypatch.setattr(watchdog.time, "monotonic", lambda: state["now"])
    monkeypatch.setattr(processes, "longest_core_wait_ns", lambda pid: int(state["waited"] * 1e9))
    return state


def test_time_spent_waiting_for_a_core_is_not_counted(deadline_clock):
    session_deadline = Deadline(10)
    deadline_clock |= {"now": 111.0, "waited": 5.0}
    assert session_deadline.check_deadline(lambda: [1]) is None
    deadline_clock |= {"now": 116.5, "waited": 5.0}
    assert session_deadline.check_deadline(lambda: [1]) is EndingKind.OUT_OF_REAL_TIME


def test_a_session_on_a_machine_that_stays_busy_ends_with_a_fault(deadline_clock):
    session_deadline = Deadline(10)
    deadline_clock |= {"now": 149.0, "waited": 48.0}
    assert session_deadline.check_deadline(lambda: [1]) is None
    deadline_clock |= {"now": 190.0, "waited": 89.0}
    assert session_deadline.check_deadline(lambda: [1]) is EndingKind.FAULT
    assert session_deadline.sentence == "it had not ended after 50 s, on a machine that is busy with other work"


def test_allowed_time_for_a_real_sleep_is_not_counted(deadline_clock):
    session_deadline = Deadline(10)
    session_deadline.allow(5)
    deadline_clock["now"] = 114.0
    assert session_deadline.check_deadline(lambda: [1]) is None
    deadline_clock["now"] = 115.5
    assert session_deadline.check_deadline(lambda: [1]) is EndingKind.OUT_OF_REAL_TIME


@pytest.mark.parametrize(("limits", "expected_s"), [(Limits(), 60), (Limits(cpu_s=40), 100), (Limits(session_s=5), 22)])
def test_the_real_time_limit_follows_from_the_other_limits(limits, expected_s):
    assert limits.max_session_s == expected_s


def test_the_sentence_for_a_student_names_the_real_time_limit():
    sentence = ending_sentence(Transcript((), Ending(EndingKind.OUT_OF_REAL_TIME)), Compared(Limits()), 0)
    assert sentence == (
        "It had not ended after 60 s, most likely because of a loop that never ends and computes or prints only a little each time."
    )
