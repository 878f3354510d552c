"""Collects the files of an archive that checks submissions on another machine: pitboss, an assignment, requirements."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pitboss
from pitboss.assignments.assignment import Assignment
from pitboss.assignments.functions import locations_of_package, parse_function_name
from pitboss.errors import UsageError
from pitboss.kits.bundles.bundle_files import files_below as paths_below
from pitboss.kits.bundles.bundle_files import read_bundle_file
from pitboss.reports.exports.autograder import Member

#: The folders that are left out: compiled modules, and the assignments that come with pitboss. The archive contains its
#: own assignment in another folder.
_EXCLUDED_FOLDERS = ("__pycache__", "_data")
#: The name of a library, at the beginning of a requirement.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def files_below(folder: Path, prefix: str, paths_to_exclude: Iterable[Path] = ()) -> Iterator[Member]:
    """Yields the files of a folder as members of an archive, in its folder `prefix`.

    Hidden files and the files in `paths_to_exclude` are left out. Raises UsageError for a file that an archive cannot
    contain or that cannot be read.
    """
    excluded_paths = {path.resolve() for path in paths_to_exclude}
    for path in paths_below(folder, _EXCLUDED_FOLDERS):
        if path.resolve() not in excluded_paths:
            yield _member(path, f"{prefix}/{path.relative_to(folder).as_posix()}")


def _member(path: Path, name: str) -> Member:
    return Member(name, *read_bundle_file(path))


def pitboss_files(assignment: Assignment, archive_path: Path) -> Iterator[Member]:
    """Yields the files of pitboss, of the assignment, and of reference code outside the assignment's folder.

    The archive itself is left out: it may be in one of the folders.
    """
    version = _distribution("pitboss").version
    metadata = f"Metadata-Version: 2.1\nName: pitboss\nVersion: {version}\n"
    yield Member(f"pitboss-{version}.dist-info/METADATA", metadata.encode())
    yield from files_below(Path(pitboss.__file__).resolve().parent, "pitboss", [archive_path])
    yield from files_below(assignment.folder, f"specs/{assignment.name}", [archive_path])
    assignment_folder = assignment.folder.resolve()
    package_paths = {
        path.resolve()
        for function in assignment.functions
        for path in locations_of_package(parse_function_name(function))
    }
    for path in sorted(path for path in package_paths if not path.is_relative_to(assignment_folder)):
        if path.is_dir():
            yield from files_below(path, path.name, [archive_path])
        else:
            yield _member(path, path.name)


def requirements(more: Sequence[str] = ()) -> str:
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
