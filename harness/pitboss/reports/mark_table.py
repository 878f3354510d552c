"""What a sheet of marks would change, for people in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from pitboss.errors import shortened
from pitboss.gradebook.book import COMMENT
from pitboss.reports.mark_sheet import MarkChange, PersonChanges
from pitboss.reports.mark_words import counted, kind_words, value_words
from pitboss.reports.score_words import score_words


def mark_table(changes: Sequence[PersonChanges], names: Mapping[str, str]) -> Table:
    """Returns a row for each mark, with the scores beside a person's first; `names` are by the keys of people."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in ("name", "what", "from → to", "score"):
        table.add_column(head)
    for one in changes:
        then, now = (score_words(grade) for grade in (one.before, one.after))
        scores = f"{then} → {now}" if then != now else f"stays {now}"
        for number, change in enumerate(one.changes):
            name, score = ("", "") if number else (names[one.person.key], scores)
            table.add_row(Text(name), Text(kind_words(change.added.kind)), Text(_words(change)), Text(score))
    return table


def count_words(changes: Sequence[PersonChanges]) -> str:
    """How many marks there are, of how many people."""
    marks, people = sum(len(one.changes) for one in changes), len(changes)
    return f"{counted(marks, 'mark', 'marks')} of {counted(people, 'person', 'people')}"


def _words(change: MarkChange) -> str:
    kind, value, _ = change.added
    if kind == COMMENT:
        return f"+ {shortened(' '.join(value.split()))}"
    return f"{value_words(kind, change.now) or 'none'} → {value_words(kind, value) or 'none'}"
