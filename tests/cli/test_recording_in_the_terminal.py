import contextlib
import os
import pty
import subprocess
import sys

import pytest

from tests.conftest import ROOT

ASSIGNMENT = "title: A meter\nseeded: no\nstages:\n  - name: meter\n    reference: {command: [./meter]}\n"
METER = """\
#!/usr/bin/env python3
total = 0
while True:
    coin = input("Coin? ")
    if coin == "q":
        break
    total += int(coin)
print(f"{total} cents")
"""
RECORDED_SPEC = """\
program: meter
cases:
  - name: two coins
    transcript: |
      Coin? <<10>>
      Coin? <<25>>
      Coin? <<q>>
      35 cents
"""


@pytest.fixture
def meter(tmp_path):
    """The folder of an assignment without a spec file."""
    folder = tmp_path / "specs" / "meter"
    folder.mkdir(parents=True)
    (folder / "assignment.yaml").write_text(ASSIGNMENT)
    (folder / "meter").write_text(METER)
    (folder / "meter").chmod(0o755)
    return folder


@pytest.fixture
def run_with_input(tmp_path):
    """A function that runs pitboss with a text as its standard input."""

    def run(text, *arguments):
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "harness"),
            "COLUMNS": "80",
            "PITBOSS_WITHOUT": "cache",
        }
        argv = [sys.executable, "-m", "pitboss", *arguments]
        result = subprocess.run(
            argv, cwd=tmp_path, env=environment, input=text, capture_output=True, text=True, timeout=60, check=False
        )
        return result.returncode, result.stdout, result.stderr

    return run


def test_a_stage_without_a_spec_file_can_be_played(run_with_input, meter):
    assert run_with_input("10\nq\n", "play", "meter") == (0, "Coin? Coin? 10 cents\n", "")


def test_a_stage_without_a_spec_file_is_listed_but_cannot_be_checked(pitboss, meter):
    assert "meter: A meter\n  meter        meter (no case yet)\n" in pitboss("assignments").out
    (meter.parent.parent / "meter.py").write_text(METER)
    result = pitboss("check", "meter.py", "meter", "-a", "meter")
    sentence = "specs/meter/meter.yaml: there is no such file — pitboss record meter creates it, with a first case"
    assert result == (2, "", f"pitboss: {sentence}\n")


def test_a_first_case_is_recorded_by_playing_and_accepts_the_program(run_with_input, pitboss, meter):
    result = run_with_input("10\n25\nq\n", "record", "meter", "--case", "two coins")
    screen = "Coin? 10\nCoin? 25\nCoin? q\n35 cents\n"
    assert result == (0, f"{screen}specs/meter/meter.yaml: added 'two coins'\n", "")
    assert (meter / "meter.yaml").read_text() == RECORDED_SPEC
    (meter.parent.parent / "meter.py").write_text(METER)
    assert pitboss("check", "meter.py", "meter").code == 0


def test_the_play_option_records_a_further_case(run_with_input, meter):
    (meter / "meter.yaml").write_text(RECORDED_SPEC)
    result = run_with_input("", "record", "meter", "--play", "--case", "two coins")
    error = "specs/meter/meter.yaml: there is a case 'two coins' already — choose another name"
    assert result == (2, "", f"pitboss: {error}\n")
    assert run_with_input("q\n", "record", "meter", "--play", "--case", "none")[0] == 0
    new_case = "  - name: none\n    transcript: |\n      Coin? <<q>>\n      0 cents\n"
    assert (meter / "meter.yaml").read_text() == RECORDED_SPEC + new_case


def test_repeating_the_last_answer_is_reported(pitboss, meter):
    (meter / "meter").write_text("#!/bin/sh\nread a && read b && read c\necho $a $b $c\n")
    result = pitboss("record", "meter", "--case", "two", "--answers", "1,50,")
    warning = (
        "the last line of --answers, '50', was typed 2 times, since the reference asked for more — if that is not intended, add "
        "the lines that end the session, or <eof>; for an empty line put two commas at the end"
    )
    assert result == (0, "specs/meter/meter.yaml: added 'two'\n", f"pitboss: {warning}\n")
    assert pitboss("record", "meter", "--case", "three", "--answers", "1,50,,").err == ""


#: A meter that also ends at the end of the input.
METER_UNTIL_EOF = """\
#!/usr/bin/env python3
import sys

total = 0
try:
    while (coin := input("Coin? ")) != "q":
        total += int(coin)
except EOFError:
    print()
print(f"{total} cents")
"""


def test_eof_in_answers_ends_the_input(pitboss, meter):
    (meter / "meter").write_text(METER_UNTIL_EOF)
    assert pitboss("record", "meter", "--case", "one coin", "--answers", "10,<eof>") == (
        0,
        "specs/meter/meter.yaml: added 'one coin'\n",
        "",
    )
    assert (meter / "meter.yaml").read_text() == (
        "program: meter\ncases:\n  - name: one coin\n    transcript: |\n      Coin? <<10>>\n      Coin? <eof>\n"
        "      10 cents\n"
    )
    assert pitboss("record", "meter", "--case", "none", "--answers", "<eof>").code == 0
    result = pitboss("record", "meter", "--case", "too late", "--answers", "10,q,<eof>")
    warning = "pitboss: the reference did not read the <eof> of --answers — it is not in the session\n"
    assert result == (0, "specs/meter/meter.yaml: added 'too late'\n", warning)


