"""Loads the texts of known mistakes: a file with title, hint and note of each by its id, or a file beside each program.

A known mistake in a folder has its texts beside its program, or beside a patch of the reference:

    SPECS/<assignment>/mistakes/<id>/
        mistake.yaml
        lottery.c, or change.patch
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments import keys
from pitboss.assignments.assignment import MistakeFolder, WordFile, Words
from pitboss.assignments.names import printable_name, printable_names, printable_text
from pitboss.assignments.nodes import mapping, texts
from pitboss.assignments.yamlfile import Node, read_yaml
from pitboss.errors import SpecError, as_found, listed, near
from pitboss.model.languages import language_of

#: The folder of the known mistakes that are folders, and the file of each with its words.
MISTAKES_FOLDER, MISTAKE_FILE = "mistakes", "mistake.yaml"
#: The suffixes of patches.
PATCHES = (".patch", ".diff")


def words_named(node: Node, path: Path, *, has_mistakes: bool) -> WordFile:
    """Returns the texts in the file that an assignment names; SpecError if it is missing or there are no mistakes."""
    if not has_mistakes:
        raise SpecError(f"{node.place}: there are words and no mistakes — name the function that gives them: mistakes")
    if not path.is_file():
        raise SpecError(f"{node.place}: words is {str(path)!r} — there is no such file")
    return load_words(path)


def load_words(path: Path) -> WordFile:
    """Load the texts of an assignment's mistakes; raises SpecError with file and line for any mistake in the file."""
    entries = mapping(read_yaml(path), keys.WORD_FILE, "a file of words")
    source = _line(entries["source"], "source") if "source" in entries else ""
    mistakes = printable_names(entries["mistakes"], "mistakes")
    words = (_words(name, mistakes.key_places[name], node, source) for name, node in mistakes.entries.items())
    return WordFile(path, f"{path}:1", tuple(words))


def _words(name: str, place: str, node: Node, source: str) -> Words:
    what = f"mistake {as_found(name)}"
    entries = mapping(node, keys.WORDS, what)
    lines = {key: _line(value, f"{key} of {what}") for key, value in entries.items()}
    if not lines.setdefault("source", source):
        meaning = keys.WORDS["source"].meaning
        raise SpecError(f"{place}: {what} has no 'source' — it needs one: {meaning}, or one for all at the top")
    return Words(name, place=place, **lines)


def mistakes_below(folder: Path, stages: Sequence[str]) -> tuple[MistakeFolder, ...]:
    """Returns the known mistakes in folders of an assignment; raises SpecError with file and line for what is wrong.

    `stages` are those that they can be about. If `mistakes` is a Python package, it may have other folders as well.
    """
    root = folder / MISTAKES_FOLDER
    if not root.is_dir():
        return ()
    paths = [path for path in sorted(root.iterdir()) if not path.name.startswith((".", "__"))]
    if any(path.suffix == ".py" for path in root.iterdir()):
        paths = [path for path in paths if (path / MISTAKE_FILE).is_file()]
    for path in paths:
        is_stray = path.is_file() and (language_of(path) or path.suffix in PATCHES)
        if is_stray:
            into = root / path.stem
            raise SpecError(f"{path}: a known mistake is a folder — move it to {into}/, beside a {MISTAKE_FILE}")
    return tuple(_mistake_in(path, stages) for path in paths if path.is_dir())


def _mistake_in(folder: Path, stages: Sequence[str]) -> MistakeFolder:
    path, what = folder / MISTAKE_FILE, f"mistake {as_found(folder.name)}"
    if not path.is_file():
        raise SpecError(f"{folder}: {what} has no {MISTAKE_FILE} — it says what is wrong: title and hint")
    printable_name(str(folder), folder.name, "the name of a mistake")
    entries = mapping(read_yaml(path), keys.MISTAKE, what)
    lines = {key: _line(node, f"{key} of {what}") for key, node in entries.items() if key != "stages"}
    named = texts(entries["stages"], "stages") if "stages" in entries else tuple(stages)
    for name in named:
        if name not in stages:
            known = f"the stages that are judged are {listed(stages)}{near(name, stages)}"
            raise SpecError(f"{entries['stages'].place}: there is no stage {as_found(name)} — {known}")
    words = Words(folder.name, place=f"{path}:1", **{"note": "", "source": "", **lines})
    return MistakeFolder(folder, words, named)


def _line(node: Node, what: str) -> str:
    """The text of a scalar; it must be a single line and not blank."""
    found = printable_text(node, what)
    if not found.strip():
        raise SpecError(f"{node.place}: {what} is {as_found(found)} — it is a text")
    return found
