"""Checks elsewhere: `pitboss gradescope` builds an archive, `pitboss workflow` a workflow of GitHub Actions."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import click

import pitboss
from pitboss.assignments.assignment import Assignment
from pitboss.assignments.functions import locations_of_package, parse_function_name
from pitboss.cli.common_options import WholeNumber, given_option, make_folder, write_bytes, write_file
from pitboss.cli.completing import assignment_names
from pitboss.cli.resolving import resolve_assignment, select_stages
from pitboss.errors import UsageError, as_found, did_you_mean
from pitboss.kits.bundle_files import files_to_copy, read_bundle_file
from pitboss.model.languages import language_name_for
from pitboss.reports.exports.autograder import PACKAGES, Member, archive, packages_for, scripts
from pitboss.reports.exports.github import workflow_yaml
from pitboss.submissions.course_files import with_course_folders

#: A library with its exact version, as in numpy==2.1.0 or name[extra]==1.0.
_PINNED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?==[A-Za-z0-9.!+_-]+")
#: The name of a Debian package.
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")
#: The folders that are left out: compiled modules, and the assignments that come with pitboss. The archive contains its
#: own assignment in another folder.
_EXCLUDED_FOLDERS = ("__pycache__", "_data")
#: The name of a library, at the beginning of a requirement.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_DEFAULT_OUTPUT = ".github/workflows/pitboss.yml"
_REPOSITORY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")


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
        members += _members_below(Path(folder), f"given/{number}")
    libraries = _requirements(_validated(pip, _PINNED, "--pip", "a library with its version, as in numpy==2.1.0"))
    members.append(Member("requirements.txt", libraries.encode()))
    members += _pitboss_files(assignment, archive_path=Path(output))
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


def _members_below(folder: Path, prefix: str, paths_to_exclude: Iterable[Path] = ()) -> Iterator[Member]:
    """Yields the files of a folder as members of an archive, in its folder `prefix`.

    Hidden files and the files in `paths_to_exclude` are left out. Raises UsageError for a link to a folder, and OSError
    for a file that cannot be read.
    """
    excluded_paths = {path.resolve() for path in paths_to_exclude}
    for path in files_to_copy(folder, _EXCLUDED_FOLDERS):
        if path.resolve() not in excluded_paths:
            yield _member(path, f"{prefix}/{path.relative_to(folder).as_posix()}")


def _member(path: Path, name: str) -> Member:
    return Member(name, *read_bundle_file(path))


def _pitboss_files(assignment: Assignment, archive_path: Path) -> Iterator[Member]:
    """Yields the files of pitboss, of the assignment, and of reference code outside the assignment's folder.

    The archive itself is left out: it may be in one of the folders.
    """
    version = _distribution("pitboss").version
    metadata = f"Metadata-Version: 2.1\nName: pitboss\nVersion: {version}\n"
    yield Member(f"pitboss-{version}.dist-info/METADATA", metadata.encode())
    yield from _members_below(Path(pitboss.__file__).resolve().parent, "pitboss", [archive_path])
    yield from _members_below(assignment.folder, f"specs/{assignment.name}", [archive_path])
    assignment_folder = assignment.folder.resolve()
    package_paths = {
        path.resolve()
        for function in assignment.functions
        for path in locations_of_package(parse_function_name(function))
    }
    for path in sorted(path for path in package_paths if not path.is_relative_to(assignment_folder)):
        if path.is_dir():
            yield from _members_below(path, path.name, [archive_path])
        else:
            yield _member(path, path.name)


def _requirements(more: Sequence[str] = ()) -> str:
    """Returns a requirements file for pip: the libraries of pitboss in the versions used here, and `more` lines."""
    versions: dict[str, str] = {}
    unvisited = ["pitboss"]
    while unvisited:
        for line in _distribution(unvisited.pop()).requires or ():
            requirement, _, condition = line.partition(";")
            match = _NAME.match(requirement.strip())
            # Libraries that only an extra installs are left out.
            if match is None or "extra" in condition or match[0].lower() in versions:
                continue
            try:
                versions[match[0].lower()] = importlib.metadata.version(match[0])
            except importlib.metadata.PackageNotFoundError:
                continue  # a library that only other systems or versions of Python need
            unvisited.append(match[0])
    lines = [f"{name}=={version}" for name, version in versions.items()]
    return "".join(f"{line}\n" for line in sorted([*lines, *more]))


def _distribution(name: str) -> importlib.metadata.Distribution:
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        raise UsageError(
            f"{name} is not installed with pip here, so the versions of the libraries that it needs are unknown"
        ) from None


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
