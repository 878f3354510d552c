import csv
import io
import json
import shutil
import zipfile

import pytest

from pitboss.gradebook.days import zone_name
from tests.conftest import ROOT, TOY
from tests.importers.classes import write_class_files

CORRECT_IN_C = (ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c").read_text()
CORRECT_IN_PYTHON = (TOY / "teller").read_text()
GRADING = """
grading:
  points: {teller: 80}
  late: {1 day early: +5%, on time: 0%, 1 day late: -10%, 2 days late: no credit}
  rounding: {to: 1}
"""


def zip_of(*members):
    """The bytes of a zip archive; each member is a pair of name and text."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in members:
            archive.writestr(name, text)
    return content.getvalue()


#: For each student, the files that they hand in, and how many days after the due date.
SUBMISSIONS = {
    "Ada Lovelace": ({"teller.c": CORRECT_IN_C}, 0),
    "Bob Berg": ({"teller.sh": "#!/bin/sh\nprintf 'Opening balance: '; read x; echo Sorry.\n"}, 0),
    "Cid Núñez": ({"teller.c": CORRECT_IN_C.replace(";", "", 3)}, 0),
    "Dee Dee": ({"work.zip": zip_of(("src/teller.c", CORRECT_IN_C))}, 1),
    "Eve O'Neil": ({"work.zip": zip_of(("../../teller.c", CORRECT_IN_C))}, 0),
    "Fay Gray": ({"report.pdf": "%PDF-1.4\n"}, 0),
    "Gil Late": ({"teller.c": CORRECT_IN_C, "notes.txt": "sorry\n"}, 2),
}
ABSENT_STUDENT = "Hal Absent"
#: The verdict of each student, and the score without regard to lateness.
EXPECTED_RESULTS = {
    "Ada Lovelace": ("ACCEPTED", "80"),
    "Bob Berg": ("WRONG_ANSWER", "0"),
    "Cid Núñez": ("COMPILE_ERROR", "0"),
    "Dee Dee": ("ACCEPTED", "80"),
    "Eve O'Neil": ("NOT_HANDED_IN", "0"),
    "Fay Gray": ("NOT_HANDED_IN", "0"),
    "Gil Late": ("ACCEPTED", "80"),
    ABSENT_STUDENT: ("NOT_HANDED_IN", "0"),
}
#: The scores of those who are late, if the download says how late.
LATE_SCORES = {"Dee Dee": "72", "Gil Late": "0"}


def canvas_name(name):
    """The name as in the file names of Canvas: last and first name as one lower-case word."""
    first, last = name.split()
    return "".join(letter for letter in f"{last}{first}".lower() if letter.isalnum())


def folders(download, submissions):
    """Write a folder for each student."""
    for name, (files, _) in submissions.items():
        write_class_files(download / name, files)


def canvas(download, submissions):
    """Write the files as Canvas names them."""
    for number, (name, (files, days)) in enumerate(submissions.items()):
        mark = "LATE_" if days else ""
        for file, content in files.items():
            write_class_files(download, {f"{canvas_name(name)}_{mark}{1000 + number}_{9000 + number}_{file}": content})


def moodle(download, submissions):
    """Write folders as Moodle names them."""
    for number, (name, (files, _)) in enumerate(submissions.items()):
        write_class_files(download / f"{name}_{3000 + number}_assignsubmission_file_", files)


def gradescope(download, submissions):
    """Write folders and metadata as Gradescope does."""
    lines = ["---"]
    for number, (name, (files, days)) in enumerate(submissions.items()):
        write_class_files(download / f"submission_{number}", files)
        lines += [f"submission_{number}:", "  :submitters:", f'  - :name: "{name}"', f"    :sid: '{1000 + number}'"]
        lines += ["    :email: a@b", f"  :created_at: 2026-09-0{4 + days} 10:00:00.000000000 Z"]
    write_class_files(download, {"submission_metadata.yml": "\n".join(lines) + "\n"})


@pytest.fixture
def specs(tmp_path):
    """A copy of the toy assignment, with points and rules for late submissions."""
    shutil.copytree(TOY, tmp_path / "teller")
    file = tmp_path / "teller" / "assignment.yaml"
    file.write_text(file.read_text() + GRADING)


def test_a_late_mark_of_canvas_is_shown_in_every_report(pitboss, specs, tmp_path):
    files = {"ada_LATE_11_21_teller.py": CORRECT_IN_PYTHON, "bob_12_22_teller.py": CORRECT_IN_PYTHON + "# bob\n"}
    write_class_files(tmp_path / "download", files)
    table = pitboss("grade", "download", "-a", "teller/", "-g", "book").out.splitlines()
    header, ada, bob = (line.split() for line in (table[0], table[2], table[3]))
    assert (header[:3], ada[-2], bob) == (["name", "score", "late"], "late", ["bob", "80", "accepted"])
    pitboss("scores", "book", "--csv", "a.csv", "--marks", "sheet.csv", "--html", "pages", "--hidden")
    for name in ("a.csv", "sheet.csv"):
        with open(tmp_path / name, encoding="utf-8-sig", newline="") as file:
            assert [row["late"] for row in csv.DictReader(file)] == ["late", ""]
    assert "<td>late</td>" in (tmp_path / "pages" / "index.html").read_text()
    assert pitboss("mark", "book", "--from", "sheet.csv").out == "nothing in the sheet differs from the gradebook\n"
    pitboss("mark", "book", "ada", "--late", "1")
    assert "1 day" in pitboss("scores", "book").out


def test_a_moodle_worksheet_determines_how_late_submissions_are(pitboss, specs, tmp_path):
    """By its submission times if there is a due date, otherwise by its column Status; a later `grade` needs no worksheet."""
    write_class_files(tmp_path / "download", {f"{name}_{number}_assignsubmission_file_/teller.py": CORRECT_IN_PYTHON + f"# {name}\n"
                                for number, name in enumerate(("Ada", "Bob", "Cid"), 1)})  # fmt: skip
    (tmp_path / "worksheet.csv").write_text(
        "Identifier,Full name,Status,Last modified (submission)\n"
        'Participant 1,Ada,Submitted for grading,"Friday, 4 September 2026, 11:00 AM"\n'
        'Participant 2,Bob,Submitted for grading - 3 hours late,"Friday, 4 September 2026, 3:00 PM"\n'
        'Participant 3,Cid,Submitted for grading - 3 hours late,"vendredi 4 septembre 2026, 15:00"\n'
    )
    options = ("-a", "teller/", "-g", "book")
    result = pitboss("grade", "download", *options, "--roster", "worksheet.csv")
    assert result.err.startswith(
        f"pitboss: worksheet.csv: 2 submission times are read in this machine's time zone, {zone_name()}\n"
        "pitboss: worksheet.csv: 1 submission time cannot be read, such as 'vendredi 4 septembre 2026, 15:00': write "
        "them in English, as 2026-09-04 23:59 or as 04.09.2026 23:59\n"
        "pitboss: where no time is read, only the column Status is used, which says whether a submission is late\n"
    )

    def scores():
        return [person["score"] for person in json.loads(pitboss("scores", "book", "--json", "-").out)["people"]]

    assert scores() == ["80", "72", "72"]
    pitboss("grade", "download", *options, "--due", "2026-09-04 10:00")
    assert scores() == ["72", "72", "72"]


@pytest.mark.parametrize("is_packed", [False, True], ids=["folder", "zip"])
@pytest.mark.parametrize("form", [folders, canvas, moodle, gradescope], ids=lambda form: form.__name__)
def test_each_form_of_download_gives_the_same_results(pitboss, specs, tmp_path, form, is_packed):
    folder = tmp_path / "download"
    folder.mkdir()
    form(folder, SUBMISSIONS)
    names = [name.split() for name in [*SUBMISSIONS, ABSENT_STUDENT]]
    roster_rows = "".join(f'"{last}, {first}",{1000 + number}\n' for number, (first, last) in enumerate(names))
    (tmp_path / "people.csv").write_text(f"Student,ID\n{roster_rows}")
    if is_packed:
        shutil.make_archive(str(folder), "zip", folder)
        shutil.rmtree(folder)
    download = "download.zip" if is_packed else "download"
    options = ("-a", "teller/", "-g", "book", "--roster", "people.csv", "--due", "2026-09-04T12:00+00:00")
    result = pitboss("grade", download, *options)
    assert (result.code, ABSENT_STUDENT in result.err) == (1, True), result
    # Canvas tells which submissions are late, but not how late. Set to 0 days, they keep their full scores.
    for name in LATE_SCORES if form is canvas else ():
        pitboss("mark", "book", name, "--late", "0")
    people = json.loads(pitboss("scores", "book", "--json", "-").out)["people"]
    late_scores = LATE_SCORES if form is gradescope else {}
    expected = {name: (verdict, late_scores.get(name, score)) for name, (verdict, score) in EXPECTED_RESULTS.items()}
    assert {person["name"]: (person["verdict"], person["score"]) for person in people} == expected
