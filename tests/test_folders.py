"""Where programs are looked for, what is used where they are not right in the folder, and how it is told."""

import csv
import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from harness.judging.verdicts import WORDS, Verdict
from harness.submissions.classes import submissions_in
from harness.submissions.submission import name_of, opened

ROOT = Path(__file__).parent.parent
ADA = ROOT / "examples" / "blackjack" / "ada"
TOY = ROOT / "tests" / "toy" / "teller"
TELLER = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c"


def put(folder, *names, text="int main(void) { return 0; }\n"):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def packed(path, *names, text="int main(void) { return 0; }\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, text)
    return path


def seen(path, stages, *, is_alone=False):
    """Where each stage was found, as seen from the submission, and what is noted."""
    with opened(path, is_alone=is_alone) as submission:
        sources = submission.sources(stages)
        found = {name: source.file for name, source in sources.items() if source}
        return found, submission.notes, [submission.missing(stage) for stage in stages if not sources[stage.name]]


@pytest.fixture
def two(blackjack):
    return blackjack.stage("shuffle"), blackjack.stage("deal")


BOTH = {"shuffle": "shuffle.c", "deal": "deal.c"}
NO_DEAL = "Not handed in: there is no deal.c, deal.cpp or the like, and no Makefile that makes deal."


def test_programs_right_in_the_folder_need_no_word(tmp_path, two):
    put(tmp_path, "shuffle.c", "deal.c", "old/shuffle.c", "old/deal.c")
    assert seen(tmp_path, two) == (BOTH, [], [])


@pytest.mark.parametrize("below", ["src", "a/b/c/d", "my project/src"])
def test_programs_further_down_are_used_and_told(tmp_path, two, below):
    put(tmp_path, f"{below}/shuffle.c", f"{below}/deal.c", "readme.txt", ".git/shuffle.c", "__MACOSX/shuffle.c")
    assert seen(tmp_path, two) == (BOTH, [f"The programs are in {below}."], [])


def test_each_program_may_have_a_folder_of_its_own(tmp_path, two):
    put(tmp_path, "one/shuffle.c", "two/deal.c")
    assert seen(tmp_path, two) == (BOTH, ["shuffle is in one.", "deal is in two."], [])


def test_a_program_that_is_there_twice_is_not_guessed(tmp_path, two):
    put(tmp_path, "a/shuffle.c", "b/shuffle.c", "b/deal.c", "b/old/deal.c")
    assert seen(tmp_path, two) == (
        {"deal": "deal.c"},
        ["The programs are in b."],
        ["Not handed in: shuffle is there 2 times, in a and b, and which of them counts is not known; hand in one."],
    )


def test_an_archive_in_the_folder_is_looked_into(tmp_path, two):
    packed(tmp_path / "ada.zip", "work/shuffle.c", "work/deal.c", "__MACOSX/work/._deal.c")
    assert seen(tmp_path, two) == (BOTH, ["The programs are in ada.zip, folder work."], [])


def test_an_archive_that_is_handed_in_is_the_folder(tmp_path, two):
    assert seen(packed(tmp_path / "ada.zip", "shuffle.c", "deal.c"), two) == (BOTH, [], [])
    assert seen(packed(tmp_path / "b.zip", "b/shuffle.c", "b/deal.c"), two) == (BOTH, ["The programs are in b."], [])


def test_an_archive_beside_the_programs_is_not_needed(tmp_path, two):
    put(tmp_path, "shuffle.c", "deal.c")
    (tmp_path / "old.zip").write_bytes(b"no archive at all")
    assert seen(tmp_path, two) == (BOTH, [], [])


def test_an_archive_that_cannot_be_unpacked_is_told(tmp_path, two):
    put(tmp_path, "shuffle.c")
    (tmp_path / "deal.zip").write_bytes(b"no archive at all")
    broken = "deal.zip is damaged or cut off: it cannot be unpacked."
    assert seen(tmp_path, two) == ({"shuffle": "shuffle.c"}, [], [f"{NO_DEAL} {broken}"])


def test_nothing_that_was_unpacked_is_left(tmp_path, two, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    for path in (packed(tmp_path / "a" / "a.zip", "shuffle.c"), put(tmp_path / "b", "x.txt"), tmp_path / "a"):
        seen(path, two)
    (tmp_path / "a" / "a.zip").write_bytes(b"")
    seen(tmp_path / "a", two)
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_file_is_the_program_that_it_is_called_after(tmp_path, two):
    put(tmp_path, "deal.c", "shuffle.c", "mine.c")
    assert seen(tmp_path / "deal.c", two)[0] == {"deal": "deal.c"}
    assert seen(tmp_path / "mine.c", two[:1])[0] == {"shuffle": "mine.c"}
    assert seen(tmp_path / "mine.c", two)[0] == {}


def test_folders_that_are_locked_or_linked_in_a_circle_cost_nothing(tmp_path, two):
    put(tmp_path, "src/shuffle.c", "src/deal.c")
    (tmp_path / "src" / "again").symlink_to(tmp_path)
    (tmp_path / "shuffle.c").mkdir()
    assert seen(tmp_path, two) == (BOTH, ["The programs are in src."], [])


def test_names_in_no_encoding_can_be_written(tmp_path, two):
    import os

    for name in (b"caf\xe9", b"th\xe9"):
        folder = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
        put(folder, "shuffle.c")
    put(folder, "deal.c")
    _, notes, missing = seen(tmp_path, two)
    assert notes == ["The programs are in th\ufffd."]
    assert missing == [
        "Not handed in: shuffle is there 2 times, in caf\ufffd and th\ufffd, and which of them counts is not known; hand in one."
    ]


def test_what_is_no_file_is_no_program(tmp_path, two):
    import os

    put(tmp_path, "src/shuffle.c")
    os.mkfifo(tmp_path / "Makefile")
    os.mkfifo(tmp_path / "deal.c")
    (tmp_path / "shuffle.c").symlink_to("shuffle.c")
    assert seen(tmp_path, two) == ({"shuffle": "shuffle.c"}, ["The programs are in src."], [NO_DEAL])


# A class


def class_of(folder, stages):
    found, where, others = submissions_in(folder, stages)
    return [str(path.relative_to(folder)) for path in found], where, others


def test_a_class_is_folders_and_archives_and_what_is_neither_is_listed(tmp_path, two):
    put(tmp_path, "ada/shuffle.c", "bob/src/shuffle.c", "empty/x.txt", "roster.csv", "stray.c", ".hidden/shuffle.c")
    packed(tmp_path / "cy.zip", "shuffle.c")
    assert class_of(tmp_path, two) == (["ada", "bob", "cy.zip", "empty"], "", ["roster.csv", "stray.c"])


def test_a_class_of_one_stage_may_be_files(tmp_path, two):
    put(tmp_path, "ada.c", "bob.py", "notes.txt")
    assert class_of(tmp_path, two[:1]) == (["ada.c", "bob.py"], "", ["notes.txt"])


def test_the_folder_above_a_class_is_the_class(tmp_path, two):
    put(tmp_path, "hw1/ada/shuffle.c", "hw1/bob/shuffle.c", "docs/readme.txt", "hw1/notes.txt")
    assert class_of(tmp_path, two) == (
        ["hw1/ada", "hw1/bob"], f"the submissions are in {tmp_path / 'hw1'}", ["notes.txt"],
    )  # fmt: skip


def refused(folder, stages):
    from harness.errors import UsageError

    with pytest.raises(UsageError) as error:
        submissions_in(folder, stages)
    return str(error.value)


def test_the_folder_above_several_classes_is_told(tmp_path, two):
    put(tmp_path, "a/ada/shuffle.c", "a/bob/shuffle.c", "b/cy/shuffle.c", "b/di/shuffle.c", "b/ed/shuffle.c")
    assert refused(tmp_path, two) == (
        f"{tmp_path}: this is not one class: there is a (2 submissions) and b (3 submissions); grade one of them"
    )


def test_a_folder_without_submissions_says_what_is_there(pitboss, tmp_path):
    put(tmp_path, "roster.csv", "a.txt")
    done = pitboss("grade", tmp_path)
    assert (done.code, done.err) == (
        2,
        f"pitboss: {tmp_path}: there is no submission in it — each is a folder or an archive of its own; there is "
        "a.txt and roster.csv\n",
    )


def test_a_folder_below_the_class_is_told(tmp_path, two):
    put(tmp_path, "ada/shuffle.c", "ada/lib/money.c")
    assert refused(tmp_path / "ada", two) == (
        f"{tmp_path}/ada: this is one submission and no class: its programs are right in it; give the folder that "
        f"ada is in, or check it: pitboss check {tmp_path}/ada"
    )


def test_one_who_has_two_versions_is_no_class(tmp_path, two):
    put(tmp_path, "ada/v1/shuffle.c", "ada/v2/shuffle.c", "bob/shuffle.c")
    assert class_of(tmp_path, two) == (["ada", "bob"], "", [])


def test_a_submission_is_called_by_its_name_without_an_ending(tmp_path):
    put(tmp_path, "ada/x", "bob.tar.gz", "cy.c", "ada.zip")
    names = [name_of(tmp_path / name) for name in ("ada", "bob.tar.gz", "cy.c", "ada.zip")]
    assert names == ["ada", "bob", "cy", "ada.zip"]


# What is told


def small_class(folder):
    put(folder, "right/src/teller.c", text=TELLER.read_text())
    packed(folder / "zipped.zip", "teller.c", text=TELLER.read_text())
    put(folder, "single.c", text=TELLER.read_text())
    put(folder, "twin.c", text="int helper;\n" + TELLER.read_text())
    put(folder, "other/notes.txt")
    (folder / "nothing" / ".git").mkdir(parents=True)
    (folder / "broken.zip").write_bytes(b"PK")
    put(folder, "roster.csv")


def test_every_word_is_told_everywhere(pitboss, tmp_path):
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
    assert "pitboss: not graded, since they are no submissions: roster.csv\n" in done.err
    rows = list(csv.DictReader(io.StringIO((tmp_path / "c.csv").read_text())))
    assert {row["submission"]: row["teller"] for row in rows} == verdicts
    report = json.loads((tmp_path / "c.json").read_text())
    assert {one["submission"]: one["stages"][0]["verdict"] for one in report["submissions"]} == verdicts
    assert report["faults"] == []
    lines = {
        line.split()[0]: line.split(maxsplit=1)[1].strip() for line in done.out.splitlines() if " " in line.strip()
    }
    assert {name: lines[name] for name in verdicts} == {
        "broken": "not handed in", "nothing": "empty", "other": "not handed in", "right": "accepted", "single": "accepted",
        "twin": "accepted", "zipped": "accepted",
    }  # fmt: skip
    told = "Not handed in: there is no teller.c, teller.cpp or the like, and no Makefile that makes teller."
    assert "right: The programs are in src.\n" in done.out
    assert f"broken: {told} broken.zip is damaged or cut off: it cannot be unpacked.\n" in done.out
    assert report["submissions"][3]["notes"] == ["The programs are in src."]
    assert "<p>The programs are in src.</p>" in (tmp_path / "pages" / "right.html").read_text()
    index = (tmp_path / "pages" / "index.html").read_text()
    assert index.count('class="NOT_HANDED_IN">not handed in<') == 2
    assert index.count('class="EMPTY">empty<') == 1
    assert "Empty: nothing was handed in." in (tmp_path / "pages" / "nothing.html").read_text()


def test_not_run_and_not_handed_in_are_different_words(pitboss, tmp_path):
    put(tmp_path, "betting.c")
    for name in ("shuffle.c", "deal.c"):
        shutil.copy(ADA / name, tmp_path)
    done = pitboss("check", tmp_path, "-a", "blackjack", "--json", "r.json", "--sandbox", "landlock")
    report = json.loads((tmp_path / "r.json").read_text())
    told = {stage["stage"]: (stage["verdict"], stage["summary"]) for stage in report["stages"]}
    assert done.code == 1
    assert told["shuffle"][0] == "ACCEPTED"
    assert told["play"] == (
        "NOT_HANDED_IN", "Not handed in: there is no play.c, play.cpp or the like, and no Makefile that makes play.",
    )  # fmt: skip
    assert told["betting"] == (
        "SKIPPED",
        "Not run: betting counts only when shuffle and deal and play are perfect, and play was not handed in.",
    )
    lines = [line.split() for line in done.out.splitlines()]
    assert ["play", "NOT_HANDED_IN"] in lines
    assert ["betting", "SKIPPED"] in lines


def test_every_verdict_has_a_word_and_a_line_in_the_documentation():
    documented = (ROOT / "docs" / "json.md").read_text()
    assert len(set(WORDS.values())) == len(Verdict)
    for verdict in Verdict:
        assert f"| `{verdict.value}` | {WORDS[verdict]} |" in documented


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda folder: folder.mkdir(), "it is empty"),
        (lambda folder: put(folder, "notes.txt", "main.c"), "there is main.c and notes.txt"),
    ],
    ids=["empty", "others"],
)
def test_check_says_what_it_found_instead(pitboss, tmp_path, make, sentence):
    make(tmp_path / "ada")
    done = pitboss("check", "ada", "play", "-a", "blackjack")
    start = "pitboss: ada: no program is here — a submission has files such as play.c or play.cpp"
    assert (done.code, done.err) == (2, f"{start}, or a Makefile that makes them; {sentence}\n")


