"""Known mistakes in folders: each has a program in the language of the course, or a patch of the reference."""

import re
import zipfile

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.cli.main import exit_code_of
from pitboss.errors import SpecError
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.programs import mistake_programs, running
from pitboss.experiments.programs.mistake_programs import folder_mistakes, unused_folder_sentences
from pitboss.kits.verification import ignored_draws_sentences
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions import reference_source
from tests.experiments.programs.conftest import ASSIGNMENT, LOTTERY, SPEC, diff

#: The lottery without points for the bonus, with one point for it instead of two, and with 0 as a valid number.
NO_BONUS = LOTTERY.replace("points += 2", "points += 0")
BONUS_ONCE = LOTTERY.replace("points += 2", "points++")
ZERO_ALLOWED = LOTTERY.replace("number < 1", "number < 0")


@pytest.fixture
def mistaken_lottery(lottery):
    """The lottery with a mistake of each kind."""
    lottery.add_mistake("forgets-the-bonus", lottery_c=NO_BONUS)
    lottery.add_mistake("bonus-once", change_patch=diff(LOTTERY, BONUS_ONCE))
    return lottery


def hand_in(folder, text, name="lottery.c"):
    """Write a file of a submission; returns the submission's folder."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder


def named_mistakes(done):
    """The mistakes that the output of `check` names."""
    return re.findall(r"(?:likely|possible) mistake: (.*?) \(", done.out)


def test_a_submission_that_behaves_like_a_mistake_gets_its_title(mistaken_lottery, pitboss, tmp_path):
    for source, is_wrong, names in (
        (NO_BONUS, True, ["forgets-the-bonus"]),
        (BONUS_ONCE, True, ["bonus-once"]),
        (ZERO_ALLOWED, False, []),  # no case types a 0
    ):
        # The comment makes the source differ from the mistake's: only behaviour is compared.
        done = pitboss("check", hand_in(tmp_path / "ada", f"// mine\n{source}"), "-a", mistaken_lottery.folder)
        assert (named_mistakes(done), "wrong answer" in done.out) == (names, is_wrong), done.out


def test_a_diagnosis_has_the_words_of_its_mistake(lottery, tmp_path):
    words = "title: the bonus is forgotten\nhint: What does the bonus add?\nnote: Adds nothing.\nsource: seen in 2025\n"
    lottery.add_mistake("forgets-the-bonus", words=words, lottery_c=NO_BONUS)
    assignment = load_assignment(lottery.folder)
    job = Job(assignment, assignment.stages, find_conditions(), "lottery")
    (stage,) = check(job, hand_in(tmp_path / "ada", NO_BONUS), cores=1).stages
    (diagnosis,) = stage.diagnosis
    assert (diagnosis.id, diagnosis.title, diagnosis.hint, diagnosis.note) == (
        "forgets-the-bonus",
        "the bonus is forgotten",
        "What does the bonus add?",
        "Adds nothing.",
    )


def test_verify_reports_the_mistakes_that_no_session_shows(mistaken_lottery, pitboss):
    mistaken_lottery.add_mistake(
        "zero-allowed",
        words="title: zero is a number\nhint: Which are there?\n",
        change_patch=diff(LOTTERY, ZERO_ALLOWED),
    )
    done = pitboss("verify", "-a", mistaken_lottery.folder)
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "lottery: all 2 recorded cases match the reference\n"
        "lottery lottery: 2 of 3 known mistakes are caught\n"
        "  case 'no hit' catches no known mistake\n"
        "  case 'the end' catches no known mistake\n"
        "  zero-allowed (zero is a number) is not caught\n"
        "  and no input of the assignment's cases and players shows this mistake: record a case that does (pitboss "
        "record lottery --assignment lottery --play), or say why the mistake is invisible\n"
    )
    words_path = mistaken_lottery.folder / "mistakes/zero-allowed/mistake.yaml"
    words_path.write_text(f"{words_path.read_text()}invisible: nobody chooses it\n")
    done = pitboss("verify", "--matrix", "-a", mistaken_lottery.folder)
    assert done.code == 0
    assert "2 of 2 known mistakes are caught" in done.out
    assert re.search(r"^bonus-once +1 +$", done.out, re.M), done.out


@pytest.mark.parametrize(
    ("name", "stages"), [("prog1.c", ""), ("Lottery.C", ""), ("assignment3.c", "stages: [lottery]\n")], ids=str
)
def test_a_students_file_can_be_the_program_under_any_name(lottery, name, stages):
    """As with a submission of one file, the name does not matter if the program can belong to only one stage."""
    folder = lottery.add_mistake("forgets-the-bonus", words=f"title: it\nhint: Look.\n{stages}")
    (folder / name).write_text(NO_BONUS)
    (stage,) = load_assignment(lottery.folder).stages
    assert [mistake.id for mistake in mistakes_of(stage)] == ["forgets-the-bonus"]


def test_the_program_can_be_an_archive_or_a_folder_with_a_makefile(lottery, tmp_path):
    folder = lottery.add_mistake("by-make")
    inner = folder / "ada" / "a3"
    inner.mkdir(parents=True)
    (inner / "main.c").write_text(NO_BONUS)
    (inner / "Makefile").write_text("lottery: main.c\n\tcc -o lottery main.c\n")
    with zipfile.ZipFile(lottery.add_mistake("by-zip") / "a3.zip", "w") as archive:
        archive.writestr("a3/lottery.c", NO_BONUS)
    (stage,) = load_assignment(lottery.folder).stages
    assert [mistake.id for mistake in mistakes_of(stage)] == ["by-make", "by-zip"]


#: Mistakes that cannot be built, by what is wrong: the files of the mistake, and how the error after the path of its
#: mistake.yaml begins.
BROKEN = {
    "no program": ({"notes_txt": "see mail"}, ":1: mistake 'x' has no program — put lottery.c there, or the like, or a "
                   "change.patch of the reference"),
    "not C": ({"lottery_c": "int main(void) {\n    retrun 0;\n}\n"}, ":1: mistake 'x' cannot be built: cc could not build lottery: lottery.c:2:5: error: "),
    "both": ({"lottery_c": NO_BONUS, "change_patch": "x"}, ":1: mistake 'x' has change.patch, lottery.c — it must have one patch, or a program"),
    "two patches": ({"a_patch": "x", "b_diff": "y"}, ":1: mistake 'x' has a.patch, b.diff — it must have one patch, or a program"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_mistake_that_cannot_be_built_is_reported_with_its_file(lottery, files, sentence):
    words_path = lottery.add_mistake("x", **files) / "mistake.yaml"
    (stage,) = load_assignment(lottery.folder).stages
    with pytest.raises(SpecError) as error:
        mistakes_of(stage)
    assert str(error.value).startswith(f"{words_path}{sentence}")


def test_a_patch_that_does_not_apply_or_compile_is_reported_with_its_line(lottery):
    outdated_patch = (
        lottery.add_mistake("old", change_patch=diff(LOTTERY.replace("points++", "points += 1"), NO_BONUS))
        / "change.patch"
    )
    broken_patch = (
        lottery.add_mistake("bad", change_patch=diff(LOTTERY, LOTTERY.replace("int bonus", "itn bonus")))
        / "change.patch"
    )
    (stage,) = load_assignment(lottery.folder).stages
    with pytest.raises(SpecError) as error:
        mistakes_of(stage)
    build_error, patch_error = str(error.value).splitlines()
    assert build_error.startswith(
        f"{broken_patch}:1: mistake 'bad' cannot be built: cc could not build lottery: lottery.c:6:"
    )
    assert patch_error == (
        f"{outdated_patch}:3: the patch does not apply to reference/lottery.c — create it again from the current reference"
    )


def test_nothing_is_checked_while_a_mistake_cannot_be_built(mistaken_lottery, pitboss, tmp_path):
    """A program is accepted only if its sessions could have shown each known mistake."""
    mistaken_lottery.add_mistake("x", lottery_c="int main(void) {}}")
    words_path = mistaken_lottery.folder / "mistakes/x/mistake.yaml"
    submission = hand_in(tmp_path / "ada", LOTTERY)
    for arguments in (["verify"], ["check", submission]):
        done = pitboss(*arguments, "-a", mistaken_lottery.folder)
        assert (done.code, "accepted" in done.out) == (2, False)
        assert done.err.startswith(f"pitboss: {words_path}:1: mistake 'x' cannot be built: ")


def test_a_reference_that_is_a_command_cannot_be_patched(lottery):
    path = lottery.add_mistake("bonus-once", change_patch=diff(LOTTERY, BONUS_ONCE)) / "change.patch"
    assignment_file = lottery.folder / "assignment.yaml"
    assignment_file.write_text(ASSIGNMENT.replace("reference/lottery.c", "{command: [./reference/lottery]}"))
    (stage,) = load_assignment(lottery.folder).stages
    with pytest.raises(SpecError) as error:
        mistakes_of(stage)
    assert str(error.value) == (
        f"{path}: the reference of 'lottery' is a command, which cannot be patched — name its source, as in "
        "`reference: meter.c`, or give a program instead"
    )


#: By what is wrong: files of the assignment, and the error after the path of its folder, which {0} stands for.
BAD_FOLDERS = {
    "no words": (
        {"mistakes/x/lottery.c": ""},
        "/mistakes/x: mistake 'x' has no mistake.yaml — write its title and hint there",
    ),
    "a source that is no folder": (
        {"mistakes/late.c": ""},
        "/mistakes/late.c: a known mistake is a folder — move it to {0}/mistakes/late/, beside a mistake.yaml",
    ),
    "a patch that is no folder": (
        {"mistakes/late.patch": ""},
        "/mistakes/late.patch: a known mistake is a folder — move it to {0}/mistakes/late/, beside a mistake.yaml",
    ),
    "no hint": (
        {"mistakes/x/mistake.yaml": "title: late\n"},
        "/mistakes/x/mistake.yaml:1: mistake 'x' lacks the key 'hint': a sentence for the student that says where to "
        "look without giving the answer away",
    ),
    "another key": (
        {"mistakes/x/mistake.yaml": "title: late\nhnt: Look.\n"},
        "/mistakes/x/mistake.yaml:2: mistake 'x' has no key 'hnt' — allowed are title, hint, note, source, invisible, stages; "
        "did you mean 'hint'?",
    ),
    "another stage": (
        {"mistakes/x/mistake.yaml": "title: late\nhint: Look.\nstages: [lotery]\n"},
        "/mistakes/x/mistake.yaml:3: there is no stage 'lotery' — the judged stages are lottery; did you mean "
        "'lottery'?",
    ),
    "a list": (
        {"mistakes/x/mistake.yaml": "[late]\n"},
        "/mistakes/x/mistake.yaml:1: mistake 'x' is a list — it must be a mapping with title, hint, note, source, invisible, stages",
    ),
}


@pytest.mark.parametrize(("files", "sentence"), BAD_FOLDERS.values(), ids=BAD_FOLDERS)
def test_an_error_in_a_mistake_folder_is_reported_with_file_and_line(tmp_path, files, sentence):
    for name, text in {"assignment.yaml": ASSIGNMENT, "lottery.yaml": SPEC, "reference/lottery.c": "", **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(SpecError) as error:
        load_assignment(tmp_path)
    assert str(error.value) == f"{tmp_path}{sentence.format(tmp_path)}"


def test_other_files_beside_the_mistake_folders_are_ignored(mistaken_lottery):
    """A note of the instructor's, leftovers of tools, and a Python package with its data."""
    root = mistaken_lottery.folder / "mistakes"
    (root / "README.md").write_text("mine")
    (root / "__pycache__").mkdir()
    (root / ".git").mkdir()
    assert len(load_assignment(mistaken_lottery.folder).stages[0].mistake_folders) == 2
    (root / "__init__.py").write_text("")
    (root / "texts").mkdir()
    assert len(load_assignment(mistaken_lottery.folder).stages[0].mistake_folders) == 2


