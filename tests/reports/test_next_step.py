"""What a report says is to be done next, and the command for it."""

import pytest

from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.reports.next_step import NextStep, next_step_of

RIGHT = StageReport("aces", "", Verdict.ACCEPTED)


@pytest.mark.parametrize(
    ("folder", "is_one_file", "step"),
    [
        ("ada", False, NextStep("check the other stages too (low, high)", "pitboss check ada --assignment b")),
        (
            "ada/b.py",
            True,
            NextStep(
                "check it for the other stages too, one at a time (low, high)",
                "pitboss check ada/b.py low --assignment b",
            ),
        ),
    ],
)
def test_a_file_is_checked_for_each_other_stage_by_its_name(folder, is_one_file, step):
    """Without a name it is the program of the one stage that it is called after."""
    report = Report("b", "B", "ada", (RIGHT,), folder=folder, is_one_file=is_one_file, unasked=("low", "high"))
    assert next_step_of(report) == step
