"""Noting which statements of a module run, and which parts of them: a probe before each."""

from __future__ import annotations

import ast

from pitboss.mutation.changes import Module
from pitboss.mutation.places import Place, blocks_of

#: The name of the bytes that the probes of a module set, among its globals.
RAN = "__pitboss_ran__"


def add_probes(module: Module) -> None:
    """Put a probe before each statement of a module, except for those that must come first, and before each part."""
    numbers = {id(place.node): place.number for place in module.places}
    keeps = {id(place.node) for place in module.places if _must_be_first(place)}
    nodes = {id(part): number for number, (part, _) in enumerate(module.parts, len(module.places))}
    _Parts(nodes).visit(module.tree)
    for owner in (module.tree, *(place.node for place in module.places)):
        for block in blocks_of(owner):
            block[:] = [
                one for node in block for one in ((node,) if id(node) in keeps else (_probe(numbers[id(node)]), node))
            ]


class _Parts(ast.NodeTransformer):
    """Puts a probe before each of these expressions; the expression keeps its value, since a probe has none."""

    def __init__(self, numbers: dict[int, int]) -> None:
        self._numbers = numbers

    def visit(self, node: ast.AST) -> ast.AST:
        number = self._numbers.get(id(node))
        other: ast.AST = self.generic_visit(node)
        if number is None or not isinstance(other, ast.expr):
            return other
        noted = ast.Attribute(ast.Name(RAN, ast.Load()), "__setitem__", ast.Load())
        probe = ast.Call(noted, [ast.Constant(number), ast.Constant(1)], [])
        return ast.BoolOp(ast.Or(), [probe, other])


def _must_be_first(place: Place) -> bool:
    is_future = isinstance(place.node, ast.ImportFrom) and place.node.module == "__future__"
    return is_future or place.is_docstring


def _probe(number: int) -> ast.stmt:
    target = ast.Subscript(ast.Name(RAN, ast.Load()), ast.Constant(number), ast.Store())
    return ast.Assign([target], ast.Constant(1))
