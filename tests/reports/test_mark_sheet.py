import csv
import io
from fractions import Fraction

import pytest

from pitboss.assignments.grading_policy import GradingPolicy, StagePolicy
from pitboss.assignments.gradingfile import RubricItem
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.marking import mark_person
from pitboss.gradebook.scoring import update_scores
from pitboss.reports.mark_sheet import MarkSheet, mark_sheet
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from tests.gradebook.made import ADA, BOB, EVE, A, W, causes, report, submission_by

ZOE = Person("=Zoe", "007", "zz")
POLICY = GradingPolicy(
    stages=(
        StagePolicy("play", Fraction(100)),
        StagePolicy("essay", Fraction(10), is_manual=True, is_extra=True, is_optional=True),
    ),
    functionality=Fraction(7, 10),
    style=Fraction(3, 10),
)
COLUMNS = ["key", "name", "section", "style", "stage essay", "days late", "override", "override reason", "comment"]


@pytest.fixture
def book(tmp_path):
    """A gradebook of three people who handed in, one of them with marks, and one person who did not."""
    with Gradebook(tmp_path / "book", may_be_new=True) as book:
        book.set_facts(assignment="small", called="small")
        book.add_submissions(
            [
                (submission_by(ADA), "p1"),
                (submission_by(BOB), "p2"),
                (ImportedSubmission(EVE, None, None), ""),
                (submission_by(ZOE), "p4"),
            ]
        )
        for person, program, verdict in ((ADA, "p1", A), (BOB, "p2", W), (ZOE, "p4", A)):
            book.add_report(person.key, causes(program), report(verdict, name=person.key))
        list(update_scores(book, POLICY, lambda row: ()))
        mark_person(book, POLICY, ADA, [("style", "2/3"), ("late", "-1"), ("stage essay", "1/2")], by="tutor")
        mark_person(book, POLICY, ADA, [("override", "171/2")], reason="=agreed", by="tutor")
        yield book


@pytest.fixture
def rows(book):
    """The rows of the sheet by key, to be edited."""
    return {row["key"]: row for row in csv.DictReader(io.StringIO(mark_sheet(book, POLICY).removeprefix("\ufeff")))}


@pytest.fixture
def changes(book, rows, tmp_path):
    """A function that reads the edited rows, or a text, as a sheet.

    It returns the changes by the person's key; each is a pair: the kind of the mark and its new value.
    """

    def read(text=None, reason="", encoding="utf-8-sig"):
        if text is None:
            target = io.StringIO()
            writer = csv.DictWriter(target, list(next(iter(rows.values()))))
            writer.writeheader()
            writer.writerows(rows.values())
            text = target.getvalue()
        path = tmp_path / "sheet.csv"
        path.write_bytes(text.encode(encoding))
        changed_people = MarkSheet(path, POLICY).changes(book, reason)
        return {changed.person.key: [change.added[:2] for change in changed.changes] for changed in changed_people}

    return read


def test_a_sheet_has_the_current_marks_and_their_version(book):
    assert mark_sheet(book, POLICY).splitlines() == [
        f"\ufeff{','.join(COLUMNS)},version",
        "'007,'=Zoe,,,,,,,,0 of small",
        "ada,Ada Lovelace,A,66.6667%,50%,-1,85.5,'=agreed,,4 of small",
        "bob,Bob Müller,A,,,,,,,0 of small",
        "eve,Eve O'Neil,B,,,,,,,0 of small",
    ]


def test_an_unedited_sheet_changes_nothing(changes, book):
    assert changes() == {}
    assert changes(mark_sheet(book, POLICY), encoding="utf-8") == {}


def test_edited_cells_become_marks(changes, rows):
    rows["ada"] |= {"style": "70%", "stage essay": "0", "days late": "2"}
    rows["bob"] |= {
        "style": "80",
        "comment": "Good names;\r\nno comments.",
        "override": "60",
        "override reason": "'+ ill",
    }
    assert changes() == {
        "ada": [("style", "7/10"), ("stage essay", "0"), ("late", "2")],
        "bob": [("style", "4/5"), ("override", "60"), ("comment", "Good names;\nno comments.")],
    }


