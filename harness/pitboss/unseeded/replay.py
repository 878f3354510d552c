"""Replays a session without a seed: the reference gets the program's draws and the same typed lines.

The reference's session is what the program should have shown, so the comparison is exact again. A draw that was never
shown may have any value: the value that explains most of the session is used. If the reference draws more values than
were read, it gets any values that remain, and its session differs from the program's there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Draws, Stage
from pitboss.compare.comparison import Difference
from pitboss.compare.side_outputs import first_difference
from pitboss.errors import SessionError
from pitboss.model.comparison_policy import Policy
from pitboss.model.invocation import Invocation
from pitboss.model.screen_lines import last_line
from pitboss.model.scripts import typing
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Transcript
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.common_text import open_text
from pitboss.unseeded.likely import Likely
from pitboss.unseeded.replay_memory import Memory, Run, differs_alike

#: A reference that draws this many unread values is taken to be endless.
_MAX_SPARE = 1_000
#: How many of the possible values are tried to see whether the value of a draw matters.
_FEW = 5


#: The first difference between one session and each session that was expected for it.
Differences = dict[Transcript, Difference | None]


class Replay(msgspec.Struct, frozen=True):
    """One session compared with the reference's run on the same draws."""

    expected: Transcript
    difference: Difference | None
    #: Whether the reference drew more than was read, and its next output depends on that.
    ran_out: bool = False
    #: The expected line where the sessions differ, with … for parts that depend on draws that were never shown; None if
    #: no part does.
    open_line: bytes | None = None
    #: The draws that the reference was given.
    given: tuple[str, ...] = ()
    #: How the reference failed, as a sentence; nothing is expected then. Empty if it did not fail.
    failure: str = ""
    #: Whether the draws, as they were read, cannot come from the source.
    is_impossible: bool = False

    @property
    def explains(self) -> bool:
        """Whether the session is the same as the reference's."""
        return self.difference is None and not self.failure and not self.is_impossible

    @property
    def agrees(self) -> int:
        """How far the session agrees with the reference's, in bytes and typed lines; 0 if the reference failed."""
        if self.failure:
            return 0
        return _size(self.expected.events if self.difference is None else self.difference.matched)


def replay(
    actual: Transcript,
    draws: Sequence[str | None],
    stage: Stage,
    policy: Policy,
    expected_run: ExpectedRun,
    *,
    guesses: bool = True,
    is_reported: bool = True,
    invocation: Invocation | None = None,
    likely: Likely | None = None,
    known: Differences | None = None,
    memory: Memory | None = None,
) -> Replay:
    """Run the reference on the typed lines of `actual` and on `draws`, in which None stands for an unknown draw.

    Without `guesses` unknown draws get arbitrary values, which is fast and enough to choose among references. Which
    draws the difference depends on is found out only if it `is_reported`. `likely` are the free texts that the program
    showed in other sessions; if they do not explain this session, its own texts are read. `known` are the differences
    between this session and earlier runs of references; new differences are added. `memory` has the runs of this
    reference, if starting it takes long.
    """
    session = _Session(actual, stage, policy, expected_run, invocation, likely, {} if known is None else known, memory)
    best = session.run_with(draws)
    if not guesses:
        return best
    if best.difference is not None and None in draws:
        guessed = list(draws)
        best = _explained(guessed, stage.draws, best, session.replay_with)
        best = best if best.expected.lines == actual.lines or memory is None else session.run_with(guessed)
    if is_reported and best.difference is not None and (best.ran_out or None in draws):
        ran_out = best.ran_out and _depends_on_next(best, draws, stage.draws, session.replay_with)
        open_line = open_line_of(best, _with_other_hidden_draws(best, draws, stage.draws, session.replay_with))
        return msgspec.structs.replace(best, ran_out=ran_out, open_line=open_line)
    return best


