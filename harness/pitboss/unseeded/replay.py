"""Replays a session without a seed: the reference gets the program's draws and the same typed lines.

The reference's session is what the program should have shown, so the comparison is exact again. A draw that was never
shown may have any value: the value that explains most of the session is used. If the reference draws more values than
were read, it gets arbitrary values that are still possible, and its session differs from the program's at that point.

The runs of a reference are cached, so that it need not be started again. Starting a command takes long (a Java machine
a third of a second), and for a draw that was never shown all values are tried. With the same draws a reference does the
same until a different line is typed. So an earlier run with other typed lines also shows where a session differs from
the reference, if the difference comes before the first different line.

In a line with unknown draws, the common beginning and end of all possible lines is certain, with … between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Draws, Stage
from pitboss.compare.comparison import Difference, first_difference
from pitboss.compare.results import Replayed
from pitboss.errors import SessionError
from pitboss.machine import progress
from pitboss.model.comparison_policy import Policy
from pitboss.model.free_texts import names_in
from pitboss.model.invocation import InputScript, Invocation, script_of_lines
from pitboss.model.transcript import (
    Event,
    InputEnded,
    Paused,
    Shown,
    Transcript,
    Typed,
    count_typed_lines,
    cut_after_read,
    last_line,
)
from pitboss.sessions.references import DrawSource, ExpectedRun
from pitboss.unseeded.likely import LikelyTexts


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
    if difference is None or policy.looks_ahead:  # the place of the difference may depend on the end of a session
        return False
    # If the run reads input at the difference, a run with `actual`'s lines might not differ there.
    reads_input = any(isinstance(event, Typed | InputEnded) for event in difference.expected[:1])
    return not reads_input and count_typed_lines(difference.matched) <= _common_line_count(expected, actual)


def _common_line_count(transcript: Transcript, other: Transcript) -> int:
    """How many typed lines at the beginning of two sessions are the same."""
    pairs = zip(transcript.lines, other.lines, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def common_start_and_end(lines: Sequence[bytes]) -> bytes:
    """Returns what several lines have in common at their beginnings and ends, in whole words, with … in between.

    >>> common_start_and_end([b"You rolled 3: 13 points.", b"You rolled 3: 16 points."]).decode()
    'You rolled 3: … points.'
    """
    texts = [line.decode("utf-8", "replace") for line in lines]
    # A word that the lines have in common only in part is left out.
    start = re.sub(r"\w+$", "", _common_start(texts))
    end = re.sub(r"^\w+", "", _common_start([text[len(start) :][::-1] for text in texts])[::-1])
    return f"{start}…{end}".encode()


def _common_start(texts: Sequence[str]) -> str:
    """The longest common prefix. It is that of the first and the last text in sorted order: those differ earliest."""
    pairs = zip(min(texts), max(texts), strict=False)
    return "".join(character for character, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


#: A reference that draws more than this many values that were not read is reported as endless.
_MAX_SPARE = 1_000
#: About how many of the possible values of a draw are tried to see whether the value matters.
_TRIED_VALUES = 5


#: The first difference between one session and each session expected for it, by expected session; None if equal.
Differences = dict[Transcript, Difference | None]


class Replay(msgspec.Struct, frozen=True):
    """One session compared with the reference's run on the same draws."""

    expected: Transcript
    difference: Difference | None
    #: Whether the reference drew more values than were read from the program.
    ran_out: bool = False
    #: The expected line where the sessions differ, with … for parts that depend on draws that were never shown; None if
    #: no part depends on such draws.
    open_line: bytes | None = None
    #: The draws that the reference was given: the draws that were read, and values for unknown and further draws.
    given: tuple[str, ...] = ()
    #: How the reference failed, as a sentence; `expected` is empty then. Empty if the reference did not fail.
    failure: str = ""
    #: Whether the draws, as they were read, cannot come from the source of draws of the stage.
    is_impossible: bool = False

    @property
    def explains(self) -> bool:
        """Whether the session is the same as the reference's, and its draws are possible."""
        return self.difference is None and not self.failure and not self.is_impossible

    @property
    def agreement(self) -> int:
        """How many bytes and typed lines agree with the reference's session; 0 if the reference failed."""
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
    invocation: Invocation | None = None,
    likely: LikelyTexts | None = None,
    differences: Differences | None = None,
    memory: Memory | None = None,
) -> Replay:
    """Run the reference on the typed lines of `actual` and on `draws`, in which None stands for an unknown draw.

    Without `guesses` unknown draws get arbitrary values, which is fast, and precise enough to choose among the
    reference's options. `Replay.open_line` is determined by `with_open_line`. `likely` has the program's free texts
    (`compare: free`) as other sessions show them. If these do not explain this session, the free texts are read from
    the session itself. `differences` is a cache: the differences between this session and earlier runs of references;
    new differences are added. `memory` has the earlier runs of this reference, if it takes long to start.
    """
    session = _Session(
        actual, stage, policy, expected_run, invocation, likely, {} if differences is None else differences, memory
    )
    best = session.run_with(draws)
    if not guesses:
        return best
    if best.difference is not None and None in draws:
        guessed = list(draws)
        best = _guess_draws(guessed, best, session)
        if memory is not None and best.expected.lines != actual.lines:
            # The best replay may be an earlier run, with the typed lines of another session.
            best = session.run_with(guessed)
    return best


