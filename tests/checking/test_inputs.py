"""What a result in a gradebook depends on: a rerun runs what has changed, and names it."""

import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.inputs import common
from pitboss.sandbox import digests
from tests.conftest import TOY


@pytest.fixture
def place(tmp_path):
    """An assignment, a file of the course, and a submission."""
    shutil.copytree(TOY, tmp_path / "teller")
    for name in ("given/teller.h", "ada/teller.c"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("int x;\n")
    return tmp_path


def causes(place, *words):
    """Those of the submission's result."""
    return common(load_assignment(place / "teller"), words, [place / "given"]).causes_of(place / "ada")


def add(path, text):
    path.write_text(path.read_text() + text)


CHANGES = {
    "nothing": (lambda place: None, ()),
    "the program": (lambda place: add(place / "ada" / "teller.c", "int y;\n"), ("program",)),
    "a case": (lambda place: add(place / "teller" / "teller.yaml", "# Another.\n"), ("assignment",)),
    "a file of the course": (lambda place: add(place / "given" / "teller.h", "int y;\n"), ("asked",)),
    "how stages are weighed": (
        lambda place: add(place / "teller" / "assignment.yaml", "grading: {points: {teller: 10}}\n"),
        (),
    ),
}


@pytest.mark.parametrize(("change", "names"), CHANGES.values(), ids=CHANGES)
def test_what_has_changed_is_named(place, change, names):
    before = causes(place)
    change(place)
    assert causes(place).changed_since(before) == names


def test_other_words_of_a_command_are_another_question(place):
    assert causes(place, "--count", "9").changed_since(causes(place)) == ("asked",)


def test_where_a_cause_is_unknown_nothing_is_known(place, monkeypatch):
    known = common(load_assignment(place / "teller"), (), [])
    with monkeypatch.context() as patched:
        patched.setattr(digests, "_MAX_FILES", 0)
        assert known.causes_of(place / "ada") is None
        unknown = common(load_assignment(place / "teller"), (), [])
    assert unknown.causes_of(place / "ada") is None
    assert known.causes_of(place / "ada") is not None
