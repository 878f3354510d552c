"""The files that a reference consists of, if the instructor ships it.

For a function, its module's file and the files in the assignment's folder that it imports; for a command, the files
that it names, or the whole folder of such a file, as `pitboss new` makes one: it may also contain data.
"""

from __future__ import annotations

import ast
import os
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pitboss.assignments.assignment import Assignment, Reference, Stage
from pitboss.assignments.functions import parts_of, places_of_package
from pitboss.data import REFERENCE, SHIPPED
from pitboss.errors import UsageError, as_found
from pitboss.kits.bundles.bundle_files import BundleFile, files_below, is_leftover, read_bundle_file

_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/opt/")


class Shipped(NamedTuple):
    """The files of references, by path in the assignment's folder, and the files left out of copied folders."""

    files: dict[str, BundleFile]
    left_out: tuple[str, ...] = ()


def shipped_files(assignment: Assignment, withheld: frozenset[Path]) -> Shipped:
    """The files of an assignment's references; `withheld` files are left out of copied folders.

    Raises UsageError for code outside the assignment's folder, and for code that contains the known mistakes.
    """
    folder = assignment.folder.resolve()
    found: dict[str, BundleFile] = {}
    left_out: list[str] = []
    references = [reference for stage in assignment.stages for reference in _references(stage)]
    for word in dict.fromkeys(word for reference in references for word in reference.command):
        for path in _files_named_by(word, folder):
            name = path.relative_to(folder).as_posix()
            is_named = str(path) == os.path.normpath(word)
            if not is_named and (is_leftover(path.name) or path.resolve() in withheld):
                left_out.append(name)
            else:
                found[name] = _file(path, folder)
    modules = [path for name in _functions(assignment) for path in _module_files(name, folder)]
    for path in _with_imported(modules, folder):
        found[path.relative_to(folder).as_posix()] = _file(path, folder)
    for stage in assignment.stages:
        for path in _module_files(stage.mistakes, folder)[:1] if stage.mistakes else ():
            name = path.relative_to(folder).as_posix()
            if name in found:
                raise UsageError(
                    f"{path}: the known mistakes are in a file of the reference, which students would get — put them "
                    "into one of their own, or set ship_reference: no"
                )
        for mistake in stage.mistake_folders:
            inside = mistake.folder.resolve()
            for name in (name for name in found if (folder / name).is_relative_to(inside)):
                raise UsageError(
                    f"{folder / name}: the reference needs a file of a known mistake, which students would get — move "
                    "that file beside the reference, or set ship_reference: no"
                )
    return Shipped(found, tuple(sorted(set(left_out) - found.keys())))


def _references(stage: Stage) -> tuple[Reference, ...]:
    return (stage.reference, *(variant.reference for variant in stage.tolerated))


def _functions(assignment: Assignment) -> list[str]:
    """The functions that checks call, as `module:function`."""
    names = [reference.function for stage in assignment.stages for reference in _references(stage)]
    names += [
        name
        for stage in assignment.stages
        for name in (stage.reader, *(checker.function for checker in stage.checkers))
    ]
    names += [case.function for case in assignment.players_of_cases.values()]
    return [name for name in dict.fromkeys(names) if name]


# Functions


def _module_files(name: str, folder: Path) -> list[Path]:
    """The files in the folder for the module of a function; none if it is installed."""
    function = parts_of(name)
    if inside := module_files_in(function.module, folder):
        return inside
    places = places_of_package(function)
    here = [SHIPPED / REFERENCE, *(Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib", "stdlib"))]
    if places and any(places[0].resolve().is_relative_to(path.resolve()) for path in here):
        return []
    raise UsageError(
        f"{folder}: {function.module}:{function.name} is not in this folder, so it cannot be shipped — "
        "put its module there, or set ship_reference: no"
    )


def module_files_in(module: str, folder: Path) -> list[Path]:
    """The file of a module below a folder, and the files of the packages that contain it."""
    parts = module.split(".")
    path = folder.joinpath(*parts)
    own = [path for path in (path.with_name(f"{path.name}.py"), path / "__init__.py") if path.is_file()]
    packages = [folder.joinpath(*parts[:end], "__init__.py") for end in range(1, len(parts))]
    return [*own, *(package for package in packages if package.is_file())] if own else []


def _with_imported(files: Iterable[Path], folder: Path) -> list[Path]:
    """These files, and the files in the folder that they import, directly or indirectly."""
    waiting, found = list(files), dict[Path, None]()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = None
            waiting += [imported for name in _imports(path, folder) for imported in module_files_in(name, folder)]
    return list(found)


def _imports(path: Path, folder: Path) -> Iterator[str]:
    """The modules that a file may import, by their names relative to the folder."""
    package = path.relative_to(folder).parts[:-1]
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            base = ".".join((*above, *(node.module.split(".") if node.module else ())))
            yield from (
                module for module in (base, *(f"{base}.{name.name}".strip(".") for name in node.names)) if module
            )


# Commands


def _files_named_by(word: str, folder: Path) -> list[Path]:
    """The files that a word of a command names; paths in the folder have been made absolute."""
    if not word.startswith("/"):
        if word.startswith("../"):
            _refuse(word)
        return []
    # A link is copied under its own name, so it is not resolved.
    path = Path(os.path.normpath(word))
    if not path.is_relative_to(folder):
        if not word.startswith(_SYSTEM):
            _refuse(word)
        return []
    first = folder / path.relative_to(folder).parts[0] if path != folder else folder
    if path == folder:
        _refuse(word)
    if not first.is_file():
        return list(files_below(first))
    return _with_imported([first], folder) if first.suffix == ".py" else [first]


def _refuse(word: str) -> None:
    raise UsageError(
        f"the reference's command has {as_found(word)}, which is not a file in the assignment's folder, so it cannot "
        "be shipped — put it there, or set ship_reference: no"
    )


def _file(path: Path, folder: Path) -> BundleFile:
    if not path.resolve().is_relative_to(folder):
        raise UsageError(f"{path}: this link leads out of the assignment's folder, so it cannot be shipped")
    return read_bundle_file(path)
