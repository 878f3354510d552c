"""All mutants of a module, each with one change and an id."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType
from typing import Any, NamedTuple

from pitboss.experiments.mutation.expressions import changed_expressions
from pitboss.experiments.mutation.places import StatementPlace, headline, places_in
from pitboss.experiments.mutation.statements import changed_blocks

#: A change is quoted within its statement or, if that is longer than this, within the longest expression that fits.
_LONGEST = 72
#: Fields that describe a node and have no effect when the node runs.
_NOT_RUN = {"annotation", "returns", "decorator_list", "type_comment", "type_params", "type_ignores", "ctx"}


class Mutant(NamedTuple):
    """A module with one change."""

    #: The module, the function around the change, and the code before and after; independent of line numbers.
    id: str
    module: str
    #: The number of the changed statement, or of its changed part: see `Module.places` and `Module.parts`.
    number: int
    #: Compiles the module with the change.
    code: Callable[[], CodeType]


class _Position(NamedTuple):
    """An expression in a statement."""

    #: The nodes from the statement down to the expression.
    chain: tuple[ast.AST, ...]
    #: Replaces the expression.
    put: Callable[[Any], None]

    @property
    def node(self) -> ast.expr:
        return self.chain[-1]  # type: ignore[return-value]


class Module:
    """The syntax tree of a module, which is changed in place for one mutant at a time."""

    def __init__(self, name: str, text: str, path: str) -> None:
        """Parse the source text of a module; raises SyntaxError if the text is not Python."""
        self.name, self.text, self._path = name, text, path
        self.tree = ast.parse(text, path)
        self.places = places_in(self.tree)
        #: The parts that may be skipped when their statement runs, each with that statement. The numbers of parts
        #: follow the number of the last statement.
        self.parts = [(part, place) for place in self.places for part in _conditional_parts(place.node)]
        self._numbers = {id(part): number for number, (part, _) in enumerate(self.parts, len(self.places))}
        docstrings = {id(place.node.value) for place in self.places if place.is_docstring}  # type: ignore[attr-defined]
        constants = (
            node for node in ast.walk(self.tree) if isinstance(node, ast.Constant) and id(node) not in docstrings
        )
        #: The mutants of each scope, once they have been requested.
        self._mutants: dict[str, list[Mutant]] = {}
        self._texts = sorted({node.value for node in constants if isinstance(node.value, str) and node.value})

    def compiled(self, *, is_located: bool = False) -> CodeType:
        """Compile the tree as it is now; `is_located` means that all nodes already have line numbers."""
        if not is_located:
            ast.fix_missing_locations(self.tree)
        return compile(self.tree, self._path, "exec", dont_inherit=True)

    @property
    def size(self) -> int:
        """The number of statements and of parts, together."""
        return len(self.places) + len(self.parts)

    def place_of(self, number: int) -> StatementPlace:
        """The statement with this number, or the statement whose part has this number."""
        return self.places[number] if number < len(self.places) else self.parts[number - len(self.places)][1]

    def number_of(self, chain: Iterable[ast.AST]) -> int | None:
        """The number of the innermost part in a chain of nodes; None if the chain always runs with its statement."""
        return next((self._numbers[id(node)] for node in reversed(list(chain)) if id(node) in self._numbers), None)

    def scope_of(self, place: StatementPlace) -> str:
        """The beginning of the ids of a statement's mutants: the module, and the enclosing function or class."""
        inner = place.node.name if isinstance(place.node, ast.FunctionDef | ast.AsyncFunctionDef) else ""
        scope = ".".join(filter(None, (place.scope, inner)))
        return f"{self.name}:{scope}" if scope else self.name

    def mutants(self, numbers: Iterable[int]) -> Iterator[Mutant]:
        """The mutants of the statements and parts with these numbers, one scope after another."""
        selected = set(numbers)
        for scope in dict.fromkeys(self.scope_of(self.place_of(number)) for number in sorted(selected)):
            yield from (mutant for mutant in self._mutants_in(scope) if mutant.number in selected)

    def _mutants_in(self, scope: str) -> list[Mutant]:
        """All mutants of a scope. Statements that do not run are included, so that ids do not depend on what runs."""
        if scope not in self._mutants:
            self._mutants[scope] = list(self._altered_in(scope))
        return self._mutants[scope]

    def _altered_in(self, scope: str) -> Iterator[Mutant]:
        counts: Counter[str] = Counter()
        for place in self.places:
            if self.scope_of(place) != scope:
                continue
            for description, number, change in self._changes(place):
                counts[description] += 1
                suffix = f" #{counts[description]}" if counts[description] > 1 else ""
                yield Mutant(f"{scope}: {description}{suffix}", self.name, number, self._code_of(change))

    def _code_of(self, change: Callable[[], Any]) -> Callable[[], CodeType]:
        def code() -> CodeType:
            with change():
                return self.compiled(is_located=True)

        return code

    def _changes(self, place: StatementPlace) -> Iterator[tuple[str, int, Callable[[], Any]]]:
        if place.is_docstring:
            return
        for block, before, after in changed_blocks(place):
            for node in block:
                if node not in place.block:
                    _locate(node, place.node)
            yield f"{before} → {after}", place.number, _exchange(place.block, block)
        seen = set()
        for position in slots_of(place.node):
            quoted, part_number = _quoted_part(position.chain), self.number_of(position.chain)
            number = place.number if part_number is None else part_number
            before = _source(quoted)
            for other in changed_expressions(position.node, self._texts):
                _locate(other, position.node)
                change = _replacing(position, other)
                with change():
                    after = _source(other if quoted is position.node else quoted) or ast.unparse(other)
                if after != before and (id(position.node), after) not in seen:
                    seen.add((id(position.node), after))
                    yield f"{before or ast.unparse(position.node)} → {after}", number, change


