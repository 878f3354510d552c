"""The input script of a generated session: it types fixed answers, or the lines that a player chooses.

A player has habits, which are answers by prompt, or is a function that gets the session so far.

What is typed in cases is loaded here: the `players:` mapping, lists of answers, and the `prompts:` that need lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pitboss.assignments import keys
from pitboss.assignments.answers import MisplacedMarkError, answers_from_items
from pitboss.assignments.assignment import Answers, Generated, Player, Prompt, PromptAnswers, Recorded, Then
from pitboss.assignments.authored import call, short_repr, text_of
from pitboss.assignments.cases import Session
from pitboss.assignments.functions import resolve_function
from pitboss.assignments.kinds import ANY_LINE, mapping
from pitboss.assignments.names import function_in_module, function_named, is_module
from pitboss.assignments.nodes import (
    Items,
    Node,
    Text,
    check_pattern,
    choice,
    items,
    named_entries,
    printable_names,
    text,
    texts,
)
from pitboss.assignments.options import accepted_by
from pitboss.errors import SpecError, as_found
from pitboss.model.invocation import LONGEST_LINE, InputScript, Script, replacement_line, script_of_lines
from pitboss.model.quoting import quoted_end
from pitboss.model.transcript import Event, Shown, Transcript, Typed

#: Classes of lines at any prompt, as patterns in which {} stands for a plain line, such as 5 or y.
_CLASSES = {
    "empty lines": "",
    "blanks only": r"\s+",
    "blanks before": r"\s+{}\s*",
    "blanks after": r"\s*{}\s+",
    "several words": r"{}\s+\S.*",
    "longer words": r"{}[A-Za-z]+",
    "other words": r"(?i:(?!{})\w+)",
    "end of input": "\0",
}
#: Further classes at a prompt for numbers. A number beyond an int or a long is a small one in its lowest bits,
#: and int() of Python reads groups of digits.
_NUMBERS = {
    "plus signs": r"\s*\+\d+\s*",
    "minus signs": r"\s*-\d+\s*",
    "leading zeros": r"\s*[+-]?0\d+\s*",
    "decimals": r"\s*[+-]?\d+\.\d+\s*",
    "digit groups": r"\s*[+-]?\d+_\d+\s*",
    "beyond an int": r"429496(?:729[6-9]|73\d\d)",
    "beyond a long": r"1844674407370955\d{4}",
}


def prompts_in(node: Node | None, defaults: tuple[Prompt, ...] = ()) -> tuple[Prompt, ...]:
    """Returns the prompts in a `prompts:` node, and those of `defaults` that it does not have; longer texts first."""
    prompts = {prompt.text: prompt for prompt in defaults}
    for name, value in named_entries(node, "prompts").entries.items() if node else ():
        entries = mapping(value, keys.PROMPT, f"prompt {as_found(name)}")
        classes = _classes_in(entries["lines"])
        names = {class_name: class_name for class_name in classes}
        reasons = named_entries(entries["not_typed"], "not_typed").entries if "not_typed" in entries else {}
        untyped = [item for listed in reasons.values() for item in items(listed, "not_typed")]
        not_typed = frozenset(choice(item, "an item of not_typed", names) for item in untyped)
        prompts[name] = Prompt(name, tuple(classes.items()), not_typed, value.place)
    return tuple(sorted(prompts.values(), key=lambda prompt: -len(prompt.text)))


def _classes_in(node: Node) -> dict[str, str]:
    """Returns the pattern of each class of lines in a `lines:` node."""
    if isinstance(node, Text):
        own = choice(node, "lines", {"numbers": _NUMBERS})
        plain = r"[+-]?\d+"
    elif isinstance(node, Items) and node.items:
        answers = [text(item, "an item of lines") for item in node.items]
        plain = f"(?:{'|'.join(map(re.escape, answers))})"
        has_capitals = not {answer.swapcase() for answer in answers} <= {*answers}
        own = {"capitals": rf"\s*(?!{plain}\s*$)(?i:{plain})\s*"} if has_capitals else {}
    else:
        patterns = named_entries(node, "lines").entries.items()
        return {name: check_pattern(text(value, name), value.place, as_found(name)) for name, value in patterns}
    return {"plain lines": plain, **{name: _CLASSES[name].replace("{}", plain) for name in _CLASSES}, **own}


def players_in(node: Node, folder: Path) -> dict[str, Player]:
    """Returns the players in a `players:` node, by name; `folder` is searched for the modules of their functions.

    An entry is a player with a function or with habits, or it lists functions of a module, each of them a player.
    """
    players: dict[str, Player] = {}
    for name, value in printable_names(node, "players").entries.items():
        label = f"player {as_found(name)}"
        if isinstance(value, Text):
            new_players = [Player(name, function_named(value, label, folder), place=value.place)]
        elif is_module(name) and all(isinstance(item, Text) for item in items(value, label)):
            functions = [(ANY_LINE.read(item, f"a player of {name}"), item.place) for item in items(value, label)]
            new_players = [
                Player(function, function_in_module(function, name, folder), place=place)
                for function, place in functions
            ]
        else:
            habits = tuple(map(_habit_in, items(value, label)))
            new_players = [Player(name, prompt_answers=habits, place=value.place)]
        for player in new_players:
            if player.name in players:
                raise SpecError(
                    f"{value.place}: player {as_found(player.name)} is listed twice — each player needs its own name"
                )
            players[player.name] = player
    return players


def _habit_in(node: Node) -> PromptAnswers:
    """Returns the habit of a player in a node: a prompt, and the answers that the player gives at this prompt."""
    entries = mapping(node, keys.HABIT, "a habit of a player")
    items(entries["answers"], "answers", at_least=1)
    return PromptAnswers(entries.value("prompt"), answers_at(entries["answers"]), node.place)


def answers_at(node: Node) -> Answers:
    """Returns the answers in an `answers:` node, which is a list.

    Raises SpecError for a line that cannot be typed, and for a mark (`<eof>` or `...`) that is not the last item.
    """
    lines = texts(node, "answers")
    locations = [item.place for item in items(node, "answers")]
    try:
        answers = answers_from_items(lines)
    except MisplacedMarkError as error:
        raise SpecError(f"{locations[error.index]}: answers has {error}") from None
    for line, location in zip(answers.lines, locations, strict=False):
        check_typed(line, location)
    return answers


def check_typed(line: bytes, place: str) -> None:
    """Raise SpecError, with the location `place`, if a text is too long to type or has a newline in it."""
    if len(line) > LONGEST_LINE:
        raise SpecError(f"{place}: a typed line has {len(line)} bytes — a terminal takes at most {LONGEST_LINE}")
    if b"\n" in line:
        raise SpecError(f"{place}: a typed line has a newline in it — write it as two lines")


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
    answers = session.answers
    if isinstance(answers, Answers):
        script = _answers_script(answers)
    else:
        decide = _habit_decision(answers) if answers.prompt_answers else _function_decision(answers, place)
        script = _PlayerScript(decide)
    return script if seed is None else _SeedThenScript(str(seed).encode(), script)


def input_of(session: Session) -> InputScript:
    """Returns the input script of a session: the recorded lines, or the seed with the answers or the player's lines."""
    match session.case.session:
        case Recorded(events):
            return script_of_lines(Transcript(events).lines)
        case Generated() as generated:
            return input_script_of(generated, session.seed, session.case.place)


