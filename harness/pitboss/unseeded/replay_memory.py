"""What a reference did with given draws, so that it need not be started again to see where a session parts from it.

Starting a command takes long, a Java machine a third of a second, and for the value of a draw that was never shown all
are tried. With the same draws a reference does the same until another line is typed; so a run with other lines tells
where a session parts from it, if that is before.
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
    """What a reference did."""

    expected: Transcript
    #: Whether it drew more than was read.
    ran_out: bool
    #: The draws that it was given.
    given: tuple[str, ...]


class Memory:
    """The runs of one reference so far, by what it was started with."""

    def __init__(self) -> None:
        """None yet."""
        self._runs: dict[tuple[Invocation | None, tuple[str | None, ...]], list[Run]] = {}
        self._count = 0

    def runs(self, invocation: Invocation | None, draws: Sequence[str | None]) -> Sequence[Run]:
        """The runs that were started so, with whatever lines."""
        return self._runs.get((invocation, tuple(draws)), ())

    def keep(self, invocation: Invocation | None, draws: Sequence[str | None], run: Run) -> None:
        """Keep a run, and tell whoever waits that there was one more."""
        self._runs.setdefault((invocation, tuple(draws)), []).append(run)
        self._count += 1
        progress.tell(Replayed(self._count))


def tells(expected: Transcript, actual: Transcript, difference: Difference | None, policy: Policy) -> bool:
    """Whether a run with lines of its own parts from `actual` where one with the lines of `actual` would.

    `difference` is the first of the two under the policy.
    """
    if expected.lines == actual.lines:
        return True
    if difference is None or reads_ahead(policy):  # the end of a session may say where it parts
        return False
    asks = any(isinstance(event, Typed | InputEnded) for event in difference.expected[:1])
    return not asks and _typed(difference) <= _alike(expected, actual)


def _typed(difference: Difference) -> int:
    """How many lines were typed before two sessions part."""
    return sum(isinstance(event, Typed) for event in difference.matched)


def _alike(one: Transcript, other: Transcript) -> int:
    """How many lines at the beginning of two sessions are the same."""
    pairs = zip(one.lines, other.lines, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