def test_an_ellipsis_repeats_the_answers_until_the_program_ends(pitboss, meter):
    (meter / "meter").write_text("#!/bin/sh\nfor i in 1 2 3 4 5; do read a && echo $a; done\n")
    result = pitboss("record", "meter", "--case", "in turn", "--answers", "10,25,...")
    assert result == (0, "specs/meter/meter.yaml: added 'in turn'\n", "")
    transcript = "".join(f"      <<{coin}>>\n      {coin}\n" for coin in (10, 25, 10, 25, 10))
    assert (meter / "meter.yaml").read_text().endswith(f"    transcript: |\n{transcript}")
    (meter / "meter").write_text(METER)
    result = pitboss("record", "meter", "--case", "for ever", "--answers", "10,25,...")
    error = (
        "--answers '10,25,...': the reference asked for more than 2000 lines — give answers that end it; all answers are typed "
        "again and again"
    )
    assert (result.code, result.err) == (2, f"pitboss: {error}\n")


def test_without_a_terminal_the_name_of_the_case_is_required(run_with_input, meter):
    sentence = "the session becomes a case: give it a name, as in --case 'a first session'"
    assert run_with_input("q\n", "record", "meter") == (2, "", f"pitboss: {sentence}\n")


def test_a_session_in_which_the_reference_fails_is_not_recorded(run_with_input, meter):
    code, _, err = run_with_input("ten\n", "record", "meter", "--case", "words")
    error = "the reference ended with exit code 1 and printed “ValueError: invalid literal for int() with base 10: 'ten' (line 7 of meter)”"
    assert code == 2
    assert err == (f"pitboss: specs/meter/meter.yaml: {error} — fix the reference, or expect this code: --exit 1\n")
    assert not (meter / "meter.yaml").exists()


def test_an_expected_exit_code_is_recorded(pitboss, meter):
    (meter / "meter").write_text("#!/bin/sh\necho Closed.\nexit 3\n")
    assert pitboss("record", "meter", "--case", "closed", "--play", "--exit", "3").code == 0
    assert (meter / "meter.yaml").read_text() == (
        "program: meter\ncases:\n  - name: closed\n    exit: 3\n    transcript: |\n      Closed.\n"
    )
    assert pitboss("verify", "meter").code == 0


def test_a_new_case_that_depends_on_the_clock_is_reported(pitboss, meter):
    (meter / "meter").write_text("#!/usr/bin/env python3\nimport time\nprint(time.time())\n")
    result = pitboss("record", "meter", "--case", "late")
    warning = "specs/meter/meter.yaml:3: 'late': the reference depends on the clock or on random numbers, "
    assert (result.code, result.err.startswith(f"pitboss: {warning}")) == (0, True), result.err


#: The program of a reference, its file mode and the error, by what is wrong.
FAILING_REFERENCES = {
    "not executable": (METER, 0o644, "specs/meter/meter is not executable — run: chmod +x specs/meter/meter"),
    "no interpreter": (
        "#!/usr/bin/pyhton\n",
        0o755,
        "{meter}/meter: the reference cannot be started: its first line names a program that does not exist",
    ),
    "a crash": ("#!/bin/sh\nkill -SEGV $$\n", 0o755, "{meter}/meter: the reference did not end by itself: SIGSEGV"),
}


@pytest.mark.parametrize("name", FAILING_REFERENCES)
def test_a_failing_reference_can_be_neither_recorded_nor_verified(pitboss, meter, name):
    program, mode, sentence = FAILING_REFERENCES[name]
    (meter / "meter").write_text(program)
    (meter / "meter").chmod(mode)
    sentence = sentence.format(meter=meter)
    recorded = pitboss("record", "meter", "--case", "new", "--answers", "q")
    assert (recorded.code, recorded.out, recorded.err.endswith(f"{sentence}\n")) == (2, "", True)
    assert not (meter / "meter.yaml").exists()
    (meter / "meter.yaml").write_text(RECORDED_SPEC)
    verified = pitboss("verify", "meter")
    assert verified.code in (1, 2)
    assert sentence in verified.out + verified.err


def test_sessions_of_a_reference_with_random_draws_cannot_be_recorded(run_with_input, meter):
    reference = (
        "import random\n\n\ndef main(console):\n    console.write(f'{random.random()}')\n    console.read_line()\n"
    )
    (meter / "own.py").write_text(reference)
    (meter / "assignment.yaml").write_text(ASSIGNMENT.replace("{command: [./meter]}", '"own:main"'))
    code, _, err = run_with_input("x\n", "record", "meter", "--case", "drawn")
    assert (code, err) == (
        2,
        "pitboss: the reference behaved differently when the same lines were typed again, so its sessions cannot be "
        "recorded — give it a seed, or let pitboss read back its draws (docs/tutorial-unseeded.md shows how)\n",
    )


def test_in_a_terminal_record_asks_for_the_name_of_the_case(tmp_path, meter):
    controller, terminal = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "PITBOSS_WITHOUT": "cache"}
    argv = [sys.executable, "-m", "pitboss", "record", "meter"]
    with subprocess.Popen(
        argv, cwd=tmp_path, env=environment, stdin=terminal, stdout=terminal, stderr=terminal
    ) as process:
        os.close(terminal)
        os.write(controller, b"two coins\n10\n25\nq\n")
        screen = b""
        with contextlib.suppress(OSError):  # raised by read once the process has ended
            while part := os.read(controller, 1024):
                screen += part
        os.close(controller)
    assert process.returncode == 0
    assert b"a name for the case that you play now: " in screen
    assert (meter / "meter.yaml").read_text() == RECORDED_SPEC
