"""The cache's folder of entries: private, bounded in size, and safe with any number of processes at once.

    $XDG_CACHE_HOME/pitboss/          ~/.cache/pitboss if XDG_CACHE_HOME is not set; only the owner may enter the folder
        0f3a…                         one entry: its name is the digest of everything that the entry depends on

An entry is written under a temporary name and then renamed, so no reader sees an unfinished entry. An entry that is
damaged, cut off, of another version or under the wrong name is ignored. The folder is used only if nobody but its owner
could have written to it: a cached report is a grade.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
import zlib
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from pitboss.machine.files import read_open_file

#: The maximum size of the cache: if it is larger, the least recently used entries are removed.
MAX_BYTES = 256 << 20
#: The maximum size of an entry. A larger report is not cached, since it would displace too many others.
_MAX_ENTRY_BYTES = 32 << 20
#: The fraction of `MAX_BYTES` that is left after a removal, so that there is room for more entries.
_LEFT_AFTER_REMOVAL = 0.9
#: A temporary file older than this, in seconds, was left behind by a process that ended while it wrote the file.
_LONGEST_WRITING_S = 3600.0
#: The first bytes of every entry. The number in them changes with the format of entries.
_HEAD = b"pitboss kept 1\n"
_DIGEST_BYTES = 32
#: Flags for os.open.
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_TEMPORARY_PREFIX = ".new-"


class StoreOrRefusal(NamedTuple):
    """The store, or the reason why it cannot be used."""

    store: Store | None
    #: The reason, as a sentence for the user; empty if there is a store, or if the user has no home.
    refusal: str = ""


def open_store(environment: Mapping[str, str]) -> StoreOrRefusal:
    """Returns the store of the user with these environment variables; creates the store's folder if needed.

    Without a home there is no store. If others can write to the folder, or the user cannot, the refusal says so.
    """
    folder = folder_of(environment)
    if folder is None:
        return StoreOrRefusal(None)
    try:
        # Checked before anything is created: a folder that root creates in another user's home is in that user's way.
        refusal = _refusal_of_ancestors(folder)
        if not refusal:
            os.makedirs(folder.parent, mode=0o700, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, 0o700)
            refusal = _refusal_of_folder(folder)
        return StoreOrRefusal(None, refusal) if refusal else StoreOrRefusal(Store(folder))
    except FileExistsError as error:
        return StoreOrRefusal(None, f"{folder}: results cannot be cached here: {error.filename} is not a folder")
    except OSError as error:
        return StoreOrRefusal(None, f"{folder}: results cannot be cached here: {error.strerror}")


def folder_of(environment: Mapping[str, str]) -> Path | None:
    """The folder of a user's entries according to the XDG Base Directory Specification; None without a home."""
    caches, home = environment.get("XDG_CACHE_HOME", ""), environment.get("HOME", "")
    # The specification says that a relative path must be ignored.
    if os.path.isabs(caches):
        return Path(caches) / "pitboss"
    return Path(home) / ".cache" / "pitboss" if os.path.isabs(home) else None


def _refusal_of_folder(folder: Path) -> str:
    """Why the contents of a folder cannot be trusted, as a sentence; empty if they can be trusted. Raises OSError."""
    state = os.lstat(folder)
    if not stat.S_ISDIR(state.st_mode):
        return f"{folder}: this is not a folder, so results are not cached; remove it"
    if state.st_uid != os.geteuid():
        return (
            f"{folder}: it belongs to another user, so results are not cached; set XDG_CACHE_HOME to a folder of yours"
        )
    if state.st_mode & _WRITABLE_BY_OTHERS:
        return f"{folder}: others may write there, so results are not cached; chmod 700 {folder}"
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return f"{folder}: results cannot be cached here: you may not write there"
    return ""


def _refusal_of_ancestors(folder: Path) -> str:
    """The refusal, as a sentence, if others may write to a parent of `folder` and so could replace it; else empty."""
    for ancestor in folder.resolve().parents:
        try:
            state = os.stat(ancestor)
        except FileNotFoundError:  # we will create this folder
            continue
        # In a sticky folder such as /tmp, others cannot replace our files.
        is_writable_by_others = state.st_mode & _WRITABLE_BY_OTHERS and not state.st_mode & stat.S_ISVTX
        if is_writable_by_others or state.st_uid not in (0, os.geteuid()):
            remedy = "set XDG_CACHE_HOME to a folder of yours"
            return f"{folder}: others may write to {ancestor}, so results are not cached; {remedy}"
    return ""


