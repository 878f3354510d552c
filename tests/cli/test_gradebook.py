import contextlib
import csv
import io
import itertools
import json
import os
import random
import shlex
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
from tests.conftest import ROOT, TOY
from tests.counted import living_in_group

#: A Python program, which need not be built.
CORRECT = (TOY / "teller").read_text()
#: A build that takes a second, so that files can be changed during grading.
SLOW_MAKEFILE = "teller: teller.py\n\tsleep 1; cp teller.py teller; chmod +x teller\n"
INCORRECT = "#!/bin/sh\nprintf 'Opening balance: '; read x; echo Sorry.\n"
ENDLESS = "#!/bin/sh\nprintf 'Opening balance: '; read x; while :; do :; done\n"
ARGUMENTS = ("-a", "teller/", "-g", "book")
UNCHANGED = "pitboss: 4 unchanged and not run again; --fresh runs all\n"
#: A test that has to wait longer than this for something fails, instead of waiting for ever.
DEADLINE_S = 300


@pytest.fixture
def class_folder(tmp_path):
    """A class of four beside a copy of the assignment: two correct, one wrong, one without a program."""
    shutil.copytree(TOY, tmp_path / "teller")
    for name, file, text in (
        ("ada", "teller.py", CORRECT),
        ("barbara", "teller.py", f"{CORRECT}# mine\n"),
        ("charles", "teller.sh", INCORRECT),
        ("dennis", "notes.txt", "I was ill.\n"),
    ):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / file).write_text(text)
    return tmp_path / "class"


@pytest.fixture
def run(pitboss, class_folder):
    """The fixture `pitboss`, with which commands run in the folder that contains the class."""
    return pitboss


@pytest.fixture
def grade(run):
    """A function that grades the class into the gradebook `book`, with further options."""
    return lambda *arguments, **options: run("grade", "class", *ARGUMENTS, *arguments, **options)


@pytest.fixture
def scores(run):
    """A function that returns each person's entry, by name, of `pitboss scores --json`."""

    def read():
        output = run("scores", "book", "--json", "-")
        assert output.err == ""
        return {person["name"]: person for person in json.loads(output.out)["people"]}

    return read


def test_grade_creates_a_gradebook_that_only_its_owner_can_read(grade, scores, tmp_path):
    output = grade()
    assert (output.code, output.err) == (1, "pitboss: 4 run\n")
    assert {name: (person["verdict"], person["score"], person["out_of"]) for name, person in scores().items()} == {
        "ada": ("ACCEPTED", "100", "100"),
        "barbara": ("ACCEPTED", "100", "100"),
        "charles": ("WRONG_ANSWER", "0", "100"),
        "dennis": ("NOT_HANDED_IN", "0", "100"),
    }
    assert stat.S_IMODE((tmp_path / "book").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("book")] == ["book"]


def test_reports_are_the_same_with_and_without_a_gradebook(grade, run, tmp_path):
    def grade_into(folder, *words):
        """Grade the class and write all kinds of reports below this folder; returns the output and the texts by name."""
        files = "--json", f"{folder}/json", "--csv", f"{folder}/csv", "--html", f"{folder}/pages"
        (tmp_path / folder).mkdir(exist_ok=True)
        output = run("grade", "class", "-a", "teller/", *words, *files)
        return output, {
            path.name: path.read_text() for path in sorted((tmp_path / folder).rglob("*")) if path.is_file()
        }

    _, files_alone = grade_into("alone")
    output, files_with_book = grade_into("beside", "-g", "book")
    assert output.out == grade().out
    assert files_with_book.keys() == files_alone.keys() >= {"json", "csv", "index.html", "ada.html"}
    assert files_with_book["csv"] == files_alone["csv"]
    # Reports of a gradebook have commands to be typed in the folder of the submission, so their paths differ.
    assert json.loads(files_with_book["json"].replace("check teller", "check class/charles teller")) == json.loads(
        files_alone["json"]
    )
    assert grade_into("beside", "-g", "book")[1] == files_with_book  # also if nobody is run again


@pytest.mark.parametrize("book", [(), ("-g", "book")], ids=["alone", "with a gradebook"])
def test_exit_code_is_1_if_a_student_has_no_usable_submission(run, class_folder, tmp_path, book):
    for name in ("charles", "dennis"):
        shutil.rmtree(class_folder / name)
    assert run("grade", "class", "-a", "teller/", *book).code == 0
    (tmp_path / "people.csv").write_text("name\nada\nbarbara\nzoe\n")
    assert run("grade", "class", "-a", "teller/", *book, "--roster", "people.csv").code == 1
    (class_folder / "eve.zip").write_bytes(b"no archive")
    assert run("grade", "class", "-a", "teller/", *book).code == 1


def test_csv_on_standard_output_is_not_mixed_with_other_output(grade, class_folder):
    grade()
    (class_folder / "charles" / "teller.sh").unlink()
    (class_folder / "charles" / "teller.py").write_text(CORRECT)
    output = grade("--csv", "-")
    assert [line.split(",")[0] for line in output.out.splitlines()] == [
        "submission",
        "ada",
        "barbara",
        "charles",
        "dennis",
    ]
    assert "charles: 0 of 100 → 100 of 100\n" in output.err


def test_grading_again_without_changes_runs_nothing(grade, run, scores, class_folder):
    first_run = grade()
    scores_before = scores()
    second_run = grade()
    assert (second_run.code, second_run.out, second_run.err) == (first_run.code, first_run.out, UNCHANGED)
    assert run("regrade", "../book", cwd=class_folder).err == UNCHANGED
    assert scores() == scores_before
    assert grade("--fresh").err == "pitboss: 4 run\n"


def test_regrade_runs_changed_submissions_and_reports_the_reason(grade, run, class_folder):
    grade()
    (class_folder / "charles" / "teller.sh").unlink()
    (class_folder / "charles" / "teller.py").write_text(CORRECT)
    output = run("regrade", "book")
    assert output.err == "pitboss: 1 run, 3 unchanged and not run again; --fresh runs all\n"
    lines = output.out.splitlines()
    assert lines[:2] == ["charles: 0 of 100 → 100 of 100", "    another program was handed in"]
    assert lines[2].endswith("wrong answer before, accepted now")


