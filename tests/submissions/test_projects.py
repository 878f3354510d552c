import os
import subprocess

import msgspec
import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.errors import UsageError
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox.tools import find_tool
from pitboss.sessions.drivers import Conditions
from pitboss.submissions import build as building
from pitboss.submissions.build import build
from pitboss.submissions.submission import open_submission, submissions_in
from tests.conftest import ROOT

NO_SANDBOX = Conditions("watched", Sandbox(Level.NONE))
SUM = msgspec.structs.replace(load_assignment(ROOT / "specs" / "blackjack").stage("shuffle"), name="sum", is_only=True)
MANY = msgspec.structs.replace(SUM, is_only=False)

CPP = '#include <iostream>\n#include "adder.h"\nint main() { std::cout << add(1, 2) << "\\n"; }\n'
ADDER = {
    "adder.cpp": '#include "adder.h"\nint add(int a, int b) { return a + b; }\n',
    "adder.h": "int add(int, int);\n",
}
LISTS = "cmake_minimum_required(VERSION 99.1)\nproject(course CXX)\n"
CARGO = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'
RUST = 'mod adder;\nfn main() { println!("{}", adder::add(1, 2)); }\n'
RUST_ADDER = "pub fn add(a: i32, b: i32) -> i32 { a + b }\n"
CSHARP = "Console.WriteLine(1 + 2);\n"
#: As Visual Studio for Windows may write it: what this machine lacks is not needed.
SETTINGS = """
    <TargetFramework>net6.0-windows</TargetFramework><LangVersion>99</LangVersion><UseWPF>true</UseWPF>
    <PublishAot>true</PublishAot><SelfContained>true</SelfContained><RuntimeIdentifier>win-x64</RuntimeIdentifier>
    <TreatWarningsAsErrors>true</TreatWarningsAsErrors><AssemblyName>my sum</AssemblyName>
    <AllowUnsafeBlocks>true</AllowUnsafeBlocks><ImplicitUsings>enable</ImplicitUsings>
"""


def csproj(settings="", items="", output="<OutputType>Exe</OutputType>"):
    settings = settings or "<TargetFramework>net8.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings>"
    properties = f"<PropertyGroup>{output}{settings}</PropertyGroup>"
    return f'<Project Sdk="Microsoft.NET.Sdk">{properties}<ItemGroup>{items}</ItemGroup></Project>'


def package(name):
    return f'<PackageReference Include="{name}" Version="1.0.0" />'


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def built(tmp_path, files, stage=SUM):
    with open_submission(write(tmp_path / "ada", files)) as submission:
        return build(submission.sources([stage])["sum"], tmp_path / "into", NO_SANDBOX)


def shown_by(result):
    assert result.program is not None, f"{result.reason}\n{result.messages}"
    assert result.made_with == ""
    environment = dict(os.environ) | dict(result.program.environment)
    return subprocess.run(result.program.argv, env=environment, capture_output=True, timeout=60, check=True).stdout


@pytest.mark.needs("C++", "CMake")
@pytest.mark.parametrize(
    "files",
    [
        {"CMakeLists.txt": f"{LISTS}add_executable(untitled main.cpp adder.cpp)\n", "main.cpp": CPP, **ADDER},
        {
            "CMakeLists.txt": f"{LISTS}foreach(name sum mean)\nadd_executable(${{name}} ${{name}}.cpp)\nendforeach()\n",
            "sum.cpp": CPP.replace("add(1, 2)", "3").replace('#include "adder.h"\n', ""),
            "mean.cpp": "int main() { return x; }\n",
        },
        {
            "CMakeLists.txt": f"{LISTS}add_subdirectory(lib)\nadd_subdirectory(week1)\n",
            "lib/CMakeLists.txt": "add_library(adder adder.cpp)\ntarget_include_directories(adder PUBLIC .)\n",
            **{f"lib/{name}": text for name, text in ADDER.items()},
            "week1/CMakeLists.txt": "add_executable(sum main.cpp)\ntarget_link_libraries(sum adder)\n",
            "week1/main.cpp": CPP,
            "build/CMakeCache.txt": "",
            "build/Makefile": "sum:\n\tfalse\n",
        },
    ],
    ids=["of an editor", "of several programs", "in folders"],
)
def test_cmake_builds_a_project(tmp_path, files):
    assert shown_by(built(tmp_path, files)) == b"3\n"


