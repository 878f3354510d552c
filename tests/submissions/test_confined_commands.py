import os
import re
import signal
import subprocess
import sys
import time

import msgspec
import pytest

from pitboss.errors import SessionError, ShortageError
from pitboss.machine import scratch, shortages
from pitboss.model.invocation import Script, script_of_lines
from pitboss.sandbox import sandbox as sandbox_of_machine
from pitboss.sandbox import subprocesses
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing import watchdog
from pitboss.submissions import confined_commands
from pitboss.submissions.confined_commands import run_confined

SANDBOXES = [pytest.param(Sandbox(level), id=level.value) for level in (Level.LANDLOCK, Level.BUBBLEWRAP)]
#: Only Landlock is tested in the quick tests: bubblewrap kills its processes itself, and without a sandbox pitboss
#: kills them just as it does with Landlock.
ALL_LEVELS = [
    SANDBOXES[0],
    pytest.param(Sandbox(Level.BUBBLEWRAP), id="bubblewrap", marks=pytest.mark.slow),
    pytest.param(Sandbox(Level.NONE), id="none", marks=pytest.mark.slow),
]


@pytest.fixture(params=[pytest.param("as a user of its own", marks=pytest.mark.slow), "as we are"])
def command_user(request, monkeypatch):
    """Runs a test twice: with commands as a user of their own, and as ours, as where pitboss cannot switch users."""
    if request.param == "as we are":
        monkeypatch.setattr(subprocesses, "may_become_others", lambda: False)
        monkeypatch.setattr(subprocesses, "can_switch_users_inside", lambda: False)


def matching_pids(text):
    """The ids of the other live processes of this machine whose command line contains this text."""
    return [
        name
        for name in os.listdir("/proc")
        if name.isdigit() and int(name) != os.getpid() and _is_running_with(name, text)
    ]


def _is_running_with(pid, text):
    try:
        with open(f"/proc/{pid}/cmdline") as line, open(f"/proc/{pid}/stat") as stat:
            return text in line.read() and stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


INCLUDES = """
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
"""

#: A program that makes each forbidden system call and prints its name if it is not refused. clone3 reads its flags from
#: memory (struct clone_args), where a filter of system calls cannot see them.
ESCAPES = """
static void tries(const char *name, long result)
{
    if (result >= 0 || (errno != EPERM && errno != ENOSYS && errno != EACCES)) printf("%s: %ld\\n", name, result);
}
int main(void)
{
    unsigned long arguments[11] = {CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
    long pid = syscall(SYS_clone3, arguments, sizeof arguments);
    if (pid == 0) _exit(0);
    tries("clone3 with a namespace", pid);
    pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) _exit(0);
    tries("clone with a namespace", pid);
    tries("unshare", unshare(CLONE_NEWUSER));
    static char parameters[120];
    tries("io_uring_setup", syscall(SYS_io_uring_setup, 4, parameters));
    tries("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC | 1));
    tries("ptrace", ptrace(PTRACE_TRACEME, 0, 0, 0));
    tries("a socket of the internet", socket(AF_INET, SOCK_STREAM, 0));
    tries("a socket of this machine", socket(AF_UNIX, SOCK_STREAM, 0));
    tries("a netlink socket", socket(AF_NETLINK, SOCK_RAW, 0));
    tries("keyctl", syscall(SYS_keyctl, 0, -3, 1));
    tries("bpf", syscall(SYS_bpf, 0, parameters, sizeof parameters));
    tries("perf_event_open", syscall(SYS_perf_event_open, parameters, 0, -1, -1, 0));
    tries("shmget", syscall(SYS_shmget, 4711, 4096, 01600));
    tries("another process' limits", prlimit(getppid(), RLIMIT_NOFILE, 0, 0));
    puts("tried");
}
"""


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.usefixtures("command_user")
def test_a_build_is_denied_the_same_system_calls_as_a_program(compiled, sandbox):
    path = compiled(INCLUDES + ESCAPES)
    assert run_confined([str(path)], path.parent, sandbox).output == "tried\n"


