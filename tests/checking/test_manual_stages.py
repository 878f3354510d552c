"""A stage that is graded by hand: it is run and shown, and nothing depends on it."""

import csv
import io
import json
import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.published import student_report
from pitboss.compare.verdicts import Verdict
from pitboss.errors import OldKeyWarning
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.json_and_csv import check_json
from pitboss.reports.pages import submission_values
from pitboss.reports.report import as_text, report_of
from pitboss.reports.templates import page
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.authors import refusal
from tests.conftest import ROOT, TOY

PROGRAMS = ROOT / "tests" / "submissions" / "blackjack" / "NEEDS_REVIEW"
SHOWN = "This stage is graded by hand: its output is not compared with anything."
#: Of each program: the comment at its top, and what is said of its first session.
TOLD = {
    "higher_or_lower": ("Higher or lower: say whether the next card is higher. Ten right ones in a row win.", ""),
    "crashes": (
        "A table for nine.\nIt has a slip.",
        "It crashed: it accessed memory that does not belong to it (a segmentation fault). Most often the cause is an index outside "
        "an array, a missing & in scanf, a wrong pointer, a very large array, or a function that calls itself "
        "endlessly.",
    ),
    "computes_for_ever": (
        "A shoe that is shuffled until it is in order.",
        "It used more than 1 s of computing time, most likely in a loop that never ends.",
    ),
    "python": (
        "Poker dice, for one.\n\nType a number of dice.",
        "It ended with exit code 3 instead of 0: that is the "
        "number that main returns (an arbitrary one if it returns none) or that is passed to exit.",
    ),
}


def checked(blackjack, folder, *stages):
    stages = tuple(one for one in blackjack.stages if not stages or one.name in stages)
    return check(Job(blackjack, stages, find_conditions(), "blackjack"), folder, count=1)


@pytest.mark.parametrize("name", TOLD)
def test_a_program_is_shown_with_its_comment_and_how_it_ended(blackjack, name):
    report = checked(blackjack, PROGRAMS / name, "extra")
    (stage,) = report.stages
    assert (stage.verdict, stage.summary) == (Verdict.NEEDS_REVIEW, SHOWN)
    assert (stage.comment, summary_of(stage.results[0])) == TOLD[name]
    cases = ["an evening of three, seed 0", "a full table, seed 1"]
    # What did not end in the first does most likely not in the second, and would cost another limit.
    assert [result.session for result in stage.results] == (cases[:1] if name == "computes_for_ever" else cases)
    assert {result.verdict for result in stage.results} == {Verdict.NEEDS_REVIEW}
    assert (report.verdict, report.faults) == (Verdict.NEEDS_REVIEW, ())


def test_a_crash_is_reported_with_its_line(blackjack):
    (stage,) = checked(blackjack, PROGRAMS / "crashes", "extra").stages
    assert "extra.c" in stage.crash and "*seat_of(player) = seed;" in stage.crash


def test_a_program_that_cannot_be_built_is_for_a_person_too(blackjack):
    report = checked(blackjack, PROGRAMS / "does_not_compile", "extra")
    (stage,) = report.stages
    error = "cc could not build extra: extra.c:4:13: error: expected ‘;’ before ‘}’ token"
    assert (stage.verdict, stage.comment) == (Verdict.NEEDS_REVIEW, "Not finished.")
    assert stage.summary == f"{SHOWN} It could not be built: {error}"
    text = as_text(report_of(report))
    assert "the compiler warns" not in text and "return 0" in text


@pytest.fixture
def a_class(tmp_path):
    """Four who handed in shuffle right or not at all, and an extra that is right, wrong, or crashes."""
    folder = tmp_path / "class"
    for student, shuffle, extra in (
        ("ada", "ada", ROOT / "examples/blackjack/ada/extra.c"),
        ("ben", "ada", PROGRAMS / "crashes" / "extra.c"),
        ("cyd", "barbara", PROGRAMS / "higher_or_lower" / "extra.c"),
        ("dot", "ada", None),
    ):
        (folder / student).mkdir(parents=True)
        shutil.copy(ROOT / "examples/blackjack" / shuffle / "shuffle.c", folder / student)
        if student == "cyd":
            text = (folder / student / "shuffle.c").read_text()
            (folder / student / "shuffle.c").write_text(text.replace("Seed: ", "seed: "))
        if extra:
            shutil.copy(extra, folder / student)
    return folder


