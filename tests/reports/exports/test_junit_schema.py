from pathlib import Path

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.reports.exports.junit import junit_xml
from tests.gradebook.made import A, F, W, report, result

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parent / "junit-10.xsd"))
#: Text without surrogates, which UTF-8 cannot encode.
ENCODABLE_TEXT = st.text(st.characters(codec="utf-8"))


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_report_with_any_verdict_is_valid(verdict):
    stage_without_sessions = StageReport("play", "Play", verdict, summary="Why.", build_messages="a.c:1: error\n")
    SCHEMA.validate(
        junit_xml(
            [report(A, W, F, verdict), Report("b", "B", "ada", (stage_without_sessions,)), Report("b", "B", "c", ())]
        )
    )


def test_an_empty_class_is_valid():
    SCHEMA.validate(junit_xml([]))


@given(ENCODABLE_TEXT, ENCODABLE_TEXT)
def test_any_text_of_a_program_or_compiler_is_valid(text, other_text):
    stage = StageReport(text, other_text, Verdict.WRONG_ANSWER, (result(1, W, stage=text),), 1, summary=other_text)
    stage_without_sessions = StageReport(
        other_text, text, Verdict.COMPILE_ERROR, summary=text, build_messages=other_text
    )
    SCHEMA.validate(junit_xml([Report("b", other_text, text, (stage, stage_without_sessions))]))
