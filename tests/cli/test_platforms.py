"""One class in the form of each platform: the same verdicts and the same scores, which are known beforehand."""

import csv
import io
import json
import shutil
import zipfile

import pytest

from pitboss.gradebook.people import zone_name
from tests.conftest import ROOT, TOY
from tests.importers.classes import put

RIGHT = (ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c").read_text()
RIGHT_IN_PYTHON = (TOY / "teller").read_text()
GRADING = """
grading:
  points: {teller: 80}
  late: {1 day early: +5%, on time: 0%, 1 day late: -10%, 2 days late: no credit}
  rounding: {to: 1}
"""


def zipped(*members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in members:
            archive.writestr(name, text)
    return content.getvalue()


#: What is handed in as the files of a folder, and the days after the due date, by who does so.
HANDED_IN = {
    "Ada Lovelace": ({"teller.c": RIGHT}, 0),
    "Bob Berg": ({"teller.sh": "#!/bin/sh\nprintf 'Opening balance: '; read x; echo Sorry.\n"}, 0),
    "Cid Núñez": ({"teller.c": RIGHT.replace(";", "", 3)}, 0),
    "Dee Dee": ({"work.zip": zipped(("src/teller.c", RIGHT))}, 1),
    "Eve O'Neil": ({"work.zip": zipped(("../../teller.c", RIGHT))}, 0),
    "Fay Gray": ({"report.pdf": "%PDF-1.4\n"}, 0),
    "Gil Late": ({"teller.c": RIGHT, "notes.txt": "sorry\n"}, 2),
}
#: The same in Python, which need not be built: for those who share a surname with others.
QUICK = HANDED_IN | {
    "Ada Lovelace": ({"teller.py": RIGHT_IN_PYTHON}, 0),
    "Dee Dee": ({"work.zip": zipped(("src/teller.py", RIGHT_IN_PYTHON))}, 1),
    "Gil Late": ({"teller.py": RIGHT_IN_PYTHON, "notes.txt": "sorry\n"}, 2),
}
ABSENT = "Hal Absent"
#: Verdict and score of each, on time; where instants are known, late ones have these instead.
KNOWN = {
    "Ada Lovelace": ("ACCEPTED", "80"),
    "Bob Berg": ("WRONG_ANSWER", "0"),
    "Cid Núñez": ("COMPILE_ERROR", "0"),
    "Dee Dee": ("ACCEPTED", "80"),
    "Eve O'Neil": ("NOT_HANDED_IN", "0"),
    "Fay Gray": ("NOT_HANDED_IN", "0"),
    "Gil Late": ("ACCEPTED", "80"),
    ABSENT: ("NOT_HANDED_IN", "0"),
}
LATE = {"Dee Dee": "72", "Gil Late": "0"}


def namesake(name, number):
    """Somebody else for each number, called like this one but for the end of the surname."""
    return f"{name}{chr(97 + number // 26)}{chr(97 + number % 26)}" if number else name


def class_of(times):
    """So many of each kind, by name, and those who hand in nothing."""
    everybody = {}
    for number in range(times):
        given = QUICK if number else HANDED_IN
        everybody |= {namesake(name, number): handed_in for name, handed_in in given.items()}
    return everybody, [namesake(ABSENT, number) for number in range(times)]


def squashed(name):
    first, last = name.split()
    return "".join(letter for letter in f"{last}{first}".lower() if letter.isalnum())


def folders(place, everybody):
    for name, (files, _) in everybody.items():
        put(place / name, files)


def canvas(place, everybody):
    for number, (name, (files, days)) in enumerate(everybody.items()):
        mark = "LATE_" if days else ""
        for file, content in files.items():
            put(place, {f"{squashed(name)}_{mark}{1000 + number}_{9000 + number}_{file}": content})


def moodle(place, everybody):
    for number, (name, (files, _)) in enumerate(everybody.items()):
        put(place / f"{name}_{3000 + number}_assignsubmission_file_", files)


def gradescope(place, everybody):
    lines = ["---"]
    for number, (name, (files, days)) in enumerate(everybody.items()):
        put(place / f"submission_{number}", files)
        lines += [f"submission_{number}:", "  :submitters:", f'  - :name: "{name}"', f"    :sid: '{1000 + number}'"]
        lines += ["    :email: a@b", f"  :created_at: 2026-09-0{4 + days} 10:00:00.000000000 Z"]
    put(place, {"submission_metadata.yml": "\n".join(lines) + "\n"})


FORMS = pytest.mark.parametrize("form", [folders, canvas, moodle, gradescope], ids=lambda form: form.__name__)


@pytest.fixture
def specs(tmp_path):
    shutil.copytree(TOY, tmp_path / "teller")
    file = tmp_path / "teller" / "assignment.yaml"
    file.write_text(file.read_text() + GRADING)


@pytest.fixture
def is_as_known(pitboss, specs, tmp_path):
    """Grades a class in a form and sees to every verdict and score."""

    def graded(form, times, *, is_packed):
        everybody, absent = class_of(times)
        place = tmp_path / "download"
        place.mkdir()
        form(place, everybody)
        names = [name.split() for name in [*everybody, *absent]]
        lines = "".join(f'"{last}, {first}",{1000 + number}\n' for number, (first, last) in enumerate(names))
        (tmp_path / "people.csv").write_text(f"Student,ID\n{lines}")
        if is_packed:
            shutil.make_archive(str(place), "zip", place)
            shutil.rmtree(place)
        download = "download.zip" if is_packed else "download"
        words = ("-a", "teller/", "-g", "book", "--roster", "people.csv", "--due", "2026-09-04T12:00+00:00")
        output = pitboss("grade", download, *words)
        assert output.code == 1, output
        # Canvas says that they are late, and not by how many days.
        late = [namesake(name, number) for number in range(times) for name in LATE] if form is canvas else []
        for one in late:
            pitboss("mark", "book", one, "--late", "0")
        message = json.loads(pitboss("scores", "book", "--json", "-").out)["people"]
        own = LATE if form is gradescope else {}
        wanted = {
            namesake(name, number): (verdict, own.get(name, score))
            for name, (verdict, score) in KNOWN.items()
            for number in range(times)
        }
        assert {one["name"]: (one["verdict"], one["score"]) for one in message} == wanted
        assert ABSENT in output.err

    return graded


def test_what_canvas_marks_as_late_stands_in_table_csv_page_and_sheet(pitboss, specs, tmp_path):
    files = {"ada_LATE_11_21_teller.py": RIGHT_IN_PYTHON, "bob_12_22_teller.py": RIGHT_IN_PYTHON + "# bob\n"}
    put(tmp_path / "download", files)
    table = pitboss("grade", "download", "-a", "teller/", "-g", "book").out.splitlines()
    head, ada, bob = (line.split() for line in (table[0], table[2], table[3]))
    assert (head[:3], ada[-2], bob) == (["name", "score", "late"], "late", ["bob", "80", "accepted"])
    pitboss("scores", "book", "--csv", "a.csv", "--marks", "sheet.csv", "--html", "pages", "--hidden")
    for name in ("a.csv", "sheet.csv"):
        with open(tmp_path / name, encoding="utf-8-sig", newline="") as file:
            assert [row["late"] for row in csv.DictReader(file)] == ["late", ""]
    assert "<td>late</td>" in (tmp_path / "pages" / "index.html").read_text()
    assert pitboss("mark", "book", "--from", "sheet.csv").out == "nothing in the sheet differs from the gradebook\n"
    pitboss("mark", "book", "ada", "--late", "1")
    assert "1 day" in pitboss("scores", "book").out


def test_a_worksheet_of_moodle_says_how_late(pitboss, specs, tmp_path):
    """By the instants where there is a due date, else by what its status says; also when it is graded without it later."""
    put(tmp_path / "download", {f"{name}_{number}_assignsubmission_file_/teller.py": RIGHT_IN_PYTHON + f"# {name}\n"
                                for number, name in enumerate(("Ada", "Bob", "Cid"), 1)})  # fmt: skip
    (tmp_path / "worksheet.csv").write_text(
        "Identifier,Full name,Status,Last modified (submission)\n"
        'Participant 1,Ada,Submitted for grading,"Friday, 4 September 2026, 11:00 AM"\n'
        'Participant 2,Bob,Submitted for grading - 3 hours late,"Friday, 4 September 2026, 3:00 PM"\n'
        'Participant 3,Cid,Submitted for grading - 3 hours late,"vendredi 4 septembre 2026, 15:00"\n'
    )
    words = ("-a", "teller/", "-g", "book")
    said = pitboss("grade", "download", *words, "--roster", "worksheet.csv")
    assert said.err.startswith(
        f"pitboss: worksheet.csv: 2 submission times are read in this machine's time zone, {zone_name()}\n"
        "pitboss: worksheet.csv: 1 submission time cannot be read, such as 'vendredi 4 septembre 2026, 15:00': write "
        "them in English, as 2026-09-04 23:59 or as 04.09.2026 23:59\n"
        "pitboss: for these only the column Status is used: late, or not\n"
    )

    def scores():
        return [one["score"] for one in json.loads(pitboss("scores", "book", "--json", "-").out)["people"]]

    assert scores() == ["80", "72", "72"]
    pitboss("grade", "download", *words, "--due", "2026-09-04 10:00")
    assert scores() == ["72", "72", "72"]


@pytest.mark.parametrize("is_packed", [False, True], ids=["folder", "zip"])
@FORMS
def test_every_form_gives_the_same(is_as_known, form, is_packed):
    is_as_known(form, 1, is_packed=is_packed)


@pytest.mark.slow
@FORMS
def test_and_so_it_does_for_a_class_of_three_hundred(is_as_known, form):
    is_as_known(form, 38, is_packed=False)
