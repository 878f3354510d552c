"""`pitboss starter`: what a student begins with."""

from __future__ import annotations

from pathlib import Path

import click

from harness.assignments.assignment import Assignment
from harness.authoring.starters import LANGUAGES, kit_of
from harness.cli.options import loaded, spec_folders, template_folder, write_file
from harness.errors import UsageError


@click.command()
@click.argument("name", metavar="ASSIGNMENT")
@click.option("--language", "-l", metavar="NAME", help=f"One of {', '.join(LANGUAGES)}; the course's where not given.")
@click.option("--into", "folder", type=click.Path(path_type=Path), required=True, help="A new or empty folder.")
def starter(name: str, language: str | None, folder: Path) -> int:
    """Write a starter kit: skeletons of the programs, a makefile, and a handout with samples from the reference."""
    assignment = loaded(name)
    language = language or _language_of(assignment.language)
    files = kit_of(assignment, language, template_folder(), called=_called(assignment))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: this is not an empty folder; nothing is overwritten — name a new one")
    for file, text in files.items():
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(str(target), text)
    click.echo(f"{folder}: {', '.join(sorted(files))}")
    return 0


def _called(assignment: Assignment) -> str:
    """How the assignment is named where the kit is used: by its name, if it comes with pitboss, else by its folder."""
    folder = assignment.folder.resolve()
    return assignment.name if folder.parent == spec_folders()[-1].resolve() else str(folder)


def _language_of(called: str) -> str:
    """The kit's name of a language that people call C++ or C#."""
    return {"C++": "cpp", "C#": "csharp"}.get(called, called.lower()) or "c"
