"""Copies of a reference: its package is loaded again, without using or changing `sys.modules`.

A copy has its own modules, so code in the copy sees only the copy's classes, enums and constants. Only the reference's
own package is copied: the first part of the module's name, or the single file beside assignment.yaml.
"""

from __future__ import annotations

import builtins
import importlib.util
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from pitboss.assignments.functions import import_path_from, parse_function_name, source_file_of_module
from pitboss.errors import SpecError, as_found


class Original:
    """The modules of a reference."""

    def __init__(self, reference: str) -> None:
        """`reference` names a function that can be imported, as `module:function`."""
        name = parse_function_name(reference)
        self._folder, self._package = name.folder, name.package
        #: The name of the module that defines the function.
        self.main_module = name.module
        #: The name of the function.
        self.function = name.name
        #: The import path that begins at the reference's folder.
        self.path = import_path_from(self._folder)
        #: The file of each module that was looked up, by module name; None for a module outside the reference.
        self._files: dict[str, Path | None] = {}
        #: The name of each module whose code was read, by the path of its file.
        self.modules: dict[str, str] = {}

    def path_of(self, name: str) -> Path | None:
        """The file of a module that belongs to the reference; None for other modules."""
        if name not in self._files:
            is_own = name == self._package or name.startswith(f"{self._package}.")
            self._files[name] = source_file_of_module(self._folder, name) if is_own else None
        return self._files[name]

    def file_name(self, name: str) -> str:
        """The path of a module's file relative to the folder that contains the package, such as `shop/till.py`."""
        path = self.path_of(name)
        is_package = path is not None and path.name == "__init__.py"
        return f"{name.replace('.', '/')}{'/__init__' if is_package else ''}.py"

    def code(self, name: str) -> CodeType:
        """The code of a module; raises SpecError if the file cannot be read as Python."""
        path = self.path_of(name)
        assert path is not None
        self.modules[str(path)] = name
        try:
            return _code_of(path.read_text(encoding="utf-8"), str(path))
        except (OSError, SyntaxError, ValueError) as error:
            raise SpecError(f"{path}: the module cannot be read as Python: {error}") from error


@lru_cache(256)
def _code_of(text: str, path: str) -> CodeType:
    return compile(text, path, "exec", dont_inherit=True)


class Copy:
    """One copy of a reference's modules, some of them with changed code."""

    def __init__(self, original: Original, changed: Mapping[str, CodeType] = {}) -> None:
        """`changed` has the code of each changed module, by name. No module is loaded before `main` is called."""
        self._original, self._changed = original, changed
        #: The modules loaded so far, by name.
        self.modules: dict[str, ModuleType] = {}
        self._builtins = vars(builtins)

    def main(self) -> Callable[..., object]:
        """The reference's function in this copy; raises any error that the modules raise while they are loaded."""
        module = self._module(self._original.main_module)
        function: Callable[..., object] | None = getattr(module, self._original.function, None)
        if function is None:
            raise SpecError(f"{self._original.main_module} has no function {as_found(self._original.function)}")
        return function

    def _module(self, name: str) -> ModuleType:
        """Return the copy of a module of the reference; load the module, and first its parents, if needed."""
        if name in self.modules:
            return self.modules[name]
        parent, _, last = name.rpartition(".")
        if parent:
            self._module(parent)
        path = self._original.path_of(name)
        assert path is not None
        module = ModuleType(self._original.path.name_in_python(name))
        is_package = path.name == "__init__.py"
        module.__file__, module.__package__ = str(path), name if is_package else parent
        module.__spec__ = ModuleSpec(module.__name__, None, origin=str(path), is_package=is_package)
        if is_package:
            module.__path__ = [str(path.parent)]
        module.__dict__["__builtins__"] = {**self._builtins, "__import__": self._import}
        code = self._changed.get(name) or self._original.code(name)
        self.modules[name] = module
        exec(code, module.__dict__)
        if parent:
            setattr(self.modules[parent], last, module)
        return module

    def _import(
        self, name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0
    ) -> ModuleType:
        """The `__import__` function of the copy's modules: imports modules of the reference from this copy."""
        full_name = (
            importlib.util.resolve_name("." * level + name, (globals_ or {}).get("__package__")) if level else name
        )
        if self._original.path_of(full_name) is None:
            return self._original.path.run_import(name, globals_, locals_, fromlist, level)
        module = self._module(full_name)
        if not fromlist:  # `import a.b` needs the module a
            return self.modules[full_name.partition(".")[0]]
        for imported_name in fromlist:  # `from a import b`: b may be a module
            if (
                not hasattr(module, imported_name)
                and self._original.path_of(f"{full_name}.{imported_name}") is not None
            ):
                self._module(f"{full_name}.{imported_name}")
        return module
