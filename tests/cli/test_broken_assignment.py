import shutil

import pytest

from pitboss.assignments import keys
from pitboss.cli.main import exit_code_of
from tests.conftest import ROOT, TOY, CommandResult

BROKEN_SPEC = "title: Wrong\nstages:\n  - {nmae: one}\n"
BROKEN_SENTENCE = (
    "wrong is left out: specs/wrong/assignment.yaml:3: a stage has no key 'nmae' — allowed are "
    f"{', '.join(keys.STAGE)}; did you mean 'name'?"
)
BROKEN_LINE = f"pitboss: {BROKEN_SENTENCE}\n"
CORRECT = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"


@pytest.fixture
def run_pitboss(tmp_path, monkeypatch, capsys):
    """Runs pitboss in this process, in the folder that contains specs/."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = exit_code_of([str(argument) for argument in arguments])
        return CommandResult(code, *capsys.readouterr())

    return run


@pytest.fixture
def specs(tmp_path):
    """A specs folder with a correct assignment, money, and a broken one, wrong."""
    folder = tmp_path / "specs"
    shutil.copytree(TOY, folder / "money")
    (folder / "wrong").mkdir()
    (folder / "wrong" / "assignment.yaml").write_text(BROKEN_SPEC)
    return folder


def test_the_other_assignments_are_listed(run_pitboss, specs):
    done = run_pitboss("assignments")
    assert (done.code, done.err) == (0, BROKEN_LINE)
    assert done.out.startswith("money: A bank teller\n  teller       deposit, withdraw, close (5 cases)\nbjm0: ")


def test_submissions_of_the_other_assignments_are_checked(run_pitboss, specs):
    done = run_pitboss("check", CORRECT, "teller")
    assert (done.code, done.err) == (0, BROKEN_LINE)
    assert "  teller  accepted  5 of 5\n" in done.out


def test_the_other_assignments_are_recorded(run_pitboss, specs):
    done = run_pitboss("record", "teller")
    assert done == (0, "all 4 recorded cases match the reference\n", BROKEN_LINE)


def test_with_an_assignment_named_broken_ones_are_not_mentioned(run_pitboss, specs):
    assert run_pitboss("record", "teller", "-a", "money").err == ""


def test_naming_the_broken_assignment_is_an_error(run_pitboss, specs):
    done = run_pitboss("record", "one", "-a", "wrong")
    assert done == (2, "", BROKEN_LINE.replace("wrong is left out: ", ""))


def test_naming_a_folder_without_assignment_yaml_is_an_error(run_pitboss, specs):
    (specs / "wrong" / "assignment.yaml").rename(specs / "wrong" / "assignment.yml")
    sentence = "pitboss: specs/wrong: there is no assignment.yaml in this folder\n"
    assert run_pitboss("record", "one", "-a", "wrong") == (2, "", sentence)


def test_an_unknown_stage_is_reported_after_the_broken_assignment(run_pitboss, specs):
    done = run_pitboss("play", "one")
    assert (done.code, done.out) == (2, "")
    sentence = "pitboss: one: there is no file or folder of this name, and no assignment has a stage 'one'\n"
    assert done.err == BROKEN_LINE + sentence


def test_verify_checks_the_other_assignments_and_fails(run_pitboss, specs):
    """The assignments that come with pitboss are not verified: that would take minutes."""
    assert run_pitboss("verify") == (2, "money: all 4 recorded cases match the reference\n", BROKEN_LINE)


def test_the_broken_assignment_given_as_a_stage_is_reported_once(run_pitboss, specs):
    done = run_pitboss("check", CORRECT, "wrong")
    assert done == (2, "", BROKEN_LINE + "pitboss: wrong cannot be used until its files are corrected\n")


def test_a_submission_defaults_to_the_only_usable_assignment_in_specs(run_pitboss, specs, tmp_path):
    """No file of the submission shows its assignment; if ./specs has two usable assignments, pitboss asks."""
    (tmp_path / "flat" / "ada").mkdir(parents=True)
    (tmp_path / "flat" / "ada" / "essay.txt").write_text("No program.\n")
    done = run_pitboss("check", tmp_path / "flat" / "ada")
    assert done.err.startswith(BROKEN_LINE)
    assert "which assignment?" not in done.err
    assert "teller" in done.err
    shutil.copytree(TOY, specs / "more")
    assert "which assignment? Give --assignment with one of: " in run_pitboss("check", tmp_path / "flat" / "ada").err


#: The warning that a handout without a description of the task causes.
NO_TASK = (
    "pitboss: the handout does not describe the task: write it into a file beside "
    "specs/money/assignment.yaml, and name the file there: `handout: handout.md`\n"
)


def test_a_kit_or_bundle_of_an_assignment_without_a_handout_warns(run_pitboss, specs, tmp_path):
    shutil.rmtree(specs / "wrong")
    assignment_file = specs / "money" / "assignment.yaml"
    text = assignment_file.read_text()
    assert "handout:" not in text
    assert NO_TASK in run_pitboss("starter", "money", "--into", "kit", "-l", "c").err
    assert NO_TASK in run_pitboss("export", "money", "--into", "bundle", "-l", "c").err
    (specs / "money" / "handout.md").write_text("Write a teller.\n")
    assignment_file.write_text(text.replace("stages:", "handout: handout.md\nstages:", 1))
    done = run_pitboss("starter", "money", "--into", "kit2", "-l", "c")
    assert NO_TASK not in done.err


def test_a_bundle_can_be_given_by_its_relative_path(run_pitboss, specs, tmp_path, monkeypatch):
    shutil.rmtree(specs / "wrong")
    run_pitboss("export", "money", "--into", "bundle", "-l", "c")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = run_pitboss("check", CORRECT, "-a", "../bundle")
    assert (done.code, done.out.splitlines()[0]) == (0, "A bank teller: plain — accepted")


@pytest.mark.parametrize("command", ["check", "grade"])
def test_a_known_mistake_that_cannot_be_built_is_reported_before_any_submission(run_pitboss, tmp_path, command):
    """A program is accepted only if its sessions could have shown each known mistake."""
    guess = shutil.copytree(ROOT / "examples" / "assignments" / "guess", tmp_path / "guess")
    code = (guess / "guessing.py").read_text()
    (guess / "guessing.py").write_text(code.replace("return int(line)", "return int(line.strip())"))
    submission = guess / "submissions" / ("right-as-given" if command == "check" else "")
    done = run_pitboss(command, submission, "-a", guess)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pitboss: ")
    assert "mistakes/decimals-cut-off/change.patch:" in done.err