def test_scores_in_the_preview_are_those_after_marking(book, rows, tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("key,style,stage essay\nbob,50,0\n007,50,0\n")
    scores = {
        changed.person.key: (changed.before.score, changed.after.score)
        for changed in MarkSheet(path, POLICY).changes(book, "")
    }
    assert scores == {"bob": (None, 15), "007": (None, 85)}
    assert mark_person(book, POLICY, ZOE, [("style", "1/2"), ("stage essay", "0")]).now.grade.score == 85


def test_an_emptied_cell_removes_only_its_own_mark(changes, rows):
    rows["ada"] |= {"style": "", "stage essay": " ", "days late": "", "override": "", "override reason": ""}
    rows["bob"] |= {"style": ""}
    assert changes() == {"ada": [("style", ""), ("stage essay", ""), ("late", ""), ("override", "")]}


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        *((cell, "4/5") for cell in ("80", "80%", "80 %", "80\u00a0%", "80,0 %", "80.00%")),
        *(("87,5", "7/8"), ("4/5", "4/5"), ("0", "0"), ("100", "1"), ("0,8%", "1/125"), ("1%", "1/100")),
    ],
)
def test_percentages_are_read_as_spreadsheets_and_people_write_them(changes, rows, cell, value):
    rows["bob"]["style"] = cell
    assert changes() == {"bob": [("style", value)]}


@pytest.mark.parametrize("cell", ["66.6667%", "66,6667 %", "66.67%", "66,67"])
def test_a_percentage_rounded_to_two_decimals_is_unchanged(changes, rows, cell):
    """Spreadsheet programs display two decimals of a percentage, and save what they display."""
    rows["ada"]["style"] = cell
    assert changes() == {}


@pytest.mark.parametrize("cell", ["67", "66.7%", "66.66%"])
def test_a_percentage_beyond_rounding_is_a_new_mark(changes, rows, cell):
    rows["ada"]["style"] = cell
    assert [kind for kind, _ in changes()["ada"]] == ["style"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("key;style;comment\r\nbob;87,5;Schön\r\n;;\r\n;;\r\n", "utf-8-sig"),
        ("Comment\tNotes\tKEY\tStyle\t\t\r\nSchön\tx\tbob\t87,5 %\t\t\r\n", "utf-16"),
        ('style,comment,key\n"87,5",Schön,bob\n', "cp1252"),
        ('key,comment,style\n\nbob,"Schön",87.5\n\n', "utf-8"),
    ],
    ids=["semicolons", "tabs", "Excel of Western Europe", "empty rows"],
)
def test_the_csv_dialects_of_spreadsheets_are_read(changes, text, encoding):
    assert changes(text, encoding=encoding) == {"bob": [("style", "7/8"), ("comment", "Schön")]}


