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
from pitboss.kits.handouts import leeway_sentences, requirement_sentences
from pitboss.kits.samples import samples_of
from pitboss.kits.starters import KIT_LANGUAGES, kit_of
from pitboss.model.comparison_policy import FreeText, Policy, Tolerance
from pitboss.model.construct_rules import Requirement
from tests.conftest import ROOT, TOY

TEMPLATES = ROOT / "student_templates"
SPECS = assignments_in((ROOT / "specs", ROOT / "tests" / "toy"))
SHIPPED_SPECS = assignments_in((ROOT / "specs",))

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
    """The folder of the assignment PARKING, in which nothing is drawn and no case is recorded."""
    folder = tmp_path / "parking"
    folder.mkdir()
    for name, text in PARKING.items():
        (folder / name).write_text(text)
    return folder


def handout_of(folder, language="c"):
    return kit_of(load_assignment(folder), language, TEMPLATES)["HANDOUT.md"]


def commands_in(text):
    """The commands that a handout shows in indented lines, without the comments behind them."""
    return [line.split("   #")[0].strip() for line in text.splitlines() if re.match(r"    (make|pitboss) ", line)]


def test_a_handout_mentions_no_draws_where_nothing_is_drawn(parking):
    text = handout_of(parking)
    assert "draw" not in text
    assert "seed" not in text
    assert "Where the same is typed, the same must be shown.\n" in text


def test_samples_are_generated_where_no_case_is_recorded(parking):
    text = handout_of(parking)
    assert "### an hour\n\n```text\nMinutes: «60»\n120 cents\n```\n" in text
    assert "### a day\n\n```text\nMinutes: «1440»\n2880 cents\n```\n" in text


