"""Programs of which a course gives files: which are used, the course's or the submission's own, and what is said of it."""

import json
import shutil

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.authors import refusal
from tests.conftest import ROOT

BUILT = ROOT / "tests" / "submissions" / "ece2036" / "built"
#: The others build several times, or with the same parts of the code.
QUICK = {"makefile", "old_main", "other_letter_case", "own_style", "sources_alone"}
FOLDERS = sorted(path.parent for path in BUILT.glob("*/made.yaml"))

pytestmark = pytest.mark.needs("C++")


@pytest.fixture(scope="module")
def ece2036():
    return load_assignment(ROOT / "specs" / "ece2036")


def handed_in(folder, into):
    """A submission: the files of its folder, and those that it takes from elsewhere, edited."""
    output = yaml.safe_load((folder / "made.yaml").read_text())
    shutil.copytree(folder, into, ignore=shutil.ignore_patterns("made.yaml"))
    for name, origin in (output["takes"] or {}).items():
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / origin if (ROOT / origin).is_file() else BUILT / origin, into / name)
    for name, old, new in output.get("edits", ()):
        text = (into / name).read_text()
        assert old in text
        (into / name).write_text(text.replace(old, new.replace("\\n", "\n")))
    return output


def checked(assignment, folder):
    """The stage's report; a case alone shows that it can be played."""
    job = Job(assignment, assignment.stages[:1], find_conditions(), assignment.name, only=("hit below 17",))
    report = check(job, folder, count=1)
    assert report.faults == ()
    return report.stages[0]


@pytest.mark.parametrize(
    "folder",
    [pytest.param(path, marks=[] if path.name in QUICK else [pytest.mark.slow], id=path.name) for path in FOLDERS],
)
def test_a_submission_is_built_with_what_belongs_to_it(ece2036, tmp_path, folder):
    output = handed_in(folder, tmp_path / "in")
    stage = checked(ece2036, tmp_path / "in")
    assert (stage.verdict.value, stage.made_with) == (output["verdict"], output["made_with"])
    if stage.verdict is Verdict.COMPILE_ERROR:
        assert stage.summary == output["says"]


def course(folder, *without, **more):
    """A folder of what the course gives: classes of another instructor, without some files and with more."""
    folder.mkdir()
    for name in ("Card.h", "Hand.h", "Blackjack.h", "main.cpp"):
        if name not in without:
            shutil.copy(BUILT / "own_style" / name, folder / name)
    for name, text in more.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def students(folder):
    """What a student of that instructor hands in."""
    folder.mkdir()
    for name in ("Card.cpp", "Hand.cpp", "Blackjack.cpp"):
        shutil.copy(BUILT / "own_style" / name, folder / name)
    return folder


GAME = ("-a", "ece2036", "--answers", "50,s,0")


def test_the_instructors_own_files_take_the_place_of_the_assignments(pitboss, tmp_path):
    course(tmp_path / "headers")
    students(tmp_path / "ada")
    without = pitboss("check", "ada", "blackjack", *GAME)
    assert (without.code, "compile error" in without.out) == (1, True)
    tried = "Tried with the course's files of ece2036/given. If the course provided other files, name their"
    assert tried in " ".join(without.out.split())
    done = pitboss("check", "ada", "blackjack", *GAME, "--given", "headers", "--details", "--json", "r.json")
    assert done.code == 0, done.out
    assert "Built with the course's files of headers." in done.out
    (stage,) = json.loads((tmp_path / "r.json").read_text())["stages"]
    assert stage["build"]["made_with"] == "Built with the course's files of headers."


@pytest.mark.slow
def test_a_folder_for_one_stage_is_used_for_that_stage_alone(pitboss, tmp_path):
    course(tmp_path / "headers")
    students(tmp_path / "ada")
    done = pitboss("check", "ada", *GAME, "--given", "double=headers", "--json", "r.json")
    assert done.code == 1
    stages = json.loads((tmp_path / "r.json").read_text())["stages"]
    assert [one["verdict"] == "COMPILE_ERROR" for one in stages] == [True, False, True]
    assert stages[1]["build"]["made_with"] == "Built with the course's files of headers."


