"""A conversation as steps: what the program shows, and the line that is typed next."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.compare.results import Result
from pitboss.reports.fitting import cut_end, without_middles
from pitboss.reports.screen import Line, PieceKind, parting_of, screen_lines

#: The maximum number of lines of a session and of columns of a line to show.
_MAX_LINES, _MAX_COLUMNS = 2_000, 2_000


class Step(NamedTuple):
    """The lines of the screen from one typed line to the next."""

    number: int
    lines: list[Line]
    #: Whether the session parts from the expected one here.
    parts: bool


class Steps(NamedTuple):
    """A session as steps."""

    steps: list[Step]
    #: The number of lines that are not displayed.
    more: int


def steps_of(result: Result) -> Steps:
    """The program's conversation in steps; long lines and long conversations are cut at the end."""
    shortened, left_out = without_middles(result.actual.events, _MAX_LINES, _MAX_COLUMNS)
    lines = screen_lines(shortened)
    if lines and not lines[-1]:
        lines.pop()
    # A session that differs only by ending early parts at its last line.
    parting = min(parting_of(result.difference).number, len(lines)) if result.difference else 0
    steps: list[Step] = []
    pending: list[Line] = []
    has_parted = False
    for number, line in enumerate(lines[:_MAX_LINES], 1):
        pending.append(cut_end(line, _MAX_COLUMNS))
        has_parted |= number == parting
        if any(piece.kind is PieceKind.TYPED for piece in line):
            steps.append(Step(len(steps) + 1, pending, has_parted))
            pending, has_parted = [], False
    if pending:
        steps.append(Step(len(steps) + 1, pending, has_parted))
    return Steps(steps, max(0, len(lines) - _MAX_LINES) + left_out)
