"""Known mistakes in folders, as a program in the language of the course or a patch of the reference."""

import json
import re
import zipfile

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.cli.main import exit_code_of
from pitboss.errors import SpecError
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.programs import mistake_programs, running
from pitboss.experiments.programs.mistake_programs import folder_mistakes, unused_folders
from pitboss.kits.undrawn import undrawn_mistakes
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.experiments.programs.conftest import ASSIGNMENT, LOTTERY, SPEC, diff

FORGETS = LOTTERY.replace("points += 2", "points += 0")
ONCE = LOTTERY.replace("points += 2", "points++")
ZERO = LOTTERY.replace("number < 1", "number < 0")


@pytest.fixture
def known(lottery):
    """The lottery with a mistake of each kind."""
    lottery.mistake("forgets-the-bonus", lottery_c=FORGETS)
    lottery.mistake("bonus-once", change_patch=diff(LOTTERY, ONCE))
    return lottery


def hand_in(folder, text, name="lottery.c"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder


def named(done):
    """The mistakes that the output of `check` names."""
    return re.findall(r"(?:likely|possible) mistake: (.*?) \(", done.out)


def test_a_submission_that_does_the_same_is_given_the_name(known, pitboss, tmp_path):
    for text, names in ((FORGETS, ["forgets-the-bonus"]), (ONCE, ["bonus-once"]), (ZERO, [])):
        # Written otherwise than the mistake is: what counts is what it does.
        done = pitboss("check", hand_in(tmp_path / "ada", f"// mine\n{text}"), "-a", known.folder)
        assert (named(done), "wrong answer" in done.out) == (names, text is not ZERO), done.out


def test_the_hint_is_for_the_student_and_the_note_for_the_instructor(lottery, tmp_path):
    words = "title: the bonus is forgotten\nhint: What does the bonus add?\nnote: Adds nothing.\nsource: seen in 2025\n"
    lottery.mistake("forgets-the-bonus", words=words, lottery_c=FORGETS)
    assignment = load_assignment(lottery.folder)
    job = Job(assignment, assignment.stages, find_conditions(), "lottery")
    (stage,) = check(job, hand_in(tmp_path / "ada", FORGETS), count=1).stages
    (found,) = stage.diagnosis
    assert (found.id, found.title, found.hint, found.note) == (
        "forgets-the-bonus",
        "the bonus is forgotten",
        "What does the bonus add?",
        "Adds nothing.",
    )


def test_verify_holds_the_specs_against_each_and_tells_which_none_shows(known, pitboss):
    known.mistake(
        "zero-allowed", words="title: zero is a number\nhint: Which are there?\n", change_patch=diff(LOTTERY, ZERO)
    )
    done = pitboss("verify", "-a", known.folder)
    assert (done.code, done.err) == (1, "")
    assert done.out == (
        "lottery: all 2 recorded cases match the reference\n"
        "lottery lottery: 2 of 3 known mistakes are caught\n"
        "  case 'no hit' catches no known mistake\n"
        "  case 'the end' catches no known mistake\n"
        "  zero-allowed (zero is a number) is not caught\n"
        "  and nothing that a case or player of the assignment types shows it: record a case that does (pitboss record "
        "lottery --assignment lottery --play), or say why it is invisible\n"
    )
    place = known.folder / "mistakes/zero-allowed/mistake.yaml"
    place.write_text(f"{place.read_text()}invisible: nobody chooses it\n")
    done = pitboss("verify", "--matrix", "-a", known.folder)
    assert done.code == 0
    assert "2 of 2 known mistakes are caught" in done.out
    assert re.search(r"^bonus-once +1 +$", done.out, re.M), done.out


@pytest.mark.parametrize(
    ("name", "stages"), [("prog1.c", ""), ("Lottery.C", ""), ("assignment3.c", "stages: [lottery]\n")], ids=str
)
def test_a_hand_in_is_copied_there_as_it_is(lottery, name, stages):
    """As a submission of one file it may be called anything, where only one stage can be meant."""
    place = lottery.mistake("forgets-the-bonus", words=f"title: it\nhint: Look.\n{stages}")
    (place / name).write_text(FORGETS)
    (stage,) = load_assignment(lottery.folder).stages
    assert [one.id for one in mistakes_of(stage)] == ["forgets-the-bonus"]


def test_a_hand_in_may_be_a_folder_with_a_makefile_or_an_archive(lottery, tmp_path):
    place = lottery.mistake("by-make")
    inner = place / "ada" / "a3"
    inner.mkdir(parents=True)
    (inner / "main.c").write_text(FORGETS)
    (inner / "Makefile").write_text("lottery: main.c\n\tcc -o lottery main.c\n")
    with zipfile.ZipFile(lottery.mistake("by-zip") / "a3.zip", "w") as archive:
        archive.writestr("a3/lottery.c", FORGETS)
    (stage,) = load_assignment(lottery.folder).stages
    assert [one.id for one in mistakes_of(stage)] == ["by-make", "by-zip"]


BROKEN = {
    "no program": ({"notes_txt": "see mail"}, ":1: mistake 'x' has no program — put lottery.c there, or the like, or a "
                   "change.patch of the reference"),
    "not C": ({"lottery_c": "int main(void) {\n    retrun 0;\n}\n"}, ":1: mistake 'x' cannot be built: cc could not build lottery: lottery.c:2:5: error: "),
    "both": ({"lottery_c": FORGETS, "change_patch": "x"}, ":1: mistake 'x' has change.patch, lottery.c — it has one patch, or a program"),
    "two patches": ({"a_patch": "x", "b_diff": "y"}, ":1: mistake 'x' has a.patch, b.diff — it has one patch, or a program"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_mistake_that_cannot_be_built_is_reported_at_its_place(lottery, files, sentence):
    place = lottery.mistake("x", **files) / "mistake.yaml"
    (stage,) = load_assignment(lottery.folder).stages
    with pytest.raises(SpecError) as error:
        mistakes_of(stage)
    assert str(error.value).startswith(f"{place}{sentence}")


def test_a_patch_that_does_not_fit_or_does_not_compile_is_reported_at_its_place(lottery):
    old = (
        lottery.mistake("old", change_patch=diff(LOTTERY.replace("points++", "points += 1"), FORGETS)) / "change.patch"
    )
    bad = lottery.mistake("bad", change_patch=diff(LOTTERY, LOTTERY.replace("int bonus", "itn bonus"))) / "change.patch"
    (stage,) = load_assignment(lottery.folder).stages
    with pytest.raises(SpecError) as error:
        mistakes_of(stage)
    broken, misfit = str(error.value).splitlines()
    assert broken.startswith(f"{bad}:1: mistake 'bad' cannot be built: cc could not build lottery: lottery.c:6:")
    assert misfit.startswith(f"{old}:3: the patch does not apply to reference/lottery.c: on line 19 there is ")


def test_what_is_wrong_with_a_mistake_costs_no_student_anything(known, pitboss, tmp_path):
    known.mistake("x", lottery_c="int main(void) {}}")
    place = known.folder / "mistakes/x/mistake.yaml"
    done = pitboss("verify", "-a", known.folder)
    assert (done.code, done.err.startswith(f"pitboss: {place}:1: mistake 'x' cannot be built: ")) == (2, True), done.err
    done = pitboss("check", hand_in(tmp_path / "ada", FORGETS), "-a", known.folder, "--json", tmp_path / "ada.json")
    report = json.loads((tmp_path / "ada.json").read_text())
    assert (done.code, report["verdict"], report["stages"][0]["diagnosis"]) == (1, "WRONG_ANSWER", [])
    (fault,) = report["faults"]
    assert fault.startswith(f"{place}:1: mistake 'x' cannot be built: ")
    done = pitboss("check", hand_in(tmp_path / "ada", LOTTERY), "-a", known.folder)
    assert (done.code, "accepted" in done.out) == (0, True)


def test_a_reference_without_a_source_cannot_be_patched(lottery):
    path = lottery.mistake("bonus-once", change_patch=diff(LOTTERY, ONCE)) / "change.patch"
    (lottery.folder / "reference/lottery.c").unlink()
    (stage,) = load_assignment(lottery.folder).stages
    with pytest.raises(SpecError) as error:
        mistakes_of(stage)
    assert str(error.value) == (
        f"{path}: the reference of 'lottery' cannot be patched: there is no source beside reference/lottery — give a program "
        "instead"
    )


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
        "/mistakes/x/mistake.yaml:1: mistake 'x' has no 'hint' — it needs one: a sentence for the student that says where to "
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
def test_what_is_wrong_in_the_folders_is_reported_with_file_and_line(tmp_path, files, sentence):
    for name, text in {"assignment.yaml": ASSIGNMENT, "lottery.yaml": SPEC, **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(SpecError) as error:
        load_assignment(tmp_path)
    assert str(error.value) == f"{tmp_path}{sentence.format(tmp_path)}"


def test_what_else_may_stand_beside_the_folders(known):
    """A note of one's own, what systems leave, and a package of Python with its data."""
    root = known.folder / "mistakes"
    (root / "README.md").write_text("mine")
    (root / "__pycache__").mkdir()
    (root / ".git").mkdir()
    assert len(load_assignment(known.folder).stages[0].mistake_folders) == 2
    (root / "__init__.py").write_text("")
    (root / "texts").mkdir()
    assert len(load_assignment(known.folder).stages[0].mistake_folders) == 2


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
    """Two stages whose references are functions, and a catalogue of functions."""
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


def add_to(folder, name, file, text, words=""):
    place = folder / "mistakes" / name
    place.mkdir(parents=True)
    (place / "mistake.yaml").write_text(f"title: {name}\nhint: Look.\n{words}")
    (place / file).write_text(text)
    return place


def ids(folder):
    return {stage.name: [one.id for one in mistakes_of(stage)] for stage in load_assignment(folder).stages}


def test_a_function_is_patched_too_and_a_program_stands_beside_functions(sums, pitboss, tmp_path):
    patch = diff(SUMS, SUMS.replace("+ 1", "+ 2"), "sums.py")
    add_to(sums, "two-more", "change.patch", patch, "stages: [add]\n")
    add_to(sums, "thrice", "mul.py", "print(int(input('a? ')) * 3)\n")
    assert ids(sums) == {"add": ["one-less", "two-more"], "mul": ["thrice"]}
    assert pitboss("verify", "-a", sums).out == (
        "sums: no case is recorded\nsums add: 2 of 2 known mistakes are caught\nsums mul: 1 of 1 known mistakes are caught\n"
    )
    programs = hand_in(tmp_path / "ada", "print(int(input('a? ')) + 2)\n", "add.py")
    hand_in(programs, "a = int(input('a? '))\nprint(a + a + a)\n", "mul.py")
    assert named(pitboss("check", programs, "-a", sums, "--all")) == ["two-more", "thrice"]


def test_the_stages_of_a_mistake_are_those_that_it_has_a_program_or_a_patch_of(sums, pitboss):
    patch = diff(SUMS, SUMS.replace("+ 1", "+ 2"), "sums.py")
    place = add_to(sums, "two-more", "change.patch", patch)
    assert ids(sums) == {"add": ["one-less", "two-more"], "mul": ["two-more"]}
    done = pitboss("verify", "mul", "-a", sums)
    assert f"  if it is not about mul, name the others in {place}/mistake.yaml: stages: [add]\n" in done.out


def test_a_folder_that_is_about_no_stage_is_reported(sums, pitboss):
    program = add_to(sums, "program", "sub.py", "")
    patch = add_to(sums, "patch", "change.patch", "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-a\n+b\n")
    (sums / "sums").mkdir()
    (sums / "sums.py").rename(sums / "sums/__init__.py")
    (sums / "parts.py").rename(sums / "sums/parts.py")
    (sums / "sums/__init__.py").write_text(SUMS.replace("from parts", "from sums.parts"))
    assert unused_folders(load_assignment(sums).stages) == [
        f"{patch}/mistake.yaml:1: mistake 'patch' changes no file of a reference — its patch names one with --- and +++",
        f"{program}/mistake.yaml:1: mistake 'program' has no program — put add.c or mul.c there, or the like, or a "
        "change.patch of the reference",
    ]
    done = pitboss("verify", "-a", sums)
    assert (done.code, "mistake 'program' has no program" in done.out) == (1, True)


def test_a_module_of_a_package_is_patched_and_one_that_is_no_python_then_is_reported(sums):
    (sums / "sums").mkdir()
    (sums / "sums.py").rename(sums / "sums/__init__.py")
    (sums / "parts.py").rename(sums / "sums/parts.py")
    (sums / "sums/__init__.py").write_text(SUMS.replace("from parts", "from sums.parts"))
    add_to(sums, "asks-b", "change.patch", diff(PARTS, PARTS.replace("a? ", "b? "), "sums/parts.py"))
    assert ids(sums) == {"add": ["one-less", "asks-b"], "mul": ["asks-b"]}
    bad = add_to(sums, "bad", "change.patch", diff(PARTS, PARTS.replace("return", "return ("), "parts.py"))
    with pytest.raises(SpecError) as error:
        ids(sums)
    assert (
        str(error.value) == f"{bad}/change.patch:1: sums/parts.py:3 is not Python with this patch: '(' was never closed"
    )


def test_a_folder_has_no_id_that_the_catalogue_has(sums):
    place = add_to(sums, "one-less", "add.py", "")
    with pytest.raises(SpecError) as error:
        ids(sums)
    assert (
        str(error.value) == f"{place}/mistake.yaml:1: 'own:catalogue' gives mistake 'one-less' too — rename one of them"
    )


def test_words_are_changed_without_building_anything_again(known, monkeypatch):
    (stage,) = load_assignment(known.folder).stages
    folder_mistakes(stage)
    monkeypatch.setattr(mistake_programs, "_program", lambda *_: pytest.fail("it was built again"))
    monkeypatch.setattr(mistake_programs, "is_noted", lambda name: name in mistake_programs._built)
    for path in known.folder.rglob("mistake.yaml"):
        path.write_text("title: another\nhint: Look again.\n")
    (stage,) = load_assignment(known.folder).stages
    assert {one.folder.words.title for one in folder_mistakes(stage)} == {"another"}


def test_a_program_is_built_and_run_as_a_submission_is(lottery, tmp_path):
    """Confined: it cannot read the specs that its assignment is checked with."""
    spy = f'#include <stdio.h>\nint main(void) {{ FILE *file = fopen("{lottery.folder}/lottery.yaml", "r"); puts(file ? "read" : "closed"); }}\n'
    lottery.mistake("spy", lottery_c=spy)
    (stage,) = load_assignment(lottery.folder).stages
    (mistake,) = mistakes_of(stage)
    assert mistake.run_of("lottery")(lambda _: None).text == b"closed\n"


def test_a_class_that_goes_wrong_alike_runs_a_mistake_once(known, monkeypatch, tmp_path):
    assignment = load_assignment(known.folder)
    job = Job(assignment, assignment.stages, find_conditions(), "lottery")
    sessions = []
    session = running._session
    monkeypatch.setattr(running, "_session", lambda *arguments: sessions.append(1) or session(*arguments))
    monkeypatch.setattr(running, "_memory", running._Memory())
    counts = []
    for number in range(5):
        (stage,) = check(job, hand_in(tmp_path / f"student{number}", f"// {number}\n{ONCE}"), count=1).stages
        assert [one.id for one in stage.diagnosis] == ["bonus-once"]
        counts.append(len(sessions))
    assert counts == [counts[0]] * 5
    assert counts[0] <= 2 * len(assignment.stages[0].spec.cases)


SEVEN = {
    "assignment.yaml": """\
title: Seven
seeded: no
draws: {values: 1..6}
stages:
  - name: seven
    reference: {command: [python3, ./reference/seven.py]}
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
    """A stage whose draws are read back, with a command as its reference."""
    folder = tmp_path / "seven"
    (folder / "reference").mkdir(parents=True)
    for name, text in {**SEVEN, "reference/seven.py": GUESS}.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.slow
def test_where_draws_are_read_back_a_mistake_is_given_them_and_named(seven, tmp_path, capsys):
    add_to(seven, "one-too-many", "change.patch", diff(GUESS, GUESS.replace("tries = 0", "tries = 1"), "seven.py"))
    assert exit_code_of(["verify", "-a", str(seven)]) == 0
    assert "seven seven: 1 of 1 known mistakes are caught\n" in capsys.readouterr().out
    own = GUESS.replace('os.environ.get("PITBOSS_DRAWS")', "None")
    assignment = load_assignment(seven)
    job = Job(assignment, assignment.stages, find_conditions(), "seven")
    wrong = hand_in(tmp_path / "ada", own.replace("tries = 0", "tries = 1"), "seven.py")
    (stage,) = check(job, wrong, count=1).stages
    assert [one.id for one in stage.diagnosis] == ["one-too-many"]
    (stage,) = check(job, hand_in(tmp_path / "ada", own, "seven.py"), count=1).stages
    assert (stage.verdict.name, stage.unshown) == ("ACCEPTED", ())


def test_a_mistake_that_draws_by_itself_is_reported(seven):
    own = GUESS.replace('os.environ.get("PITBOSS_DRAWS")', "None").replace("tries = 0", "tries = 1")
    place = add_to(seven, "one-too-many", "seven.py", own)
    add_to(seven, "two-too-many", "seven.py", GUESS.replace("tries = 0", "tries = 2"))
    (stage,) = load_assignment(seven).stages
    assert list(undrawn_mistakes(stage)) == [
        f"{place}/mistake.yaml:1: mistake 'one-too-many' does the same whatever is drawn — does its program take its draws "
        "from PITBOSS_DRAWS, if that is set?"
    ]


def test_no_bundle_has_a_known_mistake(known, tmp_path, capsys):
    path = known.folder / "assignment.yaml"
    path.write_text(f"{path.read_text()}language: C\nship_reference: yes\n")
    assert exit_code_of(["export", str(known.folder), "--into", str(tmp_path / "out")]) == 0
    assert "copied for the reference: reference/lottery, reference/lottery.c\n" in capsys.readouterr().err
    files = [one for one in (tmp_path / "out").rglob("*") if one.is_file()]
    assert len(files) > 8
    assert not [one for one in files if "mistake" in str(one.relative_to(tmp_path / "out"))]
    assert not [one for one in files if b"forgets-the-bonus" in one.read_bytes()]
    assert exit_code_of(["check", str(hand_in(tmp_path / "ada", ONCE)), "-a", str(tmp_path / "out/specs/lottery")]) == 1


def test_a_reference_that_is_in_the_folder_of_a_mistake_is_not_shipped(known, tmp_path, capsys):
    path = known.folder / "assignment.yaml"
    text = path.read_text().replace("./reference/lottery", "./mistakes/forgets-the-bonus/lottery")
    path.write_text(f"{text}language: C\nship_reference: yes\n")
    inside = known.folder / "mistakes/forgets-the-bonus/lottery"
    (known.folder / "reference/lottery").rename(inside)
    assert exit_code_of(["export", str(known.folder), "--into", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err == (
        f"pitboss: {inside}: the reference needs a file of a known mistake, which students would get — move that file beside the "
        "reference, or set ship_reference: no\n"
    )
