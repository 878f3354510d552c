import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.errors import SpecError
from pitboss.kits.verification import problems_of
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import InputEnded, Shown, Typed
from pitboss.sandbox.tools import search_path
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
FAULT_PREFIX = "This session could not be run, which is not the program's fault: "

#: First lines of scripts.
PYTHON, BASH, SHELL = "#!/usr/bin/env python3\n", "#!/bin/bash\n", "#!/bin/sh\n"
ASK_AND_GREET = 'printf "Name? "\nread name\necho "Hello $name!"\n'


@pytest.fixture
def check_with_reference(tmp_path, monkeypatch):
    """A function that checks a correct program against a reference script, and returns the stage and the report."""
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
        job = Job(loaded, loaded.stages, find_conditions("watched", "none"), "greetings")
        return loaded.stages[0], check(job, tmp_path / "submission", cores=1)

    return check_against


CORRECT_REFERENCES = {
    "Python asks on the standard error": PYTHON + 'print("Hello " + input("Name? ") + "!")\n',
    "Python with readline asks on the output": PYTHON + 'import readline\nprint("Hello " + input("Name? ") + "!")\n',
    "a shell": SHELL + ASK_AND_GREET,
    "a shell that asks on the standard error": BASH + 'read -p "Name? " name\necho "Hello $name!"\n',
    "more memory than a student has": PYTHON + 'x = b"x" * (300 << 20)\nprint("Hello " + input("Name? ") + "!")\n',
    "more time than a student has": PYTHON
    + 'from resource import RUSAGE_SELF, getrusage\nwhile sum(getrusage(RUSAGE_SELF)[:2]) < 1.2: pass\nprint("Hello " + input("Name? ") + "!")\n',
}


@pytest.mark.parametrize("name", CORRECT_REFERENCES)
def test_a_correct_program_is_accepted_with_any_working_reference(check_with_reference, name):
    stage, report = check_with_reference(CORRECT_REFERENCES[name])
    assert (report.verdict, report.faults) == (Verdict.ACCEPTED, ())
    reference_run = expected_run_here(stage)(script_of_lines([b"Ada"]))
    assert reference_run.events == (Shown(b"Name? "), Typed(b"Ada"), Shown(b"Hello Ada!\n"))
    assert problems_of(stage, "it") == []


CASE_LOCATION = "{specs}/greet.yaml:3"
#: Reference scripts that fail, each with the message on it.
FAILING_REFERENCES = {
    "it ends with another code": (
        SHELL + ASK_AND_GREET + "exit 3\n",
        f"{CASE_LOCATION}: the reference ended with exit code 3 and printed “Hello Ada!”; the case expects 0 — fix the reference, or write `exit: 3`",
    ),
    "it is a Python program that fails": (
        PYTHON + 'name = input("Name? ")\nprint("Hello", nam)\n',
        f"{CASE_LOCATION}: the reference ended with exit code 1 and printed “NameError: name 'nam' is not defined. Did you mean: "
        "'name'? (line 3 of greet)”; the case expects 0 — fix the reference, or write `exit: 1`",
    ),
    "it complains before it asks": (
        SHELL + "echo missing parts >&2\n" + ASK_AND_GREET,
        f"{CASE_LOCATION}: the reference wrote “missing parts” to its standard error — fix the reference, or have its "
        "standard error compared: `stderr: compared` in the stage",
    ),
    "it complains and goes on": (
        BASH + 'read -p "Name? " name\nechoo x\necho "Hello $name!"\n',
        f"{CASE_LOCATION}: the reference wrote “{{specs}}/greet: line 3: echoo: command not found” to its standard "
        "error — fix the reference, or have its standard error compared: `stderr: compared` in the stage",
    ),
    "it is an incomplete binary": (
        "\x7fELF and no more",
        "{specs}/greet: the reference cannot be started: Exec format error",
    ),
    "its interpreter is missing": (
        "#!/usr/bin/pyhton\n",
        "{specs}/greet: the reference cannot be started: its first line names a program that does not exist",
    ),
    "it kills itself": (SHELL + "kill -9 $$\n", "{specs}/greet: the reference did not end by itself: SIGKILL"),
    "the loader complains": (
        SHELL
        + "echo \"ERROR: ld.so: object '/a' from LD_PRELOAD cannot be preloaded: ignored.\" >&2\n"
        + ASK_AND_GREET,
        "{specs}/greet: the reference was not run as it must be: ERROR: ld.so: object '/a' from LD_PRELOAD cannot be "
        "preloaded: ignored.",
    ),
    "it never ends": (
        SHELL + "while :; do :; done\n",
        "{specs}/greet: the reference did not end by itself: out of CPU time",
    ),
    "it has not enough memory": (
        SHELL + "ulimit -v 30000\nexec python3 -c 'x = b\"x\" * (300 << 20)'\n",
        f"{CASE_LOCATION}: the reference ended with exit code 1 and printed “MemoryError”; the case expects 0 — fix the reference, "
        "or write `exit: 1`",
    ),
}


