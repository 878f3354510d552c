"""Which tests a run takes, of a suite with one test of each sort."""

from types import SimpleNamespace

import pytest

from tests import rotation

pytest_plugins = ["pytester"]

SUITE = """\
import pytest

def test_cheap():
    pass

@pytest.mark.parametrize("number", range(160))
def test_dear(number):
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
#: What tests/costs.txt says of them, in seconds.
COSTS = {"test_suite.py::test_dear": 2.0, "test_suite.py::test_long": 20.0, "test_suite.py::test_many": 0.5}
ALL = {"cheap": 1, "dear": 160, "long": 1, "slow": 1, "many": 100, "filed": 40}


@pytest.fixture
def suite(pytester, monkeypatch):
    """Run the suite by a share at a commit, where the change touches these kinds; the names of the tests that ran."""
    pytester.makepyfile(test_suite=SUITE)
    monkeypatch.setenv("PYTEST_ADDOPTS", "")
    monkeypatch.setattr(rotation, "costs", lambda: COSTS)

    def run(share, commit="0" * 40, touched=(), *words, assignments=()):
        monkeypatch.setattr(rotation, "_commit", lambda: commit)
        monkeypatch.setattr(rotation, "touched", lambda: frozenset(touched))
        monkeypatch.setattr(rotation, "_changed_assignments", lambda: frozenset(assignments))
        done = pytester.inline_run("-p", "no:cacheprovider", f"--share={share}", *words, plugins=[rotation])
        return [report.nodeid.partition("::")[2] for report in done.getreports() if report.when == "call"]

    return run


def sorts(names):
    return {sort: sum(name.startswith(f"test_{sort}") for name in names) for sort in ALL}


def test_everything_is_all(suite):
    assert sorts(suite("everything")) == ALL


def test_quick_leaves_out_what_is_long_and_takes_as_much_of_what_is_dear_as_there_is_time_for(suite, monkeypatch):
    monkeypatch.setattr(rotation, "QUICK_S", 64)
    assert sorts(suite("quick")) == {**ALL, "dear": 32, "long": 0, "slow": 0, "many": 0, "filed": 40}
    monkeypatch.setattr(rotation, "QUICK_S", 320)
    assert sorts(suite("quick"))["dear"] == 160


def test_ci_takes_all_but_for_a_part_of_each_kind(suite):
    assert sorts(suite("ci")) == {**ALL, "many": 20, "filed": 4}


def test_ci_takes_what_is_filed_for_an_assignment_that_the_change_touches(suite, monkeypatch):
    filed = [name for name in suite("ci", assignments=["dice"]) if name.startswith("test_filed")]
    assert sum("/dice/" in name for name in filed) == 20
    assert sum("/cards/" in name for name in filed) == 2
    monkeypatch.setattr(rotation, "FILED_S", 5)
    monkeypatch.setitem(COSTS, "test_suite.py::test_filed", 0.5)
    filed = [name for name in suite("ci", assignments=["dice"]) if name.startswith("test_filed")]
    assert sum("/dice/" in name for name in filed) == 10


def test_the_assignments_whose_reference_or_specs_change_are_known(monkeypatch):
    changed = ["specs/dice/one.yaml", "reference/cards/deal.py", "reference/words.py", "harness/pitboss/errors.py"]
    monkeypatch.setattr(rotation, "_changed", lambda: changed)
    assert rotation._changed_assignments.__wrapped__() == {"dice", "cards"}


def test_ci_takes_all_of_a_kind_that_the_change_touches(suite):
    assert sorts(suite("ci", touched=["edits"]))["many"] == 100
    assert sorts(suite("ci", touched=["mutants"]))["many"] == 20


def test_ci_takes_as_much_of_a_kind_that_is_touched_as_there_is_time_for_and_never_less_than_else(suite, monkeypatch):
    monkeypatch.setitem(rotation.KINDS, "edits", rotation.KINDS["edits"]._replace(most_s=25))
    assert sorts(suite("ci", touched=["edits"]))["many"] == 50
    monkeypatch.setitem(rotation.KINDS, "edits", rotation.KINDS["edits"]._replace(most_s=1))
    assert sorts(suite("ci", touched=["edits"]))["many"] == 20


def test_the_same_commit_takes_the_same_and_all_commits_together_take_all(suite):
    assert suite("ci", "00000003" + "0" * 32) == suite("ci", "00000003" + "f" * 32)
    taken = [suite("ci", f"{number:08x}" + "0" * 32) for number in range(rotation.KINDS["edits"].one_in)]
    many = [name for names in taken for name in names if name.startswith("test_many")]
    assert len(many) == len(set(many)) == 100


def test_what_a_test_takes_is_recorded(pytester, monkeypatch, tmp_path):
    """The mean of its parameters, and each long one; of one that did not run the old figure stays, of a file that is gone none."""
    recorded = tmp_path / "costs.txt"
    recorded.write_text(
        "7 gone.py::test_gone\n2.5 test_suite.py::test_left_out\n9 test_suite.py::test_dear\n9 test_suite.py::test_dear[1]\n"
    )
    pytester.makepyfile(test_suite="def test_cheap():\n    pass\n")
    monkeypatch.setattr(rotation, "COSTS", recorded)
    monkeypatch.setattr(rotation, "ROOT", pytester.path)
    rotation.costs.cache_clear()
    recorder = rotation._Recorder()
    took = (("test_dear[1]", 1.0), ("test_dear[1]", 0.5), ("test_dear[2]", 4.5), ("test_cheap", 0.01))
    for name, seconds in took:
        recorder.pytest_runtest_logreport(SimpleNamespace(nodeid=f"test_suite.py::{name}", duration=seconds))
    recorder.pytest_sessionfinish()
    rotation.costs.cache_clear()
    assert recorded.read_text() == (
        "3 test_suite.py::test_dear\n4.5 test_suite.py::test_dear[2]\n2.5 test_suite.py::test_left_out\n"
    )


def test_the_listed_tests_are_there():
    """A test that is renamed would be taken for a cheap one."""
    names = {name.partition("::")[0] for name in rotation.costs()}
    assert [name for name in sorted(names) if not (rotation.ROOT / name).is_file()] == []


def test_where_git_is_out_of_sight_somebody_says_which_commit_it_is(monkeypatch, tmp_path):
    (tmp_path / "git").touch(0o644)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PITBOSS_COMMIT", raising=False)
    assert (rotation._commit.__wrapped__(), rotation._changed()) == ("0" * 40, None)
    monkeypatch.setenv("PITBOSS_COMMIT", "abc")
    assert rotation._commit.__wrapped__() == "abc"


def test_a_change_touches_the_kinds_that_name_its_folders(monkeypatch):
    monkeypatch.setattr(rotation, "_changed", lambda: ["harness/pitboss/experiments/naming/edits.py", "README.md"])
    assert rotation.touched.__wrapped__() == {"edits", "corpora"}


def test_where_the_change_is_not_known_all_are_touched(monkeypatch):
    monkeypatch.setattr(rotation, "_changed", lambda: None)
    assert rotation.touched.__wrapped__() == set(rotation.KINDS)


def test_the_folders_of_the_kinds_are_there():
    """One that is renamed would never be touched."""
    assert [
        name for kind in rotation.KINDS.values() for name in kind.folders if not (rotation.ROOT / name).exists()
    ] == []
    tests = [name for kind in rotation.KINDS.values() for name in kind.tests]
    assert [name for name in tests if not (rotation.ROOT / "tests" / name).exists()] == []
