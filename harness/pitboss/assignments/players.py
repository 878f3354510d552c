"""The input script of a generated session: fixed answers, habits, or a function that gets the session so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from pitboss.assignments.assignment import Answers, Generated, Player, Scripted, Then
from pitboss.assignments.authored import call, text_of
from pitboss.assignments.blame import brief
from pitboss.assignments.functions import resolved
from pitboss.assignments.options import accepted_by
from pitboss.errors import SpecError, as_found
from pitboss.model.quoting import quoted_end
from pitboss.model.scripts import LONGEST_LINE, InputScript, again
from pitboss.model.transcript import Event, Shown, Typed

#: A session that has read this many lines would not end by itself, so its input is ended.
MAX_LINES = 2000

#: Called with the text shown and the lines typed so far; returns the next line, or None to end the input.
PlayerFunction = Callable[[str, tuple[str, ...]], str | None]


def input_script_of(session: Generated, seed: int | None, place: str) -> InputScript:
    """Returns the input script of a session: the seed, if any, and then the answers or the player's lines.

    Raises SpecError, at `place`, if the player cannot be found. The script raises it if the player returns anything but
    one line of text or None.
    """
    rest = _answering(session.answers) if isinstance(session.answers, Answers) else _playing(session.answers, place)
    return rest if seed is None else _WithSeed(str(seed).encode(), rest)


class _WithSeed:
    """Types the seed, and then the lines of another input script."""

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
    """An input script that types these answers; repeated ones at most MAX_LINES times."""
    left = map(answers.line, range(len(answers.lines) + MAX_LINES))
    return lambda _: next(left, None)


class _Question(NamedTuple):
    """The end of the screen before a typed line, where a prompt may be, and the line."""

    screen: str
    #: The line of the screen before what was typed.
    before: bytes
    line: str


def _questions(events: Sequence[Event]) -> list[_Question]:
    """The questions of a session, each with the line typed at it."""
    found, screen, before = [], b"", b""
    for event in events:
        match event:
            case Shown(text):
                screen = (screen + text)[-_LONGEST_PROMPT:]
                before = (before + text)[-_LONGEST_PROMPT:].rpartition(b"\n")[2]
            case Typed(line):
                texts = [one.decode("utf-8", "surrogateescape") for one in (screen, line)]
                found.append(_Question(texts[0], before, texts[1]))
                before = b""
    return found


def who_goes_on(answers: Answers | Player, events: Sequence[Event]) -> str:
    """Returns a sentence on who types for ever in an endless session: at which prompts, what, and how to correct it.

    It has places as `file:line`. `events` is the session up to where its input was ended, or it was stopped; only what
    is typed in its last lines is named.
    """
    session = _questions(events)
    questions = session[-MANY_LINES:]
    goes_on = {question.line for question in questions}
    # In order of first appearance: how far a session was when it was stopped depends on the machine.
    typed = _listed(question.line for question in session if question.line in goes_on)
    prompt = questions[-1].before if questions else b""
    at_last = f" at {quoted_end(prompt)}" if prompt.strip() else ""
    if isinstance(answers, Answers):
        are = "Its answers are" if answers.then is Then.FIRST_AGAIN else "The last of its answers is"
        return f"{are} typed again and again: {typed}{at_last} — give answers that end it, or <eof> as the last"
    player = f"The player {as_found(answers.name)}"
    if answers.function:
        does = f"goes on typing {typed}{at_last}{_at(answers.place)}"
        return f"{player} {does} — let it type what ends the session, or return None"
    lines: dict[Scripted, list[str]] = {}
    at_habits = [(habit_at(answers, question.screen), question.line) for question in session]
    again = set(at_habits[-MANY_LINES:])
    for habit, line in at_habits:
        if habit and (habit, line) in again:
            lines.setdefault(habit, []).append(line)
    prompts = [f"{_prompt_of(one)} with {_listed(lines[one])}{_at(one.place)}" for one in lines]
    does = f"goes on answering {' and '.join(prompts[:_MAX_NAMED])}"
    return f"{player} {does} — give it answers there that end the session, or <eof> as the last"


#: With this many lines, an endless session is blamed on answers that are typed for ever.
MANY_LINES = 200
#: How much of the end of the screen is searched for a prompt, in bytes.
_LONGEST_PROMPT = 4096
#: The maximum number of prompts, and lines at each, that are named.
_MAX_NAMED = 3


def _prompt_of(habit: Scripted) -> str:
    return quoted_end(habit.prompt.encode("utf-8", "surrogateescape"))


def _listed(lines: Iterable[str]) -> str:
    """What was typed, each line once."""
    found = [as_found(line) for line in dict.fromkeys(lines)]
    return f"{', '.join(found[:_MAX_NAMED])}{' …' * (len(found) > _MAX_NAMED)}"


def _at(place: str) -> str:
    return f" ({place})" if place else ""


def _playing(player: Player, place: str) -> InputScript:
    return _Playing(_habits(player) if player.habits else _function(player, place))


class _Playing:
    """Decides by what is on the screen."""

    def __init__(self, decide: _Decision) -> None:
        self._decide, self._so_far = decide, _SessionSoFar()

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        screen, lines = self._so_far.after(events)
        return None if len(lines) >= MAX_LINES else self._decide(screen, lines)

    def again(self, events: Sequence[Event], _: bytes | None) -> bytes | None:
        """See `scripts.Deciding`: the earlier decision after the same lines does not count."""
        return self(events)


class _SessionSoFar:
    """The screen and lines of a running session, so that it is not read from its beginning at each question."""

    def __init__(self) -> None:
        """Start with an empty session."""
        self._begin()

    def _begin(self) -> None:
        self._shown: list[bytes] = []
        self._lines: list[str] = []
        #: How many events are settled, and the last of these, a typed line; what follows may still grow.
        self._settled = 0
        self._last: Typed | None = None

    def after(self, events: Sequence[Event]) -> tuple[str, tuple[str, ...]]:
        """Return the text shown in these events, and the lines typed."""
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
            raise SpecError(f"{place}: {what} returned {brief(line)} — it must return one line of text, or None")
        return raw

    return lambda screen, lines: call(what, function, screen, lines, read=typed)


def habit_at(player: Player, screen: str) -> Scripted | None:
    """Returns the habit that applies to this screen: the one with the longest prompt; None if none does."""
    fitting = (habit for habit in player.habits if screen.endswith(habit.prompt))
    return max(fitting, key=lambda habit: len(habit.prompt), default=None)


def _habits(player: Player) -> _Decision:
    """A player with habits, each of which gives its answers in turn."""
    counts: dict[str, int] = {}
    last = -1, ""

    def decide(screen: str, lines: tuple[str, ...]) -> bytes | None:
        nonlocal last
        if last[0] == len(lines):  # called again, since the last line has not been read
            counts[last[1]] -= 1
        last = -1, ""
        habit = habit_at(player, screen)
        if habit is None:
            return None
        count = counts.get(habit.prompt, 0)
        counts[habit.prompt] = count + 1
        last = len(lines), habit.prompt
        return habit.answers.line(count)

    return decide
