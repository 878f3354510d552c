"""Builds C# with the dotnet SDK: a project with `dotnet build`, all else with the compiler, which is twice as fast.

A project that says no more than `dotnet new console` writes, or one of the .NET Framework, is compiled directly too.
The compiler's output is in a separate folder beside the sources:

    BUILDS/<stage>/__dotnet/program.dll    with program.runtimeconfig.json, which names the runtime
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from ctypes.util import find_library
from pathlib import Path

import msgspec

from pitboss.model.languages import install_hint, suffix_of
from pitboss.sandbox.tools import find_tool
from pitboss.sessions.programs import Program
from pitboss.submissions.compilers import Build, Run, build_without_packages, command_and_output, failed_build
from pitboss.submissions.confined_commands import CommandOutcome
from pitboss.submissions.native import has_main
from pitboss.submissions.sources import Source

#: The name of the output folder.
_OUTPUT = "__dotnet"
_FRAMEWORK = "Microsoft.NETCore.App"
#: An error in a source or a project. If a tool fails without such an error, the program is not to blame.
_SUBMISSION_ERROR = re.compile(r"\berror (?:CS|MSB|NETSDK|NU)\d+:")
#: An error about a name that is declared nowhere; the groups are the file, the line, and the name.
_UNKNOWN_NAME = re.compile(r"(?m)^(?:\./)?([^(\n]+)\((\d+),.*error CS(?:0103|0234|0246): \D*? '([\w.]+)'.*")
#: The namespaces that a project of .NET 6 or later uses without naming them.
_IMPLICIT_NAMESPACES = (
    *("System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading"),
    "System.Threading.Tasks",
)
#: The major version of .NET released in 2023. Older compilers may reject a correct program: they lack syntax that
#: courses teach.
_OLDEST_MAJOR = 8
#: As in a new project: a console program, nullable annotations, the predefined symbols, and the numbers of lines, which
#: the message of an uncaught exception then has.
_COMPILER_ARGUMENTS = (
    *("-nologo", "-target:exe", "-nullable:enable", "-utf8output", "-define:NET;NETCOREAPP;TRACE;DEBUG"),
    "-debug:embedded",
)
#: A project file that says no more than `dotnet new console` writes; and one of the .NET Framework, which names no SDK.
_PLAIN_PROJECT = re.compile(
    r"""\s*(?:<\?xml[^>]*>\s*)?<Project\s+Sdk="Microsoft\.NET\.Sdk"\s*>\s*<PropertyGroup>\s*
    (?:<(?:OutputType>Exe|TargetFramework>net\d+\.0|Nullable>\w+|ImplicitUsings>\w+|RootNamespace>[\w.]+)</\w+>\s*)*
    </PropertyGroup>\s*(?:<ItemGroup>\s*</ItemGroup>\s*)?</Project>\s*""",
    re.VERBOSE,
)
_SDK = re.compile(r"""<(?:Project|Import)\s[^>]*\bSdk\s*=|<Sdk\s""")
_IMPLICIT_USINGS = re.compile(r"(?i)<ImplicitUsings>\s*(?:enable|true)")
#: What a project may need that is not here: the groups are a package, a setting, and an SDK for more than the console.
_PART = re.compile(
    r"""<PackageReference\s[^>]*?(?:Include|Update)\s*=\s*"([^"]+)"[^>]*?(?:/>|>.*?</PackageReference>)
    |<(UseWindowsForms|UseWPF)>\s*true\s*</\w+>|(?<=Sdk=")Microsoft\.NET\.Sdk\.(\w+)""",
    re.VERBOSE | re.DOTALL,
)
_PART_TITLES = {"UseWindowsForms": "Windows Forms", "UseWPF": "WPF", "Web": "ASP.NET Core"}
#: Settings of a project that depend on its author's machine.
_MACHINE_SETTINGS = re.compile(
    r"<(TargetFrameworks?|LangVersion|RuntimeIdentifiers?)(?:\s[^>]*)?>(?!preview)[^<]*</\1>"
)
#: Settings that need what is not here, or that turn a warning into an error.
_UNUSED_SETTINGS = (
    *("UseAppHost", "UseSharedCompilation", "NuGetAudit", "RunAnalyzers", "RestoreLockedMode", "SelfContained"),
    *("PublishAot", "PublishSingleFile", "PublishTrimmed", "PublishReadyToRun", "IsAotCompatible", "IsTrimmable"),
    *("TreatWarningsAsErrors", "MSBuildTreatWarningsAsErrors", "GenerateDocumentationFile"),
)
_BUILD_OPTIONS = (
    *("-restore", "-v:q", "-nologo", "-noAutoResponse", "-nodeReuse:false", "-m:1", "-tl:off", "-clp:NoSummary"),
    *("-p:DisableTransitiveFrameworkReferenceDownloads=true", "-p:WarningsAsErrors="),
    *(f"-p:{name}=false" for name in _UNUSED_SETTINGS),
)
#: Settings of the runtime. It does not listen for a debugger. It does not map compiled code a second time, since that
#: reserves a file larger than programs may write. Its heap is limited to 512 MB.
_RUNTIME_SETTINGS = {
    "EnableDiagnostics": "0",
    "EnableWriteXorExecute": "0",
    "gcServer": "0",
    "gcConcurrent": "0",
    "GCHeapHardLimit": "0x20000000",
}
#: The environment of the compiler and of programs.
ENVIRONMENT = tuple((f"DOTNET_{name}", value) for name, value in _RUNTIME_SETTINGS.items())
#: Keeps the library of cultures (ICU) from being loaded, which takes two thirds of the time in which a program starts.
#: For a program that needs it the variable is not set, so that a project's own InvariantGlobalization counts.
_WITHOUT_CULTURES = ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
#: The names, each with a zero byte at its end, in compiled programs whose behaviour depends on ICU: it knows cultures,
#: time zones, the order of texts and the parts of characters. CallSite is `dynamic`, whose names are texts.
_CULTURE_NAMES = re.compile(
    rb"(?:Sort|OrderBy|OrderByDescending|Order|OrderDescending|MaxBy|MinBy|BinarySearch|Compare|CompareTo|CompareInfo"
    rb"|(?:(?<!Equality)(?<!String)Comparer|IComparable|Sorted(?:Set|List|Dictionary)|PriorityQueue|CallSite)(?:`\d)?"
    rb"|CultureInfo|RegionInfo|Calendar|TimeZoneInfo|Normalize|IsNormalized|IdnMapping)\0"
)
#: LINQ's Max and Min compare texts; Math's do not.
_EXTREMES = (re.compile(rb"Enumerable\0"), re.compile(rb"M(?:ax|in)\0"))
#: The variables of the compiler.
_VARIABLES = (_WITHOUT_CULTURES, *ENVIRONMENT)
#: How similar a namespace must be to one of .NET to count as misspelt, from 0 to 1: see difflib.
_MIN_SIMILARITY = 0.75
#: The command that reports show in place of ours.
_DISPLAYED_ARGV = ("dotnet", "build")


