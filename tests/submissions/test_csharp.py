"""Modern C# is rewritten for Mono where there is no dotnet: behaviour, line numbers of errors, and what needs dotnet."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions, find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions import build as building
from pitboss.submissions.build import build
from pitboss.submissions.compilers import first_error
from pitboss.submissions.csharp.lowering import rewrite_for_mono
from pitboss.submissions.csharp.shorthand import with_helper_read_key
from pitboss.submissions.dotnet import sdk_here
from pitboss.submissions.mono import OUTDATED
from pitboss.submissions.sources import Source
from pitboss.submissions.toolchains import toolchains_of
from tests.conftest import ROOT

PROGRAMS = yaml.safe_load((ROOT / "tests" / "csharp_programs.yaml").read_text(encoding="utf-8"))
#: Programs of the quick tests, which have most of the syntax; each takes half a second.
QUICK = {
    "nothing but a statement",
    "a variable whose type nobody says",
    "switch expressions",
    "await and a code",
    "an encoding's mark",
}
NO_SANDBOX = Conditions("watched", Sandbox(Level.NONE))


def build_program(tmp_path, program, name="Program.cs", **files):
    """Build a C# program of one file, and of further files given as NAME=TEXT without their suffix."""
    folder = tmp_path / "handed in"
    folder.mkdir()
    (folder / name).write_text(program, encoding="utf-8")
    for stem, text in files.items():
        (folder / f"{stem}.cs").write_text(text, encoding="utf-8")
    return build(Source(folder, "csharp", name, "minimum"), tmp_path / "into", NO_SANDBOX)


@pytest.fixture(autouse=True)
def use_mono(request, monkeypatch):
    """Build with Mono even where dotnet is installed, except in the tests that need dotnet."""
    if request.node.get_closest_marker("needs") and ".NET" in request.node.get_closest_marker("needs").args:
        return
    monkeypatch.setattr("pitboss.submissions.dotnet.sdk_here", lambda: None)


def build_and_assert_output(tmp_path, entry):
    """Build and run the program of this entry of PROGRAMS, compare its output, and return the built program."""
    result = build_program(tmp_path, entry["program"])
    assert result.program is not None, f"{result.reason}\n{result.messages}"
    environment = dict(os.environ) | dict(result.program.environment)
    done = subprocess.run(
        result.program.argv,
        input=entry.get("types", "").encode(),
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.decode(), done.stderr.decode(), done.returncode) == (entry["shows"], "", entry.get("exit", 0))
    return result.program


@pytest.mark.needs("Mono")
@pytest.mark.parametrize(
    "entry",
    [pytest.param(entry, marks=() if entry["name"] in QUICK else pytest.mark.slow) for entry in PROGRAMS],
    ids=[entry["name"] for entry in PROGRAMS],
)
def test_a_program_built_by_mono_does_what_the_language_says(tmp_path, entry):
    build_and_assert_output(tmp_path, entry)


@pytest.mark.needs(".NET")
@pytest.mark.parametrize("entry", PROGRAMS, ids=[entry["name"] for entry in PROGRAMS])
def test_a_program_built_by_dotnet_does_what_the_language_says(tmp_path, entry):
    sdk = sdk_here()
    if sdk.is_old:
        (tmp_path / "first").mkdir()
        if build_program(tmp_path / "first", entry["program"]).is_fault:
            pytest.skip(f"dotnet {sdk.version} is too old for this program")
    program = build_and_assert_output(tmp_path, entry)
    assert program.argv[0] == sdk.command


@pytest.mark.needs(".NET")
@pytest.mark.parametrize("level", Level, ids=lambda level: level.value)
def test_dotnet_passes_its_trial_in_each_sandbox(level):
    toolchain = toolchains_of("csharp")[0]
    assert toolchain.title.startswith("dotnet ")
    assert building.why_unusable(toolchain, Conditions("watched", Sandbox(level))) == ""


def test_a_classic_program_is_not_rewritten():
    text = (ROOT / "examples" / "tournament" / "hanna" / "Program.cs").read_text(encoding="utf-8")
    assert rewrite_for_mono(text) == (text, (), ())


