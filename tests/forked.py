"""Runs the command `pitboss` quickly: a Python process that has imported all of pitboss is forked for each command.

A forked command is a separate process, with its own environment, working folder, descriptors and exit code; forking
saves the 0.4 s that Python needs to start and import. Tests of the start itself run `python -m pitboss`.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import pkgutil
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from typing import NamedTuple

from tests import built

#: The system's folders and that of .NET, which Debian has no package of.
_PATH = ("/usr/local/bin", "/usr/bin", "/bin", os.path.dirname(shutil.which("dotnet") or "/bin/dotnet"))
ENVIRONMENT = {"PATH": os.pathsep.join(dict.fromkeys(_PATH)), "COLUMNS": "80"}
#: No command of the tests takes this long; a command that hangs is killed, and its test fails.
_LONGEST_S = 120


class CommandResult(NamedTuple):
    """The exit code of a command, its standard output and its standard error."""

    code: int
    out: str
    err: str


class Interpreter:
    """A Python process that waits at the other end of a socket to be forked; all tests of this process share it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        argv = [sys.executable, "-m", "tests.forked", str(theirs.fileno())]
        self._process = subprocess.Popen(
            argv, pass_fds=[theirs.fileno()], env=environment, stdin=subprocess.DEVNULL, cwd=ROOT
        )
        theirs.close()
        self.pid, self._socket = self._process.pid, ours

    def run(self, arguments, cwd, environment) -> CommandResult:
        """Run `pitboss` with these arguments and an empty standard input."""
        request = json.dumps([arguments, str(cwd), environment, built.cache_folder()]).encode()
        with open(os.devnull) as no_input, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            descriptors = [no_input.fileno(), out.fileno(), err.fileno()]
            socket.send_fds(self._socket, [len(request).to_bytes(4, "big")], descriptors)
            self._socket.sendall(request)
            pid = int.from_bytes(_received(self._socket, 4), "big")
            self._socket.settimeout(_LONGEST_S)
            try:
                code = int.from_bytes(_received(self._socket, 4), "big", signed=True)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._socket.settimeout(None)
                _received(self._socket, 4)
                raise
            self._socket.settimeout(None)
            out.seek(0)
            err.seek(0)
            return CommandResult(code, out.read().decode(), err.read().decode())

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


def start(arguments, cwd, environment) -> CommandResult:
    """Run `pitboss` as a user does: in a new Python, which imports the pitboss that this environment leads to."""
    process = subprocess.run(
        [sys.executable, "-m", "pitboss", *arguments],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_LONGEST_S,
        check=False,
    )
    return CommandResult(process.returncode, process.stdout, process.stderr)


ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@functools.cache
def interpreter() -> Interpreter:
    """The interpreter of this test process, started when it is first needed."""
    return Interpreter()


def pids() -> set[int]:
    """The id of the process that waits to be forked, if it was started: tests must not report it as left behind."""
    return {interpreter().pid} if interpreter.cache_info().currsize else set()


def _received(connection: socket.socket, count: int) -> bytes:
    """Read exactly this many bytes."""
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError("the interpreter that is forked for each command has ended")
        data += part
    return data


def _serve(connection: socket.socket) -> list[str] | None:
    """Fork for each request. Returns the command's arguments in a forked process; in the parent, in the end, None."""
    while True:
        header, descriptors, _, _ = socket.recv_fds(connection, 4, 3)
        if not header:
            return None
        header += _received(connection, 4 - len(header)) if len(header) < 4 else b""
        arguments, cwd, environment, build_root = json.loads(_received(connection, int.from_bytes(header, "big")))
        pid = os.fork()
        if pid == 0:
            connection.close()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
                os.close(descriptor)
            os.chdir(cwd)
            os.environ.clear()
            os.environ.update(environment)
            built.use_cache(build_root)
            return arguments
        for descriptor in descriptors:
            os.close(descriptor)
        connection.sendall(pid.to_bytes(4, "big"))
        _, status = os.waitpid(pid, 0)
        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))


def _import_everything() -> None:
    """Import all modules of pitboss but those that need optional packages."""
    import pitboss

    optional = {"pitboss.checking.cluster", "pitboss.pytest_plugin"}
    for module in pkgutil.walk_packages(pitboss.__path__, "pitboss."):
        if not any(module.name.startswith(name) for name in optional):
            importlib.import_module(module.name)


if __name__ == "__main__":
    _connection = socket.socket(fileno=int(sys.argv[1]))
    _import_everything()
    from pitboss.cli.main import main
    from pitboss.sessions import determinism

    # The library that is preloaded into programs is built here once, by the cc on this PATH. A command with another
    # PATH may find another compiler or none, so it clears the cache below.
    os.environ["PATH"] = ENVIRONMENT["PATH"]
    determinism.preloaded_library()
    gc.collect()
    gc.freeze()
    _arguments = _serve(_connection)
    if _arguments is not None:
        if os.environ.get("PATH") != ENVIRONMENT["PATH"]:
            determinism.preloaded_library.cache_clear()
        sys.argv = ["pitboss", *_arguments]
        main()
