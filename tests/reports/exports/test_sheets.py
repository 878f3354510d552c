"""Scores filled into the tables of Canvas and Moodle: the right cells, and no others."""

import csv
import html
import io
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.errors import UsageError
from pitboss.reports.exports import canvas, moodle
from pitboss.reports.exports.sheet import Overlap, Sheet, SheetEntry
from pitboss.submissions.importers.imported import Person
from tests.gradebook.made import ADA, BOB, EVE

#: As Canvas exports it: the row of points, columns of totals that are read only, a blank section, names that sort.
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (5501),Blackjack (5502),Final Points (read only)
    Points Possible,,,,,10,100,(read only)
"Lovelace, Ada",101,S1,al1,A,9.5,,81
"Müller, Bob",102,,bm2,,,55,60
"O'Neil, Eve",103,,eo3,B,EX,EX,
"Student, Test",999,,,A,,,
"""
FILLED = CANVAS.replace("9.5,,81", "9.5,87.5,81").replace(",55,60", ",33.33,60")
MOODLE = """\
Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,Last modified (grade),Feedback comments
Participant 7,Ada Lovelace,ada@example.org,"Submitted for grading, ",-,100.00,Yes,-,
Participant 8,Bob Müller,bob@example.org,"No submission, ",12.00,100.00,No,-,Old words
Participant 9,Nobody Here,no@example.org,"Submitted for grading, ",-,100.00,Yes,-,
"""
HUNDRED = Fraction(100)
CLASS = (
    SheetEntry(ADA, Fraction("87.5"), HUNDRED, "play: 87.5 of 100\nwell done"),
    SheetEntry(BOB, Fraction("33.33"), HUNDRED),
    SheetEntry(EVE, Fraction(1), HUNDRED),
)


def refusal(call, *arguments, **more):
    with pytest.raises(UsageError) as caught:
        call(*arguments, **more)
    return str(caught.value)


def cells(text):
    return list(csv.reader(io.StringIO(text)))


def test_the_column_of_canvas_is_filled_and_nothing_else():
    done = canvas.fill_canvas_table("grades.csv", CANVAS, "Blackjack", CLASS)
    assert cells(done.text) == cells(FILLED)
    assert (done.count, done.left) == (
        2,
        (
            "O'Neil, Eve: excused in Canvas; the cell is as it was",
            "Student, Test: nobody of that name or id was graded; the cell is as it was",
        ),
    )


@pytest.mark.parametrize("title", ["Blackjack", "Blackjack (5502)"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_however_it_was_written(title, end, mark, delimiter):
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter, lineterminator=end).writerows(cells(CANVAS))
    done = canvas.fill_canvas_table("grades.csv", mark + table.getvalue(), title, CLASS)
    assert done.text.startswith(mark)
    assert done.text.count("\r\n") == (0 if end == "\n" else 6)
    assert list(csv.reader(io.StringIO(done.text.removeprefix(mark)), delimiter=delimiter)) == cells(FILLED)


@pytest.mark.parametrize(
    ("found", "person"),
    [
        ("x,101,,,A", ADA),
        ("x,,S1,,A", ADA),
        ("x,,,AL1,A", ADA),
        ("Ada Lovelace,,,,A", ADA),
        ('"Lovelace, Ada",,,,A', ADA),
    ],
)
def test_a_person_is_found_by_id_then_sis_then_name(found, person):
    text = f"Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\n{found},\n"
    done = canvas.fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(person, Fraction(3), HUNDRED)])
    assert cells(done.text)[1][-1] == "3"


def test_two_of_one_name_are_not_taken_for_each_other():
    text = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\nAda Lovelace,,,,A,\n"
    twin = type(ADA)("Ada Lovelace", "ada2")
    done = canvas.fill_canvas_table(
        "g.csv", text, "Blackjack", [SheetEntry(one, Fraction(3), HUNDRED) for one in (ADA, twin)]
    )
    assert done.count == 0
    assert cells(done.text) == cells(text)


def test_two_rows_of_one_name_are_not_both_one_person():
    head = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\n"
    person = type(ADA)("Max Müller", "max")
    text = f'{head}"Müller, Max",1,,m1,A,\n"Müller, Max",2,,m2,B,\n'
    done = canvas.fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(person, Fraction(3), HUNDRED)])
    assert cells(done.text) == cells(text)
    assert done.left[:2] == ("Müller, Max: there are 2 rows that may be Max Müller; the cell is as it was",) * 2
    known = type(ADA)("Max Müller", "max", ids=(("canvas", "2"),))
    done = canvas.fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(known, Fraction(3), HUNDRED)])
    assert [row[-1] for row in cells(done.text)] == ["Blackjack (1)", "", "3"]


def test_nobody_with_another_id_is_taken_for_somebody_of_that_name():
    head = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\n"
    text = f'{head}"Lovelace, Ada",999,888,other,A,\n'
    done = canvas.fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(ADA, Fraction(3), HUNDRED)])
    assert cells(done.text) == cells(text)
    assert done.left[0] == "Lovelace, Ada: Ada Lovelace has another id; the cell is as it was"
    text = MOODLE.replace("Participant 7,Ada Lovelace,ada@example.org", "Participant 70,Ada Lovelace,other@example.org")
    done = moodle.fill_moodle_worksheet("m.csv", text, CLASS)
    assert (done.count, done.left[0]) == (0, "Ada Lovelace: Ada Lovelace has another id; the row is as it was")


@pytest.mark.parametrize(
    ("rows", "people", "by_head", "by_id", "is_doubtful"),
    [
        (400, 300, {"student": 99}, 0, True),
        (400, 300, {}, 0, True),
        (300, 300, {"student": 280}, 0, False),
        (300, 60, {"id": 58}, 58, False),
        (30, 300, {"id": 29}, 29, False),
        (300, 300, {"id": 100, "student": 20}, 100, True),
        (300, 60, {"student": 58}, 0, False),
        (300, 60, {"student": 40}, 0, True),
    ],
)
def test_a_table_with_few_in_common_is_doubtful(rows, people, by_head, by_id, is_doubtful):
    """But not that of a course of which this is a section, nor that of a section, where ids say so."""
    assert Overlap(rows, people, by_head, by_id).is_doubtful == is_doubtful


def test_people_without_a_match_are_counted_from_the_eleventh_on():
    text = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\nAda Lovelace,,,,,\n"
    others = [SheetEntry(Person(f"P{number}", f"p{number}"), Fraction(1), HUNDRED) for number in range(12)]
    done = canvas.fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(ADA, Fraction(3), HUNDRED), *others])
    assert done.left == (*(f"P{number}: not in the table" for number in range(10)), "and 2 more are not in the table")
    assert done.overlap == Overlap(1, 13, {"student": 1}, 0)


def test_of_two_people_of_one_name_it_is_reported_which_of_them_is_meant():
    people = [Person("Pat Smith", "7", "ps1", ids=(("canvas", "7"),)), Person("Pat Smith", "8", "ps2")]
    text = 'Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\n"Smith, Pat",7,,,,\n'
    done = canvas.fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(one, None, HUNDRED) for one in people])
    assert done.left[0] == "Smith, Pat (ps1): there is no score yet; the cell is as it was"
    done = canvas.fill_canvas_table(
        "g.csv", "Student,ID,Blackjack (1)\nx,9,\n", "Blackjack", [SheetEntry(one, None, HUNDRED) for one in people]
    )
    assert done.left[1:] == ("Pat Smith (ps1): not in the table", "Pat Smith (ps2): not in the table")


def test_how_a_column_is_posted_is_nobody():
    text = CANVAS.replace('"Lovelace, Ada"', ',,,,,Manual Posting,Manual Posting,\n"Lovelace, Ada"')
    done = canvas.fill_canvas_table("grades.csv", text, "Blackjack", CLASS)
    assert done.count == 2
    assert len(done.left) == 2


def test_feedback_that_is_there_stays():
    text = MOODLE.replace(",Yes,-,\nParticipant 8", ",Yes,-,my own words\nParticipant 8")
    assert cells(moodle.fill_moodle_worksheet("m.csv", text, CLASS).text)[1][4:9:4] == ["87.5", "my own words"]


def test_who_is_not_in_the_table_and_who_has_no_score_is_reported():
    text = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\nx,101,,,A,50\n"
    done = canvas.fill_canvas_table(
        "g.csv", text, "Blackjack", [SheetEntry(ADA, None, HUNDRED), SheetEntry(BOB, Fraction(1), HUNDRED)]
    )
    assert done.left == ("x: there is no score yet; the cell is as it was", "Bob Müller: not in the table")
    assert cells(done.text) == cells(text)


def test_other_points_are_scaled_only_where_that_is_asked_for():
    text = CANVAS.replace(",10,100,", ",10,20,")
    assert refusal(canvas.fill_canvas_table, "g.csv", text, "Blackjack", CLASS) == (
        "g.csv: its column has 20 points, and scores are out of 100; --scale fills in what they are out of the "
        "column's points"
    )
    done = canvas.fill_canvas_table("g.csv", text, "Blackjack", CLASS, scales=True)
    assert cells(done.text)[2][6] == "17.5"


@pytest.mark.parametrize(
    ("text", "title", "sentence"),
    [
        ("", "Blackjack", "g.csv: the table is empty; give the file that the platform exported"),
        (
            "name,score\nada,3\n",
            "Blackjack",
            "g.csv: this is no gradebook of Canvas: it has no columns Student and ID; export it there",
        ),
        (
            CANVAS,
            "Blackjak",
            "g.csv: there is no column 'Blackjak' — there are Homework 1 (5501), Blackjack (5502), did you mean "
            "'Blackjack'?",
        ),
        (
            CANVAS.replace("Homework 1", "Blackjack"),
            "Blackjack",
            "g.csv: there are 2 columns 'Blackjack'; name one with its number: Blackjack (5501), Blackjack (5502)",
        ),
        (CANVAS, "Final Points (read only)", "g.csv: the column 'Final Points (read only)' is read only in Canvas"),
        (
            CANVAS.replace(",10,100,", ",10,many,"),
            "Blackjack",
            "g.csv: 'many' is not a number, as the points of a column must be",
        ),
        ('Student,ID\n"ada', "Blackjack", "g.csv: it cannot be read as CSV: unexpected end of data"),
    ],
)
def test_what_is_no_such_table_is_reported(text, title, sentence):
    assert refusal(canvas.fill_canvas_table, "g.csv", text, title, CLASS) == sentence


def test_the_worksheet_of_moodle_gets_grades_and_feedback():
    done = moodle.fill_moodle_worksheet("m.csv", MOODLE, CLASS)
    rows = cells(done.text)
    assert rows[1][4] == "87.5"
    assert rows[1][8] == "play: 87.5 of 100<br>\nwell done"
    assert rows[2:] == cells(MOODLE)[2:]
    assert (done.count, done.left) == (
        1,
        (
            "Bob Müller: the grade cannot be changed in Moodle; the row is as it was",
            "Nobody Here: nobody of that name or id was graded; the row is as it was",
            "Eve O'Neil: not in the worksheet",
        ),
    )


def test_feedback_is_html_for_moodle_so_that_what_a_program_showed_is_no_markup():
    entry = SheetEntry(ADA, Fraction(5), HUNDRED, "He wrote <b>&amp;</b>\nfor i < 3")
    feedback = cells(moodle.fill_moodle_worksheet("m.csv", MOODLE, [entry]).text)[1][8]
    assert feedback == "He wrote &lt;b&gt;&amp;amp;&lt;/b&gt;<br>\nfor i &lt; 3"
    assert html.unescape(feedback.replace("<br>", "")) == entry.feedback


def test_a_score_above_the_maximum_is_reported_which_moodle_drops():
    above = [SheetEntry(ADA, Fraction("106.7"), HUNDRED)]
    done = moodle.fill_moodle_worksheet("m.csv", MOODLE, above)
    assert cells(done.text)[1][4] == "106.7"
    assert done.left[0] == (
        "Ada Lovelace: 106.7 is above the maximum of 100; Moodle drops it without a word: raise the assignment's "
        "maximum there, or --cap fills in the maximum"
    )
    capped = moodle.fill_moodle_worksheet("m.csv", MOODLE, above, caps=True)
    assert cells(capped.text)[1][4] == "100"
    assert capped.left[0] == "Ada Lovelace: 106.7 is above the maximum of 100, which is there"
    assert "above" not in "".join(
        moodle.fill_moodle_worksheet("m.csv", MOODLE, [SheetEntry(ADA, HUNDRED, HUNDRED)], caps=True).left
    )


def test_a_participant_is_found_by_the_address_too():
    person = type(BOB)("Robert", "r", email="BOB@example.org")
    text = MOODLE.replace(",No,-,Old words", ",Yes,-,Old words")
    done = moodle.fill_moodle_worksheet("m.csv", text, [SheetEntry(person, Fraction(5), HUNDRED)])
    assert cells(done.text)[2][4] == "5"
    assert cells(done.text)[2][8] == "Old words"


def test_what_is_no_worksheet_is_reported():
    assert refusal(moodle.fill_moodle_worksheet, "m.csv", CANVAS, CLASS) == (
        "m.csv: this is no grading worksheet of Moodle: it has no columns Identifier and Grade; turn on “Offline "
        "grading worksheet” in the assignment, and download it there"
    )


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"])), min_size=2, max_size=5), min_size=1))
def test_a_table_is_written_as_it_was_read(rows):
    rows[0] = ["Student", "ID", *rows[0]]
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows(rows)
    assert Sheet("t", Sheet("t", table.getvalue()).text()).rows == Sheet("t", table.getvalue()).rows == rows


def test_who_may_be_meant_by_a_row_that_is_not_filled_in_is_not_reported_to_be_missing():
    table = "Student,ID,Blackjack (7)\n  Points Possible,,100\nRob Twin,1,\nRob Twin,2,\n"
    twins = [SheetEntry(Person("Rob Twin", key), Fraction(50), Fraction(100)) for key in ("a", "b")]
    done = canvas.fill_canvas_table("t.csv", table, "Blackjack", twins)
    assert done.count == 0
    assert len(done.left) == 2
    assert all("2 people have this name" in one for one in done.left)
