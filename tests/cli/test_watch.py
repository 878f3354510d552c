"""`pitboss check --watch`: when it checks again, what it says, how it ends, and that nothing is left of it."""

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
from pitboss.submissions.watching import Sources, sources_of
from tests.conftest import ROOT
from tests.counted import counted

HELLO = ROOT / "tests" / "toy" / "hello"
RIGHT = "print(f'Hello, world {input(\"Number? \")}!')\n"
ENDLESS = "while True: pass\n"


class Fake:
    """A check that takes so many looks."""

    def __init__(self, looks=0):
        self.looks, self.was_ended = looks, False

    def wait(self, timeout):
        if self.looks:
            self.looks -= 1
            raise subprocess.TimeoutExpired("check", timeout)
        return 0

    def end(self):
        self.was_ended = True


class Watched:
    """A watch of a folder in which something happens at each look; Ctrl-C when nothing more does."""

    def __init__(self, folder, *happenings, checks=(), sources=None):
        self.happenings, self.begun, self.left = list(happenings), [], list(checks)
        self.watch = Watch(sources or Sources(folder), self.begin, pause=self.pause)

    def begin(self):
        self.begun.append(self.left.pop(0) if self.left else Fake())
        return self.begun[-1]

    def pause(self, _):
        if not self.happenings:
            raise KeyboardInterrupt
        happening = self.happenings.pop(0)
        if happening is not None:
            happening()

    def run(self):
        return self.watch.run()


QUIET = (None,) * 4


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hello.py").write_text(RIGHT)
    return tmp_path


def said(capsys):
    """What it said on the standard error, without the times."""
    return re.sub(r"\d\d:\d\d:\d\d", "12:34:56", capsys.readouterr().err).splitlines()


WAITING = "pitboss: 12:34:56: waiting until a source in {} changes; Ctrl-C ends this"


def test_nothing_is_checked_again_while_nothing_changes(folder, capsys):
    watched = Watched(folder, *QUIET, *QUIET)
    assert watched.run() == 0
    assert len(watched.begun) == 1
    assert said(capsys) == [WAITING.format(folder), "pitboss: no longer watching"]


def by_rename(path, text):
    path.with_name("hello.py.new").write_text(text)
    os.replace(path.with_name("hello.py.new"), path)


