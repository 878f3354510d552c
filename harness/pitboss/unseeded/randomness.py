"""Findings about a program's source of randomness, which no single session shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import takewhile

from pitboss.assignments.assignment import Draws
from pitboss.compare.findings import DrawnTwice

#: An event less probable than this in a correct program counts as a mistake: it does not happen in the career of an
#: instructor who checks a thousand submissions a day.
NEVER = 1e-9
#: If a value never came, or draws may not be random, more sessions are run, up to this many times the stage's maximum:
#: with one draw of 50 values in each session, it takes 1,122 sessions to be sure.
MAX_TIMES = 20
#: How many draws at the beginning of each session are compared.
_SAME_DRAWS = 4

Readings = Sequence[tuple[str | None, ...]]


def twice_in_a_bag(source: Draws, draws: Sequence[str | None]) -> DrawnTwice | None:
    """Returns the first value that is drawn twice from one bag; None if there is no such value."""
    for start in range(0, len(draws), source.bag or len(draws) or 1):
        seen: dict[str, int] = {}
        for number, draw in enumerate(draws[start : start + source.bag], start + 1):
            if draw is not None and draw in seen:
                return DrawnTwice(draw, seen[draw], number, source.bag)
            if draw is not None:
                seen[draw] = number
    return None


def about_beginnings(source: Draws, readings: Readings) -> str:
    """Returns a sentence if all sessions begin with the same draws, and chance cannot explain that; else empty.

    A program may use the time in seconds as its seed, so two sessions in a row count as one try. A draw that was not
    shown is no evidence.
    """
    heads = [reading[:_SAME_DRAWS] for reading in readings if reading]
    by_place = [_draws_at(place, heads) for place in range(_SAME_DRAWS)]
    if any(len(set(draws)) > 1 for draws in by_place):
        return ""
    repeated = 0
    for place in range(_SAME_DRAWS):
        tries = len(_draws_at(place, heads[1::2]))
        # A draw that no earlier session showed is not a repetition.
        repeated += tries if _draws_at(place, heads[::2]) else max(0, tries - 1)
    if source.max_chance**repeated >= NEVER:
        return ""
    begins = ", ".join(draws[0] for draws in takewhile(len, by_place))
    return f"Every session draws the same{begins and f', beginning with {begins}'}: each run must draw new values."


def _draws_at(place: int, heads: Readings) -> list[str]:
    """The draws at the same index of each session, without draws that were not shown."""
    return [draw for head in heads for draw in head[place : place + 1] if draw is not None]


def never_drawn(source: Draws, readings: Readings) -> tuple[str, ...]:
    """Returns the values that were never drawn."""
    drawn = {draw for reading in readings for draw in reading}
    return tuple(value for value in source.values if value not in drawn)


def is_no_chance(source: Draws, readings: Readings) -> bool:
    """Whether there were so many draws that chance cannot explain a missing value.

    In each draw, a missing value has at least the probability of the rarest value, regardless of earlier draws
    and of when one stops: drawing without replacement only raises it.
    """
    return _is_no_chance(source, _count(readings))


def can_be_concluded(source: Draws, readings: Readings, times: float) -> bool:
    """Whether a missing value would be reported as not due to chance after `times` as many sessions like these."""
    return _is_no_chance(source, _count(readings) * times)


def _is_no_chance(source: Draws, draws: float) -> bool:
    return len(source.values) * math.pow(1 - source.least_chance, draws) < NEVER


def about_never_drawn(source: Draws, readings: Readings) -> str:
    """Returns a sentence on the values that were never drawn; empty if all were, or if that may be chance."""
    missing = never_drawn(source, readings)
    if not missing or not is_no_chance(source, readings):
        return ""
    never = f"{', '.join(missing[:-1])} and {missing[-1]}" if len(missing) > 1 else missing[0]
    return f"In {_count(readings)} draws over {len(readings)} sessions {never} never came."


def _count(readings: Readings) -> int:
    return sum(draw is not None for reading in readings for draw in reading)