@pytest.mark.needs("Mono")
@pytest.mark.parametrize(
    ("program", "message"),
    [
        (
            "int x = 1\nint y = 2;\nConsole.WriteLine(x + y);\n",
            "Program.cs(2,0): error CS1525: Unexpected symbol `int'",
        ),
        (
            "int x = 1;\nConsole.WriteLine(x);\nF();\nvoid F()\n{\n    Consol.WriteLine(x);\n}\n",
            "Program.cs(6,5): error CS0103: The name `Consol' does not exist in the current context",
        ),
        (
            'Console.Write(1);\nclass A\n{\n    int F() { return "a"; }\n}\n',
            "Program.cs(4,22): error CS0029: Cannot implicitly convert type `string' to `int'",
        ),
    ],
    ids=["in a statement", "in a function", "in a class"],
)
def test_a_compiler_error_in_a_rewritten_program_is_a_fault_of_mono(tmp_path, program, message):
    result = build_program(tmp_path, program)
    assert (result.program, result.is_fault, result.reason) == (None, True, f"Program.cs: {OUTDATED}.")
    assert first_error(result.messages) == message  # in the student's own lines


UNKNOWN_NAME = "The name `Consol' does not exist in the current context"
#: A program as C# required before version 9, with a class and a Main; %s is the body of a method.
CLASSIC = "using System;\nclass Program\n{\n    static async System.Threading.Tasks.Task F() { %s }\n    static void Main() { }\n}\n"


@pytest.mark.needs("Mono")
@pytest.mark.parametrize(
    ("body", "is_fault", "reason"),
    [
        ("Consol.Write(1);", False, "mcs could not build minimum: Program.cs(4,52): error CS0103: " + UNKNOWN_NAME),
        ("await F(); int.TryParse(null, out var x);", True, f"Program.cs: {OUTDATED}."),
    ],
    ids=["the student's mistake", "a failure of the compiler itself"],
)
def test_an_error_in_a_classic_program_counts_unless_the_compiler_crashed(tmp_path, body, is_fault, reason):
    result = build_program(tmp_path, CLASSIC % body)
    assert (result.program, result.is_fault, result.reason) == (None, is_fault, reason)


@pytest.mark.needs("Mono")
def test_a_message_of_an_outdated_compiler_is_not_explained(tmp_path):
    (tmp_path / "Program.cs").write_text("int x = 1\nConsole.WriteLine(x);\n")
    assignment = load_assignment(ROOT / "specs" / "tournament")
    job = Job(assignment, (assignment.stage("minimum"),), find_conditions(), "tournament")
    (stage,) = check(job, tmp_path).stages
    assert (stage.verdict, stage.build_explanation) == (Verdict.JUDGE_ERROR, "")


@pytest.mark.needs("Mono")
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("void F()\n{\n    if (true) {\n}\nF();\n", ", line 2: this “{” is never closed."),
        ("F();\n}\n", ", line 2: this “}” closes nothing."),
        ("Console.WriteLine(1;\n{ }\n", ", line 1: this “(” is never closed."),
        ("int[] a = { 1, 2 ];\n", ", line 1: this “]” does not close the “{” of line 1."),
        (
            'Console.WriteLine("a);\nint x = 1;\n',
            ", line 1: a string or a comment is not closed.",
        ),
    ],
    ids=["brace", "one too many", "bracket", "another", "string"],
)
def test_an_unclosed_bracket_string_or_comment_is_reported(tmp_path, program, reason):
    result = build_program(tmp_path, program)
    assert result.reason == f"mcs could not build minimum: Program.cs{reason}"
    assert not result.is_fault


NEEDS_DOTNET = "needs dotnet, which this machine lacks; on Ubuntu: apt install dotnet-sdk-8.0."