def test_a_changed_policy_changes_scores_without_running_programs(grade, run, tmp_path):
    grade()
    file = tmp_path / "teller" / "assignment.yaml"
    file.write_text(f"# moved\n{file.read_text()}\ngrading:\n  points: {{teller: 50}}\n")
    output = run("regrade", "book")
    assert output.err == UNCHANGED
    assert output.out.splitlines()[:2] == [
        "ada: 100 of 100 → 50 of 50",
        "    the policy, the due date, or how pitboss words a score has changed",
    ]
    # In contrast to the policy, a limit may change what programs do, so after its change they are run again.
    file.write_text(file.read_text().replace("idle_s: 2", "idle_s: 3"))
    assert run("regrade", "book").err == "pitboss: 4 run\n"


def test_an_override_of_a_score_can_be_set_and_taken_back(grade, run, scores):
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


#: Wrong commands and what is said of each. The file title.yaml has no grading.
WRONG_COMMANDS = {
    "scores nowhere": "nowhere: there is no such gradebook; `pitboss grade` creates one",
    "scores book adam": "nobody in this gradebook is called 'adam', did you mean 'ada'?",
    "scores book a": "'a' matches several people; type ada, barbara, charles",
    "scores book ada --csv -": "--csv, --json, --html and --marks are for the whole class: leave out the person",
    "mark book": "nobody is named — name a student, or give --from FILE with the marks of a class",
    "mark book ada --from sheet.csv": "--from takes all marks from the sheet: of the other options only --reason, --by and "
    "--yes are allowed",
    "mark book --from sheet.csv": "sheet.csv: there is no such file",
    "mark book ada": "nothing is given — give --style, --stage, --override, --due, --late, --pick, --unpick, --comment, "
    "--request, --answer or --decline",
    "mark book ada --pick names": "--pick 'names' — there is no rubric: `pitboss mark --rubric FILE` sets one",
    "mark book ada --rubric r.yaml": "--rubric sets the rubric of the gradebook: of the other options only --by is allowed",
    "mark book --rubric r.yaml": "r.yaml: there is no such file",
    "mark book ada --answer Yes.": "ada has no open request that could be answered",
    "mark book ada --answer none": "--answer 'none' — give a text for the student to read",
    "mark book ada --answer x --decline y": "--answer and --decline exclude each other: give one",
    "mark book ada --request ''": "--request is empty — give a text, or none to take back the open requests",
    "mark book ad --style 80": "nobody in this gradebook is called 'ad'; type ada",
    "mark book ada --comment ' '": "--comment is empty — give a text, or none to take back all comments",
    "mark book ada --stage extra": "--stage 'extra' — give a stage and its share, as in extra=80%",
    "mark book ada --override 50": "--override needs --reason: the reason is shown in the student's sum",
    "mark book ada --style 120%": "--style '120%' — it must be a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5",
    "mark book ada --override many --reason x": "--override 'many' — it must be a number of points, such as 85 or 85.5",
    "mark book ada --due friday": "'friday' is not a date or time — give a day, or a day and a time: 2026-09-04, "
    "2026-09-04 23:59, 2026-09-04T23:59+02:00",
    "mark book ada --late two": "--late 'two' — it must be a whole number of days: 2, 0 for on time, -1 for a day early",
    "export book": "give either --canvas FILE or --moodle FILE, with the table that the platform exported; or --junit FILE",
    "export book --canvas grades.csv": "--output FILE is missing: name a new file, since the table that you give is not changed",
    "export book --canvas no.csv -o x --cap": "--cap is only for Moodle: Canvas accepts scores above its points",
    "export book --canvas no.csv -o x": "no.csv: the file cannot be read: No such file or directory",
    "grade class --due 2026-09-04": "--due needs a gradebook: name one with --gradebook FILE",
    "grade class -a teller/ -g class": "class: the gradebook cannot be opened: Is a directory",
    "grade class -a cashier/ -g book": "book: this is a gradebook of teller, not of cashier; name another file",
    "policy book": "--try FILE is missing: a file with another `grading`, such as a copy of assignment.yaml",
    "policy book --try title.yaml": "title.yaml:1: there is no key 'grading' — write the policy under it, as in an "
    "assignment.yaml",
}


def test_a_wrong_command_is_reported_in_one_sentence(grade, run, tmp_path):
    grade()
    shutil.copytree(TOY, tmp_path / "cashier")
    (tmp_path / "other.yaml").write_text("grading:\n  pionts: {teller: 50}\n")
    (tmp_path / "title.yaml").write_text("name: teller\n")
    assert run("policy", "book", "--try", "other.yaml").err.startswith(
        "pitboss: other.yaml:2: grading has no key 'pionts' — allowed are "
    )
    outputs = {command: run(*shlex.split(command)) for command in WRONG_COMMANDS}
    assert outputs == {command: (2, "", f"pitboss: {sentence}\n") for command, sentence in WRONG_COMMANDS.items()}


def test_export_fills_a_column_of_a_canvas_table(grade, run, tmp_path):
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


def test_a_table_of_another_class_is_refused_without_option_partly(grade, run, tmp_path):
    grade()
    rows = "".join(f"person{number},{number},,,A,\n" for number in range(20))
    header = "Student,ID,SIS User ID,SIS Login ID,Section,Teller (1)\n"
    (tmp_path / "grades.csv").write_text(f"{header}ada,100,,,A,\n{rows}")
    arguments = ("export", "book", "--canvas", "grades.csv", "--column", "Teller", "-o", "filled.csv")
    output = run(*arguments)
    assert (output.code, output.err) == (
        2,
        "pitboss: grades.csv: 1 of the 21 people in this table are in the gradebook (1 by student), and 3 of the gradebook's 4 are "
        "not in the table: the table may be of another class; --partly fills in the 1 anyway\n",
    )
    assert not (tmp_path / "filled.csv").exists()
    output = run(*arguments, "--partly")
    assert output.err.splitlines()[0] == "pitboss: 1 score is in filled.csv"
    assert output.err.count("nobody of that name or id") == 10
    assert "pitboss: and 10 more rows of people who were not found are unchanged\n" in output.err
    assert (tmp_path / "filled.csv").read_text() == f"{header}ada,100,,,A,100\n{rows}"


