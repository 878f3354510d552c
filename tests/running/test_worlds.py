"""The world of a session: whatever its program draws from is the same in each run with the same number, and only then."""

import subprocess
from pathlib import Path

import pytest

from harness.machine.limits import Limits
from harness.machine.sandbox import Level, Sandbox
from harness.running.expecting import ExpectingDriver
from harness.running.programs import Program
from harness.running.watching.bubblewrap import InhabitedBubblewrap
from harness.running.watching.driver import WatchedDriver
from harness.transcripts.scripts import Script, typing
from harness.transcripts.transcript import Ending, EndingKind, exited

LIMITS = Limits(cpu_s=5, idle_s=5)


class DriverInside(WatchedDriver):
    """One that has a process inside the bubblewrap, as ordinary users do."""

    def _new_bubblewrap(self, readable):
        return InhabitedBubblewrap(readable, self._links_left)


WATCHED = {
    "none": lambda program: WatchedDriver(program, LIMITS, Sandbox(Level.NONE)),
    "Landlock": lambda program: WatchedDriver(program, LIMITS, Sandbox(Level.LANDLOCK)),
    "bubblewrap": lambda program: WatchedDriver(program, LIMITS, Sandbox(Level.BUBBLEWRAP)),
    "bubblewrap with a process inside": lambda program: DriverInside(program, LIMITS, Sandbox(Level.BUBBLEWRAP)),
    "in real time": lambda program: WatchedDriver(program, LIMITS, Sandbox(Level.LANDLOCK), skips_pauses=False),
}
EXPECTING = {
    "expecting": lambda program: ExpectingDriver(program, LIMITS, Sandbox(Level.NONE)),
    "expecting, Landlock": lambda program: ExpectingDriver(program, LIMITS, Sandbox(Level.LANDLOCK)),
    "expecting, bubblewrap": lambda program: ExpectingDriver(program, LIMITS, Sandbox(Level.BUBBLEWRAP)),
}
DRIVERS = WATCHED | EXPECTING

C_HEAD = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static unsigned long of_file(FILE *file) { unsigned long n = 0; fread(&n, sizeof n, 1, file); fclose(file); return n; }
static unsigned long of_descriptor(int file) { unsigned long n = 0; read(file, &n, sizeof n); close(file); return n; }
static int rubbish(void) { volatile int many[64]; int sum = 0; for (int i = 0; i < 64; i++) sum = sum * 31 + many[i]; return sum; }
"""
#: Each prints one thing that a program can draw; the second kind only where elapsed time is ours too.
C_DRAWS = {
    "time": 'printf("%ld", (long)time(NULL));',
    "gettimeofday": 'struct timeval v; gettimeofday(&v, NULL); printf("%ld.%ld", v.tv_sec, v.tv_usec);',
    "clock_gettime": 'struct timespec t; clock_gettime(CLOCK_REALTIME, &t); printf("%ld.%ld", t.tv_sec, t.tv_nsec);',
    "clock": 'printf("%ld", (long)clock());',
    "getrusage": 'struct rusage u; getrusage(RUSAGE_SELF, &u); printf("%ld", u.ru_utime.tv_usec + u.ru_stime.tv_usec);',
    "getpid": 'printf("%d %d %d", getpid(), getppid(), gettid());',
    "syscall": 'unsigned n; syscall(SYS_getrandom, &n, 4, 0); printf("%u %ld", n, syscall(SYS_getpid));',
    "getrandom": 'unsigned long n; getrandom(&n, sizeof n, 0); printf("%lu", n);',
    "getentropy": 'unsigned long n; getentropy(&n, sizeof n); printf("%lu", n);',
    "arc4random": 'printf("%u %u", arc4random(), arc4random_uniform(52));',
    "/dev/urandom": 'printf("%lu", of_file(fopen("/dev/urandom", "rb")));',
    "/dev/random": 'printf("%lu", of_descriptor(open("/dev/random", O_RDONLY)));',
    "random bytes of the kernel": 'printf("%lu", *(unsigned long *)getauxval(AT_RANDOM));',
    "address of a function": 'printf("%p", (void *)rubbish);',
    "address on the stack": 'int n; printf("%p", (void *)&n);',
    "address on the heap": 'printf("%p", malloc(1)); printf(" %p", malloc(1 << 20));',
    "address in a library": 'printf("%p", (void *)printf);',
    "rubbish on the stack": 'printf("%d", rubbish());',
    "rubbish on the heap": 'long *a = malloc(64); free(a); printf("%ld %ld", a[0], a[1]);',
    "name of the machine": 'struct utsname u; uname(&u); printf("%s", u.nodename);',
}
ELAPSED = {
    "monotonic": 'struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); printf("%ld.%ld", t.tv_sec, t.tv_nsec);',
    "since boot": 'struct timespec t; clock_gettime(CLOCK_BOOTTIME, &t); printf("%ld.%ld", t.tv_sec, t.tv_nsec);',
    "times": 'struct tms u; printf("%ld", (long)times(&u));',
}
#: What a program that loads no library draws from the machine all the same.
OF_THE_MACHINE = {"time", "gettimeofday", "clock_gettime", "clock", "getrusage", "getpid", *ELAPSED}
#: The same in all sessions: they are those of a machine.
THE_SAME = {
    "address of a function",
    "address on the stack",
    "address on the heap",
    "address in a library",
    "name of the machine",
}


def c_program(draws):
    blocks = "".join(f'printf("{name}: "); {{ {code} }} puts("");\n' for name, code in draws.items())
    return f"{C_HEAD}int main(void) {{\n{blocks}return 0;\n}}"


def told(driver, argv, folder, worlds, **more):
    """What a program shows in sessions with these worlds."""
    with DRIVERS[driver](Program(argv, folder, **more)) as sessions:
        scripts = [Script(typing(()), (), world) for world in worlds]
        transcripts = dict(sessions.sessions(scripts))
    assert [transcripts[number].ending for number in range(len(worlds))] == [exited()] * len(worlds), transcripts
    return [transcripts[number].text.decode() for number in range(len(worlds))]


def drawn(text):
    """What was drawn from each source, from lines `source: value`."""
    return dict(line.split(": ", 1) for line in text.splitlines())


def differing(one, other):
    return {name for name, value in drawn(one).items() if value != drawn(other)[name]}


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_c_program_draws_the_same_in_the_same_world(compiled, driver):
    sources = C_DRAWS if driver in EXPECTING else C_DRAWS | ELAPSED
    path = compiled(c_program(sources), "-w")
    first = told(driver, (str(path),), path.parent, [17, 18, 17])
    again = told(driver, (str(path),), path.parent, [17])
    kernels = (
        {"random bytes of the kernel", "rubbish on the stack", "rubbish on the heap"} if driver in EXPECTING else set()
    )
    assert differing(first[0], first[2]) <= kernels
    assert differing(first[0], again[0]) <= kernels
    assert differing(first[0], first[1]) >= {*sources} - THE_SAME - kernels - {"rubbish on the stack"}
