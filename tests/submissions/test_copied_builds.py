"""Stages that are one program are built once; what depends on a program's name is built for each."""

import subprocess

import pytest

from pitboss.assignments.specfile import load_assignment
from pitboss.checking import builds
from pitboss.checking.builds import builds_of
from pitboss.sandbox.pool import Pool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.submissions.build import build, copied_build
from pitboss.submissions.compilers import Build
from pitboss.submissions.sources import Source
from tests.conftest import ROOT

HELLO = '#include <stdio.h>\nint main(void) { int unused; puts("hello"); return 0; }\n'


@pytest.fixture
def source(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "game.c").write_text(HELLO)
    return Source(tmp_path / "in", "c", "game.c", "one")


def other(source, **change):
    return Source(**{name: getattr(source, name) for name in source.__struct_fields__} | {"program": "two"} | change)


def test_a_copy_is_what_a_build_would_be(source, tmp_path):
    conditions, two = find_conditions("auto", "none"), other(source)
    made = copied_build(build(source, tmp_path / "one", conditions), source, two, tmp_path / "two")
    again = build(two, tmp_path / "again", conditions)
    assert made is not None
    assert "unused" in made.messages
    assert (made.command, made.messages) == (again.command, again.messages)
    assert made.program.argv == (str(tmp_path / "two" / "two"),)
    assert made.program.folder == tmp_path / "two"
    names = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("two", "again")]
    assert names[0] == names[1]
    modes = [(tmp_path / name / "two").stat().st_mode for name in ("two", "again")]
    assert modes[0] == modes[1]
    assert subprocess.run(made.program.argv, capture_output=True, check=True).stdout == b"hello\n"


def test_a_program_that_cannot_be_built_is_not_copied(source, tmp_path):
    (tmp_path / "in" / "game.c").write_text("int main(void) { return x; }\n")
    failed = build(source, tmp_path / "one", find_conditions("auto", "none"))
    assert copied_build(failed, source, other(source), tmp_path / "two") is None
    assert not (tmp_path / "two").exists()


@pytest.mark.parametrize("name", ["one", "two"])
def test_a_file_with_the_name_of_a_program_is_not_mistaken_for_it(source, tmp_path, name):
    """A program may read what lies beside it, and the compiler fails where a folder has its name."""
    (tmp_path / "in" / name).write_text("not a program")
    made = build(source, tmp_path / "built", find_conditions("auto", "none"))
    assert made.program is not None
    assert copied_build(made, source, other(source), tmp_path / "two") is None


def test_another_source_is_not_copied(source, tmp_path):
    made = build(source, tmp_path / "one", find_conditions("auto", "none"))
    assert copied_build(made, source, other(source, file="game2.c"), tmp_path / "two") is None
    assert copied_build(made, source, other(source, is_alone=True), tmp_path / "two") is None


def test_what_a_makefile_makes_is_not_copied(source, tmp_path):
    source = other(source, language="make", program="one")
    assert copied_build(Build(None), source, other(source), tmp_path / "two") is None


def test_a_submission_of_one_program_is_compiled_once(source, tmp_path, monkeypatch):
    built = []

    def counted(source, *more, **flags):
        built.append(source.program)
        return build(source, *more, **flags)

    monkeypatch.setattr(builds, "build", counted)
    job = Job(load_assignment(ROOT / "specs" / "csc101"), (), find_conditions("auto", "none"), "csc101")
    sources = {one.program: one for one in (source, other(source), other(source, program="three", is_alone=True))}
    made = builds_of(job, sources, tmp_path / "built", Pool())
    programs = {stage: of().program for stage, of in made.items()}
    assert built == ["one", "three"]
    assert {stage: one.argv[0] for stage, one in programs.items()} == {
        stage: str(tmp_path / "built" / stage / stage) for stage in ("one", "two", "three")
    }
    assert made["two"]() is made["two"]()


@pytest.mark.parametrize(("unused", "warns"), [("", False), ("int unused;", True)])
def test_of_a_makefile_that_built_the_program_only_warnings_are_kept(tmp_path, unused, warns):
    folder = tmp_path / "handed in"
    folder.mkdir()
    (folder / "one.c").write_text(f"int main(void) {{ {unused} return 0; }}\n")
    (folder / "Makefile").write_text("one: one.c\n\tcc -Wall -o one one.c\n\t@echo done\n")
    made = build(Source(folder, "make", "Makefile", "one"), tmp_path / "into", find_conditions("auto", "none"))
    assert made.program is not None
    assert ("unused variable" in made.messages) == bool(made.messages) == warns
