"""Which tests a run takes: what is cheap always, and of the rest as much as there is time for.

- tests/costs.txt says how long the tests take that take LISTED_FROM_S or longer. `./test` takes those that are neither
  long (QUICK_AT_MOST_S) nor marked `slow`, one in so many that they take QUICK_S together.
- A kind (KINDS) has tests that do the same with very many things: the listed and slow ones in the files that it names,
  and those marked `rotates` with its name. CI takes a part of each kind, and all of a kind whose folders the change
  touches; where these take longer than a kind may (`most_s`), one in so many that they do not.
- What is filed for an assignment, whose reference or specs the change touches, CI takes as far as FILED_S go.
- CI takes all that are of no kind.

`./test --everything` and a plain `python -m pytest` take all. Which part it is follows from the commit: a run can be
repeated, and the next commit has another part.
"""

from __future__ import annotations

import functools
import math
import os
import re
import subprocess
import zlib
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
#: Seconds and name of each test that takes long: the mean of its parameters, and one by one those that take longer than
#: QUICK_AT_MOST_S. `--record-costs` writes it.
COSTS = ROOT / "tests" / "costs.txt"
LISTED_FROM_S = 0.2
#: What the listed tests of `./test` may take, in seconds of all workers together: on two cores it has three minutes, and
#: what is not listed needs the rest of it.
QUICK_S = 50
#: A test that takes longer is not taken by `./test`.
QUICK_AT_MOST_S = 3.0
#: What a slow test takes that is not listed.
_UNKNOWN_S = 1.0
#: The last commit that landed before the present change; PITBOSS_SINCE names another.
LANDED = ROOT / ".ci" / "landed"
#: What CI gives to programs that are filed for an assignment which the change touches: their verdicts and what is said
#: of them depend on it.
FILED, FILED_S = "filed", 400
SHARES = ("quick", "ci", "everything", "bare")
#: .ci/bare runs the tests that name a part of the machine, those in files whose names begin like this, which depend on
#: what is there, and of all others one in so many.
BARE = (
    "tests/test_setup.py",
    "tests/sessions/test_refusals.py",
    "tests/submissions/test_comm",
    "tests/submissions/test_csharp",
)
BARE_ONE_IN = 40


class Kind(NamedTuple):
    """Tests of many things of one kind."""

    #: CI takes one in so many where the change touches none of the folders.
    one_in: int
    #: What CI gives to it, in seconds of all workers together, where the change touches one. CI has twenty minutes.
    most_s: float
    #: Whose listed and slow tests are of this kind; all that are marked `rotates` with its name are too.
    tests: tuple[str, ...]
    #: What these tests are about: folders and files of the repository.
    folders: tuple[str, ...]


_JUDGING = (
    "harness/pitboss/compare",
    "harness/pitboss/unseeded",
    "harness/pitboss/experiments",
    "harness/pitboss/model",
)
_RULES = ("reference", "specs")
_SESSIONS = ("harness/pitboss/sessions", "harness/pitboss/sandbox")
#: The first whose tests include a test has it.
KINDS = {
    "mutants": Kind(
        16,
        90,
        ("experiments/mutants/", "experiments/mutation/"),
        (*_RULES, "harness/pitboss/experiments/mutants", "harness/pitboss/experiments/mutation"),
    ),
    "edits": Kind(
        5,
        60,
        ("experiments/naming/test_edits.py",),
        ("harness/pitboss/experiments/naming", "harness/pitboss/compare"),
    ),
    "handouts": Kind(
        10,
        90,
        ("kits/",),
        (*_RULES, "harness/pitboss/kits", "student_templates"),
    ),
    "attacks": Kind(
        6, 40, ("checking/test_hostile.py", "checking/test_class.py", "sandbox/test_defences.py"), _SESSIONS
    ),
    "faults": Kind(6, 60, ("faults/", "sandbox/"), (*_SESSIONS, "harness/pitboss/checking")),
    "drivers": Kind(10, 100, ("sessions/", "checking/test_expression.py"), _SESSIONS),
    "builds": Kind(
        4,
        100,
        ("submissions/",),
        ("harness/pitboss/submissions", "harness/pitboss/model/languages", "harness/pitboss/checking"),
    ),
    "commands": Kind(
        5,
        150,
        ("cli/", "checking/cluster/", "reports/review/", "reports/exports/", "test_pytest_plugin.py", "test_wheel.py"),
        (
            "harness/pitboss/cli",
            "harness/pitboss/checking/cluster",
            "harness/pitboss/reports/review",
            "harness/pitboss/reports/exports",
            "harness/pitboss/gradebook",
            "harness/pitboss/checking/cache",
        ),
    ),
    "walks": Kind(
        5,
        110,
        ("docs/", "examples/", "reports/"),
        ("docs", "examples", "harness/pitboss/cli", "harness/pitboss/reports"),
    ),
    "corpora": Kind(
        10,
        190,
        ("checking/", "experiments/", "unseeded/", "fuzzing/"),
        (*_JUDGING, *_RULES, "harness/pitboss/checking", "tests/submissions"),
    ),
}


def pytest_addoption(parser):
    parser.addoption(
        "--share", choices=SHARES, default="everything", help="which part of the tests: see tests/rotation.py"
    )
    parser.addoption("--record-costs", action="store_true", help="write to tests/costs.txt how long each test took")


def pytest_configure(config):
    config.addinivalue_line(
        "markers", f"rotates(kind): one of many tests of a kind ({', '.join(KINDS)}); tests/rotation.py"
    )
    config.rotation = {}
    if config.pluginmanager.hasplugin("dsession"):
        config.pluginmanager.register(_FromWorkers(config), "rotation of the workers")
    if config.getoption("--record-costs") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Recorder(), "recorder of costs")