#: A parking meter that exits with 2 and writes an error if the input is no number, and that exits with 3 for 0 minutes.
REFUSING_METER = """\
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


def handout_of_refusing_meter(parking, *cases, stderr="compared", language="c"):
    """The handout of REFUSING_METER with these cases, each given as the inside of a YAML mapping."""
    (parking / "parking.py").write_text(REFUSING_METER)
    text = PARKING["assignment.yaml"].replace("parking:main", f"parking:main, stderr: {stderr}")
    (parking / "assignment.yaml").write_text(text)
    (parking / "meter.yaml").write_text("program: meter\ncases:\n" + "".join(f"  - {{{case}}}\n" for case in cases))
    return handout_of(parking, language)


HOUR_CASE, NONE_CASE = 'name: an hour, answers: ["60"]', "name: none, answers: [x], exit: 2"
WORDS_CASE = "name: words, answers: [an hour], exit: 2"


def test_a_handout_asks_for_exit_code_0_if_all_cases_have_it(parking):
    text = handout_of_refusing_meter(parking, HOUR_CASE)
    assert RETURNS_0 in text
    assert "exit code" not in text


def test_a_java_handout_names_functions_of_java(parking):
    text = handout_of_refusing_meter(parking, HOUR_CASE, language="Java")
    assert "At the end `main` returns, or `System.exit(0)` is called.\n" in text
    assert "You write one file, `Meter.java`.\n" in text
    text = handout_of_refusing_meter(parking, HOUR_CASE, NONE_CASE, language="Java")
    assert "`System.exit` is called with it.\n" in text
    assert "A pause of 2 seconds is\n`Thread.sleep(2000)`; what was" in handout_of(TOY.parent / "hello", "Java")


def test_exit_codes_and_stderr_of_public_cases_are_described(parking):
    text = handout_of_refusing_meter(parking, HOUR_CASE, NONE_CASE, WORDS_CASE)
    assert "returns 0" not in text
    assert (
        "- Its exit code is compared: in the public cases it is 0, but 2 in “none” and “words”. `main` returns it, or "
        "`exit` is called with it.\n" in text
    )
    assert (
        "### none\n\n```text\nMinutes: «x»\n```\n\nOn its standard error:\n\n```text\nno time: x\n```\n\n"
        "Its exit code is 2.\n\n" in text
    )
    assert "### an hour\n\n```text\nMinutes: «60»\n120 cents\n```\n\n" in text
    free_case = "name: free, answers: ['0'], exit: 3"
    text = handout_of_refusing_meter(parking, NONE_CASE, free_case)
    assert "in the public cases it is 2 in “none” and 3 in “free”." in text
    assert "in the public cases it is 2. `main`" in handout_of_refusing_meter(parking, NONE_CASE)
    many = [f"name: none {number}, answers: [x], exit: 2" for number in range(5)]
    assert "it is 0, but 2 in 5 cases such as “none 0”." in handout_of_refusing_meter(parking, HOUR_CASE, *many)


def test_ignored_stderr_is_not_shown(parking):
    text = handout_of_refusing_meter(parking, HOUR_CASE, NONE_CASE, stderr="ignored")
    assert "no time" not in text
    assert "What it writes to its standard error does not matter.\n- Its exit code is compared" in text


def test_exit_codes_and_stderr_of_hidden_cases_are_not_revealed(parking):
    """Nor does the handout claim that the program always returns 0."""
    text = handout_of_refusing_meter(parking, HOUR_CASE, f"{NONE_CASE}, visibility: hidden")
    assert "no time" not in text
    assert "returns 0" not in text
    assert "- Its exit code is compared: in the public cases it is 0. `main` returns it" in text


def test_a_freely_worded_error_message_is_asked_for(parking):
    text = handout_of_refusing_meter(parking, HOUR_CASE, f"{NONE_CASE}, expected_stderr: {{is_empty: no}}")
    assert "If something is wrong, as in “none”, it reports the error there in words of your own." in text


def test_exact_output_is_not_demanded_where_a_checker_decides(parking):
    (parking / "checks.py").write_text("def check(session):\n    return True\n")
    (parking / "assignment.yaml").write_text(f"checker: checks:check\n{PARKING['assignment.yaml']}")
    section = handout_of(parking).partition("## How it is checked\n\n")[2]
    assert section.startswith(
        "What you show is looked at by a check of the course's own, which says whether it is right.\n"
        "Print a question without a newline behind it"
    )


def test_a_sample_without_output_says_that_nothing_is_printed(parking):
    (parking / "parking.py").write_text("def main(console):\n    console.write_error('no disk\\n')\n    return 1\n")
    (parking / "meter.yaml").write_text("program: meter\ncases: [{name: no disk, answers: [], exit: 1}]\n")
    text = PARKING["assignment.yaml"].replace("parking:main", "parking:main, stderr: compared")
    (parking / "assignment.yaml").write_text(text)
    sample = (
        "### no disk\n\nIt prints nothing to its standard output.\n\nOn its standard error:\n\n```text\nno disk\n```\n\n"
        "Its exit code is 1.\n\n## "
    )
    assert sample in handout_of(parking)


def test_the_command_line_of_a_sample_is_shown():
    text = handout_of(ROOT / "tests" / "toy" / "gradebook")
    assert "### two scores (gradebook)\n" in text
    assert "### a title (gradebook 'Spring term')\n" in text
    assert "it is 0, but 2 in “two titles (gradebook one two)”." in text


def test_the_samples_of_dice_show_its_main_events():
    (stage,) = load_assignment(ROOT / "tests" / "toy" / "dice").stages
    samples = "\n".join(sample.text for sample in samples_of(stage))
    assert "You keep 7." in samples
    assert "A one costs you all your points." in samples


def test_a_handout_says_whether_pauses_are_compared():
    assert "Pauses count, too: each must be as long as it is here" in handout_of(TOY)
    assert "- Pauses do not matter.\n" in handout_of(ROOT / "tests" / "toy" / "dice")
    assert "Pauses count" not in handout_of(ROOT / "specs" / "bjm0")


def test_permitted_differences_are_listed():
    policy = Policy(
        trailing_blanks="ignored",
        blank_lines="ignored",
        letter_case="ignored",
        alternatives=(
            ("Push.", "Tie.", "Draw."),
            ("Bye!", ""),
            ("Hi", "\ufeffHi"),
            ("'", "’", "Õ"),
            ("A. B", "A.\nB"),
            ("My hand:", "My{text}hand:"),
        ),
    )
    assert leeway_sentences(policy) == (
        "Spaces at the ends of lines do not matter.",
        "Empty lines do not matter.",
        "Upper and lower case do not matter.",
        "Instead of `Push.` you may print `Tie.` or `Draw.`.",
        "Instead of `Bye!` you may print nothing at all.",
        "Instead of `'` you may print `’`.",
        "Instead of `A. B` you may print `A.` and on the next line `B`.",
        "Instead of `My hand:` you may print `My…hand:`. Each … is for any text without a colon, or none.",
    )
    assert leeway_sentences(Policy()) == ()


def test_permitted_lines_orders_and_tolerances_are_listed():
    policy = Policy(
        blanks="ignored",
        free_lines=("^Hi",),
        matches=("^Today",),
        any_order=("^- ",),
        numbers=(Tolerance(Decimal("0.01"), lines=("^Mean", "^Sum")), Tolerance(relative=Decimal("1e-6"))),
    )
    assert leeway_sentences(policy) == (
        "Spaces and line ends, except one between two words, do not matter.",
        "Where the samples show a line with `^Hi` (a regular expression), print any line.",
        "Where the samples show a line with `^Today` (a regular expression), print any line that matches it.",
        "Neighbouring lines with `^- ` (a regular expression) may come in any order.",
        "A number in lines with `^Mean` or `^Sum` (regular expressions) may be off by 0.01.",
        "A number may be off by 0.000001 of its value.",
    )


@pytest.mark.parametrize("name", SHIPPED_SPECS)
def test_shipped_handouts_contain_the_text_of_every_stage(name):
    assignment = load_assignment(SHIPPED_SPECS[name])
    text = handout_of(SHIPPED_SPECS[name])
    assert assignment.handout.read_text().strip() in text
    for stage in assignment.stages:
        assert stage.handout.read_text().strip() in text, stage.name
    assert not re.search(r"\{[{%]|None|\bStage\(", text)


@pytest.mark.parametrize("key", ["assignment", "stage"])
def test_a_missing_handout_file_is_reported(parking, key):
    text = PARKING["assignment.yaml"]
    assignment_text = (
        text + "handout: here.md\n" if key == "assignment" else text.replace("meter,", "meter, handout: here.md,")
    )
    (parking / "assignment.yaml").write_text(assignment_text)
    line = 4 if key == "assignment" else 3
    with pytest.raises(SpecError) as error:
        load_assignment(parking)
    assert str(error.value) == (
        f"{parking}/assignment.yaml:{line}: handout is 'here.md' — there is no such file in {parking}"
    )


def test_an_optional_stage_is_marked_and_no_command_names_it():
    text = handout_of(SHIPPED_SPECS["blackjack"])
    assert "\n## extra: a table for several players and a shoe of seven decks (optional)\n" in text
    assert not any("extra" in command for command in commands_in(text))


#: By stage, the input for `pitboss play`, where the reference fails without any.
PLAY_INPUT = {"meter": "60\n", "teller": "100\nc\n", "pig": "h\n"}


def run_handout_commands(kit):
    """Run every command of a kit's handout in the kit, as a student does who has written no program yet."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    text = (kit / "HANDOUT.md").read_text()
    assert len(commands_in(text)) >= 3
    for command in commands_in(text):
        played_stage = command.split(" ")[2] if command.startswith("pitboss play") else ""
        completed = subprocess.run(
            ["sh", "-c", command],
            cwd=kit,
            env={"PATH": path, "HOME": str(kit)},
            input=PLAY_INPUT.get(played_stage, ""),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if command.startswith("pitboss play"):
            assert (completed.returncode, "Traceback" in completed.stderr) == (0, False), command
        elif command.startswith("make"):  # make exits with 2 because the check fails
            assert completed.returncode == 2, command
            assert "pitboss: " not in completed.stderr, (command, completed.stderr)
        else:
            assert (completed.returncode, completed.stderr) == (1, ""), (command, completed.stdout)


def test_every_command_of_a_handout_runs_in_the_kit(parking, pitboss, tmp_path):
    assert pitboss("starter", parking, "--language", "python", "--into", "kit").code == 0
    run_handout_commands(tmp_path / "kit")


@pytest.mark.slow
@pytest.mark.parametrize("language", KIT_LANGUAGES)
@pytest.mark.parametrize("name", SPECS)
def test_every_command_of_every_handout_runs_in_its_kit(name, language, pitboss, tmp_path):
    folder = name if name in SHIPPED_SPECS else SPECS[name]
    assert pitboss("starter", folder, "--language", language, "--into", "kit", cwd=tmp_path).code == 0
    run_handout_commands(tmp_path / "kit")


def test_free_texts_may_be_replaced_by_texts_of_ones_own():
    policy = Policy(
        free=(
            FreeText("push", "Push.", "line"),
            FreeText("bust", " Bust!", "end_of_line", may_be_missing=True),
            FreeText("bye", "Again? n", "after"),
        )
    )
    assert leeway_sentences(policy) == (
        "Instead of `Push.` you may print a text of your own, the same each time.",
        "Instead of `Bust!` you may print a text of your own, the same each time, or none at all.",
        "After `Again? n` you may print a text of your own, the same each time.",
    )


def test_required_and_forbidden_constructs_are_listed():
    (stage,) = load_assignment(TOY).stages
    requirements = (
        Requirement("array"),
        Requirement("call", "system", is_forbidden=True, says="It waits.", points=Fraction(5, 2)),
    )
    assert requirement_sentences(msgspec.structs.replace(stage, requirements=requirements)) == (
        "The program must have an array.",
        "The program must not have a call of system (2.5 points). It waits.",
    )
    assert requirement_sentences(stage) == ()
