"""Building C#: with dotnet if it is installed, else with Mono's compiler, which supports the C# of 2017.

For Mono newer syntax is rewritten as older syntax (see csharp/). Where it refuses a program that was rewritten, or
should have been, that is not the program's fault: the build then says what needs dotnet. With dotnet a project of our
own is built beside the sources:

    BUILDS/<stage>/__dotnet/program.csproj    with its output in __dotnet/out/
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import msgspec

from pitboss.harness.errors import UsageError
from pitboss.harness.languages import suffix_of
from pitboss.harness.machine.files import beginning_of
from pitboss.harness.running.programs import Program
from pitboss.harness.submissions.commands import Outcome
from pitboss.harness.submissions.compilers import Build, Run, failed, found, said
from pitboss.harness.submissions.csharp.library import helpers, needs_newer_library
from pitboss.harness.submissions.csharp.lowering import (
    IMPLICIT,
    Lowered,
    global_usings,
    lowered,
    told_nullable,
    told_types,
    with_types,
    with_usings,
)
from pitboss.harness.submissions.csharp.shorthand import with_own_keys
from pitboss.harness.submissions.csharp.tokens import LexicalError, tokens_of
from pitboss.harness.submissions.sources import MOST_BYTES, Source

_HELPERS = "__New.cs"
#: An unknown name: its declaration may be in another file of the folder, or in an implicit namespace.
_UNKNOWN_NAME = re.compile(r"\bCS(?:0103|0246|1061|1935|0117)\b")
_IN_OTHER_FILES = re.compile(r"\bCS(?:0103|0246)\b")
#: Errors in the compiler itself or in rewritten syntax, which the student cannot fix.
_NOT_THEIRS = re.compile(
    r"CS0589|CS0584|CS1628|CS0173|CS8059|CS1644|[Ii]nternal compiler error|InternalErrorException|__\w+"
)
#: How many times the compiler is run to learn types that the source does not state.
_MOST_QUESTIONS = 6
#: Why it cannot be known whether a program that Mono refuses is wrong.
OUTDATED = "this machine's C# compiler is of 2017: install dotnet; on Ubuntu: apt install dotnet-sdk-8.0"
_REMEDY = "needs dotnet, which this machine lacks; on Ubuntu: apt install dotnet-sdk-8.0"


def by_csharp(source: Source, into: Path, run: Run) -> Build:
    """Build a C# program; raises UsageError if this machine has neither dotnet nor mcs."""
    dotnet = shutil.which("dotnet")
    if dotnet:
        version = run(os.path.realpath(dotnet), "--version")
        if version.is_ok and (number := re.search(r"^(\d+)\.\d+\.\d", version.output, re.MULTILINE)):
            return _by_dotnet(source, into, run, os.path.realpath(dotnet), int(number[1]))
    if shutil.which("mcs") is None:
        raise UsageError(
            f"{source.folder / source.file}: this machine has neither dotnet nor mcs to build it with; "
            "on Ubuntu: apt install dotnet-sdk-8.0; on Debian: apt install mono-mcs"
        )
    return _by_mono(source, into, run)


# With dotnet

#: Keeps dotnet off the network, from leaving processes running, and within the memory of a build.
_QUIET = (
    ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
    ("DOTNET_NOLOGO", "1"),
    ("DOTNET_SKIP_FIRST_TIME_EXPERIENCE", "1"),
    ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
    ("DOTNET_EnableDiagnostics", "0"),
    ("DOTNET_gcServer", "0"),
    ("DOTNET_GCHeapHardLimit", "0x20000000"),
    ("MSBUILDDISABLENODEREUSE", "1"),
)


