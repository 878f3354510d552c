"""A class graded into a gradebook: what is run and what is not, what is told, and what outlives a kill at any moment."""

import contextlib
import csv
import io
import json
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time

import pytest

from pitboss.cli.main import exit_code_of
from pitboss.cli.similar import works_of
from pitboss.gradebook.book import Gradebook
from pitboss.sandbox import processes
from tests.conftest import ROOT, TOY

#: In Python, which need not be built.
RIGHT = (TOY / "teller").read_text()
#: A Makefile that takes its time.
SLOWLY = "teller: teller.py\n\tsleep 1; cp teller.py teller; chmod +x teller\n"
WRONG = "#!/bin/sh\nprintf 'Opening balance: '; read x; echo Sorry.\n"
ENDLESS = "#!/bin/sh\nprintf 'Opening balance: '; read x; while :; do :; done\n"
DEADLINE_S = 300


@pytest.fixture
def class_(tmp_path):
    """A class of four beside a copy of the assignment: two right, one wrong, one with nothing of use."""
    shutil.copytree(TOY, tmp_path / "teller")
    for name, file, text in (
        ("ada", "teller.py", RIGHT),
        ("barbara", "teller.py", f"{RIGHT}# mine\n"),
        ("charles", "teller.sh", WRONG),
        ("dennis", "notes.txt", "I was ill.\n"),
    ):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / file).write_text(text)
    return tmp_path / "class"


@pytest.fixture
def run(pitboss, class_):
    return lambda *words, **more: pitboss(*words, **more)


@pytest.fixture
def grade(run):
    return lambda *words, **more: run("grade", "class", "-a", "teller/", "-g", "book", *words, **more)


@pytest.fixture
def scores(run):
    """The scores by name, as JSON has them."""

    def read():
        output = run("scores", "book", "--json", "-")
        assert output.err == ""
        return {one["name"]: one for one in json.loads(output.out)["people"]}

    return read


def test_a_class_is_graded_and_kept_for_its_owner(grade, scores, tmp_path):
    output = grade()
    assert (output.code, output.err) == (1, "pitboss: 4 run\n")
    assert {name: (one["verdict"], one["score"], one["out_of"]) for name, one in scores().items()} == {
        "ada": ("ACCEPTED", "100", "100"),
        "barbara": ("ACCEPTED", "100", "100"),
        "charles": ("WRONG_ANSWER", "0", "100"),
        "dennis": ("NOT_HANDED_IN", "0", "100"),
    }
    assert stat.S_IMODE((tmp_path / "book").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("book")] == ["book"]


def test_the_files_of_a_class_are_the_same_with_a_gradebook_and_without(grade, run, tmp_path):
    def written(folder, *words):
        files = "--json", f"{folder}/json", "--csv", f"{folder}/csv", "--html", f"{folder}/pages"
        (tmp_path / folder).mkdir(exist_ok=True)
        output = run("grade", "class", "-a", "teller/", *words, *files)
        return output, {
            path.name: path.read_text() for path in sorted((tmp_path / folder).rglob("*")) if path.is_file()
        }

    _, alone = written("alone")
    message, beside = written("beside", "-g", "book")
    assert message.out == grade().out
    assert beside.keys() == alone.keys() >= {"json", "csv", "index.html", "ada.html"}
    assert beside["csv"] == alone["csv"]
    # A gradebook is read wherever its reports are handed out: its commands are for the folder of the submission.
    assert json.loads(beside["json"].replace("check teller", "check class/charles teller")) == json.loads(alone["json"])
    assert written("beside", "-g", "book")[1] == beside  # also of those who were not run again


@pytest.mark.parametrize("book", [(), ("-g", "book")], ids=["alone", "with a gradebook"])
def test_who_has_handed_in_nothing_of_use_is_not_accepted(run, class_, tmp_path, book):
    for name in ("charles", "dennis"):
        shutil.rmtree(class_ / name)
    assert run("grade", "class", "-a", "teller/", *book).code == 0
    (tmp_path / "people.csv").write_text("name\nada\nbarbara\nzoe\n")
    assert run("grade", "class", "-a", "teller/", *book, "--roster", "people.csv").code == 1
    (class_ / "eve.zip").write_bytes(b"no archive")
    assert run("grade", "class", "-a", "teller/", *book).code == 1


def test_a_standard_output_that_is_asked_for_has_nothing_else(grade, class_):
    grade()
    (class_ / "charles" / "teller.sh").unlink()
    (class_ / "charles" / "teller.py").write_text(RIGHT)
    output = grade("--csv", "-")
    assert [line.split(",")[0] for line in output.out.splitlines()] == [
        "submission",
        "ada",
        "barbara",
        "charles",
        "dennis",
    ]
    assert "charles: 0 of 100 → 100 of 100\n" in output.err


def test_nothing_is_run_again_where_nothing_has_changed(grade, scores):
    first = grade()
    before = scores()
    again = grade()
    assert (again.code, again.out) == (first.code, first.out)
    assert again.err == "pitboss: 4 unchanged and not run again; --fresh runs all\n"
    assert scores() == before
    assert grade("--fresh").err == "pitboss: 4 run\n"


def test_from_any_folder(grade, run, class_):
    grade()
    assert run("regrade", "../book", cwd=class_).err == "pitboss: 4 unchanged and not run again; --fresh runs all\n"


def test_what_has_changed_is_run_and_the_reason_reported(grade, run, class_):
    grade()
    (class_ / "charles" / "teller.sh").unlink()
    (class_ / "charles" / "teller.py").write_text(RIGHT)
    output = run("regrade", "book")
    assert output.err == "pitboss: 1 run, 3 unchanged and not run again; --fresh runs all\n"
    lines = output.out.splitlines()
    assert lines[:2] == ["charles: 0 of 100 → 100 of 100", "    another program was handed in"]
    assert lines[2].endswith("wrong answer before, accepted now")


def test_a_spec_that_has_changed_runs_all(grade, run, tmp_path):
    grade()
    spec = next(path for path in (tmp_path / "teller").glob("*.yaml") if path.name != "assignment.yaml")
    spec.write_text(spec.read_text() + "\n# as it was\n")
    assert run("regrade", "book").err == "pitboss: 4 run\n"


def test_another_policy_runs_nothing_and_is_the_reason(grade, run, tmp_path):
    grade()
    file = tmp_path / "teller" / "assignment.yaml"
    file.write_text(f"# moved\n{file.read_text()}\ngrading:\n  points: {{teller: 50}}\n")
    output = run("regrade", "book")
    assert output.err == "pitboss: 4 unchanged and not run again; --fresh runs all\n"
    assert output.out.splitlines()[:2] == [
        "ada: 100 of 100 → 50 of 50",
        "    the policy, the due date, or the way pitboss writes a sum has changed",
    ]
    file.write_text(file.read_text().replace("idle_s: 2", "idle_s: 3"))
    assert run("regrade", "book").err == "pitboss: 4 run\n"