@pytest.mark.slow
def test_the_exit_code_and_the_table_of_a_class_do_not_depend_on_it(pitboss, a_class):
    done = pitboss("grade", a_class, "shuffle", "extra", "-a", "blackjack", "--csv", "-")
    assert done.code == 1
    rows = list(csv.reader(io.StringIO(done.out)))
    count = rows[1][3]
    heads = ["shuffle", "shuffle passed", "shuffle total", "extra", "extra passed", "extra total"]
    assert rows == [
        ["submission", "verdict", *heads, "memory"],
        ["ada", "ACCEPTED", "ACCEPTED", count, count, "NEEDS_REVIEW", "", "", ""],
        ["ben", "ACCEPTED", "ACCEPTED", count, count, "NEEDS_REVIEW", "", "", ""],
        ["cyd", "WRONG_ANSWER", "WRONG_ANSWER", "0", count, "NEEDS_REVIEW", "", "", ""],
        ["dot", "ACCEPTED", "ACCEPTED", count, count, "", "", "", ""],
    ]
    table = pitboss("grade", a_class, "shuffle", "extra", "-a", "blackjack", "--html", a_class.parent / "pages")
    assert "needs review" in table.out
    assert "3 of 4 accepted in every stage" in table.out
    assert '<td class="NEEDS_REVIEW">for a person</td>' in (a_class.parent / "pages" / "index.html").read_text()
    shutil.rmtree(a_class / "cyd")
    assert pitboss("grade", a_class, "shuffle", "extra", "-a", "blackjack").code == 0


def test_it_is_run_although_the_stages_before_it_are_not_accepted(pitboss, a_class):
    done = pitboss("check", "cyd", "-a", "blackjack", "--json", "-", cwd=a_class)
    assert done.code == 1
    stages = {one["stage"]: one for one in json.loads(done.out)["stages"]}
    assert (stages["shuffle"]["verdict"], stages["extra"]["verdict"]) == ("WRONG_ANSWER", "NEEDS_REVIEW")
    assert stages["extra"]["comment"] == TOLD["higher_or_lower"][0]
    results = [one for one in json.loads(done.out)["results"] if one["stage"] == "extra"]
    assert [one["expected"] for one in results] == [None, None]
    assert results[0]["actual"]["transcript"].startswith("Your lucky number: <<0>>\n")
    assert results[0]["replay"].endswith("--seed 0 --player 'an evening of three'")


def test_a_person_sees_the_session_and_no_word_of_failing(blackjack):
    report = checked(blackjack, PROGRAMS / "higher_or_lower", "extra")
    text = as_text(report_of(report))
    assert "  extra  needs review   \n" in text
    assert "  its comment:" in text
    assert "    Higher or lower: say whether the next card is higher." in text
    assert "  │ Your lucky number: 0\n" in text
    assert "failed" not in text and "hunt" not in text
    html = page("submission.html.j2", submission_values(student_report(report), ""))
    assert "Your lucky number: «0»" in html
    assert "Expected" not in html
    assert "Higher or lower: say whether" in html
    assert json.loads(check_json(report))["verdict"] == "NEEDS_REVIEW"


def test_a_session_of_ones_own_can_be_shown(pitboss):
    done = pitboss("check", PROGRAMS / "higher_or_lower", "extra", "-a", "blackjack", "--seed", "7", "--answers", "hl")
    assert done.code == 0
    assert "  │ Your lucky number: 7\n" in done.out


def test_there_is_nothing_to_hunt_for(pitboss):
    done = pitboss("hunt", "extra", PROGRAMS / "crashes", "-a", "blackjack")
    assert done.err == "pitboss: extra is graded manually: there is nothing to compare its games with\n"


def teller_with(folder, text):
    """The toy with further stages, each of which is a teller again."""
    shutil.copytree(TOY, folder)
    path = folder / "assignment.yaml"
    path.write_text(path.read_text().replace("\nplayers:", f"{text}\nplayers:", 1))
    for name in ("own", "last"):
        spec = (folder / "teller.yaml").read_text().replace("program: teller", f"program: {name}")
        (folder / f"{name}.yaml").write_text(spec)
    return path


OWN = "  - name: own\n    reference: {command: [./teller]}\n"
LAST = "  - name: last\n    reference: {command: [./teller]}\n"
WRONG = {
    f"{OWN}    graded_by: hands\n": "graded_by is 'hands' — it must be pitboss or hand; did you mean 'hand'?",
    f"{OWN}    graded_by: hand\n    needs: [teller]\n": "stage 'own' has needs — it is graded manually and not judged; "
    "omit needs",
    f"{OWN}    graded_by: hand\n{LAST}    needs: [teller, own]\n": "stage 'last' needs 'own' — that stage is graded "
    "manually, so it is never accepted",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_key_is_reported(tmp_path, text):
    path = teller_with(tmp_path / "teller", text)
    line = path.read_text().splitlines().index(text.splitlines()[-1]) + 1
    assert refusal(tmp_path / "teller") == f"{path}:{line}: {WRONG[text]}"


def test_the_old_value_is_understood_for_one_version(tmp_path):
    path = teller_with(tmp_path / "teller", f"{OWN}    graded_by: person\n")
    line = path.read_text().splitlines().index("    graded_by: person") + 1
    with pytest.warns(OldKeyWarning) as caught:
        assert load_assignment(tmp_path / "teller").stage("own").is_manual
    assert [str(warning.message) for warning in caught] == [f"{path}:{line}: graded_by: person is called hand now"]


def test_it_needs_no_stage_and_none_needs_it(tmp_path):
    teller_with(tmp_path / "teller", f"{OWN}    graded_by: hand\n{LAST}")
    stages = load_assignment(tmp_path / "teller").stages
    assert [(stage.name, stage.needs) for stage in stages] == [("teller", ()), ("own", ()), ("last", ("teller",))]
