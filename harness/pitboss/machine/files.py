"""Reads and writes files of submissions safely, such as those in the folder of a session.

A program or a makefile may leave anything where a file should be, such as a pipe or a link. So these functions open
nothing that could block, follow no links in the folder of a session, and read at most a given number of bytes. This
module imports little, since the process inside a bubblewrap needs it.
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
SPECIAL, NOT_READABLE, TOO_LARGE = "no ordinary file", "not readable", "too large"

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ_LINKED_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_READ_FLAGS = _READ_LINKED_FLAGS | os.O_NOFOLLOW
_CHUNK_BYTES = 1 << 20


def write_files(folder: str, files: Iterable[tuple[str, bytes]], user_id: int | None = None) -> None:
    """Create files, pairs of a name and a content, in an empty folder. Their owner is `user_id` (None: our user).

    Folders in a name such as a/b.txt are created too. Raises OSError if something cannot be created.
    """
    for name, content in files:
        *parts, last = name.split("/")
        path = folder
        for part in parts:
            path = f"{path}/{part}"
            if not os.path.isdir(path):
                os.mkdir(path)
                os.chmod(path, 0o755)
                _change_owner(path, user_id)
        descriptor = os.open(f"{path}/{last}", _NEW_FILE_FLAGS, 0o644)
        try:
            os.fchmod(descriptor, 0o644)
            written = 0
            while written < len(content):
                written += os.write(descriptor, content[written : written + _CHUNK_BYTES])
        finally:
            os.close(descriptor)
        _change_owner(f"{path}/{last}", user_id)


def _change_owner(path: str, user_id: int | None) -> None:
    if user_id is not None:
        os.chown(path, user_id, user_id, follow_symlinks=False)


def read_files(folder: str, names: Iterable[str], max_bytes: int) -> list[tuple[str, str, bytes]]:
    """Read the files with these names from the folder of a session.

    Returns the name, the kind and the content of each; the content is empty unless the kind is REGULAR.

    Call this when no process of the session is left. Raises OSError if resources are short.
    """
    return [(name, *_kind_and_content(folder, name, max_bytes)) for name in names]


def _kind_and_content(folder: str, name: str, max_bytes: int) -> tuple[str, bytes]:
    *parts, last = name.split("/")
    kind = _kind(folder, None)  # the program owns the folder and may have made it unreadable or removed it
    if kind != FOLDER:
        return kind, b""
    parent = os.open(folder, _FOLDER_FLAGS)
    try:
        for part in parts:
            kind = _kind(part, parent)
            if kind != FOLDER:
                # Below a regular file there can be no other: the named file is missing.
                return MISSING if kind == REGULAR else kind, b""
            child = os.open(part, _FOLDER_FLAGS, dir_fd=parent)
            os.close(parent)
            parent = child
        kind = _kind(last, parent)
        return _content(last, parent, max_bytes) if kind == REGULAR else (kind, b"")
    finally:
        os.close(parent)


def _kind(name: str, parent: int | None) -> str:
    try:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    except PermissionError:
        return NOT_READABLE
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        return LINK
    # Decided by the mode, so that the kind does not depend on whether we are root, who may read everything.
    if stat.S_ISDIR(mode):
        return FOLDER if mode & 0o500 == 0o500 else NOT_READABLE
    if not stat.S_ISREG(mode):
        return SPECIAL
    return REGULAR if mode & 0o400 else NOT_READABLE


def _content(name: str, parent: int, max_bytes: int) -> tuple[str, bytes]:
    """REGULAR and the content of a regular file; TOO_LARGE and nothing if it has more than `max_bytes`."""
    descriptor = os.open(name, _READ_FLAGS, dir_fd=parent)
    try:
        if os.fstat(descriptor).st_size > max_bytes:
            return TOO_LARGE, b""
        return REGULAR, read_open_file(descriptor, max_bytes)
    finally:
        os.close(descriptor)


def beginning_of(path: str | os.PathLike[str], max_bytes: int, *, follows_links: bool = True) -> bytes:
    """The first `max_bytes` of a regular file, or of the regular file that a link leads to if it `follows_links`.

    Raises OSError if the file cannot be read or is not regular, such as a pipe, from which reading could block forever.
    """
    # The kind of file is checked before the file is opened, since even opening a device may have an effect; and again
    # afterwards, since another file may have taken its place.
    flags = _READ_LINKED_FLAGS if follows_links else _READ_FLAGS
    is_regular = stat.S_ISREG(os.stat(path, follow_symlinks=follows_links).st_mode)
    descriptor = os.open(path, flags) if is_regular else -1
    try:
        if descriptor < 0 or not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is not an ordinary file", os.fspath(path))
        return read_open_file(descriptor, max_bytes)
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def head_of(path: str | os.PathLike[str], max_bytes: int, *, follows_links: bool = True) -> bytes:
    """Like `beginning_of`, but empty if the file cannot be read or is not regular."""
    try:
        return beginning_of(path, max_bytes, follows_links=follows_links)
    except OSError:
        return b""


def text_of(path: str | os.PathLike[str], max_characters: int) -> str:
    """The start of the text of a regular file, with newlines as line ends; raises OSError like `beginning_of`."""
    max_bytes = 4 * max_characters  # a character has at most four bytes in UTF-8
    text = beginning_of(path, max_bytes).decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")[:max_characters]


def read_open_file(descriptor: int, max_bytes: int, start: int = 0) -> bytes:
    """At most `max_bytes` of an open file from offset `start`; the file's position does not change."""
    chunks, offset = [], start
    # pread(2) instead of read(2): a launcher's filter stops a read(2) of descriptor 0.
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
    written = 0
    while written < len(content):
        written += os.pwrite(descriptor, content[written : written + _CHUNK_BYTES], written)


def open_unnamed_copy(content: bytes) -> int:
    """The descriptor of a new unnamed file with this content, open for reading; OSError as `create_unnamed_file`."""
    descriptor = create_unnamed_file()
    try:
        overwrite(descriptor, content)
        return os.open(f"/dev/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(descriptor)


def create_unnamed_file() -> int:
    """The descriptor of a new unnamed file: in memory, or temporary on systems without memfd_create.

    Raises OSError if no descriptor is free.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create("pitboss", os.MFD_CLOEXEC)
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
