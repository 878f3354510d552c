"""What several tests need: where things are, the toy assignment, and a way to run the command."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.assignment import Assignment
from harness.specfile import load_assignment
from harness.watching import boxes, processes

ROOT = Path(__file__).parent.parent
TOY = ROOT / "tests" / "toy" / "teller"


class Said(NamedTuple):
    """What a command said and how it ended."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def toy() -> Assignment:
    return load_assignment(TOY)


@pytest.fixture(scope="session")
def blackjack() -> Assignment:
    return load_assignment(ROOT / "specs" / "blackjack")


@pytest.fixture
def left_running():
    """Which processes below this one have a name in their command line, once every bubblewrap has been taken apart."""

    def left(name):
        boxes.see_off(waits=True)
        return [pid for pid in processes.tree([os.getpid()])[1:] if _runs(pid, name)]

    return left


def _runs(pid, name):
    try:
        return name in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


@pytest.fixture
def pitboss(tmp_path):
    """Run the command in a folder of its own, or in `cwd`."""

    def run(*arguments, cwd=None, **environment):
        done = subprocess.run(
            [sys.executable, "-m", "harness", *map(str, arguments)],
            cwd=cwd or tmp_path,
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "COLUMNS": "80", **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def reachable():
    """A folder that every user can reach, as the ones that submissions are built in."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def compiled(reachable):
    """Compile a C program from its text; the path of the program."""

    def build(text, *flags):
        source = reachable / f"program{len(list(reachable.iterdir()))}.c"
        source.write_text(text)
        subprocess.run(["cc", "-w", "-o", source.with_suffix(""), source, *flags], check=True, timeout=60)
        return source.with_suffix("")

    return build
