"""References that are commands: one that fails is a fault of ours, and no student is held to what it shows."""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.errors import SpecError
from pitboss.kits.verification import problems_of
from pitboss.model.scripts import typing
from pitboss.model.transcript import InputEnded, Shown, Typed
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.executables import program_of
from pitboss.sessions.job import Job

ASSIGNMENT = """\
title: Greetings
seeded: no
limits: {memory_mb: 64}
stages:
  - {name: greet, reference: {command: [./greet]}}
players:
  ada: [{prompt: "Name? ", answers: [Ada]}]
  nobody: [{prompt: "Name? ", answers: [<eof>]}]
"""
SPEC = "program: greet\ncases:\n  - {name: by ada, player: ada}\n"
GREET = '#include <stdio.h>\nint main(void) {\n    char name[99];\n    printf("Name? ");\n    scanf("%98s", name);\n    printf("Hello %s!\\n", name);\n    return CODE;\n}\n'
NOT_HELD = "This session could not be run, which is not the program's fault: "

PYTHON, BASH, SHELL = "#!/usr/bin/env python3\n", "#!/bin/bash\n", "#!/bin/sh\n"
ASKS = 'printf "Name? "\nread name\necho "Hello $name!"\n'


@pytest.fixture
def tried(tmp_path, monkeypatch):
    """Check a right program against a reference of this text."""

    monkeypatch.setattr("pitboss.sessions.executables._CPU_S", 2)

    def check_against(reference, *, spec=SPEC, code=0, assignment=ASSIGNMENT):
        specs = tmp_path / "specs"
        specs.mkdir()
        (specs / "assignment.yaml").write_text(assignment)
        (specs / "greet.yaml").write_text(spec)
        (specs / "greet").write_text(reference)
        (specs / "greet").chmod(0o755)
        (tmp_path / "submission").mkdir()
        (tmp_path / "submission" / "greet.c").write_text(GREET.replace("CODE", str(code)))
        loaded = load_assignment(specs)
        job = Job(loaded, loaded.stages, find_conditions("watched", "none"), "it")
        return loaded.stages[0], check(job, tmp_path / "submission", count=1)

    return check_against


