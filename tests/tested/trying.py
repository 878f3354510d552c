"""Runs tests on a mutant: in a copy of the tree, with a time limit, and unable to harm anything else.

A mutant of code that removes folders and kills processes may remove and kill anything. So it runs in its own process
namespace, without any process of ours, and sees the file system read-only, except for the copy. This needs root.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

from tests.conftest import ROOT
from tests.tested.drawing import Mutant

#: The time limit of tests on a mutant: this multiple of the seconds that they take without it, plus seconds for the start.
_TIME_FACTOR, _START_S = 4, 40
#: Shell code that makes everything read-only except the copy, and runs the tests there.
_INSIDE = """
set -e
mount --bind {copy} {copy}.inside
mount --bind {python} {copy}.python
for folder in /*; do
    case $folder in /dev | /proc | /sys | /tmp) continue ;; esac
    [ -d $folder ] && [ ! -L $folder ] || continue
    mount --rbind $folder $folder
    mount -o remount,ro,bind $folder
done
mount -t tmpfs -o mode=1777 tmpfs /tmp
case {python} in /tmp/*)  # the virtual environment of a clone in /tmp, which is empty now
    mkdir -p {python}
    mount --bind {copy}.python {python}
    mount -o remount,ro,bind {python} ;;
esac
cd {copy}.inside
exec "$@"
"""


class Outcome(Enum):
    KILLED = "killed"
    SURVIVED = "survived"
    TOO_LONG = "killed by the time limit"


class Copy:
    """A copy of the tree, into which mutants are written one after another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writes = 0

    def outcome_of(self, mutant: Mutant, tests: list[str], seconds: float) -> Outcome:
        """The outcome of a mutant in these tests, which take `seconds` without the change.

        A test that also fails in the unchanged copy is left out, since its failure says nothing about the mutant.
        """
        remaining = list(tests)
        while remaining:
            original = self._write(mutant.file, mutant.changed_text)
            try:
                outcome, failed = self._run(remaining, _START_S + _TIME_FACTOR * seconds)
            finally:
                self._write(mutant.file, original)
            if outcome is not Outcome.KILLED or failed not in remaining:
                return outcome
            outcome_without_mutant, _ = self._run([failed], _START_S)
            if outcome_without_mutant is Outcome.SURVIVED:
                return outcome
            remaining.remove(failed)
        return Outcome.SURVIVED

    def _write(self, file: str, text: str) -> str:
        """Write a file of the copy, and return its previous text."""
        path = self.path / file
        original = path.read_text()
        path.write_text(text)
        # Each write gives the file a new time: Python recompiles a source only if its time, in whole seconds, changed.
        self._writes += 1
        os.utime(path, (1_000_000_000 + self._writes, 1_000_000_000 + self._writes))
        return original

    def _run(self, tests: list[str], limit_s: float) -> tuple[Outcome, str]:
        """Run tests in the copy: the outcome of what is in it, and the first test to fail.

        If pytest fails but names none of these tests, the end of its output takes the place of the test.
        """
        pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=no", "-rfE", *tests]
        unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--propagation", "private"]
        shell_code = _INSIDE.format(copy=self.path, python=shlex.quote(sys.prefix))
        process = subprocess.Popen(
            ["nice", "-n", "15", *unshare, "sh", "-c", shell_code, "sh", *pytest],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return Outcome.TOO_LONG, ""
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        if process.returncode == 0:
            return Outcome.SURVIVED, ""
        failure_line = next((line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))), "")
        return Outcome.KILLED, next((test for test in tests if test in failure_line), output[-300:])


@contextmanager
def copy_tree() -> Iterator[Copy]:
    """A temporary copy of the working tree, with uncommitted changes."""
    # Outside /tmp, because the tests get an empty /tmp of their own.
    with tempfile.TemporaryDirectory(prefix="tested-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / "tree"
        list_files = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(list_files, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
        for name in filter(None, names):
            if (ROOT / name).is_file() or (ROOT / name).is_symlink():
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, path / name, follow_symlinks=False)
        Path(f"{path}.inside").mkdir()
        Path(f"{path}.python").mkdir()
        yield Copy(path)
