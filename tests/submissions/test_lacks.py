import itertools
import os
import signal
from types import SimpleNamespace

import pytest

from pitboss.machine import shortages
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions import build as building
from pitboss.submissions import confined_commands
from pitboss.submissions.build import build
from pitboss.submissions.confined_commands import CommandOutcome, run_confined
from pitboss.submissions.stage_files import find_source

SANDBOX = Sandbox(Level.LANDLOCK)

#: Exit code and output of tools that fail if the machine is short of something.
SHORTAGES = {
    "the compiler has no room": (
        1,
        "u.c:1:1: fatal error: error closing /tmp/cc.s: No space left on device\n    1 | int m;\n",
    ),
    "the assembler has no room": (
        1,
        "{standard input}: Assembler messages:\n{standard input}: Fatal error: can't write 11 bytes to section .text of a.o:"
        " 'No space left on device'\nmake: *** [Makefile:2: teller] Error 1",
    ),
    "the linker has no room": (1, "/usr/bin/ld: final link failed: No space left on device"),
    "javac has no room": (1, "A.java:1: error: error while writing A: No space left on device\nclass A{}\n^\n1 error"),
    "dotnet has no room": (
        1,
        "error CS8104: An error occurred while writing the output file: System.IO.IOException: No space left on device :"
        " '/tmp/full/o.dll'\n   at System.IO.RandomAccess.WriteAtOffset(SafeFileHandle handle)\n",
    ),
    "Python has no room": (1, "OSError: [Errno 28] No space left on device"),
    "the quota is used up": (2, "cp: error writing 'a.o': Disk quota exceeded"),
    "no files": (1, "cc1: fatal error: u.c: Too many open files in system"),
    "no processes": (2, "make: fork: Resource temporarily unavailable"),
    "no processes for a shell": (2, "sh: 1: Cannot fork"),
    "no threads": (1, "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory"),
    "the disk is broken": (1, "as: u.o: Input/output error"),
    "the compiler proper was killed": (
        1,
        "cc: fatal error: Killed signal terminated program cc1\ncompilation terminated.",
    ),
    "the compiler of an older gcc": (4, "g++: internal compiler error: Killed (program cc1plus)"),
    "the linker was killed": (1, "collect2: fatal error: ld terminated with signal 9 [Killed]"),
    "the memory of a full disk": (1, "collect2: fatal error: ld terminated with signal 7 [Bus error]"),
    "a compiler of make was killed": (2, "cc u.c\nmake[1]: *** [Makefile:2: teller] Killed"),
    "a shell of make reports that a compiler was killed": (2, "make: *** [Makefile:2: teller] Error 137"),
    "make goes on": (2, "make: [Makefile:2: u.o] Killed (ignored)"),
    "the command was killed": (-signal.SIGKILL, ""),
    "the machine goes down": (-signal.SIGTERM, ""),
    "the compiler is gone inside bubblewrap": (1, "bwrap: execvp cc: Input/output error"),
}
#: Exit code and output of tools that failed because of the program.
PROGRAM_FAILURES = {
    "nothing": (0, ""),
    "an error": (1, "u.c:1:10: fatal error: nope.h: No such file or directory\ncompilation terminated."),
    "too much time": (1, "cc: fatal error: CPU time limit exceeded signal terminated program cc1"),
    "too large a file": (2, "make: *** [Makefile:2: teller] File size limit exceeded"),
    "a menu": (1, 'u.c:3:9: error: expected ;\n    3 |  puts("Quit, Killed or Interrupt")\n'),
    "a test that crashes": (2, "make: *** [Makefile:3: test] Segmentation fault"),
    "a tool that nobody has": (
        2,
        "make: frobnicate: No such file or directory\nmake: *** [Makefile:2: teller] Error 127",
    ),
}


@pytest.fixture(autouse=True)
def plenty_of_memory(monkeypatch):
    """Let 8 GB seem to be free."""
    monkeypatch.setattr(confined_commands, "_free_memory", lambda: 8 << 30)


def test_a_failure_that_may_be_for_lack_of_a_resource_is_recognised():
    assert [name for name, failure in SHORTAGES.items() if not confined_commands.speaks_of_shortage(*failure)] == []
    assert [name for name, failure in PROGRAM_FAILURES.items() if confined_commands.speaks_of_shortage(*failure)] == []


