"""Expands short forms of newer C# to the longer forms that they abbreviate."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from pitboss.submissions.csharp.conditions import HELPER_CLASS
from pitboss.submissions.csharp.csharp_tokens import DECLARATION_KEYWORDS, LexicalError
from pitboss.submissions.csharp.operands import expression_end, path_start, primary_start
from pitboss.submissions.csharp.source import CSharpSource
from pitboss.submissions.csharp.toplevel import PLACEHOLDER_PREFIX, directives_end


def with_braced_namespace(text: str) -> str:
    """The source with braces around a file-scoped namespace."""
    source = CSharpSource(text)
    number = directives_end(source)
    if source.token_at(number) != "namespace":
        return text
    while number < len(source) and source.token_at(number) not in ("{", ";"):
        number += 1
    if source.token_at(number) != ";":
        return text
    source.replace(number, number + 1, "{")
    source.insert(len(source), "\n}\n")
    return source.edited_text()


def with_plain_usings(text: str) -> str:
    """The source with `global using` as `using`, and without `#nullable` lines."""
    source = CSharpSource(text)
    for number in range(directives_end(source)):
        if source.token_at(number) == "global":
            source.replace(number, number + 1, "")
    lines = source.edited_text().split("\n")
    return "\n".join("" if line.lstrip().startswith("#nullable") else line for line in lines)


def with_using_blocks(text: str) -> str:
    """The source with each `using var f = …;` as `using (var f = …) { … }` to the end of the enclosing block."""
    source = CSharpSource(text)
    for number in range(len(source)):
        if (
            source.token_at(number) != "using"
            or source.token_at(number + 1) == "("
            or source.token_at(number - 1) in ("global", "await")
        ):
            continue
        type_end = source.type_end(number + 1)
        if type_end is None or not source.is_name(type_end) or source.token_at(type_end + 1) != "=":
            continue
        semicolon = source.statement_end(number + 1) - 1
        block_ends = (
            end for start, end in source.closing.items() if start < number < end and source.token_at(start) == "{"
        )
        block_end = min(block_ends, default=None)
        if block_end is None:
            continue
        source.insert(number + 1, "(")
        source.replace(semicolon, semicolon + 1, ") {")
        source.insert(block_end, "}")
    return source.edited_text()


def with_short_forms_expanded(text: str) -> str:
    """The source with the short forms of `_FORMS` written out."""
    for needed_text, rewrite_form in _FORMS:
        while needed_text in text:
            source = CSharpSource(text)
            # From the last token to the first. A form that overlaps a rewritten form is left to the next pass.
            are_rewritten = [
                source.attempt(partial(rewrite_form, source, number)) for number in reversed(range(len(source)))
            ]
            if not any(are_rewritten):
                break
            text = source.edited_text()
    return text


def with_helper_read_key(text: str) -> str:
    """The source with the `ReadKey` of our helper class instead of `Console.ReadKey`.

    Mono's `ReadKey` reads nothing on a plain terminal, and takes over any other terminal. The changed source is still
    treated as the submitted source: it behaves the same, and no compiler rejects it because of this change. A source
    with an unclosed bracket or string is returned unchanged.
    """
    if "ReadKey" not in text:
        return text
    try:
        source = CSharpSource(text)
    except LexicalError:
        return text
    is_console_imported = re.search(r"\busing\s+static\s+System\s*\.\s*Console\s*;", text) is not None
    for number in range(len(source)):
        if source.token_at(number) != "ReadKey" or source.token_at(number + 1) != "(":
            continue
        start = number
        if source.token_at(number - 1) == "." and source.token_at(number - 2) == "Console":
            begins_with_system = source.token_at(number - 4) == "System" and source.token_at(number - 3) == "."
            start = number - (4 if begins_with_system else 2)
        elif not is_console_imported or source.token_at(number - 1) == "." or source.is_name(number - 1):
            continue  # a method of another class, or the declaration of one
        source.replace(start, number + 1, f"{HELPER_CLASS}.ReadKey")
    return source.edited_text()


def _expand_coalescing_assignment(source: CSharpSource, number: int) -> bool:
    """`a ??= b`, if `a` is a variable: becomes `a = a ?? (b)`."""
    if source.token_at(number) != "??=":
        return False
    start = path_start(source, number - 1)
    if start is None:
        return False
    end = expression_end(source, number + 1)
    path = source.text_between(start, number)
    source.replace(start, end, f"{path} = {path} ?? ({source.text_between(number + 1, end)})")
    return True


def _comma_separated_ranges(source: CSharpSource, opening: int) -> list[tuple[int, int]]:
    """The parts between the commas in brackets: for each part, its first token and the token after its last token."""
    parts, start, number = [], opening + 1, opening + 1
    close = source.closing[opening]
    while number < close:
        if source.token_at(number) == ",":
            parts.append((start, number))
            start = number + 1
        number = source.closing.get(number, number) + 1
    return [*parts, (start, close)]


def _expand_swap(source: CSharpSource, number: int) -> bool:
    """`(a[i], a[j]) = (a[j], a[i]);` becomes a block that copies the values to variables, then assigns them.

    At least one target on the left must be an element or a member, and evaluating the targets must have no side
    effects.
    """
    if source.token_at(number) != "(" or source.token_at(number - 1) not in (";", "{", "}", ")", "else", ":"):
        return False
    equals = source.closing[number] + 1
    if (
        source.token_at(equals) != "="
        or source.token_at(equals + 1) != "("
        or source.token_at(source.closing[equals + 1] + 1) != ";"
    ):
        return False
    target_ranges, value_ranges = _comma_separated_ranges(source, number), _comma_separated_ranges(source, equals + 1)
    has_element_or_member = any(source.token_at(index) in ("[", ".") for index in range(number, equals))
    if len(target_ranges) != len(value_ranges) or not has_element_or_member:
        return False
    if any(path_start(source, end - 1) != start for start, end in target_ranges):
        return False
    names = [f"__s{index}" for index in range(len(target_ranges))]
    copies = "".join(
        f"var {name} = {source.text_between(*value_range)}; "
        for name, value_range in zip(names, value_ranges, strict=True)
    )
    assignments = "".join(
        f"{source.text_between(*target_range)} = {name}; "
        for name, target_range in zip(names, target_ranges, strict=True)
    )
    source.replace(number, source.closing[equals + 1] + 2, f"{{ {copies}{assignments}}}")
    return True


def _expand_foreach_deconstruction(source: CSharpSource, number: int) -> bool:
    """`foreach (var (a, b) in pairs)`: each pair becomes one variable, from which the body sets `a` and `b`."""
    if (
        source.token_at(number) != "foreach"
        or source.token_at(number + 2) != "var"
        or source.token_at(number + 3) != "("
    ):
        return False
    closing = source.closing[number + 3]
    names = [source.text_between(*name_range) for name_range in _comma_separated_ranges(source, number + 3)]
    if len(names) != 2 or not all(name.isidentifier() for name in names):
        return False
    body = source.closing[number + 1] + 1
    end = source.statement_end(body)
    source.replace(number + 2, closing + 1, "var __p")
    variables = "".join(
        f"var {name} = {HELPER_CLASS}.Item{position}(__p); " for position, name in enumerate(names, 1) if name != "_"
    )
    source.insert(body, f"{{ {variables}")
    if end < len(source):
        source.insert(end, " }")
    else:
        source.insert_after(end - 1, " }")
    return True


def _expand_static_lambda(source: CSharpSource, number: int) -> bool:
    """`static x => …`: the `static` is removed."""
    if source.token_at(number) != "static" or source.token_at(number - 1) not in ("(", ",", "=", "=>", "return"):
        return False
    source.replace(number, number + 1, "")
    return True


def _expand_discards(source: CSharpSource, number: int) -> bool:
    """`(_, _) => …`: the unused parameters get different names."""
    if source.token_at(number) != "(" or source.token_at(source.closing[number] + 1) != "=>":
        return False
    discards = [
        start
        for start, end in _comma_separated_ranges(source, number)
        if end == start + 1 and source.token_at(start) == "_"
    ]
    if len(discards) < 2:
        return False
    for index, start in enumerate(discards):
        source.replace(start, start + 1, f"__u{index}")
    return True


def _expand_index_or_range(source: CSharpSource, number: int) -> bool:
    """An index from the end, such as `a[^1]`, or a range, such as `a[1..3]`: computed by our helper class."""
    if source.token_at(number) != "[" or not source.ends_operand(number - 1):
        return False
    closing = source.closing[number]
    inner_brackets = [range(start, source.closing[start]) for start in source.closing if number < start < closing]
    range_signs = (index for index in range(number + 1, closing) if source.token_at(index) == "..")
    range_sign = next(
        (index for index in range_signs if not any(index in bracket_range for bracket_range in inner_brackets)), None
    )
    if source.token_at(number + 1) != "^" and range_sign is None:
        return False
    start = primary_start(source, number - 1)
    indexed_text = source.text_between(start, number)
    if range_sign is not None:
        lower_arguments, upper_arguments = (
            _bound_arguments(source, number + 1, range_sign),
            _bound_arguments(source, range_sign + 1, closing, is_end=True),
        )
        source.replace(
            start, closing + 1, f"{HELPER_CLASS}.Slice({indexed_text}, {lower_arguments}, {upper_arguments})"
        )
    elif path_start(source, number - 1) == start:
        source.replace(number + 1, number + 2, f"{HELPER_CLASS}.Length({indexed_text}) - ")
    else:
        source.replace(
            start, closing + 1, f"{HELPER_CLASS}.FromEnd({indexed_text}, {source.text_between(number + 2, closing)})"
        )
    return True


def _bound_arguments(source: CSharpSource, start: int, end: int, *, is_end: bool = False) -> str:
    """A bound of a range as two arguments of our `Slice`: a number, and whether it is counted from the end.

    An omitted bound is 0, counted from the end if `is_end`.
    """
    if start == end:
        return f"0, {'true' if is_end else 'false'}"
    if source.token_at(start) == "^":
        return f"{source.text_between(start + 1, end)}, true"
    return f"{source.text_between(start, end)}, false"


def _replace_members(source: CSharpSource, number: int) -> bool:
    """Replaces library members that Mono lacks: `Random.Shared`, `Enum.GetValues<T>` and `Enum.GetNames<T>`."""
    if (
        source.token_at(number) == "Random"
        and source.token_at(number + 1) == "."
        and source.token_at(number + 2) == "Shared"
    ):
        source.replace(number, number + 3, f"{HELPER_CLASS}.Shared")
        return True
    if (
        source.token_at(number) == "Enum"
        and source.token_at(number + 2) in ("GetValues", "GetNames")
        and source.token_at(number + 3) == "<"
    ):
        end = source.arguments_end(number + 3)
        if end is None or source.token_at(end) != "(":
            return False
        enum_type = source.text_between(number + 4, end - 1)
        cast = f"({enum_type}[])" if source.token_at(number + 2) == "GetValues" else ""
        source.replace(number, end + 2, f"({cast}System.Enum.{source.token_at(number + 2)}(typeof({enum_type})))")
        return True
    return False


def _replace_encoding(source: CSharpSource, number: int) -> bool:
    """An assignment to `OutputEncoding`: changed so that Mono does not write a byte order mark."""
    if source.token_at(number) == "OutputEncoding" and source.token_at(number + 1) == "=":
        end = expression_end(source, number + 2)
        encoding = source.text_between(number + 2, end)
        if source.token_at(number + 2) == HELPER_CLASS or encoding.endswith("UTF8Encoding(false)"):
            return False  # already without a mark
        source.replace(number + 2, end, f"{HELPER_CLASS}.WithoutMark({encoding})")
        return True
    return False


#: For each short form: a text that occurs in every source with the form, and a function. The function rewrites the form
#: if it finds the form at a token, and returns whether it did.
_FORMS: tuple[tuple[str, Callable[[CSharpSource, int], bool]], ...] = (
    ("??=", _expand_coalescing_assignment),
    ("(", _expand_swap),
    ("foreach", _expand_foreach_deconstruction),
    ("static", _expand_static_lambda),
    ("_", _expand_discards),
    ("[", _expand_index_or_range),
    (".", _replace_members),
    ("OutputEncoding", _replace_encoding),
)


def with_explicit_types(text: str) -> str:
    """The source with the type written in each `new(…)` and `default`, and in each list `[…]` whose type is declared.

    If the type of a `new(…)` or `default` is not declared in the same statement, a placeholder is written.
    """
    source, placeholder_count = CSharpSource(text), 0
    for number in range(len(source)):
        is_new = source.token_at(number) == "new" and source.token_at(number + 1) == "("
        previous = source.token_at(number - 1)
        is_default = (
            source.token_at(number) == "default"
            and source.token_at(number + 1) not in ("(", ":")
            and previous != "goto"
        )
        is_list = source.token_at(number) == "[" and previous in ("=", "return", "=>", "(", "??")
        if is_list and previous == "(" and source.type_end(source.closing[number] + 1):
            is_list = False  # an attribute before the type of a parameter
        if not (is_new or is_default or is_list):
            continue
        type_name = _declared_type(source, number)
        if not type_name and not is_list:
            type_name, placeholder_count = f"{PLACEHOLDER_PREFIX}{placeholder_count}_", placeholder_count + 1
        if is_new:
            source.insert_after(number, f" {type_name}")
        elif is_default:
            source.replace(number, number + 1, f"default({type_name})")
        elif type_name and not any(source.token_at(index) == ".." for index in range(number, source.closing[number])):
            # A list without a spread such as `..other`.
            source.replace(number, number + 1, f"new {type_name} {{")
            source.replace(source.closing[number], source.closing[number] + 1, "}")
    return source.edited_text()


def _declared_type(source: CSharpSource, number: int) -> str:
    """The type of the variable, field or property whose initial value begins with this token; empty if not stated."""
    if source.token_at(number - 1) != "=":
        return ""
    name_index = number - 2
    if source.token_at(name_index) == "}":  # the end of a property's accessors
        name_index = source.opening[name_index] - 1
    start = name_index
    while start > 0 and source.token_at(start - 1) not in (";", "{", "}", "("):
        start -= 1
    while source.token_at(start) in DECLARATION_KEYWORDS or source.token_at(start) == "[":  # modifiers and attributes
        start = source.closing.get(start, start) + 1
    end = source.type_end(start)
    if end != name_index or source.token_at(start) == "var":
        return ""
    return source.text_between(start, end).removesuffix("?")
