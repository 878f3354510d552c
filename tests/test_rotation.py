from types import SimpleNamespace

import pytest

from tests import rotation

pytest_plugins = ["pytester"]

SUITE = """\
import pytest

def test_cheap():
    pass

@pytest.mark.parametrize("number", range(160))
def test_costly(number):
    pass

def test_long():
    pass

@pytest.mark.slow
def test_slow():
    pass

@pytest.mark.rotates("edits")
@pytest.mark.slow
@pytest.mark.parametrize("number", range(100))
def test_many(number):
    pass

@pytest.mark.rotates("corpora")
@pytest.mark.parametrize("folder", [f"/submissions/{name}/{number}" for name in ("dice", "cards") for number in range(20)])
def test_filed(folder):
    pass
"""
#: The seconds of each test, as tests/costs.txt would list them; unlisted tests are cheap. All parameter sets of
#: test_costly together take 320 s, those of test_many 50 s.
COSTS = {"test_suite.py::test_costly": 2.0, "test_suite.py::test_long": 20.0, "test_suite.py::test_many": 0.5}
#: How many tests each test function of SUITE has, by its name without `test_`.
ALL = {"cheap": 1, "costly": 160, "long": 1, "slow": 1, "many": 100, "filed": 40}


@pytest.fixture
def suite(pytester, monkeypatch):
    """A function that runs SUITE with a share at a commit, and returns the names of the tests that ran.

    `touched` are the kinds that the change touches, `assignments` the assignments.
    """
    pytester.makepyfile(test_suite=SUITE)
    monkeypatch.setenv("PYTEST_ADDOPTS", "")
    monkeypatch.setattr(rotation, "costs", lambda: COSTS)

    def run(share, commit="0" * 40, touched=(), assignments=()):
        monkeypatch.setattr(rotation, "_commit", lambda: commit)
        monkeypatch.setattr(rotation, "touched_kinds", lambda: frozenset(touched))
        monkeypatch.setattr(rotation, "_changed_assignments", lambda: frozenset(assignments))
        outcomes = pytester.inline_run("-p", "no:cacheprovider", f"--share={share}", plugins=[rotation])
        return [report.nodeid.partition("::")[2] for report in outcomes.getreports() if report.when == "call"]

    return run


@pytest.mark.parametrize(
    ("share", "options", "limits", "counts"),
    [
        ("everything", {}, {}, {}),
        ("quick", {}, {"QUICK_S": 64}, {"costly": 32, "long": 0, "slow": 0, "many": 0}),
        ("quick", {}, {"QUICK_S": 320}, {"costly": 160, "long": 0, "slow": 0, "many": 0}),
        ("ci", {}, {}, {"many": 20, "filed": 4}),
        ("ci", {"touched": ["edits"]}, {}, {"many": 100, "filed": 4}),
        ("ci", {"touched": ["mutants"]}, {}, {"many": 20, "filed": 4}),
        # A touched kind is limited by time, but not below its usual part.
        ("ci", {"touched": ["edits"]}, {"edits": 25}, {"many": 50, "filed": 4}),
        ("ci", {"touched": ["edits"]}, {"edits": 1}, {"many": 20, "filed": 4}),
    ],
)
def test_a_share_has_all_cheap_tests_and_a_part_of_the_others(suite, monkeypatch, share, options, limits, counts):
    for name, seconds in limits.items():
        if name in rotation.KINDS:
            monkeypatch.setitem(rotation.KINDS, name, rotation.KINDS[name]._replace(most_s=seconds))
        else:
            monkeypatch.setattr(rotation, name, seconds)
    names = suite(share, **options)
    found = {function: sum(name.startswith(f"test_{function}") for name in names) for function in ALL}
    assert found == {**ALL, **counts}


def test_ci_runs_the_filed_tests_of_a_changed_assignment(suite, monkeypatch):
    filed = [name for name in suite("ci", assignments=["dice"]) if name.startswith("test_filed")]
    assert sum("/dice/" in name for name in filed) == 20
    assert sum("/cards/" in name for name in filed) == 2
    monkeypatch.setattr(rotation, "FILED_S", 5)
    monkeypatch.setitem(COSTS, "test_suite.py::test_filed", 0.5)
    filed = [name for name in suite("ci", assignments=["dice"]) if name.startswith("test_filed")]
    assert sum("/dice/" in name for name in filed) == 10


def test_a_commit_fixes_the_tests_and_successive_commits_cover_all(suite):
    assert suite("ci", "00000003" + "0" * 32) == suite("ci", "00000003" + "f" * 32)
    selections = [suite("ci", f"{number:08x}" + "0" * 32) for number in range(rotation.KINDS["edits"].one_in)]
    many = [name for names in selections for name in names if name.startswith("test_many")]
    assert len(many) == len(set(many)) == 100


def test_the_recorder_writes_the_costs_of_tests(pytester, monkeypatch, tmp_path):
    """The mean over a test's parameters is written, and each long parameter set on its own.

    A test that did not run keeps its old figure; a test of a file that no longer exists is dropped.
    """
    costs_file = tmp_path / "costs.txt"
    costs_file.write_text(
        "7 gone.py::test_gone\n2.5 test_suite.py::test_left_out\n"
        "9 test_suite.py::test_costly\n9 test_suite.py::test_costly[1]\n"
    )
    pytester.makepyfile(test_suite="def test_cheap():\n    pass\n")
    monkeypatch.setattr(rotation, "COSTS", costs_file)
    monkeypatch.setattr(rotation, "ROOT", pytester.path)
    rotation.costs.cache_clear()
    recorder = rotation._CostRecorder()
    durations = (("test_costly[1]", 1.0), ("test_costly[1]", 0.5), ("test_costly[2]", 4.5), ("test_cheap", 0.01))
    for name, seconds in durations:
        recorder.pytest_runtest_logreport(SimpleNamespace(nodeid=f"test_suite.py::{name}", duration=seconds))
    recorder.pytest_sessionfinish()
    rotation.costs.cache_clear()
    assert costs_file.read_text() == (
        "3 test_suite.py::test_costly\n4.5 test_suite.py::test_costly[2]\n2.5 test_suite.py::test_left_out\n"
    )


def test_costs_lists_only_existing_test_files():
    """Otherwise a file was renamed, and its tests count as cheap."""
    names = {name.partition("::")[0] for name in rotation.costs()}
    assert [name for name in sorted(names) if not (rotation.ROOT / name).is_file()] == []


@pytest.mark.parametrize(
    ("changed", "kinds", "assignments"),
    [
        (["harness/pitboss/experiments/naming/edits.py", "README.md"], {"edits", "corpora"}, set()),
        (["specs/dice/one.yaml", "reference/cards/deal.py"], {"mutants", "handouts", "corpora"}, {"dice", "cards"}),
        (None, set(rotation.KINDS), set()),
    ],
    ids=["a room", "two assignments", "unknown"],
)
def test_a_change_touches_the_kinds_and_assignments_of_its_folders(monkeypatch, changed, kinds, assignments):
    monkeypatch.setattr(rotation, "_changed", lambda: changed)
    assert rotation.touched_kinds.__wrapped__() == kinds
    assert rotation._changed_assignments.__wrapped__() == assignments


def test_the_folders_and_test_files_of_the_kinds_exist():
    """A change in a folder that was renamed, but not in KINDS, would never touch the kind."""
    assert [
        name for kind in rotation.KINDS.values() for name in kind.folders if not (rotation.ROOT / name).exists()
    ] == []
    tests = [name for kind in rotation.KINDS.values() for name in kind.tests]
    assert [name for name in tests if not (rotation.ROOT / "tests" / name).exists()] == []
