"""Programs that would never be over: each session has an end of its own, and leaves nothing running."""

import os

import pytest

from pitboss.compare.findings import Compared
from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import Ending, EndingKind, Paused, Shown, Transcript, exited
from pitboss.reports.endings import ending_sentence
from pitboss.sandbox import processes
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing import deadline, driver
from pitboss.sessions.tracing.bubblewrap import InhabitedBubblewrap
from pitboss.sessions.tracing.deadline import Deadline
from pitboss.sessions.tracing.driver import TracingDriver

LIMITS = Limits(cpu_s=1, idle_s=1, memory_mb=128, output_kb=128, processes=16)

HEAD = """
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


class DriverInside(TracingDriver):
    def _new_bubblewrap(self, readable):
        return InhabitedBubblewrap(readable, self._launchers_left)


SLOWLY = [pytest.param(name, marks=pytest.mark.slow) for name in ("a user of its own", "bubblewrap")]


@pytest.fixture(params=["our own user", "bubblewrap of an ordinary user", *SLOWLY])
def session(request, compiled, monkeypatch):
    """Run one session of a C program; its transcript."""
    kind, level = TracingDriver, Level.BUBBLEWRAP if "bubblewrap" in request.param else Level.LANDLOCK
    if request.param == "our own user":
        monkeypatch.setattr(driver, "may_become_others", lambda: False)
    if request.param == "bubblewrap of an ordinary user":
        monkeypatch.setattr(driver, "becomes_others", lambda: False)
        kind = DriverInside

    def run(body, limits=LIMITS):
        path = compiled(
            f"{HEAD}int main(int argc, char **argv) {{ if (argc > 1) for (;;) pause(); {body} }}", "-pthread"
        )
        with kind(Program((str(path),), path.parent), limits, Sandbox(level)) as sessions:
            ((_, transcript),) = sessions.sessions([Script(typing(()))])
        return transcript, path

    return run


#: Programs that do end, in ways that were never seen to.
ENDING = {
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


@pytest.mark.parametrize("case", ENDING)
def test_a_program_that_waits_in_an_unusual_way_goes_on(session, case):
    body, events = ENDING[case]
    transcript, _ = session(body)
    assert (transcript.events, transcript.ending) == (events, exited())


#: Processes that the program leaves behind, and that hide.
LEAVING = {
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


@pytest.mark.parametrize("case", LEAVING)
def test_a_process_that_is_left_is_seen_however_it_hides(session, case):
    transcript, path = session(f"{LEAVING[case]} usleep(1000); return 3;")
    assert transcript.ending == Ending(EndingKind.LEFT_PROCESSES, exit_code=3)
    assert running(path) == []


#: Programs that keep every other limit for ever.
ENDLESS = {
    "prints now and then": "for (;;) { works(2); putchar('.'); fflush(stdout); if (fork() == 0) _exit(0); wait(0); }",
    "has a child use its time": "for (;;) { if (fork() == 0) { works(200); _exit(0); } wait(0); }",
    "has a child by vfork use its time": "for (;;) { int p = vfork(); if (p == 0) { if (fork() == 0) { works(200); _exit(0); } wait(0); _exit(0); } }",
    "holds off every signal": "sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); for (;;) { if (fork() == 0) { works(200); _exit(0); } wait(0); }",
}


@pytest.mark.parametrize(
    "case", [next(iter(ENDLESS)), *(pytest.param(name, marks=pytest.mark.slow) for name in [*ENDLESS][1:])]
)
def test_a_session_ends_when_its_real_time_is_over(session, case, monkeypatch):
    monkeypatch.setattr(Limits, "max_session_s", 0.4)
    monkeypatch.setattr(deadline, "_MAX_TIMES", 100)  # however busy the machine is with other tests
    transcript, path = session(ENDLESS[case])
    assert transcript.ending == Ending(EndingKind.OUT_OF_REAL_TIME)
    assert running(path) == []


def running(path):
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.readlink(f"/proc/{name}/exe") == str(path) and not processes.is_gone(int(name)):
                found.append(name)
        except OSError:
            pass
    return found


@pytest.fixture
def passing(monkeypatch):
    """A clock that tests set, and a machine that keeps a program waiting."""
    seen = {"now": 100.0, "waited": 0.0}
    monkeypatch.setattr(deadline.time, "monotonic", lambda: seen["now"])
    monkeypatch.setattr(processes, "kept_waiting_ns", lambda pid: int(seen["waited"] * 1e9))
    return seen


def test_time_for_which_a_program_is_kept_from_running_is_not_its_own(passing):
    limit = Deadline(10)
    passing |= {"now": 111.0, "waited": 5.0}
    assert limit.passed(lambda: [1]) is None
    passing |= {"now": 116.5, "waited": 5.0}
    assert limit.passed(lambda: [1]) is EndingKind.OUT_OF_REAL_TIME


def test_even_then_there_is_an_end_which_is_our_fault(passing):
    limit = Deadline(10)
    passing |= {"now": 149.0, "waited": 48.0}
    assert limit.passed(lambda: [1]) is None
    passing |= {"now": 190.0, "waited": 89.0}
    assert limit.passed(lambda: [1]) is EndingKind.FAULT
    assert limit.sentence == "it had not ended after 50 s, on a machine that is busy with other work"


def test_a_sleep_that_is_not_skipped_is_not_counted(passing):
    limit = Deadline(10)
    limit.allow(5)
    passing["now"] = 114.0
    assert limit.passed(lambda: [1]) is None
    passing["now"] = 115.5
    assert limit.passed(lambda: [1]) is EndingKind.OUT_OF_REAL_TIME


@pytest.mark.parametrize(("limits", "most_s"), [(Limits(), 60), (Limits(cpu_s=40), 100), (Limits(session_s=5), 22)])
def test_a_session_may_always_take_what_its_other_limits_allow(limits, most_s):
    assert limits.max_session_s == most_s


def test_a_student_is_reported_what_the_real_time_was():
    output = ending_sentence(Transcript((), Ending(EndingKind.OUT_OF_REAL_TIME)), Compared(Limits()), 0)
    assert output == (
        "It had not ended after 60 s, most likely because of a loop that never ends and computes or prints only a little each time."
    )