@pytest.mark.needs("Cargo")
@pytest.mark.parametrize(
    "files",
    [
        {"Cargo.toml": CARGO.format("week1"), "Cargo.lock": "version = 99\n", "src/main.rs": RUST},
        {
            "Cargo.toml": CARGO.format("week1"),
            "src/bin/sum.rs": RUST.replace("mod adder;", "use week1::adder;"),
            "src/bin/mean.rs": "fn main() {}\n",
            "src/lib.rs": "pub mod adder;\n",
        },
        {
            "Cargo.toml": '[workspace]\nmembers = ["app", "lib"]\nresolver = "2"\n',
            "app/Cargo.toml": f'{CARGO.format("app")}[dependencies]\nlib = {{ path = "../lib" }}\n',
            "app/src/main.rs": RUST.replace("mod adder;", "use lib as adder;"),
            "lib/Cargo.toml": CARGO.format("lib"),
            "lib/src/lib.rs": RUST_ADDER,
        },
    ],
    ids=["of an editor", "of several programs", "in a workspace"],
)
def test_cargo_builds_a_project(tmp_path, files):
    assert shown_by(built(tmp_path, {"src/adder.rs": RUST_ADDER, **files})) == b"3\n"


@pytest.mark.needs(".NET")
@pytest.mark.parametrize(
    "files",
    [
        {
            "All.sln": "",
            "App/App.csproj": csproj(items='<ProjectReference Include="..\\Lib\\Lib.csproj" />'),
            "App/Program.cs": "Console.WriteLine(Lib.Texts.Read().Length);\n",
            "Lib/Lib.csproj": csproj(items='<EmbeddedResource Include="Texts\\*.txt" />', output=""),
            "Lib/Texts/one.txt": "abc",
            "Lib/Texts.cs": "namespace Lib;\npublic static class Texts { public static string Read() => new StreamReader("
            'typeof(Texts).Assembly.GetManifestResourceStream("Lib.Texts.one.txt")!).ReadToEnd(); }\n',
            "App.Tests/App.Tests.csproj": csproj(items=package("xunit")),
            "App.Tests/Program.cs": "class Tests { static void Main() { } }\n",
        },
        {
            "Sum.csproj": csproj(SETTINGS, '<Using Include="System.Console" Static="True" />' + package("Unused")),
            "Program.cs": "unsafe { int a = 3; int* p = &a; string unused = null; WriteLine(*p); }\n",
            "global.json": '{"sdk": {"version": "1.0.0", "rollForward": "disable"}}',
            "nuget.config": '<configuration><config><add key="repositoryPath" value="C:\\x" /></config></configuration>',
        },
        {
            "Sum.csproj": csproj(),
            "Program.cs": "Console.WriteLine(Adder.Add(1, 2));\n",
            "Models/Adder.cs": "static class Adder { public static int Add(int a, int b) => a + b; }\n",
            "obj/project.assets.json": "{}",
            "obj/Program.cs": "left by a build",
        },
        {
            "Sum.csproj": '<Project ToolsVersion="15.0"><PropertyGroup><OutputType>Exe</OutputType></PropertyGroup></Project>',
            "Program.cs": f"using System;\nclass Sum {{ static void Main() {{ {CSHARP} }} }}\n",
        },
    ],
    ids=["a solution", "settings of another machine", "a new project", "the .NET Framework"],
)
def test_dotnet_builds_a_project(tmp_path, files):
    assert shown_by(built(tmp_path, files)) == b"3\n"


@pytest.mark.needs(".NET")
@pytest.mark.parametrize(
    "files",
    [
        {"sum.cs": "using Sums.Models;\n" + CSHARP, "Models/A.cs": "namespace Sums.Models;\nclass A { }\n"},
        {
            "sum.cs": "new A().F();\n" + CSHARP + "partial class A { public void F() => G(); }\n",
            "A.cs": "partial class A { void G() { } }\n",
        },
        {"sum.cs": CSHARP, "mean.cs": "Console.WriteLine(4);\n"},
        {"sum.cs": "using System;\nusing System.Timers;\nTimer? timer = null;\n" + CSHARP},
    ],
    ids=["a folder", "a part of a class", "another program", "a name of two namespaces"],
)
def test_a_csharp_file_is_compiled_alone_or_with_the_other_files(tmp_path, files):
    assert shown_by(built(tmp_path, files)) == b"3\n"


