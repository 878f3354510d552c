"""What an instructor is shown at 80 columns, from a first look at a class to what goes to the platform, whole.

Each screen is a file of class_screens/. `python -m tests.cli.test_class_screens` writes them anew; git diff shows what
became of them.
"""

import contextlib
import csv
import io
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from pitboss.cli.main import exit_code_of
from tests.conftest import ROOT

HERE = Path(__file__).parent / "class_screens"
ASSIGNMENT = ROOT / "examples" / "assignments" / "statistics"
#: Who handed in what: a folder of the example, or a file and its text.
PEOPLE = {
    "ada": "right-library",
    "ben": "wrong-median-unsorted",
    "min-li": "right-library",
    "wei-li": "wrong-median-unsorted",
    "zoe": {"bars.py.txt": "print(1)\n"},
}
ROSTER = """\
name,login,email,section
Ada Lovelace,ada,ada@example.org,A
Ben Ola,ben,ben@example.org,A
Min Li,min-li,ml@example.org,B
Wei Li,wei-li,wl@example.org,B
Zoë Kravitz,zoe,zk@example.org,B
Tom Late,tom,tl@example.org,B
"""
#: Marks on a sheet: the person, the column and what is written there.
EDITS = (
    ("ada", "style", "90"),
    ("ben", "style", "75 %"),
    ("min-li", "comment", "Good names."),
    ("wei-li", "style", "x"),
)
#: When something was done, and the folder of the assignment, which the machine decides.
NOT_OURS = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:\+\d\d:\d\d|Z)?")
FOOT = re.compile(r"^(?:sessions|sandbox|note): .*\n", re.MULTILINE)


def edited(*edits):
    """Edits the sheet of marks."""

    def edit():
        with open("sheet.csv", encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        for key, column, text in edits:
            next(row for row in rows if row["key"] == key)[column] = text
        with open("sheet.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    return edit


def copied():
    """Copies the gradebook for a second grader."""
    shutil.copy("mine.gradebook", "ann.gradebook")


def another_policy():
    """Writes a policy in which the other stage counts more."""
    Path("policy.yaml").write_text("grading: {points: {describe: 40, bars: 60}}\n")


#: What is done before a screen, in order; each begins where the one before it ended.
SCREENS = {
    "a first look at a class": (["grade", "class", "-a", "statistics"],),
    "a class into a gradebook": (
        ["grade", "class", "-a", "statistics", "--gradebook", "mine.gradebook", "--roster", "roster.csv"],
    ),
    "graded again, nothing changed": (["regrade", "mine.gradebook"],),
    "somebody's score": (["scores", "mine.gradebook", "ben"],),
    "a name that fits two": (["mark", "mine.gradebook", "li", "--style", "80"],),
    "a sheet with a mistake": (
        ["scores", "mine.gradebook", "--marks", "sheet.csv"],
        edited(*EDITS),
        ["mark", "mine.gradebook", "--from", "sheet.csv"],
    ),
    "a sheet of marks": (
        edited(("wei-li", "style", "0")),
        ["mark", "mine.gradebook", "--from", "sheet.csv", "--yes", "--by", "prof"],
    ),
    "a request": (
        ["mark", "mine.gradebook", "wei-li", "--request", "My median is right, I think.", "--by", "prof"],
        ["scores", "mine.gradebook"],
    ),
    "marks of a second grader": (
        copied,
        # Ann's mark is the later one, in a second of its own or not.
        ["mark", "mine.gradebook", "ben", "--style", "70", "--by", "prof"],
        ["mark", "ann.gradebook", "ben", "--style", "60", "--by", "ann"],
        ["merge", "mine.gradebook", "ann.gradebook"],
    ),
    "what is alike": (["similar", "mine.gradebook"],),
    "another policy": (another_policy, ["policy", "mine.gradebook", "--try", "policy.yaml"]),
}


def course(folder):
    """Makes a folder with the assignment, the roster and the class; returns it."""
    (folder / "class").mkdir(parents=True)
    shutil.copytree(ASSIGNMENT, folder / "specs" / "statistics", ignore=shutil.ignore_patterns("submissions"))
    (folder / "roster.csv").write_text(ROSTER, encoding="utf-8")
    for name, work in PEOPLE.items():
        if isinstance(work, str):
            shutil.copytree(ASSIGNMENT / "submissions" / work, folder / "class" / name)
            continue
        (folder / "class" / name).mkdir()
        for file, text in work.items():
            (folder / "class" / name / file).write_text(text)
    return folder


def screens():
    """All screens by name; the working folder is another one meanwhile."""
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = course(Path(temporary) / "course")
        with contextlib.chdir(folder):
            for name, steps in SCREENS.items():
                found[name] = "".join(_shown(step) for step in steps)
    return found


def _shown(step):
    """What a command shows, after the command; nothing where a step is something else."""
    if not isinstance(step, list):
        step()
        return ""
    with io.StringIO() as output:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = exit_code_of(step)
        text = NOT_OURS.sub("WHEN", FOOT.sub("", re.sub(" +$", "", output.getvalue(), flags=re.MULTILINE)))
    words = " ".join(f"'{word}'" if " " in word else word for word in step)
    return f"$ pitboss {words}\n{text}(exit code {code})\n"


@pytest.fixture(scope="module")
def shown():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        patch.setenv("PITBOSS_WITHOUT", "cache")
        yield screens()


def file_of(name):
    return HERE / f"{re.sub('[^a-z]+', '_', name.lower())}.txt"


@pytest.mark.parametrize("name", SCREENS)
def test_what_is_shown(name, shown):
    assert shown[name] == file_of(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SCREENS)
def test_it_fits_into_80_columns_but_for_commands(name):
    lines = file_of(name).read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if len(line) > 80 and not line.startswith(("$ pitboss ", "pitboss: "))]


def test_no_file_is_left_of_a_screen_that_is_no_more():
    assert sorted(HERE.iterdir()) == sorted(map(file_of, SCREENS))


if __name__ == "__main__":
    os.environ |= {"COLUMNS": "80", "PITBOSS_WITHOUT": "cache"}
    HERE.mkdir(exist_ok=True)
    for path in HERE.iterdir():
        path.unlink()
    for name, text in screens().items():
        file_of(name).write_text(text, encoding="utf-8")
