"""How long and how branched functions are, as lizard measures them."""

from __future__ import annotations

import re

import msgspec

from pitboss.extras import missing_for

#: Deeper than any handwritten program; lizard's time grows with the square of the depth.
_MAX_DEPTH = 100
#: Longer than any handwritten line.
_MAX_COLUMNS = 2_000
_BRACKET = re.compile(r"[({\[]|[)}\]]")


class Function(msgspec.Struct, frozen=True):
    """A function of a source."""

    name: str
    #: Its first and last line, counted from 1.
    start: int
    end: int
    parameters: int
    #: McCabe's cyclomatic complexity.
    complexity: int

    @property
    def is_main(self) -> bool:
        """Whether a program begins here: main, or Main in C#."""
        return self.name.replace(".", "::").rpartition("::")[2] in ("main", "Main")


def missing_library() -> str:
    """What is needed to find functions, and how to install it; empty if it is installed."""
    return missing_for("measuring them", "lizard")


def find_functions(path: str, code: str) -> tuple[Function, ...] | None:
    """The functions of a source whose strings and comments are blanked; None where they cannot be found.

    Needs lizard, see `missing_library`.
    """
    if _is_too_deep(code) or any(len(line) > _MAX_COLUMNS for line in code.split("\n")):
        return None
    import lizard  # with a reader for each of thirty languages: it takes longer to import than most commands

    try:
        found = lizard.analyze_file.analyze_source_code(path, code).function_list
        functions = [
            Function(
                function.name,
                function.start_line,
                function.end_line,
                function.parameter_count,
                function.cyclomatic_complexity,
            )
            for function in found
        ]
    except Exception:  # it reads any text, and says of no exception that it is the only one
        return None
    last = code.count("\n") + 1
    return tuple(function for function in functions if 1 <= function.start <= function.end <= last)


def _is_too_deep(code: str) -> bool:
    depth = 0
    for bracket in _BRACKET.findall(code):
        depth = depth + 1 if bracket in "({[" else max(depth - 1, 0)
        if depth > _MAX_DEPTH:
            return True
    return False
