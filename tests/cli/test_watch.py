import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.cli.main import exit_code_of
from pitboss.cli.watch import CheckProcess, Watch
from pitboss.errors import UsageError
from pitboss.submissions.watching import WatchedFiles, watched_files_of
from tests.conftest import ROOT
from tests.counted import resources_in_use

HELLO_ASSIGNMENT = ROOT / "tests" / "toy" / "hello"
CORRECT_PROGRAM = "print(f'Hello, world {input(\"Number? \")}!')\n"
ENDLESS_PROGRAM = "while True: pass\n"


class FakeCheck:
    """A check that still runs at the first `polls` calls of wait, and then succeeds."""

    def __init__(self, polls=0):
        self.polls, self.was_ended = polls, False

    def wait(self, timeout):
        if self.polls:
            self.polls -= 1
            raise subprocess.TimeoutExpired("check", timeout)
        return 0

    def end(self):
        self.was_ended = True


class SimulatedWatch:
    """A watch with fake checks. In each pause between polls, the next event is called; after the last comes Ctrl-C."""

    def __init__(self, folder, *events, checks=(), sources=None):
        """An event is a function, or None if nothing happens. Checks that are not in `checks` end at once."""
        self.events, self.started_checks, self.next_checks = list(events), [], list(checks)
        self.watch = Watch(sources or WatchedFiles(folder), self.begin, pause=self.pause)

    def begin(self):
        self.started_checks.append(self.next_checks.pop(0) if self.next_checks else FakeCheck())
        return self.started_checks[-1]

    def pause(self, _):
        if not self.events:
            raise KeyboardInterrupt
        event = self.events.pop(0)
        if event is not None:
            event()

    def run(self):
        return self.watch.run()


#: Enough polls without an event for a check to begin after a change.
QUIET_POLLS = (None,) * 4
#: Enough polls for a watch to end if its folder is missing in all of them.
MISSING_POLLS = (None,) * 20


@pytest.fixture
def folder(tmp_path):
    """A folder with a correct program."""
    (tmp_path / "hello.py").write_text(CORRECT_PROGRAM)
    return tmp_path


def status_lines(capsys):
    """The lines on standard error, all with the same time of day."""
    return re.sub(r"\d\d:\d\d:\d\d", "12:34:56", capsys.readouterr().err).splitlines()


WAITING_LINE = "pitboss: 12:34:56: waiting until a source in {} changes; Ctrl-C ends this"


def test_nothing_is_checked_again_without_a_change(folder, capsys):
    simulation = SimulatedWatch(folder, *QUIET_POLLS, *QUIET_POLLS)
    assert simulation.run() == 0
    assert len(simulation.started_checks) == 1
    assert status_lines(capsys) == [WAITING_LINE.format(folder), "pitboss: no longer watching"]


def save_by_rename(path, text):
    """Save as some editors do: write a new file, and rename it to the old name."""
    path.with_name("hello.py.new").write_text(text)
    os.replace(path.with_name("hello.py.new"), path)


@pytest.mark.parametrize(
    ("events", "message"),
    {
        "saved": ([lambda f: (f / "hello.py").write_text("1")], "hello.py has changed"),
        "saved by a rename": ([lambda f: save_by_rename(f / "hello.py", "1")], "hello.py has changed"),
        "removed and written again": (
            [lambda f: (f / "hello.py").unlink(), lambda f: (f / "hello.py").write_text("1")],
            "hello.py has changed",
        ),
        "written in parts": (
            [lambda f: (f / "hello.py").write_text("1"), lambda f: (f / "hello.py").write_text("12")],
            "hello.py has changed",
        ),
        "removed": ([lambda f: (f / "hello.py").unlink()], "hello.py is gone"),
        "renamed": ([lambda f: (f / "hello.py").rename(f / "hi.py")], "hi.py is new, hello.py is gone"),
        "in a new folder": (
            [lambda f: (f / "src").mkdir(), lambda f: (f / "src" / "hand.h").write_text("")],
            "src/hand.h is new",
        ),
        "an archive": ([lambda f: (f / "work.zip").write_bytes(b"PK")], "work.zip is new"),
    }.values(),
)
def test_a_changed_source_starts_one_more_check(folder, capsys, events, message):
    events_in_folder = [functools.partial(event, folder) for event in events]
    simulation = SimulatedWatch(folder, *events_in_folder, *QUIET_POLLS, *QUIET_POLLS)
    simulation.run()
    assert len(simulation.started_checks) == 2
    assert status_lines(capsys)[1] == f"pitboss: 12:34:56: {message}"


