"""JUnit's XML against the schema of Jenkins' plugin, junit-10.xsd beside this file, which has its licence in it."""

from pathlib import Path

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.reports.exports.junit import junit_xml
from tests.gradebook.made import A, F, W, report, result

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).parent / "junit-10.xsd"))
ODD = st.text(st.characters(codec="utf-8"))


def test_the_schema_is_one_that_refuses():
    with pytest.raises(xmlschema.XMLSchemaValidationError, match="'tests'"):
        SCHEMA.validate(junit_xml([report(A)]).replace(' tests="1"', ""))


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_is_taken(verdict):
    bare = StageReport("play", "Play", verdict, summary="Why.", build_messages="a.c:1: error\n")
    SCHEMA.validate(junit_xml([report(A, W, F, verdict), Report("b", "B", "ada", (bare,)), Report("b", "B", "c", ())]))


def test_a_class_with_nobody_is_taken():
    SCHEMA.validate(junit_xml([]))


@given(ODD, ODD)
def test_whatever_a_program_and_its_compiler_say_is_taken(text, other):
    stage = StageReport(text, other, Verdict.WRONG_ANSWER, (result(1, W, stage=text),), 1, summary=other)
    bare = StageReport(other, text, Verdict.COMPILE_ERROR, summary=text, build_messages=other)
    SCHEMA.validate(junit_xml([Report("b", other, text, (stage, bare))]))
