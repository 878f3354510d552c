"""Collects the content of archives that check elsewhere: pitboss, an assignment, and the versions of libraries."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pitboss
from pitboss.assignments.assignment import Assignment
from pitboss.assignments.functions import parts_of, places_of_package
from pitboss.errors import UsageError
from pitboss.kits.bundles.bundle_files import files_below as paths_below
from pitboss.kits.bundles.bundle_files import read_bundle_file
from pitboss.reports.exports.autograder import Member

#: Left out: compiled modules, and data of pitboss that an archive has elsewhere.
_LEFT_OUT = ("__pycache__", "_data")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def files_below(folder: Path, prefix: str, without: Iterable[Path] = ()) -> Iterator[Member]:
    """Yields the files of a folder for an archive, named below `prefix`, without hidden files.

    Raises UsageError for a file that an archive cannot contain or that cannot be read.
    """
    resolved = {path.resolve() for path in without}
    for path in paths_below(folder, _LEFT_OUT):
        if path.resolve() not in resolved:
            yield _member(path, f"{prefix}/{path.relative_to(folder).as_posix()}")


def _member(path: Path, name: str) -> Member:
    return Member(name, *read_bundle_file(path))


def pitboss_files(assignment: Assignment, without: Path) -> Iterator[Member]:
    """Yields the files of pitboss, of the assignment, and of reference code outside its folder.

    `without` is the archive itself, which may be in one of these folders.
    """
    version = _distribution("pitboss").version
    metadata = f"Metadata-Version: 2.1\nName: pitboss\nVersion: {version}\n"
    yield Member(f"pitboss-{version}.dist-info/METADATA", metadata.encode())
    yield from files_below(Path(pitboss.__file__).resolve().parent, "pitboss", [without])
    yield from files_below(assignment.folder, f"specs/{assignment.name}", [without])
    own = assignment.folder.resolve()
    paths = {path.resolve() for function in assignment.functions for path in places_of_package(parts_of(function))}
    for path in sorted(path for path in paths if not path.is_relative_to(own)):
        if path.is_dir():
            yield from files_below(path, path.name, [without])
        else:
            yield _member(path, path.name)


def requirements(more: Sequence[str] = ()) -> str:
    """Returns requirements for pip: the libraries of pitboss in the versions used here, and `more`."""
    pinned: dict[str, str] = {}
    waiting = ["pitboss"]
    while waiting:
        for line in _distribution(waiting.pop()).requires or ():
            text, _, condition = line.partition(";")
            name = _NAME.match(text.strip())
            if name is None or "extra" in condition or name[0].lower() in pinned:
                continue
            try:
                pinned[name[0].lower()] = importlib.metadata.version(name[0])
            except importlib.metadata.PackageNotFoundError:
                continue  # for another system or Python
            waiting.append(name[0])
    lines = [f"{name}=={version}" for name, version in pinned.items()]
    return "".join(f"{line}\n" for line in sorted([*lines, *more]))


def _distribution(name: str) -> importlib.metadata.Distribution:
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        raise UsageError(f"{name} is not installed with pip here, so the versions it needs are unknown") from None
