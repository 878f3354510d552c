"""`pitboss workflow`: the workflow with which GitHub Actions checks an assignment."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import click

from pitboss.cli.common_options import WholeNumber, make_folder, write_file
from pitboss.cli.completing import assignment_names
from pitboss.cli.resolving import resolve_assignment
from pitboss.errors import UsageError, as_found
from pitboss.reports.exports.github_workflow import workflow_yaml

_DEFAULT_OUTPUT = ".github/workflows/pitboss.yml"
_REPOSITORY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")


@click.command()
@click.argument("name", metavar="ASSIGNMENT", shell_complete=assignment_names)
@click.option(
    "--output",
    "-o",
    default=_DEFAULT_OUTPUT,
    metavar="FILE",
    help=f"Where to write the workflow (default: {_DEFAULT_OUTPUT}).",
)
@click.option(
    "--bundle", default=".github/autograder.zip", metavar="PATH", help="The archive from `pitboss gradescope`."
)
@click.option("--repository", metavar="OWNER/NAME", help="The repository with the archive, if not the student's.")
@click.option("--classroom", "is_classroom", is_flag=True, help="Report the score to GitHub Classroom.")
@click.option("--minutes", type=WholeNumber(1, 360), default=20, help="How long a job may take (default: 20).")
def workflow(name: str, output: str, bundle: str, repository: str | None, is_classroom: bool, minutes: int) -> int:
    """Write a GitHub Actions workflow that runs the checks.

    The workflow checks the ASSIGNMENT in a student's repository. It unpacks the archive from `pitboss gradescope`. With
    --repository, the archive comes from another repository: the job reads it with the secret PITBOSS_TOKEN, and
    students need no access to it.
    """
    if not bundle.strip():
        raise UsageError("--bundle is empty — give the path of the archive in the repository")
    if PurePosixPath(bundle).is_absolute() or ".." in PurePosixPath(bundle).parts:
        raise UsageError(f"--bundle: {as_found(bundle)} lies outside of a repository; name a path inside")
    if repository is not None and not _REPOSITORY_NAME.fullmatch(repository):
        raise UsageError(f"--repository: {as_found(repository)} is not a repository; write OWNER/NAME")
    text = workflow_yaml(
        resolve_assignment(name).title, bundle, repository=repository or "", minutes=minutes, is_classroom=is_classroom
    )
    if output == _DEFAULT_OUTPUT:
        make_folder(Path(_DEFAULT_OUTPUT).parent)
    write_file(output, text)
    if output != "-":
        location = f"{repository}, {bundle}" if repository else bundle
        click.echo(f"{output}: the workflow needs the archive of pitboss gradescope {name} as {location}")
    return 0
