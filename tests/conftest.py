"""Fixtures and hooks for all tests: assignments, ways to run pitboss, skips for missing parts of the machine."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import hypothesis
import pytest

from pitboss.assignments import authored
from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import load_assignment
from pitboss.machine import processes
from pitboss.sandbox.sandbox import refusal_of_bubblewrap
from pitboss.sandbox.tools import find_tool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.tracing import bubblewrap
from tests import built, forked
from tests.authors import AssignmentTrial
from tests.counted import resources_in_use
from tests.forked import CommandResult  # noqa: F401
from tests.parts import NO_PACKAGE, PARTS, parts_in, required_compilers

# Restores signals that a shell's background job or nohup(1) ignores: all child processes would inherit that.
for _number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number is signal.SIGINT else signal.SIG_DFL)

# No result is cached from one test for another, nor in the cache folder of the user who runs the tests.
os.environ["PITBOSS_WITHOUT"] = f"{os.environ.get('PITBOSS_WITHOUT', '')} cache".strip()

# The library preloaded into programs, and each program that tests build, are compiled once for all tests: xdist workers
# inherit these folders from the environment of the first process.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["XDG_CACHE_HOME"] = _caches = tempfile.mkdtemp(prefix="pitboss-tests-")
    os.environ[built.CACHE_VARIABLE] = os.path.join(_caches, "builds")
    os.mkdir(os.environ[built.CACHE_VARIABLE])
    atexit.register(shutil.rmtree, _caches, ignore_errors=True)

# No deadlines, since an example may take any time on a busy machine: benchmarks measure the speed.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
# "quick" is what ./test uses; with --hypothesis-profile, "longer" is for the slow tests of tests/fuzzing, "hours" for
# runs of hours.
for _name, _examples in (("quick", 25), ("longer", 1_000), ("hours", 200_000)):
    hypothesis.settings.register_profile(
        _name, hypothesis.settings.get_profile("any machine"), max_examples=_examples, print_blob=True
    )
hypothesis.settings.load_profile("any machine")

ROOT = Path(__file__).parent.parent
_SYS_PATH = list(sys.path)


def _claim_user_id():
    """An unused user id, and the open socket that reserves the id: its name, which has the id in it, can be bound once.

    No other run of tests may use the same id, since the kernel counts a user's processes together. In the same way
    harness/pitboss/machine/users.py reserves ids for submissions.
    """
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for candidate in range(60_001, 61_000):
        try:
            claim.bind(f"\0pitboss tests {candidate}")
        except OSError:
            continue
        return candidate, claim
    return candidate, claim  # not reserved: only Linux has sockets with such (abstract) names


ORDINARY_USER_ID, _claim = _claim_user_id()
TOY = ROOT / "tests" / "toy" / "teller"


def pytest_addoption(parser, pluginmanager):
    pluginmanager.import_plugin("tests.rotation")
    parser.addoption(
        "--all", action="store_true", help="fail a test whose part of the machine is missing; CI=true does too"
    )


def pytest_configure(config):
    if config.getoption("--share") == "quick":
        hypothesis.settings.load_profile("quick")


def pytest_runtest_setup(item):
    """Skip a test that needs a missing part of the machine, or fail it if --all or CI requires all parts."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    names = [name for mark in item.iter_markers("needs") for name in mark.args]
    names += [name for value in values for name in parts_in(value)]
    for name in names:
        if refusal := refusal_of(name):
            # --all cannot require root, which no package can provide; a machine for CI can be set up with it.
            must_run = os.environ.get("CI") == "true" or (item.config.getoption("--all") and name != "root")
            if must_run and (name == "root" or PARTS[name].packages):
                pytest.fail(f"needs {name}, and a missing part is a failure here: {refusal}", pytrace=False)
            pytest.skip(f"needs {name}: {refusal}")


@cache
def _level():
    return find_conditions().sandbox.level


