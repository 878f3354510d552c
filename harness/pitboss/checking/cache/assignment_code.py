"""Finds the code of an assignment: everything that its reference, players, readers and mistakes may run or read.

An assignment names its functions. The package or module of each function belongs to the code with all its files,
including files that are not Python, and so does every module that one of these files imports, wherever Python finds it.
Python's own modules, and installed packages that the assignment does not name, are represented by their versions.
"""

from __future__ import annotations

import importlib
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.functions import module_locations
from pitboss.sandbox.digests import Digest, UnknownError

#: The imports of a file, at any level of indentation.
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([A-Za-z_][\w.]*)[ \t]+import|import[ \t]+([A-Za-z_][^\n;#]*))"
    rb"|import_module\([ \t\n]*[\"']([A-Za-z_][\w.]*)",
    re.MULTILINE,
)
#: Has a digest of its own: see fingerprint.py.
_OURS = ("pitboss",)


class NamedCode(msgspec.Struct, frozen=True):
    """The code that an assignment names explicitly."""

    #: The assignment's folder, in which Python also looks for modules.
    folder: str
    #: The named packages and modules, each with the folder where its import path begins.
    packages: tuple[tuple[str, str], ...]


class Code(NamedTuple):
    """The code of an assignment."""

    #: A digest of all its files and their paths.
    digest: str
    #: Its modules and packages in addition to the assignment's folder, by name: a file or a folder for each.
    paths: dict[str, Path]
    #: The import names of the installed packages that it uses.
    installed: tuple[str, ...]


def digest_of_code(named: NamedCode, without: Iterable[Path] = ()) -> str:
    """A digest of the named code and everything it imports, except for the files `without`.

    Raises UnknownError if the code cannot be determined.
    """
    return code_of(named, without).digest


def code_of(named: NamedCode, without: Iterable[Path] = ()) -> Code:
    """The named code and everything it imports; see `digest_of_code`."""
    digest, imported = Digest("code", without), dict[str, None]()
    places, installed = dict[str, Path](), list[str]()

    def note(path: str, content: bytes) -> None:
        if path.endswith(".py"):
            imported.update(dict.fromkeys(_imported_in(content)))

    digest.add_path(Path(named.folder), note)
    left, done = [*named.packages, *((named.folder, name) for name in imported)], set[tuple[str, str]]()
    importlib.invalidate_caches()
    while left:
        folder, name = left.pop(0)
        is_named = (folder, name) in named.packages
        if (folder, name) in done or name in _OURS or (name in sys.stdlib_module_names and not is_named):
            continue
        done.add((folder, name))
        path = _path_of(folder, name)
        digest.add(name, str(path))
        if path is None:
            continue
        if not is_named and _is_installed(path):
            installed.append(name)
            continue
        imported.clear()
        digest.add_path(path, note)
        places[name] = path
        left += ((folder, module) for module in imported)
    return Code(digest.text(), places, tuple(sorted(set(installed))))


def _path_of(folder: str, name: str) -> Path | None:
    """The file or folder of a package or module, found by an import path or by Python; None if neither finds it."""
    paths = module_locations(folder, name)
    if paths is None:
        try:
            # For a loaded module, importlib.util.find_spec would trust the module's own __spec__.
            spec = next((spec for finder in sys.meta_path if (spec := finder.find_spec(name, None)) is not None), None)
        except Exception as error:  # third-party finders may raise anything
            raise UnknownError(f"{name}: {error}") from error
        if spec is None:
            return None
        inside = spec.submodule_search_locations
        paths = [Path(location) for location in (inside if inside is not None else filter(None, [spec.origin]))]
    if len(paths) != 1:
        raise UnknownError(f"{name}: it is in {len(paths)} places")
    if not paths[0].exists():
        raise UnknownError(f"{name}: it is not in a file")
    return paths[0]


def _is_installed(path: Path) -> bool:
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return any(path.is_relative_to(folder) for folder in installed)


def _imported_in(text: bytes) -> Iterator[str]:
    """The top-level names of the modules that a file imports."""
    for source, several, called in _IMPORT.findall(text):
        for part in (source, called, *several.split(b",")):
            name = part.strip().partition(b" ")[0].partition(b".")[0].decode("utf-8", "replace")
            if name.isidentifier():
                yield name
