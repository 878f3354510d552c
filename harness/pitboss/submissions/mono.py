"""Builds C# with Mono's compiler, which supports the C# of 2017.

Newer syntax is rewritten as older syntax (see csharp/). If the compiler rejects a program that was rewritten or needs
dotnet, the program may be correct: the build is then a fault, and says what needs dotnet or that the compiler is
old. An unbalanced bracket, or a string or comment that is not closed, is always the student's failure.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from pitboss.sandbox.files import beginning_of
from pitboss.sessions.programs import Program
from pitboss.submissions.compilers import Build, Run, command_and_output, failed_build, runtime_path
from pitboss.submissions.confined_commands import CommandOutcome
from pitboss.submissions.csharp.csharp_tokens import LexicalError, tokens_of
from pitboss.submissions.csharp.library import helper_source, name_missing_in_mono
from pitboss.submissions.csharp.lowering import (
    IMPLICIT_NAMESPACES,
    MonoSource,
    global_usings,
    reference_types_from_errors,
    rewrite_for_mono,
    types_from_errors,
    with_types,
    with_usings,
)
from pitboss.submissions.csharp.shorthand import with_helper_read_key
from pitboss.submissions.dotnet import UNKNOWN_NAME_ERROR, other_sources
from pitboss.submissions.sources import MAX_BYTES, Source

#: The name of the file with the helper classes that rewritten programs use.
_HELPER_FILE = "__New.cs"
#: The numbers of errors about an unknown name or member, which may be declared in an implicit namespace.
_UNKNOWN_NAME_OR_MEMBER = re.compile(r"\bCS(?:0103|0246|1061|1935|0117)\b")
#: Errors in the compiler itself or in rewritten syntax, which the student cannot fix.
_NOT_STUDENTS_FAULT = re.compile(
    r"CS0589|CS0584|CS1628|CS0173|CS8059|CS1644|[Ii]nternal compiler error|InternalErrorException|__\w+"
)
#: The maximum number of compiler runs. The messages of a run may reveal types that the source does not state.
_MAX_RUNS = 6
#: Why a program that Mono rejects may still be correct.
OUTDATED = "this machine's C# compiler dates from 2017: install dotnet; on Ubuntu: apt install dotnet-sdk-8.0"
#: The end of a sentence on syntax or a name that Mono lacks.
_NEEDS_DOTNET = "needs dotnet, which this machine lacks; on Ubuntu: apt install dotnet-sdk-8.0"


def build_with_mono(source: Source, into: Path, run: Run) -> Build:
    """Builds a C# program from its source alone or, if names are unknown, from all C# files of its folder."""
    texts = {name: _text(into / name) for name in (source.file, *other_sources(source, into))}
    attempt = _Attempt(source, into, run, texts)
    outcome = attempt.compile([source.file])
    if UNKNOWN_NAME_ERROR.search(outcome.output) and len(texts) > 1:
        outcome = attempt.compile(list(texts))
    argv = ("mcs", f"-out:{source.program}.exe", *attempt.files)
    failure = failed_build(outcome, argv, source.program, into)
    if failure:
        return attempt.explain(failure)
    program = Program((runtime_path("mono"), str(into / f"{source.program}.exe")), into, reserves_memory=True)
    return Build(program, *command_and_output(outcome, argv, into))


def _text(path: Path) -> str:
    return beginning_of(path, MAX_BYTES).decode("utf-8-sig", "replace")