TWO_STAGES = """\
title: Sums
seeded: no
mistakes: own:catalogue
stages:
  - {name: add, reference: "sums:add"}
  - {name: mul, reference: "sums:mul"}
"""
SUMS = """\
from parts import question


def add(console):
    console.write(f"{question(console) + 1}\\n")


def mul(console):
    console.write(f"{question(console) * 2}\\n")
"""
PARTS = """\
def question(console):
    console.write("a? ")
    return int(console.read_line())
"""
OWN = """\
from types import SimpleNamespace


def catalogue():
    words = {"title": "one less", "hint": "Count.", "note": "", "source": "", "invisible": ""}
    return [SimpleNamespace(id="one-less", mains={"add": one_less}, **words)]


def one_less(console):
    console.write("a? ")
    console.write(f"{int(console.read_line())}\\n")
"""


@pytest.fixture
def sums(tmp_path):
    """The folder of an assignment: two stages whose references are functions, and a catalogue of functions."""
    folder = tmp_path / "sums"
    folder.mkdir()
    for name, text in {
        "assignment.yaml": TWO_STAGES,
        "sums.py": SUMS,
        "parts.py": PARTS,
        "own.py": OWN,
        "add.yaml": "program: add\ncases:\n  - {name: four, answers: ['4']}\n",
        "mul.yaml": "program: mul\ncases:\n  - {name: four, answers: ['4']}\n",
    }.items():
        (folder / name).write_text(text)
    return folder