#: C code that starts processes without end, but stops at 3000 so that a failing test does little harm.
FLOODS = {
    "of forks": "for (;;) { if (more()) fork(); else pause(); }",
    "of sessions": "for (;;) { if (more()) { if (fork() == 0) setsid(); } else pause(); }",
}
#: C code that leaves a process behind when the command has ended.
LEFTOVERS = {
    "in a session of its own": "if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); }",
    "without its environment": 'if (fork() == 0) { char *none[] = {0}; execle("/proc/self/exe", argv[0], "stay", 0, none); }',
    "unreadable": "if (fork() == 0) { prctl(PR_SET_DUMPABLE, 0); setsid(); for (;;) pause(); }",
    "with every signal blocked": "if (fork() == 0) { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); for (;;) pause(); }",
    "stopped": "if (fork() == 0) { setsid(); for (;;) raise(SIGSTOP); }",
    "as a thread without a leader": "if (fork() == 0) { pthread_t t; pthread_create(&t, 0, waits, 0); pthread_exit(0); }",
    "waiting for a child by vfork": "if (fork() == 0) { if (vfork() == 0) for (;;) pause(); }",
    "with another parent all the time": "for (int i = 0; i < 4; i++) if (fork() == 0) while (more()) { if (fork() > 0) _exit(0); setsid(); }",
}
#: The C program around such code; `more()` is true for its first 3000 calls.
MAIN_TEMPLATE = """
#include <sys/mman.h>
#include <sys/prctl.h>
static int *count;
static int more(void) { return __sync_fetch_and_add(count, 1) < 3000; }
static void *waits(void *nothing) { for (;;) pause(); }
int main(int argc, char **argv)
{
    count = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    signal(SIGCHLD, SIG_IGN);
    if (argc > 1) for (;;) pause();
    %s
    usleep(20000);
    return 0;
}
"""


@pytest.mark.parametrize("sandbox", ALL_LEVELS)
@pytest.mark.parametrize("leftover", LEFTOVERS)
@pytest.mark.usefixtures("command_user")
def test_no_process_of_a_build_outlives_it(compiled, leftover, sandbox):
    path = compiled(INCLUDES + MAIN_TEMPLATE % LEFTOVERS[leftover], "-pthread")
    outcome = run_confined([str(path)], path.parent, sandbox)
    assert (outcome.exit_code, outcome.why_stopped) == (0, "")
    assert matching_pids(str(path)) == []


@pytest.mark.parametrize("sandbox", ALL_LEVELS)
def test_the_processes_of_a_command_use_no_more_memory_together_than_they_may(reachable, monkeypatch, sandbox):
    monkeypatch.setattr(confined_commands, "_MEMORY_MB", 64)
    take = "(yes | tr -d '\\n' | head -c 40000000; sleep 9) | tail > /dev/null &"  # it keeps the last line, all of it
    outcome = run_confined(["sh", "-c", f"{take} {take} wait"], reachable, sandbox)
    assert outcome.why_stopped == "it used more than 2048 MB of memory"


TOO_MANY = "it had more than 256 processes at once"


@pytest.mark.parametrize("sandbox", ALL_LEVELS)
@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.usefixtures("command_user")
def test_a_process_flood_is_stopped_and_leaves_no_process(compiled, flood, sandbox):
    path = compiled(INCLUDES + MAIN_TEMPLATE % FLOODS[flood])
    assert run_confined([str(path)], path.parent, sandbox).why_stopped == TOO_MANY
    assert matching_pids(str(path)) == []


@pytest.mark.usefixtures("command_user")
def test_a_makefile_that_calls_itself_is_stopped_and_leaves_no_process(reachable):
    makefile = reachable / "Makefile"
    makefile.write_text("all:\n\t$(MAKE) -f $(CURDIR)/Makefile\n")
    assert run_confined(["make", "-f", str(makefile)], reachable, Sandbox(Level.LANDLOCK)).why_stopped == TOO_MANY
    assert matching_pids(str(makefile)) == []


