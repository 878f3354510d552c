import os
import re
from pathlib import Path

import pytest

from pitboss.compare.results import Verdict
from pitboss.errors import RefusalError, SpecError
from pitboss.reports.report import as_text, report_of
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.explanations import explanation_of
from pitboss.submissions.native import write_compiler_scripts
from pitboss.submissions.sources import Source
from pitboss.submissions.toolchains import numbers_in
from tests.authors import ASSIGNMENT, MAIN, PLAYER

CONDITIONS = Conditions("watched", Sandbox(Level.NONE))
BIN = Path("/usr/bin")
COMPILERS = sorted(path.name for path in BIN.iterdir() if re.fullmatch(r"(?:gcc|clang)-\d+", path.name))
#: Slips that gcc 14 and clang 16 take for errors, and what is said of each.
SLIPS = {
    '#include <stdio.h>\nint main(void) { char word[8]; strcpy(word, "a"); return 0; }\n': "an #include is missing",
    "#include <stdio.h>\nmain() { return 0; }\n": "A type is missing",
    'int main(void) { char *text = "a"; int number = text; return number == 1; }\n': "A number is used where a text",
    "static void set(int *p) { *p = 1; }\nint main(void) { unsigned long a[2]; set(a); return 0; }\n": "different type",
    "static int f(int a) { if (a) return; return 1; }\nint main(void) { f(0); return 0; }\n": "must return a value",
    "static void f(void) { return 1; }\nint main(void) { f(); return 0; }\n": "declared void returns no value",
}
MAKEFILE = "a: a.c\n\tcc -Wall -Wextra -o a a.c\n"


@pytest.fixture
def use_compiler(tmp_path, monkeypatch):
    """A function that makes a command, which may be a script, the `cc` of this machine."""

    def use(target):
        (tmp_path / "bin").mkdir()
        if target.startswith("#!"):
            (tmp_path / "bin/cc").write_text(target)
            (tmp_path / "bin/cc").chmod(0o755)
        else:
            (tmp_path / "bin/cc").symlink_to(BIN / target)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    return use


def built(folder, text, *, makefile="", flags=()):
    (folder / "source").mkdir()
    (folder / "source/a.c").write_text(text)
    language, file = ("make", "Makefile") if makefile else ("c", "a.c")
    if makefile:
        (folder / "source/Makefile").write_text(makefile)
    return build(Source(folder / "source", language, file, "a", flags=flags), folder / "built", CONDITIONS)


@pytest.mark.parametrize(
    ("slip", "makefile"), [*((slip, "") for slip in SLIPS), (list(SLIPS)[1], MAKEFILE)], ids=range(len(SLIPS) + 1)
)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_slip_that_old_compilers_only_warn_of_is_a_warning(compiler, slip, makefile, use_compiler, tmp_path):
    use_compiler(compiler)
    result = built(tmp_path, slip, makefile=makefile)
    assert result.program is not None, result.messages
    assert "warning: " in result.messages
    explanation = explanation_of(result.messages)
    assert SLIPS[slip] in explanation
    assert explanation.endswith("This is an error with gcc 14 and later.")
    assert not (tmp_path / "built/.compilers").exists()