def make_package(folder):
    """Make the modules sums and parts of the assignment a package, whose main module is sums."""
    (folder / "sums").mkdir()
    (folder / "sums.py").rename(folder / "sums/__init__.py")
    (folder / "parts.py").rename(folder / "sums/parts.py")
    (folder / "sums/__init__.py").write_text(SUMS.replace("from parts", "from sums.parts"))


def add_mistake(folder, name, file, text, further_words=""):
    """Add a known mistake with one file to the assignment; returns the mistake's folder.

    `further_words` are lines of its mistake.yaml besides title and hint.
    """
    mistake_folder = folder / "mistakes" / name
    mistake_folder.mkdir(parents=True)
    (mistake_folder / "mistake.yaml").write_text(f"title: {name}\nhint: Look.\n{further_words}")
    (mistake_folder / file).write_text(text)
    return mistake_folder


def mistake_ids(folder):
    """The ids of the known mistakes of each stage."""
    return {stage.name: [mistake.id for mistake in mistakes_of(stage)] for stage in load_assignment(folder).stages}


def test_folders_add_patches_and_programs_to_a_catalogue_of_functions(sums, pitboss, tmp_path):
    patch = diff(SUMS, SUMS.replace("+ 1", "+ 2"), "sums.py")
    add_mistake(sums, "two-more", "change.patch", patch, "stages: [add]\n")
    add_mistake(sums, "thrice", "mul.py", "print(int(input('a? ')) * 3)\n")
    assert mistake_ids(sums) == {"add": ["one-less", "two-more"], "mul": ["thrice"]}
    assert pitboss("verify", "-a", sums).out == (
        "sums: no case is recorded\nsums add: 2 of 2 known mistakes are caught\nsums mul: 1 of 1 known mistakes are caught\n"
    )
    programs = hand_in(tmp_path / "ada", "print(int(input('a? ')) + 2)\n", "add.py")
    hand_in(programs, "a = int(input('a? '))\nprint(a + a + a)\n", "mul.py")
    assert named_mistakes(pitboss("check", programs, "-a", sums, "--all")) == ["two-more", "thrice"]


