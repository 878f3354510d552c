"""Which folders, archives and files are the submissions of a class, and what is said where there are none."""

import csv
import io
import json

import pytest

from pitboss.errors import UsageError
from pitboss.submissions.class_folder import submissions_in
from pitboss.submissions.submission import name_of
from tests.conftest import ROOT, TOY
from tests.handed_in import packed, put

TELLER = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"


def class_of(folder, stages):
    found, others = submissions_in(folder, stages)
    return [str(path.relative_to(folder)) for path in found], others


def test_a_class_is_folders_and_archives_and_what_is_neither_is_listed(tmp_path, two):
    put(tmp_path, "ada/shuffle.c", "bob/src/shuffle.c", "empty/x.txt", "roster.csv", "stray.c", ".hidden/shuffle.c")
    packed(tmp_path / "cy.zip", "shuffle.c")
    assert class_of(tmp_path, two) == (["ada", "bob", "cy.zip", "empty"], ["roster.csv", "stray.c"])


def test_a_class_of_one_stage_may_be_files(tmp_path, two):
    put(tmp_path, "ada.c", "bob.py", "notes.txt")
    assert class_of(tmp_path, two[:1]) == (["ada.c", "bob.py"], ["notes.txt"])


def test_the_folder_above_a_class_is_the_class(tmp_path, two):
    put(tmp_path, "hw1/ada/shuffle.c", "hw1/bob/shuffle.c", "docs/readme.txt", "hw1/notes.txt")
    assert class_of(tmp_path, two) == (
        ["hw1/ada", "hw1/bob"],
        ["notes.txt"],
    )


def refused(folder, stages):
    with pytest.raises(UsageError) as error:
        submissions_in(folder, stages)
    return str(error.value)


def test_the_folder_above_several_classes_is_reported(tmp_path, two):
    put(tmp_path, "a/ada/shuffle.c", "a/bob/shuffle.c", "b/cy/shuffle.c", "b/di/shuffle.c", "b/ed/shuffle.c")
    assert refused(tmp_path, two) == (
        f"{tmp_path}: this is not one class: there is a (2 submissions) and b (3 submissions); grade one of them"
    )


def test_a_folder_without_submissions_says_what_is_there(pitboss, tmp_path):
    put(tmp_path, "roster.csv", "a.txt")
    done = pitboss("grade", tmp_path)
    assert (done.code, done.err) == (
        2,
        f"pitboss: {tmp_path}: there is no submission in it — each submission is a separate folder or archive; there is "
        "a.txt and roster.csv\n",
    )


def test_a_folder_below_the_class_is_reported(tmp_path, two):
    put(tmp_path, "ada/shuffle.c", "ada/lib/money.c")
    assert refused(tmp_path / "ada", two) == (
        f"{tmp_path}/ada: this is one submission, not a class: it directly contains programs; give the folder that "
        f"contains ada, or check it: pitboss check {tmp_path}/ada"
    )


def test_one_who_has_two_versions_is_no_class(tmp_path, two):
    put(tmp_path, "ada/v1/shuffle.c", "ada/v2/shuffle.c", "bob/shuffle.c")
    assert class_of(tmp_path, two) == (["ada", "bob"], [])


def test_a_submission_is_called_by_its_name_without_an_ending(tmp_path):
    put(tmp_path, "ada/x", "bob.tar.gz", "cy.c", "ada.zip")
    names = [name_of(tmp_path / name) for name in ("ada", "bob.tar.gz", "cy.c", "ada.zip")]
    assert names == ["ada", "bob", "cy", "ada.zip"]


def small_class(folder):
    put(folder, "right/src/teller.c", text=TELLER.read_text())
    packed(folder / "zipped.zip", "teller.c", text=TELLER.read_text())
    put(folder, "single.c", text=TELLER.read_text())
    put(folder, "twin.c", text="int helper;\n" + TELLER.read_text())
    put(folder, "other/notes.txt")
    (folder / "nothing" / ".git").mkdir(parents=True)
    (folder / "broken.zip").write_bytes(b"PK")
    put(folder, "roster.csv")


def test_a_file_with_a_colon_in_its_name_is_no_sentence(pitboss, tmp_path):
    small_class(tmp_path / "class")
    (tmp_path / "class" / "notes: mine.txt").touch()
    (tmp_path / "class" / ".hidden").touch()
    done = pitboss("grade", "class", "-a", f"{TOY}/")
    assert "pitboss: not submissions, so not graded: notes: mine.txt, roster.csv\n" in done.err
    assert ".hidden" not in done.err


def test_every_word_is_reported_everywhere(pitboss, tmp_path):
    small_class(tmp_path / "class")
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
    rows = list(csv.DictReader(io.StringIO((tmp_path / "c.csv").read_text())))
    assert {row["submission"]: row["teller"] for row in rows} == verdicts
    report = json.loads((tmp_path / "c.json").read_text())
    assert {one["submission"]: one["stages"][0]["verdict"] for one in report["submissions"]} == verdicts
    assert report["faults"] == []
    lines = {
        line.split()[0]: line.split(maxsplit=1)[1].strip() for line in done.out.splitlines() if " " in line.strip()
    }
    assert {name: lines[name] for name in verdicts} == {
        "broken": "not handed in",
        "nothing": "empty",
        "other": "not handed in",
        "right": "accepted",
        "single": "accepted",
        "twin": "accepted",
        "zipped": "accepted",
    }
    output = "Not handed in: there is no teller.c, teller.cpp or the like, and no Makefile that makes teller."
    assert "right: The programs are in src.\n" in done.out
    assert f"broken: {output} broken.zip is damaged or cut off: it cannot be unpacked.\n" in done.out
    assert report["submissions"][3]["notes"] == ["The programs are in src."]
    assert "<p>The programs are in src.</p>" in (tmp_path / "pages" / "right.html").read_text()
    index = (tmp_path / "pages" / "index.html").read_text()
    assert index.count('class="NOT_HANDED_IN">not handed in<') == 2
    assert index.count('class="EMPTY">empty<') == 1
    assert ">nothing was handed in.<" in (tmp_path / "pages" / "nothing.html").read_text()
