"""Programs whose mistake shows in only one of several hundred deals are always rejected, and correct ones accepted."""

import shutil

import pytest

from pitboss.assignments.options import setting_with, with_setting
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.experiments.catalogue import mistakes_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

#: How often each program is checked; each check has new random draws.
REPETITIONS = 5
#: Each: an example's file (assignment, student, stage, file name), correct code in it, and the wrong code in its place.
RARE_MISTAKES = {
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


def check_edited_example(tmp_path, example_stage, old="", new=""):
    """The report on a stage of an example program in which the old code was replaced by the new."""
    name, student, stage_name, file = example_stage
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
@pytest.mark.parametrize("repetition", range(REPETITIONS))
@pytest.mark.parametrize("name", RARE_MISTAKES)
def test_a_mistake_shown_by_one_deal_in_hundreds_is_always_rejected(tmp_path, name, repetition):
    report = check_edited_example(tmp_path, *RARE_MISTAKES[name])
    assert report.verdict is Verdict.WRONG_ANSWER


@pytest.mark.slow
@pytest.mark.parametrize("repetition", range(REPETITIONS))
@pytest.mark.parametrize("name", RARE_MISTAKES)
def test_the_correct_program_is_accepted_with_every_mistake_exposed(tmp_path, name, repetition):
    report = check_edited_example(tmp_path, RARE_MISTAKES[name][0])
    assert (report.verdict, report.summary, report.unshown, report.faults) == (Verdict.ACCEPTED, "", (), ())


def test_a_mistake_is_sought_only_with_the_values_of_options_with_which_it_can_occur():
    stage = load_assignment(ROOT / "specs/csc101").stage("betting")
    (values,) = (option.values for option in stage.options if option.keyword == "halves")
    settings = [setting_with(stage.options, {"halves": value.value}) for value in values]
    mistakes = [mistakes_of(with_setting(stage, setting)) for setting in settings]
    is_sought = {
        value.value: any(mistake.id == "half-without-zero" for mistake in found)
        for value, found in zip(values, mistakes, strict=True)
    }
    assert is_sought == {"kept": True, "cents": True, "down": False, "up": False}
