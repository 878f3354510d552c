import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import EndingKind, Shown, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.submissions.confined_commands import run_confined

NONE, LANDLOCK, BUBBLEWRAP = (Sandbox(level) for level in (Level.NONE, Level.LANDLOCK, Level.BUBBLEWRAP))
SANDBOXES = pytest.mark.parametrize("sandbox", [NONE, LANDLOCK, BUBBLEWRAP], ids=lambda sandbox: sandbox.level.value)
DRIVERS = pytest.mark.parametrize("driver", [TracingDriver, ExpectingDriver], ids=["watched", "expecting"])

HEAD = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
"""
#: Starts siblings of itself (children of the process that started it) that never end.
SIBLINGS = """
int main(void)
{
    for (int i = 0; i < 3; i++) {
        long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
        if (child == 0) {
            for (;;) pause();
        }
        if (child > 0) puts("ESCAPED");
    }
    long arguments[11] = {CLONE_PARENT};
    if (syscall(SYS_clone3, arguments, sizeof arguments) == 0) for (;;) pause();
    puts("done");
    return 0;
}
"""


def run_session(driver, path, sandbox, **other_limits):
    limits = Limits(**{"cpu_s": 2, "idle_s": 2, "processes": 16, **other_limits})
    with driver(Program((str(path),), path.parent), limits, sandbox) as sessions:
        ((_, transcript),) = sessions.sessions([Script(script_of_lines(()), ())])
    return transcript


def assert_no_sibling_starts(compiled, left_running, driver, sandbox):
    program = compiled(HEAD + SIBLINGS)
    output = run_session(driver, program, sandbox)
    assert (output.text, output.ending) == (b"done\n", exited())
    assert left_running(program.name) == []


@SANDBOXES
def test_a_program_cannot_start_siblings_of_itself(compiled, left_running, sandbox):
    assert_no_sibling_starts(compiled, left_running, TracingDriver, sandbox)


@pytest.mark.parametrize("sandbox", [LANDLOCK, BUBBLEWRAP], ids=lambda sandbox: sandbox.level.value)
def test_a_program_cannot_start_siblings_under_the_expecting_driver(compiled, left_running, sandbox):
    """Without a sandbox no filter refuses siblings, but the subreaper adopts and ends them."""
    assert_no_sibling_starts(compiled, left_running, ExpectingDriver, sandbox)


def test_a_build_cannot_start_siblings_of_itself(compiled, left_running):
    program = compiled(HEAD + SIBLINGS)
    assert run_confined([str(program)], program.parent, LANDLOCK).output == "done\n"
    assert left_running(program.name) == []


#: Asks the kernel in several ways to signal the process that started it when data arrives at a socket.
SIGNALS = """
int main(void)
{
    int pair[2], owner = getppid(), on = 1;
    struct f_owner_ex other = {F_OWNER_PID, getppid()};
    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    if (fcntl(pair[0], F_SETOWN, owner) == 0) puts("ESCAPED by F_SETOWN");
    if (fcntl(pair[0], F_SETOWN_EX, &other) == 0) puts("ESCAPED by F_SETOWN_EX");
    if (fcntl(pair[0], F_SETSIG, SIGKILL) == 0) puts("ESCAPED by F_SETSIG");
    if (ioctl(pair[0], FIOSETOWN, &owner) == 0) puts("ESCAPED by FIOSETOWN");
    if (ioctl(pair[0], SIOCSPGRP, &owner) == 0) puts("ESCAPED by SIOCSPGRP");
    if (ioctl(pair[0], FIOASYNC, &on) == 0) puts("ESCAPED by FIOASYNC");
    fcntl(pair[0], F_SETFL, O_ASYNC);
    write(pair[1], "x", 1);
    puts("done");
    return 0;
}
"""


@pytest.mark.parametrize("sandbox", [LANDLOCK, BUBBLEWRAP], ids=lambda sandbox: sandbox.level.value)
@DRIVERS
def test_a_program_cannot_make_the_kernel_signal_its_parent(compiled, driver, sandbox):
    assert run_session(driver, compiled(HEAD + SIGNALS), sandbox).text == b"done\n"


def test_a_program_cannot_lease_a_file(compiled):
    """A process that opens a leased file waits for up to lease-break-time, 45 s; see fcntl(2)."""
    leases = 'int main(void) { int f = open("f", O_RDWR | O_CREAT, 0600); puts(fcntl(f, F_SETLEASE, F_WRLCK) ? "refused" : "ESCAPED"); }'
    assert run_session(TracingDriver, compiled(HEAD + leases), LANDLOCK).text == b"refused\n"


#: Starts more processes than it may have, one after the other, and does not reap them: each becomes a zombie.
ZOMBIES = """
int main(void)
{
    for (int i = 0; i < 24; i++) {
        siginfo_t ended;
        int child = fork();
        if (child == 0) _exit(0);
        waitid(P_PID, child, &ended, WEXITED | WNOWAIT);
    }
    for (volatile long i = 0; i < 100000000; i++);
    system("true");
    puts("done");
    return 0;
}
"""


@SANDBOXES
@DRIVERS
def test_ended_children_are_not_counted_as_running(compiled, driver, sandbox):
    output = run_session(driver, compiled(HEAD + ZOMBIES), sandbox)
    assert (output.events, output.ending) == ((Shown(b"done\n"),), exited())


@SANDBOXES
@DRIVERS
def test_ended_orphans_are_not_counted_as_running(compiled, driver, sandbox):
    """Each child ends without reaping its own child, which the program then cannot reap either."""
    orphans = 'int main(void) { for (int i = 0; i < 24; i++) { int c = fork(); if (c == 0) { if (fork() == 0) _exit(0); _exit(0); } waitpid(c, 0, 0); } puts("done"); return 0; }'
    output = run_session(driver, compiled(HEAD + orphans), sandbox)
    assert (output.events, output.ending) == ((Shown(b"done\n"),), exited())


#: The kernel allows the program 128 tasks; it starts 120 that end at once, and reaps none.
MANY_ZOMBIES = "int main(void) { for (int i = 0; i < 120; i++) if (fork() == 0) _exit(0); for (;;); }"


@SANDBOXES
def test_a_program_is_stopped_before_ended_children_fill_the_kernel_limit(compiled, sandbox):
    assert run_session(TracingDriver, compiled(HEAD + MANY_ZOMBIES), sandbox).ending.kind is EndingKind.OVER_PROCESSES


@SANDBOXES
def test_an_endless_program_with_a_child_runs_out_of_cpu_time(compiled, left_running, sandbox):
    program = compiled(HEAD + "int main(void) { if (fork() == 0) for (;;) pause(); for (;;); }")
    assert run_session(TracingDriver, program, sandbox, cpu_s=1).ending.kind is EndingKind.OUT_OF_CPU_TIME
    assert left_running(program.name) == []


@SANDBOXES
@DRIVERS
def test_running_children_are_counted(compiled, left_running, driver, sandbox):
    living = "int main(void) { for (int i = 0; i < 24; i++) if (fork() == 0) for (;;) pause(); for (;;); }"
    program = compiled(HEAD + living)
    assert run_session(driver, program, sandbox).ending.kind is EndingKind.OVER_PROCESSES
    assert left_running(program.name) == []
