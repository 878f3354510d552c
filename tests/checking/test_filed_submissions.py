import re
from functools import cache

import msgspec
import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.reports.finding_sentences import sentence_on_accepted, stage_summary, summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT
from tests.labelled import labelled_folders, read_expected

SUBMISSIONS = ROOT / "tests" / "submissions"
ASSIGNMENTS = ("bjm0", "blackjack", "csc101", "ece2036", "tournament")
#: Some programs for blackjack wait for ever for input: a shorter limit on idle time keeps their tests short.
IDLE_S = 2


@cache
def assignment_of(name):
    return load_assignment(ROOT / "specs" / name)


def assignment_name(folder):
    return folder.parent.parent.name


@pytest.mark.rotates("corpora")
@pytest.mark.parametrize(
    "folder", [param for param in labelled_folders(SUBMISSIONS, 3) if assignment_name(param.values[0]) in ASSIGNMENTS]
)
def test_submission_gets_its_expected_verdict_and_reason(folder):
    expected, name = read_expected(folder), assignment_name(folder)
    stage = assignment_of(name).stage(expected["stage"])
    if name == "blackjack":
        stage = msgspec.structs.replace(stage, limits=msgspec.structs.replace(stage.limits, idle_s=IDLE_S))
    report = check(Job(assignment_of(name), (stage,), find_conditions(), name), folder)
    assert report.faults == ()
    (stage,) = report.stages
    sentence = next((summary_of(result) for result in stage.results if summary_of(result)), stage_summary(stage))
    assert stage.verdict.value == expected["verdict"], f"{stage.passed} of {stage.total}: {sentence}"
    assert stage.verdict.value == "ACCEPTED" or sentence
    assert (stage.draws.kind.value if stage.draws else None) == expected.get("draws")
    accepted_differences = [sentence_on_accepted(difference) for difference in stage.accepted_differences]
    assert [sentence for sentence in expected.get("takes", ()) if sentence not in accepted_differences] == []
    if "says" in expected:
        wrong = [summary_of(result) for result in stage.results if result.verdict.value == "WRONG_ANSWER"]
        assert [summary for summary in wrong if not re.search(expected["says"], summary)] == []
        # A program with two texts where one must always be the same is not like any known mistake.
        if "must be the same" in expected["says"]:
            assert [mistake.title for mistake in stage.diagnosis] == []


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_submission_folders_are_filed_under_their_verdict(name):
    for path in (SUBMISSIONS / name).glob("*/*/expect.yaml"):
        expected = read_expected(path.parent)
        assert path.parent.parent.name in (expected["verdict"], "hostile")
        assert expected["about"]
