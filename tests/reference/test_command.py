"""`python -m reference` is a program like any C program."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_shuffle_writes_318_bytes_through_a_pipe():
    done = run("blackjack", "shuffle", typed=b"0\n")
    assert (len(done.stdout), done.returncode, done.stderr) == (318, 0, b"")
    assert done.stdout.startswith("Seed:  2♣\n 3♣\n".encode())


def test_no_pause_leaves_the_pauses_out():
    done = run("blackjack", "play", "--no-pause", typed=b"3\nh\n")
    assert done.stdout.endswith(b"Final scores: Player 24, Dealer 19.\nDealer wins!\n")


def test_binary_input_is_shown_again_as_it_is():
    assert (
        b"Command '\xff\xfe' unrecognized"
        in run("blackjack", "errors", "--no-pause", typed=b"1\n10\n\xff\xfe\n").stdout
    )


def test_it_speaks_on_a_terminal_line_by_line():
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "reference", "blackjack", "play", "--no-pause"],
        stdin=theirs,
        stdout=theirs,
        cwd=ROOT,
    )
    os.close(theirs)
    seen = b""
    for prompt, answer in ((b"Seed: ", b"3\n"), (b"[h/s] ", b"h\n"), (b"Dealer wins!\r\n", b"")):
        while not seen.endswith(prompt):
            seen += os.read(ours, 1024)
        os.write(ours, answer)
    assert child.wait(timeout=300) == 0
    os.close(ours)


def test_a_closed_pipe_is_no_traceback():
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
def test_a_wrong_argument_is_one_sentence(arguments, sentence):
    done = run(*arguments)
    assert (done.returncode, done.stderr.decode()) == (2, f"python -m reference: {sentence}\n")


def test_without_arguments_it_lists_the_programs():
    assert run().stdout.decode() == (
        "usage: python -m reference ASSIGNMENT PROGRAM [--no-pause]\n"
        "  blackjack: shuffle, deal, play, betting, errors, extra\n"
        "  csc101: basic, reshuffle, split, betting, errors\n"
        "  ece2036: blackjack, double, split\n"
        "  tournament: minimum, blackjack, aces\n"
        "  bjm0: shuffle, aces, dealer, table, chances\n"
    )
