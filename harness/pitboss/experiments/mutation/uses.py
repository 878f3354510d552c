"""Which parts of its reference a stage uses: what ran, and the definitions that this code reads.

Statements at the top level of a module or class run when the module is loaded, even if the stage does not need their
definitions. So a definition counts as used only if a used statement reads its name, or an attribute with that name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from pitboss.assignments.authored import call
from pitboss.assignments.options import Option, accepted_by, own_keywords
from pitboss.experiments.mutation.copies import Copy, Original
from pitboss.experiments.mutation.module_mutants import Module
from pitboss.experiments.mutation.places import Function, StatementPlace

#: A statement, as the name of its module and its number there.
Statement = tuple[str, int]


def used_statements(modules: Mapping[str, Module], ran: Mapping[str, bytearray]) -> set[Statement]:
    """The statements that a stage uses, among those that ran at least once."""
    return _Uses(modules, ran).statements()


class _Uses:
    """What the statements of some modules read; a module that is not in `ran` has not been loaded."""

    def __init__(self, modules: Mapping[str, Module], ran: Mapping[str, bytearray]) -> None:
        self._modules = modules
        self._ran = {name: ran.get(name) or bytes(module.size) for name, module in modules.items()}
        self._used: set[Statement] = set()
        #: The statements that define each name at the top level of a module.
        self._meanings: dict[tuple[str, str], list[int]] = {}
        self._imported: dict[tuple[str, str], tuple[str, str]] = {}
        #: The statements in classes that define each attribute.
        self._attributes: dict[str, list[Statement]] = {}
        for name, module in modules.items():
            for place in module.places:
                if place.function is None:
                    self._define(name, place)

    def statements(self) -> set[Statement]:
        """Find the statements that ran in functions and, by the names in these, all definitions that were read."""
        for name, module in self._modules.items():
            for place in module.places:
                if self._ran[name][place.number] and (place.function is not None or _acts(place.node)):
                    self._use(name, place)
                    if place.function is not None:  # the function was called, so its defaults may have been used
                        self._use(name, module.places[place.function])
        parts = {
            (name, number)
            for name, module in self._modules.items()
            for number, (_, place) in enumerate(module.parts, len(module.places))
            if (name, place.number) in self._used and self._ran[name][number]
        }
        return self._used | parts

    def _define(self, module: str, place: StatementPlace) -> None:
        if isinstance(place.node, ast.ImportFrom):
            for alias in place.node.names:
                origin = place.node.module or ""
                full_name = f"{origin}.{alias.name}"
                meaning = (full_name, "") if full_name in self._modules else (origin, alias.name)
                self._imported[module, alias.asname or alias.name] = meaning
            return
        if isinstance(place.node, ast.Import):
            for alias in place.node.names:
                self._imported[module, alias.asname or alias.name.partition(".")[0]] = (alias.name, "")
            return
        for name in _defined(place.node):
            if place.scope:
                self._attributes.setdefault(name, []).append((module, place.number))
            else:
                self._meanings.setdefault((module, name), []).append(place.number)

    def _use(self, module: str, place: StatementPlace) -> None:
        statement = (module, place.number)
        if statement in self._used or not self._ran[module][place.number]:
            return
        self._used.add(statement)
        for node in _own_expressions(place.node):
            if isinstance(node, ast.Name):
                self._read(module, node.id)
            elif isinstance(node, ast.Attribute):
                for owner, number in self._attributes.get(node.attr, ()):
                    self._use(owner, self._modules[owner].places[number])
                if isinstance(node.value, ast.Name):
                    origin, name = self._imported.get((module, node.value.id), ("", ""))
                    if origin and not name:
                        self._read(origin, node.attr)

    def _read(self, module: str, name: str) -> None:
        if (module, name) in self._imported:
            origin, original_name = self._imported[module, name]
            if origin in self._modules and original_name:
                self._read(origin, original_name)
        for number in self._meanings.get((module, name), ()):
            self._use(module, self._modules[module].places[number])


def _acts(node: ast.stmt) -> bool:
    """Whether a statement outside functions does more than define names."""
    defining = (Function, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    return not isinstance(node, defining) and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _defined(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            for target in targets:
                yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.AugAssign(target=ast.Name(id=name)):
            yield name


def _own_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions of a statement, except annotations and the expressions of nested statements."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                yield child
                yield from _own_expressions(child)


Main = Callable[..., object]


class Ran:
    """Which sessions run which statements of a reference."""

    def __init__(self, original: Original, options: Sequence[Option] = ()) -> None:
        """Load a copy of the reference, with probes, to run with these options."""
        self._copy = Copy(original, is_probed=True)
        self.main = with_options(call("the reference", self._copy.main), options)
        self.loaded = {name: bytes(ran) for name, ran in self._copy.ran.items()}
        self.total = {name: bytearray(ran) for name, ran in self._copy.ran.items()}
        self._reset()

    def _reset(self) -> None:
        for name, ran in self._copy.ran.items():
            ran[:] = bytes(len(ran))
            self.loaded.setdefault(name, bytes(len(ran)))

    def take(self) -> set[Statement]:
        """The statements that ran since the last call."""
        statements = set()
        for name, ran in self._copy.ran.items():
            total = self.total.setdefault(name, bytearray(len(ran)))
            for number in _ones(ran):
                total[number] = 1
                statements.add((name, number))
        self._reset()
        return statements


def with_options(main: Main, options: Sequence[Option]) -> Main:
    """A program with the first value of each option."""
    keywords = accepted_by(main, own_keywords(options))
    return partial(main, **keywords) if keywords else main


def _ones(ran: bytearray) -> Iterator[int]:
    number = ran.find(1)
    while number >= 0:
        yield number
        number = ran.find(1, number + 1)
