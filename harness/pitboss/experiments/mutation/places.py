"""The statements of a module in a fixed order, each with a number: the same for the same source text.

A number links a statement of the mutated tree to the probe that records that it ran (see `copies`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import TypeVar

import msgspec

#: The fields of a statement that contain statements.
_BLOCKS = ("body", "orelse", "finalbody")
Function = ast.FunctionDef | ast.AsyncFunctionDef
N = TypeVar("N", bound=ast.AST)


class StatementPlace(msgspec.Struct, frozen=True):
    """A statement of a module, and its place in it."""

    number: int
    node: ast.stmt
    #: The list of statements that contains it, and its index there.
    block: list[ast.stmt]
    index: int
    #: The qualified name of the function or class around it; empty at the top of the module.
    scope: str
    #: The number of the innermost function around it; None if it runs when the module is loaded.
    function: int | None

    @property
    def is_docstring(self) -> bool:
        """Whether it is only a string, which has no effect."""
        return isinstance(self.node, ast.Expr) and isinstance(self.node.value, ast.Constant)


def places_in(tree: ast.Module) -> list[StatementPlace]:
    """All statements of a module, outer ones before inner ones."""
    found: list[StatementPlace] = []
    _collect(tree, "", None, found)
    return found


def _collect(owner: ast.AST, scope: str, function: int | None, found: list[StatementPlace]) -> None:
    for block in blocks_of(owner):
        for index, node in enumerate(block):
            place = StatementPlace(len(found), node, block, index, scope, function)
            found.append(place)
            inner, within = scope, function
            if isinstance(node, Function | ast.ClassDef):
                inner = f"{scope}.{node.name}" if scope else node.name
                within = place.number if isinstance(node, Function) else function
            _collect(node, inner, within, found)


def blocks_of(owner: ast.AST) -> Iterator[list[ast.stmt]]:
    """The lists of statements directly inside a statement or a module."""
    for name in _BLOCKS:
        block = getattr(owner, name, None)
        if isinstance(block, list) and block:
            yield block
    for part in (*getattr(owner, "handlers", ()), *getattr(owner, "cases", ())):
        yield part.body


def headline(node: ast.AST) -> str:
    """The source text of a node on one line; of a statement with a body, only its first line."""
    lines = ast.unparse(node).splitlines()
    first = next((line for line in lines if not line.startswith("@")), "")
    return first if len(lines) == 1 or isinstance(node, ast.expr) else f"{first} …"


def with_fields(node: N, **fields: object) -> N:
    """A shallow copy of a node with some fields replaced."""
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other