def _by_dotnet(source: Source, into: Path, run: Run, dotnet: str, version: int) -> Build:
    project = into / "__dotnet" / "program.csproj"
    shutil.rmtree(project.parent, ignore_errors=True)
    project.parent.mkdir()
    environment = [f"{name}={value}" for name, value in _QUIET]

    def outcome_with(files: list[str]) -> Outcome:
        project.write_text(_project(files, version), encoding="utf-8")
        return run(
            "/usr/bin/env",
            *environment,
            dotnet,
            "build",
            "__dotnet/program.csproj",
            "-o",
            "__dotnet/out",
            "-nologo",
            "-v:q",
            "-nodeReuse:false",
            "-p:UseSharedCompilation=false",
        )

    outcome = outcome_with([source.file])
    if _IN_OTHER_FILES.search(outcome.output):
        others = _others(source, into)
        outcome = outcome_with([source.file, *others]) if others else outcome
    argv = ("dotnet", "build")
    outcome = msgspec.structs.replace(outcome, output=_without_project(outcome.output))
    failure = failed(outcome, argv, source.program, into)
    if failure:
        return failure
    run_it = (dotnet, str(into / "__dotnet" / "out" / "program.dll"))
    return Build(Program(run_it, into, environment=_QUIET, reserves_memory=True), *said(outcome, argv, into))


def _without_project(output: str) -> str:
    """The messages of dotnet without the project's name, each once, since its summary repeats them."""
    lines = (re.sub(r" \[[^\]]*program\.csproj\]$", "", line.rstrip()) for line in output.splitlines())
    kept = (re.sub(r"^.*__dotnet/\.\./", "", line) for line in lines)
    return "\n".join(dict.fromkeys(line for line in kept if re.search(r"\b(?:error|warning) \w+:", line)))


def _project(files: list[str], version: int) -> str:
    """The text of a project file with these sources and no others in their folder."""
    listed = "".join(f"<Compile Include={quoteattr('../' + name)} />" for name in files)
    settings = {
        "OutputType": "Exe",
        "TargetFramework": f"net{version}.0",
        "ImplicitUsings": "enable",
        "Nullable": "enable",
        "LangVersion": "latest",
        "EnableDefaultItems": "false",
        "UseAppHost": "false",
        "InvariantGlobalization": "true",
        "SatelliteResourceLanguages": "en",
        "NuGetAudit": "false",
        "GenerateAssemblyInfo": "false",
        "AssemblyName": "program",
    }
    values = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in settings.items())
    return (
        f'<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{values}</PropertyGroup>'
        f"<ItemGroup>{listed}</ItemGroup></Project>\n"
    )


# With Mono


def _others(source: Source, into: Path) -> list[str]:
    found = (path for path in into.iterdir() if suffix_of(path) == ".cs" and path.name not in (source.file, _HELPERS))
    return sorted(path.name for path in found if path.is_file())


def _by_mono(source: Source, into: Path, run: Run) -> Build:
    texts = {name: _text(into / name) for name in (source.file, *_others(source, into))}
    attempt = _Attempt(source, into, run, texts)
    outcome = attempt.outcome([source.file])
    if _IN_OTHER_FILES.search(outcome.output) and len(texts) > 1:
        outcome = attempt.outcome(list(texts))
    argv = ("mcs", f"-out:{source.program}.exe", *attempt.files)
    failure = failed(outcome, argv, source.program, into)
    if failure:
        return attempt.explained(failure)
    program = Program((found("mono"), str(into / f"{source.program}.exe")), into, reserves_memory=True)
    return Build(program, *said(outcome, argv, into))


def _text(path: Path) -> str:
    return beginning_of(path, MOST_BYTES).decode("utf-8-sig", "replace")


