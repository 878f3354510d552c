"""Folders as bytes: a tar file of a submission or of an assignment, made here and unpacked by a worker.

A submission is somebody's who may mean harm. Links stay links where it is one, so nothing from outside of it is sent;
and nothing is unpacked outside of the folder made for it.
"""

from __future__ import annotations

import io
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

from pitboss.sandbox.digests import OF_TOOLS
from pitboss.submissions.sources import MOST_BYTES, MOST_FILES

#: So much more than a submission may have that what refuses it there does so in the same words as here.
_MOST_BYTES, _MOST_FILES = 2 * MOST_BYTES, 2 * MOST_FILES
_CAN_BE_SENT = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK, stat.S_ISFIFO)


class UnsendableError(Exception):
    """Something cannot be sent as it is; the text says why."""


def packed(path: Path, called: str, *, follows: bool) -> bytes:
    """A tar file of a file or a folder, which is called so in it; with `follows`, of what its links lead to.

    What tools keep for themselves is left out of code and specs, hidden folders of a submission. Raises UnsendableError
    if something cannot be read, or is no file, or there is too much of it.
    """
    whole = io.BytesIO()
    size = 0
    try:
        with tarfile.open(fileobj=whole, mode="w", dereference=follows, errors="surrogateescape") as tar:
            for number, (one, name) in enumerate(_below(str(path), called, follows, ())):
                entry = _entry(tar, one, name)
                size += entry.size
                if number >= _MOST_FILES or size > _MOST_BYTES:
                    raise UnsendableError(f"it has more than {_MOST_FILES} files or {_MOST_BYTES >> 20} MB")
                if entry.isreg():
                    with open(one, "rb") as file:
                        tar.addfile(entry, file)
                else:
                    tar.addfile(entry)
    except OSError as error:
        raise UnsendableError(f"it cannot be read: {error.strerror or error}") from error
    return whole.getvalue()


def _below(path: str, name: str, follows: bool, seen: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """A path and all below it, each with its name in the tar file, a folder before what is in it."""
    real = os.path.realpath(path) if follows else path
    if real in seen:  # a link that leads back
        return
    yield path, name
    if not os.path.isdir(path) or (os.path.islink(path) and not follows and seen):
        return
    with os.scandir(path) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        is_left_out = entry.name in OF_TOOLS if follows else entry.name.startswith(".")
        if not (is_left_out and entry.is_dir(follow_symlinks=follows)):
            yield from _below(entry.path, f"{name}/{entry.name}", follows, (*seen, real))


def _entry(tar: tarfile.TarFile, path: str, name: str) -> tarfile.TarInfo:
    """The head of an entry, of nobody's: who owns it there is who unpacks it."""
    is_first = not tar.getmembers()
    state = os.stat(path) if is_first else os.lstat(path)
    if not tar.dereference and not any(is_kind(state.st_mode) for is_kind in _CAN_BE_SENT):
        raise UnsendableError(f"{os.path.basename(path)!r} in it is no file")
    tar.inodes.clear()  # type: ignore[attr-defined]  # a file with two names is sent twice
    entry = tar.gettarinfo(os.path.realpath(path) if is_first else path, name)
    if entry is None or not (entry.isreg() or entry.isdir() or entry.issym() or entry.isfifo()):
        raise UnsendableError(f"{os.path.basename(path)!r} in it is no file")
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def unpack(content: bytes, into: Path) -> None:
    """Unpack what `packed` has made into a folder that is there; ValueError for a name that leads out of it."""
    folders: list[tuple[Path, tarfile.TarInfo]] = []
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:", errors="surrogateescape") as tar:
        for entry in tar:
            if entry.name.startswith("/") or ".." in entry.name.split("/"):
                raise ValueError(f"{entry.name!r} leads out of its folder")
            path = into / entry.name
            if entry.issym():
                os.symlink(entry.linkname, path)
                continue
            if entry.isdir():
                path.mkdir(exist_ok=True)
                folders.append((path, entry))
                continue
            if entry.isfifo():
                os.mkfifo(path)
            else:
                _write(tar, entry, path)
            _dress(path, entry)
    for path, entry in reversed(folders):  # one that may not be written must be full before
        _dress(path, entry)


def _write(tar: tarfile.TarFile, entry: tarfile.TarInfo, path: Path) -> None:
    source = tar.extractfile(entry)
    assert source is not None
    with source, open(path, "xb") as file:
        while chunk := source.read(1 << 16):
            file.write(chunk)


def _dress(path: Path, entry: tarfile.TarInfo) -> None:
    """Give it its mode and the instant of its last change: what a Makefile makes hangs on these."""
    path.chmod(stat.S_IMODE(entry.mode))
    os.utime(path, (entry.mtime, entry.mtime))
