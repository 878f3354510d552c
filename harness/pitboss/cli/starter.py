"""`pitboss starter`: writes a starter kit for students."""

from __future__ import annotations

from pathlib import Path

import click

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.cli.common_options import make_folder, spec_folders, template_folder, write_file
from pitboss.cli.completing import assignment_names
from pitboss.cli.resolving import resolve_assignment
from pitboss.errors import UsageError
from pitboss.kits.handouts import why_no_page
from pitboss.kits.starters import KIT_LANGUAGES, kit_of


@click.command()
@click.argument("name", metavar="ASSIGNMENT", shell_complete=assignment_names)
@click.option("--language", "-l", metavar="NAME", help=f"One of {', '.join(KIT_LANGUAGES)} (default: the course's).")
@click.option(
    "--into", "folder", type=click.Path(path_type=Path), required=True, help="A new or empty folder for the kit."
)
def starter(name: str, language: str | None, folder: Path) -> int:
    """Write a starter kit: skeletons, a makefile and a handout.

    The kit for the ASSIGNMENT also has build tasks for an editor such as VS Code. The samples in the handout come from
    the reference. The handout is written as HANDOUT.md and HANDOUT.html.
    """
    assignment = resolve_assignment(name)
    files = kit_of(assignment, language or assignment.language, template_folder(), called=_name_in_kit(assignment))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: this is not an empty folder; nothing is overwritten — name a new folder")
    for file, text in files.items():
        target = folder / file
        make_folder(target.parent)
        write_file(str(target), text)
    if reason := why_no_page():
        click.echo(f"pitboss: {reason}", err=True)
    click.echo(f"{folder}: {', '.join(sorted(files))}")
    report_missing_task(assignment)
    return 0


def report_missing_task(assignment: Assignment) -> None:
    """Print a warning if an assignment does not describe its task: its handout then has only rules and samples."""
    if assignment.handout is None and not any(stage.handout for stage in assignment.stages):
        click.echo(
            f"pitboss: the handout does not describe the task: write it into a file beside "
            f"{assignment.folder / ASSIGNMENT_FILE}, and name the file there: `handout: handout.md`",
            err=True,
        )


def _name_in_kit(assignment: Assignment) -> str:
    """Returns how the kit's commands name the assignment: by its name if it comes with pitboss, else by its folder."""
    folder = assignment.folder.resolve()
    *_, shipped_folder = spec_folders()
    return assignment.name if folder.parent == shipped_folder.resolve() else str(folder)
