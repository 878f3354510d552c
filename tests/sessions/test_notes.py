"""No session finds a note of an earlier one, wherever that may have left it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ORDINARY

SOURCE = Path(__file__).with_name("leaves_notes.c")
#: What a session leaves to itself, and so no other could find: it ends with it.
ENDS_WITH_IT = {"a timer", "the size of its terminal"}
#: Runs three sessions of a program, and prints what they show: DRIVER SANDBOX PROGRAM.
SHOWS = """
import sys
from pathlib import Path
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.programs import Program
from pitboss.model.scripts import Script, typing

driver, sandbox, path = sys.argv[1:]
conditions = Conditions(driver, Sandbox(Level(sandbox)))
with conditions.driver_of(Program((path,), Path(path).parent), Limits(processes=16)) as sessions:
    for _, transcript in sessions.sessions([Script(typing(()), ())] * 3):
        print(transcript.text.decode(), transcript.ending, sep="")
"""


@pytest.fixture
def program(reachable):
    folder = reachable / "build"
    folder.mkdir()
    subprocess.run(["cc", "-w", "-o", folder / "leaves_notes", SOURCE, "-lrt"], check=True, timeout=60)
    return folder / "leaves_notes"


def notes(text, what):
    return {line.removeprefix(f"{what}: ") for line in text.splitlines() if line.startswith(f"{what}: ")}


def test_two_programs_that_nothing_keeps_apart_find_all_of_them(program, tmp_path):
    """As a control: a note of each kind would be found."""
    folder, here = program.parent, tmp_path / "here"
    here.mkdir()
    try:
        run = ["/bin/sh", "-c", f"{program}; echo --; {program}; {program} forget"]
        done = subprocess.run(run, cwd=here, capture_output=True, text=True, timeout=60, check=True)
    finally:
        subprocess.run([program, "forget"], cwd=here, check=False, timeout=60)
        shutil.rmtree(folder)
    first, second = done.stdout.split("--\n")
    assert notes(first, "found") == set()
    assert notes(second, "found") == notes(first, "left")
    kinds = {line.split('"')[1] for line in SOURCE.read_text().splitlines() if line.startswith('    {"')}
    # What a file system or a container does not have cannot be left there.
    optional = {
        "an attribute of its folder",
        "an attribute elsewhere",
        "the size of its folder",
        "a key",
        "a message queue",
    }
    assert kinds - optional - ENDS_WITH_IT <= notes(first, "left") <= kinds - ENDS_WITH_IT


@pytest.mark.parametrize("driver", ["watched", "expecting"])
@pytest.mark.parametrize("sandbox", ["landlock", "bubblewrap"])
@pytest.mark.parametrize("user", ["root", pytest.param("ordinary user", marks=pytest.mark.needs("root"))])
def test_no_session_finds_a_note(program, command_as, user, sandbox, driver):
    if user != "root":
        for path in (program.parent, program):
            os.chown(path, ORDINARY, ORDINARY)
    command = command_as(user)
    done = subprocess.run(
        [*command.argv[:-2], "-c", SHOWS, driver, sandbox, program],
        env=command.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.count("Ending(kind=<EndingKind.EXITED: 'exited'>") == 3
    assert notes(done.stdout, "found") == set()
