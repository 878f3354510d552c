import os
import resource
import shutil
import subprocess
import sys

import pytest

from pitboss.sandbox import limits
from tests.conftest import ROOT, TOY

#: By limit: a hard value that is too low, and the message of pitboss.
TOO_LOW_LIMITS = {
    "RLIMIT_NOFILE": (
        100,
        "this shell allows 100 open files (ulimit -n), and pitboss needs 128: raise the limit (ulimit -n 1024, in a new "
        "shell if this one refuses), or ask whoever has set the limit",
    ),
    "RLIMIT_AS": (
        500_000 << 10,
        "this shell allows 500000 kB of memory (ulimit -v), and pitboss needs 4194304: raise the limit (ulimit -v "
        "unlimited, in a new shell if this one refuses), or ask whoever has set the limit",
    ),
    "RLIMIT_DATA": (
        500_000 << 10,
        "this shell allows 500000 kB of data (ulimit -d), and pitboss needs 4194304: raise the limit (ulimit -d "
        "unlimited, in a new shell if this one refuses), or ask whoever has set the limit",
    ),
    "RLIMIT_FSIZE": (
        1000 << 10,
        "this shell allows 1000 blocks of 1024 bytes in a file (ulimit -f), and pitboss needs 65536: raise the limit "
        "(ulimit -f unlimited, in a new shell if this one refuses), or ask whoever has set the limit",
    ),
    "RLIMIT_STACK": (
        4000 << 10,
        "this shell allows 4000 kB of stack (ulimit -s), and pitboss needs 8192: raise the limit (ulimit -s 8192, in a "
        "new shell if this one refuses), or ask whoever has set the limit",
    ),
    "RLIMIT_CPU": (
        10,
        "this shell allows 10 seconds of CPU time (ulimit -t), and pitboss needs 60: raise the limit (ulimit -t "
        "unlimited, in a new shell if this one refuses), or ask whoever has set the limit",
    ),
}


@pytest.fixture
def submission(tmp_path):
    shutil.copy(TOY / "teller", tmp_path / "teller.py")
    return tmp_path


def check_under_limits(folder, *limits):
    """Check a submission in a process with these limits, each a name with its soft and its hard value."""

    def set_limits():
        for name, soft, hard in limits:
            resource.setrlimit(getattr(resource, name), (soft, hard))

    return subprocess.run(
        [sys.executable, "-m", "pitboss", "check", str(folder), "-a", str(TOY)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=set_limits,
    )


@pytest.mark.parametrize(
    ("name", "value", "message"), [(name, *rest) for name, rest in TOO_LOW_LIMITS.items()], ids=list(TOO_LOW_LIMITS)
)
def test_a_limit_that_would_change_verdicts_is_reported_with_the_remedy(submission, name, value, message):
    process = check_under_limits(submission, (name, value, value))
    assert (process.returncode, process.stderr) == (3, f"pitboss: {message}\n")


def test_a_low_soft_limit_is_raised_to_the_hard_limit(submission):
    hard_limits = {name: resource.getrlimit(getattr(resource, name))[1] for name in TOO_LOW_LIMITS}
    low_limits = [
        (name, value, hard_limits[name]) for name, (value, _) in TOO_LOW_LIMITS.items() if name != "RLIMIT_CPU"
    ]
    process = check_under_limits(submission, *low_limits)
    assert (process.returncode, process.stderr) == (0, "")


@pytest.mark.parametrize("count", [128, 256])
def test_check_works_with_few_descriptors(submission, count):
    process = check_under_limits(submission, ("RLIMIT_NOFILE", count, count))
    assert (process.returncode, process.stderr) == (0, "")


def test_check_works_with_standard_files_closed(submission):
    shell = ["/bin/sh", "-c", 'exec "$@" 0>&- 1>&- 2>&-', "sh"]
    process = subprocess.run(
        [*shell, sys.executable, "-m", "pitboss", "check", str(submission), "-a", str(TOY)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")


#: The stack that pitboss gives to programs is large enough for 6000 calls of `down`, but not for 9000.
RECURSIVE_PROGRAM = """
#include <stdio.h>
static int down(int n) { volatile char room[1000]; room[0] = n; return n ? down(n - 1) + room[0] * 0 : 0; }
int main(void) { printf("%d", down(6000)); return 0; }
"""


@pytest.mark.parametrize("soft", [1 << 20, resource.RLIM_INFINITY], ids=["1 MB", "unlimited"])
def test_programs_have_the_same_stack_whatever_the_shell_allows(compiled, soft):
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("this shell may not have a larger stack itself")
    code = (
        "import sys; from pathlib import Path\n"
        f"sys.path.insert(0, {str(ROOT / 'harness')!r})\n"
        "from pitboss.sandbox.limits import Limits\n"
        "from pitboss.sessions.drivers import find_conditions\n"
        "from pitboss.sessions.programs import Program\n"
        "from pitboss.model.invocation import Script, script_of_lines\n"
        "for name in ('watched', 'expecting'):\n"
        "    conditions = find_conditions(name, 'none')\n"
        "    with conditions.driver_of(Program((sys.argv[1],), Path('/usr')), Limits()) as driver:\n"
        "        ((_, transcript),) = driver.sessions([Script(script_of_lines(()), ())])\n"
        "        print(transcript.text, transcript.ending.kind.name)\n"
    )
    outputs = set()
    for text in (RECURSIVE_PROGRAM, RECURSIVE_PROGRAM.replace("6000", "9000")):
        process = subprocess.run(
            [sys.executable, "-c", code, str(compiled(text))],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (soft, resource.RLIM_INFINITY)),
        )
        outputs.add(tuple(process.stdout.splitlines()))
    fits, crashes = "b'0' EXITED", "b'' SIGNALLED"
    assert outputs == {(fits, fits), (crashes, crashes)}  # each under both drivers


def test_a_low_limit_on_the_processes_of_the_user_is_reported(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (100, 100))
    monkeypatch.setattr(limits.processes, "task_count_of", lambda user_id: 40)
    with pytest.raises(limits.SessionError) as raised:
        limits._check_process_limit()
    assert str(raised.value) == (
        "this shell allows 100 processes and threads (ulimit -u), of which your user has 40, and pitboss needs 64 more: "
        "end some, or raise the limit (ulimit -u unlimited, in a new shell if this one refuses)"
    )


@pytest.mark.needs("root")  # for an ordinary user, pitboss checks this limit before it grades
def test_a_limit_that_cannot_be_set_for_a_program_is_reported(submission):
    process = check_under_limits(submission, ("RLIMIT_NPROC", 20, 20))
    if process.returncode == 0:
        pytest.skip("root may give more than it has itself here")
    assert (process.returncode, process.stdout, process.stderr) == (
        3,
        "",
        "pitboss: a program could not be given its limits, because this shell's own limit is lower (ulimit -u): "
        "raise it with `ulimit -u unlimited`, in a new shell if this one refuses\n",
    )
