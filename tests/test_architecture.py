import ast
import importlib
import re
import sys
from functools import cache

import pytest

from pitboss.model.comparison_policy import IGNORABLE, Policy
from tests.conftest import ROOT

HARNESS = ROOT / "harness" / "pitboss"
MODULES = sorted(HARNESS.rglob("*.py"))

#: The rooms (packages of the harness), lowest first, and the rooms that each may import, besides those in FOR_ALL.
#: docs/architecture.md says what each room contains.
ROOMS = {
    "model": "",
    "machine": "model",
    "sandbox": "model machine",
    "assignments": "model machine sandbox",
    "sessions": "model machine sandbox assignments",
    "compare": "model machine sandbox assignments sessions",
    "submissions": "model machine sandbox assignments sessions",
    "unseeded": "model machine sandbox assignments sessions compare",
    "experiments": "model machine sandbox assignments sessions compare submissions unseeded",
    "gradebook": "model machine sandbox assignments sessions compare submissions",
    "checking": "model machine sandbox assignments sessions compare submissions unseeded experiments gradebook",
    "reports": "model machine sandbox assignments sessions compare submissions gradebook",
    "kits": "model machine sandbox assignments sessions compare submissions unseeded experiments reports",
    "cli": "model machine sandbox assignments sessions compare submissions unseeded experiments gradebook checking reports kits",
}
#: What all rooms may import: the specs that come with pitboss, errors, and the check for optional dependencies.
FOR_ALL = {"data", "errors", "extras"}
#: Entry points of the harness, which may import all rooms and which no module imports.
ENTRY_POINTS = {"cli", "pytest_plugin", "__main__"}