class _Session(NamedTuple):
    """A session to be replayed, and the reference: see `replay`."""

    actual: Transcript
    stage: Stage
    policy: Policy
    expected_run: ExpectedRun
    invocation: Invocation | None
    likely: Likely | None
    known: Differences
    memory: Memory | None

    def run_with(self, draws: Sequence[str | None]) -> Replay:
        """Run the reference with these draws."""
        source = GivenDraws(draws, self.stage.draws)
        expected = self.expected_run(typing(self.actual.lines), source, invocation=self.invocation)
        run = Run(expected, source.ran_out, source.given)
        if self.memory is not None:
            self.memory.add(self.invocation, draws, run)
        return self._compared(run)

    def replay_with(self, draws: Sequence[str | None]) -> Replay:
        """The replay with these draws; an earlier run with other lines is used if it differs at the same point."""
        earlier = () if self.memory is None else self.memory.runs(self.invocation, draws)
        for replay in map(self._compared, earlier):
            if differs_alike(replay.expected, self.actual, replay.difference, self.policy):
                return replay
        return self.run_with(draws)

    def _compared(self, run: Run) -> Replay:
        if run.expected not in self.known:
            self.known[run.expected] = _difference(run.expected, self.actual, self.policy, self.likely)
        return Replay(run.expected, self.known[run.expected], run.ran_out, given=run.given)


def _difference(expected: Transcript, actual: Transcript, policy: Policy, likely: Likely | None) -> Difference | None:
    """The first difference between two sessions; texts that explain it are learned."""
    if likely is None or not policy.free:
        return first_difference(expected, actual, policy)
    if likely.explain(expected, actual, policy):
        return None
    difference = first_difference(expected, actual, policy)
    if difference is None:
        likely.learn(expected, actual, policy)
    return difference


def _depends_on_next(
    best: Replay, draws: Sequence[str | None], source: Draws, tried: Callable[[Sequence[str | None]], Replay]
) -> bool:
    """Whether the expected text where the sessions differ depends on the next draw after the draws that were read."""
    others = {_next_line(tried((*draws, value))) for value in source.values[:3]}
    return len(others | {_next_line(best)}) > 1


#: The maximum number of draws that were never shown for which other values are tried.
_MAX_UNSHOWN = 6


def _with_other_hidden_draws(
    best: Replay, draws: Sequence[str | None], source: Draws, tried: Callable[[Sequence[str | None]], Replay]
) -> list[Replay]:
    """The session replayed with other values for draws that were never shown."""
    given = [*best.given[: len(draws)]]
    unshown = [index for index, draw in enumerate(draws[: len(given)]) if draw is None][-_MAX_UNSHOWN:]
    tries: list[Sequence[str | None]] = [
        [*given[:index], value, *given[index + 1 :]]
        for index in unshown
        for value in dict.fromkeys((*source.values[:_FEW], *_neighbours_of(given[index], source.values)))
    ]
    return [tried(values) for values in (*tries, *([*given, value] for value in source.values[:_FEW] if best.ran_out))]


def _neighbours_of(value: str, values: Sequence[str]) -> Sequence[str]:
    """A value and its neighbours, in order: the output so far often fits the neighbours as well.

    >>> _neighbours_of("3", ("1", "2", "3", "4", "5", "6"))
    ('1', '2', '3', '4', '5')
    """
    at = values.index(value)
    return values[max(0, at - 2) : at + 3]


def open_line_of(best: Replay, others: Sequence[Replay]) -> bytes | None:
    """Returns the expected line at the difference, with … for what varies among replays; None if nothing varies."""
    assert best.difference is not None
    begun = progress(best.difference) - len(last_line(best.difference.matched))
    line = _whole_line(best)
    near = (
        _whole_line(other) for other in others if other.difference is not None and progress(other.difference) >= begun
    )
    lines = {candidate for candidate in near if candidate is not None and candidate != line}
    return None if line is None or not lines else open_text([line, *lines])


