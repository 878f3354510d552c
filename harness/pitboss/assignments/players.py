"""The input script of a generated session: fixed answers, habits, or a function that gets the session so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from pitboss.assignments.assignment import Answers, Generated, Player, Scripted, Then
from pitboss.assignments.authored import call, text_of
from pitboss.assignments.blame import brief
from pitboss.assignments.functions import resolve_function
from pitboss.assignments.options import accepted_by
from pitboss.errors import SpecError, as_found
from pitboss.model.quoting import quoted_end
from pitboss.model.scripts import LONGEST_LINE, InputScript, again
from pitboss.model.transcript import Event, Shown, Typed

#: A session that has read this many lines would never end, so its input is ended.
MAX_LINES = 2000

#: Called with the program's text and the lines typed so far; returns the next line, or None to end the input.
PlayerFunction = Callable[[str, tuple[str, ...]], str | None]


def input_script_of(session: Generated, seed: int | None, place: str) -> InputScript:
    """Returns the input script of a session: the seed, if any, and then the answers or the player's lines.

    Raises SpecError, with `place`, if the player's function cannot be found. The script raises it if the player returns
    anything but one line of text or None.
    """
    script = (
        _answers_script(session.answers)
        if isinstance(session.answers, Answers)
        else _player_script(session.answers, place)
    )
    return script if seed is None else _WithSeed(str(seed).encode(), script)


class _WithSeed:
    """Types the seed, and then the lines of another input script."""

    def __init__(self, seed: bytes, rest: InputScript) -> None:
        self._seed, self._script = seed, rest
        self._count = 0

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        self._count += 1
        return self._seed if self._count == 1 else self._script(events)

    def again(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.Deciding`; the seed does not depend on the output."""
        return unread if self._count == 1 else again(self._script, events, unread)


def _answers_script(answers: Answers) -> InputScript:
    """Returns an input script that types these answers; it repeats them at most MAX_LINES times."""
    lines = map(answers.line, range(len(answers.lines) + MAX_LINES))
    return lambda _: next(lines, None)


class _Question(NamedTuple):
    """The end of the screen before a typed line, where a prompt may be, and the line."""

    screen: str
    #: The text before the typed line, on the same line of the screen.
    before: bytes
    line: str


def _questions(events: Sequence[Event]) -> list[_Question]:
    """Returns the questions of a session, each with the line typed at it."""
    questions, screen, before = [], b"", b""
    for event in events:
        match event:
            case Shown(text):
                screen = (screen + text)[-_LONGEST_PROMPT:]
                before = (before + text)[-_LONGEST_PROMPT:].rpartition(b"\n")[2]
            case Typed(line):
                texts = [text.decode("utf-8", "surrogateescape") for text in (screen, line)]
                questions.append(_Question(texts[0], before, texts[1]))
                before = b""
    return questions


def endless_session_blame(answers: Answers | Player, events: Sequence[Event]) -> str:
    """Returns a sentence on who types forever in an endless session: at which prompts, which lines, and a remedy.

    It names locations as `file:line`. `events` is the session up to the end of its input, or until it was stopped; only
    lines that are among its last typed lines are named.
    """
    session = _questions(events)
    questions = session[-MANY_LINES:]
    repeated_lines = {question.line for question in questions}
    # In order of first appearance, since it depends on the machine at which line a session is stopped.
    typed = _listed(question.line for question in session if question.line in repeated_lines)
    prompt = questions[-1].before if questions else b""
    at_prompt = f" at {quoted_end(prompt)}" if prompt.strip() else ""
    if isinstance(answers, Answers):
        subject = "Its answers are" if answers.then is Then.FIRST_AGAIN else "The last of its answers is"
        return f"{subject} typed again and again: {typed}{at_prompt} — give answers that end it, or <eof> as the last"
    player = f"The player {as_found(answers.name)}"
    if answers.function:
        action = f"keeps typing {typed}{at_prompt}{_in_parentheses(answers.place)}"
        return f"{player} {action} — make it type lines that end the session, or return None"
    lines: dict[Scripted, list[str]] = {}
    at_habits = [(habit_at(answers, question.screen), question.line) for question in session]
    repeated = set(at_habits[-MANY_LINES:])
    for habit, line in at_habits:
        if habit and (habit, line) in repeated:
            lines.setdefault(habit, []).append(line)
    prompts = [f"{_quoted_prompt(habit)} with {_listed(lines[habit])}{_in_parentheses(habit.place)}" for habit in lines]
    action = f"keeps answering {' and '.join(prompts[:_MAX_NAMED])}"
    return f"{player} {action} — give it answers there that end the session, or <eof> as the last"


