"""Ended by a signal at any moment, pitboss leaves no process and no folder, and says so in a word."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from pitboss.sandbox import processes
from tests.conftest import ROOT, TOY

#: Makes deep and locked folders while it is built, tells that it is there, and waits.
MAKEFILE = f"""
teller:
	mkdir -p locked/inner; echo 1 > locked/inner/file; chmod 000 locked/inner locked
	for i in 1 2 3 4 5; do mkdir -p {"/".join(["x" * 200] * 15)} && cd x*/x*/x*/x*/x* || break; done
	{{waits}}
	cp teller.in teller; chmod +x teller
"""
ASKS = "#!/bin/sh\nmkdir -p a/b; chmod 0 a/b a; printf 'Opening balance: '; read x; {waits}\n"
PLACES = {
    "in a build": (MAKEFILE.replace("{waits}", "sleep 1000"), ASKS.replace("{waits}", "exit 0")),
    "in a session": (MAKEFILE.replace("{waits}", ":"), ASKS.replace("{waits}", "while :; do :; done")),
}
#: Far more than any session here may use before it is ended by us.
#: When something hangs, however busy the machine is.
DEADLINE_S = 300
LONG = {"limits: {idle_s: 2, memory_mb: 128}": "limits: {cpu_s: 100, idle_s: 100, memory_mb: 128}"}


@pytest.fixture
def room():
    """A temporary folder of our own that every user can reach, with a submission and an assignment that takes long."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        room = Path(folder)
        (room / "tmp").mkdir()
        (room / "tmp").chmod(0o1777)
        assignment = room / "teller"
        assignment.mkdir()
        for path in TOY.iterdir():
            text = path.read_text()
            for old, new in LONG.items():
                text = text.replace(old, new)
            (assignment / path.name).write_text(text)
            (assignment / path.name).chmod(0o755)
        yield room


def begun(room, place, *, count=1):
    """pitboss while it grades, in a process group of its own as a shell has it."""
    makefile, program = PLACES[place]
    for number in range(count):
        one = room / "class" / f"s{number}"
        one.mkdir(parents=True)
        (one / "Makefile").write_text(makefile)
        (one / "teller.in").write_text(program)
    command = [sys.executable, "-m", "pitboss", "grade", str(room / "class"), "-a", str(room / "teller"), "-j", "2"]
    command += ["--json", str(room / "results.json")]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(room / "tmp")},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def has_reached(pitboss, place):
    """Whether what is handed in runs."""
    wanted = "sleep\0001000" if place == "in a build" else "/teller/teller\0"
    return any(wanted in text(f"/proc/{pid}/cmdline") for pid in processes.tree([pitboss.pid]))


def text(path):
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def left_in(room):
    """What runs of what was begun, by the folder in its command or environment, and what stands in that folder."""
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:  # the kernel takes its time to take a bubblewrap apart
        output = {pid: text(f"/proc/{pid}/cmdline") + text(f"/proc/{pid}/environ") for pid in os.listdir("/proc")}
        pids = [pid for pid, words in output.items() if f"{room}/" in words]
        if not pids:
            break
    return pids, sorted(path.name for path in (room / "tmp").iterdir())


def ended(pitboss, room, place, number, *, to_group):
    until = time.monotonic() + DEADLINE_S
    while not has_reached(pitboss, place):
        assert pitboss.poll() is None and time.monotonic() < until, pitboss.stderr.read()
    (os.killpg if to_group else os.kill)(pitboss.pid, number)
    _, output = pitboss.communicate(timeout=DEADLINE_S)
    return output


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("number", "to_group"), [(signal.SIGINT, True), (signal.SIGTERM, False)], ids=["Ctrl-C", "TERM"]
)
def test_a_signal_leaves_nothing(room, place, number, to_group):
    pitboss = begun(room, place)
    output = ended(pitboss, room, place, number, to_group=to_group)
    assert pitboss.returncode == 128 + number
    assert re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", output).strip().startswith("pitboss: stopped before grading ")
    assert "Traceback" not in output
    assert left_in(room) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGXCPU, signal.SIGTERM], ids=lambda number: number.name)
def test_whichever_signal_it_is(room, place, number):
    pitboss = begun(room, place, count=4)
    output = ended(pitboss, room, place, number, to_group=True)
    assert pitboss.returncode == (3 if number is signal.SIGXCPU else 128 + number)
    assert "Traceback" not in output
    assert left_in(room) == ([], [])


@pytest.mark.slow
@pytest.mark.parametrize("delay_ms", range(0, 1500, 50))
def test_nor_at_any_other_moment(room, delay_ms):
    pitboss = begun(room, "in a session", count=3)
    time.sleep(0.4 + delay_ms / 1000)  # the moment is what is tried, and none of them may leave anything
    os.killpg(pitboss.pid, signal.SIGINT)
    pitboss.communicate(timeout=DEADLINE_S)
    assert left_in(room) == ([], [])


def test_a_worker_that_is_killed_is_replaced_once_and_leaves_nothing(room):
    pitboss, killed = begun(room, "in a session"), []
    until = time.monotonic() + DEADLINE_S
    while pitboss.poll() is None:
        assert time.monotonic() < until, pitboss.stderr.read()
        workers = [pid for pid in processes.children(pitboss.pid) if "pitboss\0grade" in text(f"/proc/{pid}/cmdline")]
        if has_reached(pitboss, "in a session") and len(workers) == 1 and workers[0] not in killed:
            os.kill(workers[0], signal.SIGKILL)
            killed += workers
    assert pitboss.returncode == 3 and len(killed) == 2
    assert left_in(room) == ([], [])


def test_what_a_killed_run_left_is_removed_by_the_next(room):
    pitboss = begun(room, "in a session")
    ended(pitboss, room, "in a session", signal.SIGKILL, to_group=True)
    assert [name[:12] for name in left_in(room)[1]] == ["pitboss-run-"]
    (room / "right").mkdir()
    shutil.copy(TOY / "teller", room / "right" / "teller.py")
    again = subprocess.run(
        [sys.executable, "-m", "pitboss", "check", str(room / "right"), "-a", str(TOY)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(room / "tmp")},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert again.returncode == 0
    assert left_in(room) == ([], [])
