"""Small edits of a correct C program, as by a typing error: one number, operator, string or statement is changed."""

import random
import re
from typing import NamedTuple

_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_OPERATOR = re.compile(r"<=|>=|==|!=|&&|\|\||\+\+|--|\+=|-=|(?<![<>=\-])[<>](?![<>=])|(?<=[\w\)\]] )[+\-*/%](?= )")
_STATEMENT = re.compile(
    r"^[ \t]+(?!return|int |char |long |const |static |struct |unsigned |double )[^\n{}]*;[ \t]*$", re.MULTILINE
)
_REPLACEMENTS = {
    "<": ("<=", ">"),
    "<=": ("<", ">="),
    ">": (">=", "<"),
    ">=": (">", "<="),
    "==": ("!=",),
    "!=": ("==",),
    "&&": ("||",),
    "||": ("&&",),
    "++": ("--",),
    "--": ("++",),
    "+=": ("-=", "="),
    "-=": ("+=", "="),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "/": ("*",),
    "%": ("/",),
}


class Edit(NamedTuple):
    #: What was edited: "LINE: OLD TEXT -> NEW TEXT".
    name: str
    #: The whole program after the edit.
    source: str


def random_edits(source: str, seed: int) -> list[Edit]:
    """Every edit of a C program, in an order determined by the seed."""
    replacements = list(dict.fromkeys(_replacements_in(source)))
    random.Random(seed).shuffle(replacements)
    return [
        Edit(
            f"{source.count(chr(10), 0, start) + 1}: {source[start:end].strip()} -> {new_text.strip()}",
            source[:start] + new_text + source[end:],
        )
        for start, end, new_text in replacements
    ]


def _replacements_in(source: str):
    """Every edit, as the start and the end of the text that is replaced, and the new text."""
    code = re.sub(r"/\*.*?\*/", lambda match: " " * len(match[0]), source, flags=re.DOTALL)
    strings = [match.span() for match in _STRING.finditer(code)]
    directives = [match.span() for match in re.finditer(r"^#include.*$", code, re.MULTILINE)]

    def is_code(position):
        return not any(start <= position < end for start, end in (*strings, *directives))

    for match in _NUMBER.finditer(code):
        if is_code(match.start()):
            for number in {int(match[0]) + 1, int(match[0]) - 1, 0 if int(match[0]) else 1}:
                yield (*match.span(), str(number))
    for match in _OPERATOR.finditer(code):
        if is_code(match.start()):
            for operator in _REPLACEMENTS[match[0]]:
                yield (*match.span(), operator)
    for match in _STATEMENT.finditer(code):
        if is_code(match.start()):
            yield (*match.span(), "    ;")
    for start, end in strings:
        text = source[start:end]
        if text[0] == '"' and len(text) > 3 and not any(first <= start < last for first, last in directives):
            yield from ((start, end, edited) for edited in _edited_strings(text) if edited != text)


def _edited_strings(text: str):
    yield text[:-3] + '"' if text.endswith('\\n"') else text[:-2] + '"'
    yield text.replace(" ", "  ", 1)
    yield text[:-1] + '\\n"'
    if "%" not in text and "\\" not in text:
        yield text.swapcase()
