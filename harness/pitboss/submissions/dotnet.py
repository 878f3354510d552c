"""Builds C# with the compiler of the dotnet SDK, as a project of `dotnet new console` would be built.

`dotnet build` is not used. It reads files beside the sources (Directory.Build.props, nuget.config, global.json) and
runs the commands that these files name. It also fetches packages from the network, needs a HOME, starts servers, and
takes twice as long. The output is in a separate folder beside the sources:

    BUILDS/<stage>/__dotnet/program.dll    with program.runtimeconfig.json, which names the runtime
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pitboss.model.languages import suffix_of
from pitboss.sessions.programs import Program
from pitboss.submissions.compilers import Build, Run, command_and_output, failed_build
from pitboss.submissions.confined_commands import Allowance, CommandOutcome
from pitboss.submissions.sources import Source

#: The numbers of the compiler's errors about an unknown name, which may be declared in another file of the folder.
UNKNOWN_NAME_ERROR = re.compile(r"\bCS(?:0103|0246)\b")
#: The name of the output folder.
_OUTPUT = "__dotnet"
#: How to install a compiler for current C#.
INSTALL_HINT = "install dotnet 8 or later (on Ubuntu: apt install dotnet-sdk-8.0)"
_FRAMEWORK = "Microsoft.NETCore.App"
#: An error in a source. If the compiler fails without such an error, the program is not to blame.
_SOURCE_ERROR = re.compile(r"\berror CS\d+:")
#: The namespaces that a project of .NET 6 or later uses without naming them.
_IMPLICIT_NAMESPACES = (
    *("System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading"),
    "System.Threading.Tasks",
)
#: The first major version of .NET with `_IMPLICIT_NAMESPACES`.
_FIRST_MAJOR_WITH_IMPLICIT = 6
#: The major version of .NET released in 2023. Older compilers may reject a correct program: they lack syntax that
#: courses teach.
_FIRST_CURRENT_MAJOR = 8
#: As in a new project: a console program, nullable annotations and the predefined symbols.
_COMPILER_ARGUMENTS = ("-nologo", "-target:exe", "-nullable:enable", "-utf8output", "-define:NET;NETCOREAPP;TRACE")
#: Settings of the runtime. It does not listen for a debugger. It does not map compiled code a second time, since that
#: reserves a file larger than programs may write. Its heap is limited to 512 MB.
_RUNTIME_SETTINGS = {
    "EnableDiagnostics": "0",
    "EnableWriteXorExecute": "0",
    "gcServer": "0",
    "gcConcurrent": "0",
    "GCHeapHardLimit": "0x20000000",
}
#: The environment of the compiler and of programs. The libraries for cultures are not used, because some machines lack
#: them. Before .NET 6 the prefix of the runtime's settings was COMPlus.
ENVIRONMENT = (
    ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
    *((f"{prefix}_{name}", value) for prefix in ("DOTNET", "COMPlus") for name, value in _RUNTIME_SETTINGS.items()),
)
#: The settings for the compiler. The address space is not limited, since the runtime reserves much more than it uses.
_ALLOWANCE = Allowance(address_space=None, environment=ENVIRONMENT)


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

    @property
    def major(self) -> int:
        """The major version."""
        return _version_numbers(self.version)[0]

    @property
    def is_old(self) -> bool:
        """Whether the SDK is so old that it may reject a correct program."""
        return self.major < _FIRST_CURRENT_MAJOR


def sdk_here() -> Sdk | None:
    """The newest complete SDK of this machine's dotnet; None if no SDK is complete."""
    path = shutil.which("dotnet")
    if path is None:
        return None
    command = os.path.realpath(path)
    root = Path(command).parent
    for version, folder in _version_folders(root / "sdk"):
        compiler = folder / "Roslyn" / "bincore" / "csc.dll"
        runtime = _newest_folder(root / "shared" / _FRAMEWORK, _version_numbers(version)[:2])
        if runtime is None or not compiler.is_file():
            continue
        reference_pack = _newest_folder(root / "packs" / f"{_FRAMEWORK}.Ref", _version_numbers(version)[:2])
        libraries = next(iter(sorted((reference_pack / "ref").glob("net*"))), None) if reference_pack else None
        return Sdk(command, version, compiler, libraries or runtime, runtime.name)
    return None


