"""Unpacking untrusted zip and tar files, from one student or a whole class.

Only regular files are unpacked, and only below a new folder:

    INTO/…      as in the archive, without links, pipes or devices
"""

from __future__ import annotations

import bz2
import enum
import errno
import gzip
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import msgspec

from pitboss.errors import UsageError
from pitboss.machine.files import beginning_of
from pitboss.machine.retry import refusal_error
from pitboss.machine.shortages import is_short
from pitboss.submissions.sources import MAX_BYTES, MAX_FILES, is_ignored_name

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
#: Suffixes of archives that pitboss cannot unpack.
UNKNOWN_SUFFIXES = (".rar", ".7z", ".zipx", ".sit", ".lzh", ".arj", ".tar.zst", ".tar.lz")
#: Exceptions that the libraries raise for a file that is damaged or not an archive. `unpack` also treats some OSErrors
#: as damage.
_DAMAGE_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError, LookupError),
    *(NotImplementedError, ValueError, RuntimeError, OverflowError, MemoryError),
)
#: The first bytes of RAR and 7z archives, which pitboss cannot unpack even if they have another suffix.
_UNSUPPORTED_MAGIC = (b"Rar!", b"7z\xbc\xaf\x27\x1c")
#: The number of bytes read at once.
_CHUNK = 1 << 16
#: The maximum length of a path in an archive, in bytes.
_MAX_NAME_BYTES = 4096
#: The maximum length of an extended header of a tar file.
_MAX_HEADER_BYTES = 16 << 10
#: The maximum work for all extended headers of a tar file, divided by the number of allowed files. The work for a
#: header is the square of its length in blocks, since some versions of tarfile take time quadratic in this length.
_MAX_HEADER_WORK_PER_FILE = 25
#: Bits in the flags of a zip file's member.
_IS_ENCRYPTED, _IS_UTF8 = 0x1, 0x800
#: The function that opens a compressed tar file, by the first bytes of the file.
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}

#: Why an archive, or a file in an archive, cannot be unpacked; STUDENT_RULES has a sentence on each reason.
Problem = enum.Enum(
    "Problem", "UNKNOWN_KIND DAMAGED LOCKED TOO_MANY TOO_LARGE FAILED OUTSIDE UNNAMEABLE NAMESAKE LINK SPECIAL"
)
#: Files that are never unpacked, with the reason reported for each.
NEVER_UNPACKED = {Problem.LINK: "a link, which is not followed", Problem.SPECIAL: "not a regular file"}


class ProblemError(Exception):
    """An archive or a file in it cannot be unpacked.

    The arguments are the Problem and, if the sentence on the problem needs it, a file name or a system error.
    """


class ArchiveError(UsageError):
    """An archive cannot be unpacked; the message explains the reason to the person who packed the archive."""


class Rules(msgspec.Struct, frozen=True):
    """How much an archive may contain, and the sentences for an archive that cannot be unpacked.

    The placeholders `{detail}`, `{files}`, `{mb}` and `{gb}` in the sentences are filled in.
    """

    max_bytes: int
    max_files: int
    #: Whether a file or folder of this name is ignored: neither unpacked nor reported as left out.
    is_ignored: Callable[[str], bool]
    #: Problems for which only the affected file is left out. Any other problem refuses the whole archive.
    per_file_problems: frozenset[Problem]
    #: The beginning of a sentence about a refused archive, with the placeholder `{archive}`.
    subject: str
    #: For each problem, the remainder of the sentence about a refused archive, or the reason why a file is left out.
    sentences: Mapping[Problem, str]

    def refusal(self, archive: Path, problem: Problem, detail: str = "") -> ArchiveError:
        """Returns the error to raise for an archive that is refused because of `problem`."""
        return ArchiveError(self.subject.format(archive=archive) + self.sentence(problem, detail))

    def sentence(self, problem: Problem, detail: str = "") -> str:
        """Returns the text in `sentences` for a problem, with `detail` and the limits filled in."""
        limits = {"files": self.max_files, "mb": self.max_bytes >> 20, "gb": self.max_bytes >> 30}
        return self.sentences[problem].format(detail=detail, **limits)


STUDENT_RULES = Rules(
    MAX_BYTES,
    MAX_FILES,
    is_ignored_name,
    frozenset(NEVER_UNPACKED),
    "{archive.name} ",
    {
        **NEVER_UNPACKED,
        Problem.UNKNOWN_KIND: "has a format that cannot be unpacked here: hand in a .zip file.",
        Problem.DAMAGED: "is damaged or cut off: it cannot be unpacked.",
        Problem.LOCKED: "is locked with a password: hand it in without a password.",
        Problem.TOO_MANY: "has more than {files} files: hand in only the programs.",
        Problem.TOO_LARGE: "unpacks to more than {mb} MB: hand in only the programs.",
        Problem.FAILED: "cannot be unpacked: {detail}.",
        Problem.OUTSIDE: "has a file {detail!r}, whose path is outside the archive: create the archive again.",
        Problem.UNNAMEABLE: "contains a file with an invalid name: create the archive again.",
        Problem.NAMESAKE: "has two different files {detail}: hand in one of them.",
    },
)


