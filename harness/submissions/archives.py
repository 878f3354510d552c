"""Unpacking zip and tar files that students hand in; none of them is trusted.

Only regular files are unpacked, and only below the folder made for them:

    INTO/…      as in the archive, without links, hidden files and what macOS adds
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from pitboss.harness.errors import UsageError
from pitboss.harness.submissions.members import DAMAGES, is_link, is_locked, is_nameable, is_outside, parts_of, zip_name
from pitboss.harness.submissions.sources import MOST_BYTES, MOST_FILES, is_left_out

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
#: Kinds of archives that cannot be unpacked here.
UNKNOWN_SUFFIXES = (".rar", ".7z", ".zipx", ".sit", ".lzh", ".arj", ".tar.zst", ".tar.lz")
_CHUNK = 1 << 16
#: The memory limit for unpacking an .xz; the file states what it needs, usually 9 MB and 65 MB with -9.
_XZ_MEMORY = 256 << 20
#: A file in an archive: its name, and a function that opens it.
_Member = tuple[str, Callable[[], BinaryIO]]


class ArchiveError(UsageError):
    """An archive cannot be unpacked; the text is the reason, for the student."""


def is_archive(path: Path) -> bool:
    """Whether a file's name ends like that of an archive."""
    return path.name.lower().endswith((*SUFFIXES, *UNKNOWN_SUFFIXES))


def stem_of(name: str) -> str:
    """The name of an archive without its suffix."""
    for suffix in sorted((*SUFFIXES, *UNKNOWN_SUFFIXES), key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[: -len(suffix)] or name
    return name


def unpack(archive: Path, into: Path) -> None:
    """Unpack an archive into the new folder `into`; raises ArchiveError if that is not possible.

    In that case the folder may have been made, and files unpacked: the caller removes it.
    """
    name = archive.name
    if name.lower().endswith(UNKNOWN_SUFFIXES):
        raise ArchiveError(f"{name} cannot be unpacked here: hand in a .zip instead.")
    into.mkdir(parents=True)
    try:
        with archive.open("rb") as file:
            members = _of_zip(name, file) if name.lower().endswith(".zip") else _of_tar(name, file)
            _write(name, members, into)
    except ArchiveError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise ArchiveError(f"{name} cannot be unpacked: {reason}.") from error
    except (*DAMAGES, MemoryError) as error:
        raise ArchiveError(f"{name} is damaged or cut off: it cannot be unpacked.") from error


def _write(archive: str, members: Iterator[_Member], into: Path) -> None:
    size = count = 0
    for name, opened in members:
        target = _target(archive, name, into)
        if target is None:
            continue
        count += 1
        if count > MOST_FILES:
            raise ArchiveError(f"{archive} has more than {MOST_FILES} files: hand in only the programs.")
        target.parent.mkdir(parents=True, exist_ok=True)
        content = bytearray()
        with opened() as file:
            while chunk := file.read(_CHUNK):
                content += chunk
                size += len(chunk)
                if size > MOST_BYTES:
                    raise ArchiveError(
                        f"{archive} unpacks to more than {MOST_BYTES >> 20} MB: hand in only the programs."
                    )
        if target.exists():
            if target.is_dir() or target.read_bytes() != content:
                raise ArchiveError(f"{archive} has two different files {name}: hand in one of them.")
            continue
        target.write_bytes(content)


def _target(archive: str, name: str, into: Path) -> Path | None:
    """The path to write a file to; None for a file that is left out."""
    parts = parts_of(name)
    if is_outside(name):
        raise ArchiveError(f"{archive} has a file {name!r}, which lies outside of it: make the archive again.")
    if not parts or any(is_left_out(part) for part in parts):
        return None
    if not is_nameable(name):
        raise ArchiveError(f"{archive} has a file whose name no system takes: make the archive again.")
    return into.joinpath(*parts)


def _of_zip(name: str, file: BinaryIO) -> Iterator[_Member]:
    archive = zipfile.ZipFile(file)
    for member in archive.infolist():
        if member.is_dir() or is_link(member):
            continue
        if is_locked(member):
            raise ArchiveError(f"{name} is locked with a password: hand in one that is not.")
        yield zip_name(member), lambda member=member: archive.open(member)  # type: ignore[misc]


def _of_tar(name: str, file: BinaryIO) -> Iterator[_Member]:
    whole = io.BytesIO(_plain(name, file))
    if not whole.getbuffer().nbytes:
        raise EOFError
    with tarfile.open(fileobj=whole, mode="r:", errors="surrogateescape") as archive:
        end = 0
        for member in archive:
            end = member.offset_data + member.size
            if member.isreg() and not member.issparse():
                yield member.name, lambda member=member: archive.extractfile(member)  # type: ignore[misc]
        # A tar file ends with blocks of zeros; without them it was cut off between two of its files.
        if not whole.getvalue()[end:].strip(b"\0") == b"" or len(whole.getvalue()) - end < tarfile.BLOCKSIZE:
            raise EOFError


def _plain(name: str, file: BinaryIO) -> bytes:
    """The uncompressed bytes of a tar file; raises ArchiveError if there are too many."""
    head = file.read(6)
    file.seek(0)
    opened: BinaryIO = file
    if head.startswith(b"\x1f\x8b"):
        opened = gzip.open(file)  # type: ignore[assignment]
    elif head.startswith(b"BZh"):
        opened = bz2.open(file)  # type: ignore[assignment]
    elif head.startswith(b"\xfd7zXZ"):
        return _plain_xz(name, file)
    content = opened.read(2 * MOST_BYTES + 1)
    _see_size(name, len(content))
    return content


def _plain_xz(name: str, file: BinaryIO) -> bytes:
    decompressor = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
    content = bytearray()
    while not decompressor.eof:
        chunk = file.read(_CHUNK) if decompressor.needs_input else b""
        if not chunk and decompressor.needs_input:
            raise EOFError
        content += decompressor.decompress(chunk, _CHUNK)
        _see_size(name, len(content))
    return bytes(content)


def _see_size(name: str, size: int) -> None:
    if size > 2 * MOST_BYTES:  # twice, because each file in a tar has a header
        raise ArchiveError(f"{name} unpacks to more than {MOST_BYTES >> 20} MB: hand in only the programs.")