def build_with_dotnet(source: Source, into: Path, run: Run, sdk: Sdk) -> Build:
    """Builds a C# program in the folder `into`; returns the program, or why it could not be built.

    The source is compiled alone. If a name is unknown, the source is compiled again with the other C# sources of the
    folder.
    """
    output = into / _OUTPUT
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir()
    (output / "program.runtimeconfig.json").write_text(json.dumps(_runtime_configuration(sdk)), encoding="utf-8")
    usings: tuple[str, ...] = ()
    if sdk.major >= _FIRST_MAJOR_WITH_IMPLICIT:
        usings = (f"{_OUTPUT}/usings.cs",)
        (into / usings[0]).write_text(
            "".join(f"global using global::{namespace};\n" for namespace in _IMPLICIT_NAMESPACES), encoding="utf-8"
        )
    arguments = [*_COMPILER_ARGUMENTS, f"-out:{_OUTPUT}/program.dll"]
    arguments += [f'-reference:"{path}"' for path in sorted(sdk.libraries.glob("*.dll"))]
    pack = sdk.libraries.parent.parent  # the libraries are in PACK/ref/net*
    arguments += [f'-analyzer:"{path}"' for path in sorted(pack.glob("analyzers/dotnet/cs/*.dll"))]
    (output / "words.rsp").write_text("\n".join(arguments), encoding="utf-8")
    compile_argv = (sdk.command, "exec", str(sdk.compiler), "-noconfig", f"@{_OUTPUT}/words.rsp", *usings)

    def compile_files(files: list[str]) -> CommandOutcome:
        return run(*compile_argv, *(f"./{name}" for name in files), allowance=_ALLOWANCE)

    outcome = compile_files([source.file])
    if UNKNOWN_NAME_ERROR.search(outcome.output) and (other_files := other_sources(source, into)):
        outcome = compile_files([source.file, *other_files])
    displayed_argv = ("dotnet", "build")  # the command that reports show in place of ours
    failure = failed_build(outcome, displayed_argv, source.program, into)
    # The compiler itself failed, or it is too old to judge the source: neither is the student's fault.
    if failure and not outcome.why_stopped and not _SOURCE_ERROR.search(outcome.output):
        first_line = next(filter(None, map(str.strip, outcome.output.splitlines())), f"exit code {outcome.exit_code}")
        reason = f"{source.program} could not be built: the compiler of dotnet {sdk.version} failed: {first_line}."
        return msgspec.structs.replace(failure, reason=reason, is_fault=True)
    if failure and not outcome.why_stopped and sdk.is_old:
        reason = f"{source.file}: dotnet {sdk.version} rejects it, but is too old to judge current C#: {INSTALL_HINT}."
        return msgspec.structs.replace(failure, reason=reason, is_fault=True)
    if failure:
        return failure
    run_argv = (sdk.command, str(output / "program.dll"))
    program = Program(run_argv, into, environment=ENVIRONMENT, reserves_memory=True, is_dotnet=True)
    return Build(program, *command_and_output(outcome, displayed_argv, into))


def other_sources(source: Source, into: Path) -> list[str]:
    """The names of the submitted C# sources in the folder `into`, without `source`."""
    sources = (path for path in into.iterdir() if suffix_of(path) == ".cs" and path.name != source.file)
    return sorted(path.name for path in sources if path.is_file() and not path.name.startswith("__"))


def _runtime_configuration(sdk: Sdk) -> dict[str, object]:
    """The content of program.runtimeconfig.json, which names the runtime that runs the program."""
    framework = {"name": _FRAMEWORK, "version": sdk.runtime}
    return {"runtimeOptions": {"framework": framework, "configProperties": {"System.Globalization.Invariant": True}}}


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
