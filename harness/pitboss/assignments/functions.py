"""Imports the functions that an assignment names as `module:function`: references, players, readers, mistakes.

Each assignment has its own import path: its folder, then Python's path, and then the working directory, if the
assignment is below it. The working directory comes last because it may be a student's, whose files must not replace a
library. Modules found in a folder are loaded for this assignment only, so two assignments in one process may each have
a package `reference` or a module `rules`. A package `reference` in the working directory takes precedence over the
package of this name that comes with pitboss.

In a loaded assignment these names begin with the folder: `/…/specs/dice:reading:read`.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pitboss.assignments.authored import call
from pitboss.data import REFERENCE, SHIPPED
from pitboss.errors import AssignmentError, SpecError


class FunctionName(NamedTuple):
    """The parts of the name of a function."""

    #: The first folder of its import path: the assignment's, or the working directory. Empty if the name has no folder.
    folder: str
    module: str
    name: str

    @property
    def written(self) -> str:
        """The name as written in the assignment."""
        return f"{self.module}:{self.name}"

    @property
    def package(self) -> str:
        """The top-level package or module."""
        return self.module.partition(".")[0]


def parts_of(name: str) -> FunctionName:
    """Returns the parts of the name of a function.

    >>> parts_of("/specs/dice:cups.reading:read").package
    'cups'
    """
    return FunctionName(*["", *name.rsplit(":", 2)][-3:])


def qualified_name(module: str, function: str, folder: Path) -> str:
    """Returns `FOLDER:module:function` for a function named by the assignment in `folder`; FOLDER is where it is."""
    folder_of_module, working_folder = str(folder.resolve()), os.getcwd()
    is_known = (
        module_locations(folder_of_module, module) is not None or _python_spec(module.partition(".")[0]) is not None
    )
    if not is_known and module_locations(working_folder, module) is not None:
        folder_of_module = working_folder
    return f"{folder_of_module}:{module}:{function}"


def _python_spec(package: str) -> ModuleSpec | None:
    """Returns the spec of a package or module on Python's own path; None if it is not there."""
    try:
        return importlib.util.find_spec(package)
    except ValueError:  # a module that has no spec, such as __main__
        return None


@cache  # a player is needed again in every session
def resolve_function(name: str, what: str) -> Any:
    """Returns the function of this name; raises SpecError, naming `what`, if it cannot be imported or called."""
    folder, module_name, function_name = function_parts = parts_of(name)
    importing = f"{what}: {function_parts.written!r} cannot be imported: it"
    try:
        module = call(importing, path_from(folder).load, module_name)
    except AssignmentError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and f"{module_name}.".startswith(f"{cause.name}."):
            raise SpecError(f"{what}: {function_parts.written!r} cannot be imported: {cause}") from None
        raise
    function_object = call(importing, getattr, module, function_name, None)
    if not callable(function_object):
        raise SpecError(f"{what}: module {module_name!r} has no function {function_name!r}")
    return function_object


def module_locations(folder: str, module: str) -> list[Path] | None:
    """Returns the file of a module on the import path of a folder, or the folders of a package; None if not found.

    Loads nothing.
    """
    first, *parts = module.split(".")
    spec = path_from(folder).find_module_spec(first)
    for part in parts:
        search_locations = spec.submodule_search_locations if spec is not None else None
        spec = PathFinder.find_spec(part, search_locations) if search_locations is not None else None
    if spec is None:
        return None
    if spec.submodule_search_locations is not None:
        return [Path(location) for location in spec.submodule_search_locations]
    return [Path(spec.origin)] if spec.origin else None


def places_of_package(function: FunctionName) -> list[Path]:
    """Returns the file or folders of a function's package, on its import path or else Python's; [] if not found."""
    locations = module_locations(function.folder, function.package)
    if locations is not None:
        return locations
    spec = _python_spec(function.package)
    if spec is None:
        return []
    search_locations = spec.submodule_search_locations or ([spec.origin] if spec.origin and spec.has_location else [])
    return [Path(location) for location in search_locations]


def file_of(folder: str, module: str) -> Path | None:
    """Returns the Python source file of a module on the import path of a folder; None if not found."""
    locations = module_locations(folder, module)
    if not locations:
        return None
    file = locations[0] / "__init__.py" if locations[0].is_dir() else locations[0]
    return file if file.suffix == ".py" and file.is_file() else None


def path_from(folder: str) -> ImportPath:
    """Returns the import path that begins at a folder: an assignment's, or the working directory."""
    return _path_from(folder, os.getcwd())


