"""Selects the tests of a run: all cheap tests, and as many of the expensive ones as there is time for.

- tests/costs.txt lists the duration of each test that takes LISTED_FROM_S or longer. `./test` runs every unlisted test.
  Of the listed tests that are neither long (QUICK_AT_MOST_S) nor marked `slow`, it runs every n-th, so that these take
  QUICK_S together.
- A kind (KINDS) is a group of tests that check the same behaviour on very many inputs: the listed and slow tests in the
  files that the kind names, and the tests marked `rotates` with its name. CI runs every n-th test of each kind. If the
  change touches the folders of a kind, CI runs all its tests, or as many as take `most_s` together.
- Some tests of the kind "corpora" check submissions to an assignment whose reference or specs the change touches. CI
  runs as many of these as take FILED_S together.
- CI runs all tests that belong to no kind.

`./test --everything` and a plain `python -m pytest` run all tests. Which tests are the n-th ones depends only on the
commit: a run can be repeated, and the next commit runs other tests.
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
#: Written by `--record-costs`. Each line has the seconds and the name of a test function (the mean of its parameter
#: sets), or of a single parameter set that takes longer than QUICK_AT_MOST_S.
COSTS = ROOT / "tests" / "costs.txt"
LISTED_FROM_S = 0.2
#: Time for the listed tests in `./test`, in seconds summed over all workers. `./test` should take three minutes on two
#: cores, and the unlisted tests need the rest of that time.
QUICK_S = 50
#: `./test` leaves out every test that takes longer.
QUICK_AT_MOST_S = 3.0
#: The assumed duration of a test that is marked `slow` but not listed.
_UNKNOWN_S = 1.0
#: A file with the last commit that was merged before the present change; PITBOSS_SINCE overrides it.
LANDED = ROOT / ".ci" / "landed"
#: The group of tests that check submissions to an assignment which the change touches, and CI's time for them, in
#: seconds summed over all workers. The verdicts and messages on these submissions depend on the assignment.
FILED, FILED_S = "filed", 290
SHARES = ("quick", "ci", "everything", "sample")
#: The sample is for another machine than ours: all tests that are marked `needs`, and all tests in the files whose names
#: begin like this, since these depend on the machine. Of the other tests it has one in SAMPLE_ONE_IN.
SAMPLE = (
    "tests/test_setup.py",
    "tests/sessions/test_refusals.py",
    "tests/submissions/test_comm",
    "tests/submissions/test_csharp",
)
SAMPLE_ONE_IN = 40


class Kind(NamedTuple):
    """A group of tests that check the same behaviour on very many inputs."""

    #: CI runs one in this many of the tests if the change touches none of the folders.
    one_in: int
    #: CI's time for the tests if the change touches a folder, in seconds summed over all workers. CI has 20 minutes.
    most_s: float
    #: Files and folders below tests/ (or beginnings of their paths) whose listed and slow tests belong to this kind.
    #: Tests that are marked `rotates` with the name of the kind belong to it too.
    tests: tuple[str, ...]
    #: The folders and files of the repository that these tests check.
    folders: tuple[str, ...]


_JUDGING = (
    "harness/pitboss/compare",
    "harness/pitboss/unseeded",
    "harness/pitboss/experiments",
    "harness/pitboss/model",
)
_ASSIGNMENTS = ("reference", "specs")
_SESSIONS = ("harness/pitboss/sessions", "harness/pitboss/sandbox", "harness/pitboss/machine")
#: A test belongs to the first kind whose `tests` match its path.
KINDS = {
    "mutants": Kind(
        one_in=16,
        most_s=90,
        tests=("experiments/mutants/",),
        folders=(*_ASSIGNMENTS, "harness/pitboss/experiments/mutants"),
    ),
    "edits": Kind(
        one_in=5,
        most_s=60,
        tests=("experiments/naming/test_edits.py",),
        folders=("harness/pitboss/experiments/naming", "harness/pitboss/compare"),
    ),
    "handouts": Kind(
        one_in=10, most_s=90, tests=("kits/",), folders=(*_ASSIGNMENTS, "harness/pitboss/kits", "student_templates")
    ),
    "attacks": Kind(
        one_in=6,
        most_s=40,
        tests=("checking/test_hostile.py", "checking/test_class.py", "sandbox/test_defences.py"),
        folders=_SESSIONS,
    ),
    "faults": Kind(
        one_in=6, most_s=60, tests=("faults/", "machine/", "sandbox/"), folders=(*_SESSIONS, "harness/pitboss/checking")
    ),
    "drivers": Kind(one_in=10, most_s=100, tests=("sessions/", "checking/test_expression.py"), folders=_SESSIONS),
    "builds": Kind(
        one_in=4,
        most_s=100,
        tests=("submissions/",),
        folders=("harness/pitboss/submissions", "harness/pitboss/model/languages", "harness/pitboss/checking"),
    ),
    "commands": Kind(
        one_in=5,
        most_s=150,
        tests=(
            "cli/",
            "checking/cluster/",
            "reports/review/",
            "reports/exports/",
            "test_pytest_plugin.py",
            "test_wheel.py",
        ),
        folders=(
            "harness/pitboss/cli",
            "harness/pitboss/checking/cluster",
            "harness/pitboss/reports/review",
            "harness/pitboss/reports/exports",
            "harness/pitboss/gradebook",
            "harness/pitboss/checking/causes.py",
            "harness/pitboss/checking/causes.py",
        ),
    ),
    "walks": Kind(
        one_in=5,
        most_s=110,
        tests=("docs/", "examples/", "reports/"),
        folders=("docs", "examples", "harness/pitboss/cli", "harness/pitboss/reports"),
    ),
    "corpora": Kind(
        one_in=10,
        most_s=130,
        tests=("checking/", "experiments/", "unseeded/", "fuzzing/"),
        folders=(*_JUDGING, *_ASSIGNMENTS, "harness/pitboss/checking", "tests/submissions"),
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
        config.pluginmanager.register(_WorkerCounts(config), "rotation of the workers")
    if config.getoption("--record-costs") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_CostRecorder(), "recorder of costs")


def pytest_collection_modifyitems(config, items):
    share = config.getoption("--share")
    groups = defaultdict(list)
    for item in items:
        groups[_group_of(item, share)].append(item)
    selected_ids, counts = set(), {}
    for group, members in groups.items():
        selected = _every_nth(members, _interval_for(group, groups, share)) if group else members
        selected_ids.update(item.nodeid for item in selected)
        if group:
            counts[group] = (len(selected), len(members))
    deselected = [item for item in items if item.nodeid not in selected_ids]
    if deselected:
        items[:] = [item for item in items if item.nodeid in selected_ids]
        config.hook.pytest_deselected(items=deselected)
    config.rotation = counts


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["rotation"] = session.config.rotation


def pytest_terminal_summary(terminalreporter, config):
    """Print how many tests of each kind ran."""
    if config.rotation and config.getoption("--share") != "everything":
        parts = [f"{kind} {selected} of {total}" for kind, (selected, total) in sorted(config.rotation.items())]
        terminalreporter.write_line(f"rotation at {_commit()[:12]}: {', '.join(parts)}; ./test --everything runs all")


class _WorkerCounts:
    """Takes the counts of selected tests from pytest-xdist's workers, since only workers collect; all send the same."""

    def __init__(self, config):
        self._config = config

    def pytest_testnodedown(self, node):
        self._config.rotation = getattr(node, "workeroutput", {}).get("rotation", {})