@pytest.mark.needs("Mono")
@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (
            "Console.WriteLine(1);\nclass A(int x)\n{\n    public int X => x;\n}\n",
            "Program.cs, line 2: a primary constructor",
        ),
        (
            "int[] a = { 1, 2 };\nif (a is [1, .. var rest]) Console.WriteLine(1);\n",
            "Program.cs, line 2: a pattern after “is”",
        ),
        ("var c = new P(1);\nvar d = c with { X = 2 };\nrecord P(int X);\n", "Program.cs, line 2: “with”"),
        ("var f = (int x) => x;\nConsole.WriteLine(f(1));\n", "Program.cs, line 1: a lambda without a type"),
        ("var a = new[] { 2, 1 };\nConsole.WriteLine(a.Order().First());\n", "Program.cs: “Order”"),
    ],
    ids=["primary constructor", "list pattern", "with", "lambda", "library"],
)
def test_a_program_that_needs_dotnet_is_not_blamed_for_it(tmp_path, program, reason):
    result = build_program(tmp_path, program)
    assert (result.program, result.is_fault, result.reason) == (None, True, f"{reason} {NEEDS_DOTNET}")


@pytest.mark.needs("Mono")
def test_a_program_may_consist_of_several_files(tmp_path):
    result = build_program(
        tmp_path,
        'Hand? hand = new(3);\nConsole.WriteLine($"{hand.Total} {Math2.Twice(2)}");\n',
        Hand="namespace Cards;\npublic class Hand { public int Total { get; } public Hand(int t) => Total = t; }\n",
        Usings="global using Cards;\nstatic class Math2 { public static int Twice(int x) => x * 2; }\n",
    )
    assert result.program is not None, result.messages
    assert subprocess.run(result.program.argv, capture_output=True, check=True).stdout == b"3 4\n"


def test_the_first_error_of_mcs_and_of_gcc_is_found():
    assert first_error("a warning\nProgram.cs(1,2): error CS1525: Unexpected symbol\nmore") == (
        "Program.cs(1,2): error CS1525: Unexpected symbol"
    )
    assert first_error("a.c:1:2: error: expected ;") == "a.c:1:2: error: expected ;"


