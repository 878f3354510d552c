"""`pitboss hunt` on the command line: what it takes, what it says, and how it is stopped."""

import os
import pty
import re
import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
ODDS = r"  A mistake that shows in 1 of [0-9,]+ games would have shown in these with a chance of 95 %\."
FEW = r"  One game says little: give more --seconds\."


def test_games_that_the_reference_fails_in_are_left_out_and_reported(tmp_path, pitboss):
    folder = tmp_path / "specs" / "double"
    folder.mkdir(parents=True)
    (folder / "assignment.yaml").write_text(
        "title: Double\nseeded: no\nstages: [{name: double, reference: doubling:main}]\n"
    )
    (folder / "doubling.py").write_text(
        'def main(console):\n    console.write("Number: ")\n    number = int(console.read_line())\n'
        '    console.write(f"{2 * number + 0 * (1 // (number - 3))}\\n")\n    return 0\n'
    )
    case = "  - {name: 'of %d', transcript: \"Number: <<%d>>\\n%d\\n\"}\n"
    (folder / "double.yaml").write_text("program: double\ncases:\n" + case % (1, 1, 2) + case % (9, 9, 18))
    (tmp_path / "double.py").write_text('print(2 * int(input("Number: ")))\n')
    done = pitboss("hunt", "double", "--assignment", folder)
    assert done.code == 0
    count_sentence, left_out = done.out.splitlines()
    assert count_sentence == "double: 8 different games played, and the stage has no other games: all are as expected"
    assert re.fullmatch(
        r"double: the reference itself failed in 1 more: .*failed: "
        r"ZeroDivisionError: integer division or modulo by zero",
        left_out,
    )


def test_a_compile_error_is_reported_as_a_check_tells_it(pitboss, tmp_path):
    (tmp_path / "play.c").write_text("int main(void) { return 0 }\n")
    checked = pitboss("check", "play", "--assignment", "blackjack")
    hunted_ = pitboss("hunt", "play", "--assignment", "blackjack")
    assert (hunted_.code, checked.code) == (1, 1)
    assert "that is: " in checked.out
    assert hunted_.out == checked.out


@pytest.mark.parametrize("order", [("play", "ada"), ("ada", "play")], ids=["stage first", "folder first"])
def test_stage_and_folder_stand_in_either_order(pitboss, order):
    words = [EXAMPLES / "blackjack" / "ada" if word == "ada" else word for word in order]
    done = pitboss("hunt", *words, "--seconds", "1")
    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(rf"play: [0-9,]+ different games played: all are as expected\n{ODDS}\n", done.out)


def test_a_folder_that_is_called_as_a_stage_is_not_taken_for_it(pitboss, tmp_path):
    (tmp_path / "play").mkdir()
    (tmp_path / "mine").mkdir()
    for words in (("play", "mine"), ("mine", "play")):
        done = pitboss("hunt", *words, "--assignment", "blackjack")
        assert (done.code, done.err) == (
            2,
            "pitboss: mine: no program is here — a submission has files such as play.c\n",
        )
    done = pitboss("hunt", "play", "--assignment", "blackjack")
    assert (done.code, done.err) == (2, "pitboss: .: no program is here — a submission has files such as play.c\n")


def test_hunt_needs_one_stage(pitboss):
    for words in ((), ("deal", "play", "betting")):
        done = pitboss("hunt", *words)
        assert (done.code, done.out, done.err) == (
            2,
            "",
            "pitboss: hunt needs one stage: name it, as in pitboss hunt play\n",
        )


def test_progress_is_shown_at_once_and_ctrl_c_ends_it_with_what_is_known(tmp_path):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pitboss", "hunt", "play", EXAMPLES / "blackjack" / "ada", "--seconds", "600"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, cwd=tmp_path, env=environment, start_new_session=True
    )
    os.close(theirs)
    seen = b""
    try:
        while not re.search(rb"[1-9][0-9,]* games", seen):
            seen += os.read(ours, 4096)
        os.killpg(process.pid, signal.SIGINT)
        out = process.communicate(timeout=60)[0].decode()
    finally:
        process.kill()
        os.close(ours)
    assert b"0 games" in seen.partition(b"hunting in play")[2]
    assert process.returncode == 130
    every = r"(every one|it) is as expected"
    assert re.fullmatch(rf"play: stopped after [0-9,]+ different games?: {every}\n({ODDS}|{FEW})\n", out)
