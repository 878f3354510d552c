import json
import shutil

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.published import student_report
from pitboss.compare.results import Verdict
from pitboss.reports.finding_sentences import summary_of
from pitboss.reports.pages import submission_values
from pitboss.reports.report import as_text, report_of
from pitboss.reports.report_json import check_json
from pitboss.reports.templates import page
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.authors import load_error
from tests.conftest import ROOT, TOY
from tests.tables import cells

PROGRAMS = ROOT / "tests" / "submissions" / "blackjack" / "NEEDS_REVIEW"
MANUAL_SUMMARY = "This stage is graded by hand: its output is not compared with anything."
#: For each program: the comment at the top of its source, and the summary of its first session.
COMMENTS_AND_SUMMARIES = {
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
        "It ended with exit code 3 instead of 0: the exit code is the number that is passed to exit.",
    ),
}


def check_stages(blackjack, folder, *names):
    stages = tuple(stage for stage in blackjack.stages if not names or stage.name in names)
    return check(Job(blackjack, stages, find_conditions(), "blackjack"), folder, cores=1)


@pytest.mark.parametrize("name", COMMENTS_AND_SUMMARIES)
def test_a_manual_stage_reports_the_program_s_comment_and_ending(blackjack, name):
    report = check_stages(blackjack, PROGRAMS / name, "extra")
    (stage,) = report.stages
    assert (stage.verdict, stage.summary) == (Verdict.NEEDS_REVIEW, MANUAL_SUMMARY)
    assert (stage.comment, summary_of(stage.results[0])) == COMMENTS_AND_SUMMARIES[name]
    cases = ["an evening of three, seed 0", "a full table, seed 1"]
    # After a session that did not end, the next one is not run: it would most likely use up its limit too.
    assert [result.session for result in stage.results] == (cases[:1] if name == "computes_for_ever" else cases)
    assert {result.verdict for result in stage.results} == {Verdict.NEEDS_REVIEW}
    assert (report.verdict, report.faults) == (Verdict.NEEDS_REVIEW, ())


def test_a_crash_is_reported_with_its_line(blackjack):
    (stage,) = check_stages(blackjack, PROGRAMS / "crashes", "extra").stages
    assert "extra.c" in stage.crash and "*seat_of(player) = seed;" in stage.crash


def test_a_program_that_does_not_build_needs_review_too(blackjack):
    report = check_stages(blackjack, PROGRAMS / "does_not_compile", "extra")
    (stage,) = report.stages
    error = "cc could not build extra: extra.c:4:13: error: expected ‘;’ before ‘}’ token"
    assert (stage.verdict, stage.comment) == (Verdict.NEEDS_REVIEW, "Not finished.")
    assert stage.summary == f"{MANUAL_SUMMARY} It could not be built: {error}"
    text = as_text(report_of(report))
    assert "the compiler warns" not in text and "return 0" in text


@pytest.fixture
def class_folder(tmp_path):
    """Four submissions: cyd's shuffle is wrong, ben's extra crashes, and dot has no extra."""
    folder = tmp_path / "class"
    for student, extra in (
        ("ada", ROOT / "examples/blackjack/ada/extra.c"),
        ("ben", PROGRAMS / "crashes" / "extra.c"),
        ("cyd", PROGRAMS / "higher_or_lower" / "extra.c"),
        ("dot", None),
    ):
        (folder / student).mkdir(parents=True)
        shutil.copy(ROOT / "examples/blackjack/ada/shuffle.c", folder / student)
        if student == "cyd":
            text = (folder / student / "shuffle.c").read_text()
            (folder / student / "shuffle.c").write_text(text.replace("Seed: ", "seed: "))
        if extra:
            shutil.copy(extra, folder / student)
    return folder


@pytest.mark.slow
def test_a_manual_stage_changes_neither_exit_code_nor_class_verdicts(pitboss, class_folder):
    done = pitboss("grade", class_folder, "shuffle", "extra", "-a", "blackjack", "--csv", "-")
    assert done.code == 1
    ((session_count,), *_) = cells(done.out, "shuffle total")
    shuffle, extra = ("shuffle", "shuffle passed", "shuffle total"), ("extra", "extra passed", "extra total")
    assert cells(done.out, "submission", "verdict", *shuffle, *extra) == [
        ("ada", "ACCEPTED", "ACCEPTED", session_count, session_count, "NEEDS_REVIEW", "", ""),
        ("ben", "ACCEPTED", "ACCEPTED", session_count, session_count, "NEEDS_REVIEW", "", ""),
        ("cyd", "WRONG_ANSWER", "WRONG_ANSWER", "0", session_count, "NEEDS_REVIEW", "", ""),
        ("dot", "ACCEPTED", "ACCEPTED", session_count, session_count, "", "", ""),
    ]
    table = pitboss(
        "grade", class_folder, "shuffle", "extra", "-a", "blackjack", "--html", class_folder.parent / "pages"
    )
    assert "needs review" in table.out
    assert "3 of 4 accepted in every stage" in table.out
    assert '<td class="NEEDS_REVIEW">needs review</td>' in (class_folder.parent / "pages" / "index.html").read_text()
    shutil.rmtree(class_folder / "cyd")
    assert pitboss("grade", class_folder, "shuffle", "extra", "-a", "blackjack").code == 0