def _whole_line(attempt: Replay) -> bytes | None:
    difference = attempt.difference
    if difference is None or not difference.expected or not isinstance(difference.expected[0], Shown):
        return None
    return last_line(difference.matched) + difference.expected[0].text.partition(b"\n")[0]


def _next_line(attempt: Replay) -> bytes:
    difference = attempt.difference
    first = difference.expected[0] if difference and difference.expected else None
    return first.text.partition(b"\n")[0] if isinstance(first, Shown) else b""


def _explained(
    draws: list[str | None], source: Draws, best: Replay, tried: Callable[[Sequence[str | None]], Replay]
) -> Replay:
    """Try values for each unknown draw in turn. Returns the replay that agrees longest; its values stay in `draws`."""
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
    """All values of a draw if a few of them show that its value matters; else none."""
    few = source.values[:: max(1, len(source.values) // _FEW)]
    attempts = [tried([*draws[:index], value, *draws[index + 1 :]]) for value in few]
    matters = any(attempt.difference is None or _parting(attempt) != _parting(best) for attempt in attempts)
    return source.values if matters else ()


def _parting(attempt: Replay) -> tuple[int, bytes]:
    return progress(attempt.difference), _next_line(attempt)


def progress(difference: Difference | None) -> int:
    """Returns how far two sessions agree, in bytes and typed lines; more than any session has if they are the same."""
    if difference is None:
        return 1 << 60
    # Sessions with the same screen agree further than any two sessions that differ on the screen.
    return (1 << 59 if difference.place else 0) + _size(difference.matched)


def better(new: Replay, old: Replay | None, actual: Transcript | None, policy: Policy) -> Replay:
    """Returns the new replay if it explains the session or agrees with it longer under this policy, else the old."""
    if old is None or actual is None or new.explains:
        return new
    is_longer = progress(new.difference) > progress(first_difference(old.expected, actual, policy))
    return new if is_longer else old


def _size(events: Sequence[Event]) -> int:
    texts = (event for event in events if not isinstance(event, Paused | InputEnded))
    return sum(len(event.text) if isinstance(event, Shown) else 1 for event in texts)


class GivenDraws:
    """The draws that were read, and after them values that a fresh source could still give."""

    def __init__(self, draws: Sequence[str | None], source: Draws) -> None:
        """Give these draws; for an unknown draw, or beyond the last, some other value of the source."""
        self._draws, self._source = draws, source
        self._given: list[str] = []
        self._spare = self._spares()
        self.ran_out = False

    def __call__(self) -> str:
        """Return the next draw."""
        index = len(self._given)
        draw = self._draws[index] if index < len(self._draws) else None
        self.ran_out = self.ran_out or index >= len(self._draws)
        self._given.append(next(self._spare) if draw is None else draw)
        return self._given[-1]

    @property
    def read(self) -> tuple[str | None, ...]:
        """The draws that were read."""
        return tuple(self._draws)

    @property
    def given(self) -> tuple[str, ...]:
        """The draws given so far."""
        return tuple(self._given)

    def give_again(self, given: Sequence[str]) -> None:
        """Record the draws that were given in an earlier run with these same draws."""
        self._given = list(given)
        self.ran_out = len(given) > len(self._draws)

    def listed(self) -> tuple[str, ...]:
        """Return all draws at once, with some to spare, for a reference that cannot ask for one at a time."""
        return tuple(self() for _ in range(len(self._draws) + len(self._source.values)))

    def _spares(self) -> Iterator[str]:
        for number in range(_MAX_SPARE):
            start = len(self._given) // self._source.bag * self._source.bag if self._source.bag else 0
            used = {*self._given[start:], *self._draws[start : start + self._source.bag]} if self._source.bag else set()
            free = [value for value in self._source.values if value not in used] or self._source.values
            yield free[number % len(free)]
        raise SessionError(f"the reference drew {_MAX_SPARE:,} times more than the program and did not end")
