"""Who types in a generated session: scripted answers, scripted habits, or a function that reads the conversation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from harness.assignment import Answers, Generated, Player
from harness.errors import SpecError
from harness.resolving import resolved
from harness.sessions import LONGEST_LINE, Typist
from harness.transcript import Event, Shown, Typed

#: A session with more typed lines than this does not end by itself; its input is ended instead.
MOST_LINES = 2000

#: Given the text shown and the lines typed so far, the next line; None ends the input.
PlayerFunction = Callable[[str, tuple[str, ...]], str | None]


def typist_of(session: Generated, seed: int | None, place: str) -> Typist:
    """Who types in this session: first the seed, if there is one, then the answers or the player's lines.

    The typist raises SpecError, at `place`, for a player that cannot be found or does not keep its contract.
    """
    rest = (
        _answering(session.answers.lines) if isinstance(session.answers, Answers) else _playing(session.answers, place)
    )
    first = None if seed is None else str(seed).encode()

    def type_next(events: Sequence[Event]) -> bytes | None:
        nonlocal first
        if first is not None:
            line, first = first, None
            return line
        return rest(events)

    return type_next


def _answering(lines: tuple[bytes, ...]) -> Typist:
    """These lines in order, and then the last of them as often as another is asked for."""

    def all_lines() -> Iterator[bytes]:
        yield from lines
        for _ in range(MOST_LINES if lines else 0):
            yield lines[-1]

    left = all_lines()
    return lambda _: next(left, None)


def _playing(player: Player, place: str) -> Typist:
    decide = _habits(player) if player.habits else _function(player, place)

    def type_next(events: Sequence[Event]) -> bytes | None:
        shown = b"".join(event.text for event in events if isinstance(event, Shown)).decode("utf-8", "surrogateescape")
        lines = [event.line for event in events if isinstance(event, Typed)]
        if len(lines) >= MOST_LINES:
            return None
        line = decide(shown, tuple(line.decode("utf-8", "surrogateescape") for line in lines))
        if line is None:
            return None
        if not isinstance(line, str) or "\n" in line or len(line.encode("utf-8", "surrogateescape")) > LONGEST_LINE:
            raise SpecError(f"{place}: player {player.name!r} typed {line!r} — it types one line of text, or None")
        return line.encode("utf-8", "surrogateescape")

    return type_next


def _function(player: Player, place: str) -> PlayerFunction:
    function: PlayerFunction = resolved(player.function, f"{place}: player {player.name!r}")
    return function


def _habits(player: Player) -> PlayerFunction:
    """A player that is data: the habit whose prompt ends the screen, the longest such, gives the answer."""
    counts: dict[str, int] = {}

    def decide(shown: str, _: tuple[str, ...]) -> str | None:
        fitting = [habit for habit in player.habits if shown.endswith(habit.prompt)]
        if not fitting:
            return None
        habit = max(fitting, key=lambda habit: len(habit.prompt))
        count = counts.get(habit.prompt, 0)
        counts[habit.prompt] = count + 1
        return habit.answers[min(count, len(habit.answers) - 1)]

    return decide