def test_a_manual_stage_is_run_even_if_an_earlier_stage_fails(pitboss, class_folder):
    done = pitboss("check", "cyd", "-a", "blackjack", "--json", "-", cwd=class_folder)
    assert done.code == 1
    stages = {stage["stage"]: stage for stage in json.loads(done.out)["stages"]}
    assert (stages["shuffle"]["verdict"], stages["extra"]["verdict"]) == ("WRONG_ANSWER", "NEEDS_REVIEW")
    assert stages["extra"]["comment"] == COMMENTS_AND_SUMMARIES["higher_or_lower"][0]
    results = [result for result in json.loads(done.out)["results"] if result["stage"] == "extra"]
    assert [result["expected"] for result in results] == [None, None]
    assert results[0]["actual"]["transcript"].startswith("Your lucky number: <<0>>\n")
    assert results[0]["replay"].endswith("--seed 0 --player 'an evening of three'")


def test_reports_of_a_manual_stage_show_the_session_without_failures(blackjack):
    report = check_stages(blackjack, PROGRAMS / "higher_or_lower", "extra")
    text = as_text(report_of(report))
    assert "  extra  needs review   \n" in text
    assert "  the program's comment:" in text
    assert "    Higher or lower: say whether the next card is higher." in text
    assert "  │ Your lucky number: 0\n" in text
    assert "failed" not in text and "hunt" not in text
    html = page("submission.html.j2", submission_values(student_report(report), ""))
    assert "Your lucky number: «0»" in html
    assert "Expected" not in html
    assert "Higher or lower: say whether" in html
    assert json.loads(check_json(report))["verdict"] == "NEEDS_REVIEW"


def test_check_runs_a_manual_stage_with_a_given_seed_and_answers(pitboss):
    done = pitboss("check", PROGRAMS / "higher_or_lower", "extra", "-a", "blackjack", "--seed", "7", "--answers", "hl")
    assert done.code == 0
    assert "  │ Your lucky number: 7\n" in done.out


def test_hunt_refuses_a_manual_stage(pitboss):
    done = pitboss("hunt", PROGRAMS / "crashes", "extra", "-a", "blackjack")
    assert done.err == "pitboss: extra is graded manually: there is nothing to compare its games with\n"


def write_toy(folder, text):
    """Copy the toy assignment, and add the stages in `text`: OWN_STAGE, LAST_STAGE or both, each with further keys.

    Both stages have the cases of the stage `teller`.
    """
    shutil.copytree(TOY, folder)
    path = folder / "assignment.yaml"
    path.write_text(path.read_text().replace("\nplayers:", f"{text}\nplayers:", 1))
    for name in ("own", "last"):
        spec = (folder / "teller.yaml").read_text().replace("program: teller", f"program: {name}")
        (folder / f"{name}.yaml").write_text(spec)
    return path


OWN_STAGE = "  - name: own\n    reference: {command: [./teller]}\n"
LAST_STAGE = "  - name: last\n    reference: {command: [./teller]}\n"
#: Added stages with a key that is refused (in the last line of the text), and the error on that key.
REFUSED = {
    f"{OWN_STAGE}    graded_by: hands\n": "graded_by is 'hands' — it must be pitboss or hand; did you mean 'hand'?",
    f"{OWN_STAGE}    graded_by: hand\n    needs: [teller]\n": "a stage has needs — the stage is graded manually and not judged",
    f"{OWN_STAGE}    graded_by: hand\n{LAST_STAGE}    needs: [teller, own]\n": "stage 'last' needs 'own' — that stage is graded "
    "manually, so it is never accepted",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_key_that_a_manual_stage_cannot_have_is_refused(tmp_path, text):
    path = write_toy(tmp_path / "teller", text)
    line = path.read_text().splitlines().index(text.splitlines()[-1]) + 1
    assert load_error(tmp_path / "teller") == f"{path}:{line}: {REFUSED[text]}"


def test_a_default_for_judged_stages_does_not_concern_a_manual_stage(tmp_path):
    write_toy(tmp_path / "teller", f"{OWN_STAGE}    graded_by: hand\nmost_sessions: 7\n")
    stages = load_assignment(tmp_path / "teller").stages
    assert [(stage.name, stage.most_sessions) for stage in stages] == [("teller", 7), ("own", 200)]


def test_by_default_a_manual_stage_needs_no_stage_and_is_not_needed(tmp_path):
    write_toy(tmp_path / "teller", f"{OWN_STAGE}    graded_by: hand\n{LAST_STAGE}")
    stages = load_assignment(tmp_path / "teller").stages
    assert [(stage.name, stage.needs) for stage in stages] == [("teller", ()), ("own", ()), ("last", ("teller",))]