def test_a_changed_policy_is_reported_until_regrade(grade, run, scores, tmp_path):
    grade()
    file = tmp_path / "teller" / "assignment.yaml"
    text = file.read_text()
    file.write_text(f"{text}\ngrading:\n  points: {{teller: 80}}\n")
    notice = (
        "the grading policy, or how pitboss applies it, has changed since 4 scores here were computed: `pitboss regrade book` "
        "computes them again"
    )
    assert run("scores", "book").err == f"pitboss: {notice}\n"
    notice_for_one = notice.replace("4 scores here were", "a score here was").replace("computes them", "computes it")
    assert run("scores", "book", "ada").err == f"pitboss: {notice_for_one}\n"
    (tmp_path / "worksheet.csv").write_text("Identifier,Full name,Grade\nParticipant 7,ada,\n")
    assert notice in run("export", "book", "--moodle", "worksheet.csv", "-o", "-").err
    run("regrade", "book")
    assert (run("scores", "book").err, scores()["ada"]["score"]) == ("", "80")


def edit_sheet(path, **cells):
    """Fill in cells of a sheet of marks; `cells` has, by the key of a person, the new texts by column."""
    header, *rows = csv.reader(io.StringIO(path.read_text("utf-8-sig")))
    for row in rows:
        for column, text in cells.get(row[0], {}).items():
            row[header.index(column)] = text
    with path.open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([header, *rows])


def test_marks_are_added_from_a_sheet(grade, run, tmp_path, scores):
    grade()
    output = run("scores", "book", "--marks", "sheet.csv")
    assert (output.code, output.err) == (0, "")
    assert run("mark", "book", "--from", "sheet.csv").out == "nothing in the sheet differs from the gradebook\n"
    edit_sheet(
        tmp_path / "sheet.csv",
        ada={"style": "80 %", "comment": "Good names."},
        charles={"override": "55,5", "override reason": "agreed"},
    )
    output = run("mark", "book", "--from", "sheet.csv")
    assert (output.code, output.out.splitlines()[-1]) == (2, "3 marks for 2 people")
    assert output.err == ("pitboss: nothing was changed: there is no terminal to ask in — --yes adds these marks\n")
    assert (scores()["charles"]["score"], scores()["ada"]["style"]) == ("0", None)
    output = run("mark", "book", "--from", "sheet.csv", "--yes", "--by", "tutor")
    note = "style changes no score here: the assignment's grading gives it no weight"
    assert (output.code, output.err) == (0, f"pitboss: {note}\n")
    assert output.out.splitlines()[-1] == "3 marks for 2 people added"
    assert (scores()["charles"]["score"], scores()["ada"]["style"]) == ("111/2", "4/5")
    assert scores()["ada"]["comments"] == ["Good names."]
    people = csv.DictReader(io.StringIO(run("scores", "book", "--csv", "-").out))
    assert [person["style"] for person in people if person["key"] == "ada"] == ["80%"]
    with Gradebook(tmp_path / "book") as book:
        assert [(mark.kind, mark.reason, mark.by) for key in ("ada", "charles") for mark in book.marks(key)] == [
            ("style", "from sheet.csv", "tutor"),
            ("comment", "from sheet.csv", "tutor"),
            ("override", "agreed", "tutor"),
        ]
    output = run("mark", "book", "--from", "sheet.csv", "--yes")
    assert output.out == "nothing in the sheet differs from the gradebook\n"
    run("mark", "book", "ada", "--comment", "none")
    assert scores()["ada"]["comments"] == []


def test_a_rubric_can_be_set_used_and_changed(grade, run, tmp_path, scores):
    grade()
    rubric = tmp_path / "rubric.yaml"
    rubric.write_text(
        "- {key: names, text: Unclear names., points: -5}\n- {key: idea, text: A fine idea., points: 2.5}\n"
    )
    assert run("mark", "book", "--rubric", "rubric.yaml").out == "the rubric has 2 items; no scores changed\n"
    output = run("mark", "book", "ada", "--pick", "names", "--pick", "idea", "--by", "tutor")
    assert output.out == "ada: 100 of 100 → 97.5 of 100\n"
    assert run("mark", "book", "charles", "--pick", "names").out == "charles: noted; the score stays 0 of 100\n"
    assert [(entry["text"], entry["amount"]) for entry in scores()["ada"]["sum"][1:]] == [
        ("rubric: Unclear names.", "-5"),
        ("rubric: A fine idea.", "5/2"),
    ]
    assert scores()["ada"]["rubric"][0] == {"key": "names", "text": "Unclear names.", "points": "-5"}
    rubric.write_text(rubric.read_text().replace("-5", "-10"))
    output = run("mark", "book", "--rubric", "rubric.yaml", "--by", "tutor")
    assert output.out == "the rubric has 2 items; 2 scores changed\n"
    assert "the rubric was changed by tutor" in run("scores", "book", "ada").out
    rubric.write_text("- {key: idea, text: A fine idea.}\n")
    assert run("mark", "book", "--rubric", "rubric.yaml").err == (
        "pitboss: the rubric has no 'names', which is picked for ada; --unpick it first\n"
    )
    assert run("mark", "book", "ada", "--unpick", "names").out == "ada: 92.5 of 100 → 102.5 of 100\n"
    run("scores", "book", "--html", "pages")
    assert "<td>rubric: A fine idea.</td>" in (tmp_path / "pages" / "ada.html").read_text()


