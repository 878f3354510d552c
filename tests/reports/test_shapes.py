import json
from decimal import Decimal

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.reports.report_json import check_json, grade_json, report_schemas
from pitboss.reports.similarity_page import similarity_json
from tests.conftest import ROOT
from tests.gradebook.made import A, F, W, report, result
from tests.reports.similarity.test_similar_page import hostile_comparison

DOCS = ROOT / "docs"


def validate(name, text):
    """Parses a JSON text that must fit the schema in docs/, without any unlisted properties."""
    schema = json.loads((DOCS / f"{name}.schema.json").read_text())
    for kind in schema["$defs"].values():
        if "properties" in kind:
            kind["additionalProperties"] = False
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))
    return json.loads(text)


def check_results(class_report):
    """The results in a class's report, written out as in the reports of `check`."""
    transcripts = class_report["transcripts"]
    for submission in class_report["submissions"]:
        for entry in submission["results"]:
            session = class_report["sessions"][entry["session"]]
            yield {
                **{name: session[name] for name in ("stage", "case", "points", "visibility", "place")},
                **{"summary": "", "first_difference": None, "replay": ""},  # where the class's report omits them
                **{name: value for name, value in entry.items() if name != "session"},
                "expected": transcripts[session["expected"]] if session["expected"] else None,
                "actual": transcripts[entry["actual"]] if "actual" in entry else None,
            }


def test_the_schemas_in_docs_are_up_to_date():
    for name, text in report_schemas().items():
        assert (DOCS / name).read_text() == text, "refresh them: pitboss schema docs"


@pytest.mark.parametrize("name", report_schemas())
def test_each_report_schema_is_a_valid_json_schema(name):
    jsonschema.Draft202012Validator.check_schema(json.loads((DOCS / name).read_text()))


def test_the_schema_rejects_invalid_reports():
    for valid_text in ('"pitboss/check/v2"', '"verdict"'):
        with pytest.raises(jsonschema.ValidationError):
            validate("check", check_json(report(A)).replace(valid_text, '"other"', 1))


@given(st.text(), st.lists(st.sampled_from([A, W, F, Verdict.SKIPPED, Verdict.NEEDS_REVIEW])))
def test_a_report_with_any_texts_and_verdicts_is_valid(text, verdicts):
    results = tuple(result(number, verdict, stage=text) for number, verdict in enumerate(verdicts))
    stage = StageReport(text, text, W, results, len(results), summary=text, rules=((text, 3),), unshown=(text,))
    sample = Report(text, text, text, (stage,), (text,), (text,), (text,), stopped=text)
    validate("check", check_json(sample))
    validate("grade", grade_json(text, {text: sample, f"{text}2": sample}, [text]))


def test_equal_transcripts_and_sessions_of_a_class_are_written_once():
    reports = [report(A, W, F, name=f"student {number}") for number in range(25)]
    output = validate(
        "grade", grade_json("blackjack", {student_report.submission: student_report for student_report in reports})
    )
    assert (len(output["transcripts"]), len(output["sessions"]), len(output["submissions"])) == (2, 3, 25)
    assert list(check_results(output)) == [
        entry for student_report in reports for entry in json.loads(check_json(student_report))["results"]
    ]


def test_sessions_that_differ_only_in_points_are_written_separately():
    other_result = result(1, A)
    other_result = msgspec.structs.replace(other_result, points=Decimal("0.25"))
    stage = StageReport("play", "Play", A, (result(1, A), other_result), 2)
    output = validate("grade", grade_json("b", {"ada": Report("b", "B", "ada", (stage,))}))
    assert [entry["points"] for entry in check_results(output)] == [1, 0.25]


def test_a_similarity_report_is_valid():
    output = validate("similarity", similarity_json(hostile_comparison(), {"assignment": "blackjack"}, ["A note."]))
    assert output["pairs"][0]["passages"]


def test_reports_written_by_commands_are_valid(pitboss, tmp_path):
    programs = ROOT / "tests" / "submissions"
    for verdict, name in (("ACCEPTED", "plain"), ("WRONG_ANSWER", "prompt"), ("COMPILE_ERROR", "syntax")):
        (tmp_path / "class" / name).mkdir(parents=True)
        for path in (programs / verdict / name).iterdir():
            (tmp_path / "class" / name / path.name).write_bytes(path.read_bytes())
    assignment = f"{ROOT}/tests/toy/teller/"
    assert pitboss("grade", "class", "-a", assignment, "--json", "grade.json").code == 1
    assert pitboss("grade", "class", "-a", assignment, "--gradebook", "book").code == 1
    graded = validate("grade", (tmp_path / "grade.json").read_text())
    assert [submission["submission"] for submission in graded["submissions"]] == ["plain", "prompt", "syntax"]
    validate("check", pitboss("check", "class/prompt", "-a", assignment, "--json", "-").out)
    pitboss("mark", "book", "plain", "--override", "50", "--reason", "because")
    scored = validate("scores", pitboss("scores", "book", "--json", "-").out)
    assert [person["score"] for person in scored["people"]] == ["50", "0", "0"]
