"""Runs tests on a mutant: in a copy of the tree, where nothing else can be harmed, and for so long at most.

A mutant of what removes folders and kills processes may remove and kill anything. So it runs in a process namespace of
its own, in which no process of ours is, and sees all that is ours read-only, but for the copy. That takes root.
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

#: What may take longer than without the change, and not: a multiple, and seconds to begin.
_TIMES, _BEGINNING_S = 4, 40
#: A shell's: seal all that there is off, and run the tests in the copy.
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
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    TOO_LONG = "killed by the time limit"


class Copy:
    """A copy of the tree that one mutant after another is put into."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writes = 0

    def tried(self, mutant: Mutant, tests: list[str], seconds: float) -> End:
        """What becomes of a mutant in tests that take so long without a change.

        A test that fails in the copy as it is tells nothing, and is left out.
        """
        left = list(tests)
        while left:
            before = self._write(mutant.file, mutant.text)
            try:
                end, failed = self._run(left, _BEGINNING_S + _TIMES * seconds)
            finally:
                self._write(mutant.file, before)
            if end is not End.KILLED or failed not in left or self._run([failed], _BEGINNING_S)[0] is End.SURVIVED:
                return end
            left.remove(failed)
        return End.SURVIVED

    def _write(self, file: str, text: str) -> str:
        path = self.path / file
        before = path.read_text()
        path.write_text(text)
        self._writes += 1  # compiled files are known by the second of their source
        os.utime(path, (1_000_000_000 + self._writes, 1_000_000_000 + self._writes))
        return before

    def _run(self, tests: list[str], limit_s: float) -> tuple[End, str]:
        """How tests end in the copy, and which was the first to fail."""
        pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=no", "-rfE", *tests]
        unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--propagation", "private"]
        inside = _INSIDE.format(copy=self.path, python=shlex.quote(sys.prefix))
        process = subprocess.Popen(
            ["nice", "-n", "15", *unshare, "sh", "-c", inside, "sh", *pytest],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return End.TOO_LONG, ""
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        failed = next((line for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))), "")
        name = next((one for one in tests if one in failed), said[-300:])
        return (End.KILLED, name) if process.returncode else (End.SURVIVED, "")


@contextmanager
def copied() -> Iterator[Copy]:
    """A copy of the tree, as it is now, for the time of a context."""
    # Beside /tmp, which the tests get as an empty one of their own.
    with tempfile.TemporaryDirectory(prefix="tested-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / "tree"
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
        for name in filter(None, names):
            if (ROOT / name).is_file() or (ROOT / name).is_symlink():
                (path / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, path / name, follow_symlinks=False)
        Path(f"{path}.inside").mkdir()
        Path(f"{path}.python").mkdir()
        yield Copy(path)