@cache
def _path_from(folder: str, working_folder: str) -> ImportPath:
    is_below = folder != working_folder and Path(folder).is_relative_to(working_folder)
    return ImportPath([folder] if folder else [], [working_folder] if is_below else [])


class ImportPath:
    """Folders that are searched for modules before and after Python's path, and the modules loaded from there.

    To Python they are modules of a hidden package, one package for each path. Their import statements find each other
    by their plain names.
    """

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        """Create the hidden package; nothing is loaded yet."""
        self._before, self._after = list(before), list(after)
        #: All folders. Only `reference` is searched in the last, since in the repository it has other packages too.
        self._folders = [*before, *after, str(SHIPPED)]
        readable = re.sub(r"\W", "_", Path(self._folders[0]).name)
        number = hashlib.blake2b(os.fsencode("\0".join(self._folders)), digest_size=6).hexdigest()
        self._package = f"_{readable}_{number}"
        self._is_own: dict[str, bool] = {}
        #: The built-in functions of the loaded modules.
        self.builtins: Mapping[str, Any] = {**vars(builtins), "__import__": self.run_import}
        package = ModuleType(self._package)
        package.__path__ = self._folders
        sys.modules[self._package] = package
        _finder.paths[self._package] = self

    def prepend_folders(self, folders: Sequence[str]) -> None:
        """Also search these folders, before Python's path. Must be called before anything is loaded."""
        count = len(self._before)
        self._before[count:] = self._folders[count:count] = folders

    def find_module_spec(self, top: str) -> ModuleSpec | None:
        """Return the spec of a package or module found here, unless Python's own path takes precedence."""
        spec = PathFinder.find_spec(top, self._before)
        if spec is not None and spec.loader is not None:
            return spec
        if top == REFERENCE:
            return PathFinder.find_spec(top, self._folders)
        # Any folder may be a package without __init__.py, so a module on Python's own path takes precedence.
        return None if _python_spec(top) is not None else PathFinder.find_spec(top, [*self._before, *self._after])

    def has_module(self, module: str) -> bool:
        """Whether a module is found here rather than on Python's path."""
        top = module.partition(".")[0]
        if top not in self._is_own:
            self._is_own[top] = top not in sys.stdlib_module_names and self.find_module_spec(top) is not None
        return self._is_own[top]

    def name_in_python(self, module: str) -> str:
        """Return Python's name for a module that is found here."""
        return f"{self._package}.{module}"

    def load(self, module: str) -> ModuleType:
        """Load and return a module: from here if it is found here, even if the standard library has the same name."""
        if self.find_module_spec(module.partition(".")[0]) is None:
            return importlib.import_module(module)
        self._is_own[module.partition(".")[0]] = True
        try:
            return importlib.import_module(self.name_in_python(module))
        except ImportError as error:
            self._restore_names(error)
            raise

    def run_import(
        self, name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0
    ) -> ModuleType:
        """Import a module for an import statement in one of the modules: it is their `__import__`."""
        if level or not self.has_module(name):
            return builtins.__import__(name, globals_, locals_, fromlist, level)
        full_name = self.name_in_python(name)
        try:
            if fromlist:
                return builtins.__import__(full_name, globals_, locals_, fromlist, 0)
            importlib.import_module(full_name)
        except ImportError as error:
            self._restore_names(error)
            raise
        return sys.modules[self.name_in_python(name.partition(".")[0])]

    def _restore_names(self, error: ImportError) -> None:
        """Remove the hidden package from the module names in an error."""
        error.name = error.name and error.name.removeprefix(f"{self._package}.")
        error.msg = error.msg.replace(f"{self._package}.", "")


class _ModuleFinder:
    """Finds the modules of all import paths, as Python does, and loads them with their own built-in functions."""

    def __init__(self) -> None:
        #: The import paths, by the names of their hidden packages.
        self.paths: dict[str, ImportPath] = {}

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module of a hidden package, as Python finds it at a path; None for all other modules."""
        ours = self.paths.get(name.partition(".")[0])
        if ours is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _ModuleLoader(spec.loader.name, spec.loader.path, ours.builtins)
        return spec


_finder = _ModuleFinder()
sys.meta_path.insert(0, _finder)


class _ModuleLoader(SourceFileLoader):
    """Loads a module whose import statements search its own import path."""

    def __init__(self, name: str, path: str, own_builtins: Mapping[str, Any]) -> None:
        super().__init__(name, path)
        self._builtins = own_builtins

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        module.__dict__["__builtins__"] = self._builtins
        super().exec_module(module)
