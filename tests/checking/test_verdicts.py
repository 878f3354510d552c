"""Every labelled submission earns its verdict, and its student is told the pinned sentence."""

import pytest

from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.labelled import expected_of, labelled

FOLDERS = labelled(ROOT / "tests" / "submissions", 2)
#: What the compiler says of a device that is refused depends on what refuses it.
SAID_OTHERWISE = {("endless_header", "bubblewrap")}


def stage_report(toy, folder, sandbox):
    job = Job(toy, toy.stages, find_conditions("watched", sandbox), "teller")
    report = check(job, folder, count=1)
    assert report.faults == ()
    return report.stages[0]


def sentence(stage):
    failed = next((result for result in stage.results if result.verdict is not Verdict.ACCEPTED), None)
    if failed:
        return summary_of(failed)
    return stage.summary or next((summary_of(result) for result in stage.results if summary_of(result)), "")


@pytest.mark.rotates("corpora")
@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_submission_earns_its_verdict(toy, folder, sandbox):
    expected = expected_of(folder)
    stage = stage_report(toy, folder, sandbox)
    assert (stage.verdict.value, stage.passed == stage.total) == (
        expected["verdict"],
        expected["verdict"] == "ACCEPTED",
    )
    if (folder.name, sandbox) not in SAID_OTHERWISE:
        assert sentence(stage) == expected["says"]


def test_every_verdict_a_submission_can_earn_has_submissions():
    assert {one.id.partition("/")[0] for one in FOLDERS} == {
        "ACCEPTED",
        "WRONG_ANSWER",
        "RUN_TIME_ERROR",
        "TIME_LIMIT_EXCEEDED",
        "OUTPUT_LIMIT_EXCEEDED",
        "COMPILE_ERROR",
        "hostile",
    }


@pytest.mark.parametrize("name", ["leaves_a_child", "leaves_a_daemon", "leaves_a_spinner", "fork_bomb"])
def test_nothing_is_left_running(toy, name, left_running):
    stage_report(toy, ROOT / "tests" / "submissions" / "RUN_TIME_ERROR" / name, "landlock")
    assert left_running("teller") == []


def test_a_hostile_program_does_escape_where_nothing_confines_it(toy):
    """The attacks are real ones: without a sandbox they succeed."""
    folder = ROOT / "tests" / "submissions" / "hostile" / "network"
    stage = stage_report(toy, folder, "none")
    assert stage.results[0].actual.text.startswith(b"ESCAPED")