def test_a_patch_concerns_each_stage_of_its_file_unless_stages_are_listed(sums, pitboss):
    patch = diff(SUMS, SUMS.replace("+ 1", "+ 2"), "sums.py")
    mistake_folder = add_mistake(sums, "two-more", "change.patch", patch)
    assert mistake_ids(sums) == {"add": ["one-less", "two-more"], "mul": ["two-more"]}
    done = pitboss("verify", "mul", "-a", sums)
    advice = f"list the other stages in {mistake_folder}/mistake.yaml: stages: [add]"
    assert f"  if this mistake does not concern mul, {advice}\n" in done.out


def test_a_mistake_folder_that_concerns_no_stage_is_reported(sums, pitboss):
    program = add_mistake(sums, "program", "sub.py", "")
    patch = add_mistake(sums, "patch", "change.patch", "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-a\n+b\n")
    make_package(sums)
    assert unused_folder_sentences(load_assignment(sums).stages) == [
        f"{patch}/mistake.yaml:1: mistake 'patch' changes no file of a reference — its patch must name one with --- and +++",
        f"{program}/mistake.yaml:1: mistake 'program' has no program — put add.c or mul.c there, or the like, or a "
        "change.patch of the reference",
    ]
    done = pitboss("verify", "-a", sums)
    assert (done.code, "mistake 'program' has no program" in done.out) == (1, True)