RIGHT = {
    "Python asks on the standard error": PYTHON + 'print("Hello " + input("Name? ") + "!")\n',
    "Python with readline asks on the output": PYTHON + 'import readline\nprint("Hello " + input("Name? ") + "!")\n',
    "a shell": SHELL + ASKS,
    "a shell that asks on the standard error": BASH + 'read -p "Name? " name\necho "Hello $name!"\n',
    "more memory than a student has": PYTHON + 'x = b"x" * (300 << 20)\nprint("Hello " + input("Name? ") + "!")\n',
    "more time than a student has": PYTHON
    + 'from resource import RUSAGE_SELF, getrusage\nwhile sum(getrusage(RUSAGE_SELF)[:2]) < 1.2: pass\nprint("Hello " + input("Name? ") + "!")\n',
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_program_is_accepted(tried, name):
    stage, report = tried(RIGHT[name])
    assert (report.verdict, report.faults) == (Verdict.ACCEPTED, ())
    output = expected_run_here(stage)(typing([b"Ada"]))
    assert output.events == (Shown(b"Name? "), Typed(b"Ada"), Shown(b"Hello Ada!\n"))
    assert problems_of(stage, "it") == []


PLACE = "{specs}/greet.yaml:3"
FAILING = {
    "it ends with another code": (
        SHELL + ASKS + "exit 3\n",
        f"{PLACE}: the reference ended with exit code 3 and printed “Hello Ada!”; the case expects 0 — fix the reference, or write `exit: 3`",
    ),
    "it is a Python that fails": (
        PYTHON + 'name = input("Name? ")\nprint("Hello", nam)\n',
        f"{PLACE}: the reference ended with exit code 1 and printed “NameError: name 'nam' is not defined. Did you mean: "
        "'name'?”; the case expects 0 — fix the reference, or write `exit: 1`",
    ),
    "it complains before it asks": (
        SHELL + "echo missing parts >&2\n" + ASKS,
        f"{PLACE}: the reference wrote “missing parts” to its standard error — fix the reference, or have its "
        "standard error compared: `stderr: compared` in the stage",
    ),
    "it complains and goes on": (
        BASH + 'read -p "Name? " name\nechoo x\necho "Hello $name!"\n',
        f"{PLACE}: the reference wrote “{{specs}}/greet: line 3: echoo: command not found” to its standard "
        "error — fix the reference, or have its standard error compared: `stderr: compared` in the stage",
    ),
    "it is another machine's": (
        "\x7fELF and no more",
        "{specs}/greet: the reference cannot be started: Exec format error",
    ),
    "its interpreter is missing": (
        "#!/usr/bin/pyhton\n",
        "{specs}/greet: the reference cannot be started: its first line names a program that does not exist",
    ),
    "it kills itself": (
        SHELL + "kill -9 $$\n",
        "{specs}/greet: the reference did not end by itself: SIGKILL",
    ),
    "it never ends": (
        SHELL + "while :; do :; done\n",
        "{specs}/greet: the reference did not end by itself: out of CPU time",
    ),
    "it has not enough memory": (
        SHELL + "ulimit -v 30000\nexec python3 -c 'x = b\"x\" * (300 << 20)'\n",
        f"{PLACE}: the reference ended with exit code 1 and printed “MemoryError”; the case expects 0 — fix the reference, "
        "or write `exit: 1`",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_reference_that_fails_is_our_fault(tried, tmp_path, name):
    reference, output = FAILING[name]
    stage, report = tried(reference)
    output = output.format(specs=tmp_path / "specs")
    assert (report.verdict, len(report.faults)) == (Verdict.JUDGE_ERROR, 1)
    assert report.faults == (NOT_HELD + output,)
    assert problems_of(stage, "it") == [output if ".yaml:3" in output else f"{tmp_path}/specs/greet.yaml:3: {output}"]


def test_an_exit_code_that_the_case_names_is_expected(tried):
    stage, report = tried(SHELL + ASKS + "exit 3\n", spec=SPEC.replace("player: ada", "player: ada, exit: 3"), code=3)
    assert (report.verdict, report.faults) == (Verdict.ACCEPTED, ())
    assert problems_of(stage, "it") == []


def test_an_exit_code_that_the_case_names_and_the_reference_does_not_have_is_our_fault(tried, tmp_path):
    stage, report = tried(SHELL + ASKS, spec=SPEC.replace("player: ada", "player: ada, exit: 3"))
    place = f"{tmp_path}/specs/greet.yaml:3"
    output = f"{place}: the reference ended with exit code 0 and printed “Hello Ada!”; the case expects 3 — fix the reference, or write `exit: 0`"
    assert report.faults == (NOT_HELD + output,)
    assert problems_of(stage, "it") == [output]


def test_questions_after_the_end_of_input_are_shown_where_they_stand(tried):
    """Nobody is asked for a line then, so which part of the standard error is a question cannot be told."""
    asks = (
        "for question in ('Name? ', 'Really? '):\n    try:\n        input(question)\n"
        "    except EOFError:\n        print('none')\n"
    )
    stage, _ = tried(PYTHON + asks, spec=SPEC.replace("ada", "nobody"))
    output = expected_run_here(stage)(typing([]))
    assert output.events == (Shown(b"Name? "), InputEnded(), Shown(b"none\nReally? "), InputEnded(), Shown(b"none\n"))
    assert problems_of(stage, "it") == []


def test_a_command_that_there_is_not_is_reported_before_anything_is_run(tried, tmp_path):
    with pytest.raises(SpecError) as refused:
        tried(SHELL, assignment=ASSIGNMENT.replace("./greet", "greeet"))
    assert str(refused.value) == (
        f"{tmp_path}/specs/assignment.yaml: the reference of 'greet' cannot be started: 'greeet' is not on the PATH "
        "(/usr/local/bin:/usr/bin:/bin) — install it, or name a program in this folder, such as ./meter"
    )


NO_PROGRAM = {
    "not executable": ("./greet", "{specs}/greet is not executable — run: chmod +x {specs}/greet"),
    "missing": ("./gret", "there is no file {specs}/gret"),
    "not built": ("./meet", "there is no file {specs}/meet — build it there: meet.c is its source"),
    "a folder": ("./", "specs is a folder, not a program"),
    "without a slash": (
        "greet",
        "'greet' is not on the PATH — to run the file beside assignment.yaml, write ./greet",
    ),
    "a text": (
        "./text",
        "text is text, not a program; a script begins with a line that names its interpreter, such as #!/bin/sh",
    ),
}


@pytest.mark.parametrize("name", NO_PROGRAM)
def test_what_is_no_program_is_reported_with_the_remedy(tmp_path, name):
    command, sentence = NO_PROGRAM[name]
    specs = tmp_path / "specs"
    specs.mkdir()
    (specs / "assignment.yaml").write_text(ASSIGNMENT.replace("./greet", command))
    (specs / "greet.yaml").write_text(SPEC)
    (specs / "greet").write_text(SHELL + ASKS)
    (specs / "meet.c").write_text("int main(void) { return 0; }\n")
    (specs / "text").write_text("print('Hello')\n")
    (specs / "text").chmod(0o755)
    (stage,) = load_assignment(specs).stages
    with pytest.raises(SpecError) as refused:
        expected_run_here(stage)
    place = f"{specs}/assignment.yaml: the reference of 'greet' cannot be started"
    assert str(refused.value) == f"{place}: {sentence.format(specs=specs)}"


def test_words_of_a_command_are_found_from_the_folder_of_the_assignment(tmp_path):
    (tmp_path / "assignment.yaml").write_text(
        ASSIGNMENT.replace("[./greet]", "[python3, ./own/greet.py, ./nothing, own]")
    )
    (tmp_path / "greet.yaml").write_text(SPEC)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "greet.py").write_text("import sys\nprint(sys.argv)\n")
    (stage,) = load_assignment(tmp_path).stages
    output = expected_run_here(stage)(typing([]))
    assert output.text.decode() == f"{[f'{tmp_path}/own/greet.py', './nothing', 'own']}\n"


@pytest.mark.parametrize("signal", ["SEGV", "ABRT", "FPE"])
def test_a_crash_is_the_fault_of_the_assignment(tmp_path, signal):
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT)
    (tmp_path / "greet.yaml").write_text(SPEC)
    (tmp_path / "greet").write_text(f"{SHELL}kill -{signal} $$\n")
    (tmp_path / "greet").chmod(0o755)
    (stage,) = load_assignment(tmp_path).stages
    with pytest.raises(SpecError) as refused:
        expected_run_here(stage)(typing([]))
    assert str(refused.value) == f"{tmp_path}/greet: the reference did not end by itself: SIG{signal}"


def test_nothing_is_left_of_a_reference(tried, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    stage, _ = tried(RIGHT["a shell"])
    expected_run_here(stage)(typing([b"Ada"]))
    assert [path for path in scratch.iterdir() if not path.name.startswith("pitboss-cgroup")] == []


@pytest.mark.needs("Java")
def test_a_jvm_keeps_no_file_that_another_session_may_have_locked(tmp_path):
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT.replace("[./greet]", "[java, -cp, ., Greet]"))
    (tmp_path / "greet.yaml").write_text(SPEC)
    stage = load_assignment(tmp_path).stages[0]
    assert program_of(stage, stage.reference.command).argv[1:] == ("-XX:-UsePerfData", "-cp", ".", "Greet")
