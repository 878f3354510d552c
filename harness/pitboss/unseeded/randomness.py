"""Findings about a program's source of randomness that no single session shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import takewhile

from pitboss.assignments.assignment import Draws
from pitboss.compare.findings import DrawnTwice

#: An event that is less probable than this in a correct program is reported as a mistake: such an event does not happen
#: in the career of an instructor who checks a thousand submissions a day.
NEVER = 1e-9
#: If a value never came, or draws may not be random, more sessions are run, up to this many times the stage's maximum:
#: with one draw of 50 values in each session, it takes 1,122 sessions to be sure.
MAX_TIMES = 20
#: How many draws at the beginning of each session are compared.
_COMPARED_DRAWS = 4

#: The draws of each session; None for a draw that was not shown.
DrawsOfSessions = Sequence[tuple[str | None, ...]]


def twice_in_a_bag(source: Draws, draws: Sequence[str | None]) -> DrawnTwice | None:
    """Returns the first value that is drawn twice from one bag; None if there is no such value, or no bag."""
    if not source.bag:
        return None
    for start in range(0, len(draws), source.bag):
        first_numbers: dict[str, int] = {}
        for number, draw in enumerate(draws[start : start + source.bag], start + 1):
            if draw is not None and draw in first_numbers:
                return DrawnTwice(draw, first_numbers[draw], number, source.bag)
            if draw is not None:
                first_numbers[draw] = number
    return None


def about_beginnings(source: Draws, draws_of_sessions: DrawsOfSessions) -> str:
    """Returns a sentence if all sessions begin with the same draws, and chance cannot explain that; else empty.

    A program may use the time in seconds as its seed, and two sessions in a row may run in the same second. So only
    every second session counts as a try. A draw that was not shown is no evidence.
    """
    beginnings = [draws[:_COMPARED_DRAWS] for draws in draws_of_sessions if draws]
    draws_by_index = [_draws_at(index, beginnings) for index in range(_COMPARED_DRAWS)]
    if any(len(set(draws)) > 1 for draws in draws_by_index):
        return ""
    repeated = 0
    for index in range(_COMPARED_DRAWS):
        tries = len(_draws_at(index, beginnings[1::2]))
        # If none of the sessions between the tries shows the draw, the first try has nothing to repeat.
        repeated += tries if _draws_at(index, beginnings[::2]) else max(0, tries - 1)
    if source.max_probability**repeated >= NEVER:
        return ""
    common_draws = ", ".join(draws[0] for draws in takewhile(len, draws_by_index))
    beginning = f", beginning with {common_draws}" if common_draws else ""
    return f"Every session draws the same{beginning}: each run must draw new values."


def _draws_at(index: int, beginnings: DrawsOfSessions) -> list[str]:
    """The draw at this index of each session, without draws that were not shown."""
    return [draw for beginning in beginnings for draw in beginning[index : index + 1] if draw is not None]


def never_drawn(source: Draws, draws_of_sessions: DrawsOfSessions) -> tuple[str, ...]:
    """Returns the values that were never drawn."""
    drawn = {draw for draws in draws_of_sessions for draw in draws}
    return tuple(value for value in source.values if value not in drawn)


def has_enough_draws(source: Draws, draws_of_sessions: DrawsOfSessions) -> bool:
    """Whether there were so many draws that chance cannot explain a missing value.

    In each draw, a missing value has at least the probability of the rarest value, regardless of earlier draws and of
    when the sessions stop: drawing without replacement only raises the probability.
    """
    return _cannot_be_chance(source, _count(draws_of_sessions))


def would_have_enough_draws(source: Draws, draws_of_sessions: DrawsOfSessions, times: float) -> bool:
    """Whether a missing value could no longer be due to chance after `times` as many sessions as these."""
    return _cannot_be_chance(source, _count(draws_of_sessions) * times)


def _cannot_be_chance(source: Draws, draw_count: float) -> bool:
    """Whether chance cannot explain a missing value after so many draws."""
    return len(source.values) * math.pow(1 - source.min_probability, draw_count) < NEVER


def about_never_drawn(source: Draws, draws_of_sessions: DrawsOfSessions) -> str:
    """Returns a sentence on the values that were never drawn; empty if all were drawn, or if chance may explain it."""
    missing = never_drawn(source, draws_of_sessions)
    if not missing or not has_enough_draws(source, draws_of_sessions):
        return ""
    missing_text = f"{', '.join(missing[:-1])} and {missing[-1]}" if len(missing) > 1 else missing[0]
    return f"In {_count(draws_of_sessions)} draws over {len(draws_of_sessions)} sessions {missing_text} never came."


def _count(draws_of_sessions: DrawsOfSessions) -> int:
    """The number of draws that were shown."""
    return sum(draw is not None for draws in draws_of_sessions for draw in draws)
