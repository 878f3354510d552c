"""Finds the code of an assignment: everything that its reference, players, readers and mistakes may run or read.

An assignment names its functions. The code includes the package or module of each function with all files in it, even
files that are not Python. The code also includes every module that one of these files imports, wherever Python finds
the module. Python's own modules are left out, and of an installed package that the assignment does not name only the
location is noted: their versions are part of `digest_of_machine`.
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
from pitboss.sandbox.digests import Digest, NoDigestError

#: The imports of a file, at any level of indentation.
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([A-Za-z_][\w.]*)[ \t]+import|import[ \t]+([A-Za-z_][^\n;#]*))"
    rb"|import_module\([ \t\n]*[\"']([A-Za-z_][\w.]*)",
    re.MULTILINE,
)
#: Packages that the digest of the code leaves out, since pitboss has a separate digest: see fingerprint.py.
_OURS = ("pitboss",)


class NamedCode(msgspec.Struct, frozen=True):
    """The code that an assignment names explicitly."""

    #: The assignment's folder, where Python also looks for modules.
    folder: str
    #: The named packages and modules, each with the folder where its import path begins.
    packages: tuple[tuple[str, str], ...]


class Code(NamedTuple):
    """The code of an assignment."""

    #: A digest of all files of the code and their paths.
    digest: str
    #: The file or folder of each module or package, by name. The assignment's folder also belongs to the code.
    paths: dict[str, Path]
    #: The import names of the installed packages that the code uses.
    installed: tuple[str, ...]


def digest_of_code(named: NamedCode, files_to_ignore: Iterable[Path] = ()) -> str:
    """A digest of the named code and everything it imports, except for `files_to_ignore`.

    Raises NoDigestError if the code cannot be determined.
    """
    return code_of(named, files_to_ignore).digest


def code_of(named: NamedCode, files_to_ignore: Iterable[Path] = ()) -> Code:
    """Find the named code and its imports, except for the files `files_to_ignore`; errors as for `digest_of_code`."""
    digest, imported = Digest("code", files_to_ignore), dict[str, None]()
    paths, installed = dict[str, Path](), list[str]()

    def note_imports(path: str, content: bytes) -> None:
        if path.endswith(".py"):
            imported.update(dict.fromkeys(_imported_names(content)))

    digest.add_path(Path(named.folder), note_imports)
    pending, done = [*named.packages, *((named.folder, name) for name in imported)], set[tuple[str, str]]()
    importlib.invalidate_caches()
    while pending:
        folder, name = pending.pop(0)
        is_named = (folder, name) in named.packages
        if (folder, name) in done or name in _OURS or (name in sys.stdlib_module_names and not is_named):
            continue
        done.add((folder, name))
        path = _path_of(folder, name)
        digest.add(name, str(path))  # also if there is no such module: the digest changes when it appears
        if path is None:
            continue
        if not is_named and _is_installed(path):
            installed.append(name)
            continue
        imported.clear()
        digest.add_path(path, note_imports)
        paths[name] = path
        pending += ((folder, module) for module in imported)
    return Code(digest.text(), paths, tuple(sorted(set(installed))))


def _path_of(folder: str, name: str) -> Path | None:
    """The file or folder of a package or module, found on the import path of `folder` or by Python; None if not found.

    Raises NoDigestError if the code of the package or module is not in exactly one file or folder.
    """
    paths = module_locations(folder, name)
    if paths is None:
        try:
            # Not importlib.util.find_spec: for a loaded module, it returns the module's own __spec__ without a search.
            spec = next((spec for finder in sys.meta_path if (spec := finder.find_spec(name, None)) is not None), None)
        except Exception as error:  # third-party finders may raise anything
            raise NoDigestError(f"{name}: {error}") from error
        if spec is None:
            return None
        package_folders = spec.submodule_search_locations
        if package_folders is not None:
            paths = [Path(location) for location in package_folders]
        else:
            paths = [Path(spec.origin)] if spec.origin else []
    if len(paths) != 1:
        raise NoDigestError(f"{name}: it is in {len(paths)} places")
    if not paths[0].exists():
        raise NoDigestError(f"{name}: it is not in a file")
    return paths[0]


def _is_installed(path: Path) -> bool:
    """Whether a file or folder belongs to an installed package."""
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return any(path.is_relative_to(folder) for folder in installed)


def _imported_names(text: bytes) -> Iterator[str]:
    """The top-level names of the modules that a file imports."""
    for from_module, import_list, import_module_argument in _IMPORT.findall(text):
        for part in (from_module, import_module_argument, *import_list.split(b",")):
            name = part.strip().partition(b" ")[0].partition(b".")[0].decode("utf-8", "replace")
            if name.isidentifier():
                yield name
