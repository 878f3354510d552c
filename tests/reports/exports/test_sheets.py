import csv
import html
import io
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitboss.errors import UsageError
from pitboss.reports.exports.sheet import Overlap, Sheet, SheetEntry
from pitboss.submissions.importers.imported import Person
from tests.gradebook.made import ADA, BOB, EVE
from tests.reports.exports.filling import fill_canvas_table, fill_moodle_worksheet

#: As Canvas exports it: a row of maximum points, a read-only total, an empty section, names as "Last, First".
CANVAS_TABLE = """\
Student,ID,SIS User ID,SIS Login ID,Section,Homework 1 (5501),Blackjack (5502),Final Points (read only)
    Points Possible,,,,,10,100,(read only)
"Lovelace, Ada",101,S1,al1,A,9.5,,81
"Müller, Bob",102,,bm2,,,55,60
"O'Neil, Eve",103,,eo3,B,EX,EX,
"Student, Test",999,,,A,,,
"""
FILLED_CANVAS_TABLE = CANVAS_TABLE.replace("9.5,,81", "9.5,87.5,81").replace(",55,60", ",33.33,60")
MOODLE_WORKSHEET = """\
Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,Last modified (grade),Feedback comments
Participant 7,Ada Lovelace,ada@example.org,"Submitted for grading, ",-,100.00,Yes,-,
Participant 8,Bob Müller,bob@example.org,"No submission, ",12.00,100.00,No,-,Old words
Participant 9,Nobody Here,no@example.org,"Submitted for grading, ",-,100.00,Yes,-,
"""
HUNDRED = Fraction(100)
CLASS_ENTRIES = (
    SheetEntry(ADA, Fraction("87.5"), HUNDRED, "play: 87.5 of 100\nwell done"),
    SheetEntry(BOB, Fraction("33.33"), HUNDRED),
    SheetEntry(EVE, Fraction(1), HUNDRED),
)


def usage_error(function, *arguments, **keywords):
    """The message of the UsageError that this call must raise."""
    with pytest.raises(UsageError) as error_info:
        function(*arguments, **keywords)
    return str(error_info.value)


def parse_csv(text):
    return list(csv.reader(io.StringIO(text)))


def test_only_the_named_column_of_a_canvas_table_is_filled():
    filled_table = fill_canvas_table("grades.csv", CANVAS_TABLE, "Blackjack", CLASS_ENTRIES)
    assert parse_csv(filled_table.text) == parse_csv(FILLED_CANVAS_TABLE)
    assert (filled_table.count, filled_table.remarks) == (
        2,
        (
            "O'Neil, Eve: excused in Canvas; the cell is as it was",
            "Student, Test: nobody of that name or id was graded; the cell is as it was",
        ),
    )


