"""What tests build comes from the compiler once, and is the same when it comes from the cache."""

import subprocess
from pathlib import Path

import pytest

from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.submissions.confined_commands import CommandOutcome
from tests import built

SOURCE = '#include <stdio.h>\nint main(void) { int unused; puts("here"); }\n'
ARGV = ["cc", "-g", "-Wall", "-o", "it", "it.c"]


@pytest.fixture
def compile_in(tmp_path, monkeypatch):
    """Compile a source in a new folder, through a cache of its own; the outcome, the folder, and how often cc ran."""
    (tmp_path / "cache").mkdir()
    built.use(str(tmp_path / "cache"))
    ran = []

    def run(argv, folder, sandbox):
        ran.append(argv)
        done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
        return CommandOutcome(done.returncode, f"{folder}: {done.stderr}", **lacks)

    lacks = {}
    monkeypatch.setattr(built, "run_confined", run)

    def compile_it(name, source, argv=ARGV, **more):
        lacks.update(more)
        folder = tmp_path / name
        folder.mkdir()
        (folder / "it.c").write_text(source)
        return built._run_confined(argv, folder, Sandbox(Level.NONE)), folder, len(ran)

    yield compile_it
    built.use("")


def test_the_same_is_compiled_once_and_says_where_it_stands(compile_in):
    first, there, _ = compile_in("one", SOURCE)
    second, here, ran = compile_in("two", SOURCE)
    assert ran == 1
    assert second == CommandOutcome(0, first.output.replace(str(there), str(here)))
    assert str(here) in second.output and "unused" in second.output
    assert subprocess.run([here / "it"], capture_output=True, text=True, check=True).stdout == "here\n"
    program = (here / "it").read_bytes()
    assert str(here).encode() in program and str(there).encode() not in program


def test_another_source_command_or_place_is_another_build(compile_in):
    compile_in("one", SOURCE)
    compile_in("two", SOURCE.replace("here", "there"))
    compile_in("six", SOURCE, argv=["cc", "-o", "it", "it.c"])
    assert compile_in("longer", SOURCE)[2] == 4


def test_what_was_stopped_or_lacked_something_is_built_again(compile_in):
    compile_in("one", SOURCE, lack="no room")
    compile_in("two", SOURCE, lack="", stopped="it took too long")
    assert compile_in("six", SOURCE, stopped="")[2] == 3


def test_a_command_that_is_no_compiler_runs_each_time(compile_in):
    compile_in("one", SOURCE, argv=["true"])
    assert compile_in("two", SOURCE, argv=["true"])[2] == 2


def test_without_a_cache_a_program_of_a_test_is_compiled(tmp_path):
    built.use("")
    source = Path(tmp_path / "it.c")
    source.write_text(SOURCE)
    built.compile_c(source, tmp_path / "it")
    assert subprocess.run([tmp_path / "it"], capture_output=True, text=True, check=True).stdout == "here\n"
