"""The JSON of reports against its schemas, which are in docs; what is equal stands once."""

import json
from decimal import Decimal

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.reports.json_and_csv import check_json, grade_json
from pitboss.reports.schemas import report_schemas
from pitboss.reports.similarity_page import similarity_json
from tests.conftest import ROOT
from tests.gradebook.made import A, F, W, report, result
from tests.reports.similarity.test_similar_page import hostile_pair

DOCS = ROOT / "docs"


def validate(name, text):
    """Against the schema in docs, in which nothing may stand that it does not name."""
    schema = json.loads((DOCS / f"{name}.schema.json").read_text())
    for kind in schema["$defs"].values():
        if "properties" in kind:
            kind["additionalProperties"] = False
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))
    return json.loads(text)


def whole(told):
    """The results of a class as those of `check`."""
    texts = told["transcripts"]
    for submission in told["submissions"]:
        for one in submission["results"]:
            case = told["sessions"][one["session"]]
            yield {
                **{name: case[name] for name in ("stage", "case", "points", "visibility", "place")},
                **{"summary": "", "first_difference": None, "replay": ""},
                **{name: value for name, value in one.items() if name != "session"},
                "expected": texts[case["expected"]] if case["expected"] else None,
                "actual": texts[one["actual"]] if "actual" in one else None,
            }


def test_the_schemas_in_docs_are_those_of_what_is_written():
    for name, text in report_schemas().items():
        assert (DOCS / name).read_text() == text, "refresh them: pitboss schema docs"


@pytest.mark.parametrize("name", report_schemas())
def test_each_is_a_schema(name):
    jsonschema.Draft202012Validator.check_schema(json.loads((DOCS / name).read_text()))


def test_the_schema_is_one_that_refuses():
    for wrong in ('"pitboss/check/v2"', '"verdict"'):
        with pytest.raises(jsonschema.ValidationError):
            validate("check", check_json(report(A)).replace(wrong, '"other"', 1))


@given(st.text(), st.lists(st.sampled_from([A, W, F, Verdict.SKIPPED, Verdict.NEEDS_REVIEW])))
def test_whatever_is_in_a_report_is_valid(text, verdicts):
    results = tuple(result(number, one, stage=text) for number, one in enumerate(verdicts))
    stage = StageReport(text, text, W, results, len(results), summary=text, rules=((text, 3),), unshown=(text,))
    one = Report(text, text, text, (stage,), (text,), (text,), (text,), stopped=text)
    validate("check", check_json(one))
    validate("grade", grade_json(text, {text: one, f"{text}2": one}, [text]))


def test_a_class_says_what_is_equal_once():
    reports = [report(A, W, F, name=f"student {number}") for number in range(25)]
    output = validate("grade", grade_json("blackjack", {one.submission: one for one in reports}))
    assert (len(output["transcripts"]), len(output["sessions"]), len(output["submissions"])) == (2, 3, 25)
    assert list(whole(output)) == [one for report in reports for one in json.loads(check_json(report))["results"]]


def test_what_differs_in_anything_has_a_key_of_its_own():
    other = result(1, A)
    other = msgspec.structs.replace(other, points=Decimal("0.25"))
    stage = StageReport("play", "Play", A, (result(1, A), other), 2)
    output = validate("grade", grade_json("b", {"ada": Report("b", "B", "ada", (stage,))}))
    assert [one["points"] for one in whole(output)] == [1, 0.25]


def test_what_submissions_share_is_valid():
    output = validate("similarity", similarity_json(hostile_pair(), {"assignment": "blackjack"}, ["A note."]))
    assert output["pairs"][0]["passages"]


def test_what_the_commands_write_is_valid(pitboss, tmp_path):
    programs = ROOT / "tests" / "submissions"
    for verdict, name in (("ACCEPTED", "plain"), ("WRONG_ANSWER", "prompt"), ("COMPILE_ERROR", "syntax")):
        (tmp_path / "class" / name).mkdir(parents=True)
        for path in (programs / verdict / name).iterdir():
            (tmp_path / "class" / name / path.name).write_bytes(path.read_bytes())
    assignment = f"{ROOT}/tests/toy/teller/"
    assert pitboss("grade", "class", "-a", assignment, "--json", "grade.json").code == 1
    assert pitboss("grade", "class", "-a", assignment, "--gradebook", "book").code == 1
    graded = validate("grade", (tmp_path / "grade.json").read_text())
    assert [one["submission"] for one in graded["submissions"]] == ["plain", "prompt", "syntax"]
    validate("check", pitboss("check", "class/prompt", "-a", assignment, "--json", "-").out)
    pitboss("mark", "book", "plain", "--override", "50", "--reason", "because")
    scored = validate("scores", pitboss("scores", "book", "--json", "-").out)
    assert [one["score"] for one in scored["people"]] == ["50", "0", "0"]
