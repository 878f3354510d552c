"""What the pages of a class are called: each submission has one of its own, on every file system."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence

INDEX = "index.html"
#: A file system takes 255 bytes, or 143 where it encrypts; what stands before `.html` and a number has room.
_MOST_BYTES = 100
#: Files that Windows has no room for, whatever comes after the dot; and the page of the class.
_TAKEN = {"index", "con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


def page_names(submissions: Sequence[str]) -> list[str]:
    """The names of the pages of submissions, in their order.

    A name that can be a file's is kept. One that cannot, or that some file system takes for another's, has a few digits
    behind it that follow from it, so that it is the same in the next run.

    >>> page_names(["ada", "a b", "a_b", "Ada", "index"])
    ['ada.html', 'a_b-c8687a08.html', 'a_b.html', 'Ada-99a563ab.html', 'index-1bc04b52.html']
    """
    names: dict[int, str] = {}
    taken: set[str] = set()
    order = sorted(range(len(submissions)), key=lambda index: _rank(submissions[index]))
    for index in order:
        name = next(one for one in _candidates(submissions[index]) if _key(one) not in taken)
        taken.add(_key(name))
        names[index] = f"{name}.html"
    return [names[index] for index in range(len(submissions))]


def _rank(submission: str) -> tuple[bool, bool, str]:
    """Names that are kept come first, and of those that some take for the same those in small letters."""
    return _plain(submission) != submission, submission != submission.lower(), submission


def _candidates(submission: str) -> Iterator[str]:
    plain = _plain(submission)
    if plain and _key(plain.partition(".")[0]) not in _TAKEN:
        yield plain
    digest = hashlib.sha256(submission.encode("utf-8", "surrogatepass")).hexdigest()
    stem = plain or "submission"
    yield f"{stem}-{digest[:8]}"
    number = 1
    while True:  # two of one name, or one that is called as another's page
        yield f"{stem}-{digest[:8]}-{number}"
        number += 1


def _plain(submission: str) -> str:
    """The name with nothing in it that a file, a link or a command could stumble over."""
    normal = unicodedata.normalize("NFC", submission)
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in normal)
    return plain.encode()[:_MOST_BYTES].decode("utf-8", "ignore").lstrip(".-").rstrip(".")


def _key(name: str) -> str:
    """What is the same for names that some file system takes for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
