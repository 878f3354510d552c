import subprocess

import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.determinism import SeededEnvironment
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from tests import built
from tests.drivers import InhabitedBubblewrapDriver

LIMITS = Limits(cpu_s=5, idle_s=5)


WATCHED = {
    "none": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.NONE)),
    "Landlock": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.LANDLOCK)),
    "bubblewrap": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.BUBBLEWRAP)),
    "bubblewrap with a process inside": lambda program: InhabitedBubblewrapDriver(
        program, LIMITS, Sandbox(Level.BUBBLEWRAP)
    ),
    "in real time": lambda program: TracingDriver(program, LIMITS, Sandbox(Level.LANDLOCK), skips_pauses=False),
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
#: By source of a draw: C code that prints a value from this source.
C_DRAWS = {
    "time": 'printf("%ld", (long)time(NULL));',
    "gettimeofday": 'struct timeval v; gettimeofday(&v, NULL); printf("%ld.%ld", v.tv_sec, v.tv_usec);',
    "clock_gettime": 'struct timespec t; clock_gettime(CLOCK_REALTIME, &t); printf("%ld.%ld", t.tv_sec, t.tv_nsec);',
    "clock": 'printf("%ld", (long)clock());',
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
#: The same for sources that count elapsed time, which only the tracing driver can make the same in each session.
C_ELAPSED = {
    "monotonic": 'struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); printf("%ld.%ld", t.tv_sec, t.tv_nsec);',
    "since boot": 'struct timespec t; clock_gettime(CLOCK_BOOTTIME, &t); printf("%ld.%ld", t.tv_sec, t.tv_nsec);',
    "times": 'struct tms u; printf("%ld", (long)times(&u));',
}
#: Sources in C_DRAWS whose values are the same with every seed, as they would be on one machine.
C_UNSEEDED = {
    "address of a function",
    "address on the stack",
    "address on the heap",
    "address in a library",
    "name of the machine",
}


def c_program(draws):
    """The text of a C program that prints a line `source: value` for each draw."""
    blocks = "".join(f'printf("{name}: "); {{ {code} }} puts("");\n' for name, code in draws.items())
    return f"{C_HEAD}int main(void) {{\n{blocks}return 0;\n}}"


def outputs_of_sessions(driver, program, seeds):
    with DRIVERS[driver](program) as sessions:
        scripts = [Script(script_of_lines(()), (), environment_seed=seed) for seed in seeds]
        transcripts = dict(sessions.sessions(scripts))
    assert [transcripts[number].ending for number in range(len(seeds))] == [exited()] * len(seeds), transcripts
    return [transcripts[number].text.decode() for number in range(len(seeds))]


def drawn(text):
    """The value drawn from each source, read from lines `source: value`."""
    return dict(line.split(": ", 1) for line in text.splitlines())


def differing_sources(output, other):
    """The sources from which two outputs show different values."""
    return {name for name, value in drawn(output).items() if value != drawn(other)[name]}


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_c_program_draws_the_same_with_the_same_seed(compiled, driver):
    sources = C_DRAWS if driver in EXPECTING else C_DRAWS | C_ELAPSED
    path = compiled(c_program(sources), "-w")
    program = Program((str(path),), path.parent)
    first, other_seed, same_seed = outputs_of_sessions(driver, program, [17, 18, 17])
    (same_seed_later,) = outputs_of_sessions(driver, program, [17])
    uncontrolled = (
        {"random bytes of the kernel", "rubbish on the stack", "rubbish on the heap"} if driver in EXPECTING else set()
    )
    assert differing_sources(first, same_seed) <= uncontrolled
    assert differing_sources(first, same_seed_later) <= uncontrolled
    # Rubbish on the stack may be the same with another seed.
    seeded = {*sources} - C_UNSEEDED - uncontrolled - {"rubbish on the stack"}
    assert differing_sources(first, other_seed) >= seeded


@pytest.mark.parametrize("count", [1, 8], ids=["one at a time", "eight at once"])
def test_draws_do_not_depend_on_sessions_that_run_at_the_same_time(compiled, count):
    path = compiled(c_program(C_DRAWS | C_ELAPSED))
    with TracingDriver(Program((str(path),), path.parent), LIMITS, Sandbox(Level.LANDLOCK), at_once=count) as driver:
        transcripts = dict(
            driver.sessions([Script(script_of_lines(()), (), environment_seed=number % 4) for number in range(16)])
        )
    assert len({transcripts[number].text for number in range(16)}) == 4
    assert all(transcripts[number].text == transcripts[number % 4].text for number in range(16))


CPP_HEAD = """
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <unordered_set>
#include <unistd.h>
"""
CPP_DRAWS = {
    "random_device": "std::random_device d; std::cout << d() << ' ' << d();",
    "random_device of /dev/urandom": 'std::random_device d("/dev/urandom"); std::cout << d();',
    "ifstream": 'std::ifstream f("/dev/urandom", std::ios::binary); unsigned long n; f.read((char *)&n, 8); std::cout << n;',
    "system_clock": "std::cout << std::chrono::system_clock::now().time_since_epoch().count();",
    "high_resolution_clock": "std::mt19937 g(std::chrono::high_resolution_clock::now().time_since_epoch().count()); std::cout << g();",
    "getpid": "std::cout << getpid();",
}
CPP_ELAPSED = {"steady_clock": "std::cout << std::chrono::steady_clock::now().time_since_epoch().count();"}
CPP_UNSEEDED = {
    "address": "std::cout << (void *)new int;",
    "hash of a text": 'std::cout << std::hash<std::string>()("abc");',
    "order of a set of pointers": "std::unordered_set<int *> s; for (int i = 0; i < 9; i++) s.insert(new int(i));"
    " for (int *p : s) std::cout << *p;",
}


def build_cpp(folder, draws):
    blocks = "".join(f'std::cout << "{name}: "; {{ {code} }} std::cout << std::endl;\n' for name, code in draws.items())
    (folder / "p.cpp").write_text(f"{CPP_HEAD}int main() {{\n{blocks}}}\n")
    subprocess.run(["c++", "-w", "-o", folder / "p", folder / "p.cpp"], check=True, timeout=60)
    return Program((str(folder / "p"),), folder)


PYTHON_DRAWS = {
    "random": "random.random()",
    "seeded by the time": "random.Random(time.time()).random()",
    "SystemRandom": "random.SystemRandom().random()",
    "urandom": "os.urandom(8)",
    "secrets": "secrets.randbelow(52)",
    "uuid4": "uuid.uuid4()",
    "/dev/urandom": "open('/dev/urandom', 'rb').read(8)",
    "time": "time.time()",
    "time_ns": "time.time_ns()",
    "now": "datetime.datetime.now()",
    "process_time": "time.process_time_ns()",
    "getpid": "(os.getpid(), os.getppid(), threading.get_native_id())",
}
PYTHON_ELAPSED = {"monotonic": "time.monotonic_ns()", "perf_counter": "time.perf_counter_ns()"}
PYTHON_UNSEEDED = {
    "id": "id(object())",
    "hash": "hash('abc')",
    "set": "list({'a', 'b', 'c', str})",
    "node": "os.uname()[1]",
}


def write_python(folder, draws):
    prints = "".join(f"print('{name}:', {code})\n" for name, code in draws.items())
    modules = "datetime, os, random, secrets, threading, time, uuid"
    (folder / "p.py").write_text(f"import {modules}\n{prints}".replace("'/dev/urandom:'", '"/dev/urandom:"'))
    return Program(("/usr/bin/python3", str(folder / "p.py")), folder)


JAVA_DRAWS = {
    "currentTimeMillis": "System.currentTimeMillis()",
    "Instant": "java.time.Instant.now()",
    "SecureRandom": "new java.security.SecureRandom().nextLong()",
    "strong SecureRandom": 'java.security.SecureRandom.getInstance("NativePRNGBlocking").nextLong()',
    "UUID": "java.util.UUID.randomUUID()",
    "pid": "ProcessHandle.current().pid()",
}
JAVA_ELAPSED = {
    "nanoTime": "System.nanoTime()",
    "Random": 'new java.util.Random().nextLong() + " " + new java.util.Random().nextInt()',
    "Math.random": "Math.random()",
    "ThreadLocalRandom": "java.util.concurrent.ThreadLocalRandom.current().nextLong()",
    "shuffle": "shuffled()",
    "Set.of": 'java.util.Set.of("a", "b", "c", "d", "e", "f", "g", "h")',
}
JAVA_UNSEEDED = {"identity": "new Object().hashCode()", "hash": '"abc".hashCode()'}
JAVA_FLAGS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-UsePerfData")


def build_java(folder, draws):
    prints = "".join(f'System.out.println("{name}: " + ({code}));\n' for name, code in draws.items())
    (folder / "P.java").write_text(
        "public class P {\nstatic Object shuffled() { var l = new java.util.ArrayList<>(java.util.List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));"
        f" java.util.Collections.shuffle(l); return l; }}\npublic static void main(String[] a) throws Exception {{\n{prints}}} }}\n"
    )
    subprocess.run(["javac", "-d", folder, folder / "P.java"], check=True, timeout=60)
    return Program(("/usr/bin/java", *JAVA_FLAGS, "-cp", str(folder), "P"), folder, has_runtime_threads=True)


CSHARP_DRAWS = {
    "Now": "DateTime.Now.Ticks",
    "UtcNow": "DateTimeOffset.UtcNow.UtcTicks",
    "Guid": "Guid.NewGuid()",
    "RNG": "Rng()",
    "pid": "System.Diagnostics.Process.GetCurrentProcess().Id",
}
CSHARP_ELAPSED = {
    "TickCount": "Environment.TickCount",
    "Random": "new Random().Next()",
    "Stopwatch": "System.Diagnostics.Stopwatch.GetTimestamp()",
}
CSHARP_UNSEEDED = {
    "identity": "new object().GetHashCode()",
    "hash": '"abc".GetHashCode()',
    "name": "Environment.MachineName",
}


def build_csharp(folder, draws):
    prints = "".join(f'Console.WriteLine("{name}: " + ({code}));\n' for name, code in draws.items())
    text = (
        "class P { static int Rng() { var b = new byte[4];"
        " System.Security.Cryptography.RandomNumberGenerator.Create().GetBytes(b); return BitConverter.ToInt32(b, 0); }\n"
        f"static void Main() {{\n{prints}}} }}\n"
    )
    return built.build_csharp(folder, text)


#: By language: a function that builds and returns a program; then the program's draws, those of them from
#: elapsed time, and those that are the same with every seed.
LANGUAGES = {
    "C++": (build_cpp, CPP_DRAWS, CPP_ELAPSED, CPP_UNSEEDED),
    "Python": (write_python, PYTHON_DRAWS, PYTHON_ELAPSED, PYTHON_UNSEEDED),
    "Java": (build_java, JAVA_DRAWS, JAVA_ELAPSED, JAVA_UNSEEDED),
    "C#": (build_csharp, CSHARP_DRAWS, CSHARP_ELAPSED, CSHARP_UNSEEDED),
}


@pytest.mark.parametrize(
    "driver", [pytest.param(driver, marks=[pytest.mark.slow] if driver != "Landlock" else []) for driver in DRIVERS]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_program_draws_the_same_with_the_same_seed(reachable, language, driver):
    build, draws, elapsed, unseeded = LANGUAGES[language]
    seeded = draws if driver in EXPECTING else draws | elapsed
    program = build(reachable, seeded | unseeded)
    first, other_seed, same_seed = outputs_of_sessions(driver, program, [17, 18, 17])
    (same_seed_later,) = outputs_of_sessions(driver, program, [17])
    assert differing_sources(first, same_seed) == set()
    assert differing_sources(first, same_seed_later) == set()
    assert differing_sources(first, other_seed) >= set(seeded)


def test_an_environment_reserves_its_disk_space_at_once(tmp_path):
    """On a full disk, a process that touches a hole in a file ends by SIGBUS, whether pitboss or a program."""
    environment = SeededEnvironment(str(tmp_path))
    environment.close()
    assert (tmp_path / "0").stat().st_blocks > 0
