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


def common_digest(
    machine: str, request: Iterable[str], assignment_folders: Iterable[Path], given: Iterable[Path]
) -> str:
    """A digest of everything that the reports on all submissions depend on.

    `machine` is a digest of this machine, `request` the request, `assignment_folders` the folders of the assignments,
    and `given` the course's files. Raises NoDigestError if a file cannot be read.
    """
    digest = Digest("common")
    digest.add(digest_of_pitboss(), machine, "asked", *request)
    for path in (*assignment_folders, *given):
        digest.add(str(path))
        digest.add_path(path)
    return digest.text()


def key_of(common: str, submission: Sequence[Path]) -> str:
    """The key of the report on a submission; `common` is the result of `common_digest`.

    `submission` has the paths at which the submission may be: see `paths_of_submission`. Raises NoDigestError if a path
    cannot be read.
    """
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
    """The key of the report on one submission of a class, where the files beside it belong to other students."""
    digest = Digest("report of a class")
    # A submission that is a file is named without its suffix unless a file beside it has that name.
    digest.add(common, name, path.name, *names_without_suffix(path))
    digest.add_submission(path)
    return digest.text()


def names_without_suffix(path: Path) -> list[str]:
    """The names without one or more of a file's suffixes (`a` and `a.tar` for a.tar.gz) that exist beside the file."""
    parts = path.name.split(".")
    stems = (".".join(parts[:end]) for end in range(1, len(parts)))
    return [stem for stem in stems if stem and path.with_name(stem).exists()]


def _names_in(folder: Path) -> list[str]:
    """The names in a folder: a submission's name depends on the names of the files beside its archive."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def assignments_below(folders: Iterable[Path]) -> list[Path]:
    """The folders of all assignments directly below these folders.

    The contents of all of them decide to which assignment a command refers.
    """
    assignments = []
    for folder in folders:
        if folder.is_dir():
            assignments += [path for path in sorted(folder.iterdir()) if (path / _ASSIGNMENT_FILE).is_file()]
    return assignments


def paths_of_submission(arguments: Sequence[str], assignments: Iterable[Path]) -> list[Path]:
    """The paths of the submission that the arguments of `check` may refer to.

    If the first argument is a path but may also be the name of a stage, the paths are the argument and the current
    folder: which one is meant is known only when the assignments are loaded.
    """
    current = Path(".")
    if not arguments or not os.path.exists(arguments[0]):
        return [current]
    named_path = Path(arguments[0])
    if "/" in arguments[0] or not _may_be_stage(arguments[0], assignments):
        return [named_path]
    return [named_path, current]


def _may_be_stage(argument: str, assignments: Iterable[Path]) -> bool:
    """Whether an argument occurs in an assignment file, so that it may be the name of a stage."""
    files = (path / _ASSIGNMENT_FILE for path in assignments)
    return any(argument.encode("utf-8", "surrogateescape") in file.read_bytes() for file in files)
