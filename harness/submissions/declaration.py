"""The file in which a submission declares its features: one word a line; the words are the names of options."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec

from harness.assignments.assignment import Stage
from harness.assignments.nodes import near
from harness.assignments.options import words_of
from harness.errors import as_found, listed

#: The most bytes that are read of it.
_MOST_BYTES = 10_000


class Declaration(msgspec.Struct, frozen=True):
    """What a submission declares of itself."""

    #: The features that it has.
    words: tuple[str, ...] = ()
    #: What is wrong with the file, in a sentence; its words are not used then.
    problem: str = ""


def declaration_in(folder: Path, name: str, stage: Stage) -> Declaration | None:
    """What the file of this name declares; None if the folder has no such file."""
    try:
        text = _text_of(folder / name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return _wrong(f"{name}: it is no text file of at most {_MOST_BYTES:,} bytes")
    allowed, found = words_of(stage.options), dict[str, None]()
    for number, line in enumerate(text.splitlines(), 1):
        word = line.strip()
        if word and word not in allowed:
            hint = near(word, allowed)
            return _wrong(f"{name}:{number}: there is no feature {as_found(word)} — there are {listed(allowed)}{hint}")
        if word:
            found[word] = None
    return Declaration(tuple(found))


def _wrong(sentence: str) -> Declaration:
    end = "" if sentence.endswith("?") else "."
    return Declaration(problem=f"{sentence}{end} It counts for nothing until that is mended.")


def _text_of(path: Path) -> str:
    """The text of a regular file; OSError or ValueError for anything else, FileNotFoundError if there is nothing."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("not a regular file")
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError("too long")
    return data.decode("utf-8-sig")
