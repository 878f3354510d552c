import os

import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Ending, EndingKind, exited
from pitboss.sandbox import subprocesses
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from tests.sessions.test_seeded_environment import C_HEAD, DRIVERS, drawn, outputs_of_sessions

LIMITS = Limits(cpu_s=5, idle_s=5)
#: A C signal handler that notes the signal.
SIGNAL_HANDLER = "static volatile int caught; static void note(int n) { caught = n; }\n"


def run_sessions(path, seeds=(17,), level=Level.LANDLOCK):
    with TracingDriver(Program((str(path),), path.parent), LIMITS, Sandbox(level)) as driver:
        transcripts = dict(driver.sessions([Script(script_of_lines(()), (), environment_seed=seed) for seed in seeds]))
    return [transcripts[number] for number in range(len(seeds))]


#: How a program sends a signal to itself, and the signal by which it then ends.
SELF_SIGNALS = {
    "abort": ("abort();", "SIGABRT"),
    "raise": ("raise(SIGSEGV);", "SIGSEGV"),
    "a crash": ("*(volatile int *)0 = 1;", "SIGSEGV"),
    "kill": ("kill(getpid(), SIGTERM);", "SIGTERM"),
    "a signal of the C library": ("kill(getpid(), 32);", "number 32"),
    "another signal of the C library": ("kill(getpid(), 33);", "number 33"),
    "a real-time signal": ("raise(40);", "SIGRTMIN+6"),
    "kill of its group": ("kill(0, SIGTERM); pause();", "SIGTERM"),
    "kill of its group by number": ("kill(-getpgrp(), SIGTERM); pause();", "SIGTERM"),
    "killpg": ("killpg(getpid(), SIGTERM); pause();", "SIGTERM"),
    "tgkill": ("tgkill(getpid(), gettid(), SIGTERM);", "SIGTERM"),
    "syscall": ("syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), SIGTERM);", "SIGTERM"),
    "sigqueue": ("union sigval v = {0}; sigqueue(getpid(), SIGTERM, v);", "SIGTERM"),
    "a child that kills its parent": ("if (!fork()) { kill(getppid(), SIGTERM); _exit(0); } pause();", "SIGTERM"),
}


@pytest.mark.parametrize("name", SELF_SIGNALS)
def test_a_program_can_send_a_signal_to_itself(compiled, name):
    body, signal = SELF_SIGNALS[name]
    (transcript,) = run_sessions(compiled(f"{C_HEAD}int main(void) {{ {body} for (;;) pause(); }}"))
    assert transcript.ending == Ending(EndingKind.SIGNALLED, signal=signal)


#: C conditions that are true in any program, most of them of its process id (“it”).
CONDITIONS = {
    "it is the same each time": "getpid() == getpid()",
    "it leads its group and its session": "getpgrp() == getpid() && getsid(0) == getpid() && getpgid(getpid()) == getpid()",
    "its first thread has its number": "gettid() == getpid()",
    "it belongs to a process": "kill(getpid(), 0) == 0",
    "a child has another": "(child = fork()) ? (wait(&status), child != getpid()) : (_exit(0), 0)",
    "a child is waited for by its number": "(child = fork()) ? waitpid(child, &status, 0) == child : (_exit(0), 0)",
    "a child knows its parent": "(parent = getpid(), child = fork()) ? (wait(&status), !WEXITSTATUS(status))"
    " : (_exit(getppid() != parent), 0)",
    "a child is killed by its number": "(child = fork()) ? (kill(child, SIGKILL), wait(&status), WTERMSIG(status) == SIGKILL)"
    " : (pause(), 0)",
    "a process it starts knows it": '(sprintf(text, "test $PPID = %d", getpid()), system(text) == 0)',
    "a shell can signal it": '(signal(SIGUSR1, note), sprintf(text, "kill -USR1 %d", getpid()), system(text), caught == SIGUSR1)',
    "a handler is called": "(signal(SIGUSR1, note), kill(getpid(), SIGUSR1), caught == SIGUSR1)",
    "its priority is set": "(before = getpriority(PRIO_PROCESS, 0), setpriority(PRIO_PROCESS, getpid(), before) == 0)"
    " && getpriority(PRIO_PROCESS, getpid()) == before",
    "no process has a wrong number": "kill(999999999, 0) == -1 && errno == ESRCH",
    "no missing file is opened": 'open("/no/such/file", O_RDONLY) == -1 && errno == ENOENT && !fopen("/no/such", "r")',
    "files are created": '(fclose(fopen("a", "w")), open("other", O_CREAT | O_WRONLY, 0600) > 2 && !access("a", R_OK))',
    "more random bytes than allowed are refused": "getentropy(text, 300) == -1 && errno == EIO",
}


@pytest.mark.parametrize("level", [Level.LANDLOCK, Level.BUBBLEWRAP], ids=lambda level: level.value)
def test_process_ids_behave_as_without_pitboss(compiled, level):
    # Unless we are root, programs run as our own user, and may not set a priority that a later session could find.
    conditions = {name: code for name, code in CONDITIONS.items() if name != "its priority is set" or os.geteuid() == 0}
    checks = "".join(f'printf("{name}: %d\\n", !!({code})); fflush(stdout);\n' for name, code in conditions.items())
    variables = "int child, parent, status, before; char text[400];"
    (transcript,) = run_sessions(
        compiled(f"{C_HEAD}{SIGNAL_HANDLER}int main(void) {{ {variables}\n{checks}return 0; }}"), level=level
    )
    assert transcript.ending == exited()
    assert transcript.text.decode().splitlines() == [f"{name}: 1" for name in conditions]


