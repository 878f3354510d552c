"""Formats conversations for the terminal, as rich text: up to the difference of two sessions, or a whole session."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.text import Text

from pitboss.model.transcript import Event
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
            yield Padding(line, (0, 0, 0, 2), expand=False)


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
