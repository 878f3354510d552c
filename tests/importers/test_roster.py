"""Rosters as platforms export them, and who on them handed in what."""

import datetime
import time

import pytest

from pitboss.errors import UsageError
from pitboss.submissions.importers.imported import Person, Submitted
from pitboss.submissions.importers.instants import parse_local_instant
from pitboss.submissions.importers.roster import read_roster
from tests.importers.classes import C, of, put, rows

CANVAS = """\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,"hw, 1 (55)"
    Points Possible,,,,,10
"Lovelace, Ada",101,S1,ada1,A,
"Núñez-O'Brien, Siân",102,S2,sian,A,EX
"King, Jr., Martin",103,S3,mlk,B,
"Student, Test",104,,abcdef,B,
"""


def roster_of(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return read_roster(path)


def test_a_gradebook_of_canvas(tmp_path):
    assert roster_of(tmp_path, CANVAS).people == (
        Person("Ada Lovelace", "101", "ada1", "", "A", (("canvas", "101"), ("sis", "S1"))),
        Person("Siân Núñez-O'Brien", "102", "sian", "", "A", (("canvas", "102"), ("sis", "S2"))),
        Person("King, Jr., Martin", "103", "mlk", "", "B", (("canvas", "103"), ("sis", "S3"))),
    )


@pytest.mark.parametrize(
    ("text", "encoding", "person"),
    [
        (
            "Identifier,Full name,Email address,Status\nParticipant 123,Jörg Müller,j@x,-\n",
            "utf-8",
            Person("Jörg Müller", "123", "", "j@x", "", (("moodle", "123"),)),
        ),
        (
            "First Name;Last Name;SID;Email;Sections\r\nJörg;Müller;7;j@x;1\r\n",
            "latin-1",
            Person("Jörg Müller", "7", "", "j@x", "1", (("sis", "7"),)),
        ),
        ("login\tname\njm\tJörg  Müller\n", "utf-16", Person("Jörg Müller", "jm", "jm")),
        ("Vorname;Nachname;Matrikelnummer\nJörg;Müller;7\n", "cp1252", Person("Jörg Müller", "7", ids=(("sis", "7"),))),
        ("github_username,id\njm,5\n", "utf-8", Person("jm", "jm", ids=(("github", "jm"), ("id", "5")))),
        ("email\nj@x\n\n", "utf-8", Person("j@x", "j@x", email="j@x")),
    ],
)
def test_others_are_read_whatever_wrote_them(tmp_path, text, encoding, person):
    assert roster_of(tmp_path, text, encoding).people == (person,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ": the file is empty"),
        ("a,b\n1,2\n", ":1: no column identifies people; the columns are a, b — one must be called name, first name and last "
         "name, id, login or email"),
        ("name\n", ": there are no people below the header"),
        ("name,login\nAda,x\nBob,x\n", ":3: 'x' is also on line 2"),
        ('name,login\nAda,"x\n', ":2: it cannot be read as CSV: unexpected end of data"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_their_place(tmp_path, text, said):
    with pytest.raises(UsageError) as refused:
        roster_of(tmp_path, text)
    assert str(refused.value) == f"{tmp_path}/roster.csv{said}"


def test_one_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(UsageError) as refused:
        read_roster(tmp_path / "none.csv")
    assert str(refused.value) == f"{tmp_path}/none.csv: there is no such file"


WORKSHEET = """Identifier,Full name,Status,Last modified (submission)
Participant 1,Ada,Submitted for grading,"Friday, 4 September 2026, 11:59 PM"
Participant 2,Bob,Submitted for grading - 1 day 3 hours late,"Sunday, 6 September 2026, 2:59 AM"
Participant 3,Cid,"Submitted for grading - 5 mins late - Extension granted until: Friday, 4 September 2026, 6:00 PM",-
Participant 4,Dee,No submission - Assignment is overdue by: 3 days,-
Participant 5,Eve,Zur Bewertung abgegeben - 2 Tage 1 Stunde verspätet,"Sonntag, 4. Oktober 2026, 02:59"
"""


def here(*numbers):
    return datetime.datetime(*numbers).astimezone(datetime.UTC)


def test_a_worksheet_of_moodle_says_when_and_how_late(tmp_path):
    assert roster_of(tmp_path, WORKSHEET).submitted == {
        "1": Submitted(here(2026, 9, 4, 23, 59), is_late=False),
        "2": Submitted(here(2026, 9, 6, 2, 59), is_late=True, days_late=2),
        "3": Submitted(is_late=True, days_late=1, extension="Friday, 4 September 2026, 6:00 PM"),
        "5": Submitted(is_late=True, days_late=3, unread="Sonntag, 4. Oktober 2026, 02:59"),
    }


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Friday, 4 September 2026, 12:05 AM", here(2026, 9, 4, 0, 5)),
        ("Fri, September 4, 2026, 12:05\u202fPM", here(2026, 9, 4, 12, 5)),
        ("4/09/26, 23:59", here(2026, 9, 4, 23, 59)),
        ("04.09.2026 23:59:30", here(2026, 9, 4, 23, 59, 30)),
        ("2026-09-04 23:59", here(2026, 9, 4, 23, 59)),
        ("2026-09-04T23:59:00+02:00", datetime.datetime(2026, 9, 4, 21, 59, tzinfo=datetime.UTC)),
        ("9/14/2026 23:59", None),
        ("31 June 2026, 23:59", None),
        ("4 September 2026, 13:00 PM", None),
        ("vendredi 4 septembre 2026, 23:59", None),
    ],
)
def test_instants_for_people_are_read(text, at):
    assert parse_local_instant(text) == at