class Sdk(msgspec.Struct, frozen=True):
    """The tools that build and run C# programs: a compiler, its libraries and its runtime."""

    #: The path of `dotnet`.
    command: str
    #: The version of the SDK, such as 8.0.110.
    version: str
    compiler: Path
    #: The folder of the libraries that programs are compiled against.
    libraries: Path
    #: The version of the runtime, such as 8.0.11.
    runtime: str


def sdk_here() -> Sdk | None:
    """The newest complete SDK of this machine's dotnet, of .NET 8 or later; None if there is none."""
    tool = find_tool("dotnet")
    if tool is None:
        return None
    command = os.path.realpath(tool.path)
    root = Path(command).parent
    for version, folder in _version_folders(root / "sdk"):
        compiler = folder / "Roslyn" / "bincore" / "csc.dll"
        runtime = _newest_folder(root / "shared" / _FRAMEWORK, _version_numbers(version)[:2])
        if runtime is None or not compiler.is_file() or _version_numbers(version)[0] < _OLDEST_MAJOR:
            continue
        reference_pack = _newest_folder(root / "packs" / f"{_FRAMEWORK}.Ref", _version_numbers(version)[:2])
        libraries = next(iter(sorted((reference_pack / "ref").glob("net*"))), None) if reference_pack else None
        return Sdk(command, version, compiler, libraries or runtime, runtime.name)
    return None


def build_with_dotnet(source: Source, into: Path, run: Run) -> Build:
    """Builds a C# program or project in the folder `into`; returns the program, or why it could not be built."""
    sdk = sdk_here()
    if sdk is None:
        reason = f"this machine has no SDK of .NET 8 or later; {install_hint('dotnet')}."
        return Build(None, reason=reason, is_fault=True)
    shutil.rmtree(into / _OUTPUT, ignore_errors=True)
    (into / _OUTPUT).mkdir()
    file = into / source.file
    others = [path for path in _below(file.parent, "*.cs") if path != file]
    if suffix_of(file) == ".cs":
        # A file with a main is another program, unless this one has none.
        attempts = [[file], [file, *(path for path in others if not has_main(path) or not has_main(file))]]
        return _compile(source, into, run, sdk, attempts, has_usings=True)
    text = file.read_text("utf-8-sig", "replace")
    if not _SDK.search(text) or (_PLAIN_PROJECT.fullmatch(text) and not _below(into, "[Dd]irectory.*", "*.resx")):
        projects = [path.parent for path in _below(file.parent, "*.csproj") if path != file]
        files = [path for path in others if not any(folder in path.parents for folder in projects)]
        return _compile(source, into, run, sdk, [files], has_usings=_IMPLICIT_USINGS.search(text) is not None)
    return _build_project(source, into, run, sdk)