@pytest.mark.parametrize(("kills", "free_bytes", "is_lack"), [(3, 8 << 30, False), (4, 8 << 30, True), (3, 9999, True)])
def test_memory_has_run_out_if_the_kernel_ended_a_process_or_little_is_free(monkeypatch, kills, free_bytes, is_lack):
    monkeypatch.setattr(confined_commands, "memory_kill_count", lambda: kills)
    monkeypatch.setattr(confined_commands, "_free_memory", lambda: free_bytes)
    assert (
        confined_commands.lack_of_memory(3).startswith("Cannot allocate memory — the machine is out of memory")
        is is_lack
    )


@pytest.mark.parametrize(
    ("message", "tool"),
    [
        ("/bin/sh: 1: gcc-99: not found", "gcc-99"),
        ("/bin/bash: line 1: clang++-99: command not found", "clang++-99"),
        ("make: x86_64-w64-mingw32-g++: No such file or directory", "x86_64-w64-mingw32-g++"),
        ("/usr/bin/env: ‘icc’: No such file or directory", "icc"),
        ("  The CMAKE_CXX_COMPILER:\n\n    icpx\n\n  is not a full path and was not found in the PATH.", "icpx"),
        ('ccache: error: Could not find compiler "clang-99" in PATH', "clang-99"),
        ("cc: fatal error: cannot execute ‘cc1obj’: execvp: No such file or directory", "cc1obj"),
        ("cc: error trying to exec 'cc1plus': execvp: No such file or directory", ""),
        ("gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory", "cc1plus"),
        ("make[2]: /usr/local/gone/bin/clang: No such file or directory", "/usr/local/gone/bin/clang"),
        ("make: ./gcc: No such file or directory", ""),
        ("make: ./tools/cc: Permission denied", ""),
        ("/bin/sh: 1: gccx: not found", ""),
        ("/bin/sh: 1: del: not found", ""),
        ("rm: clang-99: No such file or directory", ""),
    ],
)
def test_a_tool_that_a_build_did_not_find_may_be_missing_here(message, tool):
    output = f"cc u.c\n{message}\nmake: *** [Makefile:2: teller] Error 127"
    assert confined_commands.missing_tools(output, Level.LANDLOCK) == (
        {tool: f"this machine has no {tool}"} if tool else {}
    )


def test_a_tool_that_the_sandbox_hides_may_be_missing(tmp_path, monkeypatch):
    (tmp_path / "zig").write_text("#!/bin/sh\n")
    (tmp_path / "zig").chmod(0o755)
    output = "make: zig: No such file or directory\nmake: *** [Makefile:2: teller] Error 127"
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert confined_commands.missing_tools(output, Level.LANDLOCK) == {}
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert confined_commands.missing_tools(output, Level.LANDLOCK) == {
        "zig": f"zig is in {tmp_path}, which submissions cannot access: install it for all users"
    }


@pytest.mark.parametrize(
    "level", [Level.LANDLOCK, pytest.param(Level.BUBBLEWRAP, marks=pytest.mark.needs("bubblewrap"))]
)
def test_a_killed_command_is_a_lack_only_if_the_kernel_ended_processes_meanwhile(reachable, monkeypatch, level):
    outcome = run_confined(["sh", "-c", "kill -9 $$"], reachable, Sandbox(level))
    assert (outcome.speaks_of_shortage, outcome.shortage_clause) == (True, "")
    monkeypatch.setattr("pitboss.submissions.confined_commands.memory_kill_count", itertools.count(1).__next__)
    lack = run_confined(["sh", "-c", "kill -9 $$"], reachable, Sandbox(level)).shortage_clause
    assert lack.startswith("Cannot allocate memory — the machine is out of memory; end other programs, or use")


def test_a_kill_that_our_time_limit_may_have_caused_is_no_lack(reachable, monkeypatch):
    monkeypatch.setattr("pitboss.submissions.confined_commands._CPU_S", 0)
    assert not run_confined(["sh", "-c", "kill -9 $$"], reachable, SANDBOX).speaks_of_shortage


#: What statvfs reports of a file system with free space.
ROOM = {"f_bavail": 1 << 20, "f_frsize": 4096, "f_files": 1 << 20, "f_favail": 1 << 20, "f_flag": 0}


@pytest.mark.parametrize(
    ("changed", "lack_start"),
    [
        ({}, ""),
        ({"f_files": 0, "f_favail": 0}, ""),
        ({"f_bavail": 10}, "No space left on device — something is full: free some room in the temporary folder"),
        ({"f_favail": 3}, "No space left on device — something is full: free some room in the temporary folder"),
        ({"f_flag": os.ST_RDONLY}, "Read-only file system"),
    ],
)
def test_a_full_or_read_only_file_system_is_a_lack_of_room(monkeypatch, changed, lack_start):
    monkeypatch.setattr(confined_commands.os, "statvfs", lambda folder: SimpleNamespace(**(ROOM | changed)))
    assert confined_commands.lack_of_room("/tmp").startswith(lack_start)
    assert bool(confined_commands.lack_of_room("/tmp")) == bool(lack_start)