class _CostRecorder:
    """Writes the durations of the tests to tests/costs.txt.

    Tests that did not run keep their old durations; tests whose file no longer exists are dropped.
    """

    def __init__(self):
        self._seconds = Counter()

    def pytest_runtest_logreport(self, report):
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self):
        by_function = defaultdict(list)
        for nodeid, seconds in self._seconds.items():
            by_function[_function_id(nodeid)].append(seconds)
        means = {name: sum(durations) / len(durations) for name, durations in by_function.items()}
        long_tests = {nodeid: seconds for nodeid, seconds in self._seconds.items() if seconds > QUICK_AT_MOST_S}
        old_costs = {name: seconds for name, seconds in costs().items() if name not in self._seconds}
        new_costs = {
            name: seconds
            for name, seconds in {**old_costs, **means, **long_tests}.items()
            if (ROOT / name.partition("::")[0]).is_file()
        }
        COSTS.write_text(
            "".join(
                f"{seconds:.2g} {name}\n" for name, seconds in sorted(new_costs.items()) if seconds >= LISTED_FROM_S
            )
        )


@functools.cache
def costs() -> dict[str, float]:
    """The duration in seconds of each listed test."""
    lines = COSTS.read_text().splitlines() if COSTS.is_file() else []
    return {name: float(seconds) for seconds, _, name in (line.partition(" ") for line in lines)}