@pytest.mark.needs("C++")
@pytest.mark.parametrize("folders", [("src", "include", "src"), (".", "lib", "lib"), (".", ".", ".")])
def test_headers_and_sources_of_a_cpp_program_may_be_in_other_folders(tmp_path, folders):
    names = [f"{folder}/{name}" for folder, name in zip(folders, ("main.cpp", "adder.h", "adder.cpp"), strict=True)]
    assert (
        shown_by(built(tmp_path, dict(zip(names, (CPP, ADDER["adder.h"], ADDER["adder.cpp"]), strict=True)))) == b"3\n"
    )


@pytest.mark.needs("C++", "CMake", "Cargo", ".NET")
@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"CMakeLists.txt": f"{LISTS}find_package(fmt REQUIRED)\nadd_executable(sum main.cpp)\n", "main.cpp": "x"},
            "the project uses fmt, which is not available here.",
        ),
        (
            {"Cargo.toml": f'{CARGO.format("sum")}[dependencies]\nrand = "0.8"\n', "src/main.rs": "use rand::Rng;\n"},
            "the project uses rand, which is not available here.",
        ),
        (
            {
                "Sum.csproj": csproj(items=package("Microsoft.Data.Sqlite")),
                "Program.cs": "using Microsoft.Data.Sqlite;\n",
            },
            "the project uses Microsoft.Data.Sqlite, which is not available here.",
        ),
        (
            {"Sum.csproj": csproj(SETTINGS.replace("WPF", "WindowsForms")), "Program.cs": "MessageBox.Show();\n"},
            "the project uses Windows Forms, which is not available here.",
        ),
        (
            {"Program.cs": "using Spectre.Console;\nAnsiConsole.Clear();\n"},
            "Program.cs uses Spectre.Console, which is not available here.",
        ),
        (
            {"Program.cs": "using Sistem;\nusing System.Colections;\n"},
            "dotnet could not build sum: Program.cs(1,7): error CS0246: The type or namespace name 'Sistem' could not be "
            "found (are you missing a using directive or an assembly reference?)",
        ),
    ],
    ids=["CMake", "Cargo", "NuGet", "Windows", "no project", "misspelt"],
)
def test_what_is_not_available_is_named(tmp_path, files, reason):
    result = built(tmp_path, files)
    assert (result.program, result.reason, result.is_fault) == (None, reason, False)


LINKED = 'fn main() {}\n#[link(name = "cs50")]\nextern "C" { fn f(); }\n#[no_mangle]\npub fn g() { unsafe { f() } }\n'
C_LISTS = LISTS.replace("CXX", "C")


@pytest.mark.needs("CMake", "Cargo")
@pytest.mark.parametrize(
    ("files", "reason", "is_fault"),
    [
        ({"Makefile": "sum:\n\tcc -o sum main.c -lcs50\n"}, "cannot find -lcs50", False),
        ({"Makefile": "sum:\n\ttouch sum\n\tcp sum /gone/\n"}, "cp: cannot ", False),
        ({"Makefile": "sum:\n\ttest -e gone\n"}, "make could not build sum: test -e gone", False),
        ({"Makefile": "sum:\n\t./compile.sh\n"}, "./compile.sh: ", False),
        ({"Makefile": "CC = clang-99\nsum:\n\t$(CC) -o sum main.c\n"}, "this machine has no clang-99", True),
        ({"Makefile": "sum:\n\t/opt/gone/bin/gcc main.c && :\n"}, "this machine has no /opt/gone/bin/gcc", True),
        ({"CMakeLists.txt": f"{C_LISTS}message(FATAL_ERROR no-cs50)\nadd_executable(sum main.c)\n"}, "no-cs50", False),
        (
            {"CMakeLists.txt": f"{C_LISTS}add_executable(sum main.c)\ntarget_link_libraries(sum cs50)\n"},
            "cannot find -lcs50",
            False,
        ),
        ({"CMakeLists.txt": f"set(CMAKE_C_COMPILER tcc)\n{C_LISTS}add_executable(sum main.c)\n"}, "has no tcc", True),
        ({"Cargo.toml": CARGO.format("sum"), "src/main.rs": LINKED}, "-lcs50", False),
    ],
)
def test_the_reason_why_a_project_could_not_be_built_is_named(tmp_path, files, reason, is_fault):
    result = built(tmp_path, {"main.c": "int gone(void);\nint main(void) { return gone(); }\n", **files})
    assert (result.program, reason in result.reason, result.is_fault) == (None, True, is_fault), result


