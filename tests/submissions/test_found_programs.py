"""What commands say of the programs that they found, and of those that are not there."""

import json
import os
import shutil
import subprocess
import sys

import msgspec
import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.compare.verdicts import Verdict
from pitboss.submissions.submission import open_submission
from tests.conftest import ROOT
from tests.handed_in import packed, put, zipped

ADA = ROOT / "examples" / "blackjack" / "ada"


def test_not_run_and_not_handed_in_are_different_words(pitboss, tmp_path):
    put(tmp_path, "betting.c")
    for name in ("shuffle.c", "deal.c"):
        shutil.copy(ADA / name, tmp_path)
    done = pitboss("check", tmp_path, "-a", "blackjack", "--json", "r.json", "--sandbox", "landlock")
    report = json.loads((tmp_path / "r.json").read_text())
    output = {stage["stage"]: (stage["verdict"], stage["summary"]) for stage in report["stages"]}
    assert done.code == 1
    assert output["shuffle"][0] == "ACCEPTED"
    assert output["play"] == (
        "NOT_HANDED_IN",
        "Not handed in: there is no play.c, play.cpp or the like, and no Makefile that makes play.",
    )
    assert output["betting"] == (
        "SKIPPED",
        "Skipped: betting counts only when shuffle, deal and play are accepted, and play was not handed in.",
    )
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert [line for line in lines if line.startswith(("play", "betting"))][:2] == [
        "play not handed in no play.c, play.cpp or the like, and no M…",
        "betting skipped betting counts only when shuffle, deal and",
    ]


@pytest.mark.parametrize(
    ("files", "notes"),
    [
        (["play.c", ".old/play.c"], [".old was ignored, since its name begins with a dot."]),
        (
            ["src/play.c", "src/.a/in/play.c", ".b/Makefile"],
            ["The programs are in src.", ".b and src/.a were ignored, since their names begin with a dot."],
        ),
        (["play.c", ".vscode/x.c", ".old/notes.txt", ".play.c"], []),
    ],
)
def test_a_hidden_folder_with_sources_is_not_passed_over_without_a_word(tmp_path, files, notes):
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        put(tmp_path, name)
    stages = [load_assignment(ROOT / "specs" / "blackjack").stage("play")]
    with open_submission(tmp_path) as submission:
        assert submission.sources(stages)["play"] is not None
        assert submission.notes == notes


def test_a_submission_of_hidden_folders_is_not_just_empty(tmp_path):
    (tmp_path / ".old").mkdir()
    put(tmp_path, ".old/play.c")
    with open_submission(tmp_path) as submission:
        assert (submission.is_empty, submission.content) == (True, "there is only .old, hidden because of the dot")


