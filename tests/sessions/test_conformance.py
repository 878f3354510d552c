"""Both drivers report the same about the same program: each has to pass one suite.

What the expecting driver cannot know is tested with the tracing driver alone ("watched"): see TRACING_CASES.
"""

import os

import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import Ending, EndingKind, InputEnded, Paused, Remark, Shown, Typed, exited
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.expecting import ExpectingDriver
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing import launcher
from pitboss.sessions.tracing.driver import TracingDriver
from tests.drivers import InhabitedBubblewrapDriver

LIMITS = Limits(cpu_s=1, idle_s=2, memory_mb=128, output_kb=128, processes=16)
NONE, LANDLOCK, BUBBLEWRAP = (Sandbox(level) for level in (Level.NONE, Level.LANDLOCK, Level.BUBBLEWRAP))

HEAD = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n#include <signal.h>\n#include <fcntl.h>\n#include <poll.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <sys/mman.h>\n#include <sys/wait.h>\n#include <termios.h>\n"
GREETER = 'char a[99]; printf("name? "); fgets(a, 99, stdin); printf("hello %s", a); printf("bye"); return 0;'
GREETER_EVENTS = (Shown(b"name? "), Typed(b"ada"), Shown(b"hello ada\nbye"))

#: By case: the body of main, the lines to type, and the events and the ending that each driver should report.
CASES = {
    "a talk": (GREETER, [b"ada"], GREETER_EVENTS, exited()),
    "exit code": ("return 7;", [], (), exited(7)),
    "a crash": ("*(volatile int *)0 = 1;", [], (), Ending(EndingKind.SIGNALLED, signal="SIGSEGV")),
    "an endless loop": ('puts("a"); for (;;);', [], (Shown(b"a\n"),), Ending(EndingKind.OUT_OF_CPU_TIME)),
    "waiting for nothing": ('puts("a"); pause();', [], (Shown(b"a\n"),), Ending(EndingKind.OUT_OF_IDLE_TIME)),
    "the end of input": (
        'char a[9]; printf("? "); puts(fgets(a, 9, stdin) ? a : "none"); return 0;',
        [],
        (Shown(b"? "), InputEnded(), Shown(b"none\n")),
        exited(),
    ),
    "bytes as they are": ('printf("\\xff\\r\\n\\t\\x1b[0m"); return 0;', [], (Shown(b"\xff\r\n\t\x1b[0m"),), exited()),
    "keys that mean something to a terminal": (
        'char a[99]; printf("? "); fgets(a, 99, stdin); for (char *p = a; *p; p++) printf("%d ", *p); return 0;',
        [b"\x03\x04\x15\x16\x7f\x11\x1a\r"],
        (Shown(b"? "), Typed(b"\x03\x04\x15\x16\x7f\x11\x1a\r"), Shown(b"3 4 21 22 127 17 26 13 10 ")),
        exited(),
    ),
    "a line as long as a terminal takes": (
        'static char a[9999]; printf("? "); fgets(a, 9999, stdin); printf("%zu", strlen(a)); return 0;',
        [b"x" * 4094],
        (Shown(b"? "), Typed(b"x" * 4094), Shown(b"4095")),
        exited(),
    ),
    "single keys that are polled for, as by Node's readline": (
        "struct termios mode; tcgetattr(0, &mode); mode.c_lflag &= ~ICANON; tcsetattr(0, TCSANOW, &mode);"
        'struct pollfd input = {0, POLLIN}; char a[9] = ""; int count = 0; write(1, "name? ", 6);'
        "while (!strchr(a, '\\n')) { poll(&input, 1, -1); for (volatile int i = 0; i < 1000000; i++);"
        "  read(0, a + count, 1); write(1, a + count++, 1); }"
        'printf("hello %s", a); return 0;',
        [b"ada"],
        (Shown(b"name? "), Typed(b"ada"), Shown(b"hello ada\n")),
        exited(),
    ),
    "nothing else is open": (
        'for (int i = 3; i < 70000; i++) if (fcntl(i, F_GETFD) != -1) printf("%d ", i); puts("."); return 0;',
        [],
        (Shown(b".\n"),),
        exited(),
    ),
    "memory that it only reserves": (
        "pthread_t t[10]; for (int i = 0; i < 10; i++)"  # each has a stack of 8 MB and an arena of 64 MB
        "  if (pthread_create(t + i, 0, (void *(*)(void *))malloc, (void *)9)) return 1;"
        "for (int i = 0; i < 10; i++) pthread_join(t[i], 0);"
        "return mmap(0, 1L << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED"
        "  || mmap(0, 1L << 30, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED;",
        [],
        (),
        exited(),
    ),
    "more and more memory": ("for (;;) memset(malloc(1 << 20), 1, 1 << 20);", [], (), Ending(EndingKind.OVER_MEMORY)),
    "much memory for a moment": (
        "memset(malloc(400 << 20), 1, 400 << 20); return 0;",
        [],
        (),
        Ending(EndingKind.OVER_MEMORY),
    ),
    "shared memory, of two processes together, that is counted once": (
        "char *p = mmap(0, 80 << 20, PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); memset(p, 1, 80 << 20);"
        "if (!fork()) { for (int i = 0; i < 9; i++) memset(p, i, 80 << 20); _exit(0); } wait(0); return 0;",
        [],
        (),
        exited(),
    ),
    "memory of twelve processes together": (
        "for (int i = 0; i < 12; i++) if (!fork()) { memset(malloc(20 << 20), 1, 20 << 20); pause(); }"
        "while (wait(0) > 0); return 0;",
        [],
        (),
        Ending(EndingKind.OVER_MEMORY),
    ),
    "memory of a thread that outlives the first": (
        "void *take(void *none) { memset(malloc(250 << 20), 1, 250 << 20); pause(); return 0; }"
        "pthread_t t; pthread_create(&t, 0, take, 0); pthread_exit(0);",
        [],
        (),
        Ending(EndingKind.OVER_MEMORY),
    ),
    "a pause": (
        'puts("a"); sleep(1); puts("b"); return 0;',
        [],
        (Shown(b"a\n"), Paused(1000), Shown(b"b\n")),
        exited(),
    ),
}


