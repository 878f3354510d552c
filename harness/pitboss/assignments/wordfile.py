"""Loads the texts of known mistakes (title, hint, note): from the file `words` of an assignment, or from their folders.

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
from pitboss.assignments.kinds import mapping
from pitboss.assignments.nodes import Node, printable_name, printable_names, read_yaml
from pitboss.errors import SpecError, as_found, did_you_mean, listed
from pitboss.model.languages import language_of

#: The folder that contains the folders of known mistakes, and the file with the texts in each of these folders.
MISTAKES_FOLDER, MISTAKE_FILE = "mistakes", "mistake.yaml"
#: The suffixes of patches.
PATCHES = (".patch", ".diff")


def load_words(path: Path) -> WordFile:
    """Load the texts of an assignment's known mistakes; raises SpecError with file and line if the file is wrong."""
    entries = mapping(read_yaml(path), keys.WORD_FILE, "a file of words")
    source = entries.value("source")
    mistakes = printable_names(entries["mistakes"], "mistakes")
    words = (_mistake_texts(name, mistakes.key_places[name], node, source) for name, node in mistakes.entries.items())
    return WordFile(path, f"{path}:1", tuple(words))


def _mistake_texts(name: str, location: str, node: Node, source: str) -> Words:
    """Returns the texts of one mistake; `source` is used if the mistake has no source of its own."""
    label = f"mistake {as_found(name)}"
    entries = mapping(node, keys.WORDS, label)
    text_by_key = {key: entries.value(key, f"{key} of {label}") for key in entries}
    if not text_by_key.setdefault("source", source):
        meaning = keys.WORDS["source"].meaning
        raise SpecError(
            f"{location}: {label} lacks the key 'source': {meaning} — add the key here, or at the top for all mistakes"
        )
    return Words(name, place=location, **text_by_key)


def mistakes_below(folder: Path, stages: Sequence[str]) -> tuple[MistakeFolder, ...]:
    """Returns the known mistakes that have folders in an assignment's folder; raises SpecError for wrong files.

    `stages` are the names of the stages that the mistakes may concern. If the folder `mistakes` contains Python
    modules, only its folders with a file `mistake.yaml` are mistakes.
    """
    mistakes_folder = folder / MISTAKES_FOLDER
    if not mistakes_folder.is_dir():
        return ()
    paths = [path for path in sorted(mistakes_folder.iterdir()) if not path.name.startswith((".", "__"))]
    has_python_modules = any(path.suffix == ".py" for path in mistakes_folder.iterdir())
    if has_python_modules:
        paths = [path for path in paths if (path / MISTAKE_FILE).is_file()]
    for path in paths:
        is_stray = path.is_file() and (language_of(path) or path.suffix in PATCHES)
        if is_stray:
            new_folder = mistakes_folder / path.stem
            raise SpecError(f"{path}: a known mistake is a folder — move it to {new_folder}/, beside a {MISTAKE_FILE}")
    return tuple(_mistake_in(path, stages) for path in paths if path.is_dir())


def _mistake_in(folder: Path, stages: Sequence[str]) -> MistakeFolder:
    """Returns the known mistake in a folder; raises SpecError if the file with its texts is missing or wrong."""
    path, label = folder / MISTAKE_FILE, f"mistake {as_found(folder.name)}"
    if not path.is_file():
        raise SpecError(f"{folder}: {label} has no {MISTAKE_FILE} — write its title and hint there")
    printable_name(str(folder), folder.name, "the name of a mistake")
    entries = mapping(read_yaml(path), keys.MISTAKE, label)
    text_by_key = {key: entries.value(key, f"{key} of {label}") for key in entries if key != "stages"}
    stage_names = entries.value("stages") if "stages" in entries else tuple(stages)
    for name in stage_names:
        if name not in stages:
            allowed = f"the judged stages are {listed(stages)}{did_you_mean(name, stages)}"
            raise SpecError(f"{entries['stages'].place}: there is no stage {as_found(name)} — {allowed}")
    words = Words(folder.name, place=f"{path}:1", **{"note": "", "source": "", **text_by_key})
    return MistakeFolder(folder, words, stage_names)
