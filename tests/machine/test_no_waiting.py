import ast
import os
import signal
import subprocess
import sys

import pytest

from pitboss.checking.check import check
from pitboss.compare.results import Verdict
from pitboss.errors import UsageError
from pitboss.machine import files
from pitboss.machine.files import REGULAR, beginning_of, read_files, text_of
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.executables import refusal_of
from pitboss.sessions.job import Job
from pitboss.submissions.build import build
from pitboss.submissions.sources import Source
from pitboss.submissions.stage_files import find_source
from pitboss.submissions.texts import top_comment
from tests.conftest import ROOT

LANDLOCK = Sandbox(Level.LANDLOCK)
HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n'


@pytest.fixture(autouse=True)
def time_limit():
    """Fail a test after a minute: without a writer, a process that opens a pipe for reading waits for ever."""

    def fail(*_):
        raise AssertionError("the test has not ended after a minute: pitboss waits")

    old_handler = signal.signal(signal.SIGALRM, fail)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, old_handler)


def build_makefile(folder, makefile, sandbox=LANDLOCK):
    """The result of building a submission of play.c and this makefile."""
    (folder / "handed").mkdir()
    (folder / "handed" / "Makefile").write_text(makefile)
    (folder / "handed" / "play.c").write_text(HELLO)
    return build(
        Source(folder / "handed", "make", "Makefile", "play"), folder / "built", Conditions("watched", sandbox)
    )


#: By what a makefile creates in place of a program: the command that creates it, and the reason that pitboss reports.
FAILED_TARGETS = {
    "a pipe": ("mkfifo play", "make succeeded, but play is not an ordinary file, so it is not a program."),
    "a link to a pipe": (
        "mkfifo p; ln -s p play",
        "make succeeded, but play is not an ordinary file, so it is not a program.",
    ),
    "a link to a device": (
        "ln -s /dev/zero play",
        "make succeeded, but play is not an ordinary file, so it is not a program.",
    ),
    "a link to nothing": ("ln -s nothing play", "make succeeded, but did not create a program named play."),
    "a link to itself": ("ln -s play play", "make succeeded, but did not create a program named play."),
    "a folder": ("mkdir play", "make succeeded, but play is a folder, not a program."),
    "a folder that cannot be searched": ("chmod 000 .", "make succeeded, but did not create a program named play."),
}


@pytest.mark.parametrize("file_kind", FAILED_TARGETS)
@pytest.mark.parametrize("level", [Level.LANDLOCK, Level.BUBBLEWRAP], ids=lambda level: level.value)
def test_a_makefile_that_creates_no_ordinary_file_is_reported(reachable, file_kind, level):
    command, reason = FAILED_TARGETS[file_kind]
    result = build_makefile(reachable, f"play:\n\t{command}\n", Sandbox(level))
    assert (result.program, result.reason) == (None, reason)


def test_a_link_to_a_program_is_a_program(reachable):
    result = build_makefile(reachable, "play: play.c\n\tcc -o main play.c && ln -s main play\n")
    assert result.reason == ""
    assert result.program is not None


def test_pipes_beside_a_program_do_no_harm(toy, tmp_path):
    """The pipes have names of sources, of object files and of files that a session may read."""
    names = "helper.c helper.h helper.o data.txt core a.out"
    (tmp_path / "teller.c").write_text(HELLO)
    (tmp_path / "Makefile").write_text(f"teller: teller.c\n\tmkfifo {names}; cc -o teller teller.c\n")
    job = Job(toy, toy.stages, find_conditions("watched", "landlock"), "teller", remarks_on_memory=True)
    report = check(job, tmp_path, cores=1)
    assert report.faults == ()
    assert report.stages[0].verdict is Verdict.WRONG_ANSWER


@pytest.mark.parametrize("name", ["play.c", "Makefile", "play.py", "play.zip"])
@pytest.mark.parametrize("file_kind", ["a pipe", "a link to a pipe", "a folder"])
def test_a_pipe_or_folder_named_like_a_source_is_no_submission(blackjack, tmp_path, name, file_kind):
    if file_kind == "a folder":
        (tmp_path / name).mkdir()
    else:
        pipe = tmp_path / ("pipe" if "link" in file_kind else name)
        os.mkfifo(pipe)
        if "link" in file_kind:
            (tmp_path / name).symlink_to(pipe)
    assert find_source(tmp_path, blackjack.stage("play")) is None
    job = Job(blackjack, (blackjack.stage("play"),), find_conditions("watched", "landlock"), "blackjack")
    with pytest.raises(UsageError, match="no program is here"):
        check(job, tmp_path, cores=1)


def test_a_folder_named_like_a_source_is_not_compiled(reachable):
    """When the linker misses a function, pitboss looks at the other sources; when make fails, at the object files."""
    folder = reachable / "handed"
    for name in ("more.c", "main.o"):
        (folder / name).mkdir(parents=True)
    (folder / "main.c").write_text("int other(void); int main(void) { return other(); }\n")
    result = build(Source(folder, "c", "main.c", "main"), reachable / "built", Conditions("watched", LANDLOCK))
    assert result.program is None
    assert "undefined reference" in result.reason
    (folder / "Makefile").write_text("main:\n\tfalse\n")
    result = build(
        Source(folder, "make", "Makefile", "main"), reachable / "built again", Conditions("watched", LANDLOCK)
    )
    assert result.reason.startswith("make could not build main: ")


