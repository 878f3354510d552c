"""Random edits of a right C program: one number, operator, text or statement changed, as a slip of the hand does."""

import random
import re
from typing import NamedTuple

_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_OPERATOR = re.compile(r"<=|>=|==|!=|&&|\|\||\+\+|--|\+=|-=|(?<![<>=\-])[<>](?![<>=])|(?<=[\w\)\]] )[+\-*/%](?= )")
_STATEMENT = re.compile(
    r"^[ \t]+(?!return|int |char |long |const |static |struct |unsigned |double )[^\n{}]*;[ \t]*$", re.MULTILINE
)
_OTHERS = {
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
    """An edit: its place, what it says there now, and the whole program with it."""

    name: str
    source: str


def edits_of(source: str, seed: int) -> list[Edit]:
    """Every edit of a C program, in an order that the seed gives."""
    sites = list(dict.fromkeys(_sites(source)))
    random.Random(seed).shuffle(sites)
    return [
        Edit(
            f"{source.count(chr(10), 0, start) + 1}: {source[start:end].strip()} -> {text.strip()}",
            source[:start] + text + source[end:],
        )
        for start, end, text in sites
    ]


def _sites(source: str):
    code = re.sub(r"/\*.*?\*/", lambda found: " " * len(found[0]), source, flags=re.DOTALL)
    strings = [found.span() for found in _STRING.finditer(code)]
    directives = [found.span() for found in re.finditer(r"^#include.*$", code, re.MULTILINE)]

    def is_code(place):
        return not any(start <= place < end for start, end in (*strings, *directives))

    for found in _NUMBER.finditer(code):
        if is_code(found.start()):
            for number in {int(found[0]) + 1, int(found[0]) - 1, 0 if int(found[0]) else 1}:
                yield (*found.span(), str(number))
    for found in _OPERATOR.finditer(code):
        if is_code(found.start()):
            for other in _OTHERS[found[0]]:
                yield (*found.span(), other)
    for found in _STATEMENT.finditer(code):
        if is_code(found.start()):
            yield (*found.span(), "    ;")
    for start, end in strings:
        text = source[start:end]
        if text[0] == '"' and len(text) > 3 and not any(first <= start < last for first, last in directives):
            yield from ((start, end, other) for other in _texts(text) if other != text)


def _texts(text: str):
    yield text[:-3] + '"' if text.endswith('\\n"') else text[:-2] + '"'
    yield text.replace(" ", "  ", 1)
    yield text[:-1] + '\\n"'
    if "%" not in text and "\\" not in text:
        yield text.swapcase()