def is_archive(path: Path) -> bool:
    """Whether a file's name has the suffix of an archive."""
    return path.name.lower().endswith((*SUFFIXES, *UNKNOWN_SUFFIXES))


def stem_of(name: str) -> str:
    """Returns the name of an archive without its suffix."""
    for suffix in sorted((*SUFFIXES, *UNKNOWN_SUFFIXES), key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[: -len(suffix)] or name
    return name


def unpack(archive: Path, into: Path, rules: Rules = STUDENT_RULES) -> list[tuple[str, str]]:
    """Unpacks an archive into the new folder `into`; returns the files that were left out, each with the reason.

    Raises ArchiveError if the archive cannot be unpacked, SessionError if this machine has no room for it. In both
    cases the folder may exist and contain files: the caller removes it.
    """
    name = archive.name.lower()
    if name.endswith(UNKNOWN_SUFFIXES):
        raise rules.refusal(archive, Problem.UNKNOWN_KIND)
    into.mkdir(parents=True)
    try:
        with archive.open("rb") as file:
            members = _zip_members(file) if name.endswith(".zip") else _tar_members(file, rules)
            return _write_all(members, into, rules)
    except ProblemError as error:
        raise rules.refusal(archive, *error.args) from error
    except OSError as error:
        if is_short(error.errno):
            raise refusal_error(f"{archive.name} could not be unpacked", error) from error
        # Damage: gzip and bz2 raise an OSError without a number, and seeking to a negative offset gives EINVAL.
        problem = Problem.DAMAGED if error.errno in (None, errno.EINVAL) else Problem.FAILED
        raise rules.refusal(archive, problem, error.strerror or "") from error
    except _DAMAGE_ERRORS as error:
        first_bytes = beginning_of(archive, max(map(len, _UNSUPPORTED_MAGIC)))
        is_unknown_kind = isinstance(error, NotImplementedError) or first_bytes.startswith(_UNSUPPORTED_MAGIC)
        raise rules.refusal(archive, Problem.UNKNOWN_KIND if is_unknown_kind else Problem.DAMAGED) from error


#: A file in an archive: its name, and its content in pieces or the reason why it cannot be unpacked.
_Member = tuple[str, Iterator[bytes] | Problem]


def _write_all(members: Iterator[_Member], into: Path, rules: Rules) -> list[tuple[str, str]]:
    """Writes the files of an archive below `into`; returns the files that were left out, each with the reason."""
    left_out = []
    total_bytes = file_count = 0
    for name, content in members:
        parts = _parts_of(name)
        if any(map(rules.is_ignored, parts)) and not _is_outside(name):
            continue
        file_count += 1
        if file_count > rules.max_files:
            raise ProblemError(Problem.TOO_MANY)
        try:
            if isinstance(content, Problem):
                raise ProblemError(content)
            if _is_outside(name):
                raise ProblemError(Problem.OUTSIDE, name)
            if not parts or "\0" in name or len(os.fsencode(name)) > _MAX_NAME_BYTES:
                raise ProblemError(Problem.UNNAMEABLE)
            total_bytes += _write(name, content, into.joinpath(*parts), rules.max_bytes - total_bytes)
        except ProblemError as error:
            if error.args[0] not in rules.per_file_problems:
                raise
            left_out.append((name, rules.sentence(*error.args)))
    return left_out


def _write(name: str, content: Iterator[bytes], target: Path, max_size: int) -> int:
    """Writes a file of an archive to `target`, where an identical file may exist; returns the file's size in bytes."""
    size = 0
    with _open_target(name, target) as file:
        for piece in content:
            size += len(piece)
            if size > max_size:
                raise ProblemError(Problem.TOO_LARGE)
            if file.writable():
                file.write(piece)
            elif file.read(len(piece)) != piece:
                raise ProblemError(Problem.NAMESAKE, name)
        if not file.writable() and file.read(1):
            raise ProblemError(Problem.NAMESAKE, name)
    return size


def _open_target(name: str, target: Path) -> IO[bytes]:
    """Opens `target`: a new file for writing, or an existing file for reading, to compare it."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return target.open("rb" if os.path.lexists(target) else "xb")
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise ProblemError(Problem.NAMESAKE, name) from error
    except OSError as error:
        if is_short(error.errno):
            raise
        raise ProblemError(Problem.FAILED, error.strerror or str(error)) from error


def _parts_of(name: str) -> list[str]:
    r"""Splits a path at slashes and backslashes.

    >>> _parts_of("a/./b\\c.c")
    ['a', 'b', 'c.c']
    """
    return [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]


def _is_outside(name: str) -> bool:
    """Whether a path in an archive may lead out of the folder that the archive is unpacked into.

    >>> [_is_outside(name) for name in ("a/b", "/a", "a/../b", "C:/a", "ab:c")]
    [False, True, True, True, False]
    """
    parts = _parts_of(name)
    has_drive = bool(parts) and parts[0][1:2] == ":"
    return ".." in parts or name[:1] in ("/", "\\") or has_drive


def _zip_members(file: IO[bytes]) -> Iterator[_Member]:
    archive = zipfile.ZipFile(file)
    for member in archive.infolist():
        if member.is_dir():
            continue
        if stat.S_ISLNK(member.external_attr >> 16):  # the upper 16 bits are the Unix mode
            yield _zip_name(member), Problem.LINK
        elif member.flag_bits & _IS_ENCRYPTED:
            raise ProblemError(Problem.LOCKED)
        else:
            yield _zip_name(member), _content_of(archive, member)


def _zip_name(member: zipfile.ZipInfo) -> str:
    """Returns the name of a file; older programs wrote UTF-8 names without setting the UTF-8 flag."""
    if member.flag_bits & _IS_UTF8:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def _content_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(member) as file:
        while piece := file.read(_CHUNK):
            yield piece


def _tar_members(file: IO[bytes], rules: Rules) -> Iterator[_Member]:
    stream: Any = _Stream(file, rules)
    with tarfile.open(fileobj=stream, mode="r:", errors="surrogateescape") as archive:
        for member in iter(archive.next, None):
            archive.members.clear()  # type: ignore[attr-defined]  # the list would grow with each header
            if member.islnk() or member.issym():
                yield member.name, Problem.LINK
            elif not member.isdir():
                is_plain = member.isreg() and not member.issparse()
                yield member.name, stream.content_of(member) if is_plain else Problem.SPECIAL
    if not stream.is_complete():
        raise EOFError


class _Stream:
    """The uncompressed bytes of a tar file, read once from its beginning to its end.

    tarfile reads the headers from this stream. A header that points backwards would make tarfile loop forever, so
    seeking back is an error. An .xz file may demand 4 GB of memory, but the memory that is really used is at most the
    unpacked size.
    """

    def __init__(self, file: IO[bytes], rules: Rules) -> None:
        head = file.read(6)
        file.seek(0)
        self._file: Any = next((opener(file) for magic, opener in _OPENERS.items() if head.startswith(magic)), file)
        #: The current offset in the uncompressed bytes.
        self._position = 0
        #: The header that was read last.
        self._header = b""
        #: The maximum size of the tar file: twice the allowed size of its files, since each file also has a header.
        self._max_bytes = 2 * rules.max_bytes
        #: The work for extended headers that is still allowed: see _MAX_HEADER_WORK_PER_FILE.
        self._remaining_work = _MAX_HEADER_WORK_PER_FILE * rules.max_files

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> None:
        if position < self._position:
            raise ValueError("a header points backwards")
        while self._position < position and self._read(position - self._position):
            pass

    def read(self, size: int) -> bytes:
        """Reads a header."""
        if size > tarfile.BLOCKSIZE:
            self._remaining_work -= (size // tarfile.BLOCKSIZE) ** 2
        if size > _MAX_HEADER_BYTES or self._remaining_work < 0:
            raise EOFError("a header is too long")
        self._header = self._read(size)
        return self._header

    def content_of(self, member: tarfile.TarInfo) -> Iterator[bytes]:
        """Yields the content of a file in pieces."""
        self.seek(member.offset_data)
        end = member.offset_data + member.size
        while self._position < end:
            piece = self._read(end - self._position)
            if not piece:
                raise EOFError
            yield piece

    def is_complete(self) -> bool:
        """Whether the last header and all that follows is zero, as at the end of a tar file that was not cut off."""
        pieces = iter(lambda: self._read(_CHUNK), b"")
        return self._header == bytes(tarfile.BLOCKSIZE) and not any(piece.strip(b"\0") for piece in pieces)

    def _read(self, size: int) -> bytes:
        piece: bytes = self._file.read(min(size, _CHUNK))
        self._position += len(piece)
        if self._position > self._max_bytes:
            raise ProblemError(Problem.TOO_LARGE)
        return piece
