import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.causes import class_causes
from pitboss.sandbox import digests
from tests.conftest import TOY


@pytest.fixture
def folder(tmp_path):
    """A folder with an assignment, a file that the course provides, and a submission."""
    shutil.copytree(TOY, tmp_path / "teller")
    for name in ("given/teller.h", "ada/teller.c"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("int x;\n")
    return tmp_path


def result_causes(folder, *options):
    """The causes (inputs) of the submission's result when graded with these options."""
    return class_causes(load_assignment(folder / "teller"), options, [folder / "given"]).causes_of(folder / "ada")


def append_text(path, text):
    path.write_text(path.read_text() + text)


#: A change of something in the folder, and the names of the inputs that it changes.
CHANGES = {
    "nothing": (lambda folder: None, ()),
    "the program": (lambda folder: append_text(folder / "ada" / "teller.c", "int y;\n"), ("program",)),
    "a case": (lambda folder: append_text(folder / "teller" / "teller.yaml", "# Another.\n"), ("assignment",)),
    "a file of the course": (lambda folder: append_text(folder / "given" / "teller.h", "int y;\n"), ("options",)),
    "how stages are weighed": (
        lambda folder: append_text(folder / "teller" / "assignment.yaml", "grading: {points: {teller: 10}}\n"),
        (),
    ),
}


@pytest.mark.parametrize(("change", "names"), CHANGES.values(), ids=CHANGES)
def test_the_changed_input_is_named(folder, change, names):
    before = result_causes(folder)
    change(folder)
    assert result_causes(folder).changed_since(before) == names


def test_a_changed_option_of_the_command_counts_as_a_change(folder):
    assert result_causes(folder, "--count", "9").changed_since(result_causes(folder)) == ("options",)


def test_results_have_no_causes_if_a_folder_has_too_many_files(folder, monkeypatch):
    known_inputs = class_causes(load_assignment(folder / "teller"), (), [])
    with monkeypatch.context() as patched:
        patched.setattr(digests, "_MAX_FILES", 0)
        assert known_inputs.causes_of(folder / "ada") is None
        unknown_inputs = class_causes(load_assignment(folder / "teller"), (), [])
    assert unknown_inputs.causes_of(folder / "ada") is None
    assert known_inputs.causes_of(folder / "ada") is not None
