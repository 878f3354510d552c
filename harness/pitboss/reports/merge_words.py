"""Sentences on what merging a copy of a gradebook has added and found."""

from __future__ import annotations

from collections.abc import Iterator

from pitboss.errors import listed
from pitboss.gradebook.merging import Conflict, Merged
from pitboss.gradebook.person_records import Mark
from pitboss.reports.mark_words import counted, worded_mark


def merge_sentences(called: str, merged: Merged, names: dict[str, str]) -> Iterator[str]:
    """A sentence on the copy that is `called` so, then one for each conflict; `names` are by the keys of people."""
    there = f"; {merged.there} {'was' if merged.there == 1 else 'were'} there already" if merged.there else ""
    people = f" of {counted(merged.people, 'person', 'people')}" if merged.added else ""
    yield f"{called}: {counted(merged.added, 'mark', 'marks')}{people} added{there}"
    for one in merged.unknown:
        yield f"{called}: {one.name} ({one.key}) is not in the gradebook: the marks stay in {called}"
    if merged.other_items:
        yield f"{called}: its rubric says something else of {listed(merged.other_items)}; the gradebook's counts"
    for conflict in merged.conflicts:
        yield _sentence(conflict, names[conflict.person.key])


def _sentence(conflict: Conflict, name: str) -> str:
    what = worded_mark(conflict.counts).what
    return f"{name}: {what} {_by(conflict.counts)} counts, and not {_by(conflict.outdone)}"


def _by(mark: Mark) -> str:
    worded = worded_mark(mark)
    return f"{worded.value} by {worded.by} ({worded.at})"
