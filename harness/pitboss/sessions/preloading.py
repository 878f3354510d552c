"""Builds the library that provides the seeded environment of a session, and decides which programs load it."""

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
from pitboss.sandbox.store import open_store
from pitboss.sessions.binaries import is_dynamic
from pitboss.sessions.programs import Program

_SOURCE = Path(__file__).with_name("preload") / "determinism.c"
#: The name of the library's file.
LIBRARY = "determinism.so"
#: The maximum size of a program in bytes, since a build cannot write a larger file.
_MAX_BYTES = 256 << 20
#: How many clock readings the library records: those that it returned last to the program.
REPORTED_TIMES = 254
#: A program that draws anything itself contains at least one of these symbols. They are matched by their ends, since a
#: linker may store a name as the end of a longer name.
_DRAW_SYMBOLS = re.compile(
    rb"(?<!/)(?:time|times|timeofday|timespec_get|clock|chrono\w*|timedwait|clockwait|timedlock|dlopen|fork|clone"
    rb"|getp?pid|gettid|getpgrp|getpgid|getsid|gethostname|uname|syscall"
    rb"|getrandom|getentropy|arc4random\w*|random_device\w*|/dev/u?random)\0"
)
#: A program that starts another program, which may draw something, contains one of `_DRAW_SYMBOLS` or of these symbols.
_START_SYMBOLS = re.compile(rb"(?:system|popen|posix_spawnp?|exec[lv]p?e?|execvpe|fexecve)\0")


@contextlib.contextmanager
def folder_of_environments(program: Program) -> Iterator[str | None]:
    """Yields a folder with the library, for a program that may draw something; the folder is removed at the end.

    Yields None if the program has no function to draw with, or if there is no C compiler. In these cases, and for a
    program that loads no libraries, clocks and process ids are the machine's: sessions that begin in the same second
    may have the same draws, and pauses do not move the program's clock.
    """
    library = preloaded_library() if may_draw(program) else None
    if library is None:
        yield None
        return
    with scratch.folder("environments") as folder:
        path = Path(folder) / LIBRARY
        obtain("no seeded environment can be created", partial(path.write_bytes, library.content))
        path.chmod(0o755)
        yield folder


def is_native(program: Program) -> bool:
    """Whether a program is machine code without a runtime, and so may read uninitialized memory."""
    return _is_in_own_folder(program) and _contents_of(program)[:4] == b"\x7fELF"


def _is_in_own_folder(program: Program) -> bool:
    """Whether the file that is executed is the program's own; otherwise it is the runtime of some language."""
    return Path(program.argv[0]).is_relative_to(program.folder)


def _contents_of(program: Program) -> bytes:
    """The contents of the file that is executed; empty if it cannot be read."""
    try:
        return beginning_of(program.argv[0], _MAX_BYTES)
    except OSError:
        return b""


def may_draw(program: Program) -> bool:
    """Whether a program may draw anything: only machine code with none of `_DRAW_SYMBOLS` and `_START_SYMBOLS` cannot.

    Programs that do not draw do not load the library, since loading takes a few percent of a short session.
    """
    if not _is_in_own_folder(program):
        return True
    contents = _contents_of(program)
    return not contents.startswith(b"\x7fELF") or bool(
        _DRAW_SYMBOLS.search(contents) or _START_SYMBOLS.search(contents)
    )


def unfixed_sources_sentence(program: Program) -> str:
    """A sentence on the sources of draws that a seeded environment cannot fix for a program; empty if there are none.

    The sentence omits sources that hardly any program uses: the program's user, the ids of its children, the processor
    time that getrusage(2) returns, and the instructions that read random numbers and cycles from the processor.
    """
    name = Path(program.argv[0]).name
    if is_native(program) and not is_dynamic(Path(program.argv[0])):
        return (
            f"{name} is statically linked, so it sees this machine's own time and process ids: random values "
            "that it derives from them differ in each run."
        )
    if may_draw(program) and preloaded_library() is None:
        return (
            "This machine has no C compiler, which is needed to give programs a fixed time, so they see the real time: "
            "random values that they derive from it differ in each run."
        )
    if is_native(program) and not abi.may_turn_off_address_randomization():
        return (
            "Addresses cannot be fixed on this machine: random values that a program derives from them differ in each "
            "run."
        )
    return ""


class PreloadedLibrary(NamedTuple):
    """The library's content, and the address of the record in which it reports times."""

    content: bytes
    #: The address, in the library, of the record that says how far the clocks have moved, and which times the library
    #: returned last; 0 if unknown.
    times_at: int


#: The library is linked to no other library, since it uses those that the program has loaded. It has few segments,
#: since each segment takes time to load.
_FLAGS = ("-O1", "-shared", "-fPIC", "-fno-stack-protector", "-nostdlib", "-ftls-model=initial-exec")
_LINKER_FLAGS = "-Wl,-z,noseparate-code,-z,norelro,--build-id=none"
#: What precedes a library's content in the cache: `PreloadedLibrary.times_at`.
_CACHE_HEADER = struct.Struct("<q")


@functools.cache
def preloaded_library() -> PreloadedLibrary | None:
    """Returns the library, compiled now or cached from the same compiler; None if it cannot be compiled."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    store, key = open_store(os.environ).store, _cache_key(compiler)
    cached = store.get(key) if store else None
    if cached is not None:
        return PreloadedLibrary(cached[_CACHE_HEADER.size :], *_CACHE_HEADER.unpack_from(cached))
    library = _compile_library(compiler)
    if store is not None and library is not None:
        store.put(key, _CACHE_HEADER.pack(library.times_at) + library.content)
    return library


def _cache_key(compiler: str) -> str:
    """The key, in the cache, of the library that this compiler builds from our sources."""
    real_path = os.path.realpath(compiler)
    status = os.stat(real_path)
    digest = hashlib.blake2b(
        repr((real_path, status.st_size, status.st_mtime_ns, _FLAGS, _LINKER_FLAGS)).encode(), digest_size=32
    )
    for source in sorted(_SOURCE.parent.glob("*.c")):
        digest.update(source.read_bytes())
    return f"determinism-{digest.hexdigest()}"


def _compile_library(compiler: str) -> PreloadedLibrary | None:
    """Returns the library, compiled now; None if the compiler fails."""
    with scratch.folder("library") as folder:
        target = Path(folder) / LIBRARY
        argv = [compiler, *_FLAGS, _LINKER_FLAGS, "-o", str(target), str(_SOURCE)]
        # If the compiler is killed, its temporary files are removed with the folder.
        environment = {**os.environ, "TMPDIR": folder}
        compilation = subprocess.run(argv, capture_output=True, env=environment, check=False, timeout=300)
        return PreloadedLibrary(target.read_bytes(), _address_of_times(target)) if compilation.returncode == 0 else None


def _address_of_times(library: Path) -> int:
    """The address of the record in the library (see `PreloadedLibrary`); 0 if unknown, such as without binutils."""
    if shutil.which("nm") is None:
        return 0
    symbols = subprocess.run(
        ["nm", "-D", str(library)], capture_output=True, text=True, check=False, timeout=300
    ).stdout
    match = re.search(r"^([0-9a-f]+) \w pitboss_reported$", symbols, re.MULTILINE)
    return int(match[1], 16) if match else 0
