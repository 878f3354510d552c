"""The files of an assignment that go into a bundle, and those that students must not get.

If the instructor ships the reference, its files go too. For a function, these are the file of its module, and the files
in the assignment's folder that the module imports. For a source, these are the source, and the sources and headers that
it names; for a command, the files that its words name. If such a file is in a subfolder, such as the `reference/` that
`pitboss new` creates, the whole subfolder is shipped, since it may also contain data.
"""

from __future__ import annotations

import ast
import os
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.casefile import case_nodes
from pitboss.assignments.functions import locations_of_package, parse_function_name
from pitboss.assignments.nodes import Items, Keyed, Node, Text, read_yaml
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.data import REFERENCE, SHIPPED
from pitboss.errors import UsageError, as_found

#: The names of folders that interpreters and package managers leave behind.
_EXCLUDED_FOLDERS = ("__pycache__", "node_modules")
#: The ends of the names of files that editors and merges leave behind.
_LEFTOVER_SUFFIXES = ("~", ".bak", ".orig", ".rej", ".swp", ".tmp")
#: The beginnings of paths of installed programs, which are not shipped.
_SYSTEM_FOLDERS = ("/usr/", "/bin/", "/sbin/", "/lib", "/opt/")


class BundleFile(NamedTuple):
    """A file of a bundle."""

    content: bytes
    is_executable: bool = False


def is_leftover(name: str) -> bool:
    """Whether this is the name of a file that an editor or a merge left behind."""
    return name.startswith("#") or name.lower().endswith(_LEFTOVER_SUFFIXES)


def files_to_copy(folder: Path, excluded_folders: Sequence[str] = _EXCLUDED_FOLDERS) -> Iterator[Path]:
    """The files in a folder and its subfolders, except hidden files and files that interpreters leave behind.

    Subfolders with a name in `excluded_folders` are left out. Raises UsageError for a link to a folder, whose files
    would be missing, and OSError for a folder that cannot be read.
    """
    for parent, folders, names in os.walk(folder, onerror=_raise_error):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in excluded_folders)
        for name in folders:
            if (link := Path(parent, name)).is_symlink():
                raise UsageError(f"{link}: this is a link to a folder; put the folder itself there")
        for name in sorted(names):
            path = Path(parent, name)
            if not name.startswith(".") and not name.endswith(".pyc") and path.is_file():
                yield path


def read_bundle_file(path: Path) -> BundleFile:
    return BundleFile(path.read_bytes(), is_executable=bool(path.stat().st_mode & 0o100))


def _raise_error(error: OSError) -> NoReturn:
    raise error


class ReferenceFiles(NamedTuple):
    """The files of references, by path in the assignment's folder, and the files left out of copied folders."""

    files: dict[str, BundleFile]
    left_out: tuple[str, ...] = ()


def shipped_files(assignment: Assignment, withheld: frozenset[Path]) -> ReferenceFiles:
    """The files of an assignment's references; `withheld` files are left out of copied folders.

    Raises UsageError for code outside the assignment's folder, and for code that contains the known mistakes.
    """
    from pitboss.submissions.reference_source import reference_source  # slow to import

    folder = assignment.folder.resolve()
    files: dict[str, BundleFile] = {}
    left_out: list[str] = []
    references = [reference for stage in assignment.stages for reference in stage.references]
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
        for reference in stage.references
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


def _functions(assignment: Assignment) -> list[str]:
    """The names of the functions that a check of a submission calls, as `module:function`."""
    names = [reference.function for stage in assignment.stages for reference in stage.references]
    names += [stage.reader for stage in assignment.stages]
    names += [checker.function for stage in assignment.stages for checker in stage.checkers]
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
        return list(files_to_copy(top_level))
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


def withheld_files(assignment: Assignment, public: Assignment) -> frozenset[Path]:
    """The resolved paths of all files that students must not get.

    These are the files named only by cases that are not public, the modules of players that only such cases use, and
    the known mistakes with their texts. `public` is the assignment with only its public cases.
    """
    folder = assignment.folder.resolve()
    withheld, public_files = set[Path](), set(_files_named_in(read_yaml(folder / ASSIGNMENT_FILE), folder))
    for stage, public_stage in zip(assignment.stages, public.stages, strict=True):
        public_names = {case.name for case in public_stage.spec.cases}
        for name, node in nodes_of_cases(stage).items():
            (public_files if name in public_names else withheld).update(_files_named_in(node, stage.spec.path.parent))
        if stage.words is not None:
            withheld.add(stage.words.path.resolve())
        for mistake in stage.mistake_folders:
            withheld.update(path.resolve() for path in mistake.folder.rglob("*"))
    players, public_players = assignment.players_of_cases, public.players_of_cases
    public_modules = {path for player in public_players.values() for path in _module_files_of(player.function, folder)}
    for player_name in players.keys() - public_players.keys():
        withheld.update(set(_module_files_of(players[player_name].function, folder)) - public_modules)
    return frozenset(withheld - public_files)


def _module_files_of(function: str, folder: Path) -> list[Path]:
    """The file of a function's module as a list; empty if the file is not in the folder."""
    return [
        path.resolve()
        for path in (module_files_in(parse_function_name(function).module, folder)[:1] if function else ())
    ]


def nodes_of_cases(stage: Stage) -> dict[str, Keyed]:
    """The node of each case in the spec file of a stage, by the case's name."""
    return {name.value: node for name, node in case_nodes(read_yaml(stage.spec.path))} if stage.spec.cases else {}


def _files_named_in(node: Node, folder: Path) -> Iterator[Path]:
    """The resolved paths of the files that are named anywhere below a node as `{file: …}`."""
    if isinstance(node, Keyed):
        for name, item in node.entries.items():
            if name == "file" and isinstance(item, Text):
                yield (folder / item.value).resolve()
            yield from _files_named_in(item, folder)
    elif isinstance(node, Items):
        for item in node.items:
            yield from _files_named_in(item, folder)