#: A stand-in for dotnet, for tests of its folders and its command line: the program that it builds is a shell script.
#: It rejects a Program.cs with the word “bad”. It crashes if Program.cs has the word “dies”, or if {crashes_at}.cs has
#: the word “Greet”.
DOTNET = """#!/bin/sh
[ "$1" = exec ] || exec sh "$1"
grep -qs bad Program.cs && {{ echo "Program.cs(2,5): error CS1002: ; expected"; exit 1; }}
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
    monkeypatch.setattr("pitboss.submissions.dotnet.sdk_here", sdk_here)
    write.folder = tools
    return write


def test_dotnet_builds_where_it_is_installed(tmp_path, dotnet):
    """The newest SDK that has a runtime is used, and compiles without a project but with the options of one."""
    result = build_program(tmp_path, "record A<B>(int X);\n", Other="class B { }\n")
    assert result.program is not None, result.messages
    tools, output = dotnet.folder, tmp_path / "into" / "__dotnet"
    assert result.program.argv == (str(tools / "dotnet"), str(output / "program.dll"))
    assert (result.program.reserves_memory, result.program.is_dotnet, result.made_with) == (True, True, "")
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


def test_an_error_of_dotnet_names_the_line_of_the_student(tmp_path, dotnet):
    result = build_program(tmp_path, "// bad\nint x = 1\n")
    assert (result.is_fault, result.reason) == (
        False,
        "dotnet could not build minimum: Program.cs(2,5): error CS1002: ; expected",
    )


def test_an_error_of_an_old_dotnet_is_our_fault(tmp_path, dotnet):
    (dotnet.folder / "sdk" / "8.0.110").rename(dotnet.folder / "sdk" / "6.0.110")
    for kind in ("shared/Microsoft.NETCore.App", "packs/Microsoft.NETCore.App.Ref"):
        (dotnet.folder / kind / "8.0.10").rename(dotnet.folder / kind / "6.0.10")
    result = build_program(tmp_path, "// bad\nint x = 1\n")
    assert (result.is_fault, result.reason) == (
        True,
        "Program.cs: dotnet 6.0.110 rejects it, but is too old to judge current C#: install dotnet 8 or later (on "
        "Ubuntu: apt install dotnet-sdk-8.0).",
    )


def test_a_crash_of_the_compiler_of_dotnet_is_our_fault(tmp_path, dotnet):
    result = build_program(tmp_path, "// dies\n")
    assert (result.is_fault, result.reason) == (
        True,
        "minimum could not be built: the compiler of dotnet 8.0.110 failed: Failed to create CoreCLR, HRESULT: 0x8007000E.",
    )


@pytest.mark.needs("Mono")
def test_mono_is_used_if_dotnet_fails_its_trial(tmp_path, dotnet):
    dotnet("Greet")
    result = build_program(tmp_path, "Console.WriteLine(1);\n")
    assert Path(result.program.argv[0]).name.startswith("mono")
    assert result.made_with == (
        "dotnet 8.0.110 does not work here: a program that greets could not be built: greet could not be built: the compiler of "
        "dotnet 8.0.110 failed: Failed to create CoreCLR, HRESULT: 0x8007000E. It was built by Mono's compiler, which knows "
        "the C# of 2017."
    )


@pytest.mark.needs("Mono")
def test_mono_is_used_if_dotnet_has_no_sdk(tmp_path, dotnet):
    shutil.rmtree(dotnet.folder / "sdk")
    result = build_program(tmp_path, "Console.WriteLine(1);\n")
    assert result.program is not None
    assert Path(result.program.argv[0]).name.startswith("mono")


@pytest.mark.needs("Mono")
def test_the_example_solution_as_top_level_statements_is_accepted(tmp_path):
    tournament = load_assignment(ROOT / "specs" / "tournament")
    stage = tournament.stage("minimum")
    hanna = (ROOT / "examples" / "tournament" / "hanna" / "Program.cs").read_text(encoding="utf-8")
    class_body = hanna.partition("class Program\n{\n")[2].rpartition("}")[0]
    other_members, _, main = class_body.partition("static void Main")
    statements = main.partition("{\n")[2].rpartition("}")[0]
    fields, function_lines = [], []
    for line in other_members.splitlines():
        is_field = line.startswith("    static ") and line.endswith(";")
        without_modifiers = line.removeprefix("    static readonly ").removeprefix("    static ")
        (fields if is_field else function_lines).append(without_modifiers)
    # A field begins as 0, but a variable must be given a value.
    fields = [line.replace("int cards, total, aces;", "int cards = 0, total = 0, aces = 0;") for line in fields]
    header = "using System.Text;\nConsole.OutputEncoding = Encoding.UTF8;\n"
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / "Program.cs").write_text(header + "\n".join([*fields, statements, *function_lines]), encoding="utf-8")
    job = Job(tournament, (stage,), find_conditions(), "tournament")
    report = check(job, folder, cores=1)
    assert report.stages[0].verdict.value == "ACCEPTED", report.stages[0].summary


@pytest.mark.needs("Mono")
def test_a_stage_that_needs_dotnet_is_our_fault_and_reported_once(tmp_path):
    tournament = load_assignment(ROOT / "specs" / "tournament")
    (tmp_path / "Program.cs").write_text("var f = (int x) => x;\n")
    report = check(Job(tournament, tournament.stages[:1], find_conditions(), "tournament"), tmp_path, cores=1)
    sentence = f"Program.cs, line 1: a lambda without a type {NEEDS_DOTNET}"
    assert (report.verdict.value, report.stages[0].summary, report.faults) == ("JUDGE_ERROR", sentence, (sentence,))


#: A text and its rewritten form, which is empty if nothing is rewritten; “…” stands for other code.
READKEY_CALLS = [
    ("using System; … x = Console.ReadKey();", "using System; … x = __New.ReadKey();"),
    ("System.Console.ReadKey(true).Key", "__New.ReadKey(true).Key"),
    ("using static System.Console; … ReadKey();", "using static System.Console; … __New.ReadKey();"),
    ("ConsoleKey ReadKey() { return keys.ReadKey(); } … ReadKey();", ""),
    ('// Console.ReadKey();\n"Console.ReadKey()"', ""),
    ("Console.ReadKey(", ""),
]


@pytest.mark.parametrize(("text", "rewritten"), READKEY_CALLS)
def test_only_calls_of_the_readkey_of_console_are_rewritten(text, rewritten):
    text = text.replace("…", "{}")
    assert with_helper_read_key(text) == (rewritten.replace("…", "{}") or text)