#: Libraries, and the only files and folders that may import each.
ALLOWED_IMPORTERS = {
    "pexpect": {"harness/pitboss/sessions/terminal.py"},
    "yaml": {"harness/pitboss/assignments/nodes.py"},
    "jinja2": {"harness/pitboss/reports/templates.py"},
    "markdown_it": {"harness/pitboss/kits/handouts.py"},
    "lizard": {"harness/pitboss/reports/style_facts.py"},
    "pygments": {"harness/pitboss/experiments/mutants/tokens.py"},
    "sqlite3": {"harness/pitboss/gradebook/database.py"},
    "click": {"harness/pitboss/cli/"},
    "rich": {
        "harness/pitboss/reports/conversation.py",
        "harness/pitboss/reports/report.py",
        "harness/pitboss/reports/class_table.py",
        "harness/pitboss/reports/score_table.py",
        "harness/pitboss/reports/columns.py",
        "harness/pitboss/reports/mark_sheet.py",
        "harness/pitboss/reports/similarity_page.py",
        "harness/pitboss/reports/progress_bar.py",
        "harness/pitboss/cli/",
    },
    "starlette": {"harness/pitboss/reports/review/"},
    "uvicorn": {"harness/pitboss/cli/reviewing.py"},
    "tree_sitter": {"harness/pitboss/submissions/constructs.py"},
    "distributed": {"harness/pitboss/checking/cluster/"},
    "dask": {"harness/pitboss/checking/cluster/"},
    "pytest": {"harness/pitboss/pytest_plugin.py"},
    # Only archives.py unpacks submissions; the second file of each line packs archives, or unpacks pitboss's own.
    "zipfile": {"harness/pitboss/submissions/archives.py", "harness/pitboss/reports/exports/autograder.py"},
    "tarfile": {"harness/pitboss/submissions/archives.py", "harness/pitboss/checking/cluster/cluster_packing.py"},
}


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports(path):
    """The names that a file imports, each once."""
    names = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names += (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += (node.module, *(f"{node.module}.{name.name}" for name in node.names))
    return tuple(dict.fromkeys(names))


def violation(path, *details):
    """A line that reports a violation: the file, and what is wrong there."""
    return " ".join((f"{path.relative_to(ROOT)}:", *map(str, details)))


def room_of(dotted):
    """The room, or the top-level module of pitboss, that contains this imported name; None outside pitboss."""
    parts = dotted.split(".")
    return parts[1] if parts[0] == "pitboss" and len(parts) > 1 else None


def test_every_room_is_in_the_table():
    assert {path.parent.name for path in HARNESS.glob("*/__init__.py")} - FOR_ALL == set(ROOMS)


def test_the_docs_list_the_same_rooms_in_the_same_order():
    text = (ROOT / "docs" / "architecture.md").read_text()
    order = re.findall(r"^\| `(\w+)/`", text, re.MULTILINE)
    assert order == list(ROOMS)


def test_each_room_may_use_only_rooms_below_it():
    below = []
    for room, used in ROOMS.items():
        assert set(used.split()) <= set(below), f"{room} may use {set(used.split()) - set(below)}, which stand above it"
        below.append(room)


def test_a_room_imports_only_the_rooms_that_it_may_use():
    violations = []
    for path in MODULES:
        own_room = path.relative_to(HARNESS).parts[0].removesuffix(".py")
        if own_room in ENTRY_POINTS - {"cli"}:
            continue
        allowed = {*ROOMS[own_room].split(), own_room, *FOR_ALL} if own_room in ROOMS else FOR_ALL
        used = {room_of(name) for name in imports(path)} - {None}
        used = {room for room in used if (HARNESS / room).is_dir() or (HARNESS / f"{room}.py").is_file()}
        violations += [violation(path, own_room, "may not use", room) for room in sorted(used - allowed)]
    assert violations == []


def test_the_harness_mentions_no_game_and_imports_no_reference():
    words = re.compile(
        r"\b(blackjack|dealers?|cards?|decks?|shuffl\w*|casino|poker|bets?|betting|aces?)\b", re.IGNORECASE
    )
    violations = [violation(path, "says", word) for path in MODULES for word in words.findall(path.read_text())]
    violations += [
        violation(path, "imports", name) for path in MODULES for name in imports(path) if name.startswith("reference")
    ]
    assert violations == []


def test_the_reference_imports_only_the_standard_library():
    assert [
        violation(path, "imports", name)
        for path in sorted((ROOT / "reference").rglob("*.py"))
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("reference")
    ] == []


def test_each_library_is_imported_only_by_its_allowed_importers():
    assert [
        violation(path, "imports", name)
        for path in MODULES
        for name in imports(path)
        if (importers := ALLOWED_IMPORTERS.get(name.split(".")[0])) is not None
        and not any(str(path.relative_to(ROOT)).startswith(importer) for importer in importers)
    ] == []


def test_only_the_command_line_prints_and_exits_and_nothing_imports_it():
    violations = []
    for path in MODULES:
        if path.is_relative_to(HARNESS / "cli") or path.stem == "__main__":
            continue
        violations += [violation(path, "imports", name) for name in imports(path) if name.startswith("pitboss.cli")]
        called = {
            node.func.id
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        violations += [violation(path, "calls", name) for name in sorted(called & {"print", "exit", "input"})]
    assert violations == []


def test_reports_open_no_files_and_start_no_processes():
    opens = re.compile(r"\bopen\(|write_text|read_text|subprocess|import os\b")
    assert [
        violation(path, "has", call)
        for path in MODULES
        if path.is_relative_to(HARNESS / "reports") and path.stem != "templates"
        for call in opens.findall(path.read_text())
    ] == []


def test_files_for_people_are_written_by_one_function():
    """So that none is there before it is complete. The page that opens the review is temporary."""
    writes = re.compile(r"\.write_text\(|\bPath\([^()]*\)\.write_bytes|\bopen\([^()]*, \"[awx]")
    writers = {HARNESS / "cli" / "common_options.py", HARNESS / "cli" / "reviewing.py"}
    assert [
        violation(path, "has", call)
        for path in MODULES
        if path.parent.name in ("cli", "kits", "reports") and path not in writers
        for call in writes.findall(path.read_text())
    ] == []


def test_only_the_listed_modules_read_the_options_of_a_policy():
    """The listed modules apply options, load them, or describe them in words: a new option changes only these."""
    names = {*IGNORABLE, "alternatives", "not_judged", "free_lines", "matches", "any_order", "numbers", "begins"}
    readers = {
        "harness/pitboss/model/comparison_policy.py",
        "harness/pitboss/model/equality.py",
        "harness/pitboss/model/line_rules.py",
        "harness/pitboss/assignments/comparefile.py",
        "harness/pitboss/kits/handouts.py",
    }
    assert names <= set(Policy.__struct_fields__)
    assert [
        violation(path, "reads", ast.unparse(node))
        for path in MODULES
        if str(path.relative_to(ROOT)) not in readers
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value).split(".")[-1] == "policy"
    ] == []


def test_fields_named_in_calls_of_replace_exist():
    """The type checker ignores the keywords of structs.replace: a call with a renamed field fails only when it runs."""
    classes = [node for path in MODULES for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)]
    fields = [
        {statement.target.id for statement in node.body if isinstance(statement, ast.AnnAssign)} for node in classes
    ]
    unknown = []
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("structs.replace", "._replace")):
                keywords = {keyword.arg for keyword in node.keywords if keyword.arg}
                if not any(keywords <= class_fields for class_fields in fields):
                    unknown.append(f"{violation(path, node.lineno)} {sorted(keywords)}")
    assert unknown == []


