"""Spec files are tests, against the reference or a submission."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_reference_passes_its_own_specs():
    done = run("specs", "-k", "twelve or busts")
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_a_reference_that_is_an_executable_passes_its_own_specs():
    done = run("tests/toy/teller/teller.yaml")
    assert (done.returncode, "5 passed" in done.stdout) == (0, True), done.stdout


def test_a_submission_is_judged_case_by_case():
    done = run("specs/blackjack/play.yaml", "--submission", ROOT / "examples/blackjack/brian", "-k", "busts")
    assert done.returncode == 1
    assert "wrong answer: It pauses for 1 s before “Dealer stands.”; the pause should be 2 s." in done.stdout
    assert "Traceback" not in done.stdout
    assert "2 failed" in done.stdout


def test_a_submission_that_does_not_compile_fails_with_the_compilers_words():
    done = run("tests/toy/teller/teller.yaml", "--submission", ROOT / "tests/submissions/COMPILE_ERROR/syntax")
    assert done.returncode == 1
    assert "compile error: cc could not build teller: teller.c:8:5: error:" in done.stdout


def test_a_stage_that_was_not_handed_in_is_skipped_with_the_words():
    done = run("specs/blackjack/errors.yaml", "--submission", ROOT / "examples/blackjack/barbara", "-k", "signs", "-rs")
    assert done.returncode == 0
    assert (
        "Not handed in: there is no errors.c, errors.cpp or the like, and no Makefile that makes errors." in done.stdout
    )
    assert " skipped" in done.stdout
    assert " failed" not in done.stdout


@pytest.mark.slow
@pytest.mark.needs("C++")
def test_the_files_that_a_course_gives_can_be_named(tmp_path):
    """Against the files that come with the assignment these classes do not compile."""
    own = ROOT / "tests" / "submissions" / "ece2036" / "built" / "own_style"
    for folder, names in (
        ("course", ("Card.h", "Hand.h", "Blackjack.h", "main.cpp")),
        ("ada", ("Card.cpp", "Hand.cpp", "Blackjack.cpp")),
    ):
        (tmp_path / folder).mkdir()
        for name in names:
            shutil.copy(own / name, tmp_path / folder)
    spec = ("specs/ece2036/blackjack.yaml", "--submission", tmp_path / "ada", "-k", "leaves")
    assert "compile error: c++ could not build blackjack: " in run(*spec).stdout
    done = run(*spec, "--given", tmp_path / "course")
    assert (done.returncode, " passed" in done.stdout) == (0, True), done.stdout


def test_files_of_a_course_that_nothing_is_built_with_are_an_error(tmp_path):
    done = run("specs/ece2036/blackjack.yaml", "--given", tmp_path)
    assert "ERROR: --given needs --submission: the reference is not built with any files" in done.stderr + done.stdout
    done = run("specs/blackjack/play.yaml", "--submission", "examples/blackjack/ada", "--given", tmp_path)
    assert "ERROR: --given: no stage of these assignments has files that the course gives" in done.stderr + done.stdout
    done = run("specs/ece2036/blackjack.yaml", "--submission", "examples/ece2036/george", "--given", tmp_path)
    assert f"--given {tmp_path}: there is no Blackjack.h and no Card.h" in done.stderr + done.stdout
