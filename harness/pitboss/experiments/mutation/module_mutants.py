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

#: The maximum number of characters of the original code in a mutant's id. The id quotes the whole statement or, if the
#: statement is longer, the longest expression around the change that fits.
_MAX_QUOTE = 72
#: Fields of AST nodes that mutants do not change: these fields describe a node and have no effect when the node runs.
_UNCHANGED_FIELDS = {"annotation", "returns", "decorator_list", "type_comment", "type_params", "type_ignores", "ctx"}


class Mutant(NamedTuple):
    """A module with one change."""

    #: The module, the function around the change, and the code before and after the change, without line numbers.
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
        #: The number of each part, by the `id()` of its node.
        self._numbers = {id(part): number for number, (part, _) in enumerate(self.parts, len(self.places))}
        docstrings = {id(place.node.value) for place in self.places if place.is_docstring}  # type: ignore[attr-defined]
        constants = (
            node for node in ast.walk(self.tree) if isinstance(node, ast.Constant) and id(node) not in docstrings
        )
        #: A cache: the mutants of each scope for which mutants have been requested.
        self._mutants: dict[str, list[Mutant]] = {}
        #: All string constants of the module except docstrings.
        self._texts = sorted({node.value for node in constants if isinstance(node.value, str) and node.value})

    def compiled(self, *, is_located: bool = False) -> CodeType:
        """Compile the tree with its current changes; `is_located` means that all nodes already have line numbers."""
        if not is_located:
            ast.fix_missing_locations(self.tree)
        return compile(self.tree, self._path, "exec", dont_inherit=True)

    @property
    def size(self) -> int:
        """The number of statements and of parts, together."""
        return len(self.places) + len(self.parts)

    def place_of(self, number: int) -> StatementPlace:
        return self.places[number] if number < len(self.places) else self.parts[number - len(self.places)][1]

    def number_of(self, chain: Iterable[ast.AST]) -> int | None:
        """The number of the innermost part in a chain of nodes; None if the chain always runs with its statement."""
        return next((self._numbers[id(node)] for node in reversed(list(chain)) if id(node) in self._numbers), None)

    def scope_of(self, place: StatementPlace) -> str:
        """The beginning of the ids of a statement's mutants: the module, and the enclosing function or class.

        The scope of the definition of a function is this function.
        """
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
            self._mutants[scope] = list(self._create_mutants(scope))
        return self._mutants[scope]

    def _create_mutants(self, scope: str) -> Iterator[Mutant]:
        counts: Counter[str] = Counter()
        for place in self.places:
            if self.scope_of(place) != scope:
                continue
            for description, number, change in self._changes(place):
                counts[description] += 1
                suffix = f" #{counts[description]}" if counts[description] > 1 else ""
                yield Mutant(f"{scope}: {description}{suffix}", self.name, number, self._compiling_with(change))

    def _compiling_with(self, change: Callable[[], Any]) -> Callable[[], CodeType]:
        """Returns a function that compiles the module with a change, and then undoes the change."""

        def code() -> CodeType:
            with change():
                return self.compiled(is_located=True)

        return code

    def _changes(self, place: StatementPlace) -> Iterator[tuple[str, int, Callable[[], Any]]]:
        """Yields the changes to a statement.

        Each change is a description, the number of the changed statement or part, and a function that returns a context
        manager: the tree has the change inside the context.
        """
        if place.is_docstring:
            return
        for new_block, old, new in changed_blocks(place):
            for node in new_block:
                if node not in place.block:
                    _copy_location(node, place.node)
            yield f"{old} → {new}", place.number, _exchanging_statements(place.block, new_block)
        seen = set()
        for position in positions_in(place.node):
            quoted, part_number = _node_to_quote(position.chain), self.number_of(position.chain)
            number = place.number if part_number is None else part_number
            old = _source_line(quoted)
            for other in changed_expressions(position.node, self._texts):
                _copy_location(other, position.node)
                change = _exchanging_expression(position, other)
                with change():  # so that the quoted node contains the change, unless it is itself replaced
                    new = _source_line(other if quoted is position.node else quoted) or ast.unparse(other)
                if new != old and (id(position.node), new) not in seen:
                    seen.add((id(position.node), new))
                    yield f"{old or ast.unparse(position.node)} → {new}", number, change


def _copy_location(node: ast.AST, replaced: ast.expr | ast.stmt) -> None:
    """Give the new parts of `node` the location of the replaced node: `compile` requires a location."""
    for part in ast.walk(node):
        if isinstance(part, ast.expr | ast.stmt | ast.keyword) and not hasattr(part, "lineno"):
            ast.copy_location(part, replaced)


def _exchanging_statements(block: list[ast.stmt], new_statements: list[ast.stmt]) -> Callable[[], Any]:
    """Returns a function for a `with` statement, inside which a block has other statements."""

    @contextmanager
    def change() -> Iterator[None]:
        original = list(block)
        block[:] = new_statements
        try:
            yield
        finally:
            block[:] = original

    return change


def _exchanging_expression(position: _Position, new_expression: ast.expr) -> Callable[[], Any]:
    """Returns a function for a `with` statement, inside which another expression is at a position."""

    @contextmanager
    def change() -> Iterator[None]:
        position.put(new_expression)
        try:
            yield
        finally:
            position.put(position.node)

    return change


def positions_in(statement: ast.stmt) -> Iterator[_Position]:
    """The expressions that run as part of a statement, outer expressions first; nested statements are excluded."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from _positions_inside((statement, statement.args), statement.args)
    elif not isinstance(statement, ast.ClassDef | ast.Import | ast.ImportFrom):
        yield from _positions_inside((statement,), statement)


def _conditional_parts(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions that may be skipped when their statement runs, such as the second operand of `and`."""
    for position in positions_in(statement):
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


def _positions_inside(chain: tuple[ast.AST, ...], owner: ast.AST) -> Iterator[_Position]:
    """All expressions inside a node; `chain` has the nodes from the statement down to this node."""
    for name, value in ast.iter_fields(owner):
        if name in _UNCHANGED_FIELDS:
            continue
        if isinstance(value, ast.AST):
            yield from _positions_at(chain, value, partial(setattr, owner, name))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from _positions_at(chain, item, partial(value.__setitem__, index))


def _positions_at(chain: tuple[ast.AST, ...], node: ast.AST, put: Callable[[Any], None]) -> Iterator[_Position]:
    """A node, if it is an expression, and all expressions inside; `chain` has the nodes above this node."""
    if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case | ast.pattern):
        return
    if isinstance(node, ast.expr):
        yield _Position((*chain, node), put)
    yield from _positions_inside((*chain, node), node)


def _node_to_quote(chain: tuple[ast.AST, ...]) -> ast.AST:
    """The node that a mutant's id quotes when the last node of a chain changes: the outermost that is short enough.

    Only expressions and statements without a body are quoted, except for the replacement fields of f-strings.
    """
    for node in chain[:-1]:
        can_be_quoted = isinstance(node, ast.expr) or (isinstance(node, ast.stmt) and not hasattr(node, "body"))
        if can_be_quoted and not isinstance(node, ast.FormattedValue) and 0 < len(_source_line(node)) <= _MAX_QUOTE:
            return node
    return chain[-1]


def _source_line(node: ast.AST) -> str:
    """The source text of a node; empty if this text cannot be written on one line."""
    try:
        text = headline(node)
    except ValueError:  # a backslash inside an f-string, which older versions of Python cannot write
        return ""
    return text if "\n" not in text else ""
