"""Builds C# with Mono's compiler, which supports the C# of 2017.

Newer syntax is rewritten as older syntax (see csharp/). If the compiler rejects a program that was rewritten, or should
have been, the program is not to blame: the build then reports what needs dotnet.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from pitboss.sandbox.files import beginning_of
from pitboss.sessions.programs import Program
from pitboss.submissions.compilers import Build, Run, command_and_output, failed_build, program_path
from pitboss.submissions.confined_commands import CommandOutcome
from pitboss.submissions.csharp.csharp_tokens import LexicalError, tokens_of
from pitboss.submissions.csharp.library import helper_source, name_missing_in_mono
from pitboss.submissions.csharp.lowering import (
    IMPLICIT,
    Lowered,
    global_usings,
    lowered,
    reference_types_from_errors,
    types_from_errors,
    with_types,
    with_usings,
)
from pitboss.submissions.csharp.shorthand import with_helper_read_key
from pitboss.submissions.dotnet import NAMED_IN_OTHER_FILES, other_sources
from pitboss.submissions.sources import MAX_BYTES, Source

_HELPERS = "__New.cs"
#: An unknown name: its declaration may be in another file of the folder, or in an implicit namespace.
_UNKNOWN_NAME = re.compile(r"\bCS(?:0103|0246|1061|1935|0117)\b")
#: Errors in the compiler itself or in rewritten syntax, which the student cannot fix.
_NOT_STUDENTS_FAULT = re.compile(
    r"CS0589|CS0584|CS1628|CS0173|CS8059|CS1644|[Ii]nternal compiler error|InternalErrorException|__\w+"
)
#: How many times the compiler is run to learn types that the source does not state.
_MAX_RUNS = 6
#: Why a program that Mono rejects may still be correct.
OUTDATED = "this machine's C# compiler dates from 2017: install dotnet; on Ubuntu: apt install dotnet-sdk-8.0"
_REMEDY = "needs dotnet, which this machine lacks; on Ubuntu: apt install dotnet-sdk-8.0"


def build_with_mono(source: Source, into: Path, run: Run) -> Build:
    """Builds a C# program."""
    texts = {name: _text(into / name) for name in (source.file, *other_sources(source, into))}
    attempt = _Attempt(source, into, run, texts)
    outcome = attempt.outcome([source.file])
    if NAMED_IN_OTHER_FILES.search(outcome.output) and len(texts) > 1:
        outcome = attempt.outcome(list(texts))
    argv = ("mcs", f"-out:{source.program}.exe", *attempt.files)
    failure = failed_build(outcome, argv, source.program, into)
    if failure:
        return attempt.explained(failure)
    program = Program((program_path("mono"), str(into / f"{source.program}.exe")), into, reserves_memory=True)
    return Build(program, *command_and_output(outcome, argv, into))


def _text(path: Path) -> str:
    return beginning_of(path, MAX_BYTES).decode("utf-8-sig", "replace")


