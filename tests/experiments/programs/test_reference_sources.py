"""The source of a reference that is a command: it is found near the program that the command runs, and rebuilt."""

import os
import subprocess

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.experiments.programs.reference_sources import (
    Unbuildable,
    UnbuildableReason,
    files_that_may_change,
    source_of,
)
from pitboss.experiments.programs.running import ProgramRun, conditions_here
from pitboss.model.scripts import script_of_lines
from tests.built import compile_c

HELLO_C = '#include <stdio.h>\n#include "words.h"\nint main(int n, char **a) { printf("%s %s\\n", HELLO, n > 1 ? a[1] : "you"); }\n'
WORDS_H = '#define HELLO "hello"\n'
HELLO_PY = """\
import os
import sys
import words

with open(os.path.join(os.path.dirname(__file__), "name.txt")) as file:
    print(words.HELLO, sys.argv[1] if len(sys.argv) > 1 else file.read().strip())
"""
HELLO_JAVA = 'package say;\n\npublic class Hello {\n    public static void main(String[] a) { System.out.println("hello " + (a.length > 0 ? a[0] : Name.NAME)); }\n}\n'
NAME_JAVA = 'package say;\n\nclass Name {\n    static final String NAME = "you";\n}\n'


@pytest.fixture
def stage(reachable):
    """A function that writes an assignment with this command and these files, and returns its stage.

    `programs` are pairs of a program and its C source; each program is compiled.
    """

    def write_stage(command, files, programs=()):
        folder = reachable / "hello"
        for name, text in {
            "assignment.yaml": f"title: Hello\nseeded: no\nstages: [{{name: hello, reference: {{command: [{command}]}}}}]\n",
            "hello.yaml": "program: hello\ncases:\n  - {name: a, answers: [a]}\n",
            **files,
        }.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        for program, source in programs:
            (folder / program).parent.mkdir(parents=True, exist_ok=True)
            compile_c(folder / source, folder / program)
        (stage,) = load_assignment(folder).stages
        return stage

    return write_stage


def run_changed(source, reachable, **changes):
    """The output of the source's program, built with these texts of its files, in whose names _ stands for a dot."""
    source.copy(reachable / "copy")
    for name, text in changes.items():
        (path,) = (reachable / "copy" / file for file in source.files if file.endswith(name.replace("_", ".")))
        path.write_text(text)
    build = source.built(reachable / "copy", reachable / "build", conditions_here())
    assert build.program is not None, build
    assert build.program.folder == reachable / "build"
    run = ProgramRun("the changed program", lambda: build.program, source.stage, source.stage.limits)
    return run(script_of_lines([])).text.decode()


C_FILES = {"reference/hello.c": HELLO_C, "reference/words.h": WORDS_H, "reference/other.c": "int main(void) {}\n"}
#: By where the source is: the path of the program, and the files.
C_LAYOUTS = {
    "beside the program": ("reference/hello", C_FILES),
    "beside a program of another name": (
        "reference/right",
        {name: text for name, text in C_FILES.items() if "other" not in name},
    ),
    "in another folder": ("bin/hello", {name.replace("reference", "src"): text for name, text in C_FILES.items()}),
    "at the top": ("hello", {name.replace("reference/", ""): text for name, text in C_FILES.items()}),
    "elsewhere, the only one with a main": (
        "bin/right",
        {"src/hello.c": HELLO_C, "src/words.h": WORDS_H, "src/other.c": "int other(void) { return 1; }\n"},
    ),
}


@pytest.mark.parametrize("layout", C_LAYOUTS)
@pytest.mark.parametrize("argument", ["", "Ada"])
def test_a_c_program_is_built_from_its_source_and_included_headers(stage, reachable, layout, argument):
    program, files = C_LAYOUTS[layout]
    command = f"./{program}, {argument}" if argument else f"./{program}"
    source_path = next(name for name in files if name.endswith("hello.c"))
    source = source_of(stage(command, files, [(program, source_path)]))
    assert [os.path.basename(name) for name in source.files] == ["hello.c", "words.h"]
    assert run_changed(source, reachable, words_h='#define HELLO "good day"\n') == f"good day {argument or 'you'}\n"


def test_a_makefile_beside_the_program_builds_it(stage, reachable):
    makefile = "hello: main.c\n\tcc -DNAME='\"Bob\"' -o hello main.c\n"
    main = '#include <stdio.h>\nint main(void) { puts("hello " NAME); }\n'
    files = {"reference/Makefile": makefile, "reference/main.c": main, "reference/hello": "#!/bin/sh\n"}
    hello = stage("./reference/hello", files)
    (hello.spec.path.parent / "reference/hello").write_bytes(b"\x7fELF")  # as a compiled program begins
    (hello.spec.path.parent / "reference/hello").chmod(0o755)
    source = source_of(hello)
    assert (source.source.language, source.files) == ("make", ("reference/main.c",))
    assert run_changed(source, reachable, main_c=main.replace("hello", "good day")) == "good day Bob\n"


