import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.machine import processes
from tests.authors import DICE, DICE_OWN, DICE_PROGRAM, DICE_SPEC
from tests.conftest import ROOT, TOY
from tests.counted import living_in_group
from tests.tables import cells

CORRECT_PROGRAM = (ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c").read_text()
#: A build that takes longer than the test, so that grading cannot end before it is stopped.
WAITING_MAKEFILE = "teller: teller.c\n\tsleep 100\n"
#: How long a test waits at most for a report or the end of a process.
DEADLINE_S = 300


@pytest.fixture
def class_(reachable):
    """A class of six correct programs; the builds of the third and the fourth wait."""
    for name in ("ada", "barbara", "charles", "dennis", "edsger", "grace"):
        folder = reachable / "class" / name
        folder.mkdir(parents=True)
        (folder / "teller.c").write_text(CORRECT_PROGRAM)
        if name in ("charles", "dennis"):
            (folder / "Makefile").write_text(WAITING_MAKEFILE)
    return reachable / "class"


class Grading:
    """`pitboss grade` running in a subprocess."""

    def __init__(self, folder, *options):
        self.folder = folder.parent
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": str(ROOT / "harness"), "COLUMNS": "100"}
        environment |= {"TMPDIR": str(self.folder / "scratch"), "XDG_CACHE_HOME": str(self.folder / "caches")}
        (self.folder / "scratch").mkdir(exist_ok=True)
        command = [sys.executable, "-m", "pitboss", "grade", "class", "-a", f"{TOY}/", *options]
        self.process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment,
            text=True,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def wait_for_reports(self, count):
        """Wait until this many reports are in the cache."""
        deadline = time.monotonic() + DEADLINE_S
        while len(reports_in(self.folder)) < count:
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline, "no report came"
            time.sleep(0.01)

    def wait_for_all(self):
        """Wait until the process and all that it started have ended."""
        deadline = time.monotonic() + DEADLINE_S
        while living_in_group(self.process.pid):
            assert time.monotonic() < deadline, "something is still running"
            time.sleep(0.01)

    def stop_with(self, *signals):
        """Send these signals, and return the exit code, standard output and standard error."""
        for signal_number in signals:
            self.process.send_signal(signal_number)
        out, err = self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode, out, err


def reports_in(folder):
    """The reports in the cache, without its other entries: determinism libraries, trials, and unfinished files."""
    return [
        path
        for path in (folder / "caches").glob("pitboss/*")
        if not path.name.startswith(("determinism-", "trial-", "."))
    ]


GRADED = ["ada", "barbara"]
STOP_MESSAGE = "stopped before grading charles, dennis, edsger, grace; run the same command to continue"


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopping_a_class_writes_the_reports_so_far(class_, signal_number):
    grading = Grading(class_, "--json", "all.json", "--csv", "all.csv", "--html", "pages", "-j", "2")
    grading.wait_for_reports(2)
    code, out, err = grading.stop_with(signal_number)
    assert (code, err) == (128 + signal_number, f"pitboss: {STOP_MESSAGE}\n")
    # The last line of the output counts the accepted submissions: “2 of 2 accepted …”.
    assert [line.split()[0] for line in out.splitlines() if "accepted" in line and " of " not in line] == GRADED
    report = json.loads((grading.folder / "all.json").read_text())
    assert ([entry["submission"] for entry in report["submissions"]], report["missing"]) == (
        GRADED,
        ["charles", "dennis", "edsger", "grace"],
    )
    assert [line.split(",")[:2] for line in (grading.folder / "all.csv").read_text().splitlines()[1:]] == [
        *([name, "ACCEPTED"] for name in GRADED),
        *([name, "not graded"] for name in ("charles", "dennis", "edsger", "grace")),
    ]
    assert sorted(path.name for path in (grading.folder / "pages").iterdir()) == [
        "ada.html",
        "barbara.html",
        "index.html",
    ]
    grading.wait_for_all()
    assert list((grading.folder / "scratch").iterdir()) == []


def test_a_second_signal_does_not_suppress_the_message(class_):
    grading = Grading(class_, "--json", "all.json", "-j", "2")
    grading.wait_for_reports(2)
    code, _, err = grading.stop_with(signal.SIGTERM, signal.SIGTERM)
    assert (code, err) == (143, f"pitboss: {STOP_MESSAGE}\n")


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_running_the_command_again_continues_a_stopped_class(class_, signal_number):
    grading = Grading(class_, "-j", "2")
    grading.wait_for_reports(2)
    pid, *child_pids = processes.tree([grading.process.pid])
    os.kill(pid, signal_number)
    grading.process.communicate(timeout=DEADLINE_S)
    for child_pid in child_pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child_pid, signal.SIGKILL)
    for name in ("charles", "dennis"):
        (class_ / name / "Makefile").unlink()
    second_grading = Grading(class_, "--json", "all.json")
    assert second_grading.process.communicate(timeout=DEADLINE_S)[1] == (
        "pitboss: 4 run, 2 unchanged and not run again; --fresh runs all\n"
    )
    assert len(json.loads((second_grading.folder / "all.json").read_text())["submissions"]) == 6


