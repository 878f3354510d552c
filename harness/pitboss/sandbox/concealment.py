"""What no submission may read, wherever it is kept: pitboss itself, the assignments, and the code of their references.

Mostly it is kept where a sandbox shows nothing anyway. But whoever installs pitboss beside an interpreter, with pip and
no environment of its own, has it in a folder that programs in that language must be able to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from pitboss.sandbox import landlock

_paths: set[str] = set()


def conceal(path: str | os.PathLike[str]) -> None:
    """Have no submission read this file, or this folder and anything in it."""
    _paths.add(os.path.realpath(path))


conceal(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def concealed_in(folders: Iterable[str]) -> tuple[str, ...]:
    """What of it is below one of these folders: paths of folders and files, of which none is in another."""
    above = [f"{os.path.realpath(folder)}/" for folder in folders]
    found = sorted({path for path in _paths if any(path.startswith(folder) for folder in above)})
    return tuple(path for path in found if not any(path.startswith(f"{other}/") for other in found))


def rules_around(folder: str, concealed: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Landlock rules with which all of a folder can be read but what is concealed there, of which only the names can.

    A rule holds for all that is below its path, so each folder on the way is replaced by what is in it.
    """
    below = [path for path in concealed if path.startswith(f"{os.path.realpath(folder)}/")]
    if not below:
        yield folder, landlock.READ
        return
    yield folder, landlock.LIST  # an interpreter looks for modules by listing the folders that they may be in
    with os.scandir(folder) as entries:
        # Not links: a rule for one is a rule for where it leads.
        inside = [os.path.realpath(entry.path) for entry in entries if not entry.is_symlink()]
    for path in inside:
        if path not in below:
            yield from rules_around(path, below)
