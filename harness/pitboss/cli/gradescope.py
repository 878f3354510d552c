"""`pitboss gradescope`: builds the archive with which Gradescope checks an assignment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import click

from pitboss.assignments.assignment import Assignment
from pitboss.cli.autograder_files import files_below, pitboss_files, requirements
from pitboss.cli.common_options import WholeNumber, given_option, write_bytes
from pitboss.cli.completing import assignment_names
from pitboss.cli.resolving import resolve_assignment, select_stages
from pitboss.errors import UsageError, as_found, did_you_mean
from pitboss.model.languages import language_name_for
from pitboss.reports.exports.autograder import PACKAGES, Member, archive, packages_for, scripts
from pitboss.submissions.course_folder import with_course_folders

#: A library with its exact version, as in numpy==2.1.0 or name[extra]==1.0.
_PINNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?==[A-Za-z0-9.!+_-]+")
#: The name of a Debian package.
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")


@click.command()
@click.argument("name", metavar="ASSIGNMENT", shell_complete=assignment_names)
@click.argument("stages", nargs=-1, metavar="[STAGE]...")
@click.option("--output", "-o", default="autograder.zip", metavar="FILE", help="The archive (default: autograder.zip).")
@click.option(
    "--language",
    "-l",
    "languages",
    multiple=True,
    metavar="NAME",
    help=f"A language that students may use: {', '.join(PACKAGES)} (default: the course's). May be repeated.",
)
@given_option
@click.option(
    "--apt", multiple=True, metavar="PACKAGE", help="An additional Debian package to install. May be repeated."
)
@click.option(
    "--pip", multiple=True, metavar="NAME==VERSION", help="A library that the reference imports. May be repeated."
)
@click.option("--jobs", "-j", type=WholeNumber(1, 256), help="How many cores a check uses (default: all).")
def gradescope(
    name: str,
    stages: tuple[str, ...],
    output: str,
    languages: tuple[str, ...],
    given: tuple[str, ...],
    apt: tuple[str, ...],
    pip: tuple[str, ...],
    jobs: int | None,
) -> int:
    """Build the autograder archive for Gradescope.

    The archive contains pitboss, the ASSIGNMENT and its references. Without a STAGE, submissions are checked for all
    stages.
    """
    assignment = resolve_assignment(name)
    # Called only for their errors, so that a wrong option is reported here and not by Gradescope.
    select_stages(assignment, stages)
    with_course_folders(assignment, given)
    packages = packages_for(_languages(languages, assignment), _validated(apt, _PACKAGE, "--apt", "a Debian package"))
    options = ["--jobs", str(jobs)] if jobs else []
    members: list[Member] = []
    for number, value in enumerate(given, 1):
        stage, equals, folder = ("", "", value) if Path(value).is_dir() else value.partition("=")
        # In the scripts, $here is the folder of the unpacked archive.
        options += ["--given", f"{stage}{equals}$here/given/{number}"]
        members += files_below(Path(folder), f"given/{number}")
    libraries = requirements(_validated(pip, _PINNED, "--pip", "a library with its version, as in numpy==2.1.0"))
    members.append(Member("requirements.txt", libraries.encode()))
    members += pitboss_files(assignment, archive_path=Path(output))
    executables = [member.name for member in members if member.is_executable]
    members += scripts(assignment.name, stages, packages, options, executables)
    content = archive(members)
    write_bytes(output, content)
    click.echo(f"{output}: {len(members)} files, {len(content) / 1e6:.1f} MB, for {assignment.name}", err=output == "-")
    return 0


def _languages(words: Sequence[str], assignment: Assignment) -> list[str]:
    """Returns the languages to prepare: those named by `words`, or else the course's language if it is supported.

    Raises UsageError for a word that is not a supported language.
    """
    supported = []
    for word in words or (assignment.language or "c",):
        language = language_name_for(word)
        if language in PACKAGES:
            supported.append(language)
        elif words:
            raise UsageError(
                f"--language: {as_found(word)} is not a supported language — there are "
                f"{', '.join(PACKAGES)}{did_you_mean(language, PACKAGES)}"
            )
    return supported


def _validated(values: Sequence[str], pattern: re.Pattern[str], option: str, label: str) -> Sequence[str]:
    """Returns the values of an option; UsageError for a value that does not match the pattern."""
    for value in values:
        if not pattern.fullmatch(value):
            raise UsageError(f"{option}: {as_found(value)} is not the name of {label}")
    return values
