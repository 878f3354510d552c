import os
import shutil
import subprocess
from types import SimpleNamespace

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.checking import memory_misuse
from pitboss.checking.check import check
from pitboss.model.invocation import Invocation, Script, script_of_lines
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox.tools import find_tool
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions import build as building
from pitboss.submissions import dotnet as dotnet_builds
from pitboss.submissions.build import build
from pitboss.submissions.sources import Source
from pitboss.submissions.toolchains import toolchain_of
from tests.conftest import ROOT

PROGRAMS = yaml.safe_load((ROOT / "tests" / "csharp_programs.yaml").read_text(encoding="utf-8"))
NO_SANDBOX = Conditions("watched", Sandbox(Level.NONE))


def build_program(tmp_path, program, name="Program.cs", **files):
    """Build a C# program of one file, and of further files given as NAME=TEXT without their suffix."""
    folder = tmp_path / "handed in"
    folder.mkdir()
    (folder / name).write_text(program, encoding="utf-8")
    for stem, text in files.items():
        (folder / f"{stem}.cs").write_text(text, encoding="utf-8")
    return build(Source(folder, "csharp", name, "minimum"), tmp_path / "into", NO_SANDBOX)


def run(program, typed=""):
    environment = dict(os.environ) | dict(program.environment)
    return subprocess.run(
        program.argv, input=typed.encode(), env=environment, capture_output=True, timeout=60, check=False
    )


@pytest.mark.needs(".NET")
@pytest.mark.parametrize("entry", PROGRAMS, ids=[entry["name"] for entry in PROGRAMS])
def test_a_program_does_what_the_language_says(tmp_path, entry):
    result = build_program(tmp_path, entry["program"])
    assert result.program is not None, f"{result.reason}\n{result.messages}"
    done = run(result.program, entry.get("types", ""))
    assert (done.stdout.decode(), done.stderr.decode(), done.returncode) == (entry["shows"], "", entry.get("exit", 0))


@pytest.mark.needs(".NET")
@pytest.mark.parametrize("level", Level, ids=lambda level: level.value)
def test_dotnet_passes_its_trial_in_each_sandbox(level):
    # As root without bubblewrap, a dotnet in a closed home folder cannot be used.
    refusal = find_tool("dotnet").refusal(level)
    assert building.why_unusable(toolchain_of("csharp"), Conditions("watched", Sandbox(level))) == refusal


@pytest.mark.needs(".NET")
@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("int x = 1;\nConsole.WriteLine(x)\n", "Program.cs(2,21): error CS1002: ; expected"),
        (
            "void F()\n{\n    Consol.WriteLine(1);\n}\nF();\n",
            "Program.cs(3,5): error CS0103: The name 'Consol' does not exist in the current context",
        ),
    ],
    ids=["punctuation", "a name"],
)
def test_a_compiler_error_is_the_students_and_names_its_line(tmp_path, program, message):
    result = build_program(tmp_path, program)
    assert (result.program, result.is_fault, result.reason) == (
        None,
        False,
        f"dotnet could not build minimum: {message}",
    )


@pytest.mark.needs(".NET")
def test_a_program_may_consist_of_several_files(tmp_path):
    result = build_program(
        tmp_path,
        'Hand? hand = new(3);\nConsole.WriteLine($"{hand.Total} {Math2.Twice(2)}");\n',
        Hand="namespace Cards;\npublic class Hand { public int Total { get; } public Hand(int t) => Total = t; }\n",
        Usings="global using Cards;\nstatic class Math2 { public static int Twice(int x) => x * 2; }\n",
    )
    assert result.program is not None, result.messages
    assert run(result.program).stdout == b"3 4\n"


SORTING = 'var names = new List<string> { "bob", "Alice" };\nnames.Sort();\nConsole.WriteLine(names[0]);\n'


@pytest.mark.needs(".NET")
def test_without_libicu_only_a_program_that_needs_it_is_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr("pitboss.submissions.dotnet.find_library", lambda name: None)
    (tmp_path / "needs it").mkdir()
    (tmp_path / "does not").mkdir()
    result = build_program(tmp_path / "needs it", SORTING)
    assert (result.is_fault, result.reason) == (
        True,
        "minimum cannot be judged here: C# programs that sort or compare texts or name a culture need libicu, which is "
        "not installed (on Debian and Ubuntu: apt install libicu-dev).",
    )
    record = (
        'var d = new Dictionary<P, int>();\nConsole.WriteLine($"{d.Count} {Math.Max(1.5, 1)}");\nrecord P(string N);\n'
    )
    result = build_program(tmp_path / "does not", record)
    assert ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1") in result.program.environment
    assert run(result.program).stdout == b"0 1.5\n"


