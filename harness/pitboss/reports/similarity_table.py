"""The pairs of submissions that share passages, as a table in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.reports.similarity.works import Comparison
from pitboss.reports.similarity_page import SAME_PERSON, percentage, remarks


def similarity_table(comparison: Comparison, notes: Sequence[str] = ()) -> Group:
    """Returns a table with a row for each pair, the most similar pair first.

    Below the table are remarks on what was compared and left out, and `notes`.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("submission", "shared", "other submission", "shared", "passages"):
        table.add_column(name, justify="left" if name in ("submission", "other submission") else "right")
    for pair in comparison.pairs:
        table.add_row(
            Text(pair.left.title),
            percentage(pair.share_of_left),
            Text(f"{pair.right.title}, {SAME_PERSON}" if pair.is_same_person else pair.right.title),
            percentage(pair.share_of_right),
            f"{len(pair.passages):,}",
        )
    parts: list[Table | Text] = [table, Text()] if comparison.pairs else []
    return Group(*parts, *(Text(remark) for remark in (*remarks(comparison), *notes)))
