"""What several tests need: where things are, the toy assignment, and a way to run the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import hypothesis
import pytest

from harness.assignments import authored
from harness.assignments.assignment import Assignment
from harness.assignments.specfile import load_assignment
from harness.machine import processes
from harness.machine.sandbox import refusal_of_bubblewrap
from harness.running.watching import bubblewrap
from tests.authors import Tried
from tests.parts import PARTS, parts_in, parts_of

# A shell that starts the tests in the background has Ctrl-C ignored, nohup(1) the hangup, and so would all that they start.
for _number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number is signal.SIGINT else signal.SIG_DFL)

# On a busy machine an example may take any time: speed is measured by benchmarks.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

ROOT = Path(__file__).parent.parent
#: An id that no user of a system has, see harness/machine/users.py; another in each process that runs tests, since what
#: one user has running is counted together.
ORDINARY = 60_001 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
TOY = ROOT / "tests" / "toy" / "teller"


def pytest_addoption(parser):
    parser.addoption(
        "--all", action="store_true", help="fail a test whose part of the machine is missing; CI=true does too"
    )


def pytest_runtest_setup(item):
    """Skip a test that needs a part of the machine which is missing here, or fail it where nothing may be missing."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    names = [name for mark in item.iter_markers("needs") for name in mark.args]
    names += [name for value in values for name in parts_in(value)]
    for name in names:
        if refusal := refusal_of(name):
            if item.config.getoption("--all") or os.environ.get("CI") == "true":
                pytest.fail(f"needs {name}, and a missing part is a failure here: {refusal}", pytrace=False)
            pytest.skip(f"needs {name}: {refusal}")


def refusal_of(name):
    """Why a part of the machine cannot be used, with the remedy; empty where it can."""
    if PARTS[name].is_missing:
        return f"apt install {PARTS[name].packages}"
    return refusal_of_bubblewrap() if name == "bubblewrap" else ""


def pytest_terminal_summary(terminalreporter):
    """One line for each part of the machine that tests wait for."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    for reason, count in sorted(reasons.items()):
        name, _, remedy = reason.removeprefix("Skipped: needs ").partition(": ")
        if name in PARTS:
            tests = "1 test waits" if count == 1 else f"{count} tests wait"
            terminalreporter.write_line(f"{tests} for {name}: {remedy}")


def example(name, student):
    """An example submission as a parameter of a test, which needs what its programs are built with."""
    folder = ROOT / "examples" / name / student
    return pytest.param(name, student, marks=pytest.mark.needs(*parts_of(folder)), id=f"{name}/{student}")


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
        bubblewrap.reap(waits=True)
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


class Command(NamedTuple):
    """A way to start pitboss: the first words of a command line, and its environment."""

    argv: list[str]
    environment: dict[str, str]


@pytest.fixture
def command_as():
    """How to start pitboss as root, or as an ordinary user who is nobody else on this machine."""
    with tempfile.TemporaryDirectory() as home:
        os.chown(home, ORDINARY, ORDINARY)

        def command(user):
            environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
            if user == "root":
                return Command([sys.executable, "-m", "harness"], environment)
            become = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups", "env"]
            environment |= {"HOME": home, "TMPDIR": home, "PYTHONDONTWRITEBYTECODE": "1"}
            environment["PYTHONPATH"] += f":{sysconfig.get_paths()['purelib']}"
            return Command([*_python_of([*become, sys.executable]), "-m", "harness"], environment)

        yield command


def _python_of(argv):
    """The Python of this command line where it starts, or the system's of the same version, for which ours was built."""
    ours = subprocess.run([*argv, "-c", ""], capture_output=True, check=False)
    return argv if ours.returncode == 0 else [*argv[:-1], "/usr/bin/python{}.{}".format(*sys.version_info)]


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


@pytest.fixture
def greet(tmp_path):
    """An assignment without draws and a program for it, to be tried in folders of their own."""
    return Tried(tmp_path, "greet")


@pytest.fixture
def dice(tmp_path):
    """An assignment that draws, and a program for it."""
    return Tried(tmp_path, "dice")


@pytest.fixture
def hurried(monkeypatch):
    """Calls may compute a fifth of a second only."""
    monkeypatch.setattr(authored, "MOST_CPU_S", 0.2)
    monkeypatch.setattr(authored, "_TICK_S", 0.02)


@pytest.fixture
def two(blackjack):
    """Two stages that a submission may have."""
    return blackjack.stage("shuffle"), blackjack.stage("deal")
