"""What several tests need: where things are, the toy assignment, and a way to run the command."""

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
from pathlib import Path
from typing import NamedTuple

import hypothesis
import pytest

from pitboss.assignments import authored
from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import load_assignment
from pitboss.sandbox import processes
from pitboss.sandbox.sandbox import refusal_of_bubblewrap
from pitboss.sessions.tracing import bubblewrap
from tests import built, forked
from tests.authors import Tried
from tests.forked import Said  # noqa: F401
from tests.parts import NO_PACKAGE, PARTS, parts_in, parts_of

# A shell that starts the tests in the background has Ctrl-C ignored, nohup(1) the hangup, and so would all that they start.
for _number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _number is signal.SIGINT else signal.SIG_DFL)

# Nothing is kept from one test for another, nor in the folder of whoever runs them; tests/kept asks for a folder of its own.
os.environ["PITBOSS_WITHOUT"] = f"{os.environ.get('PITBOSS_WITHOUT', '')} cache".strip()

# The library that shows a world is compiled once for all tests: by the first process, whose environment the others have.
# So is each program that tests build.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["XDG_CACHE_HOME"] = _caches = tempfile.mkdtemp(prefix="pitboss-tests-")
    os.environ[built.FOLDER] = os.path.join(_caches, "builds")
    os.mkdir(os.environ[built.FOLDER])
    atexit.register(shutil.rmtree, _caches, ignore_errors=True)

# On a busy machine an example may take any time: speed is measured by benchmarks.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
# What ./test uses, and for --hypothesis-profile what the slow tests of tests/fuzzing use and what runs for hours.
for _name, _examples in (("quick", 25), ("longer", 1_000), ("hours", 200_000)):
    hypothesis.settings.register_profile(
        _name, hypothesis.settings.get_profile("any machine"), max_examples=_examples, print_blob=True
    )
hypothesis.settings.load_profile("any machine")

ROOT = Path(__file__).parent.parent
_PATH = list(sys.path)


def _claimed():
    """An id that no user of a system has, and no other process that runs tests: what a user has running is counted together.

    As harness/pitboss/sandbox/users.py does it: by the name of a socket, which this process keeps.
    """
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    for candidate in range(60_001, 61_000):
        try:
            claim.bind(f"\0pitboss tests {candidate}")
        except OSError:
            continue
        return candidate, claim
    return candidate, claim  # elsewhere than on Linux such names cannot be had


ORDINARY, _claim = _claimed()
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
    """Skip a test that needs a part of the machine which is missing here, or fail it where nothing may be missing."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    names = [name for mark in item.iter_markers("needs") for name in mark.args]
    names += [name for value in values for name in parts_in(value)]
    for name in names:
        if refusal := refusal_of(name):
            # No package makes an ordinary user root, so --all cannot ask for that; a machine that runs CI can be set up so.
            is_asked = os.environ.get("CI") == "true" or (item.config.getoption("--all") and name != "root")
            if is_asked and (name == "root" or PARTS[name].packages):
                pytest.fail(f"needs {name}, and a missing part is a failure here: {refusal}", pytrace=False)
            pytest.skip(f"needs {name}: {refusal}")


def refusal_of(name):
    """Why a part of the machine cannot be used, with the remedy; empty where it can."""
    if name == "root":
        return "" if os.geteuid() == 0 else "run the tests as root"
    if PARTS[name].is_missing:
        packages = PARTS[name].packages
        return f"apt install {packages}" if packages else f"Debian has no package of it; {NO_PACKAGE[name]}"
    return refusal_of_bubblewrap() if name == "bubblewrap" else ""


def pytest_terminal_summary(terminalreporter):
    """One line for each part of the machine that tests wait for."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    for reason, count in sorted(reasons.items()):
        name, _, remedy = reason.removeprefix("Skipped: needs ").partition(": ")
        if name in (*PARTS, "root"):
            tests = "1 test waits" if count == 1 else f"{count} tests wait"
            terminalreporter.write_line(f"{tests} for {name}: {remedy}")


def example(name, student):
    """An example submission as a parameter of a test, which needs what its programs are built with."""
    folder = ROOT / "examples" / name / student
    return pytest.param(name, student, marks=pytest.mark.needs(*parts_of(folder)), id=f"{name}/{student}")


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
    """Run the command in a folder of its own, or in `cwd`; with a PYTHONPATH the pitboss that is found there."""

    def run(*arguments, cwd=None, **environment):
        run_it = forked.start if "PYTHONPATH" in environment else forked.interpreter().run
        environment = {**forked.ENVIRONMENT, "PYTHONPATH": str(ROOT / "harness"), **environment}
        return run_it(list(map(str, arguments)), cwd or tmp_path, environment)

    return run


class Command(NamedTuple):
    """A way to start pitboss: the first words of a command line, and its environment."""

    argv: list[str]
    environment: dict[str, str]


@pytest.fixture
def command_as():
    """How to start pitboss as root, or as an ordinary user: one who is nobody else on this machine, if we are root."""
    with tempfile.TemporaryDirectory() as home:
        is_root = os.geteuid() == 0
        if is_root:
            os.chown(home, ORDINARY, ORDINARY)

        def command(user):
            assert is_root or user != "root", "a test that starts pitboss as root needs root"
            environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(ROOT / "harness"), "COLUMNS": "80"}
            if user == "root":
                return Command([sys.executable, "-m", "pitboss"], environment)
            environment |= {"HOME": home, "TMPDIR": home, "PYTHONDONTWRITEBYTECODE": "1", "PITBOSS_WITHOUT": "cache"}
            if not is_root:
                return Command([sys.executable, "-m", "pitboss"], environment)
            become = ["setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups", "env"]
            environment["PYTHONPATH"] += f":{sysconfig.get_paths()['purelib']}"
            return Command([*_python_of([*become, sys.executable]), "-m", "pitboss"], environment)

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


@pytest.fixture(autouse=True)
def own_temporary_folder(request, tmp_path_factory):
    """Tests that count what is left behind have a temporary folder of their own, since others run beside them."""
    if not hasattr(request.module, "counted"):
        yield
        return
    tmp_path_factory.getbasetemp()  # which is made in the temporary folder of whoever asks first
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        tempfile.tempdir = folder
        yield
        tempfile.tempdir = before


@pytest.fixture(autouse=True)
def own_path():
    """Where modules are looked for is the same for each test: a command adds the folder that it was called in."""
    yield
    sys.path[:] = _PATH


@pytest.fixture(autouse=True)
def built_once(request):
    """Builds come from the cache, but for the tests whose subject they are."""
    if request.node.nodeid.startswith(built.UNCACHED):
        yield
        return
    built.use(os.environ[built.FOLDER])
    yield
    built.use("")


@pytest.fixture
def compiled(reachable):
    """Compile a C program from its text; the path of the program."""

    def build(text, *flags):
        source = reachable / f"program{len(list(reachable.iterdir()))}.c"
        source.write_text(text)
        built.compile_c(source, source.with_suffix(""), *flags)
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
    monkeypatch.setattr(authored, "MAX_CPU_S", 0.2)
    monkeypatch.setattr(authored, "_TICK_S", 0.02)


@pytest.fixture
def two(blackjack):
    """Two stages that a submission may have."""
    return blackjack.stage("shuffle"), blackjack.stage("deal")
