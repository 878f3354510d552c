import pytest

from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.reports.report import NextStep, next_step_of

ACCEPTED_STAGE = StageReport("aces", "", Verdict.ACCEPTED)


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
def test_the_next_step_is_to_check_the_other_stages(folder, is_one_file, step):
    """For a single file the command names a stage: otherwise only the stage named like the file is checked."""
    report = Report(
        "b", "B", "ada", (ACCEPTED_STAGE,), folder=folder, is_one_file=is_one_file, unrequested=("low", "high")
    )
    assert next_step_of(report) == step
