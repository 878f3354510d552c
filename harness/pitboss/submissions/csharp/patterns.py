"""Rewrites patterns as conditions: in `is`, in switch expressions and in the cases of switch statements.

A value that is tested several times becomes the parameter of a lambda, so that it is computed once:
`age switch { >= 18 => "adult", _ => "child" }` becomes `__New.On(age, __v0 => __v0 >= 18 ? ("adult") : "child")`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pitboss.submissions.csharp.conditions import HELPER_CLASS, Pattern, PatternError
from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.operands import operand_start
from pitboss.submissions.csharp.source import CSharpSource


def patterns_as_conditions(text: str, types: frozenset[str]) -> str:
    """Returns the source with patterns rewritten as conditions, the innermost first.

    Patterns that cannot be rewritten stay unchanged. `types` are the names of the types that the program declares.
    """
    while True:
        source = CSharpSource(text)
        numbers = [number for number in range(len(source)) if source.token_at(number) in _REWRITES]
        rewrites = [source.attempt(partial(_rewrite, source, number, types)) for number in reversed(numbers)]
        if not any(rewrites):
            return text
        text = source.edited_text()


def _rewrite(source: CSharpSource, number: int, types: frozenset[str]) -> bool:
    """Rewrites the `is` or `switch` at `number` if necessary and possible; returns whether the source was edited."""
    try:
        return _REWRITES[source.token_at(number)](source, number, types)
    except (PatternError, KeyError):
        return False


def _rewrite_is(source: CSharpSource, number: int, types: frozenset[str]) -> bool:
    """Rewrites the `is` at `number`, unless the compiler supports its pattern; returns whether it was rewritten."""
    if source.kind_at(number) is not CSharpKind.KEYWORD:
        return False
    pattern = Pattern(source, number + 1, types)
    first_text = source.token_at(number + 1)
    start = operand_start(source, number)
    value = source.text_between(start, number)
    end = source.type_end(number + 1)
    if end is not None and first_text not in ("not", "null", "(", "{") and pattern.is_type(number + 1, end):
        has_variable = source.is_name(end) and source.token_at(end) not in ("and", "or")
        after = end + 1 if has_variable else end
        if source.token_at(after) not in ("and", "or", "{"):
            return False  # a plain type test, which the compiler supports
    is_variable = start == number - 1 and (source.is_name(start) or source.token_at(start) == "this")
    condition = pattern.condition(value if is_variable else "__v")
    # A test for null evaluates the value only once, so no lambda is needed.
    if not is_variable and condition in ("(object)__v == null", "!((object)__v == null)"):
        condition = condition.replace("__v", f"({value})")
    elif not is_variable:
        if pattern.declares_variable:
            raise PatternError
        condition = f"{HELPER_CLASS}.On({value}, __v => {condition})"
    source.replace(start, pattern.end, f"({condition})")
    return True


def _rewrite_switch(source: CSharpSource, number: int, types: frozenset[str]) -> bool:
    """Rewrites the switch expression or switch statement at `number`; returns whether it was rewritten."""
    if source.token_at(number + 1) == "(" and source.token_at(source.closing[number + 1] + 1) == "{":
        return _rewrite_cases(source, number, types)
    if source.token_at(number + 1) != "{":
        return False
    start, close = operand_start(source, number, is_switch=True), source.closing[number + 1]
    value = source.text_between(start, number)
    arms, index, has_default = [], number + 2, False
    # A lambda inside another needs a different parameter: the number of earlier uses makes the name unique.
    parameter = f"__v{sum(source.token_at(index).startswith('__v') for index in range(len(source)))}"
    while index < close:
        pattern = Pattern(source, index, types)
        if source.token_at(index) == "var" and source.is_name(index + 1):
            raise PatternError
        condition = pattern.condition(parameter)
        index = pattern.end
        if source.token_at(index) == "when":
            arrow = _arm_arrow(source, index + 1, close)
            condition = f"{condition} && ({source.text_between(index + 1, arrow)})"
            index = arrow
        if source.token_at(index) != "=>":
            raise PatternError
        result_end = _next_comma(source, index + 1, close)
        result = source.text_between(index + 1, result_end)
        has_default = has_default or condition == "true"
        arms.append(result if condition == "true" else f"{condition} ? {_parenthesized(result)} : ")
        index = result_end + 1
    if not has_default:
        arms.append("throw new System.InvalidOperationException()")
    source.replace(start, close + 1, f"{HELPER_CLASS}.On({value}, {parameter} => {''.join(arms)})")
    return True


def _parenthesized(result: str) -> str:
    """Returns the result of an arm in parentheses, which C# does not allow around a `throw`."""
    return result if result.startswith("throw") else f"({result})"