def test_a_comment_at_a_line_appears_in_scores_and_exports(grade, run, tmp_path, scores):
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
    scores_output = run("scores", "book").out
    assert "\n4 of 4 have a final score\n2 open requests: ada, charles\n" in scores_output
    run("scores", "book", "--html", "pages")
    page = (tmp_path / "pages" / "charles.html").read_text()
    assert f"<blockquote>{request}</blockquote>" in page
    assert "<strong>Not answered yet</strong>" in page
    answer = ("--answer", "You are right.", "--override", "20", "--reason", "case 2", "--by", "lecturer")
    run("mark", "book", "charles", *answer)
    run("mark", "book", "ada", "--request", "none")
    assert "open request" not in run("scores", "book").out
    fields = ("text", "state", "answer", "answered_by")
    assert [tuple(entry[field] for field in fields) for entry in scores()["charles"]["requests"]] == [
        (text, "answered", "You are right.", "lecturer") for text in (request, "And case 3.")
    ]
    assert (scores()["charles"]["score"], scores()["ada"]["requests"]) == ("20", [])
    assert "    answered by lecturer: You are right." in run("scores", "book", "charles").out
    run("scores", "book", "--html", "pages")
    page = (tmp_path / "pages" / "charles.html").read_text()
    assert "<p>Answered: You are right.</p>" in page
    assert "lecturer" not in page


@pytest.mark.parametrize(("answer", "score"), [("y", "50"), ("n", "0")])
def test_in_a_terminal_mark_asks_before_it_adds_a_sheet(grade, run, tmp_path, scores, monkeypatch, answer, score):
    grade()
    (tmp_path / "sheet.csv").write_text("key,override,override reason,notes\ncharles,50,ill,x\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", Terminal(f"{answer}\n"))
    assert exit_code_of(["mark", "book", "--from", "sheet.csv"]) == 0
    assert scores()["charles"]["score"] == score


def test_a_sheet_is_not_added_if_marks_change_during_the_question(grade, tmp_path, scores, monkeypatch, capsys):
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
    """A standard input that counts as a terminal."""

    def isatty(self):
        return True


def test_a_sheet_with_an_error_changes_nothing(grade, run, tmp_path, scores):
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


def test_policy_shows_how_scores_would_change(grade, run, tmp_path):
    grade()
    text = (tmp_path / "teller" / "assignment.yaml").read_text()
    (tmp_path / "other.yaml").write_text(f"{text}\ngrading:\n  points: {{teller: 50}}\n")
    before = run("scores", "book", "--json", "-").out
    output = run("policy", "book", "--try", "other.yaml", "--details")
    assert (output.code, output.err) == (0, "")
    header, _, *lines = output.out.splitlines()
    assert header.split() == ["name", "now", "then", "changed", "lines"]
    assert " ".join(lines[0].split()).startswith("ada 100 50 −50 − teller: 100 of 100 points, 5 of 5 sessions")
    assert run("scores", "book", "--json", "-").out == before


LATE_POLICY = "\ngrading:\n  points: {teller: 100}\n  late: {on time: 0%, 1 day late: -10%, 2 days late: no credit}\n"


def test_a_late_submission_has_no_score_until_its_days_late_are_known(run, tmp_path, scores):
    (tmp_path / "canvas").mkdir()
    for name in ("lovelaceada_LATE_1_10_teller.py", "bergbob_2_20_teller-1.py"):
        (tmp_path / "canvas" / name).write_text(CORRECT)
    shutil.copytree(TOY, tmp_path / "teller", dirs_exist_ok=True)
    (tmp_path / "teller" / "assignment.yaml").write_text((TOY / "assignment.yaml").read_text() + LATE_POLICY)
    assert run("grade", "canvas", "-a", "teller/", "-g", "book", "--due", "2026-09-04").code == 0

    def entries_by_key():
        return {person["key"]: person for person in scores().values()}

    entries = entries_by_key()
    assert (entries["1"]["score"], entries["2"]["score"]) == (None, "100")
    assert entries["1"]["open"] == ["marked late, days unknown: set them with `pitboss mark --late DAYS`"]
    output = run("mark", "book", "1", "--due", "2026-09-07")
    assert (output.out, output.err) == (
        "lovelaceada: noted; the score stays 0 to 90 of 100\n",
        "pitboss: lovelaceada: the due date has no effect, since the submission time is unknown; set the days late with "
        "--late DAYS\n",
    )
    assert entries_by_key()["1"]["sum"][-1]["text"] == (
        "marked late, days unknown; the due date set for this person, 2026-09-07 23:59, has no effect "
        "since the time of submission is unknown"
    )
    assert run("mark", "book", "1", "--late", "1").out == "lovelaceada: 0 to 90 of 100 → 90 of 100\n"
    assert entries_by_key()["1"]["sum"][-1]["text"] == "1 day late, as set by a person: −10 %"
    assert run("mark", "book", "1", "--due", "2026-09-08").err == ""


def test_a_due_date_without_submission_times_is_reported(grade, run, tmp_path):
    hint = "submission times unknown; set the days late with `pitboss mark --late DAYS`\n"
    assert f"pitboss: --due has no effect: {hint}" in grade("--due", "2026-09-04").err
    assert "--due" not in grade().err
    (tmp_path / "canvas").mkdir()
    for name in ("lovelaceada_LATE_1_10_teller.py", "bergbob_2_20_teller-1.py"):
        (tmp_path / "canvas" / name).write_text(CORRECT)
    assert (
        "--due has no effect" not in run("grade", "canvas", "-a", "teller/", "-g", "other", "--due", "2026-09-04").err
    )


