"""A program's own process id is the world's, and works wherever it says it; its children draw otherwise than it does."""

import os

import pytest

from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import Ending, EndingKind, exited
from pitboss.sandbox import subprocesses
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing.driver import TracingDriver
from tests.sessions.test_worlds import C_HEAD, DRIVERS, drawn, told

LIMITS = Limits(cpu_s=5, idle_s=5)
CATCH = "static volatile int caught; static void note(int n) { caught = n; }\n"


def held(path, worlds=(17,), level=Level.LANDLOCK):
    with TracingDriver(Program((str(path),), path.parent), LIMITS, Sandbox(level)) as driver:
        found = dict(driver.sessions([Script(typing(()), (), environment_seed=world) for world in worlds]))
    return [found[number] for number in range(len(worlds))]


#: How a program signals itself by its number, and how it then ends.
ENDS = {
    "abort": ("abort();", "SIGABRT"),
    "raise": ("raise(SIGSEGV);", "SIGSEGV"),
    "a crash": ("*(volatile int *)0 = 1;", "SIGSEGV"),
    "kill": ("kill(getpid(), SIGTERM);", "SIGTERM"),
    "kill of its group": ("kill(0, SIGTERM); pause();", "SIGTERM"),
    "kill of its group by number": ("kill(-getpgrp(), SIGTERM); pause();", "SIGTERM"),
    "killpg": ("killpg(getpid(), SIGTERM); pause();", "SIGTERM"),
    "tgkill": ("tgkill(getpid(), gettid(), SIGTERM);", "SIGTERM"),
    "syscall": ("syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), SIGTERM);", "SIGTERM"),
    "sigqueue": ("union sigval v = {0}; sigqueue(getpid(), SIGTERM, v);", "SIGTERM"),
    "a child that kills its parent": ("if (!fork()) { kill(getppid(), SIGTERM); _exit(0); } pause();", "SIGTERM"),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_signal_to_itself_arrives(compiled, name):
    body, signal = ENDS[name]
    (transcript,) = held(compiled(f"{C_HEAD}int main(void) {{ {body} for (;;) pause(); }}"))
    assert transcript.ending == Ending(EndingKind.SIGNALLED, signal=signal)


#: What is true of process ids.
TRUTHS = {
    "it is the same each time": "getpid() == getpid()",
    "it leads its group and its session": "getpgrp() == getpid() && getsid(0) == getpid() && getpgid(getpid()) == getpid()",
    "its first thread has its number": "gettid() == getpid()",
    "it may be asked for": "kill(getpid(), 0) == 0",
    "a child has another": "(child = fork()) ? (wait(&status), child != getpid()) : (_exit(0), 0)",
    "a child is waited for by its number": "(child = fork()) ? waitpid(child, &status, 0) == child : (_exit(0), 0)",
    "a child knows its parent": "(parent = getpid(), child = fork()) ? (wait(&status), !WEXITSTATUS(status))"
    " : (_exit(getppid() != parent), 0)",
    "a child is killed by its number": "(child = fork()) ? (kill(child, SIGKILL), wait(&status), WTERMSIG(status) == SIGKILL)"
    " : (pause(), 0)",
    "a process it starts knows it": '(sprintf(text, "test $PPID = %d", getpid()), system(text) == 0)',
    "a shell can signal it": '(signal(SIGUSR1, note), sprintf(text, "kill -USR1 %d", getpid()), system(text), caught == SIGUSR1)',
    "a handler is called": "(signal(SIGUSR1, note), kill(getpid(), SIGUSR1), caught == SIGUSR1)",
    "its priority": "(before = getpriority(PRIO_PROCESS, 0), setpriority(PRIO_PROCESS, getpid(), before) == 0)"
    " && getpriority(PRIO_PROCESS, getpid()) == before",
    "no process has a wrong number": "kill(999999999, 0) == -1 && errno == ESRCH",
    "a file that is not there is not": 'open("/no/such/file", O_RDONLY) == -1 && errno == ENOENT && !fopen("/no/such", "r")',
    "a file is made": '(fclose(fopen("made", "w")), open("other", O_CREAT | O_WRONLY, 0600) > 2 && !access("made", R_OK))',
    "too much at once is refused": "getentropy(text, 300) == -1 && errno == EIO",
}


@pytest.mark.parametrize("level", [Level.LANDLOCK, Level.BUBBLEWRAP], ids=lambda level: level.value)
def test_process_ids_mean_what_they_mean_elsewhere(compiled, level):
    # A program of our own user schedules nothing by a number: that would be a note for its next session.
    truths = {name: code for name, code in TRUTHS.items() if name != "its priority" or os.geteuid() == 0}
    checks = "".join(f'printf("{name}: %d\\n", !!({code})); fflush(stdout);\n' for name, code in truths.items())
    variables = "int child, parent, status, before; char text[400];"
    (transcript,) = held(compiled(f"{C_HEAD}{CATCH}int main(void) {{ {variables}\n{checks}return 0; }}"), level=level)
    assert transcript.ending == exited()
    assert transcript.text.decode().splitlines() == [f"{name}: 1" for name in truths]


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


def test_a_child_draws_otherwise_than_its_parent_and_the_same_each_time(compiled):
    first, again, other = held(compiled(C_HEAD + CHILDREN), (17, 17, 18))
    numbers = [line.split()[-1] for line in first.text.decode().splitlines()]
    assert len(set(numbers)) == len(numbers) == 7
    assert first.text == again.text
    assert not set(numbers) & {line.split()[-1] for line in other.text.decode().splitlines()}


def test_a_random_device_gives_all_that_a_program_reads(compiled):
    body = """
    static unsigned char many[300000]; int seen[256] = {0}, least = 1 << 30; FILE *f = fopen("/dev/urandom", "rb");
    printf("%zu ", fread(many, 1, sizeof many, f));
    for (int i = 0; i < sizeof many; i++) seen[many[i]]++;
    for (int i = 0; i < 256; i++) least = seen[i] < least ? seen[i] : least;
    printf("%d", least > 900);
    """
    (transcript,) = held(compiled(f"{C_HEAD}int main(void) {{ {body} return 0; }}"))
    assert transcript.text == b"300000 1"


STATIC = {
    "getrandom": 'unsigned long n; getrandom(&n, sizeof n, 0); printf("%lu", n);',
    "the kernel's random bytes": 'printf("%lu", *(unsigned long *)getauxval(AT_RANDOM));',
    "address on the stack": 'int n; printf("%p", (void *)&n);',
    "address on the heap": 'printf("%p", malloc(1));',
    "rubbish": 'printf("%d", rubbish());',
}


def test_a_static_program_draws_the_same_except_from_the_time(compiled):
    blocks = "".join(f'printf("{name}: "); {{ {code} }} puts("");\n' for name, code in STATIC.items())
    path = compiled(f"{C_HEAD}int main(void) {{\n{blocks}return 0;\n}}", "-static")
    first, again, other = held(path, (17, 17, 18))
    assert first.text == again.text
    differing = zip(first.text.splitlines(), other.text.splitlines(), strict=True)
    assert [one != two for one, two in differing][:2] == [True, True]


def test_a_program_that_draws_in_a_loop_and_shows_what_it_drew_does_not_wait(compiled):
    """It looks at the clock more often than one that only waits for it."""
    body = 'for (int i = 0; i < 60000; i++) { srand(time(NULL)); printf("%d\\n", rand() % 6); }'
    (transcript,) = held(compiled(f"{C_HEAD}int main(void) {{ {body} return 0; }}"))
    assert transcript.ending == exited()
    assert len(transcript.events) == 1


#: How a program can try to reach its parent, which is pitboss or a process of bubblewrap. Each is refused as the system
#: refuses a signal to another user's process, and reaches nobody in its place: the program itself least of all.
TO_ITS_PARENT = {
    "kill": "kill(getppid(), SIGTERM)",
    "kill, asking": "kill(getppid(), 0)",
    "tgkill": "tgkill(getppid(), getppid(), SIGTERM)",
    "sigqueue": "sigqueue(getppid(), SIGTERM, (union sigval){0})",
    "syscall kill": "syscall(SYS_kill, getppid(), SIGTERM)",
    "syscall tgkill": "syscall(SYS_tgkill, getppid(), getppid(), SIGTERM)",
    "syscall tkill": "syscall(SYS_tkill, getppid(), SIGTERM)",
}


def tried_on_its_parent(compiled, driver):
    tries = "\n".join(
        f'errno = 0; result = {tried}; printf("{name}: %d %s\\n", result, strerrorname_np(errno));'
        for name, tried in TO_ITS_PARENT.items()
    )
    everybody = "signal(SIGUSR1, SIG_IGN); kill(-1, SIGUSR1);"
    path = compiled(f"{C_HEAD}int main(void) {{ int result; {everybody} {tries} return 0; }}", "-w")
    (text,) = told(driver, (str(path),), path.parent, [17])
    return drawn(text)


@pytest.mark.parametrize("driver", [name for name in DRIVERS if name not in {"none", "expecting"}])
def test_a_signal_to_its_parent_reaches_nobody(compiled, driver):
    assert tried_on_its_parent(compiled, driver) == dict.fromkeys(TO_ITS_PARENT, "-1 EPERM")


def test_a_signal_to_a_parent_of_the_same_user_in_a_bubblewrap_is_refused_too(compiled, monkeypatch):
    """As for somebody who is not root and can run programs only as themselves."""
    monkeypatch.setattr(subprocesses, "becomes_others", lambda: False)
    assert tried_on_its_parent(compiled, "expecting, bubblewrap") == dict.fromkeys(TO_ITS_PARENT, "-1 EPERM")
