r"""Rewrites literals that Mono's compiler does not support: raw strings, `@$"`, `\e`, underscores in numbers."""

from __future__ import annotations

import re

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def with_plain_literals(text: str) -> str:
    """Returns the source with newer literals replaced by their equivalents in C# 6."""
    source = CSharpSource(text)
    number = 0
    while number < len(source):
        kind, literal = source.tokens[number].kind, source.tokens[number].text
        if kind is CSharpKind.NUMBER and "_" in literal:
            source.replace(number, number + 1, literal.replace("_", ""))
        elif kind is CSharpKind.STRING and literal.startswith('"""'):
            source.replace(number, number + 1, f'"{_escaped(_raw_text(literal))}"')
        elif kind is CSharpKind.STRING and "\\e" in literal and not literal.startswith("@"):
            source.replace(number, number + 1, _with_unicode_escape(literal))
        elif kind is CSharpKind.INTERPOLATED_START and literal.startswith("@$"):
            source.replace(number, number + 1, '$@"')
        elif kind is CSharpKind.INTERPOLATED_START and literal.endswith('"""'):
            number = _make_plain(source, number)
        elif kind is CSharpKind.INTERPOLATED_TEXT and "\\e" in literal and _allows_escapes(source, number):
            source.replace(number, number + 1, _with_unicode_escape(literal))
        number += 1
    return source.edited_text()


def _allows_escapes(source: CSharpSource, number: int) -> bool:
    """Whether a backslash begins an escape in the interpolated string of the INTERPOLATED_TEXT at `number`."""
    depth = 0
    while number >= 0:
        depth -= source.nesting_step(number)
        if depth < 0:
            return "@" not in source.token_at(number) and '"""' not in source.token_at(number)
        number -= 1
    return False


def _with_unicode_escape(literal: str) -> str:
    r"""Returns a literal with `\u001b` for `\e`."""
    return re.sub(r"\\(e|.)", lambda match: "\\u001b" if match[1] == "e" else match[0], literal)


def _escaped(text: str) -> str:
    """Returns a text as it is written in a string literal."""
    return "".join(_ESCAPES.get(letter, letter) for letter in text)


def _raw_text(literal: str) -> str:
    """Returns the text that a raw string literal stands for."""
    quotes = len(literal) - len(literal.lstrip('"'))
    text = literal[quotes:-quotes]
    return "\n".join(_unindented(text.split("\n"))) if "\n" in text else text


def _unindented(lines: list[str]) -> list[str]:
    """Returns the lines between the first and the last line, without the indentation of the closing quotes.

    The first and the last line of a raw string contain only its quotes.
    """
    indent = lines[-1]
    return [line.removeprefix(indent) if line.strip() else line[len(indent) :] for line in lines[1:-1]]


def _make_plain(source: CSharpSource, start: int) -> int:
    """Turns a raw interpolated string into a plain interpolated string; returns the index of its last token."""
    depth, end, text_numbers = 0, start, []
    while True:
        kind = source.kind_at(end)
        if kind is CSharpKind.INTERPOLATED_START:
            depth += 1
        elif kind is CSharpKind.INTERPOLATED_END:
            depth -= 1
            if depth == 0:
                break
        elif kind is CSharpKind.INTERPOLATED_TEXT and depth == 1 and not source.tokens[end].text.startswith(":"):
            text_numbers.append(end)
        end += 1
    dollar_count = source.token_at(start).count("$")
    content = source.text[source.tokens[start].end : source.tokens[end].start]
    indent = content.rpartition("\n")[2] if "\n" in content else None  # None for a string on a single line
    source.replace(start, start + 1, '$"')
    source.replace(end, end + 1, '"')
    for number in text_numbers:
        text = source.tokens[number].text
        if indent is not None:
            lines = text.split("\n")
            # The line of the opening quotes and the line of the closing quotes do not belong to the text.
            first_line = lines[0] if number != start + 1 else None
            other_lines = [line.removeprefix(indent) for line in lines[1:]]
            if number == end - 1:
                other_lines = other_lines[:-1]
            text = "\n".join([*([] if first_line is None else [first_line]), *other_lines])
        escaped = _escaped(text)
        if dollar_count > 1:
            escaped = escaped.replace("{", "{{").replace("}", "}}")
        source.replace(number, number + 1, escaped)
    if dollar_count > 1:
        depth = 0
        for number in range(start, end):
            depth += source.nesting_step(number)
            if depth == 1 and source.token_at(number) in ("{" * dollar_count, "}" * dollar_count):
                source.replace(number, number + 1, source.token_at(number)[0])
    return end
