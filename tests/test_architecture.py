"""The arrows of the design: rooms and what each may use, no game in the harness, each library at its edge."""

import ast
import re
import sys
from collections import defaultdict
from functools import cache

from pitboss.model.comparison_policy import IGNORABLE, Policy
from tests.conftest import ROOT

HARNESS = ROOT / "harness" / "pitboss"
MODULES = sorted(HARNESS.rglob("*.py"))

#: What each room may use, lowest first, besides what all may use. docs/architecture.md says what lives where.
ROOMS = {
    "model": "",
    "sandbox": "model",
    "assignments": "model sandbox",
    "sessions": "model sandbox assignments",
    "compare": "model sandbox assignments sessions",
    "submissions": "model sandbox assignments sessions",
    "unseeded": "model sandbox assignments sessions compare",
    "experiments": "model sandbox assignments sessions compare submissions unseeded",
    "gradebook": "model sandbox assignments sessions compare submissions",
    "checking": "model sandbox assignments sessions compare submissions unseeded experiments gradebook",
    "reports": "model sandbox assignments sessions compare submissions gradebook",
    "kits": "model sandbox assignments sessions compare submissions unseeded experiments reports",
    "cli": "model sandbox assignments sessions compare submissions unseeded experiments gradebook checking reports kits",
}
#: What all rooms may use: errors, what extras install, and where the specs are that come with pitboss.
FOR_ALL = {"data", "errors", "extras"}
#: Faces of the harness, which may use all rooms and are used by nobody.
FACES = {"cli", "pytest_plugin", "__main__"}

