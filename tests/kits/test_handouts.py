"""A handout says what is asked, and nothing that is not so; every command in it runs where it is read."""

import os
import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest

from pitboss.assignments.specfile import assignments_in, load_assignment
from pitboss.errors import SpecError
from pitboss.kits.leeway import leeway_of, requirements_of
from pitboss.kits.samples import samples_of
from pitboss.kits.starters import LANGUAGES, kit_of
from pitboss.model.comparison_policy import FreeText, Policy, Tolerance
from pitboss.model.construct_rules import Requirement
from reference.generators import Glibc
from tests.conftest import ROOT, TOY

TEMPLATES = ROOT / "student_templates"
SPECS = assignments_in((ROOT / "specs", ROOT / "tests" / "toy"))
WITH_TEXT = assignments_in((ROOT / "specs",))

PARKING = {
    "assignment.yaml": "title: A parking meter\nseeded: no\nstages: [{name: meter, reference: parking:main}]\n",
    "parking.py": (
        "def main(console):\n    console.write('Minutes: ')\n"
        "    console.write(f'{int(console.read_line()) * 2} cents\\n')\n    return 0\n"
    ),
    "meter.yaml": 'program: meter\ncases: [{name: an hour, answers: ["60"]}, {name: a day, answers: ["1440"]}]\n',
}


@pytest.fixture
def parking(tmp_path):
    folder = tmp_path / "parking"
    folder.mkdir()
    for name, text in PARKING.items():
        (folder / name).write_text(text)
    return folder


def handout(folder, language="c"):
    return kit_of(load_assignment(folder), language, TEMPLATES)["HANDOUT.md"]


def commands_in(text):
    return [line.split("   #")[0].strip() for line in text.splitlines() if re.match(r"    (make|pitboss) ", line)]


def test_an_assignment_that_draws_nothing_is_not_said_to_draw(parking):
    text = handout(parking)
    assert "draw" not in text
    assert "seed" not in text
    assert "Where the same is typed, the same must be shown.\n" in text


def test_where_nothing_is_recorded_the_samples_are_those_of_other_cases(parking):
    text = handout(parking)
    assert "### an hour\n\n```text\nMinutes: «60»\n120 cents\n```\n" in text
    assert "### a day\n\n```text\nMinutes: «1440»\n2880 cents\n```\n" in text
    assert "- `Minutes:␣`\n" in text


#: It ends with 2 for a time that is none, with a word on its standard error, and with 3 for one that no case shows.
REFUSING = """\
def main(console):
    console.write("Minutes: ")
    minutes = console.read_line()
    if not minutes.isdigit():
        console.write_error(f"no time: {minutes}\\n")
        return 2
    console.write(f"{int(minutes) * 2} cents\\n")
    return 3 if minutes == "0" else 0
"""
RETURNS_0 = "At the end `main` returns 0, or the program simply ends.\n"


def refusing(parking, *cases, stderr="compared"):
    """The handout of a meter that refuses some times."""
    (parking / "parking.py").write_text(REFUSING)
    text = PARKING["assignment.yaml"].replace("parking:main", f"parking:main, stderr: {stderr}")
    (parking / "assignment.yaml").write_text(text)
    (parking / "meter.yaml").write_text("program: meter\ncases:\n" + "".join(f"  - {{{case}}}\n" for case in cases))
    return handout(parking)


HOUR, NONE = 'name: an hour, answers: ["60"]', "name: none, answers: [x], exit: 2"
WORDS = "name: words, answers: [an hour], exit: 2"


def test_a_program_that_ends_with_0_in_all_cases_returns_0(parking):
    text = refusing(parking, HOUR)
    assert RETURNS_0 in text
    assert "exit code" not in text


