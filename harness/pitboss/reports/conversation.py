"""Formats sessions for the terminal, as rich text: up to the difference of two sessions, whole, or step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

from pitboss.model.notation import duration_of
from pitboss.model.quoting import readable
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed
from pitboss.reports.screen import Line, PieceKind, ScreenDifference, fit_difference, screen_lines, width_of

_STYLES = {PieceKind.SHOWN: "", PieceKind.TYPED: "bold cyan", PieceKind.MARK: "yellow"}
#: Differences are underlined too, for people who cannot distinguish the colours.
_EXPECTED_STYLE, _ACTUAL_STYLE = "bold underline green", "bold underline red"
#: The maximum number of lines of a session that are shown for manual grading.
_MAX_SESSION_LINES = 40
#: The columns in front of a line of a conversation: its number, and a vertical line.
_GUTTER = 11
#: The columns that the line with carets may have even in a narrower terminal.
_MIN_CARET_COLUMNS = 20


class Conversation:
    """The conversation up to a difference, fitted to the terminal's width."""

    def __init__(self, difference: ScreenDifference) -> None:
        self._difference = difference

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in difference_lines(self._difference, options.max_width - _GUTTER - 2):
            yield Padding.indent(line, 2)


class WholeSession:
    """A whole session, fitted to the terminal's width; a long session loses its middle."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._lines: list[Line] = screen_lines(events)
        while self._lines and not self._lines[-1]:
            self._lines.pop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines: list[Line | None] = [*self._lines]
        hidden_count, half = len(lines) - _MAX_SESSION_LINES, _MAX_SESSION_LINES // 2
        if hidden_count > 0:
            lines[half:-half] = [None]
        for line in lines:
            pieces = [(f"… {hidden_count:,} more lines …", "dim")] if line is None else _pieces(line)
            text = Text.assemble(("  │ ", "dim"), *pieces)
            text.truncate(options.max_width, overflow="ellipsis")
            yield text


def difference_lines(difference: ScreenDifference, columns: int) -> list[Text]:
    """Returns the conversation up to a difference, then both differing lines, and carets under the difference.

    Each line takes at most `columns`, not counting the gutter.
    """
    difference = fit_difference(difference, columns, cell_len)
    lines = [
        Text.assemble((f"{number:>8} │ ", "dim"), *_pieces(line))
        for number, line in enumerate(difference.context, difference.first_number)
    ]
    start, remainder = difference.actual
    if difference.expected is not None:
        expected_pieces = (*difference.expected[0], *difference.expected[1])
        lines.append(Text.assemble(("expected", "green"), (" │ ", "dim"), *_pieces(expected_pieces, _EXPECTED_STYLE)))
    lines.append(Text.assemble(("   yours", "red"), (" │ ", "dim"), *_pieces((*start, *remainder), _ACTUAL_STYLE)))
    differing = width_of(tuple(piece for piece in remainder if piece.differs), cell_len)
    carets = _carets(
        width_of(start, cell_len), max(1, differing), f"line {difference.number}", max(_MIN_CARET_COLUMNS, columns)
    )
    return [*lines, Text(" " * _GUTTER + carets, style="dim")]


def _carets(before: int, count: int, label: str, columns: int) -> str:
    """Returns `count` carets after `before` columns, and a label where `columns` have room for it.

    The label is after the carets; without room for it there, before them; without room there either, after the carets,
    of which some are left out.
    """
    carets = "^" * max(1, min(count, columns - before))
    if before + len(carets) + 1 + len(label) <= columns:
        return f"{' ' * before}{carets} {label}"
    if before > len(label):
        return f"{label:>{before - 1}} {carets}"
    return f"{' ' * before}{'^' * max(1, columns - before - 1 - len(label))} {label}"


def _pieces(line: Line, difference_style: str = "") -> list[tuple[str, str]]:
    return [(piece.text, difference_style if piece.differs else _STYLES[piece.kind]) for piece in line]


# A session explained step by step

#: Marks for a blank at the end of a line; the first mark that no line contains is used.
_BLANK_MARKS = "·␣"
#: The maximum number of draws of a step, and of lines of a file, to show.
_MAX_DRAWS, _MAX_FILE_LINES = 60, 40


class AppliedRule(msgspec.Struct, frozen=True):
    """A rule of the assignment that applies in part of the session."""

    name: str
    #: The first line of the screen on which the rule applies, counted from 1.
    first_line: int
    #: The last line of the screen on which the rule applies.
    last_line: int
    #: The rule in the instructor's words; empty if the instructor gave no words.
    words: str = ""


class WalkthroughStep(msgspec.Struct, frozen=True):
    """What a program shows until the next typed line, pause, end of input or end of the session."""

    #: The lines that the program shows in this step, in order.
    lines: tuple[str, ...]
    #: The screen line number of the first line in `lines`.
    first_number: int
    #: Whether the first line continues the last line of the previous step.
    continues_line: bool
    #: The typed line, pause or end of input that ends the step; None if the session ends.
    next_event: Event | None
    #: The draws until the next typed line. Only the first step, and the first step after each typed line, have draws.
    draws: tuple[str, ...] = ()
    rules: tuple[AppliedRule, ...] = ()


class Walkthrough(msgspec.Struct, frozen=True):
    """A session, explained."""

    title: str
    #: Sentences that the reader needs before the session.
    before: tuple[str, ...]
    steps: tuple[WalkthroughStep, ...]
    #: A sentence on how the session ends.
    ending: str
    #: Files that the program wrote, with their contents as text.
    files: tuple[tuple[str, str], ...] = ()
    #: Sentences that the reader needs after the session.
    after: tuple[str, ...] = ()
    #: Commands, each after its label.
    commands: tuple[tuple[str, str], ...] = ()


def steps_of(
    events: Sequence[Event], draws: Sequence[Sequence[str]] = (), rules: Sequence[AppliedRule] = ()
) -> tuple[WalkthroughStep, ...]:
    """Returns the steps of a session, with their draws and rules.

    `draws` has a group of draws before the first typed line, and then a group after each typed line.
    """
    steps = list(_plain_steps(events))
    for rule in sorted(rules, key=lambda rule: (rule.last_line, rule.first_line, rule.name)):
        # The last step that begins on the rule's last line or above that line.
        index = max(
            step_index for step_index, step in enumerate(steps) if not step_index or step.first_number <= rule.last_line
        )
        steps[index] = msgspec.structs.replace(steps[index], rules=(*steps[index].rules, rule))
    first_steps = [0, *(step_index + 1 for step_index, step in enumerate(steps) if isinstance(step.next_event, Typed))]
    for index, draw_group in zip(first_steps, draws, strict=False):
        if draw_group and index < len(steps):
            steps[index] = msgspec.structs.replace(steps[index], draws=tuple(draw_group))
    return tuple(steps)


def _plain_steps(events: Sequence[Event]) -> Iterator[WalkthroughStep]:
    """Yields the steps of a session, without draws and rules."""
    text, line_number, continues_line = "", 1, False
    for event in (*events, None):
        if isinstance(event, Shown):
            text += readable(event.text)
            continue
        lines = text.split("\n")
        is_unfinished = bool(lines[-1])
        if not is_unfinished:
            lines.pop()
        yield WalkthroughStep(tuple(lines), line_number, continues_line and bool(lines), event)
        ended_lines = text.count("\n") + (1 if isinstance(event, Typed) else 0)
        continues_line = not isinstance(event, Typed) and (is_unfinished or (continues_line and not text))
        line_number, text = line_number + ended_lines, ""


class StepByStep:
    """A walkthrough in the terminal; the program's lines are never wrapped."""

    def __init__(self, walkthrough: Walkthrough) -> None:
        self._walkthrough = walkthrough
        lines = [line for step in walkthrough.steps for line in step.lines]
        self._blank_mark = next((mark for mark in _BLANK_MARKS if not any(mark in line for line in lines)), "")
        self._has_blanks = bool(self._blank_mark) and any(line.endswith(" ") for line in lines)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        walkthrough = self._walkthrough
        yield Text(walkthrough.title, style="bold")
        yield Text()
        for sentence in walkthrough.before:
            yield Padding.indent(Text(sentence), 2)
        if self._has_blanks:
            yield Padding.indent(Text(f"{self._blank_mark} is a blank at the end of a line."), 2)
        for number, step in enumerate(walkthrough.steps, 1):
            yield Text()
            yield from self._step_parts(number, step, walkthrough)
        for name, content in walkthrough.files:
            yield Text()
            yield Padding.indent(Text.assemble("Afterwards ", (name, "bold"), " contains:"), 2)
            lines = content.split("\n")
            omitted = len(lines) - _MAX_FILE_LINES
            for line in lines[:_MAX_FILE_LINES] + ([f"… {omitted} more lines"] if omitted > 0 else []):
                yield VerbatimLine(("     │ ", "dim"), (line, ""))
        if walkthrough.after or walkthrough.commands:
            yield Text()
        for sentence in walkthrough.after:
            yield Padding.indent(Text(sentence), 2)
        for label, command in walkthrough.commands:
            yield VerbatimLine((f"  {label}: ", ""), (command, "bold"))

    def _step_parts(self, number: int, step: WalkthroughStep, walkthrough: Walkthrough) -> Iterator[RenderableType]:
        event_clause = "ends" if step.next_event is None else _event_clause(step.next_event)
        beginning = "It shows this, and then" if step.lines else "It shows nothing more, and" if number > 1 else "It"
        yield Text.assemble((f"{number:>3}  ", "bold"), f"{beginning} {event_clause}{':' if step.lines else '.'}")
        if step.draws:
            end_clause = "it reads the next line" if _reads_later(walkthrough.steps[number - 1 :]) else "its end"
            yield Padding.indent(Text(f"Until {end_clause} it draws, in this order: {_draws_text(step.draws)}"), 5)
        for index, line in enumerate(step.lines):
            margin = "…" if step.continues_line and not index else " "
            text = line.rstrip(" ").ljust(len(line), self._blank_mark) if self._blank_mark else line
            yield VerbatimLine((f"{step.first_number + index:>8} │{margin}", "dim"), (text, ""))
        if isinstance(step.next_event, Typed):
            typed = readable(step.next_event.line)
            yield VerbatimLine(("     typed: ", ""), (typed, "bold cyan") if typed else ("nothing, only Enter", "dim"))
        for rule in step.rules:
            yield Padding.indent(Text(_rule_sentence(rule), style="green"), 5)
        if step.next_event is None:
            yield Padding.indent(Text(walkthrough.ending), 5)


def _event_clause(event: Event) -> str:
    match event:
        case Paused(duration_ms):
            return f"pauses for {duration_of(duration_ms).removesuffix('s')} s"
        case InputEnded():
            return "tries to read a line, but the input has ended"
    return "reads a line"


def _reads_later(steps: Sequence[WalkthroughStep]) -> bool:
    return any(isinstance(step.next_event, Typed | InputEnded) for step in steps)


def _rule_sentence(rule: AppliedRule) -> str:
    location = f"line {rule.first_line}"
    if rule.last_line > rule.first_line:
        location = f"lines {rule.first_line} to {rule.last_line}"
    return f"rule “{rule.name}” applies ({location}){f': {rule.words}' if rule.words else ''}"


def _draws_text(draws: Sequence[str]) -> str:
    omitted = len(draws) - _MAX_DRAWS
    return ", ".join(draws[:_MAX_DRAWS]) + (f" and {omitted} more" if omitted > 0 else "")


class VerbatimLine:
    """A line for rich that is never wrapped; its parts are pairs of a text and a style."""

    def __init__(self, *parts: tuple[str, str]) -> None:
        self._parts = parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for text, style in self._parts:
            yield Segment(text, console.get_style(style) if style else None)
        yield Segment.line()