def pytest_collection_modifyitems(config, items):
    share = config.getoption("--share")
    groups = defaultdict(list)
    for item in items:
        groups[_group_of(item, share)].append(item)
    taken, ran = set(), {}
    for group, members in groups.items():
        some = _every(members, _one_in(group, groups, share)) if group else members
        taken.update(item.nodeid for item in some)
        if group:
            ran[group] = (len(some), len(members))
    left = [item for item in items if item.nodeid not in taken]
    if left:
        items[:] = [item for item in items if item.nodeid in taken]
        config.hook.pytest_deselected(items=left)
    config.rotation = ran


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


class _Recorder:
    """Writes how long the tests took; of those that did not run the old figures stay, of those that are gone none."""

    def __init__(self):
        self._seconds = Counter()

    def pytest_runtest_logreport(self, report):
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self):
        by_function = defaultdict(list)
        for nodeid, seconds in self._seconds.items():
            by_function[_function_of(nodeid)].append(seconds)
        means = {name: sum(of) / len(of) for name, of in by_function.items()}
        long = {nodeid: seconds for nodeid, seconds in self._seconds.items() if seconds > QUICK_AT_MOST_S}
        old = {name: seconds for name, seconds in costs().items() if name not in self._seconds}
        kept = {
            name: seconds
            for name, seconds in {**old, **means, **long}.items()
            if (ROOT / name.partition("::")[0]).is_file()
        }
        COSTS.write_text(
            "".join(f"{seconds:.2g} {name}\n" for name, seconds in sorted(kept.items()) if seconds >= LISTED_FROM_S)
        )


@functools.cache
def costs() -> dict[str, float]:
    """How long a test takes in seconds, of those that are listed."""
    lines = COSTS.read_text().splitlines() if COSTS.is_file() else []
    return {name: float(seconds) for seconds, _, name in (line.partition(" ") for line in lines)}


def _function_of(nodeid: str) -> str:
    return nodeid.partition("[")[0]


def _cost_s(item) -> float:
    unknown = _UNKNOWN_S if item.get_closest_marker("slow") else 0.0
    return costs().get(item.nodeid) or costs().get(_function_of(item.nodeid), unknown)


def _kind_of(item):
    """The kind of a test; empty if it is of none."""
    if mark := item.get_closest_marker("rotates"):
        return mark.args[0]
    if not _cost_s(item):
        return ""
    name = item.nodeid.removeprefix("tests/")
    return next((kind for kind, of in KINDS.items() if name.startswith(of.tests)), "")


def _group_of(item, share: str) -> str:
    """Which group a test is in, of which a part is taken; empty where all are."""
    if share == "everything":
        return ""
    if share == "bare":
        if item.get_closest_marker("needs") or item.nodeid.startswith(BARE) or "doctor" in item.nodeid:
            return ""
        return "rest"
    if share == "ci":
        kind = _kind_of(item)
        return FILED if kind == "corpora" and _is_of_changed(item) else kind
    if item.get_closest_marker("slow") or _cost_s(item) > QUICK_AT_MOST_S:
        return "long"
    return "listed" if _cost_s(item) else ""


def _one_in(group: str, groups, share: str) -> float:
    """One in how many of the tests of a group is taken."""
    if share == "bare":
        return BARE_ONE_IN
    if group == FILED:
        return _to_fit(groups[group], FILED_S)
    if share == "ci":
        kind = KINDS[group]
        return min(kind.one_in, _to_fit(groups[group], kind.most_s)) if group in touched() else kind.one_in
    return math.inf if group == "long" else _to_fit(groups[group], QUICK_S)


def _to_fit(members, most_s: float) -> int:
    """One in how many of these tests take so long together, or less."""
    return math.ceil(sum(map(_cost_s, members)) / most_s) or 1


def _every(members, one_in: float):
    """One in so many of these tests; the cheap and the dear ones in equal parts, so that all commits take as long."""
    if one_in == math.inf:
        return []
    ordered = sorted(members, key=lambda item: (_cost_s(item), zlib.crc32(item.nodeid.encode()), item.nodeid))
    return ordered[int(_commit()[:8], 16) % one_in :: one_in]


@functools.cache
def touched() -> frozenset[str]:
    """The kinds whose folders the change touches; all where that cannot be found out."""
    changed = _changed()
    if changed is None:
        return frozenset(KINDS)
    return frozenset(
        kind
        for kind, of in KINDS.items()
        if any(f"{path}/".startswith(f"{one}/") for path in changed for one in of.folders)
    )


def _is_of_changed(item) -> bool:
    """Whether a test is about something that is filed for an assignment which the change touches."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(name in re.split(r"[/ ]", str(value)) for value in values for name in _changed_assignments())


@functools.cache
def _changed_assignments() -> frozenset[str]:
    """The assignments whose reference or specs the change touches."""
    places = (path.split("/") for path in _changed() or ())
    return frozenset(place[1] for place in places if place[0] in _RULES and len(place) > 2)


def _changed() -> list[str] | None:
    """The files that differ from the last commit that landed, committed or not; None where there is no such commit."""
    since = os.environ.get("PITBOSS_SINCE") or (LANDED.read_text().strip() if LANDED.is_file() else "")
    named = _git("diff", "--name-only", since) if since else None
    new = _git("ls-files", "--others", "--exclude-standard")
    return None if named is None or new is None else [*named.splitlines(), *new.splitlines()]


@functools.cache
def _commit() -> str:
    # Where git is out of sight, as in .ci/bare, whoever hides it says which commit it is.
    return (os.environ.get("PITBOSS_COMMIT") or _git("rev-parse", "HEAD") or "0" * 40).strip()


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:  # not there, or out of sight
        return None
    return done.stdout if done.returncode == 0 else None
