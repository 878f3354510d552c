"""Programs that are started once and copied: which can be, and that no session tells, harms or outlives what it is of."""

import os
import subprocess
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.harness.running.copying import may_be_copied
from pitboss.harness.running.programs import Program
from pitboss.harness.running.watching import bubblewrap, server
from pitboss.harness.transcripts.transcript import Ending, EndingKind, exited
from tests.drivers import SANDBOXES, held, texts

HEAD = """
#define _GNU_SOURCE
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
"""


def program_of(path):
    return Program((str(path),), path.parent)


# Which programs

PLAIN = "int main(void) { return 0; }"
RUNS_EARLY = (
    'static void early(void) {}\n__attribute__((section(".preinit_array"), used)) static void (*it)(void) = early;\n'
)
CHOOSES = 'static int one(void) { return 1; }\nstatic void *pick(void) { return one; }\nint f(void) __attribute__((ifunc("pick")));\n'


@pytest.mark.parametrize(
    ("text", "flags", "may_be"),
    [
        (PLAIN, (), True),
        (PLAIN, ("-no-pie",), True),
        (PLAIN, ("-lm", "-Wl,-z,now"), True),
        ("#include <pthread.h>\n" + PLAIN, ("-pthread",), True),
        (PLAIN, ("-static",), False),
        (PLAIN, ("-Wl,-rpath,$ORIGIN",), False),
        (PLAIN, ("-Wl,--disable-new-dtags,-rpath,.",), False),
        (PLAIN, ("-Wl,--dynamic-linker=/lib/ld-other.so",), False),
        (RUNS_EARLY + PLAIN, (), False),
        (CHOOSES + "int main(void) { return f(); }", (), False),
        (CHOOSES + "int main(void) { return f(); }", ("-rdynamic", "-fPIC"), False),
    ],
)
def test_a_program_is_copied_if_nothing_of_it_runs_before_our_library(compiled, text, flags, may_be):
    assert may_be_copied(program_of(compiled(text, *flags))) is may_be


def test_what_is_no_program_of_ones_own_is_not_copied(compiled, reachable):
    script = reachable / "script"
    script.write_text("#!/bin/sh\necho hello\n")
    setuid = compiled(PLAIN)
    setuid.chmod(0o4755)
    assert not may_be_copied(program_of(script))
    assert not may_be_copied(program_of(setuid))
    assert not may_be_copied(program_of(reachable))
    assert not may_be_copied(program_of(reachable / "none"))
    assert not may_be_copied(Program(("/usr/bin/true",), reachable))


@pytest.fixture(scope="module")
def binary(tmp_path_factory):
    folder = tmp_path_factory.mktemp("binary")
    (folder / "a.c").write_text(PLAIN)
    subprocess.run(["cc", "-o", folder / "a", folder / "a.c"], check=True, timeout=60)
    return folder / "a"


@given(data=st.data())
def test_no_file_however_broken_is_more_than_no_program_to_copy(binary, data):
    content = bytearray(binary.read_bytes())
    for place in data.draw(st.lists(st.integers(0, 0x400), max_size=8)):
        content[place] = data.draw(st.integers(0, 255))
    broken = binary.with_name("broken")
    broken.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    assert may_be_copied(program_of(broken)) in (True, False)


# How often: of each launcher, and several sessions at once may have several launchers.


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_the_first_session_and_each_fiftieth_after_it_are_started_and_all_others_copied(compiled, copied, sandbox):
    path = compiled(f'{HEAD}int main(void) {{ puts("hello"); return 0; }}')
    assert set(texts(held(program_of(path), range(102), sandbox=sandbox, at_once=1))) == {"hello\n"}
    assert len(copied) == 99
    assert len(set(copied)) == 99


def test_with_start_exec_none_is_copied(compiled, copied):
    path = compiled(f'{HEAD}int main(void) {{ puts("hello"); return 0; }}')
    assert set(texts(held(program_of(path), range(20), start="exec"))) == {"hello\n"}
    assert copied == []


def test_after_so_many_copies_the_program_is_started_again(compiled, copied, monkeypatch):
    monkeypatch.setattr(server, "_MOST_COPIES", 3)
    path = compiled(f'{HEAD}int main(void) {{ puts("hello"); return 0; }}')
    assert set(texts(held(program_of(path), range(20), at_once=1))) == {"hello\n"}
    assert len(copied) == 19