EDGES_OF = {
    "pexpect": {"harness/pitboss/sessions/terminal.py"},
    "yaml": {"harness/pitboss/assignments/yamlfile.py"},
    "jinja2": {"harness/pitboss/reports/templates.py"},
    "markdown_it": {"harness/pitboss/reports/markdown.py"},
    "lizard": {"harness/pitboss/reports/style/function_sizes.py"},
    "pygments": {"harness/pitboss/experiments/mutation/tokens.py"},
    "sqlite3": {"harness/pitboss/gradebook/database.py"},
    "click": {"harness/pitboss/cli/"},
    "rich": {
        "harness/pitboss/reports/conversation.py",
        "harness/pitboss/reports/report.py",
        "harness/pitboss/reports/class_table.py",
        "harness/pitboss/reports/score_table.py",
        "harness/pitboss/reports/mark_table.py",
        "harness/pitboss/reports/policy_table.py",
        "harness/pitboss/reports/import_table.py",
        "harness/pitboss/reports/similarity_table.py",
        "harness/pitboss/reports/walkthrough.py",
        "harness/pitboss/reports/progress_bar.py",
        "harness/pitboss/cli/",
    },
    "starlette": {"harness/pitboss/reports/review/"},
    "uvicorn": {"harness/pitboss/cli/reviewing.py"},
    "tree_sitter": {"harness/pitboss/submissions/constructs.py"},
    "distributed": {"harness/pitboss/checking/cluster/"},
    "dask": {"harness/pitboss/checking/cluster/"},
    "pytest": {"harness/pitboss/pytest_plugin.py"},
    # One unpacker of what others hand in; the others make archives, or unpack their own.
    "zipfile": {"harness/pitboss/submissions/archives.py", "harness/pitboss/reports/exports/autograder.py"},
    "tarfile": {"harness/pitboss/submissions/archives.py", "harness/pitboss/checking/cluster/cluster_packing.py"},
}


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports(path):
    """The names that a file imports, each once."""
    found = []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found += (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += (node.module, *(f"{node.module}.{name.name}" for name in node.names))
    return tuple(dict.fromkeys(found))


def place(path, *what):
    """A line of a violation: the file, and what is wrong there."""
    return " ".join((f"{path.relative_to(ROOT)}:", *map(str, what)))


def room_of(dotted):
    """The room, or the module beside the rooms, of a name that is imported."""
    parts = dotted.split(".")
    return parts[1] if parts[0] == "pitboss" and len(parts) > 1 else None


def test_every_room_is_in_the_table_and_tells_what_it_is_for():
    rooms = {path.parent.name for path in HARNESS.glob("*/__init__.py")} - FOR_ALL
    assert rooms == set(ROOMS)
    for room in rooms:
        output = ast.get_docstring(ast.parse((HARNESS / room / "__init__.py").read_text())) or ""
        assert len(output.splitlines()) >= 4, (
            f"{room}/__init__.py: what lives here, what comes in, what goes out, what it may use"
        )


def test_the_docs_have_the_same_table():
    output = (ROOT / "docs" / "architecture.md").read_text()
    order = re.findall(r"^\| `(\w+)/`", output, re.MULTILINE)
    assert order == list(ROOMS)


def test_the_arrows_point_one_way():
    below = []
    for room, used in ROOMS.items():
        assert set(used.split()) <= set(below), f"{room} may use {set(used.split()) - set(below)}, which stand above it"
        below.append(room)


def test_a_room_uses_only_those_that_it_may():
    wrong = []
    for path in MODULES:
        here = path.relative_to(HARNESS).parts[0].removesuffix(".py")
        if here in FACES - {"cli"}:
            continue
        allowed = {*ROOMS[here].split(), here, *FOR_ALL} if here in ROOMS else FOR_ALL
        used = {room_of(name) for name in imports(path)} - {None}
        used = {room for room in used if (HARNESS / room).is_dir() or (HARNESS / f"{room}.py").is_file()}
        wrong += [place(path, here, "may not use", room) for room in sorted(used - allowed)]
    assert wrong == []


def test_the_harness_knows_no_game_and_no_reference():
    words = re.compile(
        r"\b(blackjack|dealers?|cards?|decks?|shuffl\w*|casino|poker|bets?|betting|aces?)\b", re.IGNORECASE
    )
    wrong = [place(path, "says", word) for path in MODULES for word in words.findall(path.read_text())]
    wrong += [
        place(path, "imports", name) for path in MODULES for name in imports(path) if name.startswith("reference")
    ]
    assert wrong == []


def test_the_reference_needs_nothing_but_python():
    assert [
        place(path, "imports", name)
        for path in sorted((ROOT / "reference").rglob("*.py"))
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("reference")
    ] == []


def test_each_library_is_imported_at_its_edge_alone():
    assert [
        place(path, "imports", name)
        for path in MODULES
        for name in imports(path)
        if (places := EDGES_OF.get(name.split(".")[0])) is not None
        and not any(str(path.relative_to(ROOT)).startswith(one) for one in places)
    ] == []


def test_only_the_command_line_prints_exits_or_is_imported_by_nobody():
    wrong = []
    for path in MODULES:
        if path.is_relative_to(HARNESS / "cli") or path.stem == "__main__":
            continue
        wrong += [place(path, "imports", name) for name in imports(path) if name.startswith("pitboss.cli")]
        called = {
            node.func.id
            for node in ast.walk(tree_of(path))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        wrong += [place(path, "calls", name) for name in sorted(called & {"print", "exit", "input"})]
    assert wrong == []


def test_reports_open_nothing():
    opens = re.compile(r"\bopen\(|write_text|read_text|subprocess|import os\b")
    assert [
        place(path, "has", found)
        for path in MODULES
        if path.parent == HARNESS / "reports" and path.stem != "templates"
        for found in opens.findall(path.read_text())
    ] == []


def test_no_function_rebinds_a_name_of_its_module():
    """But where a signal handler and what it interrupts share a value: they have no other place for it."""
    by_signals = {HARNESS / "sandbox" / "signals.py", HARNESS / "assignments" / "authored.py"}
    assert [
        place(path, "rebinds", *node.names)
        for path in MODULES
        if path not in by_signals
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Global)
    ] == []


def test_the_package_is_imported_as_pitboss_alone():
    """Where the repository is on the path it is found as harness.pitboss too, and each module would be there twice."""
    folders = ("harness", "tests", "benchmarks")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert [
        place(path, "imports", name)
        for path in sorted(paths)
        if "submissions" not in path.relative_to(ROOT).parts[1:-1] or path.is_relative_to(HARNESS)
        for name in imports(path)
        if name.split(".")[0] == "harness"
    ] == []


def test_only_the_normaliser_reads_the_options_of_a_policy():
    """But where they are loaded and where they are put into words: an option is added there and nowhere else."""
    names = {*IGNORABLE, "alternatives", "not_judged", "free_lines", "matches", "any_order", "numbers", "begins"}
    read_by = {
        "harness/pitboss/model/comparison_policy.py",
        "harness/pitboss/model/relaxation.py",
        "harness/pitboss/model/line_rules.py",
        "harness/pitboss/assignments/comparefile.py",
        "harness/pitboss/kits/leeway.py",
    }
    assert names <= set(Policy.__struct_fields__)
    assert [
        place(path, "reads", ast.unparse(node))
        for path in MODULES
        if str(path.relative_to(ROOT)) not in read_by
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value).split(".")[-1] == "policy"
    ] == []