def names_in(tree):
    """Every name that code defines or uses: variables, arguments, attributes, functions, classes, and keys of dicts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
        for field in ("id", "attr", "name", "arg"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def test_names_quoted_in_backticks_exist():
    """A renamed function or parameter leaves its old name behind in backticks: no tool renames it there."""
    names = {name for path in MODULES for name in (path.stem, *names_in(tree_of(path)))}
    unknown = [
        violation(path, quoted)
        for path in MODULES
        for quoted in re.findall(r"`([a-z]+_[a-z_]+|_[a-z]\w+|[A-Z]+_[A-Z_]+)`", path.read_text())
        if quoted not in names and f'"{quoted}"' not in path.read_text()
    ]
    assert unknown == []


@pytest.mark.parametrize("page", ["docs/architecture.md", "docs/taking-over.md"])
def test_names_of_code_in_the_guides_exist(page):
    paths = [*MODULES, *(path for path in (ROOT / "tests").glob("*.py"))]
    names = {name for path in paths for name in (path.stem, *names_in(tree_of(path)))}
    quoted = re.findall(
        r"`(?:\w+\.)*([a-z]+_[a-z_]+|[A-Z]+_[A-Z_]+)(?:\(\))?`", (ROOT / page).read_text(encoding="utf-8")
    )
    assert [name for name in quoted if name not in names and not name.startswith("PITBOSS_")] == []


def string_literals(room):
    """The string literals of a room outside its docstrings and the errors that it raises, each with its module."""
    for path in sorted((HARNESS / room).rglob("*.py")):
        tree = tree_of(path)
        errors = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
        docs = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
        excluded_ids = {id(inner) for node in (*errors, *docs) for inner in ast.walk(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in excluded_ids:
                yield path, node.value


def test_only_reports_put_findings_into_sentences():
    """Except sentences on faults of pitboss, which are no findings on a program."""
    sentence = re.compile(r"[A-Z“](?:.* ){3}")
    assert [
        violation(path, "says", text)
        for room in ("model", "compare")
        for path, text in string_literals(room)
        if sentence.match(text) and "which is not the program's fault" not in text
        if "([" not in text  # a regular expression for messages of another runtime
    ] == []


def test_lower_rooms_contain_no_pitboss_commands():
    """Except in errors, which tell the user which command to run instead."""
    commands = re.compile(r"(?:`|^|: )pitboss (?:check|explain|grade|hunt|play|record|mark)\b")
    lower_rooms = list(ROOMS)[: list(ROOMS).index("gradebook")]
    assert [
        violation(path, "has", text)
        for room in lower_rooms
        for path, text in string_literals(room)
        if commands.search(text)
    ] == []


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem)
def test_each_benchmark_imports_what_exists(path):
    """No test runs a benchmark, so one that is broken would be found only when its figure is needed."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] in ("pitboss", "benchmarks", "tests"):
            module = importlib.import_module(node.module)
            for name in node.names:
                if not hasattr(module, name.name):
                    importlib.import_module(f"{node.module}.{name.name}")
