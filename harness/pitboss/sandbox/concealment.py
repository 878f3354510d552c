"""Conceals files that no submission may read: pitboss itself, the assignments, and the code of their references.

Usually these are where a sandbox shows nothing anyway. But if pitboss is installed beside an interpreter, with pip and
without an environment of its own, it is in a folder that programs in that language must be able to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from pitboss.sandbox import landlock

_paths: set[str] = set()


def conceal(path: str | os.PathLike[str]) -> None:
    """Let no submission read this file, or this folder and anything in it."""
    _paths.add(os.path.realpath(path))


conceal(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def concealed_in(folders: Iterable[str]) -> tuple[str, ...]:
    """The concealed files and folders below these folders, without those inside another concealed folder."""
    above = [f"{os.path.realpath(folder)}/" for folder in folders]
    found = sorted({path for path in _paths if any(path.startswith(folder) for folder in above)})
    return tuple(path for path in found if not any(path.startswith(f"{other}/") for other in found))


def rules_around(folder: str, concealed: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Landlock rules with which everything in a folder can be read, but only the names of what is concealed there.

    A rule applies to everything below its path, so each folder on the way is replaced by its contents.
    """
    below = [path for path in concealed if path.startswith(f"{os.path.realpath(folder)}/")]
    if not below:
        yield folder, landlock.READ
        return
    yield folder, landlock.LIST  # an interpreter looks for modules by listing the folders that they may be in
    with os.scandir(folder) as entries:
        # Without links: a rule for a link applies to its target.
        inside = [os.path.realpath(entry.path) for entry in entries if not entry.is_symlink()]
    for path in inside:
        if path not in below:
            yield from rules_around(path, below)
