"""Which lines of a reference run: its statements, by the line where each begins.

Lines outside functions run when a module is loaded, even if a stage does not need what they define. So such a line is
considered used only if a used line contains the name that it defines, or an attribute of that name.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from pitboss.assignments.authored import call
from pitboss.assignments.options import Option, accepted_by, own_keywords
from pitboss.experiments.mutants.copies import Copy, Original
from pitboss.experiments.mutants.tokens import TokenKind, lines_of, tokens_of

#: A whole number that games may type.
_NUMBER = re.compile(r"[0-9][0-9_]{0,11}")
_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))
#: The main function of a reference.
Main = Callable[..., object]
#: The path of a module's file, and the number, from 1, of the line where a statement begins.
Line = tuple[str, int]


class Statement(NamedTuple):
    """A statement of a module; of a compound statement only the head."""

    #: The numbers of its lines, from 1.
    lines: range
    text: str
    indent: int
    #: All names in the statement.
    names: frozenset[str]
    #: The names that the statement defines, if it stands outside functions.
    defined: frozenset[str]
    #: The whole numbers in a comparison or in a definition outside functions.
    numbers: frozenset[int]


class ModuleSource:
    """The statements of a module, and the functions around them."""

    def __init__(self, path: str, text: str, code: CodeType, name: str) -> None:
        """`code` is the code of the module, and `name` the path relative to the folder that contains its package."""
        self.path, self.text, self.name = path, text, name
        self.statements = list(statements_of(text))
        #: The line where the statement of each line begins.
        self._first_line = {line: statement.lines[0] for statement in self.statements for line in statement.lines}
        at_load, functions = _lines_by_function(code)
        #: The first lines of the statements that run when the module is loaded.
        self.at_load = self._first_lines(at_load)
        #: For each function, the first lines of the statements in it.
        self.functions = [self._first_lines(lines) - self.at_load for lines in functions]

    def _first_lines(self, lines: set[int]) -> set[int]:
        return {self._first_line[line] for line in lines if line in self._first_line}

    def first_line(self, line: int) -> int:
        """The line where the statement of a line begins."""
        return self._first_line.get(line, line)


def _lines_by_function(code: CodeType) -> tuple[set[int], list[set[int]]]:
    """The numbers of the lines that run when a module is loaded, and those of each function."""
    lines = {line for _, _, line in code.co_lines() if line}
    at_load, functions = lines, list[set[int]]()
    if code.co_flags & inspect.CO_OPTIMIZED:  # a function, whose first line runs where it is defined
        at_load, functions = set(), [lines - {code.co_firstlineno}]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner_lines, inner_functions = _lines_by_function(constant)
            at_load |= inner_lines
            functions += inner_functions
    return at_load, functions


def statements_of(text: str) -> Iterator[Statement]:
    tokens = [token for token in tokens_of(text, "python") if token.kind is not TokenKind.SPACE]
    for line in lines_of(tokens, text):
        start = text.rfind("\n", 0, line[0].start) + 1
        first = text.count("\n", 0, line[0].start) + 1
        last = text.count("\n", 0, line[-1].end) + 1
        texts = [token.text for token in line]
        if texts[0] in ("def", "class", "async"):
            defined = {name for name in texts[1:3] if name.isidentifier()}
        else:
            targets = next((index for index, word in enumerate(texts) if word in (":", "=")), 0)
            is_definition = line[0].kind is not TokenKind.KEYWORD and texts[0] != "@"
            defined = {word for word in texts[:targets] if is_definition and word.isidentifier()}
        yield Statement(
            range(first, last + 1),
            text[line[0].start :].partition("\n")[0].rstrip(),
            line[0].start - start,
            frozenset(token.text for token in line if token.kind is TokenKind.WORD),
            frozenset(defined),
            frozenset(
                int(word.replace("_", ""))
                for word in texts
                if _NUMBER.fullmatch(word) and (defined or not _COMPARISONS.isdisjoint(texts))
            ),
        )


class Coverage:
    """Records which statements of a reference run in sessions."""

    def __init__(self, original: Original, options: Sequence[Option] = ()) -> None:
        """Load a copy of the reference, which `main` runs with these options."""
        self._original, self._copy = original, Copy(original)
        #: The lines that have run since the last `take`, as they were executed: not the first lines of statements.
        self._executed: set[Line] = set()
        main: Main = call("the reference", self._copy.main)
        self.main = self._recording(with_options(main, options))
        #: The statements that have run in sessions.
        self.ran: set[Line] = set()
        self._file = functools.cache(self._read_file)

    @property
    def files(self) -> list[ModuleSource]:
        """The files of all modules that are loaded."""
        return [self._file(path) for path in list(self._original.modules)]

    def _read_file(self, path: str) -> ModuleSource:
        name = self._original.modules[path]
        text = Path(path).read_text(encoding="utf-8")
        return ModuleSource(path, text, self._original.code(name), self._original.file_name(name))

    def _recording(self, main: Main) -> Main:
        """Returns the function that calls `main` and records the lines of the reference that run meanwhile."""
        names, modules, executed = self._original.modules, self._copy.modules, self._executed

        def trace(frame: FrameType, event: str, _: object) -> Any:
            path = frame.f_code.co_filename
            # A player, which also runs meanwhile, may be in a file of the reference, but in another copy of its module.
            if path not in names or frame.f_globals is not vars(modules[names[path]]):
                return None
            if event == "line":
                executed.add((path, frame.f_lineno))
            return trace

        @functools.wraps(main)
        def run(*arguments: Any, **keywords: Any) -> object:
            previous = sys.gettrace()
            sys.settrace(trace)
            try:
                return main(*arguments, **keywords)
            finally:
                sys.settrace(previous)

        return run

    def take(self) -> set[Line]:
        """Return the statements that ran since the last call."""
        taken = {(path, self._file(path).first_line(line)) for path, line in self._executed}
        self._executed.clear()
        self.ran |= taken
        return taken

    def used(self) -> set[Line]:
        """The statements that ran in functions, and the definitions outside functions that used statements name."""
        in_functions = {(file.path, line) for file in self.files for lines in file.functions for line in lines}
        used = in_functions & self.ran
        names, count = {self._original.function}, -1
        while count < len(used):
            count = len(used)
            for file in self.files:
                for statement in file.statements:
                    line = (file.path, statement.lines[0])
                    if statement.lines[0] in file.at_load and statement.defined & names:
                        used.add(line)
                    if line in used:
                        names |= statement.names
        return used

    def numbers_compared(self) -> list[int]:
        """The whole numbers in used comparisons and definitions, each also plus and minus 1."""
        used = self.used()
        numbers = {
            number
            for file in self.files
            for statement in file.statements
            if (file.path, statement.lines[0]) in used
            and (statement.lines[0] not in file.at_load or statement.indent == 0)
            for number in statement.numbers
        }
        return sorted({number + step for number in numbers for step in (-1, 0, 1)})

    def unreached(self) -> list[str]:
        """Statements that no session runs although their function runs, as `file: line`.

        A statement inside another is not reported separately.
        """
        found = []
        for file in self.files:
            ran = {line for path, line in self.ran if path == file.path}
            missed = {line for lines in file.functions if lines & ran for line in lines - ran}
            indent: int | None = None
            for statement in file.statements:
                if statement.lines[0] not in missed:
                    indent = None if statement.lines[0] in ran else indent
                elif (indent is None or statement.indent <= indent) and statement.text != "pass":
                    indent = statement.indent
                    found.append(f"{file.name}: {statement.text}")
        return list(dict.fromkeys(found))


def with_options(main: Main, options: Sequence[Option]) -> Main:
    """Returns `main` with each option that it accepts set to the option's first value."""
    keywords = accepted_by(main, own_keywords(options))
    return partial(main, **keywords) if keywords else main
