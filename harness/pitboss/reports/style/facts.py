"""Facts about a submission's style, without judgement: true sentences, each about a line or a whole file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from pitboss.errors import listed
from pitboss.model.languages import LANGUAGES
from pitboss.reports.style.function_sizes import Function, find_functions, missing_library
from pitboss.reports.style.indentation import Remark, misplaced, mixture
from pitboss.reports.style.masking import language_of, masked, unified

#: A printed page: G. J. Holzmann, The Power of Ten, rule 4.
MAX_LINES_OF_A_FUNCTION = 60
#: The default of pylint (max-args).
MAX_PARAMETERS = 5
#: McCabe proposed 10; NIST Special Publication 500-235 reports good experience with limits up to 15.
MAX_COMPLEXITY = 15
#: A main with more than this share of the code contains most of the program.
LEAST_SHARE_OF_MAIN = 0.5
#: A program that fits on one page need not be divided into functions.
LEAST_LINES_OF_MAIN = MAX_LINES_OF_A_FUNCTION
#: For all files of a submission together: some 4,000 lines, which take about a second to read.
MAX_CHARACTERS = 1 << 17
#: The maximum number of facts of one kind in one file, for kinds that may occur on each line.
MAX_OF_A_KIND = 10


class Fact(msgspec.Struct, frozen=True):
    """A true sentence about a place in a source."""

    path: str
    #: Counted from 1; 0 if the fact is about the whole file.
    line: int
    #: function_length, parameters, complexity, monolithic_main, indentation, header_comment or not_examined.
    kind: str
    #: One short line. It may repeat a name from the source, which may be hostile: escape it like all student text.
    text: str


def facts_of(files: Iterable[tuple[str, str]]) -> tuple[Fact, ...]:
    """The facts of sources, given as paths and texts, in the order of the files and of their lines.

    Only files in C, C++, C#, Java and Python are examined. No text causes an
    exception. If this machine cannot measure functions, a fact on each file says so.
    """
    facts: list[Fact] = []
    left = MAX_CHARACTERS
    for path, raw in files:
        language = language_of(path)
        if language is None or not raw.strip():
            continue
        if len(raw) > left:
            facts.append(Fact(path, 0, "not_examined", f"not examined: the files together have over {_most()}"))
            continue
        left -= len(raw)
        facts += sorted(_facts_of_file(path, unified(raw), language), key=lambda fact: fact.line)
    return tuple(facts)


def missing_facts() -> str:
    """Returns a sentence on the facts left out on this machine and what to install; empty if none are left out."""
    missing = missing_library()
    return f"style facts leave out functions; {missing}" if missing else ""


def _most() -> str:
    return f"{MAX_CHARACTERS:,} characters"


def _facts_of_file(path: str, text: str, language: str) -> Iterator[Fact]:
    if not _begins_with_comment(text, language):
        yield Fact(path, 0, "header_comment", "does not begin with a comment")
    code = masked(text, language)
    mixed = mixture(code)
    if mixed:
        yield Fact(path, mixed[0], "indentation", mixed[1])
    elif LANGUAGES[language].has_braces:
        yield from _some(path, "indentation", misplaced(code))
    if missing_library():
        yield Fact(path, 0, "not_examined", "its functions were not measured")
        return
    functions = find_functions(path, code)
    if functions is None:
        yield Fact(path, 0, "not_examined", "its functions could not be told apart")
    else:
        yield from _facts_of_functions(path, functions, code, language)


def _begins_with_comment(text: str, language: str) -> bool:
    record = LANGUAGES[language]
    if record.is_interpreted and text.startswith("#!"):
        text = text.partition("\n")[2]
    return text.lstrip().startswith(record.comments)


def _facts_of_functions(path: str, functions: tuple[Function, ...], code: str, language: str) -> Iterator[Fact]:
    mains = [function for function in functions if function.is_main]
    monoliths = {main.start: share for main in mains if (share := _share(main, code)) > LEAST_SHARE_OF_MAIN}
    long: list[Remark] = []
    for function in functions:
        length = function.end - function.start + 1
        if length <= MAX_LINES_OF_A_FUNCTION:
            continue
        if function.is_main and function.start in monoliths:
            text = f"{_name(function)} has {length:,} lines, {monoliths[function.start]:.0%} of this file's code"
            yield Fact(path, function.start, "monolithic_main", text.replace("%", " %"))
        else:
            long.append((function.start, f"{_name(function)} has {length:,} lines, over {MAX_LINES_OF_A_FUNCTION}"))
    yield from _some(path, "function_length", long)
    many = [
        (function.start, f"{_name(function)} has {function.parameters:,} parameters, over {MAX_PARAMETERS}")
        for function in functions
        if function.parameters > MAX_PARAMETERS
    ]
    yield from _some(path, "parameters", many)
    branched = [
        (
            function.start,
            f"{_name(function)} has a cyclomatic complexity of {function.complexity:,}, over {MAX_COMPLEXITY}",
        )
        for function in functions
        if function.complexity > MAX_COMPLEXITY
    ]
    yield from _some(path, "complexity", branched)
    if language == "python":
        yield from _outside_functions(path, functions, code)


def _share(function: Function, code: str) -> float:
    """Returns the share of the lines of code that a function contains."""
    lines = _numbers_of_code(code)
    return len([number for number in lines if function.start <= number <= function.end]) / max(len(lines), 1)


def _outside_functions(path: str, functions: tuple[Function, ...], code: str) -> Iterator[Fact]:
    """Yields a fact if most of a long Python program is outside of functions, where Python may have its main."""
    lines = _numbers_of_code(code)
    inside = {number for function in functions for number in range(function.start, function.end + 1)}
    outside = [number for number in lines if number not in inside]
    if len(outside) > LEAST_LINES_OF_MAIN and len(outside) > LEAST_SHARE_OF_MAIN * len(lines):
        share = f"{len(outside) / len(lines):.0%}".replace("%", " %")
        yield Fact(
            path,
            outside[0],
            "monolithic_main",
            f"{len(outside):,} lines of code, {share} of this file's, stand outside of functions",
        )


def _numbers_of_code(code: str) -> list[int]:
    return [number for number, line in enumerate(code.split("\n"), 1) if line.strip()]


def _some(path: str, kind: str, remarks: list[Remark]) -> Iterator[Fact]:
    """Yields a fact for each of the first remarks, and a fact with the number of the others."""
    yield from (Fact(path, line, kind, text) for line, text in remarks[:MAX_OF_A_KIND])
    more = len(remarks) - MAX_OF_A_KIND
    if more > 0:
        word = kind.replace("_", " ")
        yield Fact(path, 0, kind, f"{more:,} more remark{'' if more == 1 else 's'} of this kind: {word}")


def _name(function: Function) -> str:
    return listed([function.name])