def _locate(node: ast.AST, replaced: ast.expr | ast.stmt) -> None:
    """Give the new parts of a node the location of the node that it replaces, as `compile` demands."""
    for part in ast.walk(node):
        if isinstance(part, ast.expr | ast.stmt | ast.keyword) and not hasattr(part, "lineno"):
            ast.copy_location(part, replaced)


def _exchange(block: list[ast.stmt], other: list[ast.stmt]) -> Callable[[], Any]:
    @contextmanager
    def change() -> Iterator[None]:
        original = list(block)
        block[:] = other
        try:
            yield
        finally:
            block[:] = original

    return change


def _replacing(position: _Position, other: ast.expr) -> Callable[[], Any]:
    @contextmanager
    def change() -> Iterator[None]:
        position.put(other)
        try:
            yield
        finally:
            position.put(position.node)

    return change


def slots_of(statement: ast.stmt) -> Iterator[_Position]:
    """The expressions that run as part of a statement, outer expressions first; nested statements are excluded."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from _below((statement, statement.args), statement.args)
    elif not isinstance(statement, ast.ClassDef | ast.Import | ast.ImportFrom):
        yield from _below((statement,), statement)


def _conditional_parts(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions that may be skipped when their statement runs, such as operands and comprehensions."""
    for position in slots_of(statement):
        match position.node:
            case ast.BoolOp(values=[_, *others]):
                yield from others
            case ast.IfExp(body=body, orelse=orelse):
                yield body
                yield orelse
            case ast.Lambda(body=body):
                yield body
            case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
                yield from (*(test for loop in position.node.generators for test in loop.ifs), elt)
            case ast.DictComp(key=key, value=value):
                yield from (*(test for loop in position.node.generators for test in loop.ifs), key, value)


def _below(chain: tuple[ast.AST, ...], owner: ast.AST) -> Iterator[_Position]:
    for name, value in ast.iter_fields(owner):
        if name in _NOT_RUN:
            continue
        if isinstance(value, ast.AST):
            yield from _positions_at(chain, value, partial(setattr, owner, name))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from _positions_at(chain, item, partial(value.__setitem__, index))


def _positions_at(chain: tuple[ast.AST, ...], node: ast.AST, put: Callable[[Any], None]) -> Iterator[_Position]:
    if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case | ast.pattern):
        return
    if isinstance(node, ast.expr):
        yield _Position((*chain, node), put)
    yield from _below((*chain, node), node)


def _quoted_part(chain: tuple[ast.AST, ...]) -> ast.AST:
    """The node of a chain to quote when the last node changes."""
    for node in chain[:-1]:
        is_whole = isinstance(node, ast.expr) or (isinstance(node, ast.stmt) and not hasattr(node, "body"))
        if is_whole and not isinstance(node, ast.FormattedValue) and 0 < len(_source(node)) <= _LONGEST:
            return node
    return chain[-1]


def _source(node: ast.AST) -> str:
    """The source text of a node; empty if the text cannot be written on one line."""
    try:
        text = headline(node)
    except ValueError:  # a backslash inside an f-string, which older versions of Python cannot write
        return ""
    return text if "\n" not in text else ""