# What a session can tell

SEES = """
static void each(const char *name, unsigned long value) { printf("%s %lx\\n", name, value); }
static void rubbish(void)
{
    volatile unsigned long many[2048];
    unsigned long sum = 0;
    for (int i = 0; i < 2048; i++) sum = sum * 31 + many[i];
    each("rubbish", sum);
}
static void descriptors(void)
{
    for (int i = 0; i < 300; i++) {
        struct stat found;
        if (!fstat(i, &found))
            printf("open %d %o flags %x %x\\n", i, found.st_mode, fcntl(i, F_GETFL), fcntl(i, F_GETFD));
    }
}
static void signals(void)
{
    sigset_t set;
    sigprocmask(SIG_SETMASK, NULL, &set);
    for (int i = 1; i < 65; i++) {
        struct sigaction action;
        if (!sigaction(i, NULL, &action)) printf("%p%d ", action.sa_handler, sigismember(&set, i));
    }
    sigpending(&set);
    each("pending", *(unsigned long *)&set);
}
static void limits(void)
{
    for (int i = 0; i < RLIM_NLIMITS; i++) {
        struct rlimit limit;
        getrlimit(i, &limit);
        if (i != RLIMIT_LOCKS) printf("limit %d %lx %lx\\n", i, limit.rlim_cur, limit.rlim_max);
    }
}
static void *thread(void *of) { printf("thread %d\\n", pthread_equal(*(pthread_t *)of, pthread_self())); return NULL; }
static void at_exit(void) { puts("at exit"); }
int main(int count, char **words)
{
    rubbish();
    unsigned long guard, hidden, *random = (unsigned long *)getauxval(AT_RANDOM), number;
    __asm__("mov %%fs:0x28, %0" : "=r"(guard));
    __asm__("mov %%fs:0x30, %0" : "=r"(hidden));
    each("guard", guard); each("hidden", hidden); each("random", random[0]); each("random", random[1]);
    syscall(SYS_getrandom, &number, sizeof number, 0); each("kernel's", number);
    getrandom(&number, sizeof number, 0); each("library's", number);
    long *freed = malloc(64); free(freed); each("heap", freed[0]); each("heap", freed[1]); each("heap", (long)freed);
    printf("%d %s\\n", count, words[0] ? "named" : "");
    for (char **one = environ; *one; one++) if (strncmp(*one, "HOME", 4) && strncmp(*one, "TMPDIR", 6) && strncmp(*one, "LD_PRE", 6) && strncmp(*one, "PITBOSS", 7)) puts(*one);
    printf("leader %d group %d first %d\\n", getsid(0) == getpid(), getpgrp() == getpid(), gettid() == getpid());
    printf("really %d\\n", (int)(syscall(SYS_gettid) == syscall(SYS_getpid)));
    pthread_t self = pthread_self(), other; pthread_create(&other, NULL, thread, &self); pthread_join(other, NULL);
    pthread_mutex_t lock; pthread_mutexattr_t kind; pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_init(&lock, &kind);
    printf("lock %d %d %d\\n", pthread_mutex_lock(&lock), pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock));
    void *head; size_t size; syscall(SYS_get_robust_list, 0, &head, &size); printf("locks %p %zu\\n", head, size);
    int *id = NULL; prctl(40, &id); printf("id %p %d\\n", (void *)id, *id == (int)syscall(SYS_gettid));
    struct itimerval timer; getitimer(ITIMER_REAL, &timer); each("timer", timer.it_value.tv_sec);
    printf("dumpable %d nice %d policy %d\\n", prctl(PR_GET_DUMPABLE), getpriority(PRIO_PROCESS, 0), sched_getscheduler(0));
    int status; int child = fork(); if (!child) _exit(5); printf("child %d %d\\n", waitpid(child, &status, 0) == child, WEXITSTATUS(status));
    printf("no other %d %d\\n", waitpid(-1, NULL, 0), errno == ECHILD);
    fflush(stdout); system("echo from a shell");
    printf("time %ld cpu %ld\\n", (long)time(NULL), (long)clock());
    printf("umask %o\\n", umask(0)); char *here = getcwd(NULL, 0); struct stat found; stat(here, &found); printf("folder %o\\n", found.st_mode);
    descriptors(); signals(); limits(); atexit(at_exit);
    return 0;
}
"""


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_copy_sees_what_a_program_sees_that_is_started(compiled, copied, sandbox):
    path = compiled(HEAD + SEES, "-pthread", "-fstack-protector-all")
    by_exec = texts(held(program_of(path), range(40), start="exec", sandbox=sandbox))
    by_fork = texts(held(program_of(path), range(40), sandbox=sandbox))
    assert len(copied) > 30  # the first on each launcher is started, and there may be more than one
    assert len(set(by_exec)) == 40
    for one, other in zip(by_exec, by_fork, strict=True):
        assert one.splitlines() == other.splitlines()