def test_a_score_that_a_person_sets_and_takes_back(grade, run, scores):
    grade("--due", "2026-09-04")
    assert run("mark", "book", "charles", "--override", "55.5", "--reason", "agreed", "--by", "tutor").out == (
        "charles: 0 of 100 → 55.5 of 100\n"
    )
    assert scores()["charles"]["score"] == "111/2"
    output = run("scores", "book", "charles").out
    assert "agreed" in output
    assert "0 → 55.5" in output
    run("mark", "book", "charles", "--override", "none")
    assert scores()["charles"]["score"] == "0"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["scores", "nowhere"], "nowhere: there is no such gradebook; `pitboss grade` creates one"),
        (["scores", "book", "adam"], "nobody in this gradebook is called 'adam', did you mean 'ada'?"),
        (
            ["scores", "book", "a"],
            "'a' matches several people; type ada, barbara, charles",
        ),
        (["mark", "book"], "nobody is named — name a student, or give --from FILE with the marks of a class"),
        (
            ["mark", "book", "ada", "--from", "sheet.csv"],
            "--from takes all marks from the sheet: it goes only with --reason, --by and --yes",
        ),
        (["mark", "book", "--from", "sheet.csv"], "sheet.csv: there is no such file"),
        (
            ["mark", "book", "ada"],
            "nothing is given — give --style, --stage, --override, --due, --late, --pick, --unpick, --comment, --request, "
            "--answer or --decline",
        ),
        (
            ["mark", "book", "ada", "--pick", "names"],
            "--pick 'names' — there is no rubric: `pitboss mark --rubric FILE` sets one",
        ),
        (
            ["mark", "book", "ada", "--rubric", "r.yaml"],
            "--rubric sets the rubric of the gradebook: it goes only with --by",
        ),
        (["mark", "book", "--rubric", "r.yaml"], "r.yaml: there is no such file"),
        (["mark", "book", "ada", "--answer", "Yes."], "ada has no open request that could be answered"),
        (
            ["mark", "book", "ada", "--answer", "none"],
            "--answer 'none' — give a text for the student to read",
        ),
        (
            ["mark", "book", "ada", "--answer", "x", "--decline", "y"],
            "--answer and --decline exclude each other: give one",
        ),
        (
            ["mark", "book", "ada", "--request", ""],
            "--request is empty — give a text, or none to take back the open requests",
        ),
        (["mark", "book", "ad", "--style", "80"], "nobody in this gradebook is called 'ad'; type ada"),
        (["mark", "book", "adam", "--style", "80"], "nobody in this gradebook is called 'adam', did you mean 'ada'?"),
        (
            ["mark", "book", "ada", "--comment", " "],
            "--comment is empty — give a text, or none to take back all comments",
        ),
        (["mark", "book", "ada", "--stage", "extra"], "--stage 'extra' — give a stage and its share, as in extra=80%"),
        (
            ["scores", "book", "ada", "--csv", "-"],
            "--csv, --json, --html and --marks are for the whole class: leave out the person",
        ),
        (["mark", "book", "ada", "--override", "50"], "--override needs --reason: it is shown in the student's sum"),
        (
            ["mark", "book", "ada", "--style", "120%"],
            "--style '120%' — it must be a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5",
        ),
        (
            ["mark", "book", "ada", "--style", "0.8"],
            "--style '0.8' could be 0.8% or 80% — write which, with the percent sign",
        ),
        (
            ["mark", "book", "ada", "--override", "many", "--reason", "x"],
            "--override 'many' — it must be a number of points, such as 85 or 85.5",
        ),
        (
            ["mark", "book", "ada", "--due", "friday"],
            "'friday' is not a date or time — give a day, or a day and a time: 2026-09-04, 2026-09-04 23:59, 2026-09-04T23:59+02:00",
        ),
        (
            ["mark", "book", "ada", "--late", "two"],
            "--late 'two' — it must be a whole number of days: 2, 0 for on time, -1 for a day early",
        ),
        (
            ["export", "book"],
            "name one: --canvas FILE or --moodle FILE, with the table that the platform exported; or --junit FILE",
        ),
        (
            ["export", "book", "--canvas", "grades.csv"],
            "--output FILE is missing: name a new file, since the table that you give is not changed",
        ),
        (
            ["export", "book", "--canvas", "no.csv", "-o", "x", "--cap"],
            "--cap is only for Moodle: Canvas accepts scores above its points",
        ),
        (
            ["export", "book", "--canvas", "no.csv", "-o", "x"],
            "no.csv: the file cannot be read: No such file or directory",
        ),
        (["grade", "class", "--due", "2026-09-04"], "--due needs a gradebook: name one with --gradebook FILE"),
        (["grade", "class", "-a", "teller/", "-g", "class"], "class: the gradebook cannot be opened: Is a directory"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_reported_in_a_sentence(grade, run, words, sentence):
    grade()
    output = run(*words)
    assert (output.code, output.out, output.err) == (2, "", f"pitboss: {sentence}\n")


def test_another_assignment_needs_another_gradebook(grade, run, tmp_path):
    grade()
    shutil.copytree(TOY, tmp_path / "cashier")
    output = run("grade", "class", "-a", "cashier/", "-g", "book")
    sentence = "book: this is a gradebook of teller, not of cashier; name another file"
    assert (output.code, output.out, output.err) == (2, "", f"pitboss: {sentence}\n")


def test_the_column_of_canvas(grade, run, tmp_path):
    grade()
    (tmp_path / "grades.csv").write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Teller (1)\nada,1,,,A,\nbarbara,3,,,A,5\nzoe,2,,,A,7\n"
    )
    output = run("export", "book", "--canvas", "grades.csv", "--column", "Teller", "-o", "-")
    assert (
        output.out
        == "Student,ID,SIS User ID,SIS Login ID,Section,Teller (1)\nada,1,,,A,100\nbarbara,3,,,A,100\nzoe,2,,,A,7\n"
    )
    assert output.err == (
        "pitboss: 2 scores are in -\n"
        "pitboss: zoe: nobody of that name or id was graded; the cell is as it was\n"
        "pitboss: charles: not in the table\npitboss: dennis: not in the table\n"
    )


