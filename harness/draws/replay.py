"""Replaying a session whose draws nobody fixed: the reference draws what the program drew, and types what was typed.

Its session is what the program should have shown, so the comparison is exact again. A draw that was never shown
(one that lies face down) may have been anything: the value that explains most is taken. Where the reference draws more
than was read, it is given what is left, and parts from the program there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from harness.assignments.assignment import Draws, Stage
from harness.errors import SessionError
from harness.judging.comparison import Difference, difference_between
from harness.running.references import ExpectedRun
from harness.transcripts.policy import Policy
from harness.transcripts.scripts import typing
from harness.transcripts.transcript import InputEnded, Paused, Shown, Transcript

#: A reference that draws so many times more than were read does not end by itself.
_MOST_SPARE = 10_000
#: So many values, spread over all of them, tell whether it matters which one was drawn.
_FEW = 5


class Replay(msgspec.Struct, frozen=True):
    """One session beside what the reference makes of its draws."""

    expected: Transcript
    difference: Difference | None
    #: Whether the reference drew more than was read, and what it shows next depends on that.
    ran_out: bool = False
    #: How the reference failed, as a sentence: then nothing is expected. Empty where it did not.
    failure: str = ""

    @property
    def explains(self) -> bool:
        """Whether the session is what the reference does."""
        return self.difference is None and not self.failure


def replay(
    actual: Transcript,
    draws: Sequence[str | None],
    stage: Stage,
    policy: Policy,
    expected_run: ExpectedRun,
    *,
    guesses: bool = True,
) -> Replay:
    """What should have been shown, with the typed lines of `actual` and with what was drawn, None where nobody knows.

    Without `guesses` draws that were not shown are any, which is quick and enough to choose among references.
    """

    def tried(given: Sequence[str | None]) -> Replay:
        source = GivenDraws(given, stage.draws)
        expected = expected_run(typing(actual.lines), source)
        difference = difference_between(expected.events, actual.events, policy)
        return Replay(expected, difference, source.ran_out)

    best = tried(draws)
    if not guesses:
        return best
    if best.difference is not None and None in draws:
        best = _explained(list(draws), stage.draws, best, tried)
    if best.difference is not None and best.ran_out:
        return msgspec.structs.replace(best, ran_out=_hangs_on_next(best, draws, stage.draws, tried))
    return best


def _hangs_on_next(
    best: Replay, draws: Sequence[str | None], source: Draws, tried: Callable[[Sequence[str | None]], Replay]
) -> bool:
    """Whether what is expected where the sessions part is another one with another draw after those that were read."""
    others = {_next_line(tried((*draws, value))) for value in source.values[:3]}
    return len(others | {_next_line(best)}) > 1


def _next_line(attempt: Replay) -> bytes:
    difference = attempt.difference
    first = difference.expected[0] if difference and difference.expected else None
    return first.text.partition(b"\n")[0] if isinstance(first, Shown) else b""


def _explained(
    draws: list[str | None], source: Draws, best: Replay, tried: Callable[[Sequence[str | None]], Replay]
) -> Replay:
    """Try values for each draw that was not shown, in their order, and keep what goes on longest."""
    for index, draw in enumerate(draws):
        if draw is not None:
            continue
        for value in _worth_trying(draws, index, source, best, tried):
            draws[index] = value
            attempt = tried(draws)
            if attempt.difference is None:
                return attempt
            if progress(attempt.difference) > progress(best.difference):
                best, draw = attempt, value
        draws[index] = draw
    return best


def _worth_trying(
    draws: list[str | None], index: int, source: Draws, best: Replay, tried: Callable[[Sequence[str | None]], Replay]
) -> Sequence[str]:
    """All values where a few of them show that it matters which it is, else none."""
    few = source.values[:: max(1, len(source.values) // _FEW)]
    attempts = [tried([*draws[:index], value, *draws[index + 1 :]]) for value in few]
    matters = any(attempt.difference is None or _parting(attempt) != _parting(best) for attempt in attempts)
    return source.values if matters else ()


def _parting(attempt: Replay) -> tuple[int, bytes]:
    return progress(attempt.difference), _next_line(attempt)


def progress(difference: Difference | None) -> int:
    """How far two sessions go together, in bytes and pauses; more than any session has where they never part."""
    if difference is None:
        return 1 << 60
    told = (event for event in difference.matched if not isinstance(event, Paused | InputEnded))
    return sum(len(event.text) if isinstance(event, Shown) else 1 for event in told)


class GivenDraws:
    """Draws as they were read, and when these are used up, what a fresh source could still give."""

    def __init__(self, draws: Sequence[str | None], source: Draws) -> None:
        """Give these draws, and for one that is not known, or beyond the last, some other of the source."""
        self._draws, self._source = draws, source
        self._given: list[str] = []
        self._spare = self._spares()
        self.ran_out = False

    def __call__(self) -> str:
        """The next draw."""
        index = len(self._given)
        draw = self._draws[index] if index < len(self._draws) else None
        self.ran_out = self.ran_out or index >= len(self._draws)
        self._given.append(next(self._spare) if draw is None else draw)
        return self._given[-1]

    def listed(self) -> tuple[str, ...]:
        """All draws at once, with some to spare: for a reference that cannot ask for one after the other."""
        return tuple(self() for _ in range(len(self._draws) + len(self._source.values)))

    def _spares(self) -> Iterator[str]:
        for number in range(_MOST_SPARE):
            start = len(self._given) // self._source.bag * self._source.bag if self._source.bag else 0
            used = {*self._given[start:], *self._draws[start : start + self._source.bag]} if self._source.bag else set()
            free = [value for value in self._source.values if value not in used] or self._source.values
            yield free[number % len(free)]
        raise SessionError(f"the reference drew {_MOST_SPARE:,} times more than the program and did not end")
