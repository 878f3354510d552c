"""Findings about the source of draws, which no single session's text shows."""

from __future__ import annotations

from collections.abc import Sequence

from harness.assignments.assignment import Draws

#: An event with a lower probability than this in a right program counts as a mistake: it does not happen once in the
#: career of an instructor who checks a thousand submissions a day.
_NEVER = 1e-9
#: How many draws at the beginning of each session are compared.
_SAME_DRAWS = 4

Readings = Sequence[tuple[str | None, ...]]


def twice_in_a_bag(source: Draws, draws: Sequence[str | None]) -> str:
    """A sentence on a draw that comes twice from one bag; empty if there is none."""
    for start in range(0, len(draws), source.bag or len(draws) or 1):
        seen: dict[str, int] = {}
        for number, draw in enumerate(draws[start : start + source.bag], start + 1):
            if draw is not None and draw in seen:
                return (
                    f"It drew {draw} twice, as number {seen[draw]} and as number {number}: "
                    f"among {source.bag} draws each comes once."
                )
            if draw is not None:
                seen[draw] = number
    return ""


def begins_alike(source: Draws, readings: Readings) -> bool:
    """Whether all sessions begin with the same draws, and chance cannot explain that.

    A program may take the time in seconds as its seed, so two sessions in a row count as one try.
    """
    heads = [reading[:_SAME_DRAWS] for reading in readings if reading]
    longest = max(heads, key=len, default=())
    if any(head != longest[: len(head)] for head in heads):
        return False
    tries = heads[1::2]
    return len(source.values) ** -float(sum(len(head) for head in tries)) < _NEVER if tries else False


def never_drawn(source: Draws, readings: Readings) -> tuple[str, ...]:
    """The values that were never drawn."""
    drawn = {draw for reading in readings for draw in reading}
    return tuple(value for value in source.values if value not in drawn)


def is_no_chance(source: Draws, readings: Readings) -> bool:
    """Whether there were so many draws that a missing value is not due to chance.

    With n values, each draw gives a missing one with probability at least 1/n, whatever came before and whenever one
    stops: drawing without replacement only raises the probability.
    """
    return (1 - 1 / len(source.values)) ** _count(readings) * len(source.values) < _NEVER


def about_never_drawn(source: Draws, readings: Readings) -> str:
    """A sentence on the values that were never drawn; empty if there are none, or if that may be chance."""
    missing = never_drawn(source, readings)
    if not missing or not is_no_chance(source, readings):
        return ""
    never = f"{', '.join(missing[:-1])} and {missing[-1]}" if len(missing) > 1 else missing[0]
    return f"In {_count(readings)} draws over {len(readings)} sessions {never} never came."


def _count(readings: Readings) -> int:
    return sum(draw is not None for reading in readings for draw in reading)
