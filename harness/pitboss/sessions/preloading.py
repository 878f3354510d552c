"""The library that provides the seeded environment of a session: how it is built, and for which programs."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pitboss.sandbox import abi, scratch
from pitboss.sandbox.files import beginning_of
from pitboss.sandbox.retry import obtain
from pitboss.sandbox.store import opened
from pitboss.sessions.binaries import is_dynamic
from pitboss.sessions.programs import Program

_SOURCE = Path(__file__).with_name("preload") / "determinism.c"
#: The name of the library's file.
LIBRARY = "determinism.so"
#: More than any program has, since a build can write no larger file.
_MAX_BYTES = 256 << 20
#: How many of the times that it returned last the library records.
REPORTED_TIMES = 255
#: A program needs at least one of these symbols to draw anything, or to start another program that may. A linker may
#: store a name as the end of a longer one.
_DRAWS = re.compile(
    rb"(?<!/)(?:time|times|timeofday|timespec_get|clock|chrono\w*|timedwait|clockwait|timedlock|dlopen|fork|clone"
    rb"|getp?pid|gettid|getpgrp|getpgid|getsid|gethostname|uname|syscall"
    rb"|getrandom|getentropy|arc4random\w*|random_device\w*|/dev/u?random)\0"
)
_STARTS = re.compile(rb"(?:system|popen|posix_spawnp?|exec[lv]p?e?|execvpe|fexecve)\0")


@contextlib.contextmanager
def folder_of_environments(program: Program) -> Iterator[str | None]:
    """Yields a folder with the library, for a program that may draw something; removed when the context ends.

    Yields None if the program has no function to draw with, or there is no C compiler. Then, and for a program that
    loads no libraries, clocks and process ids are the machine's: sessions that begin in the same second may draw the
    same, and pauses do not move the program's clock.
    """
    library = built() if may_draw(program) else None
    if library is None:
        yield None
        return
    with scratch.folder("environments") as folder:
        path = Path(folder) / LIBRARY
        obtain("no seeded environment can be created", partial(path.write_bytes, library.text))
        path.chmod(0o755)
        yield folder


def is_native(program: Program) -> bool:
    """Whether a program is machine code itself, whose memory may hold rubbish, and not run by a runtime."""
    return _is_own(program) and _text_of(program)[:4] == b"\x7fELF"


def _is_own(program: Program) -> bool:
    return Path(program.argv[0]).is_relative_to(program.folder)


def _text_of(program: Program) -> bytes:
    try:
        return beginning_of(program.argv[0], _MAX_BYTES)
    except OSError:
        return b""


def may_draw(program: Program) -> bool:
    """Whether a program may draw anything. Loading the library takes a few percent of a short session."""
    if not _is_own(program):
        return True  # it is the runtime of some language
    text = _text_of(program)
    return not text.startswith(b"\x7fELF") or bool(_DRAWS.search(text) or _STARTS.search(text))


def what_is_not_fixed(program: Program) -> str:
    """A sentence on what a seeded environment cannot fix for a program; empty if it fixes all that we know of.

    It omits what hardly any program draws from: its user, the ids of its children, the processor time that getrusage(2)
    returns, and the instructions that read random numbers and cycles from the processor.
    """
    name = Path(program.argv[0]).name
    if is_native(program) and not is_dynamic(Path(program.argv[0])):
        return (
            f"{name} is statically linked, so it sees this machine's own time and process ids: what it draws from "
            "these differs each time."
        )
    if may_draw(program) and built() is None:
        return (
            "Fixing what programs draw from needs a C compiler; this machine has none, so they see its own time: what "
            "they draw from it differs each time."
        )
    if is_native(program) and not abi.may_fix_addresses():
        return "Addresses cannot be fixed on this machine: what a program draws from these differs each time."
    return ""


class PreloadedLibrary(NamedTuple):
    """The library, and the address in it of how far clocks have moved and the times it returned last; 0 if unknown."""

    text: bytes
    times_at: int


#: Linked to no other library, since it uses the program's; with few segments, since each takes time to load.
_FLAGS = ("-O1", "-shared", "-fPIC", "-fno-stack-protector", "-nostdlib")
_LINKED = "-Wl,-z,noseparate-code,-z,norelro,--build-id=none"
_HEAD = struct.Struct("<q")


@functools.cache
def built() -> PreloadedLibrary | None:
    """The library, compiled now or cached from an earlier run of the same compiler; None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    store, name = opened(os.environ).store, _name_of(compiler)
    cached = store.get(name) if store else None
    if cached is not None:
        return PreloadedLibrary(cached[_HEAD.size :], *_HEAD.unpack_from(cached))
    library = _compiled(compiler)
    if store is not None and library is not None:
        store.put(name, _HEAD.pack(library.times_at) + library.text)
    return library


def _name_of(compiler: str) -> str:
    """The name in the cache of what this compiler makes of our sources."""
    real = os.path.realpath(compiler)
    found = os.stat(real)
    digest = hashlib.blake2b(repr((real, found.st_size, found.st_mtime_ns, _FLAGS, _LINKED)).encode(), digest_size=32)
    for source in sorted(_SOURCE.parent.glob("*.c")):
        digest.update(source.read_bytes())
    return f"determinism-{digest.hexdigest()}"


def _compiled(compiler: str) -> PreloadedLibrary | None:
    with scratch.folder("library") as folder:
        target = Path(folder) / LIBRARY
        argv = [compiler, *_FLAGS, _LINKED, "-o", str(target), str(_SOURCE)]
        # If the compiler is killed, its temporary files are removed with the folder.
        done = subprocess.run(argv, capture_output=True, env={**os.environ, "TMPDIR": folder}, check=False)
        return PreloadedLibrary(target.read_bytes(), _address_of_times(target)) if done.returncode == 0 else None


def _address_of_times(library: Path) -> int:
    """The address in the library of the times that it returned last; 0 without binutils."""
    if shutil.which("nm") is None:
        return 0
    names = subprocess.run(["nm", "-D", str(library)], capture_output=True, text=True, check=False).stdout
    found = re.search(r"^([0-9a-f]+) \w pitboss_reported$", names, re.MULTILINE)
    return int(found[1], 16) if found else 0
