import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ORDINARY_USER_ID

SOURCE = Path(__file__).with_name("leaves_notes.c")
#: Notes that vanish when the session that left them ends, so that no later session could find them.
SHORT_LIVED_NOTES = {"a timer", "the size of its terminal"}
#: A script that runs three sessions of a program and prints their output. Its arguments are DRIVER SANDBOX PROGRAM.
RUN_THREE_SESSIONS = """
import sys
from pathlib import Path
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.programs import Program
from pitboss.model.invocation import Script, script_of_lines

driver, sandbox, path = sys.argv[1:]
conditions = Conditions(driver, Sandbox(Level(sandbox)))
with conditions.driver_of(Program((path,), Path(path).parent), Limits(processes=16)) as sessions:
    for _, transcript in sessions.sessions([Script(script_of_lines(()), ())] * 3):
        print(transcript.text.decode(), transcript.ending, sep="")
"""


@pytest.fixture
def program(reachable):
    """A program that prints which notes it finds, then leaves notes and prints which."""
    folder = reachable / "build"
    folder.mkdir()
    subprocess.run(["cc", "-w", "-o", folder / "leaves_notes", SOURCE, "-lrt"], check=True, timeout=60)
    return folder / "leaves_notes"


def reported_notes(text, verb):
    """The notes that the program reports as "found" or as "left"."""
    return {line.removeprefix(f"{verb}: ") for line in text.splitlines() if line.startswith(f"{verb}: ")}


def test_without_isolation_the_second_run_finds_all_notes(program, tmp_path):
    """A control for the test below: each kind of note can be found."""
    folder, working_folder = program.parent, tmp_path / "here"
    working_folder.mkdir()
    try:
        command = ["/bin/sh", "-c", f"{program}; echo --; {program}; {program} forget"]
        process = subprocess.run(command, cwd=working_folder, capture_output=True, text=True, timeout=60, check=True)
    finally:
        subprocess.run([program, "forget"], cwd=working_folder, check=False, timeout=60)
        shutil.rmtree(folder)
    first, second = process.stdout.split("--\n")
    assert reported_notes(first, "found") == set()
    assert reported_notes(second, "found") == reported_notes(first, "left")
    kinds = {line.split('"')[1] for line in SOURCE.read_text().splitlines() if line.startswith('    {"')}
    # Some file systems and containers do not support these notes.
    optional = {
        "an attribute of its folder",
        "an attribute elsewhere",
        "the size of its folder",
        "a key",
        "a message queue",
    }
    assert kinds - optional - SHORT_LIVED_NOTES <= reported_notes(first, "left") <= kinds - SHORT_LIVED_NOTES


@pytest.mark.parametrize("driver", ["watched", "expecting"])
@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
@pytest.mark.parametrize("user", ["root", pytest.param("ordinary user", marks=pytest.mark.needs("root"))])
def test_no_session_finds_a_note(program, command_as, user, sandbox, driver):
    if user != "root":
        for path in (program.parent, program):
            os.chown(path, ORDINARY_USER_ID, ORDINARY_USER_ID)
    command = command_as(user)
    *python, _, _ = command.argv  # without `-m pitboss`
    process = subprocess.run(
        [*python, "-c", RUN_THREE_SESSIONS, driver, sandbox, program],
        env=command.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.stderr == ""
    assert process.stdout.count("Ending(kind=<EndingKind.EXITED: 'exited'>") == 3
    assert reported_notes(process.stdout, "found") == set()
