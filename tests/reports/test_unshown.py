import json

from pitboss.compare.published import student_report
from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.reports.pages import submission_values
from pitboss.reports.report import as_text, report_of
from pitboss.reports.report_json import check_json
from pitboss.reports.templates import page, style

SENTENCE = "“three sixes count like any other roll” could not be shown in 1,200 sessions: no session reached it."
STAGE = StageReport("sixes", "roll three dice", Verdict.ACCEPTED, unshown=(SENTENCE,))


def report(*, has_hidden=False):
    return Report("sixes", "Three dice", "ada", (STAGE,), has_hidden=has_hidden)


def test_an_unshown_rule_is_printed():
    lines = [line.rstrip() for line in as_text(report_of(report()), width=200).splitlines()]
    assert lines == ["Three dice: ada — accepted", "", "  sixes  accepted", "", "sixes", f"  {SENTENCE}", ""]


def test_an_unshown_rule_is_in_the_json():
    assert json.loads(check_json(report()))["stages"][0]["unshown"] == [SENTENCE]


def test_an_unshown_rule_is_on_the_page():
    assert f"<p>{SENTENCE}</p>" in page("submission.html.j2", submission_values(report(), style()))


def test_a_student_sees_an_unshown_rule_despite_hidden_cases():
    assert student_report(report(has_hidden=True)).stages[0].unshown == (SENTENCE,)
