"""`python -m reference` behaves like a C program in pipes and on a terminal, and reports wrong arguments."""

import io
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reference.__main__ import main

ROOT = Path(__file__).parent.parent.parent


def run(*arguments, typed=b""):
    return subprocess.run(
        [sys.executable, "-m", "reference", *arguments],
        input=typed,
        capture_output=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )


def test_the_program_shuffle_writes_318_bytes_through_a_pipe():
    result = run("blackjack", "shuffle", typed=b"0\n")
    assert (len(result.stdout), result.returncode, result.stderr) == (318, 0, b"")
    assert result.stdout.startswith("Seed:  2♣\n 3♣\n".encode())


def test_the_option_no_pause_leaves_out_all_pauses(monkeypatch):
    pauses_s = []
    monkeypatch.setattr("time.sleep", pauses_s.append)
    for options, expected_s in (([], [2]), (["--no-pause"], [])):
        pauses_s.clear()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"3\nh\n")))
        monkeypatch.setattr("sys.stdout", output := io.TextIOWrapper(io.BytesIO()))
        assert main(["blackjack", "play", *options]) == 0
        assert output.buffer.getvalue().endswith(b"Final scores: Player 24, Dealer 19.\nDealer wins!\n")
        assert pauses_s == expected_s


def test_binary_input_is_shown_unchanged_in_a_message():
    assert (
        b"Command '\xff\xfe' unrecognized"
        in run("blackjack", "errors", "--no-pause", typed=b"1\n10\n\xff\xfe\n").stdout
    )


def test_a_session_on_a_terminal_goes_line_by_line():
    our_end, program_end = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "reference", "blackjack", "play", "--no-pause"],
        stdin=program_end,
        stdout=program_end,
        cwd=ROOT,
    )
    os.close(program_end)
    output = b""
    for prompt, answer in ((b"Seed: ", b"3\n"), (b"[h/s] ", b"h\n"), (b"Dealer wins!\r\n", b"")):
        while not output.endswith(prompt):
            output += os.read(our_end, 1024)
        os.write(our_end, answer)
    assert child.wait(timeout=300) == 0
    os.close(our_end)


def test_a_closed_pipe_causes_no_traceback():
    child = subprocess.Popen(
        [sys.executable, "-m", "reference", "blackjack", "shuffle"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    child.stdout.close()
    child.stdin.write(b"1\n")
    child.stdin.close()
    assert child.stderr.read() == b""
    assert child.wait(timeout=300) == -signal.SIGPIPE


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["blakjack", "play"],
            "there is no assignment 'blakjack' — allowed are blackjack, csc101, ece2036, tournament, bjm0; did you mean 'blackjack'?",
        ),
        (
            ["blackjack", "plya"],
            "there is no program 'plya' in blackjack — allowed are shuffle, deal, play, betting, errors, extra; did you mean 'play'?",
        ),
        (["blackjack"], "one program of blackjack is needed — allowed are shuffle, deal, play, betting, errors, extra"),
        (["blackjack", "play", "--nopause"], "there is no option '--nopause' — allowed is --no-pause"),
    ],
)
def test_a_wrong_argument_is_reported_in_one_sentence(arguments, sentence):
    result = run(*arguments)
    assert (result.returncode, result.stderr.decode()) == (2, f"python -m reference: {sentence}\n")


def test_without_arguments_the_programs_are_listed():
    assert run().stdout.decode() == (
        "usage: python -m reference ASSIGNMENT PROGRAM [--no-pause]\n"
        "  blackjack: shuffle, deal, play, betting, errors, extra\n"
        "  csc101: basic, reshuffle, split, betting, errors\n"
        "  ece2036: blackjack, double, split\n"
        "  tournament: minimum, blackjack, aces\n"
        "  bjm0: shuffle, aces, dealer, table, chances\n"
    )
