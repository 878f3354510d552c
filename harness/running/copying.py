"""Which programs can be started once and copied for each session: those of which nothing runs before our library.

A script of CPython is copied once its interpreter has started: our library meets the call by which it opens the script.

The loader runs the constructors of a program's libraries before that of ours, and of the program itself only what
DT_PREINIT_ARRAY lists and what chooses among functions (IFUNC). See elf(5) and ld.so(8); numbers are from the kernel's
include/uapi/linux/elf.h and the System V ABI for AMD64.
"""

from __future__ import annotations

import functools
import re
import stat
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pitboss.harness.machine.files import beginning_of
from pitboss.harness.running.programs import Program

#: How sessions begin: each program is started anew, or most are copied from one that has been started.
Start = Literal["fork", "exec"]

_PYTHON = re.compile(r"python3(?:\.[0-9]+)?")
#: More than any program has, since a build can write no larger file.
_MOST_BYTES = 256 << 20
#: The loader of glibc: that of another library keeps the numbers of its threads elsewhere.
_LOADER = b"/lib64/ld-linux-x86-64.so.2"
_X86_64, _BITS_64 = 62, 2
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _STRINGS, _SYMBOLS, _RELA, _RELA_SIZE = 1, 5, 6, 7, 8
_STRINGS_SIZE, _RPATH, _PLT_SIZE, _PLT, _PREINIT, _RUNPATH = 10, 15, 2, 23, 32, 29
_AUDIT, _DEPAUDIT, _AUXILIARY, _FILTER = 0x6FFFFEFC, 0x6FFFFEFB, 0x7FFFFFFD, 0x7FFFFFFF
#: What a program may not have: its own code or libraries would run first.
_EARLY = {_PREINIT, _RPATH, _RUNPATH, _AUDIT, _DEPAUDIT, _AUXILIARY, _FILTER}
_IRELATIVE, _IFUNC = 37, 10
_HEADER, _SEGMENT, _ENTRY = struct.Struct("<16xHHI3QI6H"), struct.Struct("<II6Q"), struct.Struct("<qQ")
_RELOCATION, _SYMBOL = struct.Struct("<QQq"), struct.Struct("<IBBHQQ")


def may_be_copied(program: Program) -> bool:
    """Whether a program can be copied before it does anything of its own."""
    path = Path(program.argv[0])
    if is_script(program):
        return True
    if not path.is_relative_to(program.folder):
        return False
    try:
        found = path.stat()
    except OSError:
        return False
    return _is_plain(path, found.st_mtime_ns, found.st_size, found.st_mode)


def is_script(program: Program) -> bool:
    """Whether a program is a script of CPython, without any option for its interpreter."""
    if len(program.argv) != 2 or not Path(program.argv[1]).is_relative_to(program.folder):
        return False
    interpreter = Path(program.argv[0])
    return bool(_PYTHON.fullmatch(interpreter.name)) and not interpreter.is_relative_to(program.folder)


@functools.lru_cache(maxsize=64)
def _is_plain(path: Path, modified_ns: int, size: int, mode: int) -> bool:
    if not stat.S_ISREG(mode) or mode & (stat.S_ISUID | stat.S_ISGID) or size < _HEADER.size:
        return False
    try:
        return _Binary(beginning_of(path, _MOST_BYTES)).is_plain()
    except (OSError, ValueError, LookupError, OverflowError, struct.error):
        return False  # whatever it is, it is started as any file is


class _Binary:
    """A program of this machine, as far as its loader reads it."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        kind, self._machine, _, _, at, _, _, _, size, count, *_ = _HEADER.unpack_from(content)
        self._is_64 = content[:5] == b"\x7fELF" + bytes((_BITS_64,)) and size == _SEGMENT.size
        places = range(at, at + size * count, size) if self._is_64 else ()
        self._segments = [_SEGMENT.unpack_from(content, place) for place in places]

    def is_plain(self) -> bool:
        """Whether nothing of the program itself runs before the constructors of what is preloaded."""
        if not self._is_64 or self._machine != _X86_64:
            return False
        interpreters = [self._content[offset : offset + size] for offset, size in self._of_kind(_INTERPRETER)]
        tables = list(self._of_kind(_DYNAMIC))
        if [one.rstrip(b"\0") for one in interpreters] != [_LOADER] or len(tables) != 1:
            return False
        entries = list(self._entries(*tables[0]))
        named = dict(entries)
        names = self._at(named[_STRINGS])
        needed = [self._text(names + value) for tag, value in entries if tag == _NEEDED]
        if _EARLY & named.keys() or any(b"/" in one for one in needed):
            return False
        return not any(self._chooses(named, *table) for table in ((_RELA, _RELA_SIZE), (_PLT, _PLT_SIZE)))

    def _of_kind(self, wanted: int) -> Iterator[tuple[int, int]]:
        """The offset and size in the file of each segment of a kind."""
        for kind, _, offset, _, _, size, _, _ in self._segments:
            if kind == wanted:
                yield offset, size

    def _entries(self, offset: int, size: int) -> Iterator[tuple[int, int]]:
        for place in range(offset, offset + size, _ENTRY.size):
            tag, value = _ENTRY.unpack_from(self._content, place)
            if tag == 0:
                return
            yield tag, value

    def _at(self, address: int) -> int:
        """Where in the file an address is; ValueError if it is nowhere."""
        for kind, _, offset, begins, _, size, _, _ in self._segments:
            if kind == _LOAD and begins <= address < begins + size:
                return int(offset + address - begins)
        raise ValueError(f"{address:#x} is in no segment")

    def _text(self, place: int) -> bytes:
        return self._content[place : self._content.index(b"\0", place)]

    def _chooses(self, named: dict[int, int], table: int, size: int) -> bool:
        """Whether a table of relocations makes the loader call functions of the program."""
        if table not in named:
            return False
        at, symbols = self._at(named[table]), self._at(named[_SYMBOLS])
        for place in range(at, at + named[size], _RELOCATION.size):
            _, what, _ = _RELOCATION.unpack_from(self._content, place)
            symbol, kind = what >> 32, what & 0xFFFFFFFF
            if kind == _IRELATIVE:
                return True
            if symbol and _SYMBOL.unpack_from(self._content, symbols + _SYMBOL.size * symbol)[1] & 0xF == _IFUNC:
                return True
        return False