class _Attempt:
    """Compiles a program's rewritten files with Mono, again for as long as the messages reveal further types."""

    def __init__(self, source: Source, into: Path, run: Run, texts: dict[str, str]) -> None:
        self._source, self._into, self._run, self._texts = source, into, run, texts
        self.files: list[str] = []
        self._lowered: dict[str, Lowered] = {}
        #: Whether what is compiled differs from what was handed in, but for the namespaces that it uses.
        self._is_rewritten = False

    def outcome(self, files: list[str]) -> Outcome:
        """The result of compiling these files."""
        self.files = files
        outcome = self._asked(files, everything=False)
        if outcome.exit_code and _UNKNOWN_NAME.search(outcome.output):
            again = self._asked(files, everything=True)
            outcome = again if again.exit_code == 0 or not self._lacks_usings(files) else outcome
        return outcome

    def _lacks_usings(self, files: list[str]) -> bool:
        return any("using " in self._texts[name] for name in files)

    def _asked(self, files: list[str], *, everything: bool) -> Outcome:
        references: frozenset[str] = frozenset()
        types: dict[str, str] = {}
        for _ in range(_MOST_QUESTIONS):
            self._write(files, references, types, everything=everything)
            outcome = self._run(*self._argv(files))
            more, told = told_nullable(outcome.output) - references, told_types(outcome.output)
            if outcome.exit_code == 0 or not (more or told.keys() - types.keys()):
                break
            references, types = references | more, {**told, **types}
        return outcome

    def _argv(self, files: list[str]) -> list[str]:
        given = [_HELPERS] if (self._into / _HELPERS).exists() else []
        return ["mcs", f"-out:{self._source.program}.exe", *files, *given]

    def _write(self, files: list[str], references: frozenset[str], types: dict[str, str], *, everything: bool) -> None:
        used = [one for name in files for one in global_usings(self._texts[name])]
        implied = [one for one in IMPLICIT if one != "System.Net.Http"]
        unknown: set[str] = set()
        is_changed = self._is_rewritten = False
        for name in files:
            text = self._texts[name]
            others = tuple(self._texts[other] for other in files if other != name)
            one = self._lowered[name] = lowered(text, others, references)
            unknown.update(one.unknown)
            is_plain = re.search(r"^\s*using System;", text, re.MULTILINE) is not None and not everything
            written = with_usings(with_types(with_own_keys(one.text), types), () if is_plain else implied)
            for line in used:
                written = line + " " + written if line not in text else written
            self._is_rewritten = self._is_rewritten or one.text != text
            is_changed = is_changed or written != text
            (self._into / name).write_text(written, encoding="utf-8")
        helper = self._into / _HELPERS
        helper.unlink(missing_ok=True)
        if is_changed:
            helper.write_text(helpers(sorted(unknown)), encoding="utf-8")

    def explained(self, failure: Build) -> Build:
        """The failure, with a better reason if one is known: a missing bracket, or syntax that needs dotnet."""
        for name in self.files:
            broken = _broken(self._texts[name])
            if broken:
                return msgspec.structs.replace(
                    failure, reason=f"mcs could not build {self._source.program}: {name}{broken}"
                )
        for name in self.files:
            if self._lowered[name].unsupported:
                line, what = self._lowered[name].unsupported[0]
                return _lacking(failure, f"{name}, line {line}: {what} {_REMEDY}")
        newer = needs_newer_library(failure.messages)
        if newer:
            return _lacking(failure, f"{self._source.file}: “{newer}” {_REMEDY}")
        # Of a program that was rewritten nobody knows whether the student is wrong, or our rewriting, or the compiler.
        if self._is_rewritten or _NOT_THEIRS.search(failure.messages):
            return _lacking(failure, f"{self._source.file}: {OUTDATED}")
        return failure


def _lacking(failure: Build, reason: str) -> Build:
    return msgspec.structs.replace(failure, reason=f"{reason}.", is_fault=True)


def _broken(text: str) -> str:
    """A bracket, string or comment without its counterpart, with its line; empty if there is none."""
    text = text.replace("\r\n", "\n")
    try:
        tokens = tokens_of(text)
    except LexicalError as error:
        line = text.count("\n", 0, error.args[0]) + 1
        return f", line {line}: a text in quotation marks or a comment is not closed there."
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
                was = text.count("\n", 0, start) + 1
                return f", line {line}: this “{token.text}” does not close the “{bracket}” of line {was}."
    if opened:
        bracket, start = opened[-1]
        return f", line {text.count(chr(10), 0, start) + 1}: this “{bracket}” is never closed."
    return ""
