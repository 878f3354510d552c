"""The statements of a module in a fixed order, each with a number that depends only on the source text.

The probe that records whether a statement of the reference ran has the statement's number (see `copies`). So mutants of
a statement are only tried in sessions that run the statement.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import TypeVar

import msgspec

#: The fields of a statement that contain statements.
_BLOCK_FIELDS = ("body", "orelse", "finalbody")
Function = ast.FunctionDef | ast.AsyncFunctionDef
N = TypeVar("N", bound=ast.AST)


class StatementPlace(msgspec.Struct, frozen=True):
    """A statement, and its place in a module."""

    #: The index of this statement among all statements of the module, outer statements before inner statements.
    number: int
    node: ast.stmt
    #: The list of statements that contains this statement.
    block: list[ast.stmt]
    #: The index of this statement in `block`.
    index: int
    #: The qualified name of the function or class around this statement; empty at the top of the module.
    scope: str
    #: The number of the innermost function around this statement; None if the statement runs when the module is loaded.
    function: int | None

    @property
    def is_docstring(self) -> bool:
        """Whether this statement is only a constant, such as a docstring, which has no effect."""
        return isinstance(self.node, ast.Expr) and isinstance(self.node.value, ast.Constant)


def places_in(tree: ast.Module) -> list[StatementPlace]:
    """All statements of a module, outer statements before inner statements."""
    places: list[StatementPlace] = []
    _collect(tree, "", None, places)
    return places


def _collect(owner: ast.AST, scope: str, function: int | None, places: list[StatementPlace]) -> None:
    for block in blocks_of(owner):
        for index, node in enumerate(block):
            place = StatementPlace(len(places), node, block, index, scope, function)
            places.append(place)
            inner_scope, inner_function = scope, function
            if isinstance(node, Function | ast.ClassDef):
                inner_scope = f"{scope}.{node.name}" if scope else node.name
                inner_function = place.number if isinstance(node, Function) else function
            _collect(node, inner_scope, inner_function, places)


def blocks_of(owner: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements directly inside a statement or a module."""
    for name in _BLOCK_FIELDS:
        block = getattr(owner, name, None)
        if isinstance(block, list) and block:
            yield block
    # The except clauses of `try` and the cases of `match` are not statements, but contain statements.
    for part in (*getattr(owner, "handlers", ()), *getattr(owner, "cases", ())):
        yield part.body


def headline(node: ast.AST) -> str:
    """The first line of a node's source text, after any decorators; an ellipsis follows if a statement is longer."""
    lines = ast.unparse(node).splitlines()
    first_line = next((line for line in lines if not line.startswith("@")), "")
    return first_line if len(lines) == 1 or isinstance(node, ast.expr) else f"{first_line} …"


def with_fields(node: N, **fields: object) -> N:
    """A shallow copy of a node with some fields replaced."""
    copied_node = copy.copy(node)
    for name, value in fields.items():
        setattr(copied_node, name, value)
    return copied_node
