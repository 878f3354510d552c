"""Loads the `late:` table of a grading policy: how each day early or late changes the score."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from pitboss.assignments import keys
from pitboss.assignments.grading_policy import LateRow
from pitboss.assignments.nodes import named
from pitboss.assignments.numbers import change
from pitboss.assignments.yamlfile import Keyed, Node
from pitboss.errors import SpecError, as_found, near

_EXAMPLES = ("1 day early", keys.ON_TIME, "1 day late", "2 days late")


def late_rows_in(node: Node) -> tuple[LateRow, ...]:
    """Returns the rows of a late table, the earliest day first.

    Without a row for it, an on-time submission keeps its score. Raises SpecError for any mistake, and if a later day
    would leave more than an earlier one.
    """
    given = named(node, "late")
    if not given.entries:
        raise SpecError(f"{node.place}: late is an empty mapping — it has rows such as 1 day late: -10%")
    words: dict[int, str] = {}
    rows: dict[int, LateRow] = {}
    for found, value in given.entries.items():
        days = _days(found, given)
        if days in words:
            raise SpecError(
                f"{given.key_places[found]}: late has {as_found(words[days])} and {as_found(found)} — list each day "
                "only once"
            )
        words[days], rows[days] = found, LateRow(days, change(value, found))
    rows.setdefault(0, LateRow(0, Fraction(0)))
    words.setdefault(0, keys.ON_TIME)
    for days, after in pairwise(sorted(rows)):
        if rows[after].change > rows[days].change:
            place = given.key_places.get(words[after]) or given.key_places[words[days]]
            raise SpecError(
                f"{place}: {words[after]} leaves more of the score than {words[days]} — a later day must not leave "
                "more than an earlier one"
            )
    return tuple(rows[days] for days in sorted(rows))


def _days(found: str, given: Keyed) -> int:
    """How many days late a row is for, negative if early."""
    days = re.fullmatch(keys.DAYS, found)
    if found == keys.ON_TIME:
        return 0
    if days is None:
        raise SpecError(
            f"{given.key_places[found]}: late has an unknown row {as_found(found)} — write rows like "
            f"{', '.join(_EXAMPLES)}{near(found, _EXAMPLES)}"
        )
    return int(days[1]) * (-1 if days[2] == "early" else 1)