def test_a_top_comment_is_not_read_through_a_link(tmp_path):
    (tmp_path / "secret.c").write_text("// the solution\nint main;\n")
    (tmp_path / "play.c").symlink_to(tmp_path / "secret.c")
    assert top_comment(Source(tmp_path, "c", "play.c", "play")) == ""
    assert top_comment(Source(tmp_path, "c", "secret.c", "play")) == "the solution"


def test_only_ordinary_files_are_read(tmp_path):
    (tmp_path / "file").write_bytes(b"one\r\ntwo\rthree\xff")
    assert beginning_of(tmp_path / "file", 5) == b"one\r\n"
    assert text_of(tmp_path / "file", 100) == "one\ntwo\nthree�"
    assert text_of(tmp_path / "file", 5) == "one\nt"
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(OSError, match="it is not an ordinary file"):
            beginning_of(path, 5)
    assert refusal_of(tmp_path / "pipe") == "pipe is not an ordinary file, so it is not a program."


@pytest.mark.parametrize("file_kind", ["a link", "a pipe"])
def test_a_link_or_pipe_that_replaces_a_checked_folder_is_not_opened(tmp_path, monkeypatch, file_kind):
    """A program that still runs could do so; pitboss neither follows the link nor waits at the pipe."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "scores.txt").write_text("100\n")
    (tmp_path / "session" / "out").mkdir(parents=True)
    (tmp_path / "session" / "out" / "scores.txt").write_text("1\n")
    real_kind = files._kind

    def replace_folder_after_check(name, here):
        kind = real_kind(name, here)
        if name == "out":
            (tmp_path / "session" / "out").rename(tmp_path / "session" / "before")
            if file_kind == "a pipe":
                os.mkfifo(tmp_path / "session" / "out")
            else:
                (tmp_path / "session" / "out").symlink_to(tmp_path / "secret")
        return kind

    assert read_files(str(tmp_path / "session"), ["out/scores.txt"], 100) == [("out/scores.txt", REGULAR, b"1\n")]
    monkeypatch.setattr(files, "_kind", replace_folder_after_check)
    with pytest.raises(OSError, match="Not a directory"):
        read_files(str(tmp_path / "session"), ["out/scores.txt"], 100)


#: Waits without a limit, by the module and the call: what ends each.
UNLIMITED_WAITS = {
    ("cli/authoring.py", "subprocess.call"): "the person who plays the reference",
    ("cli/kits.py", "subprocess.run"): "pitboss verify, whose own waits have limits",
    ("checking/cluster/worker.py", "process.communicate"): "pitboss itself, or `stop`, which terminates it",
    ("sessions/tracing/launcher.py", "os.wait4"): "the driver, which kills the program that this launcher has started",
    ("machine/pool.py", "self.wait"): "a method of ours, with a limit",
    ("machine/pool.py", "self._pool.wait"): "a method of ours, with a limit",
    ("machine/workers.py", "self.wait"): "a method of ours, with a limit",
    ("sessions/tracing/driver.py", "self._bubblewrap.wait"): "a method of ours, with a limit",
}


def waits_for_ever(call: ast.Call) -> bool:
    """Whether a call may wait for a process or a thread without a limit."""
    function = ast.unparse(call.func)
    name, limits = function.rpartition(".")[2], {keyword.arg for keyword in call.keywords}
    match name:
        case "wait" | "join":
            return not call.args and "timeout" not in limits
        case "waitpid" | "wait4" | "waitid":
            return "WNOHANG" not in ast.unparse(call)
        case "run" | "call" | "check_call" | "check_output" | "communicate":
            return function.startswith(("subprocess.", "process.", "self._process.")) and "timeout" not in limits
        case "poll":
            return not call.args and function in ("poll.poll", "ready.poll", "trial_poll.poll")
    return False


def test_no_wait_for_a_process_is_without_a_limit():
    harness = ROOT / "harness" / "pitboss"
    unlimited_waits = {
        (str(path.relative_to(harness)), ast.unparse(node.func))
        for path in harness.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and waits_for_ever(node)
    }
    assert unlimited_waits == set(UNLIMITED_WAITS)


@pytest.mark.needs("root")
def test_strays_are_reaped_in_any_order(tmp_path):
    """The first process of a namespace ends only when the others in it, which may be our children, are reaped."""
    script = tmp_path / "strays.py"
    script.write_text(
        "import ctypes, os, time\n"
        "from pitboss.machine.processes import Strays\n"
        "strays = Strays()\n"
        "if ctypes.CDLL(None).unshare(0x20000000): raise OSError('no namespace of processes')\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(60)\n"
        "        os._exit(0)\n"
        "strays.end()\n"
        "print('ended')\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("ended\n", "")