@pytest.mark.needs("C++")
def test_a_program_in_c_plus_plus_is_the_same(reachable, copied):
    source = reachable / "it.cc"
    source.write_text(
        "#include <iostream>\n#include <random>\n#include <string>\n#include <map>\n"
        'struct Early { Early() { std::cout << "before main\\n"; } ~Early() { std::cout << "after main\\n"; } } early;\n'
        "int main() { std::random_device draws; std::string line; std::map<std::string, int> seen;\n"
        'while (std::cout << "? " && std::getline(std::cin, line)) seen[line]++;\n'
        'for (auto &one : seen) std::cout << one.first << one.second << " " << draws() << std::endl;\n'
        'try { throw std::string("caught"); } catch (std::string &what) { std::cout << what << std::endl; } }'
    )
    subprocess.run(["g++", "-o", reachable / "it", source], check=True, timeout=60)
    by_exec = texts(held(program_of(reachable / "it"), range(5), start="exec", lines=(b"a", b"b", b"a")))
    assert len(set(by_exec)) == 5
    assert texts(held(program_of(reachable / "it"), range(5), lines=(b"a", b"b", b"a"), at_once=1)) == by_exec
    assert len(copied) == 4


# What a session can do

OTHERS = """
static void to_others(int signal)
{
    DIR *folder = opendir("/proc");
    char self[16] = "";
    readlink("/proc/self", self, 15);
    for (struct dirent *one; (one = readdir(folder));) {
        int pid = atoi(one->d_name);
        if (pid > 1 && pid != atoi(self)) kill(pid, signal);
    }
}
"""
HARM = {
    "kills all": "kill(-1, SIGKILL);",
    "kills each": "to_others(SIGKILL);",
    "stops each": "to_others(SIGSTOP);",
    "stops all": "kill(-1, SIGSTOP);",
    "interrupts all": "kill(-1, SIGTERM);",
    "leaves a file": 'close(creat("left", 0600));',
    "closes its folder": 'chmod(".", 0);',
    "leaves a folder": 'mkdir("left", 0700); mkdir("left/below", 0);',
    "changes itself": 'setpriority(PRIO_PROCESS, 0, 5); umask(077); signal(SIGTERM, SIG_IGN); setenv("A", "1", 1);',
    "lowers its limits": "struct rlimit l = {3, 3}; setrlimit(RLIMIT_NOFILE, &l); setrlimit(RLIMIT_CPU, &l);",
    "sets a timer": "alarm(1);",
    "leaves a child": "if (!fork()) { setsid(); for (;;) pause(); }",
    "makes a sister": "syscall(SYS_clone, 0x8000 | SIGCHLD, 0, 0, 0, 0);",
    "says that it is a copy": "syscall(1000003, 1, 7); syscall(1000003, 0, 7); syscall(1000003, 2, 7);",
    "closes what it has": "for (int i = 0; i < 300; i++) close(i);",
    "aborts": "abort();",
    "crashes": "*(volatile int *)0 = 1;",
    "execs another": 'execl("/bin/true", "true", NULL);',
}
#: What every session shows before it does harm: that nothing is left of the one before it.
UNTOUCHED = """
static void untouched(void)
{
    DIR *folder = opendir("."); int count = 0; struct stat found; struct rlimit files; struct sigaction action;
    while (readdir(folder)) count++;
    stat(".", &found); getrlimit(RLIMIT_NOFILE, &files); sigaction(SIGTERM, NULL, &action);
    printf("%d %o %ld %d %o %d %d\\n", count, found.st_mode, (long)files.rlim_cur, getpriority(PRIO_PROCESS, 0), umask(022), action.sa_handler == SIG_IGN, getenv("A") != NULL);
    fflush(stdout);
}
"""


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("harm", HARM)
def test_what_a_session_does_is_nothing_to_the_next(compiled, copied, harm, sandbox, left_running):
    if sandbox == "none" and (" each" in harm or " all" in harm):
        return  # it would be done to the machine
    path = compiled(f"{HEAD}{OTHERS}{UNTOUCHED}int main(void) {{ untouched(); {HARM[harm]} return 0; }}")
    by_exec = held(program_of(path), range(12), start="exec", sandbox=sandbox)
    by_fork = held(program_of(path), range(12), sandbox=sandbox)
    assert [one.text for one in by_fork] == [one.text for one in by_exec]
    assert [one.ending for one in by_fork] == [one.ending for one in by_exec]
    assert len({one.text for one in by_fork}) == 1
    assert left_running(path.name) == []


