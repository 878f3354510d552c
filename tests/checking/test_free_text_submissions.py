import re

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.reports.finding_sentences import sentence_on_accepted, summary_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.conftest import ROOT

FOLDERS = sorted(
    path.parent
    for name in ("csc101", "ece2036", "tournament")
    for path in (ROOT / "tests" / "submissions" / name).glob("*/free_*/expect.yaml")
)


def submission_params():
    """A pytest parameter for each folder: the folder, and the contents of its expect.yaml."""
    for folder in FOLDERS:
        expected = yaml.safe_load((folder / "expect.yaml").read_text())
        marks = [pytest.mark.slow] if expected.get("slow") else []
        yield pytest.param(folder, expected, marks=marks, id="/".join(folder.parts[-3:]))


@pytest.mark.rotates("corpora")
@pytest.mark.parametrize(("folder", "expected"), [*submission_params()])
def test_a_program_with_its_own_wording_gets_the_expected_verdict_and_reason(folder, expected):
    name = folder.parts[-3]
    assignment = load_assignment(ROOT / "specs" / name)
    stage = assignment.stage(expected["stage"])
    report = check(Job(assignment, (stage,), find_conditions(), name), folder)
    assert report.faults == ()
    (stage,) = report.stages
    wrong = [summary_of(result) for result in stage.results if result.verdict.value == "WRONG_ANSWER"]
    assert stage.verdict.value == expected["verdict"], wrong[:1] or stage.summary
    if "says" in expected:
        assert [summary for summary in wrong if not re.search(expected["says"], summary)] == []
    sentences = [sentence_on_accepted(difference) for difference in stage.accepted_differences]
    assert [sentence for sentence in expected.get("takes", ()) if sentence not in sentences] == []
    # A program with two texts where one must always be the same is not like any known mistake.
    if "says" in expected and "must be the same" in expected["says"]:
        assert [mistake.title for mistake in stage.diagnosis] == []
