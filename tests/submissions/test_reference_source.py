import os
import shutil
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import SpecError
from pitboss.experiments.programs.running import ProgramRun, conditions_here
from pitboss.model.invocation import script_of_lines
from pitboss.sessions import executables
from pitboss.sessions.drivers import expected_run_here
from pitboss.submissions import reference_source as references
from pitboss.submissions.reference_source import reference_source

HELLO_C = '#include <stdio.h>\n#include "words.h"\nint main(void) { puts(HELLO " you"); }\n'
WORDS_H = '#define HELLO "hello"\n'
HELLO_PY = """\
import os
import words

with open(os.path.join(os.path.dirname(__file__), "name.txt")) as file:
    print(words.HELLO, file.read().strip())
"""
HELLO_JAVA = 'package say;\n\npublic class Hello {\n    public static void main(String[] a) { System.out.println("hello " + Name.NAME); }\n}\n'
NAME_JAVA = 'package say;\n\nclass Name {\n    static final String NAME = "you";\n}\n'


@pytest.fixture
def stage(reachable):
    """A function that writes an assignment with this source as reference and these files, and returns its stage."""

    def write_stage(source, files, further_lines=""):
        folder = reachable / "hello"
        for name, text in {
            "assignment.yaml": f"title: Hello\nseeded: no\nstages:\n  - name: hello\n    reference: {source}\n{further_lines}",
            "hello.yaml": "program: hello\ncases:\n  - {name: a, answers: [a]}\n",
            **files,
        }.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        (stage,) = load_assignment(folder).stages
        return stage

    return write_stage


def source_of(stage):
    (path,) = stage.reference.command
    return reference_source(stage, Path(path))


def run_reference(stage):
    return expected_run_here(stage)(script_of_lines([])).text.decode()


def run_changed(stage, reachable, **changes):
    """The output of the program, built with these texts of its files, in whose names _ stands for a dot."""
    source = source_of(stage)
    source.copy(reachable / "copy")
    for name, text in changes.items():
        (path,) = (reachable / "copy" / file for file in source.code_files if file.endswith(name.replace("_", ".")))
        path.write_text(text)
    build = source.built(reachable / "copy", reachable / "build", conditions_here())
    assert build.program is not None, build
    run = ProgramRun("the changed program", lambda: build.program, stage, stage.limits)
    return run(script_of_lines([])).text.decode()


C_FILES = {"hello.c": HELLO_C, "words.h": WORDS_H, "other.c": "int main(void) {}\n"}


@pytest.mark.parametrize("folder", ["", "reference/", "src/deep/"])
def test_a_c_program_is_built_with_the_headers_that_it_includes(stage, reachable, folder):
    files = {f"{folder}{name}": text for name, text in C_FILES.items()}
    hello = stage(f"{folder}hello.c", {**files, "submissions/ada/hello.c": "int main(void) {}\n"})
    assert run_reference(hello) == "hello you\n"
    source = source_of(hello)
    assert source.code_files == [f"{folder}hello.c", f"{folder}words.h"]
    assert sorted(source.texts()) == sorted(files)  # neither the spec nor the submissions
    assert run_changed(hello, reachable, words_h='#define HELLO "good day"\n') == "good day you\n"


def test_a_makefile_beside_the_source_builds_it(stage, reachable):
    main = '#include <stdio.h>\nint main(void) { puts("hello " NAME); }\n'
    makefile = "hello: hello.c\n\tcc -DNAME='\"Bob\"' -o hello hello.c\n"
    hello = stage("reference/hello.c", {"reference/Makefile": makefile, "reference/hello.c": main})
    assert (source_of(hello).source.language, source_of(hello).code_files) == ("make", ["reference/hello.c"])
    assert run_reference(hello) == "hello Bob\n"
    assert run_changed(hello, reachable, hello_c=main.replace("hello", "good day")) == "good day Bob\n"


def test_files_of_the_course_are_built_with_the_source(stage):
    files = {"given/words.h": WORDS_H, "reference/hello.c": HELLO_C}
    assert (
        run_reference(stage("reference/hello.c", files, "    given: given\n    sources: [hello.c]\n")) == "hello you\n"
    )


