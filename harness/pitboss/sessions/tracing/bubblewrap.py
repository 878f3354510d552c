"""Starts and ends the bubblewrap that contains the launchers of one submission.

If pitboss runs as root, its launchers move into the bubblewrap. The launchers of an ordinary user cannot, since a
thread cannot enter another user namespace without its whole process. So a process inside the bubblewrap runs these
launchers (`init_process`), which takes three times as long to start.
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
from pitboss.machine import abi, channels, processes, shortages
from pitboss.machine.retry import obtain
from pitboss.machine.shortages import retry_shortages
from pitboss.sandbox import filters
from pitboss.sandbox.sandbox import base_interpreter, bubblewrap_argv, can_switch_users_inside
from pitboss.sessions.tracing import launcher

NOT_STARTED = "bubblewrap did not start"


class _Bubblewrap:
    """A bubblewrap and the processes inside, from their start to their end."""

    def __init__(self) -> None:
        """Open a channel to the bubblewrap; OSError if no descriptors are free."""
        #: Closes our descriptors when the bubblewrap is ended.
        self._resources = contextlib.ExitStack()
        #: Processes of the bubblewrap that were killed before it was ready. Some may be our children, so we must wait
        #: for them.
        self._killed_at_start: list[int] = []
        #: A pidfd of the first process inside.
        self._init_pidfd: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        #: Our end and the other end of the channel to the bubblewrap.
        self._control, self._other_end = self._open_channel()
        #: The inode of the other end, once the bubblewrap has been started.
        self._other_end_inode = 0

    def _open_channel(self) -> tuple[channels.Channel, channels.Channel]:
        """Open a channel; returns our end and the other end, which are closed when the bubblewrap is ended."""
        ours, theirs = channels.open_channel()
        self._resources.callback(ours.close)
        self._resources.callback(theirs.close)
        return ours, theirs

    def _start(self, argv: list[str], inherited_fd: int, console: int = subprocess.DEVNULL) -> None:
        """Start the bubblewrap without waiting: we have other work until it is ready.

        The bubblewrap inherits the descriptor `inherited_fd`, and gets the descriptor `console` as input and output.
        One of these two descriptors is the other end of our channel.
        """
        processes.adopt()  # if bubblewrap is killed, the processes that it leaves become our children
        self._process = subprocess.Popen(
            argv, stdin=console, stdout=console, stderr=subprocess.PIPE, pass_fds=[inherited_fd], env={}
        )
        self._other_end_inode = os.fstat(self._other_end.fileno()).st_ino
        self._other_end.close()

    def _receive(self, expected_message: bytes) -> list[int]:
        """Wait for this message; returns the descriptors that come with it.

        Raises SessionError if bubblewrap does not start, or OSError if it does not start because resources are short.
        """
        if not self._has_ended_without_message():
            message, descriptors = self._control.receive()
            if message == expected_message:
                return descriptors
        raise start_error_of(self._error_output())

    def _has_ended_without_message(self) -> bool:
        """Wait for a message or the end of bubblewrap; returns whether bubblewrap has ended.

        If bubblewrap has ended, this kills the child that it abandoned, if any. A child of bubblewrap usually ends with
        bubblewrap, but not if bubblewrap is killed just after its start: such a child would wait forever, with the
        other end of our channel open.
        """
        assert self._process is not None
        pid = self._process.pid
        pidfd = obtain("bubblewrap cannot be watched", lambda: os.pidfd_open(pid))
        try:
            ready = select.poll()
            ready.register(self._control.fileno(), select.POLLIN)
            ready.register(pidfd, select.POLLIN)
            if any(descriptor == self._control.fileno() for descriptor, _ in ready.poll(_STARTING_S * 1000)):
                return False
        finally:
            os.close(pidfd)
        self._kill_abandoned()
        return True

    def _kill_abandoned(self) -> None:
        """Kill the child that bubblewrap has abandoned, if any; this process has adopted it."""
        abandoned = [child for child in processes.children(os.getpid()) if self._has_other_end_open(child)]
        self._killed_at_start += processes.kill_all(abandoned)

    def _has_other_end_open(self, pid: int) -> bool:
        """Whether a process has the other end of our channel open."""
        folder = f"/proc/{pid}/fd"
        with contextlib.suppress(OSError):
            return any(os.stat(f"{folder}/{name}").st_ino == self._other_end_inode for name in os.listdir(folder))
        return False

    def end(self) -> None:
        """Kill the first process inside, which ends all processes inside; does not wait until they are gone.

        The kernel needs ten milliseconds to remove the namespaces, and we can do other work in that time.
        """
        self._resources.close()
        if self._init_pidfd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init_pidfd, signal.SIGKILL)
        elif self._process is not None:
            self._killed_at_start += processes.kill_all([self._process.pid])
        _killed_bubblewraps.append(self)
        reap()

    def _open_init(self, pid: int) -> int:
        """Open and return a pidfd of the first process inside; the pidfd stays open until that process is gone."""
        self._init_pidfd = obtain("bubblewrap cannot be watched", lambda: os.pidfd_open(pid))
        return self._init_pidfd

    def is_gone(self) -> bool:
        """Whether all processes of the bubblewrap are gone; if so, releases its descriptors."""
        if self._init_pidfd is not None:
            poll = select.poll()
            poll.register(self._init_pidfd, select.POLLIN)
            if not poll.poll(0):
                return False
        if self._process is not None:
            if self._process.poll() is None:
                return False
            if self._init_pidfd is None:  # bubblewrap may have been killed while it started
                self._kill_abandoned()
            if self._process.stderr is not None:
                self._process.stderr.close()
            self._killed_at_start = [pid for pid in self._killed_at_start if not processes.has_ended(pid)]
            if self._killed_at_start:
                return False
        if self._init_pidfd is not None:
            with contextlib.suppress(ChildProcessError):  # it became our child if bubblewrap did not wait for it
                os.waitid(os.P_PIDFD, self._init_pidfd, os.WEXITED | os.WNOHANG)
            os.close(self._init_pidfd)
            self._init_pidfd = None
        return True

    def forget(self) -> None:
        """Close the bubblewrap's descriptors in a forked process."""
        if self._init_pidfd is not None:
            os.close(self._init_pidfd)
        if self._process is not None and self._process.stderr is not None:
            self._process.stderr.close()
            self._process.returncode = 0  # bubblewrap is not a child of this process, so Popen must not wait

    @contextlib.contextmanager
    def _end_on_failure(self) -> Iterator[None]:
        """In this context the bubblewrap is started; if that fails, end the processes started so far."""
        try:
            yield
        except BaseException:
            self._resources.close()
            if self._process is not None:
                self.end()
            raise

    def _error_output(self) -> bytes:
        """The text on bubblewrap's standard error, without waiting for its end: a process inside may have it open."""
        assert self._process is not None and self._process.stderr is not None
        os.set_blocking(self._process.stderr.fileno(), False)
        return self._process.stderr.read() or b""


