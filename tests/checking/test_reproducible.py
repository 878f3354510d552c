"""A report says where the next run may end otherwise, so that it is not kept."""

import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking import check as checking
from pitboss.checking.check import check
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.compilers import Build
from tests.conftest import ROOT

DICE = load_assignment(ROOT / "tests" / "toy" / "dice")
JOB = Job(DICE, DICE.stages, find_conditions(), "dice")


@pytest.fixture
def pig(reachable):
    shutil.copy(ROOT / "tests" / "checking" / "pigs" / "c" / "pig.c", reachable)
    return reachable


def test_a_program_that_sees_the_machines_own_time_may_draw_otherwise_in_the_next_run(pig):
    assert not check(JOB, pig).draws_vary
    (pig / "Makefile").write_text("pig: pig.c\n\tcc -static -o pig pig.c\n")
    report = check(JOB, pig)
    assert report.draws_vary
    assert any("statically linked" in note for note in report.notes)


@pytest.mark.parametrize("was_stopped", [True, False])
def test_a_build_that_was_stopped_may_come_to_its_end_in_the_next_run(pig, monkeypatch, was_stopped):
    build = Build(None, "cc", "", "cc failed.", was_stopped=was_stopped)
    monkeypatch.setattr(checking, "builds_of", lambda *_: {DICE.stages[0].name: lambda: build})
    (stage,) = check(JOB, pig).stages
    assert stage.build_was_stopped == was_stopped