@pytest.mark.needs("git")
def test_an_individual_due_date_changes_the_days_late(run, grade, scores, tmp_path):
    (tmp_path / "teller" / "assignment.yaml").write_text((TOY / "assignment.yaml").read_text() + LATE_POLICY)
    dates = {"GIT_AUTHOR_DATE": "2026-09-05T12:00:00Z", "GIT_COMMITTER_DATE": "2026-09-05T12:00:00Z"}
    commit = "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm x"
    for name in ("ada", "barbara"):
        subprocess.run(commit, shell=True, cwd=tmp_path / "class" / name, check=True, env={**os.environ, **dates})
    for name in ("charles", "dennis"):
        shutil.rmtree(tmp_path / "class" / name)
    grade("--due", "2026-09-04T23:59+00:00")
    assert {name: person["score"] for name, person in scores().items()} == {"ada": "90", "barbara": "90"}
    assert run("mark", "book", "ada", "--due", "2026-09-07").err == ""
    assert scores()["ada"]["sum"][-1] == {
        "text": "on time, by the due date set for this person, 2026-09-07 23:59",
        "amount": "0",
    }
    assert {name: person["score"] for name, person in scores().items()} == {"ada": "100", "barbara": "90"}
    assert scores()["ada"]["handed_in"]["at"] == "2026-09-05T12:00:00+00:00"
    grade("--due", "2026-09-01")
    assert {name: person["score"] for name, person in scores().items()} == {"ada": "100", "barbara": "0"}


def test_student_pages_show_the_score_and_nothing_of_other_students(grade, run, tmp_path):
    spec = tmp_path / "teller" / "teller.yaml"
    spec_text = spec.read_text()
    hidden_name = spec_text.partition("  - name: ")[2].partition("\n")[0]  # of the first case
    spec.write_text(spec_text.replace("  - name:", "  - visibility: hidden\n    name:", 1))
    grade()
    run("mark", "book", "charles", "--comment", "<b>Read</b> the brief.", "--by", "tutor")
    run("mark", "book", "charles", "--late", "1", "--reason", "told me so", "--by", "tutor")
    assert run("scores", "book", "--html", "students").err == ""
    assert run("scores", "book", "--html", "mine", "--hidden").err == ""
    names = ["ada.html", "barbara.html", "charles.html", "dennis.html"]
    assert sorted(path.name for path in (tmp_path / "students").iterdir()) == names
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == sorted([*names, "index.html"])
    student_page, instructor_page = (
        (tmp_path / folder / "charles.html").read_text() for folder in ("students", "mine")
    )
    for page in (student_page, instructor_page):
        assert "<h2>Score: 0 of 100</h2>" in page
        assert "teller: 0 of 100 points, 0 of 5 sessions accepted" in page
        assert "<blockquote>&lt;b&gt;Read&lt;/b&gt; the brief.</blockquote>" in page
        assert "told me so" not in page
    assert hidden_name in instructor_page
    for word in (hidden_name, "barbara", "index.html", "tutor"):
        assert word not in student_page
    table = (tmp_path / "mine" / "index.html").read_text()
    assert '<a href="ada.html">ada</a></td><td class="number">100</td>' in table


@pytest.mark.parametrize(
    ("changed", "message", "next_message"),
    [
        ("class/ada/teller.py", "", "pitboss: 1 run, 3 unchanged and not run again; --fresh runs all\n"),
        (
            "teller/teller.yaml",
            "pitboss: the assignment changed during grading: `pitboss regrade` grades it again\n",
            "pitboss: 4 run\n",
        ),
    ],
    ids=["a submission", "the assignment"],
)
def test_what_changed_during_grading_is_run_again(class_folder, tmp_path, changed, message, next_message):
    (class_folder / "ada" / "Makefile").write_text(SLOW_MAKEFILE)
    grading = Grading(tmp_path)
    deadline = time.monotonic() + DEADLINE_S
    while count_reports(grading.book) < 3:  # all but ada's
        assert time.monotonic() < deadline
    path = tmp_path / changed
    path.write_text(f"{path.read_text()}\n")
    assert grading.process.communicate()[1] == f"{message}pitboss: 4 run\n"
    assert Grading(tmp_path).process.communicate()[1] == next_message


def read_sources(path):
    """The sources that a gradebook has stored: for each person, by key, pairs of a path and a text."""
    with Gradebook(path) as book:
        return {person.key: [(file.path, file.text) for file in book.sources(person.key)] for person in book.people()}


def test_a_version_1_gradebook_gets_the_sources_at_the_next_grading(grade, scores, tmp_path):
    grade()
    before, sources = scores(), read_sources(tmp_path / "book")
    assert sources == {
        "ada": [("teller.py", CORRECT)],
        "barbara": [("teller.py", f"{CORRECT}# mine\n")],
        "charles": [("teller.sh", INCORRECT)],
        "dennis": [],
    }
    with sqlite3.connect(tmp_path / "book") as database:
        database.execute("DROP TABLE source")
        database.execute("PRAGMA user_version = 1")
    database.close()
    assert scores() == before
    assert read_sources(tmp_path / "book") == {key: [] for key in before}
    assert grade().err == UNCHANGED
    assert read_sources(tmp_path / "book") == sources
    assert scores() == before


def test_regrade_grades_the_submissions_of_all_downloads(grade, run, scores, tmp_path):
    grade()
    shutil.copytree(tmp_path / "class" / "charles", tmp_path / "later" / "zoe")
    assert run("grade", "later", "-a", "teller/", "-g", "book").err == "pitboss: 1 run\n"
    spec = tmp_path / "teller" / "teller.yaml"
    spec.write_text(f"{spec.read_text()}\n")
    output = run("grade", "later", "-a", "teller/", "-g", "book")
    assert output.err == (
        "pitboss: 1 run\npitboss: graded by earlier specs, since the download lacks their submissions: "
        "ada, barbara, charles, dennis\n"
    )
    assert run("regrade", "book").err == "pitboss: 4 run, 1 unchanged and not run again; --fresh runs all\n"
    assert len(scores()) == 5
    shutil.rmtree(tmp_path / "later")
    assert run("regrade", "book").err.splitlines()[0] == (
        f"pitboss: {tmp_path / 'later'} no longer exists: nothing in it is run"
    )


def test_a_failing_reference_is_reported_and_changes_no_score(grade, run, scores, tmp_path):
    grade()
    before = scores()
    (tmp_path / "teller" / "teller").write_text("#!/bin/sh\nexit 3\n")
    output = run("regrade", "book")
    assert output.code == 3
    assert "pitboss: could not be graded (our error); previous scores kept: ada, barbara, charles" in output.err
    assert len(output.err.splitlines()) >= 3
    assert scores() == before