def test_they_are_on_the_clock_of_this_machine(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert parse_local_instant("Friday, 4 September 2026, 11:59 PM") == datetime.datetime(
            2026, 9, 4, 21, 59, tzinfo=datetime.UTC
        )
    finally:
        monkeypatch.undo()
        time.tzset()


def test_who_is_on_a_worksheet_has_its_instant(tmp_path, two):
    put(
        tmp_path / "class",
        {f"{name}_{number}_assignsubmission_file_/deal.c": C for number, name in enumerate(("Ada", "Bob", "Cid"), 1)},
    )
    intake, _ = rows(tmp_path / "class", two, roster=roster_of(tmp_path, WORKSHEET))
    assert [(one.person.name, one.at, one.is_late, one.days_late) for one in intake.handed if one.path] == [
        ("Ada", here(2026, 9, 4, 23, 59), False, None),
        ("Bob", here(2026, 9, 6, 2, 59), True, 2),
        ("Cid", None, True, 1),
    ]
    assert of(intake, "Cid").notes == (
        "has an extension in Moodle until Friday, 4 September 2026, 6:00 PM: set it as this person's due date",
    )


def test_a_row_that_stands_twice_is_one_person(tmp_path):
    assert len(roster_of(tmp_path, "name,login\nAda,x\nAda,x\n").people) == 1


def test_canvas_with_a_roster(tmp_path, two):
    roster = roster_of(tmp_path, CANVAS)
    put(
        tmp_path / "class",
        {"lovelaceada_101_1001_deal.c": C, "theteam_102_1002_deal.c": C, "lovelaceada_999_1003_deal.c": C},
    )
    intake, found = rows(tmp_path / "class", two, roster=roster)
    assert {name: bool(files) for name, files in found.items()} == {
        "Ada Lovelace": True,
        "Siân Núñez-O'Brien": True,
        "King, Jr., Martin": False,
        "lovelaceada": True,
    }
    assert of(intake, "Ada Lovelace").person == roster.people[0]
    assert of(intake, "Siân Núñez-O'Brien").notes == (
        "its files are named after theteam: perhaps a group submission, or another name for Siân Núñez-O'Brien",
    )
    # A namesake with another id is somebody else.
    assert of(intake, "lovelaceada").notes == ("not on the roster roster.csv",)
    missing = of(intake, "King, Jr., Martin")
    assert (missing.path, missing.notes, missing.problem, missing.source) == (None, (), "", "")


@pytest.mark.parametrize("folder", ["ada1", "101", "S1", "Ada Lovelace", "lovelaceada", "Lovelace, Ada", "hw1-ada1"])
def test_folders_are_called_as_people_like(tmp_path, two, folder):
    roster = roster_of(tmp_path, CANVAS)
    put(tmp_path / "class", {f"{folder}/deal.c": C, "sian/deal.c": C, "nobody/deal.c": C})
    intake, _ = rows(tmp_path / "class", two, roster=roster)
    assert of(intake, "Ada Lovelace").path.name == folder
    assert of(intake, "Ada Lovelace").person.key == "101"
    assert of(intake, "nobody").notes == ("not on the roster roster.csv",)


def test_the_number_of_a_platform_is_nobodys_number_elsewhere(tmp_path, two):
    roster = roster_of(tmp_path, "name,sid,email\nAda Lovelace,7,a@x\nBob Berg,8,b@x\n")
    put(tmp_path / "class", {"Bob Berg_7_assignsubmission_file_/deal.c": "bob"})
    intake, found = rows(tmp_path / "class", two, roster=roster)
    assert found == {"Ada Lovelace": None, "Bob Berg": {"deal.c": "bob"}}


def test_a_group_before_a_name_is_seen_and_reported(tmp_path, two):
    roster = roster_of(tmp_path, "name,sid\nAda Lovelace,7\n")
    put(tmp_path / "class", {"Group A-Ada Lovelace_1_assignsubmission_file_/deal.c": C})
    intake, found = rows(tmp_path / "class", two, roster=roster)
    assert list(found) == ["Ada Lovelace"]
    assert intake.handed[0].notes == ("called Group A-Ada Lovelace there",)


def test_namesakes_without_an_id_are_left_to_a_person(tmp_path, two):
    roster = roster_of(tmp_path, "name,sid\nAda Lovelace,7\nAda Lovelace,8\n")
    put(tmp_path / "class", {"Ada Lovelace_1_assignsubmission_file_/deal.c": C})
    intake, _ = rows(tmp_path / "class", two, roster=roster)
    assert [(one.person.key, bool(one.path)) for one in intake.handed] == [("1", True), ("7", False), ("8", False)]
    assert intake.handed[0].notes == (
        "not on the roster roster.csv: 2 people there have this name, so it is unclear who this is",
    )


def test_one_person_with_two_submissions_has_two_rows(tmp_path, two):
    roster = roster_of(tmp_path, CANVAS)
    put(tmp_path / "class", {"ada1/deal.c": "1", "Ada Lovelace/deal.c": "2"})
    intake, _ = rows(tmp_path / "class", two, roster=roster)
    both = [one for one in intake.handed if one.person.name == "Ada Lovelace"]
    assert [one.person.key for one in both] == ["101", "101 (2)"]
    assert [one.notes for one in both] == [("2 submissions are from 101: check which one to grade",)] * 2