@cache
def _rustc_works():
    """Whether a compiler is behind the command: rustup's is there even in a home folder without a toolchain."""
    return not subprocess.run(["rustc", "--version"], capture_output=True).returncode


def refusal_of(name):
    """Why a part of the machine cannot be used, and the remedy; empty if programs can use it."""
    if name == "root":
        return "" if os.geteuid() == 0 else "run the tests as root"
    if PARTS[name].is_missing:
        packages = PARTS[name].packages
        return f"apt install {packages}" if packages else f"Debian has no package of it; {NO_PACKAGE[name]}"
    if name == "bubblewrap":
        return refusal_of_bubblewrap()
    if "rustc" in PARTS[name].commands and not _rustc_works():
        return "rustup default stable"
    tools = filter(None, map(find_tool, PARTS[name].commands))
    return next(filter(None, (tool.refusal(_level()) for tool in tools)), "")


def pytest_terminal_summary(terminalreporter):
    """Print one line for each missing part of the machine, with the number of tests skipped because of it."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    for reason, count in sorted(reasons.items()):
        name, _, remedy = reason.removeprefix("Skipped: needs ").partition(": ")
        if name in (*PARTS, "root"):
            tests = "1 test waits" if count == 1 else f"{count} tests wait"
            terminalreporter.write_line(f"{tests} for {name}: {remedy}")


def example(name, student):
    """An example submission as a parameter of a test, which needs what its programs are built with."""
    folder = ROOT / "examples" / name / student
    return pytest.param(name, student, marks=pytest.mark.needs(*required_compilers(folder)), id=f"{name}/{student}")


@pytest.fixture(scope="session")
def toy() -> Assignment:
    return load_assignment(TOY)


@pytest.fixture(scope="session")
def blackjack() -> Assignment:
    return load_assignment(ROOT / "specs" / "blackjack")


@pytest.fixture
def left_running():
    """A function that finds the descendants of this process with a name in their command line.

    It first waits until the processes of every bubblewrap have ended.
    """

    def find_processes(name):
        bubblewrap.reap(waits=True)
        return [pid for pid in processes.tree([os.getpid()])[1:] if _has_in_command_line(pid, name)]

    return find_processes


def _has_in_command_line(pid, name):
    try:
        return name in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


@pytest.fixture
def pitboss(tmp_path):
    """A function that runs pitboss in the test's folder, or in `cwd`, and returns a CommandResult.

    Keywords other than `cwd` are environment variables. With PYTHONPATH among them, a new Python runs the pitboss that
    is found there.
    """

    def run(*arguments, cwd=None, **environment):
        start = forked.start if "PYTHONPATH" in environment else forked.interpreter().run
        environment = {**forked.ENVIRONMENT, "PYTHONPATH": str(ROOT / "harness"), **environment}
        return start(list(map(str, arguments)), cwd or tmp_path, environment)

    return run


class Command(NamedTuple):
    """A way to start pitboss: the first words of a command line, and its environment."""

    argv: list[str]
    environment: dict[str, str]


@pytest.fixture
def command_as():
    """A function that returns the Command with which pitboss runs as root, for "root", or else as an ordinary user.

    If the tests run as root, the ordinary user is ORDINARY_USER_ID, which nothing else on this machine uses.
    """
    with tempfile.TemporaryDirectory() as home:
        is_root = os.geteuid() == 0
        if is_root:
            os.chown(home, ORDINARY_USER_ID, ORDINARY_USER_ID)

        def command(user):
            assert is_root or user != "root", "a test that starts pitboss as root needs root"
            environment = forked.ENVIRONMENT | {"PYTHONPATH": str(ROOT / "harness")}
            if user == "root":
                return Command([sys.executable, "-m", "pitboss"], environment)
            environment |= {"HOME": home, "TMPDIR": home, "PYTHONDONTWRITEBYTECODE": "1", "PITBOSS_WITHOUT": "cache"}
            if not is_root:
                return Command([sys.executable, "-m", "pitboss"], environment)
            become = ["setpriv", f"--reuid={ORDINARY_USER_ID}", f"--regid={ORDINARY_USER_ID}", "--clear-groups", "env"]
            environment["PYTHONPATH"] += f":{sysconfig.get_paths()['purelib']}"
            return Command([*_with_usable_python([*become, sys.executable]), "-m", "pitboss"], environment)

        yield command


def _with_usable_python(argv):
    """This command line, which ends with a Python; if that cannot start, with the system's Python of the same version.

    It cannot start if it is in a folder that the user of the command line may not enter.
    """
    attempt = subprocess.run([*argv, "-c", ""], capture_output=True, check=False)
    return argv if attempt.returncode == 0 else [*argv[:-1], "/usr/bin/python{}.{}".format(*sys.version_info)]


@pytest.fixture
def reachable():
    """A folder that every user can enter, like those in which submissions are built."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture(autouse=True)
