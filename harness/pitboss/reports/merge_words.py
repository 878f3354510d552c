"""Sentences on the result of merging a copy of a gradebook."""

from __future__ import annotations

from collections.abc import Iterator

from pitboss.errors import listed
from pitboss.gradebook.merging import Conflict, Merged
from pitboss.gradebook.person_records import Mark
from pitboss.reports.mark_words import count_text, worded_mark


def merge_sentences(called: str, merged: Merged, names: dict[str, str]) -> Iterator[str]:
    """Sentences on the copy, which messages call `called`, then on each conflict; `names` maps keys to names."""
    present = (
        f"; {merged.already_present} {'was' if merged.already_present == 1 else 'were'} there already"
        if merged.already_present
        else ""
    )
    people = f" for {count_text(merged.people, 'person', 'people')}" if merged.added else ""
    yield f"{called}: {count_text(merged.added, 'mark', 'marks')}{people} added{present}"
    for person in merged.unknown:
        yield f"{called}: {person.name} ({person.key}) is not in the gradebook: the marks were not merged"
    if merged.other_items:
        yield f"{called}: its rubric differs in {listed(merged.other_items)}; the gradebook's items are used"
    for conflict in merged.conflicts:
        yield _conflict_sentence(conflict, names[conflict.person.key])


def _conflict_sentence(conflict: Conflict, name: str) -> str:
    label = worded_mark(conflict.counts).what
    return f"{name}: {label} {_value_by(conflict.counts)} is used, not {_value_by(conflict.overridden)}"


def _value_by(mark: Mark) -> str:
    worded = worded_mark(mark)
    return f"{worded.value} by {worded.by} ({worded.at})"