@pytest.mark.parametrize("name", FAILING_REFERENCES)
def test_a_failing_reference_is_a_judge_error(check_with_reference, tmp_path, name):
    reference, message = FAILING_REFERENCES[name]
    stage, report = check_with_reference(reference)
    message = message.format(specs=tmp_path / "specs")
    assert (report.verdict, len(report.faults)) == (Verdict.JUDGE_ERROR, 1)
    assert report.faults == (FAULT_PREFIX + message,)
    # The problems of a spec always name the case.
    names_case = ".yaml:3" in message
    assert problems_of(stage, "it") == [message if names_case else f"{tmp_path}/specs/greet.yaml:3: {message}"]


def test_an_exit_code_named_by_the_case_is_expected(check_with_reference):
    stage, report = check_with_reference(
        SHELL + ASK_AND_GREET + "exit 3\n", spec=SPEC.replace("player: ada", "player: ada, exit: 3"), code=3
    )
    assert (report.verdict, report.faults) == (Verdict.ACCEPTED, ())
    assert problems_of(stage, "it") == []


def test_a_reference_must_end_with_the_exit_code_of_the_case(check_with_reference, tmp_path):
    stage, report = check_with_reference(
        SHELL + ASK_AND_GREET, spec=SPEC.replace("player: ada", "player: ada, exit: 3")
    )
    case_location = f"{tmp_path}/specs/greet.yaml:3"
    message = f"{case_location}: the reference ended with exit code 0 and printed “Hello Ada!”; the case expects 3 — fix the reference, or write `exit: 0`"
    assert report.faults == (FAULT_PREFIX + message,)
    assert problems_of(stage, "it") == [message]


def test_prompts_after_the_end_of_input_are_shown_in_order(check_with_reference):
    """Prompts are distinguished from other text on the standard error by the line read next, and here no line is read."""
    ask_twice = (
        "for question in ('Name? ', 'Really? '):\n    try:\n        input(question)\n"
        "    except EOFError:\n        print('none')\n"
    )
    stage, _ = check_with_reference(PYTHON + ask_twice, spec=SPEC.replace("ada", "nobody"))
    reference_run = expected_run_here(stage)(script_of_lines([]))
    assert reference_run.events == (
        Shown(b"Name? "),
        InputEnded(),
        Shown(b"none\nReally? "),
        InputEnded(),
        Shown(b"none\n"),
    )
    assert problems_of(stage, "it") == []


def test_a_missing_command_is_reported_before_any_session(check_with_reference, tmp_path):
    with pytest.raises(SpecError) as refused:
        check_with_reference(SHELL, assignment=ASSIGNMENT.replace("./greet", "greeet"))
    assert str(refused.value) == (
        f"{tmp_path}/specs/assignment.yaml: the reference of 'greet' cannot be started: 'greeet' is not on the PATH "
        f"({search_path()}) — install it, or name a program in this folder, such as ./meter"
    )


INVALID_COMMANDS = {
    "not executable": ("./greet", "{specs}/greet is not executable — run: chmod +x {specs}/greet"),
    "missing": ("./gret", "there is no file {specs}/gret"),
    "not built": (
        "./meet",
        "there is no file {specs}/meet — name its source in place of the command, as in `reference: meet.c`",
    ),
    "a folder": ("./", "specs is a folder, not a program"),
    "without a slash": ("greet", "'greet' is not on the PATH — to run the file beside assignment.yaml, write ./greet"),
    "a text": (
        "./text",
        "text is text, not a program; a script begins with a line that names its interpreter, such as #!/bin/sh",
    ),
}


