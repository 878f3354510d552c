"""Programs whose mistake shows in one deal of some hundred are rejected every time, and right ones accepted."""

import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

#: The runs of each program; each draws anew.
TIMES = 5
#: Of the example: the stage, a text of one of its files, and what makes it wrong.
RARE = {
    "csc101: a blackjack wins against a blackjack": (
        ("csc101", "kathleen", "basic", "blackjack.c"),
        "return (!is_split && is_blackjack(player)) - is_blackjack(&dealer);",
        "return !is_split && is_blackjack(player) ? 1 : -is_blackjack(&dealer);",
    ),
    "ece2036: a blackjack against a blackjack is paid": (
        ("ece2036", "vera", "blackjack", "Blackjack.cpp"),
        "if (dealer.is_blackjack()) {",
        "if (dealer.is_blackjack() && dealer.value() > 21) {",
    ),
}


def report_on(tmp_path, place, old="", new=""):
    """The report on a stage of an example in which a text was replaced."""
    name, student, stage_name, file = place
    folder = tmp_path / student
    shutil.copytree(ROOT / "examples" / name / student, folder)
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new) if old else text)
    assignment = load_assignment(ROOT / "specs" / name)
    job = Job(assignment, (assignment.stage(stage_name),), find_conditions("watched", "landlock"), name)
    (report,) = check(job, folder).stages
    return report


@pytest.mark.slow
@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("name", RARE)
def test_a_mistake_in_one_deal_of_hundreds_is_rejected_every_time(tmp_path, name, time):
    report = report_on(tmp_path, *RARE[name])
    assert report.verdict is Verdict.WRONG_ANSWER


@pytest.mark.slow
@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("name", RARE)
def test_the_right_program_is_accepted_and_everything_could_have_shown(tmp_path, name, time):
    report = report_on(tmp_path, RARE[name][0])
    assert (report.verdict, report.summary, report.unshown, report.faults) == (Verdict.ACCEPTED, "", (), ())
