"""Digests: short numbers for texts, files and whole folders, which change with any byte of the content."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from hashlib import blake2b
from pathlib import Path

_DIGEST_BYTES = 20
#: A folder with more than this is not read for a digest: it is neither an assignment nor a submission.
_MAX_FILES, _MAX_BYTES = 5000, 256 << 20
_CHUNK_BYTES = 1 << 20
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
#: Folders among code and specs that belong to tools, and that no code of an assignment reads.
OF_TOOLS = frozenset({"__pycache__", ".git", ".hg", ".svn", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"})
Note = Callable[[str, bytes], None]


class UnknownError(Exception):
    """What a result depends on cannot be determined: a file cannot be read, or there is too much."""


class Digest:
    """A digest of everything added to it, in order; the boundaries between the parts matter, too."""

    def __init__(self, purpose: str, without: Iterable[Path] = ()) -> None:
        """Begin an empty digest, which leaves out the files `without`. Digests for different purposes differ."""
        self._without = frozenset(map(str, without))
        self._hash = blake2b(digest_size=_DIGEST_BYTES)
        self._files = self._bytes = 0
        self._note: Note = lambda path, content: None
        self.add(purpose)

    def add(self, *parts: str | bytes) -> None:
        """Add texts."""
        for part in parts:
            data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
            self._hash.update(b"%d:" % len(data))
            self._hash.update(data)

    def add_path(self, path: Path, note: Note = lambda path, content: None) -> None:
        """Add a file with its content, or a folder of code or specs with everything below it, following links.

        The folders of tools are left out. `note` is called with each file's path and content. Raises UnknownError if
        something cannot be read, or there is too much of it.
        """
        self._note = note
        self._add_safely(path, lambda: self._add_any(str(path), follows=True, seen=()))

    def add_submission(self, path: Path) -> None:
        """Add what a submission's programs may read in its folder, and what decides which programs are found.

        As in builds, links are not followed, except that the text of a linked file is added. Raises UnknownError as
        `add_path` does.
        """
        self._note = lambda path, content: None
        self._add_safely(path, lambda: self._add_any(str(path), follows=False, seen=()))

    def text(self) -> str:
        """The digest so far, in hexadecimal digits."""
        return self._hash.hexdigest()

    def _add_safely(self, path: Path, add: Callable[[], None]) -> None:
        try:
            add()
        except OSError as error:
            raise UnknownError(f"{path}: {error.strerror}") from error

    def _add_any(self, path: str, *, follows: bool, seen: tuple[str, ...]) -> None:
        """Add the file or folder at a path, or that it is missing."""
        try:
            mode = os.stat(path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            self.add("missing")
            return
        self.add(f"{stat.S_IFMT(mode):o} {stat.S_IMODE(mode):o}")
        if stat.S_ISDIR(mode):
            self._add_folder(path, follows=follows, seen=seen)
        elif stat.S_ISREG(mode):
            self._add_file(path)

    def _add_folder(self, path: str, *, follows: bool, seen: tuple[str, ...]) -> None:
        real = os.path.realpath(path) if follows else path
        if real in seen:  # a link back to a folder above
            return
        with os.scandir(path) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        found = [
            entry for entry in found if not (self._is_left_out(entry, follows=follows) or entry.path in self._without)
        ]
        self.add(f"folder of {len(found)}")
        for entry in found:
            self._count(0)
            self.add(entry.name)
            is_link = entry.is_symlink()
            if is_link:
                self.add("link", os.readlink(entry.path))
            if follows or not is_link or _is_file(entry):
                self._add_any(entry.path, follows=follows, seen=(*seen, real))

    @staticmethod
    def _is_left_out(entry: os.DirEntry[str], *, follows: bool) -> bool:
        """Whether an entry is a folder that is left out: a tool's, or a submission's hidden one (never copied)."""
        is_left_out = entry.name in OF_TOOLS if follows else entry.name.startswith(".")
        return is_left_out and entry.is_dir(follow_symlinks=follows)

    def _add_file(self, path: str) -> None:
        descriptor = os.open(path, _READ)
        try:
            state = os.fstat(descriptor)
            self._count(state.st_size)
            content = bytearray()
            while chunk := os.read(descriptor, min(_CHUNK_BYTES, state.st_size + 1)):
                content += chunk
                if len(content) > state.st_size:
                    raise UnknownError(f"{path}: it grows while it is read")
            self.add(bytes(content))
            self._note(path, bytes(content))
        finally:
            os.close(descriptor)

    def _count(self, size: int) -> None:
        self._files, self._bytes = self._files + 1, self._bytes + size
        if self._files > _MAX_FILES or self._bytes > _MAX_BYTES:
            raise UnknownError(f"more than {_MAX_FILES} files or {_MAX_BYTES >> 20} MB")


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False
