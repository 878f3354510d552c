import datetime
import io
from pathlib import Path

from rich.console import Console

from pitboss.reports.class_table import import_table
from pitboss.submissions.importers.imported import ImportedClass, ImportedSubmission, LeftOut, Person

HANDED_IN_AT = datetime.datetime(2024, 9, 1, 21, 3, tzinfo=datetime.UTC)


def table_lines(imported_class, width=110):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(import_table(imported_class))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_missing_people_and_unknown_files_are_listed_below_the_rows():
    files = ("deal.c", "deck.c", "deck.h", "play.c", "shuffle.c", "x.c")
    submissions = (
        ImportedSubmission(
            Person("Ada Lovelace", "101"),
            Path("x"),
            HANDED_IN_AT,
            is_late=True,
            attempt=3,
            other_attempts=1,
            notes=("a note", "[bold]another"),
            files=files,
        ),
        ImportedSubmission(Person("Bob", "102"), Path("x"), is_late=False, files=("deal.c",)),
        ImportedSubmission(Person("Cy", "103"), None, notes=("a text was handed in",)),
        ImportedSubmission(Person("Di", "104"), None, problem="di.zip is damaged or cut off: it cannot be unpacked."),
        ImportedSubmission(Person("Ed", "105"), None),
    )
    assert table_lines(ImportedClass("canvas", submissions, (LeftOut("README.md", "why"), LeftOut(".DS_Store")))) == [
        "name           key   files                  handed in (UTC)    late   attempt             remark",
        "──────────────────────────────────────────────────────────────────────────────────────────────────────────────",
        "Ada Lovelace   101   deal.c, deck.c,        2024-09-01 21:03   late   3 (and 1 ignored)   a note",
        "                     deck.h, and 3 more                                                   [bold]another",
        "Bob            102   deal.c                                    no     1",
        "Di             104                                                                        di.zip is damaged or",
        "                                                                                          cut off: it cannot",
        "                                                                                          be unpacked.",
        "",
        "canvas: 3 of 5 handed something in",
        "missing:",
        "  Cy (103): a text was handed in",
        "  Ed (105)",
        "not understood:",
        "  README.md: why",
        "  .DS_Store",
    ]


def test_a_long_list_of_unknown_files_ends_with_a_count():
    lines = table_lines(ImportedClass("folders", (), tuple(LeftOut(str(number)) for number in range(33))))
    assert lines[-2:] == ["  29", "  and 3 more"]


def test_columns_without_information_are_left_out():
    submissions = (
        ImportedSubmission(Person("Ada", "101"), Path("x"), files=("deal.c",)),
        ImportedSubmission(Person("Bob", "102"), Path("y")),
    )
    assert table_lines(ImportedClass("folders", submissions, ()))[:4] == [
        "name   key   files",
        "───────────────────",
        "Ada    101   deal.c",
        "Bob    102",
    ]


def test_only_people_with_remarks_have_a_row_in_a_large_class():
    punctual = [
        ImportedSubmission(Person(f"P{number}", str(number)), Path("x"), files=("deal.c",)) for number in range(21)
    ]
    late = ImportedSubmission(Person("Late", "99"), Path("x"), HANDED_IN_AT, is_late=True)
    lines = table_lines(ImportedClass("canvas", (*punctual, late), ()))
    assert lines[2].split()[0] == "Late"
    assert lines[4:] == [
        "21 more handed in once, in time as far as that is known, with no remark",
        "canvas: 22 of 22 handed something in",
    ]
    # In a class of 21 everybody has a row: with the two lines of column heads, an empty line and the count, 25 lines.
    assert len(table_lines(ImportedClass("canvas", (*punctual[:20], late), ()))) == 25
