"""What cannot be built here is said before a class is graded."""

import msgspec
import pytest

from pitboss.checking.missing_toolchains import toolchain_remarks
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions import build as building
from pitboss.submissions.toolchains import toolchains_of

HERE = Conditions("watched", Sandbox(Level.NONE))
(CC,) = toolchains_of("c")


@pytest.fixture
def said(tmp_path, monkeypatch):
    """What is said of a submission with this file, where these toolchains have these refusals."""

    def said(file, language, **refusals):
        (tmp_path / "ada").mkdir()
        (tmp_path / "ada" / file).write_text("")
        chains = tuple(msgspec.structs.replace(CC, title=title, remark=f"{title} is old") for title in refusals)
        monkeypatch.setattr(building, "toolchains_of", lambda name: chains if name == "c" else ())
        monkeypatch.setattr(building, "refusal_by_trial", lambda one, conditions: refusals[one.title])
        return list(toolchain_remarks([tmp_path / "ada"], language, HERE))

    return said


def test_what_works_is_not_mentioned_but_for_what_it_cannot_do(said):
    assert said("play.c", "", cc="") == ["cc is old"]


def test_what_does_not_work_is_reported_with_what_comes_of_it(said):
    assert said("play.c", "", cc="no libc") == [
        "cc does not work here: no libc; programs in C are faults and cost no points"
    ]


def test_where_another_one_works_only_the_failure_is_reported(said):
    assert said("play.c", "", tcc="no libc", cc="") == ["tcc does not work here: no libc"]


def test_the_assignment_s_language_counts_where_nothing_is_seen(said):
    (remark,) = said("a.zip", "C", cc="no libc")
    assert remark.startswith("cc does not work here: ")


def test_nothing_that_is_not_used_is_tried(said):
    assert said("notes.txt", "", cc="no libc") == []


def test_a_language_that_nothing_here_builds(said):
    assert said("play.java", "", cc="") == [
        "nothing that builds programs in Java is installed: pitboss doctor says how to get it; programs in Java are faults "
        "and cost no points"
    ]