def test_the_table_of_another_class_is_filled_only_where_that_is_asked_for(grade, run, tmp_path):
    grade()
    rows = "".join(f"person{number},{number},,,A,\n" for number in range(20))
    head = "Student,ID,SIS User ID,SIS Login ID,Section,Teller (1)\n"
    (tmp_path / "grades.csv").write_text(f"{head}ada,100,,,A,\n{rows}")
    words = ("export", "book", "--canvas", "grades.csv", "--column", "Teller", "-o", "filled.csv")
    output = run(*words)
    assert (output.code, output.err) == (
        2,
        "pitboss: grades.csv: 1 of the 21 people in it are in this gradebook (1 by student), and 3 of the gradebook's 4 are "
        "not in the table: it may be of another class; --partly fills in the 1 anyway\n",
    )
    assert not (tmp_path / "filled.csv").exists()
    output = run(*words, "--partly")
    assert output.err.splitlines()[0] == "pitboss: 1 score is in filled.csv"
    assert output.err.count("nobody of that name or id") == 10
    assert "pitboss: and 10 more rows of people who were not found are as they were\n" in output.err
    assert (tmp_path / "filled.csv").read_text() == f"{head}ada,100,,,A,100\n{rows}"


def test_the_roster_of_another_class_is_said_to_be_that(grade, tmp_path):
    (tmp_path / "people.csv").write_text("name\nada\nzoe\n")
    assert (
        "pitboss: people.csv: only 1 of the 4 who handed in are on it, and it has 2 people: is it the roster of this class?\n"
    ) in grade("--roster", "people.csv").err


def test_a_policy_that_has_changed_is_reported_until_it_is_graded_again(grade, run, scores, tmp_path):
    grade()
    file = tmp_path / "teller" / "assignment.yaml"
    text = file.read_text()
    file.write_text(f"{text}\ngrading:\n  points: {{teller: 80}}\n")
    output = (
        "the grading policy, or how pitboss applies it, has changed since 4 scores here were computed: `pitboss regrade book` "
        "computes them again"
    )
    assert run("scores", "book").err == f"pitboss: {output}\n"
    assert run("scores", "book", "ada").err == f"pitboss: {output.replace('4 scores here were', 'a score here was')}\n"
    (tmp_path / "worksheet.csv").write_text("Identifier,Full name,Grade\nParticipant 7,ada,\n")
    assert output in run("export", "book", "--moodle", "worksheet.csv", "-o", "-").err
    run("regrade", "book")
    assert (run("scores", "book").err, scores()["ada"]["score"]) == ("", "80")


def edited(path, **cells):
    """Put cells into a sheet of marks: of each person pairs of a column and what is written there."""
    first, *rows = csv.reader(io.StringIO(path.read_text("utf-8-sig")))
    for row in rows:
        for head, text in cells.get(row[0], {}).items():
            row[first.index(head)] = text
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([first, *rows])


def test_marks_in_bulk_by_a_sheet(grade, run, tmp_path, scores):
    grade()
    output = run("scores", "book", "--marks", "sheet.csv")
    assert (output.code, output.err) == (0, "")
    assert run("mark", "book", "--from", "sheet.csv").out == "nothing in the sheet differs from the gradebook\n"
    edited(
        tmp_path / "sheet.csv",
        ada={"style": "80 %", "comment": "Good names."},
        charles={"override": "55,5", "override reason": "agreed"},
    )
    table = [
        "name      mark       from → to            score",
        "───────────────────────────────────────────────────",
        "ada       style      none → 80 %          stays 100",
        "          comment    + Good names.",
        "charles   override   none → 55.5 points   0 → 55.5",
        "3 marks for 2 people",
    ]
    output = run("mark", "book", "--from", "sheet.csv")
    assert (output.code, [line.rstrip() for line in output.out.splitlines()]) == (2, table)
    assert output.err == ("pitboss: nothing was changed: there is no terminal to ask in — --yes adds these marks\n")
    assert (scores()["charles"]["score"], scores()["ada"]["style"]) == ("0", None)
    output = run("mark", "book", "--from", "sheet.csv", "--yes", "--by", "tutor")
    weightless = "style changes no score here: the assignment's grading gives it no weight"
    assert (output.code, output.err) == (0, f"pitboss: {weightless}\n")
    assert [line.rstrip() for line in output.out.splitlines()] == [*table[:-1], "3 marks for 2 people added"]
    assert (scores()["charles"]["score"], scores()["ada"]["style"]) == ("111/2", "4/5")
    assert scores()["ada"]["comments"] == ["Good names."]
    with Gradebook(tmp_path / "book") as book:
        assert [(one.kind, one.reason, one.by) for key in ("ada", "charles") for one in book.marks(key)] == [
            ("style", "from sheet.csv", "tutor"),
            ("comment", "from sheet.csv", "tutor"),
            ("override", "agreed", "tutor"),
        ]
    assert (
        run("mark", "book", "--from", "sheet.csv", "--yes").out == "nothing in the sheet differs from the gradebook\n"
    )


def test_a_rubric_is_set_picked_from_and_changed(grade, run, tmp_path, scores):
    grade()
    rubric = tmp_path / "rubric.yaml"
    rubric.write_text(
        "- {key: names, text: Unclear names., points: -5}\n- {key: idea, text: A fine idea., points: 2.5}\n"
    )
    assert run("mark", "book", "--rubric", "rubric.yaml").out == "the rubric has 2 items; no scores changed\n"
    output = run("mark", "book", "ada", "--pick", "names", "--pick", "idea", "--by", "tutor")
    assert output.out == "ada: 100 of 100 → 97.5 of 100\n"
    assert run("mark", "book", "charles", "--pick", "names").out == "charles: noted; the score stays 0 of 100\n"
    assert run("mark", "book", "dennis", "--pick", "idea").out == "dennis: 0 of 100 → 2.5 of 100\n"
    assert [(one["text"], one["amount"]) for one in scores()["ada"]["sum"][1:]] == [
        ("rubric: Unclear names.", "-5"),
        ("rubric: A fine idea.", "5/2"),
    ]
    assert [(one["text"], one["amount"]) for one in scores()["charles"]["sum"][1:]] == [
        ("rubric: Unclear names.", "-5"),
        ("a score is never below 0", "5"),
    ]
    assert scores()["ada"]["rubric"][0] == {"key": "names", "text": "Unclear names.", "points": "-5"}
    rubric.write_text(rubric.read_text().replace("-5", "-10"))
    assert (
        run("mark", "book", "--rubric", "rubric.yaml", "--by", "tutor").out
        == "the rubric has 2 items; 2 scores changed\n"
    )
    assert "the rubric was changed by tutor" in run("scores", "book", "ada").out
    assert scores()["ada"]["score"] == "185/2"
    rubric.write_text("- {key: idea, text: A fine idea.}\n")
    assert run("mark", "book", "--rubric", "rubric.yaml").err == (
        "pitboss: the rubric has no 'names', which is picked for ada; --unpick it first\n"
    )
    assert run("mark", "book", "ada", "--unpick", "names").out == "ada: 92.5 of 100 → 102.5 of 100\n"
    run("scores", "book", "--html", "pages")
    assert "<td>rubric: A fine idea.</td>" in (tmp_path / "pages" / "ada.html").read_text()


