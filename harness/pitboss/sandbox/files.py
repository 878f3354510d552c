"""Reads and writes files of submissions safely, such as those in the folder of a session.

A program or a makefile may leave anything where a file should be. So nothing is opened that could block, no link is
followed in the folder of a session, and at most a given number of bytes is read. This module imports little, since the
process inside a bubblewrap needs it.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: The kinds of file that a path may lead to, with the values of transcript.FileKind.
REGULAR, MISSING, LINK, FOLDER = "a file", "missing", "a link", "a folder"
SPECIAL, CLOSED, TOO_LARGE = "no ordinary file", "not readable", "too large"

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_LINKED = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_READ = _READ_LINKED | os.O_NOFOLLOW
_CHUNK_BYTES = 1 << 20


def put(folder: str, files: Iterable[tuple[str, bytes]], user_id: int | None = None) -> None:
    """Create files, by their names and contents, in an empty folder, for this user (None: ours); OSError if it fails.

    Parts of a name before a slash are folders.
    """
    for name, content in files:
        *parts, last = name.split("/")
        path = folder
        for part in parts:
            path = f"{path}/{part}"
            if not os.path.isdir(path):
                os.mkdir(path)
                os.chmod(path, 0o755)
                _give(path, user_id)
        descriptor = os.open(f"{path}/{last}", _NEW, 0o644)
        try:
            os.fchmod(descriptor, 0o644)
            done = 0
            while done < len(content):
                done += os.write(descriptor, content[done : done + _CHUNK_BYTES])
        finally:
            os.close(descriptor)
        _give(f"{path}/{last}", user_id)


def _give(path: str, user_id: int | None) -> None:
    if user_id is not None:
        os.chown(path, user_id, user_id, follow_symlinks=False)


def left_in(folder: str, names: Iterable[str], max_bytes: int) -> list[tuple[str, str, bytes]]:
    """For each name: the name, the kind of file, and the content if regular; OSError if we are short of something.

    Call this when no process of the session is left.
    """
    return [(name, *_file_left(folder, name, max_bytes)) for name in names]


def _file_left(folder: str, name: str, max_bytes: int) -> tuple[str, bytes]:
    *parts, last = name.split("/")
    kind = _kind(folder, None)  # it is the program's own: even this may be unreadable, or gone
    if kind != FOLDER:
        return kind, b""
    here = os.open(folder, _FOLDER)
    try:
        for part in parts:
            kind = _kind(part, here)
            if kind != FOLDER:
                return MISSING if kind == REGULAR else kind, b""
            below = os.open(part, _FOLDER, dir_fd=here)
            os.close(here)
            here = below
        kind = _kind(last, here)
        return _content(last, here, max_bytes) if kind == REGULAR else (kind, b"")
    finally:
        os.close(here)


def _kind(name: str, here: int | None) -> str:
    try:
        found = os.stat(name, dir_fd=here, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    except PermissionError:
        return CLOSED
    mode = found.st_mode
    if stat.S_ISLNK(mode):
        return LINK
    # By its mode, so that it is the same for root, who may read everything.
    if stat.S_ISDIR(mode):
        return FOLDER if mode & 0o500 == 0o500 else CLOSED
    if not stat.S_ISREG(mode):
        return SPECIAL
    return REGULAR if mode & 0o400 else CLOSED


def _content(name: str, here: int, max_bytes: int) -> tuple[str, bytes]:
    descriptor = os.open(name, _READ, dir_fd=here)
    try:
        if os.fstat(descriptor).st_size > max_bytes:
            return TOO_LARGE, b""
        return REGULAR, read_open_file(descriptor, max_bytes)
    finally:
        os.close(descriptor)


def beginning_of(path: str | os.PathLike[str], max_bytes: int) -> bytes:
    """At most `max_bytes` of a regular file, or of one that a link leads to.

    Raises OSError if it cannot be read or is anything else, such as a pipe, at which a reader would wait for ever.
    """
    # Checked before it is opened: opening a device may already do something.
    descriptor = os.open(path, _READ_LINKED) if stat.S_ISREG(os.stat(path).st_mode) else -1
    try:
        if descriptor < 0 or not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not an ordinary file", os.fspath(path))
        return read_open_file(descriptor, max_bytes)
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def text_of(path: str | os.PathLike[str], max_characters: int) -> str:
    """The start of the text of a regular file, with newlines as line ends; raises as `beginning_of` does."""
    text = beginning_of(path, 4 * max_characters).decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")[:max_characters]


def read_open_file(descriptor: int, max_bytes: int, start: int = 0) -> bytes:
    """At most `max_bytes` of an open file from offset `start`; its position does not change."""
    chunks, offset = [], start
    # Not read(2): a launcher's filter stops it if the descriptor is 0.
    while offset - start < max_bytes:
        chunk = os.pread(descriptor, min(_CHUNK_BYTES, max_bytes - offset + start), offset)
        if not chunk:
            break
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)


def overwrite(descriptor: int, content: bytes) -> None:
    """Replace the content of an open file."""
    os.ftruncate(descriptor, 0)
    done = 0
    while done < len(content):
        done += os.pwrite(descriptor, content[done : done + _CHUNK_BYTES], done)


def unnamed() -> int:
    """A new unnamed file in memory, or a temporary one on systems without these; OSError if no descriptor is free."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("pitboss", os.MFD_CLOEXEC)
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
