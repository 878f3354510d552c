"""`pitboss check --watch`: checks again whenever a source in the folder is saved.

Each check is a process of its own, so that it can be ended, with all that it started, once a newer check replaces it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import click

from pitboss.cli.main import child_command, report_stop
from pitboss.errors import UsageError
from pitboss.machine import signals
from pitboss.submissions.watching import Contents, Stamps, WatchedFiles, changes_text

#: The seconds between two polls of the sources.
_POLL_S = 0.2
#: After a change, the sources must be unchanged for this many polls before a check begins: an editor may write a file
#: in parts, or remove the file and write it again.
_QUIET_POLLS = 2
#: For how many polls in a row the folder may be missing: some tools remove and recreate the folder.
_MAX_MISSING_POLLS = 10
#: How long a terminated check may take to clean up before it is killed, in seconds.
_CLEANUP_TIMEOUT_S = 20.0


class Watch:
    """Checks once, then again whenever the sources have changed."""

    def __init__(
        self, sources: WatchedFiles, begin: Callable[[], CheckProcess], *, pause: Callable[[float], None] = time.sleep
    ):
        """`begin` starts a check; `pause` waits for a number of seconds."""
        self._sources, self._begin, self._pause = sources, begin, pause
        self._check: CheckProcess | None = None
        #: Whether the last check has ended and no new check has started.
        self._is_waiting = False
        #: The stamps at the last poll.
        self._stamps = Stamps()
        #: The number of polls since the last change. At first as many as after a change that has been handled.
        self._quiet_polls = _QUIET_POLLS
        #: The number of polls since the folder was present.
        self._missing_polls = 0

    def run(self) -> int:
        """Check and watch until stopped; return the exit status. Raises UsageError once the folder is gone."""
        try:
            self._stamps, contents = self._sources.stamps(), self._sources.contents()
            self._check = self._begin()
            while True:
                self._wait_for_check()
                new_contents = self._settled_contents()
                if new_contents is not None and (change := changes_text(contents, new_contents)):
                    contents = new_contents
                    self._check_again(change)
        except KeyboardInterrupt:
            if self._is_waiting and signals.last_signal() in (None, signal.SIGINT):
                click.echo("pitboss: no longer watching", err=True)
                return 0
            return report_stop()
        finally:
            if self._check is not None:
                self._check.end()

    def _wait_for_check(self) -> None:
        """Wait until the check ends, or until the next poll."""
        if self._check is None:
            self._pause(_POLL_S)
            return
        try:
            self._check.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            return
        self._check, self._is_waiting = None, True
        _print_status(f"{_clock_time()}: waiting until a source in {self._sources.name} changes; Ctrl-C ends this")

    def _settled_contents(self) -> Contents | None:
        """Poll the sources; return their contents once they are unchanged for long enough after a change, else None."""
        self._missing_polls = 0 if self._sources.exists else self._missing_polls + 1
        if self._missing_polls > _MAX_MISSING_POLLS:
            raise UsageError(f"{self._sources.name} is no longer there, so there is nothing left to watch")
        stamps = self._sources.stamps()
        self._quiet_polls = self._quiet_polls + 1 if stamps == self._stamps else 0
        self._stamps = stamps
        return self._sources.contents() if self._quiet_polls == _QUIET_POLLS and not self._missing_polls else None

    def _check_again(self, change: str) -> None:
        if self._check is not None:
            self._check.end()
            self._check = None
            change = f"{change} during the check, which starts again"
        if os.environ.get("TERM") != "dumb":
            click.clear()  # does nothing unless standard output is a terminal
        _print_status(f"{_clock_time()}: {change}")
        self._is_waiting = False
        self._check = self._begin()


def _clock_time() -> str:
    return time.strftime("%H:%M:%S")


def _print_status(sentence: str) -> None:
    sys.stdout.flush()
    click.echo(f"pitboss: {sentence}", err=True)


class CheckProcess:
    """A check that runs in a process of its own."""

    def __init__(self, arguments: Sequence[str]) -> None:
        """Begin `pitboss` with these arguments."""
        self._process = subprocess.Popen(child_command(arguments), stdin=subprocess.DEVNULL)

    def wait(self, timeout: float) -> int:
        """Wait until the check ends, and return its exit status.

        Raises subprocess.TimeoutExpired if the check still runs after `timeout` seconds.
        """
        return self._process.wait(timeout)

    def end(self) -> None:
        """End the check, with all its processes, if it still runs."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(_CLEANUP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_CLEANUP_TIMEOUT_S)


def run_watch(sources: WatchedFiles, arguments: Sequence[str]) -> int:
    """Run `pitboss` with these arguments, and again whenever the sources have changed; return the exit status."""
    _print_status(f"watching {sources.name}: it is checked again whenever a source is saved; Ctrl-C ends this")
    return Watch(sources, lambda: CheckProcess(arguments)).run()


def child_arguments(arguments: Sequence[str]) -> list[str]:
    """Returns the arguments of the process for one check, from the arguments of a command with --watch.

    The word --watch is not removed, since it may be the value of --case; --one-of-watch takes precedence over --watch.

    >>> child_arguments(["check", "play", "--watch", "--case", "x"])
    ['check', '--one-of-watch', 'play', '--watch', '--case', 'x']
    """
    command, *other_arguments = arguments
    return [command, "--one-of-watch", *other_arguments]
