"""Indentation: tabs and spaces in one file, and lines that are not indented as their block is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

_INDENT = re.compile(r"[ \t]*")
_MARK = re.compile(r"[{}();]")
#: Their lines stand where the writer likes, and what follows one is not at the block's own level.
_CASE = re.compile(r"(?:case\b|default\s*(?::|->))")
_LABEL = re.compile(r"\w+\s*:(?!:)")
#: They go on with a statement that began before, as the while of a do without braces does.
_GOES_ON = re.compile(r"(?:else|catch|finally)\b|while\b.*;$")
#: Blocks whose lines many styles do not indent.
_FLAT = re.compile(r"\b(?:namespace|extern|module)\b")
_TWO_WAYS = re.compile(r"(?m)^[ \t]*#[ \t]*(?:else|elif)")

#: A line, counted from 1, and a sentence on it.
Remark = tuple[int, str]


class _OpenBlock:
    """A block that is being read: where its statements begin, and what opened it."""

    def __init__(self, opened: Remark | None, is_flat: bool) -> None:
        """`opened`: the line and the indentation of the statement that opens it."""
        self.opened, self.is_flat = opened, is_flat
        self.starts: list[tuple[int, str]] = []
        self.statement: tuple[int, str] = (0, "")
        self.parentheses = 0
        self.has_cases = False


def mixture(code: str) -> Remark | None:
    """That some lines begin with tabs and others with spaces, at the first line of the rarer kind; None if not so."""
    tabs: list[int] = []
    spaces: list[int] = []
    for number, line in enumerate(code.split("\n"), 1):
        if line.strip() and line[0] in " \t":
            indent = _indent(line)
            (tabs if "\t" in indent else spaces).append(number)
            if " \t" in indent:
                spaces.append(number)
    if not tabs or not spaces:
        return None
    rarer = min(tabs, spaces, key=len)
    return rarer[0], f"{_lines(len(tabs))} indented with tabs, and {_lines(len(spaces))} with spaces"


def misplaced(code: str) -> list[Remark]:
    """Lines of a source with braces that are indented otherwise than their block.

    Returns nothing if the braces do not match, or if a condition of the preprocessor chooses between two texts.
    """
    if _TWO_WAYS.search(code):
        return []
    found: list[Remark] = []
    blocks = [_OpenBlock(None, is_flat=True)]
    last = ";"
    for number, line in _code_lines(code):
        text = line.strip()
        _note_start(blocks[-1], number, line, text, begins=last in ";{}")
        is_flat = bool(_FLAT.search(text))
        for mark in _MARK.findall(text):
            if mark == "{":
                blocks.append(_OpenBlock(blocks[-1].statement, is_flat=is_flat))
            elif mark == "}":
                if len(blocks) == 1:
                    return []
                found += _remarks(blocks.pop())
            elif mark != ";":
                blocks[-1].parentheses += 1 if mark == "(" else -1
        last = text[-1]
    return sorted([*found, *_remarks(blocks[0])]) if len(blocks) == 1 else []


def _note_start(block: _OpenBlock, number: int, line: str, text: str, *, begins: bool) -> None:
    """Remember that a statement of the block begins on this line, if one does."""
    if not begins or block.parentheses:
        return
    if text[0] != "}":
        block.statement = (number, _indent(line))
    if _CASE.match(text):
        block.has_cases = True
    elif text[0] != "}" and not _LABEL.match(text) and not _GOES_ON.match(text):
        block.starts.append(block.statement)


def _code_lines(code: str) -> Iterator[tuple[int, str]]:
    """The lines with code on them, without preprocessor lines, and their numbers."""
    goes_on = False
    for number, line in enumerate(code.split("\n"), 1):
        is_directive = goes_on or line.lstrip().startswith("#")
        goes_on = is_directive and line.rstrip().endswith("\\")
        if line.strip() and not is_directive:
            yield number, line


def _remarks(block: _OpenBlock) -> list[Remark]:
    if block.has_cases or not block.starts:
        return []
    usual = Counter(indent for _, indent in block.starts).most_common(1)[0][0]
    model = next(number for number, indent in block.starts if indent == usual)
    if block.opened and not block.is_flat and model != block.opened[0] and len(usual) <= len(block.opened[1]):
        opener = block.opened[0]
        return [(model, f"indented by {_width(usual)}, no more than line {opener}, whose block it is in")]
    return [
        (number, f"indented by {_width(indent)}, while line {model} of the same block is indented by {_width(usual)}")
        for number, indent in block.starts
        if indent != usual
    ]


def _indent(line: str) -> str:
    return _INDENT.match(line)[0]  # type: ignore[index]


def _width(indent: str) -> str:
    counts = [(indent.count("\t"), "tab"), (indent.count(" "), "space")]
    parts = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count]
    return " and ".join(parts) or "nothing"


def _lines(count: int) -> str:
    return "1 line is" if count == 1 else f"{count:,} lines are"
