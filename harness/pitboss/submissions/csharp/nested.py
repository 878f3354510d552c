"""Rewrites local functions that use no variable of their method as methods next to it."""

from __future__ import annotations

from pitboss.submissions.csharp.csharp_tokens import PREDEFINED
from pitboss.submissions.csharp.source import CSharpSource, LocalFunction


def with_methods(text: str) -> str:
    """The source with these local functions as methods; other local functions stay unchanged."""
    while True:
        source = CSharpSource(text)
        bodies = _type_bodies(source)
        for function in _functions(source, bodies):
            if _move(source, function, bodies):
                break
        else:
            return text
        text = source.edited()


def _type_bodies(source: CSharpSource) -> dict[int, int]:
    """The last token of the body of each type, by the body's first token."""
    bodies = {}
    for number in range(len(source)):
        if source.type_declaration(number) == number and source.token_at(number) != "delegate":
            body = number
            while body < len(source) and source.token_at(body) not in ("{", ";"):
                body = source.closing[body] + 1 if body in source.closing else body + 1
            if source.token_at(body) == "{":
                bodies[body] = source.closing[body]
    return bodies


def _functions(source: CSharpSource, bodies: dict[int, int]) -> list[LocalFunction]:
    """The local functions of a source, the shortest first, so that inner ones come before outer ones."""
    functions = []
    for number in range(1, len(source)):
        if source.token_at(number - 1) not in ("{", "}", ";") or _innermost(source, number) in bodies:
            continue
        function = source.local_function(number) if _innermost(source, number) is not None else None
        if function and source.token_at(function.name - 1) not in ("new", "else", "case", "goto", "throw"):
            functions.append(function)
    return sorted(functions, key=lambda function: function.end - function.start)


def _innermost(source: CSharpSource, number: int) -> int | None:
    """The innermost open brace around a token; None outside braces."""
    around = [start for start, end in source.closing.items() if start < number < end and source.token_at(start) == "{"]
    return max(around, default=None)


def _member(source: CSharpSource, number: int, bodies: dict[int, int]) -> tuple[int, int, int] | None:
    """The member of a type that contains a token: its first token, its body's first token, and the token after it."""
    around = [start for start, end in source.closing.items() if start < number < end and source.token_at(start) == "{"]
    owners = [start for start in around if start in bodies]
    inside = [start for start in around if owners and start > max(owners)]
    if not inside:
        return None
    body = min(inside)
    start = body
    while start - 1 > max(owners) and source.token_at(start - 1) not in (";", "}"):
        start -= 1
    return start, body, source.closing[body] + 1


def _move(source: CSharpSource, function: LocalFunction, bodies: dict[int, int]) -> bool:
    """Move a local function behind the member that contains it; returns whether that was possible."""
    member = _member(source, function.start, bodies)
    if member is None:
        return False
    start, body, end = member
    inside = range(function.start, function.end)
    outer = _declared_names(source, start, end, inside)
    inner = _declared_names(source, function.start, function.end)
    used = {
        source.token_at(number)
        for number in range(function.opening, function.end)
        if source.is_name(number) and source.token_at(number - 1) not in (".", "?.")
    }
    if used & outer - inner:
        return False
    modifiers = [source.token_at(number) for number in range(start, body)]
    static = "" if "static" in [source.token_at(index) for index in range(function.start, function.name)] else "static "
    if "static" not in modifiers:
        static = ""
    text = source.between(function.start, function.end)
    source.replace(function.start, function.end, ";")
    line = source.line(function.start)
    back = source.line(end - 1)
    source.insert_after(end - 1, f"\n#line {line}\n{static}{text}\n#line {back}\n")
    return True


def _declared_names(source: CSharpSource, start: int, end: int, excluded: range = range(0)) -> set[str]:
    """The variables and parameters declared between two tokens, except within the range `excluded`."""
    names = set()
    for number in range(start + 1, end):
        if number in excluded or not source.is_name(number):
            continue
        before, after = source.token_at(number - 1), source.token_at(number + 1)
        if (
            (_is_type_before(source, number) and after in ("=", ";", ",", ")", "in", ":", "]", "&&", "||", "?", "}"))
            or after == "=>"
            or (before in ("(", ",") and after in (",", ")") and _is_list_of_names(source, number))
        ):
            names.add(source.token_at(number))
    return names


def _is_type_before(source: CSharpSource, number: int) -> bool:
    before = source.token_at(number - 1)
    if source.is_name(number - 1):
        return before not in ("await", "when", "and", "or", "not", "yield")
    return before in PREDEFINED or before in ("]", ">", "?")


def _is_list_of_names(source: CSharpSource, number: int) -> bool:
    """Whether a name is in a `var (a, b)` or in the parameters of a lambda."""
    around = [start for start, end in source.closing.items() if start < number < end and source.token_at(start) == "("]
    if not around:
        return False
    opening = max(around)
    return source.token_at(opening - 1) == "var" or source.token_at(source.closing[opening] + 1) == "=>"
