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

#: The time limit of tests on a mutant: a multiple of their usual seconds, plus seconds for the start.
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
case {python} in /tmp/*)  # a clone may lie there
    mkdir -p {python}
    mount --bind {copy}.python {python}
    mount -o remount,ro,bind {python} ;;
esac
cd {copy}.inside
exec "$@"
"""


class End(Enum):
    """The outcome of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    TOO_LONG = "killed by the time limit"


class Copy:
    """A copy of the tree, into which mutants are written one after another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writes = 0

    def outcome_of(self, mutant: Mutant, tests: list[str], seconds: float) -> End:
        """The outcome of a mutant in these tests, which take `seconds` without the change.

        A test that also fails in the unchanged copy is left out, since its failure says nothing about the mutant.
        """
        remaining = list(tests)
        while remaining:
            original = self._write(mutant.file, mutant.text)
            try:
                end, failed = self._run(remaining, _START_S + _TIME_FACTOR * seconds)
            finally:
                self._write(mutant.file, original)
            if end is not End.KILLED or failed not in remaining or self._run([failed], _START_S)[0] is End.SURVIVED:
                return end
            remaining.remove(failed)
        return End.SURVIVED

    def _write(self, file: str, text: str) -> str:
        path = self.path / file
        original = path.read_text()
        path.write_text(text)
        # Each write sets another time: Python recompiles a source only if its time, in whole seconds, has changed.
        self._writes += 1
        os.utime(path, (1_000_000_000 + self._writes, 1_000_000_000 + self._writes))
        return original

    def _run(self, tests: list[str], limit_s: float) -> tuple[End, str]:
        """The outcome of tests in the copy, and the first test to fail."""
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
            return End.TOO_LONG, ""
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        failed = next((line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))), "")
        name = next((test for test in tests if test in failed), output[-300:])
        return (End.KILLED, name) if process.returncode else (End.SURVIVED, "")


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