@pytest.mark.parametrize("makefile", [MAKEFILE, MAKEFILE.replace("cc", "cc -Werror")], ids=["flags", "makefile"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_an_author_may_ask_for_more(compiler, makefile, use_compiler, tmp_path):
    use_compiler(compiler)
    flags = () if "-Werror" in makefile else ("-Werror=implicit-int",)
    result = built(tmp_path, list(SLIPS)[1], makefile=makefile, flags=flags)
    assert (result.program, result.is_fault) == (None, False)
    assert "error: " in result.messages


def test_a_flag_that_the_compiler_does_not_know_is_a_fault(tmp_path):
    result = built(tmp_path, list(SLIPS)[1], flags=("-fno-such-flag",))
    assert (result.program, result.is_fault) == (None, True)
    assert "cc -fno-such-flag does not work here" in result.reason


GCC_12, GCC_14, GCC_9 = ("cc (Debian 12.2.0-14) 12.2.0", "cc (Debian 14.2.0-19) 14.2.0", "cc (GCC) 9.5.0")
CLANG = "Ubuntu clang version 18.1.3 (1ubuntu1)"


@pytest.mark.parametrize(
    ("version", "arguments", "expected"),
    {
        "old": (GCC_12, "a.c", "-std=gnu17 a.c"),
        "older": (GCC_9, "a.c", "-std=gnu17 a.c"),
        "new": (GCC_14, "a.c", "-fpermissive -std=gnu17 a.c"),
        "own standard": (GCC_14, "-std=c99 a.c", "-fpermissive -std=c99 a.c"),
        "strict": (GCC_14, "-Werror a.c", "-std=gnu17 -Werror a.c"),
        "C++": (GCC_14, "a.cpp", "a.cpp"),
        "link": (GCC_14, "a.o -o a", "a.o -o a"),
        "a blank": (GCC_14, "'a b.c'", "-fpermissive -std=gnu17 a b.c"),
    }.values(),
)
def test_a_script_adds_what_the_compiler_knows(version, arguments, expected, use_compiler, tmp_path):
    use_compiler(f'#!/bin/sh\n[ "$1" = --version ] && echo "{version}" || echo "$@"\n')
    write_compiler_scripts(tmp_path / "scripts", ())
    assert os.popen(f"{tmp_path}/scripts/cc {arguments}").read().strip() == expected


def test_a_script_turns_the_errors_of_clang_into_warnings(use_compiler, tmp_path):
    use_compiler(f'#!/bin/sh\n[ "$1" = --version ] && echo "{CLANG}" || echo "$@"\n')
    write_compiler_scripts(tmp_path / "scripts", ())
    assert "-Wno-error=implicit-int " in os.popen(f"{tmp_path}/scripts/cc a.c").read()


STATED = f"versions: {{python: VERSION}}\n{ASSIGNMENT}"


def test_a_machine_with_the_stated_version_checks_and_names_its_version(greet):
    report = greet.check_with(MAIN + PLAYER, assignment=STATED.replace("VERSION", "3.2"))
    assert report.verdict is Verdict.ACCEPTED
    assert re.fullmatch(r"Python 3\.\d+\.\d+", report.stages[0].tool)
    assert f"  built with {report.stages[0].tool}\n" in as_text(report_of(report))


def test_nothing_is_checked_with_an_older_version_than_the_assignment_states(greet):
    with pytest.raises(RefusalError) as caught:
        greet.check_with(MAIN + PLAYER, assignment=STATED.replace("VERSION", "3.100"), program="import (")
    expected = r"assignment.yaml: programs may need Python 3\.100, and this machine has Python 3\.\d+\.\d+"
    assert re.search(expected, str(caught.value))


def test_without_a_stated_version_a_compile_error_names_the_version(greet):
    report = greet.check_with(MAIN + PLAYER, program='print(f"{1 +}")\n')
    assert report.verdict is Verdict.COMPILE_ERROR
    assert f"\n  tried with {report.stages[0].tool}\n" in as_text(report_of(report))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("versions: {python: three}", "assignment.yaml:1: python is 'three' — it must be a version such as 3.12"),
        ("flags: [Werror]", "assignment.yaml:1: an item of flags is 'Werror' — it must be a flag that begins with -"),
    ],
)
def test_a_mistake_in_versions_or_flags_is_reported(greet, line, expected):
    with pytest.raises(SpecError, match=re.escape(expected)):
        greet.check_with(MAIN + PLAYER, assignment=f"{line}\n{ASSIGNMENT}")


MESSAGES = {
    "SyntaxError: f-string: unmatched '['": "Look for a missing bracket in this f-string. Before Python 3.12 ",
    "a.java:3: error: class, interface, enum, or record expected": "This is outside every class: often there is one } ",
    "a.java:3: error: unnamed classes are a preview feature and are disabled by default.": "This needs a newer version",
    "a.cs(1,2): error CS8652: The feature 'x' is currently in Preview and *unsupported*.": "This needs a newer version",
}


@pytest.mark.parametrize("message", MESSAGES, ids=range(len(MESSAGES)))
def test_an_error_that_a_newer_language_does_not_have_is_explained(message):
    assert explanation_of(message).startswith(MESSAGES[message])


@pytest.mark.parametrize(
    ("tool", "needed", "is_enough"),
    [
        ("Java 21", "21.0", True),
        ("gcc 9.4.0", "9.4", True),
        ("Java 21", "21.1", False),
        ("Python 3.9.1", "3.12", False),
    ],
)
def test_a_version_is_compared_by_its_numbers(tool, needed, is_enough):
    assert (numbers_in(tool) >= numbers_in(needed)) == is_enough
