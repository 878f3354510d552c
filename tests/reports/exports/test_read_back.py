"""What we write, as the platforms read it: nobody's score is dropped or misread, whatever people are called."""

import csv
import io
import json
from fractions import Fraction

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.numerals import numeral
from pitboss.gradebook.person_records import HandedIn, Mark, PersonRecord, Scored
from pitboss.reports.exports import canvas, moodle
from pitboss.reports.exports.classroom import classroom_output
from pitboss.reports.exports.gradescope_results import failed_json, results_json
from pitboss.reports.exports.sheet import SheetEntry
from pitboss.reports.json_and_csv import grade_csv
from pitboss.reports.score_table import scores_csv
from pitboss.submissions.importers.imported import Person
from tests.gradebook.made import NOON, A, F, W, grade, report
from tests.reports.exports.platforms import (
    canvas_takes,
    classroom_takes,
    gradescope_takes,
    moodle_takes,
    php_rows,
    read_as_html,
    spreadsheet_makes,
    survives,
)

HUNDRED = Fraction(100)
AWKWARD = [
    *("Lovelace, Ada", 'Ada "Countess" L.', "Jörg Müller-Lüdenscheidt", "=1+2", "-", "@ada", "+49", "O'Neil; Eve"),
    *("00123", "1-2", "3/4", "2026-09-04", "MAR1", "May 5", "1e5", "12:30", "TRUE", "1234567890123456789", "Ада"),
    *("a\\", 'a\\"', "<b>&amp;</b>", " ada ", "'ada", "12.5", "SEPT2", "4%", "$5", "Jan", "Oct Smith"),
]
NAMES = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
LINES = st.sampled_from([*AWKWARD, "a\nb", "if a < b && c", "<script>alert(1)</script>", "<!-- x", "a\n\nb\n"])
FEEDBACK = LINES | st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n"), max_size=40)
SCORES = st.fractions(0, 120, max_denominator=1000)
NUMBERS = [str(number) for number in range(101, 105)]


@st.composite
def classes(draw):
    """Up to four people, by numbers of their own; names may be the same."""
    people = [
        Person(draw(NAMES), number, ids=(("canvas", number), ("moodle", number)))
        for number in NUMBERS[: draw(st.integers(1, 4))]
    ]
    return [SheetEntry(person, draw(SCORES), HUNDRED, draw(FEEDBACK)) for person in people]


