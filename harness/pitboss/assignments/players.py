"""The input script of a generated session: fixed answers, habits, or a function that gets the session so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pitboss.assignments.assignment import Answers, Generated, Player
from pitboss.assignments.authored import call, text_of
from pitboss.assignments.blame import shown
from pitboss.assignments.functions import resolved
from pitboss.assignments.options import accepted_by
from pitboss.errors import SpecError
from pitboss.model.scripts import LONGEST_LINE, InputScript, again
from pitboss.model.transcript import Event, Shown, Typed

#: A session that has read this many lines would not end by itself, so its input is ended.
MOST_LINES = 2000

#: Called with the text shown and the lines typed so far; returns the next line, or None to end the input.
PlayerFunction = Callable[[str, tuple[str, ...]], str | None]


def input_script_of(session: Generated, seed: int | None, place: str) -> InputScript:
    """The input script of a session: the seed, if there is one, and then the answers or the player's lines.

    Raises SpecError, at `place`, if the player cannot be found; the script does if the player returns anything but one
    line of text or None.
    """
    rest = _answering(session.answers) if isinstance(session.answers, Answers) else _playing(session.answers, place)
    return rest if seed is None else _WithSeed(str(seed).encode(), rest)


class _WithSeed:
    """Types the seed, and then what another input script does."""

    def __init__(self, seed: bytes, rest: InputScript) -> None:
        self._seed, self._rest = seed, rest
        self._count = 0

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        self._count += 1
        return self._seed if self._count == 1 else self._rest(events)

    def again(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.Deciding`; the seed is the same whatever is shown."""
        return unread if self._count == 1 else again(self._rest, events, unread)


def _answering(answers: Answers) -> InputScript:
    """Types these answers; what comes again does so at most MOST_LINES times."""
    left = map(answers.line, range(len(answers.lines) + MOST_LINES))
    return lambda _: next(left, None)


def _playing(player: Player, place: str) -> InputScript:
    return _Playing(_habits(player) if player.habits else _function(player, place))


class _Playing:
    """Decides by what is on the screen."""

    def __init__(self, decide: _Decision) -> None:
        self._decide, self._seen = decide, _Seen()

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        screen, lines = self._seen.after(events)
        return None if len(lines) >= MOST_LINES else self._decide(screen, lines)

    def again(self, events: Sequence[Event], _: bytes | None) -> bytes | None:
        """See `scripts.Deciding`: what was decided with as many lines before does not count."""
        return self(events)


class _Seen:
    """What a player has seen of a session that goes on: a long one is not read from its beginning at each question."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._begin()

    def _begin(self) -> None:
        self._shown: list[bytes] = []
        self._lines: list[str] = []
        #: How many events are settled, and the last of these, a typed line; what follows may still grow.
        self._settled = 0
        self._last: Typed | None = None

    def after(self, events: Sequence[Event]) -> tuple[str, tuple[str, ...]]:
        """The text shown in these events, and the lines typed."""
        if self._settled and (self._settled > len(events) or events[self._settled - 1] is not self._last):
            self._begin()
        later: list[bytes] = []
        for index in range(self._settled, len(events)):
            event = events[index]
            match event:
                case Shown(text):
                    later.append(text)
                case Typed(line):
                    self._lines.append(line.decode("utf-8", "surrogateescape"))
                    self._shown += later
                    later.clear()
                    self._settled, self._last = index + 1, event
        # A character may be shown in two parts.
        screen = b"".join((*self._shown, *later)).decode("utf-8", "surrogateescape")
        return screen, tuple(self._lines)


#: Called with the text shown and the lines typed so far; returns the bytes of the next line.
_Decision = Callable[[str, tuple[str, ...]], bytes | None]


def _function(player: Player, place: str) -> _Decision:
    what = f"player {player.name!r}"
    function: PlayerFunction = resolved(player.function, f"{place}: {what}")
    if player.keys:
        function = partial(function, **accepted_by(function, dict(player.keys)))

    def typed(line: object) -> bytes | None:
        try:
            raw = None if line is None else text_of(line)[: LONGEST_LINE + 1].encode("utf-8", "surrogateescape")
        except (TypeError, UnicodeEncodeError):
            raw = b"\n"
        if raw is not None and (b"\n" in raw or len(raw) > LONGEST_LINE):
            raise SpecError(f"{place}: {what} typed {shown(line)} — it types one line of text, or None")
        return raw

    return lambda screen, lines: call(what, function, screen, lines, read=typed)


def _habits(player: Player) -> _Decision:
    """A player with habits: of the prompts that the screen ends with, the longest one decides the answer."""
    counts: dict[str, int] = {}
    last = -1, ""

    def decide(screen: str, lines: tuple[str, ...]) -> bytes | None:
        nonlocal last
        if last[0] == len(lines):  # it is asked again, since what was decided last has not been read
            counts[last[1]] -= 1
        last = -1, ""
        fitting = [habit for habit in player.habits if screen.endswith(habit.prompt)]
        if not fitting:
            return None
        habit = max(fitting, key=lambda habit: len(habit.prompt))
        count = counts.get(habit.prompt, 0)
        counts[habit.prompt] = count + 1
        last = len(lines), habit.prompt
        return habit.answers.line(count)

    return decide
