import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.submissions.confined_commands import CommandOutcome
from tests import built

SOURCE = '#include <stdio.h>\nint main(void) { int unused; puts("here"); }\n'
ARGV = ["cc", "-g", "-Wall", "-o", "it", "it.c"]


class Compilation(NamedTuple):
    """The outcome of a compilation, its folder, and how many commands have run so far in the test."""

    outcome: CommandOutcome
    folder: Path
    commands_run: int


@pytest.fixture
def compile_in(tmp_path, monkeypatch):
    """A function that compiles a source in a new folder, and returns a Compilation; each test has a new cache.

    `name` is that of the folder. `outcome_fields`, such as `why_stopped`, are set in the outcome of the command.
    """
    (tmp_path / "cache").mkdir()
    built.use_cache(str(tmp_path / "cache"))
    commands = []

    def compile_source(name, source, argv=ARGV, **outcome_fields):
        def run_unconfined(argv, folder, sandbox):
            commands.append(argv)
            process = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
            return CommandOutcome(process.returncode, f"{folder}: {process.stderr}", **outcome_fields)

        monkeypatch.setattr(built, "run_confined", run_unconfined)
        folder = tmp_path / name
        folder.mkdir()
        (folder / "it.c").write_text(source)
        outcome = built._run_confined(argv, folder, Sandbox(Level.NONE))
        return Compilation(outcome, folder, len(commands))

    yield compile_source
    built.use_cache("")


def test_a_cached_build_names_its_own_folder_in_output_and_program(compile_in):
    first, first_folder, _ = compile_in("one", SOURCE)
    second, second_folder, commands_run = compile_in("two", SOURCE)
    assert commands_run == 1
    assert second == CommandOutcome(0, first.output.replace(str(first_folder), str(second_folder)))
    assert str(second_folder) in second.output and "unused" in second.output
    assert subprocess.run([second_folder / "it"], capture_output=True, text=True, check=True).stdout == "here\n"
    program = (second_folder / "it").read_bytes()
    assert str(second_folder).encode() in program and str(first_folder).encode() not in program


def test_another_source_command_or_path_length_is_compiled_again(compile_in):
    """A cached program can only be copied to a path of the same length, and "longer" is longer than "one"."""
    compile_in("one", SOURCE)
    compile_in("two", SOURCE.replace("here", "there"))
    compile_in("six", SOURCE, argv=["cc", "-o", "it", "it.c"])
    assert compile_in("longer", SOURCE).commands_run == 4


def test_a_build_that_was_stopped_or_lacked_something_is_not_cached(compile_in):
    compile_in("one", SOURCE, shortage_clause="no room")
    compile_in("two", SOURCE, why_stopped="it took too long")
    assert compile_in("six", SOURCE).commands_run == 3


def test_a_command_other_than_a_compiler_is_not_cached(compile_in):
    compile_in("one", SOURCE, argv=["true"])
    assert compile_in("two", SOURCE, argv=["true"]).commands_run == 2


def test_compile_c_works_without_a_cache(tmp_path):
    built.use_cache("")
    source = Path(tmp_path / "it.c")
    source.write_text(SOURCE)
    built.compile_c(source, tmp_path / "it")
    assert subprocess.run([tmp_path / "it"], capture_output=True, text=True, check=True).stdout == "here\n"
