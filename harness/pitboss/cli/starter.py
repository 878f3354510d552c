"""`pitboss starter`: writes a starter kit for students."""

from __future__ import annotations

from pathlib import Path

import click

from pitboss.assignments.assignment import Assignment
from pitboss.cli.common_options import make_folder, spec_folders, template_folder, write_bytes, write_file
from pitboss.cli.completing import assignment_names
from pitboss.cli.handout_files import report_missing_task
from pitboss.cli.resolving import resolve_assignment
from pitboss.errors import SessionError, UsageError
from pitboss.kits.printing import BROWSERS, find_browser, pdf_of, why_no_page
from pitboss.kits.starters import KIT_LANGUAGES, kit_of


@click.command()
@click.argument("name", metavar="ASSIGNMENT", shell_complete=assignment_names)
@click.option("--language", "-l", metavar="NAME", help=f"One of {', '.join(KIT_LANGUAGES)} (default: the course's).")
@click.option(
    "--into", "folder", type=click.Path(path_type=Path), required=True, help="A new or empty folder for the kit."
)
@click.option("--pdf/--no-pdf", "is_printed", default=True, help="Whether to print the handout as PDF, with a browser.")
def starter(name: str, language: str | None, folder: Path, *, is_printed: bool) -> int:
    """Write a starter kit: skeletons, a makefile and a handout.

    The kit for the ASSIGNMENT also has build tasks for an editor such as VS Code. The samples in the handout come from
    the reference. The handout is written as HANDOUT.md, HANDOUT.html and, if a browser such as Chromium is installed,
    HANDOUT.pdf.
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
    page = files.get("HANDOUT.html", "")
    pdf_names = _print_pdf(page, folder) if page and is_printed else ()
    click.echo(f"{folder}: {', '.join(sorted((*files, *pdf_names)))}")
    report_missing_task(assignment)
    return 0


def _print_pdf(page: str, folder: Path) -> tuple[str, ...]:
    """Print the handout as PDF, or report why it cannot be printed; returns the names of the written files."""
    browser = find_browser()
    if browser is None:
        click.echo(
            f"pitboss: no HANDOUT.pdf: there is no browser that can print ({', '.join(BROWSERS)}); HANDOUT.html prints "
            "well from any other browser",
            err=True,
        )
        return ()
    try:
        write_bytes(str(folder / "HANDOUT.pdf"), pdf_of(page, browser))
    except SessionError as error:
        click.echo(f"pitboss: no HANDOUT.pdf: {error}", err=True)
        return ()
    return ("HANDOUT.pdf",)


def _name_in_kit(assignment: Assignment) -> str:
    """Returns how the kit's commands name the assignment: by its name if it comes with pitboss, else by its folder."""
    folder = assignment.folder.resolve()
    *_, shipped_folder = spec_folders()
    return assignment.name if folder.parent == shipped_folder.resolve() else str(folder)