def _function_id(nodeid: str) -> str:
    """The node id without the parameters."""
    return nodeid.partition("[")[0]


def _cost_s(item) -> float:
    default_s = _UNKNOWN_S if item.get_closest_marker("slow") else 0.0
    return costs().get(item.nodeid) or costs().get(_function_id(item.nodeid), default_s)


def _kind_of(item):
    """The name of the kind that a test belongs to, or "" if it belongs to none."""
    if mark := item.get_closest_marker("rotates"):
        return mark.args[0]
    if not _cost_s(item):
        return ""
    name = item.nodeid.removeprefix("tests/")
    return next((kind_name for kind_name, kind in KINDS.items() if name.startswith(kind.tests)), "")


def _group_of(item, share: str) -> str:
    """The group that a test belongs to, of which every n-th test runs; "" if the test always runs."""
    if share == "everything":
        return ""
    if share == "sample":
        if item.get_closest_marker("needs") or item.nodeid.startswith(SAMPLE) or "doctor" in item.nodeid:
            return ""
        return "rest"
    if share == "ci":
        kind = _kind_of(item)
        return FILED if kind == "corpora" and _concerns_changed_assignment(item) else kind
    if item.get_closest_marker("slow") or _cost_s(item) > QUICK_AT_MOST_S:
        return "long"
    return "listed" if _cost_s(item) else ""


def _interval_for(group: str, groups, share: str) -> float:
    """The n of a group of which every n-th test runs."""
    if share == "sample":
        return SAMPLE_ONE_IN
    if group == FILED:
        return _interval_to_fit(groups[group], FILED_S)
    if share == "ci":
        kind = KINDS[group]
        return (
            min(kind.one_in, _interval_to_fit(groups[group], kind.most_s)) if group in touched_kinds() else kind.one_in
        )
    return math.inf if group == "long" else _interval_to_fit(groups[group], QUICK_S)


def _interval_to_fit(members, most_s: float) -> int:
    """The least n for which every n-th of these tests together take about `most_s` or less."""
    return math.ceil(sum(map(_cost_s, members)) / most_s) or 1


def _every_nth(members, one_in: float):
    """Every `one_in`-th of these tests, counted in the order of their costs, so that all commits take equally long."""
    if one_in == math.inf:
        return []
    ordered = sorted(members, key=lambda item: (_cost_s(item), zlib.crc32(item.nodeid.encode()), item.nodeid))
    return ordered[int(_commit()[:8], 16) % one_in :: one_in]


@functools.cache
def touched_kinds() -> frozenset[str]:
    """The kinds whose folders the change touches; all kinds if git cannot tell what changed."""
    changed = _changed()
    if changed is None:
        return frozenset(KINDS)
    return frozenset(
        name
        for name, kind in KINDS.items()
        if any(f"{path}/".startswith(f"{folder}/") for path in changed for folder in kind.folders)
    )


def _concerns_changed_assignment(item) -> bool:
    """Whether a parameter of the test names an assignment whose reference or specs the change touches."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(name in re.split(r"[/ ]", str(value)) for value in values for name in _changed_assignments())


@functools.cache
def _changed_assignments() -> frozenset[str]:
    """The assignments whose reference or specs the change touches."""
    split_paths = (path.split("/") for path in _changed() or ())
    return frozenset(parts[1] for parts in split_paths if parts[0] in _ASSIGNMENTS and len(parts) > 2)


def _changed() -> list[str] | None:
    """The files that differ from the last merged commit, committed or not; None if that commit is unknown."""
    since = os.environ.get("PITBOSS_SINCE") or (LANDED.read_text().strip() if LANDED.is_file() else "")
    modified = _git("diff", "--name-only", since) if since else None
    new = _git("ls-files", "--others", "--exclude-standard")
    return None if modified is None or new is None else [*modified.splitlines(), *new.splitlines()]


@functools.cache
def _commit() -> str:
    # .ci/bare hides git and sets PITBOSS_COMMIT instead.
    return (os.environ.get("PITBOSS_COMMIT") or _git("rev-parse", "HEAD") or "0" * 40).strip()


def _git(*words: str) -> str | None:
    """The output of a git command; None if git is missing or the command failed."""
    try:
        process = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return process.stdout if process.returncode == 0 else None