def test_unknown_columns_are_reported(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("key,style,Notes,,mean\nbob,80,x,,\n")
    assert MarkSheet(path, POLICY).ignored == ("Notes", "mean")


def test_people_are_found_by_name_or_by_a_key_without_leading_zeros(changes):
    assert changes("name,style\nBob Müller,80\n") == {"bob": [("style", "4/5")]}
    assert changes("key,style\n7,80\n") == {"007": [("style", "4/5")]}


def test_an_existing_comment_is_not_added_again(changes, book, rows):
    rows["bob"]["comment"] = "Good names."
    assert changes() == {"bob": [("comment", "Good names.")]}
    mark_person(book, POLICY, BOB, [("comment", "Good names.")])
    assert changes() == {}


def test_a_newer_mark_stays_if_its_cell_was_not_edited(changes, book, rows):
    mark_person(book, POLICY, ADA, [("style", "9/10")], by="tutor")
    rows["ada"]["days late"] = "0"
    assert changes() == {"ada": [("late", "0")]}
    rows["ada"]["style"] = "90"  # the current mark already
    assert changes() == {"ada": [("late", "0")]}


def test_a_newer_mark_and_an_edited_cell_are_reported_as_a_conflict(changes, book, rows):
    mark_person(book, POLICY, ADA, [("style", "9/10")], by="tutor")
    marked_at = book.marks("ada")[-1].at
    rows["ada"]["style"] = "50"
    with pytest.raises(UsageError) as error:
        changes()
    assert str(error.value).partition("sheet.csv:")[2] == (
        f"3: style was changed from about 66.67 % to 90 % after the sheet was written ({marked_at}, by tutor); "
        "the sheet has 50 % — write a new sheet, or empty the cell version of this row to use its values"
    )
    rows["ada"]["version"] = ""
    assert changes() == {"ada": [("style", "1/2")]}


def test_an_override_and_its_reason_are_one_mark(changes, book, rows):
    rows["ada"]["override reason"] = "agreed on 9 September"
    assert changes() == {"ada": [("override", "171/2")]}
    rows["ada"] |= {"override": "90", "override reason": "'=agreed"}
    assert changes() == {"ada": [("override", "90")]}
    assert changes("key,override\nbob,60\n", reason="ill") == {"bob": [("override", "60")]}
    assert changes("key,override\nada,85.50\n", reason="ill") == {}


def test_items_of_a_rubric_are_picked_and_unpicked_separately(changes, book):
    book.set_rubric([RubricItem(key, f"Of {key}.", "1") for key in ("names", "style", "late-file")])
    mark_person(book, POLICY, BOB, [("rubric style", "picked")])
    sheet = mark_sheet(book, POLICY)
    assert "override reason,rubric,comment,version" in sheet
    assert "bob,Bob Müller,A,,,,,,style,,1 of small" in sheet
    assert changes(sheet, encoding="utf-8") == {}
    mark_person(book, POLICY, BOB, [("rubric names", "picked")])
    edited = sheet.replace(",style,,1 of", ",late-file,,1 of")
    assert changes(edited, encoding="utf-8") == {"bob": [("rubric style", ""), ("rubric late-file", "picked")]}
    assert changes('key,rubric\nbob,"names, late-file; style"\n') == {"bob": [("rubric late-file", "picked")]}
    with pytest.raises(
        UsageError, match=r"2: rubric 'nmes' — the rubric has names, style, late-file; did you mean 'names'\?$"
    ):
        changes("key,rubric\nbob,nmes\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("key,style\nbub,80\n", "2: nobody in this gradebook has the key 'bub'; did you mean 'bob'?"),
        ("key,name,style\n1E+05,Bob Müller,80\n", "2: nobody in this gradebook has the key '1E+05'; Bob Müller has the key bob"),
        ("name,style\nMüller,80\n", "2: nobody in this gradebook is called 'Müller'; type bob for Bob Müller"),
        ("key,style\n,80\n", "2: this row has neither a key nor a name"),
        ("key,style\nbob,80\neve,70\nbob,80\n", "4: Bob Müller (bob) is on line 2 too"),
        (
            "key,name,style\nbob,Ada Lovelace,80\n",
            "2: the key bob belongs to Bob Müller, but the name is Ada Lovelace — were some columns sorted without the "
            "others?",
        ),
        ("key,style\nbob,good\n", "2: style 'good' — it must be a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5"),
        ("key,style\nbob,101\n", "2: style '101' — it must be a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5"),
        ("key,style\nbob,-5\n", "2: style '-5' — it must be a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5"),
        ("key;style\nbob;0,8\n", "2: style '0,8' could be 0.8% or 80% — write the one you mean, with the percent sign"),
        ("key,style\nbob,1\n", "2: style '1' could be 1% or 100% — write the one you mean, with the percent sign"),
        ("key,stage essay\nbob,#REF!\n", "2: stage essay '#REF!' — it must be a percentage from 0% to 100%, or a share: 80, 80 %, 87,5 or 4/5"),
        ("key,days late\nbob,1.5\n", "2: days late '1.5' — it must be a whole number of days: 2, 0 for on time, -1 for a day early"),
        ("key,override\nbob,many\n", "2: override 'many' — it must be a number of points, such as 85 or 85.5"),
        ("key,override\nbob,60\n", "2: override 60 points has no reason — write it in the column 'override reason'"),
        ("key,override,override reason\nbob,,ill\n", "2: override reason 'ill' — this row has no override"),
        ("key,style,version\nbob,80,x\n", "2: version 'x' — leave it as it was written, such as '3 of small', or empty it"),
        ("key,style,version\nbob,80,0 of large\n", "2: the sheet is for large, but this gradebook is for small"),
        (
            "key,style,version\nbob,80,1 of small\n",
            "2: version '1 of small' — this gradebook has 0 marks of Bob Müller: the sheet was written from another gradebook",
        ),
        ("who,style\nbob,80\n", "1: no column is called key or name, to identify people; the columns are who, style"),
        (
            "key,stile\nbob,80\n",
            "1: no column has marks — columns with marks are called comment, days late, override, override reason, rubric, stage essay, style; "
            "the columns are key, stile",
        ),
        ("key,style,Style\nbob,80,80\n", "1: several columns are called style — keep one of them"),
        ('key,comment\nbob,"no end\n', "2: it cannot be read as CSV: unexpected end of data"),
    ],
)  # fmt: skip
def test_an_invalid_sheet_is_reported_with_file_and_line(changes, text, sentence):
    with pytest.raises(UsageError) as error:
        changes(text, encoding="utf-8")
    assert str(error.value).partition("sheet.csv:")[2] == sentence


def test_all_errors_are_reported_together_with_the_first_line_of_each_row(changes):
    rows = ['bob,80,"a\nb\nc"', *(f"nobody{number},80," for number in range(12)), "eve,good,"]
    with pytest.raises(UsageError) as error:
        changes("\n".join(["key,style,comment", *rows]))
    lines = str(error.value).splitlines()
    assert len(lines) == 11  # ten errors and the number of the others
    assert lines[0].endswith("sheet.csv:5: nobody in this gradebook has the key 'nobody0'")
    assert lines[-1] == "and 3 more"
