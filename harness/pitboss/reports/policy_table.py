"""What another grading policy would change, for people in the terminal."""

from __future__ import annotations

from fractions import Fraction

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.gradebook.grades import GradeLine
from pitboss.gradebook.number_format import format_number
from pitboss.gradebook.policy_effects import Distribution, PolicyChange, PolicyEffect, distribution_of
from pitboss.reports.score_words import score_words


def policy_table(change: PolicyChange, *, has_details: bool) -> Group:
    """Returns a row for each person whose score would change, with details the lines that differ; then the class."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("name")
    for head in ("now", "then", ""):
        table.add_column(head, justify="right")
    if has_details:
        table.add_column("what differs")
    for one in change.changes:
        if one.is_changed:
            difference = _signed(one.difference) if one.difference is not None else ""
            lines = [_lines_of(one)] if has_details else []
            table.add_row(Text(one.name), score_words(one.old), score_words(one.new), difference, *lines)
    parts: list[Table | Text] = [table, Text()] if table.row_count else []
    counts = f"{change.up} would rise, {change.down} would fall, {change.same} would stay"
    parts.append(Text(f"{counts}, of {change.not_known} it is not known" if change.not_known else counts))
    both = [one for one in change.changes if one.difference is not None]
    old, new = (distribution_of(getattr(one, name) for one in both) for name in ("old", "new"))
    return Group(*parts, _distribution(old, new))


def _lines_of(change: PolicyEffect) -> Text:
    """The lines of the sum now and then that differ."""
    lines = [*(_line("−", line) for line in change.old_lines), *(_line("+", line) for line in change.new_lines)]
    return Text("\n".join(lines), style="dim")


def _line(sign: str, line: GradeLine) -> str:
    return f"{sign} {line.text}: {format_number(line.amount)}"


def _signed(difference: Fraction) -> str:
    return f"{'+' if difference > 0 else ''}{format_number(difference)}"


def _distribution(old: Distribution, new: Distribution) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("of those that are final in both")
    for head in ("now", "then"):
        table.add_column(head, justify="right")
    for name in ("lowest", "median", "mean", "highest"):
        table.add_row(name, *(_number(getattr(one, name)) for one in (old, new)))
    return table


def _number(number: Fraction | None) -> str:
    return "" if number is None else format_number(number)
