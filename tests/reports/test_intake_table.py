"""The table of a class before anything runs."""

import datetime
import io
from pathlib import Path

from rich.console import Console

from pitboss.reports.intake_table import intake_table
from pitboss.submissions.importers.handed import Handed, Intake, LeftOut, Person

AT = datetime.datetime(2024, 9, 1, 21, 3, tzinfo=datetime.UTC)


def shown(intake, width=110):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(intake_table(intake))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_a_row_for_each_and_below_it_who_is_missing_and_what_belongs_to_nobody():
    files = ("deal.c", "deck.c", "deck.h", "play.c", "shuffle.c", "x.c")
    handed = (
        Handed(Person("Ada Lovelace", "101"), Path("x"), AT, True, 3, 1, "s", ("a note", "[bold]another"), "", files),
        Handed(Person("Bob", "102"), Path("x"), None, False, files=("deal.c",)),
        Handed(Person("Cy", "103"), None, notes=("a text was handed in",)),
        Handed(Person("Di", "104"), None, problem="di.zip is damaged or cut off: it cannot be unpacked."),
        Handed(Person("Ed", "105"), None),
    )
    assert shown(Intake("canvas", handed, (LeftOut("README.md", "why"), LeftOut(".DS_Store")))) == [
        "name           key   files        handed in (UTC)    late   attempt               remark",
        "──────────────────────────────────────────────────────────────────────────────────────────────────────────────",
        "Ada Lovelace   101   deal.c       2024-09-01 21:03   late   3 (and 1 not taken)   a note",
        "                     deck.c                                                       [bold]another",
        "                     deck.h",
        "                     play.c",
        "                     and 2 more",
        "Bob            102   deal.c                          no     1",
        "Di             104                                                                di.zip is damaged or cut",
        "                                                                                  off: it cannot be unpacked.",
        "",
        "canvas: 3 of 5 handed something in",
        "missing:",
        "  Cy (103): a text was handed in",
        "  Ed (105)",
        "not understood:",
        "  README.md: why",
        "  .DS_Store",
    ]


def test_a_long_list_is_counted():
    lines = shown(Intake("folders", (), tuple(LeftOut(str(number)) for number in range(33))))
    assert lines[-2:] == ["  29", "  and 3 more"]
