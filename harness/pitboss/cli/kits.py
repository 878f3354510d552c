"""What students get: `pitboss starter` writes a starter kit, `pitboss export ASSIGNMENT` a bundle."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import click

from pitboss.assignments.assignment import Assignment
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.cli.common_options import make_folder, spec_folders, template_folder, write_bytes, write_file
from pitboss.cli.completing import assignment_names
from pitboss.cli.main import child_command
from pitboss.cli.resolving import require_reference, resolve_assignment
from pitboss.errors import UsageError
from pitboss.kits.bundle import Bundle, bundle_of
from pitboss.kits.handouts import why_no_page
from pitboss.kits.starters import KIT_LANGUAGES, kit_of

#: The maximum number of lines to print from the output of `pitboss verify`.
_MAX_LINES = 12


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
    _check_is_empty(folder)
    for file, text in files.items():
        target = folder / file
        make_folder(target.parent)
        write_file(str(target), text)
    if reason := why_no_page():
        click.echo(f"pitboss: {reason}", err=True)
    click.echo(f"{folder}: {', '.join(sorted(files))}")
    _report_missing_task(assignment)
    return 0


def _report_missing_task(assignment: Assignment) -> None:
    """Print a warning if an assignment does not describe its task: its handout then has only rules and samples."""
    if assignment.handout is None and not any(stage.handout for stage in assignment.stages):
        click.echo(
            f"pitboss: the handout does not describe the task: write it into a file beside "
            f"{assignment.folder / ASSIGNMENT_FILE}, and name the file there: `handout: handout.md`",
            err=True,
        )


def _name_in_kit(assignment: Assignment) -> str:
    """Returns how the kit's commands name the assignment: by its name if it comes with pitboss, else by its folder."""
    return assignment.name if _is_installed(assignment) else str(assignment.folder.resolve())


def _is_installed(assignment: Assignment) -> bool:
    """Whether an assignment comes with pitboss."""
    *_, shipped_folder = spec_folders()
    return assignment.folder.resolve().parent == shipped_folder.resolve()


def _check_is_empty(folder: Path) -> None:
    """Raise UsageError unless the folder is new or empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: this is not an empty folder; nothing is overwritten — name a new folder")


def write_bundle(name: str, folder: Path, language: str | None) -> int:
    """Write the bundle of an assignment and list its files; returns the exit code: 1 if `pitboss verify` fails in it.

    Only a bundle that contains its reference is verified. Raises UsageError if the folder is not empty, or if no bundle
    can be made.
    """
    assignment = resolve_assignment(name)
    require_reference(assignment, "export")
    _check_is_empty(folder)
    is_installed = _is_installed(assignment)
    bundle = bundle_of(assignment, language, template_folder(), is_installed=is_installed)
    _write_files(bundle, folder)
    for sentence in bundle.sentences:
        click.echo(f"pitboss: {sentence}", err=True)
    _report_missing_task(assignment)
    if not assignment.ships_reference or is_installed:
        return 0
    problems = _verify_bundle(folder, assignment)
    if problems:
        click.echo(f"pitboss: {folder}: `pitboss verify` fails in the bundle:\n{problems}", err=True)
    return 1 if problems else 0


def _write_files(bundle: Bundle, folder: Path) -> None:
    for name, file in bundle.files.items():
        path = folder / name
        make_folder(path.parent)
        write_bytes(str(path), file.content)
        if file.is_executable:
            path.chmod(path.stat().st_mode | 0o111)
    top_files = [name for name in bundle.files if "/" not in name]
    folders = {name.partition("/")[0] + "/" for name in bundle.files if "/" in name}
    click.echo(f"{folder}: {', '.join(sorted([*top_files, *folders]))}")


def _verify_bundle(folder: Path, assignment: Assignment) -> str:
    """Run `pitboss verify` in the bundle, as on a student's machine; returns its output if it fails, else "".

    It runs in a separate process: a module that this process has already imported could hide that the module's file is
    missing in the bundle.
    """
    environment = {name: value for name, value in os.environ.items() if name not in ("PITBOSS_SPECS", "PYTHONPATH")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    command = child_command(["verify", "--assignment", f"specs/{assignment.name}"])
    process = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    lines = (process.stdout + process.stderr).decode("utf-8", "backslashreplace").splitlines()
    return "\n".join(lines[:_MAX_LINES]) if process.returncode else ""
