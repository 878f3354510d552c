"""The file names of a class's pages, distinct on every file system."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence

INDEX = "index.html"
#: File systems allow names of 255 bytes, encrypted file systems 143; this leaves room for a number and `.html`.
_MAX_BYTES = 100
#: Names that Windows reserves, with any suffix, and the page of the class.
_RESERVED = {
    "index",
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}


def page_names(submissions: Sequence[str]) -> list[str]:
    """The names of the submissions' pages, in their order.

    A name that is valid for a file stays. A name that is invalid, or that some file system confuses with another, gets
    a few digits of its hash appended, so that it is the same in the next run.

    >>> page_names(["ada", "a b", "a_b", "Ada", "index"])
    ['ada.html', 'a_b-c8687a08.html', 'a_b.html', 'Ada-99a563ab.html', 'index-1bc04b52.html']
    """
    names: dict[int, str] = {}
    used: set[str] = set()
    order = sorted(range(len(submissions)), key=lambda index: _rank(submissions[index]))
    for index in order:
        name = next(candidate for candidate in _candidates(submissions[index]) if _collision_key(candidate) not in used)
        used.add(_collision_key(name))
        names[index] = f"{name}.html"
    return [names[index] for index in range(len(submissions))]


def _rank(submission: str) -> tuple[bool, bool, str]:
    """A sort key: names that can stay come first, and lower-case names before names that differ only in case."""
    return _safe_name(submission) != submission, submission != submission.lower(), submission


def _candidates(submission: str) -> Iterator[str]:
    """Possible names of a page, the preferred name first."""
    plain = _safe_name(submission)
    if plain and _collision_key(plain.partition(".")[0]) not in _RESERVED:
        yield plain
    digest = hashlib.sha256(submission.encode("utf-8", "surrogatepass")).hexdigest()
    stem = plain or "submission"
    yield f"{stem}-{digest[:8]}"
    number = 1
    while True:  # two submissions with the same name, or a name like that of another's page
        yield f"{stem}-{digest[:8]}-{number}"
        number += 1


def _safe_name(submission: str) -> str:
    """The name without characters that cause trouble in a file name, a link or a command."""
    normal = unicodedata.normalize("NFC", submission)
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in normal)
    return plain.encode()[:_MAX_BYTES].decode("utf-8", "ignore").lstrip(".-").rstrip(".")


def _collision_key(name: str) -> str:
    """A key that is equal for names that some file system confuses."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
