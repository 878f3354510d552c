import json
import shutil

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.authors import load_error
from tests.conftest import ROOT

BUILT = ROOT / "tests" / "submissions" / "ece2036" / "built"
#: Submissions of the quick tests; the others build several times or test the same code again.
QUICK = {"makefile", "old_main", "other_letter_case", "own_style", "sources_alone"}
FOLDERS = sorted(path.parent for path in BUILT.glob("*/made.yaml"))

pytestmark = pytest.mark.needs("C++")


@pytest.fixture(scope="module")
def ece2036():
    return load_assignment(ROOT / "specs" / "ece2036")


def write_submission(folder, into):
    """Copy a submission and the files that it takes from elsewhere, apply its edits, and return its made.yaml."""
    expected = yaml.safe_load((folder / "made.yaml").read_text())
    shutil.copytree(folder, into, ignore=shutil.ignore_patterns("made.yaml"))
    for name, origin in (expected["takes"] or {}).items():
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / origin if (ROOT / origin).is_file() else BUILT / origin, into / name)
    for name, old, new in expected.get("edits", ()):
        text = (into / name).read_text()
        assert old in text
        (into / name).write_text(text.replace(old, new.replace("\\n", "\n")))
    return expected


def check_one_case(assignment, folder):
    """The report of the first stage; one case is enough to show that the program works."""
    job = Job(assignment, assignment.stages[:1], find_conditions(), assignment.name, only=("hit below 17",))
    report = check(job, folder, cores=1)
    assert report.faults == ()
    return report.stages[0]


@pytest.mark.parametrize(
    "folder",
    [pytest.param(path, marks=[] if path.name in QUICK else [pytest.mark.slow], id=path.name) for path in FOLDERS],
)
def test_a_submission_is_built_with_the_expected_course_files(ece2036, tmp_path, folder):
    expected = write_submission(folder, tmp_path / "in")
    stage = check_one_case(ece2036, tmp_path / "in")
    assert (stage.verdict.value, stage.made_with) == (expected["verdict"], expected["made_with"])
    if stage.verdict is Verdict.COMPILE_ERROR:
        assert stage.summary == expected["says"]


def write_course_files(folder, *omitted, **added):
    """Write the course files of another instructor, some omitted and some added (`a_h` adds the file a.h)."""
    folder.mkdir()
    for name in ("Card.h", "Hand.h", "Blackjack.h", "main.cpp"):
        if name not in omitted:
            shutil.copy(BUILT / "own_style" / name, folder / name)
    for name, text in added.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def write_student_files(folder):
    folder.mkdir()
    for name in ("Card.cpp", "Hand.cpp", "Blackjack.cpp"):
        shutil.copy(BUILT / "own_style" / name, folder / name)
    return folder


#: Options that check one session in which the program is given these lines.
GAME = ("-a", "ece2036", "--answers", "50,s,0")


def test_the_given_option_replaces_the_course_files_of_the_assignment(pitboss, tmp_path):
    write_course_files(tmp_path / "headers")
    write_student_files(tmp_path / "ada")
    default_check = pitboss("check", "ada", "blackjack", *GAME)
    assert (default_check.code, "compile error" in default_check.out) == (1, True)
    sentence = "Tried with the course's files of ece2036/given. If the course provided other files, name their"
    assert sentence in " ".join(default_check.out.split())
    done = pitboss("check", "ada", "blackjack", *GAME, "--given", "headers", "--details", "--json", "r.json")
    assert done.code == 0, done.out
    assert "Built with the course's files of headers." in done.out
    (stage,) = json.loads((tmp_path / "r.json").read_text())["stages"]
    assert stage["build"]["made_with"] == "Built with the course's files of headers."


@pytest.mark.slow
def test_a_given_folder_for_one_stage_is_used_for_that_stage_only(pitboss, tmp_path):
    write_course_files(tmp_path / "headers")
    write_student_files(tmp_path / "ada")
    done = pitboss("check", "ada", *GAME, "--given", "double=headers", "--json", "r.json")
    assert done.code == 1
    stages = json.loads((tmp_path / "r.json").read_text())["stages"]
    assert [stage["verdict"] == "COMPILE_ERROR" for stage in stages] == [True, False, True]
    assert stages[1]["build"]["made_with"] == "Built with the course's files of headers."


