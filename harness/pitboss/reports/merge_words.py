"""Sentences on the result of merging a copy of a gradebook into the gradebook."""

from __future__ import annotations

from collections.abc import Iterator

from pitboss.errors import listed
from pitboss.gradebook.marking import Conflict, Merged
from pitboss.gradebook.people import Mark
from pitboss.reports.mark_words import count_text, mark_as_text


def merge_sentences(called: str, merged: Merged, names: dict[str, str]) -> Iterator[str]:
    """Yields sentences on what was merged from a copy and what was not, then a sentence on each conflict.

    `called` is the name of the copy in the sentences; `names` maps the keys of people to their names.
    """
    already_clause = (
        f"; {merged.already_present} {'was' if merged.already_present == 1 else 'were'} already in the gradebook"
        if merged.already_present
        else ""
    )
    people_clause = f" for {count_text(merged.people, 'person', 'people')}" if merged.added else ""
    yield f"{called}: {count_text(merged.added, 'mark', 'marks')}{people_clause} added{already_clause}"
    for person in merged.unknown:
        yield f"{called}: {person.name} ({person.key}) is not in the gradebook: the marks were not merged"
    if merged.other_items:
        yield f"{called}: its rubric differs in {listed(merged.other_items)}; the gradebook's items are used"
    for conflict in merged.conflicts:
        yield _conflict_sentence(conflict, names[conflict.person.key])


def _conflict_sentence(conflict: Conflict, name: str) -> str:
    label = mark_as_text(conflict.in_effect).label
    return (
        f"{name}: {label} {_value_and_author(conflict.in_effect)} is used, not {_value_and_author(conflict.overridden)}"
    )


def _value_and_author(mark: Mark) -> str:
    mark_text = mark_as_text(mark)
    return f"{mark_text.value} by {mark_text.by} ({mark_text.at})"
