"""Draws mechanical mutants of our own modules: one change in one statement, the same for the same number."""

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
    """A file of ours with one change."""

    #: Relative to the root.
    file: str
    #: The first and the last line of the statement that is changed; of one with a body only its head.
    first: int
    last: int
    #: The change, as `before → after`.
    words: str
    #: The whole text of the file with the change.
    text: str

    @property
    def lines(self) -> range:
        """The lines of the statement."""
        return range(self.first, self.last + 1)

    @property
    def id(self) -> str:
        """What it is called: where it is, and the change."""
        return f"{self.file}:{self.first}: {self.words}"


def drawn(files: list[str], count: int, seed: int, *, is_wanted: Callable[[str, range], bool]) -> Iterator[Mutant]:
    """Draw so many mutants of these files: a statement first, each as likely as any other, and then a change of it.

    `is_wanted` is asked for each statement, by its file and its lines. The same seed gives the same mutants as long as
    the files and the answers are the same.
    """
    chance = random.Random(seed)
    modules = {
        file: Module(file.removesuffix(".py").replace("/", "."), (ROOT / file).read_text(), file) for file in files
    }
    places = [(file, place) for file, module in modules.items() for place in module.places if not place.is_docstring]
    chance.shuffle(places)
    for file, place in places:
        if count == 0:
            return
        if not is_wanted(file, _head(place)):
            continue
        mutant = _changed(file, modules[file], place, chance)
        if mutant is not None:
            count -= 1
            yield mutant


def _head(place: StatementPlace) -> range:
    """The lines of a statement itself, without those of its body."""
    node = place.node
    body = getattr(node, "body", None)
    last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or node.lineno
    return range(node.lineno, max(last, node.lineno) + 1)


def _changed(file: str, module: Module, place: StatementPlace, chance: random.Random) -> Mutant | None:
    """A change of a statement, drawn from all that there are of it; None if there is none."""
    changes = list(module._changes(place))
    if not changes:
        return None
    words, _, change = chance.choice(changes)
    head = _head(place)
    with change():
        text = ast.unparse(ast.fix_missing_locations(module.tree))
    return Mutant(file, head.start, head.stop - 1, words, f"{text}\n")


def all_changes(file: Path) -> set[tuple[str, str]]:
    """Every change of a file: the first line of its statement as it is written there, and the change in words."""
    text = file.read_text()
    lines, module = text.splitlines(), Module("it", text, str(file))
    return {
        (lines[place.node.lineno - 1].strip(), words) for place in module.places for words, *_ in module._changes(place)
    }