def test_a_program_that_only_signals_itself_is_copied_each_time(compiled, copied):
    path = compiled(f"{HEAD}int main(void) {{ kill(getpid(), 0); sched_yield(); raise(SIGUSR1); return 0; }}")
    endings = {transcript.ending for transcript in held(program_of(path), range(40), at_once=1)}
    assert endings == {Ending(EndingKind.SIGNALLED, signal="SIGUSR1")}
    assert len(copied) == 39


def test_processor_time_and_memory_are_counted_for_each_session_alone(compiled, copied):
    work = "struct timespec t; do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); while (0);"
    body = f"{work} volatile char *m = malloc(90 << 20); memset((void *)m, 1, 90 << 20);"
    loop = (
        "struct rusage u; do { getrusage(RUSAGE_SELF, &u); } while (u.ru_utime.tv_usec + u.ru_stime.tv_usec < 600000);"
    )
    path = compiled(f'{HEAD}int main(void) {{ {body} {loop} puts("done"); return 0; }}')
    assert texts(held(program_of(path), range(4), at_once=1)) == ["done\n"] * 4
    assert len(copied) == 3


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("for (;;);", EndingKind.OUT_OF_CPU_TIME),
        ("for (;;) memset(malloc(1 << 16), 1, 1 << 16);", EndingKind.OVER_MEMORY),
        ("for (;;) fork();", EndingKind.OVER_PROCESSES),
        ("pause();", EndingKind.OUT_OF_IDLE_TIME),
    ],
)
def test_limits_hold_for_copies(compiled, copied, body, kind, left_running):
    path = compiled(f"{HEAD}int main(void) {{ {body} }}")
    assert {transcript.ending.kind for transcript in held(program_of(path), range(2), at_once=1)} == {kind}
    assert len(copied) == 1
    assert left_running(path.name) == []


# What fails


def test_a_program_without_its_library_ends_as_it_does_when_it_is_started(reachable, copied):
    (reachable / "lib.c").write_text("int f(void) { return 0; }")
    (reachable / "it.c").write_text("int f(void); int main(void) { return f(); }")
    subprocess.run(["cc", "-shared", "-o", reachable / "libit.so", reachable / "lib.c"], check=True, timeout=60)
    subprocess.run(["cc", "-o", reachable / "it", reachable / "it.c", f"-L{reachable}", "-lit"], check=True, timeout=60)
    by_exec = held(program_of(reachable / "it"), range(3), start="exec")
    assert held(program_of(reachable / "it"), range(3)) == by_exec
    assert by_exec[0].ending == exited(127)
    assert copied == []


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_nothing_is_left_open_or_running(compiled, sandbox, left_running):
    path = compiled(f'{HEAD}int main(void) {{ puts("hello"); return 0; }}')
    held(program_of(path), range(3), sandbox=sandbox)
    bubblewrap.reap(waits=True)
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(5):
        held(program_of(path), range(8), sandbox=sandbox)
    bubblewrap.reap(waits=True)
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before
    assert left_running(path.name) == []
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("patience_s", [0, 0.001, 0.002, 0.003])
def test_a_session_that_waits_too_long_for_its_copy_is_started(
    compiled, monkeypatch, sandbox, patience_s, left_running
):
    """At whatever moment that is."""
    monkeypatch.setattr(server, "_PATIENCE_S", patience_s)
    path = compiled(f'{HEAD}int main(void) {{ char a[9]; fgets(a, 9, stdin); printf("hello %s", a); return 0; }}')
    for _ in range(5):
        told = held(program_of(path), range(4), sandbox=sandbox, lines=(b"ada",))
        assert [transcript.text for transcript in told] == [b"hello ada\n"] * 4
    assert left_running(path.name) == []
