import json
import os
import shutil
import subprocess
import sys

import msgspec
import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.compare.results import Verdict
from pitboss.submissions.submission import open_submission
from tests.conftest import ROOT
from tests.handed_in import write_files, zip_same_text, zipped

ADA = ROOT / "examples" / "blackjack" / "ada"


def test_a_skipped_stage_differs_from_a_stage_that_was_not_handed_in(pitboss, tmp_path):
    write_files(tmp_path, "betting.c")
    for name in ("shuffle.c", "deal.c"):
        shutil.copy(ADA / name, tmp_path)
    done = pitboss("check", tmp_path, "-a", "blackjack", "--json", "r.json", "--sandbox", "landlock")
    report = json.loads((tmp_path / "r.json").read_text())
    stages = {stage["stage"]: (stage["verdict"], stage["summary"]) for stage in report["stages"]}
    assert done.code == 1
    assert stages["shuffle"][0] == "ACCEPTED"
    assert stages["play"] == (
        "NOT_HANDED_IN",
        "Not handed in: there is no play.c, play.cpp or the like, and no Makefile that makes play.",
    )
    assert stages["betting"] == (
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
def test_a_note_names_each_ignored_hidden_folder_with_sources(tmp_path, files, notes):
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write_files(tmp_path, name)
    stages = [load_assignment(ROOT / "specs" / "blackjack").stage("play")]
    with open_submission(tmp_path) as submission:
        assert submission.sources(stages)["play"] is not None
        assert submission.notes == notes


def test_a_submission_with_only_a_hidden_folder_is_described(tmp_path):
    (tmp_path / ".old").mkdir()
    write_files(tmp_path, ".old/play.c")
    with open_submission(tmp_path) as submission:
        assert (submission.is_empty, submission.content) == (True, "there is only .old, hidden because of the dot")


def test_every_verdict_has_its_own_words_and_is_documented():
    documented = (ROOT / "docs" / "json.md").read_text()
    assert len({verdict.words for verdict in Verdict}) == len(Verdict)
    for verdict in Verdict:
        assert f"| `{verdict.value}` | {verdict.words} |" in documented


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        (
            lambda folder: folder.mkdir(),
            "it is empty\nnext: save your first program as play.c, or begin with a skeleton and the handout:\n"
            "  pitboss starter blackjack --into NEW-FOLDER",
        ),
        (
            lambda folder: write_files(folder, "notes.txt", "main.c"),
            "there is main.c and notes.txt\nnext: name it play.c; or say which stage it is, as in\n"
            "  pitboss check ada/main.c play --assignment blackjack",
        ),
        (
            lambda folder: write_files(folder, "play.c.txt"),
            "there is play.c.txt. play.c.txt would be graded if it were named play.c\n"
            "next: give your file the expected name, as with\n  mv ada/play.c.txt ada/play.c",
        ),
        (
            lambda folder: write_files(folder, "play (1).c"),
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
            lambda folder: write_files(folder / "/".join("abcdefghij"), "play.c"),
            "its folders are more than 6 deep, and pitboss does not search below that\n"
            "next: save your first program as play.c, or begin with a skeleton and the handout:\n"
            "  pitboss starter blackjack --into NEW-FOLDER",
        ),
    ],
    ids=["empty", "others", "a suffix too many", "a second download", "compiled", "a document", "deep"],
)
def test_check_describes_a_submission_without_a_program(pitboss, tmp_path, prepare, sentence):
    prepare(tmp_path / "ada")
    done = pitboss("check", "ada", "play", "-a", "blackjack")
    start = "pitboss: ada: no program is here — a submission has files such as play.c or play.cpp"
    assert (done.code, done.err) == (2, f"{start}, or a Makefile that makes them; {sentence}\n")


def test_a_program_of_another_stage_is_not_reported_as_misnamed(tmp_path):
    write_files(tmp_path, "plays.c")
    play = load_assignment(ROOT / "specs" / "blackjack").stage("play")
    with open_submission(tmp_path) as submission:
        assert submission.reason_for_missing_program(play).endswith("plays.c would be graded if it were named play.c.")
        assert submission.sources([play, msgspec.structs.replace(play, name="plays")])["plays"] is not None
        assert submission.reason_for_missing_program(play).endswith("and no Makefile that makes play.")


@pytest.mark.parametrize(
    ("text", "is_empty"), [("", True), (" \n\t\n", True), ("x", False), ("\n" * 5000 + "x", False)]
)
@pytest.mark.parametrize("is_alone", [False, True])
def test_a_note_says_that_a_program_is_empty(tmp_path, text, is_empty, is_alone):
    (tmp_path / "play.c").write_text(text)
    play = load_assignment(ROOT / "specs" / "blackjack").stage("play")
    with open_submission(tmp_path / "play.c" if is_alone else tmp_path) as submission:
        assert submission.sources([play])["play"] is not None
        note = "play.c is empty: was it saved before it was handed in?"
        assert submission.notes == ([note] if is_empty else [])


def test_an_unreadable_folder_at_the_deepest_level_counts_as_empty(tmp_path, monkeypatch):
    deepest = tmp_path / "a/b/c/d/e/f"
    write_files(deepest / "g", "play.c")
    write_files(tmp_path, "notes.txt")
    with open_submission(tmp_path) as submission:
        sentence = "its folders are more than 6 deep, and pitboss does not search below that"
        assert submission.content == f"there is notes.txt; {sentence}"
        original_scandir = os.scandir

        def scandir(path):
            if path == deepest:
                raise PermissionError(13, "Permission denied")
            return original_scandir(path)

        monkeypatch.setattr(os, "scandir", scandir)
        assert submission.content == "there is notes.txt"


