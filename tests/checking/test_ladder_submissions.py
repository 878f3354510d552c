import msgspec
import pytest

from pitboss.checking.check import check
from pitboss.reports.finding_sentences import summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.labelled import labelled_folders, read_expected

#: Some submissions wait for ever for input: a shorter limit on idle time keeps their tests short.
IDLE_S = 2


@pytest.mark.rotates("corpora")
@pytest.mark.parametrize("folder", labelled_folders(ROOT / "tests" / "submissions" / "blackjack", 2))
def test_submission_gets_its_expected_verdict(blackjack, folder):
    expected = read_expected(folder)
    stage = blackjack.stage(expected["stage"])
    stage = msgspec.structs.replace(stage, limits=msgspec.structs.replace(stage.limits, idle_s=IDLE_S))
    job = Job(blackjack, (stage,), find_conditions(), "blackjack")
    report = check(job, folder)
    assert report.faults == ()
    (stage,) = report.stages
    assert stage.verdict.value == expected["verdict"], stage.summary
    sentence = next((summary_of(result) for result in stage.results if summary_of(result)), stage.summary)
    assert stage.verdict.value == "ACCEPTED" or sentence