def test_a_comment_at_a_line_is_in_all_that_goes_out(grade, run, tmp_path, scores):
    grade()
    run("mark", "book", "charles", "--at", "teller.sh:1", "--comment", "Which shell?", "--by", "tutor")
    assert scores()["charles"]["line_comments"] == [{"file": "teller.sh", "line": 1, "text": "Which shell?"}]
    assert "comment at teller.sh:1 Which shell?, tutor" in run("scores", "book", "charles").out
    (tmp_path / "worksheet.csv").write_text(
        "Identifier,Full name,Grade,Maximum Grade,Feedback comments\nParticipant 1,charles,,100,\n"
    )
    output = run("export", "book", "--moodle", "worksheet.csv", "-o", "-")
    assert "teller.sh:1: Which shell?" in output.out
    assert "Request" not in output.out
    run("mark", "book", "charles", "--request", "Is it wrong?")
    run("mark", "book", "charles", "--decline", "It is <wrong>.")
    assert "Request declined: It is &lt;wrong&gt;." in run("export", "book", "--moodle", "worksheet.csv", "-o", "-").out
    run("mark", "book", "charles", "--at", "teller.sh:1", "--comment", "none")
    assert scores()["charles"]["line_comments"] == []


def test_requests_are_entered_listed_and_answered(grade, run, tmp_path, scores):
    grade()
    request = "Case 2 looks right to me."
    output = run("mark", "book", "charles", "--request", request, "--by", "tutor")
    assert (output.out, output.err) == ("charles: noted; the score stays 0 of 100\n", "")
    run("mark", "book", "charles", "--request", "And case 3.", "--by", "tutor")
    run("mark", "book", "ada", "--request", "Is that all?", "--by", "tutor")
    screen = run("scores", "book").out
    assert "\n4 of 4 have a final score\n2 open requests: ada, charles\n" in screen
    assert screen.splitlines()[-2].startswith("dennis: Not handed in: there is no teller.c")
    run("scores", "book", "--html", "pages")
    page = (tmp_path / "pages" / "charles.html").read_text()
    assert f"<blockquote>{request}</blockquote>" in page
    assert "<strong>Not answered yet</strong>" in page
    run(
        "mark",
        "book",
        "charles",
        "--answer",
        "You are right.",
        "--override",
        "20",
        "--reason",
        "case 2",
        "--by",
        "lecturer",
    )
    run("mark", "book", "ada", "--request", "none")
    assert "open request" not in run("scores", "book").out
    assert [
        (one["text"], one["state"], one["answer"], one["answered_by"]) for one in scores()["charles"]["requests"]
    ] == [
        (request, "answered", "You are right.", "lecturer"),
        ("And case 3.", "answered", "You are right.", "lecturer"),
    ]
    assert (scores()["charles"]["score"], scores()["ada"]["requests"]) == ("20", [])
    assert "    answered by lecturer: You are right." in run("scores", "book", "charles").out
    run("scores", "book", "--html", "pages")
    page = (tmp_path / "pages" / "charles.html").read_text()
    assert "<p>Answered: You are right.</p>" in page
    assert "lecturer" not in page


@pytest.mark.parametrize(("answer", "score"), [("y", "50"), ("n", "0")])
def test_a_sheet_is_asked_about_in_a_terminal(grade, run, tmp_path, scores, monkeypatch, answer, score):
    grade()
    (tmp_path / "sheet.csv").write_text("key,override,override reason,notes\ncharles,50,ill,x\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n"))
    assert exit_code_of(["mark", "book", "--from", "sheet.csv"]) == 0
    assert scores()["charles"]["score"] == score


def test_what_is_marked_while_a_sheet_is_asked_about_is_looked_at_first(grade, tmp_path, scores, monkeypatch, capsys):
    grade()
    (tmp_path / "sheet.csv").write_text("key,style\nada,50\ncharles,60\n")

    def answer(question, **options):
        with Gradebook(tmp_path / "book") as book:
            book.add_mark("charles", "style", "9/10", by="tutor")
        return True

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", Terminal())
    monkeypatch.setattr("click.confirm", answer)
    assert exit_code_of(["mark", "book", "--from", "sheet.csv"]) == 2
    assert capsys.readouterr().err == (
        "pitboss: book: marks or scores have changed meanwhile, and nothing was added; try again\n"
    )
    assert (scores()["ada"]["style"], scores()["charles"]["style"]) == (None, "9/10")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_sheet_with_something_wrong_changes_nothing(grade, run, tmp_path, scores):
    grade()
    (tmp_path / "sheet.csv").write_text("key,style,notes\nada,80,x\nadda,80,\nbarbara,good,\n")
    output = run("mark", "book", "--from", "sheet.csv", "--yes")
    assert (output.code, output.out) == (2, "")
    assert output.err == (
        "pitboss: sheet.csv:3: nobody in this gradebook has the key 'adda'; did you mean 'ada'?\n"
        "sheet.csv:4: style 'good' — it must be a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5\n"
    )
    assert scores()["ada"]["style"] is None
    (tmp_path / "sheet.csv").write_text("key,style,notes\nada,80,x\n")
    output = run("mark", "book", "--from", "sheet.csv", "--yes")
    assert output.err == (
        "pitboss: sheet.csv: these columns are not marks and are ignored: notes\n"
        "pitboss: style changes no score here: the assignment's grading gives it no weight\n"
    )


def test_all_sessions_as_junit_xml(grade, run):
    grade()
    output = run("export", "book", "--junit", "-")
    assert output.out.startswith(
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite name="ada" tests="'
    )


def test_what_another_policy_would_do(grade, run, tmp_path):
    grade()
    text = (tmp_path / "teller" / "assignment.yaml").read_text()
    (tmp_path / "other.yaml").write_text(f"{text}\ngrading:\n  points: {{teller: 50}}\n")
    before = run("scores", "book", "--json", "-").out
    short = run("policy", "book", "--try", "other.yaml").out.splitlines()
    assert [line.split() for line in short[2:4]] == [["ada", "100", "50", "−50"], ["barbara", "100", "50", "−50"]]
    said = run("policy", "book", "--try", "other.yaml", "--details")
    assert (said.code, said.err) == (0, "")
    first, _, *rest = said.out.splitlines()
    assert first.split() == ["name", "now", "then", "changed", "lines"]
    assert " ".join(rest[0].split()).startswith("ada 100 50 −50 − teller: 100 of 100 points, 5 of 5 sessions")
    assert "0 would rise, 2 would fall, 2 would stay" in rest
    assert [line.split() for line in rest[-4:]] == [
        ["lowest", "0", "0"],
        ["median", "50", "25"],
        ["mean", "50", "25"],
        ["highest", "100", "50"],
    ]
    assert run("scores", "book", "--json", "-").out == before


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("grading:\n  pionts: {teller: 50}\n", "other.yaml:2: grading has no key 'pionts' — allowed are "),
        (
            "name: teller\n",
            "other.yaml:1: there is no grading: here — write the policy under it, as in an assignment.yaml\n",
        ),
    ],
)
def test_a_policy_that_cannot_be_tried_is_reported(grade, run, tmp_path, text, sentence):
    grade()
    (tmp_path / "other.yaml").write_text(text)
    output = run("policy", "book", "--try", "other.yaml")
    assert output.code == 2
    assert output.err.startswith(f"pitboss: {sentence}")
    assert run("policy", "book").err == (
        "pitboss: --try FILE is missing: a file with another `grading`, such as a copy of assignment.yaml\n"
    )


