"""A session explained step by step: what is shown, what is typed, where it pauses, what is drawn, which rules apply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

from pitboss.model.notation import duration_of
from pitboss.model.quoting import readable
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed

#: Stands for a blank at the end of a line: the first of these that no line has.
_BLANKS = "·␣"
_MAX_DRAWS, _MAX_FILE_LINES = 60, 40


class AppliedRule(msgspec.Struct, frozen=True):
    """A rule of the assignment that applies at a place of the session."""

    name: str
    #: The first and the last line of the screen in which it was found, from 1.
    first_line: int
    last_line: int
    #: The rule in the instructor's words; empty if there are none.
    words: str = ""


class WalkthroughStep(msgspec.Struct, frozen=True):
    """What a program does up to one point at which something else happens: a line is typed, time passes, it ends."""

    #: The lines that it shows, in order; the first goes on with the line before if `goes_on`.
    lines: tuple[str, ...]
    first_number: int
    goes_on: bool
    #: The typed line, pause or end of input that it leads to; None if the session ends.
    then: Event | None
    #: What is drawn between the line typed before it and the next; only on the first step after a typed line.
    draws: tuple[str, ...] = ()
    rules: tuple[AppliedRule, ...] = ()


class Walkthrough(msgspec.Struct, frozen=True):
    """A whole session, explained."""

    title: str
    #: What the reader has to know before, in sentences.
    before: tuple[str, ...]
    steps: tuple[WalkthroughStep, ...]
    #: How it ends, as a sentence.
    ending: str
    #: Files that it has written, with their contents as text.
    files: tuple[tuple[str, str], ...] = ()
    #: What the reader has to know afterwards, in sentences.
    after: tuple[str, ...] = ()
    #: Commands, each with the words before it.
    commands: tuple[tuple[str, str], ...] = ()


def steps_of(
    events: Sequence[Event], draws: Sequence[Sequence[str]] = (), rules: Sequence[AppliedRule] = ()
) -> tuple[WalkthroughStep, ...]:
    """The steps of a session; `draws` are those before the first line is typed, then those after it, and so on."""
    steps = list(_plain_steps(events))
    for rule in sorted(rules, key=lambda rule: (rule.last_line, rule.first_line, rule.name)):
        place = max(number for number, step in enumerate(steps) if not number or step.first_number <= rule.last_line)
        steps[place] = msgspec.structs.replace(steps[place], rules=(*steps[place].rules, rule))
    begins = [0, *(number + 1 for number, step in enumerate(steps) if isinstance(step.then, Typed))]
    for place, drawn in zip(begins, draws, strict=False):
        if drawn and place < len(steps):
            steps[place] = msgspec.structs.replace(steps[place], draws=tuple(drawn))
    return tuple(steps)


def _plain_steps(events: Sequence[Event]) -> Iterator[WalkthroughStep]:
    text, number, goes_on = "", 1, False
    for event in (*events, None):
        if isinstance(event, Shown):
            text += readable(event.text)
            continue
        lines = text.split("\n")
        is_open = bool(lines[-1])
        if not is_open:
            lines.pop()
        yield WalkthroughStep(tuple(lines), number, goes_on and bool(lines), event)
        ended = text.count("\n") + isinstance(event, Typed)
        goes_on = not isinstance(event, Typed) and (is_open or (goes_on and not text))
        number, text = number + ended, ""


class StepByStep:
    """A walkthrough in the terminal; the program's lines are never wrapped."""

    def __init__(self, walkthrough: Walkthrough) -> None:
        self._walkthrough = walkthrough
        lines = [line for step in walkthrough.steps for line in step.lines]
        self._blank = next((mark for mark in _BLANKS if not any(mark in line for line in lines)), "")
        self._has_blanks = bool(self._blank) and any(line.endswith(" ") for line in lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        walkthrough = self._walkthrough
        yield Text(walkthrough.title, style="bold")
        yield Text()
        for sentence in (
            *walkthrough.before,
            *([f"{self._blank} is a blank at the end of a line."] * self._has_blanks),
        ):
            yield _indented(Text(sentence))
        for number, step in enumerate(walkthrough.steps, 1):
            yield Text()
            yield from self._step(number, step, walkthrough)
        for name, content in walkthrough.files:
            yield Text()
            yield _indented(Text.assemble("In ", (name, "bold"), " there is then:"))
            lines = content.split("\n")
            left = len(lines) - _MAX_FILE_LINES
            for line in lines[:_MAX_FILE_LINES] + ([f"… {left} more lines"] if left > 0 else []):
                yield _verbatim(("     │ ", "dim"), (line, ""))
        if walkthrough.after or walkthrough.commands:
            yield Text()
        for sentence in walkthrough.after:
            yield _indented(Text(sentence))
        for words, command in walkthrough.commands:
            yield _verbatim((f"  {words}: ", ""), (command, "bold"))

    def _step(self, number: int, step: WalkthroughStep, walkthrough: Walkthrough) -> Iterator[RenderableType]:
        end = "ends" if step.then is None else _before(step.then)
        shows = "It shows this, and then" if step.lines else "It shows nothing more, and" if number > 1 else "It"
        yield Text.assemble((f"{number:>3}  ", "bold"), f"{shows} {end}{':' if step.lines else '.'}")
        if step.draws:
            until = "it reads the next line" if _reads_later(walkthrough.steps[number - 1 :]) else "its end"
            yield _hanging(f"Until {until} it draws, in this order: {_listed(step.draws)}")
        for index, line in enumerate(step.lines):
            begin = "…" if step.goes_on and not index else " "
            text = f"{line.rstrip(' ')}{self._blank * _blanks_after(line)}" if self._blank else line
            yield _verbatim((f"{step.first_number + index:>8} │{begin}", "dim"), (text, ""))
        if isinstance(step.then, Typed):
            typed = readable(step.then.line)
            yield _verbatim(("     typed: ", ""), (typed, "bold cyan") if typed else ("nothing, only Enter", "dim"))
        for rule in step.rules:
            yield _hanging(_rule_sentence(rule), style="green")
        if step.then is None:
            yield _hanging(walkthrough.ending)


def _before(event: Event) -> str:
    match event:
        case Paused(duration_ms):
            return f"pauses for {duration_of(duration_ms).removesuffix('s')} s"
        case InputEnded():
            return "tries to read a line, but the input has ended"
    return "reads a line"


def _reads_later(steps: Sequence[WalkthroughStep]) -> bool:
    return any(isinstance(step.then, Typed | InputEnded) for step in steps)


def _blanks_after(line: str) -> int:
    return len(line) - len(line.rstrip(" "))


def _rule_sentence(rule: AppliedRule) -> str:
    where = f"line {rule.first_line}"
    if rule.last_line > rule.first_line:
        where = f"lines {rule.first_line} to {rule.last_line}"
    return f"rule “{rule.name}” applies ({where}){f': {rule.words}' if rule.words else ''}"


def _listed(draws: Sequence[str]) -> str:
    left = len(draws) - _MAX_DRAWS
    return ", ".join(draws[:_MAX_DRAWS]) + (f" and {left} more" if left > 0 else "")


def _indented(text: Text) -> Padding:
    return Padding(text, (0, 0, 0, 2), expand=False)


def _hanging(sentence: str, style: str = "") -> Padding:
    return Padding(Text(sentence, style=style), (0, 0, 0, 5), expand=False)


class _VerbatimParts:
    """A line that is never wrapped."""

    def __init__(self, *parts: tuple[str, str]) -> None:
        self._parts = parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for text, style in self._parts:
            yield Segment(text, console.get_style(style) if style else None)
        yield Segment.line()


def _verbatim(*parts: tuple[str, str]) -> _VerbatimParts:
    return _VerbatimParts(*parts)
