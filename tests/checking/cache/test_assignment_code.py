"""The code of an assignment: whatever file of it changes, its digest does."""

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.cache.assignment_code import digest_of_code
from pitboss.checking.cache.cacheable import named_code_of
from pitboss.sandbox.digests import UnknownError
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
def place(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def digest(place):
    return digest_of_code(named_code_of(load_assignment(place / "specs")))


@pytest.mark.parametrize("name", [name for name in FILES if name != "unused.py"])
def test_every_file_counts_that_a_reference_may_run_or_read(place, name):
    before = digest(place)
    assert digest(place) == before
    (place / name).write_text(FILES[name] + "# one line more\n")
    assert digest(place) != before


def test_what_is_imported_after_a_missing_and_an_installed_module_counts(place):
    (place / "right" / "number.py").write_text("import nowhere, pytest\nimport far\ndef main(console):\n    pass\n")
    before = digest(place)
    (place / "far.py").write_text("# one line more\n")
    assert digest(place) != before


def test_what_is_not_imported_does_not_count(place):
    before = digest(place)
    (place / "unused.py").write_text("x = 1\n")
    assert digest(place) == before


def test_a_module_that_was_missing_counts_once_it_is_there(place):
    (place / "far.py").unlink()
    before = digest(place)
    (place / "far").mkdir()
    (place / "far" / "__init__.py").write_text("")
    assert digest(place) != before


@pytest.mark.parametrize(
    "key",
    ["reader: 'away:read'", "mistakes: 'away:all'", "tolerated: {other: 'away:main'}"],
    ids=lambda key: key.partition(":")[0],
)
def test_every_function_that_is_named_counts(place, key):
    (place / "away.py").write_text("")
    seeded = "seeded: no\ndraws: {values: ['1', '2']}\n" if "reader" in key else ""
    own = "" if "mistakes" in key else f", {key}"
    text = f"title: Numbers\n{seeded}stages:\n  - {{name: number, reference: 'right.number:main'{own}}}\n"
    (place / "specs" / "assignment.yaml").write_text(text + (f"{key}\n" if not own else ""))
    if seeded:
        (place / "specs" / "number.yaml").write_text("program: number\ncases:\n  - {name: one, answers: [h]}\n")
    before = digest(place)
    (place / "away.py").write_text("x = 1\n")
    assert digest(place) != before


def test_a_player_counts(place):
    (place / "away.py").write_text("")
    (place / "specs" / "assignment.yaml").write_text(f"{ASSIGNMENT}players:\n  calm: 'away:calm'\n")
    before = digest(place)
    (place / "away.py").write_text("x = 1\n")
    assert digest(place) != before


@pytest.mark.parametrize(
    "changed",
    [
        ASSIGNMENT.replace('"}', '", spec: ../number.yaml}'),
        ASSIGNMENT.replace('"right.number:main"', "{command: [python3, -m, right]}"),
    ],
    ids=["a path that leads out", "a command from elsewhere"],
)
def test_what_may_read_what_lies_elsewhere_is_unknown(place, changed):
    (place / "number.yaml").write_text(SPEC)
    (place / "specs" / "assignment.yaml").write_text(changed)
    with pytest.raises(UnknownError):
        digest(place)


def test_a_command_of_the_assignment_s_own_folder_is_known(place):
    (place / "specs" / "number").write_text("#!/bin/sh\n")
    (place / "specs" / "number").chmod(0o755)
    text = ASSIGNMENT.replace('"right.number:main"', "{command: [./number]}")
    (place / "specs" / "assignment.yaml").write_text(text)
    before = digest(place)
    (place / "specs" / "number").write_text("#!/bin/sh\necho\n")
    assert digest(place) != before


@pytest.mark.parametrize("name", ["blackjack", "bjm0", "csc101", "ece2036", "tournament"])
def test_of_the_assignments_here_all_is_known(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    named = named_code_of(load_assignment(ROOT / "specs" / name))
    assert named.packages == ((str(ROOT / "specs" / name), "reference"),)
    assert digest_of_code(named)


def test_only_watched_sessions_that_something_confines_are_the_same_each_time():
    confined, free = Sandbox(Level.LANDLOCK), Sandbox(Level.NONE)
    assert Conditions("watched", confined).are_repeatable
    assert not Conditions("watched", confined, is_real_time=True).are_repeatable
    assert not Conditions("expecting", confined).are_repeatable
    assert not Conditions("watched", free).are_repeatable
