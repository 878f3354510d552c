"""What a Dask worker runs: it starts a server for a class, and passes messages on. It imports nothing else of pitboss.

A message goes in and comes out as bytes; an empty one says that the server has ended, or never was.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pitboss.checking.cluster.frames import next_frame, write_frame

#: Starts a server from the files that this process has its pitboss from.
_SERVE = (
    "import sys; root = sys.argv.pop(); root in sys.path or sys.path.insert(0, root); "
    "from pitboss.checking.cluster.server import serve; serve()"
)
_ROOT = str(Path(__file__).absolute().parents[3])
#: The thread that starts servers. They end with it, and so with this process; Dask ends its own threads at any time.
_STARTER = ThreadPoolExecutor(1, "pitboss")
#: How long a server may take to end all that it has running, in seconds.
_ENDING_S = 10


class _Server:
    """A server of one class."""

    def __init__(self) -> None:
        words = [sys.executable, "-P", "-c", _SERVE, _ROOT]
        starting = _STARTER.submit(subprocess.Popen, words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._process: subprocess.Popen[bytes] = starting.result()

    def asked(self, message: bytes) -> bytes:
        """Its answer; empty if it has ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            write_frame(self._process.stdin, message)
            return next_frame(self._process.stdout)
        except (OSError, ValueError):
            return b""

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        """End it, and all that it has running; what it was sent is removed."""
        self._process.terminate()
        try:
            self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


#: By the key of the class.
_servers: dict[str, _Server] = {}
_CHANGING = threading.Lock()


def begun(key: str, message: bytes) -> bytes:
    """Start a server for a class, and ask it to begin."""
    _drop(key, *(other for other, server in list(_servers.items()) if server.has_ended))
    server = _Server()
    with _CHANGING:
        _servers[key] = server
    return _asked(key, server, message)


def checked(key: str, message: bytes) -> bytes:
    """Have a submission checked by the server of its class."""
    server = _servers.get(key)
    return _asked(key, server, message) if server else b""


async def released(key: str) -> None:
    """End the server of a class, also one that is busy."""
    await asyncio.to_thread(_drop, key)


def _asked(key: str, server: _Server, message: bytes) -> bytes:
    answer = server.asked(message)
    if not answer:
        _drop(key)
    return answer


def _drop(*keys: str) -> None:
    for key in keys:
        with _CHANGING:
            server = _servers.pop(key, None)
        if server is not None:
            server.end()