@pytest.mark.parametrize("title", ["Blackjack", "Blackjack (5502)"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("byte_order_mark", ["", "\ufeff"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_filled_table_keeps_its_byte_order_mark_delimiter_and_line_ends(title, line_end, byte_order_mark, delimiter):
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter, lineterminator=line_end).writerows(parse_csv(CANVAS_TABLE))
    text = byte_order_mark + table.getvalue()
    filled_table = fill_canvas_table("grades.csv", text, title, CLASS_ENTRIES)
    assert filled_table.text.startswith(byte_order_mark)
    assert filled_table.text.count("\r\n") == (0 if line_end == "\n" else 6)
    rows = list(csv.reader(io.StringIO(filled_table.text.removeprefix(byte_order_mark)), delimiter=delimiter))
    assert rows == parse_csv(FILLED_CANVAS_TABLE)


@pytest.mark.parametrize(
    ("row_start", "person"),
    [
        ("x,101,,,A", ADA),
        ("x,,S1,,A", ADA),
        ("x,,,AL1,A", ADA),
        ("Ada Lovelace,,,,A", ADA),
        ('"Lovelace, Ada",,,,A', ADA),
    ],
)
def test_a_person_is_found_by_id_sis_id_login_or_name(row_start, person):
    text = f"Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\n{row_start},\n"
    filled_table = fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(person, Fraction(3), HUNDRED)])
    assert parse_csv(filled_table.text)[1][-1] == "3"


def test_a_canvas_table_without_rows_stays_unchanged():
    text = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\n"
    filled_table = fill_canvas_table("g.csv", text, "Blackjack", CLASS_ENTRIES)
    assert (filled_table.text, filled_table.count) == (text, 0)


def test_a_row_that_fits_two_people_of_one_name_is_not_filled():
    text = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\nAda Lovelace,,,,A,\n"
    twin = Person("Ada Lovelace", "ada2")
    filled_table = fill_canvas_table(
        "g.csv", text, "Blackjack", [SheetEntry(person, Fraction(3), HUNDRED) for person in (ADA, twin)]
    )
    assert filled_table.count == 0
    assert parse_csv(filled_table.text) == parse_csv(text)


def test_two_rows_that_fit_one_person_are_filled_only_with_an_id():
    head = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\n"
    person = Person("Max Müller", "max")
    text = f'{head}"Müller, Max",1,,m1,A,\n"Müller, Max",2,,m2,B,\n'
    filled_table = fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(person, Fraction(3), HUNDRED)])
    assert parse_csv(filled_table.text) == parse_csv(text)
    assert (
        filled_table.remarks[:2] == ("Müller, Max: there are 2 rows that may be Max Müller; the cell is as it was",) * 2
    )
    person_with_id = Person("Max Müller", "max", ids=(("canvas", "2"),))
    filled_table = fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(person_with_id, Fraction(3), HUNDRED)])
    assert [row[-1] for row in parse_csv(filled_table.text)] == ["Blackjack (1)", "", "3"]


def test_a_row_with_a_different_id_is_not_matched_by_name():
    head = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\n"
    text = f'{head}"Lovelace, Ada",999,888,other,A,\n'
    filled_table = fill_canvas_table("g.csv", text, "Blackjack", [SheetEntry(ADA, Fraction(3), HUNDRED)])
    assert parse_csv(filled_table.text) == parse_csv(text)
    assert filled_table.remarks[0] == "Lovelace, Ada: Ada Lovelace has another id; the cell is as it was"
    text = MOODLE_WORKSHEET.replace(
        "Participant 7,Ada Lovelace,ada@example.org", "Participant 70,Ada Lovelace,other@example.org"
    )
    filled_table = fill_moodle_worksheet("m.csv", text, CLASS_ENTRIES)
    assert (filled_table.count, filled_table.remarks[0]) == (
        0,
        "Ada Lovelace: Ada Lovelace has another id; the row is as it was",
    )


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
def test_a_table_with_few_people_of_the_gradebook_is_doubtful(rows, people, by_head, by_id, is_doubtful):
    """A table is doubtful if fewer than half of the larger list, rows or people, are in both.

    Where the smaller list may be a section of a class, nearly all of it, or half of it by id, is enough though.
    """
    assert Overlap(rows, people, by_head, by_id).is_doubtful == is_doubtful


def test_people_missing_from_the_table_are_named_up_to_ten():
    text = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\nAda Lovelace,,,,,\n"
    unmatched_entries = [SheetEntry(Person(f"P{number}", f"p{number}"), Fraction(1), HUNDRED) for number in range(12)]
    filled_table = fill_canvas_table(
        "g.csv", text, "Blackjack", [SheetEntry(ADA, Fraction(3), HUNDRED), *unmatched_entries]
    )
    assert filled_table.remarks == (
        *(f"P{number}: not in the table" for number in range(10)),
        "and 2 more are not in the table",
    )
    assert filled_table.overlap == Overlap(1, 13, {"student": 1}, 0)