DRIVERS = {
    "watched": lambda program: TracingDriver(program, LIMITS, NONE),
    "watched, Landlock": lambda program: TracingDriver(program, LIMITS, LANDLOCK),
    "watched, bubblewrap": lambda program: TracingDriver(program, LIMITS, BUBBLEWRAP),
    "watched, bubblewrap with a process inside": lambda program: InhabitedBubblewrapDriver(program, LIMITS, BUBBLEWRAP),
    "watched, real time": lambda program: TracingDriver(program, LIMITS, NONE, skips_pauses=False),
    "expecting": lambda program: ExpectingDriver(program, LIMITS, NONE),
    "expecting, Landlock": lambda program: ExpectingDriver(program, LIMITS, LANDLOCK),
    "expecting, bubblewrap": lambda program: ExpectingDriver(program, LIMITS, BUBBLEWRAP),
}


def run_session(driver, path, lines, expected):
    with DRIVERS[driver](Program((str(path),), path.parent)) as sessions:
        ((number, transcript),) = sessions.sessions([Script(script_of_lines(lines), expected)])
    assert number == 0
    return transcript


@pytest.mark.rotates("drivers")
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("case", CASES)
def test_each_driver_reports_the_events_and_ending_of_a_session(compiled, case, driver):
    body, lines, events, ending = CASES[case]
    transcript = run_session(driver, compiled(f"{HEAD}int main(void) {{ {body} }}"), lines, events)
    assert transcript.events == events
    assert transcript.ending == ending


@pytest.mark.parametrize("driver", [driver for driver in DRIVERS if "bubblewrap" in driver])
def test_semaphores_and_shared_memory_with_a_name_belong_to_one_session(compiled, driver):
    semaphore = 'sem_open("/a", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED'
    memory = 'shm_open("/b", O_CREAT | O_EXCL | O_RDWR, 0600) < 0'
    path = compiled(f"{HEAD}int main(void) {{ return {semaphore} || {memory}; }}")
    with DRIVERS[driver](Program((str(path),), path.parent)) as sessions:
        transcripts = sessions.sessions([Script(script_of_lines([]), ())] * 2)
        assert [transcript.ending for _, transcript in transcripts] == [exited(), exited()]


