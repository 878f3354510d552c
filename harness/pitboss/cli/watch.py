"""`pitboss check --watch`: a check whenever a source in the folder has been saved.

Each check is a process of its own, so that one that a further change makes needless can be ended with all it started.
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
from pitboss.cli.stopping import stopped
from pitboss.errors import UsageError
from pitboss.sandbox import signals
from pitboss.submissions.watching import Contents, Sources, Stamps, what_changed

#: How often the sources are looked at, and for how long they must stay the same after a change: an editor may write a
#: file in parts, or remove it and write it anew.
_LOOK_S, _QUIET_LOOKS = 0.2, 2
#: For how many looks the folder may be away: other tools remove and make it again.
_MOST_LOOKS_AWAY = 10
#: How long a check that is ended may take to clean up, in seconds.
_LONGEST_END_S = 20.0


class RunningCheck(Protocol):
    """A check that runs."""

    def wait(self, timeout: float) -> int:
        """Wait for its end; subprocess.TimeoutExpired if it has not come by then."""
        ...

    def end(self) -> None:
        """End it with all that it started, if it still runs."""
        ...


class Watch:
    """Checks, and again whenever the sources have changed."""

    def __init__(
        self, sources: Sources, begin: Callable[[], RunningCheck], *, pause: Callable[[float], None] = time.sleep
    ):
        """`begin` begins a check; `pause` waits so many seconds."""
        self._sources, self._begin, self._pause = sources, begin, pause
        self._check: RunningCheck | None = None
        #: Whether a check has come to its end, and none has begun since.
        self._waits = False
        #: Of the last look, of the looks since the last change, and of those since the folder was there.
        self._stamps, self._quiet, self._away = Stamps(), _QUIET_LOOKS, 0

    def run(self) -> int:
        """Check and watch until somebody ends it; the exit code. UsageError once the folder is gone."""
        try:
            self._stamps, known = self._sources.stamps(), self._sources.contents()
            self._check = self._begin()
            while True:
                self._let_time_pass()
                now = self._settled()
                if now is not None and (change := what_changed(known, now)):
                    known = now
                    self._again(change)
        except KeyboardInterrupt:
            if self._waits and signals.last_signal() in (None, signal.SIGINT):
                click.echo("pitboss: no longer watching", err=True)
                return 0
            return stopped()
        finally:
            if self._check is not None:
                self._check.end()

    def _let_time_pass(self) -> None:
        if self._check is None:
            self._pause(_LOOK_S)
            return
        try:
            self._check.wait(_LOOK_S)
        except subprocess.TimeoutExpired:
            return
        self._check, self._waits = None, True
        _say(f"{_now()}: waiting until a source in {self._sources.name} changes; Ctrl-C ends this")

    def _settled(self) -> Contents | None:
        """The contents once they have stayed the same for a moment after a change; None before, and without one."""
        self._away = 0 if self._sources.is_there else self._away + 1
        if self._away > _MOST_LOOKS_AWAY:
            raise UsageError(f"{self._sources.name} is no longer there, so there is nothing left to watch")
        stamps = self._sources.stamps()
        self._quiet = self._quiet + 1 if stamps == self._stamps else 0
        self._stamps = stamps
        return self._sources.contents() if self._quiet == _QUIET_LOOKS and not self._away else None

    def _again(self, change: str) -> None:
        if self._check is not None:
            self._check.end()
            self._check = None
            change = f"{change} during the check, which begins anew"
        if os.environ.get("TERM") != "dumb":
            click.clear()  # on a terminal alone
        _say(f"{_now()}: {change}")
        self._waits = False
        self._check = self._begin()


def _now() -> str:
    return time.strftime("%H:%M:%S")


def _say(sentence: str) -> None:
    sys.stdout.flush()
    click.echo(f"pitboss: {sentence}", err=True)


class CheckProcess:
    """A check in a process of its own, which ends with ours."""

    def __init__(self, arguments: Sequence[str]) -> None:
        """Begin `pitboss` with these arguments."""
        self._process = subprocess.Popen(child_command(arguments), stdin=subprocess.DEVNULL)

    def wait(self, timeout: float) -> int:
        """See Check."""
        return self._process.wait(timeout)

    def end(self) -> None:
        """See Check."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(_LONGEST_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def watched(sources: Sources, arguments: Sequence[str]) -> int:
    """Check with these arguments of `pitboss`, and again whenever the sources have changed; the exit code."""
    _say(f"watching {sources.name}: it is checked again whenever a source is saved; Ctrl-C ends this")
    return Watch(sources, lambda: CheckProcess(arguments)).run()


def child_arguments(arguments: Sequence[str]) -> list[str]:
    """The arguments of a check that is one of those of --watch, made from those of the command.

    Each --watch stays, since one may be the name of a case: being one of a watch comes before watching.

    >>> child_arguments(["check", "play", "--watch", "--case", "x"])
    ['check', '--one-of-watch', 'play', '--watch', '--case', 'x']
    """
    command, *rest = arguments
    return [command, "--one-of-watch", *rest]
