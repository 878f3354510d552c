"""The files of zip and tar archives: what their names say, and what the libraries raise. No archive is trusted."""

from __future__ import annotations

import lzma
import os
import tarfile
import zipfile
import zlib

#: What the libraries raise for a file that is damaged or not an archive.
DAMAGES = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(EOFError, NotImplementedError, ValueError, RuntimeError, OverflowError),
)
_IS_ENCRYPTED = 0x1
_IS_UTF8 = 0x800
_KIND, _LINK = 0o170000, 0o120000
_NAME_BYTES = 4096


def zip_name(member: zipfile.ZipInfo) -> str:
    """The name of a file; older programs wrote it in an encoding that the archive does not state."""
    if member.flag_bits & _IS_UTF8:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename


def is_link(member: zipfile.ZipInfo) -> bool:
    """Whether it is a symbolic link; the mode of Unix is in the upper half."""
    return (member.external_attr >> 16) & _KIND == _LINK


def is_locked(member: zipfile.ZipInfo) -> bool:
    """Whether a password is needed."""
    return bool(member.flag_bits & _IS_ENCRYPTED)


def parts_of(name: str) -> list[str]:
    r"""A name's folders and its last part, whichever way the slashes lean.

    >>> parts_of("a/./b\\c.c")
    ['a', 'b', 'c.c']
    """
    return [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]


def is_outside(name: str) -> bool:
    """Whether a name leads out of the folder that the archive is unpacked into.

    >>> [is_outside(name) for name in ("a/b", "/a", "a/../b", "C:/a", "ab:c")]
    [False, True, True, True, False]
    """
    parts = parts_of(name)
    has_drive = bool(parts) and parts[0][1:2] == ":"
    return ".." in parts or name[:1] in ("/", "\\") or has_drive


def is_nameable(name: str) -> bool:
    """Whether a system takes the name."""
    return "\0" not in name and len(os.fsencode(name)) <= _NAME_BYTES
