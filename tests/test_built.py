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


@pytest.mark.parametrize(
    ("name", "source", "options"),
    [
        ("two", SOURCE.replace("here", "there"), {}),
        ("two", SOURCE, {"argv": ["cc", "-o", "it", "it.c"]}),
        ("longer", SOURCE, {}),  # a cached program can only be copied to a path of the same length
    ],
    ids=["another source", "another command", "another length of the path"],
)
def test_another_build_is_not_taken_from_the_cache(compile_in, name, source, options):
    compile_in("one", SOURCE)
    assert compile_in(name, source, **options).commands_run == 2


@pytest.mark.parametrize(
    "options", [{"shortage_clause": "no room"}, {"why_stopped": "it took too long"}, {"argv": ["true"]}], ids=str
)
def test_a_build_that_was_stopped_or_lacked_something_and_other_commands_are_not_cached(compile_in, options):
    compile_in("one", SOURCE, **options)
    assert compile_in("two", SOURCE, **options).commands_run == 2
