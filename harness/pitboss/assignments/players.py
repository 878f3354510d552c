"""The input script of a generated session: it types fixed answers, or the lines that a player chooses.

A player has habits, which are answers by prompt, or is a function that gets the session so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from pitboss.assignments.assignment import Answers, Generated, Player, PromptAnswers, Then
from pitboss.assignments.authored import call, text_of
from pitboss.assignments.blame import short_repr
from pitboss.assignments.functions import resolve_function
from pitboss.assignments.options import accepted_by
from pitboss.errors import SpecError, as_found
from pitboss.model.invocation import LONGEST_LINE, InputScript, replacement_line
from pitboss.model.quoting import quoted_end
from pitboss.model.transcript import Event, Shown, Typed

#: The maximum number of lines that are typed in a session beside a case's own answers. A program that reads more lines
#: is considered endless.
MAX_LINES = 2000

#: A player's function: it gets the program's text and the lines typed so far, and returns the next line, or None to end
#: the input.
PlayerFunction = Callable[[str, tuple[str, ...]], str | None]


def input_script_of(session: Generated, seed: int | None, place: str) -> InputScript:
    """Returns the input script of a session: the seed, if any, and then the answers or the player's lines.

    Raises SpecError if the player's function cannot be found. The script raises SpecError if the function returns
    anything except one line of text or None. Both errors name the location `place`.
    """
    script = (
        _answers_script(session.answers)
        if isinstance(session.answers, Answers)
        else _player_script(session.answers, place)
    )
    return script if seed is None else _SeedThenScript(str(seed).encode(), script)


class _SeedThenScript:
    """Types the seed, and then the lines of another input script."""

    def __init__(self, seed: bytes, script: InputScript) -> None:
        self._seed, self._script = seed, script
        self._call_count = 0

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        self._call_count += 1
        return self._seed if self._call_count == 1 else self._script(events)

    def revised_line(self, events: Sequence[Event], unread: bytes | None) -> bytes | None:
        """See `scripts.RevisableScript`; the seed is not replaced, since it does not depend on the output."""
        return unread if self._call_count == 1 else replacement_line(self._script, events, unread)


def _answers_script(answers: Answers) -> InputScript:
    """Returns an input script that types these answers, and then at most MAX_LINES repeated lines."""
    lines = map(answers.line, range(len(answers.lines) + MAX_LINES))
    return lambda _: next(lines, None)


class _Question(NamedTuple):
    """A typed line, and the output before it, which may end with a prompt."""

    #: The end of the screen when the line was typed: the last _LONGEST_PROMPT bytes of the output.
    screen: str
    #: The output on the same screen line, before the typed line.
    prompt: bytes
    #: The typed line.
    line: str


def _questions(events: Sequence[Event]) -> list[_Question]:
    """Returns each typed line of a session with the output before it."""
    questions, screen, prompt = [], b"", b""
    for event in events:
        match event:
            case Shown(text):
                screen = (screen + text)[-_LONGEST_PROMPT:]
                prompt = (prompt + text)[-_LONGEST_PROMPT:].rpartition(b"\n")[2]
            case Typed(line):
                decoded_screen = screen.decode("utf-8", "surrogateescape")
                decoded_line = line.decode("utf-8", "surrogateescape")
                questions.append(_Question(decoded_screen, prompt, decoded_line))
                prompt = b""
    return questions


def endless_session_blame(answers: Answers | Player, events: Sequence[Event]) -> str:
    """Returns a sentence that says whose lines keep an endless session going, at which prompts, and what to change.

    The sentence names locations as `file:line`, and only lines that are among the last BLAME_MIN_LINES typed lines.
    `events` is the session up to the end of its input, or until it was stopped.
    """
    all_questions = _questions(events)
    last_questions = all_questions[-BLAME_MIN_LINES:]
    repeated_lines = {question.line for question in last_questions}
    # In order of first appearance: the speed of the machine decides at which line a session is stopped, so the order of
    # the last lines may differ between runs.
    lines_text = _listed(question.line for question in all_questions if question.line in repeated_lines)
    prompt = last_questions[-1].prompt if last_questions else b""
    at_prompt = f" at {quoted_end(prompt)}" if prompt.strip() else ""
    if isinstance(answers, Answers):
        subject = "Its answers are" if answers.then is Then.FIRST_AGAIN else "The last of its answers is"
        remedy = "give answers that end the session, or <eof> as the last answer"
        return f"{subject} typed again and again: {lines_text}{at_prompt} — {remedy}"
    player = f"The player {as_found(answers.name)}"
    if answers.function:
        action = f"keeps typing {lines_text}{at_prompt}{_in_parentheses(answers.place)}"
        return f"{player} {action} — make it type lines that end the session, or return None"
    lines_by_habit: dict[PromptAnswers, list[str]] = {}
    habits_and_lines = [(habit_at(answers, question.screen), question.line) for question in all_questions]
    repeated_pairs = set(habits_and_lines[-BLAME_MIN_LINES:])
    for habit, line in habits_and_lines:
        if habit and (habit, line) in repeated_pairs:
            lines_by_habit.setdefault(habit, []).append(line)
    prompts = [
        f"{_quoted_prompt(habit)} with {_listed(lines_by_habit[habit])}{_in_parentheses(habit.place)}"
        for habit in lines_by_habit
    ]
    action = f"keeps answering {' and '.join(prompts[:_MAX_NAMED])}"
    return f"{player} {action} — give answers there that end the session, or <eof> as the last answer"


#: If a session was stopped after at least this many typed lines, the answers or the player are blamed. The message
#: names only lines that are among the last BLAME_MIN_LINES typed lines.
BLAME_MIN_LINES = 200
#: The number of bytes at the end of the screen that are searched for a prompt.
_LONGEST_PROMPT = 4096
#: The maximum number of prompts that a message names, and of lines at each prompt.
_MAX_NAMED = 3


def _quoted_prompt(habit: PromptAnswers) -> str:
    return quoted_end(habit.prompt.encode("utf-8", "surrogateescape"))


def _listed(lines: Iterable[str]) -> str:
    """Returns the distinct lines as text for a message, shortened if there are many."""
    texts = [as_found(line) for line in dict.fromkeys(lines)]
    return ", ".join(texts[:_MAX_NAMED]) + (" …" if len(texts) > _MAX_NAMED else "")


def _in_parentheses(location: str) -> str:
    return f" ({location})" if location else ""


def _player_script(player: Player, location: str) -> InputScript:
    return _PlayerScript(_habit_decision(player) if player.prompt_answers else _function_decision(player, location))


class _PlayerScript:
    """An input script that decides each line by the screen and the lines typed so far."""

    def __init__(self, decide: _Decision) -> None:
        self._decide, self._session = decide, _SessionSoFar()

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        screen, lines = self._session.screen_and_lines(events)
        return None if len(lines) >= MAX_LINES else self._decide(screen, lines)

    def revised_line(self, events: Sequence[Event], _: bytes | None) -> bytes | None:
        """See `scripts.RevisableScript`: the script decides again; the new decision replaces the previous one."""
        return self(events)


class _SessionSoFar:
    """The screen and the typed lines of a running session, cached so that each call reads only the new events."""

    def __init__(self) -> None:
        """Start with an empty session."""
        self._reset()

    def _reset(self) -> None:
        self._texts: list[bytes] = []
        self._lines: list[str] = []
        #: The number of events in the cache, up to the last typed line. Later events are not cached: their text may
        #: still grow.
        self._cached_count = 0
        #: The last event in the cache. If the events of a call have another event in its place, they belong to another
        #: session, and the cache is emptied.
        self._last_cached: Typed | None = None

    def screen_and_lines(self, events: Sequence[Event]) -> tuple[str, tuple[str, ...]]:
        """Return the program's text in these events, and the lines typed."""
        count = self._cached_count
        if count and (count > len(events) or events[count - 1] is not self._last_cached):
            self._reset()
        new_texts: list[bytes] = []
        for index in range(self._cached_count, len(events)):
            event = events[index]
            match event:
                case Shown(text):
                    new_texts.append(text)
                case Typed(line):
                    self._lines.append(line.decode("utf-8", "surrogateescape"))
                    self._texts += new_texts
                    new_texts.clear()
                    self._cached_count, self._last_cached = index + 1, event
        # Decoded only here, since the bytes of one character may be in two events.
        screen = b"".join((*self._texts, *new_texts)).decode("utf-8", "surrogateescape")
        return screen, tuple(self._lines)


