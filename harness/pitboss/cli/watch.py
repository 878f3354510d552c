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
from typing import Protocol

import click

from pitboss.cli.restarting import child_command
from pitboss.cli.stopping import report_stop
from pitboss.errors import UsageError
from pitboss.sandbox import signals
from pitboss.submissions.watching import Contents, Sources, Stamps, what_changed

#: How often the sources are looked at, in seconds, and at how many looks they must be unchanged after a change: an
#: editor may write a file in parts, or remove it and write it again.
_LOOK_S, _QUIET_LOOKS = 0.2, 2
#: For how many looks the folder may be missing: some tools remove and recreate it.
_MAX_LOOKS_AWAY = 10
#: How long a terminated check may take to clean up, in seconds.
_LONGEST_END_S = 20.0


class RunningCheck(Protocol):
    """A running check."""

    def wait(self, timeout: float) -> int:
        """Wait for its end; raises subprocess.TimeoutExpired after `timeout` seconds."""
        ...

    def end(self) -> None:
        """End it, with all its processes, if it still runs."""
        ...


class Watch:
    """Checks once, then again whenever the sources have changed."""

    def __init__(
        self, sources: Sources, begin: Callable[[], RunningCheck], *, pause: Callable[[float], None] = time.sleep
    ):
        """`begin` starts a check; `pause` waits for a number of seconds."""
        self._sources, self._begin, self._pause = sources, begin, pause
        self._check: RunningCheck | None = None
        #: Whether the last check has ended and no other has started.
        self._waits = False
        #: The stamps of the last look, the looks since the last change, and the looks since the folder was present.
        self._stamps, self._quiet, self._away = Stamps(), _QUIET_LOOKS, 0

    def run(self) -> int:
        """Check and watch until stopped; returns the exit code. UsageError once the folder is gone."""
        try:
            self._stamps, contents = self._sources.stamps(), self._sources.contents()
            self._check = self._begin()
            while True:
                self._wait()
                now = self._settled_contents()
                if now is not None and (change := what_changed(contents, now)):
                    contents = now
                    self._check_again(change)
        except KeyboardInterrupt:
            if self._waits and signals.last_signal() in (None, signal.SIGINT):
                click.echo("pitboss: no longer watching", err=True)
                return 0
            return report_stop()
        finally:
            if self._check is not None:
                self._check.end()

    def _wait(self) -> None:
        if self._check is None:
            self._pause(_LOOK_S)
            return
        try:
            self._check.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            return
        self._check, self._waits = None, True
        _say(f"{_clock_time()}: waiting until a source in {self._sources.name} changes; Ctrl-C ends this")

    def _settled_contents(self) -> Contents | None:
        """Returns the contents once they have settled after a change, else None."""
        self._away = 0 if self._sources.is_there else self._away + 1
        if self._away > _MAX_LOOKS_AWAY:
            raise UsageError(f"{self._sources.name} is no longer there, so there is nothing left to watch")
        stamps = self._sources.stamps()
        self._quiet = self._quiet + 1 if stamps == self._stamps else 0
        self._stamps = stamps
        return self._sources.contents() if self._quiet == _QUIET_LOOKS and not self._away else None

    def _check_again(self, change: str) -> None:
        if self._check is not None:
            self._check.end()
            self._check = None
            change = f"{change} during the check, which starts again"
        if os.environ.get("TERM") != "dumb":
            click.clear()  # only on a terminal
        _say(f"{_clock_time()}: {change}")
        self._waits = False
        self._check = self._begin()


def _clock_time() -> str:
    return time.strftime("%H:%M:%S")


def _say(sentence: str) -> None:
    sys.stdout.flush()
    click.echo(f"pitboss: {sentence}", err=True)


class CheckProcess:
    """A check in a process of its own, which ends with this process."""

    def __init__(self, arguments: Sequence[str]) -> None:
        """Begin `pitboss` with these arguments."""
        self._process = subprocess.Popen(child_command(arguments), stdin=subprocess.DEVNULL)

    def wait(self, timeout: float) -> int:
        """See RunningCheck."""
        return self._process.wait(timeout)

    def end(self) -> None:
        """See RunningCheck."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(_LONGEST_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def watched(sources: Sources, arguments: Sequence[str]) -> int:
    """Run `pitboss` with these arguments, again whenever the sources have changed; returns the exit code."""
    _say(f"watching {sources.name}: it is checked again whenever a source is saved; Ctrl-C ends this")
    return Watch(sources, lambda: CheckProcess(arguments)).run()


def child_arguments(arguments: Sequence[str]) -> list[str]:
    """Returns the arguments of a single check of --watch, from the arguments of the command.

    --watch stays, since it may be the name of a case; --one-of-watch takes precedence.

    >>> child_arguments(["check", "play", "--watch", "--case", "x"])
    ['check', '--one-of-watch', 'play', '--watch', '--case', 'x']
    """
    command, *rest = arguments
    return [command, "--one-of-watch", *rest]
