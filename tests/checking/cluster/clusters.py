"""A Dask cluster on loopback: a scheduler and workers as processes of their own."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from pitboss.sandbox import processes
from tests.conftest import ROOT

DEADLINE_S = 300
PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PITBOSS_WITHOUT": "cache", "COLUMNS": "80"}
#: What nannies start: workers, and what counts the semaphores that they share.
_OF_DASK = ("spawn_main", "resource_tracker")


class Cluster:
    """A scheduler and its workers, with their logs in a folder; all are ended at the end of the block.

    The scheduler has the pitboss of a folder; by default one without anything in it, since it needs none.
    """

    def __init__(self, folder: Path, pitboss: Path | None = None) -> None:
        self.folder, self.scratch = folder, folder / "scratch"
        self.scratch.mkdir()
        without = folder / "without"
        (without / "pitboss").mkdir(parents=True)
        (without / "pitboss" / "__init__.py").touch()
        self._processes: list[subprocess.Popen[bytes]] = []
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{one.getsockname()[1]}"
        words = ("scheduler", "--host", "127.0.0.1", "--port", self.address.rpartition(":")[2])
        self.scheduler = self._started(*words, PYTHONPATH=str(pitboss or without))
        self._logged(self.scheduler, "Scheduler at:")

    def worker(self, *words: str, pitboss: Path = ROOT / "harness", **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker without a nanny, with the pitboss of a folder; it need not be connected yet."""
        words = ("worker", self.address, "--nthreads", "1", "--no-nanny", *words)
        return self._started(*words, PYTHONPATH=str(pitboss), **environment)

    def with_nanny(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a worker as the documentation does: below a process that starts it again; it is connected."""
        nanny = self._started("worker", self.address, "--nthreads", "1", *words)
        self._logged(nanny, "Registered to:")
        return nanny

    def workers_of(self, nanny: subprocess.Popen[bytes]) -> list[int]:
        """The workers below such a process."""
        return [pid for pid in processes.children(nanny.pid) if _is_worker(pid)]

    def connected(self, *workers: subprocess.Popen[bytes]) -> None:
        """Wait until these workers are known to the scheduler."""
        for one in workers:
            self._logged(one, "Registered to:")

    def _started(self, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
        with open(self._log(len(self._processes)), "wb") as log:
            process = subprocess.Popen(
                argv,
                cwd=self.folder,
                env={**PATH, "PYTHONPATH": str(ROOT / "harness"), "TMPDIR": str(self.scratch), **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def _log(self, number: int) -> Path:
        return self.folder / f"dask-{number}.log"

    def _logged(self, process: subprocess.Popen[bytes], words: str) -> None:
        log = self._log(self._processes.index(process))
        until = time.monotonic() + DEADLINE_S
        while words not in (text := log.read_text(errors="replace")):
            assert time.monotonic() < until, text
            with contextlib.suppress(subprocess.TimeoutExpired):
                assert process.wait(0.05) is None, text

    def programs(self) -> list[int]:
        """What runs below scheduler and workers."""
        ours = [one.pid for one in self._processes]
        below = [pid for pid in processes.tree(ours) if pid not in ours and not processes.is_gone(pid)]
        return [pid for pid in below if not any(word in _command(pid) for word in _OF_DASK)]

    def close(self) -> None:
        """End all, the scheduler last: a worker that is told to end while its scheduler does may wait for it for ever."""
        for process in reversed(self._processes):
            try:
                process.terminate()
                process.wait(DEADLINE_S)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def _is_worker(pid: int) -> bool:
    return "spawn_main" in _command(pid)


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""
