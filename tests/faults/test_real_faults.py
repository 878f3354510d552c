"""Each process is killed in turn, the disk is full, descriptors run out: no verdict but the right one, or a fault.

What is planted in our own functions is in test_planted_faults; here pitboss is started as a person starts it, and the
fault comes from outside. Afterwards it is started again without one, and every verdict is the right one: nothing wrong
is kept.
"""

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from pitboss.sandbox.processes import tree
from tests.conftest import ROOT

SUBMISSIONS, SMALL = Path(__file__).parent / "submissions", Path(__file__).parent / "small"
COMMANDS = {"check": ["check", str(SUBMISSIONS / "ada")], "grade": ["grade", str(SUBMISSIONS)]}
#: Of each stage by submission.
RIGHT = {
    ("ada", "greeter"): "WRONG_ANSWER",
    ("ada", "echo"): "ACCEPTED",
    ("cy", "greeter"): "WRONG_ANSWER",
    ("cy", "echo"): "COMPILE_ERROR",
}
#: How many processes are killed, the n-th that is seen each time; how much room there is, and how many descriptors.
PROCESSES = {"check": range(1, 61), "grade": range(1, 61)}
ROOM_KB = [round(4 * 1.2**power) for power in range(45)]
DESCRIPTORS = range(8, 48)
#: How often is looked which processes there are; and what pitboss ends with where it has a fault.
_LOOK_MS, _FAULT = 1, 3


class Run(NamedTuple):
    """What came of a run."""

    exit_code: int
    said: str
    verdicts: dict[tuple[str, str], str]
    has_come: bool


def verdicts_in(report):
    """The verdict of each stage by submission, in a report of `check` or of `grade`."""
    if not report.is_file() or not report.read_bytes():
        return {}
    whole = json.loads(report.read_bytes())
    submissions = whole.get("submissions", [whole])
    return {(Path(one["submission"]).name, of["stage"]): of["verdict"] for one in submissions for of in one["stages"]}


def run(command, room, *, killed=0, temporary=None, descriptors=0):
    """Start pitboss; kill the `killed`-th of its processes that is seen."""
    report = room / "report.json"
    report.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "pitboss", *COMMANDS[command], "-a", str(SMALL), "--all", "--json", str(report)]
    environment = {
        **os.environ,
        "HOME": str(room),
        "TMPDIR": str(temporary or room),
        "PYTHONPATH": f"{ROOT}/harness:{ROOT}",
    }
    environment.pop("XDG_CACHE_HOME", None)
    limits = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (descriptors, descriptors)) if descriptors else None
    with (room / "said").open("wb") as output:
        pitboss = subprocess.Popen(argv, cwd=room, env=environment, stdout=output, stderr=output, preexec_fn=limits)
    seen, has_come = {pitboss.pid}, bool(temporary or descriptors)
    ended = os.pidfd_open(pitboss.pid)
    while not select.select([ended], [], [], _LOOK_MS / 1000)[0]:
        for pid in tree([pitboss.pid]) if killed and not has_come else ():
            if pid not in seen:
                seen.add(pid)
                if len(seen) == killed + 1:
                    has_come = True
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
    os.close(ended)
    return Run(pitboss.wait(), (room / "said").read_text(), verdicts_in(report), has_come)


def hold(made, room, command):
    """No verdict of a run is wrong, and the next run has the right ones."""
    right = {key: verdict for key, verdict in RIGHT.items() if command == "grade" or key[0] == "ada"}
    assert "Traceback" not in made.said, made.said
    wrong = {key: verdict for key, verdict in made.verdicts.items() if verdict not in (right[key], "JUDGE_ERROR")}
    assert wrong == {}, made.said
    if made.verdicts != right:
        assert made.exit_code == _FAULT, (made.exit_code, made.said)
        again = run(command, room)
        assert again.verdicts == right, again.said


@pytest.mark.slow
@pytest.mark.rotates("faults")
@pytest.mark.parametrize(("command", "number"), [(name, n) for name, all_ in PROCESSES.items() for n in all_])
def test_a_process_that_is_killed_costs_nobody_the_verdict(tmp_path, command, number):
    hold(run(command, tmp_path, killed=number), tmp_path, command)


@pytest.mark.slow
@pytest.mark.rotates("faults")
@pytest.mark.needs("root")  # to mount a file system of a size
@pytest.mark.parametrize("room_kb", ROOM_KB)
def test_a_full_disk_costs_nobody_the_verdict(tmp_path, room_kb):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room_kb}k,mode=1777", "pitboss", str(disk)], check=True)
    try:
        made = run("check", tmp_path, temporary=disk)
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
    hold(made, tmp_path, "check")


@pytest.mark.slow
@pytest.mark.rotates("faults")
@pytest.mark.parametrize("count", DESCRIPTORS)
def test_too_few_descriptors_cost_nobody_the_verdict(tmp_path, count):
    hold(run("check", tmp_path, descriptors=count), tmp_path, "check")
