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
#: No program is larger, since a build cannot write a larger file.
_MAX_BYTES = 256 << 20
#: The number of times most recently returned that the library records.
REPORTED_TIMES = 255
#: A program needs at least one of these symbols to draw anything, or to start another program that may. A linker may
#: store a name as the end of a longer name.
_DRAWS = re.compile(
    rb"(?<!/)(?:time|times|timeofday|timespec_get|clock|chrono\w*|timedwait|clockwait|timedlock|dlopen|fork|clone"
    rb"|getp?pid|gettid|getpgrp|getpgid|getsid|gethostname|uname|syscall"
    rb"|getrandom|getentropy|arc4random\w*|random_device\w*|/dev/u?random)\0"
)
_STARTS = re.compile(rb"(?:system|popen|posix_spawnp?|exec[lv]p?e?|execvpe|fexecve)\0")


@contextlib.contextmanager
def folder_of_environments(program: Program) -> Iterator[str | None]:
    """Yields a folder with the library, for a program that may draw something; removed when the context ends.

    Yields None if the program has no function to draw with, or if there is no C compiler. Then, and for a program that
    loads no libraries, clocks and process ids are the machine's: sessions that begin in the same second may have the
    same draws, and pauses do not move the program's clock.
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
    """Whether a program is machine code, which may read uninitialized memory, and is not run by a runtime."""
    return _is_in_own_folder(program) and _contents_of(program)[:4] == b"\x7fELF"


def _is_in_own_folder(program: Program) -> bool:
    return Path(program.argv[0]).is_relative_to(program.folder)


def _contents_of(program: Program) -> bytes:
    try:
        return beginning_of(program.argv[0], _MAX_BYTES)
    except OSError:
        return b""


def may_draw(program: Program) -> bool:
    """Whether a program may draw anything. Loading the library takes a few percent of a short session."""
    if not _is_in_own_folder(program):
        return True  # it is the runtime of some language
    contents = _contents_of(program)
    return not contents.startswith(b"\x7fELF") or bool(_DRAWS.search(contents) or _STARTS.search(contents))


def what_is_not_fixed(program: Program) -> str:
    """A sentence on the sources of draws that a seeded environment cannot fix for a program; empty if it fixes all.

    It omits sources that hardly any program uses: its user, the ids of its children, the processor time that
    getrusage(2) returns, and the instructions that read random numbers and cycles from the processor.
    """
    name = Path(program.argv[0]).name
    if is_native(program) and not is_dynamic(Path(program.argv[0])):
        return (
            f"{name} is statically linked, so it sees this machine's own time and process ids: random values "
            "that it derives from them differ in each run."
        )
    if may_draw(program) and built() is None:
        return (
            "This machine has no C compiler, which is needed to give programs a fixed time, so they see the real time: "
            "random values that they derive from it differ in each run."
        )
    if is_native(program) and not abi.may_fix_addresses():
        return (
            "Addresses cannot be fixed on this machine: random values that a program derives from them differ in each "
            "run."
        )
    return ""


class PreloadedLibrary(NamedTuple):
    """The library, and the address in it of its record: how far clocks have moved, and the times it returned last."""

    text: bytes
    #: 0 if unknown.
    times_at: int


#: Linked to no other library, since it uses the program's; with few segments, since each takes time to load.
_FLAGS = ("-O1", "-shared", "-fPIC", "-fno-stack-protector", "-nostdlib")
_LINKER_FLAGS = "-Wl,-z,noseparate-code,-z,norelro,--build-id=none"
_HEAD = struct.Struct("<q")


@functools.cache
def built() -> PreloadedLibrary | None:
    """Returns the library, compiled now or cached from the same compiler; None if it cannot be compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    store, name = opened(os.environ).store, _cache_name(compiler)
    cached = store.get(name) if store else None
    if cached is not None:
        return PreloadedLibrary(cached[_HEAD.size :], *_HEAD.unpack_from(cached))
    library = _compile_library(compiler)
    if store is not None and library is not None:
        store.put(name, _HEAD.pack(library.times_at) + library.text)
    return library


def _cache_name(compiler: str) -> str:
    """The name in the cache of the library that this compiler makes from our sources."""
    real = os.path.realpath(compiler)
    status = os.stat(real)
    digest = hashlib.blake2b(
        repr((real, status.st_size, status.st_mtime_ns, _FLAGS, _LINKER_FLAGS)).encode(), digest_size=32
    )
    for source in sorted(_SOURCE.parent.glob("*.c")):
        digest.update(source.read_bytes())
    return f"determinism-{digest.hexdigest()}"


def _compile_library(compiler: str) -> PreloadedLibrary | None:
    with scratch.folder("library") as folder:
        target = Path(folder) / LIBRARY
        argv = [compiler, *_FLAGS, _LINKER_FLAGS, "-o", str(target), str(_SOURCE)]
        # If the compiler is killed, its temporary files are removed with the folder.
        compilation = subprocess.run(argv, capture_output=True, env={**os.environ, "TMPDIR": folder}, check=False)
        return PreloadedLibrary(target.read_bytes(), _address_of_times(target)) if compilation.returncode == 0 else None


def _address_of_times(library: Path) -> int:
    """The address of the library's record of the times that it returned last; 0 without binutils."""
    if shutil.which("nm") is None:
        return 0
    names = subprocess.run(["nm", "-D", str(library)], capture_output=True, text=True, check=False).stdout
    match = re.search(r"^([0-9a-f]+) \w pitboss_reported$", names, re.MULTILINE)
    return int(match[1], 16) if match else 0