def test_regrade_uses_the_latest_program_of_two_downloads(grade, run, scores, tmp_path):
    grade()
    (tmp_path / "repaired" / "charles").mkdir(parents=True)
    (tmp_path / "repaired" / "charles" / "teller.py").write_text(CORRECT)
    assert "charles: 0 of 100 → 100 of 100" in run("grade", "repaired", "-a", "teller/", "-g", "book").out
    output = run("regrade", "book")
    assert "charles: " not in output.out
    assert output.err == UNCHANGED
    assert scores()["charles"]["score"] == "100"
    assert run("scores", "book", "charles").out.count("→") == 1


def test_an_older_submission_does_not_replace_a_newer_one(run, scores, tmp_path):
    shutil.copytree(TOY, tmp_path / "teller", dirs_exist_ok=True)
    for day, program in ((5, CORRECT), (4, "print()\n")):
        folder = tmp_path / f"export{day}"
        (folder / "submission_1").mkdir(parents=True)
        (folder / "submission_1" / "teller.py").write_text(program)
        person_lines = "  :submitters:\n  - :name: Ada\n    :sid: '1'\n    :email: a@b\n"
        time_line = f"  :created_at: 2026-09-0{day} 10:00:00.000000000 Z\n"
        (folder / "submission_metadata.yml").write_text(f"---\nsubmission_1:\n{person_lines}{time_line}")
    for day in (5, 4):  # the older submission last
        output = run("grade", f"export{day}", "-a", "teller/", "-g", "book")
    assert "ignored, since older than the graded submission: Ada\n" in output.err
    assert scores()["Ada"]["score"] == "100"


def test_grading_again_without_the_roster_keeps_the_scores_and_a_roster_of_few_is_reported(
    grade, run, scores, tmp_path
):
    (tmp_path / "few.csv").write_text("name\nada\nzoe\n")
    assert (
        "pitboss: few.csv: only 1 of the 4 who handed in are on this roster of 2 people: is it the roster of this class?\n"
    ) in grade("--roster", "few.csv").err
    (tmp_path / "book").unlink()
    people = ("ada", "barbara", "charles", "dennis")
    rows = "".join(f"{name.title()} Smith,{number},{name}\n" for number, name in enumerate(people))
    (tmp_path / "people.csv").write_text(f"Name,ID,Login\n{rows}")
    grade("--roster", "people.csv")
    scores_with_roster = scores()
    grade()
    assert scores() == scores_with_roster
    assert len(scores_with_roster) == 4


def test_student_pages_are_not_written_beside_a_class_page(grade, run, tmp_path):
    grade()
    run("scores", "book", "--html", "pages", "--hidden")
    assert run("scores", "book", "--html", "pages").err == (
        "pitboss: pages: this folder has a page of a class, which students must not see; name another folder, or remove "
        "index.html\n"
    )


class Grading:
    """`pitboss grade` into the gradebook `book`, in a separate process."""

    def __init__(self, folder, *options):
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(ROOT / "harness"), "COLUMNS": "100"}
        command = [sys.executable, "-m", "pitboss", "grade", "class", *ARGUMENTS, "-j", "2", *options]
        self.book = folder / "book"
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def kill_after(self, count, delay_s=0.0):
        deadline = time.monotonic() + DEADLINE_S
        while self.process.poll() is None and count_reports(self.book) < count:
            assert time.monotonic() < deadline
        deadline = time.monotonic() + delay_s
        while time.monotonic() < deadline and self.process.poll() is None:
            pass
        with contextlib.suppress(ProcessLookupError):  # it had ended already
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
        deadline = time.monotonic() + DEADLINE_S
        while living_in_group(self.process.pid):
            assert time.monotonic() < deadline, "something is still running"


def count_reports(book):
    """The number of reports in a gradebook, 0 if it does not exist yet."""
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
    """All rows of a gradebook by table, without the times and the order in which they were written."""
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
    rows_by_table = {name: database.execute(statement).fetchall() for name, statement in tables.items()}
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()
    return rows_by_table


def check_resumed_grading(class_folder, kills):
    """Check that several killed gradings and a final one give the same gradebook as a single grading.

    `kills` has the arguments of Grading.kill_after for each killed grading: a number of reports, and seconds.
    """
    folder = class_folder.parent
    undisturbed = Grading(folder)
    assert undisturbed.process.wait(DEADLINE_S) == 1, undisturbed.process.communicate()
    expected = contents(folder / "book")
    (folder / "book").unlink()
    for count, delay_s in kills:
        Grading(folder).kill_after(count, delay_s)
    final_grading = Grading(folder)
    assert final_grading.process.wait(DEADLINE_S) == 1, final_grading.process.communicate()
    assert contents(folder / "book") == expected


def add_students(class_folder, count):
    """Add this many students, each with another correct program."""
    for number in range(count):
        (class_folder / f"s{number:02}").mkdir()
        (class_folder / f"s{number:02}" / "teller.py").write_text(f"{CORRECT}# {number}\n")


def test_grading_resumes_after_kills(class_folder):
    check_resumed_grading(class_folder, [(0, 0), (1, 0), (2, 0.01)])


def test_students_graded_before_a_kill_have_scores(class_folder, scores):
    add_students(class_folder, 4)
    Grading(class_folder.parent, "-j", "1").kill_after(3)
    people = scores().values()
    assert sum(person["score"] is not None and person["verdict"] != "NOT_HANDED_IN" for person in people) >= 2


def test_two_gradings_at_once_lose_nothing(class_folder):
    add_students(class_folder, 4)
    gradings = [Grading(class_folder.parent), Grading(class_folder.parent)]
    assert [grading.process.wait(DEADLINE_S) for grading in gradings] == [1, 1], [
        grading.process.communicate() for grading in gradings
    ]
    people = {person for person, *_ in contents(class_folder.parent / "book")["counted"]}
    assert len(people) == 8


