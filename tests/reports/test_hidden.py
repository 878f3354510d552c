import json
import shutil

import pytest

from pitboss.compare.findings import WrittenFinding
from pitboss.compare.published import student_report
from pitboss.compare.results import Diagnosis, Report, Result, StageReport, Verdict
from pitboss.model.transcript import Ending, EndingKind, Shown, Transcript
from tests.conftest import ROOT, TOY

PLAIN = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"
HIDDEN_CASES = """
  - name: the secret withdrawal
    visibility: hidden
    transcript: |
      Opening balance: <<7771>>
      Deposit, withdraw or close? [d/w/c] <<c>>
      Closing balance: 7771 €

  - name: shown after the deadline
    visibility: after due
    answers: ["7772", c]
"""
#: A format that prints a wrong word at the balances of the hidden cases only.
WRONG_IN_HIDDEN = 'balance > 7770 ? "Ending balance: %d €\\n" : '


@pytest.fixture
def folder(tmp_path):
    """A folder with an assignment `bank`, and a class whose only submission is wrong in its hidden cases alone."""
    shutil.copytree(TOY, tmp_path / "bank")
    spec = tmp_path / "bank" / "teller.yaml"
    spec.write_text(spec.read_text() + HIDDEN_CASES)
    (tmp_path / "class" / "ada").mkdir(parents=True)
    source = PLAIN.read_text().replace('printf("Closing', f'printf({WRONG_IN_HIDDEN}"Closing')
    (tmp_path / "class" / "ada" / "teller.c").write_text(source)
    return tmp_path


def hidden_words_in(text):
    return [word for word in ("777", "secret", "deadline", "Ending", "hidden, ", "after due") if word in text]


def test_a_page_tells_only_how_many_hidden_cases_passed(pitboss, folder):
    completed = pitboss("grade", "class", "-a", "./bank", "--html", "pages", "--json", "class.json", "--details")
    page = (folder / "pages" / "ada.html").read_text()
    assert completed.code == 1
    assert hidden_words_in(page) == []
    assert "<p>Hidden cases: 0 of 2 sessions passed.</p>" in page
    assert "wrong answer" in page
    assert "5 of 5" in page
    assert hidden_words_in((folder / "pages" / "index.html").read_text()) == []
    # The instructor sees everything, including the command that reruns the session.
    assert "case the secret withdrawal (the simplest of 2 that failed)" in completed.out
    command = "pitboss check class/ada teller --assignment ./bank --case 'the secret withdrawal' --hidden"
    assert f"again: {command}" in completed.out
    output = json.loads((folder / "class.json").read_text())
    (report,) = output["submissions"]
    failed_sessions = [entry["session"] for entry in report["results"] if entry["verdict"] == "WRONG_ANSWER"]
    assert [output["sessions"][key]["case"] for key in failed_sessions] == [
        "the secret withdrawal",
        "shown after the deadline",
    ]


def test_the_instructor_may_have_pages_with_everything(pitboss, folder):
    pitboss("grade", "class", "-a", "./bank", "--html", "pages", "--hidden")
    assert hidden_words_in((folder / "pages" / "ada.html").read_text()) == ["777", "secret", "deadline", "Ending"]


PAST, FUTURE = "2001-01-01T00:00+00:00", "2999-01-01T00:00+00:00"


@pytest.mark.parametrize(
    ("class_due", "bobs_due", "is_shown"),
    [(None, None, False), (FUTURE, None, False), (PAST, None, True), (PAST, FUTURE, False), (FUTURE, PAST, False)],
)
def test_after_due_cases_are_shown_once_everybodys_due_date_is_past(pitboss, folder, class_due, bobs_due, is_shown):
    """The page is Ada's, whose due date is that of the class."""
    (folder / "class" / "bob").mkdir()
    options = ("--due", class_due) if class_due else ()
    pitboss("grade", "class", "-a", "./bank", "--gradebook", "book", *options)
    if bobs_due:
        pitboss("mark", "book", "bob", "--due", bobs_due)
    assert pitboss("scores", "book", "--html", "pages").code == 0
    page = (folder / "pages" / "ada.html").read_text()
    assert ("7772" in page) is is_shown
    assert "7771" not in page
    assert ("Hidden cases: 0 of 1 sessions passed." if is_shown else "Hidden cases: 0 of 2 sessions passed.") in page


def test_check_runs_public_cases_and_does_not_mention_others(pitboss, folder):
    completed = pitboss("check", "class/ada", "-a", "./bank", "--json", "report.json", "--html", "page.html")
    assert (completed.code, hidden_words_in(completed.out)) == (0, [])
    assert "teller  accepted  5 of 5" in completed.out
    assert hidden_words_in((folder / "report.json").read_text() + (folder / "page.html").read_text()) == []


def test_check_runs_hidden_cases_on_request(pitboss, folder):
    completed = pitboss(
        "check", "class/ada", "-a", "./bank", "--hidden", "--case", "the secret withdrawal", COLUMNS="100"
    )
    assert completed.code == 1
    assert "Line 3, “Ending balance: 7771 €”, has “Ending” where “Closing” is expected." in completed.out


def test_check_reports_a_hidden_case_as_unknown(pitboss, folder):
    completed = pitboss("check", "class/ada", "teller", "-a", "./bank", "--case", "the secret withdrawal")
    known_cases = "its cases are deposit and withdraw, too much, close at once, the input ends, a saver"
    message = f"pitboss: bank/teller.yaml: teller has no case 'the secret withdrawal' — {known_cases}\n"
    assert (completed.code, completed.err) == (2, message)