@pytest.mark.parametrize("sandbox", ALL_LEVELS)
@pytest.mark.parametrize("leftover", ["with every signal blocked", "stopped", "waiting for a child by vfork"])
def test_a_build_that_never_ends_is_stopped_at_the_time_limit(compiled, monkeypatch, leftover, sandbox):
    monkeypatch.setattr(confined_commands, "_WALL_S", 0.3)
    path = compiled(INCLUDES + MAIN_TEMPLATE % LEFTOVERS[leftover].replace("if (fork() == 0)", ""))
    assert run_confined([str(path)], path.parent, sandbox).why_stopped == "it took longer than 0.3 s"
    assert matching_pids(str(path)) == []


def test_a_build_ends_when_the_process_that_started_it_is_killed(compiled):
    path = compiled(f'{INCLUDES}int main(void) {{ fclose(fopen("began", "w")); for (;;) pause(); }}')
    code = (
        "from pathlib import Path; from pitboss.submissions.confined_commands import run_confined; from pitboss.sandbox.sandbox import *;"
        f"run_confined([{str(path)!r}], Path({str(path.parent)!r}), Sandbox(Level.LANDLOCK))"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as starter:
        while not (path.parent / "began").exists():
            assert starter.poll() is None
        starter.send_signal(signal.SIGKILL)
    latest = time.monotonic() + 300
    while matching_pids(str(path)) and time.monotonic() < latest:
        pass
    assert matching_pids(str(path)) == []


#: Run by an ordinary user: starts as many threads as this user's limit allows, and then a build that needs a process.
BUILD_BESIDE_A_FLOOD = """
import sys, threading
from pathlib import Path
from pitboss.submissions.confined_commands import run_confined
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox import limits

most, done = limits.max_tasks_of_our_user(), threading.Event()
threading.stack_size(1 << 16)
flood = [threading.Thread(target=done.wait) for _ in range(most)]
for thread in flood:
    thread.start()
print(run_confined(["sh", "-c", "true; echo built"], Path(sys.argv[1]), Sandbox(Level.BUBBLEWRAP)))
done.set()
"""


@pytest.mark.needs("bubblewrap")
def test_a_build_in_bubblewrap_is_unaffected_by_a_flood_of_the_same_user(command_as, reachable):
    reachable.chmod(0o777)
    argv, environment = command_as("ordinary user")
    argv = [*argv[: argv.index("-m")], "-c", BUILD_BESIDE_A_FLOOD, reachable]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stderr, done.stdout) == (
        "",
        "CommandOutcome(exit_code=0, output='built\\n', why_stopped='', speaks_of_shortage=False, shortage_clause='')\n",
    )


#: A limit on open files that is too low to set up any sandbox.
TOO_FEW_FILES = 4
#: The error at this limit; bubblewrap may fail already in the dynamic loader, whose wording varies.
OUT_OF_FILES = r"(Too many open files|bwrap: .*(: Error 24|Too many open files)) — the process has as many files open as `ulimit -n` allows; raise that limit"


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_build_that_cannot_be_confined_is_our_fault(reachable, monkeypatch, sandbox):
    """Otherwise this error would be reported as a message of the compiler about the program."""
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    monkeypatch.setattr(confined_commands, "_LIMITS", (*confined_commands._LIMITS, ("RLIMIT_NOFILE", TOO_FEW_FILES)))
    with pytest.raises(ShortageError) as error:
        run_confined(["true"], reachable, sandbox)
    assert re.fullmatch(f"true could not be run: {OUT_OF_FILES}", str(error.value))


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_build_is_retried_if_it_cannot_be_confined_at_first(reachable, monkeypatch, sandbox):
    file_limits = iter([TOO_FEW_FILES, TOO_FEW_FILES])
    original_setup = subprocesses._setup

    def setup_with_few_files(confinement, report):
        limits = (*confinement.limits, ("RLIMIT_NOFILE", next(file_limits, 100)))
        return original_setup(msgspec.structs.replace(confinement, limits=limits), report)

    monkeypatch.setattr(subprocesses, "_setup", setup_with_few_files)
    assert run_confined(["echo", "built"], reachable, sandbox).output == "built\n"
    assert next(file_limits, None) is None


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_session_that_cannot_be_confined_is_our_fault(compiled, monkeypatch, sandbox):
    monkeypatch.setattr("pitboss.sessions.expecting.abi.max_files_of_a_program", lambda: TOO_FEW_FILES)
    program = compiled("int main(void) { return 1; }")
    with (
        pytest.raises(ShortageError) as error,
        ExpectingDriver(Program((str(program),), program.parent), Limits(), sandbox) as driver,
    ):
        list(driver.sessions([Script(script_of_lines(()), None)]))
    assert re.fullmatch(f"the session could not be run: {OUT_OF_FILES}", str(error.value))


