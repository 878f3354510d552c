import os
import shutil
import subprocess

import pytest

from pitboss.machine import abi
from pitboss.model.invocation import File, Invocation, Output, RunBefore, Script, script_of_lines
from pitboss.model.transcript import EndingKind, FileKind, Paused, Shown, Transcript, Typed, WrittenFile, exited
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.programs import Program
from pitboss.sessions.runs_before import DriverWithRuns
from pitboss.sessions.tracing.traced_session import TracedSession
from tests.counted import resources_in_use
from tests.sessions.test_conformance import DRIVERS, LIMITS

C_HEADERS = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <dirent.h>
"""
#: The drivers of quick test runs. The remaining drivers take longer, and their own tests cover how they differ.
QUICK_DRIVERS = ("watched", "watched, Landlock", "watched, bubblewrap with a process inside", "expecting")
with_every_driver = pytest.mark.parametrize(
    "driver", [pytest.param(name, marks=() if name in QUICK_DRIVERS else pytest.mark.slow) for name in DRIVERS]
)


def transcripts(driver, argv, folder, invocations, lines=(), expected=None):
    """Run one session for each invocation; return the transcripts."""
    with DRIVERS[driver](Program(argv, folder)) as sessions:
        scripts = [Script(script_of_lines(lines), expected, invocation=invocation) for invocation in invocations]
        return [transcript for _, transcript in sorted(sessions.sessions(scripts))]


def run_c(compiled, driver, body, *invocations, lines=(), expected=None):
    """Run a C program with this body of main; return the transcript of each invocation."""
    path = compiled(f"{C_HEADERS}int main(int argc, char **argv) {{ {body} return 0; }}")
    return transcripts(driver, (str(path),), path.parent, invocations, lines, expected)


@with_every_driver
def test_each_session_gets_its_own_arguments(compiled, driver):
    body = 'for (int i = 1; i < argc; i++) printf("[%s]", argv[i]); puts(".");'
    invocations = [Invocation(("two words", "", "-n", "ü")), Invocation(()), Invocation(("*",))]
    runs = run_c(compiled, driver, body, *invocations)
    assert [run.text.decode() for run in runs] == ["[two words][][-n][ü].\n", ".\n", "[*].\n"]


READS_AND_WRITES = """
    char text[99]; int count = 0; FILE *in = fopen("data/in.txt", "r"), *out = fopen("out.txt", "a");
    if (!in || !out) { puts("none"); return 0; }
    fgets(text, 99, in); fclose(in);
    fprintf(out, "%s!", text); fclose(out);
    in = fopen("data/in.txt", "w"); fputs("changed", in); fclose(in);
    for (DIR *d = opendir("."); readdir(d);) count++;
    printf("%s %d\\n", text, count);
