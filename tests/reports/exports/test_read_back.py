import csv
import io
import json
from fractions import Fraction

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.gradebook.grades import numeral
from pitboss.gradebook.people import HandedIn, PersonRecord, Scored
from pitboss.reports.class_table import grade_csv, scores_csv
from pitboss.reports.exports.autograder import failed_json, results_json
from pitboss.reports.exports.github import classroom_output
from pitboss.reports.exports.sheet import SheetEntry
from pitboss.submissions.importers.imported import Person
from tests.gradebook.made import NOON, A, F, W, grade, report
from tests.reports.exports.filling import fill_canvas_table, fill_moodle_worksheet
from tests.reports.exports.platforms import (
    canvas_import,
    classroom_score,
    gradescope_score,
    moodle_import,
    php_rows,
    read_as_html,
    spreadsheet_type,
    survives_spreadsheet,
)

HUNDRED = Fraction(100)
AWKWARD_TEXTS = [
    *("Lovelace, Ada", 'Ada "Countess" L.', "Jörg Müller-Lüdenscheidt", "=1+2", "-", "@ada", "+49", "O'Neil; Eve"),
    *("00123", "1-2", "3/4", "2026-09-04", "MAR1", "May 5", "1e5", "12:30", "TRUE", "1234567890123456789", "Ада"),
    *("a\\", 'a\\"', "<b>&amp;</b>", " ada ", "'ada", "12.5", "SEPT2", "4%", "$5", "Jan", "Oct Smith"),
]
NAMES = st.sampled_from(AWKWARD_TEXTS) | st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12
)
LINES = st.sampled_from([*AWKWARD_TEXTS, "a\nb", "if a < b && c", "<script>alert(1)</script>", "<!-- x", "a\n\nb\n"])
FEEDBACK = LINES | st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n"), max_size=40)
SCORES = st.fractions(0, 120, max_denominator=1000)
PARTICIPANT_NUMBERS = [str(number) for number in range(101, 105)]


@st.composite
def class_entries(draw):
    """The entries of one to four people with different participant numbers; names may be equal."""
    people = [
        Person(draw(NAMES), number, ids=(("canvas", number), ("moodle", number)))
        for number in PARTICIPANT_NUMBERS[: draw(st.integers(1, 4))]
    ]
    return [SheetEntry(person, draw(SCORES), HUNDRED, draw(FEEDBACK)) for person in people]


