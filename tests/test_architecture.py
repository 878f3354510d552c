"""The arrows of the design: rooms and what each may use, no game in the harness, each library at its edge."""

import ast
import re

import pytest

from tests.conftest import ROOT

HARNESS = ROOT / "harness"
MODULES = sorted(HARNESS.rglob("*.py"))
IDS = [str(path.relative_to(ROOT)) for path in MODULES]

#: What each room may use, lowest first; `errors` may be used by all. docs/architecture.md says what lives where.
ROOMS = {
    "transcripts": "",
    "machine": "",
    "assignments": "transcripts machine",
    "running": "transcripts machine assignments",
    "mutation": "transcripts machine assignments running",
    "submissions": "transcripts machine assignments running",
    "intake": "transcripts machine assignments running submissions",
    "judging": "transcripts machine assignments running",
    "draws": "transcripts machine assignments running judging",
    "mistakes": "transcripts machine assignments running mutation submissions judging draws",
    "hunting": "transcripts machine assignments running submissions judging draws",
    "evidence": "transcripts machine assignments running judging draws mistakes hunting",
    "grading": "transcripts machine assignments running submissions judging draws mistakes evidence",
    "grades": "transcripts machine assignments running judging",
    "kept": "transcripts machine assignments running judging",
    "style": "",
    "similarity": "style",
    "cluster": "machine assignments running submissions judging grading kept",
    "gradebook": "transcripts assignments judging intake grades kept",
    "mutants": "transcripts machine assignments running mutation judging draws hunting",
    "reports": "transcripts submissions intake judging grades gradebook similarity",
    "exports": "transcripts judging intake grades",
    "review": "transcripts assignments judging intake grades gradebook reports",
    "authoring": "transcripts machine assignments running submissions draws hunting reports",
    "bundles": "transcripts machine assignments running submissions draws hunting reports authoring",
    "cli": "transcripts machine assignments running mutation submissions intake judging draws mistakes hunting evidence grading grades kept cluster gradebook mutants reports exports review authoring bundles style similarity",
}
#: Faces of the harness, which may use all rooms and are used by nobody.
FACES = {"cli", "pytest_plugin"}

EDGES_OF = {
    "pexpect": {"harness/running/terminal.py"},
    "yaml": {"harness/assignments/yamlfile.py"},
    "jinja2": {"harness/reports/templates.py"},
    "markdown_it": {"harness/reports/markdown.py"},
    "lizard": {"harness/style/functions.py"},
    "sqlite3": {"harness/gradebook/database.py"},
    "click": {"harness/cli/"},
    "rich": {
        "harness/reports/conversation.py",
        "harness/reports/report.py",
        "harness/reports/class_table.py",
        "harness/reports/score_table.py",
        "harness/reports/policy_table.py",
        "harness/reports/intake_table.py",
        "harness/reports/similarity_table.py",
        "harness/reports/walkthrough.py",
        "harness/cli/",
    },
    "starlette": {"harness/review/"},
    "uvicorn": {"harness/cli/reviewing.py"},
    "distributed": {"harness/cluster/"},
    "dask": {"harness/cluster/"},
    "pytest": {"harness/pytest_plugin.py"},
}


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def room_of(dotted):
    """The room, or the module beside the rooms, of a name that is imported."""
    parts = dotted.split(".")
    return parts[2] if parts[:2] == ["pitboss", "harness"] and len(parts) > 2 else None


def test_every_room_is_in_the_table_and_tells_what_it_is_for():
    rooms = {path.parent.name for path in HARNESS.glob("*/__init__.py")}
    assert rooms == set(ROOMS)
    for room in rooms:
        told = ast.get_docstring(ast.parse((HARNESS / room / "__init__.py").read_text())) or ""
        assert len(told.splitlines()) >= 4, (
            f"{room}/__init__.py: what lives here, what comes in, what goes out, what it may use"
        )


def test_the_docs_have_the_same_table():
    told = (ROOT / "docs" / "architecture.md").read_text()
    order = re.findall(r"^\| `(\w+)/`", told, re.MULTILINE)
    assert order == list(ROOMS)


def test_the_arrows_point_one_way():
    below = []
    for room, used in ROOMS.items():
        assert set(used.split()) <= set(below), f"{room} may use {set(used.split()) - set(below)}, which stand above it"
        below.append(room)


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_a_room_uses_only_those_that_it_may(path):
    here = path.relative_to(HARNESS).parts[0].removesuffix(".py")
    if here in FACES - {"cli"}:
        return
    allowed = {*ROOMS[here].split(), here, "errors"} if here in ROOMS else {"errors"}
    used = {room_of(name) for name in imports(path)} - {None}
    used = {room for room in used if (HARNESS / room).is_dir() or (HARNESS / f"{room}.py").is_file()}
    assert used <= allowed


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_the_harness_knows_no_game_and_no_reference(path):
    words = r"\b(blackjack|dealers?|cards?|decks?|shuffl\w*|casino|poker|bets?|betting|aces?)\b"
    assert re.findall(words, path.read_text(), re.IGNORECASE) == []
    assert [name for name in imports(path) if name.startswith("pitboss.reference")] == []


@pytest.mark.parametrize("path", sorted((ROOT / "reference").rglob("*.py")), ids=lambda path: path.stem)
def test_the_reference_needs_nothing_but_python(path):
    import sys

    used = {name for name in imports(path) if name.split(".")[0] not in sys.stdlib_module_names}
    assert [name for name in used if not name.startswith("pitboss.reference")] == []


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
    if here.startswith("harness/cli/"):
        return
    assert [name for name in imports(path) if name.startswith("pitboss.harness.cli")] == []
    called = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"print", "exit", "input"}


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if "reports" in path.parts and path.stem != "templates"],
    ids=lambda path: path.stem,
)
def test_reports_open_nothing(path):
    text = path.read_text()
    assert not re.search(r"\bopen\(|write_text|read_text|subprocess|import os\b", text)


@pytest.mark.parametrize("path", MODULES, ids=IDS)
def test_files_and_functions_are_short(path):
    tree = ast.parse(path.read_text())
    assert len(path.read_text().splitlines()) <= 300
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 40, f"{node.name} has {node.end_lineno - node.lineno} lines"


@pytest.mark.parametrize("folder", ["harness", "reference", "tests", "benchmarks"])
def test_the_packages_are_imported_from_pitboss_alone(folder):
    """Where the repository is on the path the two are found at the top too, but not where pitboss is installed."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    own = [path for path in paths if "submissions" not in path.parts]
    found = {(str(path), name) for path in own for name in imports(path)}
    assert [one for one in found if one[1].split(".")[0] in ("harness", "reference")] == []
