import pytest

from pitboss.assignments.selection import with_bundled_sessions
from pitboss.assignments.specfile import load_assignment
from pitboss.cli.main import exit_code_of
from pitboss.errors import SpecError, UsageError
from pitboss.kits.bundle_files import module_files_in
from pitboss.kits.bundle_specs import AttachedFiles

ASSIGNMENT = "title: x\nseeded: no\nbundle: {bundle}\nstages:\n  - name: one\n{stage_keys}"


def load(folder, spec, *, stage_keys="", bundle="yes"):
    """Write an assignment with one stage, with these cases and further keys of the stage, and load it."""
    (folder / "assignment.yaml").write_text(ASSIGNMENT.format(bundle=bundle, stage_keys=stage_keys))
    (folder / "one.yaml").write_text(f"program: one\ncases:\n{spec}")
    return load_assignment(folder)


#: The cases, further keys of the stage, and the error.
INVALID_CASES = {
    "a generated case": (
        "  - {name: a, answers: [b]}\n",
        "",
        "{folder}/one.yaml:3: 'a' lacks expected output — in a bundle without the reference, each case "
        "must have its transcript, files and standard error",
    ),
    "a file without its content": (
        "  - {name: a, transcript: b, expected_files: [c]}\n",
        "",
        "{folder}/one.yaml:3: 'a' lacks expected output — in a bundle without the reference, each case "
        "must have its transcript, files and standard error",
    ),
    "an unknown standard error": (
        "  - {name: a, transcript: b}\n",
        "    stderr: compared\n",
        "{folder}/one.yaml:3: 'a' lacks expected output — in a bundle without the reference, each case "
        "must have its transcript, files and standard error",
    ),
    "a standard error that is not compared": (
        "  - {name: a, transcript: b, expected_stderr: c}\n",
        "",
        "{folder}/one.yaml:3: the case has expected_stderr — its stage must then have `stderr: compared`",
    ),
    "a text for a file that must be absent": (
        "  - {name: a, transcript: b, expected_files: {c: {file: one.yaml, is_absent: yes}}}\n",
        "",
        "{folder}/one.yaml:3: file 'c' has file, is_absent — give its text, a file with the text, or is_absent: yes",
    ),
    "no text for a file that need not be absent": (
        "  - {name: a, transcript: b, expected_files: {c: {is_absent: no}}}\n",
        "",
        "{folder}/one.yaml:3: file 'c' has is_absent — give its text, a file with the text, or is_absent: yes",
    ),
}


@pytest.mark.parametrize(("spec", "stage_keys", "sentence"), INVALID_CASES.values(), ids=INVALID_CASES)
def test_invalid_cases_are_refused(tmp_path, spec, stage_keys, sentence):
    with pytest.raises(SpecError) as error:
        load(tmp_path, spec, stage_keys=stage_keys)
    assert str(error.value) == sentence.format(folder=tmp_path)


def test_an_assignment_that_is_not_a_bundle_needs_a_reference(tmp_path):
    with pytest.raises(SpecError) as error:
        load(tmp_path, "  - {name: a, transcript: b}\n", bundle="no")
    assert str(error.value) == (
        f"{tmp_path}/assignment.yaml:5: a stage lacks the key 'reference': the correct program: "
        "module:function, a source such as meter.c, or a command"
    )


def test_an_empty_transcript_and_a_missing_case_file_are_loaded(tmp_path):
    assignment = load(tmp_path, '  - {name: a, transcript: "", exit: 2}\n')
    assert assignment.stages[0].spec.cases[0].session.events == ()
    (tmp_path / "one.yaml").unlink()
    assert load_assignment(tmp_path).stages[0].spec.cases == ()


def test_an_unseeded_bundle_refuses_a_seed(tmp_path):
    assignment = load(tmp_path, '  - {name: a, transcript: ""}\n')
    with pytest.raises(UsageError) as error:
        with_bundled_sessions(assignment, assignment.stages[0], 3, has_lines=False)
    assert str(error.value) == f"--seed: {assignment.name} is not seeded"


def test_a_module_is_shipped_with_its_parent_packages(tmp_path):
    files = [tmp_path / name for name in ("__init__.py", "a/__init__.py", "a/b/__init__.py", "a/b/c.py", "a/d.py")]
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    assert module_files_in("a.b.c", tmp_path) == [files[3], files[1], files[2]]
    assert module_files_in("a.b", tmp_path) == [files[2], files[1]]


#: The contents of files and their paths.
CONTENTS = [
    (b"short", "a.txt"),
    (b"\xff", "secretly/b.txt"),
    (b"x" * 2001, "long.txt"),
    (b"\xff", "elsewhere/b.txt"),
    (b"\xff", "c.txt"),
    (b"x" * 2000, "long.txt"),
]


def test_long_or_binary_content_is_attached_as_a_file():
    attached = AttachedFiles()
    entries = [attached.entry_for(content, name) for content, name in CONTENTS]
    assert entries == [
        "short",
        {"file": "files/1-b.txt"},
        {"file": "files/2-long.txt"},
        {"file": "files/1-b.txt"},
        {"file": "files/3-c.txt"},
        "x" * 2000,
    ]
    assert attached.files == {"files/1-b.txt": b"\xff", "files/2-long.txt": b"x" * 2001, "files/3-c.txt": b"\xff"}


@pytest.mark.parametrize("errors", ["bad\\n", "good\\n"])
def test_verify_compares_the_expected_stderr_of_a_case(tmp_path, capsys, errors):
    stage_keys = "    reference: {command: [./one]}\n    stderr: compared\n"
    (tmp_path / "one").write_text("#!/bin/sh\necho good >&2\necho done\n")
    (tmp_path / "one").chmod(0o755)
    load(tmp_path, f'  - {{name: a, answers: [], expected_stderr: "{errors}"}}\n', stage_keys=stage_keys, bundle="no")
    code = exit_code_of(["verify", "-a", f"{tmp_path}"])
    problem = f"{tmp_path}/one.yaml:3: the standard error of 'a' is not what the reference writes now\n"
    assert (code, capsys.readouterr().out) == (
        (1, problem) if "bad" in errors else (0, f"{tmp_path.name}: no case is recorded\n")
    )