def test_remarks_tell_two_people_of_one_name_apart_by_login():
    people = [Person("Pat Smith", "7", "ps1", ids=(("canvas", "7"),)), Person("Pat Smith", "8", "ps2")]
    text = 'Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\n"Smith, Pat",7,,,,\n'
    filled_table = fill_canvas_table(
        "g.csv", text, "Blackjack", [SheetEntry(person, None, HUNDRED) for person in people]
    )
    assert filled_table.remarks[0] == "Smith, Pat (ps1): there is no score yet; the cell is as it was"
    filled_table = fill_canvas_table(
        "g.csv",
        "Student,ID,Blackjack (1)\nx,9,\n",
        "Blackjack",
        [SheetEntry(person, None, HUNDRED) for person in people],
    )
    assert filled_table.remarks[1:] == ("Pat Smith (ps1): not in the table", "Pat Smith (ps2): not in the table")


def test_the_posting_row_of_canvas_is_not_taken_for_a_person():
    text = CANVAS_TABLE.replace('"Lovelace, Ada"', ',,,,,Manual Posting,Manual Posting,\n"Lovelace, Ada"')
    filled_table = fill_canvas_table("grades.csv", text, "Blackjack", CLASS_ENTRIES)
    assert filled_table.count == 2
    assert len(filled_table.remarks) == 2


def test_existing_feedback_is_not_overwritten():
    text = MOODLE_WORKSHEET.replace(",Yes,-,\nParticipant 8", ",Yes,-,my own words\nParticipant 8")
    row_of_ada = parse_csv(fill_moodle_worksheet("m.csv", text, CLASS_ENTRIES).text)[1]
    assert (row_of_ada[4], row_of_ada[8]) == ("87.5", "my own words")


def test_missing_people_and_missing_scores_are_reported():
    text = "Student,ID,SIS User ID,SIS Login ID,Section,Blackjack (1)\nx,101,,,A,50\n"
    filled_table = fill_canvas_table(
        "g.csv", text, "Blackjack", [SheetEntry(ADA, None, HUNDRED), SheetEntry(BOB, Fraction(1), HUNDRED)]
    )
    assert filled_table.remarks == ("x: there is no score yet; the cell is as it was", "Bob Müller: not in the table")
    assert parse_csv(filled_table.text) == parse_csv(text)


def test_scores_are_scaled_to_the_points_of_a_column_only_on_request():
    text = CANVAS_TABLE.replace(",10,100,", ",10,20,")
    assert usage_error(fill_canvas_table, "g.csv", text, "Blackjack", CLASS_ENTRIES) == (
        "g.csv: its column has 20 points, and scores are out of 100; --scale converts the scores to the column's points"
    )
    filled_table = fill_canvas_table("g.csv", text, "Blackjack", CLASS_ENTRIES, scales=True)
    assert parse_csv(filled_table.text)[2][6] == "17.5"


@pytest.mark.parametrize(
    ("text", "title", "sentence"),
    [
        ("", "Blackjack", "g.csv: the table is empty; give the file that the platform exported"),
        (
            "name,score\nada,3\n",
            "Blackjack",
            "g.csv: this is no gradebook of Canvas: it has no columns Student and ID; export it in Canvas",
        ),
        (
            CANVAS_TABLE,
            "Blackjak",
            "g.csv: there is no column 'Blackjak' — there are Homework 1 (5501), Blackjack (5502), did you mean "
            "'Blackjack'?",
        ),
        (
            CANVAS_TABLE.replace("Homework 1", "Blackjack"),
            "Blackjack",
            "g.csv: there are 2 columns 'Blackjack'; name one with its number: Blackjack (5501), Blackjack (5502)",
        ),
        (
            CANVAS_TABLE,
            "Final Points (read only)",
            "g.csv: the column 'Final Points (read only)' is read only in Canvas",
        ),
        (
            CANVAS_TABLE.replace(",10,100,", ",10,many,"),
            "Blackjack",
            "g.csv: 'many' is not a number, as the points of a column must be",
        ),
        ('Student,ID\n"ada', "Blackjack", "g.csv: it cannot be read as CSV: unexpected end of data"),
    ],
)
def test_an_unusable_canvas_table_or_column_is_reported(text, title, sentence):
    assert usage_error(fill_canvas_table, "g.csv", text, title, CLASS_ENTRIES) == sentence