@pytest.mark.slow
def test_commands_suggested_by_reports_repeat_the_given_option(pitboss, tmp_path):
    write_course_files(tmp_path / "our headers")
    (tmp_path / "class").mkdir()
    write_student_files(tmp_path / "class" / "ada")
    source = tmp_path / "class" / "ada" / "Blackjack.cpp"
    source.write_text(source.read_text().replace("Dealer's first", "The dealer's first"))
    done = pitboss("grade", "class", "blackjack", "-a", "ece2036", "--given", "our headers", "--json", "r.json")
    assert done.code == 1, done.err
    (report,) = json.loads((tmp_path / "r.json").read_text())["submissions"]
    result = report["results"][0]
    option = "--assignment ece2036 --given 'our headers'"
    assert result["replay"] == f"pitboss check class/ada blackjack {option} --case 'hit below 17 #1'"
    recheck = pitboss("check", "class/ada", "blackjack", *GAME, "--given", "our headers", "--details")
    assert f"pitboss hunt class/ada blackjack {option}" in recheck.out


#: The value of --given, the files omitted from the folder `there`, those added to it, and the error.
ERRORS = {
    "no folder": ("headers", (), {}, "--given headers: there is no such folder"),
    "a file": (
        "Card.h",
        (),
        {},
        "--given Card.h: this is a file; give the folder of the files that the course provides",
    ),
    "empty": (
        "there",
        ("Card.h", "Hand.h", "Blackjack.h", "main.cpp"),
        {},
        "--given there: there is no Blackjack.h and no Card.h and no Hand.h and no main.cpp in it, and blackjack is "
        "built with Blackjack.h, Card.h, Hand.h and main.cpp; it is empty",
    ),
    "a file is missing": (
        "there",
        ("Hand.h",),
        {},
        "--given there: there is no Hand.h in it, and blackjack is built with Blackjack.h, Card.h, Hand.h and "
        "main.cpp; there is Blackjack.h, Card.h and main.cpp",
    ),
    "other names": (
        "there",
        ("Hand.h", "Card.h"),
        {"card_h": "", "Hands_h": ""},
        "--given there: there is no Card.h and no Hand.h in it, and blackjack is built with Blackjack.h, Card.h, "
        "Hand.h and main.cpp; there is Blackjack.h, Hands.h, card.h and main.cpp; names are case-sensitive",
    ),
    "a solution in it": (
        "there",
        (),
        {"Card_cpp": "", "Hand_cpp": ""},
        "--given there: students submit Card.cpp and Hand.cpp, which are in this folder; give a folder with only "
        "the files that the course provides",
    ),
    "two programs": (
        "there",
        (),
        {"test_cpp": "int main() { return 0; }\n"},
        "--given there: main.cpp and test.cpp define main, and a program has only one main",
    ),
    "no such stage": (
        "blakjack=there",
        (),
        {},
        "--given blakjack=there: ece2036 has no stage 'blakjack' — stages with files that the course provides are "
        "blackjack, double and split; did you mean 'blackjack'?",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_unsuitable_given_folder_is_rejected(pitboss, tmp_path, name):
    value, omitted, added, message = ERRORS[name]
    (tmp_path / "Card.h").write_text("")
    write_course_files(tmp_path / "there", *omitted, **added)
    write_student_files(tmp_path / "ada")
    done = pitboss("check", "ada", "-a", "ece2036", "--given", value)
    assert (done.code, done.err) == (2, f"pitboss: {message}\n")


def test_a_repeated_or_useless_given_option_is_rejected(pitboss, tmp_path):
    write_course_files(tmp_path / "a")
    done = pitboss("check", "-a", "ece2036", "--given", "a", "--given", "a")
    assert done.err == "pitboss: --given a: a folder is given already: a\n"
    done = pitboss("check", "-a", "ece2036", "--given", "split=a", "--given", "split=a")
    assert done.err == "pitboss: --given split=a: a folder is given already for split: a\n"
    done = pitboss("check", "-a", "blackjack", "--given", "a")
    assert done.err == "pitboss: --given: blackjack has no stage with files that the course provides\n"


def test_an_assignment_may_not_provide_a_file_that_students_submit(tmp_path):
    shutil.copytree(ROOT / "specs" / "ece2036", tmp_path / "lab")
    (tmp_path / "lab" / "given" / "Hand.cpp").write_text("")
    lines = (tmp_path / "lab" / "assignment.yaml").read_text().splitlines()
    assert load_error(tmp_path / "lab") == (
        f"{tmp_path}/lab/assignment.yaml:{lines.index('given: given') + 1}: given has Hand.cpp, which is under sources too — "
        "submissions contain that file"
    )
