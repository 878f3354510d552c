"""Each process is killed in turn, the disk is full, descriptors run out: every verdict is right, or JUDGE_ERROR.

The faults of test_planted_faults are planted in functions of pitboss; here pitboss is started as a person starts it,
and the fault comes from outside. Afterwards it is started again without a fault, and every verdict is right: no wrong
result was stored.

`python -m tests.faults.test_real_faults 100` grades a class of thirty a hundred times, kills one process each time, and
grades the class again without a kill.
"""

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from pitboss.machine.processes import tree
from tests.conftest import ROOT

SUBMISSIONS, SMALL = Path(__file__).parent / "submissions", Path(__file__).parent / "small"
COMMANDS = {"check": ["check", str(SUBMISSIONS / "ada")], "grade": ["grade", str(SUBMISSIONS)]}
#: The right verdict, by submission and stage.
RIGHT = {
    ("ada", "greeter"): "WRONG_ANSWER",
    ("ada", "echo"): "ACCEPTED",
    ("cy", "greeter"): "WRONG_ANSWER",
    ("cy", "echo"): "COMPILE_ERROR",
}
#: For each command, which of its processes is killed: the first that is noticed, the second and so on.
PROCESSES = {"check": range(1, 61), "grade": range(1, 61)}
#: The sizes of the disk with which pitboss is run, from 4 kB to about 12 MB, and the numbers of descriptors.
DISK_SIZES_KB = [round(4 * 1.2**power) for power in range(45)]
DESCRIPTORS = range(8, 48)
#: The interval at which new processes are looked for.
_LOOK_MS = 1
#: The exit code of pitboss after a fault.
_FAULT_CODE = 3


class Run(NamedTuple):
    """The outcome of a run of pitboss."""

    exit_code: int
    output: str
    verdicts: dict[tuple[str, str], str]
    #: Whether the fault happened.
    has_happened: bool


def verdicts_in(report):
    """The verdict of each stage by submission, in a report of `check` or of `grade`."""
    if not report.is_file() or not report.read_bytes():
        return {}
    whole = json.loads(report.read_bytes())
    submissions = whole.get("submissions", [whole])
    return {
        (Path(submission["submission"]).name, stage["stage"]): stage["verdict"]
        for submission in submissions
        for stage in submission["stages"]
    }


def run(command, home, *, killed=0, temporary=None, descriptors=0, submissions=None):
    """Run pitboss in the folder `home`, which is also its home directory, with at most one of these faults.

    killed        which process is killed: 1 is the first that pitboss starts; 0: no process
    temporary     a folder on a disk that is too small, for temporary files
    descriptors   how many descriptors pitboss may have; 0: as many as usual
    submissions   a folder to be graded in place of the command's
    """
    report = home / "report.json"
    report.unlink(missing_ok=True)
    arguments = ["grade", str(submissions)] if submissions else COMMANDS[command]
    argv = [sys.executable, "-m", "pitboss", *arguments, "-a", str(SMALL), "--all", "--json", str(report)]
    environment = {
        **os.environ,
        "HOME": str(home),
        "TMPDIR": str(temporary or home),
        "PYTHONPATH": f"{ROOT}/harness:{ROOT}",
    }
    environment.pop("XDG_CACHE_HOME", None)
    set_limit = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (descriptors, descriptors)) if descriptors else None
    with (home / "output.txt").open("wb") as output:
        pitboss = subprocess.Popen(argv, cwd=home, env=environment, stdout=output, stderr=output, preexec_fn=set_limit)
    known_pids, has_happened = {pitboss.pid}, bool(temporary or descriptors)
    pidfd = os.pidfd_open(pitboss.pid)
    while not select.select([pidfd], [], [], _LOOK_MS / 1000)[0]:
        for pid in tree([pitboss.pid]) if killed and not has_happened else ():
            if pid not in known_pids:
                known_pids.add(pid)
                if len(known_pids) == killed + 1:
                    has_happened = True
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
    os.close(pidfd)
    return Run(pitboss.wait(), (home / "output.txt").read_text(), verdicts_in(report), has_happened)


def assert_no_wrong_verdict(first_run, home, command):
    """Assert that no verdict of a run is wrong, and that a run without a fault then has the right verdicts."""
    expected = {key: verdict for key, verdict in RIGHT.items() if command == "grade" or key[0] == "ada"}
    assert "Traceback" not in first_run.output, first_run.output
    wrong = {
        key: verdict for key, verdict in first_run.verdicts.items() if verdict not in (expected[key], "JUDGE_ERROR")
    }
    assert wrong == {}, first_run.output
    if first_run.verdicts != expected:
        assert first_run.exit_code == _FAULT_CODE, (first_run.exit_code, first_run.output)
        second_run = run(command, home)
        assert second_run.verdicts == expected, second_run.output


@pytest.mark.slow
@pytest.mark.rotates("faults")
@pytest.mark.parametrize(
    ("command", "number"), [(command, number) for command, numbers in PROCESSES.items() for number in numbers]
)
def test_killing_a_process_makes_no_verdict_wrong(tmp_path, command, number):
    assert_no_wrong_verdict(run(command, tmp_path, killed=number), tmp_path, command)


@pytest.mark.slow
@pytest.mark.rotates("faults")
@pytest.mark.needs("root")  # to mount a file system of limited size
@pytest.mark.parametrize("size_kb", DISK_SIZES_KB)
def test_a_full_disk_makes_no_verdict_wrong(tmp_path, size_kb):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_kb}k,mode=1777", "pitboss", str(disk)], check=True)
    try:
        disk_run = run("check", tmp_path, temporary=disk)
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)
    assert_no_wrong_verdict(disk_run, tmp_path, "check")


@pytest.mark.slow
@pytest.mark.rotates("faults")
@pytest.mark.parametrize("count", DESCRIPTORS)
def test_too_few_descriptors_make_no_verdict_wrong(tmp_path, count):
    assert_no_wrong_verdict(run("check", tmp_path, descriptors=count), tmp_path, "check")


def main(kill_count, start=1):
    """Grade a class of thirty with its process number `start` killed, then the next, up to number `kill_count`.

    Each time, also grade once more without a kill.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # programs run as other users
        submissions = Path(folder, "class")
        for number in range(15):
            for name in ("ada", "cy"):
                shutil.copytree(SUBMISSIONS / name, submissions / f"{name}{number}")
        (home := Path(folder, "home")).mkdir()
        whole = run("grade", home, killed=10**9, submissions=submissions)
        expected = {(name, stage): RIGHT[name.rstrip("0123456789"), stage] for name, stage in whole.verdicts}
        assert (len(whole.verdicts), whole.verdicts) == (60, expected), whole.output
        happened = incomplete = 0
        for number in range(start, kill_count + 1):
            shutil.rmtree(home)
            home.mkdir()
            first = run("grade", home, killed=number, submissions=submissions)
            wrong = {key: one for key, one in first.verdicts.items() if one not in (expected[key], "JUDGE_ERROR")}
            assert not wrong and "Traceback" not in first.output, first.output
            happened += first.has_happened
            incomplete += first.verdicts != expected
            second = run("grade", home, submissions=submissions)
            assert second.verdicts == expected, (number, second.output)
        print(
            f"{happened} of {kill_count + 1 - start} kills happened; {incomplete} tables were incomplete, all right after resuming"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