@pytest.fixture
def build_files(tmp_path, reachable, toy):
    """A function that builds the program `teller` from files, of which it gets the texts by name."""

    def build_files(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        # Cargo may be in a home folder, which no program in a sandbox may enter.
        conditions = Conditions("watched", Sandbox(Level.NONE) if "Cargo.toml" in files else SANDBOX)
        return build(find_source(tmp_path, toy.stages[0]), reachable / "builds" / "teller", conditions)

    return build_files


@pytest.fixture
def working_toolchains(monkeypatch):
    """Let each toolchain pass its trial."""
    monkeypatch.setattr(building, "why_toolchain_fails", lambda *arguments, again: "")


@pytest.fixture
def build_by_makefile(build_files):
    """A function that builds the program `teller` by a makefile with these commands."""
    return lambda *commands: build_files({"Makefile": "teller:\n" + "".join(f"\t{command}\n" for command in commands)})


FULL = "No space left on device"
CMAKE = "cmake_minimum_required(VERSION 3.10)\nproject(teller C)\nadd_executable(teller teller.c)\n"
CARGO = '[package]\nname = "teller"\nversion = "0.1.0"\nedition = "2021"\n'
#: Files of submissions that say, or pretend, that this machine lacks something, and words of the reason.
TRICKS = {
    "an error of C": ({"teller.c": f"#error : {FULL}\n"}, FULL),
    "an included name": ({"teller.c": f'#include ": {FULL}"\n'}, FULL),
    "another place": ({"teller.c": '#line 1 "cc: fatal error: Killed signal terminated program cc1"\n!\n'}, "cc1"),
    "a line of its own": ({"teller.cpp": f'static_assert(0, "\\nld: final link failed: {FULL}");\n'}, "teller.cpp:1"),
    "an error of Java": ({"Teller.java": f'@Deprecated("{FULL}") class Teller {{ }} error: {FULL}\n'}, "Teller.java:1"),
    "no memory of Java": ({"Teller.java": "insufficient memory for the Java Runtime\n"}, "Teller.java:1"),
    "a string of Python": ({"teller.py": f'raise OSError("{FULL}"\nx = OSError: [Errno 28] {FULL}\n'}, "SyntaxError"),
    "an error of C#": ({"Program.cs": f"#error : {FULL}\n"}, FULL),
    "a printed text": ({"Makefile": f"teller:\n\t@echo cp: {FULL}; false\n"}, FULL),
    "a text while make reads": ({"Makefile": f"$(error cc1: {FULL})\nteller:\n"}, FULL),
    "a text of success": ({"Makefile": "teller:\n\t@echo 'cc: error: Cannot allocate memory'\n"}, "did not create"),
    "a kill of its own shell": ({"Makefile": "teller:\n\tkill -9 $$$$\n"}, "Killed"),
    "an ignored kill": ({"Makefile": "teller:\n\t-sh -c 'kill -9 $$$$'\n"}, ""),
    "a kill of make": ({"Makefile": "teller:\n\tkill -9 $$PPID\n"}, ""),
    "an end by TERM": ({"Makefile": "teller:\n\tkill -TERM $$PPID; sleep 9\n"}, ""),
    "an exit code": ({"Makefile": "teller:\n\texit 137\n"}, "Error 137"),
    "a bus error": ({"Makefile": "teller:\n\tkill -BUS $$$$\n"}, "Bus error"),
    "no processes": ({"Makefile": "teller:\n\t@echo 'make: fork: Resource temporarily unavailable'; false\n"}, "fork"),
    "a compiler that is named": (
        {"Makefile": "teller:\n\t@echo 'make: icc: No such file or directory'; false\n"},
        "icc",
    ),
    "a part that is named": (
        {"Makefile": "teller:\n\t@echo 'cc: fatal error: cannot execute ‘cc1’: execvp: gone'; false\n"},
        "cc1",
    ),
    "a place that is named": (
        {"Makefile": "teller:\n\t@echo 'make: /gone/clang: No such file or directory'; false\n"},
        "clang",
    ),
    "a place with a usual name": (
        {"Makefile": "teller:\n\t@echo 'make: /gone/cc: No such file or directory'; cc none.c; false\n"},
        "none.c",
    ),
    "an end without make": ({"Makefile": "teller:\n\trm -rf .compilers; echo 'sh: 1: icc: not found'; false\n"}, "icc"),
    "a message of CMake": ({"CMakeLists.txt": f'{CMAKE}message(FATAL_ERROR "cc1: {FULL}")\n', "teller.c": "!\n"}, FULL),
    "an error of Rust": (
        {"Cargo.toml": CARGO, "src/main.rs": f'compile_error!("ld: {FULL}");\nfn main() {{}}\n'},
        FULL,
    ),
    "a killed build script": (
        {
            "Cargo.toml": CARGO,
            "src/main.rs": "fn main() { nope() }\n",
            "build.rs": 'fn main() { println!("cargo::error=os error 28 (No space left on device)"); std::process::abort() }\n',
        },
        "",
    ),
}
#: What the tools of a trick are called in tests/parts.py, by its first file.
PARTS = {
    "teller.cpp": "C++",
    "Teller.java": "Java",
    "CMakeLists.txt": "CMake",
    "Cargo.toml": "Cargo",
    "Program.cs": ".NET",
}


@pytest.mark.parametrize(
    "trick",
    [
        pytest.param(trick, marks=[pytest.mark.needs(PARTS[name]) for name in [next(iter(files))] if name in PARTS])
        for trick, (files, _) in TRICKS.items()
    ],
)
@pytest.mark.usefixtures("working_toolchains")
def test_what_a_submission_says_of_this_machine_is_its_own_error(build_files, trick):
    files, words = TRICKS[trick]
    result = build_files(files)
    assert (result.program, result.is_fault) == (None, False), result.reason
    assert words in result.reason + result.messages


@pytest.mark.parametrize("compiler", ["icc", "/gone/clang"])
def test_a_compiler_that_a_makefile_calls_and_nobody_has_is_a_fault(build_by_makefile, compiler):
    result = build_by_makefile(f"{compiler} -o teller teller.c")
    reason = f"teller could not be built on this machine, twice: this machine has no {compiler}."
    assert (result.is_fault, result.reason) == (True, reason)


def test_a_killed_build_is_a_fault_if_the_kernel_ended_processes_meanwhile(build_by_makefile, monkeypatch):
    monkeypatch.setattr(confined_commands, "memory_kill_count", itertools.count(1).__next__)
    assert build_by_makefile("kill -9 $$$$").reason.startswith(
        "teller could not be built on this machine, twice: Cannot allocate memory — the machine is out of memory; "
    )


def test_a_shortage_is_a_fault_if_a_program_of_ours_cannot_be_built_either(build_by_makefile, monkeypatch):
    reasons = iter(["", "a program that greets could not be built: no file"])
    monkeypatch.setattr(building, "_TRIED", {})
    monkeypatch.setattr(building, "why_toolchain_fails", lambda *arguments, again: next(reasons))
    assert build_by_makefile("echo Too many open files; false").reason == (
        "teller could not be built on this machine, twice: make does not work here: a program that greets could not be "
        "built: no file."
    )


def test_a_build_that_fails_once_for_a_lack_is_repeated(build_by_makefile, monkeypatch):
    failed_outcomes = iter([CommandOutcome(1, "", speaks_of_shortage=True)])
    monkeypatch.setattr(
        building, "run_confined", lambda *arguments: next(failed_outcomes, None) or run_confined(*arguments)
    )
    assert build_by_makefile("cp /bin/true teller").program is not None


@pytest.mark.usefixtures("working_toolchains")
@pytest.mark.parametrize("command", ["true", f"echo {FULL}; false"])
@pytest.mark.parametrize("free_blocks", [10, 4000])
def test_a_build_that_fails_on_a_full_disk_is_a_fault(build_by_makefile, monkeypatch, free_blocks, command):
    """On a disk that is not quite full it is one if it says so: 16 MB are less than a build may write."""
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    monkeypatch.setattr(
        confined_commands.os, "statvfs", lambda folder: SimpleNamespace(**(ROOM | {"f_bavail": free_blocks}))
    )
    reason = build_by_makefile(command).reason
    is_fault = reason.startswith(f"teller could not be built on this machine, twice: {FULL} — something is full: free")
    assert is_fault is (free_blocks == 10 or FULL in command)


def test_a_build_stopped_by_our_limits_is_no_fault(build_by_makefile, monkeypatch):
    monkeypatch.setattr("pitboss.submissions.confined_commands._OUTPUT_BYTES", 100)
    result = build_by_makefile("yes No space left on device")
    assert (result.is_fault, result.was_stopped) == (False, True)
