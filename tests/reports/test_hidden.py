"""What a student is told of hidden cases: that there are so many, and how many passed; nothing of what they are."""

import json
import shutil

import pytest

from pitboss.compare.findings import WrittenFinding
from pitboss.compare.published import student_report
from pitboss.compare.results import Diagnosis, Report, Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import Ending, EndingKind, Shown, Transcript
from tests.conftest import ROOT, TOY

PLAIN = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"
HIDDEN = """
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
#: Wrong where the balance is one of the hidden cases', and where it is 120 at the end, which a public case has.
WRONG_IN_HIDDEN = 'balance > 7770 ? "Ending balance: %d €\\n" : '


@pytest.fixture
def folder(tmp_path):
    """An assignment with hidden cases beside public ones."""
    shutil.copytree(TOY, tmp_path / "bank")
    spec = tmp_path / "bank" / "teller.yaml"
    spec.write_text(spec.read_text() + HIDDEN)
    (tmp_path / "class" / "ada").mkdir(parents=True)
    source = PLAIN.read_text().replace('printf("Closing', f'printf({WRONG_IN_HIDDEN}"Closing')
    (tmp_path / "class" / "ada" / "teller.c").write_text(source)
    return tmp_path


def tells_of_hidden(text):
    return [word for word in ("777", "secret", "deadline", "Ending", "hidden, ", "after due") if word in text]


def test_a_page_tells_how_many_hidden_cases_passed_and_nothing_else_of_them(pitboss, folder):
    graded = pitboss("grade", "class", "-a", "./bank", "--html", "pages", "--json", "class.json", "--details")
    page = (folder / "pages" / "ada.html").read_text()
    assert graded.code == 1
    assert tells_of_hidden(page) == []
    assert "<p>Hidden cases: 0 of 2 sessions passed.</p>" in page
    assert "wrong answer" in page
    assert "5 of 5" in page
    assert tells_of_hidden((folder / "pages" / "index.html").read_text()) == []
    # The instructor sees all, and the command holds the session.
    assert "case the secret withdrawal (the simplest of 2 that failed)" in graded.out
    command = "pitboss check class/ada teller --assignment ./bank --case 'the secret withdrawal' --hidden"
    assert f"again: {command}" in graded.out
    output = json.loads((folder / "class.json").read_text())
    (report,) = output["submissions"]
    wrong = [one["session"] for one in report["results"] if one["verdict"] == "WRONG_ANSWER"]
    assert [output["sessions"][one]["case"] for one in wrong] == [
        "the secret withdrawal",
        "shown after the deadline",
    ]


def test_the_instructor_may_have_pages_with_everything(pitboss, folder):
    pitboss("grade", "class", "-a", "./bank", "--html", "pages", "--hidden")
    assert tells_of_hidden((folder / "pages" / "ada.html").read_text()) == ["777", "secret", "deadline", "Ending"]


PAST, COMING = "2001-01-01T00:00+00:00", "2999-01-01T00:00+00:00"


@pytest.mark.parametrize(
    ("due", "own", "is_shown"),
    [(None, None, False), (COMING, None, False), (PAST, None, True), (PAST, COMING, False), (COMING, PAST, False)],
)
def test_a_case_is_shown_after_the_due_date_once_it_is_past_for_everybody(pitboss, folder, due, own, is_shown):
    (folder / "class" / "bob").mkdir()
    words = ("--due", due) if due else ()
    pitboss("grade", "class", "-a", "./bank", "--gradebook", "book", *words)
    if own:
        pitboss("mark", "book", "bob", "--due", own)
    assert pitboss("scores", "book", "--html", "pages").code == 0
    page = (folder / "pages" / "ada.html").read_text()
    assert ("7772" in page) is is_shown
    assert "7771" not in page
    assert ("Hidden cases: 0 of 1 sessions passed." if is_shown else "Hidden cases: 0 of 2 sessions passed.") in page


def test_check_runs_public_cases_and_says_nothing_of_others(pitboss, folder):
    done = pitboss("check", "class/ada", "-a", "./bank", "--json", "report.json", "--html", "page.html")
    assert (done.code, tells_of_hidden(done.out)) == (0, [])
    assert "teller  accepted  5 of 5" in done.out
    assert tells_of_hidden((folder / "report.json").read_text() + (folder / "page.html").read_text()) == []


def test_check_shows_hidden_cases_to_who_asks_for_them(pitboss, folder):
    done = pitboss("check", "class/ada", "-a", "./bank", "--hidden", "--case", "the secret withdrawal", COLUMNS="100")
    assert done.code == 1
    assert "Line 3, “Ending balance: 7771 €”, has “Ending” where “Closing” is expected." in done.out


def test_a_hidden_case_is_no_case_for_check(pitboss, folder):
    done = pitboss("check", "class/ada", "teller", "-a", "./bank", "--case", "the secret withdrawal")
    known = "its cases are deposit and withdraw, too much, close at once, the input ends, a saver"
    output = f"pitboss: bank/teller.yaml: teller has no case 'the secret withdrawal' — {known}\n"
    assert (done.code, done.err) == (2, output)


def test_a_stage_with_hidden_cases_alone_says_so_and_holds_up_no_other(pitboss, folder):
    bank = folder / "bank"
    (bank / "teller.yaml").write_text((bank / "teller.yaml").read_text().split("cases:")[0] + "cases:" + HIDDEN)
    assignment = bank / "assignment.yaml"
    assignment.write_text(
        assignment.read_text().replace(
            "\nplayers:", "  - name: second\n    reference: {command: [./teller]}\n\nplayers:"
        )
    )
    shutil.copy(TOY / "teller.yaml", bank / "second.yaml")
    (bank / "second.yaml").write_text((bank / "second.yaml").read_text().replace("program: teller", "program: second"))
    shutil.copy(PLAIN, folder / "class" / "ada" / "second.c")
    done = pitboss("check", "class/ada", "-a", "./bank")
    assert done.code == 1
    assert [line.rstrip() for line in done.out.splitlines()[:6]] == [
        "A bank teller: ada",
        "",
        "  teller  skipped           all its cases are hidden; they are run when the",
        "                            class is graded.",
        "  second  accepted  5 of 5",
        "",
    ]
    assert tells_of_hidden(done.out) == []


SECRET = Transcript((Shown(b"secret 7771\n"),))
CRASHED = Transcript((Shown(b"7771"),), Ending(EndingKind.SIGNALLED, signal="SIGSEGV"))


def result(case, verdict, visibility="public", actual=SECRET, summary="It differs."):
    return Result("one", case, verdict, SECRET, actual, finding=WrittenFinding(summary), visibility=visibility)


def diagnosis(explains, of):
    return Diagnosis("id", "a mistake", "hint", "note", explains, of)


def published(*results, **fields):
    stage = StageReport("one", "One", Verdict.WRONG_ANSWER, results, len(results), **fields)
    (output,) = student_report(Report("a", "A", "ada", (stage,), has_hidden=True)).stages
    return output


def test_a_mistake_is_named_where_it_explains_a_public_case_too():
    cases = (
        result("public", Verdict.WRONG_ANSWER),
        result("h1", Verdict.WRONG_ANSWER, "hidden"),
        result("h2", Verdict.WRONG_ANSWER, "hidden"),
    )
    assert published(*cases, diagnosis=(diagnosis(3, 3),)).diagnosis == (diagnosis(3, 3),)
    assert published(*cases, diagnosis=(diagnosis(2, 3),)).diagnosis == ()
    assert published(*cases[1:], diagnosis=(diagnosis(2, 2),)).diagnosis == ()


@pytest.mark.parametrize(("case", "crash"), [("public", "In play.c, line 3"), ("h1", "")])
def test_where_it_crashed_is_reported_where_a_public_case_did(case, crash):
    cases = (
        result("public", Verdict.RUN_TIME_ERROR, actual=CRASHED),
        result("h1", Verdict.RUN_TIME_ERROR, "hidden", CRASHED),
    )
    assert published(*cases, crash="In play.c, line 3", crash_case=case).crash == crash


def test_what_went_wrong_on_our_side_in_a_hidden_case_is_not_reported_in_detail():
    fault = Transcript((), Ending(EndingKind.FAULT, detail="spec.yaml:7: 'the secret' does not end"))
    stage = StageReport(
        "one", "One", Verdict.JUDGE_ERROR, (result("h", Verdict.JUDGE_ERROR, "hidden", fault, "'the secret' fails"),), 1
    )
    lost = StageReport("two", "Two", Verdict.JUDGE_ERROR, summary="'the secret' fails")
    report = Report("a", "A", "ada", (stage, lost), faults=("'the secret' fails",), has_hidden=True)
    output = student_report(report)
    assert output.faults == ("A hidden case could not be judged, which is not the program's fault.",)
    assert output.stages[0].results == ()
    assert output.stages[1].summary == "This stage could not be judged, which is not the program's fault."
    assert "secret" not in repr(output)


def test_without_hidden_cases_a_student_is_reported_everything():
    stage = StageReport("one", "One", Verdict.JUDGE_ERROR, summary="more than 64 MB")
    report = Report("a", "A", "ada", (stage,), faults=("more than 64 MB",))
    assert student_report(report) is report
