"""Loading a words file: title, hint and note of each known mistake, by its id."""

from __future__ import annotations

from pathlib import Path

from pitboss.assignments import keys
from pitboss.assignments.assignment import WordFile, Words
from pitboss.assignments.names import shown_names, shown_text
from pitboss.assignments.nodes import mapping
from pitboss.assignments.yamlfile import Node, read_yaml
from pitboss.errors import SpecError, as_found


def words_named(node: Node, path: Path, *, has_mistakes: bool) -> WordFile:
    """The words in the file that an assignment names; raises SpecError if it is missing or there are no mistakes."""
    if not has_mistakes:
        raise SpecError(f"{node.place}: there are words and no mistakes — name the function that gives them: mistakes")
    if not path.is_file():
        raise SpecError(f"{node.place}: words is {str(path)!r} — there is no such file")
    return load_words(path)


def load_words(path: Path) -> WordFile:
    """Load the words of an assignment's mistakes; raises SpecError with file and line for any mistake in the file."""
    entries = mapping(read_yaml(path), keys.WORD_FILE, "a file of words")
    source = _line(entries["source"], "source") if "source" in entries else ""
    mistakes = shown_names(entries["mistakes"], "mistakes")
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


def _line(node: Node, what: str) -> str:
    """The text of a scalar; it must be a single line and not blank."""
    found = shown_text(node, what)
    if not found.strip():
        raise SpecError(f"{node.place}: {what} is {as_found(found)} — it is a text")
    return found
