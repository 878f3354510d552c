"""Caches the runs of a reference, so that it need not be started again to find where a session differs from it.

Starting a command takes long (a Java machine a third of a second), and for a draw that was never shown all values are
tried. With the same draws a reference does the same until a different line is typed. So an earlier run with other typed
lines also shows where a session differs from the reference, if the difference comes before the first different line.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from pitboss.compare.comparison import Difference
from pitboss.compare.results import Replayed
from pitboss.model.comparison_policy import Policy
from pitboss.model.invocation import Invocation
from pitboss.model.relaxation import looks_ahead
from pitboss.model.transcript import InputEnded, Transcript, Typed
from pitboss.sandbox import progress


class Run(NamedTuple):
    """One run of a reference."""

    expected: Transcript
    #: Whether the reference drew more values than were read.
    ran_out: bool
    #: The draws that the reference was given.
    given: tuple[str, ...]


class Memory:
    """The runs of one reference so far, by invocation and draws."""

    def __init__(self) -> None:
        """Start empty."""
        self._runs: dict[tuple[Invocation | None, tuple[str | None, ...]], list[Run]] = {}
        self._count = 0

    def runs(self, invocation: Invocation | None, draws: Sequence[str | None]) -> Sequence[Run]:
        return self._runs.get((invocation, tuple(draws)), ())

    def add(self, invocation: Invocation | None, draws: Sequence[str | None], run: Run) -> None:
        """Remember a run, and report it as progress."""
        self._runs.setdefault((invocation, tuple(draws)), []).append(run)
        self._count += 1
        progress.notify(Replayed(self._count))


def differs_alike(expected: Transcript, actual: Transcript, difference: Difference | None, policy: Policy) -> bool:
    """Whether `expected`, a run of the reference, differs from `actual` where a run with `actual`'s lines would differ.

    `difference` is the first difference between `expected` and `actual` under the policy.
    """
    if expected.lines == actual.lines:
        return True
    if difference is None or looks_ahead(policy):  # the place of the difference may depend on the end of a session
        return False
    # If the run reads input at the difference, a run with `actual`'s lines might not differ there.
    reads_input = any(isinstance(event, Typed | InputEnded) for event in difference.expected[:1])
    return not reads_input and _typed_count(difference) <= _common_line_count(expected, actual)


def _typed_count(difference: Difference) -> int:
    """How many lines were typed before two sessions differ."""
    return sum(isinstance(event, Typed) for event in difference.matched)


def _common_line_count(transcript: Transcript, other: Transcript) -> int:
    """How many typed lines at the beginning of two sessions are the same."""
    pairs = zip(transcript.lines, other.lines, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
