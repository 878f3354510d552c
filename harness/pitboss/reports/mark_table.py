"""The changes that a sheet of marks would make, as a table for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from pitboss.errors import shortened
from pitboss.gradebook.book import COMMENT
from pitboss.reports.mark_sheet import MarkChange, PersonChanges
from pitboss.reports.mark_words import count_text, kind_words, value_words
from pitboss.reports.score_words import score_words


def mark_table(changes: Sequence[PersonChanges], names: Mapping[str, str]) -> Table:
    """Returns a table with a row for each changed mark; a person's first row also has the scores before and after.

    `names` maps the keys of people to their names.
    """
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in ("name", "mark", "from → to", "score"):
        table.add_column(head)
    for person_changes in changes:
        before, after = (score_words(grade) for grade in (person_changes.before, person_changes.after))
        scores = f"{before} → {after}" if before != after else f"stays {after}"
        for number, change in enumerate(person_changes.changes):
            name, score = ("", "") if number else (names[person_changes.person.key], scores)
            table.add_row(Text(name), Text(kind_words(change.added.kind)), Text(_change_text(change)), Text(score))
    return table


def summary_of_changes(changes: Sequence[PersonChanges]) -> str:
    """Returns how many marks change for how many people, such as “3 marks for 2 people”."""
    marks, people = sum(len(person_changes.changes) for person_changes in changes), len(changes)
    return f"{count_text(marks, 'mark', 'marks')} for {count_text(people, 'person', 'people')}"


def _change_text(change: MarkChange) -> str:
    """Returns a mark's values before and after the change, or the beginning of a new comment."""
    kind, value, _ = change.added
    if kind == COMMENT:
        return f"+ {shortened(' '.join(value.split()))}"
    return f"{value_words(kind, change.before) or 'none'} → {value_words(kind, value) or 'none'}"
