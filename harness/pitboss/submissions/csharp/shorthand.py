"""Expands short forms of newer C# to the longer forms that they abbreviate."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from pitboss.submissions.csharp.conditions import HELPER
from pitboss.submissions.csharp.csharp_tokens import DECLARING, LexicalError
from pitboss.submissions.csharp.operands import expression_end, path_start, primary_start
from pitboss.submissions.csharp.source import CSharpSource
from pitboss.submissions.csharp.toplevel import UNKNOWN, directives_end


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
    return source.edited()


def with_plain_usings(text: str) -> str:
    """The source with `global using` as `using`, and without `#nullable`."""
    source = CSharpSource(text)
    for number in range(directives_end(source)):
        if source.token_at(number) == "global":
            source.replace(number, number + 1, "")
    lines = source.edited().split("\n")
    return "\n".join("" if line.lstrip().startswith("#nullable") else line for line in lines)


def with_using_blocks(text: str) -> str:
    """The source with each `using var f = …;` as a `using (var f = …) {` that extends to the end of its block."""
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
        blocks = (
            end for start, end in source.closing.items() if start < number < end and source.token_at(start) == "{"
        )
        block = min(blocks, default=None)
        if block is None:
            continue
        source.insert(number + 1, "(")
        source.replace(semicolon, semicolon + 1, ") {")
        source.insert(block, "}")
    return source.edited()


def with_small_forms(text: str) -> str:
    """The source with each short form written out, from the last to the first."""
    for mark, form in _FORMS:
        while mark in text:
            source = CSharpSource(text)
            rewrites = [source.attempt(partial(form, source, number)) for number in reversed(range(len(source)))]
            if not any(rewrites):
                break
            text = source.edited()
    return text


def with_helper_read_key(text: str) -> str:
    """The source with our `ReadKey` instead of `Console.ReadKey`.

    Mono's own reads nothing on a plain terminal, and takes over any other terminal. The changed text still counts as
    submitted: it behaves the same, and no compiler refuses it because of this change. A text with an
    unclosed bracket or string stays unchanged.
    """
    if "ReadKey" not in text:
        return text
    try:
        source = CSharpSource(text)
    except LexicalError:
        return text
    imported = re.search(r"\busing\s+static\s+System\s*\.\s*Console\s*;", text) is not None
    for number in range(len(source)):
        if source.token_at(number) != "ReadKey" or source.token_at(number + 1) != "(":
            continue
        start = number
        if source.token_at(number - 1) == "." and source.token_at(number - 2) == "Console":
            start = (
                number - 4
                if (source.token_at(number - 4), source.token_at(number - 3)) == ("System", ".")
                else number - 2
            )
        elif not imported or source.token_at(number - 1) == "." or source.is_name(number - 1):
            continue
        source.replace(start, number + 1, f"{HELPER}.ReadKey")
    return source.edited()


def _expand_coalescing(source: CSharpSource, number: int) -> bool:
    if source.token_at(number) != "??=":
        return False
    start = path_start(source, number - 1)
    if start is None:
        return False
    end = expression_end(source, number + 1)
    path = source.between(start, number)
    source.replace(start, end, f"{path} = {path} ?? ({source.between(number + 1, end)})")
    return True


def _parts(source: CSharpSource, opening: int) -> list[tuple[int, int]]:
    """The token ranges between the commas in a pair of brackets."""
    parts, start, number = [], opening + 1, opening + 1
    close = source.closing[opening]
    while number < close:
        if source.token_at(number) == ",":
            parts.append((start, number))
            start = number + 1
        number = source.closing.get(number, number) + 1
    return [*parts, (start, close)]


def _expand_swap(source: CSharpSource, number: int) -> bool:
    """`(a[i], a[j]) = (a[j], a[i]);`, if evaluating the targets has no side effects."""
    if source.token_at(number) != "(" or source.token_at(number - 1) not in (";", "{", "}", ")", "else", ":"):
        return False
    equals = source.closing[number] + 1
    if (
        source.token_at(equals) != "="
        or source.token_at(equals + 1) != "("
        or source.token_at(source.closing[equals + 1] + 1) != ";"
    ):
        return False
    left, right = _parts(source, number), _parts(source, equals + 1)
    targets = range(number, equals)
    if len(left) != len(right) or not any(source.token_at(target) in ("[", ".") for target in targets):
        return False
    if any(path_start(source, end - 1) != start for start, end in left):
        return False
    names = [f"__s{index}" for index in range(len(left))]
    copies = "".join(f"var {name} = {source.between(*part)}; " for name, part in zip(names, right, strict=True))
    assignments = "".join(f"{source.between(*part)} = {name}; " for name, part in zip(names, left, strict=True))
    source.replace(number, source.closing[equals + 1] + 2, f"{{ {copies}{assignments}}}")
    return True


def _expand_deconstruction(source: CSharpSource, number: int) -> bool:
    """`foreach (var (a, b) in pairs)`: the pair becomes a variable, which the body deconstructs."""
    if (
        source.token_at(number) != "foreach"
        or source.token_at(number + 2) != "var"
        or source.token_at(number + 3) != "("
    ):
        return False
    close = source.closing[number + 3]
    names = [source.between(*part) for part in _parts(source, number + 3)]
    if len(names) != 2 or not all(name.isidentifier() for name in names):
        return False
    body = source.closing[number + 1] + 1
    end = source.statement_end(body)
    source.replace(number + 2, close + 1, "var __p")
    variables = "".join(
        f"var {name} = {HELPER}.Item{position}(__p); " for position, name in enumerate(names, 1) if name != "_"
    )
    source.insert(body, f"{{ {variables}")
    source.insert(end, " }") if end < len(source) else source.insert_after(end - 1, " }")
    return True


def _expand_static_lambda(source: CSharpSource, number: int) -> bool:
    if source.token_at(number) != "static" or source.token_at(number - 1) not in ("(", ",", "=", "=>", "return"):
        return False
    source.replace(number, number + 1, "")
    return True


def _expand_discards(source: CSharpSource, number: int) -> bool:
    """`(_, _) => …`: the unused parameters get different names."""
    if source.token_at(number) != "(" or source.token_at(source.closing[number] + 1) != "=>":
        return False
    discards = [start for start, end in _parts(source, number) if end == start + 1 and source.token_at(start) == "_"]
    if len(discards) < 2:
        return False
    for index, start in enumerate(discards):
        source.replace(start, start + 1, f"__u{index}")
    return True


def _expand_index(source: CSharpSource, number: int) -> bool:
    """`a[^1]`, an index from the end, and `a[1..3]`, a range."""
    if source.token_at(number) != "[" or not source.ends_operand(number - 1):
        return False
    close = source.closing[number]
    inner = [range(start, source.closing[start]) for start in source.closing if number < start < close]
    ranges = (index for index in range(number + 1, close) if source.token_at(index) == "..")
    dots = next((index for index in ranges if not any(index in part for part in inner)), None)
    if source.token_at(number + 1) != "^" and dots is None:
        return False
    start = primary_start(source, number - 1)
    owner = source.between(start, number)
    if dots is not None:
        first, last = (
            _bound_arguments(source, number + 1, dots, "0"),
            _bound_arguments(source, dots + 1, close, "0", is_end=True),
        )
        source.replace(start, close + 1, f"{HELPER}.Slice({owner}, {first}, {last})")
    elif path_start(source, number - 1) == start:
        source.replace(number + 1, number + 2, f"{HELPER}.Length({owner}) - ")
    else:
        source.replace(start, close + 1, f"{HELPER}.FromEnd({owner}, {source.between(number + 2, close)})")
    return True


def _bound_arguments(source: CSharpSource, start: int, end: int, missing: str, *, is_end: bool = False) -> str:
    """A bound of a range, as two arguments: a number, and whether it counts from the end."""
    if start == end:
        return f"{missing}, {'true' if is_end else 'false'}"
    if source.token_at(start) == "^":
        return f"{source.between(start + 1, end)}, true"
    return f"{source.between(start, end)}, false"


def _replace_members(source: CSharpSource, number: int) -> bool:
    """Library members that Mono lacks and that can be expressed differently."""
    if (
        source.token_at(number) == "Random"
        and source.token_at(number + 1) == "."
        and source.token_at(number + 2) == "Shared"
    ):
        source.replace(number, number + 3, f"{HELPER}.Shared")
        return True
    if (
        source.token_at(number) == "Enum"
        and source.token_at(number + 2) in ("GetValues", "GetNames")
        and source.token_at(number + 3) == "<"
    ):
        end = source.arguments_end(number + 3)
        if end is None or source.token_at(end) != "(":
            return False
        kind = source.between(number + 4, end - 1)
        cast = f"({kind}[])" if source.token_at(number + 2) == "GetValues" else ""
        source.replace(number, end + 2, f"({cast}System.Enum.{source.token_at(number + 2)}(typeof({kind})))")
        return True
    return False


def _replace_encoding(source: CSharpSource, number: int) -> bool:
    """An assignment of `OutputEncoding`, changed so that Mono does not write a byte order mark."""
    if source.token_at(number) == "OutputEncoding" and source.token_at(number + 1) == "=":
        end = expression_end(source, number + 2)
        if source.token_at(number + 2) == HELPER or source.between(number + 2, end).endswith("UTF8Encoding(false)"):
            return False
        source.replace(number + 2, end, f"{HELPER}.WithoutMark({source.between(number + 2, end)})")
        return True
    return False


#: Each form, with a text that every use of it contains.
_FORMS: tuple[tuple[str, Callable[[CSharpSource, int], bool]], ...] = (
    ("??=", _expand_coalescing),
    ("(", _expand_swap),
    ("foreach", _expand_deconstruction),
    ("static", _expand_static_lambda),
    ("_", _expand_discards),
    ("[", _expand_index),
    (".", _replace_members),
    ("OutputEncoding", _replace_encoding),
)


def with_named_types(text: str) -> str:
    """The source with a type in each `new(…)` and `default`, declared or a placeholder, and in `[…]` if declared."""
    source, placeholders = CSharpSource(text), 0
    for number in range(len(source)):
        is_new = source.token_at(number) == "new" and source.token_at(number + 1) == "("
        before = source.token_at(number - 1)
        is_default = (
            source.token_at(number) == "default" and source.token_at(number + 1) not in ("(", ":") and before != "goto"
        )
        is_list = source.token_at(number) == "[" and before in ("=", "return", "=>", "(", "??")
        if is_list and before == "(" and source.type_end(source.closing[number] + 1):
            is_list = False
        if not (is_new or is_default or is_list):
            continue
        kind = _declared_type(source, number)
        if not kind and not is_list:
            kind, placeholders = f"{UNKNOWN}{placeholders}_", placeholders + 1
        if is_new:
            source.insert_after(number, f" {kind}")
        elif is_default:
            source.replace(number, number + 1, f"default({kind})")
        elif kind and not any(source.token_at(index) == ".." for index in range(number, source.closing[number])):
            source.replace(number, number + 1, f"new {kind} {{")
            source.replace(source.closing[number], source.closing[number] + 1, "}")
    return source.edited()


def _declared_type(source: CSharpSource, number: int) -> str:
    """The type of the variable, field or property whose initial value begins here; empty if the type is not stated."""
    if source.token_at(number - 1) != "=":
        return ""
    name = number - 2
    if source.token_at(name) == "}":
        name = source.opening[name] - 1
    start = name
    while start > 0 and source.token_at(start - 1) not in (";", "{", "}", "("):
        start -= 1
    while source.token_at(start) in DECLARING or source.token_at(start) == "[":
        start = source.closing.get(start, start) + 1
    end = source.type_end(start)
    if end != name or source.token_at(start) == "var":
        return ""
    return source.between(start, end).removesuffix("?")