CHILDREN = """
static unsigned drawn(void) { unsigned n; getrandom(&n, sizeof n, 0); return n; }
static void child(const char *name) { if (!fork()) { printf("%s %u\\n", name, drawn()); fflush(stdout); _exit(0); } wait(NULL); }
int main(void)
{
    child("before"); child("again"); printf("parent %u\\n", drawn()); fflush(stdout); child("after");
    for (int i = 0; i < 2; i++) system("od -An -tu4 -N4 /dev/urandom");
    execl("/bin/sh", "sh", "-c", "od -An -tu4 -N4 /dev/urandom", NULL);
}
"""


def test_a_child_draws_other_numbers_than_its_parent_but_the_same_each_time(compiled):
    first, again, other = run_sessions(compiled(C_HEAD + CHILDREN), (17, 17, 18))
    numbers = [line.split()[-1] for line in first.text.decode().splitlines()]
    assert len(set(numbers)) == len(numbers) == 7
    assert first.text == again.text
    assert not set(numbers) & {line.split()[-1] for line in other.text.decode().splitlines()}


def test_a_random_device_gives_as_many_bytes_as_are_read(compiled):
    """The program also counts how often each value of a byte occurs: about 1172 times, if all are equally likely."""
    body = """
    static unsigned char many[300000]; int seen[256] = {0}, least = 1 << 30; FILE *f = fopen("/dev/urandom", "rb");
    printf("%zu ", fread(many, 1, sizeof many, f));
    for (int i = 0; i < sizeof many; i++) seen[many[i]]++;
    for (int i = 0; i < 256; i++) least = seen[i] < least ? seen[i] : least;
    printf("%d", least > 900);
    """
    (transcript,) = run_sessions(compiled(f"{C_HEAD}int main(void) {{ {body} return 0; }}"))
    assert transcript.text == b"300000 1"


#: C code that draws the same with the same seed even in a static program, which reads the time from the machine.
STATIC_DRAWS = {
    "getrandom": 'unsigned long n; getrandom(&n, sizeof n, 0); printf("%lu", n);',
    "the kernel's random bytes": 'printf("%lu", *(unsigned long *)getauxval(AT_RANDOM));',
    "address on the stack": 'int n; printf("%p", (void *)&n);',
    "address on the heap": 'printf("%p", malloc(1));',
    "rubbish": 'printf("%d", rubbish());',
}


def test_a_static_program_draws_the_same_with_the_same_seed(compiled):
    blocks = "".join(f'printf("{name}: "); {{ {code} }} puts("");\n' for name, code in STATIC_DRAWS.items())
    path = compiled(f"{C_HEAD}int main(void) {{\n{blocks}return 0;\n}}", "-static")
    first, again, other = run_sessions(path, (17, 17, 18))
    assert first.text == again.text
    # With another seed, the random bytes in the first two lines are others; the other lines may be the same.
    for line, other_line in list(zip(first.text.splitlines(), other.text.splitlines(), strict=True))[:2]:
        assert line != other_line


def test_seeding_and_printing_in_a_loop_is_not_a_wait(compiled):
    """This program reads the clock more often than a program that waits by reading the clock."""
    body = 'for (int i = 0; i < 60000; i++) { srand(time(NULL)); printf("%d\\n", rand() % 6); }'
    (transcript,) = run_sessions(compiled(f"{C_HEAD}int main(void) {{ {body} return 0; }}"))
    assert transcript.ending == exited()
    assert len(transcript.events) == 1


#: How a program can try to signal its parent, which is pitboss or a process of bubblewrap. Each call is refused as the
#: system refuses a signal to another user's process, and no other process gets the signal, not even the program itself.
TO_ITS_PARENT = {
    "kill": "kill(getppid(), SIGTERM)",
    "kill with signal 0": "kill(getppid(), 0)",
    "tgkill": "tgkill(getppid(), getppid(), SIGTERM)",
    "sigqueue": "sigqueue(getppid(), SIGTERM, (union sigval){0})",
    "syscall kill": "syscall(SYS_kill, getppid(), SIGTERM)",
    "syscall tgkill": "syscall(SYS_tgkill, getppid(), getppid(), SIGTERM)",
    "syscall tkill": "syscall(SYS_tkill, getppid(), SIGTERM)",
}


def signal_parent(compiled, driver):
    """Make each call of TO_ITS_PARENT in a session; return the results and errors."""
    calls = "\n".join(
        f'errno = 0; result = {call}; printf("{name}: %d %s\\n", result, strerrorname_np(errno));'
        for name, call in TO_ITS_PARENT.items()
    )
    signal_all = "signal(SIGUSR1, SIG_IGN); kill(-1, SIGUSR1);"
    path = compiled(f"{C_HEAD}int main(void) {{ int result; {signal_all} {calls} return 0; }}", "-w")
    (text,) = outputs_of_sessions(driver, Program((str(path),), path.parent), [17])
    return drawn(text)


@pytest.mark.parametrize("driver", [name for name in DRIVERS if name not in {"none", "expecting"}])
def test_a_program_cannot_signal_its_parent(compiled, driver):
    assert signal_parent(compiled, driver) == dict.fromkeys(TO_ITS_PARENT, "-1 EPERM")


@pytest.mark.needs("bubblewrap")
def test_a_program_cannot_signal_a_parent_of_the_same_user(compiled, monkeypatch):
    """As when pitboss does not run as root, so that programs run as the same user."""
    monkeypatch.setattr(subprocesses, "can_switch_users_inside", lambda: False)
    assert signal_parent(compiled, "expecting, bubblewrap") == dict.fromkeys(TO_ITS_PARENT, "-1 EPERM")