def start_error_of(error_output: bytes) -> OSError | SessionError:
    """The error for a bubblewrap that did not start and printed `error_output`: OSError if resources were short."""
    last_line = error_output.decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
    number = shortages.errno_of_shortage(last_line)
    return OSError(number, last_line) if number else SessionError(f"{NOT_STARTED}: {last_line or 'it printed nothing'}")


@functools.cache
def may_join() -> bool:
    """Whether our launchers can move into other namespaces: root can, on Linux 5.8 or later; see setns(2)."""
    try:
        own_pidfd = retry_shortages(lambda: os.pidfd_open(os.getpid()))
    except OSError as error:
        if shortages.is_short(error.errno):
            raise
        return False
    try:
        abi.call("setns", own_pidfd, abi.CLONE_NEWUTS)  # a trial that changes nothing: into our own namespace
    except OSError:
        return False
    finally:
        os.close(own_pidfd)
    return True


class JoinedBubblewrap(_Bubblewrap):
    """A bubblewrap that launchers of this process move into, as only root can.

    Its own command is only a `cat`, which sends our first message back once bubblewrap has started.
    """

    def __init__(self, readable: tuple[str, ...]) -> None:
        """Start the bubblewrap without waiting; the folders `readable` can be read inside."""
        super().__init__()
        with self._end_on_failure():
            self._info_fd, info_writer = os.pipe()
            self._resources.callback(os.close, self._info_fd)
            try:
                argv = [*bubblewrap_argv(readable=readable, switches_users=True), "--info-fd", str(info_writer)]
                self._start([*argv, "--", "/bin/cat"], info_writer, console=self._other_end.fileno())
            finally:
                os.close(info_writer)
            with contextlib.suppress(BrokenPipeError):
                self._control.send(_READY)

    def wait(self) -> int:
        """Wait until bubblewrap has started (see `_receive`); returns the id of the process that adopts orphans."""
        self._receive(_READY)
        message = b""
        while b"}" not in message:  # the pipe's other end may stay open inside, so do not wait for EOF
            chunk = os.read(self._info_fd, 4096)
            if not chunk:
                raise SessionError(f"bubblewrap did not report its first process: {message!r}")
            message += chunk
        init_pid = int(json.loads(message)["child-pid"])
        self._open_init(init_pid)
        return init_pid

    @property
    def init_pidfd(self) -> int:
        """A pidfd of a process inside, for setns(2)."""
        assert self._init_pidfd is not None
        return self._init_pidfd


