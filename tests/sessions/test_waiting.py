import subprocess

import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Ending, EndingKind, Paused, Remark, Shown, Typed, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from tests import built

LIMITS = Limits(cpu_s=5, idle_s=5, memory_mb=256, output_kb=128, processes=16)

C_HEAD = """
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
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
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
#: C statements that each wait two seconds; PROGRAM runs them between two printed lines.
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
    ' if (poll(&f, 1, 2000) || f.revents) puts("?");',
    "poll of two pipes": "int p[2]; pipe(p); struct pollfd f[2] = {{p[0], POLLIN, 7}, {p[0], POLLIN, 7}};"
    ' if (poll(f, 2, 2000) || f[1].revents) puts("?");',
    "select of a pipe": "int p[2]; pipe(p); fd_set s; FD_ZERO(&s); FD_SET(p[0], &s); struct timeval t = {2, 0};"
    ' if (select(p[0] + 1, &s, NULL, NULL, &t) || FD_ISSET(p[0], &s)) puts("?");',
    "epoll": "struct epoll_event e; epoll_wait(epoll_create1(0), &e, 1, 2000);",
    "epoll_pwait2": "struct epoll_event e; struct timespec t = {2, 0};"
    " syscall(441, epoll_create1(0), &e, 1, &t, NULL, 0);",
    "timerfd": "struct itimerspec t = {{0, 0}, {2, 0}}; long n = 0; int f = timerfd_create(CLOCK_MONOTONIC, 0);"
    ' timerfd_settime(f, 0, &t, NULL); read(f, &n, 8); if (n != 1) puts("?");',
    "timerfd until": "struct itimerspec t = {{0, 0}, in(CLOCK_MONOTONIC, 2000)}; long n;"
    " int f = timerfd_create(CLOCK_MONOTONIC, 0); timerfd_settime(f, TFD_TIMER_ABSTIME, &t, NULL); read(f, &n, 8);",
    "timerfd, polled": "struct itimerspec t = {{1, 0}, {1, 0}}; long n; int f = timerfd_create(CLOCK_REALTIME, 0);"
    " timerfd_settime(f, 0, &t, NULL); struct pollfd p = {f, POLLIN, 0};"
    " for (int i = 0; i < 2; i++) { poll(&p, 1, -1); read(f, &n, 8); }",
    "sigtimedwait": "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); struct timespec t = {2, 0};"
    ' if (sigtimedwait(&s, NULL, &t) != -1 || errno != EAGAIN) puts("?");',
    "alarm and pause": 'signal(SIGALRM, ring); alarm(2); pause(); if (rang != 1) puts("?");',
    "alarm and sigsuspend": "sigset_t s; sigemptyset(&s); signal(SIGALRM, ring); alarm(2); sigsuspend(&s);",
    "alarm and sigwait": "sigset_t s; int n; sigemptyset(&s); sigaddset(&s, SIGALRM);"
    " sigprocmask(SIG_BLOCK, &s, NULL); alarm(2); sigwait(&s, &n);",
    "alarm in a longer sleep": 'signal(SIGALRM, ring); alarm(2); unsigned left = sleep(10); if (left != 8) puts("?");',
    "alarm, its remaining time": 'signal(SIGALRM, ring); alarm(10); sleep(2); if (alarm(0) != 8) puts("?");',
    "setitimer": "signal(SIGALRM, ring); struct itimerval t = {{0, 500000}, {0, 500000}};"
    " setitimer(ITIMER_REAL, &t, NULL); while (rang < 4) pause(); t.it_value.tv_usec = t.it_interval.tv_usec = 0;"
    " setitimer(ITIMER_REAL, &t, NULL);",
    "sem_timedwait": "sem_t s; sem_init(&s, 0, 0); struct timespec t = in(CLOCK_REALTIME, 2000);"
    ' if (sem_timedwait(&s, &t) != -1 || errno != ETIMEDOUT) puts("?");',
    "pthread_cond_timedwait": "pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_mutex_t m ="
    " PTHREAD_MUTEX_INITIALIZER; struct timespec t = in(CLOCK_REALTIME, 2000); pthread_mutex_lock(&m);"
    ' if (pthread_cond_timedwait(&c, &m, &t) != ETIMEDOUT) puts("?");',
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
    "two halves": "sleep(1); usleep(1000000);",
}
#: C statements whose waiting call the kernel refuses at once: of a negative number of descriptors, or of too many.
REFUSED_WAITS = {
    "select": 'struct timeval t = {2, 0}; if (select(-1, NULL, NULL, NULL, &t) != -1 || errno != EINVAL) puts("?");',
    "poll": 'static struct pollfd f[1000]; if (poll(f, 1000, 2000) != -1 || errno != EINVAL) puts("?");',
}
#: C statements that wait or read in ways that cannot be followed: the call fails at once, with this error.
UNAVAILABLE_CALLS = {
    "SO_RCVTIMEO": "int p[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, p); struct timeval t = {2, 0};"
    " if (setsockopt(p[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) == -1 && errno == ENOSYS)",
    "SO_SNDTIMEO": "int p[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, p); struct timeval t = {2, 0};"
    " if (setsockopt(p[0], SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t) == -1 && errno == ENOSYS)",
    "io_setup": "void *ring = 0; if (syscall(SYS_io_setup, 4, &ring) == -1 && errno == ENOSYS)",
    "io_uring_setup": "char none[200] = {0}; if (syscall(425, 4, none) == -1 && errno == ENOSYS)",
    "futex_waitv": "unsigned word = 0; struct { unsigned long value, address; unsigned flags, reserved; }"
    " w = {0, (unsigned long)&word, 2, 0}; struct timespec t = in(CLOCK_MONOTONIC, 2000);"
    " if (syscall(449, &w, 1, 0, &t, CLOCK_MONOTONIC) == -1 && errno == ENOSYS)",
    "futex_wait": "unsigned word = 0; struct timespec t = in(CLOCK_MONOTONIC, 2000);"
    " if (syscall(455, &word, 0, -1L, 2, &t, CLOCK_MONOTONIC) == -1 && errno == ENOSYS)",
}
#: C statements that read a line from FD by other calls than read(2).
READS = {
    "readv": "struct iovec v = {line, 9}; readv(FD, &v, 1);",
    "preadv2": "struct iovec v = {line, 9}; preadv2(FD, &v, 1, -1, 0);",
    "splice": "int p[2]; pipe(p); splice(FD, NULL, p[1], NULL, 9, 0); read(p[0], line, 9);",
    "sendfile": "int p[2]; pipe(p); sendfile(p[1], FD, NULL, 9); read(p[0], line, 9);",
}
PROGRAM = 'int main(void) {{ puts("a"); fflush(stdout); {} puts("b"); return 0; }}'
PAUSE_BETWEEN_LINES = (Shown(b"a\n"), Paused(2000), Shown(b"b\n"))


def run_sessions(program, level=Level.LANDLOCK, count=1):
    """Run `count` sessions of a program; return the events of each one that exited with code 0."""
    with TracingDriver(program, LIMITS, Sandbox(level)) as driver:
        sessions = driver.sessions(Script(script_of_lines(()), environment_seed=seed) for seed in range(count))
        return [transcript.events for _, transcript in sessions if transcript.ending == exited()]


@pytest.mark.parametrize("name", WAITS)
def test_each_wait_of_two_seconds_is_a_pause_of_two_seconds(compiled, name):
    path = compiled(C_HEAD + PROGRAM.format(WAITS[name]), "-pthread")
    assert run_sessions(Program((str(path),), path.parent)) == [PAUSE_BETWEEN_LINES]


@pytest.mark.parametrize("name", REFUSED_WAITS)
def test_a_refused_wait_is_no_pause(compiled, name):
    path = compiled(C_HEAD + PROGRAM.format(REFUSED_WAITS[name]), "-pthread")
    assert run_sessions(Program((str(path),), path.parent)) == [(Shown(b"a\nb\n"),)]


@pytest.mark.parametrize("name", UNAVAILABLE_CALLS)
def test_a_call_that_cannot_be_followed_fails_and_is_remarked_on(compiled, name):
    path = compiled(C_HEAD + PROGRAM.format(UNAVAILABLE_CALLS[name] + ' puts("fails");'), "-pthread")
    with TracingDriver(Program((str(path),), path.parent), LIMITS, Sandbox(Level.LANDLOCK)) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines(()))])
    assert (transcript.text, transcript.remarks) == (b"a\nfails\nb\n", (Remark.UNAVAILABLE,))


@pytest.mark.parametrize("descriptor", ["0", "dup(0)"])
@pytest.mark.parametrize("name", READS)
def test_every_call_that_reads_the_terminal_gets_a_line(compiled, name, descriptor):
    body = f'char line[9] = ""; {READS[name].replace("FD", descriptor)} write(1, line, strlen(line));'
    path = compiled(C_HEAD + PROGRAM.format(body), "-pthread")
    with TracingDriver(Program((str(path),), path.parent), LIMITS, Sandbox(Level.LANDLOCK)) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines([b"x"]))])
    assert (transcript.events, transcript.remarks) == ((Shown(b"a\n"), Typed(b"x"), Shown(b"x\nb\n")), ())


@pytest.mark.parametrize("count", [1, 1024, 65536, 2**31 - 1])
def test_a_select_of_any_number_of_descriptors_waits_for_a_line(compiled, count):
    """The kernel looks at the descriptors that the program has, whatever number it passes."""
    body = f"""
    static fd_set s[2000]; FD_SET(0, &s[0]); struct timeval t = {{2, 0}}; char line[9];
    if (select({count}, &s[0], NULL, NULL, &t) == 1 && FD_ISSET(0, &s[0])) {{ read(0, line, 9); puts("read"); }}
    """
    path = compiled(C_HEAD + PROGRAM.format(body), "-pthread")
    with TracingDriver(Program((str(path),), path.parent), LIMITS, Sandbox(Level.NONE)) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines([b"x"]))])
    assert transcript.events == (Shown(b"a\n"), Typed(b"x"), Shown(b"read\nb\n"))


#: These waits last until a time on a clock. A static program sees the machine's clock, so they really take two seconds.
REAL_TIME_WAITS = ("sem_timedwait", "pthread_cond_timedwait", "pthread_mutex_timedlock")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in REAL_TIME_WAITS else []) for name in WAITS]
)
def test_a_static_program_pauses_by_the_same_calls(compiled, name):
    path = compiled(C_HEAD + PROGRAM.format(WAITS[name]), "-pthread", "-static")
    assert run_sessions(Program((str(path),), path.parent)) == [PAUSE_BETWEEN_LINES]


@pytest.mark.slow
@pytest.mark.parametrize("name", WAITS)
def test_a_wait_is_as_long_if_pauses_are_not_skipped(compiled, name):
    path = compiled(C_HEAD + PROGRAM.format(WAITS[name]), "-pthread")
    with TracingDriver(Program((str(path),), path.parent), LIMITS, Sandbox(Level.NONE), skips_pauses=False) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines(()))])
    assert transcript.events == PAUSE_BETWEEN_LINES


@pytest.mark.slow
def test_a_posix_timer_is_waited_for(compiled):
    body = (
        "signal(SIGUSR1, ring); timer_t t; struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};"
        " timer_create(CLOCK_MONOTONIC, &e, &t); struct itimerspec s = {{0, 0}, {2, 0}}; timer_settime(t, 0, &s, NULL);"
        " pause();"
    )
    path = compiled(C_HEAD + PROGRAM.format(body), "-pthread")
    assert run_sessions(Program((str(path),), path.parent)) == [PAUSE_BETWEEN_LINES]


CPP_WAITS = {
    "sleep_for": "std::this_thread::sleep_for(std::chrono::seconds(2));",
    "sleep_until": "std::this_thread::sleep_until(std::chrono::system_clock::now() + std::chrono::seconds(2));",
    "wait_for": "std::mutex m; std::condition_variable c; std::unique_lock<std::mutex> l(m);"
    " c.wait_for(l, std::chrono::seconds(2), [] { return false; });",
    "a future": "std::async(std::launch::async, [] { std::this_thread::sleep_for(std::chrono::seconds(2)); }).get();",
    "a thread": "std::thread t([] { std::this_thread::sleep_for(std::chrono::seconds(2)); }); t.join();",
}
CPP_HEAD = (
    "#include <chrono>\n#include <condition_variable>\n#include <future>\n#include <iostream>\n#include <thread>\n"
)


@pytest.mark.needs("C++")
@pytest.mark.parametrize("name", CPP_WAITS)
def test_each_wait_of_cpp_is_a_pause(reachable, name):
    body = f'int main() {{ std::cout << "a" << std::endl; {CPP_WAITS[name]} std::cout << "b\\n"; }}'
    (reachable / "program.cpp").write_text(CPP_HEAD + body)
    argv = ["c++", "-pthread", "-o", reachable / "program", reachable / "program.cpp"]
    subprocess.run(argv, check=True, timeout=60)
    assert run_sessions(Program((str(reachable / "program"),), reachable)) == [PAUSE_BETWEEN_LINES]


JAVA_FLAGS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


def build_java(folder, body, *flags):
    """Compile and return a Java program."""
    text = f"public class P {{ public static void main(String[] a) throws Exception {{ {body} }} }}"
    (folder / "P.java").write_text(text)
    subprocess.run(["javac", "-d", folder, folder / "P.java"], check=True, timeout=60)
    return Program(("/usr/bin/java", *flags, "-cp", str(folder), "P"), folder, has_runtime_threads=True)


@pytest.mark.needs("Java")
def test_a_java_program_that_waits_for_ever_is_stopped(reachable):
    """The helper threads of Java keep waking up, each time for some milliseconds."""
    program = build_java(
        reachable, 'System.out.println("a"); new java.util.concurrent.CountDownLatch(1).await();', *JAVA_FLAGS
    )
    with TracingDriver(program, Limits(cpu_s=5, idle_s=1), Sandbox(Level.LANDLOCK)) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines(()))])
    assert transcript.ending == Ending(EndingKind.OUT_OF_IDLE_TIME)


def _build_c(folder):
    (folder / "p.c").write_text('#include <stdio.h>\nint main(void) { puts("a"); puts("b"); return 0; }')
    subprocess.run(["cc", "-o", folder / "p", folder / "p.c"], check=True, timeout=60)
    return Program((str(folder / "p"),), folder)


def _write_python(folder):
    (folder / "p.py").write_text("print('a')\nprint('b')\n")
    return Program(("/usr/bin/python3", str(folder / "p.py")), folder)


#: Functions that write a program which prints two lines.
TWO_LINE_PROGRAMS = {
    "C": _build_c,
    "Java": lambda folder: build_java(folder, 'System.out.println("a"); System.out.println("b");'),
    "C#": lambda folder: built.build_csharp(folder, 'Console.WriteLine("a"); Console.WriteLine("b");'),
    "Python": _write_python,
}


@pytest.mark.parametrize("count", [4, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("level", Level, ids=lambda level: level.value)
@pytest.mark.parametrize("language", TWO_LINE_PROGRAMS)
def test_waits_of_the_threads_of_a_runtime_are_no_pauses(reachable, language, level, count):
    recorded_events = run_sessions(TWO_LINE_PROGRAMS[language](reachable), level, count)
    assert recorded_events == [(Shown(b"a\nb\n"),)] * count


@pytest.mark.slow
@pytest.mark.parametrize("level", Level, ids=lambda level: level.value)
@pytest.mark.parametrize("language", ["Java", "C#"])
def test_a_sleep_in_java_or_csharp_is_equally_long_in_each_session(reachable, language, level):
    if language == "Java":
        program = build_java(reachable, 'System.out.println("a"); Thread.sleep(2000); System.out.println("b");')
    else:
        program = built.build_csharp(reachable, 'Console.WriteLine("a"); Thread.Sleep(2000); Console.WriteLine("b");')
    assert run_sessions(program, level, 50) == [PAUSE_BETWEEN_LINES] * 50
