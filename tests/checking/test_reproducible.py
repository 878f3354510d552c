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
def pig_folder(reachable):
    shutil.copy(ROOT / "tests" / "checking" / "pigs" / "c" / "pig.c", reachable)
    return reachable


def test_draws_vary_if_a_program_sees_the_machine_s_own_time(pig_folder):
    assert not check(JOB, pig_folder).draws_vary
    (pig_folder / "Makefile").write_text("pig: pig.c\n\tcc -static -o pig pig.c\n")
    report = check(JOB, pig_folder)
    assert report.draws_vary
    assert any("statically linked" in note for note in report.notes)


@pytest.mark.parametrize("was_stopped", [True, False])
def test_a_stage_records_that_its_build_was_stopped(pig_folder, monkeypatch, was_stopped):
    build = Build(None, "cc", "", "cc failed.", was_stopped=was_stopped)
    monkeypatch.setattr(checking, "builds_of", lambda *_: {DICE.stages[0].name: lambda: build})
    (stage,) = check(JOB, pig_folder).stages
    assert stage.build_was_stopped == was_stopped