def test_an_endless_program_is_not_run_again(grade, class_folder):
    (class_folder / "charles" / "teller.sh").write_text(ENDLESS)
    assert grade().err == "pitboss: 4 run\n"
    assert grade().err == UNCHANGED


def damaged_copies(content):
    """Copies of a gradebook with one page damaged: by zeros, by another page, by other bytes, and by other letters."""
    pages = range(0, len(content), 4096)
    for start in pages:
        draws = random.Random(start)
        page = bytearray(content[start : start + 4096])
        letters = [place for place, byte in enumerate(page) if chr(byte).isalnum()]
        for place in draws.sample(letters, min(20, len(letters))):
            page[place] = draws.choice(b"abcxyz0123456789\xb3")
        flipped = bytearray(content[start : start + 4096])
        flipped[draws.randrange(4096)] ^= 0xFF
        other = draws.choice(pages)
        for damage in (bytes(4096), content[other : other + 4096], bytes(flipped), bytes(page)):
            yield content[:start] + damage + content[start + 4096 :]


@pytest.mark.slow
def test_a_gradebook_damaged_at_any_page_is_reported_in_a_sentence(grade, run, tmp_path):
    grade()
    run("mark", "book", "ada", "--due", "2026-09-09", "--comment", "Well done", "--override", "3.5", "--reason", "oral")
    run("mark", "book", "charles", "--late", "2")
    (tmp_path / "policy.yaml").write_text("grading: {late: {free_days: 1}}\n")
    book = tmp_path / "book"
    intact = book.read_bytes()
    commands = itertools.cycle(
        [
            ["scores", "book"],
            ["scores", "book", "ada"],
            ["scores", "book", "--csv", "-"],
            ["scores", "book", "--json", "-"],
            ["scores", "book", "--marks", "sheet.csv"],
            ["scores", "book", "--html", "pages"],
            ["mark", "book", "ada", "--comment", "x"],
            ["policy", "book", "policy.yaml"],
            ["export", "book", "--junit", "j.xml"],
            ["similar", "book"],
            ["merge", "copy", "book"],
            ["merge", "book", "copy"],
            ["regrade", "book"],
        ]
    )
    for content in damaged_copies(intact):
        book.write_bytes(content)
        (tmp_path / "copy").write_bytes(intact)
        command = next(commands)
        assert "Traceback" not in run(*command).err, command


def test_a_read_only_gradebook_can_be_read(grade, command_as, reachable, tmp_path):
    """Run as an ordinary user, who can write neither the file nor its folder; root can write everything."""
    grade()
    shutil.copy(tmp_path / "book", reachable / "book")
    (reachable / "book").chmod(0o444)
    (reachable / "worksheet.csv").write_text("Identifier,Full name,Grade\nParticipant 7,ada,\n")
    before = (reachable / "book").read_bytes()
    reachable.chmod(0o555)
    pitboss_command = command_as("ordinary")

    def run_as_reader(*arguments):
        return subprocess.run(
            [*pitboss_command.argv, *arguments],
            cwd=reachable,
            env=pitboss_command.environment,
            capture_output=True,
            text=True,
            check=False,
        )

    try:
        output = run_as_reader("scores", "book")
        assert output.returncode == 0
        assert "ada      " in output.stdout
        assert run_as_reader("scores", "book", "ada").returncode == 0
        export = run_as_reader("export", "book", "--moodle", "worksheet.csv", "-o", "-")
        assert (export.returncode, export.stdout) == (0, "Identifier,Full name,Grade\nParticipant 7,ada,100\n")
    finally:
        reachable.chmod(0o755)
    assert (reachable / "book").read_bytes() == before
    assert sorted(path.name for path in reachable.iterdir()) == ["book", "worksheet.csv"]


def test_scores_are_available_after_the_assignment_was_broken(grade, run, tmp_path):
    grade()
    before = run("scores", "book")
    assignment_file = tmp_path / "teller" / "assignment.yaml"
    assignment_file.write_text(f"tilte: Teller\n{assignment_file.read_text()}")
    output = run("scores", "book")
    assert (output.code, output.out) == (0, before.out)
    error, sentence = output.err.splitlines()
    assert "assignment.yaml:1: " in error
    assert sentence == "pitboss: the assignment cannot be loaded: these are the scores stored in the gradebook"
    assert run("scores", "book", "ada").err == ""
    assert run("scores", "book", "--html", "pages", "--hidden").code == 0
    assert "ada" in (tmp_path / "pages" / "index.html").read_text()
    shutil.rmtree(tmp_path / "teller")
    assert run("scores", "book", "--csv", "-").out.count("\n") == 5


def test_two_people_with_the_same_name_are_distinguished_everywhere(grade, run, class_folder, tmp_path):
    for name in ("barbara", "dennis"):
        shutil.rmtree(class_folder / name)
    (tmp_path / "people.csv").write_text("name,login\nPat Smith,charles\nPat Smith,ada\n")
    output = grade("--roster", "people.csv", "--html", "pages", "--json", "class.json", "--csv", "class.csv")
    display_names = ["Pat Smith (ada)", "Pat Smith (charles)"]
    assert [line.partition("  ")[0] for line in output.out.splitlines() if line.startswith("Pat")] == display_names
    assert [line.partition(",")[0] for line in (tmp_path / "class.csv").read_text().splitlines()[1:]] == display_names
    submissions = json.loads((tmp_path / "class.json").read_text())["submissions"]
    assert [(submission["submission"], submission["key"]) for submission in submissions] == [
        *zip(display_names, ("ada", "charles"), strict=True)
    ]
    assert run("scores", "book", "--html", "scores", "--hidden").code == 0
    for folder in ("pages", "scores"):
        assert sorted(path.name for path in (tmp_path / folder).iterdir()) == ["ada.html", "charles.html", "index.html"]
        index = (tmp_path / folder / "index.html").read_text()
        assert '<a href="charles.html">Pat Smith (charles)</a>' in index
        assert "Pat Smith (ada)" in (tmp_path / folder / "ada.html").read_text()
    xml = run("export", "book", "--junit", "-").out
    assert xml.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite name=')
    assert all(f'<testsuite name="{name}"' in xml for name in display_names)
    assert run("scores", "book", "--html", "handed-out").code == 0
    assert "Pat Smith (ada)" in (tmp_path / "handed-out" / "ada.html").read_text()
    assert run("mark", "book", "ada", "--comment", "Good.").out.startswith("Pat Smith (ada): noted")
    assert run("mark", "book", "charles", "--override", "5", "--reason", "x").out.startswith(
        "Pat Smith (charles): 0 of"
    )
    assert run("scores", "book", "ada").out.startswith("Pat Smith (ada)\n")
    with Gradebook(tmp_path / "book") as book:
        assert [work.name for work in works_of(book)] == display_names
    run("scores", "book", "--marks", "sheet.csv")
    edit_sheet(tmp_path / "sheet.csv", ada={"comment": "Well done."}, charles={"comment": "Well done."})
    table = run("mark", "book", "--from", "sheet.csv", "--yes").out.splitlines()
    assert [line.partition("  ")[0] for line in table if line.startswith("Pat")] == display_names