"""


def test_arguments_do_not_change_the_random_bytes_of_a_program(compiled):
    """The kernel stores these bytes (AT_RANDOM) below the arguments, so longer arguments would move them."""
    body = 'for (int i = 0; i < 16; i++) printf("%02x", ((unsigned char *) getauxval(AT_RANDOM))[i]);'
    argument_lists = [()] * 5 + [("x" * 3000, "y")] * 5 + [("z",), (), ("x" * 3000, "y"), ()]
    runs = run_c(compiled, "watched", body, *(Invocation(arguments) for arguments in argument_lists))
    assert len({run.text for run in runs}) == 1 and len(runs[0].text) == 32


@with_every_driver
def test_each_session_finds_its_own_files_and_none_of_the_previous_session(compiled, driver):
    outputs = (Output("out.txt"), Output("data/in.txt"))
    invocations = [Invocation(files=(File("data/in.txt", text),), outputs=outputs) for text in (b"one", b"two", b"")]
    runs = run_c(compiled, driver, READS_AND_WRITES, *invocations)
    # The four entries of the folder are `.`, `..`, data and out.txt. The third text is undefined: its file is empty.
    assert [run.text for run in runs[:2]] == [b"one 4\n", b"two 4\n"]
    assert runs[2].written[1] == WrittenFile("data/in.txt", FileKind.REGULAR, b"changed")
    assert runs[1].written == (
        WrittenFile("out.txt", FileKind.REGULAR, b"two!"),
        WrittenFile("data/in.txt", FileKind.REGULAR, b"changed"),
    )
    assert runs[0].written[0].content == b"one!"


#: What a program leaves under the name of its output file, `x`: the C code that creates it, and how it is reported.
LEFT_AS_OUTPUT = {
    "nothing": ("", FileKind.MISSING),
    "an empty file": ('close(creat("x", 0644));', FileKind.REGULAR),
    "a link out of the folder": ('symlink("/etc/passwd", "x");', FileKind.LINK),
    "a dangling link": ('symlink("nowhere", "x");', FileKind.LINK),
    "a folder": ('mkdir("x", 0755);', FileKind.FOLDER),
    "a pipe": ('mkfifo("x", 0644);', FileKind.SPECIAL),
    "a file that nobody may read": ('close(creat("x", 0));', FileKind.CLOSED),
    "a file in a folder that nobody may enter": ('close(creat("x", 0644)); chmod(".", 0);', FileKind.CLOSED),
}


@with_every_driver
def test_output_files_of_other_kinds_are_reported_and_links_not_followed(compiled, driver):
    # Unless we are root, programs run as our own user and may not change modes, which would outlast the session.
    cases = {
        name: case
        for name, case in LEFT_AS_OUTPUT.items()
        if name != "a file in a folder that nobody may enter" or os.geteuid() == 0
    }
    # One program for all cases: its argument is the name of a case.
    body = " ".join(f'if (!strcmp(argv[1], "{name}")) {{ {code} }}' for name, (code, _) in cases.items())
    runs = run_c(compiled, driver, body, *(Invocation((name,), outputs=(Output("x"),)) for name in cases))
    assert [run.ending.kind for run in runs] == [EndingKind.EXITED] * len(cases)
    assert [run.written for run in runs] == [(WrittenFile("x", kind),) for _, kind in cases.values()]


@with_every_driver
def test_a_link_on_the_way_to_a_file_is_not_followed(compiled, driver):
    (run,) = run_c(compiled, driver, 'symlink("/etc", "d");', Invocation(outputs=(Output("d/passwd"),)))
    assert run.written == (WrittenFile("d/passwd", FileKind.LINK),)


@with_every_driver
def test_a_compared_standard_error_is_not_on_the_screen(compiled, driver):
    body = (
        'char a[9]; fputs("one\\n", stderr); printf("? "); fgets(a, 9, stdin); fprintf(stderr, "two %s", a); puts("b");'
    )
    expected = (Shown(b"? "), Typed(b"7"), Shown(b"b\n"))
    (run,) = run_c(compiled, driver, body, Invocation(stderr="compared"), lines=[b"7"], expected=expected)
    assert run.events == expected
    assert run.errors == b"one\ntwo 7\n"


@with_every_driver
def test_an_ignored_standard_error_is_not_on_the_screen_but_a_shown_one_is(compiled, driver):
    body = 'fputs("one\\n", stderr); puts("b");'
    ignored, shown = run_c(compiled, driver, body, Invocation(stderr="ignored"), Invocation(("a",)))
    assert (ignored.text, ignored.errors, ignored.complaint) == (b"b\n", None, b"one\n")
    assert (shown.text, shown.errors) == (b"one\nb\n", None)


@with_every_driver
def test_a_flood_on_the_standard_error_exceeds_the_output_limit(compiled, driver):
    (run,) = run_c(compiled, driver, 'for (;;) fputs("flood\\n", stderr);', Invocation(stderr="compared"))
    assert run.ending.kind is EndingKind.OVER_OUTPUT


@with_every_driver
@pytest.mark.parametrize("stderr", ["ignored", "compared"])
def test_python_prompts_are_on_the_screen_even_if_other_errors_are_not(reachable, driver, stderr):
    (reachable / "p.py").write_text(
        'import sys\nprint("log", file=sys.stderr)\nname = input("Name? ")\nprint("hi", name)\n'
    )
    expected = (Shown(b"Name? "), Typed(b"ada"), Shown(b"hi ada\n"))
    argv = ("/usr/bin/python3", str(reachable / "p.py"))
    (run,) = transcripts(driver, argv, reachable, [Invocation(stderr=stderr)], [b"ada"], expected)
    assert run.events == expected
    assert run.errors == (b"log\n" if stderr == "compared" else None)
    assert run.complaint == (b"log\n" if stderr == "ignored" else b"")


@pytest.mark.slow
@pytest.mark.needs("Java")
@pytest.mark.parametrize("driver", ["watched", "watched, Landlock"])
def test_the_standard_error_of_java_has_only_what_the_program_wrote(reachable, driver):
    (reachable / "P.java").write_text(
        'public class P { public static void main(String[] a) throws Exception { System.err.println("bad");'
        ' System.out.println(a[0]); java.nio.file.Files.writeString(java.nio.file.Path.of("o.txt"), "x\\n"); } }'
    )
    subprocess.run(["javac", "-d", reachable, reachable / "P.java"], check=True, timeout=60)
    program = Program(
        (shutil.which("java"), "-XX:+UseSerialGC", "-cp", str(reachable), "P"), reachable, has_runtime_threads=True
    )
    invocation = Invocation(("one",), outputs=(Output("o.txt"),), stderr="compared")
    with DRIVERS[driver](program) as sessions:
        ((_, run),) = sessions.sessions([Script(script_of_lines(()), invocation=invocation)])
    assert (run.text, run.errors) == (b"one\n", b"bad\n")
    assert run.written == (WrittenFile("o.txt", FileKind.REGULAR, b"x\n"),)


#: Reads single bytes, as no terminal would give them, and waits in the ways that are a wait for a line on a terminal.
READS_A_FILE = """
    char c; int count = 0, sum = 0; fd_set set; struct timeval wait = {9, 0}; struct pollfd input = {0, POLLIN};
    printf("tty %d, ", isatty(0)); printf("write %d, ", (int) write(0, "x", 1));
    FD_ZERO(&set); FD_SET(0, &set); printf("ready %d %d? ", select(1, &set, 0, 0, &wait), poll(&input, 1, 9000));
    while (read(0, &c, 1) == 1) count++, sum += (unsigned char) c;
    printf("%d bytes, %d\\n", count, sum);