def test_every_verdict_has_a_word_and_a_line_in_the_documentation():
    documented = (ROOT / "docs" / "json.md").read_text()
    assert len({verdict.words for verdict in Verdict}) == len(Verdict)
    for verdict in Verdict:
        assert f"| `{verdict.value}` | {verdict.words} |" in documented


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda folder: folder.mkdir(),
            "it is empty\nnext: save your first program as play.c, or begin with a skeleton and the handout:\n"
            "  pitboss starter blackjack --into NEW-FOLDER",
        ),
        (
            lambda folder: put(folder, "notes.txt", "main.c"),
            "there is main.c and notes.txt\nnext: name it play.c; or say which stage it is, as in\n"
            "  pitboss check ada/main.c play --assignment blackjack",
        ),
        (
            lambda folder: put(folder, "play.c.txt"),
            "there is play.c.txt. play.c.txt would be graded if it were named play.c\n"
            "next: give it the expected name, as with\n  mv ada/play.c.txt ada/play.c",
        ),
        (
            lambda folder: put(folder, "play (1).c"),
            "there is play (1).c. play (1).c would be graded if it were named play.c\n"
            "next: name it play.c; or say which stage it is, as in\n"
            "  pitboss check 'ada/play (1).c' play --assignment blackjack",
        ),
        (
            lambda folder: (folder.mkdir(), (folder / "a.out").write_bytes(b"\x7fELF\2\1\1\0")),
            "there is a.out. a.out is a compiled program: the source that it was made from is missing\n"
            "next: save your first program as play.c, or begin with a skeleton and the handout:\n"
            "  pitboss starter blackjack --into NEW-FOLDER",
        ),
        (
            lambda folder: (folder.mkdir(), (folder / "work.odt").write_bytes(b"PK\3\4\0\0\0\0")),
            "there is work.odt. work.odt is a document, not a program: save its text as play.c\n"
            "next: save your first program as play.c, or begin with a skeleton and the handout:\n"
            "  pitboss starter blackjack --into NEW-FOLDER",
        ),
        (
            lambda folder: put(folder / "/".join("abcdefghij"), "play.c"),
            "its folders are more than 6 deep, and pitboss does not search below that\n"
            "next: save your first program as play.c, or begin with a skeleton and the handout:\n"
            "  pitboss starter blackjack --into NEW-FOLDER",
        ),
    ],
    ids=["empty", "others", "a suffix too many", "a second download", "compiled", "a document", "deep"],
)
def test_check_says_what_it_found_instead(pitboss, tmp_path, make, sentence):
    make(tmp_path / "ada")
    done = pitboss("check", "ada", "play", "-a", "blackjack")
    start = "pitboss: ada: no program is here — a submission has files such as play.c or play.cpp"
    assert (done.code, done.err) == (2, f"{start}, or a Makefile that makes them; {sentence}\n")


def test_a_program_of_another_stage_is_not_misnamed(tmp_path):
    put(tmp_path, "plays.c")
    play = load_assignment(ROOT / "specs" / "blackjack").stage("play")
    with open_submission(tmp_path) as submission:
        assert submission.missing(play).endswith("plays.c would be graded if it were named play.c.")
        assert submission.sources([play, msgspec.structs.replace(play, name="plays")])["plays"] is not None
        assert submission.missing(play).endswith("and no Makefile that makes play.")


@pytest.mark.parametrize(
    ("text", "is_empty"), [("", True), (" \n\t\n", True), ("x", False), ("\n" * 5000 + "x", False)]
)
@pytest.mark.parametrize("is_alone", [False, True])
def test_an_empty_program_is_said_to_be_empty(tmp_path, text, is_empty, is_alone):
    (tmp_path / "play.c").write_text(text)
    play = load_assignment(ROOT / "specs" / "blackjack").stage("play")
    with open_submission(tmp_path / "play.c" if is_alone else tmp_path) as submission:
        assert submission.sources([play])["play"] is not None
        assert submission.notes == ["play.c is empty: was it saved before it was handed in?"] * is_empty


def test_a_folder_at_the_deepest_level_that_cannot_be_read_is_empty(tmp_path, monkeypatch):
    deepest = tmp_path / "a/b/c/d/e/f"
    put(deepest / "g", "play.c")
    put(tmp_path, "notes.txt")
    with open_submission(tmp_path) as submission:
        deep = "its folders are more than 6 deep, and pitboss does not search below that"
        assert submission.content == f"there is notes.txt; {deep}"
        read = os.scandir

        def scandir(path):
            if path == deepest:
                raise PermissionError(13, "Permission denied")
            return read(path)

        monkeypatch.setattr(os, "scandir", scandir)
        assert submission.content == "there is notes.txt"


def test_of_two_programs_the_next_step_is_to_name_one(pitboss, tmp_path):
    put(tmp_path / "ada" / "new", "play.c")
    put(tmp_path / "ada" / "old", "play.c")
    done = pitboss("check", "ada", "play", "-a", "blackjack")
    assert done.err.endswith(
        "hand in one.\nnext: hand in one of them; to check one, name its folder, as in\n"
        "  pitboss check ada/new play --assignment blackjack\n"
    )