class _Attempt:
    """Compiles a program's rewritten files with Mono, repeatedly while the messages reveal further types."""

    def __init__(self, source: Source, into: Path, run: Run, texts: dict[str, str]) -> None:
        self._source, self._into, self._run, self._texts = source, into, run, texts
        #: The names of the files that were compiled last.
        self.files: list[str] = []
        #: The rewritten sources, by file name.
        self._rewritten_sources: dict[str, MonoSource] = {}
        #: Whether the last compiled text differs from the submitted text in more than its using directives.
        self._is_rewritten = False

    def compile(self, files: list[str]) -> CommandOutcome:
        """Compiles these files; if a name is unknown, compiles them again with the implicit usings in every file.

        Returns the outcome of the second try if it succeeds or if no file has a using directive, else of the first.
        """
        self.files = files
        outcome = self._run_compiler(files, always_adds_usings=False)
        if outcome.exit_code and _UNKNOWN_NAME_OR_MEMBER.search(outcome.output):
            second_outcome = self._run_compiler(files, always_adds_usings=True)
            outcome = second_outcome if second_outcome.exit_code == 0 or not self._has_usings(files) else outcome
        return outcome

    def _has_usings(self, files: list[str]) -> bool:
        return any("using " in self._texts[name] for name in files)

    def _run_compiler(self, files: list[str], *, always_adds_usings: bool) -> CommandOutcome:
        """Writes and compiles the files until the program is built or the messages reveal no further types."""
        reference_types: frozenset[str] = frozenset()
        placeholder_types: dict[str, str] = {}
        for _ in range(_MAX_RUNS):
            self._write(files, reference_types, placeholder_types, always_adds_usings=always_adds_usings)
            outcome = self._run(*self._argv(files))
            new_references = reference_types_from_errors(outcome.output) - reference_types
            reported_types = types_from_errors(outcome.output)
            if outcome.exit_code == 0 or not (new_references or reported_types.keys() - placeholder_types.keys()):
                break
            reference_types |= new_references
            placeholder_types = {**reported_types, **placeholder_types}
        return outcome

    def _argv(self, files: list[str]) -> list[str]:
        helper_files = [_HELPER_FILE] if (self._into / _HELPER_FILE).exists() else []
        return ["mcs", f"-out:{self._source.program}.exe", *files, *helper_files]

    def _write(
        self,
        files: list[str],
        reference_types: frozenset[str],
        placeholder_types: dict[str, str],
        *,
        always_adds_usings: bool,
    ) -> None:
        """Writes the rewritten files, and the file with the helper classes if any text is changed."""
        usings = [using for name in files for using in global_usings(self._texts[name])]
        implicit_namespaces = [namespace for namespace in IMPLICIT_NAMESPACES if namespace != "System.Net.Http"]
        placeholders: set[str] = set()
        is_any_changed = self._is_rewritten = False
        for name in files:
            text = self._texts[name]
            other_texts = tuple(self._texts[other] for other in files if other != name)
            result = self._rewritten_sources[name] = rewrite_for_mono(text, other_texts, reference_types)
            placeholders.update(result.placeholders)
            has_using_system = re.search(r"^\s*using System;", text, re.MULTILINE) is not None
            added_namespaces = [] if has_using_system and not always_adds_usings else implicit_namespaces
            new_text = with_usings(with_types(with_helper_read_key(result.text), placeholder_types), added_namespaces)
            for using in usings:  # added without a line break, so that line numbers stay the same
                new_text = using + " " + new_text if using not in text else new_text
            self._is_rewritten = self._is_rewritten or result.text != text
            is_any_changed = is_any_changed or new_text != text
            (self._into / name).write_text(new_text, encoding="utf-8")
        helper = self._into / _HELPER_FILE
        helper.unlink(missing_ok=True)
        if is_any_changed:
            helper.write_text(helper_source(sorted(placeholders)), encoding="utf-8")

    def explain(self, failure: Build) -> Build:
        """Returns a failed build, if possible with a better reason: an unbalanced bracket, or what needs dotnet."""
        for name in self.files:
            unbalanced_clause = _unbalanced_clause(self._texts[name])
            if unbalanced_clause:
                return msgspec.structs.replace(
                    failure, reason=f"mcs could not build {self._source.program}: {name}{unbalanced_clause}"
                )
        for name in self.files:
            if self._rewritten_sources[name].unsupported:
                line, syntax = self._rewritten_sources[name].unsupported[0]
                return _as_fault(failure, f"{name}, line {line}: {syntax} {_NEEDS_DOTNET}")
        missing_name = name_missing_in_mono(failure.messages)
        if missing_name:
            return _as_fault(failure, f"{self._source.file}: “{missing_name}” {_NEEDS_DOTNET}")
        # If a rewritten program fails, the student, the rewriting or the compiler may be wrong.
        if self._is_rewritten or _NOT_STUDENTS_FAULT.search(failure.messages):
            return _as_fault(failure, f"{self._source.file}: {OUTDATED}")
        return failure


def _as_fault(failure: Build, reason: str) -> Build:
    """Returns a failed build as a fault of this machine, for this reason."""
    return msgspec.structs.replace(failure, reason=f"{reason}.", is_fault=True)


def _unbalanced_clause(text: str) -> str:
    """Returns the end of a sentence on the first unbalanced bracket or unclosed string or comment; empty if none."""
    text = text.replace("\r\n", "\n")
    try:
        tokens = tokens_of(text)
    except LexicalError as error:
        position = error.args[0]
        line = text.count("\n", 0, position) + 1
        return f", line {line}: a string or a comment is not closed."
    open_brackets: list[tuple[str, int]] = []
    for token in tokens:
        if token.text in ("(", "[", "{"):
            open_brackets.append((token.text, token.start))
        elif token.text in (")", "]", "}"):
            line = text.count("\n", 0, token.start) + 1
            if not open_brackets:
                return f", line {line}: this “{token.text}” closes nothing."
            bracket, start = open_brackets.pop()
            if bracket + token.text not in ("()", "[]", "{}"):
                opening_line = text.count("\n", 0, start) + 1
                return f", line {line}: this “{token.text}” does not close the “{bracket}” of line {opening_line}."
    if open_brackets:
        bracket, start = open_brackets[-1]
        return f", line {text.count(chr(10), 0, start) + 1}: this “{bracket}” is never closed."
    return ""
