"""The cache's folder of entries: private, bounded in size, and safe with any number of processes at once.

    $XDG_CACHE_HOME/pitboss/          ~/.cache/pitboss where that is not set; only its owner may enter it
        0f3a…                         one entry: its name is the digest of everything that it depends on

An entry is written under another name and then renamed, so it is never seen in part. An entry that is damaged, cut off,
of another version or under the wrong name is ignored. The folder is used only if nobody but its owner could have
written to it: a cached report is a grade.
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

#: The size of the cache: beyond this the least recently used entries are removed.
MAX_BYTES = 256 << 20
#: A larger report is not cached: it would displace too many others.
_MAX_OF_ONE = 32 << 20
#: The fraction of the cache that is left after a removal, so that there is room for more.
_LEFT_AFTER_REMOVAL = 0.9
#: A file that is written for longer than this, in seconds, was left behind by a process that ended.
_LONGEST_WRITING_S = 3600.0
#: Changes with the format of entries.
_HEAD = b"pitboss kept 1\n"
_SUM_BYTES = 32
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_OF_A_TEMPORARY = ".new-"


class Opened(NamedTuple):
    """The store, or why it cannot be used."""

    store: Store | None
    #: A sentence for the user; empty if there is a store, or the user has no home.
    refusal: str = ""


def opened(environment: Mapping[str, str]) -> Opened:
    """The store of the user with this environment; its folder is created if needed.

    Without a home there is no store. If others can write to its folder, or the user cannot, the refusal says so.
    """
    folder = folder_of(environment)
    if folder is None:
        return Opened(None)
    try:
        # Before anything is created: as root in another user's home, it would be in that user's way.
        refusal = _refusal_above(folder)
        if not refusal:
            os.makedirs(folder.parent, mode=0o700, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.mkdir(folder, 0o700)
            refusal = _refusal(folder)
        return Opened(None, refusal) if refusal else Opened(Store(folder))
    except FileExistsError as error:
        return Opened(None, f"{folder}: results cannot be cached here: {error.filename} is not a folder")
    except OSError as error:
        return Opened(None, f"{folder}: results cannot be cached here: {error.strerror}")


def folder_of(environment: Mapping[str, str]) -> Path | None:
    """The folder of a user's entries by the XDG Base Directory Specification; None without a home."""
    caches, home = environment.get("XDG_CACHE_HOME", ""), environment.get("HOME", "")
    # The specification ignores a relative path.
    if os.path.isabs(caches):
        return Path(caches) / "pitboss"
    return Path(home) / ".cache" / "pitboss" if os.path.isabs(home) else None


def _refusal(folder: Path) -> str:
    """Why the contents of a folder cannot be trusted, as a sentence; empty if they can. Raises OSError."""
    state = os.lstat(folder)
    if not stat.S_ISDIR(state.st_mode):
        return f"{folder}: this is not a folder, so results are not cached; remove it"
    if state.st_uid != os.geteuid():
        return (
            f"{folder}: it belongs to another user, so results are not cached; set XDG_CACHE_HOME to a folder of yours"
        )
    if state.st_mode & _BY_OTHERS:
        return f"{folder}: others may write there, so results are not cached; chmod 700 {folder}"
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return f"{folder}: results cannot be cached here: you may not write there"
    return ""


def _refusal_above(folder: Path) -> str:
    """Why others could replace this folder, as a sentence; empty if they cannot."""
    for above in folder.resolve().parents:
        try:
            state = os.stat(above)
        except FileNotFoundError:  # it will be created, by us
            continue
        is_open = state.st_mode & _BY_OTHERS and not state.st_mode & stat.S_ISVTX
        if is_open or state.st_uid not in (0, os.geteuid()):
            remedy = "set XDG_CACHE_HOME to a folder of yours"
            return f"{folder}: others may write to {above}, so results are not cached; {remedy}"
    return ""


class Store:
    """Entries of bytes, by name."""

    def __init__(self, folder: Path) -> None:
        """Use a folder that `opened` found to be ours alone."""
        self.folder = folder

    def get(self, name: str) -> bytes | None:
        """The content of an entry; None if it is missing or damaged."""
        try:
            folder = os.open(self.folder, _OPEN_FOLDER)
        except OSError:
            return None
        try:
            data = _read(name, folder)
            content = _content(name, data)
            if content is not None:
                with contextlib.suppress(OSError):
                    os.utime(name, dir_fd=folder)  # marks it as used
            return content
        except OSError:
            return None
        finally:
            os.close(folder)

    def put(self, name: str, content: bytes) -> None:
        """Store an entry if there is room; failures are ignored, since no result depends on it."""
        data = _entry(name, content)
        if len(data) > _MAX_OF_ONE:
            return
        with contextlib.suppress(OSError):
            folder = os.open(self.folder, _OPEN_FOLDER)
            try:
                _write(name, data, folder)
                _make_room(folder)
            finally:
                os.close(folder)


def _entry(name: str, content: bytes) -> bytes:
    packed = zlib.compress(content, 1)
    return _HEAD + _sum(name, packed) + packed


def _content(name: str, data: bytes) -> bytes | None:
    """The content of an entry; None if it is incomplete, or has another name."""
    start = len(_HEAD) + _SUM_BYTES
    packed = data[start:]
    if data[:start] != _HEAD + _sum(name, packed):
        return None
    try:
        return zlib.decompress(packed)
    except zlib.error:
        return None


def _sum(name: str, packed: bytes) -> bytes:
    return blake2b(name.encode() + b"\n" + packed, digest_size=_SUM_BYTES).digest()


def _read(name: str, folder: int) -> bytes:
    """The bytes of an entry that is a file of ours alone; empty if it is anything else. Raises OSError."""
    descriptor = os.open(name, _READ, dir_fd=folder)
    try:
        state = os.fstat(descriptor)
        is_ours = state.st_uid == os.geteuid() and not state.st_mode & _BY_OTHERS
        if not stat.S_ISREG(state.st_mode) or not is_ours or state.st_size > _MAX_OF_ONE:
            return b""
        data = bytearray()
        while chunk := os.read(descriptor, _MAX_OF_ONE):
            data += chunk
        return bytes(data)
    finally:
        os.close(descriptor)


def _write(name: str, data: bytes, folder: int) -> None:
    """Write an entry under another name, and rename it. Raises OSError."""
    temporary = f"{_OF_A_TEMPORARY}{os.getpid()}-{name}"
    descriptor = os.open(temporary, _WRITE, 0o600, dir_fd=folder)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)


def _make_room(folder: int) -> None:
    """Remove unfinished entries that were left behind, and the least recently used ones if there are too many."""
    found, now = [], time.time()
    with os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                state = entry.stat(follow_symlinks=False)
                is_left_behind = entry.name.startswith(_OF_A_TEMPORARY) and now - state.st_mtime > _LONGEST_WRITING_S
                if is_left_behind:
                    os.unlink(entry.name, dir_fd=folder)
                else:
                    found.append((state.st_mtime, state.st_size, entry.name))
    size = sum(entry_bytes for _, entry_bytes, _ in found)
    if size <= MAX_BYTES:
        return
    for _, of_one, name in sorted(found):
        if size <= MAX_BYTES * _LEFT_AFTER_REMOVAL:
            return
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
            size -= of_one