def test_a_script_is_run_with_its_modules_and_data(stage, reachable):
    files = {"hello.py": HELLO_PY, "words.py": 'HELLO = "hello"\n', "name.txt": "you\n", "other.py": "print('no')\n"}
    hello = stage("reference/hello.py", {f"reference/{name}": text for name, text in files.items()})
    assert run_reference(hello) == "hello you\n"
    assert source_of(hello).code_files == ["reference/hello.py", "reference/words.py"]
    assert run_changed(hello, reachable, words_py='HELLO = "good day"\n') == "good day you\n"


@pytest.mark.needs("Java")
@pytest.mark.parametrize("folder", ["", "reference/src/"])
def test_a_java_package_is_built_from_its_root(stage, reachable, folder):
    files = {f"{folder}say/Hello.java": HELLO_JAVA, f"{folder}say/Name.java": NAME_JAVA}
    hello = stage(f"{folder}say/Hello.java", files)
    assert run_reference(hello) == "hello you\n"
    assert source_of(hello).code_files == list(files)
    assert run_changed(hello, reachable, Hello_java=HELLO_JAVA.replace('"hello "', '"good day "')) == "good day you\n"


@pytest.mark.needs(".NET")
def test_a_c_sharp_source_runs_like_a_submission_of_it(stage):
    text = 'Console.Write("Name? ");\nConsole.WriteLine($"hello {Console.ReadLine()}");\n'
    hello = stage("reference/Program.cs", {"reference/Program.cs": text})
    assert expected_run_here(hello)(script_of_lines([b"Ada"])).text == b"Name? hello Ada\n"


def test_a_program_is_kept_by_its_content(stage, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PITBOSS_WITHOUT", raising=False)
    builds, real_build = [], references.build
    monkeypatch.setattr(references, "build", lambda *given, **flags: builds.append(1) or real_build(*given, **flags))
    files = {f"reference/{name}": text for name, text in C_FILES.items()}
    hello = stage("reference/hello.c", files)

    def output_in_another_process():
        monkeypatch.setattr(references, "_programs", {})
        return run_reference(hello)

    assert [output_in_another_process() for _ in range(3)] == ["hello you\n"] * 3
    assert len(builds) == 1
    (hello.spec.path.parent / "reference/words.h").write_text('#define HELLO "good day"\n')
    assert output_in_another_process() == "good day you\n"
    assert len(builds) == 2


def test_a_source_that_cannot_be_built_is_reported_with_its_line(stage):
    hello = stage("reference/hello.c", {"reference/hello.c": "int main(void) {\n    retrun 0;\n}\n"})
    with pytest.raises(SpecError) as error:
        run_reference(hello)
    path = os.path.relpath(hello.spec.path.parent / "reference/hello.c")
    reason = "cannot be built: cc could not build hello: hello.c:2:5: error: "
    assert str(error.value).startswith(f"{path}: the reference of 'hello' {reason}")


def test_a_failing_reference_is_called_by_its_source(stage):
    hello = stage("reference/hello.c", {"reference/hello.c": "int main(void) { __builtin_trap(); }\n"})
    path = hello.spec.path.parent.resolve() / "reference/hello.c"
    with pytest.raises(SpecError, match=f"^{path}: the reference did not end by itself: "):
        run_reference(hello)
    assert executables._sources


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("reference/hallo.c", "there is no such file in "),
        ("reference", "write it as package.module:function"),
        ("../outside.c", "it must be in "),
    ],
)
def test_a_source_must_be_a_file_of_the_assignment(stage, reachable, source, sentence):
    (reachable / "outside.c").write_text("int main(void) {}\n")
    with pytest.raises(SpecError) as error:
        stage(source, {"reference/hello.c": HELLO_C})
    assert str(error.value).startswith(f"{reachable}/hello/assignment.yaml:5: reference is {source!r} — {sentence}")


def test_a_missing_compiler_is_reported_once_before_anything_runs(stage, pitboss, tmp_path):
    hello = stage("reference/Hello.java", {"reference/Hello.java": "class Hello {}\n"}).spec.path.parent
    commands = tmp_path / "bin"
    commands.mkdir()
    for name in ("python3", "sh", "cc", "as", "ld"):
        (commands / name).symlink_to(shutil.which(name))
    for command in (["verify"], ["check", hello / "reference"], ["grade", hello]):
        done = pitboss(*command, "-a", hello, PATH=str(commands))
        assert (done.code, done.out) == (2, "")
        assert done.err.endswith(
            "/reference/Hello.java: this machine has no javac to build it with; on Debian: apt install default-jdk-headless\n"
        )
        assert done.err.count("\n") == 1