class InhabitedBubblewrap(_Bubblewrap):
    """A bubblewrap in which a process of ours runs launchers; `channels` are our ends of the launchers' channels."""

    def __init__(self, readable: tuple[str, ...], count: int) -> None:
        """Start the bubblewrap without waiting, with `count` launchers; the folders `readable` can be read inside."""
        super().__init__()
        with self._end_on_failure():
            pairs = [self._open_channel() for _ in range(count)]
            self.channels = [ours for ours, _ in pairs]
            self._start(_init_process_argv(readable, self._other_end.fileno()), self._other_end.fileno())
            with contextlib.suppress(BrokenPipeError):
                self._control.send(b"launchers", *(channel.fileno() for _, channel in pairs))
            for _, channel in pairs:
                channel.close()

    def wait(self) -> int:
        """Wait until bubblewrap has started (see `_receive`); returns the id of the process that adopts orphans."""
        reaper = _pid_of(self._receive(b"here")[0])
        self._open_init(processes.parent(reaper))
        return reaper


_READY = b"ready"
#: How long a bubblewrap may take to start, in seconds, also on a very busy machine.
_STARTING_S = 60

#: Bubblewraps that have been killed and may not be gone yet.
_killed_bubblewraps: list[_Bubblewrap] = []


def reap(*, waits: bool = False) -> None:
    """Release the descriptors of killed bubblewraps that are gone; with `waits`, wait until all are gone."""

    def are_gone() -> bool:
        _killed_bubblewraps[:] = [bubblewrap for bubblewrap in _killed_bubblewraps if not bubblewrap.is_gone()]
        return not (waits and _killed_bubblewraps)

    processes.wait_until(are_gone)


def _forget() -> None:
    """In a forked process, leave the killed bubblewraps to the parent process."""
    for bubblewrap in _killed_bubblewraps:
        bubblewrap.forget()
    _killed_bubblewraps.clear()


atexit.register(reap, waits=True)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _init_process_argv(readable: tuple[str, ...], descriptor: int) -> list[str]:
    """The command for a bubblewrap whose first program is init_process.py, with `descriptor` as its channel."""
    files = (launcher.__file__, abi.__file__, filters.__file__)
    folders = [os.path.dirname(os.path.abspath(file)) for file in files]
    # The packages around them: the room of sessions, and pitboss itself.
    packages = {os.path.dirname(folder) for folder in folders}
    readable_paths = (*readable, *folders, *(f"{package}/__init__.py" for package in sorted(packages)))
    bubblewrap = bubblewrap_argv(readable=readable_paths, switches_users=can_switch_users_inside())
    return [*bubblewrap, "--", base_interpreter(), "-I", "-S", f"{folders[0]}/init_process.py", str(descriptor)]


def _pid_of(pidfd: int) -> int:
    """The id, in our namespace, of the process that a pidfd refers to; closes the pidfd."""
    try:
        path = f"/proc/self/fdinfo/{pidfd}"
        with obtain("bubblewrap cannot be watched", lambda: open(path, encoding="ascii")) as info:
            return next(int(line.split()[1]) for line in info if line.startswith("Pid:"))
    finally:
        os.close(pidfd)
