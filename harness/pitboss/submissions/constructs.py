"""Searches the sources of a program for constructs that a course requires or forbids, with tree-sitter's grammars.

The search runs in a separate process: the parsers, written in C, read untrusted files, may crash, and take quadratic
time for a text that consists of brackets only. A source with errors is searched as far as it can be parsed. A source
that cannot be searched is reported as not searchable: its requirements count as neither met nor unmet.
"""

from __future__ import annotations

import importlib
import os
import re
import resource
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pitboss.extras import missing_for
from pitboss.machine.files import text_of
from pitboss.model.construct_rules import Requirement, UnmetRequirement
from pitboss.model.languages import LANGUAGES, language_of
from pitboss.model.languages.language import Language
from pitboss.submissions.projects import is_code
from pitboss.submissions.sources import Source
from pitboss.submissions.texts import main_file_of

#: The maximum size of all sources of a program together, in characters; reading this much takes a tenth of a second.
_MAX_CHARACTERS = 1 << 20
#: The maximum number of a program's sources that are searched.
_MAX_FILES = 50
#: The limit on the CPU time of the process that searches one program. A search takes a tenth of a second.
_MAX_CPU_S = 5
#: The limit on the memory of this process.
_MAX_BYTES = 1 << 30
#: The limit on the real time of this process, in seconds.
_MAX_WALL_S = 60
_WORD = re.compile(r"\w+")
#: Names of entry points: a program's main function is not counted as a function of the student's own design.
_MAINS = (b"main", b"Main")
#: The code that the search process runs; its path entry lets the process import this package.
_CODE = f"""import sys
sys.path.append({str(Path(__file__).parents[2])!r})
from pitboss.submissions import constructs
constructs.answer_searches()
"""


class _SourceText(NamedTuple):
    """A source file with its text."""

    name: str
    content: str
    language: Language


class _Search(msgspec.Struct, frozen=True):
    """A construct to search a text for."""

    #: The Python module of the tree-sitter grammar.
    grammar: str
    #: The tree-sitter query for the construct.
    query: str
    #: The function whose calls are searched for; empty for any other construct.
    called: str
    content: str


def unmet_requirements(
    source: Source, requirements: Sequence[Requirement], excluded_files: Collection[str] = ()
) -> tuple[UnmetRequirement, ...]:
    """Returns the requirements that a program does not meet or that could not be checked.

    `excluded_files` are files in the folder of `source` that belong to other programs. No source causes an exception.
    """
    if not requirements:
        return ()
    files = _program_files(source, excluded_files)
    searches = {
        (requirement, file.name): _Search(file.language.grammar, query, requirement.called, file.content)
        for requirement in requirements
        for file in files
        if (query := file.language.constructs.get(requirement.construct)) and not _why_not_searchable(file.language)
    }
    lines_by_search = dict(zip(searches, _run_searches(list(searches.values())), strict=True))
    unmet = (_unmet_requirement(requirement, files, lines_by_search) for requirement in requirements)
    return tuple(requirement for requirement in unmet if requirement is not None)


def _unmet_requirement(
    requirement: Requirement,
    files: Sequence[_SourceText],
    lines_by_search: Mapping[tuple[Requirement, str], Sequence[int] | None],
) -> UnmetRequirement | None:
    """Returns the requirement as not met or as not checked; None if the program meets the requirement."""
    locations: list[tuple[str, int]] = []
    unchecked_reason = "" if files else "its sources could not be read"
    for file in files:
        if reason := _why_not_searchable(file.language):
            unchecked_reason = reason
        elif (requirement, file.name) not in lines_by_search:
            # A source cannot contain a construct that its language does not have.
            if not requirement.is_forbidden:
                unchecked_reason = f"pitboss does not look for this construct in {file.language.title}"
        elif (lines := lines_by_search[requirement, file.name]) is None:
            unchecked_reason = f"{file.name} could not be read by its parser"
        else:
            locations += ((file.name, line) for line in lines)
    points = Decimal(requirement.points.numerator) / requirement.points.denominator
    unmet = UnmetRequirement(
        requirement.construct, requirement.called, requirement.is_forbidden, requirement.says, points
    )
    if locations:
        (file_name, line), count = locations[0], len(locations)
        located = msgspec.structs.replace(unmet, file=file_name, line=line, count=count)
        return located if requirement.is_forbidden else None
    if unchecked_reason:
        return msgspec.structs.replace(unmet, why_not_searched=unchecked_reason)
    return None if requirement.is_forbidden else unmet