class _Attempt:
    """Compiles a program's rewritten files with Mono, and repeats this while the messages reveal further types."""

    def __init__(self, source: Source, into: Path, run: Run, texts: dict[str, str]) -> None:
        self._source, self._into, self._run, self._texts = source, into, run, texts
        self.files: list[str] = []
        self._lowered: dict[str, Lowered] = {}
        #: Whether the compiled text differs from the submitted one in more than its using directives.
        self._is_rewritten = False

    def outcome(self, files: list[str]) -> CommandOutcome:
        """Compiles these files and returns the result."""
        self.files = files
        outcome = self._run_compiler(files, everything=False)
        if outcome.exit_code and _UNKNOWN_NAME.search(outcome.output):
            second = self._run_compiler(files, everything=True)
            outcome = second if second.exit_code == 0 or not self._has_usings(files) else outcome
        return outcome

    def _has_usings(self, files: list[str]) -> bool:
        return any("using " in self._texts[name] for name in files)

    def _run_compiler(self, files: list[str], *, everything: bool) -> CommandOutcome:
        references: frozenset[str] = frozenset()
        types: dict[str, str] = {}
        for _ in range(_MAX_RUNS):
            self._write(files, references, types, everything=everything)
            outcome = self._run(*self._argv(files))
            new_references, missing_types = (
                reference_types_from_errors(outcome.output) - references,
                types_from_errors(outcome.output),
            )
            if outcome.exit_code == 0 or not (new_references or missing_types.keys() - types.keys()):
                break
            references, types = references | new_references, {**missing_types, **types}
        return outcome

    def _argv(self, files: list[str]) -> list[str]:
        helper_files = [_HELPERS] if (self._into / _HELPERS).exists() else []
        return ["mcs", f"-out:{self._source.program}.exe", *files, *helper_files]

    def _write(self, files: list[str], references: frozenset[str], types: dict[str, str], *, everything: bool) -> None:
        used = [using for name in files for using in global_usings(self._texts[name])]
        implied = [namespace for namespace in IMPLICIT if namespace != "System.Net.Http"]
        unknown: set[str] = set()
        is_changed = self._is_rewritten = False
        for name in files:
            text = self._texts[name]
            others = tuple(self._texts[other] for other in files if other != name)
            result = self._lowered[name] = lowered(text, others, references)
            unknown.update(result.unknown)
            is_plain = re.search(r"^\s*using System;", text, re.MULTILINE) is not None and not everything
            written = with_usings(with_types(with_helper_read_key(result.text), types), () if is_plain else implied)
            for line in used:
                written = line + " " + written if line not in text else written
            self._is_rewritten = self._is_rewritten or result.text != text
            is_changed = is_changed or written != text
            (self._into / name).write_text(written, encoding="utf-8")
        helper = self._into / _HELPERS
        helper.unlink(missing_ok=True)
        if is_changed:
            helper.write_text(helper_source(sorted(unknown)), encoding="utf-8")

    def explained(self, failure: Build) -> Build:
        """Returns the failure, if possible with a better reason: a missing bracket, or syntax that needs dotnet."""
        for name in self.files:
            lexical_error = _unbalanced_clause(self._texts[name])
            if lexical_error:
                return msgspec.structs.replace(
                    failure, reason=f"mcs could not build {self._source.program}: {name}{lexical_error}"
                )
        for name in self.files:
            if self._lowered[name].unsupported:
                line, syntax = self._lowered[name].unsupported[0]
                return _as_fault(failure, f"{name}, line {line}: {syntax} {_REMEDY}")
        newer = name_missing_in_mono(failure.messages)
        if newer:
            return _as_fault(failure, f"{self._source.file}: “{newer}” {_REMEDY}")
        # If a rewritten program fails, the student, the rewriting or the compiler may be wrong.
        if self._is_rewritten or _NOT_STUDENTS_FAULT.search(failure.messages):
            return _as_fault(failure, f"{self._source.file}: {OUTDATED}")
        return failure


def _as_fault(failure: Build, reason: str) -> Build:
    return msgspec.structs.replace(failure, reason=f"{reason}.", is_fault=True)


def _unbalanced_clause(text: str) -> str:
    """Returns a clause on an unbalanced bracket, string or comment, with its line; empty if all are balanced."""
    text = text.replace("\r\n", "\n")
    try:
        tokens = tokens_of(text)
    except LexicalError as error:
        line = text.count("\n", 0, error.args[0]) + 1
        return f", line {line}: a string or a comment is not closed."
    opened: list[tuple[str, int]] = []
    for token in tokens:
        if token.text in ("(", "[", "{"):
            opened.append((token.text, token.start))
        elif token.text in (")", "]", "}"):
            line = text.count("\n", 0, token.start) + 1
            if not opened:
                return f", line {line}: this “{token.text}” closes nothing."
            bracket, start = opened.pop()
            if bracket + token.text not in ("()", "[]", "{}"):
                opening_line = text.count("\n", 0, start) + 1
                return f", line {line}: this “{token.text}” does not close the “{bracket}” of line {opening_line}."
    if opened:
        bracket, start = opened[-1]
        return f", line {text.count(chr(10), 0, start) + 1}: this “{bracket}” is never closed."
    return ""