def test_a_handout_of_java_says_it_in_words_of_java(parking):
    refusing(parking, HOUR)
    text = handout(parking, "Java")
    assert "At the end `main` returns, or `System.exit(0)` is called.\n" in text
    assert "You write one file, `Meter.java`.\n" in text
    refusing(parking, HOUR, NONE)
    text = handout(parking, "Java")
    assert "What it writes to `System.err`:\n" in text and "`System.exit` is called with it.\n" in text
    assert "A pause of 2 seconds is\n`Thread.sleep(2000)`; what was" in handout(TOY.parent / "hello", "Java")


def test_exit_codes_and_standard_error_are_reported_where_public_cases_want_them(parking):
    text = refusing(parking, HOUR, NONE, WORDS)
    assert "returns 0" not in text
    assert (
        "- Its exit code is compared: in the public cases it is 0, but 2 in “none” and “words”. `main` returns it, or "
        "`exit` is called with it.\n" in text
    )
    lines = "- `no time: x`\n- `no time: an hour`\n"
    assert f"What it writes to `stderr`, as by `fprintf(stderr, …)`:\n\n{lines}" in text
    assert (
        "### none\n\n```text\nMinutes: «x»\n```\n\nOn its standard error:\n\n```text\nno time: x\n```\n\n"
        "Its exit code is 2.\n\n" in text
    )
    assert "### an hour\n\n```text\nMinutes: «60»\n120 cents\n```\n\n" in text
    free = "name: free, answers: ['0'], exit: 3"
    assert "in the public cases it is 2 in “none” and 3 in “free”." in refusing(parking, NONE, free)
    assert "in the public cases it is 2. `main`" in refusing(parking, NONE)
    many = [f"name: none {number}, answers: [x], exit: 2" for number in range(5)]
    assert "it is 0, but 2 in 5 cases such as “none 0”." in refusing(parking, HOUR, *many)


def test_standard_error_that_does_not_matter_is_not_shown(parking):
    text = refusing(parking, HOUR, NONE, stderr="ignored")
    assert "no time" not in text
    assert "What it writes to its standard error does not matter.\n- Its exit code is compared" in text


def test_of_hidden_cases_neither_exit_code_nor_standard_error_is_reported(parking):
    """And it is not said that the program always returns 0."""
    text = refusing(parking, HOUR, f"{NONE}, visibility: hidden")
    assert "no time" not in text
    assert "returns 0" not in text
    assert "- Its exit code is compared: in the public cases it is 0. `main` returns it" in text


def test_a_message_in_words_of_ones_own_is_no_text_to_copy(parking):
    text = refusing(parking, HOUR, f"{NONE}, expected_stderr: {{is_empty: no}}")
    assert "What it writes to `stderr`" not in text
    assert "If something is wrong, as in “none”, it says so there in words of your own." in text


def test_nothing_is_said_of_characters_where_a_checker_decides(parking):
    (parking / "checks.py").write_text("def check(session):\n    return True\n")
    (parking / "assignment.yaml").write_text(f"checker: checks:check\n{PARKING['assignment.yaml']}")
    begins = handout(parking).partition("## How it is checked\n\n")[2]
    assert begins.startswith(
        "What you show is looked at by a check of the course's own, which says whether it is right.\n"
        "Print a question without a newline behind it"
    )


def test_a_sample_in_which_nothing_is_shown_says_so(parking):
    (parking / "parking.py").write_text("def main(console):\n    console.write_error('no disk\\n')\n    return 1\n")
    (parking / "meter.yaml").write_text("program: meter\ncases: [{name: no disk, answers: [], exit: 1}]\n")
    text = PARKING["assignment.yaml"].replace("parking:main", "parking:main, stderr: compared")
    (parking / "assignment.yaml").write_text(text)
    sample = (
        "### no disk\n\nIt prints nothing to its standard output.\n\nOn its standard error:\n\n```text\nno disk\n```\n\n"
        "Its exit code is 1.\n\n## "
    )
    assert sample in handout(parking)


def test_the_command_line_of_a_sample_is_reported():
    text = handout(ROOT / "tests" / "toy" / "gradebook")
    assert "### two scores (gradebook)\n" in text
    assert "### a title (gradebook 'Spring term')\n" in text
    assert "it is 0, but 2 in “two titles (gradebook one two)”." in text


