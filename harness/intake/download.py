"""Unpacking the archive of a whole class; a file of it that is unfit is left out and named, and the others are kept.

Unlike what a student packed, hidden folders are unpacked too: a class may be git repositories.
"""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from pitboss.harness.errors import UsageError
from pitboss.harness.intake.names import A_LINK, shown
from pitboss.harness.machine.obtaining import refused
from pitboss.harness.machine.shortages import is_short
from pitboss.harness.submissions.archives import UNKNOWN_SUFFIXES
from pitboss.harness.submissions.members import DAMAGES, is_link, is_locked, is_nameable, is_outside, parts_of, zip_name

#: Hundreds of submissions, each with what an assignment needs; a larger download is not one of programs.
MOST_BYTES, MOST_FILES = 4 << 30, 200_000
_CHUNK = 1 << 16

#: A file of an archive: its name, and a function that opens it; or a reason to leave it out.
_Member = tuple[str, Callable[[], IO[bytes]] | str]


def unpacked(archive: Path, into: Path) -> list[str]:
    """Unpack a download into the new folder `into`; returns what was left out, with the reason.

    Raises UsageError if it cannot be unpacked, SessionError if this machine has no room for it.
    """
    name = archive.name
    if name.lower().endswith(UNKNOWN_SUFFIXES):
        raise UsageError(f"{archive}: this kind of archive cannot be unpacked here; unpack it, and give the folder")
    into.mkdir(parents=True)
    try:
        with archive.open("rb") as file:
            members = _of_zip(archive, file) if name.lower().endswith(".zip") else _of_tar(file)
            return _written(archive, members, into)
    except OSError as error:
        if is_short(error.errno):
            raise refused(f"{archive} could not be unpacked", error) from error
        raise UsageError(f"{archive}: it cannot be unpacked: {error.strerror or error}") from error
    except DAMAGES as error:
        raise UsageError(f"{archive}: it is damaged or cut off: download it again") from error


def _written(archive: Path, members: Iterator[_Member], into: Path) -> list[str]:
    left, size = [], 0
    for count, (name, opened) in enumerate(members, 1):
        if count > MOST_FILES:
            raise UsageError(f"{archive}: it has more than {MOST_FILES:,} files: this is no download of one class")
        reason = opened if isinstance(opened, str) else _unfit(name)
        if not reason and not isinstance(opened, str):
            written = _write(opened, into.joinpath(*parts_of(name)), MOST_BYTES - size)
            if isinstance(written, int):
                size += written
            reason = written if isinstance(written, str) else ""
        if size > MOST_BYTES:
            raise UsageError(f"{archive}: it unpacks to more than {MOST_BYTES >> 30} GB: give one class's download")
        if reason:
            left.append(f"{shown(name)}: {reason}")
    return left


def _unfit(name: str) -> str:
    """Why a file of this name is left out; empty if it is not."""
    if is_outside(name):
        return "it lies outside of the download"
    if not parts_of(name) or not is_nameable(name):
        return "no system takes its name"
    return ""


def _write(opened: Callable[[], IO[bytes]], target: Path, most: int) -> int | str:
    """Write a file; returns its bytes, more than `most` if there are more, or why it is left out."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened() as file, target.open("xb") as copy:
            size = 0
            while size <= most and (chunk := file.read(_CHUNK)):
                size += copy.write(chunk)
            return size
    except (FileExistsError, NotADirectoryError):
        return "a second file of this name"
    except OSError as error:
        if is_short(error.errno):
            raise
        return f"it cannot be unpacked: {error.strerror or error}"


def _of_zip(path: Path, file: IO[bytes]) -> Iterator[_Member]:
    archive = zipfile.ZipFile(file)
    for member in archive.infolist():
        if member.is_dir():
            continue
        name = zip_name(member)
        if is_link(member):
            yield name, A_LINK
        elif is_locked(member):
            raise UsageError(f"{path}: it is locked with a password: unpack it, and give the folder")
        else:
            yield name, lambda member=member: archive.open(member)  # type: ignore[misc]


def _of_tar(file: IO[bytes]) -> Iterator[_Member]:
    with tarfile.open(fileobj=file, mode="r:*", errors="surrogateescape") as archive:
        for member in archive:
            if member.isdir():
                continue
            if member.islnk() or member.issym():
                yield member.name, A_LINK
            elif not member.isreg() or member.issparse():
                yield member.name, "no ordinary file"
            else:
                yield member.name, lambda member=member: archive.extractfile(member)  # type: ignore[misc]
        # A tar file ends with blocks of zeros; without them it was cut off between two of its files.
        inner = archive.fileobj
        if inner is None or inner.seek(archive.offset) is None or inner.read(tarfile.BLOCKSIZE) != bytes(512):
            raise EOFError