def _below(folder: Path, *patterns: str) -> list[Path]:
    """The files below a folder that match a pattern, in alphabetical order, without those of builds."""
    paths = (path for pattern in patterns for path in sorted(folder.rglob(pattern)))
    return [
        path for path in paths if path.is_file() and not {"bin", "obj", _OUTPUT} & {*path.relative_to(folder).parts}
    ]


def _compile(
    source: Source, into: Path, run: Run, sdk: Sdk, attempts: Iterable[list[Path]], *, has_usings: bool
) -> Build:
    """Compiles a program from the first of these lists of files that can be compiled."""
    output = into / _OUTPUT
    runtime = {"runtimeOptions": {"framework": {"name": _FRAMEWORK, "version": sdk.runtime}}}
    (output / "program.runtimeconfig.json").write_text(json.dumps(runtime), encoding="utf-8")
    (output / "usings.cs").write_text(
        "".join(f"global using global::{namespace};\n" for namespace in _IMPLICIT_NAMESPACES), encoding="utf-8"
    )
    arguments = [*_COMPILER_ARGUMENTS, f"-out:{_OUTPUT}/program.dll"]
    arguments += [f'-reference:"{path}"' for path in sorted(sdk.libraries.glob("*.dll"))]
    pack = sdk.libraries.parent.parent  # the libraries are in PACK/ref/net*
    arguments += [f'-analyzer:"{path}"' for path in sorted(pack.glob("analyzers/dotnet/cs/*.dll"))]
    (output / "words.rsp").write_text("\n".join(arguments), encoding="utf-8")
    compile_argv = (sdk.command, "exec", str(sdk.compiler), "-noconfig", f"@{_OUTPUT}/words.rsp")
    usings = (f"{_OUTPUT}/usings.cs",) if has_usings else ()
    outcomes: list[CommandOutcome] = []
    for files in attempts:
        names = [f"./{path.relative_to(into)}" for path in files]
        outcome = run(*compile_argv, *usings, *names, variables=_VARIABLES)
        if outcome.exit_code and "error CS0104" in outcome.output:  # a name of the program's, and an implicit one
            outcome = run(*compile_argv, *names, variables=_VARIABLES)
        outcomes.append(outcome)
        if not outcome.exit_code or outcome.why_stopped or not _SUBMISSION_ERROR.search(outcome.output):
            break
    # The first attempt names the errors of the file itself, unless these are about names in the other files.
    outcome = min(outcomes, key=lambda each: (each.exit_code != 0, len(_SUBMISSION_ERROR.findall(each.output))))
    return _build_from(source, into, sdk, outcome, str(output / "program.dll"))


def _build_project(source: Source, into: Path, run: Run, sdk: Sdk) -> Build:
    """Builds a project as `dotnet build` does, after its copy was adapted to this machine."""
    parts: list[tuple[str, str, str]] = []
    framework = f"<TargetFramework>net{_version_numbers(sdk.version)[0]}.0</TargetFramework>"
    written = f'<WriteLinesToFile File="{into / _OUTPUT}/path" Lines="$(TargetPath)" />'
    addition = (
        f"<PropertyGroup><OutputType>Exe</OutputType>{framework}</PropertyGroup>"
        f'<Target Name="WritePathOfProgram" AfterTargets="Build">{written}</Target></Project>'
    )
    for path in _below(into, "*.csproj", "[Dd]irectory.*.props", "[Dd]irectory.*.targets"):
        text = path.read_text("utf-8-sig", "replace")
        parts += _PART.findall(text)
        text = _PART.sub(lambda match: "Microsoft.NET.Sdk" if match[3] else "", text)
        text = _MACHINE_SETTINGS.sub(lambda match: framework if match[1].startswith("Target") else "", text)
        path.write_text(text.replace("</Project>", addition) if path == into / source.file else text, encoding="utf-8")
    for path in _below(into, "global.json", "[Nn]u[Gg]et.[Cc]onfig", "packages.lock.json"):
        path.unlink()
    home = into / _OUTPUT / "home"
    migrated = home / ".local/share/NuGet/Migrations/1"  # without this file, NuGet takes a lock in /tmp
    migrated.parent.mkdir(parents=True)
    migrated.touch()
    environment = (*ENVIRONMENT, ("HOME", str(home)), ("NUGET_PACKAGES", str(home)), ("DOTNET_HOST_PATH", sdk.command))
    argv = (sdk.command, "exec", str(sdk.compiler.parents[2] / "MSBuild.dll"), source.file, *_BUILD_OPTIONS)
    outcome = run(*argv, f"-p:RestoreSources={home}", variables=environment)
    outcome = msgspec.structs.replace(outcome, output=re.sub(r"(?m) \[[^\]\n]*\.csproj\]$", "", outcome.output))
    path_file = into / _OUTPUT / "path"
    program = path_file.read_text("utf-8").strip() if path_file.is_file() else ""
    build = _build_from(source, into, sdk, outcome, program)
    unknown = {name for *_, name in _UNKNOWN_NAME.findall(outcome.output)}
    packages = [package for package, *_ in parts if unknown & {*package.split(".")}]
    others = [_PART_TITLES.get(setting or name, name) for _, setting, name in parts if unknown]
    return build if build.program else build_without_packages(build, "the project", packages + others)