class Store:
    """Entries of bytes, by name."""

    def __init__(self, folder: Path) -> None:
        """Use a folder to which only we can write, as `open_store` has checked."""
        self.folder = folder

    def get(self, name: str) -> bytes | None:
        """The content of an entry; None if it is missing or damaged."""
        try:
            folder_descriptor = os.open(self.folder, _OPEN_FOLDER)
        except OSError:
            return None
        try:
            data = _read(name, folder_descriptor)
            content = _content(name, data)
            if content is not None:
                with contextlib.suppress(OSError):
                    os.utime(name, dir_fd=folder_descriptor)  # marks the entry as used
            return content
        except OSError:
            return None
        finally:
            os.close(folder_descriptor)

    def put(self, name: str, content: bytes) -> None:
        """Store an entry, unless it is too large; failures are ignored, since no result depends on the cache."""
        data = _entry(name, content)
        if len(data) > _MAX_ENTRY_BYTES:
            return
        with contextlib.suppress(OSError):
            folder_descriptor = os.open(self.folder, _OPEN_FOLDER)
            try:
                _write(name, data, folder_descriptor)
                _make_room(folder_descriptor)
            finally:
                os.close(folder_descriptor)


def _entry(name: str, content: bytes) -> bytes:
    """The bytes of an entry's file: the head, the digest, and the compressed content."""
    packed = zlib.compress(content, 1)
    return _HEAD + _digest(name, packed) + packed


def _content(name: str, data: bytes) -> bytes | None:
    """The content of the entry whose file has these bytes; None if the bytes are damaged or of another entry."""
    start = len(_HEAD) + _DIGEST_BYTES
    packed = data[start:]
    if data[:start] != _HEAD + _digest(name, packed):
        return None
    try:
        return zlib.decompress(packed)
    except zlib.error:
        return None


def _digest(name: str, packed: bytes) -> bytes:
    """The digest of an entry's name and compressed content."""
    return blake2b(name.encode() + b"\n" + packed, digest_size=_DIGEST_BYTES).digest()


def _read(name: str, folder_descriptor: int) -> bytes:
    """The bytes of an entry's file. Raises OSError.

    Empty if it is not a regular file, if others could have written to it, or if it is too large.
    """
    descriptor = os.open(name, _READ, dir_fd=folder_descriptor)
    try:
        state = os.fstat(descriptor)
        is_ours = state.st_uid == os.geteuid() and not state.st_mode & _WRITABLE_BY_OTHERS
        if not stat.S_ISREG(state.st_mode) or not is_ours or state.st_size > _MAX_ENTRY_BYTES:
            return b""
        return read_open_file(descriptor, _MAX_ENTRY_BYTES)
    finally:
        os.close(descriptor)


def _write(name: str, data: bytes, folder_descriptor: int) -> None:
    """Write an entry's file under a temporary name, then rename it. Raises OSError."""
    temporary = f"{_TEMPORARY_PREFIX}{os.getpid()}-{name}"
    descriptor = os.open(temporary, _WRITE, 0o600, dir_fd=folder_descriptor)
    try:
        remaining = memoryview(data)
        while remaining:
            remaining = remaining[os.write(descriptor, remaining) :]
        os.rename(temporary, name, src_dir_fd=folder_descriptor, dst_dir_fd=folder_descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder_descriptor)
        raise
    finally:
        os.close(descriptor)


def _make_room(folder_descriptor: int) -> None:
    """Remove temporary files that were left behind and, if the cache is too large, the least recently used entries."""
    files, now = [], time.time()
    with os.scandir(folder_descriptor) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                state = entry.stat(follow_symlinks=False)
                is_left_behind = entry.name.startswith(_TEMPORARY_PREFIX) and now - state.st_mtime > _LONGEST_WRITING_S
                if is_left_behind:
                    os.unlink(entry.name, dir_fd=folder_descriptor)
                else:
                    files.append((state.st_mtime, state.st_size, entry.name))
    size = sum(entry_bytes for _, entry_bytes, _ in files)
    if size <= MAX_BYTES:
        return
    for _, entry_bytes, name in sorted(files):
        if size <= MAX_BYTES * _LEFT_AFTER_REMOVAL:
            return
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder_descriptor)
            size -= entry_bytes
