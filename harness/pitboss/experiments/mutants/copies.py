"""Copies of a reference: its package is loaded again, without using or changing `sys.modules`.

A copy has its own modules, so code in the copy sees only the copy's classes, enums and constants. Only the reference's
own package is copied: the first part of the module's name, or the single file beside assignment.yaml.

A probe is code that records that the code after the probe runs. A copy with probes has a probe before each statement,
and before each part of a statement that may be skipped when the statement runs.
"""

from __future__ import annotations

import ast
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
from pitboss.experiments.mutation.module_mutants import Module
from pitboss.experiments.mutation.places import StatementPlace, blocks_of

#: The name of a global variable in each module with probes: a byte array, in which each probe sets its byte to 1.
RAN = "__pitboss_ran__"


def add_probes(module: Module) -> None:
    """Put a probe before each conditional part of a module, and before each statement unless it must be first."""
    statement_numbers = {id(place.node): place.number for place in module.places}
    unprobed = {id(place.node) for place in module.places if _must_be_first(place)}
    part_numbers = {id(part): number for number, (part, _) in enumerate(module.parts, len(module.places))}
    _PartProbes(part_numbers).visit(module.tree)
    for owner in (module.tree, *(place.node for place in module.places)):
        for block in blocks_of(owner):
            block[:] = [
                statement
                for node in block
                for statement in ((node,) if id(node) in unprobed else (_probe(statement_numbers[id(node)]), node))
            ]


class _PartProbes(ast.NodeTransformer):
    """Replaces each numbered expression by `PROBE or EXPRESSION`, which has the same value: a probe returns None."""

    def __init__(self, numbers: dict[int, int]) -> None:
        #: The number of each expression, by the `id()` of its node.
        self._numbers = numbers

    def visit(self, node: ast.AST) -> ast.AST:
        number = self._numbers.get(id(node))
        visited: ast.AST = self.generic_visit(node)
        if number is None or not isinstance(visited, ast.expr):
            return visited
        setter = ast.Attribute(ast.Name(RAN, ast.Load()), "__setitem__", ast.Load())
        probe = ast.Call(setter, [ast.Constant(number), ast.Constant(1)], [])
        return ast.BoolOp(ast.Or(), [probe, visited])


def _must_be_first(place: StatementPlace) -> bool:
    """Whether no probe may come before a statement: a docstring, or an import from `__future__`."""
    is_future = isinstance(place.node, ast.ImportFrom) and place.node.module == "__future__"
    return is_future or place.is_docstring


def _probe(number: int) -> ast.stmt:
    target = ast.Subscript(ast.Name(RAN, ast.Load()), ast.Constant(number), ast.Store())
    return ast.Assign([target], ast.Constant(1))


class Original:
    """The source of a reference: its modules, each read and compiled when first needed."""

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
        #: The modules read so far, by name.
        self.modules: dict[str, Module] = {}

    def path_of(self, name: str) -> Path | None:
        """The file of a module that belongs to the reference; None for other modules."""
        if name not in self._files:
            is_own = name == self._package or name.startswith(f"{self._package}.")
            self._files[name] = source_file_of_module(self._folder, name) if is_own else None
        return self._files[name]

    def module(self, name: str) -> Module:
        """A module of the reference with its syntax tree; raises SpecError if the file cannot be read as Python."""
        if name not in self.modules:
            path = self.path_of(name)
            assert path is not None
            try:
                self.modules[name] = _module_of(name, path.read_text(encoding="utf-8"), str(path))
            except (OSError, SyntaxError, ValueError) as error:
                raise SpecError(f"{path}: the module cannot be read as Python: {error}") from error
        return self.modules[name]

    def code(self, name: str, *, is_probed: bool) -> CodeType:
        """The code of an unchanged module, with or without probes."""
        module = self.module(name)
        return _code_of(name, module.text, str(self.path_of(name)), is_probed)


#: How many modules a process caches, for all the stages and submissions that it handles.
_MAX_CACHED = 128


@lru_cache(_MAX_CACHED)
def _module_of(name: str, text: str, path: str) -> Module:
    return Module(name, text, path)


@lru_cache(2 * _MAX_CACHED)
def _code_of(name: str, text: str, path: str, is_probed: bool) -> CodeType:
    module = Module(name, text, path)  # not the cached one, whose tree must stay without probes
    if is_probed:
        add_probes(module)
    return module.compiled()


class Copy:
    """One copy of a reference's modules, some of them with changed code."""

    def __init__(
        self,
        original: Original,
        changed: Mapping[str, CodeType] = {},
        *,
        is_probed: bool = False,
    ) -> None:
        """`changed` has the code of each changed module, by name. No module is loaded before `main` is called."""
        self._original, self._changed, self._is_probed = original, changed, is_probed
        #: The modules loaded so far, by name.
        self.modules: dict[str, ModuleType] = {}
        self._builtins = vars(builtins)
        #: For each module of a copy with probes, one byte per statement and part: 1 if this statement or part ran.
        self.ran: dict[str, bytearray] = {}

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
        code = self._changed.get(name) or self._original.code(name, is_probed=self._is_probed)
        if self._is_probed:
            self.ran[name] = module.__dict__[RAN] = bytearray(self._original.module(name).size)
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
