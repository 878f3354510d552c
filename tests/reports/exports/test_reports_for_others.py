import json
import shutil
from fractions import Fraction
from xml.etree import ElementTree

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.model.transcript import Shown, Transcript
from pitboss.reports.exports.autograder import results_json
from pitboss.reports.exports.junit import junit_xml
from tests.conftest import ROOT, TOY
from tests.gradebook.made import A, F, W, grade, report, result

S = Verdict.SKIPPED


def test_junit_counts_tests_failures_errors_and_skipped():
    root = ElementTree.fromstring(junit_xml([report(A, W, F, S), report(A, name="bob")]))
    suites = [{name: suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")} for suite in root]
    assert suites == [
        {"name": "ada", "tests": "4", "failures": "1", "errors": "1", "skipped": "1"},
        {"name": "bob", "tests": "1", "failures": "0", "errors": "0", "skipped": "0"},
    ]
    assert [case.get("name") for case in root[0]] == ["case 1", "case 2", "case 3", "case 4"]
    assert root[0][1][0].tag == "failure"
    assert root[0][1][0].get("type") == "WRONG_ANSWER"
    assert root[0][1][0].text.startswith("expected:\nSeed: <<7>>\n")


def test_junit_has_one_failed_case_for_a_stage_that_does_not_compile():
    stage = StageReport(
        "play", "Play", Verdict.COMPILE_ERROR, summary="It does not compile.", build_messages="\x1b[1mplay.c:1: error"
    )
    root = ElementTree.fromstring(junit_xml([Report("b", "B", "ada", (stage,))]))
    assert (root[0].get("tests"), root[0].get("failures")) == ("1", "1")
    assert root[0][0][0].text == r"\x1b[1mplay.c:1: error"


@given(st.text())
def test_junit_is_well_formed_xml_for_any_text(text):
    stage = StageReport(text, text, Verdict.WRONG_ANSWER, (result(1, W),), 1, summary=text, build_messages=text)
    compile_error = StageReport(text, text, Verdict.COMPILE_ERROR, summary=text, build_messages=text)
    xml = junit_xml([Report("b", "B", text, (stage, compile_error))])
    ElementTree.fromstring(xml.encode())


def test_gradescope_gets_the_score_and_tests_with_their_visibility():
    results = (result(1, A), result(2, W, visibility="hidden"), result(3, W, visibility="after due"))
    output = json.loads(
        results_json(
            Report("b", "B", "ada", (StageReport("play", "Play", W, results, 3),)),
            grade(Fraction(175, 2), ("play: 87.5 of 100", Fraction(175, 2))),
        )
    )
    assert output["score"] == 87.5
    assert output["output"] == "play: 87.5 of 100 (+87.5)\nScore: 87.5 of 100"
    assert output["extra_data"] == {"score": "175/2", "out_of": "100"}
    assert [(test["name"], test["status"], test["visibility"]) for test in output["tests"]] == [
        ("play: case 1", "passed", "visible"),
        ("play: case 2", "failed", "hidden"),
        ("play: case 3", "failed", "after_due_date"),
    ]
    assert "score" not in output["tests"][0]


def test_sessions_of_a_case_are_one_test_that_shows_the_simplest_failure():
    verdicts = {1: A, 2: W, 3: W, 4: A}
    results = tuple(
        msgspec.structs.replace(result(number, verdict), case="many seeds", seed=number)
        for number, verdict in verdicts.items()
    )
    stage = StageReport("play", "Play", W, (*results, result(9, A)), 5)
    many_seeds_test, other_test = json.loads(results_json(Report("b", "B", "ada", (stage,)), grade(1)))["tests"]
    simplest_failure = stage.failures[0]
    assert (many_seeds_test["name"], many_seeds_test["status"], other_test["name"]) == (
        "play: many seeds",
        "failed",
        "play: case 9",
    )
    assert many_seeds_test["output"].startswith(f"2 of 4 sessions accepted. many seeds, seed {simplest_failure.seed}: ")
    assert "expected:" in many_seeds_test["output"]
    assert (many_seeds_test["extra_data"]["sessions"], many_seeds_test["extra_data"]["accepted"]) == (4, 2)


def test_an_open_score_is_the_minimum_and_explains_why_it_is_not_final():
    open_grade = grade(None, ("deal: 30 of 30", 30), open=("play could not be judged, by our fault",))
    output = json.loads(results_json(report(F), open_grade))
    assert (output["score"], output["output"]) == (
        30,
        "deal: 30 of 30 (+30)\nNot final: play could not be judged, by our fault",
    )
    assert output["extra_data"]["score"] is None


def test_the_output_of_a_test_has_at_most_10_000_characters():
    wrong_report = report(W)
    (stage,) = wrong_report.stages
    shown = Transcript((Shown(b"x\n" * 10_000),))
    results = (msgspec.structs.replace(stage.results[0], actual=shown),)
    long_failure = msgspec.structs.replace(stage, results=results)
    long_messages = StageReport("deal", "Deal", Verdict.COMPILE_ERROR, build_messages="x" * 20_000)
    long_report = msgspec.structs.replace(wrong_report, stages=(long_failure, long_messages))
    output = json.loads(results_json(long_report, grade(1)))
    assert [len(test["output"]) for test in output["tests"]] == [10_000, 10_000]


def test_check_writes_gradescope_results_with_hidden_cases(pitboss, tmp_path):
    assignment = shutil.copytree(TOY, tmp_path / "teller")
    spec = assignment / "teller.yaml"
    text = spec.read_text()
    first_case_index = text.index("  - name:")
    spec.write_text(
        text[:first_case_index] + text[first_case_index:].replace("  - name:", "  - visibility: hidden\n    name:", 1)
    )
    output = pitboss(
        "check", ROOT / "tests" / "submissions" / "ACCEPTED" / "plain", "-a", "teller/", "--gradescope", "r.json"
    )
    results = json.loads((tmp_path / "r.json").read_text())
    assert (output.code, results["score"], results["stdout_visibility"]) == (0, 100, "hidden")
    assert {test["visibility"] for test in results["tests"]} == {"hidden", "visible"}


def test_check_writes_gradescope_results_for_a_missing_folder(pitboss, tmp_path):
    assert pitboss("check", "nowhere/", "-a", f"{TOY}/", "--gradescope", "r.json").code == 2
    output = json.loads((tmp_path / "r.json").read_text())
    assert (output["score"], output["output"]) == (
        0,
        "This could not be checked, which is not your fault: nowhere: there is no such folder",
    )
