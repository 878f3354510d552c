"""Finds mixed tabs and spaces in a file, and lines that are indented differently from the other lines of a block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

_INDENT = re.compile(r"[ \t]*")
_BRACKET = re.compile(r"[{}()]")
#: A case of a switch. A block with cases is not examined, since styles indent cases and their statements differently.
_CASE = re.compile(r"(?:case\b|default\s*(?::|->))")
#: A label, which may be indented in any way.
_LABEL = re.compile(r"\w+\s*:(?!:)")
#: A line that continues an earlier statement, such as the while of a do loop without braces.
_CONTINUATION = re.compile(r"(?:else|catch|finally)\b|while\b.*;$")
#: Blocks whose lines many styles do not indent.
_FLAT_BLOCK = re.compile(r"\b(?:namespace|extern|module)\b")
#: A preprocessor condition that chooses between two texts, so that the braces of both need not match.
_PREPROCESSOR_ELSE = re.compile(r"(?m)^[ \t]*#[ \t]*(?:else|elif)")

#: A line number, counted from 1, and a sentence about the line.
Remark = tuple[int, str]
#: The line number of a statement's first line, and the line's indentation.
_Start = tuple[int, str]


class _OpenBlock:
    """A block whose end has not been read yet."""

    def __init__(self, opener: _Start | None, is_flat: bool) -> None:
        """`opener` is the statement that opens the block, None for the whole file; a flat block may be unindented."""
        self.opener, self.is_flat = opener, is_flat
        #: The statements whose indentation is compared.
        self.starts: list[_Start] = []
        #: The latest statement: it opens the inner block if a brace follows.
        self.statement: _Start = (0, "")
        #: The number of parentheses that are still open.
        self.parentheses = 0
        self.has_cases = False


def mixture(code: str) -> Remark | None:
    """Returns a remark if some lines begin with tabs and others with spaces; else None.

    The remark is on the first line of the rarer kind.
    """
    tabs: list[int] = []
    spaces: list[int] = []
    for number, line in enumerate(code.split("\n"), 1):
        if line.strip() and line[0] in " \t":
            indent = _indent(line)
            (tabs if "\t" in indent else spaces).append(number)
            if " \t" in indent:  # a space before a tab: the line counts as both kinds
                spaces.append(number)
    if not tabs or not spaces:
        return None
    rarer = min(tabs, spaces, key=len)
    return rarer[0], f"{_lines_clause(len(tabs))} indented with tabs, and {_lines_clause(len(spaces))} with spaces"


def indentation_remarks(code: str) -> list[Remark]:
    """Returns remarks on lines that are indented differently from their block, for a source with braces.

    Returns no remarks if the braces do not match, or if a preprocessor condition chooses between two texts.
    """
    if _PREPROCESSOR_ELSE.search(code):
        return []
    remarks: list[Remark] = []
    blocks = [_OpenBlock(None, is_flat=True)]
    last_character = ";"  # the first statement of a file begins like one after a semicolon
    for number, line in _code_lines(code):
        text = line.strip()
        _add_statement(blocks[-1], number, line, text, is_after_end=last_character in ";{}")
        is_flat = bool(_FLAT_BLOCK.search(text))
        for bracket in _BRACKET.findall(text):
            if bracket == "{":
                blocks.append(_OpenBlock(blocks[-1].statement, is_flat=is_flat))
            elif bracket == "}":
                if len(blocks) == 1:
                    return []
                remarks += _block_remarks(blocks.pop())
            else:
                blocks[-1].parentheses += 1 if bracket == "(" else -1
        last_character = text[-1]
    return sorted([*remarks, *_block_remarks(blocks[0])]) if len(blocks) == 1 else []


def _add_statement(block: _OpenBlock, number: int, line: str, text: str, *, is_after_end: bool) -> None:
    """Add this line to the block as a statement, if a statement begins on the line.

    `text` is the line without indentation; `is_after_end` is whether the previous line ends a statement or a block, or
    opens the block.
    """
    if not is_after_end or block.parentheses:
        return
    if text[0] != "}":
        block.statement = (number, _indent(line))
    if _CASE.match(text):
        block.has_cases = True
    elif text[0] != "}" and not _LABEL.match(text) and not _CONTINUATION.match(text):
        block.starts.append(block.statement)


def _code_lines(code: str) -> Iterator[tuple[int, str]]:
    """Yields the lines with code, except preprocessor lines, each after its number."""
    is_continued = False
    for number, line in enumerate(code.split("\n"), 1):
        is_directive = is_continued or line.lstrip().startswith("#")
        is_continued = is_directive and line.rstrip().endswith("\\")
        if line.strip() and not is_directive:
            yield number, line


def _block_remarks(block: _OpenBlock) -> list[Remark]:
    """Returns remarks on the statements of a complete block that are not indented like most of its statements.

    If most statements are indented no more than the statement that opens the block, returns only a remark on this.
    """
    if block.has_cases or not block.starts:
        return []
    usual_indent = Counter(indent for _, indent in block.starts).most_common(1)[0][0]
    example_line = next(number for number, indent in block.starts if indent == usual_indent)
    opener = block.opener
    if opener and not block.is_flat and example_line != opener[0] and len(usual_indent) <= len(opener[1]):
        return [
            (
                example_line,
                f"indented by {_indent_text(usual_indent)}, no more than line {opener[0]}, which opens the block",
            )
        ]
    return [
        (
            number,
            f"indented by {_indent_text(indent)}, while line {example_line} of the same block is indented by "
            f"{_indent_text(usual_indent)}",
        )
        for number, indent in block.starts
        if indent != usual_indent
    ]


def _indent(line: str) -> str:
    return _INDENT.match(line)[0]  # type: ignore[index]


def _indent_text(indent: str) -> str:
    counts = [(indent.count("\t"), "tab"), (indent.count(" "), "space")]
    parts = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count]
    return " and ".join(parts) or "nothing"


def _lines_clause(count: int) -> str:
    return "1 line is" if count == 1 else f"{count:,} lines are"