LATE = "\ngrading:\n  points: {teller: 100}\n  late: {on time: 0%, 1 day late: -10%, 2 days late: no credit}\n"


def test_who_is_marked_late_without_an_instant_has_no_score_until_a_person_says_how_late(run, tmp_path, scores):
    (tmp_path / "canvas").mkdir()
    for name in ("lovelaceada_LATE_1_10_teller.py", "bergbob_2_20_teller-1.py"):
        (tmp_path / "canvas" / name).write_text(RIGHT)
    shutil.copytree(TOY, tmp_path / "teller", dirs_exist_ok=True)
    (tmp_path / "teller" / "assignment.yaml").write_text((TOY / "assignment.yaml").read_text() + LATE)
    assert run("grade", "canvas", "-a", "teller/", "-g", "book", "--due", "2026-09-04").code == 0
    known = {one["key"]: one for one in scores().values()}
    assert (known["1"]["score"], known["2"]["score"]) == (None, "100")
    assert known["1"]["open"] == ["marked late, days unknown: set them with `pitboss mark --late DAYS`"]
    extended = run("mark", "book", "1", "--due", "2026-09-07")
    assert (extended.out, extended.err) == (
        "lovelaceada: noted; the score stays 0 to 90 of 100\n",
        "pitboss: lovelaceada: the due date has no effect, since the submission time is unknown; set the days late with "
        "--late DAYS\n",
    )
    assert {one["key"]: one for one in scores().values()}["1"]["sum"][-1]["text"] == (
        "marked late, days unknown; the due date set for this person, 2026-09-07 23:59, has no effect "
        "since the time of submission is unknown"
    )
    assert run("mark", "book", "1", "--late", "1").out == "lovelaceada: 0 to 90 of 100 → 90 of 100\n"
    assert {one["key"]: one for one in scores().values()}["1"]["sum"][-1][
        "text"
    ] == "1 day late, as set by a person: −10 %"
    assert run("mark", "book", "1", "--due", "2026-09-08").err == ""


def test_a_due_date_that_can_do_nothing_says_so(grade, run, tmp_path):
    said = "submission times unknown; set the days late with `pitboss mark --late DAYS`\n"
    assert f"pitboss: --due has no effect: {said}" in grade("--due", "2026-09-04").err
    assert "--due" not in grade().err
    (tmp_path / "canvas").mkdir()
    for name in ("lovelaceada_LATE_1_10_teller.py", "bergbob_2_20_teller-1.py"):
        (tmp_path / "canvas" / name).write_text(RIGHT)
    assert (
        "--due has no effect" not in run("grade", "canvas", "-a", "teller/", "-g", "other", "--due", "2026-09-04").err
    )


def test_the_style_of_a_table_is_no_date_for_a_spreadsheet(grade, run):
    grade()
    run("mark", "book", "ada", "--style", "80")
    (row,) = [
        one for one in csv.DictReader(io.StringIO(run("scores", "book", "--csv", "-").out)) if one["key"] == "ada"
    ]
    assert row["style"] == "80%"


@pytest.mark.needs("git")
def test_a_due_date_of_ones_own_and_the_days_that_follow(run, grade, scores, tmp_path):
    (tmp_path / "teller" / "assignment.yaml").write_text((TOY / "assignment.yaml").read_text() + LATE)
    done = subprocess.run
    environment = {"GIT_AUTHOR_DATE": "2026-09-05T12:00:00Z", "GIT_COMMITTER_DATE": "2026-09-05T12:00:00Z"}
    for name in ("ada", "barbara"):
        for words in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
        ):
            done(["git", *words], cwd=tmp_path / "class" / name, check=True, env={**os.environ, **environment})
    for name in ("charles", "dennis"):
        shutil.rmtree(tmp_path / "class" / name)
    grade("--due", "2026-09-04T23:59+00:00")
    assert {name: one["score"] for name, one in scores().items()} == {"ada": "90", "barbara": "90"}
    assert run("mark", "book", "ada", "--due", "2026-09-07").err == ""
    assert scores()["ada"]["sum"][-1] == {
        "text": "on time, by the due date set for this person, 2026-09-07 23:59",
        "amount": "0",
    }
    assert {name: one["score"] for name, one in scores().items()} == {"ada": "100", "barbara": "90"}
    assert scores()["ada"]["handed_in"]["at"] == "2026-09-05T12:00:00+00:00"
    grade("--due", "2026-09-01")
    assert {name: one["score"] for name, one in scores().items()} == {"ada": "100", "barbara": "0"}


def test_pages_have_the_sum_and_those_of_students_nothing_of_others(grade, run, tmp_path):
    spec = tmp_path / "teller" / "teller.yaml"
    text = spec.read_text()
    first = text.index("  - name:")
    spec.write_text(text[:first] + text[first:].replace("  - name:", "  - visibility: hidden\n    name:", 1))
    secret = text[first:].partition("name: ")[2].partition("\n")[0]
    grade()
    run("mark", "book", "charles", "--comment", "<b>Read</b> the brief.", "--by", "tutor")
    run("mark", "book", "charles", "--late", "1", "--reason", "told me so", "--by", "tutor")
    assert run("scores", "book", "--html", "students").err == ""
    assert run("scores", "book", "--html", "mine", "--hidden").err == ""
    names = ["ada.html", "barbara.html", "charles.html", "dennis.html"]
    assert sorted(path.name for path in (tmp_path / "students").iterdir()) == names
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == sorted([*names, "index.html"])
    theirs, ours = ((tmp_path / folder / "charles.html").read_text() for folder in ("students", "mine"))
    for text in (theirs, ours):
        assert "<h2>Score: 0 of 100</h2>" in text
        assert "teller: 0 of 100 points, 0 of 5 sessions accepted" in text
        assert "<blockquote>&lt;b&gt;Read&lt;/b&gt; the brief.</blockquote>" in text
        assert "told me so" not in text
    assert secret in ours
    for word in (secret, "barbara", "index.html", "tutor"):
        assert word not in theirs
    table = (tmp_path / "mine" / "index.html").read_text()
    assert '<a href="ada.html">ada</a></td><td class="number">100</td>' in table