def test_a_stage_with_only_hidden_cases_is_skipped_but_blocks_no_other(pitboss, folder):
    bank = folder / "bank"
    (bank / "teller.yaml").write_text((bank / "teller.yaml").read_text().split("cases:")[0] + "cases:" + HIDDEN_CASES)
    assignment = bank / "assignment.yaml"
    assignment.write_text(
        assignment.read_text().replace(
            "\nplayers:", "  - name: second\n    reference: {command: [./teller]}\n\nplayers:"
        )
    )
    shutil.copy(TOY / "teller.yaml", bank / "second.yaml")
    (bank / "second.yaml").write_text((bank / "second.yaml").read_text().replace("program: teller", "program: second"))
    shutil.copy(PLAIN, folder / "class" / "ada" / "second.c")
    completed = pitboss("check", "class/ada", "-a", "./bank")
    assert completed.code == 1
    assert [line.rstrip() for line in completed.out.splitlines()[:6]] == [
        "A bank teller: ada",
        "",
        "  teller  skipped           all its cases are hidden; they are run when the",
        "                            class is graded.",
        "  second  accepted  5 of 5",
        "",
    ]
    assert hidden_words_in(completed.out) == []


SECRET = Transcript((Shown(b"secret 7771\n"),))
CRASHED = Transcript((Shown(b"7771"),), Ending(EndingKind.SIGNALLED, signal="SIGSEGV"))


def result(case, verdict, visibility="public", actual=SECRET, summary="It differs."):
    return Result("one", case, verdict, SECRET, actual, finding=WrittenFinding(summary), visibility=visibility)


def diagnosis(explained, failed):
    return Diagnosis("id", "a mistake", "hint", "note", explained, failed)


def published(*results, **fields):
    """The stage with these results as it is in the student's report."""
    stage = StageReport("one", "One", Verdict.WRONG_ANSWER, results, len(results), **fields)
    (published_stage,) = student_report(Report("a", "A", "ada", (stage,), has_hidden=True)).stages
    return published_stage


def test_a_mistake_is_named_only_if_it_explains_a_public_case():
    cases = (
        result("public", Verdict.WRONG_ANSWER),
        result("h1", Verdict.WRONG_ANSWER, "hidden"),
        result("h2", Verdict.WRONG_ANSWER, "hidden"),
    )
    assert published(*cases, diagnosis=(diagnosis(3, 3),)).diagnosis == (diagnosis(3, 3),)
    # A mistake that explains two of these three may explain the two hidden ones.
    assert published(*cases, diagnosis=(diagnosis(2, 3),)).diagnosis == ()
    assert published(*cases[1:], diagnosis=(diagnosis(2, 2),)).diagnosis == ()


@pytest.mark.parametrize(("crash_case", "published_crash"), [("public", "In play.c, line 3"), ("h1", "")])
def test_the_line_of_a_crash_is_reported_only_from_a_public_case(crash_case, published_crash):
    cases = (
        result("public", Verdict.RUN_TIME_ERROR, actual=CRASHED),
        result("h1", Verdict.RUN_TIME_ERROR, "hidden", CRASHED),
    )
    assert published(*cases, crash="In play.c, line 3", crash_case=crash_case).crash == published_crash


def test_a_fault_in_a_hidden_case_is_reported_without_details():
    fault = Transcript((), Ending(EndingKind.FAULT, detail="spec.yaml:7: 'the secret' does not end"))
    stage = StageReport(
        "one", "One", Verdict.JUDGE_ERROR, (result("h", Verdict.JUDGE_ERROR, "hidden", fault, "'the secret' fails"),), 1
    )
    unjudged_stage = StageReport("two", "Two", Verdict.JUDGE_ERROR, summary="'the secret' fails")
    report = Report("a", "A", "ada", (stage, unjudged_stage), faults=("'the secret' fails",), has_hidden=True)
    published_report = student_report(report)
    assert published_report.faults == ("A hidden case could not be judged, which is not the program's fault.",)
    assert published_report.stages[0].results == ()
    assert published_report.stages[1].summary == "This stage could not be judged, which is not the program's fault."
    assert "secret" not in repr(published_report)


def test_without_hidden_cases_the_student_report_is_complete():
    stage = StageReport("one", "One", Verdict.JUDGE_ERROR, summary="more than 64 MB")
    report = Report("a", "A", "ada", (stage,), faults=("more than 64 MB",))
    assert student_report(report) is report


def test_hidden_cases_keep_only_faults_and_the_instructors_paths_from_students():
    """Nothing else that is said of a stage is lost beside hidden cases, but the fields with rules of their own above."""
    given = {"stage", "title", "verdict", "results", "total"}
    judged_by_case = {"hidden", "crash", "crash_case", "diagnosis", "accepted_differences"}
    names = set(StageReport.__struct_fields__) - given - judged_by_case
    seen = published(result("h", Verdict.ACCEPTED, "hidden"), **dict.fromkeys(names, "x"))
    assert {name for name in names if getattr(seen, name) != "x"} == {"faults", "given"}


def test_students_see_all_that_is_said_of_a_build():
    fields = ("build_command", "build_messages", "build_explanation", "tool", "made_with")
    stage = StageReport("s", "S", Verdict.COMPILE_ERROR, **dict.fromkeys(fields, "x"))
    (published,) = student_report(Report("a", "A", "ada", (stage,), (), ())).stages
    assert [getattr(published, field) for field in fields] == ["x"] * len(fields)
