"""Finds facts about a submission's style, without judgement: true sentences, each about a line or a whole file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from pitboss.errors import listed
from pitboss.model.languages import LANGUAGES
from pitboss.reports.style.function_sizes import Function, find_functions, missing_library
from pitboss.reports.style.indentation import Remark, indentation_remarks, mixture
from pitboss.reports.style.masking import blank_comments_and_strings, language_of, normalize_newlines

#: The length of a printed page: G. J. Holzmann, The Power of Ten, rule 4.
MAX_LINES_OF_A_FUNCTION = 60
#: The default of pylint (max-args).
MAX_PARAMETERS = 5
#: McCabe proposed 10; NIST Special Publication 500-235 reports good experience with limits up to 15.
MAX_COMPLEXITY = 15
#: A long main with more than this share of a file's code is reported, since it contains most of the program.
MAX_SHARE_OF_MAIN = 0.5
#: A main up to this length is not reported: a program that fits on one page need not be divided into functions.
MAX_LINES_OF_MAIN = MAX_LINES_OF_A_FUNCTION
#: The maximum length of all files of a submission together: some 4,000 lines, which take about a second to examine.
MAX_CHARACTERS = 1 << 17
#: The maximum number of facts of one kind in one file, for kinds that may occur on each line.
MAX_OF_A_KIND = 10


class Fact(msgspec.Struct, frozen=True):
    """A true sentence about a line of a source or a whole source."""

    path: str
    #: The line number, counted from 1; 0 if the fact is about the whole file.
    line: int
    #: One of function_length, parameters, complexity, monolithic_main, indentation, header_comment and not_examined.
    kind: str
    #: The sentence, one short line. It may contain a name from a hostile source: escape it like all student text.
    text: str


def facts_of(files: Iterable[tuple[str, str]]) -> tuple[Fact, ...]:
    """Returns the facts about sources, in the order of the files and of their lines. `files` are paths and texts.

    Only languages with a pattern for comments and literals (`Language.not_code`) are examined. No text raises an
    exception. If this machine cannot measure functions, a fact about each file says that they were not measured.
    """
    facts: list[Fact] = []
    remaining_characters = MAX_CHARACTERS
    for path, raw in files:
        language = language_of(path)
        if language is None or not raw.strip():
            continue
        if len(raw) > remaining_characters:
            facts.append(Fact(path, 0, "not_examined", f"not examined: the files together have over {_limit_clause()}"))
            continue
        remaining_characters -= len(raw)
        facts += sorted(_facts_of_file(path, normalize_newlines(raw), language), key=lambda fact: fact.line)
    return tuple(facts)


def missing_facts_note() -> str:
    """Returns a sentence on the facts left out on this machine and what to install; empty if none are left out."""
    missing = missing_library()
    return f"style facts leave out functions; {missing}" if missing else ""


def _limit_clause() -> str:
    return f"{MAX_CHARACTERS:,} characters"


def _facts_of_file(path: str, text: str, language: str) -> Iterator[Fact]:
    if not _begins_with_comment(text, language):
        yield Fact(path, 0, "header_comment", "does not begin with a comment")
    code = blank_comments_and_strings(text, language)
    mixture_remark = mixture(code)
    if mixture_remark:
        line, sentence = mixture_remark
        yield Fact(path, line, "indentation", sentence)
    elif LANGUAGES[language].has_braces:
        yield from _first_facts(path, "indentation", indentation_remarks(code))
    if missing_library():
        yield Fact(path, 0, "not_examined", "its functions were not measured")
        return
    functions = find_functions(path, code)
    if functions is None:
        yield Fact(path, 0, "not_examined", "its functions could not be found")
    else:
        yield from _facts_of_functions(path, functions, code, language)


def _begins_with_comment(text: str, language: str) -> bool:
    record = LANGUAGES[language]
    if record.is_interpreted and text.startswith("#!"):
        text = text.partition("\n")[2]
    return text.lstrip().startswith(record.top_comment_starts)


def _facts_of_functions(path: str, functions: tuple[Function, ...], code: str, language: str) -> Iterator[Fact]:
    mains = [function for function in functions if function.is_main]
    monoliths = {main.start: share for main in mains if (share := _share_of_code(main, code)) > MAX_SHARE_OF_MAIN}
    long_functions: list[Remark] = []
    for function in functions:
        length = function.end - function.start + 1
        if length <= MAX_LINES_OF_A_FUNCTION:
            continue
        if function.is_main and function.start in monoliths:
            percentage = _percentage(monoliths[function.start])
            text = f"{_printable_name(function)} has {length:,} lines, {percentage} of this file's code"
            yield Fact(path, function.start, "monolithic_main", text)
        else:
            long_functions.append(
                (function.start, f"{_printable_name(function)} has {length:,} lines, over {MAX_LINES_OF_A_FUNCTION}")
            )
    yield from _first_facts(path, "function_length", long_functions)
    many_parameters = [
        (function.start, f"{_printable_name(function)} has {function.parameters:,} parameters, over {MAX_PARAMETERS}")
        for function in functions
        if function.parameters > MAX_PARAMETERS
    ]
    yield from _first_facts(path, "parameters", many_parameters)
    complex_functions = [
        (
            function.start,
            f"{_printable_name(function)} has a cyclomatic complexity of {function.complexity:,}, "
            f"over {MAX_COMPLEXITY}",
        )
        for function in functions
        if function.complexity > MAX_COMPLEXITY
    ]
    yield from _first_facts(path, "complexity", complex_functions)
    if language == "python":
        yield from _facts_outside_functions(path, functions, code)


def _share_of_code(function: Function, code: str) -> float:
    """Returns the share of a file's lines of code that are in this function, from 0 to 1."""
    line_numbers = _code_line_numbers(code)
    count = sum(function.start <= number <= function.end for number in line_numbers)
    return count / max(len(line_numbers), 1)


def _percentage(share: float) -> str:
    return f"{share * 100:.0f} %"


def _facts_outside_functions(path: str, functions: tuple[Function, ...], code: str) -> Iterator[Fact]:
    """Yields a fact if most of a long Python program is outside of functions, as a main program without a function."""
    line_numbers = _code_line_numbers(code)
    numbers_in_functions = {number for function in functions for number in range(function.start, function.end + 1)}
    numbers_outside = [number for number in line_numbers if number not in numbers_in_functions]
    if len(numbers_outside) > MAX_LINES_OF_MAIN and len(numbers_outside) > MAX_SHARE_OF_MAIN * len(line_numbers):
        share = _percentage(len(numbers_outside) / len(line_numbers))
        yield Fact(
            path,
            numbers_outside[0],
            "monolithic_main",
            f"{len(numbers_outside):,} lines of code, {share} of this file's, are outside of functions",
        )


def _code_line_numbers(code: str) -> list[int]:
    return [number for number, line in enumerate(code.split("\n"), 1) if line.strip()]


def _first_facts(path: str, kind: str, remarks: list[Remark]) -> Iterator[Fact]:
    """Yields a fact for each remark, at most `MAX_OF_A_KIND`, and then a fact with the number of omitted remarks."""
    yield from (Fact(path, line, kind, text) for line, text in remarks[:MAX_OF_A_KIND])
    omitted = len(remarks) - MAX_OF_A_KIND
    if omitted > 0:
        kind_text = kind.replace("_", " ")
        yield Fact(path, 0, kind, f"{omitted:,} more remark{'' if omitted == 1 else 's'} of this kind: {kind_text}")


def _printable_name(function: Function) -> str:
    """Returns a function's name for a sentence: cut if it is long, and with escapes for unprintable characters."""
    return listed([function.name])