@pytest.mark.parametrize("driver", ["watched", "expecting"])
@pytest.mark.parametrize("has_left", [True, False])
def test_a_session_without_more_lines_ends_only_if_it_has_left_the_expected_path(compiled, driver, has_left):
    body = 'char a[9]; puts("wrong"); fgets(a, 9, stdin); puts(fgets(a, 9, stdin) ? a : "none"); return 0;'
    path, queried_events = compiled(f"{HEAD}int main(void) {{ {body} }}"), []

    def has_left_path(events):
        queried_events.append(tuple(events))
        return has_left

    with DRIVERS[driver](Program((str(path),), path.parent)) as sessions:
        ((_, transcript),) = sessions.sessions(
            [Script(script_of_lines([b"a"]), (Shown(b"right\n"),), has_left_expected_path=has_left_path)]
        )
    events_so_far = (Shown(b"wrong\n"), Typed(b"a"), InputEnded())
    assert queried_events == [events_so_far]
    assert transcript.events == (events_so_far if has_left else (*events_so_far, Shown(b"none\n")))
    assert transcript.ending == (Ending(EndingKind.OUT_OF_LINES) if has_left else exited())


@pytest.mark.parametrize("close_from", [launcher.CLOSE_FROM, "a function that an older libc lacks"])
def test_a_program_inherits_no_descriptors_of_pitboss(compiled, monkeypatch, close_from):
    monkeypatch.setattr(launcher, "CLOSE_FROM", close_from)
    body, lines, events, _ = CASES["nothing else is open"]
    inheritable = os.dup(2)
    os.set_inheritable(inheritable, True)
    try:
        assert run_session("watched", compiled(f"{HEAD}int main(void) {{ {body} }}"), lines, events).events == events
    finally:
        os.close(inheritable)


@pytest.mark.parametrize("driver", DRIVERS)
def test_endless_output_is_cut_after_its_beginning(compiled, driver):
    path = compiled(f'{HEAD}int main(void) {{ for (;;) puts("flood"); }}')
    transcript = run_session(driver, path, [], (Shown(b"flood\n"),))
    assert transcript.ending == Ending(EndingKind.OVER_OUTPUT)
    assert transcript.text.startswith(b"flood\n" * 1000)
    assert transcript.bytes_dropped > 0


TRACING_DRIVERS = [driver for driver in DRIVERS if driver.startswith("watched")]
#: What only the tracing driver can know: the body of main, the lines to type, and the events and remarks.
TRACING_CASES = {
    "reads before its prompt is shown, which looks like a slow program": (
        'char a[9]; setvbuf(stdout, NULL, _IOFBF, 999); printf("? "); fgets(a, 9, stdin); printf("x\\n"); return 0;',
        [b"1"],
        (Typed(b"1"), Shown(b"? x\n")),
        (),
    ),
    "pauses shorter than any silence": (
        'puts("a"); for (int i = 0; i < 4; i++) usleep(1500); puts("b"); return 0;',
        [],
        (Shown(b"a\n"), Paused(6), Shown(b"b\n")),
        (),
    ),
    "children, and the order of all events": (
        'char b[99]; printf("x? "); fgets(b, 99, stdin); printf("%s", b); fflush(stdout);'
        ' system("echo five; sleep 1; echo late; read v; echo got $v");'
        ' printf("y? "); fgets(b, 99, stdin); printf("%s", b); freopen("/dev/null", "r", stdin);'
        ' printf("%d", getchar()); return 0;',
        [b"one", b"two", b"three"],
        (
            Shown(b"x? "),
            Typed(b"one"),
            Shown(b"one\nfive\n"),
            Paused(1000),
            Shown(b"late\n"),
            Typed(b"two"),
            Shown(b"got two\ny? "),
            Typed(b"three"),
            Shown(b"three\n-1"),
        ),
        (),
    ),
    "what a program did to its terminal": (
        "#include <termios.h>\nint main(void) { struct termios t; tcgetattr(0, &t); t.c_lflag |= ECHO; t.c_lflag &= ~ICANON;"
        ' tcsetattr(0, TCSANOW, &t); printf("? "); printf("%c", getchar()); close(0); return 0; }',
        [b"yes"],
        (Shown(b"? "), Typed(b"yes"), Shown(b"y")),
        (Remark.ECHO, Remark.RAW, Remark.CLOSED_INPUT),
    ),
}


@pytest.mark.rotates("drivers")
@pytest.mark.parametrize("driver", TRACING_DRIVERS)
@pytest.mark.parametrize("case", TRACING_CASES)
def test_the_tracing_driver_reports_what_only_it_can_know(compiled, case, driver):
    body, lines, events, remarks = TRACING_CASES[case]
    text = body if body.startswith("#include") else f"int main(void) {{ {body} }}"
    transcript = run_session(driver, compiled(HEAD + text), lines, None)
    assert (transcript.events, transcript.remarks, transcript.ending) == (events, remarks, exited())


