"""A table for the terminal of the changes that another grading policy would make to the scores of a class."""

from __future__ import annotations

from fractions import Fraction

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.gradebook.grades import GradeLine, format_number
from pitboss.gradebook.policy_effects import Distribution, PolicyChange, PolicyEffect, distribution_of
from pitboss.reports.score_words import score_words


def policy_table(change: PolicyChange, *, has_details: bool) -> Group:
    """Returns a table with a row for each person whose score would change, then a summary of the class.

    With details, each row contains the changed lines of the grade.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("name")
    for heading in ("now", "then", ""):
        table.add_column(heading, justify="right")
    if has_details:
        table.add_column("changed lines")
    for effect in change.effects:
        if effect.is_changed:
            difference = _signed(effect.difference) if effect.difference is not None else ""
            details = [_changed_lines(effect)] if has_details else []
            table.add_row(Text(effect.name), score_words(effect.old), score_words(effect.new), difference, *details)
    parts: list[Table | Text] = [table, Text()] if table.row_count else []
    counts = f"{change.up} would rise, {change.down} would fall, {change.same} would stay"
    parts.append(Text(f"{counts}, {change.unknown_changes} unknown" if change.unknown_changes else counts))
    # Only people whose scores are final under both policies: both distributions are about the same people.
    final = [effect for effect in change.effects if effect.difference is not None]
    old, new = (distribution_of(getattr(effect, name) for effect in final) for name in ("old", "new"))
    return Group(*parts, _distribution_table(old, new))


def _changed_lines(effect: PolicyEffect) -> Text:
    """Returns the lines that the new policy would remove from a grade (−) and add to it (+)."""
    lines = [
        *(_line_text("−", line) for line in effect.old_lines),
        *(_line_text("+", line) for line in effect.new_lines),
    ]
    return Text("\n".join(lines), style="dim")


def _line_text(sign: str, line: GradeLine) -> str:
    return f"{sign} {line.text}: {format_number(line.amount)}"


def _signed(difference: Fraction) -> str:
    return f"{'+' if difference > 0 else ''}{format_number(difference)}"


def _distribution_table(old: Distribution, new: Distribution) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("scores final under both policies")
    for heading in ("now", "then"):
        table.add_column(heading, justify="right")
    for name in ("lowest", "median", "mean", "highest"):
        table.add_row(name, *(_number(getattr(distribution, name)) for distribution in (old, new)))
    return table


def _number(number: Fraction | None) -> str:
    return "" if number is None else format_number(number)
