"""A conversation as steps: what the program showed, and the line that was typed then."""

from __future__ import annotations

from typing import NamedTuple

from pitboss.compare.results import Result
from pitboss.reports.fitting import cut_end, without_middles
from pitboss.reports.screen import Line, PieceKind, parting_of, screen_lines

#: The maximum number of lines of a session, and columns of a line, that are shown.
_MAX_LINES, _LONGEST = 2_000, 2_000


class Step(NamedTuple):
    """What stands on the screen from one typed line to the next."""

    number: int
    lines: list[Line]
    #: Whether the session parts from the expected one here.
    parts: bool


class Steps(NamedTuple):
    """A session."""

    steps: list[Step]
    #: How many further lines it has.
    more: int


def steps_of(result: Result) -> Steps:
    """The program's conversation in steps; very long lines lose their ends, and a very long one its end."""
    near, left_out = without_middles(result.actual.events, _MAX_LINES, _LONGEST)
    lines = screen_lines(near)
    if lines and not lines[-1]:
        lines.pop()
    # What parts only by its end does so where it ends.
    parting = min(parting_of(result.difference).number, len(lines)) if result.difference else 0
    steps: list[Step] = []
    pending: list[Line] = []
    has_parted = False
    for number, line in enumerate(lines[:_MAX_LINES], 1):
        pending.append(cut_end(line, _LONGEST))
        has_parted |= number == parting
        if any(piece.kind is PieceKind.TYPED for piece in line):
            steps.append(Step(len(steps) + 1, pending, has_parted))
            pending, has_parted = [], False
    if pending:
        steps.append(Step(len(steps) + 1, pending, has_parted))
    return Steps(steps, max(0, len(lines) - _MAX_LINES) + left_out)
