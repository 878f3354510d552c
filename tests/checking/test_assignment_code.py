import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.causes import code_of, packages_of
from pitboss.sandbox.digests import NoDigestError
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from tests.conftest import ROOT

ASSIGNMENT = """\
title: Numbers
stages:
  - {name: number, reference: "right.number:main"}
"""
SPEC = """\
program: number
cases:
  - {name: numbers, seeds: 1..2, answers: []}
"""
FILES = {
    "specs/assignment.yaml": ASSIGNMENT,
    "specs/number.yaml": SPEC,
    "specs/notes.md": "",
    "right/__init__.py": "",
    "right/number.py": "def main(console):\n    from helper import inner\n    inner.say(console)\n",
    "right/words.txt": "Number",
    "helper/__init__.py": "",
    "helper/inner.py": "import far, sys, os.path\nimport importlib\n",
    "helper/other.py": "there = importlib.import_module('called')\n",
    "far.py": "",
    "called.py": "",
    "unused.py": "",
}


@pytest.fixture
def course_folder(tmp_path, monkeypatch):
    """A folder with FILES, which is the current directory."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def digest(course_folder):
    """The digest of the assignment's code, as its files are now."""
    return code_of(load_assignment(course_folder / "specs")).digest


@pytest.mark.parametrize("name", [name for name in FILES if name != "unused.py"])
def test_every_file_that_a_reference_may_run_or_read_changes_the_digest(course_folder, name):
    before = digest(course_folder)
    assert digest(course_folder) == before
    (course_folder / name).write_text(FILES[name] + "# one line more\n")
    assert digest(course_folder) != before


def test_a_module_imported_after_a_missing_module_changes_the_digest(course_folder):
    (course_folder / "right" / "number.py").write_text(
        "import nowhere, pytest\nimport far\ndef main(console):\n    pass\n"
    )
    before = digest(course_folder)
    (course_folder / "far.py").write_text("# one line more\n")
    assert digest(course_folder) != before


def test_a_module_that_is_not_imported_does_not_change_the_digest(course_folder):
    before = digest(course_folder)
    (course_folder / "unused.py").write_text("x = 1\n")
    assert digest(course_folder) == before


def test_creating_a_missing_module_changes_the_digest(course_folder):
    (course_folder / "far.py").unlink()
    before = digest(course_folder)
    (course_folder / "far").mkdir()
    (course_folder / "far" / "__init__.py").write_text("")
    assert digest(course_folder) != before


#: A spec for an assignment without seeds.
UNSEEDED_SPEC = "program: number\ncases:\n  - {name: one, answers: [h]}\n"


@pytest.mark.parametrize(
    ("assignment_keys", "stage_keys", "spec"),
    [
        ("seeded: no\ndraws: {values: ['1', '2']}\n", ", reader: 'away:read'", UNSEEDED_SPEC),
        ("mistakes: 'away:all'\n", "", SPEC),
        ("", ", tolerated: {other: 'away:main'}", SPEC),
    ],
    ids=["reader", "mistakes", "tolerated"],
)
def test_the_code_of_every_named_function_changes_the_digest(course_folder, assignment_keys, stage_keys, spec):
    (course_folder / "away.py").write_text("")
    (course_folder / "specs" / "assignment.yaml").write_text(
        f"title: Numbers\n{assignment_keys}stages:\n  - {{name: number, reference: 'right.number:main'{stage_keys}}}\n"
    )
    (course_folder / "specs" / "number.yaml").write_text(spec)
    before = digest(course_folder)
    (course_folder / "away.py").write_text("x = 1\n")
    assert digest(course_folder) != before


def test_the_code_of_a_player_changes_the_digest(course_folder):
    (course_folder / "away.py").write_text("")
    (course_folder / "specs" / "assignment.yaml").write_text(f"{ASSIGNMENT}players:\n  calm: 'away:calm'\n")
    before = digest(course_folder)
    (course_folder / "away.py").write_text("x = 1\n")
    assert digest(course_folder) != before


@pytest.mark.parametrize(
    "assignment",
    [
        ASSIGNMENT.replace('"}', '", spec: ../number.yaml}'),
        ASSIGNMENT.replace('"right.number:main"', "{command: [python3, -m, right]}"),
    ],
    ids=["a path that leads out", "a command from elsewhere"],
)
def test_an_assignment_that_may_read_files_elsewhere_has_no_digest(course_folder, assignment):
    (course_folder / "number.yaml").write_text(SPEC)
    (course_folder / "specs" / "assignment.yaml").write_text(assignment)
    with pytest.raises(NoDigestError):
        digest(course_folder)


def test_a_command_in_the_assignment_s_folder_changes_the_digest(course_folder):
    (course_folder / "specs" / "number").write_text("#!/bin/sh\n")
    (course_folder / "specs" / "number").chmod(0o755)
    text = ASSIGNMENT.replace('"right.number:main"', "{command: [./number]}")
    (course_folder / "specs" / "assignment.yaml").write_text(text)
    before = digest(course_folder)
    (course_folder / "specs" / "number").write_text("#!/bin/sh\necho\n")
    assert digest(course_folder) != before


@pytest.mark.parametrize("name", ["blackjack", "bjm0", "csc101", "ece2036", "tournament"])
def test_the_assignments_of_this_repository_have_a_digest(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    assignment = load_assignment(ROOT / "specs" / name)
    assert packages_of(assignment) == ((str(ROOT / "specs" / name), "reference"),)
    assert code_of(assignment).digest


def test_only_watched_and_confined_sessions_are_repeatable():
    confined, unconfined = Sandbox(Level.LANDLOCK), Sandbox(Level.NONE)
    assert Conditions("watched", confined).are_repeatable
    assert not Conditions("watched", confined, is_real_time=True).are_repeatable
    assert not Conditions("expecting", confined).are_repeatable
    assert not Conditions("watched", unconfined).are_repeatable