@pytest.mark.parametrize("driver", [driver for driver in TRACING_DRIVERS if driver != "watched, real time"])
def test_a_hundred_sessions_do_not_disturb_one_another(compiled, driver):
    """The n-th session pauses n % 7 times, which would take too long in real time."""
    path = compiled(
        f'{HEAD}int main(void) {{ int n; char a[9]; printf("n? "); scanf("%d", &n); for (int i = 0; i < n % 7; i++)'
        ' { sleep(1); printf("%d\\n", i); } printf("more? "); scanf("%8s", a); printf("%d %s", n, a); return n; }'
    )
    scripts = [Script(script_of_lines([str(number).encode(), b"yes"])) for number in range(100)]
    with DRIVERS[driver](Program((str(path),), path.parent)) as sessions:
        transcripts = dict(sessions.sessions(scripts))
    assert sorted(transcripts) == list(range(100))
    for number, transcript in transcripts.items():
        assert transcript.events[-1] == Shown(f"{number} yes".encode())
        assert sum(event == Paused(1000) for event in transcript.events) == number % 7
        assert transcript.ending == exited(number)


def test_a_python_sleep_lasts_as_long_as_requested(reachable):
    path = reachable / "sleeps.py"
    path.write_text("import time\nfor s in (2, 0.5, 1.25, 0.1):\n    print(s)\n    time.sleep(s)\n")
    program = Program(("/usr/bin/python3", str(path)), reachable)
    with TracingDriver(program, LIMITS, NONE) as driver:
        for _, transcript in driver.sessions(Script(script_of_lines([])) for _ in range(40)):
            pauses = [event.duration_ms for event in transcript.events if isinstance(event, Paused)]
            assert pauses == [2000, 500, 1250, 100]


@pytest.mark.parametrize("driver", ["watched", "watched, Landlock", "watched, bubblewrap"])
def test_a_driver_that_is_left_early_leaves_nothing_running(compiled, driver, left_running):
    """The session that reads “e” ends; those that read “w” (119) wait for ever when the test leaves the driver."""
    path = compiled(f'{HEAD}int main(void) {{ char a; scanf("%c", &a); if (a == 119) for (;;) pause(); return 0; }}')
    program = Program((str(path),), path.parent)
    with DRIVERS[driver](program) as sessions:
        results = sessions.sessions(Script(script_of_lines([line])) for line in (b"e", b"w", b"w", b"w"))
        number, _ = next(results)
        assert number == 0
    assert left_running(path.name) == []


def test_the_memory_of_pitboss_does_not_count_for_a_program(compiled):
    """The peak memory that wait4 reports begins with that of the process which started the program."""
    ballast = bytearray(200 << 20)
    crashes = compiled(f"{HEAD}int main(void) {{ *(volatile int *)0 = 1; }}")
    transcript = run_session("watched", crashes, [], None)
    assert transcript.ending == Ending(EndingKind.SIGNALLED, signal="SIGSEGV")
    hog = compiled(f"{HEAD}int main(void) {{ for (;;) memset(malloc(1 << 16), 1, 1 << 16); }}")
    assert run_session("watched", hog, [], None).ending == Ending(EndingKind.OVER_MEMORY)
    del ballast


def test_a_fork_is_never_interrupted(compiled):
    """A shell gets a signal when a child ends; a fork interrupted by that signal would look like a failure to it."""
    body = 'char a[9]; fgets(a, 9, stdin); return system("echo a | cat | cat; echo b | cat");'
    path = compiled(f"{HEAD}int main(void) {{ {body} }}")
    with TracingDriver(Program((str(path),), path.parent), LIMITS, LANDLOCK) as driver:
        output = {
            transcript.events for _, transcript in driver.sessions(Script(script_of_lines([b"x"])) for _ in range(100))
        }
    assert output == {(Typed(b"x"), Shown(b"a\nb\n"))}


@pytest.mark.parametrize("sandbox", [LANDLOCK, BUBBLEWRAP], ids=lambda sandbox: sandbox.level.value)
def test_repeated_fork_bombs_are_stopped_and_leave_nothing_running(compiled, sandbox, left_running):
    path = compiled(f"{HEAD}int main(void) {{ for (;;) fork(); }}")
    with TracingDriver(Program((str(path),), path.parent), LIMITS, sandbox) as driver:
        endings = {transcript.ending.kind for _, transcript in driver.sessions([Script(script_of_lines(()))] * 6)}
    assert endings == {EndingKind.OVER_PROCESSES}
    assert left_running(path.name) == []
