"""Divides a conversation into steps. A step ends with a typed line, the last step with the conversation."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.compare.results import Result
from pitboss.reports.fitting import cut_end, without_middles
from pitboss.reports.screen import Line, PieceKind, screen_difference, screen_lines

#: The maximum number of lines of a session and of columns of a line to show.
_MAX_LINES, _MAX_COLUMNS = 2_000, 2_000


class Step(NamedTuple):
    """The lines of the screen from one typed line to the next."""

    number: int
    lines: list[Line]
    #: Whether the session parts from the expected session in this step.
    parts: bool


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
    # A session that differs only by ending early parts at its last line.
    parting_number = min(screen_difference(result.difference).number, len(lines)) if result.difference else 0
    steps: list[Step] = []
    pending: list[Line] = []
    is_parting_step = False
    for number, line in enumerate(lines[:_MAX_LINES], 1):
        pending.append(cut_end(line, _MAX_COLUMNS))
        is_parting_step |= number == parting_number
        if any(piece.kind is PieceKind.TYPED for piece in line):
            steps.append(Step(len(steps) + 1, pending, is_parting_step))
            pending, is_parting_step = [], False
    if pending:
        steps.append(Step(len(steps) + 1, pending, is_parting_step))
    return Steps(steps, max(0, len(lines) - _MAX_LINES) + omitted_count)