def defined(kind):
    """The names that classes or functions have in the harness, each with the modules in which it stands."""
    found = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, kind):
                found[node.name].append(str(path.relative_to(HARNESS)))
    return found


def test_each_class_and_each_module_has_a_name_of_its_own():
    """So that whoever looks for a name finds the one thing that it means."""
    classes = defined(ast.ClassDef)
    modules = defaultdict(list)
    for path in MODULES:
        if path.stem != "__init__":
            modules[path.stem].append(str(path.relative_to(HARNESS)))
    assert {name: places for name, places in (classes | modules).items() if len(places) > 1} == {}


def test_no_function_is_named_by_what_was_done():
    """A function that acts is named by a verb, a pure one by what it returns: `told` says neither."""
    words = {"told", "shown", "held", "taken", "made", "chosen", "asked", "known", "met", "said"}
    functions = defined((ast.FunctionDef, ast.AsyncFunctionDef))
    assert {name: places for name, places in functions.items() if name.strip("_") in words} == {}


def fields_of_structs():
    """The names of all fields of classes, as msgspec and NamedTuple declare them."""
    classes = [node for path in MODULES for node in ast.walk(tree_of(path)) if isinstance(node, ast.ClassDef)]
    return {line.target.id for one in classes for line in one.body if isinstance(line, ast.AnnAssign)}


def test_replaced_fields_exist():
    """The type checker does not look at the keywords of structs.replace: a renamed field fails only where it runs."""
    fields = fields_of_structs()
    unknown = [
        f"{place(path, node.lineno)} {keyword.arg}"
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("structs.replace", "._replace"))
        for keyword in node.keywords
        if keyword.arg and keyword.arg not in fields
    ]
    assert unknown == []


def names_in(tree):
    """Every name that code defines or uses: variables, arguments, attributes, functions, classes, and keys of YAML."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield from (key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
        for field in ("id", "attr", "name", "arg"):
            if isinstance(name := getattr(node, field, None), str):
                yield name


def test_docstrings_name_what_exists():
    """A renamed function or parameter leaves its old name behind in backticks: no tool renames it there."""
    names = {name for path in MODULES for name in (path.stem, *names_in(tree_of(path)))}
    unknown = [
        place(path, quoted)
        for path in MODULES
        for quoted in re.findall(r"`([a-z]+_[a-z_]+|_[a-z]\w+)`", path.read_text())
        if quoted not in names and f'"{quoted}"' not in path.read_text()
    ]
    assert unknown == []


def texts_kept_by(room):
    """The literals of a room that are no documentation and stand in no error that it raises, each with its module."""
    for path in sorted((HARNESS / room).rglob("*.py")):
        tree = tree_of(path)
        errors = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
        docs = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
        left_out = {id(inner) for node in (*errors, *docs) for inner in ast.walk(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
                yield path, node.value


def test_what_is_found_is_worded_in_reports_alone():
    """But what went wrong on our side, which is no finding on a program."""
    sentence = re.compile(r"[A-Z“](?:.* ){3}")
    assert [
        place(path, "says", text)
        for room in ("model", "compare")
        for path, text in texts_kept_by(room)
        if sentence.match(text) and "which is not the program's fault" not in text
        if "([" not in text  # a pattern of what somebody else's runtime says
    ] == []


def test_commands_are_made_in_reports_and_above():
    """But for errors, which say to whoever called what to call instead."""
    commands = re.compile(r"(?:`|^|: )pitboss (?:check|explain|grade|hunt|play|record|mark)\b")
    below = list(ROOMS)[: list(ROOMS).index("gradebook")]
    assert [
        place(path, "has", text) for room in below for path, text in texts_kept_by(room) if commands.search(text)
    ] == []
