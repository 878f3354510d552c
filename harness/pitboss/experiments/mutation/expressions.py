"""The changes that mutants make to an expression or a text; most functions yield the changed expressions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pitboss.experiments.mutation.places import with_fields


def changed_texts(text: str, others: Sequence[str]) -> Iterator[str]:
    """Variants of a text: a letter, space or line end is changed, dropped, doubled or added, or the text is replaced.

    `others` are all texts of the module or output, in a fixed order. If `text` is one of them, the next replaces it.
    """
    yield from dict.fromkeys(variant for variant in _text_variants(text, others) if variant != text)


def _text_variants(text: str, others: Sequence[str]) -> Iterator[str]:
    if not text:
        yield "x"
        return
    letters = [
        index for index, letter in enumerate(text) if letter.swapcase() != letter and len(letter.swapcase()) == 1
    ]
    for index in dict.fromkeys((*letters[:1], *letters[-1:])):
        yield text[:index] + text[index].swapcase() + text[index + 1 :]
    middle = len(text) // 2
    for index in dict.fromkeys((0, middle, len(text) - 1)):
        yield text[:index] + text[index + 1 :]
    yield text[:middle] + text[middle] + text[middle:]
    yield f" {text}"
    yield f"{text} "
    yield f"\n{text}"
    yield f"{text}\n"
    space_index = text.find(" ", 1, -1)
    if space_index > 0:
        yield f"{text[:space_index]}{text[space_index + 1 :]}"
        yield f"{text[:space_index]} {text[space_index:]}"
    yield ""
    if text in others:
        yield others[(others.index(text) + 1) % len(others)]


_ORDER_OPERATORS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
#: The operators that each comparison operator is replaced by.
_OTHER_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    **{
        operator: tuple(other for other in (*_ORDER_OPERATORS, ast.Eq, ast.NotEq) if other is not operator)
        for operator in _ORDER_OPERATORS
    },
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
#: The operators that each arithmetic or bitwise operator is replaced by.
OTHER_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult, ast.Mod),
    ast.Mod: (ast.FloorDiv, ast.Mult),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
    ast.Pow: (ast.Mult,),
}
#: Operators for which the order of the operands matters.
_NONCOMMUTATIVE_OPERATORS = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.LShift, ast.RShift, ast.Pow)
#: Functions for which the order of the arguments does not matter.
_COMMUTATIVE_FUNCTIONS = ("min", "max")
_OTHER_FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}


def changed_expressions(node: ast.expr, texts: Sequence[str]) -> Iterator[ast.expr]:
    """Yields the replacements of an expression, each with one change; `texts` are the module's string constants."""
    match node:
        case ast.Compare():
            yield from _changed_comparisons(node)
        case ast.BoolOp():
            yield from _changed_booleans(node)
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.BinOp():
            yield from _changed_arithmetic(node)
        case ast.Constant(value=value):
            yield from (ast.Constant(other) for other in _changed_constants(value, texts))
        case ast.Call():
            yield from _changed_calls(node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield body
            yield orelse
            if not is_comparison(test):
                yield ast.IfExp(negated(test), body, orelse)
        case ast.Subscript(slice=ast.Slice() as bounds):
            for name in ("lower", "upper", "step"):
                if getattr(bounds, name) is not None and not (name == "lower" and is_zero(bounds.lower)):
                    yield with_fields(node, slice=with_fields(bounds, **{name: None}))
        case ast.Tuple() | ast.List() | ast.Set() if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            yield from _changed_elements(node, node.elts)
        case ast.Dict(values=values):
            for index in _exchangeable_indexes(values):
                yield with_fields(node, values=_swapped(values, index))
        case ast.JoinedStr():
            yield from _changed_fstrings(node)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            yield from _changed_comprehensions(node)
        case _:
            return


def negated(test: ast.expr) -> ast.expr:
    return (
        test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else ast.UnaryOp(ast.Not(), test)
    )


def is_comparison(test: ast.expr) -> bool:
    """Whether a condition is a single comparison: a change of the operator already negates this condition."""
    return isinstance(test, ast.Compare) and len(test.ops) == 1


def is_zero(node: ast.expr | None) -> bool:
    """Whether an expression is the number 0, the default start of a slice."""
    return isinstance(node, ast.Constant) and node.value == 0 and not isinstance(node.value, bool)


def without_ends(iterable: ast.expr) -> Iterator[ast.expr]:
    """Yields two iterables: the iterable of a loop without the first item, and without the last item."""
    items = ast.Call(ast.Name("list", ast.Load()), [iterable], [])
    yield ast.Subscript(items, ast.Slice(lower=ast.Constant(1)), ast.Load())
    yield ast.Subscript(items, ast.Slice(upper=ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Load())


def _changed_comparisons(node: ast.Compare) -> Iterator[ast.expr]:
    for index, op in enumerate(node.ops):
        for other in _OTHER_COMPARISONS[type(op)]:
            yield with_fields(node, ops=[*node.ops[:index], other(), *node.ops[index + 1 :]])


def _changed_booleans(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield with_fields(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for index, value in enumerate(node.values):
        remaining = [*node.values[:index], *node.values[index + 1 :]]
        yield remaining[0] if len(remaining) == 1 else with_fields(node, values=remaining)
        if not is_comparison(value):
            yield with_fields(node, values=[*node.values[:index], negated(value), *node.values[index + 1 :]])


def _changed_arithmetic(node: ast.BinOp) -> Iterator[ast.expr]:
    for other in OTHER_ARITHMETIC.get(type(node.op), ()):
        yield with_fields(node, op=other())
    yield node.left
    yield node.right
    if isinstance(node.op, _NONCOMMUTATIVE_OPERATORS):
        yield with_fields(node, left=node.right, right=node.left)


def _changed_constants(value: object, texts: Sequence[str]) -> Iterator[str | float | bool]:
    match value:
        case bool():
            yield not value
        case int() | float():
            yield from dict.fromkeys(other for other in (value + 1, value - 1, 0) if other != value)
        case str():
            yield from changed_texts(value, texts)


def _changed_calls(node: ast.Call) -> Iterator[ast.expr]:
    if isinstance(node.func, ast.Name) and node.func.id in _OTHER_FUNCTIONS:
        yield with_fields(node, func=ast.Name(_OTHER_FUNCTIONS[node.func.id], ast.Load()))
    is_commutative = isinstance(node.func, ast.Name) and node.func.id in _COMMUTATIVE_FUNCTIONS
    for index in () if is_commutative else _exchangeable_indexes(node.args):
        yield with_fields(node, args=_swapped(node.args, index))
    for index, _ in enumerate(node.keywords):
        yield with_fields(node, keywords=[*node.keywords[:index], *node.keywords[index + 1 :]])
    for index, _ in enumerate(node.args if len(node.args) > 1 else ()):
        yield with_fields(node, args=[*node.args[:index], *node.args[index + 1 :]])
    # The call is replaced by its object or its first argument.
    if isinstance(node.func, ast.Attribute):
        yield node.func.value
    elif node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]


def _changed_elements(node: ast.expr, elements: list[ast.expr]) -> Iterator[ast.expr]:
    for index in _exchangeable_indexes(elements):
        yield with_fields(node, elts=_swapped(elements, index))
    for index, _ in enumerate(elements):
        yield with_fields(node, elts=[*elements[:index], *elements[index + 1 :]])


def _changed_fstrings(node: ast.JoinedStr) -> Iterator[ast.expr]:
    value_indexes = [index for index, value in enumerate(node.values) if isinstance(value, ast.FormattedValue)]
    for first, other in pairwise(value_indexes):
        if ast.dump(node.values[first]) != ast.dump(node.values[other]):
            parts = list(node.values)
            parts[first], parts[other] = parts[other], parts[first]
            yield with_fields(node, values=parts)
    for index in value_indexes:
        yield with_fields(node, values=[*node.values[:index], *node.values[index + 1 :]])


def _changed_comprehensions(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Iterator[ast.expr]:
    for index, loop in enumerate(node.generators):
        changed_ifs = [
            *([*loop.ifs[:position], *loop.ifs[position + 1 :]] for position, _ in enumerate(loop.ifs)),
            *(
                [*loop.ifs[:position], negated(test), *loop.ifs[position + 1 :]]
                for position, test in enumerate(loop.ifs)
            ),
        ]
        for changed_loop in (
            *(with_fields(loop, ifs=ifs) for ifs in changed_ifs),
            *(with_fields(loop, iter=shorter) for shorter in without_ends(loop.iter)),
        ):
            yield with_fields(node, generators=[*node.generators[:index], changed_loop, *node.generators[index + 1 :]])


def _exchangeable_indexes(nodes: Sequence[ast.expr]) -> list[int]:
    """The indexes of the nodes that differ from the next node, so that an exchange of both nodes changes something."""
    return [
        index
        for index, (node, next_node) in enumerate(pairwise(nodes))
        if not isinstance(node, ast.Starred)
        and not isinstance(next_node, ast.Starred)
        and ast.dump(node) != ast.dump(next_node)
    ]


def _swapped(nodes: Sequence[ast.expr], index: int) -> list[ast.expr]:
    """The nodes with the node at `index` and the next node exchanged."""
    return [*nodes[:index], nodes[index + 1], nodes[index], *nodes[index + 2 :]]
