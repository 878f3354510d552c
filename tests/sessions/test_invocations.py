"""What a session has besides its terminal is the same under every driver and sandbox: arguments, files, standard error."""

import os
import shutil
import subprocess

import pytest

from pitboss.model.invocation import File, Invocation, Output
from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import EndingKind, FileKind, Shown, Typed, WrittenFile
from pitboss.sessions.programs import Program
from tests.counted import counted
from tests.sessions.test_conformance import DRIVERS

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <dirent.h>
"""
#: The others take longer, and differ from these only in what the tests of each driver see.
QUICK = ("watched", "watched, Landlock", "watched, bubblewrap with a process inside", "expecting")
EVERYWHERE = pytest.mark.parametrize(
    "driver", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in DRIVERS]
)


def transcripts(driver, argv, folder, invocations, lines=(), expected=None):
    with DRIVERS[driver](Program(argv, folder)) as sessions:
        scripts = [Script(typing(lines), expected, invocation=invocation) for invocation in invocations]
        return [transcript for _, transcript in sorted(sessions.sessions(scripts))]


def of_c(compiled, driver, body, *invocations, lines=(), expected=None):
    path = compiled(f"{HEAD}int main(int argc, char **argv) {{ {body} return 0; }}")
    return transcripts(driver, (str(path),), path.parent, invocations, lines, expected)


@EVERYWHERE
def test_arguments_are_those_of_the_session(compiled, driver):
    body = 'for (int i = 1; i < argc; i++) printf("[%s]", argv[i]); puts(".");'
    invocations = [Invocation(("two words", "", "-n", "ü")), Invocation(()), Invocation(("*",))]
    output = of_c(compiled, driver, body, *invocations)
    assert [one.text.decode() for one in output] == ["[two words][][-n][ü].\n", ".\n", "[*].\n"]


READS_AND_WRITES = """
    char text[99]; int count = 0; FILE *in = fopen("data/in.txt", "r"), *out = fopen("out.txt", "a");
    if (!in || !out) { puts("none"); return 0; }
    fgets(text, 99, in); fclose(in);
    fprintf(out, "%s!", text); fclose(out);
    in = fopen("data/in.txt", "w"); fputs("changed", in); fclose(in);
    for (DIR *d = opendir("."); readdir(d);) count++;
    printf("%s %d\\n", text, count);