def test_what_is_changed_while_it_is_graded_is_run_again(class_, tmp_path):
    (class_ / "ada" / "Makefile").write_text(SLOWLY)
    one = Grading(tmp_path)
    until = time.monotonic() + DEADLINE_S
    while reports_in(one.book) < 3:  # all but that one
        assert time.monotonic() < until
    (class_ / "ada" / "teller.py").write_text(f"{RIGHT}\n")
    assert one.process.wait(DEADLINE_S) == 1
    again = Grading(tmp_path)
    assert again.process.communicate()[1] == "pitboss: 1 run, 3 unchanged and not run again; --fresh runs all\n"


def test_so_is_all_if_the_assignment_is_changed(class_, tmp_path):
    (class_ / "ada" / "Makefile").write_text(SLOWLY)
    one = Grading(tmp_path)
    until = time.monotonic() + DEADLINE_S
    while reports_in(one.book) < 3:
        assert time.monotonic() < until
    spec = tmp_path / "teller" / "teller.yaml"
    spec.write_text(f"{spec.read_text()}\n")
    assert one.process.communicate()[1] == (
        "pitboss: the assignment changed during grading: `pitboss regrade` grades it again\npitboss: 4 run\n"
    )
    assert Grading(tmp_path).process.communicate()[1] == "pitboss: 4 run\n"


def sources_in(path):
    with Gradebook(path) as book:
        return {one.key: [(file.path, file.text) for file in book.sources(one.key)] for one in book.people()}


def test_a_gradebook_of_the_first_version_is_the_same_and_gets_the_sources(grade, scores, tmp_path):
    grade()
    before, sources = scores(), sources_in(tmp_path / "book")
    assert sources == {
        "ada": [("teller.py", RIGHT)],
        "barbara": [("teller.py", f"{RIGHT}# mine\n")],
        "charles": [("teller.sh", WRONG)],
        "dennis": [],
    }
    with sqlite3.connect(tmp_path / "book") as database:
        database.execute("DROP TABLE source")
        database.execute("PRAGMA user_version = 1")
    database.close()
    assert scores() == before
    assert sources_in(tmp_path / "book") == {key: [] for key in before}
    assert grade().err == "pitboss: 4 unchanged and not run again; --fresh runs all\n"
    assert sources_in(tmp_path / "book") == sources
    assert scores() == before


def test_a_latecomer_in_another_download_is_graded_again_with_the_rest(grade, run, scores, tmp_path):
    grade()
    shutil.copytree(tmp_path / "class" / "charles", tmp_path / "later" / "zoe")
    assert run("grade", "later", "-a", "teller/", "-g", "book").err == "pitboss: 1 run\n"
    spec = tmp_path / "teller" / "teller.yaml"
    spec.write_text(f"{spec.read_text()}\n")
    said = run("grade", "later", "-a", "teller/", "-g", "book")
    assert said.err == (
        "pitboss: 1 run\npitboss: graded by earlier specs, since the download lacks their submissions: "
        "ada, barbara, charles, dennis\n"
    )
    assert run("regrade", "book").err == "pitboss: 4 run, 1 unchanged and not run again; --fresh runs all\n"
    assert len(scores()) == 5
    shutil.rmtree(tmp_path / "later")
    assert run("regrade", "book").err.splitlines()[0] == (
        f"pitboss: {tmp_path / 'later'} no longer exists: nothing in it is run"
    )


def test_a_reference_that_fails_is_reported_and_changes_no_score(grade, run, scores, tmp_path):
    grade()
    before = scores()
    (tmp_path / "teller" / "teller").write_text("#!/bin/sh\nexit 3\n")
    output = run("regrade", "book")
    assert output.code == 3
    assert "pitboss: could not be graded (our error); previous scores kept: ada, barbara, charles" in output.err
    assert len(output.err.splitlines()) >= 3
    assert scores() == before


def test_a_program_repaired_in_another_download_is_not_graded_forth_and_back(grade, run, scores, tmp_path):
    grade()
    (tmp_path / "repaired" / "charles").mkdir(parents=True)
    (tmp_path / "repaired" / "charles" / "teller.py").write_text(RIGHT)
    assert "charles: 0 of 100 → 100 of 100" in run("grade", "repaired", "-a", "teller/", "-g", "book").out
    output = run("regrade", "book")
    assert "charles: " not in output.out and "2 run" not in output.err
    assert scores()["charles"]["score"] == "100"
    assert run("scores", "book", "charles").out.count("→") == 1


def test_an_older_download_displaces_nothing_newer(run, scores, tmp_path):
    shutil.copytree(TOY, tmp_path / "teller", dirs_exist_ok=True)
    for day, program in ((5, RIGHT), (4, "print()\n")):
        folder = tmp_path / f"export{day}"
        (folder / "submission_1").mkdir(parents=True)
        (folder / "submission_1" / "teller.py").write_text(program)
        person = "  :submitters:\n  - :name: Ada\n    :sid: '1'\n    :email: a@b\n"
        at = f"  :created_at: 2026-09-0{day} 10:00:00.000000000 Z\n"
        (folder / "submission_metadata.yml").write_text(f"---\nsubmission_1:\n{person}{at}")
    for day in (5, 4):
        output = run("grade", f"export{day}", "-a", "teller/", "-g", "book")
    assert "ignored, since older than the graded submission: Ada\n" in output.err
    assert scores()["Ada"]["score"] == "100"


def test_people_stay_who_they_are_where_a_roster_is_left_out(grade, run, scores, tmp_path):
    people = ("ada", "barbara", "charles", "dennis")
    rows = "".join(f"{name.title()} Smith,{number},{name}\n" for number, name in enumerate(people))
    (tmp_path / "people.csv").write_text(f"Name,ID,Login\n{rows}")
    grade("--roster", "people.csv")
    known = scores()
    grade()
    assert scores() == known
    assert len(known) == 4


def test_comments_can_be_taken_back(grade, run, scores):
    grade()
    for text in ("One.", "Two.", "none", "Three."):
        assert run("mark", "book", "ada", "--comment", text).out == "ada: noted; the score stays 100 of 100\n"
    assert scores()["ada"]["comments"] == ["Three."]


def test_pages_for_students_do_not_go_where_a_page_of_the_class_is(grade, run, tmp_path):
    grade()
    run("scores", "book", "--html", "pages", "--hidden")
    assert run("scores", "book", "--html", "pages").err == (
        "pitboss: pages: there is a page of a class in it, which students must not see; name another folder, or remove "
        "index.html\n"
    )


