"""A Dask cluster on loopback: the scheduler and each worker are separate processes."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from pitboss.machine import processes
from tests.conftest import ROOT

#: How long a test waits at most for a process to end or for a line in its log.
DEADLINE_S = 300
#: The environment of each process started by these tests, before PYTHONPATH and TMPDIR are added.
CLUSTER_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PITBOSS_WITHOUT": "cache", "COLUMNS": "80"}
#: Words in the command lines of Dask's own child processes: its workers, and Python's tracker of shared semaphores.
_DASK_HELPERS = ("spawn_main", "resource_tracker")


class Cluster:
    """A scheduler and the workers started for it, with their logs in `folder`; `close` ends them all.

    The scheduler imports pitboss from the folder `pitboss`: by default an empty package, since it needs no pitboss.
    """

    def __init__(self, folder: Path, pitboss: Path | None = None) -> None:
        self.folder, self.scratch = folder, folder / "scratch"
        self.scratch.mkdir()
        empty_pitboss = folder / "without"
        (empty_pitboss / "pitboss").mkdir(parents=True)
        (empty_pitboss / "pitboss" / "__init__.py").touch()
        self._processes: list[subprocess.Popen[bytes]] = []
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{probe.getsockname()[1]}"
        scheduler_options = ("scheduler", "--host", "127.0.0.1", "--port", self.address.rpartition(":")[2])
        self.scheduler = self._start_dask(*scheduler_options, PYTHONPATH=str(pitboss or empty_pitboss))
        self._wait_for_log_line(self.scheduler, "Scheduler at:")

    def start_worker(
        self, *options: str, pitboss: Path = ROOT / "harness", **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker without a nanny, which imports pitboss from this folder; does not wait for its connection."""
        options = ("worker", self.address, "--nthreads", "1", "--no-nanny", *options)
        return self._start_dask(*options, PYTHONPATH=str(pitboss), **environment)

    def start_nanny(self, *options: str) -> subprocess.Popen[bytes]:
        """Start a nanny (it restarts its worker) as the documentation does, and wait until its worker is connected."""
        nanny = self._start_dask("worker", self.address, "--nthreads", "1", *options)
        self._wait_for_log_line(nanny, "Registered to:")
        return nanny

    def workers_of(self, nanny: subprocess.Popen[bytes]) -> list[int]:
        """The process ids of the workers that this nanny has started."""
        return [pid for pid in processes.children(nanny.pid) if _is_worker(pid)]

    def wait_for_connection(self, *workers: subprocess.Popen[bytes]) -> None:
        """Wait until these workers are connected to the scheduler."""
        for worker in workers:
            self._wait_for_log_line(worker, "Registered to:")

    def _start_dask(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        with open(self._log_file(len(self._processes)), "wb") as log:
            process = subprocess.Popen(
                argv,
                cwd=self.folder,
                env={
                    **CLUSTER_ENVIRONMENT,
                    "PYTHONPATH": str(ROOT / "harness"),
                    "TMPDIR": str(self.scratch),
                    **environment,
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def _log_file(self, number: int) -> Path:
        return self.folder / f"dask-{number}.log"

    def _wait_for_log_line(self, process: subprocess.Popen[bytes], message: str) -> None:
        log = self._log_file(self._processes.index(process))
        deadline = time.monotonic() + DEADLINE_S
        while message not in (text := log.read_text(errors="replace")):
            assert time.monotonic() < deadline, text
            with contextlib.suppress(subprocess.TimeoutExpired):
                assert process.wait(0.05) is None, text

    def running_programs(self) -> list[int]:
        """The process ids of all that scheduler and workers have started, without Dask's own processes."""
        dask_pids = [process.pid for process in self._processes]
        descendants = [pid for pid in processes.tree(dask_pids) if pid not in dask_pids and not processes.is_gone(pid)]
        return [pid for pid in descendants if not any(word in _command(pid) for word in _DASK_HELPERS)]

    def close(self) -> None:
        """End all processes, the scheduler last: a worker that ends without its scheduler may wait for it for ever."""
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
