"""What no submission may read, wherever it is kept: pitboss itself, the assignments, and the code of their references.

Mostly it is kept where a sandbox shows nothing anyway. But whoever installs pitboss beside an interpreter, with pip and
no environment of its own, has it in a folder that programs in that language must be able to read.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Iterator

from pitboss.harness.machine import landlock

_folders: set[str] = set()
_modules: set[str] = set()


def conceal(folder: str | os.PathLike[str]) -> None:
    """Have no submission read this folder, or anything in it."""
    _folders.add(os.path.realpath(folder))


def conceal_module(name: str) -> None:
    """Have no submission read the package that a module belongs to, whose name is `package.module`."""
    _modules.add(package_of(name))


def package_of(module: str) -> str:
    """The package that holds all that a module belongs to: the outermost, but in pitboss, which has two, the one there.

    >>> package_of("meter.rates"), package_of("pitboss.reference.words"), package_of("pitboss")
    ('meter', 'pitboss.reference', 'pitboss')
    """
    parts = module.split(".")
    return ".".join(parts[: 2 if parts[0] == "pitboss" else 1])


conceal(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def concealed_in(folders: Iterable[str]) -> tuple[str, ...]:
    """What of it is below one of these folders: paths of folders and files, of which none is in another."""
    above = [f"{os.path.realpath(folder)}/" for folder in folders]
    found = sorted({path for path in _paths() if any(path.startswith(folder) for folder in above)})
    return tuple(path for path in found if not any(path.startswith(f"{other}/") for other in found))


def _paths() -> Iterator[str]:
    yield from _folders
    for name in _modules:
        yield from map(os.path.realpath, _places(name))


def modules() -> dict[str, str]:
    """The packages and modules with the code of references, by name, and the folder or file of each."""
    return {name: places[0] for name in sorted(_modules) if (places := _places(name))}


def are_found() -> bool:
    """Whether Python finds all packages and modules with the code of references."""
    return all(map(_places, _modules))


def _places(name: str) -> list[str]:
    """Where a package or module is; empty if it is nowhere."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # whoever uses the module says so
        return []
    if spec is None:
        return []
    return list(spec.submodule_search_locations or ([spec.origin] if spec.origin and spec.has_location else []))


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
