"""`pitboss export ASSIGNMENT`: writes a bundle for students into a folder."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import click

from pitboss.assignments.assignment import Assignment
from pitboss.cli.common_options import make_folder, spec_folders, template_folder, write_bytes
from pitboss.cli.handout_files import report_missing_task
from pitboss.cli.prompts import loaded, require_reference
from pitboss.cli.restarting import child_command
from pitboss.errors import UsageError
from pitboss.kits.bundles.bundle import Bundle, bundle_of

#: The maximum number of lines of `pitboss verify` that are printed.
_MAX_LINES = 12


def write_bundle(name: str, folder: Path, language: str | None) -> int:
    """Write the bundle of an assignment and list its files; returns 1 if its reference does not run there.

    Raises UsageError if the folder is not empty or no bundle can be made.
    """
    assignment = loaded(name)
    require_reference(assignment, "export")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: this is not an empty folder; nothing is overwritten — name a new folder")
    is_installed = assignment.folder.resolve().parent == spec_folders()[-1].resolve()
    bundle = bundle_of(assignment, language, template_folder(), is_installed=is_installed)
    _write(bundle, folder)
    for sentence in bundle.sentences:
        click.echo(f"pitboss: {sentence}", err=True)
    report_missing_task(assignment)
    if not assignment.ships_reference or is_installed:
        return 0
    problems = _verify_bundle(folder, assignment)
    if problems:
        click.echo(f"pitboss: {folder}: `pitboss verify` fails in the bundle:\n{problems}", err=True)
    return 1 if problems else 0


def _write(bundle: Bundle, folder: Path) -> None:
    for name, file in bundle.files.items():
        path = folder / name
        make_folder(path.parent)
        write_bytes(str(path), file.content)
        if file.is_executable:
            path.chmod(path.stat().st_mode | 0o111)
    at_top = [name for name in bundle.files if "/" not in name]
    folders = {name.partition("/")[0] + "/" for name in bundle.files if "/" in name}
    click.echo(f"{folder}: {', '.join(sorted([*at_top, *folders]))}")


def _verify_bundle(folder: Path, assignment: Assignment) -> str:
    """Run `pitboss verify` in the bundle, as on a student's machine; returns its output, empty if it succeeds.

    It runs in a process of its own, where modules imported here do not hide a file that the bundle lacks.
    """
    environment = {name: value for name, value in os.environ.items() if name not in ("PITBOSS_SPECS", "PYTHONPATH")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    command = child_command(["verify", "--assignment", f"specs/{assignment.name}"])
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    lines = (done.stdout + done.stderr).decode("utf-8", "backslashreplace").splitlines()
    return "\n".join(lines[:_MAX_LINES]) if done.returncode else ""