def test_samples_show_what_the_stage_is_about():
    (stage,) = load_assignment(ROOT / "tests" / "toy" / "dice").stages
    output = "\n".join(sample.text for sample in samples_of(stage))
    assert "You keep 7." in output
    assert "A one costs you all your points." in output


def test_pauses_are_mentioned_where_they_count():
    assert "Pauses count, too: each must be as long as it is here" in handout(TOY)
    assert "- Pauses do not matter.\n" in handout(ROOT / "tests" / "toy" / "dice")
    assert "Pauses count" not in handout(ROOT / "specs" / "bjm0")


def test_what_need_not_be_the_same_is_reported():
    policy = Policy(
        trailing_blanks="ignored",
        blank_lines="ignored",
        letter_case="ignored",
        alternatives=(("Push.", "Tie.", "Draw."), ("Bye!", ""), ("Hi", "\ufeffHi"), ("'", "’", "Õ"), ("A. B", "A.\nB")),
    )
    assert leeway_of(policy) == (
        "Spaces at the ends of lines do not matter.",
        "Empty lines do not matter.",
        "Upper and lower case do not matter.",
        "Instead of `Push.` you may print `Tie.` or `Draw.`.",
        "Instead of `Bye!` you may print nothing at all.",
        "Instead of `'` you may print `’`.",
        "Instead of `A. B` you may print `A.` and on the next line `B`.",
    )
    assert leeway_of(Policy()) == ()


def test_what_may_stand_for_a_line_is_reported():
    policy = Policy(
        blanks="ignored",
        free_lines=("^Hi",),
        matches=("^Today",),
        any_order=("^- ",),
        numbers=(Tolerance(Decimal("0.01"), lines=("^Mean", "^Sum")), Tolerance(relative=Decimal("1e-6"))),
    )
    assert leeway_of(policy) == (
        "Spaces and line ends other than one between two words do not matter.",
        "Where the samples show a line with `^Hi` (a regular expression), print any line.",
        "Where the samples show a line with `^Today` (a regular expression), print a line in which it is found too.",
        "Neighbouring lines with `^- ` (a regular expression) may come in any order.",
        "A number in lines with `^Mean` or `^Sum` (regular expressions) may be off by 0.01.",
        "A number may be off by 0.000001 of its value.",
    )


@pytest.mark.parametrize("name", WITH_TEXT)
def test_every_stage_of_ours_says_what_is_asked(name):
    assignment = load_assignment(WITH_TEXT[name])
    text = handout(WITH_TEXT[name])
    assert assignment.handout.read_text().strip() in text
    for stage in assignment.stages:
        assert stage.handout.read_text().strip() in text, stage.name
    assert not re.search(r"\{[{%]|None|\bStage\(", text)


@pytest.mark.parametrize("name", WITH_TEXT)
def test_what_our_references_ask_and_say_in_error_stands_in_the_handout(name):
    """The texts of recorded cases are in the words of the handout, not in the samples alone, where they are errors."""
    texts = {
        "blackjack": ("Seed must be an integer", "Bet must be between 1 and 1,000,000", "Command 'x' unrecognized"),
        "bjm0": ("Dealer busts.", "Player 1 does not win.", "Chance of a bust: 0.8367", "Final total: "),
        "csc101": ("Reshuffling ...", "Split can only be first or second command", "Push second hand."),
        "ece2036": ("You don't have that much money!  Enter a lower bet.", "Blackjack! Player wins!", "Push."),
        "tournament": ("Invalid bet!", "You are broke, you lost!", "Dealer won with Blackjack!", " You busted!"),
    }
    words = "".join(path.read_text() for path in sorted(WITH_TEXT[name].glob("*.md")))
    for text in texts[name]:
        assert text.replace("second", "first") in words or text in words, text