"""


@with_every_driver
def test_a_standard_input_that_is_a_file_is_read_byte_by_byte_without_a_pause(compiled, driver):
    first, second = (Invocation(input_file=File("in.txt", text)) for text in (b"\x00\xff\r\n" * 3000 + b"end", b""))
    headers = "#include <poll.h>\n#include <sys/select.h>\n"
    path = compiled(f"{C_HEADERS}{headers}int main(void) {{ {READS_A_FILE} return 0; }}")
    for invocation, end in ((first, b"12003 bytes, 834311\n"), (second, b"0 bytes, 0\n")):
        expected = (Shown(b"tty 0, write -1, ready 1 1? " + end),)
        (run,) = transcripts(driver, (str(path),), path.parent, [invocation], expected=expected)
        assert (run.events, run.ending) == (expected, exited())


@with_every_driver
def test_sessions_with_and_without_an_input_file_follow_one_another(compiled, driver):
    body = 'char a[99] = ""; fgets(a, 99, stdin); printf("%d %s", isatty(0), a); fputs("error", stderr);'
    file = File("in.txt", b"file\nrest\n")
    invocations = [Invocation(input_file=file), Invocation(), Invocation(stderr="compared", input_file=file)]
    runs = [run_c(compiled, driver, body, invocation, lines=[b"typed"])[0] for invocation in invocations]
    assert [(run.text, run.errors) for run in runs] == [
        (b"0 file\nerror", None),
        (b"1 typed\nerror", None),
        (b"0 file\n", b"error"),
    ]
    assert [run.lines for run in runs] == [(), (b"typed",), ()]


@pytest.mark.parametrize("name", ["watched", "expecting"])
@pytest.mark.parametrize("level", [Level.LANDLOCK, Level.BUBBLEWRAP])
def test_sessions_of_all_kinds_are_run_in_any_order_and_stop_at_no_read_of_a_file(compiled, monkeypatch, name, level):
    stopped_calls = []

    def on_notification(session, listener, notification, original=TracedSession.on_notification):
        stopped_calls.append(notification.number)
        original(session, listener, notification)

    monkeypatch.setattr(TracedSession, "on_notification", on_notification)
    body = 'char c, kept[9] = ""; int count = 0; FILE *file = fopen("kept", "r"); if (file) fgets(kept, 9, file);'
    body += 'while (read(0, &c, 1) == 1) count++; printf("%s%d", kept, count);'
    body += 'if (file) fclose(file); file = fopen("kept", "w"); fputs(kept, file); fputs("+", file); fclose(file);'
    path = compiled(f"{C_HEADERS}int main(void) {{ {body} }}")
    file, run = File("in", b"x" * 2000), RunBefore((b"y",), ("kept",))
    kinds = [Invocation(input_file=file), Invocation(), Invocation(files=(), runs_before=(run, run), input_file=file)]
    kinds += [Invocation(files=(), runs_before=(run,)), kinds[1], kinds[0], kinds[0]]
    with Conditions(name, Sandbox(level)).driver_of(Program((str(path),), path.parent), LIMITS) as driver:
        scripts = [Script(script_of_lines([b"typed"]), invocation=invocation) for invocation in kinds]
        texts = [transcript.text for _, transcript in sorted(driver.sessions(scripts))]
    assert texts == [b"2000", b"6", b"++2000", b"+6", b"6", b"2000", b"2000"]
    assert stopped_calls.count(abi.NR["read"]) < 100


@with_every_driver
def test_an_input_file_can_be_opened_by_name(compiled, driver):
    body = 'char a[9] = "none"; FILE *in = fopen("/dev/stdin", "r"); if (in) fgets(a, 9, in); printf("%s", a);'
    expected = (Shown(b"ada\n"),)
    (run,) = run_c(compiled, driver, body, Invocation(input_file=File("in.txt", b"ada\n")), expected=expected)
    assert (run.events, run.ending) == (expected, exited())


@with_every_driver
def test_a_python_program_reads_a_file_and_its_pauses_are_those_of_the_program(reachable, driver):
    (reachable / "p.py").write_text(
        "import sys, time\nname = input('Name? ')\ntime.sleep(1)\nprint(name, sum(map(int, sys.stdin)))\n"
        "try:\n    input()\nexcept EOFError:\n    print('end')\n"
    )
    expected = (Shown(b"Name? "), Paused(1000), Shown(b"ada 6\nend\n"))
    argv = ("/usr/bin/python3", str(reachable / "p.py"))
    invocation = Invocation(input_file=File("in.txt", b"ada\n1\n2\n3"))
    (run,) = transcripts(driver, argv, reachable, [invocation], expected=expected)
    assert (run.events, run.ending) == (expected, exited())


@with_every_driver
def test_an_invocation_leaves_nothing_open(compiled, driver):
    invocation = Invocation(("a",), (File("x", b"y"),), (Output("x"),), "compared", input_file=File("in", b"y"))
    run_c(compiled, driver, 'puts("a");', invocation)
    before = open_resources()
    run_c(compiled, driver, 'puts("a");', invocation, invocation, invocation)
    assert open_resources() == before


def open_resources():
    """What this process has open or running, without folders, which other tests create at the same time."""
    return {kind: names for kind, names in resources_in_use().items() if kind != "folders"}


@with_every_driver
def test_a_program_inherits_no_open_file_of_pitboss(compiled, driver):
    body = 'for (int i = 3; i < 70000; i++) if (fcntl(i, F_GETFD) != -1) printf("%d ", i); puts(".");'
    invocation = Invocation(("a",), (File("x", b"y"),), (Output("x"),), "compared", input_file=File("in", b"y"))
    assert [run.text for run in run_c(compiled, driver, body, invocation, Invocation(("a",)))] == [b".\n", b".\n"]


def test_a_child_that_would_write_a_file_later_is_a_process_left_behind(compiled):
    body = 'if (fork() == 0) { sleep(5); close(creat("x", 0644)); _exit(0); }'
    (run,) = run_c(compiled, "watched", body, Invocation(outputs=(Output("x"),)))
    assert (run.ending.kind, run.written) == (EndingKind.LEFT_PROCESSES, ())


def test_sessions_of_all_kinds_in_turn_are_run_in_one_go_for_each_kind():
    """A driver runs many sessions at once only if it is given them together."""

    class Counted:
        def __init__(self):
            self.groups = []

        def sessions(self, scripts):
            self.groups.append(list(scripts))
            yield from ((index, Transcript((), exited())) for index in range(len(self.groups[-1])))

    driver = Counted()
    with_file = Invocation(input_file=File("numbers", b"1\n"))
    after_run = Invocation(runs_before=(RunBefore((), ()),))
    scripts = [Script(script_of_lines(()), invocation=kind) for kind in (Invocation(), with_file, after_run)] * 3
    numbers = [number for number, _ in DriverWithRuns(driver).sessions(scripts)]
    assert sorted(numbers) == list(range(9))
    assert sorted(map(len, driver.groups)) == [1] * 6 + [3, 3]  # each run before a session, and each session after it