def written(rows, delimiter=","):
    target = io.StringIO()
    csv.writer(target, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return target.getvalue()


def worksheet(entries, most="100.00", delimiter=","):
    head = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade", "Grade can be changed"]
    rows = [
        [f"Participant {one.person.key}", one.person.name.replace("\\", ""), "", "Submitted", "-", most, "Yes", "-", ""]
        for one in entries
    ]
    return written([[*head, "Last modified (grade)", "Feedback comments"], *rows], delimiter)


@given(classes())
@example([SheetEntry(Person("Ada", "101", ids=(("moodle", "101"),)), HUNDRED, HUNDRED, 'He wrote "\\"')])
def test_moodle_takes_each_grade_in_range_and_all_feedback(entries):
    done = moodle.fill_moodle_worksheet("m.csv", worksheet(entries), entries)
    taken = moodle_takes(done.text, NUMBERS, 100)
    above = {one.person.key for one in entries if one.score > 100}
    assert taken.grades == {one.person.key: float(numeral(one.score)) for one in entries if one.person.key not in above}
    assert taken.dropped == [f"{one.person.key}: out of range" for one in entries if one.person.key in above]
    assert sum("Moodle drops it without a word" in sentence for sentence in done.left) == len(above)
    for one in entries:
        if one.person.key not in above:
            text, tags = read_as_html(taken.feedback[one.person.key])
            assert (text, tags - {"br"}) == (one.feedback, set())


@given(classes())
def test_moodle_drops_nothing_where_it_is_capped(entries):
    taken = moodle_takes(
        moodle.fill_moodle_worksheet("m.csv", worksheet(entries), entries, caps=True).text, NUMBERS, 100
    )
    assert (taken.grades.keys(), taken.dropped) == ({one.person.key for one in entries}, [])


@given(classes())
def test_no_feedback_for_moodle_is_a_formula_or_a_date_to_a_spreadsheet(entries):
    done = moodle.fill_moodle_worksheet("m.csv", worksheet(entries), entries)
    for row in csv.reader(io.StringIO(done.text)):
        assert row[8] == "" or spreadsheet_makes(row[8]) != "formula"


def gradebook(entries):
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
    return [head, points, *([one.person.name, one.person.key, "", "", "", "9.5", "", "81"] for one in entries)]


@given(classes(), st.sampled_from(",;"))
def test_canvas_takes_each_score_for_the_right_student_and_makes_no_assignment(entries, delimiter):
    table = gradebook(entries)
    done = canvas.fill_canvas_table("c.csv", written(table, delimiter), "Blackjack", entries)
    rows = list(csv.reader(io.StringIO(done.text), delimiter=delimiter))
    students = {one.person.key: set() for one in entries}
    taken, dropped = canvas_takes(rows, students, ("Homework (5)", "Blackjack (7)"))
    assert dropped == []
    assert taken == {
        **{(one.person.key, "Blackjack (7)"): float(numeral(one.score)) for one in entries},
        **{(one.person.key, "Homework (5)"): 9.5 for one in entries},
    }


@pytest.mark.parametrize("cell", ["9,5", "100,00"])
def test_a_number_is_written_as_the_table_writes_numbers(cell):
    """12.5 in a table with decimal commas is the 12th of May to the spreadsheet of whoever exports such tables."""
    entry = SheetEntry(Person("Ada", "101", ids=(("canvas", "101"), ("moodle", "101"))), Fraction("12.5"), HUNDRED)
    table = gradebook([entry])
    table[2][5] = cell
    done = canvas.fill_canvas_table("c.csv", written(table, ";"), "Blackjack", [entry])
    assert list(csv.reader(io.StringIO(done.text), delimiter=";"))[2][6] == "12,5"
    sheet = moodle.fill_moodle_worksheet("m.csv", worksheet([entry], "100,00"), [entry]).text
    assert php_rows(sheet)[1][4] == "12,5"
    assert moodle_takes(sheet, NUMBERS, 100, ",").grades == {"101": 12.5}


REPORTS = st.sampled_from([(A,), (A, W), (F,), (A, Verdict.SKIPPED), (W, W)])


@given(REPORTS, st.text(), SCORES)
def test_gradescope_takes_whatever_came_of_a_check(verdicts, text, score):
    bare = StageReport(text, text, Verdict.COMPILE_ERROR, summary=text, build_messages=text)
    made = report(*verdicts, name=text)
    made = msgspec.structs.replace(made, stages=(*made.stages, bare))
    output, wrong = gradescope_takes(results_json(made, grade(score, (text, score))))
    assert (output, wrong) == (float(score), [])
    assert gradescope_takes(failed_json(text)) == (0, [])


@given(REPORTS, st.text(), SCORES)
def test_classroom_adds_up_to_the_score(verdicts, text, score):
    line = classroom_output(report(*verdicts, name=text), grade(score, (text, score)))
    assert classroom_takes(line) == (float(score), 100)


def row_of(person, open_=""):
    return PersonRecord(person, HandedIn("p", NOON), style="4/5", comments=(Mark("comment", open_, "", "me", "now"),))


@given(st.lists(st.tuples(NAMES, NAMES, NAMES, NAMES), min_size=1, max_size=3), SCORES)
def test_no_cell_of_a_table_of_scores_becomes_something_else_in_a_spreadsheet(texts, score):
    people = [Person(name, key, email=email, section=section) for name, key, email, section in texts]
    rows = [
        (row_of(one), Scored(one.key, grade(score, ("play", score), open=(one.name,)), (), "now")) for one in people
    ]
    head, *read = csv.reader(io.StringIO(scores_csv(["play"], rows, None)))
    for one, cells in zip(people, read, strict=True):
        found = dict(zip(head, cells, strict=True))
        for name, text in (("key", one.key), ("name", one.name), ("email", one.email), ("section", one.section)):
            assert survives(found[name]), found[name]
            assert found[name] in (text, f"'{text}")
        assert survives(found["open"])
        assert spreadsheet_makes(found["score"]) == spreadsheet_makes(found["style"]) == "number"


@given(NAMES)
def test_nor_of_a_table_of_submissions(name):
    head, row = csv.reader(io.StringIO(grade_csv(["play"], [Report("b", "B", name, ())])))
    assert survives(dict(zip(head, row, strict=True))["submission"])


def test_the_readers_themselves_see_what_is_wrong():
    assert php_rows('"a\\",b",c\n') == [['a\\",b', "c"]]
    assert [spreadsheet_makes(one) for one in ("1-2", "MAR1", "=1", "-5", "Ada", "00123", "12:30", "1e5")] == [
        *("date", "date", "formula", "number", "text", "number", "date", "number")
    ]
    assert [survives(one) for one in ("00123", "123", "1e5", "Ada", "'00123")] == [False, True, False, True, True]
    assert gradescope_takes(json.dumps({"tests": [{"name": "a"}]}))[1] == ["no score"]
    assert read_as_html("a &lt;b><i>x</i><br>\ny") == ("a <b>x\ny", {"i", "br"})
