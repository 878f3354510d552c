import pytest

from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.labelled import labelled_folders, read_expected

FOLDERS = labelled_folders(ROOT / "tests" / "submissions", 2)
#: (submission, sandbox) whose sentence is not compared: it has an error of the compiler that depends on the sandbox.
UNPINNED_SENTENCES = {("endless_header", "bubblewrap")}


def check_teller(toy, folder, sandbox):
    job = Job(toy, toy.stages, find_conditions("watched", sandbox), "teller")
    report = check(job, folder, cores=1)
    assert report.faults == ()
    return report.stages[0]


def summary_sentence(stage):
    """The summary of the first failed session, else of the stage, else of any session."""
    failed = next((result for result in stage.results if result.verdict is not Verdict.ACCEPTED), None)
    if failed:
        return summary_of(failed)
    return stage.summary or next((summary_of(result) for result in stage.results if summary_of(result)), "")


@pytest.mark.rotates("corpora")
@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
@pytest.mark.parametrize("folder", FOLDERS)
def test_submission_gets_its_expected_verdict(toy, folder, sandbox):
    expected = read_expected(folder)
    stage = check_teller(toy, folder, sandbox)
    assert (stage.verdict.value, stage.passed == stage.total) == (
        expected["verdict"],
        expected["verdict"] == "ACCEPTED",
    )
    if (folder.name, sandbox) not in UNPINNED_SENTENCES:
        assert summary_sentence(stage) == expected["says"]


def test_there_are_submissions_for_every_verdict():
    assert {param.id.partition("/")[0] for param in FOLDERS} == {
        "ACCEPTED",
        "WRONG_ANSWER",
        "RUN_TIME_ERROR",
        "TIME_LIMIT_EXCEEDED",
        "OUTPUT_LIMIT_EXCEEDED",
        "COMPILE_ERROR",
        "hostile",
    }


@pytest.mark.parametrize("name", ["leaves_a_child", "leaves_a_daemon", "leaves_a_spinner", "fork_bomb"])
def test_no_process_of_a_submission_is_left_running(toy, name, left_running):
    check_teller(toy, ROOT / "tests" / "submissions" / "RUN_TIME_ERROR" / name, "landlock")
    assert left_running("teller") == []


def test_a_hostile_program_escapes_without_a_sandbox(toy):
    """The attacks in tests/submissions/hostile are real: without a sandbox they succeed."""
    folder = ROOT / "tests" / "submissions" / "hostile" / "network"
    stage = check_teller(toy, folder, "none")
    assert stage.results[0].actual.text.startswith(b"ESCAPED")