def with_open_line(
    best: Replay,
    variants: Sequence[Sequence[str | None]],
    actual: Transcript,
    stage: Stage,
    policy: Policy,
    expected_run: ExpectedRun,
    *,
    invocation: Invocation | None = None,
    likely: LikelyTexts | None = None,
    memory: Memory | None = None,
) -> Replay:
    """Return `best`, the replay of `actual`, with … in the expected line for what differs in replays with other draws.

    `variants` are these draws: see `draws_with_other_values`. The other parameters, and errors, are those of `replay`.
    """
    if best.difference is None or not variants:
        return best
    session = _Session(actual, stage, policy, expected_run, invocation, likely, {}, memory)
    replays = map(session.up_to_next_read(best.difference).replay_with, variants)
    return msgspec.structs.replace(best, open_line=_open_line_of(best, list(replays)))


class _Session(NamedTuple):
    """A session to be replayed, and the reference: see `replay`."""

    actual: Transcript
    stage: Stage
    policy: Policy
    expected_run: ExpectedRun
    invocation: Invocation | None
    likely: LikelyTexts | None
    differences: Differences
    memory: Memory | None
    #: Whether `likely` may learn from the session.
    is_whole: bool = True

    def up_to_next_read(self, difference: Difference) -> _Session:
        """The session up to the first read after a difference: to run the reference further takes long.

        Of a reference with a memory later sessions need the whole run, so that session is not cut.
        """
        reads, whole_run = count_typed_lines(difference.matched) + 1, self.expected_run
        if self.memory is not None or reads >= len(self.actual.lines):
            return self

        def run(
            input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
        ) -> Transcript:
            return cut_after_read(whole_run(input_script, draws, invocation=invocation), reads)

        actual = cut_after_read(self.actual, reads)
        return self._replace(actual=actual, expected_run=run, differences={}, is_whole=False)

    def run_with(self, draws: Sequence[str | None]) -> Replay:
        """Run the reference with these draws; returns the replay."""
        given_draws = GivenDraws(draws, self.stage.draws)
        expected = self.expected_run(script_of_lines(self.actual.lines), given_draws, invocation=self.invocation)
        run = Run(expected, given_draws.ran_out, given_draws.given)
        if self.memory is not None:
            self.memory.add(self.invocation, draws, run)
        return self._replay_of_run(run)

    def replay_with(self, draws: Sequence[str | None]) -> Replay:
        """Return the replay with these draws.

        An earlier run with other typed lines is used if a new run would differ from the session at the same point.
        """
        earlier = () if self.memory is None else self.memory.runs(self.invocation, draws)
        for earlier_replay in map(self._replay_of_run, earlier):
            if differs_alike(earlier_replay.expected, self.actual, earlier_replay.difference, self.policy):
                return earlier_replay
        return self.run_with(draws)

    def _replay_of_run(self, run: Run) -> Replay:
        expected = run.expected.ending_like(self.actual)
        if expected not in self.differences:
            self.differences[expected] = self._difference(expected)
        return Replay(expected, self.differences[expected], run.ran_out, given=run.given)

    def _difference(self, expected: Transcript) -> Difference | None:
        """The first difference. Of a whole session that is the same, `likely` learns the free texts that it lacked."""
        actual, policy, likely = self.actual, self.policy, self.likely
        if likely is None or not policy.free:
            return first_difference(expected, actual, policy)
        known = likely.difference(expected, actual, policy)
        # Reading the session's own texts takes long, and they explain no more where no free text comes up.
        if known is None or not names_in(_events_around(known, expected), policy.free):
            return known
        difference = first_difference(expected, actual, policy)
        if difference is None and self.is_whole:
            likely.learn(expected, actual, policy)
        return difference