def _why_not_searchable(language: Language) -> str:
    """Returns a clause on why sources of a language cannot be searched here; empty if they can be searched."""
    if not language.grammar:
        return f"pitboss does not look for constructs in {language.title}"
    return missing_for("it", "tree_sitter", language.grammar)


def _run_searches(searches: Sequence[_Search]) -> Sequence[Sequence[int] | None]:
    """Returns, for each search, the lines (from 1) at which its construct begins; None for an unfinished search."""
    if not searches:
        return []
    argv = [sys.executable, "-P", "-c", _CODE]
    try:
        process = subprocess.run(
            argv, input=msgspec.json.encode(searches), capture_output=True, timeout=_MAX_WALL_S, check=False, cwd="/"
        )
        lines = [msgspec.json.decode(line, type=list[int]) for line in process.stdout.splitlines()]
    except (OSError, subprocess.TimeoutExpired, msgspec.DecodeError):
        lines = []
    # If a search crashed or took too long, the searches after it run in a new process.
    remaining = searches[len(lines) + 1 :]
    return [*lines, None, *_run_searches(remaining)] if len(lines) < len(searches) else lines


def answer_searches() -> None:
    """Runs in the separate process: reads searches as JSON from stdin, and writes a JSON list of lines for each."""
    resource.setrlimit(resource.RLIMIT_CPU, (_MAX_CPU_S, _MAX_CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_BYTES, _MAX_BYTES))
    for requested_search in msgspec.json.decode(sys.stdin.buffer.read(), type=list[_Search]):
        sys.stdout.buffer.write(msgspec.json.encode(_matching_lines(requested_search)) + b"\n")
        sys.stdout.buffer.flush()


def _matching_lines(search: _Search) -> list[int]:
    """Returns the lines, from 1, at which the construct of a search begins."""
    from tree_sitter import QueryCursor

    parser, query = _parser(search.grammar, search.query)
    lines = set()
    for _, captures in QueryCursor(query).matches(parser.parse(search.content.encode()).root_node):
        # The captures `name` and `it` of a query are described at Language.constructs.
        name = (captures["name"][0].text or b"").rpartition(b"::")[2] if "name" in captures else b""
        is_match = name == search.called.encode() if search.called else name not in _MAINS
        if is_match:
            lines.add(captures["it"][0].start_point[0] + 1)
    return sorted(lines)


@cache
def _parser(grammar: str, query: str) -> tuple[Any, Any]:
    """Returns a parser for a grammar, and the compiled query."""
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser, Query

    language = Grammar(importlib.import_module(grammar).language())
    return Parser(language), Query(language, query)


def _program_files(source: Source, excluded_files: Collection[str]) -> list[_SourceText]:
    """Returns the sources of a program: the files of `source`, and other files of the folder that a source mentions.

    A source mentions a file if one of the words in the source is the file's name without suffix.
    """
    main = main_file_of(source)
    names = source.files or ((main,) if main else ())
    remaining = _MAX_CHARACTERS
    files: list[_SourceText] = []
    unread = {} if source.is_alone else _other_sources(source, {*names, *excluded_files})
    queue = [*names] or [*unread]
    while queue and len(files) < _MAX_FILES and remaining > 0:
        name = queue.pop(0)
        unread.pop(name, None)
        language = language_of(name) or LANGUAGES["cpp" if source.language == "cpp" else "c"]
        try:
            content = text_of(source.folder / name, remaining)
        except OSError:
            continue
        remaining -= len(content)
        files.append(_SourceText(name, content, language))
        words = set(_WORD.findall(content))
        mentioned_files = [file for file, stem in unread.items() if stem in words]
        queue += mentioned_files
        for file in mentioned_files:
            del unread[file]
    return files


def _other_sources(source: Source, excluded: Collection[str]) -> dict[str, str]:
    """Maps each source and header in a program's folder to its name without suffix; leaves out `excluded`."""
    try:
        with os.scandir(source.folder) as entries:
            names = sorted(
                entry.name for entry in entries if entry.is_file(follow_symlinks=False) and is_code(entry.name)
            )
    except OSError:
        return {}
    sources = [name for name in names if language_of(name) or name.rpartition(".")[2].lower().startswith("h")]
    return {name: name.rpartition(".")[0] for name in sources if name not in excluded}
