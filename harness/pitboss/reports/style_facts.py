"""Finds facts about a submission's style with lizard, without judgement: true sentences, each about a function.

No fact changes a score. Without lizard, which the extra `review` installs, a fact says that nothing was measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from pitboss.errors import listed
from pitboss.extras import missing_for
from pitboss.model.languages import is_header, language_of

#: The length of a printed page: G. J. Holzmann, The Power of Ten, rule 4.
MAX_LINES_OF_A_FUNCTION = 60
#: The default of pylint (max-args).
MAX_PARAMETERS = 5
#: McCabe proposed 10; NIST Special Publication 500-235 reports good experience with limits up to 15.
MAX_COMPLEXITY = 15
#: The maximum length of all files of a submission together: some 4,000 lines, which take about a second to examine.
MAX_CHARACTERS = 1 << 17
#: The maximum depth of brackets, above that of any handwritten program: lizard's time grows with its square.
_MAX_DEPTH = 100
#: The maximum length of a line, above that of any handwritten line.
_MAX_COLUMNS = 2_000
_BRACKET = re.compile(r"[({\[]|[)}\]]")
#: Words in a comment that make lizard leave out a function or the rest of a file.
_LIZARD_WORDS = re.compile(r"#lizard|GENERATED CODE")


class Fact(msgspec.Struct, frozen=True):
    """A true sentence about a line of a source or a whole source."""

    path: str
    #: The line number, counted from 1; 0 if the fact is about the whole file.
    line: int
    #: One of function_length, parameters, complexity and not_examined.
    kind: str
    #: The sentence, one short line. It may contain a name from a hostile source: escape it like all student text.
    text: str


def missing_library() -> str:
    """Returns a message that lizard is missing and how to install it; empty if lizard is installed."""
    return missing_for("measuring functions", "lizard")


def facts_of(files: Iterable[tuple[str, str]]) -> tuple[Fact, ...]:
    """Returns the facts about sources, in the order of the files and of their lines. `files` are paths and texts.

    Only languages that lizard knows are examined. No text raises an exception.
    """
    facts: list[Fact] = []
    remaining_characters = MAX_CHARACTERS
    for path, text in files:
        if not (language_of(path) or is_header(path)) or not text.strip():
            continue
        if len(text) > remaining_characters:
            reason = f"not examined: the files together have over {MAX_CHARACTERS:,} characters"
            facts.append(Fact(path, 0, "not_examined", reason))
            continue
        remaining_characters -= len(text)
        if missing_library():
            facts.append(Fact(path, 0, "not_examined", "its functions were not measured"))
        else:
            facts += _facts_of_file(path, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
    return tuple(facts)


def _facts_of_file(path: str, text: str) -> list[Fact]:
    import lizard  # its parsers for thirty languages take longer to import than most commands to run

    if lizard.get_reader_for(path) is None:
        return []
    not_found = [Fact(path, 0, "not_examined", "its functions could not be found")]
    if _is_too_deep(text) or any(len(line) > _MAX_COLUMNS for line in text.split("\n")):
        return not_found
    try:
        code = _LIZARD_WORDS.sub(lambda match: match[0].swapcase(), text)
        functions = lizard.analyze_file.analyze_source_code(path, code).function_list
    except Exception:  # lizard is given any text, and does not document its exceptions
        return not_found
    last_line = text.count("\n") + 1
    facts = [
        Fact(path, function.start_line, kind, f"{listed([function.name])} {sentence}")
        for function in functions
        if 1 <= function.start_line <= function.end_line <= last_line
        for kind, sentence in _remarks(
            function.end_line - function.start_line + 1, function.parameter_count, function.cyclomatic_complexity
        )
    ]
    return sorted(facts, key=lambda fact: fact.line)


def _remarks(lines: int, parameters: int, complexity: int) -> Iterator[tuple[str, str]]:
    """Yields a kind and the end of a sentence for each measure of a function that is over its limit."""
    if lines > MAX_LINES_OF_A_FUNCTION:
        yield "function_length", f"has {lines:,} lines, over {MAX_LINES_OF_A_FUNCTION}"
    if parameters > MAX_PARAMETERS:
        yield "parameters", f"has {parameters:,} parameters, over {MAX_PARAMETERS}"
    if complexity > MAX_COMPLEXITY:
        yield "complexity", f"has a cyclomatic complexity of {complexity:,}, over {MAX_COMPLEXITY}"


def _is_too_deep(text: str) -> bool:
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth = depth + 1 if bracket in "({[" else max(depth - 1, 0)
        if depth > _MAX_DEPTH:
            return True
    return False
