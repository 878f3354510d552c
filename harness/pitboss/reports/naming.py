"""The file names of a class's pages, distinct on every file system."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence

INDEX = "index.html"
#: The maximum length of a name without suffixes. File systems allow 255 bytes, encrypted file systems 143: the limit
#: leaves room for digits of a hash, a number and `.html`.
_MAX_BYTES = 100
#: Names that Windows reserves, with or without a suffix, and `index`, the name of the class's page.
_RESERVED = {
    "index",
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}


def page_file_names(submissions: Sequence[str]) -> list[str]:
    """Returns the file names of the submissions' pages, in the order of the submissions.

    A page has the name of its submission if that is a valid file name. If the name is invalid, or if some file system
    confuses the name with another, the first digits of the name's hash are appended: they are the same in the next run.

    >>> page_file_names(["ada", "a b", "a_b", "Ada", "index"])
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
    """Returns a sort key: unchanged names come first, and lower-case names before names that differ only in case."""
    return _safe_name(submission) != submission, submission != submission.lower(), submission


def _candidates(submission: str) -> Iterator[str]:
    """Yields possible names of a page without `.html`, the preferred name first."""
    safe_name = _safe_name(submission)
    if safe_name and _collision_key(safe_name.partition(".")[0]) not in _RESERVED:
        yield safe_name
    digest = hashlib.sha256(submission.encode("utf-8", "surrogatepass")).hexdigest()
    stem = safe_name or "submission"
    yield f"{stem}-{digest[:8]}"
    number = 1
    # Numbers are needed if two submissions have the same name, or if one is called like the page of another.
    while True:
        yield f"{stem}-{digest[:8]}-{number}"
        number += 1


def _safe_name(submission: str) -> str:
    """Returns a submission's name without characters that cause trouble in a file name, a link or a command."""
    normalized = unicodedata.normalize("NFC", submission)
    safe_name = "".join(character if character.isalnum() or character in "-_." else "_" for character in normalized)
    return safe_name.encode()[:_MAX_BYTES].decode("utf-8", "ignore").lstrip(".-").rstrip(".")


def _collision_key(name: str) -> str:
    """Returns a key that is equal for two names if some file system confuses them."""
    # Casefolding can undo the normalization, so the text is normalized again.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