@pytest.mark.needs(".NET", "ICU")
@pytest.mark.parametrize(
    ("environment", "shown"),
    [(None, b"Alice 1.5 \xc2\xa41.50"), ((("LANG", "de_DE.UTF-8"),), "Alice 1,5 1,50 €".encode())],
)
def test_the_locale_of_csharp_is_that_of_the_assignment(reachable, monkeypatch, environment, shown):
    for name in ("LANG", "LC_ALL", "LC_NUMERIC"):
        monkeypatch.setenv(name, "cs_CZ.UTF-8")
    monkeypatch.setenv("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")
    program = SORTING.replace("names[0]", '$"{names[0]} {1.5} {1.5:C}"')
    result = build_program(reachable, program)
    invocation = Invocation(environment=environment)
    with find_conditions().driver_of(result.program, Limits()) as driver:
        ((_, transcript),) = driver.sessions([Script(script_of_lines(()), invocation=invocation)])
    assert transcript.text.replace("\xa0".encode(), b" ") == shown + b"\n"


@pytest.mark.needs(".NET")
def test_the_method_whose_stack_overflowed_is_named_with_its_line(reachable):
    program = (
        "Console.WriteLine(Depth(1));\nint More(int x) { return Depth(x); }\n\nint Depth(int x) => More(x + 1) + 1;\n"
    )
    (reachable / "Pig.cs").write_text(program)
    dice = load_assignment(ROOT / "tests" / "toy" / "dice")
    (stage,) = check(Job(dice, dice.stages, find_conditions(), "dice"), reachable).stages
    assert stage.crash in (
        "The method whose calls did not end, More, begins in line 2 of Pig.cs.",
        "The method whose calls did not end, Depth, begins in line 4 of Pig.cs.",
    )


#: A stand-in for dotnet, for tests of its folders and its command line: the program that it builds is a shell script.
#: It crashes if Program.cs has the word “dies”, or if {crashes_at}.cs has the word “Greet”.
DOTNET = """#!/bin/sh
[ "$1" = exec ] || exec sh "$1"
grep -qs dies Program.cs && {{ echo "Failed to create CoreCLR, HRESULT: 0x8007000E"; exit 137; }}
grep -qs Greet {crashes_at}.cs && {{ echo "Failed to create CoreCLR, HRESULT: 0x8007000E"; exit 137; }}
echo "$@" >"{log}/arguments"; env >"{log}/environment"; cp __dotnet/words.rsp __dotnet/usings.cs "{log}"
cp __dotnet/program.runtimeconfig.json "{log}/"
printf 'printf "Name: "; read -r name; echo "Hello, $name!"\n' >__dotnet/program.dll
"""


@pytest.fixture
def dotnet(tmp_path, monkeypatch):
    """Put a stand-in for dotnet 8 first on the path; `dotnet("Greet")` then makes it fail to build the trial program."""
    tools = tmp_path / "tools"

    def write(crashes_at="no_file"):
        (tools / "dotnet").write_text(DOTNET.format(log=tmp_path, crashes_at=crashes_at))

    for name in (
        "sdk/8.0.110/Roslyn/bincore/csc.dll",
        "sdk/9.0.100-preview.1/Roslyn/bincore/csc.dll",
        "sdk/7.0.400/Roslyn/bincore/csc.dll",
        "shared/Microsoft.NETCore.App/8.0.9/System.Runtime.dll",
        "shared/Microsoft.NETCore.App/8.0.10/System.Runtime.dll",
        "packs/Microsoft.NETCore.App.Ref/8.0.10/ref/net8.0/System.Runtime.dll",
        "packs/Microsoft.NETCore.App.Ref/8.0.10/analyzers/dotnet/cs/Generator.dll",
    ):
        (tools / name).parent.mkdir(parents=True, exist_ok=True)
        (tools / name).write_bytes(b"")
    write()
    (tools / "dotnet").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr(building, "_TRIED", {})
    write.folder = tools
    return write


def test_dotnet_builds_where_it_is_installed(tmp_path, dotnet):
    """The newest SDK that has a runtime is used, and compiles without a project but with the options of one."""
    result = build_program(tmp_path, "record A<B>(int X);\n", Other="class B { }\n")
    assert result.program is not None, result.messages
    tools, output = dotnet.folder, tmp_path / "into" / "__dotnet"
    assert result.program.argv == (str(tools / "dotnet"), str(output / "program.dll"))
    assert (result.program.has_runtime_threads, result.program.is_dotnet, result.made_with) == (True, True, "")
    compiler, flag, *files = (tmp_path / "arguments").read_text().split()[1:]
    assert (compiler, flag) == (str(tools / "sdk/8.0.110/Roslyn/bincore/csc.dll"), "-noconfig")
    assert files == ["@__dotnet/words.rsp", "__dotnet/usings.cs", "./Program.cs"]
    options = (tmp_path / "words.rsp").read_text().splitlines()
    assert f'-reference:"{tools}/packs/Microsoft.NETCore.App.Ref/8.0.10/ref/net8.0/System.Runtime.dll"' in options
    assert f'-analyzer:"{tools}/packs/Microsoft.NETCore.App.Ref/8.0.10/analyzers/dotnet/cs/Generator.dll"' in options
    assert {"-nullable:enable", "-out:__dotnet/program.dll"} <= set(options)
    assert "global using global::System.Linq;" in (tmp_path / "usings.cs").read_text()
    assert '"version": "8.0.10"' in (tmp_path / "program.runtimeconfig.json").read_text()
    assert "DOTNET_EnableWriteXorExecute=0" in (tmp_path / "environment").read_text()


