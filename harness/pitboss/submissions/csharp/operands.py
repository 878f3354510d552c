"""Finds where operands begin and end, from the tokens around them."""

from __future__ import annotations

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource

#: Tokens that bind less tightly than `is`: before the operand of an `is`, the search to the left stops at these tokens.
_LOOSER_THAN_IS = frozenset(
    """( [ { , ; => = += -= *= /= %= ??= ? : ?? && || | & ^ == != return throw case in when and or not else do await
    is < > <= >= } {{ yield""".split()  # noqa: SIM905
)
#: Tokens that bind less tightly than `switch`.
_LOOSER_THAN_SWITCH = _LOOSER_THAN_IS | frozenset({"+", "-", "*", "/", "%", "!", "~"})


def operand_start(source: CSharpSource, number: int, *, is_switch: bool = False) -> int:
    """Returns the first token of the operand before the `is` or `switch` at `number`."""
    looser = _LOOSER_THAN_SWITCH if is_switch else _LOOSER_THAN_IS
    while number > 0:
        before = number - 1
        if before in source.opening and source.token_at(before) in (")", "]"):
            number = source.opening[before]
            continue
        if source.token_at(before) == ">" and (opening := _generic_start(source, before)) is not None:
            number = opening
            continue
        if source.kind_at(before) is CSharpKind.INTERPOLATED_END:
            number = _interpolated_start(source, before)
            continue
        if source.token_at(before) in looser or source.kind_at(before) in (
            CSharpKind.INTERPOLATED_START,
            CSharpKind.INTERPOLATED_TEXT,
        ):
            break
        number = before
    return number


def _interpolated_start(source: CSharpSource, number: int) -> int:
    """Returns the first token of the interpolated string that ends with this token."""
    depth = 0
    while True:
        depth -= source.nesting_step(number)
        if depth == 0:
            return number
        number -= 1


def _generic_start(source: CSharpSource, number: int) -> int | None:
    """Returns the `<` of the type arguments that end with this `>`; None if the `>` is an operator.

    Type arguments of more than 30 tokens are not recognised.
    """
    for start in range(number - 1, max(-1, number - 30), -1):
        if source.token_at(start) == "<" and source.is_name(start - 1) and source.arguments_end(start) == number + 1:
            return start
    return None


def path_start(source: CSharpSource, number: int) -> int | None:
    """Returns the first token of the variable that ends with this token; None if another kind of operand ends here.

    A variable here consists of names, dots, and indexes that call and change nothing, as in `a.b[i]`.
    """
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
    """Returns the first token of the operand that ends with this token; calls and indexes belong to the operand."""
    while True:
        if source.token_at(number) in (")", "]"):
            number = source.opening[number]
            if source.ends_operand(number - 1) and source.token_at(number - 1) != "}":
                number -= 1
                continue
        elif source.kind_at(number) is CSharpKind.INTERPOLATED_END:
            number = _interpolated_start(source, number)
        if source.token_at(number - 1) in (".", "?."):
            number -= 2
            continue
        return number


def expression_end(source: CSharpSource, number: int) -> int:
    """Returns the token after the expression that begins at `number`: a comma, a semicolon or a closing bracket."""
    while number < len(source) and source.token_at(number) not in (";", ",") and number not in source.opening:
        number = source.closing.get(number, number) + 1
    return number