@pytest.mark.slow
def test_a_class_is_graded_and_a_session_run_again_with_the_same_files(pitboss, tmp_path):
    course(tmp_path / "our headers")
    (tmp_path / "class").mkdir()
    students(tmp_path / "class" / "ada")
    wrong = tmp_path / "class" / "ada" / "Blackjack.cpp"
    wrong.write_text(wrong.read_text().replace("Dealer's first", "The dealer's first"))
    done = pitboss("grade", "class", "blackjack", "-a", "ece2036", "--given", "our headers", "--json", "r.json")
    assert done.code == 1, done.err
    (report,) = json.loads((tmp_path / "r.json").read_text())["submissions"]
    first = report["results"][0]
    option = "--assignment ece2036 --given 'our headers'"
    assert first["replay"] == f"pitboss check class/ada blackjack {option} --case 'hit below 17 #1'"
    again = pitboss("check", "class/ada", "blackjack", *GAME, "--given", "our headers", "--details")
    assert f"pitboss hunt class/ada blackjack {option}" in again.out


ERRORS = {
    "no folder": ("headers", {}, "--given headers: there is no such folder"),
    "a file": ("Card.h", {}, "--given Card.h: this is a file; give the folder of the files that the course provides"),
    "empty": (
        "there",
        {"without": ("Card.h", "Hand.h", "Blackjack.h", "main.cpp")},
        "--given there: there is no Blackjack.h and no Card.h and no Hand.h and no main.cpp in it, and blackjack is "
        "built with Blackjack.h, Card.h, Hand.h and main.cpp; it is empty",
    ),
    "a file lacks": (
        "there",
        {"without": ("Hand.h",)},
        "--given there: there is no Hand.h in it, and blackjack is built with Blackjack.h, Card.h, Hand.h and "
        "main.cpp; there is Blackjack.h, Card.h and main.cpp",
    ),
    "other names": (
        "there",
        {"without": ("Hand.h", "Card.h"), "card_h": "", "Hands_h": ""},
        "--given there: there is no Card.h and no Hand.h in it, and blackjack is built with Blackjack.h, Card.h, "
        "Hand.h and main.cpp; there is Blackjack.h, Hands.h, card.h and main.cpp; names are case-sensitive",
    ),
    "a solution in it": (
        "there",
        {"Card_cpp": "", "Hand_cpp": ""},
        "--given there: Card.cpp and Hand.cpp are in it, which students submit; give a folder with only "
        "the files that the course provides",
    ),
    "two programs": (
        "there",
        {"test_cpp": "int main() { return 0; }\n"},
        "--given there: main.cpp and test.cpp define main, and a program has one",
    ),
    "no such stage": (
        "blakjack=there",
        {},
        "--given blakjack=there: ece2036 has no stage 'blakjack' — stages with files that the course provides are "
        "blackjack, double and split; did you mean 'blackjack'?",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_a_folder_that_does_not_hold_what_the_course_gives_is_refused(pitboss, tmp_path, name):
    word, more, message = ERRORS[name]
    (tmp_path / "Card.h").write_text("")
    course(tmp_path / "there", *more.pop("without", ()), **more)
    students(tmp_path / "ada")
    done = pitboss("check", "ada", "-a", "ece2036", "--given", word)
    assert (done.code, done.err) == (2, f"pitboss: {message}\n")


def test_a_folder_cannot_be_named_twice_or_for_a_course_that_gives_nothing(pitboss, tmp_path):
    course(tmp_path / "a")
    done = pitboss("check", "-a", "ece2036", "--given", "a", "--given", "a")
    assert done.err == "pitboss: --given a: a folder is given already: a\n"
    done = pitboss("check", "-a", "ece2036", "--given", "split=a", "--given", "split=a")
    assert done.err == "pitboss: --given split=a: a folder is given already for split: a\n"
    done = pitboss("check", "-a", "blackjack", "--given", "a")
    assert done.err == "pitboss: --given: blackjack has no stage with files that the course provides\n"


def test_the_assignments_own_folder_has_nothing_that_a_submission_brings(tmp_path):
    shutil.copytree(ROOT / "specs" / "ece2036", tmp_path / "lab")
    (tmp_path / "lab" / "given" / "Hand.cpp").write_text("")
    lines = (tmp_path / "lab" / "assignment.yaml").read_text().splitlines()
    assert refusal(tmp_path / "lab") == (
        f"{tmp_path}/lab/assignment.yaml:{lines.index('given: given') + 1}: given has Hand.cpp, which is under sources too — "
        "submissions bring that file"
    )
