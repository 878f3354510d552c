"""Remembers the runs of a reference, so that it need not be started again to see where a session differs from it.

Starting a command takes long (a Java machine a third of a second), and for a draw that was never shown all values are
tried. With the same draws a reference does the same until a different line is typed; so a run with other lines shows
where a session differs from it, if that is earlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from pitboss.compare.check_events import Replayed
from pitboss.compare.comparison import Difference
from pitboss.model.comparison_policy import Policy
from pitboss.model.invocation import Invocation
from pitboss.model.relaxation import reads_ahead
from pitboss.model.transcript import InputEnded, Transcript, Typed
from pitboss.sandbox import progress


class Run(NamedTuple):
    """One run of a reference."""

    expected: Transcript
    #: Whether it drew more than was read.
    ran_out: bool
    #: The draws that it was given.
    given: tuple[str, ...]


class Memory:
    """The runs of one reference so far, by invocation and draws."""

    def __init__(self) -> None:
        """Start empty."""
        self._runs: dict[tuple[Invocation | None, tuple[str | None, ...]], list[Run]] = {}
        self._count = 0

    def runs(self, invocation: Invocation | None, draws: Sequence[str | None]) -> Sequence[Run]:
        """Return the runs with this invocation and these draws, whatever their lines."""
        return self._runs.get((invocation, tuple(draws)), ())

    def add(self, invocation: Invocation | None, draws: Sequence[str | None], run: Run) -> None:
        """Remember a run, and report it as progress."""
        self._runs.setdefault((invocation, tuple(draws)), []).append(run)
        self._count += 1
        progress.notify(Replayed(self._count))


def differs_alike(expected: Transcript, actual: Transcript, difference: Difference | None, policy: Policy) -> bool:
    """Whether a run with other lines differs from `actual` where a run with the lines of `actual` would.

    `difference` is the first difference between the two under the policy.
    """
    if expected.lines == actual.lines:
        return True
    if difference is None or reads_ahead(policy):  # the end of a session may determine where it differs
        return False
    asks = any(isinstance(event, Typed | InputEnded) for event in difference.expected[:1])
    return not asks and _typed(difference) <= _common_line_count(expected, actual)


def _typed(difference: Difference) -> int:
    """How many lines were typed before two sessions differ."""
    return sum(isinstance(event, Typed) for event in difference.matched)


def _common_line_count(transcript: Transcript, other: Transcript) -> int:
    """How many lines at the beginning of two sessions are the same."""
    pairs = zip(transcript.lines, other.lines, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