def test_a_moodle_worksheet_gets_grades_and_feedback():
    filled_table = fill_moodle_worksheet("m.csv", MOODLE_WORKSHEET, CLASS_ENTRIES)
    rows = parse_csv(filled_table.text)
    assert rows[1][4] == "87.5"
    assert rows[1][8] == "play: 87.5 of 100<br>\nwell done"
    assert rows[2:] == parse_csv(MOODLE_WORKSHEET)[2:]
    assert (filled_table.count, filled_table.remarks) == (
        1,
        (
            "Bob Müller: the grade cannot be changed in Moodle; the row is as it was",
            "Nobody Here: nobody of that name or id was graded; the row is as it was",
            "Eve O'Neil: not in the worksheet",
        ),
    )


def test_feedback_for_moodle_is_escaped_as_html():
    entry = SheetEntry(ADA, Fraction(5), HUNDRED, "He wrote <b>&amp;</b>\nfor i < 3")
    feedback = parse_csv(fill_moodle_worksheet("m.csv", MOODLE_WORKSHEET, [entry]).text)[1][8]
    assert feedback == "He wrote &lt;b&gt;&amp;amp;&lt;/b&gt;<br>\nfor i &lt; 3"
    assert html.unescape(feedback.replace("<br>", "")) == entry.feedback


def test_a_score_above_the_maximum_of_moodle_is_reported_or_capped():
    entries = [SheetEntry(ADA, Fraction("106.7"), HUNDRED)]
    filled_table = fill_moodle_worksheet("m.csv", MOODLE_WORKSHEET, entries)
    assert parse_csv(filled_table.text)[1][4] == "106.7"
    assert filled_table.remarks[0] == (
        "Ada Lovelace: 106.7 is above the maximum of 100; Moodle silently ignores the score: raise the "
        "assignment's maximum in Moodle, or fill in the maximum with --cap"
    )
    capped_table = fill_moodle_worksheet("m.csv", MOODLE_WORKSHEET, entries, caps=True)
    assert parse_csv(capped_table.text)[1][4] == "100"
    assert capped_table.remarks[0] == "Ada Lovelace: 106.7 is above the maximum of 100; the maximum was filled in"
    assert "above" not in "".join(
        fill_moodle_worksheet("m.csv", MOODLE_WORKSHEET, [SheetEntry(ADA, HUNDRED, HUNDRED)], caps=True).remarks
    )


def test_a_moodle_participant_can_be_found_by_email_address():
    person = Person("Robert", "r", email="BOB@example.org")
    text = MOODLE_WORKSHEET.replace(",No,-,Old words", ",Yes,-,Old words")
    filled_table = fill_moodle_worksheet("m.csv", text, [SheetEntry(person, Fraction(5), HUNDRED)])
    assert parse_csv(filled_table.text)[2][4] == "5"
    assert parse_csv(filled_table.text)[2][8] == "Old words"


def test_a_file_that_is_no_moodle_worksheet_is_reported():
    assert usage_error(fill_moodle_worksheet, "m.csv", CANVAS_TABLE, CLASS_ENTRIES) == (
        "m.csv: this is no grading worksheet of Moodle: it has no columns Identifier and Grade; turn on “Offline "
        "grading worksheet” in the assignment, and download the worksheet there"
    )


@given(st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"])), min_size=2, max_size=5), min_size=1))
def test_reading_and_writing_a_table_preserves_its_rows(rows):
    rows[0] = ["Student", "ID", *rows[0]]
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows(rows)
    sheet = Sheet("t", table.getvalue())
    assert sheet.rows == rows
    assert Sheet("t", sheet.text()).rows == rows


def test_people_who_fit_an_ambiguous_row_are_not_reported_as_missing():
    table = "Student,ID,Blackjack (7)\n  Points Possible,,100\nRob Twin,1,\nRob Twin,2,\n"
    twins = [SheetEntry(Person("Rob Twin", key), Fraction(50), Fraction(100)) for key in ("a", "b")]
    filled_table = fill_canvas_table("t.csv", table, "Blackjack", twins)
    assert filled_table.count == 0
    assert len(filled_table.remarks) == 2
    assert all("2 people have this name" in remark for remark in filled_table.remarks)
