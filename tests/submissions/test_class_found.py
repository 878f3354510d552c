import json

import pytest

from pitboss.errors import UsageError
from pitboss.submissions.submission import name_of, submissions_in
from tests.conftest import ROOT, TOY
from tests.handed_in import write_files, zip_same_text
from tests.tables import cells

TELLER = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"


def list_class(folder, stages):
    """The paths of the submissions, relative to the folder, and the names that are no submissions."""
    submissions, other_names = submissions_in(folder, stages)
    return [str(path.relative_to(folder)) for path in submissions], other_names


#: The files of a folder, the submissions of the class in it, and the names that are no submissions.
CLASSES = {
    "folders and archives": (
        ["ada/shuffle.c", "bob/src/shuffle.c", "cy.zip", "di/x.txt", "roster.csv", "stray.c", ".hidden/shuffle.c"],
        ["ada", "bob", "cy.zip", "di"],
        ["roster.csv", "stray.c"],
    ),
    "the folder above the class": (
        ["hw1/ada/shuffle.c", "hw1/bob/shuffle.c", "docs/readme.txt", "hw1/notes.txt"],
        ["hw1/ada", "hw1/bob"],
        ["notes.txt"],
    ),
    "two versions of a submission": (["ada/v1/shuffle.c", "ada/v2/shuffle.c", "bob/shuffle.c"], ["ada", "bob"], []),
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_submissions_of_a_class_are_found_and_other_names_listed(tmp_path, two_stages, name):
    files, submissions, other_names = CLASSES[name]
    write_files(tmp_path, *files)
    assert list_class(tmp_path, two_stages) == (submissions, other_names)


def test_single_files_are_submissions_if_there_is_only_one_stage(tmp_path, two_stages):
    write_files(tmp_path, "ada.c", "bob.py", "notes.txt")
    assert list_class(tmp_path, two_stages[:1]) == (["ada.c", "bob.py"], ["notes.txt"])


@pytest.mark.parametrize(
    ("files", "folder", "message"),
    [
        (
            ["a/ada/shuffle.c", "a/bob/shuffle.c", "b/cy/shuffle.c", "b/di/shuffle.c", "b/ed/shuffle.c"],
            ".",
            "this is not one class: there is a (2 submissions) and b (3 submissions); grade one of them",
        ),
        (
            ["ada/shuffle.c", "ada/lib/money.c"],
            "ada",
            "this is one submission, not a class: it directly contains programs; give the folder that contains ada, or "
            "check it: pitboss check {}",
        ),
    ],
    ids=["several classes", "one submission"],
)
def test_a_folder_that_is_not_one_class_is_rejected(tmp_path, two_stages, files, folder, message):
    write_files(tmp_path, *files)
    with pytest.raises(UsageError) as error:
        submissions_in(tmp_path / folder, two_stages)
    assert str(error.value) == f"{tmp_path / folder}: {message.format(tmp_path / folder)}"


def test_the_error_for_a_folder_without_submissions_lists_its_files(pitboss, tmp_path):
    write_files(tmp_path, "roster.csv", "a.txt")
    done = pitboss("grade", tmp_path)
    assert (done.code, done.err) == (
        2,
        f"pitboss: {tmp_path}: there is no submission in it — each submission is a separate folder or archive; there is "
        "a.txt and roster.csv\n",
    )


def test_a_submission_name_has_no_suffix_unless_two_names_would_collide(tmp_path):
    write_files(tmp_path, "ada/x", "bob.tar.gz", "cy.c", "ada.zip")
    names = [name_of(tmp_path / name) for name in ("ada", "bob.tar.gz", "cy.c", "ada.zip")]
    assert names == ["ada", "bob", "cy", "ada.zip"]


def write_class(folder):
    """Write a class with correct, empty, damaged and missing submissions, and a roster."""
    write_files(folder, "right/src/teller.c", text=TELLER.read_text())
    zip_same_text(folder / "zipped.zip", "teller.c", text=TELLER.read_text())
    write_files(folder, "single.c", text=TELLER.read_text())
    write_files(folder, "twin.c", text="int helper;\n" + TELLER.read_text())
    write_files(folder, "other/notes.txt")
    (folder / "nothing" / ".git").mkdir(parents=True)
    (folder / "broken.zip").write_bytes(b"PK")
    write_files(folder, "roster.csv")


def test_a_file_name_with_a_colon_is_listed_unchanged(pitboss, tmp_path):
    write_class(tmp_path / "class")
    (tmp_path / "class" / "notes: mine.txt").touch()
    (tmp_path / "class" / ".hidden").touch()
    done = pitboss("grade", "class", "-a", f"{TOY}/")
    assert "pitboss: not submissions, so not graded: notes: mine.txt, roster.csv\n" in done.err
    assert ".hidden" not in done.err


def test_every_verdict_is_in_the_csv_json_html_and_printed_table(pitboss, tmp_path):
    write_class(tmp_path / "class")
    options = ("--csv", "c.csv", "--json", "c.json", "--html", "pages", "--sandbox", "landlock")
    done = pitboss("grade", "class", "-a", f"{TOY}/", *options, COLUMNS="200")
    verdicts = {
        "broken": "NOT_HANDED_IN",
        "nothing": "EMPTY",
        "other": "NOT_HANDED_IN",
        "right": "ACCEPTED",
        "single": "ACCEPTED",
        "twin": "ACCEPTED",
        "zipped": "ACCEPTED",
    }
    assert done.code == 1
    assert "pitboss: not submissions, so not graded: roster.csv\n" in done.err
    assert dict(cells((tmp_path / "c.csv").read_text(), "submission", "teller")) == verdicts
    report = json.loads((tmp_path / "c.json").read_text())
    assert {
        submission["submission"]: submission["stages"][0]["verdict"] for submission in report["submissions"]
    } == verdicts
    assert report["faults"] == []
    words_by_name = {
        line.split()[0]: line.split(maxsplit=1)[1].strip() for line in done.out.splitlines() if " " in line.strip()
    }
    words = {"NOT_HANDED_IN": "not handed in", "EMPTY": "empty", "ACCEPTED": "accepted"}
    assert {name: words_by_name[name] for name in verdicts} == {
        name: words[verdict] for name, verdict in verdicts.items()
    }
    reason = "Not handed in: there is no teller.c, teller.cpp or the like, and no Makefile that makes teller."
    assert "right: The programs are in src.\n" in done.out
    assert f"broken: {reason} broken.zip is damaged or cut off: it cannot be unpacked.\n" in done.out
    assert report["submissions"][3]["notes"] == ["The programs are in src."]
    assert "<p>The programs are in src.</p>" in (tmp_path / "pages" / "right.html").read_text()
    index = (tmp_path / "pages" / "index.html").read_text()
    assert index.count('class="NOT_HANDED_IN">not handed in<') == 2
    assert index.count('class="EMPTY">empty<') == 1
    assert ">nothing was handed in.<" in (tmp_path / "pages" / "nothing.html").read_text()
