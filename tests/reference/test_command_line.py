"""`python -m reference` as its users run it: from a shell, through a pipe and on a terminal."""

from __future__ import annotations

import io
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from reference.__main__ import main
from reference.blackjack import errors, play
from tests.reference.consoles import session

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "reference")
USAGE = """\
usage: python -m reference ASSIGNMENT PROGRAM [--no-pause]
  blackjack: shuffle, deal, play, betting, errors, extra
  csc101: basic, reshuffle, split, betting, errors
  ece2036: blackjack, double, split
  tournament: minimum, blackjack, aces
  bjm0: shuffle, aces, dealer, table, chances
"""
PROGRAMS = "shuffle, deal, play, betting, errors, extra"


def run(*arguments: str, typed: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=typed, capture_output=True, cwd=ROOT, timeout=300, check=False)


@pytest.mark.parametrize("arguments", [("--no-pause", "blackjack", "play"), ("blackjack", "play", "--no-pause")])
def test_the_program_play_shows_the_same_through_a_pipe_as_in_memory(arguments: tuple[str, ...]) -> None:
    outcome = run(*arguments, typed=b"23\ns\ns\n")
    assert (outcome.stdout.decode(), outcome.stderr, outcome.returncode) == (
        session(play.main, "23", "s", "s").text,
        b"",
        0,
    )


def test_the_program_errors_shows_bytes_that_are_not_utf8_unchanged() -> None:
    outcome = run("blackjack", "errors", "--no-pause", typed=b"1\n10\n\xff\xfe\x00x\n" + b"y" * 100_000)
    assert b"Command '\xff\xfe\x00x' unrecognized\n" in outcome.stdout
    assert outcome.stdout.endswith(b"yyy' unrecognized\nHit, stand or double down? [h/s/d] \n")
    assert (outcome.stderr, outcome.returncode) == (b"", 0)


def test_the_option_no_pause_leaves_out_all_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses_s: list[float] = []
    monkeypatch.setattr("time.sleep", pauses_s.append)
    for options, expected_s in (([], [2]), (["--no-pause"], [])):
        pauses_s.clear()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"3\nh\n")))
        monkeypatch.setattr("sys.stdout", output := io.TextIOWrapper(io.BytesIO()))
        assert main(["blackjack", "play", *options]) == 0
        assert output.buffer.getvalue().endswith(b"Final scores: Player 24, Dealer 19.\nDealer wins!\n")
        assert pauses_s == expected_s


def read_until(descriptor: int, end: bytes) -> bytes:
    output = b""
    while not output.endswith(end):
        output += os.read(descriptor, 4096)
    return output


def test_the_program_errors_goes_line_by_line_on_a_terminal() -> None:
    our_end, program_end = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "blackjack", "errors", "--no-pause"], stdin=program_end, stdout=program_end, cwd=ROOT
    )
    prompts = [b"Seed: ", b"Place your bet: ", b"[h/s/d] ", b"another hand: "]
    output = b""
    try:
        for prompt, line in zip(prompts, [b"2\n", b"10\n", b"s\n", b"\x04"], strict=True):
            output += read_until(our_end, prompt)
            os.write(our_end, line)
        assert process.wait(timeout=300) == 0
    finally:
        process.kill()
        process.wait()
        os.close(program_end)
    output += os.read(our_end, 4096)
    os.close(our_end)
    # The conversation has typed lines in brackets, as the prompts have `[h/s/d]`: compare without any brackets.
    without_brackets = str.maketrans("", "", "[]")
    expected = session(errors.main, "2", "10", "s").conversation.replace("\n", "\r\n")
    assert output.decode().translate(without_brackets) == expected.translate(without_brackets)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-C", "kill"])
def test_a_signal_ends_the_program_silently(number: signal.Signals) -> None:
    process = subprocess.Popen(
        [*COMMAND, "blackjack", "play"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    read_until(process.stdout.fileno(), b"Seed: ")
    process.send_signal(number)
    output, error_output = process.communicate(timeout=300)
    assert (output, error_output, process.returncode) == (b"", b"", -number)


def test_a_closed_pipe_ends_the_program_silently() -> None:
    process = subprocess.Popen(
        [*COMMAND, "blackjack", "shuffle"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )
    assert process.stdout is not None
    read_until(process.stdout.fileno(), b"Seed: ")
    process.stdout.close()
    process.stdout = None
    _, error_output = process.communicate(b"1\n", timeout=300)
    assert (error_output, process.returncode) == (b"", -signal.SIGPIPE)


def test_a_full_disk_is_reported_in_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        outcome = subprocess.run(
            [*COMMAND, "blackjack", "shuffle"], input=b"1\n", stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False
        )
    expected = b"python -m reference: the output cannot be written: No space left on device\n"
    assert (outcome.stderr, outcome.returncode) == (expected, 1)


@pytest.mark.parametrize(("redirection", "expected"), [("<&-", b"Seed: "), (">&- </dev/null", b"")], ids=repr)
def test_a_closed_input_or_output_ends_the_program_silently(redirection: str, expected: bytes) -> None:
    command = f"exec '{sys.executable}' -m reference blackjack play {redirection}"
    outcome = subprocess.run(["sh", "-c", command], capture_output=True, cwd=ROOT, timeout=300, check=False)
    assert (outcome.stdout, outcome.stderr, outcome.returncode) == (expected, b"", 0)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["--no-pause"]], ids=repr)
def test_without_names_assignments_and_programs_are_listed(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr() == (USAGE, "")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("poker", "there is no assignment 'poker' — allowed are blackjack, csc101, ece2036, tournament, bjm0"),
        (
            "blackjak play",
            "there is no assignment 'blackjak' — allowed are blackjack, csc101, ece2036, tournament, bjm0; did you mean 'blackjack'?",
        ),
        ("blackjack", f"one program of blackjack is needed — allowed are {PROGRAMS}"),
        ("blackjack roulette", f"there is no program 'roulette' in blackjack — allowed are {PROGRAMS}"),
        (
            "blackjack Shuffel",
            f"there is no program 'Shuffel' in blackjack — allowed are {PROGRAMS}; did you mean 'shuffle'?",
        ),
        ("blackjack play deal", "'deal' is one name too many — allowed are an assignment and one of its programs"),
        ("blackjack play --fast", "there is no option '--fast' — allowed is --no-pause"),
    ],
    ids=lambda value: value if "—" not in value else "",  # only the arguments, not the sentence
)
def test_bad_arguments_are_reported_in_one_sentence(
    arguments: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments.split()) == 2
    assert capsys.readouterr() == ("", f"python -m reference: {expected}\n")


def test_bad_arguments_exit_with_2() -> None:
    assert run("poker").returncode == 2