def _arm_arrow(source: CSharpSource, number: int, close: int) -> int:
    """Returns the `=>` after the `when` condition of an arm, which begins at `number`."""
    while number < close and source.token_at(number) != "=>":
        number = source.closing.get(number, number) + 1
    return number


def _next_comma(source: CSharpSource, number: int, close: int) -> int:
    """Returns the next comma outside brackets and type arguments; `close` if no comma comes before `close`."""
    while number < close and source.token_at(number) != ",":
        if (
            source.token_at(number) == "<"
            and (after := source.arguments_end(number)) is not None
            and source.is_name(number - 1)
        ):
            number = after
        else:
            number = source.closing.get(number, number) + 1
    return min(number, close)


def _is_constant(condition: str) -> bool:
    """Whether this is the condition of a constant pattern, which the `case` of a C# 7 switch can test."""
    return condition == "(object)__v == null" or condition.startswith(f"{HELPER_CLASS}.Is(__v, ")


def _rewrite_cases(source: CSharpSource, number: int, types: frozenset[str]) -> bool:
    """Rewrites a switch statement with patterns: each case gets a number, and tests of the value select the number.

    `switch (v) { case > 5: a; break; case 1 or 2: b; break; }` becomes
    `switch (__New.On(v, __v => __v > 5 ? 1 : …)) { case 1: a; break; case 2: b; break; }`. Several values, as in
    `switch (a, b)`, are put into another pair of parentheses, so that they form a tuple.
    """
    value = source.text_between(number + 2, source.closing[number + 1])
    is_tuple = _next_comma(source, number + 2, source.closing[number + 1]) < source.closing[number + 1]
    opening = source.closing[number + 1] + 1
    close = source.closing[opening]
    cases, needs_rewrite = [], False
    index = opening + 1
    while index < close:
        if source.token_at(index) == "case":
            pattern = Pattern(source, index + 1, types)
            condition = pattern.condition("__v")
            end = pattern.end
            if source.token_at(end) == "when":
                colon = end
                while source.token_at(colon) != ":":
                    colon = source.closing.get(colon, colon) + 1
                condition, end = f"{condition} && ({source.text_between(end + 1, colon)})", colon
            if source.token_at(end) != ":" or pattern.declares_variable:
                raise PatternError
            needs_rewrite = needs_rewrite or not condition.startswith(f"{HELPER_CLASS}.Is(__v, ") or " && " in condition
            cases.append((index, end, condition))
            index = end + 1
        else:
            index = source.closing.get(index, index) + 1
    if not is_tuple and (not needs_rewrite or all(_is_constant(condition) for _, _, condition in cases)):
        return False
    if any(
        source.token_at(index) == "goto" and source.token_at(index + 1) == "case" for index in range(opening, close)
    ):
        raise PatternError
    tests = "".join(f"{condition} ? {case_number} : " for case_number, (_, _, condition) in enumerate(cases, 1))
    value = f"({value})" if is_tuple else value
    source.replace(number + 2, source.closing[number + 1], f"{HELPER_CLASS}.On({value}, __v => {tests}0)")
    for case_number, (start, end, _) in enumerate(cases, 1):
        source.replace(start, end, f"case {case_number}")
    return True


_REWRITES: dict[str, Callable[[CSharpSource, int, frozenset[str]], bool]] = {
    "is": _rewrite_is,
    "switch": _rewrite_switch,
}
