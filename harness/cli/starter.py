"""`pitboss starter`: what a student begins with."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.options import loaded, template_folder, write_file
from harness.errors import UsageError
from harness.starters import LANGUAGES, kit_of


@click.command()
@click.argument("name", metavar="ASSIGNMENT")
@click.option("--language", "-l", metavar="NAME", help=f"One of {', '.join(LANGUAGES)}; the course's where not given.")
@click.option("--into", "folder", type=click.Path(path_type=Path), required=True, help="A new or empty folder.")
def starter(name: str, language: str | None, folder: Path) -> int:
    """Write a starter kit: skeletons of the programs, a makefile, and a handout with samples from the reference."""
    assignment = loaded(name)
    files = kit_of(assignment, language or _language_of(assignment.language), template_folder())
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: this is not an empty folder; nothing is overwritten — name a new one")
    for file, text in files.items():
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(str(target), text)
    click.echo(f"{folder}: {', '.join(sorted(files))}")
    return 0


def _language_of(called: str) -> str:
    """The kit's name of a language that people call C++ or C#."""
    return {"C++": "cpp", "C#": "csharp"}.get(called, called.lower()) or "c"
