import importlib.util
import os
import subprocess
import sys

import pytest

from pitboss.assignments.functions import module_locations, qualified_name, resolve_function
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions.build import build
from pitboss.submissions.stage_files import find_source
from tests.conftest import ROOT

#: Modules that Python imports when it compiles a file and prints a syntax error.
NAMES = ("token", "re", "enum", "types", "collections", "functools", "keyword", "operator", "sitecustomize")


@pytest.fixture
def folder_of_namesakes(tmp_path):
    """A folder with a file named like each of these modules, which ends Python with a message if it is imported."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"raise SystemExit('{name} of the submission')\n")
    return tmp_path


def build_teller(folder, reachable, toy):
    return build(
        find_source(folder, toy.stages[0]), reachable / "build", Conditions("watched", Sandbox(Level.LANDLOCK))
    )


def test_a_program_is_compiled_beside_files_named_like_modules(folder_of_namesakes, reachable, toy):
    (folder_of_namesakes / "teller.py").write_text("print('Opening balance: ')\n")
    assert build_teller(folder_of_namesakes, reachable, toy).program is not None


def test_a_syntax_error_is_reported_beside_files_named_like_modules(folder_of_namesakes, reachable, toy):
    (folder_of_namesakes / "teller.py").write_text("print('Opening balance: '\n")
    assert (
        build_teller(folder_of_namesakes, reachable, toy).reason
        == "Python cannot read teller.py: SyntaxError: '(' was never closed"
    )


def test_a_submitted_pycache_is_left_out_of_the_build(tmp_path, reachable, toy):
    cache = tmp_path / "part" / "__pycache__"
    cache.mkdir(parents=True)
    (cache / "helper.cpython-311.pyc").write_bytes(b"whatever it does")
    (tmp_path / "part" / "helper.py").write_text("")
    (tmp_path / "teller.py").write_text("import part.helper\n")
    folder = build_teller(tmp_path, reachable, toy).program.folder
    assert sorted(path.name for path in folder.rglob("*")) == ["helper.py", "part", "teller.py"]


def test_no_module_is_imported_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "module_of_a_student.py").write_text("")
    assert module_locations(str(ROOT / "specs" / "tournament"), "module_of_a_student") is None
    assert importlib.util.find_spec("module_of_a_student") is None


def test_a_reference_in_the_current_folder_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "meter_of_this_test.py").write_text("def main(console):\n    return 7\n")
    name = qualified_name("meter_of_this_test", "main", ROOT / "specs" / "tournament")
    assert resolve_function(name, "the reference")(None) == 7
    assert importlib.util.find_spec("meter_of_this_test") is None


def test_python_m_pitboss_imports_nothing_from_the_current_folder(tmp_path):
    (tmp_path / "click.py").write_text("raise SystemExit('click of the submission')\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "harness")}
    argv = [sys.executable, "-m", "pitboss", "--version"]
    done = subprocess.run(argv, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
