"""Divides a conversation into steps. A step ends with a typed line, the last step ends with the conversation."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.compare.results import Result
from pitboss.reports.screen import Line, PieceKind, cut_end, screen_difference, screen_lines, without_middles

#: The maximum number of lines of a session and of columns of a line to show.
_MAX_LINES, _MAX_COLUMNS = 2_000, 2_000


class Step(NamedTuple):
    """The lines of the screen from one typed line to the next."""

    number: int
    lines: list[Line]
    #: Whether the session first differs from the expected session in this step.
    has_difference: bool


class Steps(NamedTuple):
    """The steps of a session."""

    steps: list[Step]
    #: The number of lines that are not displayed.
    more: int


def steps_of(result: Result) -> Steps:
    """Returns the program's conversation in steps.

    Long lines and long conversations are cut at the end, very long texts in the middle.
    """
    shortened, omitted_count = without_middles(result.actual.events, _MAX_LINES, _MAX_COLUMNS)
    lines = screen_lines(shortened)
    if lines and not lines[-1]:
        lines.pop()
    # The number of the line with the difference: the last line if the session only ends too early.
    difference_number = min(screen_difference(result.difference).number, len(lines)) if result.difference else 0
    steps: list[Step] = []
    pending: list[Line] = []
    has_difference = False
    for number, line in enumerate(lines[:_MAX_LINES], 1):
        pending.append(cut_end(line, _MAX_COLUMNS))
        has_difference |= number == difference_number
        if any(piece.kind is PieceKind.TYPED for piece in line):
            steps.append(Step(len(steps) + 1, pending, has_difference))
            pending, has_difference = [], False
    if pending:
        steps.append(Step(len(steps) + 1, pending, has_difference))
    return Steps(steps, max(0, len(lines) - _MAX_LINES) + omitted_count)
