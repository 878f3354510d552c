"""Programs of the ladder with one mistake each, written from the rulings alone, earn their verdicts too."""

import msgspec
import pytest
import yaml

from harness.grading.check import check
from harness.running.drivers import find_conditions
from harness.running.job import Job
from tests.conftest import ROOT

#: Some of them wait for ever, and that is what a test of them would take.
IDLE_S = 2
FOLDERS = sorted(path.parent for path in (ROOT / "tests" / "submissions" / "blackjack").glob("*/*/expect.yaml"))


def expected_of(folder):
    return yaml.safe_load((folder / "expect.yaml").read_text())


def parameter(folder):
    marks = [pytest.mark.slow] if expected_of(folder).get("slow") else []
    return pytest.param(folder, marks=marks, id=f"{folder.parent.name}/{folder.name}")


@pytest.mark.parametrize("folder", [parameter(folder) for folder in FOLDERS])
def test_submission_earns_its_verdict(blackjack, folder):
    expected = expected_of(folder)
    stage = blackjack.stage(expected["stage"])
    stage = msgspec.structs.replace(stage, limits=msgspec.structs.replace(stage.limits, idle_s=IDLE_S))
    job = Job(blackjack, (stage,), find_conditions(), "blackjack")
    report = check(job, folder)
    assert report.faults == ()
    (stage,) = report.stages
    assert stage.verdict.value == expected["verdict"], stage.summary
    first = next((result.summary for result in stage.results if result.summary), stage.summary)
    assert stage.verdict.value == "ACCEPTED" or first
