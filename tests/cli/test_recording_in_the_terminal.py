"""Playing and recording stages that have no cases yet, and playing new cases in the terminal."""

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
RECORDED = """\
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
def typed(tmp_path):
    """Run pitboss with this on its standard input."""

    def run(text, *arguments):
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "harness"),
            "COLUMNS": "80",
            "PITBOSS_WITHOUT": "cache",
        }
        argv = [sys.executable, "-m", "pitboss", *arguments]
        done = subprocess.run(
            argv, cwd=tmp_path, env=environment, input=text, capture_output=True, text=True, timeout=60, check=False
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_a_stage_without_a_spec_file_is_played(typed, meter):
    assert typed("10\nq\n", "play", "meter") == (0, "Coin? Coin? 10 cents\n", "")


def test_a_stage_without_a_spec_file_is_listed_and_not_judged(pitboss, meter):
    assert "meter: A meter\n  meter        meter (no case yet)\n" in pitboss("assignments").out
    (meter.parent.parent / "meter.py").write_text(METER)
    done = pitboss("check", "meter.py", "meter", "-a", "meter")
    sentence = "specs/meter/meter.yaml: there is no such file — pitboss record meter creates it, with a first case"
    assert done == (2, "", f"pitboss: {sentence}\n")


def test_the_first_case_is_played_and_written_and_checks_the_same_program(typed, pitboss, meter):
    done = typed("10\n25\nq\n", "record", "meter", "--case", "two coins")
    output = "Coin? 10\nCoin? 25\nCoin? q\n35 cents\n"
    assert done == (0, f"{output}specs/meter/meter.yaml: added 'two coins'\n", "")
    assert (meter / "meter.yaml").read_text() == RECORDED
    (meter.parent.parent / "meter.py").write_text(METER)
    assert pitboss("check", "meter.py", "meter").code == 0


def test_a_further_case_is_played_when_asked_for(typed, meter):
    (meter / "meter.yaml").write_text(RECORDED)
    done = typed("", "record", "meter", "--play", "--case", "two coins")
    taken = "specs/meter/meter.yaml: there is a case 'two coins' already — choose another name"
    assert done == (2, "", f"pitboss: {taken}\n")
    assert typed("q\n", "record", "meter", "--play", "--case", "none")[0] == 0
    added = "  - name: none\n    transcript: |\n      Coin? <<q>>\n      0 cents\n"
    assert (meter / "meter.yaml").read_text() == RECORDED + added


def test_a_last_line_that_is_repeated_is_reported(pitboss, meter):
    (meter / "meter").write_text("#!/bin/sh\nread a && read b && read c\necho $a $b $c\n")
    done = pitboss("record", "meter", "--case", "two", "--answers", "1,50,")
    output = (
        "the last line of --answers, '50', was typed 2 times, since the reference asked for more — if that is not intended, add "
        "the lines that end the session, or <eof>; for an empty line put two commas at the end"
    )
    assert done == (0, "specs/meter/meter.yaml: added 'two'\n", f"pitboss: {output}\n")
    assert pitboss("record", "meter", "--case", "three", "--answers", "1,50,,").err == ""


UNTIL_THE_END = """\
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


def test_answers_end_the_input_where_they_say_so(pitboss, meter):
    (meter / "meter").write_text(UNTIL_THE_END)
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
    done = pitboss("record", "meter", "--case", "too late", "--answers", "10,q,<eof>")
    output = "pitboss: the reference did not read the <eof> of --answers — it is not in the session\n"
    assert done == (0, "specs/meter/meter.yaml: added 'too late'\n", output)


def test_answers_that_begin_again_are_typed_until_the_program_ends(pitboss, meter):
    (meter / "meter").write_text("#!/bin/sh\nfor i in 1 2 3 4 5; do read a && echo $a; done\n")
    done = pitboss("record", "meter", "--case", "in turn", "--answers", "10,25,...")
    assert done == (0, "specs/meter/meter.yaml: added 'in turn'\n", "")
    transcript = "".join(f"      <<{coin}>>\n      {coin}\n" for coin in (10, 25, 10, 25, 10))
    assert (meter / "meter.yaml").read_text().endswith(f"    transcript: |\n{transcript}")
    (meter / "meter").write_text(METER)
    done = pitboss("record", "meter", "--case", "for ever", "--answers", "10,25,...")
    output = (
        "--answers '10,25,...': the reference asked for more than 2000 lines — give answers that end it; they are typed "
        "again and again"
    )
    assert (done.code, done.err) == (2, f"pitboss: {output}\n")


