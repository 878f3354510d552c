import datetime
import time

import pytest

from pitboss.errors import UsageError
from pitboss.submissions.importers.imported import Person, SubmissionFacts
from pitboss.submissions.importers.instants import parse_local_instant
from pitboss.submissions.importers.roster import read_roster
from tests.importers.classes import C, import_and_read, submission_of, write_class_files

CANVAS = """\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,"hw, 1 (55)"
    Points Possible,,,,,10
"Lovelace, Ada",101,S1,ada1,A,
"Núñez-O'Brien, Siân",102,S2,sian,A,EX
"King, Jr., Martin",103,S3,mlk,B,
"Student, Test",104,,abcdef,B,
"""


def load_roster(tmp_path, text, encoding="utf-8"):
    """Write this text as roster.csv and read it."""
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return read_roster(path)


def test_a_canvas_gradebook_is_read(tmp_path):
    assert load_roster(tmp_path, CANVAS).people == (
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
def test_rosters_of_other_formats_and_encodings_are_read(tmp_path, text, encoding, person):
    assert load_roster(tmp_path, text, encoding).people == (person,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty"),
        ("a,b\n1,2\n", ":1: no column identifies people; the columns are a, b — one must be called name, first name and last "
         "name, id, login or email"),
        ("name\n", ": there are no people below the header"),
        ("name,login\nAda,x\nBob,x\n", ":3: 'x' is also on line 2"),
        ('name,login\nAda,"x\n', ":2: it cannot be read as CSV: unexpected end of data"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_with_their_line(tmp_path, text, message):
    with pytest.raises(UsageError) as error:
        load_roster(tmp_path, text)
    assert str(error.value) == f"{tmp_path}/roster.csv{message}"


def test_a_missing_roster_file_is_reported(tmp_path):
    with pytest.raises(UsageError) as error:
        read_roster(tmp_path / "none.csv")
    assert str(error.value) == f"{tmp_path}/none.csv: there is no such file"


WORKSHEET = """Identifier,Full name,Status,Last modified (submission)
Participant 1,Ada,Submitted for grading,"Friday, 4 September 2026, 11:59 PM"
Participant 2,Bob,Submitted for grading - 1 day 3 hours late,"Sunday, 6 September 2026, 2:59 AM"
Participant 3,Cid,"Submitted for grading - 5 mins late - Extension granted until: Friday, 4 September 2026, 6:00 PM",-
Participant 4,Dee,No submission - Assignment is overdue by: 3 days,-
Participant 5,Eve,Zur Bewertung abgegeben - 2 Tage 1 Stunde verspätet,"Sonntag, 4. Oktober 2026, 02:59"
"""


def local_time(*numbers):
    """The instant in UTC of these date and time numbers, read as this machine's local time."""
    return datetime.datetime(*numbers).astimezone(datetime.UTC)


def test_a_moodle_worksheet_gives_submission_times_and_lateness(tmp_path):
    assert load_roster(tmp_path, WORKSHEET).facts_by_key == {
        "1": SubmissionFacts(local_time(2026, 9, 4, 23, 59), is_late=False),
        "2": SubmissionFacts(local_time(2026, 9, 6, 2, 59), is_late=True, days_late=2),
        "3": SubmissionFacts(is_late=True, days_late=1, extension="Friday, 4 September 2026, 6:00 PM"),
        "5": SubmissionFacts(is_late=True, days_late=3, unread="Sonntag, 4. Oktober 2026, 02:59"),
    }


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("Friday, 4 September 2026, 12:05 AM", local_time(2026, 9, 4, 0, 5)),
        ("Fri, September 4, 2026, 12:05\u202fPM", local_time(2026, 9, 4, 12, 5)),
        ("4/09/26, 23:59", local_time(2026, 9, 4, 23, 59)),
        ("04.09.2026 23:59:30", local_time(2026, 9, 4, 23, 59, 30)),
        ("2026-09-04 23:59", local_time(2026, 9, 4, 23, 59)),
        ("2026-09-04T23:59:00+02:00", datetime.datetime(2026, 9, 4, 21, 59, tzinfo=datetime.UTC)),
        ("9/14/2026 23:59", None),
        ("31 June 2026, 23:59", None),
        ("4 September 2026, 13:00 PM", None),
        ("vendredi 4 septembre 2026, 23:59", None),
    ],
)
def test_times_written_for_people_are_parsed(text, instant):
    assert parse_local_instant(text) == instant


def test_times_without_a_zone_are_local_times(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert parse_local_instant("Friday, 4 September 2026, 11:59 PM") == datetime.datetime(
            2026, 9, 4, 21, 59, tzinfo=datetime.UTC
        )
    finally:
        monkeypatch.undo()
        time.tzset()


def test_submissions_get_their_times_from_a_moodle_worksheet(tmp_path, two_stages):
    write_class_files(
        tmp_path / "class",
        {f"{name}_{number}_assignsubmission_file_/deal.c": C for number, name in enumerate(("Ada", "Bob", "Cid"), 1)},
    )
    intake, _ = import_and_read(tmp_path / "class", two_stages, roster=load_roster(tmp_path, WORKSHEET))
    assert [(row.person.name, row.at, row.is_late, row.days_late) for row in intake.submissions if row.path] == [
        ("Ada", local_time(2026, 9, 4, 23, 59), False, None),
        ("Bob", local_time(2026, 9, 6, 2, 59), True, 2),
        ("Cid", None, True, 1),
    ]
    assert submission_of(intake, "Cid").notes == (
        "has an extension in Moodle until Friday, 4 September 2026, 6:00 PM: set it as this person's due date",
    )


def test_a_repeated_row_is_one_person(tmp_path):
    assert len(load_roster(tmp_path, "name,login\nAda,x\nAda,x\n").people) == 1


def test_canvas_submissions_are_matched_to_people_by_id(tmp_path, two_stages):
    roster = load_roster(tmp_path, CANVAS)
    write_class_files(
        tmp_path / "class",
        {"lovelaceada_101_1001_deal.c": C, "theteam_102_1002_deal.c": C, "lovelaceada_999_1003_deal.c": C},
    )
    intake, files_by_student = import_and_read(tmp_path / "class", two_stages, roster=roster)
    assert {name: bool(files) for name, files in files_by_student.items()} == {
        "Ada Lovelace": True,
        "Siân Núñez-O'Brien": True,
        "King, Jr., Martin": False,
        "lovelaceada": True,
    }
    assert submission_of(intake, "Ada Lovelace").person == roster.people[0]
    assert submission_of(intake, "Siân Núñez-O'Brien").notes == (
        "its files are named after theteam: perhaps a group submission, or another name for Siân Núñez-O'Brien",
    )
    # A namesake with another id is somebody else.
    assert submission_of(intake, "lovelaceada").notes == ("not on the roster roster.csv",)
    missing = submission_of(intake, "King, Jr., Martin")
    assert (missing.path, missing.notes, missing.problem, missing.source) == (None, (), "", "")


@pytest.mark.parametrize("folder", ["ada1", "101", "S1", "Ada Lovelace", "lovelaceada", "Lovelace, Ada", "hw1-ada1"])
def test_a_folder_may_be_named_by_id_login_or_name(tmp_path, two_stages, folder):
    roster = load_roster(tmp_path, CANVAS)
    write_class_files(tmp_path / "class", {f"{folder}/deal.c": C, "sian/deal.c": C, "nobody/deal.c": C})
    intake, _ = import_and_read(tmp_path / "class", two_stages, roster=roster)
    assert submission_of(intake, "Ada Lovelace").path.name == folder
    assert submission_of(intake, "Ada Lovelace").person.key == "101"
    assert submission_of(intake, "nobody").notes == ("not on the roster roster.csv",)


def test_a_moodle_number_does_not_match_another_kind_of_id(tmp_path, two_stages):
    roster = load_roster(tmp_path, "name,sid,email\nAda Lovelace,7,a@x\nBob Berg,8,b@x\n")
    write_class_files(tmp_path / "class", {"Bob Berg_7_assignsubmission_file_/deal.c": "bob"})
    intake, files_by_student = import_and_read(tmp_path / "class", two_stages, roster=roster)
    assert files_by_student == {"Ada Lovelace": None, "Bob Berg": {"deal.c": "bob"}}


def test_a_group_before_a_moodle_name_is_recognized_and_reported(tmp_path, two_stages):
    roster = load_roster(tmp_path, "name,sid\nAda Lovelace,7\n")
    write_class_files(tmp_path / "class", {"Group A-Ada Lovelace_1_assignsubmission_file_/deal.c": C})
    intake, files_by_student = import_and_read(tmp_path / "class", two_stages, roster=roster)
    assert list(files_by_student) == ["Ada Lovelace"]
    assert intake.submissions[0].notes == ("called Group A-Ada Lovelace in Moodle",)


def test_namesakes_without_an_id_are_not_matched(tmp_path, two_stages):
    roster = load_roster(tmp_path, "name,sid\nAda Lovelace,7\nAda Lovelace,8\n")
    write_class_files(tmp_path / "class", {"Ada Lovelace_1_assignsubmission_file_/deal.c": C})
    intake, _ = import_and_read(tmp_path / "class", two_stages, roster=roster)
    assert [(row.person.key, bool(row.path)) for row in intake.submissions] == [("1", True), ("7", False), ("8", False)]
    assert intake.submissions[0].notes == (
        "not on the roster roster.csv: 2 people there have this name, so it is unclear who this is",
    )


def test_one_person_with_two_submissions_has_two_rows(tmp_path, two_stages):
    roster = load_roster(tmp_path, CANVAS)
    write_class_files(tmp_path / "class", {"ada1/deal.c": "1", "Ada Lovelace/deal.c": "2"})
    intake, _ = import_and_read(tmp_path / "class", two_stages, roster=roster)
    ada_rows = [row for row in intake.submissions if row.person.name == "Ada Lovelace"]
    assert [row.person.key for row in ada_rows] == ["101", "101 (2)"]
    assert [row.notes for row in ada_rows] == [("2 submissions are from 101: check which one to grade",)] * 2


@pytest.mark.parametrize("text", [";\n", ";", "\t;\n", ";,\n"])
def test_a_table_of_separators_only_is_not_a_roster(tmp_path, text):
    with pytest.raises(UsageError, match=r"roster\.csv"):
        load_roster(tmp_path, text)