@pytest.mark.parametrize(
    ("happenings", "message"),
    {
        "saved": ([lambda f: (f / "hello.py").write_text("1")], "hello.py has changed"),
        "saved by a rename": ([lambda f: by_rename(f / "hello.py", "1")], "hello.py has changed"),
        "removed and written anew": (
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
def test_a_change_of_a_source_begins_one_check(folder, capsys, happenings, message):
    steps = [lambda one=one: one(folder) for one in happenings]
    watched = Watched(folder, *steps, *QUIET, *QUIET)
    watched.run()
    assert len(watched.begun) == 2
    assert said(capsys)[1] == f"pitboss: 12:34:56: {message}"


@pytest.mark.parametrize("megabytes", [5, 65])
def test_a_change_at_the_end_of_a_large_archive_begins_a_check(folder, megabytes):
    def save(text):
        with open(folder / "work.zip", "r+b") as file:
            file.seek(megabytes << 20)
            file.write(text)

    (folder / "work.zip").touch()
    save(b"meter.py 1")
    watched = Watched(folder, *QUIET, lambda: save(b"meter.py 2"), *QUIET)
    watched.run()
    assert len(watched.begun) == 2


@pytest.mark.parametrize(
    "happening",
    {
        "saved as it was": lambda f: (f / "hello.py").write_text(RIGHT),
        "build output": lambda f: (f / "hello.o").write_bytes(b"\x7fELF"),
        "compiled Python": lambda f: ((f / "__pycache__").mkdir(), (f / "__pycache__" / "hello.py").write_text("")),
        "a hidden folder": lambda f: ((f / ".git").mkdir(), (f / ".git" / "hello.c").write_text("")),
        "an editor's own file": lambda f: (f / ".hello.py.swp").write_text(""),
        "a report of the check": lambda f: (f / "report.html").write_text("<html>"),
    }.items(),
    ids=lambda one: one[0],
)
def test_what_is_no_changed_source_begins_none(folder, happening):
    watched = Watched(folder, lambda: happening[1](folder), *QUIET, *QUIET)
    watched.run()
    assert len(watched.begun) == 1


def test_a_file_that_the_assignment_names_counts_as_a_source(folder):
    assignment = load_assignment(ROOT / "specs" / "csc101")
    sources = sources_of(assignment, assignment.stages, folder)
    watched = Watched(folder, lambda: (folder / "features.txt").write_text("split\n"), *QUIET, sources=sources)
    watched.run()
    assert len(watched.begun) == 2


class Saving(Fake):
    """A check during which a source is saved."""

    def __init__(self, path, looks):
        super().__init__(looks)
        self.path = path

    def wait(self, timeout):
        if self.looks == 5:
            self.path.write_text("1")
        return super().wait(timeout)


def test_a_change_during_a_check_ends_it_and_begins_another(folder, capsys):
    first = Saving(folder / "hello.py", looks=9)
    watched = Watched(folder, *QUIET, checks=[first])
    assert watched.run() == 0
    assert first.was_ended and [one.was_ended for one in watched.begun[1:]] == [False]
    assert said(capsys)[0] == "pitboss: 12:34:56: hello.py has changed during the check, which starts again"


def test_ctrl_c_during_a_check_ends_it_too(folder, capsys):
    class Interrupted(Fake):
        def wait(self, timeout):
            raise KeyboardInterrupt

    watched = Watched(folder, checks=[Interrupted()])
    assert watched.run() == 130
    assert watched.begun[0].was_ended
    assert said(capsys) == ["pitboss: stopped"]


def test_a_folder_that_is_removed_is_reported(folder):
    watched = Watched(folder, lambda: shutil.rmtree(folder), *[None] * 20)
    with pytest.raises(UsageError, match=re.escape(f"{folder} is no longer there, so there is nothing left to watch")):
        watched.run()
    assert len(watched.begun) == 1


def test_a_folder_that_is_made_again_is_watched_on(folder):
    def made_anew():
        folder.mkdir()
        (folder / "hello.py").write_text("2")

    watched = Watched(folder, lambda: shutil.rmtree(folder), None, None, made_anew, *QUIET, *QUIET)
    assert watched.run() == 0
    assert len(watched.begun) == 2


@pytest.mark.parametrize("is_made_anew", [False, True])
def test_the_folder_that_somebody_is_in_and_that_is_removed_is_reported(folder, monkeypatch, is_made_anew):
    (inner := folder / "inner").mkdir()
    (inner / "hello.py").write_text(RIGHT)
    monkeypatch.chdir(inner)
    watched = Watched(Path("."), lambda: shutil.rmtree(inner), inner.mkdir if is_made_anew else None, *[None] * 20)
    with pytest.raises(UsageError, match=r"^this folder is no longer there, so there is nothing left to watch$"):
        watched.run()
    assert len(watched.begun) == 1


def test_the_folder_that_somebody_is_in_and_that_is_renamed_is_watched_on(folder, monkeypatch):
    (inner := folder / "inner").mkdir()
    monkeypatch.chdir(inner)
    save = (folder / "other" / "hello.py").write_text
    watched = Watched(Path("."), lambda: inner.rename(folder / "other"), *QUIET * 4, lambda: save("2"), *QUIET)
    assert watched.run() == 0
    assert len(watched.begun) == 2


@pytest.mark.parametrize("option", ["--json -", "--github", "--classroom", "--gradescope"])
def test_options_for_whoever_waits_for_one_result_are_refused(folder, capsys, option):
    given = [*option.split(), *(["results.json"] if option == "--gradescope" else [])]
    assert exit_code_of(["check", str(folder), "hello", "-a", str(HELLO), "--watch", *given]) == 2
    assert capsys.readouterr().err == (
        f"pitboss: --watch and {option} exclude each other: one checks again and again, the other reports once\n"
    )


@pytest.mark.parametrize(
    "given", [["--watch", "--watch"], ["--watch", "--case", "--watch"], ["--case", "--watch", "--watch"]]
)
def test_a_check_of_a_watch_never_watches_itself(folder, monkeypatch, capsys, given):
    begun = []
    monkeypatch.setattr("pitboss.cli.watch.watched", lambda _, arguments: begun.append(arguments) or 0)
    monkeypatch.setattr("pitboss.sandbox.signals.end_with_parent", lambda: None)
    arguments = [str(folder), "hello", "-a", str(HELLO), *given]
    assert exit_code_of(["check", *arguments]) == 0
    assert begun == [["check", "--one-of-watch", *arguments]]
    code = exit_code_of(begun[0])
    assert len(begun) == 1
    if "--case" in given:
        assert code == 2 and "hello has no case '--watch'" in capsys.readouterr().err
    else:
        assert code == 0


class Once(CheckProcess):
    """A real check, during which a source may be saved once it has begun to run sessions."""

    saves = None
    has_begun = None

    def wait(self, timeout):
        if self.saves is not None and self.has_begun():
            save, self.saves = self.saves, None
            save()
        return super().wait(timeout)


def test_nothing_is_left_of_checks_that_ended_and_of_one_that_was_ended(
    folder, capfd, monkeypatch, reachable, left_running
):
    monkeypatch.setenv("PITBOSS_WITHOUT", "cache")
    # Other tests leave folders for a moment where all have theirs.
    monkeypatch.setattr(tempfile, "tempdir", str(reachable))
    monkeypatch.setenv("TMPDIR", str(reachable))
    (folder / "hello.py").write_text(ENDLESS)
    arguments = ["check", "--one-of-watch", str(folder), "hello", "-a", str(HELLO), "--case", "once"]
    before, begun = counted(), []

    def begin():
        begun.append(Once(arguments))
        begun[-1].has_begun = lambda: left_running("hello.py")
        if len(begun) == 1:
            begun[0].saves = lambda: (folder / "hello.py").write_text(RIGHT)
        return begun[-1]

    def pause(_):
        raise KeyboardInterrupt

    assert Watch(Sources(folder), begin, pause=pause).run() == 0
    assert len(begun) == 2 and counted() == before
    out, err = capfd.readouterr()
    assert re.search(r"hello +accepted +1 of 1", out) and out.count("Hello:") == 1
    assert "hello.py has changed during the check, which starts again" in err


@pytest.mark.parametrize(("when", "code"), [("waiting until", 0), ("watching", 130)])
def test_a_signal_ends_it_and_leaves_nothing_running(folder, when, code, left_running):
    (folder / "hello.py").write_text(RIGHT if code == 0 else ENDLESS)
    temporary = folder / "temporary"
    temporary.mkdir(mode=0o755)
    argv = [sys.executable, "-m", "pitboss", "check", "hello", "-a", str(HELLO), "--case", "once", "--watch"]
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "harness"),
        "TMPDIR": str(temporary),
        "PITBOSS_WITHOUT": "cache",
    }
    with subprocess.Popen(argv, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True) as watch:
        assert any(when in line for line in watch.stderr)
        watch.send_signal(signal.SIGINT)
        assert watch.wait(30) == code
    assert left_running("one-of-watch") == [] and os.listdir(temporary) == []
