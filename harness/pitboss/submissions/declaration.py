"""The file in which a submission declares its features: one word per line, each the name of an option.

A word may be followed by the key that invokes the feature, as in `double: x`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import feature_names
from pitboss.errors import as_found, did_you_mean, listed

#: At most this many bytes of the file are read.
_MAX_BYTES = 10_000


class Declaration(msgspec.Struct, frozen=True):
    """The features that a submission declares."""

    #: Its features, each with the key that invokes it; an empty text for the usual key.
    words: tuple[tuple[str, str], ...] = ()
    #: A sentence on what is wrong with the file, whose words are then ignored; empty if nothing is.
    problem: str = ""


def declaration_in(folder: Path, name: str, stage: Stage) -> Declaration | None:
    """What the file of this name declares; None if the folder has no such file."""
    try:
        text = _text_of(folder / name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return _wrong(f"{name}: it is not a text file of at most {_MAX_BYTES:,} bytes")
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        word, colon, key = (part.strip() for part in line.partition(":"))
        if not line.strip():
            continue
        problem = _problem(word, key, stage, found) if colon else _problem(word, None, stage, found)
        if problem:
            return _wrong(f"{name}:{number}: {problem}")
        found[word] = key
    return Declaration(tuple(found.items()))


def _problem(word: str, key: str | None, stage: Stage, earlier: Mapping[str, str]) -> str:
    """What is wrong with a line of this word, and of this key unless None; empty if nothing is."""
    allowed = feature_names(stage.options)
    if word not in allowed:
        return f"there is no feature {as_found(word)} — there are {listed(allowed)}{did_you_mean(word, allowed)}"
    if key is None:
        return ""
    if not next(option for option in stage.options if option.name == word).key:
        return f"{word} is given the key {as_found(key)} — it has none, so the word alone is enough"
    if not re.fullmatch("[!-~]", key):
        return f"{word} is given the key {as_found(key)} — a key is one letter, digit or sign"
    other = next((name for name, its_key in earlier.items() if its_key == key and name != word), None)
    return f"{word} is given the key {as_found(key)}, as {other} is — each has its own" if other else ""


def _wrong(sentence: str) -> Declaration:
    end = "" if sentence.endswith("?") else "."
    return Declaration(problem=f"{sentence}{end} It is ignored until that is fixed.")


def _text_of(path: Path) -> str:
    """The text of a regular file; raises FileNotFoundError if missing, OSError or ValueError for anything else."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a regular file")
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError("too long")
    return data.decode("utf-8-sig")
