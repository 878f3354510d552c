"""Names of people and files: how they are displayed and compared."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from pitboss.submissions.archives import NEVER_UNPACKED, Problem
from pitboss.submissions.importers.imported import LeftOut
from pitboss.submissions.sources import is_ignored_name
from pitboss.submissions.submission import encodable

#: Reasons for leaving out an entry of a folder.
HIDDEN_OR_OF_A_TOOL = "hidden, or made by a system or a tool"
A_LINK = NEVER_UNPACKED[Problem.LINK]


def one_line(text: str) -> str:
    r"""Returns a name on one line: control characters are escaped, and letters that macOS decomposes are composed.

    >>> one_line("Mu\u0308ller"), one_line("a\x1bb")
    ('Müller', 'a\\x1bb')
    """
    composed = unicodedata.normalize("NFC", encodable(text))
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in composed)


def person_name(text: str) -> str:
    """Returns a person's name with the first name in front: "Lovelace, Ada" is reversed.

    >>> person_name(" Lovelace,  Ada "), person_name("Ada  Lovelace")
    ('Ada Lovelace', 'Ada Lovelace')
    """
    name = one_line(" ".join(text.split()))
    last, comma, first = name.partition(",")
    begins_with_last_name = comma and "," not in first and first.strip() and last.strip()
    return f"{first.strip()} {last.strip()}" if begins_with_last_name else name


def compact_name(name: str) -> str:
    """Returns a name as platforms write it into a file name: its letters and digits in lower case.

    >>> compact_name("O'Brien-Núñez, Siân")
    'obriennúñezsiân'
    """
    folded = unicodedata.normalize("NFC", name).casefold()
    return "".join(letter for letter in unicodedata.normalize("NFC", folded) if letter.isalnum())


def compact_name_rotations(name: str) -> set[str]:
    """Returns the compact name for each rotation of a name's words, since any word may begin the family name.

    >>> sorted(compact_name_rotations("Ada King Lovelace"))
    ['adakinglovelace', 'kinglovelaceada', 'lovelaceadaking']
    """
    words = re.split(r"[\s,]+", name.strip())
    return {compact_name(" ".join(words[start:] + words[:start])) for start in range(len(words))}


def entries_of(folder: Path) -> tuple[list[Path], list[LeftOut]]:
    """Returns the sorted files and folders in a folder, and the entries that are left out, with the reason.

    Left out are hidden entries, files of systems and tools, links, and entries such as pipes.
    Raises OSError if the folder cannot be read.
    """
    entries, left_out = list[Path](), list[LeftOut]()
    for path in sorted(folder.iterdir()):
        if is_ignored_name(path.name):
            left_out.append(LeftOut(one_line(path.name), HIDDEN_OR_OF_A_TOOL))
        elif path.is_symlink():
            left_out.append(LeftOut(one_line(path.name), A_LINK))
        elif not (path.is_dir() or path.is_file()):
            left_out.append(LeftOut(one_line(path.name), "neither a file nor a folder"))
        else:
            entries.append(path)
    return entries, left_out
