"""The files that a reference consists of, if the instructor ships it.

For a function, these are the file of its module, and the files in the assignment's folder that the module imports. For
a source, these are the source, and the sources and headers that it names; for a command, the files that its words name.
If such a file is in a subfolder, such as the `reference/` that `pitboss new` creates, the whole subfolder is shipped,
since it may also contain data.
"""

from __future__ import annotations

import ast
import os
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pitboss.assignments.assignment import Assignment, Reference, Stage
from pitboss.assignments.functions import locations_of_package, parse_function_name
from pitboss.data import REFERENCE, SHIPPED
from pitboss.errors import UsageError, as_found
from pitboss.kits.bundles.bundle_files import BundleFile, files_below, is_leftover, read_bundle_file
from pitboss.submissions.reference_source import reference_source

#: The beginnings of paths of installed programs, which are not shipped.
_SYSTEM_FOLDERS = ("/usr/", "/bin/", "/sbin/", "/lib", "/opt/")


class ReferenceFiles(NamedTuple):
    """The files of references, by path in the assignment's folder, and the files left out of copied folders."""

    files: dict[str, BundleFile]
    left_out: tuple[str, ...] = ()


def shipped_files(assignment: Assignment, withheld: frozenset[Path]) -> ReferenceFiles:
    """The files of an assignment's references; `withheld` files are left out of copied folders.

    Raises UsageError for code outside the assignment's folder, and for code that contains the known mistakes.
    """
    folder = assignment.folder.resolve()
    files: dict[str, BundleFile] = {}
    left_out: list[str] = []
    references = [reference for stage in assignment.stages for reference in _references(stage)]
    command_words = (word for reference in references for word in reference.command)
    for word in dict.fromkeys(path for command_word in command_words for path in _paths_in(command_word)):
        for path in _files_named_by(word, folder):
            name = path.relative_to(folder).as_posix()
            # A path that is not named itself is in a copied folder, or imported by a named file.
            is_named = str(path) == os.path.normpath(word)
            if not is_named and (is_leftover(path.name) or path.resolve() in withheld):
                left_out.append(name)
            else:
                files[name] = _read_inside(path, folder)
    modules = [path for name in _functions(assignment) for path in _module_files(name, folder)]
    sources = [
        reference_source(stage, Path(reference.command[0]))
        for stage in assignment.stages
        for reference in _references(stage)
        if reference.is_source
    ]
    code_files = [folder / name for source in sources for name in source.code_files]
    for path in (*_with_imported(modules, folder), *code_files):
        files[path.relative_to(folder).as_posix()] = _read_inside(path, folder)
    for stage in assignment.stages:
        # Only the module's own file, which comes first, contains the mistakes; packages follow.
        for path in _module_files(stage.mistakes, folder)[:1] if stage.mistakes else ():
            name = path.relative_to(folder).as_posix()
            if name in files:
                raise UsageError(
                    f"{path}: the known mistakes are in a file of the reference, which students would get — put them "
                    "into a separate file, or set ship_reference: no"
                )
        for mistake in stage.mistake_folders:
            mistake_folder = mistake.folder.resolve()
            for name in (name for name in files if (folder / name).is_relative_to(mistake_folder)):
                raise UsageError(
                    f"{folder / name}: the reference needs a file of a known mistake, which students would get — move "
                    "that file beside the reference, or set ship_reference: no"
                )
    return ReferenceFiles(files, tuple(sorted(set(left_out) - files.keys())))


def _references(stage: Stage) -> tuple[Reference, ...]:
    return (stage.reference, *(variant.reference for variant in stage.tolerated))


def _functions(assignment: Assignment) -> list[str]:
    """The names of the functions that a check of a submission calls, as `module:function`."""
    names = [reference.function for stage in assignment.stages for reference in _references(stage)]
    names += [
        name
        for stage in assignment.stages
        for name in (stage.reader, *(checker.function for checker in stage.checkers))
    ]
    names += [player.function for player in assignment.players_of_cases.values()]
    return [name for name in dict.fromkeys(names) if name]