@pytest.mark.parametrize("key", ["assignment", "stage"])
def test_a_handout_that_is_not_there_is_reported(parking, key):
    text = PARKING["assignment.yaml"]
    wrong = text + "handout: here.md\n" if key == "assignment" else text.replace("meter,", "meter, handout: here.md,")
    (parking / "assignment.yaml").write_text(wrong)
    line = 4 if key == "assignment" else 3
    with pytest.raises(SpecError) as error:
        load_assignment(parking)
    assert str(error.value) == (
        f"{parking}/assignment.yaml:{line}: handout is 'here.md' — there is no such file in {parking}"
    )


@pytest.mark.parametrize("seed", [1, 7, -7, 2147483647, -2147483648])
def test_the_numbers_that_a_handout_describes_are_those_of_the_reference(seed):
    """As somebody writes them who has read the handout alone, in a language without rand."""
    r = [seed]
    r += [0] * 400
    for i in range(1, 31):
        r[i] = 16807 * r[i - 1] % 2147483647
    for i in range(31, 34):
        r[i] = r[i - 31]
    for i in range(34, 400):
        r[i] = (r[i - 31] + r[i - 3]) % 4294967296
    rand = Glibc(seed).rand
    assert [r[i] // 2 for i in range(344, 400)] == [rand() for _ in range(344, 400)]


def test_an_optional_stage_is_marked_and_no_command_names_it():
    text = handout(WITH_TEXT["blackjack"])
    assert "\n## extra: a table for several players and a shoe of seven decks (optional)\n" in text
    assert not any("extra" in command for command in commands_in(text))


#: What somebody types who plays a reference that needs something.
TYPED = {"meter": "60\n", "teller": "100\nc\n", "pig": "h\n"}


def run_all(kit):
    """Run every command of a kit's handout there, as somebody does who has typed nothing yet."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    text = (kit / "HANDOUT.md").read_text()
    assert len(commands_in(text)) >= 3
    for command in commands_in(text):
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=kit,
            env={"PATH": path, "HOME": str(kit)},
            input=TYPED.get(command.split(" ")[2:3][0] if "play" in command else "", ""),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if command.startswith("pitboss play"):
            assert (done.returncode, "Traceback" in done.stderr) == (0, False), command
        elif command.startswith("make"):  # it passes on that the check was not passed
            assert done.returncode == 2, command
            assert "pitboss: " not in done.stderr, (command, done.stderr)
        else:
            assert (done.returncode, done.stderr) == (1, ""), (command, done.stdout)


def test_every_command_of_a_handout_runs_in_the_kit(parking, pitboss, tmp_path):
    assert pitboss("starter", parking, "--language", "python", "--into", "kit", "--no-pdf").code == 0
    run_all(tmp_path / "kit")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SPECS)
def test_every_command_of_every_handout_runs_in_its_kit(name, language, pitboss, tmp_path):
    folder = name if name in WITH_TEXT else SPECS[name]
    assert pitboss("starter", folder, "--language", language, "--into", "kit", "--no-pdf", cwd=tmp_path).code == 0
    run_all(tmp_path / "kit")


def test_free_texts_are_reported_as_texts_of_ones_own():
    policy = Policy(
        free=(
            FreeText("push", "Push.", "line"),
            FreeText("bust", " Bust!", "end_of_line", may_be_missing=True),
            FreeText("bye", "Again? n", "after"),
        )
    )
    assert leeway_of(policy) == (
        "Instead of `Push.` you may print a text of your own, the same each time.",
        "Instead of `Bust!` you may print a text of your own, the same each time, or none at all.",
        "After `Again? n` you may print a text of your own, the same each time.",
    )


def test_what_a_source_must_have_is_reported():
    (stage,) = load_assignment(TOY).stages
    asked = (
        Requirement("array"),
        Requirement("call", "system", is_forbidden=True, says="It waits.", points=Fraction(5, 2)),
    )
    assert requirements_of(msgspec.structs.replace(stage, requirements=asked)) == (
        "The program must have an array.",
        "The program must not have a call of system (2.5 points). It waits.",
    )
    assert requirements_of(stage) == ()
