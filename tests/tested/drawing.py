"""Draws mechanical mutants of our own modules: one change in one statement; the same seed gives the same mutants."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pitboss.experiments.mutation.module_mutants import Module
from pitboss.experiments.mutation.places import StatementPlace
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
    modules = {
        file: Module(file.removesuffix(".py").replace("/", "."), (ROOT / file).read_text(), file) for file in files
    }
    places = [(file, place) for file, module in modules.items() for place in module.places if not place.is_docstring]
    rng.shuffle(places)
    for file, place in places:
        if count == 0:
            return
        if not is_wanted(file, _head(place)):
            continue
        mutant = _draw_change(file, modules[file], place, rng)
        if mutant is not None:
            count -= 1
            yield mutant


def _head(place: StatementPlace) -> range:
    """The lines of a statement's head, without its body."""
    node = place.node
    body = getattr(node, "body", None)
    last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
    return range(node.lineno, max(last, node.lineno) + 1)


def _draw_change(file: str, module: Module, place: StatementPlace, rng: random.Random) -> Mutant | None:
    """The mutant with a random change of a statement; None if the statement has no possible change."""
    changes = list(module._changes(place))
    if not changes:
        return None
    description, _, apply_change = rng.choice(changes)
    head = _head(place)
    with apply_change():  # changes the module's tree
        changed_text = ast.unparse(ast.fix_missing_locations(module.tree))
    return Mutant(file, head.start, head.stop - 1, description, f"{changed_text}\n")


def all_changes(file: Path) -> set[tuple[str, str]]:
    """Every possible change of a file: the first line of the statement, and the change as `before → after`."""
    text = file.read_text()
    lines, module = text.splitlines(), Module(file.stem, text, str(file))
    return {
        (lines[place.node.lineno - 1].strip(), description)
        for place in module.places
        for description, *_ in module._changes(place)
    }
