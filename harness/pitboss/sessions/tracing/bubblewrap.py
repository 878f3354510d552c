"""Starts and ends the bubblewrap that contains the launchers of one submission.

Launchers of root move into it. The launchers of an ordinary user cannot, since a thread cannot enter another user
namespace without its whole process. So a process inside runs them (`init_process`), which takes three times as long to
start.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import select
import signal
import subprocess
from collections.abc import Iterator

from pitboss.errors import SessionError
from pitboss.sandbox import abi, channels, processes, shortages
from pitboss.sandbox.retry import obtain
from pitboss.sandbox.sandbox import base_interpreter, becomes_others, bubblewrap_argv
from pitboss.sandbox.shortages import retry_shortages
from pitboss.sessions.tracing import launcher

NOT_STARTED = "bubblewrap did not start"


class _Bubblewrap:
    """A bubblewrap from its start to its end."""

    def __init__(self) -> None:
        """Open a channel to it; OSError if no descriptors are free."""
        #: Descriptors to close at its end.
        self._resources = contextlib.ExitStack()
        #: Its processes that were killed before it was ready. Some may be our children, which we must wait for.
        self._begun: list[int] = []
        #: A pidfd of the first process inside.
        self._init: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._peer_inode = 0  #: The inode of the other end of our channel.
        self._control, self._theirs = self._pair()

    def _pair(self) -> tuple[channels.Channel, channels.Channel]:
        """Both ends of a new channel, closed at the end if they are still open."""
        ours, theirs = channels.pair()
        self._resources.callback(ours.close)
        self._resources.callback(theirs.close)
        return ours, theirs

    def _start(self, argv: list[str], passed: int, console: int = subprocess.DEVNULL) -> None:
        """Start it without waiting: we have other work until it is ready.

        It inherits the descriptor `passed`, and gets `console` as input and output. One of the two is the other end
        of its channel.
        """
        processes.adopt()  # if it is killed, the processes that it leaves become our children
        self._process = subprocess.Popen(
            argv,
            stdin=console,
            stdout=console,
            stderr=subprocess.PIPE,
            pass_fds=[passed],
            env={},
        )
        self._peer_inode = os.fstat(self._theirs.fileno()).st_ino
        self._theirs.close()

    def _receive(self, wanted: bytes) -> list[int]:
        """Wait for the message `wanted`; returns the descriptors that come with it.

        Raises SessionError if bubblewrap does not start, OSError if that is because resources are short.
        """
        if not self._has_ended_alone():
            answer, descriptors = self._control.receive()
            if answer == wanted:
                return descriptors
        raise not_started(self._output())

    def _has_ended_alone(self) -> bool:
        """Wait for a message or the end of bubblewrap; returns whether it ended, and then kills the child it left.

        If it is killed just after it has begun, its child is not yet set to end with it. The child then waits for it
        forever, with the other end of our channel open.
        """
        assert self._process is not None
        pid = self._process.pid
        ended = obtain("bubblewrap cannot be watched", lambda: os.pidfd_open(pid))
        try:
            ready = select.poll()
            ready.register(self._control.fileno(), select.POLLIN)
            ready.register(ended, select.POLLIN)
            if any(descriptor == self._control.fileno() for descriptor, _ in ready.poll()):
                return False
        finally:
            os.close(ended)
        self._end_abandoned()
        return True

    def _end_abandoned(self) -> None:
        """Kill the child that bubblewrap has abandoned, if any; this process has adopted it."""
        abandoned = [child for child in processes.children(os.getpid()) if self._has_our_end(child)]
        self._begun += processes.kill_all(abandoned)

    def _has_our_end(self, pid: int) -> bool:
        """Whether a process has the other end of our channel open."""
        folder = f"/proc/{pid}/fd"
        with contextlib.suppress(OSError):
            return any(os.stat(f"{folder}/{name}").st_ino == self._peer_inode for name in os.listdir(folder))
        return False

    def end(self) -> None:
        """Kill the first process inside, which ends all processes inside; does not wait for it.

        The kernel needs ten milliseconds to remove the namespaces, and we can use that time.
        """
        self._resources.close()
        if self._init is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init, signal.SIGKILL)
        elif self._process is not None:
            self._begun += processes.kill_all([self._process.pid])
        _ending.append(self)
        reap()

    def _open_init(self, pid: int) -> int:
        """Open a pidfd of the first process inside; it stays open until that process is gone."""
        self._init = obtain("bubblewrap cannot be watched", lambda: os.pidfd_open(pid))
        return self._init

    def is_gone(self, *, waits: bool) -> bool:
        """Whether all its processes are gone; releases its descriptors then. With `waits`, wait until they are."""
        if self._init is not None:
            ended = select.poll()
            ended.register(self._init, select.POLLIN)
            if not ended.poll(None if waits else 0):
                return False
        if self._process is not None:
            if not waits and self._process.poll() is None:
                return False
            self._process.wait()
            if self._init is None:  # it may have been killed while it started
                self._end_abandoned()
            if self._process.stderr is not None:
                self._process.stderr.close()
            for pid in self._begun:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, 0)
            self._begun = []
        if self._init is not None:
            with contextlib.suppress(ChildProcessError):  # our child if its parent has not waited for it
                os.waitid(os.P_PIDFD, self._init, os.WEXITED | os.WNOHANG)
            os.close(self._init)
            self._init = None
        return True

    def forget(self) -> None:
        """Close its descriptors in a forked process."""
        if self._init is not None:
            os.close(self._init)
        if self._process is not None and self._process.stderr is not None:
            self._process.stderr.close()
            self._process.returncode = 0  # it is not our child

    @contextlib.contextmanager
    def _ended_on_failure(self) -> Iterator[None]:
        """End the processes started so far if the rest of the start fails."""
        try:
            yield
        except BaseException:
            self._resources.close()
            if self._process is not None:
                self.end()
            raise

    def _output(self) -> bytes:
        """Its output; a process that it left may still have its standard error open."""
        assert self._process is not None and self._process.stderr is not None
        os.set_blocking(self._process.stderr.fileno(), False)
        return self._process.stderr.read() or b""


def not_started(words: bytes) -> OSError | SessionError:
    """The error to raise when a bubblewrap did not start and printed `words`: OSError if resources were short."""
    last_line = words.decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
    number = shortages.shortage_in(last_line)
    return OSError(number, last_line) if number else SessionError(f"{NOT_STARTED}: {last_line or 'it printed nothing'}")


@functools.cache
def may_join() -> bool:
    """Whether our launchers can move into other namespaces: root can, on Linux 5.8 or later; see setns(2)."""
    try:
        ourselves = retry_shortages(lambda: os.pidfd_open(os.getpid()))
    except OSError as error:
        if shortages.is_short(error.errno):
            raise
        return False
    try:
        abi.call("setns", ourselves, abi.CLONE_NEWUTS)
    except OSError:
        return False
    finally:
        os.close(ourselves)
    return True


class JoinedBubblewrap(_Bubblewrap):
    """A bubblewrap that launchers of this process move into, as only root can; otherwise only a `cat` runs there."""

    def __init__(self, readable: tuple[str, ...]) -> None:
        """Start it without waiting; the folders `readable` can be read inside."""
        super().__init__()
        with self._ended_on_failure():
            self._ready, reports = os.pipe()
            self._resources.callback(os.close, self._ready)
            try:
                argv = [*bubblewrap_argv(readable=readable, becomes_others=True), "--info-fd", str(reports)]
                self._start([*argv, "--", "/bin/cat"], reports, console=self._theirs.fileno())
            finally:
                os.close(reports)
            with contextlib.suppress(BrokenPipeError):
                self._control.send(_READY)

    def wait(self) -> int:
        """Wait until it has started (see `_receive`); returns the process that adopts orphans inside."""
        self._receive(_READY)
        message = b""
        while b"}" not in message:  # the other end may stay open inside, so do not wait for EOF
            chunk = os.read(self._ready, 4096)
            if not chunk:
                raise SessionError(f"bubblewrap did not report its first process: {message!r}")
            message += chunk
        init = int(json.loads(message)["child-pid"])
        self._open_init(init)
        return init

    @property
    def namespaces(self) -> int:
        """A pidfd of a process inside, for setns(2)."""
        assert self._init is not None
        return self._init


class InhabitedBubblewrap(_Bubblewrap):
    """A bubblewrap in which a process of ours runs launchers; `channels` are our ends of their channels."""

    def __init__(self, readable: tuple[str, ...], count: int) -> None:
        """Start it without waiting, with `count` launchers; the folders `readable` can be read inside."""
        super().__init__()
        with self._ended_on_failure():
            pairs = [self._pair() for _ in range(count)]
            self.channels = [ours for ours, _ in pairs]
            self._start(_argv(readable, self._theirs.fileno()), self._theirs.fileno())
            with contextlib.suppress(BrokenPipeError):
                self._control.send(b"launchers", *(channel.fileno() for _, channel in pairs))
            for _, channel in pairs:
                channel.close()

    def wait(self) -> int:
        """Wait until it has started (see `_receive`); returns the process that adopts orphans inside."""
        reaper = _pid_of(self._receive(b"here")[0])
        self._open_init(processes.parent(reaper))
        return reaper


_READY = b"ready"

#: Bubblewraps that have been killed and may not be gone yet.
_ending: list[_Bubblewrap] = []


def reap(*, waits: bool = False) -> None:
    """Clean up after the killed bubblewraps that are gone; with `waits`, wait until all are gone."""
    _ending[:] = [bubblewrap for bubblewrap in _ending if not bubblewrap.is_gone(waits=waits)]


def _forget() -> None:
    """In a forked process, leave the killed bubblewraps to its parent."""
    for bubblewrap in _ending:
        bubblewrap.forget()
    _ending.clear()


atexit.register(reap, waits=True)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _argv(readable: tuple[str, ...], descriptor: int) -> list[str]:
    """The command for a bubblewrap whose first program is init_process.py, with `descriptor` as its channel."""
    tracing = os.path.dirname(os.path.abspath(launcher.__file__))
    machine = os.path.dirname(os.path.abspath(abi.__file__))
    packages = (os.path.dirname(tracing), os.path.dirname(machine))
    visible = (*readable, tracing, machine, *(f"{package}/__init__.py" for package in packages))
    bubblewrap = bubblewrap_argv(readable=visible, becomes_others=becomes_others())
    return [*bubblewrap, "--", base_interpreter(), "-I", "-S", f"{tracing}/init_process.py", str(descriptor)]


def _pid_of(pidfd: int) -> int:
    """The id, in our namespace, of the process that a pidfd refers to; closes the pidfd."""
    try:
        path = f"/proc/self/fdinfo/{pidfd}"
        with obtain("bubblewrap cannot be watched", lambda: open(path, encoding="ascii")) as info:
            return next(int(line.split()[1]) for line in info if line.startswith("Pid:"))
    finally:
        os.close(pidfd)