def script_of(session: Session) -> Script:
    """Returns the script of a session: its input, its environment seed and its case's invocation."""
    invocation = session.case.invocation
    return Script(input_of(session), environment_seed=session.environment_seed, invocation=invocation)


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
        f"{quoted_end(habit.prompt.encode('utf-8', 'surrogateescape'))} with {_listed(lines)}"
        f"{_in_parentheses(habit.place)}"
        for habit, lines in lines_by_habit.items()
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


def _listed(lines: Iterable[str]) -> str:
    """Returns the distinct lines as text for a message, shortened if there are many."""
    texts = [as_found(line) for line in dict.fromkeys(lines)]
    return ", ".join(texts[:_MAX_NAMED]) + (" …" if len(texts) > _MAX_NAMED else "")


def _in_parentheses(location: str) -> str:
    return f" ({location})" if location else ""


class _PlayerScript:
    """An input script that decides each line by the screen and the lines typed so far."""

    def __init__(self, decide: _Decision) -> None:
        self._decide = decide
        self._reset()

    def __call__(self, events: Sequence[Event]) -> bytes | None:
        screen, lines = self._screen_and_lines(events)
        return None if len(lines) >= MAX_LINES else self._decide(screen, lines)

    def revised_line(self, events: Sequence[Event], _: bytes | None) -> bytes | None:
        """See `scripts.RevisableScript`: the script decides again; the new decision replaces the previous one."""
        return self(events)

    def _reset(self) -> None:
        """Start with an empty session. The screen and the lines are cached: each call reads only the new events."""
        self._texts: list[bytes] = []
        self._lines: list[str] = []
        #: The number of events in the cache, up to the last typed line. Later events are not cached: their text may
        #: still grow.
        self._cached_count = 0
        #: The last event in the cache. If the events of a call have another event in its place, they belong to another
        #: session, and the cache is emptied.
        self._last_cached: Typed | None = None

    def _screen_and_lines(self, events: Sequence[Event]) -> tuple[str, tuple[str, ...]]:
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
