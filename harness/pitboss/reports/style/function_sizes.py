"""Measures the length, the parameters and the complexity of functions, with lizard."""

from __future__ import annotations

import re

import msgspec

from pitboss.extras import missing_for

#: The maximum depth of brackets, above that of any handwritten program: lizard's time grows with its square.
_MAX_DEPTH = 100
#: The maximum length of a line, above that of any handwritten line.
_MAX_COLUMNS = 2_000
_BRACKET = re.compile(r"[({\[]|[)}\]]")


class Function(msgspec.Struct, frozen=True):
    """A function of a source."""

    name: str
    #: The function's first line, counted from 1.
    start: int
    #: The function's last line.
    end: int
    parameters: int
    #: McCabe's cyclomatic complexity.
    complexity: int

    @property
    def is_main(self) -> bool:
        """Whether the program begins in this function: main, or Main in C#."""
        return self.name.replace(".", "::").rpartition("::")[2] in ("main", "Main")


def missing_library() -> str:
    """Returns a message that lizard is missing and how to install it; empty if lizard is installed."""
    return missing_for("measuring them", "lizard")


def find_functions(path: str, code: str) -> tuple[Function, ...] | None:
    """Returns the functions of a source; None if lizard fails, or if lines or nesting are too long for lizard.

    `code` is the source with strings and comments blanked. Needs lizard, see `missing_library`.
    """
    if _is_too_deep(code) or any(len(line) > _MAX_COLUMNS for line in code.split("\n")):
        return None
    import lizard  # its parsers for thirty languages take longer to import than most commands to run

    try:
        lizard_functions = lizard.analyze_file.analyze_source_code(path, code).function_list
        functions = [
            Function(
                function.name,
                function.start_line,
                function.end_line,
                function.parameter_count,
                function.cyclomatic_complexity,
            )
            for function in lizard_functions
        ]
    except Exception:  # lizard is given any text, and does not document its exceptions
        return None
    last_line = code.count("\n") + 1
    return tuple(function for function in functions if 1 <= function.start <= function.end <= last_line)


def _is_too_deep(code: str) -> bool:
    depth = 0
    for bracket in _BRACKET.findall(code):
        depth = depth + 1 if bracket in "({[" else max(depth - 1, 0)
        if depth > _MAX_DEPTH:
            return True
    return False