def _events_around(difference: Difference, expected: Transcript) -> tuple[Event, ...]:
    """The expected events of the question at which two sessions differ, and of the question before that."""
    typed = [index for index, event in enumerate(expected.events) if isinstance(event, Typed)]
    count = count_typed_lines(difference.matched)
    return expected.events[typed[count - 2] + 1 if count > 1 else 0 : typed[count] + 1 if count < len(typed) else None]


#: Of the draws that were never shown, at most this many are varied: the last ones.
_MAX_VARIED_DRAWS = 6


def draws_with_other_values(best: Replay, draws: Sequence[str | None], source: Draws) -> list[Sequence[str | None]]:
    """Return the draws of a replay with other values for those that were never shown; `draws` were read.

    If the reference drew more values than were read, draws with values for the first of the further draws are included.
    """
    given_draws = [*best.given[: len(draws)]]
    unknown = [index for index, draw in enumerate(draws[: len(given_draws)]) if draw is None][-_MAX_VARIED_DRAWS:]
    variants: list[Sequence[str | None]] = [
        [*given_draws[:index], value, *given_draws[index + 1 :]]
        for index in unknown
        for value in dict.fromkeys((*source.values[:_TRIED_VALUES], *_neighbours_of(given_draws[index], source.values)))
    ]
    return variants + [[*given_draws, value] for value in source.values[:_TRIED_VALUES] if best.ran_out]


def _neighbours_of(value: str, values: Sequence[str]) -> Sequence[str]:
    """A value and up to two neighbours on each side, in order: neighbours often fit the output so far just as well.

    >>> _neighbours_of("3", ("1", "2", "3", "4", "5", "6"))
    ('1', '2', '3', '4', '5')
    """
    index = values.index(value)
    return values[max(0, index - 2) : index + 3]


def _open_line_of(best: Replay, others: Sequence[Replay]) -> bytes | None:
    """The expected line at the difference, with … for what varies among replays; None if nothing varies."""
    assert best.difference is not None
    # For sessions that differ on the screen, `rank_of_agreement` is the position of the difference.
    line_start = rank_of_agreement(best.difference) - len(last_line(best.difference.matched))
    line = _line_of(best.difference.matched, best.difference.expected)
    # Only replays that agree with the session up to the beginning of this line, or even with the session.
    lines = {
        _line_of(best.difference.matched, best.difference.actual)
        if other.difference is None
        else _line_of(other.difference.matched, other.difference.expected)
        for other in others
        if rank_of_agreement(other.difference) >= line_start
    } - {line, None}
    return None if line is None or not lines else common_start_and_end([line, *filter(None, lines)])


def _line_of(matched: tuple[Event, ...], following: tuple[Event, ...]) -> bytes | None:
    """The whole line in which two sessions differ; None if no text follows what is the same."""
    first = following[0] if following else None
    return last_line(matched) + first.text.partition(b"\n")[0] if isinstance(first, Shown) else None


def expected_remainder(replayed: Replay) -> bytes:
    """Returns the expected text from the difference to the end of its line; empty if no text is expected there."""
    difference = replayed.difference
    first = difference.expected[0] if difference and difference.expected else None
    return first.text.partition(b"\n")[0] if isinstance(first, Shown) else b""


def _guess_draws(draws: list[str | None], best: Replay, session: _Session) -> Replay:
    """Try values for each unknown draw in turn; returns the replay that agrees longest, and puts its values in `draws`.

    A draw remains unknown if no value makes the sessions agree longer.
    """
    for index, draw in enumerate(draws):
        if draw is not None:
            continue
        best_value: str | None = None
        assert best.difference is not None
        beginning = session.up_to_next_read(best.difference)
        for value in _values_to_try(draws, index, beginning):
            draws[index] = value
            if rank_of_agreement(beginning.replay_with(draws).difference) <= rank_of_agreement(best.difference):
                continue
            replayed = session.replay_with(draws)
            if replayed.difference is None:
                return replayed
            if rank_of_agreement(replayed.difference) > rank_of_agreement(best.difference):
                best, best_value = replayed, value
        draws[index] = best_value
    return best


