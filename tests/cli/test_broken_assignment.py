"""An assignment whose files are wrong is one line on the standard error, and hides no other."""

import shutil

import pytest

from pitboss.assignments import keys
from pitboss.cli.main import exit_code_of
from tests.conftest import ROOT, TOY, Said

WRONG = "title: Wrong\nstages:\n  - {nmae: one}\n"
SENTENCE = (
    "wrong is left out: specs/wrong/assignment.yaml:3: a stage has no key 'nmae' — allowed are "
    f"{', '.join(keys.STAGE)}; did you mean 'name'?"
)
LINE = f"pitboss: {SENTENCE}\n"
RIGHT = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Run pitboss in this process, in the folder with the specs."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = exit_code_of([str(one) for one in arguments])
        return Said(code, *capsys.readouterr())

    return run


@pytest.fixture
def specs(tmp_path):
    """The folder of a right assignment and of a wrong one."""
    folder = tmp_path / "specs"
    shutil.copytree(TOY, folder / "money")
    (folder / "wrong").mkdir()
    (folder / "wrong" / "assignment.yaml").write_text(WRONG)
    return folder


def test_the_others_are_listed(said, specs):
    done = said("assignments")
    assert (done.code, done.err) == (0, LINE)
    assert done.out.startswith("money: A bank teller\n  teller       deposit, withdraw, close (5 cases)\nbjm0: ")


def test_the_others_are_checked(said, specs):
    done = said("check", RIGHT, "teller")
    assert (done.code, done.err) == (0, LINE)
    assert "  teller  accepted  5 of 5\n" in done.out


def test_the_others_are_recorded(said, specs):
    done = said("record", "teller")
    assert done == (0, "all 4 recorded cases match the reference\n", LINE)


def test_one_that_is_named_is_checked_without_a_word_of_the_others(said, specs):
    assert said("record", "teller", "-a", "money").err == ""


def test_the_wrong_one_is_the_error_where_it_is_meant(said, specs):
    done = said("record", "one", "-a", "wrong")
    assert done == (2, "", LINE.replace("wrong is left out: ", ""))


def test_a_folder_without_assignment_yaml_is_reported_where_it_is_meant(said, specs):
    (specs / "wrong" / "assignment.yaml").rename(specs / "wrong" / "assignment.yml")
    sentence = "pitboss: specs/wrong: there is no assignment.yaml in this folder\n"
    assert said("record", "one", "-a", "wrong") == (2, "", sentence)


def test_a_stage_that_only_the_wrong_one_may_have_is_reported_after_its_line(said, specs):
    done = said("play", "one")
    assert (done.code, done.out) == (2, "")
    sentence = "pitboss: one: there is no folder of this name, and no assignment has a stage 'one'\n"
    assert done.err == LINE + sentence


def test_all_others_are_verified_and_the_command_fails(said, specs):
    """And none of those that come with pitboss, which take minutes."""
    assert said("verify") == (2, "money: all 4 recorded cases match the reference\n", LINE)


def test_the_wrong_one_named_as_a_stage_is_reported_once(said, specs):
    done = said("check", RIGHT, "wrong")
    assert done == (2, "", LINE + "pitboss: wrong cannot be used until its files are corrected\n")


def test_where_nothing_fits_the_only_one_of_ones_own_is_meant(said, specs, tmp_path):
    """Nothing in the folder says which assignment it is of; ./specs has one that can be used."""
    (tmp_path / "flat" / "ada").mkdir(parents=True)
    (tmp_path / "flat" / "ada" / "essay.txt").write_text("No program.\n")
    done = said("check", tmp_path / "flat" / "ada")
    assert done.err.startswith(LINE)
    assert "which assignment?" not in done.err
    assert "teller" in done.err
    shutil.copytree(TOY, specs / "more")
    assert "which assignment? Give --assignment with one of: " in said("check", tmp_path / "flat" / "ada").err


TASK = (
    "pitboss: the handout does not describe the task: write it into a file beside "
    "{specs}/money/assignment.yaml, and name the file there: `handout: handout.md`\n"
)


def test_a_kit_and_a_bundle_without_a_task_in_words_say_so(said, specs, tmp_path):
    shutil.rmtree(specs / "wrong")
    folder = tmp_path / "specs" / "money" / "assignment.yaml"
    text = folder.read_text()
    assert "handout:" not in text
    assert TASK.format(specs="specs") in said("starter", "money", "--into", "kit", "--no-pdf", "-l", "c").err
    assert TASK.format(specs="specs") in said("export", "money", "--into", "bundle", "-l", "c").err
    (specs / "money" / "handout.md").write_text("Write a teller.\n")
    folder.write_text(text.replace("stages:", "handout: handout.md\nstages:", 1))
    assert "in words" not in said("starter", "money", "--into", "kit2", "--no-pdf", "-l", "c").err


def test_a_bundle_is_named_by_its_folder_from_elsewhere(said, specs, tmp_path, monkeypatch):
    shutil.rmtree(specs / "wrong")
    said("export", "money", "--into", "bundle", "-l", "c")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = said("check", RIGHT, "-a", "../bundle")
    assert (done.code, done.out.splitlines()[0]) == (0, "A bank teller: plain — accepted")
