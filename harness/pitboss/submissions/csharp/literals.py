r"""Rewrites literals that the compiler does not support: raw strings, `@$"`, `\e`, underscores in numbers."""

from __future__ import annotations

import re

from pitboss.submissions.csharp.csharp_tokens import CSharpKind
from pitboss.submissions.csharp.source import CSharpSource

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}


def with_plain_literals(text: str) -> str:
    """The source with newer literals replaced by their equivalents in C# 6."""
    source = CSharpSource(text)
    number = 0
    while number < len(source):
        kind, literal = source.kind(number), source.token_at(number)
        if kind is CSharpKind.NUMBER and "_" in literal:
            source.replace(number, number + 1, literal.replace("_", ""))
        elif kind is CSharpKind.STRING and literal.startswith('"""'):
            source.replace(number, number + 1, f'"{_escaped(_raw_lines(literal))}"')
        elif kind is CSharpKind.STRING and "\\e" in literal and not literal.startswith("@"):
            source.replace(number, number + 1, _with_escape(literal))
        elif kind is CSharpKind.ISTART and literal.startswith("@$"):
            source.replace(number, number + 1, '$@"')
        elif kind is CSharpKind.ISTART and literal.endswith('"""'):
            number = _make_plain(source, number)
        elif kind is CSharpKind.ITEXT and "\\e" in literal and _is_plain(source, number):
            source.replace(number, number + 1, _with_escape(literal))
        number += 1
    return source.edited()


def _is_plain(source: CSharpSource, number: int) -> bool:
    """Whether this text is in an interpolated string with backslash escapes."""
    depth = 0
    while number >= 0:
        depth += (source.kind(number) is CSharpKind.IEND) - (source.kind(number) is CSharpKind.ISTART)
        if depth < 0:
            return "@" not in source.token_at(number) and '"""' not in source.token_at(number)
        number -= 1
    return False


def _with_escape(literal: str) -> str:
    return re.sub(r"\\(e|.)", lambda match: "\\u001b" if match[1] == "e" else match[0], literal)


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(letter, letter) for letter in text)


def _raw_lines(literal: str) -> str:
    """The text of a raw string literal."""
    quotes = len(literal) - len(literal.lstrip('"'))
    text = literal[quotes:-quotes]
    return "\n".join(_unindented(text.split("\n"))) if "\n" in text else text


def _unindented(lines: list[str]) -> list[str]:
    """The lines between the lines with the quotes, without the indentation of the closing quotes."""
    indent = lines[-1]
    return [line.removeprefix(indent) if line.strip() else line[len(indent) :] for line in lines[1:-1]]


def _make_plain(source: CSharpSource, start: int) -> int:
    """Turn a raw interpolated string into a plain one; returns the index of its last token."""
    depth, end, texts = 0, start, []
    while True:
        kind = source.kind(end)
        if kind is CSharpKind.ISTART:
            depth += 1
        elif kind is CSharpKind.IEND:
            depth -= 1
            if depth == 0:
                break
        elif kind is CSharpKind.ITEXT and depth == 1 and not source.token_at(end).startswith(":"):
            texts.append(end)
        end += 1
    dollars = source.token_at(start).count("$")
    content = source.text[source.tokens[start].end : source.tokens[end].start]
    indent = content.rpartition("\n")[2] if "\n" in content else None
    source.replace(start, start + 1, '$"')
    source.replace(end, end + 1, '"')
    for number in texts:
        text = source.token_at(number)
        if indent is not None:
            lines = text.split("\n")
            head = lines[0] if number != start + 1 else None
            rest = [line.removeprefix(indent) for line in lines[1:]]
            if number == end - 1:
                rest = rest[:-1]
            text = "\n".join([*([] if head is None else [head]), *rest])
        escaped = _escaped(text)
        if dollars > 1:
            escaped = escaped.replace("{", "{{").replace("}", "}}")
        source.replace(number, number + 1, escaped)
    if dollars > 1:
        depth = 0
        for number in range(start, end):
            depth += (source.kind(number) is CSharpKind.ISTART) - (source.kind(number) is CSharpKind.IEND)
            if depth == 1 and source.token_at(number) in ("{" * dollars, "}" * dollars):
                source.replace(number, number + 1, source.token_at(number)[0])
    return end
