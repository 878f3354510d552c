"""The code of an assignment: all that its reference, players, readers and mistakes may run or read.

An assignment names its functions. Each is in a package or a module, and that may import others: the whole package
counts, with what is not Python in it, and so does every module that some file of it imports, wherever Python finds it.
Modules of Python itself do not count, since its version does, nor do installed packages that nobody named: theirs do.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.harness.machine.concealment import package_of
from pitboss.harness.machine.digests import Digest, UnknownError

#: What a file imports, at any depth of it.
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([A-Za-z_][\w.]*)[ \t]+import|import[ \t]+([A-Za-z_][^\n;#]*))"
    rb"|import_module\([ \t\n]*[\"']([A-Za-z_][\w.]*)",
    re.MULTILINE,
)
#: Counted by themselves: see surroundings.
_OURS = ("pitboss", "pitboss.harness")


class Named(msgspec.Struct, frozen=True):
    """Where an assignment's code begins."""

    #: The assignment's folder, which Python looks for modules in as well.
    folder: str
    #: The packages that are named, see `package_of`.
    modules: tuple[str, ...]


class Code(NamedTuple):
    """What the code of an assignment is."""

    #: Of all of it, and of where it is.
    digest: str
    #: The modules and packages that count besides the assignment's folder, by name: a file or a folder each.
    places: dict[str, Path]
    #: The installed packages that it imports, of which the versions count, by the names that are imported.
    installed: tuple[str, ...]


def digest_of_code(named: Named, without: Iterable[Path] = ()) -> str:
    """A digest of the code that begins there, wherever it is, but for the files `without`.

    Raises UnknownError if that cannot be told.
    """
    return code_of(named, without).digest


def code_of(named: Named, without: Iterable[Path] = ()) -> Code:
    """The code that begins there; see `digest_of_code`."""
    digest, imported = Digest("code", without), dict[str, None]()
    places, installed = dict[str, Path](), list[str]()

    def note(path: str, content: bytes) -> None:
        if path.endswith(".py"):
            imported.update(dict.fromkeys(_imported_in(content)))

    digest.add_path(Path(named.folder), note)
    left, known = [*named.modules, *imported], set[str]()
    importlib.invalidate_caches()
    with _looked_for_in(named.folder, os.getcwd()):
        while left:
            name = left.pop(0)
            if name in known or name in sys.stdlib_module_names or name in _OURS:
                continue
            known.add(name)
            place = _place_of(name)
            digest.add(name, str(place))
            if place is None:
                continue
            if name not in named.modules and _is_installed(place):
                installed.append(name)
                continue
            imported.clear()
            digest.add_path(place, note)
            places[name] = place
            left += imported
    return Code(digest.text(), places, tuple(sorted(installed)))


@contextmanager
def _looked_for_in(*folders: str) -> Iterator[None]:
    """Let Python look for modules in these folders too, as it does when they are run."""
    before = list(sys.path)
    sys.path += [folder for folder in folders if folder not in sys.path]
    try:
        yield
    finally:
        sys.path[:] = before


def _place_of(name: str) -> Path | None:
    """The file or the folder of a module or package; None if Python finds none."""
    try:
        # Not importlib.util.find_spec: that takes the word of a module that is loaded for where it is.
        parent = name.rpartition(".")[0]
        where = sys.modules[parent].__path__ if parent else None
        found = (finder.find_spec(name, where) for finder in sys.meta_path)
        spec = next((one for one in found if one is not None), None)
    except Exception as error:  # a finder may be anybody's
        raise UnknownError(f"{name}: {error}") from error
    if spec is None:
        return None
    if spec.submodule_search_locations is not None:
        places = list(spec.submodule_search_locations)
        if len(places) != 1:
            raise UnknownError(f"{name}: it is in {len(places)} places")
        return Path(places[0])
    if spec.origin is None or not os.path.isfile(spec.origin):
        raise UnknownError(f"{name}: it is in no file")
    return Path(spec.origin)


def _is_installed(place: Path) -> bool:
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return any(place.is_relative_to(folder) for folder in installed)


def _imported_in(text: bytes) -> Iterator[str]:
    """The packages of the modules that a file imports, see `package_of`."""
    for one, several, called in _IMPORT.findall(text):
        for word in (one, called, *several.split(b",")):
            name = package_of(word.strip().partition(b" ")[0].decode("utf-8", "replace"))
            if name.replace(".", "_").isidentifier():
                yield name
