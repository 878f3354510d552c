import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pitboss.machine import processes
from tests.conftest import ROOT, TOY

#: A makefile that creates deep and locked folders; `{waits}` is replaced by a command that waits or does nothing.
MAKEFILE = f"""
teller:
	mkdir -p locked/inner; echo 1 > locked/inner/file; chmod 000 locked/inner locked
	for i in 1 2 3 4 5; do mkdir -p {"/".join(["x" * 200] * 15)} && cd x*/x*/x*/x*/x* || break; done
	{{waits}}
	cp teller.in teller; chmod +x teller
"""
PROGRAM = "#!/bin/sh\nmkdir -p a/b; chmod 0 a/b a; printf 'Opening balance: '; read x; {waits}\n"
#: Where pitboss is when the signal comes: the makefile and the program of a submission, one of which waits there.
PLACES = {
    "in a build": (MAKEFILE.replace("{waits}", "sleep 1000"), PROGRAM.replace("{waits}", "exit 0")),
    "in a session": (MAKEFILE.replace("{waits}", ":"), PROGRAM.replace("{waits}", "while :; do :; done")),
}
#: A test that takes longer hangs, however busy the machine is.
DEADLINE_S = 300


def start_grading(workspace, place, *, count=1):
    """Start pitboss on a class of `count` submissions, in a process group of its own as a shell would."""
    makefile, program = PLACES[place]
    for number in range(count):
        folder = workspace / "class" / f"s{number}"
        folder.mkdir(parents=True)
        (folder / "Makefile").write_text(makefile)
        (folder / "teller.in").write_text(program)
    command = [
        sys.executable,
        "-m",
        "pitboss",
        "grade",
        str(workspace / "class"),
        "-a",
        str(workspace / "teller"),
        "-j",
        "2",
    ]
    command += ["--json", str(workspace / "results.json")]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(workspace / "tmp")},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def has_reached(pitboss, place):
    """Whether the makefile or the program of a submission is running."""
    command_part = "sleep\0001000" if place == "in a build" else "/teller/teller\0"
    return any(command_part in text(f"/proc/{pid}/cmdline") for pid in processes.tree([pitboss.pid]))


def text(path):
    """The text of a file; empty if it cannot be read, since its process has ended."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def leftovers_in(workspace):
    """The processes that name this folder in their command or environment, and the names in its temporary folder."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:  # the kernel needs some time to end the processes of a bubblewrap
        process_texts = {
            pid: text(f"/proc/{pid}/cmdline") + text(f"/proc/{pid}/environ") for pid in os.listdir("/proc")
        }
        pids = [pid for pid, process_text in process_texts.items() if f"{workspace}/" in process_text]
        if not pids:
            break
    return pids, sorted(path.name for path in (workspace / "tmp").iterdir())


def signal_and_wait(pitboss, workspace, place, number, *, to_group):
    """Send this signal to pitboss once it has reached the place, and return what it prints to standard error."""
    deadline = time.monotonic() + DEADLINE_S
    while not has_reached(pitboss, place):
        assert pitboss.poll() is None and time.monotonic() < deadline, pitboss.stderr.read()
    (os.killpg if to_group else os.kill)(pitboss.pid, number)
    _, output = pitboss.communicate(timeout=DEADLINE_S)
    return output


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("number", "to_group"), [(signal.SIGINT, True), (signal.SIGTERM, False)], ids=["Ctrl-C", "TERM"]
)
def test_a_signal_in_a_build_or_session_leaves_nothing_behind(workspace, place, number, to_group):
    pitboss = start_grading(workspace, place)
    output = signal_and_wait(pitboss, workspace, place, number, to_group=to_group)
    assert pitboss.returncode == 128 + number
    assert re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", output).strip().startswith("pitboss: stopped before grading ")
    assert "Traceback" not in output
    assert leftovers_in(workspace) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGXCPU, signal.SIGTERM], ids=lambda number: number.name)
def test_other_signals_leave_nothing_behind(workspace, place, number):
    pitboss = start_grading(workspace, place, count=4)
    output = signal_and_wait(pitboss, workspace, place, number, to_group=True)
    assert pitboss.returncode == (3 if number is signal.SIGXCPU else 128 + number)
    assert "Traceback" not in output
    assert leftovers_in(workspace) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("delay_ms", range(0, 1500, 50))
def test_an_interrupt_at_any_moment_leaves_nothing_behind(workspace, delay_ms):
    pitboss = start_grading(workspace, "in a session", count=3)
    time.sleep(0.4 + delay_ms / 1000)
    os.killpg(pitboss.pid, signal.SIGINT)
    pitboss.communicate(timeout=DEADLINE_S)
    assert leftovers_in(workspace) == ([], [])


def test_a_killed_worker_is_replaced_once_and_leaves_nothing_behind(workspace):
    pitboss, killed = start_grading(workspace, "in a session"), []
    deadline = time.monotonic() + DEADLINE_S
    while pitboss.poll() is None:
        assert time.monotonic() < deadline, pitboss.stderr.read()
        workers = [pid for pid in processes.children(pitboss.pid) if "pitboss\0grade" in text(f"/proc/{pid}/cmdline")]
        if has_reached(pitboss, "in a session") and len(workers) == 1 and workers[0] not in killed:
            os.kill(workers[0], signal.SIGKILL)
            killed += workers
    assert pitboss.returncode == 3 and len(killed) == 2
    assert leftovers_in(workspace) == ([], [])


def test_the_next_run_removes_what_a_killed_run_left_behind(workspace):
    pitboss = start_grading(workspace, "in a session")
    signal_and_wait(pitboss, workspace, "in a session", signal.SIGKILL, to_group=True)
    assert [name[:12] for name in leftovers_in(workspace)[1]] == ["pitboss-run-"]
    (workspace / "right").mkdir()
    shutil.copy(TOY / "teller", workspace / "right" / "teller.py")
    again = subprocess.run(
        [sys.executable, "-m", "pitboss", "check", str(workspace / "right"), "-a", str(TOY)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(workspace / "tmp")},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert again.returncode == 0
    assert leftovers_in(workspace) == ([], [])
