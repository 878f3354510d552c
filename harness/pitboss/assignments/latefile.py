"""Loads the `late:` table of a grading policy: how each day early or late changes the score."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from pitboss.assignments import keys
from pitboss.assignments.grading_policy import LateRow
from pitboss.assignments.nodes import named_entries
from pitboss.assignments.numbers import score_change
from pitboss.assignments.yamlfile import Keyed, Node
from pitboss.errors import SpecError, as_found, did_you_mean

_EXAMPLES = ("1 day early", keys.ON_TIME, "1 day late", "2 days late")


def late_rows_in(node: Node) -> tuple[LateRow, ...]:
    """Returns the rows of the `late:` table in a node, the earliest day first.

    If the table has no row for on-time submissions, a row without a change is added. Raises SpecError for any mistake,
    and if a submission on a later day would get more of its score than on an earlier day.
    """
    rows = named_entries(node, "late")
    if not rows.entries:
        raise SpecError(f"{node.place}: late is an empty mapping — give rows such as 1 day late: -10%")
    row_texts: dict[int, str] = {}
    rows_by_day: dict[int, LateRow] = {}
    for row_text, value in rows.entries.items():
        days = _days(row_text, rows)
        if days in row_texts:
            raise SpecError(
                f"{rows.key_places[row_text]}: late has {as_found(row_texts[days])} and {as_found(row_text)} — list "
                "each day only once"
            )
        row_texts[days], rows_by_day[days] = row_text, LateRow(days, score_change(value, row_text))
    rows_by_day.setdefault(0, LateRow(0, Fraction(0)))
    row_texts.setdefault(0, keys.ON_TIME)
    for days, next_days in pairwise(sorted(rows_by_day)):
        if rows_by_day[next_days].change > rows_by_day[days].change:
            # The row for on-time submissions has no location if it was added above.
            location = rows.key_places.get(row_texts[next_days]) or rows.key_places[row_texts[days]]
            raise SpecError(
                f"{location}: {row_texts[next_days]} leaves more of the score than {row_texts[days]} — a later day "
                "must not leave more than an earlier one"
            )
    return tuple(rows_by_day[days] for days in sorted(rows_by_day))


def _days(row_text: str, rows: Keyed) -> int:
    """Returns how many days late a row is for, such as 2 for `2 days late`; negative for an early day, 0 for on time.

    `rows` is the whole table, for the location in a SpecError.
    """
    if row_text == keys.ON_TIME:
        return 0
    match = re.fullmatch(keys.DAYS, row_text)
    if match is None:
        raise SpecError(
            f"{rows.key_places[row_text]}: late has an unknown row {as_found(row_text)} — write rows like "
            f"{', '.join(_EXAMPLES)}{did_you_mean(row_text, _EXAMPLES)}"
        )
    return int(match[1]) * (-1 if match[2] == "early" else 1)
