"""Commands that are run confined, as compilers and makefiles are: what they are kept from, and that they end."""

import os
import re
import signal
import subprocess
import sys
import time

import msgspec
import pytest

from pitboss.errors import SessionError, ShortageError
from pitboss.model.scripts import Script, typing
from pitboss.sandbox import sandbox as sandbox_of_machine
from pitboss.sandbox import scratch, shortages, subprocesses
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing import deadline
from pitboss.submissions import confined_commands
from pitboss.submissions.confined_commands import run_confined

SANDBOXES = [pytest.param(Sandbox(level), id=level.value) for level in (Level.LANDLOCK, Level.BUBBLEWRAP)]
#: A bubblewrap ends with all that is in it; where nothing confines, it is as with Landlock.
EVERYWHERE = [
    SANDBOXES[0],
    pytest.param(Sandbox(Level.BUBBLEWRAP), id="bubblewrap", marks=pytest.mark.slow),
    pytest.param(Sandbox(Level.NONE), id="none", marks=pytest.mark.slow),
]


@pytest.fixture(params=[pytest.param("as a user of its own", marks=pytest.mark.slow), "as we are"])
def whose(request, monkeypatch):
    """Run commands as another user, and as they are run where nobody may become another."""
    if request.param == "as we are":
        monkeypatch.setattr(subprocesses, "may_become_others", lambda: False)
        monkeypatch.setattr(subprocesses, "becomes_others", lambda: False)


def running(word):
    """The processes of this machine that have a word in their command line and have not ended."""
    return [name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid() and _runs(name, word)]


def _runs(pid, word):
    try:
        with open(f"/proc/{pid}/cmdline") as line, open(f"/proc/{pid}/stat") as stat:
            return word in line.read() and stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


HEAD = """
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

#: Each prints its name where the call is not refused. clone3 has its flags in memory: struct clone_args.
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
@pytest.mark.usefixtures("whose")
def test_a_build_is_kept_from_what_a_program_is_kept_from(compiled, sandbox):
    path = compiled(HEAD + ESCAPES)
    assert run_confined([str(path)], path.parent, sandbox).output == "tried\n"


#: Ways to start more than anybody can count, 3000 at the most so that a failure of a test costs the machine little.
FLOODS = {
    "of forks": "for (;;) { if (more()) fork(); else pause(); }",
    "of sessions": "for (;;) { if (more()) { if (fork() == 0) setsid(); } else pause(); }",
}
#: Ways to stay when the command has ended.
STAYS = {
    "in a session of its own": "if (fork() == 0) { setsid(); if (fork() == 0) for (;;) pause(); }",
    "without its environment": 'if (fork() == 0) { char *none[] = {0}; execle("/proc/self/exe", argv[0], "stay", 0, none); }',
    "unreadable": "if (fork() == 0) { prctl(PR_SET_DUMPABLE, 0); setsid(); for (;;) pause(); }",
    "with every signal held off": "if (fork() == 0) { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); for (;;) pause(); }",
    "stopped": "if (fork() == 0) { setsid(); for (;;) raise(SIGSTOP); }",
    "as a thread without a leader": "if (fork() == 0) { pthread_t t; pthread_create(&t, 0, waits, 0); pthread_exit(0); }",
    "waiting for a child by vfork": "if (fork() == 0) { if (vfork() == 0) for (;;) pause(); }",
    "with another parent all the time": "for (int i = 0; i < 4; i++) if (fork() == 0) while (more()) { if (fork() > 0) _exit(0); setsid(); }",
}
RUNS = """
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


@pytest.mark.parametrize("sandbox", EVERYWHERE)
@pytest.mark.parametrize("way", STAYS)
@pytest.mark.usefixtures("whose")
def test_nothing_of_a_build_runs_after_it(compiled, way, sandbox):
    path = compiled(HEAD + RUNS % STAYS[way], "-pthread")
    outcome = run_confined([str(path)], path.parent, sandbox)
    assert (outcome.exit_code, outcome.stopped) == (0, "")
    assert running(str(path)) == []


TOO_MANY = "it had more than 256 processes at once"


@pytest.mark.parametrize("sandbox", EVERYWHERE)
@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.usefixtures("whose")
def test_a_flood_of_processes_is_stopped_and_leaves_nothing(compiled, flood, sandbox):
    path = compiled(HEAD + RUNS % FLOODS[flood])
    assert run_confined([str(path)], path.parent, sandbox).stopped == TOO_MANY
    assert running(str(path)) == []


@pytest.mark.usefixtures("whose")
def test_a_make_that_makes_itself_is_stopped_and_leaves_nothing(reachable):
    makefile = reachable / "Makefile"
    makefile.write_text("all:\n\t$(MAKE) -f $(CURDIR)/Makefile\n")
    assert run_confined(["make", "-f", str(makefile)], reachable, Sandbox(Level.LANDLOCK)).stopped == TOO_MANY
    assert running(str(makefile)) == []


@pytest.mark.parametrize("sandbox", EVERYWHERE)
@pytest.mark.parametrize("way", ["with every signal held off", "stopped", "waiting for a child by vfork"])
def test_a_build_that_never_ends_is_ended(compiled, monkeypatch, way, sandbox):
    monkeypatch.setattr(confined_commands, "_WALL_S", 0.3)
    path = compiled(HEAD + RUNS % STAYS[way].replace("if (fork() == 0)", ""))
    assert run_confined([str(path)], path.parent, sandbox).stopped == "it took longer than 0.3 s"
    assert running(str(path)) == []


