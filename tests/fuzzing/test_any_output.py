import io
import json

import pytest
from hypothesis import given
from rich.console import Console

from pitboss.assignments.cases import sessions_of
from pitboss.compare.outcome import judged_result
from pitboss.compare.results import Report, StageReport, Verdict, overall_verdict
from pitboss.model.transcript import EndingKind
from pitboss.reports.pages import submission_values
from pitboss.reports.report import report_of
from pitboss.reports.report_json import check_json
from pitboss.reports.templates import page, style
from tests.fuzzing.sessions import policies, transcripts

pytestmark = pytest.mark.filterwarnings("error")


@given(transcripts, transcripts, policies)
def test_any_session_is_judged_and_reported(toy, expected, actual, policy):
    (stage,) = toy.stages
    result = judged_result(sessions_of(stage)[0], expected, actual, "teller", policy)
    assert result.verdict is not Verdict.ACCEPTED or actual.ending.kind is EndingKind.EXITED
    assert (result.verdict is Verdict.JUDGE_ERROR) == (actual.ending.kind is EndingKind.FAULT)
    stage_report = StageReport(stage.name, stage.title, overall_verdict([result.verdict]), (result,), 1)
    report = Report("teller", "A bank teller", "one", (stage_report,), (), ())
    assert json.loads(check_json(report))["stages"][0]["verdict"] == result.verdict.value
    output = io.StringIO()
    Console(file=output, width=80, force_terminal=False).print(report_of(report))
    assert "\x1b" not in output.getvalue() and "\x00" not in output.getvalue()
    # If output appeared on the page unescaped, a </script> in it would have no opening tag.
    html = page("submission.html.j2", submission_values(report, style()))
    assert html.count("</script>") == html.count("<script")
