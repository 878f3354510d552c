"""Finds where operands begin and end, from the tokens around them."""

from __future__ import annotations

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource

#: Tokens that end the search to the left for the operand of an `is` or a `switch`: they bind less tightly.
_LOOSER_THAN_IS = frozenset(
    """( [ { , ; => = += -= *= /= %= ??= ? : ?? && || | & ^ == != return throw case in when and or not else do await
    is < > <= >= } {{ yield""".split()  # noqa: SIM905
)
_LOOSER_THAN_SWITCH = _LOOSER_THAN_IS | frozenset({"+", "-", "*", "/", "%", "!", "~"})


def operand_start(source: CSharpSource, number: int, *, is_switch: bool = False) -> int:
    """The first token of the operand before the `is` or `switch` at `number`."""
    looser = _LOOSER_THAN_SWITCH if is_switch else _LOOSER_THAN_IS
    while number > 0:
        before = number - 1
        if before in source.opening and source.token_at(before) in (")", "]"):
            number = source.opening[before]
            continue
        if source.token_at(before) == ">" and (opening := _generic_start(source, before)) is not None:
            number = opening
            continue
        if source.kind(before) is CSharpKind.IEND:
            number = _interpolated_start(source, before)
            continue
        if source.token_at(before) in looser or source.kind(before) in (CSharpKind.ISTART, CSharpKind.ITEXT):
            break
        number = before
    return number


def _interpolated_start(source: CSharpSource, number: int) -> int:
    """The first token of the interpolated string that ends with this token."""
    depth = 0
    while True:
        depth += (source.kind(number) is CSharpKind.IEND) - (source.kind(number) is CSharpKind.ISTART)
        if depth == 0:
            return number
        number -= 1


def _generic_start(source: CSharpSource, number: int) -> int | None:
    """The `<` that this `>` closes, if it closes type arguments; None otherwise."""
    for start in range(number - 1, max(-1, number - 30), -1):
        if source.token_at(start) == "<" and source.is_name(start - 1) and source.arguments_end(start) == number + 1:
            return start
    return None


def path_start(source: CSharpSource, number: int) -> int | None:
    """The first token of a variable that ends with this token: names, dots, plain indexes; None for other operands."""
    while True:
        if source.token_at(number) == "]":
            opening = source.opening[number]
            if any(source.token_at(index) in ("(", "++", "--", "=") for index in range(opening, number)):
                return None
            number = opening - 1
            continue
        if not source.is_name(number) and source.token_at(number) != "this":
            return None
        if source.token_at(number - 1) != ".":
            return number
        number -= 2


def primary_start(source: CSharpSource, number: int) -> int:
    """The first token of an operand, with its calls and indexes, that ends with this token."""
    while True:
        if source.token_at(number) in (")", "]"):
            number = source.opening[number]
            if source.ends_operand(number - 1) and source.token_at(number - 1) != "}":
                number -= 1
                continue
        elif source.kind(number) is CSharpKind.IEND:
            while source.kind(number) is not CSharpKind.ISTART:
                number -= 1
        if source.token_at(number - 1) in (".", "?."):
            number -= 2
            continue
        return number


def expression_end(source: CSharpSource, number: int) -> int:
    """The token after the expression that begins here: a comma, a semicolon or a closing bracket."""
    while number < len(source) and source.token_at(number) not in (";", ",") and number not in source.opening:
        number = source.closing.get(number, number) + 1
    return number
