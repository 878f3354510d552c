"""A class that is stopped keeps what it has, and one that comes to its end leaves nothing behind."""

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
from pitboss.sandbox import processes
from tests.authors import DICE, DICE_OWN, DICE_PROGRAM, DICE_SPEC
from tests.conftest import ROOT, TOY

RIGHT = (ROOT / "tests" / "submissions" / "ACCEPTED" / "plain" / "teller.c").read_text()
#: A build that waits, so that the class does not come to its end before it is stopped.
WAITS = "teller: teller.c\n\tsleep 100\n"
DEADLINE_S = 300


@pytest.fixture
def class_(reachable):
    """A class of six, of whom the third and the fourth have builds that wait."""
    for name in ("ada", "barbara", "charles", "dennis", "edsger", "grace"):
        folder = reachable / "class" / name
        folder.mkdir(parents=True)
        (folder / "teller.c").write_text(RIGHT)
        if name in ("charles", "dennis"):
            (folder / "Makefile").write_text(WAITS)
    return reachable / "class"


class Grading:
    """`pitboss grade` in a process of its own."""

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
        """Wait until so many reports are kept."""
        until = time.monotonic() + DEADLINE_S
        while len(reports_in(self.folder)) < count:
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < until, "no report came"
            time.sleep(0.01)

    def wait_for_all(self):
        """Wait until nothing that it started runs."""
        until = time.monotonic() + DEADLINE_S
        while processes.living_in_group(self.process.pid):
            assert time.monotonic() < until, "something is still running"
            time.sleep(0.01)

    def stopped(self, *signals):
        """What it says once it has been sent these."""
        for number in signals:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=DEADLINE_S)
        return self.process.returncode, out, err


def reports_in(folder):
    """The reports that are kept; beside them are libraries, trials, and what is being written."""
    return [
        path
        for path in (folder / "caches").glob("pitboss/*")
        if not path.name.startswith(("determinism-", "trial-", "."))
    ]


KNOWN = ["ada", "barbara"]
SENTENCE = "stopped before grading charles, dennis, edsger, grace; run the same command to continue"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_class_that_is_stopped_gives_what_it_has(class_, number):
    grading = Grading(class_, "--json", "all.json", "--csv", "all.csv", "--html", "pages", "-j", "2")
    grading.wait_for_reports(2)
    code, out, err = grading.stopped(number)
    assert (code, err) == (128 + number, f"pitboss: {SENTENCE}\n")
    assert [line.split()[0] for line in out.splitlines() if "accepted" in line and " of " not in line] == KNOWN
    known = json.loads((grading.folder / "all.json").read_text())
    assert ([one["submission"] for one in known["submissions"]], known["missing"]) == (
        KNOWN,
        ["charles", "dennis", "edsger", "grace"],
    )
    assert [line.split(",")[:2] for line in (grading.folder / "all.csv").read_text().splitlines()[1:]] == [
        [name, "ACCEPTED"] for name in KNOWN
    ]
    assert sorted(path.name for path in (grading.folder / "pages").iterdir()) == [
        "ada.html",
        "barbara.html",
        "index.html",
    ]
    grading.wait_for_all()
    assert list((grading.folder / "scratch").iterdir()) == []


def test_who_is_impatient_gets_it_too(class_):
    grading = Grading(class_, "--json", "all.json", "-j", "2")
    grading.wait_for_reports(2)
    code, _, err = grading.stopped(signal.SIGTERM, signal.SIGTERM)
    assert (code, err) == (143, f"pitboss: {SENTENCE}\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_same_command_goes_on_after_a_class_that_was_stopped(class_, number):
    grading = Grading(class_, "-j", "2")
    grading.wait_for_reports(2)
    pid, *below = processes.tree([grading.process.pid])
    os.kill(pid, number)
    grading.process.communicate(timeout=DEADLINE_S)
    for one in below:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)
    for name in ("charles", "dennis"):
        (class_ / name / "Makefile").unlink()
    again = Grading(class_, "--json", "all.json")
    assert again.process.communicate(timeout=DEADLINE_S)[1] == (
        "pitboss: 4 run, 2 unchanged and not run again; --fresh runs all\n"
    )
    assert len(json.loads((again.folder / "all.json").read_text())["submissions"]) == 6


def test_a_class_that_comes_to_its_end_leaves_nothing_behind(class_):
    for name in ("charles", "dennis"):
        (class_ / name / "Makefile").unlink()
    for options in (["--json", "all.json"], ["--fresh"]):
        grading = Grading(class_, *options)
        assert grading.process.communicate(timeout=DEADLINE_S)[1] == ""
        assert grading.process.returncode == 0
    assert sorted(path.name for path in grading.folder.iterdir()) == ["all.json", "caches", "class", "scratch"]
    assert list((grading.folder / "scratch").iterdir()) == []
    assert json.loads((grading.folder / "all.json").read_text())["missing"] == []


def test_results_that_could_not_be_written_are_reported_before_anything_is_run(class_):
    grading = Grading(class_, "--json", "nowhere/all.json")
    _, err = grading.process.communicate(timeout=DEADLINE_S)
    assert (grading.process.returncode, err) == (
        2,
        "pitboss: nowhere/all.json: the file cannot be written: No such file or directory\n",
    )


def test_a_player_that_fails_for_one_student_ends_no_class(pitboss, tmp_path):
    """Only what Charles shows is too much for it."""
    specs = tmp_path / "specs" / "dice"
    specs.mkdir(parents=True)
    (specs / "assignment.yaml").write_text(DICE)
    (specs / "dice.yaml").write_text(DICE_SPEC.replace("6", "12"))  # as many as there may be, whatever is drawn
    (specs / "own.py").write_text(
        DICE_OWN.replace('    return "y"', '    return {"": "y"}[shown.partition("Roll? ")[0]]')
    )
    for name in ("ada", "charles", "grace"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "dice.py").write_text(DICE_PROGRAM)
    (tmp_path / "class" / "charles" / "dice.py").write_text('print("T")\n' + DICE_PROGRAM)
    done = pitboss("grade", "class", "-a", "dice", "--csv", "-", "--json", "all.json")
    assert (done.code, done.out) == (
        3,
        "submission,verdict,dice,dice passed,dice total,memory\nada,ACCEPTED,ACCEPTED,12,12,\n"
        "charles,JUDGE_ERROR,JUDGE_ERROR,0,12,\ngrace,ACCEPTED,ACCEPTED,12,12,\n",
    )
    assert json.loads((tmp_path / "all.json").read_text())["faults"] == [
        "charles: This session could not be run, which is not the program's fault: specs/dice/own.py:19: player "
        "'somebody' failed: KeyError: 'T\\n'"
    ]


def test_cards_that_no_player_can_read_are_wrong_and_no_more(pitboss, tmp_path):
    (tmp_path / "class" / "ten").mkdir(parents=True)
    hands = "\\nPlayer's Hand: TS, XC\\nDealer's Hand: 6, X\\n"
    (tmp_path / "class" / "ten" / "basic.py").write_text(f'print("{hands}")\ninput("Enter command: ")\n')
    done = pitboss("grade", "class", "basic", "-a", "csc101", "--csv", "-")
    total = len(sessions_of(load_assignment(ROOT / "specs" / "csc101").stage("basic")))
    assert (done.code, done.out) == (
        1,
        f"submission,verdict,basic,basic passed,basic total,memory\nten,WRONG_ANSWER,WRONG_ANSWER,0,{total},\n",
    )