def test_a_class_is_reported_what_is_there_instead_as_a_student_is(pitboss, tmp_path):
    put(tmp_path / "class" / "ada", "shuffle.c.txt")
    put(tmp_path / "class" / "ben", "shuffle.c")
    (tmp_path / "class" / "ben" / "shuffle").write_bytes(b"\x7fELF\2\1\1\0")
    output = " ".join(pitboss("grade", "class", "-a", "blackjack").out.split())
    assert "Makefile that makes shuffle. shuffle.c.txt would be graded if it were named shuffle.c." in output
    assert "is a compiled program" not in output


def test_an_archive_in_an_archive_is_reported_as_that(pitboss, tmp_path):
    inner = zipped(tmp_path / "ada.zip", ("play.c", b"int main(void) { return 0; }"))
    zipped(tmp_path / "nested.zip", ("ada.zip", inner.read_bytes()))
    done = pitboss("check", "./nested.zip", "play", "-a", "blackjack")
    assert (
        "; there is ada.zip. ada.zip is an archive in an archive, which is not unpacked: hand it in separately"
        in done.err
    )


def test_check_takes_a_file_an_archive_and_a_folder_too_high(pitboss, tmp_path):
    shutil.copy(ADA / "shuffle.c", tmp_path)
    packed(tmp_path / "ada.zip", "ada/shuffle.c", text=(ADA / "shuffle.c").read_text())
    put(tmp_path, "deep/er/shuffle.c", text=(ADA / "shuffle.c").read_text())
    put(tmp_path, "mine.c", text=(ADA / "shuffle.c").read_text())
    for words in (["shuffle.c"], ["ada.zip", "shuffle"], ["deep", "shuffle"], ["mine.c", "shuffle"]):
        done = pitboss("check", *words, "--seed", "1", "--sandbox", "landlock", "-a", "blackjack")
        assert (done.code, "shuffle  accepted  1 of 1" in done.out) == (0, True), (words, done)
    done = pitboss("check", "mine.c", "-a", "blackjack")
    assert done.err == (
        "pitboss: mine.c: no stage of blackjack is handed in as mine.c; name one of shuffle, deal, "
        "play, betting, errors, extra, as in pitboss check mine.c shuffle\n"
    )
    assert "The programs are in deep/er." not in done.out


def test_check_guesses_the_assignment_of_an_archive(pitboss, tmp_path):
    packed(tmp_path / "ada.zip", "x/bet.c", "x/shuffle.c", "x/betting.c", text=(ADA / "shuffle.c").read_text())
    done = pitboss("check", "ada.zip", "shuffle", "--seed", "1", "--sandbox", "landlock")
    assert (done.code, done.out.splitlines()[0]) == (0, "Blackjack, the seeded ladder: ada — accepted")
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
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


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


def test_a_submission_of_nothing_known_is_reported_before_any_test(tmp_path):
    done = spec_tests("specs/blackjack", "specs/csc101", "--submission", tmp_path)
    assert done.returncode == 4
    assert (
        f"ERROR: --submission: {tmp_path}: it has no program of any of these assignments; give the specs of one of "
        "specs/blackjack, specs/csc101\n"
    ) in done.stderr + done.stdout


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o700])
def test_a_program_that_only_its_owner_may_read_is_run(pitboss, tmp_path, mode):
    """As root, programs run as another user, who has to read what an archive has closed to others."""
    program = tmp_path / "ada" / "describe.py"
    shutil.copytree(ROOT / "examples" / "assignments" / "statistics" / "submissions" / "right-library", program.parent)
    program.chmod(mode)
    program.parent.chmod(0o700)
    done = pitboss("check", "ada", "describe", "-a", ROOT / "examples" / "assignments" / "statistics")
    assert (done.code, done.err) == (0, "")
