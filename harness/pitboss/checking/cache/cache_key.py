"""Computes the key of a cached report: one digest of everything the report depends on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from pitboss.sandbox.digests import Digest
from pitboss.sandbox.fingerprint import digest_of_pitboss

_ASSIGNMENT_FILE = "assignment.yaml"
#: Suffixes of archives: an archive is a complete submission. Any other file is a part of the submission in its folder.
_ARCHIVES = (".zip", ".tar", ".tgz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".7z", ".rar")


def common_digest(machine: str, asked: Iterable[str], specs: Iterable[Path], given: Iterable[Path]) -> str:
    """A digest of pitboss, this machine, the request, the assignments in these folders, and the course's files.

    Raises UnknownError if a file cannot be read.
    """
    digest = Digest("common")
    digest.add(digest_of_pitboss(), machine, "asked", *asked)
    for path in (*specs, *given):
        digest.add(str(path))
        digest.add_path(path)
    return digest.text()


def key_of(common: str, submission: Sequence[Path]) -> str:
    """The key of a report on a submission at one of these paths. Raises UnknownError if a path cannot be read."""
    digest = Digest("report")
    digest.add(common)
    for path in submission:
        digest.add(str(path))
        if path.is_dir():
            digest.add_submission(path)
        elif path.name.lower().endswith(_ARCHIVES):
            digest.add(*_names_in(path.parent))
            digest.add_submission(path)
        else:
            digest.add_submission(path.parent)
    return digest.text()


def key_in_class(common: str, path: Path, name: str) -> str:
    """The key of a report on one submission of a class: the files beside it belong to other students."""
    digest = Digest("report of a class")
    # A submission that is a file is named without its suffix unless a file beside it has that name.
    digest.add(common, name, path.name, *names_without_suffix(path))
    digest.add_submission(path)
    return digest.text()


def names_without_suffix(path: Path) -> list[str]:
    """The name of a file without one or more suffixes, for each such name that exists beside it."""
    parts = path.name.split(".")
    stems = (".".join(parts[:end]) for end in range(1, len(parts)))
    return [stem for stem in stems if stem and path.with_name(stem).exists()]


def _names_in(folder: Path) -> list[str]:
    """The names in a folder: a submission's name depends on the files beside its archive."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def assignments_below(folders: Iterable[Path]) -> list[Path]:
    """The folders of all assignments directly below these: which of them a command means depends on all contents."""
    assignments = []
    for folder in folders:
        if folder.is_dir():
            assignments += [path for path in sorted(folder.iterdir()) if (path / _ASSIGNMENT_FILE).is_file()]
    return assignments


def submission_of(arguments: Sequence[str], assignments: Iterable[Path]) -> list[Path]:
    """The paths that the arguments of `check` may refer to: several if only the assignments can decide."""
    current = Path(".")
    if not arguments or not os.path.exists(arguments[0]):
        return [current]
    named = Path(arguments[0])
    if "/" in arguments[0] or not _may_be_stage(arguments[0], assignments):
        return [named]
    return [named, current]


def _may_be_stage(argument: str, assignments: Iterable[Path]) -> bool:
    """Whether an argument occurs in an assignment file, so that it may be the name of a stage."""
    files = (path / _ASSIGNMENT_FILE for path in assignments)
    return any(argument.encode("utf-8", "surrogateescape") in file.read_bytes() for file in files)