def test_a_module_of_a_package_is_patched_and_a_syntax_error_is_reported(sums):
    make_package(sums)
    add_mistake(sums, "asks-b", "change.patch", diff(PARTS, PARTS.replace("a? ", "b? "), "sums/parts.py"))
    assert mistake_ids(sums) == {"add": ["one-less", "asks-b"], "mul": ["asks-b"]}
    mistake_folder = add_mistake(
        sums, "bad", "change.patch", diff(PARTS, PARTS.replace("return", "return ("), "parts.py")
    )
    with pytest.raises(SpecError) as error:
        mistake_ids(sums)
    assert (
        str(error.value)
        == f"{mistake_folder}/change.patch:1: sums/parts.py:3 is not Python with this patch: '(' was never closed"
    )


def test_a_mistake_folder_may_not_repeat_an_id_of_the_catalogue(sums):
    mistake_folder = add_mistake(sums, "one-less", "add.py", "")
    with pytest.raises(SpecError) as error:
        mistake_ids(sums)
    assert (
        str(error.value)
        == f"{mistake_folder}/mistake.yaml:1: 'own:catalogue' gives mistake 'one-less' too — rename one of them"
    )


def test_changed_words_take_effect_without_a_new_build(mistaken_lottery, monkeypatch):
    (stage,) = load_assignment(mistaken_lottery.folder).stages
    folder_mistakes(stage)
    monkeypatch.setattr(mistake_programs, "built_program", lambda *_: pytest.fail("it was built again"))
    # Tests run without the cache that records digests: here the programs built in this process count as recorded.
    monkeypatch.setattr(mistake_programs, "is_digest_recorded", lambda digest: digest in reference_source._programs)
    for path in mistaken_lottery.folder.rglob("mistake.yaml"):
        path.write_text("title: another\nhint: Look again.\n")
    (stage,) = load_assignment(mistaken_lottery.folder).stages
    assert {words.title for words, _ in folder_mistakes(stage)} == {"another"}


def test_the_program_of_a_mistake_is_confined_like_a_submission(lottery, tmp_path):
    """The program cannot read the specs of its assignment."""
    spy = f'#include <stdio.h>\nint main(void) {{ FILE *file = fopen("{lottery.folder}/lottery.yaml", "r"); puts(file ? "read" : "closed"); }}\n'
    lottery.add_mistake("spy", lottery_c=spy)
    (stage,) = load_assignment(lottery.folder).stages
    (mistake,) = mistakes_of(stage)
    assert mistake.run_of("lottery")(lambda _: None).text == b"closed\n"


def test_a_mistake_is_run_only_once_for_a_class_that_makes_it(mistaken_lottery, monkeypatch, tmp_path):
    assignment = load_assignment(mistaken_lottery.folder)
    job = Job(assignment, assignment.stages, find_conditions(), "lottery")
    runs = []
    real_session = running._session
    monkeypatch.setattr(running, "_session", lambda *arguments: runs.append(arguments) or real_session(*arguments))
    monkeypatch.setattr(running, "_memory", running._Memory())
    run_counts = []
    for number in range(5):
        (stage,) = check(job, hand_in(tmp_path / f"student{number}", f"// {number}\n{BONUS_ONCE}"), cores=1).stages
        assert [diagnosis.id for diagnosis in stage.diagnosis] == ["bonus-once"]
        run_counts.append(len(runs))
    assert run_counts == [run_counts[0]] * 5
    assert run_counts[0] <= 2 * len(assignment.stages[0].spec.cases)  # each of the two mistakes once in each case


SEVEN_FILES = {
    "assignment.yaml": """\
title: Seven
seeded: no
draws: {values: 1..6}
stages:
  - name: seven
    reference: reference/seven.py
    reader: reading:read
    most_sessions: 30
""",
    "seven.yaml": "program: seven\ncases:\n  - {name: guesses, answers: ['3', '5', '1', '2', '4', '6'], sessions: 12}\n",
    "reading.py": """\
from types import SimpleNamespace


def read(conversation):
    shown = "".join(text for kind, text in conversation if kind != "typed")
    number = shown.partition("It was ")[2][:1]
    return SimpleNamespace(draws=(number or None,), problem=None)
""",
}
GUESS = """\
import os
import random

given = os.environ.get("PITBOSS_DRAWS")
secret = int(given.split()[0]) if given else random.randint(1, 6)
tries = 0
while True:
    tries += 1
    if int(input("Guess? ")) == secret:
        break
print(f"It was {secret}, after {tries}.")
"""