#: Gets the program's text and the lines typed so far; returns the bytes of the next line, or None to end the input.
_Decision = Callable[[str, tuple[str, ...]], bytes | None]


def _function_decision(player: Player, location: str) -> _Decision:
    """Returns a function that decides the next line by calling the player's function."""
    label = f"player {player.name!r}"
    function: PlayerFunction = resolve_function(player.function, f"{location}: {label}")
    if player.keys:
        function = partial(function, **accepted_by(function, dict(player.keys)))

    def encoded_line(answer: object) -> bytes | None:
        try:
            encoded = None if answer is None else text_of(answer)[: LONGEST_LINE + 1].encode("utf-8", "surrogateescape")
        except (TypeError, UnicodeEncodeError):
            encoded = b"\n"  # refused below, as any text with a newline is
        if encoded is not None and (b"\n" in encoded or len(encoded) > LONGEST_LINE):
            raise SpecError(
                f"{location}: {label} returned {short_repr(answer)} — it must return one line of text, or None"
            )
        return encoded

    return lambda screen, lines: call(label, function, screen, lines, read=encoded_line)


def habit_at(player: Player, screen: str) -> PromptAnswers | None:
    """Returns the habit with the longest prompt that ends this screen; None if no habit's prompt does."""
    matching = (habit for habit in player.prompt_answers if screen.endswith(habit.prompt))
    return max(matching, key=lambda habit: len(habit.prompt), default=None)


def _habit_decision(player: Player) -> _Decision:
    """Returns a function that decides the next line by the player's habits, each of which gives its answers in turn."""
    counts: dict[str, int] = {}
    last_line_number, last_prompt = -1, ""

    def decide(screen: str, lines: tuple[str, ...]) -> bytes | None:
        nonlocal last_line_number, last_prompt
        # Called again for the same line, since the program has not read it: the previous answer does not count.
        if last_line_number == len(lines):
            counts[last_prompt] -= 1
        last_line_number, last_prompt = -1, ""
        habit = habit_at(player, screen)
        if habit is None:
            return None
        count = counts.get(habit.prompt, 0)
        counts[habit.prompt] = count + 1
        last_line_number, last_prompt = len(lines), habit.prompt
        return habit.answers.line(count)

    return decide