@pytest.mark.needs("C++", "CMake")
@pytest.mark.parametrize(
    ("missing", "note"), [("cmake", ""), ("", "CMakeLists.txt does not build it: cmake could not ")]
)
def test_a_project_whose_tool_is_missing_or_fails_is_built_without_it(tmp_path, monkeypatch, missing, note):
    monkeypatch.setattr(building, "find_tool", lambda name: None if name == missing else find_tool(name))
    files = {"CMakeLists.txt": f"{LISTS}add_executable(sum gone.cpp)\n", "main.cpp": CPP, **ADDER}
    result = built(tmp_path, files)
    assert result.program is not None
    assert result.made_with[:50] == note


@pytest.mark.needs("C++", "CMake")
def test_a_project_that_only_the_missing_tool_builds_is_not_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(building, "find_tool", lambda name: None if name == "cmake" else find_tool(name))
    with pytest.raises(UsageError, match="this machine has no cmake to build it with; on Debian: apt install cmake"):
        built(tmp_path, {"CMakeLists.txt": f"{LISTS}add_executable(sum main.cpp)\n", "main.cpp": CPP})


@pytest.mark.parametrize(
    ("names", "stage", "file"),
    [
        (["Program.cs"], SUM, "Program.cs"),
        (["Program.cs", "Adder.cs"], SUM, "Program.cs"),
        (["src/Main.java"], SUM, "Main.java"),
        (["MAIN.C"], SUM, "MAIN.C"),
        (["main.py", "helper.py"], SUM, "main.py"),
        (["sum.cs", "Program.cs"], SUM, "sum.cs"),
        (["Sum/Program.cs", "Mean/Program.cs"], SUM, "Program.cs"),
        (["Sum/Program.cs", "Mean/Program.cs"], MANY, "Program.cs"),
        (["sum/src/main.rs"], MANY, "main.rs"),
        (["main.c", "main.py"], SUM, None),
        (["A/Program.cs", "B/Program.cs"], SUM, None),
        (["Program.cs"], MANY, None),
        (["sum-project/Program.cs"], MANY, None),
    ],
)
def test_a_program_may_have_the_name_that_editors_give(tmp_path, names, stage, file):
    with open_submission(write(tmp_path, dict.fromkeys(names, ""))) as submission:
        source = submission.sources([stage])["sum"]
    assert (source and source.file) == file


def test_a_project_named_after_a_stage_is_its_program_also_where_a_stage_has_several_files(tmp_path):
    """The C# kit of such an assignment has Sum.csproj and Program.cs."""
    stage = msgspec.structs.replace(SUM, sources=("Card.cpp", "Sum.cpp"), is_only=False)
    project = '<Project Sdk="Microsoft.NET.Sdk"></Project>'
    with open_submission(write(tmp_path, {"Sum.csproj": project, "Program.cs": ""})) as submission:
        assert submission.sources([stage])["sum"] is not None


def test_a_file_with_the_usual_name_is_not_the_program_beside_another_program(tmp_path):
    with open_submission(write(tmp_path, {"main.c": "", "other.c": "int main(void) { }"})) as submission:
        assert submission.sources([SUM])["sum"] is None


def test_a_solution_is_one_submission_of_a_class(tmp_path):
    programs = {f"ada/{name}/Program.cs": "" for name in ("Sum", "Mean")}
    write(tmp_path, {**programs, "ada/All.sln": "", "bob/sum.c": ""})
    assert submissions_in(tmp_path, [SUM]) == ([tmp_path / "ada", tmp_path / "bob"], [])


@pytest.mark.needs(".NET", "ICU")
@pytest.mark.parametrize(("setting", "shown"), [("", b"Alice bob Zoe\n"), ("true", b"Alice Zoe bob\n")])
def test_a_project_may_switch_cultures_off(tmp_path, setting, shown):
    settings = "<ImplicitUsings>enable</ImplicitUsings><AllowUnsafeBlocks>true</AllowUnsafeBlocks>"
    settings += setting and f"<InvariantGlobalization>{setting}</InvariantGlobalization>"
    sorting = 'var names = new List<string> { "bob", "Zoe", "Alice" };\nnames.Sort();\n'
    files = {"sum.csproj": csproj(settings), "Program.cs": f'{sorting}Console.WriteLine(string.Join(" ", names));\n'}
    assert shown_by(built(tmp_path, files)) == shown