#: By how the script is run: the command, and the path of the script.
SCRIPTS = {
    "python": ("python3, ./reference/hello.py", "reference/hello.py"),
    "our own python": ("python, ./reference/hello.py", "reference/hello.py"),
    "with an argument": ("python3, ./reference/hello.py, Ada", "reference/hello.py"),
    "by its first line": ("./reference/hello", "reference/hello"),
    "at the top": ("python3, -B, ./hello.py", "hello.py"),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_run_by_the_same_command_with_its_modules_and_data(stage, reachable, name):
    command, script = SCRIPTS[name]
    folder = script.rpartition("/")[0]
    beside = f"{folder}/" if folder else ""
    files = {
        script: f"#!/usr/bin/env python3\n{HELLO_PY}",
        f"{beside}words.py": 'HELLO = "hello"\n',
        f"{beside}name.txt": "you\n",
    }
    hello = stage(command, {**files, f"{beside}reading.py": "print('no part of it')\n"})
    (hello.spec.path.parent / script).chmod(0o755)
    source = source_of(hello)
    assert source.files == (script, f"{beside}words.py")
    assert f"{beside}name.txt" in files_that_may_change(source)
    assert (
        run_changed(source, reachable, words_py='HELLO = "good day"\n')
        == f"good day {'Ada' if 'Ada' in command else 'you'}\n"
    )


@pytest.mark.needs("Java")
def test_a_java_class_is_found_by_its_name_on_the_class_path(stage, reachable):
    files = {"reference/src/say/Hello.java": HELLO_JAVA, "reference/src/say/Name.java": NAME_JAVA}
    hello = stage("java, -XX:+UseSerialGC, -cp, ./reference/classes:./reference, say.Hello, Ada", files)
    folder = hello.spec.path.parent / "reference"
    subprocess.run(["javac", "-d", folder / "classes", *folder.rglob("*.java")], check=True, timeout=120)
    source = source_of(hello)
    assert source.files == ("reference/src/say/Hello.java", "reference/src/say/Name.java")
    assert run_changed(source, reachable, Hello_java=HELLO_JAVA.replace('"hello "', '"good day "')) == "good day Ada\n"


@pytest.mark.needs("Mono")
def test_a_mono_assembly_is_built_from_the_source_of_the_same_name(stage, reachable):
    text = 'using System;\nclass Hello { static void Main(string[] a) { Console.WriteLine("hello " + a[0]); } }\n'
    source = source_of(
        stage("mono, ./reference/hello.exe, Ada", {"reference/hello.cs": text, "reference/hello.exe": "MZ"})
    )
    assert source.files == ("reference/hello.cs",)
    assert run_changed(source, reachable, hello_cs=text.replace("hello ", "good day ")) == "good day Ada\n"


@pytest.mark.needs("Lua")
def test_a_lua_script_is_its_own_source(stage, reachable):
    source = source_of(stage("lua5.4, ./reference/hello.lua", {"reference/hello.lua": "print('hello')\n"}))
    assert run_changed(source, reachable, hello_lua="print('good day')\n") == "good day\n"


def test_a_reference_without_a_source_is_unbuildable_with_a_reason(stage, reachable):
    files = {
        "bin/hello": "",
        "notes.txt": "",
        "mistakes/x/mistake.yaml": "title: x\nhint: X.\n",
        "mistakes/x/hello.c": "",
    }
    assert source_of(stage("/usr/bin/env", {})) == Unbuildable(UnbuildableReason.ELSEWHERE, "/usr/bin/env")
    outside = reachable / "outside.py"
    outside.write_text("")
    assert source_of(stage(f"python3, {outside}", {})) == Unbuildable(UnbuildableReason.ELSEWHERE, str(outside))
    assert source_of(stage("./bin/hello", files)) == Unbuildable(UnbuildableReason.NO_SOURCE, "bin/hello")
    assert source_of(stage("java, -cp, ./bin, Hello", files)) == Unbuildable(UnbuildableReason.NO_SOURCE, "bin")
    assert source_of(stage("java, -jar, ./bin/hello", files)) == Unbuildable(UnbuildableReason.NO_SOURCE, "bin/hello")
    two_sources = {**files, "src/one.c": "", "src/two.c": ""}
    assert source_of(stage("./bin/hello", two_sources)) == Unbuildable(UnbuildableReason.NO_SOURCE, "bin/hello")