def test_a_graded_class_leaves_no_temporary_files(class_):
    for name in ("charles", "dennis"):
        (class_ / name / "Makefile").unlink()
    for options in (["--json", "all.json"], ["--fresh"]):
        grading = Grading(class_, *options)
        assert grading.process.communicate(timeout=DEADLINE_S)[1] == ""
        assert grading.process.returncode == 0
    assert sorted(path.name for path in grading.folder.iterdir()) == ["all.json", "caches", "class", "scratch"]
    assert list((grading.folder / "scratch").iterdir()) == []
    assert json.loads((grading.folder / "all.json").read_text())["missing"] == []


def test_an_unwritable_result_file_is_reported_before_grading(class_):
    grading = Grading(class_, "--json", "nowhere/all.json")
    _, err = grading.process.communicate(timeout=DEADLINE_S)
    assert (grading.process.returncode, err) == (
        2,
        "pitboss: nowhere/all.json: the file cannot be written: No such file or directory\n",
    )


def test_a_player_failing_for_one_student_does_not_stop_the_class(pitboss, tmp_path):
    """The player raises a KeyError only for the output of Charles' program."""
    specs = tmp_path / "specs" / "dice"
    specs.mkdir(parents=True)
    (specs / "assignment.yaml").write_text(DICE)
    (specs / "dice.yaml").write_text(DICE_SPEC.replace("6", "12"))  # all sessions that there may be, whatever is drawn
    (specs / "own.py").write_text(
        DICE_OWN.replace('    return "y"', '    return {"": "y"}[shown.partition("Roll? ")[0]]')
    )
    for name in ("ada", "charles", "grace"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "dice.py").write_text(DICE_PROGRAM)
    (tmp_path / "class" / "charles" / "dice.py").write_text('print("T")\n' + DICE_PROGRAM)
    completed = pitboss("grade", "class", "-a", "dice", "--csv", "-", "--json", "all.json")
    assert completed.code == 3
    assert cells(completed.out, "submission", "verdict", "dice", "dice passed", "dice total") == [
        ("ada", "ACCEPTED", "ACCEPTED", "12", "12"),
        ("charles", "JUDGE_ERROR", "JUDGE_ERROR", "0", "12"),
        ("grace", "ACCEPTED", "ACCEPTED", "12", "12"),
    ]
    assert json.loads((tmp_path / "all.json").read_text())["faults"] == [
        "charles: This session could not be run, which is not the program's fault: specs/dice/own.py:19: player "
        "'somebody' failed: KeyError: 'T\\n'"
    ]


def test_unreadable_cards_are_a_wrong_answer_and_no_fault(pitboss, tmp_path):
    (tmp_path / "class" / "ten").mkdir(parents=True)
    hands = "\\nPlayer's Hand: TS, XC\\nDealer's Hand: 6, X\\n"
    (tmp_path / "class" / "ten" / "basic.py").write_text(f'print("{hands}")\ninput("Enter command: ")\n')
    completed = pitboss("grade", "class", "basic", "-a", "csc101", "--csv", "-")
    total = len(sessions_of(load_assignment(ROOT / "specs" / "csc101").stage("basic")))
    assert completed.code == 1
    assert cells(completed.out, "submission", "verdict", "basic", "basic passed", "basic total") == [
        ("ten", "WRONG_ANSWER", "WRONG_ANSWER", "0", str(total))
    ]