"""


def test_arguments_move_nothing_that_a_world_gives(compiled):
    """The first random bytes of a program lie below its arguments: where they were in other sessions is no place now."""
    body = 'for (int i = 0; i < 16; i++) printf("%02x", ((unsigned char *) getauxval(AT_RANDOM))[i]);'
    arguments = [()] * 5 + [("x" * 3000, "y")] * 5 + [("z",), (), ("x" * 3000, "y"), ()]
    output = of_c(compiled, "watched", body, *(Invocation(given) for given in arguments))
    assert len({one.text for one in output}) == 1 and len(output[0].text) == 32


@EVERYWHERE
def test_each_session_finds_its_files_and_nothing_of_the_one_before(compiled, driver):
    outputs = (Output("out.txt"), Output("data/in.txt"))
    invocations = [Invocation(files=(File("data/in.txt", text),), outputs=outputs) for text in (b"one", b"two", b"")]
    output = of_c(compiled, driver, READS_AND_WRITES, *invocations)
    assert [one.text for one in output] == [b"one 4\n", b"two 4\n", output[2].text]
    assert output[1].written == (
        WrittenFile("out.txt", FileKind.REGULAR, b"two!"),
        WrittenFile("data/in.txt", FileKind.REGULAR, b"changed"),
    )
    assert output[0].written[0].content == b"one!"


LEFT = {
    "nothing": ("", FileKind.MISSING),
    "an empty file": ('close(creat("x", 0644));', FileKind.REGULAR),
    "a link out of the folder": ('symlink("/etc/passwd", "x");', FileKind.LINK),
    "a dangling link": ('symlink("nowhere", "x");', FileKind.LINK),
    "a folder": ('mkdir("x", 0755);', FileKind.FOLDER),
    "a pipe": ('mkfifo("x", 0644);', FileKind.SPECIAL),
    "a closed file": ('close(creat("x", 0));', FileKind.CLOSED),
    "a file in a closed folder": ('close(creat("x", 0644)); chmod(".", 0);', FileKind.CLOSED),
}


@EVERYWHERE
def test_what_is_no_file_is_reported_and_never_followed(compiled, driver):
    # A program of our own user changes no modes, where it is confined: that would be a note for its next session.
    left = {name: of for name, of in LEFT.items() if name != "a file in a closed folder" or os.geteuid() == 0}
    body = f"char *s = argv[1]; {' '.join(f'if (!strcmp(s, {chr(34)}{k}{chr(34)})) {{ {v[0]} }}' for k, v in left.items())}"
    output = of_c(compiled, driver, body, *(Invocation((name,), outputs=(Output("x"),)) for name in left))
    assert [one.ending.kind for one in output] == [EndingKind.EXITED] * len(left)
    assert [one.written for one in output] == [(WrittenFile("x", kind),) for _, kind in left.values()]


@EVERYWHERE
def test_a_link_on_the_way_to_a_file_is_not_followed(compiled, driver):
    (output,) = of_c(compiled, driver, 'symlink("/etc", "d");', Invocation(outputs=(Output("d/passwd"),)))
    assert output.written == (WrittenFile("d/passwd", FileKind.LINK),)


@EVERYWHERE
def test_a_standard_error_that_is_compared_is_not_on_the_screen(compiled, driver):
    body = (
        'char a[9]; fputs("one\\n", stderr); printf("? "); fgets(a, 9, stdin); fprintf(stderr, "two %s", a); puts("b");'
    )
    expected = (Shown(b"? "), Typed(b"7"), Shown(b"b\n"))
    (output,) = of_c(compiled, driver, body, Invocation(stderr="compared"), lines=[b"7"], expected=expected)
    assert output.events == expected
    assert output.errors == b"one\ntwo 7\n"


@EVERYWHERE
def test_an_ignored_standard_error_is_nowhere_and_a_shown_one_on_the_screen(compiled, driver):
    body = 'fputs("one\\n", stderr); puts("b");'
    ignored, output = of_c(compiled, driver, body, Invocation(stderr="ignored"), Invocation(("a",)))
    assert (ignored.text, ignored.errors, ignored.complaint) == (b"b\n", None, b"one\n")
    assert (output.text, output.errors) == (b"one\nb\n", None)


@EVERYWHERE
def test_a_flood_of_errors_is_a_flood(compiled, driver):
    (output,) = of_c(compiled, driver, 'for (;;) fputs("flood\\n", stderr);', Invocation(stderr="compared"))
    assert output.ending.kind is EndingKind.OVER_OUTPUT


@EVERYWHERE
@pytest.mark.parametrize("stderr", ["ignored", "compared"])
def test_the_prompts_of_python_are_on_the_screen(reachable, driver, stderr):
    (reachable / "p.py").write_text(
        'import sys\nprint("log", file=sys.stderr)\nname = input("Name? ")\nprint("hi", name)\n'
    )
    expected = (Shown(b"Name? "), Typed(b"ada"), Shown(b"hi ada\n"))
    argv = ("/usr/bin/python3", str(reachable / "p.py"))
    (output,) = transcripts(driver, argv, reachable, [Invocation(stderr=stderr)], [b"ada"], expected)
    assert output.events == expected
    assert output.errors == (b"log\n" if stderr == "compared" else None)
    assert output.complaint == (b"log\n" if stderr == "ignored" else b"")


@pytest.mark.slow
@pytest.mark.needs("Java")
@pytest.mark.parametrize("driver", ["watched", "watched, Landlock"])
def test_what_a_java_program_writes_to_its_errors_is_all_that_is_there(reachable, driver):
    (reachable / "P.java").write_text(
        'public class P { public static void main(String[] a) throws Exception { System.err.println("bad");'
        ' System.out.println(a[0]); java.nio.file.Files.writeString(java.nio.file.Path.of("o.txt"), "x\\n"); } }'
    )
    subprocess.run(["javac", "-d", reachable, reachable / "P.java"], check=True, timeout=60)
    program = Program(
        (shutil.which("java"), "-XX:+UseSerialGC", "-cp", str(reachable), "P"), reachable, reserves_memory=True
    )
    invocation = Invocation(("one",), outputs=(Output("o.txt"),), stderr="compared")
    with DRIVERS[driver](program) as sessions:
        ((_, output),) = sessions.sessions([Script(typing(()), invocation=invocation)])
    assert (output.text, output.errors) == (b"one\n", b"bad\n")
    assert output.written == (WrittenFile("o.txt", FileKind.REGULAR, b"x\n"),)


@EVERYWHERE
def test_nothing_of_a_invocation_stays_open(compiled, driver):
    invocation = Invocation(("a",), (File("x", b"y"),), (Output("x"),), "compared")
    of_c(compiled, driver, 'puts("a");', invocation)
    before = _open()
    of_c(compiled, driver, 'puts("a");', invocation, invocation, invocation)
    assert _open() == before


def _open():
    """Without folders, which others make too."""
    return {name: found for name, found in counted().items() if name != "folders"}


@EVERYWHERE
def test_a_program_gets_no_file_of_ours_with_its_outfit(compiled, driver):
    body = 'for (int i = 3; i < 70000; i++) if (fcntl(i, F_GETFD) != -1) printf("%d ", i); puts(".");'
    invocation = Invocation(("a",), (File("x", b"y"),), (Output("x"),), "compared")
    assert [one.text for one in of_c(compiled, driver, body, invocation, Invocation(("a",)))] == [b".\n", b".\n"]


def test_a_child_that_writes_after_the_end_is_no_file_but_a_program_left_running(compiled):
    body = 'if (fork() == 0) { sleep(5); close(creat("x", 0644)); _exit(0); }'
    (output,) = of_c(compiled, "watched", body, Invocation(outputs=(Output("x"),)))
    assert (output.ending.kind, output.written) == (EndingKind.LEFT_PROCESSES, ())