def test_check_takes_a_file_an_archive_and_a_folder_too_high(pitboss, tmp_path):
    shutil.copy(ADA / "shuffle.c", tmp_path)
    packed(tmp_path / "ada.zip", "ada/shuffle.c", text=(ADA / "shuffle.c").read_text())
    put(tmp_path, "deep/er/shuffle.c", text=(ADA / "shuffle.c").read_text())
    put(tmp_path, "mine.c", text=(ADA / "shuffle.c").read_text())
    for words in (["shuffle.c"], ["ada.zip", "shuffle"], ["deep", "shuffle"], ["mine.c", "shuffle"]):
        done = pitboss("check", *words, "--seed", "1", "--sandbox", "landlock", "-a", "blackjack")
        assert (done.code, "shuffle  ACCEPTED  1 of 1" in done.out) == (0, True), (words, done)
    done = pitboss("check", "mine.c", "-a", "blackjack")
    assert done.err == (
        "pitboss: mine.c: no stage of blackjack is handed in as mine.c; name the one that it is of shuffle, deal, "
        "play, betting, errors, extra, as in pitboss check mine.c shuffle\n"
    )
    assert "The programs are in deep/er." not in done.out


def test_check_guesses_the_assignment_of_an_archive(pitboss, tmp_path):
    packed(tmp_path / "ada.zip", "x/bet.c", "x/shuffle.c", "x/betting.c", text=(ADA / "shuffle.c").read_text())
    done = pitboss("check", "ada.zip", "shuffle", "--seed", "1", "--sandbox", "landlock")
    assert (done.code, done.out.splitlines()[0]) == (0, "Blackjack, the seeded ladder: ada")
    assert "The programs are in x.\n" in done.out


