"""The full output, at 80 columns, of the commands with which an instructor grades a class, in their usual order.

Each screen has a file in class_screens/. To update these files, run `python -m tests.cli.test_class_screens` and look
at git diff.
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

EXPECTED_FOLDER = Path(__file__).parent / "class_screens"
ASSIGNMENT = ROOT / "examples" / "assignments" / "statistics"
#: Each student's submission: the name of an example submission, or files and their texts.
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
#: Entries in the sheet of marks: person, column, text.
MARK_EDITS = (
    ("ada", "style", "90"),
    ("ben", "style", "75 %"),
    ("min-li", "comment", "Good names."),
    ("wei-li", "style", "x"),
)
#: Times, which differ in each run.
TIMES = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:\+\d\d:\d\d|Z)?")
#: Sentences that depend on the machine, with the lines that they are wrapped to.
MACHINE_LINES = re.compile(r"^(?:sessions|sandbox|note): .*\n(?:.+\n)*", re.MULTILINE)


def sheet_edit(*edits):
    """A step that makes these entries (person, column, text) in the sheet of marks."""

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


def copy_gradebook():
    """Step: copies the gradebook for a second grader."""
    shutil.copy("mine.gradebook", "ann.gradebook")


def write_policy():
    """Step: writes a policy in which the stage bars has more points than describe."""
    Path("policy.yaml").write_text("grading: {points: {describe: 40, bars: 60}}\n")


#: The steps of each screen: commands, and functions that change files. Each screen continues after the one before it.
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
        sheet_edit(*MARK_EDITS),
        ["mark", "mine.gradebook", "--from", "sheet.csv"],
    ),
    "a sheet of marks": (
        sheet_edit(("wei-li", "style", "0")),
        ["mark", "mine.gradebook", "--from", "sheet.csv", "--yes", "--by", "prof"],
    ),
    "a request": (
        ["mark", "mine.gradebook", "wei-li", "--request", "My median is right, I think.", "--by", "prof"],
        ["scores", "mine.gradebook"],
    ),
    "marks of a second grader": (
        copy_gradebook,
        # Ann's mark is the later one, even if both are made within the same second.
        ["mark", "mine.gradebook", "ben", "--style", "70", "--by", "prof"],
        ["mark", "ann.gradebook", "ben", "--style", "60", "--by", "ann"],
        ["merge", "mine.gradebook", "ann.gradebook"],
    ),
    "what is alike": (["similar", "mine.gradebook"],),
    "another policy": (write_policy, ["policy", "mine.gradebook", "--try", "policy.yaml"]),
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


def screen_texts():
    """Run all steps in a temporary working folder; returns the text of each screen by its name."""
    texts_by_screen = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = course(Path(temporary) / "course")
        with contextlib.chdir(folder):
            for name, steps in SCREENS.items():
                texts_by_screen[name] = "".join(_run_step(step) for step in steps)
    return texts_by_screen


def _run_step(step):
    """The command, its output and its exit code; "" for a step that is a function."""
    if not isinstance(step, list):
        step()
        return ""
    with io.StringIO() as output:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = exit_code_of(step)
        text = TIMES.sub("WHEN", MACHINE_LINES.sub("", re.sub(" +$", "", output.getvalue(), flags=re.MULTILINE)))
    command_line = " ".join(f"'{word}'" if " " in word else word for word in step)
    return f"$ pitboss {command_line}\n{text}(exit code {code})\n"


@pytest.fixture(scope="module")
def texts_by_name():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "80")
        patch.setenv("PITBOSS_WITHOUT", "cache")
        yield screen_texts()


def expected_file(name):
    return EXPECTED_FOLDER / f"{re.sub('[^a-z]+', '_', name.lower())}.txt"


@pytest.mark.parametrize("name", SCREENS)
def test_each_screen_has_the_expected_text(name, texts_by_name):
    assert texts_by_name[name] == expected_file(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SCREENS)
def test_screens_fit_into_80_columns_except_commands_and_errors(name):
    lines = expected_file(name).read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if len(line) > 80 and not line.startswith(("$ pitboss ", "pitboss: "))]


def test_there_is_one_file_for_each_screen():
    assert sorted(EXPECTED_FOLDER.iterdir()) == sorted(map(expected_file, SCREENS))


if __name__ == "__main__":
    os.environ |= {"COLUMNS": "80", "PITBOSS_WITHOUT": "cache"}
    EXPECTED_FOLDER.mkdir(exist_ok=True)
    for path in EXPECTED_FOLDER.iterdir():
        path.unlink()
    for name, text in screen_texts().items():
        expected_file(name).write_text(text, encoding="utf-8")