@pytest.mark.parametrize("version", ["", "7.0.400"])
def test_without_an_sdk_of_dotnet_8_the_fault_says_how_to_install_one(tmp_path, dotnet, version):
    for folder in (dotnet.folder / "sdk").iterdir():
        if folder.name != version:
            shutil.rmtree(folder)
    result = build_program(tmp_path, "int x = 1;\n")
    assert (result.is_fault, result.reason) == (
        True,
        "minimum could not be built on this machine: dotnet does not work here: this machine has no SDK of .NET 8 or later; on Ubuntu: apt install dotnet-sdk-8.0; on Fedora: "
        "dnf install dotnet-sdk-8.0; on Debian: wget -qO- https://dot.net/v1/dotnet-install.sh | bash -s -- --channel 8.0.",
    )


def test_a_crash_of_the_compiler_of_dotnet_is_our_fault(tmp_path, dotnet):
    result = build_program(tmp_path, "// dies\n")
    assert (result.is_fault, result.reason) == (
        True,
        "minimum could not be built: the compiler of dotnet 8.0.110 failed: Failed to create CoreCLR, HRESULT: 0x8007000E.",
    )


@pytest.mark.needs(".NET")
@pytest.mark.parametrize(
    ("before_end", "at_end_of_input", "verdict"),
    [
        ("", "Environment.Exit(0);", "accepted  200 of 200"),
        ("Console.ReadKey(true);", "Console.ReadKey(true); Environment.Exit(0);", "accepted  200 of 200"),
        ("", "Console.WriteLine(); Environment.Exit(0);", "wrong answer  0 of"),
    ],
)
def test_a_last_key_is_no_line_where_the_input_ends(pitboss, tmp_path, before_end, at_end_of_input, verdict):
    hanna = (ROOT / "examples" / "tournament" / "hanna" / "Program.cs").read_text(encoding="utf-8")
    main_end = hanna.rindex("    }\n}")
    source = hanna[:main_end] + before_end + hanna[main_end:]
    folder = tmp_path / "hanna"
    folder.mkdir()
    (folder / "Program.cs").write_text(source.replace("Environment.Exit(0);", at_end_of_input), encoding="utf-8")
    session = ("--answers", "20,<eof>")
    assert verdict in pitboss("check", folder, "minimum", "--assignment", "tournament", *session).out


def test_an_error_in_a_file_that_is_not_submitted_opens_no_file(tmp_path):
    """`#line 1 "/proc/self/mem"` makes the compiler name that file, which pitboss would read outside of the sandbox."""
    error = "(1,7): error CS0246: The type or namespace name 'Spectre' could not be found"
    (tmp_path / "build").mkdir()
    (tmp_path / "outside.cs").write_text("using Spectre;\n")
    (tmp_path / "build" / "inside.cs").write_text("using Spectre;\n")
    (tmp_path / "build" / "link.cs").symlink_to(tmp_path / "outside.cs")
    names = ("/proc/self/mem", "../outside.cs", str(tmp_path / "outside.cs"), "link.cs", "inside.cs")
    found = {name: list(dotnet_builds._unknown_namespaces(f"{name}{error}\n", tmp_path / "build")) for name in names}
    assert found == {name: ["Spectre"] if name == "inside.cs" else [] for name in names}


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("// Grow(n) never ends.\n\nint Grow(int n) { return Grow(n + 1); }\n", 3),
        ("/*\n * Calls Grow (n).\n */\nstatic int Grow(int n) => Grow(n);\n", 4),
        ("int Grow(int n) => Grow(n);\nint Grow(string n) => 1;\n", None),
        ("return Grow(1);\n", None),
    ],
)
def test_a_method_is_named_with_a_line_only_if_just_one_line_declares_it(tmp_path, source, line):
    (tmp_path / "Pig.cs").write_text(source)
    output = b"Stack overflow.\n   at Pig.Grow(Int32)\n"
    suspect = SimpleNamespace(actual=SimpleNamespace(error_output=output))
    sentence = memory_misuse._sentence_on_stack_overflow(SimpleNamespace(folder=tmp_path), suspect)
    expected = f"The method whose calls did not end, Grow, begins in line {line} of Pig.cs." if line else ""
    assert sentence == expected
