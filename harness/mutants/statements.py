"""The ways in which a statement is changed: each gives what the list of statements around it becomes."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple

from harness.mutants.expressions import OTHER_ARITHMETIC, is_comparison, negated, without_ends
from harness.mutants.places import Place, headline

#: Statements that are left alone: they say what names are, and what is missing is a fault at once.
_NAMING = (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: After these nothing of the same block runs.
_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise)


class Change(NamedTuple):
    """A block of statements after a change, and the change in words: what it was, and what it is."""

    block: list[ast.stmt]
    before: str
    after: str


def changed_blocks(place: Place) -> Iterator[Change]:
    """The blocks that the block of a statement can become by a change of this statement."""
    node = place.node
    if isinstance(node, _NAMING):
        return
    was = headline(node)
    if not isinstance(node, ast.Pass):
        yield Change(_put(place, ast.Pass()), was, "pass")
    for other, words in _others(node):
        yield Change(_put(place, *other), was, words)
    following = place.block[place.index + 1] if place.index + 1 < len(place.block) else None
    if following is not None and not isinstance(node, _LEAVING) and not isinstance(following, (*_NAMING, *_LEAVING)):
        block = list(place.block)
        block[place.index], block[place.index + 1] = following, node
        yield Change(block, f"{was}; {headline(following)}", f"{headline(following)}; {was}")


def _put(place: Place, *nodes: ast.stmt) -> list[ast.stmt]:
    """The block with other statements in the place of this one."""
    return [*place.block[: place.index], *nodes, *place.block[place.index + 1 :]]


def _others(node: ast.stmt) -> Iterator[tuple[list[ast.stmt], str]]:
    match node:
        case ast.Return(value=ast.expr() as value):
            for other in _returned(value):
                yield _told(ast.Return(other))
        case ast.AugAssign(target=target, op=op, value=value):
            for kind in OTHER_ARITHMETIC.get(type(op), ()):
                yield _told(ast.AugAssign(target, kind(), value))
            yield _told(ast.Assign([target], value))
        case ast.Break():
            yield _told(ast.Continue())
        case ast.Continue():
            yield _told(ast.Break())
        case ast.If(test=test, body=body, orelse=orelse):
            if not is_comparison(test):
                yield [_with(node, test=negated(test))], f"if {ast.unparse(negated(test))}:"
            yield body, "if True:"
            if orelse:
                yield orelse, "if False:"
        case ast.While(test=test, body=body):
            if not is_comparison(test):
                yield [_with(node, test=negated(test))], f"while {ast.unparse(negated(test))}:"
            yield [_with(node, body=[*body, ast.Break()])], "the loop runs once at most"
        case ast.For(iter=iterable, body=body):
            for other in without_ends(iterable):
                yield [_with(node, iter=other)], f"for … in {ast.unparse(other)}:"
            yield [_with(node, body=[*body, ast.Break()])], "the loop runs once at most"
        case ast.With(body=body):
            if all(item.optional_vars is None for item in node.items):
                yield body, "its body alone"


def _returned(value: ast.expr) -> Iterator[ast.expr]:
    yield ast.Constant(None)
    yield ast.Constant(0)
    if not is_comparison(value):
        yield negated(value)
    if not isinstance(value, ast.Compare | ast.BoolOp | ast.JoinedStr | ast.Constant):
        yield ast.BinOp(value, ast.Add(), ast.Constant(1))
        yield ast.BinOp(value, ast.Sub(), ast.Constant(1))
        yield ast.UnaryOp(ast.USub(), value)


def _told(node: ast.stmt) -> tuple[list[ast.stmt], str]:
    return [node], headline(ast.fix_missing_locations(node))


def _with(node: ast.stmt, **fields: object) -> ast.stmt:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other
