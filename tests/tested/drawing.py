"""Draws mechanical mutants of our own modules: one change in one statement; the same seed gives the same mutants."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pitboss.experiments.mutants.coverage import statements_of
from pitboss.experiments.mutants.edits import SourceChange, apply_edit, changes_in
from tests.conftest import ROOT


class Mutant(NamedTuple):
    """One of our own files with one change."""

    #: Relative to the root.
    file: str
    #: The first and the last line of the changed statement; of a compound statement only the head.
    first: int
    last: int
    #: The change, as `before → after`.
    change: str
    #: The whole text of the file with the change.
    changed_text: str

    @property
    def lines(self) -> range:
        return range(self.first, self.last + 1)

    @property
    def id(self) -> str:
        """The mutant's name: file, line and change."""
        return f"{self.file}:{self.first}: {self.change}"


def draw_mutants(
    files: list[str], count: int, seed: int, *, is_wanted: Callable[[str, range], bool]
) -> Iterator[Mutant]:
    """Draw `count` mutants of these files: first a statement, all equally likely, and then one of its changes.

    `is_wanted` returns whether to mutate a statement, given its file and its lines. The same seed gives the same mutants as
    long as the files and the answers of `is_wanted` are the same.
    """
    rng = random.Random(seed)
    texts = {file: (ROOT / file).read_text() for file in files}
    places = [(file, lines, changes) for file in files for lines, changes in _changes_by_statement(file, texts[file])]
    rng.shuffle(places)
    for file, lines, changes in places:
        if count == 0:
            return
        change = rng.choice(changes)
        changed_text = apply_edit(texts[file], change.edit)
        if is_wanted(file, lines) and _is_python(changed_text):
            count -= 1
            yield Mutant(file, lines.start, lines.stop - 1, _description(change), changed_text)


def _changes_by_statement(file: str, text: str) -> Iterator[tuple[range, list[SourceChange]]]:
    """The lines of each statement that can be changed, of a compound statement only of the head, and its changes."""
    all_changes = changes_in(text, file, "python")
    for statement in statements_of(text):
        changes = [change for change in all_changes if change.line in statement.lines]
        if changes:
            yield statement.lines, changes


def _is_python(text: str) -> bool:
    try:
        compile(text, "", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _description(change: SourceChange) -> str:
    """The change as `before → after`."""
    return change.id.partition(": ")[2]


def all_changes(file: Path) -> set[str]:
    """Every possible change of a file, as `before → after`."""
    return {_description(change) for change in changes_in(file.read_text(), file.name, "python")}
