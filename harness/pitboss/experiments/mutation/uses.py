"""Finds the statements of a reference that a stage uses: the code that ran, and the definitions that this code reads.

Statements at the top level of a module or class run when the module is loaded, even if the stage does not need their
definitions. So a definition is considered used only if a used statement reads the defined name, or an attribute with
that name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from pitboss.assignments.authored import call
from pitboss.assignments.options import Option, accepted_by, own_keywords
from pitboss.experiments.mutants.copies import Copy, Original
from pitboss.experiments.mutation.module_mutants import Module
from pitboss.experiments.mutation.places import Function, StatementPlace

#: The name of a module, and the number of a statement in this module, or of a part of a statement that may be skipped
#: when the statement runs (see `Module.parts`).
Statement = tuple[str, int]


def used_statements(modules: Mapping[str, Module], ran: Mapping[str, bytearray]) -> set[Statement]:
    """Returns the statements that a stage uses. `ran` has, by module, a byte for each statement: 1 if it ran."""
    return _Uses(modules, ran).statements()


class _Uses:
    """Follows the names that statements read to their definitions; a module that is not in `ran` was not loaded."""

    def __init__(self, modules: Mapping[str, Module], ran: Mapping[str, bytearray]) -> None:
        self._modules = modules
        self._ran = {name: ran.get(name) or bytes(module.size) for name, module in modules.items()}
        self._used: set[Statement] = set()
        #: By module and name, the numbers of the statements that define the name at the top level of the module.
        self._definitions: dict[tuple[str, str], list[int]] = {}
        #: By module and imported name, the module and the name there; that name is empty if a module is imported.
        self._imports: dict[tuple[str, str], tuple[str, str]] = {}
        #: By name of an attribute, the statements in classes that define an attribute with this name.
        self._attributes: dict[str, list[Statement]] = {}
        for name, module in modules.items():
            for place in module.places:
                if place.function is None:
                    self._record_definitions(name, place)

    def statements(self) -> set[Statement]:
        """Return the used statements and parts: those that ran, and the definitions that they read, even indirectly.

        Of the statements outside functions, only those with an effect, and definitions that are read, are used.
        """
        for name, module in self._modules.items():
            for place in module.places:
                if self._ran[name][place.number] and (place.function is not None or _has_effect(place.node)):
                    self._mark_used(name, place)
                    if place.function is not None:  # the function was called, so its defaults may have been used
                        self._mark_used(name, module.places[place.function])
        # The parts of a module are numbered after its statements.
        parts = {
            (name, number)
            for name, module in self._modules.items()
            for number, (_, place) in enumerate(module.parts, len(module.places))
            if (name, place.number) in self._used and self._ran[name][number]
        }
        return self._used | parts

    def _record_definitions(self, module: str, place: StatementPlace) -> None:
        if isinstance(place.node, ast.ImportFrom):
            for alias in place.node.names:
                origin = place.node.module or ""
                full_name = f"{origin}.{alias.name}"
                target = (full_name, "") if full_name in self._modules else (origin, alias.name)
                self._imports[module, alias.asname or alias.name] = target
            return
        if isinstance(place.node, ast.Import):
            for alias in place.node.names:
                self._imports[module, alias.asname or alias.name.partition(".")[0]] = (alias.name, "")
            return
        for name in _defined_names(place.node):
            if place.scope:  # in a class
                self._attributes.setdefault(name, []).append((module, place.number))
            else:
                self._definitions.setdefault((module, name), []).append(place.number)

    def _mark_used(self, module: str, place: StatementPlace) -> None:
        statement = (module, place.number)
        if statement in self._used or not self._ran[module][place.number]:
            return
        self._used.add(statement)
        for node in _expressions_of_statement(place.node):
            if isinstance(node, ast.Name):
                self._mark_definitions_of(module, node.id)
            elif isinstance(node, ast.Attribute):
                for defining_module, number in self._attributes.get(node.attr, ()):
                    self._mark_used(defining_module, self._modules[defining_module].places[number])
                if isinstance(node.value, ast.Name):
                    origin, name = self._imports.get((module, node.value.id), ("", ""))
                    if origin and not name:
                        self._mark_definitions_of(origin, node.attr)

    def _mark_definitions_of(self, module: str, name: str) -> None:
        if (module, name) in self._imports:
            origin, original_name = self._imports[module, name]
            if origin in self._modules and original_name:
                self._mark_definitions_of(origin, original_name)
        for number in self._definitions.get((module, name), ()):
            self._mark_used(module, self._modules[module].places[number])


def _has_effect(node: ast.stmt) -> bool:
    """Whether a statement outside functions does more than define names."""
    defining = (Function, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    return not isinstance(node, defining) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _defined_names(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            for target in targets:
                yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
            yield name


def _expressions_of_statement(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the expressions of a statement, except annotations and the expressions of nested statements."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                yield child
                yield from _expressions_of_statement(child)


#: The main function of a reference.
Main = Callable[..., object]


class StatementCoverage:
    """Records which statements of a reference run in sessions."""

    def __init__(self, original: Original, options: Sequence[Option] = ()) -> None:
        """Load a copy of the reference with probes, which record what runs; `main` runs it with these options."""
        self._copy = Copy(original, is_probed=True)
        self.main = with_options(call("the reference", self._copy.main), options)
        #: By module, a byte for each statement: 1 if it ran while the reference was loaded.
        self.loaded = {name: bytes(ran) for name, ran in self._copy.ran.items()}
        #: By module, a byte for each statement: 1 if it ran while the reference was loaded, or before the last `take`.
        self.total = {name: bytearray(ran) for name, ran in self._copy.ran.items()}
        self._reset()

    def _reset(self) -> None:
        for name, ran in self._copy.ran.items():
            ran[:] = bytes(len(ran))
            self.loaded.setdefault(name, bytes(len(ran)))

    def take(self) -> set[Statement]:
        """Return the statements that ran since the last call; the first call omits those that ran while loading."""
        statements = set()
        for name, ran in self._copy.ran.items():
            total = self.total.setdefault(name, bytearray(len(ran)))
            for number in _numbers_that_ran(ran):
                total[number] = 1
                statements.add((name, number))
        self._reset()
        return statements


def with_options(main: Main, options: Sequence[Option]) -> Main:
    """Returns `main` with each option that it accepts set to the option's first value."""
    keywords = accepted_by(main, own_keywords(options))
    return partial(main, **keywords) if keywords else main


def _numbers_that_ran(ran: bytearray) -> Iterator[int]:
    """Yields the indexes of the bytes that are 1."""
    number = ran.find(1)
    while number >= 0:
        yield number
        number = ran.find(1, number + 1)