def test_a_built_program_beside_its_source_is_a_stage(pitboss, tmp_path):
    shutil.copy(ADA / "shuffle.c", tmp_path)
    (tmp_path / "shuffle").write_bytes(b"\x7fELF")
    done = pitboss("check", "shuffle", "--seed", "1", "--sandbox", "landlock", "-a", "blackjack", cwd=tmp_path)
    assert done.code == 0, done
    done = pitboss("check", "shuffle", "--seed", "1", "--sandbox", "landlock", cwd=tmp_path)
    assert "this is a file" not in done.err


def spec_tests(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", "-rs", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_spec_files_are_those_of_the_submissions_assignment(tmp_path):
    shutil.copy(ADA / "shuffle.c", tmp_path)
    shutil.copy(ADA / "deal.c", tmp_path)
    done = spec_tests(
        "specs/blackjack", "specs/csc101", "specs/tournament", "--submission", tmp_path, "-k", "1 or busts"
    )
    assert done.returncode == 0, done.stdout
    assert " failed" not in done.stdout
    assert "Not handed in: there is no play.c, play.cpp or the like, and no Makefile that makes play." in done.stdout
    assert "csc101" not in done.stdout


def test_a_submission_of_nothing_known_is_told_before_any_test(tmp_path):
    done = spec_tests("specs/blackjack", "specs/csc101", "--submission", tmp_path)
    assert done.returncode == 4
    assert (
        f"ERROR: --submission: {tmp_path}: it has no program of any of these assignments; give the specs of one of "
        "specs/blackjack, specs/csc101\n"
    ) in done.stderr + done.stdout