def test_check_of_two_programs_suggests_naming_one(pitboss, tmp_path):
    write_files(tmp_path / "ada" / "new", "play.c")
    write_files(tmp_path / "ada" / "old", "play.c")
    done = pitboss("check", "ada", "play", "-a", "blackjack")
    assert done.err.endswith(
        "hand in one.\nnext: hand in one of the programs; to check one, name its folder, as in\n"
        "  pitboss check ada/new play --assignment blackjack\n"
    )


def test_grade_says_which_file_should_be_renamed_as_check_does(pitboss, tmp_path):
    write_files(tmp_path / "class" / "ada", "shuffle.c.txt")
    write_files(tmp_path / "class" / "ben", "shuffle.c")
    (tmp_path / "class" / "ben" / "shuffle").write_bytes(b"\x7fELF\2\1\1\0")
    output = " ".join(pitboss("grade", "class", "-a", "blackjack").out.split())
    assert "Makefile that makes shuffle. shuffle.c.txt would be graded if it were named shuffle.c." in output
    assert "is a compiled program" not in output


def test_an_archive_in_an_archive_is_reported(pitboss, tmp_path):
    inner = zipped(tmp_path / "ada.zip", ("play.c", b"int main(void) { return 0; }"))
    zipped(tmp_path / "nested.zip", ("ada.zip", inner.read_bytes()))
    done = pitboss("check", "./nested.zip", "play", "-a", "blackjack")
    assert (
        "; there is ada.zip. ada.zip is an archive in an archive, which is not unpacked: hand it in separately"
        in done.err
    )


def test_check_accepts_a_file_an_archive_and_a_parent_folder(pitboss, tmp_path):
    shutil.copy(ADA / "shuffle.c", tmp_path)
    zip_same_text(tmp_path / "ada.zip", "ada/shuffle.c", text=(ADA / "shuffle.c").read_text())
    write_files(tmp_path, "deep/er/shuffle.c", text=(ADA / "shuffle.c").read_text())
    write_files(tmp_path, "mine.c", text=(ADA / "shuffle.c").read_text())
    for arguments in (["shuffle.c"], ["ada.zip", "shuffle"], ["deep", "shuffle"], ["mine.c", "shuffle"]):
        done = pitboss("check", *arguments, "--seed", "1", "--sandbox", "landlock", "-a", "blackjack")
        assert (done.code, "shuffle  accepted  1 of 1" in done.out) == (0, True), (arguments, done)
    done = pitboss("check", "mine.c", "-a", "blackjack")
    assert done.err == (
        "pitboss: mine.c: no stage of blackjack is handed in as mine.c; name one of shuffle, deal, "
        "play, betting, errors, extra, as in pitboss check mine.c shuffle\n"
    )
    assert done.out == ""


def test_check_guesses_the_assignment_of_an_archive(pitboss, tmp_path):
    zip_same_text(tmp_path / "ada.zip", "x/bet.c", "x/shuffle.c", "x/betting.c", text=(ADA / "shuffle.c").read_text())
    done = pitboss("check", "ada.zip", "shuffle", "--seed", "1", "--sandbox", "landlock")
    assert (done.code, done.out.splitlines()[0]) == (0, "Blackjack, the seeded ladder: ada — accepted")
    assert "The programs are in x.\n" in done.out


def test_a_stage_name_is_not_taken_for_the_built_program_beside_it(pitboss, tmp_path):
    shutil.copy(ADA / "shuffle.c", tmp_path)
    (tmp_path / "shuffle").write_bytes(b"\x7fELF")
    done = pitboss("check", "shuffle", "--seed", "1", "--sandbox", "landlock", "-a", "blackjack", cwd=tmp_path)
    assert done.code == 0, done
    done = pitboss("check", "shuffle", "--seed", "1", "--sandbox", "landlock", cwd=tmp_path)
    assert "this is a file" not in done.err


def run_spec_tests(*arguments):
    """Run pytest with these arguments, which name spec files, as an instructor would."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", "-rs", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_only_the_specs_of_the_assignment_of_the_submission_are_run(tmp_path):
    shutil.copy(ADA / "shuffle.c", tmp_path)
    shutil.copy(ADA / "deal.c", tmp_path)
    done = run_spec_tests(
        "specs/blackjack", "specs/csc101", "specs/tournament", "--submission", tmp_path, "-k", "1 or busts"
    )
    assert done.returncode == 0, done.stdout
    assert " failed" not in done.stdout
    assert "Not handed in: there is no play.c, play.cpp or the like, and no Makefile that makes play." in done.stdout
    assert "csc101" not in done.stdout


def test_a_submission_of_no_given_assignment_is_rejected_before_tests(tmp_path):
    done = run_spec_tests("specs/blackjack", "specs/csc101", "--submission", tmp_path)
    assert done.returncode == 4
    assert (
        f"ERROR: --submission: {tmp_path}: it has no program of any of these assignments; give the specs of one of "
        "specs/blackjack, specs/csc101\n"
    ) in done.stderr + done.stdout


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o700])
def test_a_program_that_only_its_owner_can_read_is_run(pitboss, tmp_path, mode):
    """If pitboss runs as root, programs run as another user, who must be able to read them in spite of this mode."""
    program = tmp_path / "ada" / "describe.py"
    shutil.copytree(ROOT / "examples" / "assignments" / "statistics" / "submissions" / "right-library", program.parent)
    program.chmod(mode)
    program.parent.chmod(0o700)
    done = pitboss("check", "ada", "describe", "-a", ROOT / "examples" / "assignments" / "statistics")
    assert (done.code, done.err) == (0, "")
