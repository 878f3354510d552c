"""`pitboss export ASSIGNMENT`: a bundle for students, written into a folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import click

from pitboss.assignments.assignment import Assignment
from pitboss.cli.common_options import make_folder, spec_folders, template_folder, write_bytes
from pitboss.cli.handout_files import tell_missing_task
from pitboss.cli.prompts import loaded, see_reference
from pitboss.cli.restarting import child_command
from pitboss.errors import UsageError
from pitboss.kits.bundles.bundle import Bundle, bundle_of

#: So many lines of what `pitboss verify` says are passed on.
_MOST_LINES = 12


def write_bundle(name: str, folder: Path, language: str | None) -> int:
    """Write the bundle of an assignment, and tell what is in it; 1 if its reference does not run there.

    Raises UsageError for a folder that is not empty, and where a bundle cannot be made.
    """
    assignment = loaded(name)
    see_reference(assignment, "export")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: this is not an empty folder; nothing is overwritten — name a new one")
    is_installed = assignment.folder.resolve().parent == spec_folders()[-1].resolve()
    made = bundle_of(assignment, language, template_folder(), is_installed=is_installed)
    _write(made, folder)
    for sentence in made.sentences:
        click.echo(f"pitboss: {sentence}", err=True)
    tell_missing_task(assignment)
    if not assignment.ships_reference or is_installed:
        return 0
    said = _verified(folder, assignment)
    if said:
        click.echo(f"pitboss: {folder}: `pitboss verify` says of the bundle:\n{said}", err=True)
    return 1 if said else 0


def _write(made: Bundle, folder: Path) -> None:
    for name, file in made.files.items():
        path = folder / name
        make_folder(path.parent)
        write_bytes(str(path), file.content)
        if file.is_executable:
            path.chmod(path.stat().st_mode | 0o111)
    beside = [name for name in made.files if "/" not in name]
    below = {name.partition("/")[0] + "/" for name in made.files if "/" in name}
    click.echo(f"{folder}: {', '.join(sorted([*beside, *below]))}")


def _verified(folder: Path, assignment: Assignment) -> str:
    """What `pitboss verify` says where the reference is alone, as on a student's machine; empty if all is well.

    Modules that are known here already would hide that a file is missing there, so it is a process of its own.
    """
    environment = {name: value for name, value in os.environ.items() if name not in ("PITBOSS_SPECS", "PYTHONPATH")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    command = child_command(["verify", "--assignment", f"specs/{assignment.name}"])
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    lines = (done.stdout + done.stderr).decode("utf-8", "backslashreplace").splitlines()
    return "\n".join(lines[:_MOST_LINES]) if done.returncode else ""
