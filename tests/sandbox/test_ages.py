import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Paused, Shown, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver

#: The longest wait that pitboss counts, 2**62 ns or 146 years, in milliseconds and in seconds.
LONGEST_MS = (1 << 62) // 10**6
LONGEST_S = (1 << 62) // 10**9

HEAD = """
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static struct timespec t = {1L << 62, 0}, left;
static void ring(int number) { }
"""
#: Reads the clock before and after the inserted C code, which waits. Pitboss skips the wait, and moves the clock that
#: the program sees.
MAIN = 'int main(void) { time_t began = time(0); puts("a"); %s if (time(0) < began) puts("back in time"); puts("b"); return 0; }'
#: C code that waits longer than a clock can count, and how long pitboss should record the wait to be, in units of 146
#: years.
WAITS = {
    "nanosleep": ("nanosleep(&t, 0);", 1),
    "nanosleep, again and again": ("nanosleep(&t, 0); nanosleep(&t, 0); nanosleep(&t, 0);", 3),
    "clock_nanosleep": ("clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0);", 1),
    "select": ("struct timeval v = {1L << 62, 0}; select(0, 0, 0, 0, &v);", 1),
    "select for microseconds": ("struct timeval v = {0, (1UL << 63) - 1}; syscall(SYS_select, 0, 0, 0, 0, &v);", 1),
    "pselect": ("pselect(0, 0, 0, 0, &t, 0);", 1),
    "ppoll": ("ppoll(0, 0, &t, 0);", 1),
    "futex": ("int word = 0; syscall(SYS_futex, &word, 0, 0, &t, 0, 0);", 1),
    "sigtimedwait": ("sigset_t s; sigemptyset(&s); sigtimedwait(&s, 0, &t);", 1),
    "timerfd": (
        "struct itimerspec i = {t, t}; long n; int f = timerfd_create(CLOCK_MONOTONIC, 0);"
        " timerfd_settime(f, 0, &i, 0); read(f, &n, 8);",
        1,
    ),
    "setitimer": (
        "struct itimerval i = {{0, 0}, {1L << 62, 0}}; signal(SIGALRM, ring); setitimer(0, &i, 0); pause();",
        1,
    ),
}


def run_session(path):
    with TracingDriver(Program((str(path),), path.parent), Limits(idle_s=2), Sandbox(Level.LANDLOCK)) as sessions:
        ((_, transcript),) = sessions.sessions([Script(script_of_lines(()), ())])
    return transcript


@pytest.mark.parametrize("wait", WAITS)
def test_a_wait_longer_than_the_clock_lasts_146_years(compiled, wait):
    code, times = WAITS[wait]
    output = run_session(compiled(HEAD + MAIN % code))
    assert output.ending == exited()
    screen, paused, after = output.events
    assert (screen, after) == (Shown(b"a\n"), Shown(b"b\n"))
    assert paused.duration_ms == pytest.approx(times * LONGEST_MS, abs=1)


@pytest.mark.parametrize(
    "code",
    [
        "clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, 0); clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0);",
        "for (int i = 0; i < 40; i++) { alarm(4294967295U); signal(SIGALRM, SIG_IGN); sleep(4294967295U); } alarm(0);",
        "timer_t m; struct itimerspec i = {{0, 0}, t}; timer_create(CLOCK_MONOTONIC, 0, &m); timer_settime(m, 0, &i, 0);",
    ],
    ids=["until", "alarms", "timer_settime"],
)
def test_other_overlong_timers_do_not_break_a_session(compiled, code):
    output = run_session(compiled(HEAD + MAIN % code))
    assert (output.ending, output.text) == (exited(), b"a\nb\n")


#: System calls with invalid arguments, or with arguments whose upper 32 bits the kernel ignores. Each entry is a
#: program of its own, since one may crash.
INVALID_CALLS = {
    "clock_nanosleep": "for (long c = 1; c; c <<= 1) syscall(SYS_clock_nanosleep, c | 1L << 40, 1, &left, 0);"
    " syscall(SYS_clock_nanosleep, -1L, 1, &t, 0); syscall(SYS_clock_nanosleep, 77, 1, &t, 0);",
    "poll": "struct pollfd f = {1, -1, 0}; syscall(SYS_poll, &f, -1L, 9); syscall(SYS_poll, -1L, 5, 9);"
    " syscall(SYS_poll, &f, 1, 9);",
    "select": "fd_set s; struct timeval v = {0, 9}; syscall(SYS_select, -1L, &s, 0, 0, &v);"
    " syscall(SYS_select, 1L << 40 | 5, &s, 0, 0, &v);",
    "futex": "syscall(SYS_futex, -1L, 0, 0, &t, 0, 0); syscall(SYS_futex, &left, 0, 0, -1L, 0, 0);",
    "timers": "struct itimerspec i = {t, t}; syscall(SYS_timerfd_settime, 0x80000001L, 1, &i, 0);"
    " syscall(SYS_timer_settime, -1L, 1, &i, 0); syscall(SYS_timer_delete, -1L); syscall(SYS_setitimer, 0, -1L, 0);",
    "descriptors": "syscall(SYS_close, -1L); syscall(SYS_dup2, -1L, 0); syscall(SYS_dup3, 1, 1L << 40 | 9, 0);",
    "terminals": "syscall(SYS_ioctl, 0, 0x5402, -1L); syscall(SYS_ioctl, 1L << 40, 0x540B, 1);"
    " syscall(SYS_ioctl, 1, 1L << 40 | 0x540B, -1L);",
    "random bytes": "syscall(SYS_getrandom, &left, 4, -1L);",
    "programs": "syscall(SYS_execve, -1L, 0, 0); syscall(SYS_execveat, -1L, -1L, 0, 0, 0);",
    "sleeps": "left.tv_sec = -1; nanosleep(&left, 0); nanosleep((void *)-1L, 0); t.tv_sec = 0; nanosleep(&t, (void *)-1L);",
}


@pytest.mark.parametrize("call", INVALID_CALLS)
def test_calls_with_invalid_arguments_do_not_break_a_session(compiled, call):
    output = run_session(compiled(HEAD + MAIN % INVALID_CALLS[call]))
    assert (output.ending, output.text) == (exited(), b"a\nb\n")


def test_an_interrupted_wait_reports_the_time_left(compiled):
    wait = 'signal(SIGALRM, ring); alarm(10); nanosleep(&t, &left); printf("%ld\\n", left.tv_sec);'
    output = run_session(compiled(HEAD + MAIN % wait))
    assert output.events == (Shown(b"a\n"), Paused(10_000), Shown(b"%d\nb\n" % (LONGEST_S - 10)))