def test_without_a_terminal_the_case_is_named_beforehand(typed, meter):
    sentence = "the session becomes a case: give it a name, as in --case 'a first session'"
    assert typed("q\n", "record", "meter") == (2, "", f"pitboss: {sentence}\n")


def test_a_session_in_which_the_reference_fails_is_not_kept(typed, meter):
    code, _, err = typed("ten\n", "record", "meter", "--case", "words")
    output = (
        "the reference ended with exit code 1 and printed “ValueError: invalid literal for int() with base 10: 'ten'”"
    )
    assert code == 2
    assert err == (f"pitboss: specs/meter/meter.yaml: {output} — fix the reference, or expect this code: --exit 1\n")
    assert not (meter / "meter.yaml").exists()


def test_another_exit_code_is_kept_where_it_is_meant(pitboss, meter):
    (meter / "meter").write_text("#!/bin/sh\necho Closed.\nexit 3\n")
    assert pitboss("record", "meter", "--case", "closed", "--play", "--exit", "3").code == 0
    assert (meter / "meter.yaml").read_text() == (
        "program: meter\ncases:\n  - name: closed\n    exit: 3\n    transcript: |\n      Closed.\n"
    )
    assert pitboss("verify", "meter").code == 0


def test_a_case_that_hangs_on_the_clock_is_reported_when_it_is_added(pitboss, meter):
    (meter / "meter").write_text("#!/usr/bin/env python3\nimport time\nprint(time.time())\n")
    done = pitboss("record", "meter", "--case", "late")
    output = "specs/meter/meter.yaml:3: 'late': what the reference does depends on the clock or on random numbers, "
    assert (done.code, done.err[: len(output) + 9]) == (0, f"pitboss: {output}")


FAILING = {
    "not executable": (METER, 0o644, "specs/meter/meter is not executable — run: chmod +x specs/meter/meter"),
    "no interpreter": (
        "#!/usr/bin/pyhton\n",
        0o755,
        "{meter}/meter: the reference cannot be started: its first line names a program that does not exist",
    ),
    "a crash": ("#!/bin/sh\nkill -SEGV $$\n", 0o755, "{meter}/meter: the reference did not end by itself: SIGSEGV"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_reference_that_fails_is_neither_recorded_nor_verified(pitboss, meter, name):
    program, mode, sentence = FAILING[name]
    (meter / "meter").write_text(program)
    (meter / "meter").chmod(mode)
    sentence = sentence.format(meter=meter)
    recorded = pitboss("record", "meter", "--case", "new", "--answers", "q")
    assert (recorded.code, recorded.out, recorded.err.endswith(f"{sentence}\n")) == (2, "", True)
    assert not (meter / "meter.yaml").exists()
    (meter / "meter.yaml").write_text(RECORDED)
    verified = pitboss("verify", "meter")
    assert verified.code in (1, 2)
    assert sentence in verified.out + verified.err


def test_a_reference_that_draws_cannot_be_kept(typed, meter):
    drawing = (
        "import random\n\n\ndef main(console):\n    console.write(f'{random.random()}')\n    console.read_line()\n"
    )
    (meter / "own.py").write_text(drawing)
    (meter / "assignment.yaml").write_text(ASSIGNMENT.replace("{command: [./meter]}", '"own:main"'))
    code, _, err = typed("x\n", "record", "meter", "--case", "drawn")
    assert (code, err) == (
        2,
        "pitboss: the reference behaved differently when the same lines were typed again, so its sessions cannot be "
        "recorded — give it a seed, or let pitboss read back its draws (docs/tutorial-unseeded.md shows how)\n",
    )


def test_the_name_is_asked_for_in_a_terminal(tmp_path, meter):
    ours, theirs = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "harness"), "PITBOSS_WITHOUT": "cache"}
    argv = [sys.executable, "-m", "pitboss", "record", "meter"]
    with subprocess.Popen(argv, cwd=tmp_path, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, b"two coins\n10\n25\nq\n")
        screen = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(ours, 1024):
                screen += part
        os.close(ours)
    assert process.returncode == 0
    assert b"a name for the case that you play now: " in screen
    assert (meter / "meter.yaml").read_text() == RECORDED