def _values_to_try(draws: list[str | None], index: int, session: _Session) -> Sequence[str]:
    """All values of the draw at `index` if a sample of them shows that the value matters; else no values."""
    values = session.stage.draws.values
    points = {
        _point_of_difference(session.replay_with([*draws[:index], value, *draws[index + 1 :]]))
        for value in (None, *values[:: max(1, len(values) // _TRIED_VALUES)])
    }
    return values if len(points) > 1 else ()


def _point_of_difference(replayed: Replay) -> tuple[int, bytes]:
    """How far the sessions agree, and the expected text that follows."""
    return rank_of_agreement(replayed.difference), expected_remainder(replayed)


#: Added to the rank of sessions that differ only off the screen: more than the size of any session.
_SAME_SCREEN = 1 << 59
#: The rank of sessions that do not differ at all.
_SAME_SESSION = 1 << 60


def rank_of_agreement(difference: Difference | None) -> int:
    """Returns a number that is higher the longer two sessions agree.

    If they differ on the screen, the number is that of the bytes and typed lines before the difference.
    """
    if difference is None:
        return _SAME_SESSION
    # `place` is empty if the screens differ. Sessions that differ only off the screen agree further than those.
    return (_SAME_SCREEN if difference.place else 0) + _size(difference.matched)


def better_replay(new: Replay, old: Replay | None, actual: Transcript | None, policy: Policy) -> Replay:
    """Returns the new replay if it explains the session or agrees with it longer under this policy, else the old."""
    if old is None or actual is None or new.explains:
        return new
    is_longer = rank_of_agreement(new.difference) > rank_of_agreement(first_difference(old.expected, actual, policy))
    return new if is_longer else old


def _size(events: Sequence[Event]) -> int:
    """How many bytes were shown, plus how many lines were typed."""
    counted = (event for event in events if not isinstance(event, Paused | InputEnded))
    return sum(len(event.text) if isinstance(event, Shown) else 1 for event in counted)


class GivenDraws:
    """Gives a reference the draws that were read, and then further values that the source could draw next."""

    def __init__(self, draws: Sequence[str | None], source: Draws) -> None:
        """Give these draws in order, and possible values of the source for unknown draws and after the last draw."""
        self._draws, self._source = draws, source
        self._given: list[str] = []
        self._possible = self._possible_values()
        self.ran_out = False

    def __call__(self) -> str:
        index = len(self._given)
        draw = self._draws[index] if index < len(self._draws) else None
        self.ran_out = self.ran_out or index >= len(self._draws)
        self._given.append(next(self._possible) if draw is None else draw)
        return self._given[-1]

    @property
    def read(self) -> tuple[str | None, ...]:
        return tuple(self._draws)

    @property
    def given(self) -> tuple[str, ...]:
        return tuple(self._given)

    def restore(self, given: Sequence[str]) -> None:
        """Restore the state after an earlier run on the same read draws, in which the reference got `given`."""
        self._given = list(given)
        self.ran_out = len(given) > len(self._draws)

    def all_draws(self) -> tuple[str, ...]:
        """Return all draws at once, with some to spare, for a reference that cannot ask for one at a time."""
        return tuple(self() for _ in range(len(self._draws) + len(self._source.values)))

    def _possible_values(self) -> Iterator[str]:
        """Yield, whenever a value is needed, a value that the source could draw next."""
        for number in range(_MAX_SPARE):
            # Values are drawn from a bag without replacement until it is empty. A value is used up if it was given from
            # the current bag, or was read and will be given from it.
            start = len(self._given) // self._source.bag * self._source.bag if self._source.bag else 0
            used = {*self._given[start:], *self._draws[start : start + self._source.bag]} if self._source.bag else set()
            free = [value for value in self._source.values if value not in used] or self._source.values
            yield free[number % len(free)]
        raise SessionError(f"the reference drew {_MAX_SPARE:,} more values than the program and did not end")