def test_scores_lists_the_files_it_wrote_instead_of_the_table(grade, run, tmp_path):
    grade()
    output = run("scores", "book", "--csv", "a.csv", "--marks", "b.csv", "--json", "c.json", "--html", "pages")
    messages = "".join(f"wrote {name} (4 people)\n" for name in ("a.csv", "c.json", "b.csv", "pages"))
    assert (output.code, output.out) == (0, messages)
    output = run("scores", "book", "--csv", "-", "--json", "c.json")
    assert output.out == (tmp_path / "a.csv").read_text()
    assert output.err == "wrote c.json (4 people)\n"


def test_pages_for_students_have_commands_that_students_can_type(grade, run, class_folder, tmp_path):
    grade("--html", "graded")
    run("scores", "book", "--html", "pages")
    run("scores", "book", "--html", "mine", "--hidden")
    for folder in ("graded", "pages"):
        page = (tmp_path / folder / "charles.html").read_text()
        assert "pitboss check teller --assignment teller" in page
        assert not any(path in page for path in (str(tmp_path), "--assignment teller/", "class/charles"))
    assert "--assignment teller/" in (tmp_path / "mine" / "charles.html").read_text()


def test_pages_are_named_by_login_and_the_index_has_full_names(grade, run, tmp_path):
    (tmp_path / "people.csv").write_text("name,login,id\nAda Lovelace,ada,1\nBarbara Liskov,barbara,2\nZoe,3,3\n")
    grade("--roster", "people.csv", "--html", "pages")
    names = {path.name for path in (tmp_path / "pages").iterdir()}
    assert names == {"ada.html", "barbara.html", "charles.html", "dennis.html", "3.html", "index.html"}
    index = (tmp_path / "pages" / "index.html").read_text()
    assert '<a href="ada.html">Ada Lovelace</a> <span class="dim">ada</span>' in index
    assert '<a href="charles.html">charles</a></td>' in index


def test_merge_combines_the_marks_of_several_graders(grade, run, tmp_path):
    grade()
    for name in ("ann", "bob"):
        shutil.copy(tmp_path / "book", tmp_path / name)
    run("mark", "ann", "charles", "--override", "40", "--reason", "by hand", "--by", "Ann")
    run("mark", "ann", "ada", "--comment", "Good.", "--by", "Ann")
    run("mark", "bob", "charles", "--override", "50", "--reason", "by hand", "--by", "Bob")
    output = run("merge", "book", "ann", "bob")
    assert output.code == 0
    assert output.out == "charles: 0 of 100 → 40 of 100\ncharles: 40 of 100 → 50 of 100\n"
    first, second, conflict = output.err.splitlines()
    assert first == "pitboss: ann: 2 marks for 2 people added"
    assert second == "pitboss: bob: 1 mark for 1 person added"
    assert conflict.startswith("pitboss: charles: override 50 points by Bob (")
    assert "is used, not 40 points by Ann (" in conflict
    scores_before = (run("scores", "book", "--json", "-").out, run("scores", "book", "charles").out)
    second_merge = run("merge", "book", "ann", "bob")
    assert (second_merge.out, second_merge.err) == (
        "",
        "pitboss: ann: 0 marks added; 2 were already in the gradebook\npitboss: bob: 0 marks added; 1 was already in the gradebook\n",
    )
    assert (run("scores", "book", "--json", "-").out, run("scores", "book", "charles").out) == scores_before
    assert run("merge", "book", "./book").err == "pitboss: book: this is the gradebook itself; name copies of it\n"
    assert run("merge", "book").code == 2


def test_a_team_is_checked_once_and_each_member_has_a_separate_score(run, class_folder, tmp_path, scores):
    shutil.rmtree(class_folder / "dennis")
    (class_folder / "barbara").rename(class_folder / "red")
    (tmp_path / "people.csv").write_text("name,login,team\nAda,ada,\nBarbara,barbara,red\nZoe,zoe,red\n")
    arguments = "grade", "class", "-a", "teller/", "-g", "book", "--roster", "people.csv"
    output = run(*arguments, "--json", "class.json")
    assert "pitboss: 4 run\n" in output.err
    submissions = json.loads((tmp_path / "class.json").read_text())["submissions"]
    assert [submission["submission"] for submission in submissions] == ["Ada", "Barbara", "Zoe", "charles"]
    assert run("mark", "book", "Zoe", "--override", "60", "--reason", "did less").code == 0
    scores_before = scores()
    assert (scores_before["Barbara"]["score"], scores_before["Zoe"]["score"]) == ("100", "60")
    assert "handed in together with Barbara, as team red\n" in run("scores", "book", "Zoe").out
    (tmp_path / "people.csv").unlink()  # the gradebook has stored the teams
    assert run("regrade", "book").err == UNCHANGED
    assert scores() == scores_before
    with contextlib.closing(sqlite3.connect(tmp_path / "book")) as database:
        ((programs,),) = database.execute("SELECT count(DISTINCT program) FROM submission").fetchall()
    assert programs == 3