@pytest.mark.parametrize("megabytes", [5, 65])  # at most 64 MB are read; of larger files, size and time count
def test_a_change_at_the_end_of_a_large_archive_starts_a_check(folder, megabytes):
    def save(text):
        with open(folder / "work.zip", "r+b") as file:
            file.seek(megabytes << 20)
            file.write(text)

    (folder / "work.zip").touch()
    save(b"meter.py 1")
    simulation = SimulatedWatch(folder, *QUIET_POLLS, lambda: save(b"meter.py 2"), *QUIET_POLLS)
    simulation.run()
    assert len(simulation.started_checks) == 2


#: Changes in a folder that do not affect its check, by what is changed.
IRRELEVANT_CHANGES = {
    "saved as it was": lambda f: (f / "hello.py").write_text(CORRECT_PROGRAM),
    "build output": lambda f: (f / "hello.o").write_bytes(b"\x7fELF"),
    "compiled Python": lambda f: ((f / "__pycache__").mkdir(), (f / "__pycache__" / "hello.py").write_text("")),
    "a hidden folder": lambda f: ((f / ".git").mkdir(), (f / ".git" / "hello.c").write_text("")),
    "an editor's own file": lambda f: (f / ".hello.py.swp").write_text(""),
    "a report of the check": lambda f: (f / "report.html").write_text("<html>"),
}


@pytest.mark.parametrize("name", IRRELEVANT_CHANGES)
def test_changes_that_do_not_affect_the_check_start_no_check(folder, name):
    change = functools.partial(IRRELEVANT_CHANGES[name], folder)
    simulation = SimulatedWatch(folder, change, *QUIET_POLLS, *QUIET_POLLS)
    simulation.run()
    assert len(simulation.started_checks) == 1


def test_a_file_named_by_the_assignment_is_watched_like_a_source(folder):
    assignment = load_assignment(ROOT / "specs" / "csc101")
    sources = watched_files_of(assignment, assignment.stages, folder)
    simulation = SimulatedWatch(
        folder, lambda: (folder / "features.txt").write_text("split\n"), *QUIET_POLLS, sources=sources
    )
    simulation.run()
    assert len(simulation.started_checks) == 2


class SavingCheck(FakeCheck):
    """A check during which a source is saved."""

    def __init__(self, path, polls):
        super().__init__(polls)
        self.path = path

    def wait(self, timeout):
        if self.polls == 5:  # in the middle of the check
            self.path.write_text("1")
        return super().wait(timeout)


def test_a_change_during_a_check_ends_and_restarts_the_check(folder, capsys):
    first = SavingCheck(folder / "hello.py", polls=9)
    simulation = SimulatedWatch(folder, *QUIET_POLLS, checks=[first])
    assert simulation.run() == 0
    assert first.was_ended and [check.was_ended for check in simulation.started_checks[1:]] == [False]
    assert status_lines(capsys)[0] == "pitboss: 12:34:56: hello.py has changed during the check, which starts again"


def test_ctrl_c_also_ends_a_running_check(folder, capsys):
    class InterruptedCheck(FakeCheck):
        def wait(self, timeout):
            raise KeyboardInterrupt

    simulation = SimulatedWatch(folder, checks=[InterruptedCheck()])
    assert simulation.run() == 130
    assert simulation.started_checks[0].was_ended
    assert status_lines(capsys) == ["pitboss: stopped"]


def test_a_removed_folder_ends_the_watch_with_an_error(folder):
    simulation = SimulatedWatch(folder, lambda: shutil.rmtree(folder), *MISSING_POLLS)
    with pytest.raises(UsageError, match=re.escape(f"{folder} is no longer there, so there is nothing left to watch")):
        simulation.run()
    assert len(simulation.started_checks) == 1


def test_a_folder_that_is_recreated_is_still_watched(folder):
    def recreate():
        folder.mkdir()
        (folder / "hello.py").write_text("2")

    simulation = SimulatedWatch(folder, lambda: shutil.rmtree(folder), None, None, recreate, *QUIET_POLLS, *QUIET_POLLS)
    assert simulation.run() == 0
    assert len(simulation.started_checks) == 2


@pytest.mark.parametrize("is_recreated", [False, True])
def test_a_removed_current_folder_ends_the_watch_with_an_error(folder, monkeypatch, is_recreated):
    (inner := folder / "inner").mkdir()
    (inner / "hello.py").write_text(CORRECT_PROGRAM)
    monkeypatch.chdir(inner)
    simulation = SimulatedWatch(
        Path("."), lambda: shutil.rmtree(inner), inner.mkdir if is_recreated else None, *MISSING_POLLS
    )
    with pytest.raises(UsageError, match=r"^this folder is no longer there, so there is nothing left to watch$"):
        simulation.run()
    assert len(simulation.started_checks) == 1