def test_a_build_ends_with_whoever_wanted_it(compiled):
    path = compiled(f'{HEAD}int main(void) {{ fclose(fopen("began", "w")); for (;;) pause(); }}')
    wants = (
        "from pathlib import Path; from pitboss.submissions.confined_commands import run_confined; from pitboss.sandbox.sandbox import *;"
        f"run_confined([{str(path)!r}], Path({str(path.parent)!r}), Sandbox(Level.LANDLOCK))"
    )
    with subprocess.Popen([sys.executable, "-c", wants]) as wanting:
        while not (path.parent / "began").exists():
            assert wanting.poll() is None
        wanting.send_signal(signal.SIGKILL)
    until = time.monotonic() + 10
    while running(str(path)) and time.monotonic() < until:
        pass
    assert running(str(path)) == []


#: What an ordinary user runs: as many threads as a flood may have, and then a build that starts a process.
BUILD_BESIDE_A_FLOOD = """
import sys, threading
from pathlib import Path
from pitboss.submissions.confined_commands import run_confined
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox import rlimits

most, done = rlimits.max_tasks_of_our_user(), threading.Event()
threading.stack_size(1 << 16)
flood = [threading.Thread(target=done.wait) for _ in range(most)]
for thread in flood:
    thread.start()
print(run_confined(["sh", "-c", "true; echo built"], Path(sys.argv[1]), Sandbox(Level.BUBBLEWRAP)))
done.set()
"""


@pytest.mark.needs("bubblewrap")
def test_a_flood_of_the_same_user_takes_nothing_from_a_build_in_a_bubblewrap(command_as, reachable):
    reachable.chmod(0o777)
    argv, environment = command_as("ordinary user")
    argv = [*argv[: argv.index("-m")], "-c", BUILD_BESIDE_A_FLOOD, reachable]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stderr, done.stdout) == ("", "CommandOutcome(exit_code=0, output='built\\n', stopped='', lack='')\n")


#: What a build and a session may open where this machine has no more to give: nothing can be confined with so little.
FEW = 4
#: What the loader says of a bubblewrap for which there are no files is up to the loader.
SCARCE = r"(Too many open files|bwrap: .*(: Error 24|Too many open files)) — it has as many files open as `ulimit -n` allows; raise that"


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_build_that_cannot_be_confined_is_our_fault(reachable, monkeypatch, sandbox):
    """It would be told as what the compiler says of the program."""
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    monkeypatch.setattr(confined_commands, "_LIMITS", (*confined_commands._LIMITS, ("RLIMIT_NOFILE", FEW)))
    with pytest.raises(ShortageError) as refused:
        run_confined(["true"], reachable, sandbox)
    assert re.fullmatch(f"true could not be run: {SCARCE}", str(refused.value))


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_build_that_cannot_be_confined_for_a_moment_is_run_again(reachable, monkeypatch, sandbox):
    tries = iter([FEW, FEW])
    start = subprocesses._setup

    def scarce(confinement, tells):
        limits = (*confinement.limits, ("RLIMIT_NOFILE", next(tries, 100)))
        return start(msgspec.structs.replace(confinement, limits=limits), tells)

    monkeypatch.setattr(subprocesses, "_setup", scarce)
    assert run_confined(["echo", "built"], reachable, sandbox).output == "built\n"
    assert next(tries, None) is None


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_session_that_cannot_be_confined_is_our_fault(compiled, monkeypatch, sandbox):
    monkeypatch.setattr("pitboss.sessions.expecting.abi.files_of_a_program", lambda: FEW)
    program = compiled("int main(void) { return 1; }")
    with (
        pytest.raises(ShortageError) as refused,
        ExpectingDriver(Program((str(program),), program.parent), Limits(), sandbox) as driver,
    ):
        list(driver.sessions([Script(typing(()), None)]))
    assert re.fullmatch(f"the session could not be run: {SCARCE}", str(refused.value))


BUSY = "a build could not be finished: it had not ended after 1 s, on a machine that is busy with other work"


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_time_for_which_a_build_gets_no_core_is_not_held_against_it(reachable, monkeypatch, sandbox):
    monkeypatch.setattr(confined_commands, "_WALL_S", 0.2)

    def run(*argv):
        began = time.monotonic_ns()
        monkeypatch.setattr(deadline.processes, "kept_waiting_ns", lambda pid: time.monotonic_ns() - began)
        return run_confined(list(argv), reachable, sandbox)

    assert run("sh", "-c", "sleep 0.4; echo built").output == "built\n"
    with pytest.raises(SessionError) as refused:
        run("sleep", "60")
    assert str(refused.value) == BUSY


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("at_once", ["sleep 60", "true"])
def test_what_a_build_writes_over_its_space_is_its_own_failure(reachable, monkeypatch, at_once, sandbox):
    """Also where it has ended by then; what was handed in does not count."""
    monkeypatch.setattr(confined_commands, "_SPACE", 1 << 20)
    (reachable / "handed_in").write_bytes(bytes(2 << 20))
    fills = "for i in 1 2 3 4 5; do head -c 300000 /dev/urandom > fill$i; done"
    assert run_confined(["sh", "-c", f"{fills}; {at_once}"], reachable, sandbox).stopped == (
        "it wrote more than 1 MB into its folder"
    )
    assert run_confined(["sh", "-c", "head -c 300000 /dev/urandom > more"], reachable, sandbox).is_ok


def test_a_folder_deeper_than_a_path_is_counted_like_any_other(tmp_path):
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
def test_what_a_build_writes_into_memory_is_limited(reachable, monkeypatch):
    monkeypatch.setattr(sandbox_of_machine, "MEMORY_BYTES", 1 << 20)
    monkeypatch.setattr(subprocesses, "becomes_others", lambda: False)
    outcome = run_confined(
        ["sh", "-c", "head -c 2000000 /dev/urandom > /tmp/fill; wc -c < /tmp/fill"], reachable, SANDBOXES[1].values[0]
    )
    assert outcome.output.splitlines()[-1] == str(1 << 20)