#: With this many lines, an endless session is blamed on answers that are typed forever.
MANY_LINES = 200
#: The number of bytes at the end of the screen that are searched for a prompt.
_LONGEST_PROMPT = 4096
#: The maximum number of prompts, and of lines at each prompt, that are named.
_MAX_NAMED = 3


def _quoted_prompt(habit: Scripted) -> str:
    return quoted_end(habit.prompt.encode("utf-8", "surrogateescape"))


def _listed(lines: Iterable[str]) -> str:
    """Returns the distinct lines as text for a message, shortened if there are many."""
    texts = [as_found(line) for line in dict.fromkeys(lines)]
    return f"{', '.join(texts[:_MAX_NAMED])}{' …' * (len(texts) > _MAX_NAMED)}"


def _in_parentheses(location: str) -> str:
    return f" ({location})" if location else ""


def _player_script(player: Player, location: str) -> InputScript:
    return _PlayerScript(_habit_decision(player) if player.habits else _function_decision(player, location))


class _PlayerScript:
    """An input script that decides by the screen."""

    def __init__(self, decide: _Decision) -> None:
        self._decide, self._so_far = decide, _SessionSoFar()

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        screen, lines = self._so_far.screen_and_lines(events)
        return None if len(lines) >= MAX_LINES else self._decide(screen, lines)

    def again(self, events: Sequence[Event], _: bytes | None) -> bytes | None:
        """See `scripts.Deciding`: it decides again, and the earlier decision after the same lines is discarded."""
        return self(events)


class _SessionSoFar:
    """The screen and lines of a running session, cached so that each question reads only the new events."""

    def __init__(self) -> None:
        """Start with an empty session."""
        self._reset()

    def _reset(self) -> None:
        self._texts: list[bytes] = []
        self._lines: list[str] = []
        #: The number of events that are final, and the last of them, a typed line; later events may still grow.
        self._settled = 0
        self._last: Typed | None = None

    def screen_and_lines(self, events: Sequence[Event]) -> tuple[str, tuple[str, ...]]:
        """Return the program's text in these events, and the lines typed."""
        if self._settled and (self._settled > len(events) or events[self._settled - 1] is not self._last):
            self._reset()
        later: list[bytes] = []
        for index in range(self._settled, len(events)):
            event = events[index]
            match event:
                case Shown(text):
                    later.append(text)
                case Typed(line):
                    self._lines.append(line.decode("utf-8", "surrogateescape"))
                    self._texts += later
                    later.clear()
                    self._settled, self._last = index + 1, event
        # A character may be shown in two parts.
        screen = b"".join((*self._texts, *later)).decode("utf-8", "surrogateescape")
        return screen, tuple(self._lines)


#: Called with the program's text and the lines typed so far; returns the bytes of the next line.
_Decision = Callable[[str, tuple[str, ...]], bytes | None]


def _function_decision(player: Player, location: str) -> _Decision:
    """Returns the decision of a player that is a function."""
    label = f"player {player.name!r}"
    function: PlayerFunction = resolve_function(player.function, f"{location}: {label}")
    if player.keys:
        function = partial(function, **accepted_by(function, dict(player.keys)))

    def typed_line(line: object) -> bytes | None:
        try:
            raw = None if line is None else text_of(line)[: LONGEST_LINE + 1].encode("utf-8", "surrogateescape")
        except (TypeError, UnicodeEncodeError):
            raw = b"\n"
        if raw is not None and (b"\n" in raw or len(raw) > LONGEST_LINE):
            raise SpecError(f"{location}: {label} returned {brief(line)} — it must return one line of text, or None")
        return raw

    return lambda screen, lines: call(label, function, screen, lines, read=typed_line)


def habit_at(player: Player, screen: str) -> Scripted | None:
    """Returns the habit with the longest prompt that ends this screen; None if no habit's prompt does."""
    matching = (habit for habit in player.habits if screen.endswith(habit.prompt))
    return max(matching, key=lambda habit: len(habit.prompt), default=None)


def _habit_decision(player: Player) -> _Decision:
    """Returns the decision of a player with habits, each of which gives its answers in turn."""
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