@pytest.mark.parametrize("name", INVALID_COMMANDS)
def test_a_command_that_is_no_program_is_reported_with_a_remedy(tmp_path, name):
    command, sentence = INVALID_COMMANDS[name]
    specs = tmp_path / "specs"
    specs.mkdir()
    (specs / "assignment.yaml").write_text(ASSIGNMENT.replace("./greet", command))
    (specs / "greet.yaml").write_text(SPEC)
    (specs / "greet").write_text(SHELL + ASK_AND_GREET)
    (specs / "meet.c").write_text("int main(void) { return 0; }\n")
    (specs / "text").write_text("print('Hello')\n")
    (specs / "text").chmod(0o755)
    (stage,) = load_assignment(specs).stages
    with pytest.raises(SpecError) as refused:
        expected_run_here(stage)
    prefix = f"{specs}/assignment.yaml: the reference of 'greet' cannot be started"
    assert str(refused.value) == f"{prefix}: {sentence.format(specs=specs)}"


def test_files_named_in_a_command_are_found_beside_the_assignment(tmp_path):
    (tmp_path / "assignment.yaml").write_text(
        ASSIGNMENT.replace("[./greet]", "[python3, ./own/greet.py, ./nothing, own]")
    )
    (tmp_path / "greet.yaml").write_text(SPEC)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "greet.py").write_text("import sys\nprint(sys.argv)\n")
    (stage,) = load_assignment(tmp_path).stages
    reference_run = expected_run_here(stage)(script_of_lines([]))
    assert reference_run.text.decode() == f"{[f'{tmp_path}/own/greet.py', './nothing', 'own']}\n"


@pytest.mark.parametrize("signal", ["SEGV", "ABRT", "FPE"])
def test_a_crash_of_the_reference_is_a_spec_error(tmp_path, signal):
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT)
    (tmp_path / "greet.yaml").write_text(SPEC)
    (tmp_path / "greet").write_text(f"{SHELL}kill -{signal} $$\n")
    (tmp_path / "greet").chmod(0o755)
    (stage,) = load_assignment(tmp_path).stages
    with pytest.raises(SpecError) as refused:
        expected_run_here(stage)(script_of_lines([]))
    assert str(refused.value) == f"{tmp_path}/greet: the reference did not end by itself: SIG{signal}"


@pytest.mark.parametrize("stderr", ["shown", "ignored"])
def test_a_crash_of_the_reference_is_quoted_with_its_line(tmp_path, stderr):
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT.replace("}}\n", f"}}, stderr: {stderr}}}\n"))
    (tmp_path / "greet.yaml").write_text(SPEC)
    message = "Unhandled exception. A.B: no\\n   at P.Main() in /b/Program.cs:line 9\\n"
    (tmp_path / "greet").write_text(f"{SHELL}printf '{message}' >&2; kill -ABRT $$\n")
    (tmp_path / "greet").chmod(0o755)
    (stage,) = load_assignment(tmp_path).stages
    with pytest.raises(SpecError) as refused:
        expected_run_here(stage)(script_of_lines([]))
    message = f"{tmp_path}/greet: the reference ended with an error: A.B: no (line 9 of Program.cs)"
    assert str(refused.value) == message


def test_a_reference_leaves_no_temporary_files(check_with_reference, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    stage, _ = check_with_reference(CORRECT_REFERENCES["a shell"])
    expected_run_here(stage)(script_of_lines([b"Ada"]))
    assert list(scratch.iterdir()) == []


@pytest.mark.needs("Java")
def test_a_java_reference_writes_no_performance_data(tmp_path):
    """Another session may have locked the file for these data."""
    (tmp_path / "assignment.yaml").write_text(ASSIGNMENT.replace("[./greet]", "[java, -cp, ., Greet]"))
    (tmp_path / "greet.yaml").write_text(SPEC)
    stage = load_assignment(tmp_path).stages[0]
    assert program_of(stage, stage.reference).argv[1:] == ("-XX:-UsePerfData", "-cp", ".", "Greet")
