import shutil
import subprocess

import msgspec
import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking import builds
from pitboss.checking.builds import builds_of
from pitboss.machine.pool import Pool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import environment_of
from pitboss.submissions.build import build, copied_build
from pitboss.submissions.sources import Source
from tests.conftest import ROOT

HELLO = '#include <stdio.h>\nint main(void) { int unused; puts("hello"); return 0; }\n'


@pytest.fixture
def source(tmp_path):
    """A source for the program `one`."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "game.c").write_text(HELLO)
    return Source(tmp_path / "in", "c", "game.c", "one")


def source_of(program, source, **changes):
    """The same source for another program, with these fields changed."""
    return msgspec.structs.replace(source, program=program, **changes)


def test_a_copied_build_equals_a_new_build(source, tmp_path):
    conditions, second = find_conditions("auto", "none"), source_of("two", source)
    copy = copied_build(build(source, tmp_path / "one", conditions), source, second, tmp_path / "two")
    rebuilt = build(second, tmp_path / "again", conditions)
    assert copy is not None
    assert "unused" in copy.messages
    assert (copy.command, copy.messages) == (rebuilt.command, rebuilt.messages)
    assert copy.program.argv == (str(tmp_path / "two" / "two"),)
    assert copy.program.folder == tmp_path / "two"
    names = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("two", "again")]
    assert names[0] == names[1]
    modes = [(tmp_path / name / "two").stat().st_mode for name in ("two", "again")]
    assert modes[0] == modes[1]
    assert subprocess.run(copy.program.argv, capture_output=True, check=True).stdout == b"hello\n"


@pytest.mark.parametrize(
    ("language", "file", "text"),
    [
        ("cpp", "game.cpp", '#include <iostream>\nint main() { std::cout << "hello\\n"; }\n'),
        ("java", "Game.java", 'class Game { public static void main(String[] a) { System.out.println("hello"); } }\n'),
        ("csharp", "Game.cs", 'System.Console.WriteLine("hello");\n'),
        ("python", "game.py", "import words\nprint(words.HELLO)\n"),
        ("rust", "game.rs", 'fn main() { println!("hello"); }\n'),
        ("lua", "game.lua", 'print("hello")\n'),
        ("shell", "game.sh", "echo hello\n"),
    ],
)
def test_in_any_language_a_copied_program_runs_in_its_own_folder(tmp_path, language, file, text):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / file).write_text(text)
    (tmp_path / "in" / "words.py").write_text("HELLO = 'hello'\n")
    source = Source(tmp_path / "in", language, file, "one")
    first = build(source, tmp_path / "built" / "one", find_conditions("auto", "none"))
    copy = copied_build(first, source, source_of("two", source), tmp_path / "built" / "two")
    assert copy is not None
    assert copy.program.folder == tmp_path / "built" / "two"
    shutil.rmtree(tmp_path / "built" / "one")
    process = subprocess.run(
        copy.program.argv, env=environment_of(copy.program, str(tmp_path)), capture_output=True, check=True
    )
    assert process.stdout.split() == [b"hello"]


def test_a_failed_build_is_not_copied(source, tmp_path):
    (tmp_path / "in" / "game.c").write_text("int main(void) { return x; }\n")
    failed = build(source, tmp_path / "one", find_conditions("auto", "none"))
    assert copied_build(failed, source, source_of("two", source), tmp_path / "two") is None
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize("name", ["one", "two"])
def test_a_build_is_not_copied_if_a_file_has_the_name_of_a_program(source, tmp_path, name):
    """The program might read that file."""
    (tmp_path / "in" / name).write_text("not a program")
    first = build(source, tmp_path / "built", find_conditions("auto", "none"))
    assert first.program is not None
    assert copied_build(first, source, source_of("two", source), tmp_path / "two") is None


def test_a_build_is_not_copied_for_another_source(source, tmp_path):
    first = build(source, tmp_path / "one", find_conditions("auto", "none"))
    assert copied_build(first, source, source_of("two", source, file="game2.c"), tmp_path / "two") is None
    assert copied_build(first, source, source_of("two", source, is_alone=True), tmp_path / "two") is None


def test_a_build_by_makefile_is_not_copied(source, tmp_path):
    built = build(source, tmp_path / "one", find_conditions("auto", "none"))
    assert built.program is not None
    by_makefile = msgspec.structs.replace(source, language="make")
    assert copied_build(built, by_makefile, source_of("two", by_makefile), tmp_path / "two") is None


def test_stages_that_share_a_source_are_compiled_once(source, tmp_path, monkeypatch):
    built_programs = []

    def build_and_record(source, *arguments, **flags):
        built_programs.append(source.program)
        return build(source, *arguments, **flags)

    monkeypatch.setattr(builds, "build", build_and_record)
    any_assignment = load_assignment(ROOT / "specs" / "csc101")
    job = Job(any_assignment, (), find_conditions("auto", "none"), "csc101")
    sources = {
        "one": source,
        "two": source_of("two", source),
        "three": source_of("three", source, is_alone=True),  # alone: the file is the whole submission
    }
    builds_by_stage = builds_of(job, sources, tmp_path / "built", Pool())
    programs = {stage: get_build().program for stage, get_build in builds_by_stage.items()}
    assert built_programs == ["one", "three"]
    assert {stage: program.argv[0] for stage, program in programs.items()} == {
        stage: str(tmp_path / "built" / stage / stage) for stage in ("one", "two", "three")
    }
    assert builds_by_stage["two"]() is builds_by_stage["two"]()


@pytest.mark.parametrize(("unused", "warns"), [("", False), ("int unused;", True)])
def test_of_the_output_of_a_successful_make_only_warnings_are_reported(tmp_path, unused, warns):
    folder = tmp_path / "handed in"
    folder.mkdir()
    (folder / "one.c").write_text(f"int main(void) {{ {unused} return 0; }}\n")
    (folder / "Makefile").write_text("one: one.c\n\tcc -Wall -o one one.c\n\t@echo done\n")
    result = build(Source(folder, "make", "Makefile", "one"), tmp_path / "into", find_conditions("auto", "none"))
    assert result.program is not None
    assert ("unused variable" in result.messages) == warns
    assert bool(result.messages) == warns