# Functions


def _module_files(name: str, folder: Path) -> list[Path]:
    """The files in the folder for the module of a function; empty if the module is installed with pitboss or Python."""
    function = parse_function_name(name)
    if files := module_files_in(function.module, folder):
        return files
    locations = locations_of_package(function)
    installed_folders = [
        SHIPPED / REFERENCE,
        *(Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib", "stdlib")),
    ]
    if locations and any(locations[0].resolve().is_relative_to(path.resolve()) for path in installed_folders):
        return []
    raise UsageError(
        f"{folder}: {function.module}:{function.name} is not in this folder, so it cannot be shipped — "
        "put its module there, or set ship_reference: no"
    )


def module_files_in(module: str, folder: Path) -> list[Path]:
    """The file of a module below a folder, then the files of the packages that contain it; empty without the module."""
    parts = module.split(".")
    base = folder.joinpath(*parts)
    module_files = [path for path in (base.with_name(f"{base.name}.py"), base / "__init__.py") if path.is_file()]
    packages = [folder.joinpath(*parts[:end], "__init__.py") for end in range(1, len(parts))]
    return [*module_files, *(package for package in packages if package.is_file())] if module_files else []


def _with_imported(files: Iterable[Path], folder: Path) -> list[Path]:
    pending, reachable = list(files), dict[Path, None]()
    while pending:
        path = pending.pop()
        if path not in reachable:
            reachable[path] = None
            pending += [
                imported for name in _imported_modules(path, folder) for imported in module_files_in(name, folder)
            ]
    return list(reachable)


def _imported_modules(path: Path, folder: Path) -> Iterator[str]:
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
            # Level 1 (one dot) is the file's own package, each further dot the next outer one; 0 is an absolute import.
            parent_parts = package[: len(package) + 1 - node.level] if node.level else ()
            base = ".".join((*parent_parts, *(node.module.split(".") if node.module else ())))
            yield from (
                module for module in (base, *(f"{base}.{name.name}".strip(".") for name in node.names)) if module
            )


# Commands


def _paths_in(word: str) -> list[str]:
    """The absolute paths in a search path, such as /a/classes:/a/data; any other word alone."""
    parts = [part for part in word.split(":") if part.startswith("/")]
    return parts if ":" in word and parts and not os.path.exists(word) else [word]


def _files_named_by(word: str, folder: Path) -> list[Path]:
    """The files to ship for a word of a command; empty for an installed program, and for a word that is not a path.

    The path of the program is absolute here, and so are existing paths that begin with ./ or ../ in assignment.yaml.
    Raises UsageError for a path that cannot be shipped.
    """
    if not word.startswith("/"):
        if word.startswith("../"):
            _raise_not_shippable(word)
        return []
    # A link is copied under its own name, so it is not resolved.
    path = Path(os.path.normpath(word))
    if not path.is_relative_to(folder):
        if not word.startswith(_SYSTEM_FOLDERS):
            _raise_not_shippable(word)
        return []
    if path == folder:
        _raise_not_shippable(word)
    top_level = folder / path.relative_to(folder).parts[0]
    if not top_level.is_file():
        return list(files_below(top_level))
    return _with_imported([top_level], folder) if top_level.suffix == ".py" else [top_level]


def _raise_not_shippable(word: str) -> None:
    """Raise UsageError for a word of the reference's command that is not a file to ship."""
    raise UsageError(
        f"the reference's command has {as_found(word)}, which is not a file in the assignment's folder, so it cannot "
        "be shipped — put it there, or set ship_reference: no"
    )


def _read_inside(path: Path, folder: Path) -> BundleFile:
    """Reads a file; raises UsageError if the path is a link that leads out of the folder."""
    if not path.resolve().is_relative_to(folder):
        raise UsageError(f"{path}: this link leads out of the assignment's folder, so it cannot be shipped")
    return read_bundle_file(path)
