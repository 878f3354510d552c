"""The arrows of the design: values ← edges ← orchestration ← command line, and no game in the harness."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(path for path in (ROOT / "harness").rglob("*.py"))
IDS = [str(path.relative_to(ROOT)) for path in MODULES]

VALUES = {
    "errors", "transcript", "comparison", "assignment", "verdicts", "results", "programs", "sessions", "notation",
    "wording", "pause_wording", "published", "endings", "quoting", "speckeys", "schema", "reading", "habits", "policy",
    "scripts", "limits",
}  # fmt: skip
#: A reader of nodes names them, and so depends on the edge that makes them.
ALLOWED_UP = {("reading", "harness.assignments.yamlfile")}
EDGES_OF = {
    "pexpect": {"harness/running/terminal.py"},
    "yaml": {"harness/assignments/yamlfile.py"},
    "jinja2": {"harness/reports/templates.py"},
    "sqlite3": set(),
    "click": {"harness/cli/"},
    "rich": {"harness/reports/report.py", "harness/cli/"},
    "pytest": {"harness/pytest_plugin.py"},
}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_the_harness_knows_no_game_and_no_reference(path):
    words = r"\b(blackjack|dealers?|cards?|decks?|shuffl\w*|casino|poker|bets?|betting|aces?)\b"
    assert re.findall(words, path.read_text(), re.IGNORECASE) == []
    assert [name for name in imports(path) if name.split(".")[0] == "reference"] == []


@pytest.mark.parametrize("path", sorted((ROOT / "reference").rglob("*.py")), ids=lambda path: path.stem)
def test_the_reference_needs_nothing_but_python(path):
    import sys

    allowed = {*sys.stdlib_module_names, "reference"}
    assert {name.split(".")[0] for name in imports(path)} <= allowed


@pytest.mark.parametrize("path", [path for path in MODULES if path.parent.name == "harness" and path.stem in VALUES])
def test_values_import_only_values(path):
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "harness" and len(parts) > 1 and (path.stem, ".".join(parts[:2])) not in ALLOWED_UP:
            assert parts[1] in VALUES, f"{path.stem} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_each_library_is_imported_at_its_edge_alone(path):
    here = str(path.relative_to(ROOT))
    for name in imports(path):
        places = EDGES_OF.get(name.split(".")[0])
        if places is not None:
            assert any(here.startswith(place) for place in places), f"{here} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_only_the_command_line_prints_exits_or_is_imported_by_nobody(path):
    here = str(path.relative_to(ROOT))
    if here.startswith("harness/cli/") or here == "harness/__main__.py":
        return
    assert [name for name in imports(path) if name.startswith("harness.cli")] == []
    called = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"print", "exit", "input"}


@pytest.mark.parametrize("path", [path for path in MODULES if "rendering" in path.parts], ids=lambda path: path.stem)
def test_rendering_opens_nothing(path):
    text = path.read_text()
    assert not re.search(r"\bopen\(|write_text|read_text|subprocess|import os\b", text)


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_files_and_functions_are_short(path):
    tree = ast.parse(path.read_text())
    assert len(path.read_text().splitlines()) <= 320
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno <= 55, f"{node.name} has {node.end_lineno - node.lineno} lines"