def csv_text(rows, delimiter=","):
    target = io.StringIO()
    csv.writer(target, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return target.getvalue()


def moodle_worksheet(entries, max_grade="100.00", delimiter=","):
    """An offline grading worksheet as Moodle exports it, without grades."""
    head = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade", "Grade can be changed"]
    rows = [
        [
            f"Participant {entry.person.key}",
            entry.person.name.replace("\\", ""),
            "",
            "Submitted",
            "-",
            max_grade,
            "Yes",
            "-",
            "",
        ]
        for entry in entries
    ]
    return csv_text([[*head, "Last modified (grade)", "Feedback comments"], *rows], delimiter)


@given(class_entries())
@example([SheetEntry(Person("Ada", "101", ids=(("moodle", "101"),)), HUNDRED, HUNDRED, 'He wrote "\\"')])
def test_moodle_imports_each_grade_in_range_and_all_feedback(entries):
    filled_table = fill_moodle_worksheet("m.csv", moodle_worksheet(entries), entries)
    imported = moodle_import(filled_table.text, PARTICIPANT_NUMBERS, 100)
    keys_above_100 = {entry.person.key for entry in entries if entry.score > 100}
    assert imported.grades == {
        entry.person.key: float(numeral(entry.score)) for entry in entries if entry.person.key not in keys_above_100
    }
    assert imported.dropped == [
        f"{entry.person.key}: out of range" for entry in entries if entry.person.key in keys_above_100
    ]
    assert sum("Moodle silently ignores the score" in sentence for sentence in filled_table.remarks) == len(
        keys_above_100
    )
    for entry in entries:
        if entry.person.key not in keys_above_100:
            text, tags = read_as_html(imported.feedback[entry.person.key])
            assert (text, tags - {"br"}) == (entry.feedback, set())


@given(class_entries())
def test_moodle_drops_no_capped_grade(entries):
    imported = moodle_import(
        fill_moodle_worksheet("m.csv", moodle_worksheet(entries), entries, caps=True).text, PARTICIPANT_NUMBERS, 100
    )
    assert (imported.grades.keys(), imported.dropped) == ({entry.person.key for entry in entries}, [])


@given(class_entries())
def test_a_spreadsheet_reads_no_moodle_feedback_as_a_formula(entries):
    filled_table = fill_moodle_worksheet("m.csv", moodle_worksheet(entries), entries)
    for row in csv.reader(io.StringIO(filled_table.text)):
        assert row[8] == "" or spreadsheet_type(row[8]) != "formula"


def canvas_gradebook(entries):
    """The rows of a gradebook as Canvas exports it: one assignment with scores, and an empty one, Blackjack."""
    head = [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        "Homework (5)",
        "Blackjack (7)",
        "Final (read only)",
    ]
    points = ["    Points Possible", "", "", "", "", "10", "100", "(read only)"]
    return [head, points, *([entry.person.name, entry.person.key, "", "", "", "9.5", "", "81"] for entry in entries)]


@given(class_entries(), st.sampled_from(",;"))
def test_canvas_imports_each_score_and_creates_no_assignment(entries, delimiter):
    table = canvas_gradebook(entries)
    filled_table = fill_canvas_table("c.csv", csv_text(table, delimiter), "Blackjack", entries)
    rows = list(csv.reader(io.StringIO(filled_table.text), delimiter=delimiter))
    students = {entry.person.key: set() for entry in entries}
    imported_scores, remarks = canvas_import(rows, students, ("Homework (5)", "Blackjack (7)"))
    assert remarks == []
    assert imported_scores == {
        **{(entry.person.key, "Blackjack (7)"): float(numeral(entry.score)) for entry in entries},
        **{(entry.person.key, "Homework (5)"): 9.5 for entry in entries},
    }


@pytest.mark.parametrize("cell", ["9,5", "100,00"])
def test_scores_use_the_decimal_mark_of_the_table(cell):
    """A spreadsheet that exports decimal commas would read 12.5 as the 12th of May."""
    entry = SheetEntry(Person("Ada", "101", ids=(("canvas", "101"), ("moodle", "101"))), Fraction("12.5"), HUNDRED)
    table = canvas_gradebook([entry])
    table[2][5] = cell
    filled_table = fill_canvas_table("c.csv", csv_text(table, ";"), "Blackjack", [entry])
    assert list(csv.reader(io.StringIO(filled_table.text), delimiter=";"))[2][6] == "12,5"
    sheet = fill_moodle_worksheet("m.csv", moodle_worksheet([entry], "100,00"), [entry]).text
    assert php_rows(sheet)[1][4] == "12,5"
    assert moodle_import(sheet, PARTICIPANT_NUMBERS, 100, ",").grades == {"101": 12.5}


#: The verdicts of the sessions of a check.
VERDICTS_OF_CHECKS = st.sampled_from([(A,), (A, W), (F,), (A, Verdict.SKIPPED), (W, W)])


@given(VERDICTS_OF_CHECKS, st.text(), SCORES)
def test_gradescope_accepts_the_results_of_any_check(verdicts, text, score):
    compile_error = StageReport(text, text, Verdict.COMPILE_ERROR, summary=text, build_messages=text)
    complete_report = report(*verdicts, name=text)
    complete_report = msgspec.structs.replace(complete_report, stages=(*complete_report.stages, compile_error))
    imported_score, problems = gradescope_score(results_json(complete_report, grade(score, (text, score))))
    assert (imported_score, problems) == (float(score), [])
    assert gradescope_score(failed_json(text)) == (0, [])


@given(VERDICTS_OF_CHECKS, st.text(), SCORES)
def test_classroom_computes_the_same_score(verdicts, text, score):
    line = classroom_output(report(*verdicts, name=text), grade(score, (text, score)))
    assert classroom_score(line) == (float(score), 100)


def styled_record(person):
    """A person's record with a submission and a style score."""
    return PersonRecord(person, HandedIn("p", NOON), style="4/5")


@given(st.lists(st.tuples(NAMES, NAMES, NAMES, NAMES), min_size=1, max_size=3), SCORES)
def test_a_spreadsheet_changes_no_cell_of_a_score_table(texts, score):
    people = [Person(name, key, email=email, section=section) for name, key, email, section in texts]
    rows = [
        (styled_record(person), Scored(person.key, grade(score, ("play", score), open=(person.name,)), (), "now"))
        for person in people
    ]
    head, *people_rows = csv.reader(io.StringIO(scores_csv(["play"], rows, None)))
    for person, cells in zip(people, people_rows, strict=True):
        row = dict(zip(head, cells, strict=True))
        for name, text in (
            ("key", person.key),
            ("name", person.name),
            ("email", person.email),
            ("section", person.section),
        ):
            assert survives_spreadsheet(row[name]), row[name]
            assert row[name] in (text, f"'{text}")
        assert survives_spreadsheet(row["open"])
        assert spreadsheet_type(row["score"]) == spreadsheet_type(row["style"]) == "number"


@given(NAMES)
def test_a_spreadsheet_changes_no_submission_name_in_a_table_of_verdicts(name):
    head, row = csv.reader(io.StringIO(grade_csv(["play"], [Report("b", "B", name, ())])))
    assert survives_spreadsheet(dict(zip(head, row, strict=True))["submission"])


def test_the_models_of_platforms_and_spreadsheets_detect_problems():
    assert php_rows('"a\\",b",c\n') == [['a\\",b', "c"]]
    assert [spreadsheet_type(cell) for cell in ("1-2", "MAR1", "=1", "-5", "Ada", "00123", "12:30", "1e5")] == [
        *("date", "date", "formula", "number", "text", "number", "date", "number")
    ]
    surviving_cells = [cell for cell in ("00123", "123", "1e5", "Ada", "'00123") if survives_spreadsheet(cell)]
    assert surviving_cells == ["123", "Ada", "'00123"]
    assert gradescope_score(json.dumps({"tests": [{"name": "a"}]}))[1] == ["no score"]
    assert read_as_html("a &lt;b><i>x</i><br>\ny") == ("a <b>x\ny", {"i", "br"})
