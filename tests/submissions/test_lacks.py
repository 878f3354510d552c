"""A build that fails because this machine lacks something is a fault (ours); one that our limits stop is not."""

import errno
import os
import signal
from types import SimpleNamespace

import pytest

from pitboss.sandbox import shortages
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.drivers import Conditions
from pitboss.submissions import build as building
from pitboss.submissions import lacks
from pitboss.submissions.build import build
from pitboss.submissions.confined_commands import CommandOutcome, run_confined
from pitboss.submissions.sources import find_source

SANDBOX = Sandbox(Level.LANDLOCK)

#: Exit code and output of tools that failed because the machine lacked something.
LACKS = {
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
    "mcs has no room": (1, "error CS0016: Could not write to file `a'. Disk full. Path /tmp/full/a.exe"),
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
    "a part of the compiler is gone": (1, "cc: fatal error: cannot execute ‘cc1’: execvp: No such file or directory"),
    "the compiler is gone": (1, "/usr/bin/cc: No such file or directory"),
    "the compiler is gone inside bubblewrap": (1, "bwrap: execvp cc: Input/output error"),
}
#: Exit code and output of tools that failed because of the program or of our limits.
PROGRAM_FAILURES = {
    "nothing": (0, ""),
    "an error": (1, "u.c:1:10: fatal error: nope.h: No such file or directory\ncompilation terminated."),
    "a quoted line": (1, '   12 |     perror("x: No space left on device");\n      |     No space left on device'),
    "a string of Java": (1, 'A.java:1: error: no\n  print("No space left on device");\n  ^'),
    "an error of their own": (1, "u.c:1:2: error: #error No space left on device"),
    "too much time": (1, "cc: fatal error: CPU time limit exceeded signal terminated program cc1"),
    "too large a file": (2, "make: *** [Makefile:2: teller] File size limit exceeded"),
    "too much memory": (1, "cc1: out of memory allocating 65536 bytes after a total of 2146971648 bytes"),
    "a test that crashes": (2, "make: *** [Makefile:3: test] Segmentation fault"),
    "a tool that nobody has": (
        2,
        "make: frobnicate: No such file or directory\nmake: *** [Makefile:2: teller] Error 127",
    ),
}


def find_lack(code, output, level=Level.LANDLOCK, *, has_used_its_time=False):
    """What the machine lacked when cc failed like this under a memory limit of 2 GB, or an empty text."""
    return lacks.lack_of(code, output, "cc", level, 2 << 30, has_used_its_time=has_used_its_time)


@pytest.fixture(autouse=True)
def plenty_of_memory(monkeypatch):
    """Let 8 GB seem to be free, more than the limit of 2 GB."""
    monkeypatch.setattr(lacks, "_free_memory", lambda: 8 << 30)


def test_a_failure_for_lack_of_a_resource_of_the_machine_is_recognised():
    assert [name for name, (code, output) in LACKS.items() if not find_lack(code, output)] == []


def test_a_failure_of_the_program_or_by_our_limits_is_no_lack():
    assert [name for name, (code, output) in PROGRAM_FAILURES.items() if find_lack(code, output)] == []


def test_a_kill_that_our_time_limit_may_have_caused_is_no_lack():
    code, output = LACKS["a compiler of make was killed"]
    assert find_lack(code, output, has_used_its_time=True) == ""


def test_out_of_memory_is_a_lack_if_less_is_free_than_the_limit_allows(monkeypatch):
    monkeypatch.setattr(lacks, "_free_memory", lambda: 1 << 30)
    assert find_lack(*PROGRAM_FAILURES["too much memory"]).startswith(
        "Cannot allocate memory — the machine is out of memory"
    )


def test_a_missing_compiler_is_a_lack(monkeypatch):
    monkeypatch.setattr(lacks.shutil, "which", lambda name, path=None: None)
    assert (
        find_lack(2, "/bin/sh: 1: g++: not found\nmake: *** [Makefile:2: teller] Error 127")
        == "this machine has no g++"
    )


def test_a_tool_that_the_sandbox_hides_is_a_lack(tmp_path, monkeypatch):
    (tmp_path / "zig").write_text("#!/bin/sh\n")
    (tmp_path / "zig").chmod(0o755)
    output = "make: zig: No such file or directory\nmake: *** [Makefile:2: teller] Error 127"
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert find_lack(2, output) == ""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert find_lack(2, output) == f"zig is in {tmp_path}, which submissions cannot access: install it for all users"


@pytest.mark.parametrize(
    "level", [Level.LANDLOCK, pytest.param(Level.BUBBLEWRAP, marks=pytest.mark.needs("bubblewrap"))]
)
def test_a_command_killed_by_somebody_else_is_a_lack(reachable, level):
    lack = run_confined(["sh", "-c", "kill -9 $$"], reachable, Sandbox(level)).shortage_clause
    assert lack.startswith("it was ended by SIGKILL; pitboss did not send the signal: the kernel sends it when")


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
    monkeypatch.setattr(lacks.os, "statvfs", lambda folder: SimpleNamespace(**(ROOM | changed)))
    assert lacks.lack_of_room("/tmp").startswith(lack_start)
    assert bool(lacks.lack_of_room("/tmp")) == bool(lack_start)


@pytest.fixture
def build_by_makefile(tmp_path, reachable, toy):
    """A function that builds the program `teller` by a makefile with these commands."""

    def build_by_makefile(*commands):
        (tmp_path / "Makefile").write_text("teller:\n" + "".join(f"\t{command}\n" for command in commands))
        return build(
            find_source(tmp_path, toy.stages[0]), reachable / "builds" / "teller", Conditions("watched", SANDBOX)
        )

    return build_by_makefile


def test_a_build_ended_by_a_signal_is_a_fault(build_by_makefile):
    result = build_by_makefile("kill -9 $$$$")
    assert (result.program, result.is_fault) == (None, True)
    assert result.reason == (
        "teller could not be built on this machine, twice: make: “make: *** [Makefile:2: teller] Killed”: it was ended by a "
        "signal; pitboss did not send the signal: the kernel sends it when memory runs out — end other programs, or use a "
        "smaller --jobs."
    )


def test_a_makefile_that_ignores_a_killed_command_is_a_fault(build_by_makefile):
    assert build_by_makefile("-sh -c 'kill -9 $$$$'").is_fault


def test_a_build_that_fails_once_for_a_lack_is_repeated(build_by_makefile, monkeypatch):
    failed_outcomes = iter([CommandOutcome(1, "", shortage_clause="no room")])
    monkeypatch.setattr(
        building, "run_confined", lambda *arguments: next(failed_outcomes, None) or run_confined(*arguments)
    )
    assert build_by_makefile("cp /bin/true teller").program is not None


def test_a_build_that_fails_on_a_full_disk_is_a_fault(build_by_makefile, monkeypatch):
    monkeypatch.setattr(shortages, "PATIENCE_S", 0.01)
    monkeypatch.setattr(building, "lack_of_room", lambda folder: os.strerror(errno.ENOSPC))
    monkeypatch.setattr(lacks, "lack_of_room", building.lack_of_room)
    assert (
        build_by_makefile("true").reason == "teller could not be built on this machine, twice: No space left on device."
    )


def test_a_build_stopped_by_our_limits_is_no_fault(build_by_makefile, monkeypatch):
    monkeypatch.setattr("pitboss.submissions.confined_commands._OUTPUT_BYTES", 100)
    result = build_by_makefile("yes No space left on device")
    assert (result.is_fault, result.was_stopped) == (False, True)