def _build_from(source: Source, into: Path, sdk: Sdk, outcome: CommandOutcome, program: str) -> Build:
    """The build for the outcome of a command that should have created `program`, a file that dotnet runs."""
    failure = failed_build(outcome, _DISPLAYED_ARGV, source.program, into)
    # The tool itself failed, which is not the student's fault.
    if failure and not outcome.why_stopped and not _SUBMISSION_ERROR.search(outcome.output):
        first_line = next(filter(None, map(str.strip, outcome.output.splitlines())), f"exit code {outcome.exit_code}")
        reason = f"{source.program} could not be built: the compiler of dotnet {sdk.version} failed: {first_line}."
        return msgspec.structs.replace(failure, reason=reason, is_fault=True)
    if failure:
        return build_without_packages(failure, source.main or source.file, _unknown_namespaces(outcome.output, into))
    environment = (_WITHOUT_CULTURES, *ENVIRONMENT)
    if not Path(program).is_file():
        return Build(None, "dotnet build", reason=f"dotnet succeeded, but did not create a program from {source.file}.")
    if any(_needs_cultures(path.read_bytes()) for path in Path(program).parent.glob("*.dll")):
        if lack := lack_of_cultures():
            return Build(None, reason=f"{source.program} cannot be judged here: {lack}.", is_fault=True)
        environment = ENVIRONMENT
    run_argv = (sdk.command, program)
    program_built = Program(run_argv, into, environment=environment, has_runtime_threads=True, is_dotnet=True)
    return Build(program_built, *command_and_output(outcome, _DISPLAYED_ARGV, into))


def _needs_cultures(assembly: bytes) -> bool:
    """Whether a compiled program may behave differently without ICU; this is sometimes said of one that does not."""
    return bool(_CULTURE_NAMES.search(assembly)) or all(name.search(assembly) for name in _EXTREMES)


def lack_of_cultures() -> str:
    """Returns a sentence on the programs that this machine cannot run for lack of ICU; empty if it has ICU."""
    programs = "C# programs that sort or compare texts or name a culture"
    remedy = "on Debian and Ubuntu: apt install libicu-dev"
    return "" if find_library("icuuc") else f"{programs} need libicu, which is not installed ({remedy})"


def _unknown_namespaces(output: str, into: Path) -> Iterator[str]:
    """The namespaces that a source uses and that neither .NET nor a submitted file has, unless one may be misspelt."""
    for file, line, name in _UNKNOWN_NAME.findall(output):
        path = (into / file).resolve()
        # A #line directive may name any file, and this is read outside of the sandbox.
        is_submitted = path.is_relative_to(into.resolve()) and path.is_file()
        text = path.read_text("utf-8-sig", "replace") if is_submitted else ""
        code = "".join(text.splitlines()[int(line) - 1 : int(line)])
        using = re.match(rf"\s*(?:global\s+)?using\s+(?:static\s+)?([\w.]*\b{name}\b[\w.]*)\s*;", code)
        is_similar = difflib.get_close_matches(name, ("System", "Microsoft"), cutoff=_MIN_SIMILARITY)
        if using and (using[1].startswith("System.Windows") or (using[1].split(".")[0] == name and not is_similar)):
            yield using[1]


def _version_folders(folder: Path) -> Iterator[tuple[str, Path]]:
    """The subfolders named after a version, each as its name and its path; the newest first and previews last."""
    try:
        folders = [path for path in folder.iterdir() if _version_numbers(path.name) and path.is_dir()]
    except OSError:
        return
    for path in sorted(folders, key=lambda path: ("-" not in path.name, _version_numbers(path.name)), reverse=True):
        yield path.name, path


def _newest_folder(folder: Path, prefix: tuple[int, ...]) -> Path | None:
    """The subfolder of the newest version that begins with the numbers `prefix`; None if no version does."""
    return next(
        (path for name, path in _version_folders(folder) if _version_numbers(name)[: len(prefix)] == prefix), None
    )


def _version_numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version; empty if the text is not a version.

    >>> _version_numbers("8.0.100-preview.1")
    (8, 0, 100)
    """
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", version)
    return tuple(map(int, match.groups())) if match else ()
