"""Files of a submission that are called like modules of Python: nothing of ours takes them for these."""

import importlib.util
import os
import subprocess
import sys

import pytest

from pitboss.assignments.functions import module_locations, qualified_name, resolve_function
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.sources import find_source
from tests.conftest import ROOT

#: Modules that are imported where Python compiles a file and prints a syntax error.
NAMES = ("token", "re", "enum", "types", "collections", "functools", "keyword", "operator", "sitecustomize")


@pytest.fixture
def beside(tmp_path):
    """A folder with a file for each of these names, which says that it was imported and ends."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} of the submission')\n")
    return tmp_path


def built(folder, reachable, toy):
    return build(
        find_source(folder, toy.stages[0]), reachable / "build", Conditions("watched", Sandbox(Level.LANDLOCK))
    )


def test_a_program_is_read_whatever_is_beside_it(beside, reachable, toy):
    (beside / "teller.py").write_text("print('Opening balance: ')\n")
    assert built(beside, reachable, toy).program is not None


def test_a_syntax_error_is_reported_whatever_is_beside_it(beside, reachable, toy):
    (beside / "teller.py").write_text("print('Opening balance: '\n")
    assert built(beside, reachable, toy).reason == "Python cannot read teller.py: SyntaxError: '(' was never closed"


def test_compiled_modules_are_not_taken_for_their_sources(tmp_path, reachable, toy):
    cache = tmp_path / "part" / "__pycache__"
    cache.mkdir(parents=True)
    (cache / "helper.cpython-311.pyc").write_bytes(b"whatever it does")
    (tmp_path / "part" / "helper.py").write_text("")
    (tmp_path / "teller.py").write_text("import part.helper\n")
    folder = built(tmp_path, reachable, toy).program.folder
    assert sorted(path.name for path in folder.rglob("*")) == ["helper.py", "part", "teller.py"]


def test_no_module_is_looked_for_where_a_student_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "module_of_a_student.py").write_text("")
    assert module_locations(str(ROOT / "specs" / "tournament"), "module_of_a_student") is None
    assert importlib.util.find_spec("module_of_a_student") is None


def test_a_reference_is_found_where_its_instructor_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meter_of_this_test.py").write_text("def main(console):\n    return 7\n")
    name = qualified_name("meter_of_this_test", "main", ROOT / "specs" / "tournament")
    assert resolve_function(name, "the reference")(None) == 7
    assert importlib.util.find_spec("meter_of_this_test") is None


def test_pitboss_started_as_a_module_imports_nothing_of_where_it_is_started(tmp_path):
    (tmp_path / "click.py").write_text("raise SystemExit('click of the submission')\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "harness")}
    argv = [sys.executable, "-m", "pitboss", "--version"]
    done = subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
