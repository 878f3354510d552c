"""Small limits of the shell that pitboss is started in: it works, or says what is too small and how to mend it."""

import os
import resource
import shutil
import subprocess
import sys

import pytest

from pitboss.sandbox import ulimits
from tests.conftest import ROOT, TOY

HARD = {
    "RLIMIT_NOFILE": (
        100,
        "this shell allows 100 open files (ulimit -n), and pitboss needs 128: give it more (ulimit -n 1024, in a new "
        "shell where this one may not), or ask whoever has set the limit",
    ),
    "RLIMIT_AS": (
        500_000 << 10,
        "this shell allows 500000 kB of memory (ulimit -v), and pitboss needs 4194304: give it more (ulimit -v "
        "unlimited, in a new shell where this one may not), or ask whoever has set the limit",
    ),
    "RLIMIT_DATA": (
        500_000 << 10,
        "this shell allows 500000 kB of data (ulimit -d), and pitboss needs 4194304: give it more (ulimit -d "
        "unlimited, in a new shell where this one may not), or ask whoever has set the limit",
    ),
    "RLIMIT_FSIZE": (
        1000 << 10,
        "this shell allows 1000 blocks of 1024 bytes in a file (ulimit -f), and pitboss needs 65536: give it more "
        "(ulimit -f unlimited, in a new shell where this one may not), or ask whoever has set the limit",
    ),
    "RLIMIT_STACK": (
        4000 << 10,
        "this shell allows 4000 kB of stack (ulimit -s), and pitboss needs 8192: give it more (ulimit -s 8192, in a "
        "new shell where this one may not), or ask whoever has set the limit",
    ),
    "RLIMIT_CPU": (
        10,
        "this shell allows 10 seconds of CPU time (ulimit -t), and pitboss needs 60: give it more (ulimit -t "
        "unlimited, in a new shell where this one may not), or ask whoever has set the limit",
    ),
}


@pytest.fixture
def submission(tmp_path):
    shutil.copy(TOY / "teller", tmp_path / "teller.py")
    return tmp_path


def checked(folder, *limits):
    """Check a submission in a shell with these limits, each a name with its soft and its hard value."""

    def limit():
        for name, soft, hard in limits:
            resource.setrlimit(getattr(resource, name), (soft, hard))

    return subprocess.run(
        [sys.executable, "-m", "pitboss", "check", str(folder), "-a", str(TOY)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=limit,
    )


@pytest.mark.parametrize(("name", "value", "said"), [(name, *rest) for name, rest in HARD.items()], ids=list(HARD))
def test_a_limit_that_would_change_verdicts_is_reported_with_the_remedy(submission, name, value, said):
    done = checked(submission, (name, value, value))
    assert (done.returncode, done.stderr) == (3, f"pitboss: {said}\n")


def test_where_the_shell_may_have_more_it_takes_more(submission):
    resources = {name: resource.getrlimit(getattr(resource, name))[1] for name in HARD}
    low = [(name, value, resources[name]) for name, (value, _) in HARD.items() if name != "RLIMIT_CPU"]
    done = checked(submission, *low)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("files", [128, 256])
def test_with_few_descriptors_it_works(submission, files):
    done = checked(submission, ("RLIMIT_NOFILE", files, files))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("closed", [(0, 1, 2)], ids=str)
def test_with_standard_files_closed_it_works(submission, closed):
    shell = ["/bin/sh", "-c", f'exec "$@" {" ".join(f"{number}>&-" for number in closed)}', "sh"]
    done = subprocess.run(
        [*shell, sys.executable, "-m", "pitboss", "check", str(submission), "-a", str(TOY)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


RECURSES = """
#include <stdio.h>
static int down(int n) { volatile char room[1000]; room[0] = n; return n ? down(n - 1) + room[0] * 0 : 0; }
int main(void) { printf("%d", down(6000)); return 0; }
"""


@pytest.mark.parametrize("soft", [1 << 20, resource.RLIM_INFINITY], ids=["1 MB", "unlimited"])
def test_a_program_has_the_same_stack_whatever_the_shell_has(compiled, soft):
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("this shell may not have a larger stack itself")
    code = (
        "import sys; from pathlib import Path\n"
        f"sys.path.insert(0, {str(ROOT / 'harness')!r})\n"
        "from pitboss.sandbox.limits import Limits\n"
        "from pitboss.sessions.drivers import find_conditions\n"
        "from pitboss.sessions.programs import Program\n"
        "from pitboss.model.scripts import Script, typing\n"
        "for name in ('watched', 'expecting'):\n"
        "    conditions = find_conditions(name, 'none')\n"
        "    with conditions.driver_of(Program((sys.argv[1],), Path('/usr')), Limits()) as driver:\n"
        "        print([(one.text, one.ending.kind.name) for _, one in driver.sessions([Script(typing(()), ())])])\n"
    )
    output = set()
    for text in (RECURSES, RECURSES.replace("6000", "9000")):
        done = subprocess.run(
            [sys.executable, "-c", code, str(compiled(text))],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (soft, resource.RLIM_INFINITY)),
        )
        output.add(tuple(done.stdout.splitlines()))
    fits, crashes = "[(b'0', 'EXITED')]", "[(b'', 'SIGNALLED')]"
    assert output == {(fits, fits), (crashes, crashes)}


def test_how_many_processes_the_user_may_have_is_looked_at(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (100, 100))
    monkeypatch.setattr(ulimits.processes, "tasks_of", lambda user_id: 40)
    with pytest.raises(ulimits.SessionError) as raised:
        ulimits._look_at_processes()
    assert str(raised.value) == (
        "this shell allows 100 processes and threads (ulimit -u), of which your user has 40, and pitboss needs 64 more: "
        "end some, or give it more (ulimit -u unlimited, in a new shell where this one may not)"
    )


@pytest.mark.needs("root")  # of an ordinary user's processes the limit is looked at before
def test_a_limit_that_a_program_cannot_be_given_is_our_fault(submission):
    done = checked(submission, ("RLIMIT_NPROC", 20, 20))
    if done.returncode == 0:
        pytest.skip("root may give more than it has itself here")
    assert (done.returncode, done.stdout, done.stderr) == (
        3,
        "",
        "pitboss: a program could not be given its limits, because this shell's own limit is lower (ulimit -u): "
        "raise it with `ulimit -u unlimited`, in a new shell if this one refuses\n",
    )
