"""Imports the functions that an assignment names as `module:function`: references, players, readers, mistakes.

Each assignment has its own import path: its folder, then Python's path, and then the working directory, if the
assignment is below it. The working directory comes last because it may be a student's, whose files must not replace a
library. Modules found in a folder are loaded for this assignment only, so two assignments in one process may each have
a package `reference` or a module `rules`. A package `reference` in the working directory takes precedence over the
package of this name that comes with pitboss.

In a loaded assignment, the names of functions begin with the folder: `/…/specs/dice:reading:read`.
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

    #: The first folder of the function's import path: the assignment's folder, or the working directory. Empty if the
    #: name has no folder.
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


def parse_function_name(name: str) -> FunctionName:
    """Returns the parts of a function's name: `FOLDER:module:function`, or `module:function`.

    >>> parse_function_name("/specs/dice:cups.reading:read").package
    'cups'
    """
    folder_module_and_name = ["", *name.rsplit(":", 2)][-3:]  # the folder is empty if the name has none
    return FunctionName(*folder_module_and_name)


def qualified_name(module: str, function: str, folder: Path) -> str:
    """Returns `FOLDER:module:function` for a function that the assignment in `folder` names.

    FOLDER is the working directory if only the working directory has the module, and otherwise `folder`.
    """
    folder_of_module, working_folder = str(folder.resolve()), os.getcwd()
    has_module = (
        module_locations(folder_of_module, module) is not None or _python_spec(module.partition(".")[0]) is not None
    )
    if not has_module and module_locations(working_folder, module) is not None:
        folder_of_module = working_folder
    return f"{folder_of_module}:{module}:{function}"


def _python_spec(package: str) -> ModuleSpec | None:
    """Returns the import spec of a package or module on Python's own path; None if it is not found."""
    try:
        return importlib.util.find_spec(package)
    except ValueError:  # a module that has no spec, such as __main__
        return None


@cache  # a player is needed again in every session
def resolve_function(name: str, what: str) -> Any:
    """Returns the function of this name; raises SpecError if it cannot be imported or is not callable.

    Messages contain `what`, which says what the function is for.
    """
    folder, module_name, function_name = function_parts = parse_function_name(name)
    # `call` appends what went wrong, such as "failed: …".
    message_start = f"{what}: {function_parts.written!r} cannot be imported: it"
    try:
        module = call(message_start, import_path_from(folder).load, module_name)
    except AssignmentError as error:
        cause = error.__cause__
        # The module itself or a package around it is missing, rather than a module that it imports.
        if isinstance(cause, ModuleNotFoundError) and f"{module_name}.".startswith(f"{cause.name}."):
            raise SpecError(f"{what}: {function_parts.written!r} cannot be imported: {cause}") from None
        raise
    function_object = call(message_start, getattr, module, function_name, None)
    if not callable(function_object):
        raise SpecError(f"{what}: module {module_name!r} has no function {function_name!r}")
    return function_object


def module_locations(folder: str, module: str) -> list[Path] | None:
    """Returns the file of a module on the import path of a folder, or the folders of a package; None if not found.

    Does not load the module.
    """
    top, *parts = module.split(".")
    module_spec = import_path_from(folder).find_module_spec(top)
    for part in parts:
        search_locations = module_spec.submodule_search_locations if module_spec is not None else None
        module_spec = PathFinder.find_spec(part, search_locations) if search_locations is not None else None
    if module_spec is None:
        return None
    if module_spec.submodule_search_locations is not None:
        return [Path(location) for location in module_spec.submodule_search_locations]
    return [Path(module_spec.origin)] if module_spec.origin else None


def locations_of_package(function: FunctionName) -> list[Path]:
    """Returns the file or folders of a function's package; [] if not found.

    The package is searched on the function's import path, then on Python's own path.
    """
    locations = module_locations(function.folder, function.package)
    if locations is not None:
        return locations
    module_spec = _python_spec(function.package)
    if module_spec is None:
        return []
    search_locations = module_spec.submodule_search_locations or (
        [module_spec.origin] if module_spec.origin and module_spec.has_location else []
    )
    return [Path(location) for location in search_locations]


def source_file_of_module(folder: str, module: str) -> Path | None:
    """Returns the Python source file of a module on the import path of a folder; None if not found."""
    locations = module_locations(folder, module)
    if not locations:
        return None
    file = locations[0] / "__init__.py" if locations[0].is_dir() else locations[0]
    return file if file.suffix == ".py" and file.is_file() else None


def import_path_from(folder: str) -> ImportPath:
    """Returns the import path that begins at a folder: an assignment's, or the working directory."""
    return _path_from(folder, os.getcwd())