@pytest.fixture
def seven(tmp_path):
    """The folder of an assignment with a stage whose draws are read back, and whose reference is a command."""
    folder = tmp_path / "seven"
    (folder / "reference").mkdir(parents=True)
    for name, text in {**SEVEN_FILES, "reference/seven.py": GUESS}.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.slow
def test_a_mistake_is_named_if_it_does_the_same_with_the_draws_read_back(seven, tmp_path, capsys):
    add_mistake(seven, "one-too-many", "change.patch", diff(GUESS, GUESS.replace("tries = 0", "tries = 1"), "seven.py"))
    assert exit_code_of(["verify", "-a", str(seven)]) == 0
    assert "seven seven: 1 of 1 known mistakes are caught\n" in capsys.readouterr().out
    self_drawing = GUESS.replace('os.environ.get("PITBOSS_DRAWS")', "None")
    assignment = load_assignment(seven)
    job = Job(assignment, assignment.stages, find_conditions(), "seven")
    wrong = hand_in(tmp_path / "ada", self_drawing.replace("tries = 0", "tries = 1"), "seven.py")
    (stage,) = check(job, wrong, cores=1).stages
    assert [diagnosis.id for diagnosis in stage.diagnosis] == ["one-too-many"]
    (stage,) = check(job, hand_in(tmp_path / "ada", self_drawing, "seven.py"), cores=1).stages
    assert (stage.verdict.name, stage.unshown) == ("ACCEPTED", ())


def test_a_mistake_that_ignores_the_draws_it_is_given_is_reported(seven):
    self_drawing = GUESS.replace('os.environ.get("PITBOSS_DRAWS")', "None").replace("tries = 0", "tries = 1")
    mistake_folder = add_mistake(seven, "one-too-many", "seven.py", self_drawing)
    add_mistake(seven, "two-too-many", "seven.py", GUESS.replace("tries = 0", "tries = 2"))
    (stage,) = load_assignment(seven).stages
    assert list(ignored_draws_sentences(stage)) == [
        f"{mistake_folder}/mistake.yaml:1: mistake 'one-too-many' behaves the same with all draws — does its program take its draws "
        "from PITBOSS_DRAWS, if that is set?"
    ]


def test_a_bundle_contains_no_known_mistake(mistaken_lottery, tmp_path, capsys):
    path = mistaken_lottery.folder / "assignment.yaml"
    path.write_text(f"{path.read_text()}language: C\nship_reference: yes\n")
    assert exit_code_of(["export", str(mistaken_lottery.folder), "--into", str(tmp_path / "out")]) == 0
    assert "copied for the reference: reference/lottery.c\n" in capsys.readouterr().err
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert len(files) > 7
    assert not [file for file in files if "mistake" in str(file.relative_to(tmp_path / "out"))]
    assert not [file for file in files if b"forgets-the-bonus" in file.read_bytes()]
    assert (
        exit_code_of(["check", str(hand_in(tmp_path / "ada", BONUS_ONCE)), "-a", str(tmp_path / "out/specs/lottery")])
        == 1
    )


def test_a_reference_inside_a_mistake_folder_is_not_shipped(mistaken_lottery, tmp_path, capsys):
    path = mistaken_lottery.folder / "assignment.yaml"
    text = path.read_text().replace("reference/lottery.c", "mistakes/forgets-the-bonus/lottery.c")
    path.write_text(f"{text}language: C\nship_reference: yes\n")
    program = mistaken_lottery.folder / "mistakes/forgets-the-bonus/lottery.c"
    assert exit_code_of(["export", str(mistaken_lottery.folder), "--into", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == (
        f"pitboss: {program}: the reference needs a file of a known mistake, which students would get — move that file beside the "
        "reference, or set ship_reference: no\n"
    )
