"""Names of people and files: how they are displayed and compared."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from pitboss.submissions.archives import NEVER_UNPACKED, Problem
from pitboss.submissions.importers.imported import LeftOut
from pitboss.submissions.sources import is_left_out
from pitboss.submissions.submission import readable

HIDDEN = "hidden, or made by a system or a tool"
A_LINK = NEVER_UNPACKED[Problem.LINK]


def one_line(text: str) -> str:
    r"""Returns a name on one line: with composed letters (macOS decomposes them) and escaped control characters.

    >>> one_line("Mu\u0308ller"), one_line("a\x1bb")
    ('Müller', 'a\\x1bb')
    """
    composed = unicodedata.normalize("NFC", readable(text))
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in composed)


def person_name(text: str) -> str:
    """Returns a person's name, given name first; also reads "Lovelace, Ada".

    >>> person_name(" Lovelace,  Ada "), person_name("Ada  Lovelace")
    ('Ada Lovelace', 'Ada Lovelace')
    """
    name = one_line(" ".join(text.split()))
    last, comma, first = name.partition(",")
    is_last_first = comma and "," not in first and first.strip() and last.strip()
    return f"{first.strip()} {last.strip()}" if is_last_first else name


def squashed(name: str) -> str:
    """Returns a name as platforms write it into a file name: its letters and digits in lower case.

    >>> squashed("O'Brien-Núñez, Siân")
    'obriennúñezsiân'
    """
    folded = unicodedata.normalize("NFC", name).casefold()
    return "".join(letter for letter in unicodedata.normalize("NFC", folded) if letter.isalnum())


def squashed_forms(name: str) -> set[str]:
    """Returns a squashed name in each rotation of its words, since any of them may be the family name.

    >>> sorted(squashed_forms("Ada King Lovelace"))
    ['adakinglovelace', 'kinglovelaceada', 'lovelaceadaking']
    """
    words = re.split(r"[\s,]+", name.strip())
    return {squashed(" ".join(words[start:] + words[:start])) for start in range(len(words))}


def entries_of(folder: Path) -> tuple[list[Path], list[LeftOut]]:
    """Returns a folder's entries, sorted; and the entries left out (such as hidden files and links) with the reason.

    Raises OSError if the folder cannot be read.
    """
    entries, left_out = list[Path](), list[LeftOut]()
    for path in sorted(folder.iterdir()):
        if is_left_out(path.name):
            left_out.append(LeftOut(one_line(path.name), HIDDEN))
        elif path.is_symlink():
            left_out.append(LeftOut(one_line(path.name), A_LINK))
        elif not (path.is_dir() or path.is_file()):
            left_out.append(LeftOut(one_line(path.name), "neither a file nor a folder"))
        else:
            entries.append(path)
    return entries, left_out
