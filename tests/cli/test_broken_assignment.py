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


NO_STAGE = "one: there is no file or folder of this name, and no assignment has a stage 'one'\n"


@pytest.mark.parametrize(
    ("command", "code", "output", "error"),
    [
        (
            "assignments",
            0,
            "money: A bank teller\n  teller       deposit, withdraw, close (5 cases)\nbjm0: ",
            BROKEN_LINE,
        ),
        (f"check {CORRECT} teller", 0, "A bank teller: plain — accepted\n\n  teller  accepted  5 of 5\n", BROKEN_LINE),
        ("record teller", 0, "all 4 recorded cases match the reference\n", BROKEN_LINE),
        ("record teller -a money", 0, "all 4 recorded cases match the reference\n", ""),
        ("record one -a wrong", 2, "", BROKEN_LINE.replace("wrong is left out: ", "")),
        ("play one", 2, "", f"{BROKEN_LINE}pitboss: {NO_STAGE}"),
        ("verify", 2, "money: all 4 recorded cases match the reference\n", BROKEN_LINE),
        (
            f"check {CORRECT} wrong",
            2,
            "",
            f"{BROKEN_LINE}pitboss: wrong cannot be used until its files are corrected\n",
        ),
    ],
    ids=["list", "check", "record", "name another", "name it", "no stage", "verify", "as a stage"],
)
def test_the_other_assignments_can_be_used(run_pitboss, specs, command, code, output, error):
    done = run_pitboss(*command.split())
    assert (done.code, done.err, done.out[: len(output)], bool(done.out)) == (code, error, output, bool(output))


def test_naming_a_folder_without_assignment_yaml_is_an_error(run_pitboss, specs):
    (specs / "wrong" / "assignment.yaml").rename(specs / "wrong" / "assignment.yml")
    sentence = "pitboss: specs/wrong: there is no assignment.yaml in this folder\n"
    assert run_pitboss("record", "one", "-a", "wrong") == (2, "", sentence)


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
