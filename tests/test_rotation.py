"""Which tests a run takes, of a suite with one test of each sort."""

import pytest

from tests import rotation

pytest_plugins = ["pytester"]

SUITE = """\
import pytest

def test_cheap():
    pass

@pytest.mark.sampled
@pytest.mark.parametrize("number", range(160))
def test_dear(number):
    pass

@pytest.mark.slow
def test_slow():
    pass

@pytest.mark.rotates("edits")
@pytest.mark.slow
@pytest.mark.parametrize("number", range(100))
def test_many(number):
    pass
"""


@pytest.fixture
def suite(pytester, monkeypatch):
    """Run the suite by a share at a commit, where the change touches these kinds; how many of each sort ran, and what is said."""
    pytester.makepyfile(test_suite=SUITE)
    monkeypatch.setenv("PYTEST_ADDOPTS", "")

    def run(share, commit="0" * 40, touched=()):
        monkeypatch.setattr(rotation, "_commit", lambda: commit)
        monkeypatch.setattr(rotation, "touched", lambda: frozenset(touched))
        done = pytester.inline_run("-p", "no:cacheprovider", f"--share={share}", plugins=[rotation])
        names = [report.nodeid.partition("::")[2] for report in done.getreports() if report.when == "call"]
        return names

    return run


def sorts(names):
    return {
        sort: sum(name.startswith(sort) for name in names)
        for sort in ("test_cheap", "test_dear", "test_slow", "test_many")
    }


def test_everything_is_all(suite):
    assert sorts(suite("everything")) == {"test_cheap": 1, "test_dear": 160, "test_slow": 1, "test_many": 100}


def test_quick_leaves_out_what_is_slow_and_takes_a_part_of_what_is_dear(suite):
    ran = sorts(suite("quick"))
    assert (ran["test_cheap"], ran["test_slow"], ran["test_many"]) == (1, 0, 0)
    assert 0 < ran["test_dear"] < 160 / rotation.SAMPLED_ONE_IN * 2


def test_ci_takes_all_but_for_a_part_of_each_kind(suite):
    ran = sorts(suite("ci"))
    assert (ran["test_cheap"], ran["test_dear"], ran["test_slow"]) == (1, 160, 1)
    assert 0 < ran["test_many"] < 100


def test_ci_takes_all_of_a_kind_that_the_change_touches(suite):
    assert sorts(suite("ci", touched=["edits"]))["test_many"] == 100
    assert sorts(suite("ci", touched=["mutants"]))["test_many"] < 100


def test_the_same_commit_takes_the_same_and_all_commits_together_take_all(suite):
    assert suite("ci", "00000003" + "0" * 32) == suite("ci", "00000003" + "f" * 32)
    taken = [suite("ci", f"{number:08x}" + "0" * 32) for number in range(rotation.KINDS["edits"].ci_one_in)]
    many = [name for names in taken for name in names if name.startswith("test_many")]
    assert len(many) == len(set(many)) == 100


def test_a_change_touches_the_kinds_that_name_its_folders(monkeypatch):
    monkeypatch.setattr(rotation, "_changed", lambda: ["harness/mistakes/edits.py", "README.md"])
    assert rotation.touched.__wrapped__() == {"edits", "corpora"}


def test_where_the_change_is_not_known_all_are_touched(monkeypatch):
    monkeypatch.setattr(rotation, "_changed", lambda: None)
    assert rotation.touched.__wrapped__() == set(rotation.KINDS)


def test_the_folders_of_the_kinds_are_there():
    """One that is renamed would never be touched."""
    assert [
        name for kind in rotation.KINDS.values() for name in kind.folders if not (rotation.ROOT / name).is_dir()
    ] == []
    tests = [name for kind in rotation.KINDS.values() for name in kind.tests]
    assert [name for name in tests if not (rotation.ROOT / "tests" / name).exists()] == []