class Grading:
    """`pitboss grade` into a gradebook, in a process of its own."""

    def __init__(self, folder, *options):
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(ROOT / "harness"), "COLUMNS": "100"}
        command = [
            sys.executable,
            "-m",
            "pitboss",
            "grade",
            "class",
            "-a",
            "teller/",
            "-g",
            "book",
            "-j",
            "2",
            *options,
        ]
        self.book = folder / "book"
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def killed_after(self, count, delay_s=0.0):
        """Kill it once so many reports are in the gradebook, and some moment later."""
        until = time.monotonic() + DEADLINE_S
        while self.process.poll() is None and reports_in(self.book) < count:
            assert time.monotonic() < until
        until = time.monotonic() + delay_s
        while time.monotonic() < until and self.process.poll() is None:
            pass
        with contextlib.suppress(ProcessLookupError):  # it had come to its end
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
        until = time.monotonic() + DEADLINE_S
        while processes.living_in_group(self.process.pid):
            assert time.monotonic() < until, "something is still running"


def reports_in(book):
    """How many reports are in a gradebook, which may not be there yet."""
    try:
        database = sqlite3.connect(f"file:{book}?mode=ro", uri=True)
    except sqlite3.Error:
        return 0
    try:
        return database.execute("SELECT count(*) FROM report").fetchone()[0]
    except sqlite3.Error:
        return 0
    finally:
        database.close()


def contents(book):
    """All that is in a gradebook but for instants of writing and the order in which it was written."""
    database = sqlite3.connect(book)
    tables = {
        "class": "SELECT * FROM class ORDER BY name",
        "person": "SELECT * FROM person ORDER BY key",
        "report": "SELECT person, program, assignment, asked, pitboss, is_fault, light, whole FROM report "
        "JOIN submission ON submission.id = report.submission ORDER BY person, program",
        "counted": "SELECT counted.person, program, report IS NULL FROM counted "
        "JOIN submission ON submission.id = counted.submission ORDER BY 1",
        "score": "SELECT person, score, out_of, content FROM score ORDER BY person, id",
    }
    found = {name: database.execute(statement).fetchall() for name, statement in tables.items()}
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()
    return found


def resumed(class_, kills):
    """The gradebook of a class that was killed so often, graded to its end; what it has without a kill."""
    folder = class_.parent
    whole = Grading(folder)
    assert whole.process.wait(DEADLINE_S) == 1, whole.process.communicate()
    expected = contents(folder / "book")
    (folder / "book").unlink()
    for count, delay_s in kills:
        Grading(folder).killed_after(count, delay_s)
    last = Grading(folder)
    assert last.process.wait(DEADLINE_S) == 1, last.process.communicate()
    assert contents(folder / "book") == expected


def larger(class_, count):
    for number in range(count):
        (class_ / f"s{number:02}").mkdir()
        (class_ / f"s{number:02}" / "teller.py").write_text(f"{RIGHT}# {number}\n")


def test_killed_it_goes_on_with_what_is_missing(class_):
    resumed(class_, [(0, 0), (1, 0), (2, 0.01)])


def test_who_was_graded_before_a_kill_has_a_score(class_, scores):
    larger(class_, 4)
    Grading(class_.parent, "-j", "1").killed_after(3)
    found = scores().values()
    assert sum(one["score"] is not None and one["verdict"] != "NOT_HANDED_IN" for one in found) >= 2


@pytest.mark.slow
def test_killed_at_fifty_moments_it_is_the_same_gradebook_and_nothing_is_run_twice(class_):
    larger(class_, 40)
    moments = random.Random(14)
    resumed(class_, [(moments.randrange(44), moments.random() * 0.3) for _ in range(50)])


def test_two_who_write_at_once_lose_nothing(class_):
    larger(class_, 4)
    both = [Grading(class_.parent), Grading(class_.parent)]
    assert [one.process.wait(DEADLINE_S) for one in both] == [1, 1], [one.process.communicate() for one in both]
    names = {row[0] for row in contents(class_.parent / "book")["counted"]}
    assert len(names) == 8


def test_an_endless_one_is_not_run_again(grade, class_):
    (class_ / "charles" / "teller.sh").write_text(ENDLESS)
    assert grade().err == "pitboss: 4 run\n"
    assert grade().err == "pitboss: 4 unchanged and not run again; --fresh runs all\n"


def test_a_gradebook_that_somebody_may_only_read_is_read(grade, command_as, reachable, tmp_path):
    """As a user who may write neither the file nor its folder; root may write all."""
    grade()
    shutil.copy(tmp_path / "book", reachable / "book")
    (reachable / "book").chmod(0o444)
    (reachable / "worksheet.csv").write_text("Identifier,Full name,Grade\nParticipant 7,ada,\n")
    before = (reachable / "book").read_bytes()
    reachable.chmod(0o555)
    start = command_as("ordinary")

    def as_reader(*words):
        return subprocess.run(
            [*start.argv, *words], cwd=reachable, env=start.environment, capture_output=True, text=True, check=False
        )

    try:
        output = as_reader("scores", "book")
        assert output.returncode == 0
        assert "ada      " in output.stdout
        assert as_reader("scores", "book", "ada").returncode == 0
        filled = as_reader("export", "book", "--moodle", "worksheet.csv", "-o", "-")
        assert (filled.returncode, filled.stdout) == (0, "Identifier,Full name,Grade\nParticipant 7,ada,100\n")
    finally:
        reachable.chmod(0o755)
    assert (reachable / "book").read_bytes() == before
    assert sorted(one.name for one in reachable.iterdir()) == ["book", "worksheet.csv"]


def test_scores_are_there_although_the_assignment_has_a_mistake_now(grade, run, tmp_path):
    grade()
    before = run("scores", "book")
    spec = tmp_path / "teller" / "assignment.yaml"
    spec.write_text(f"tilte: Teller\n{spec.read_text()}")
    output = run("scores", "book")
    assert (output.code, output.out) == (0, before.out)
    mistake, sentence = output.err.splitlines()
    assert "assignment.yaml:1: " in mistake
    assert sentence == "pitboss: the assignment cannot be loaded: these are the scores stored in the gradebook"
    assert run("scores", "book", "ada").err == ""
    assert run("scores", "book", "--html", "pages", "--hidden").code == 0
    assert "ada" in (tmp_path / "pages" / "index.html").read_text()
    shutil.rmtree(tmp_path / "teller")
    assert run("scores", "book", "--csv", "-").out.count("\n") == 5


