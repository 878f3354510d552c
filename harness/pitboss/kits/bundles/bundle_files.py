"""Reads the files of a folder that go into a bundle."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from pitboss.errors import UsageError

#: The names of folders that interpreters and package managers leave behind.
_EXCLUDED_FOLDERS = ("__pycache__", "node_modules")
#: The ends of the names of files that editors and merges leave behind.
_LEFTOVER_SUFFIXES = ("~", ".bak", ".orig", ".rej", ".swp", ".tmp")


class BundleFile(NamedTuple):
    """A file of a bundle."""

    content: bytes
    is_executable: bool = False


def is_leftover(name: str) -> bool:
    """Whether this is the name of a file that an editor or a merge left behind."""
    return name.startswith("#") or name.lower().endswith(_LEFTOVER_SUFFIXES)


def files_below(folder: Path, excluded_folders: Sequence[str] = _EXCLUDED_FOLDERS) -> Iterator[Path]:
    """The files in a folder and its subfolders, except hidden files and files that interpreters leave behind.

    Subfolders with a name in `excluded_folders` are left out. Raises UsageError for a link to a folder, whose files
    would be missing, and for a folder that cannot be read.
    """
    for parent, folders, names in os.walk(folder, onerror=_raise_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in excluded_folders)
        for name in folders:
            if (link := Path(parent, name)).is_symlink():
                raise UsageError(f"{link}: this is a link to a folder; put the folder itself there")
        for name in sorted(names):
            path = Path(parent, name)
            if not name.startswith(".") and not name.endswith(".pyc") and path.is_file():
                yield path


def read_bundle_file(path: Path) -> BundleFile:
    """Reads a file; raises UsageError if it cannot be read."""
    try:
        return BundleFile(path.read_bytes(), is_executable=bool(path.stat().st_mode & 0o100))
    except OSError as error:
        _raise_unreadable(error)


def _raise_unreadable(error: OSError) -> NoReturn:
    raise UsageError(f"{error.filename}: this cannot be read: {error.strerror}") from error
