import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from pitboss.sandbox import sandbox, tools
from pitboss.sandbox.digests import digest_of_machine
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sandbox.tools import find_tool, readable_folders, search_path
from pitboss.sessions.drivers import Conditions
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.submissions import build as building
from pitboss.submissions.sources import Source
from pitboss.submissions.submission import open_submission
from pitboss.submissions.toolchains import toolchain_of
from tests.sandbox.test_concealment import READS, RUNNERS, SANDBOXES, session_text

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture
def home(monkeypatch):
    """The home folder of a user whose PATH and variables name no toolchain."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        home = Path(folder) / "ada"
        home.mkdir()
        _enter(home, monkeypatch)
        yield home


def _enter(home, monkeypatch):
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", SYSTEM_PATH)
    for name in ("JAVA_HOME", "DOTNET_ROOT", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sandbox, "_paths", set(sandbox._paths))
    monkeypatch.setattr(building, "_TRIED", {})


@pytest.fixture
def put_first(monkeypatch):
    """A function that puts folders before all others on the PATH, in this order."""

    def put_first(*folders):
        monkeypatch.setenv("PATH", os.pathsep.join((*map(str, folders), os.environ["PATH"])))

    return put_first


def script(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def link(path, target):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


#: How a command is installed in a home: a function that installs it, the command on the PATH, the path to call and the
#: folder to show.
INSTALLATIONS = {
    "in its own folder": (lambda home: script(home / ".dotnet/dotnet"), ".dotnet/dotnet", ".dotnet/dotnet", ".dotnet"),
    "below bin": (lambda home: script(home / "jdk/bin/javac"), "jdk/bin/javac", "jdk/bin/javac", "jdk"),
    "as the current version": (
        lambda home: (script(home / "java/25/bin/java"), link(home / "java/current", "25")),
        "java/current/bin/java",
        "java/25/bin/java",
        "java/25",
    ),
    "as links among other commands": (
        lambda home: (script(home / "jdk/bin/java"), link(home / "bin/java", "../jdk/bin/java")),
        "bin/java",
        "jdk/bin/java",
        "jdk",
    ),
    "under a name that decides what it does": (
        lambda home: (script(home / "llvm/bin/clang-18"), link(home / "llvm/bin/clang++", "clang-18")),
        "llvm/bin/clang++",
        "llvm/bin/clang++",
        "llvm",
    ),
    "by Homebrew": (
        lambda home: (
            script(home / "brew/Cellar/lua/5/bin/lua"),
            link(home / "brew/bin/lua", "../Cellar/lua/5/bin/lua"),
        ),
        "brew/bin/lua",
        "brew/bin/lua",
        "brew",
    ),
    "behind rustup": (
        lambda home: (
            *(script(home / "rust/bin" / name) for name in ("rustc", "cargo")),
            script(home / ".cargo/bin/rustc", f'[ "$PWD $*" = "/ --print sysroot" ] && echo {home}/rust'),
            link(home / ".cargo/bin/cargo", "rustc"),
        ),
        ".cargo/bin/cargo",
        "rust/bin/cargo",
        "rust",
    ),
    "behind a shim": (
        lambda home: (
            *(script(home / "jdk/bin" / name) for name in ("java", "javac")),
            script(home / "shims/javac"),
            script(home / "shims/java", f"echo '    java.home = {home}/jdk' >&2"),
        ),
        "shims/javac",
        "jdk/bin/javac",
        "jdk",
    ),
}


@pytest.mark.parametrize("installation", INSTALLATIONS)
def test_a_command_is_called_where_it_is_and_its_folder_is_shown(installation, home, put_first):
    install, command, path, folder = INSTALLATIONS[installation]
    install(home)
    put_first((home / command).parent)
    tool = find_tool(Path(command).name)
    assert (tool.path, tool.folder) == (f"{home}/{path}", f"{home}/{folder}")
    assert tool.refusal(Level.BUBBLEWRAP) == ""
    if tool.name in tools.BUILD_TOOLS:
        assert f"{home}/{folder}" in readable_folders()
        assert search_path() == f"{(home / path).parent}:{SYSTEM_PATH}"


def test_a_system_command_is_called_as_it_is_found(home):
    assert (find_tool("sh").path, find_tool("sh").folder) == ("/usr/bin/sh", "")
    assert find_tool("no-such-command") is None
    assert search_path() == SYSTEM_PATH


def test_the_first_command_on_the_path_is_used_and_variables_count_after_it(home, put_first, monkeypatch):
    for folder in ("first/bin", "second/bin", "java/bin", "dotnet", "rustup/toolchains/stable-x/bin"):
        names = ("ninja", "go", "node") if folder != "rustup/toolchains/stable-x/bin" else ("ninja", "clang")
        for name in (*names, *(["jar"] if folder == "java/bin" else [])):
            script(home / folder / name)
    put_first(home / "first/bin", "relative", home / "second/bin")
    monkeypatch.setenv("JAVA_HOME", str(home / "java"))
    monkeypatch.setenv("RUSTUP_HOME", str(home / "rustup"))
    (home / "first/bin/node").unlink()
    assert [find_tool(name).folder for name in ("ninja", "node")] == [f"{home}/first", f"{home}/second"]
    assert search_path().split(":")[:2] == [f"{home}/first/bin", f"{home}/second/bin"]
    monkeypatch.setenv("PATH", "/nowhere")
    assert find_tool("go").folder == f"{home}/java"
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("DOTNET_ROOT", str(home / "dotnet"))
    assert find_tool("go").folder == f"{home}/dotnet"
    assert find_tool("clang").folder == f"{home}/rustup/toolchains/stable-x"


def test_no_folder_is_shown_that_has_something_private(home, put_first):
    course = home / "course"
    for folder in (home, home / ".local", course):
        script(folder / "bin" / f"in-{folder.name}")
        put_first(folder / "bin")
    refusal = "in-{} needs {}, which no submission may see{}: install it in its own folder".format
    assert find_tool("in-ada").refusal(Level.LANDLOCK) == refusal("ada", home, "")
    assert find_tool("in-ada").refusal(Level.NONE) == ""
    (home / ".local/share").mkdir()
    share = f", since {home}/.local/share is in it"
    assert find_tool("in-.local").refusal(Level.LANDLOCK) == refusal(".local", home / ".local", share)
    assert find_tool("in-course").refusal(Level.BUBBLEWRAP) == ""
    (course / "submissions/bob").mkdir(parents=True)
    with open_submission(course / "submissions/bob"):
        inside = f", since {course}/submissions/bob is in it"
        assert find_tool("in-course").refusal(Level.LANDLOCK) == refusal("course", course, inside)


def test_a_private_toolchain_is_a_fault_with_the_remedy_and_is_not_shown(home, put_first):
    script(home / "bin/luac5.4")
    script(home / "bin/lua5.4")
    put_first(home / "bin")
    (home / "greet.lua").write_text("print(1)\n")
    conditions = Conditions("watched", Sandbox(Level.LANDLOCK))
    source = Source(home, "lua", "greet.lua", "greet")
    build = building.build(source, home / "built", conditions)
    assert build.is_fault
    assert f"lua5.4 needs {home}, which no submission may see: install it in its own folder" in build.reason
    assert str(home) not in (*readable_folders(), *search_path().split(":"))


@pytest.mark.needs("root")
def test_a_folder_that_the_user_of_programs_cannot_enter_is_named(home, put_first):
    script(home / ".dotnet/dotnet")
    put_first(home / ".dotnet")
    home.chmod(0o700)
    reason = f"dotnet is in {home}/.dotnet, but the user that programs run as cannot enter "
    assert find_tool("dotnet").refusal(Level.LANDLOCK) == f"{reason}{home}: chmod o+x {home}, or use bubblewrap"
    assert find_tool("dotnet").refusal(Level.BUBBLEWRAP) == ""
    (home / ".dotnet").chmod(0o700)
    if sandbox.can_switch_users_inside():
        closed = f"{home}/.dotnet"
        remedies = f"chmod o+x {closed}, or install it for all users"
        assert find_tool("dotnet").refusal(Level.BUBBLEWRAP) == f"{reason}{closed}: {remedies}"


def test_the_digest_of_the_machine_depends_on_the_toolchain_behind_a_proxy(home, put_first, monkeypatch):
    script(home / ".cargo/bin/rustc", f"echo {home}/$RUSTUP_TOOLCHAIN")
    put_first(home / ".cargo/bin")
    digests = []
    for name in ("stable", "nightly"):
        script(home / name / "bin/rustc")
        monkeypatch.setenv("RUSTUP_TOOLCHAIN", name)
        digests.append(digest_of_machine({}))
    os.utime(home / "nightly/bin/rustc", (1, 1))
    assert len({*digests, digest_of_machine({})}) == 3


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("runner", RUNNERS)
def test_programs_see_a_toolchain_and_nothing_else_of_the_home(compiled, home, put_first, runner, sandbox):
    script(home / ".dotnet/dotnet")
    put_first(home / ".dotnet")
    for name in (".dotnet/LICENSE", ".ssh/key", ".profile"):
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text("text\n")
    if sandbox.level is Level.BUBBLEWRAP:  # in which the home is another folder, that everybody can enter
        home.chmod(0o700)
    program = compiled(READS)
    argv = (str(program), *(f"{home}/{name}" for name in (".dotnet/LICENSE", ".ssh/key", ".profile")))
    assert RUNNERS[runner](argv, program.parent, sandbox).split() == ["text", "-", "-"]


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_makefile_and_the_program_that_it_makes_call_commands_by_name(home, reachable, put_first, sandbox):
    script(home / "jdk/bin/javac", "echo echo compiled >Greet.class")
    script(home / "jdk/bin/java", '. "$1"; echo "and run"')
    put_first(home / "jdk/bin")
    makefile = "greet:\n\tjavac\n\tprintf '#!/bin/sh\\nexec java %s/Greet.class\\n' $$PWD >greet\n\tchmod +x greet\n"
    (reachable / "Makefile").write_text(makefile)
    source = Source(reachable, "make", "Makefile", "greet")
    program = building.build(source, reachable / "built", Conditions("watched", sandbox)).program
    assert session_text(TracingDriver, program.argv, program.folder, sandbox) == "compiled\nand run\n"


#: The environment of the tests, in which their toolchains are found; the fixture `home` changes it.
OURS = dict(os.environ)


def copied(path, into):
    """Copy a file or a folder, by hard links where that is allowed; return the copy."""
    into.parent.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["cp", "-al", path, into], stderr=subprocess.DEVNULL, check=False).returncode:
        subprocess.run(["cp", "-a", path, into], check=True)
    return into


def move_java(home):
    """Copy the JDK to where SDKMAN installs one; returns the folder on the PATH, and the folder of the copy."""
    javac = Path(os.path.realpath(shutil.which("javac", path=OURS["PATH"])))
    folder = copied(javac.parents[1], home / ".sdkman/candidates/java/25")
    link(folder.parent / "current", "25")
    return folder.parent / "current/bin", folder


def move_dotnet(home):
    folder = copied(Path(os.path.realpath(shutil.which("dotnet", path=OURS["PATH"]))).parent, home / ".dotnet")
    return folder, folder


def move_rust(home):
    """Copy the compiler for Rust behind a proxy, as rustup installs one."""
    question = subprocess.run(["rustc", "--print", "sysroot"], env=OURS, capture_output=True, text=True, check=True)
    ours, folder = Path(question.stdout.strip()), home / ".rustup/toolchains/stable"
    for path in (
        ours / "bin/rustc",
        ours / "lib/rustlib",
        *ours.glob("lib/librustc_*"),
        *ours.glob("lib/libLLVM*rust*"),
    ):
        copied(path, folder / path.relative_to(ours))
    return script(home / ".cargo/bin/rustc", f'exec {folder}/bin/rustc "$@"').parent, folder


MOVES = [
    pytest.param(language, move, marks=pytest.mark.needs(part), id=part)
    for language, part, move in (
        ("java", "Java", move_java),
        ("csharp", ".NET", move_dotnet),
        ("rust", "Rust", move_rust),
    )
]


@pytest.mark.slow
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize(("language", "move"), MOVES)
def test_a_toolchain_in_a_home_builds_and_runs_programs(language, move, sandbox, home, put_first):
    place, folder = move(home)
    put_first(place)
    toolchain = toolchain_of(language)
    assert {find_tool(command).folder for command in toolchain.commands} == {str(folder)}
    assert building.why_unusable(toolchain, Conditions("watched", sandbox)) == ""


@pytest.mark.slow
@pytest.mark.needs("Java", ".NET", "Rust")
@pytest.mark.parametrize("switched_off", ["", "bubblewrap"])
@pytest.mark.parametrize("user", ["root", "ordinary user"])
def test_doctor_names_the_folders_of_toolchains_in_a_home(home, command_as, user, switched_off):
    places, folders = zip(*(move(home) for move in (move_java, move_dotnet, move_rust)), strict=True)
    command = command_as(user)
    path = os.pathsep.join((*map(str, places), command.environment["PATH"]))
    environment = {**command.environment, "HOME": str(home), "PATH": path, "PITBOSS_WITHOUT": f"cache {switched_off}"}
    printed = subprocess.run([*command.argv, "doctor"], env=environment, capture_output=True, text=True).stdout
    for folder, title in zip(folders, ("Java", "C#", "Rust"), strict=True):
        assert f": builds and runs {title} programs ({folder})\n" in printed