def test_two_people_of_one_name_are_distinguished_everywhere(grade, run, class_, tmp_path):
    for name in ("barbara", "dennis"):
        shutil.rmtree(class_ / name)
    (tmp_path / "people.csv").write_text("name,login\nPat Smith,charles\nPat Smith,ada\n")
    output = grade("--roster", "people.csv", "--html", "pages", "--json", "class.json", "--csv", "class.csv")
    both = ["Pat Smith (ada)", "Pat Smith (charles)"]
    assert [line.partition("  ")[0] for line in output.out.splitlines() if line.startswith("Pat")] == both
    assert [line.partition(",")[0] for line in (tmp_path / "class.csv").read_text().splitlines()[1:]] == both
    submissions = json.loads((tmp_path / "class.json").read_text())["submissions"]
    assert [(one["submission"], one["key"]) for one in submissions] == [*zip(both, ("ada", "charles"), strict=True)]
    assert run("scores", "book", "--html", "scores", "--hidden").code == 0
    for folder in ("pages", "scores"):
        assert sorted(one.name for one in (tmp_path / folder).iterdir()) == ["ada.html", "charles.html", "index.html"]
        index = (tmp_path / folder / "index.html").read_text()
        assert '<a href="charles.html">Pat Smith (charles)</a>' in index
        assert "Pat Smith (ada)" in (tmp_path / folder / "ada.html").read_text()
    xml = run("export", "book", "--junit", "-").out
    assert all(f'<testsuite name="{name}"' in xml for name in both)
    assert run("scores", "book", "--html", "handed-out").code == 0
    assert "Pat Smith (ada)" in (tmp_path / "handed-out" / "ada.html").read_text()
    assert run("mark", "book", "ada", "--comment", "Good.").out.startswith("Pat Smith (ada): noted")
    assert run("mark", "book", "charles", "--override", "5", "--reason", "x").out.startswith(
        "Pat Smith (charles): 0 of"
    )
    assert run("scores", "book", "ada").out.startswith("Pat Smith (ada)\n")
    with Gradebook(tmp_path / "book") as book:
        assert [work.name for work in works_of(book)] == both
    run("scores", "book", "--marks", "sheet.csv")
    sheet = (tmp_path / "sheet.csv").read_text().splitlines(keepends=True)
    comments = sheet[0].rstrip("\n").split(",").index("comment")
    for number, line in enumerate(sheet[1:], 1):
        cells = line.rstrip("\n").split(",")
        cells[comments] = "Well done."
        sheet[number] = ",".join(cells) + "\n"
    (tmp_path / "sheet.csv").write_text("".join(sheet))
    table = run("mark", "book", "--from", "sheet.csv", "--yes").out.splitlines()
    assert [line.partition("  ")[0] for line in table if line.startswith("Pat")] == both


def test_scores_say_which_files_were_written_instead_of_the_table(grade, run, tmp_path):
    grade()
    output = run("scores", "book", "--csv", "a.csv", "--marks", "b.csv", "--json", "c.json", "--html", "pages")
    written = "".join(f"wrote {name} (4 people)\n" for name in ("a.csv", "c.json", "b.csv", "pages"))
    assert (output.code, output.out) == (0, written)
    output = run("scores", "book", "--csv", "-", "--json", "c.json")
    assert output.out == (tmp_path / "a.csv").read_text()
    assert output.err == "wrote c.json (4 people)\n"


def test_pages_for_students_have_commands_that_students_can_type(grade, run, class_, tmp_path):
    grade("--html", "graded")
    run("scores", "book", "--html", "pages")
    run("scores", "book", "--html", "mine", "--hidden")
    for folder in ("graded", "pages"):
        page = (tmp_path / folder / "charles.html").read_text()
        assert "pitboss check teller --assignment teller" in page
        assert not any(path in page for path in (str(tmp_path), "--assignment teller/", "class/charles"))
    assert "--assignment teller/" in (tmp_path / "mine" / "charles.html").read_text()


def test_a_page_is_called_by_the_login_and_the_index_says_whose_it_is(grade, run, tmp_path):
    (tmp_path / "people.csv").write_text("name,login,id\nAda Lovelace,ada,1\nBarbara Liskov,barbara,2\nZoe,3,3\n")
    grade("--roster", "people.csv", "--html", "pages")
    names = {one.name for one in (tmp_path / "pages").iterdir()}
    assert names == {"ada.html", "barbara.html", "charles.html", "dennis.html", "3.html", "index.html"}
    index = (tmp_path / "pages" / "index.html").read_text()
    assert '<a href="ada.html">Ada Lovelace</a> <span class="dim">ada</span>' in index
    assert '<a href="charles.html">charles</a></td>' in index


def test_a_class_that_was_split_among_graders_is_merged_again(grade, run, tmp_path):
    grade()
    for name in ("ann", "bob"):
        shutil.copy(tmp_path / "book", tmp_path / name)
    run("mark", "ann", "charles", "--override", "40", "--reason", "by hand", "--by", "Ann")
    run("mark", "ann", "ada", "--comment", "Good.", "--by", "Ann")
    run("mark", "bob", "charles", "--override", "50", "--reason", "by hand", "--by", "Bob")
    said = run("merge", "book", "ann", "bob")
    assert said.code == 0
    assert said.out == "charles: 0 of 100 → 40 of 100\ncharles: 40 of 100 → 50 of 100\n"
    first, second, conflict = said.err.splitlines()
    assert first == "pitboss: ann: 2 marks for 2 people added"
    assert second == "pitboss: bob: 1 mark for 1 person added"
    assert conflict.startswith("pitboss: charles: override 50 points by Bob (")
    assert "is used, not 40 points by Ann (" in conflict
    before = (run("scores", "book", "--json", "-").out, run("scores", "book", "charles").out)
    again = run("merge", "book", "ann", "bob")
    assert (again.out, again.err) == (
        "",
        "pitboss: ann: 0 marks added; 2 were there already\npitboss: bob: 0 marks added; 1 was there already\n",
    )
    assert (run("scores", "book", "--json", "-").out, run("scores", "book", "charles").out) == before
    assert run("merge", "book", "./book").err == "pitboss: book: this is the gradebook itself; name copies of it\n"
    assert run("merge", "book").code == 2


def test_a_team_is_checked_once_and_each_member_has_a_score_and_marks_of_their_own(run, class_, tmp_path, scores):
    shutil.rmtree(class_ / "dennis")
    (class_ / "barbara").rename(class_ / "red")
    (tmp_path / "people.csv").write_text("name,login,team\nAda,ada,\nBarbara,barbara,red\nZoe,zoe,red\n")
    words = "grade", "class", "-a", "teller/", "-g", "book", "--roster", "people.csv"
    first = run(*words, "--json", "class.json")
    assert "pitboss: 4 run\n" in first.err
    submissions = json.loads((tmp_path / "class.json").read_text())["submissions"]
    assert [one["submission"] for one in submissions] == ["Ada", "Barbara", "Zoe", "charles"]
    assert run("mark", "book", "Zoe", "--override", "60", "--reason", "did less").code == 0
    known = scores()
    assert (known["Barbara"]["score"], known["Zoe"]["score"]) == ("100", "60")
    assert "handed in together with Barbara, as team red\n" in run("scores", "book", "Zoe").out
    (tmp_path / "people.csv").unlink()  # the gradebook knows the teams
    assert run("regrade", "book").err == "pitboss: 4 unchanged and not run again; --fresh runs all\n"
    assert scores() == known
    with contextlib.closing(sqlite3.connect(tmp_path / "book")) as database:
        ((programs,),) = database.execute("SELECT count(DISTINCT program) FROM submission").fetchall()
    assert programs == 3