def own_temporary_folder(request, tmp_path_factory):
    """A temporary folder for each test that counts files left behind, since other tests run at the same time.

    Such tests are those whose module imports `resources_in_use`.
    """
    if getattr(request.module, resources_in_use.__name__, None) is not resources_in_use:
        yield
        return
    tmp_path_factory.getbasetemp()  # creates the base folder before tempdir changes
    previous = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        tempfile.tempdir = folder
        yield
        tempfile.tempdir = previous


@pytest.fixture(autouse=True)
def own_path():
    """Restores sys.path after each test, since a command adds the folder in which it was called."""
    yield
    sys.path[:] = _SYS_PATH


@pytest.fixture(autouse=True)
def built_once(request):
    """Takes builds from the cache, except in tests of building itself."""
    if request.node.nodeid.startswith(built.UNCACHED):
        yield
        return
    built.use_cache(os.environ[built.CACHE_VARIABLE])
    yield
    built.use_cache("")


@pytest.fixture
def compiled(reachable):
    """A function that compiles a C program from its text and returns the path of the program."""

    def build(text, *flags):
        source = reachable / f"program{len(list(reachable.iterdir()))}.c"
        source.write_text(text)
        built.compile_c(source, source.with_suffix(""), *flags)
        return source.with_suffix("")

    return build


@pytest.fixture
def greet(tmp_path):
    """An assignment without draws and a program for it, to be tried in folders of their own."""
    return AssignmentTrial(tmp_path, "greet")


@pytest.fixture
def dice(tmp_path):
    """An assignment that draws, and a program for it."""
    return AssignmentTrial(tmp_path, "dice")


@pytest.fixture
def hurried(monkeypatch):
    """Limits calls of an assignment's functions to a fifth of a second of CPU time."""
    monkeypatch.setattr(authored, "MAX_CPU_S", 0.2)
    monkeypatch.setattr(authored, "_TICK_S", 0.02)


@pytest.fixture
def two_stages(blackjack):
    """Two stages of blackjack that one submission may contain."""
    return blackjack.stage("shuffle"), blackjack.stage("deal")


#: Replaces the limits of the assignment, so that no session reaches them before a test sends its signal.
LONGER_LIMITS = {"limits: {idle_s: 2, memory_mb: 128}": "limits: {cpu_s: 100, idle_s: 100, memory_mb: 128}"}


@pytest.fixture
def workspace():
    """A temporary folder that every user can reach, with an assignment whose time limits are long."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        workspace = Path(folder)
        (workspace / "tmp").mkdir()
        (workspace / "tmp").chmod(0o1777)
        assignment = workspace / "teller"
        assignment.mkdir()
        for path in TOY.iterdir():
            text = path.read_text()
            for old, new in LONGER_LIMITS.items():
                text = text.replace(old, new)
            (assignment / path.name).write_text(text)
            (assignment / path.name).chmod(0o755)
        yield workspace