def test_a_renamed_current_folder_is_still_watched(folder, monkeypatch):
    (inner := folder / "inner").mkdir()
    monkeypatch.chdir(inner)

    def save():
        (folder / "other" / "hello.py").write_text("2")

    simulation = SimulatedWatch(Path("."), lambda: inner.rename(folder / "other"), *QUIET_POLLS * 4, save, *QUIET_POLLS)
    assert simulation.run() == 0
    assert len(simulation.started_checks) == 2


@pytest.mark.parametrize("option", ["--json -", "--github", "--classroom", "--gradescope"])
def test_watch_excludes_options_that_report_a_single_check(folder, capsys, option):
    options = [*option.split(), *(["results.json"] if option == "--gradescope" else [])]
    assert exit_code_of(["check", str(folder), "hello", "-a", str(HELLO_ASSIGNMENT), "--watch", *options]) == 2
    assert capsys.readouterr().err == (
        f"pitboss: --watch and {option} exclude each other: one checks again and again, the other reports once\n"
    )


@pytest.mark.parametrize(
    "options", [["--watch", "--watch"], ["--watch", "--case", "--watch"], ["--case", "--watch", "--watch"]]
)
def test_a_check_started_by_a_watch_does_not_watch_itself(folder, monkeypatch, capsys, options):
    commands = []
    monkeypatch.setattr("pitboss.cli.watch.run_watch", lambda _, arguments: commands.append(arguments) or 0)
    monkeypatch.setattr("pitboss.machine.signals.end_with_parent", lambda: None)
    arguments = [str(folder), "hello", "-a", str(HELLO_ASSIGNMENT), *options]
    assert exit_code_of(["check", *arguments]) == 0
    assert commands == [["check", "--one-of-watch", *arguments]]
    code = exit_code_of(commands[0])
    assert len(commands) == 1
    if "--case" in options:
        assert code == 2 and "hello has no case '--watch'" in capsys.readouterr().err
    else:
        assert code == 0


class RealCheck(CheckProcess):
    """A real check, during which a source may be saved."""

    #: A function that saves a source; it is called once, after the check has begun to run sessions.
    save = None
    #: A function that returns whether the check is running sessions.
    runs_sessions = None

    def wait(self, timeout):
        if self.save is not None and self.runs_sessions():
            save, self.save = self.save, None
            save()
        return super().wait(timeout)


def test_finished_and_replaced_checks_leave_no_processes_or_files(folder, capfd, monkeypatch, reachable, left_running):
    monkeypatch.setenv("PITBOSS_WITHOUT", "cache")
    # In the common temporary folder, other tests may have folders at this moment.
    monkeypatch.setattr(tempfile, "tempdir", str(reachable))
    monkeypatch.setenv("TMPDIR", str(reachable))
    (folder / "hello.py").write_text(ENDLESS_PROGRAM)
    arguments = ["check", "--one-of-watch", str(folder), "hello", "-a", str(HELLO_ASSIGNMENT), "--case", "once"]
    counts_before, checks = resources_in_use(), []

    def begin():
        checks.append(RealCheck(arguments))
        checks[-1].runs_sessions = lambda: left_running("hello.py")
        if len(checks) == 1:
            checks[0].save = lambda: (folder / "hello.py").write_text(CORRECT_PROGRAM)
        return checks[-1]

    def pause(_):
        raise KeyboardInterrupt

    assert Watch(WatchedFiles(folder), begin, pause=pause).run() == 0
    assert len(checks) == 2 and resources_in_use() == counts_before
    out, err = capfd.readouterr()
    assert re.search(r"hello +accepted +1 of 1", out) and out.count("Hello:") == 1
    assert "hello.py has changed during the check, which starts again" in err


@pytest.mark.parametrize(
    ("program", "status", "code"),
    [(CORRECT_PROGRAM, "waiting until", 0), (ENDLESS_PROGRAM, "watching", 130)],
    ids=["after a check", "during a check"],
)
def test_ctrl_c_ends_a_watch_and_leaves_no_processes_or_files(folder, program, status, code, left_running):
    (folder / "hello.py").write_text(program)
    temporary = folder / "temporary"
    temporary.mkdir(mode=0o755)
    argv = [sys.executable, "-m", "pitboss", "check", "hello", "-a", str(HELLO_ASSIGNMENT), "--case", "once", "--watch"]
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "harness"),
        "TMPDIR": str(temporary),
        "PITBOSS_WITHOUT": "cache",
    }
    with subprocess.Popen(argv, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as watch:
        assert any(status in line for line in watch.stderr)  # reads until this line is printed
        watch.send_signal(signal.SIGINT)
        assert watch.wait(30) == code
    assert left_running("one-of-watch") == [] and os.listdir(temporary) == []
