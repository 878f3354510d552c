import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run_pytest(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_reference_passes_its_own_specs():
    process = run_pytest("specs", "-k", "twelve or busts")
    assert process.returncode == 0, process.stdout
    assert " passed" in process.stdout


def test_a_reference_that_is_an_executable_passes_its_own_specs():
    process = run_pytest("tests/toy/teller/teller.yaml")
    assert (process.returncode, "5 passed" in process.stdout) == (0, True), process.stdout


def test_each_case_of_a_submission_is_a_test():
    process = run_pytest("specs/blackjack/play.yaml", "--submission", ROOT / "examples/blackjack/brian", "-k", "busts")
    assert process.returncode == 1
    assert "wrong answer: It pauses for 1 s before “Dealer stands.”; the pause should be 2 s." in process.stdout
    assert "Traceback" not in process.stdout
    assert "2 failed" in process.stdout


def test_a_submission_that_does_not_compile_fails_with_the_compiler_message():
    process = run_pytest(
        "tests/toy/teller/teller.yaml", "--submission", ROOT / "tests/submissions/COMPILE_ERROR/syntax"
    )
    assert process.returncode == 1
    assert "compile error: cc could not build teller: teller.c:8:5: error:" in process.stdout


def test_a_stage_that_was_not_handed_in_is_skipped_with_a_reason():
    process = run_pytest(
        "specs/blackjack/errors.yaml", "--submission", ROOT / "examples/blackjack/barbara", "-k", "signs", "-rs"
    )
    assert process.returncode == 0
    assert (
        "Not handed in: there is no errors.c, errors.cpp or the like, and no Makefile that makes errors."
        in process.stdout
    )
    assert " skipped" in process.stdout
    assert " failed" not in process.stdout


@pytest.mark.slow
@pytest.mark.needs("C++")
def test_the_given_option_replaces_the_files_of_the_assignment(tmp_path):
    """Ada's classes compile only with her course's own headers and main.cpp, not with those of the assignment."""
    submission = ROOT / "tests" / "submissions" / "ece2036" / "built" / "own_style"
    for folder, names in (
        ("course", ("Card.h", "Hand.h", "Blackjack.h", "main.cpp")),
        ("ada", ("Card.cpp", "Hand.cpp", "Blackjack.cpp")),
    ):
        (tmp_path / folder).mkdir()
        for name in names:
            shutil.copy(submission / name, tmp_path / folder)
    spec = ("specs/ece2036/blackjack.yaml", "--submission", tmp_path / "ada", "-k", "leaves")
    assert "compile error: c++ could not build blackjack: " in run_pytest(*spec).stdout
    process = run_pytest(*spec, "--given", tmp_path / "course")
    assert (process.returncode, " passed" in process.stdout) == (0, True), process.stdout


def test_the_given_option_is_an_error_where_no_build_uses_its_files(tmp_path):
    """There is no submission to build, or no stage uses such files, or the folder has none of them."""
    process = run_pytest("specs/ece2036/blackjack.yaml", "--given", tmp_path)
    message = "ERROR: --given needs --submission: the files of the course are for building a submission"
    assert message in process.stderr + process.stdout
    process = run_pytest("specs/blackjack/play.yaml", "--submission", "examples/blackjack/ada", "--given", tmp_path)
    assert (
        "ERROR: --given: no stage of these assignments has files that the course gives"
        in process.stderr + process.stdout
    )
    process = run_pytest("specs/ece2036/blackjack.yaml", "--submission", "examples/ece2036/george", "--given", tmp_path)
    assert f"--given {tmp_path}: there is no Blackjack.h and no Card.h" in process.stderr + process.stdout
