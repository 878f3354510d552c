"""Which tests a run takes: what is cheap always, and of the rest a part that the commit chooses.

- A test marked `sampled` computes for about half a second or more. `./test` runs one in eight of them, CI all.
- A test marked `slow` takes long. CI runs all of them, but for those of a kind.
- A kind (KINDS) has tests that do the same with very many things: slow ones in the files that it names, and those marked
  `rotates` with its name. CI runs a part of each kind, and all of a kind whose folders the change touches.

`./test --everything` and a plain `python -m pytest` run all. Which part it is follows from the commit: a run can be
repeated, and the next commit has another part.
"""

from __future__ import annotations

import functools
import os
import subprocess
import zlib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
#: The last commit that landed before the present change; PITBOSS_SINCE names another.
LANDED = ROOT / ".ci" / "landed"
SHARES = ("quick", "ci", "everything", "bare")
#: Of the tests marked `sampled`, `./test` runs one in so many.
SAMPLED_ONE_IN = 8
#: .ci/bare runs the tests that name a part of the machine, those in files whose names begin like this, which depend on
#: what is there, and of all others one in so many.
BARE = (
    "tests/test_setup.py",
    "tests/running/test_refusals.py",
    "tests/submissions/test_comm",
    "tests/submissions/test_csharp",
)
BARE_ONE_IN = 40


class Kind(NamedTuple):
    """Tests of many things of one kind."""

    #: Of those that are not slow, one in so many is run by `./test`.
    quick_one_in: int
    #: One in so many is run by CI.
    ci_one_in: int
    #: Whose slow tests are of this kind; all that are marked `rotates` with its name are too.
    tests: tuple[str, ...]
    #: What these tests are about: where a change touches a file below one of these, CI runs all of them.
    folders: tuple[str, ...]


_JUDGING = ("harness/judging", "harness/draws", "harness/evidence", "harness/mistakes", "harness/transcripts")
_RULES = ("reference", "specs")
_SESSIONS = ("harness/running", "harness/machine")
#: The first whose tests include a test has it.
KINDS = {
    "mutants": Kind(1, 8, ("mutants/", "mutation/"), (*_RULES, "harness/mutants", "harness/mutation")),
    "edits": Kind(1, 5, ("mistakes/test_edits.py",), ("harness/mistakes", "harness/judging")),
    "handouts": Kind(
        8, 5, ("authoring/", "bundles/"), (*_RULES, "harness/authoring", "harness/bundles", "student_templates")
    ),
    "attacks": Kind(4, 4, ("grading/test_hostile.py", "grading/test_class.py", "machine/test_defences.py"), _SESSIONS),
    "faults": Kind(4, 4, ("faults/", "machine/"), (*_SESSIONS, "harness/grading")),
    "drivers": Kind(8, 5, ("running/", "grading/test_expression.py"), _SESSIONS),
    "builds": Kind(4, 4, ("submissions/",), ("harness/submissions",)),
    "walks": Kind(4, 4, ("docs/", "examples/", "reports/"), ("docs", "examples", "harness/cli", "harness/reports")),
    "corpora": Kind(
        15,
        5,
        ("grading/", "mistakes/", "evidence/", "draws/", "hunting/"),
        (*_JUDGING, *_RULES, "harness/grading", "tests/submissions"),
    ),
}


def pytest_addoption(parser):
    parser.addoption(
        "--share", choices=SHARES, default="everything", help="which part of the tests: see tests/rotation.py"
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers", f"rotates(kind): one of many tests of a kind ({', '.join(KINDS)}); tests/rotation.py"
    )
    config.addinivalue_line("markers", "sampled: computes for half a second or more; ./test runs one in eight, CI all")
    config.rotation = {}
    if config.pluginmanager.hasplugin("dsession"):
        config.pluginmanager.register(_FromWorkers(config), "rotation of the workers")


def pytest_collection_modifyitems(config, items):
    share = config.getoption("--share")
    kept, left, ran, whole = [], [], Counter(), Counter()
    for item in items:
        kind = _kind_of(item)
        is_kept = _is_taken(item, kind, share)
        (kept if is_kept else left).append(item)
        if kind := kind or ("sampled" if item.get_closest_marker("sampled") else ""):
            whole[kind] += 1
            ran[kind] += is_kept
    if left:
        items[:] = kept
        config.hook.pytest_deselected(items=left)
    config.rotation = {kind: (ran[kind], whole[kind]) for kind in whole}


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["rotation"] = session.config.rotation


def pytest_terminal_summary(terminalreporter, config):
    """How much of each kind ran."""
    if config.rotation and config.getoption("--share") != "everything":
        parts = [f"{kind} {ran} of {whole}" for kind, (ran, whole) in sorted(config.rotation.items())]
        terminalreporter.write_line(f"rotation at {_commit()[:12]}: {', '.join(parts)}; ./test --everything runs all")


class _FromWorkers:
    """With pytest-xdist only the workers collect; each tells how much it took, and all tell the same."""

    def __init__(self, config):
        self._config = config

    def pytest_testnodedown(self, node):
        self._config.rotation = getattr(node, "workeroutput", {}).get("rotation", {})


def _kind_of(item):
    """The kind of a test; empty for one that every run takes."""
    if mark := item.get_closest_marker("rotates"):
        return mark.args[0]
    if not item.get_closest_marker("slow"):
        return ""
    name = item.nodeid.removeprefix("tests/")
    return next((kind for kind, of in KINDS.items() if name.startswith(of.tests)), "")


def _is_taken(item, kind, share):
    if share == "everything":
        return True
    if share == "bare":
        names_part = item.get_closest_marker("needs") or item.nodeid.startswith(BARE) or "doctor" in item.nodeid
        return bool(names_part) or (not kind and _has_turn(item.nodeid, BARE_ONE_IN))
    if share == "quick":
        one_in = KINDS[kind].quick_one_in if kind else SAMPLED_ONE_IN if item.get_closest_marker("sampled") else 1
        return not item.get_closest_marker("slow") and _has_turn(item.nodeid, one_in)
    if not kind:
        return True
    return kind in touched() or _has_turn(item.nodeid, KINDS[kind].ci_one_in)


def _has_turn(name: str, one_in: int) -> bool:
    return (zlib.crc32(name.encode()) - int(_commit()[:8], 16)) % one_in == 0


@functools.cache
def touched() -> frozenset[str]:
    """The kinds whose folders the change touches; all where that cannot be found out."""
    changed = _changed()
    if changed is None:
        return frozenset(KINDS)
    return frozenset(
        kind for kind, of in KINDS.items() if any(path.startswith(f"{one}/") for path in changed for one in of.folders)
    )


def _changed() -> list[str] | None:
    """The files that differ from the last commit that landed, committed or not; None where there is no such commit."""
    since = os.environ.get("PITBOSS_SINCE") or (LANDED.read_text().strip() if LANDED.is_file() else "")
    named = _git("diff", "--name-only", since) if since else None
    new = _git("ls-files", "--others", "--exclude-standard")
    return None if named is None or new is None else [*named.splitlines(), *new.splitlines()]


@functools.cache
def _commit() -> str:
    return (_git("rev-parse", "HEAD") or "0" * 40).strip()


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None