BUSY = "a build could not be finished: it had not ended after 1 s, on a machine that is busy with other work"


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_time_spent_waiting_for_a_core_does_not_count_against_a_build(reachable, monkeypatch, sandbox):
    monkeypatch.setattr(confined_commands, "_WALL_S", 0.2)

    def run(*argv):
        start_ns = time.monotonic_ns()
        monkeypatch.setattr(watchdog.processes, "longest_core_wait_ns", lambda pid: time.monotonic_ns() - start_ns)
        return run_confined(list(argv), reachable, sandbox)

    assert run("sh", "-c", "sleep 0.4; echo built").output == "built\n"
    with pytest.raises(SessionError) as error:
        run("sleep", "60")
    assert str(error.value) == BUSY


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("last_command", ["sleep 60", "true"])
def test_a_build_that_writes_too_much_into_its_folder_is_stopped(reachable, monkeypatch, last_command, sandbox):
    """Even if the build has ended by the time of the check; the size of the submitted files does not count."""
    monkeypatch.setattr(confined_commands, "_MAX_WRITTEN_BYTES", 1 << 20)
    (reachable / "handed_in").write_bytes(bytes(2 << 20))
    fill_commands = "for i in 1 2 3 4 5; do head -c 300000 /dev/urandom > fill$i; done"
    assert run_confined(["sh", "-c", f"{fill_commands}; {last_command}"], reachable, sandbox).why_stopped == (
        "it wrote more than 1 MB into its folder"
    )
    assert run_confined(["sh", "-c", "head -c 300000 /dev/urandom > more"], reachable, sandbox).is_ok


def test_used_bytes_include_folders_deeper_than_the_longest_path(tmp_path):
    inner = os.open(tmp_path, os.O_RDONLY)
    for _ in range(30):
        os.mkdir("x" * 200, dir_fd=inner)
        outer, inner = inner, os.open("x" * 200, os.O_RDONLY, dir_fd=inner)
        os.close(outer)
    before = scratch.used_bytes(str(tmp_path))
    with open(os.open("it", os.O_WRONLY | os.O_CREAT, dir_fd=inner), "wb") as file:
        file.write(bytes(1 << 20))
    os.close(inner)
    assert 1 << 20 <= scratch.used_bytes(str(tmp_path)) - before < 2 << 20


@pytest.mark.needs("bubblewrap")
def test_a_build_can_write_only_a_limited_amount_to_the_tmp_in_memory(reachable, monkeypatch):
    monkeypatch.setattr(sandbox_of_machine, "MEMORY_BYTES", 1 << 20)
    monkeypatch.setattr(subprocesses, "can_switch_users_inside", lambda: False)
    outcome = run_confined(
        ["sh", "-c", "head -c 2000000 /dev/urandom > /tmp/fill; wc -c < /tmp/fill"], reachable, SANDBOXES[1].values[0]
    )
    assert outcome.output.splitlines()[-1] == str(1 << 20)


@pytest.mark.needs("root")
def test_a_makefile_that_starts_processes_for_ever_has_met_our_limit_and_lacks_nothing(reachable):
    """It depends on chance whether the limit is seen from outside, or by a shell that cannot start another process."""
    (reachable / "Makefile").write_text("shuffle:\n\t@bomb() { bomb | bomb & }; bomb; bomb; bomb\n")
    for _ in range(3):
        outcome = run_confined(["make", "shuffle"], reachable, Sandbox(Level.LANDLOCK))
        assert (outcome.shortage_clause, outcome.why_stopped) in (
            ("", "it had more than 256 processes at once"),
            ("", ""),
        )
