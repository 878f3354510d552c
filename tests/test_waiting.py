"""Every way to wait for time is a pause in its place, and of its length; a wait of a runtime is none."""

import subprocess

import pytest

from harness.assignment import Limits
from harness.programs import Program
from harness.sandbox import Level, Sandbox
from harness.sessions import Script, typing
from harness.transcript import Paused, Shown, exited
from harness.watching.driver import WatchedDriver

LIMITS = Limits(cpu_s=5, idle_s=5, memory_mb=256, output_kb=128, processes=16)

HEAD = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static struct timespec in(clockid_t clock, long ms)
{
    struct timespec at;
    clock_gettime(clock, &at);
    at.tv_nsec += ms % 1000 * 1000000;
    at.tv_sec += ms / 1000 + at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}
static volatile sig_atomic_t rang;
static void ring(int number) { rang++; }
static void *helper(void *nothing) { sleep(2); return nothing; }
"""
#: What stands between two texts, each a wait of two seconds.
WAITS = {
    "sleep": "sleep(2);",
    "usleep": "usleep(2000000);",
    "nanosleep": "struct timespec t = {2, 0}; nanosleep(&t, NULL);",
    "clock_nanosleep": "struct timespec t = {2, 0}; clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);",
    "clock_nanosleep until": "struct timespec t = in(CLOCK_MONOTONIC, 2000);"
    " clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);",
    "clock_nanosleep until a time of day": "struct timespec t = in(CLOCK_REALTIME, 2000);"
    " clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);",
    "select": "struct timeval t = {2, 0}; select(0, NULL, NULL, NULL, &t);",
    "pselect": "struct timespec t = {2, 0}; pselect(0, NULL, NULL, NULL, &t, NULL);",
    "poll": "poll(NULL, 0, 2000);",
    "ppoll": "struct timespec t = {2, 0}; ppoll(NULL, 0, &t, NULL);",
    "poll of a pipe": "int p[2]; pipe(p); struct pollfd f = {p[0], POLLIN, 7};"
    " if (poll(&f, 1, 2000) || f.revents) puts(\"?\");",
    "poll of two pipes": "int p[2]; pipe(p); struct pollfd f[2] = {{p[0], POLLIN, 7}, {p[0], POLLIN, 7}};"
    " if (poll(f, 2, 2000) || f[1].revents) puts(\"?\");",
    "select of a pipe": "int p[2]; pipe(p); fd_set s; FD_ZERO(&s); FD_SET(p[0], &s); struct timeval t = {2, 0};"
    " if (select(p[0] + 1, &s, NULL, NULL, &t) || FD_ISSET(p[0], &s)) puts(\"?\");",
    "epoll": "struct epoll_event e; epoll_wait(epoll_create1(0), &e, 1, 2000);",
    "epoll_pwait2": "struct epoll_event e; struct timespec t = {2, 0};"
    " syscall(441, epoll_create1(0), &e, 1, &t, NULL, 0);",
    "timerfd": "struct itimerspec t = {{0, 0}, {2, 0}}; long n = 0; int f = timerfd_create(CLOCK_MONOTONIC, 0);"
    " timerfd_settime(f, 0, &t, NULL); read(f, &n, 8); if (n != 1) puts(\"?\");",
    "timerfd until": "struct itimerspec t = {{0, 0}, in(CLOCK_MONOTONIC, 2000)}; long n;"
    " int f = timerfd_create(CLOCK_MONOTONIC, 0); timerfd_settime(f, TFD_TIMER_ABSTIME, &t, NULL); read(f, &n, 8);",
    "timerfd, polled": "struct itimerspec t = {{1, 0}, {1, 0}}; long n; int f = timerfd_create(CLOCK_REALTIME, 0);"
    " timerfd_settime(f, 0, &t, NULL); struct pollfd p = {f, POLLIN, 0};"
    " for (int i = 0; i < 2; i++) { poll(&p, 1, -1); read(f, &n, 8); }",
    "sigtimedwait": "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); struct timespec t = {2, 0};"
    " if (sigtimedwait(&s, NULL, &t) != -1 || errno != EAGAIN) puts(\"?\");",
    "alarm and pause": "signal(SIGALRM, ring); alarm(2); pause(); if (rang != 1) puts(\"?\");",
    "alarm and sigsuspend": "sigset_t s; sigemptyset(&s); signal(SIGALRM, ring); alarm(2); sigsuspend(&s);",
    "alarm and sigwait": "sigset_t s; int n; sigemptyset(&s); sigaddset(&s, SIGALRM);"
    " sigprocmask(SIG_BLOCK, &s, NULL); alarm(2); sigwait(&s, &n);",
    "alarm in a longer sleep": 'signal(SIGALRM, ring); alarm(2); unsigned left = sleep(10); if (left != 8) puts("?");',
    "alarm asked what is left of it": "signal(SIGALRM, ring); alarm(10); sleep(2); if (alarm(0) != 8) puts(\"?\");",
    "setitimer": "signal(SIGALRM, ring); struct itimerval t = {{0, 500000}, {0, 500000}};"
    " setitimer(ITIMER_REAL, &t, NULL); while (rang < 4) pause(); t.it_value.tv_usec = t.it_interval.tv_usec = 0;"
    " setitimer(ITIMER_REAL, &t, NULL);",
    "sem_timedwait": "sem_t s; sem_init(&s, 0, 0); struct timespec t = in(CLOCK_REALTIME, 2000);"
    " if (sem_timedwait(&s, &t) != -1 || errno != ETIMEDOUT) puts(\"?\");",
    "pthread_cond_timedwait": "pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_mutex_t m ="
    " PTHREAD_MUTEX_INITIALIZER; struct timespec t = in(CLOCK_REALTIME, 2000); pthread_mutex_lock(&m);"
    " if (pthread_cond_timedwait(&c, &m, &t) != ETIMEDOUT) puts(\"?\");",
    "pthread_mutex_timedlock": "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m);"
    " struct timespec t = in(CLOCK_REALTIME, 2000); pthread_mutex_timedlock(&m, &t);",
    "futex": "int word = 0; struct timespec t = {2, 0}; syscall(SYS_futex, &word, 0, 0, &t, NULL, 0);",
    "a thread that is joined": "pthread_t t; pthread_create(&t, NULL, helper, NULL); pthread_join(t, NULL);",
    "two threads that are joined": "pthread_t t, u; pthread_create(&t, NULL, helper, NULL);"
    " pthread_create(&u, NULL, helper, NULL); pthread_join(t, NULL); pthread_join(u, NULL);",
    "a process that is waited for": "if (fork() == 0) { sleep(2); _exit(0); } wait(NULL);",
    "a process by vfork": "if (vfork() == 0) { struct timespec t = {2, 0}; syscall(SYS_nanosleep, &t, NULL);"
    " _exit(0); } wait(NULL);",
    "a command": 'system("sleep 2");',
    "until the clock says so": "time_t t = time(NULL); do usleep(100000); while (time(NULL) < t + 2);"
    " /* begins on a second or so */",
    "two halves": "sleep(1); usleep(1000000);",
}
#: Until a point of time on a clock that a static program sees as the machine has it.
PROGRAM = 'int main(void) {{ puts("a"); fflush(stdout); {} puts("b"); return 0; }}'
TOLD = (Shown(b"a\n"), Paused(2000), Shown(b"b\n"))


def told(argv, folder, level=Level.LANDLOCK, count=1, **more):
    with WatchedDriver(Program(argv, folder, **more), LIMITS, Sandbox(level)) as driver:
        sessions = driver.sessions(Script(typing(())) for _ in range(count))
        return [transcript.events for _, transcript in sessions if transcript.ending == exited()]


@pytest.mark.parametrize("name", [name for name in WAITS if name != "until the clock says so"])
def test_a_wait_for_two_seconds_is_a_pause_of_two_seconds_in_its_place(compiled, name):
    path = compiled(HEAD + PROGRAM.format(WAITS[name]), "-pthread")
    assert told((str(path),), path.parent) == [TOLD]
