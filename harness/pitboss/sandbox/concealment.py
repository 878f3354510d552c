"""Conceals files that no submission may read: pitboss itself, the assignments, and the code of their references.

Usually these files are outside the folders that a sandbox shows. But pip without a virtual environment installs pitboss
beside the interpreter, in a folder that programs in Python must be able to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from pitboss.sandbox import landlock

_paths: set[str] = set()


def conceal(path: str | os.PathLike[str]) -> None:
    """Prevent submissions from reading this file, or this folder and everything in it."""
    _paths.add(os.path.realpath(path))


conceal(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def concealed_in(folders: Iterable[str]) -> tuple[str, ...]:
    """The paths of concealed files and folders below these folders, but not of those inside a concealed folder."""
    prefixes = tuple(f"{os.path.realpath(folder)}/" for folder in folders)
    paths = sorted(path for path in _paths if path.startswith(prefixes))
    return tuple(path for path in paths if not any(path.startswith(f"{outer}/") for outer in paths))


def concealed_path_in(folder: str) -> str:
    """A concealed path that is this folder or in it; empty if there is none."""
    return min((path for path in _paths if is_within(path, folder)), default="")


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder itself or below it; both are compared as texts."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def rules_around(folder: str, concealed: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Landlock rules, pairs of a path and its rights, with which a folder can be read except for concealed contents.

    Of the concealed files and folders only the names can be read. A rule applies to everything below its path. So a
    folder with something concealed below it gets no rule for reading: each of its entries gets rules instead.
    """
    concealed_below = [path for path in concealed if path.startswith(f"{os.path.realpath(folder)}/")]
    if not concealed_below:
        yield folder, landlock.READ
        return
    yield folder, landlock.LIST  # an interpreter looks for modules by listing the folders that they may be in
    with os.scandir(folder) as entries:
        # Links are left out: a rule for a link applies to its target, which may be concealed.
        paths = [os.path.realpath(entry.path) for entry in entries if not entry.is_symlink()]
    for path in paths:
        if path not in concealed_below:
            yield from rules_around(path, concealed_below)
