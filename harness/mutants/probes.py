"""Noting which statements of a module run: a probe before each of them."""

from __future__ import annotations

import ast

from harness.mutants.places import Place, blocks_of

#: The name of the bytes that the probes of a module set, among its globals.
RAN = "__pitboss_ran__"


def add_probes(tree: ast.Module, places: list[Place]) -> None:
    """Put a probe before each statement of a module, except for those that must come first."""
    numbers = {id(place.node): place.number for place in places}
    keeps = {id(place.node) for place in places if _must_be_first(place)}
    for owner in (tree, *(place.node for place in places)):
        for block in blocks_of(owner):
            block[:] = [
                one for node in block for one in ((node,) if id(node) in keeps else (_probe(numbers[id(node)]), node))
            ]
    ast.fix_missing_locations(tree)


def _must_be_first(place: Place) -> bool:
    is_future = isinstance(place.node, ast.ImportFrom) and place.node.module == "__future__"
    return is_future or place.is_docstring


def _probe(number: int) -> ast.stmt:
    target = ast.Subscript(ast.Name(RAN, ast.Load()), ast.Constant(number), ast.Store())
    return ast.Assign([target], ast.Constant(1))