@cache
def _path_from(folder: str, working_folder: str) -> ImportPath:
    is_below = folder != working_folder and Path(folder).is_relative_to(working_folder)
    return ImportPath([folder] if folder else [], [working_folder] if is_below else [])


class ImportPath:
    """Folders that are searched for modules before and after Python's path, and the modules loaded from there.

    Python sees these modules as submodules of a *hidden* package, whose name no code uses; each import path has its
    own. Nevertheless, the modules import each other by their plain names.
    """

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        """Create the hidden package; no module is loaded yet.

        `before` and `after` are the folders searched before and after Python's path.
        """
        self._before, self._after = list(before), list(after)
        #: All folders. The last is pitboss's own, searched only for `reference`: in the repository, this folder has
        #: other packages too.
        self._folders = [*before, *after, str(SHIPPED)]
        folder_name = re.sub(r"\W", "_", Path(self._folders[0]).name)
        digest = hashlib.blake2b(os.fsencode("\0".join(self._folders)), digest_size=6).hexdigest()
        self._package = f"_{folder_name}_{digest}"
        #: The cached results of `has_module`, by top-level module.
        self._has_top: dict[str, bool] = {}
        #: The built-in functions that the loaded modules see; their `__import__` searches this import path.
        self.builtins: Mapping[str, Any] = {**vars(builtins), "__import__": self.run_import}
        package = ModuleType(self._package)
        package.__path__ = self._folders
        sys.modules[self._package] = package
        _finder.paths[self._package] = self

    def prepend_folders(self, folders: Sequence[str]) -> None:
        """Search these folders too, before Python's path but after the folders that already come before it.

        Must be called before any module is loaded.
        """
        index = len(self._before)
        self._folders[index:index] = folders
        self._before += folders

    def find_module_spec(self, top: str) -> ModuleSpec | None:
        """Return the import spec of a package or module on this import path.

        None if the module is not found, or if Python's own path takes precedence.
        """
        module_spec = PathFinder.find_spec(top, self._before)
        if module_spec is not None and module_spec.loader is not None:
            return module_spec
        if top == REFERENCE:
            return PathFinder.find_spec(top, self._folders)
        # Any folder may be a package without __init__.py, so a module on Python's own path takes precedence.
        return None if _python_spec(top) is not None else PathFinder.find_spec(top, [*self._before, *self._after])

    def has_module(self, module: str) -> bool:
        """Whether import statements find a module on this import path rather than on Python's own path."""
        top = module.partition(".")[0]
        if top not in self._has_top:
            self._has_top[top] = top not in sys.stdlib_module_names and self.find_module_spec(top) is not None
        return self._has_top[top]

    def name_in_python(self, module: str) -> str:
        """Return the full name of a module on this import path, which includes the hidden package."""
        return f"{self._package}.{module}"

    def load(self, module: str) -> ModuleType:
        """Load and return a module.

        A module found on this import path replaces a module of the standard library with the same name.
        """
        if self.find_module_spec(module.partition(".")[0]) is None:
            return importlib.import_module(module)
        self._has_top[module.partition(".")[0]] = True  # so import statements find this module, too
        try:
            return importlib.import_module(self.name_in_python(module))
        except ImportError as error:
            self._restore_names(error)
            raise

    def run_import(
        self, name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0
    ) -> ModuleType:
        """Import a module for an import statement: the `__import__` of the modules loaded from this path."""
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
        return sys.modules[self.name_in_python(name.partition(".")[0])]  # `import a.b` gets the package a

    def _restore_names(self, error: ImportError) -> None:
        """Remove the name of the hidden package from the module names in an error."""
        error.name = error.name and error.name.removeprefix(f"{self._package}.")
        error.msg = error.msg.replace(f"{self._package}.", "")


class _ModuleFinder:
    """Finds the modules of hidden packages; each module gets the built-in functions of its import path."""

    def __init__(self) -> None:
        #: The import paths, by the names of their hidden packages.
        self.paths: dict[str, ImportPath] = {}

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the import spec of a module in a hidden package, searched in the folders `path`; None for others."""
        import_path = self.paths.get(name.partition(".")[0])
        if import_path is None:
            return None
        module_spec = PathFinder.find_spec(name, path, target)
        if module_spec is not None and isinstance(module_spec.loader, SourceFileLoader):
            module_spec.loader = _ModuleLoader(module_spec.loader.name, module_spec.loader.path, import_path.builtins)
        return module_spec


_finder = _ModuleFinder()
sys.meta_path.insert(0, _finder)


class _ModuleLoader(SourceFileLoader):
    """Loads a module whose import statements search the import path of its hidden package."""

    def __init__(self, name: str, path: str, own_builtins: Mapping[str, Any]) -> None:
        super().__init__(name, path)
        self._builtins = own_builtins

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code."""
        module.__dict__["__builtins__"] = self._builtins
        super().exec_module(module)
