"""Lists the mutations of a statement, each as a changed copy of the block that contains the statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from pitboss.experiments.mutation.expressions import OTHER_ARITHMETIC, is_comparison, negated, without_ends
from pitboss.experiments.mutation.places import StatementPlace, headline, with_fields

#: Statements that are never changed: they declare names, and without them a program fails at once.
_DECLARATIONS = (
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
#: Statements after which nothing else in the same block runs.
_JUMPS = (ast.Return, ast.Break, ast.Continue, ast.Raise)


class BlockChange(NamedTuple):
    """A changed block of statements, and descriptions of the code before and after the change."""

    block: list[ast.stmt]
    before: str
    after: str


def changed_blocks(place: StatementPlace) -> Iterator[BlockChange]:
    node = place.node
    if isinstance(node, _DECLARATIONS):
        return
    before = headline(node)
    if not isinstance(node, ast.Pass):
        yield BlockChange(_block_with(place, ast.Pass()), before, "pass")
    for replacement, after in _replacements(node):
        yield BlockChange(_block_with(place, *replacement), before, after)
    following = place.block[place.index + 1] if place.index + 1 < len(place.block) else None
    if following is not None and _is_worth_exchanging(place, following):
        block = list(place.block)
        block[place.index], block[place.index + 1] = following, node
        yield BlockChange(block, f"{before}; {headline(following)}", f"{headline(following)}; {before}")


def _is_worth_exchanging(place: StatementPlace, following: ast.stmt) -> bool:
    """Whether to exchange a statement and the statement after it, since their order may matter."""
    node = place.node
    if isinstance(node, _JUMPS) or isinstance(following, (*_DECLARATIONS, *_JUMPS, ast.Pass)):
        return False
    if place.function is None:  # exchanging two assignments outside functions has no effect, or fails at once
        return not (isinstance(node, _ASSIGNMENTS) and isinstance(following, _ASSIGNMENTS))
    return not (
        _is_plain_assignment(node) and _is_plain_assignment(following) and not _share_variables(node, following)
    )


def _is_plain_assignment(node: ast.stmt) -> bool:
    """Whether a statement only assigns names, constants, and tuples or lists of them to names or attributes."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    plain_types = (ast.Name, ast.Constant, ast.Tuple, ast.List, ast.expr_context)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return all(isinstance(part, plain_types) for part in ast.walk(node.value)) and all(
        isinstance(part, (*plain_types, ast.Attribute)) for target in targets for part in ast.walk(target)
    )


def _share_variables(stmt: ast.stmt, other: ast.stmt) -> bool:
    """Whether one of two assignments sets a variable or attribute that the other sets or reads."""
    targets = [_targets(node) for node in (stmt, other)]
    used = [{ast.unparse(part) for part in ast.walk(node) if isinstance(part, ast.expr)} for node in (stmt, other)]
    return bool(targets[0] & used[1] or targets[1] & used[0])


def _targets(node: ast.stmt) -> set[str]:
    """The variables and attributes that a statement sets, as source text."""
    return {ast.unparse(part) for part in ast.walk(node) if isinstance(getattr(part, "ctx", None), ast.Store)}


def _block_with(place: StatementPlace, *nodes: ast.stmt) -> list[ast.stmt]:
    """The block that contains a statement, with this statement replaced by `nodes`."""
    return [*place.block[: place.index], *nodes, *place.block[place.index + 1 :]]


def _replacements(node: ast.stmt) -> Iterator[tuple[list[ast.stmt], str]]:
    """Yields statements to replace a statement, each time with a description of the new code."""
    match node:
        case ast.Return(value=ast.expr() as value):
            for other in _other_return_values(value):
                if ast.dump(other) != ast.dump(value):
                    yield _with_headline(ast.Return(other))
        case ast.AugAssign(target=target, op=op, value=value):
            for kind in OTHER_ARITHMETIC.get(type(op), ()):
                yield _with_headline(ast.AugAssign(target, kind(), value))
            yield _with_headline(ast.Assign([target], value))
        case ast.Break():
            yield _with_headline(ast.Continue())
        case ast.Continue():
            yield _with_headline(ast.Break())
        case ast.If(test=test, body=body, orelse=orelse):
            if not is_comparison(test):
                yield [with_fields(node, test=negated(test))], f"if {ast.unparse(negated(test))}:"
            yield body, "if True:"
            if orelse:
                yield orelse, "if False:"
        case ast.While(test=test, body=body):
            if not is_comparison(test):
                yield [with_fields(node, test=negated(test))], f"while {ast.unparse(negated(test))}:"
            yield [with_fields(node, body=[*body, ast.Break()])], "the loop runs once at most"
        case ast.For(iter=iterable, body=body):
            for other in without_ends(iterable):
                yield [with_fields(node, iter=other)], f"for … in {ast.unparse(other)}:"
            yield [with_fields(node, body=[*body, ast.Break()])], "the loop runs once at most"
        case ast.With(body=body):
            if all(item.optional_vars is None for item in node.items):
                yield body, "its body alone"


def _other_return_values(value: ast.expr) -> Iterator[ast.expr]:
    yield ast.Constant(None)
    yield ast.Constant(0)
    if not is_comparison(value):
        yield negated(value)
    if not isinstance(value, ast.Compare | ast.BoolOp | ast.JoinedStr | ast.Constant):
        yield ast.BinOp(value, ast.Add(), ast.Constant(1))
        yield ast.BinOp(value, ast.Sub(), ast.Constant(1))
        yield ast.UnaryOp(ast.USub(), value)


def _with_headline(node: ast.stmt) -> tuple[list[ast.stmt], str]:
    """The statement as a block, and its first line as the description."""
    return [node], headline(ast.fix_missing_locations(node))
