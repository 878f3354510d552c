"""The seeded environment of a session: everything that its program can draw from, as a function of one number.

Time, random bytes, process ids and addresses are the same in every run with the same number. A small library, loaded
before the program's own libraries, provides them (see preload/determinism.c). Addresses are fixed by personality(2).
When a program asks the kernel for random bytes, we stop the program in that call and provide them.

The library reads the number, and the time that was skipped, from a file that only we can write. Sessions that run at
the same time have separate files:

    environments-XXXXXXXX/determinism.so    the library
    environments-XXXXXXXX/0 … N             the files

The library is built here, and here is decided which programs load it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import mmap
import os
import re
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pitboss.machine import abi, scratch
from pitboss.machine.files import head_of
from pitboss.machine.retry import obtain
from pitboss.machine.store import open_store
from pitboss.sessions.executables import is_dynamic
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
    return _is_in_own_folder(program) and head_of(program.argv[0], 4) == b"\x7fELF"


def _is_in_own_folder(program: Program) -> bool:
    """Whether the file that is executed is the program's own; otherwise it is the runtime of some language."""
    return Path(program.argv[0]).is_relative_to(program.folder)


def may_draw(program: Program) -> bool:
    """Whether a program may draw anything: only machine code with none of `_DRAW_SYMBOLS` and `_START_SYMBOLS` cannot.

    Programs that do not draw do not load the library, since loading takes a few percent of a short session.
    """
    if not _is_in_own_folder(program):
        return True
    contents = head_of(program.argv[0], _MAX_BYTES)
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
    if is_native(program) and not abi.turn_off_address_randomization(is_trial=True):
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


#: The content of the environment's file: struct environment in preload/determinism.c.
_FIELDS = struct.Struct("=Q13q")
#: The fields that change during a session: the format and the offset of each.
_SKIPPED, _CALLS, _STARTS = (struct.Struct("=q"), 32), (struct.Struct("=q"), 48), (struct.Struct("=q"), 56)
_NS = 10**9
#: The clock of a session starts in the eight years 2021 to 2028: the first second, and the number of seconds.
_FIRST_SECOND, _SECONDS = 1_609_459_200, 8 * 31_557_600
#: The time for which the machine seems to have run, in seconds: minimum, and range above it (12 days).
_MIN_UPTIME_S, _UPTIME_RANGE_S = 1000, 10**6
#: The processor time that a program seems to have used when it first asks, in nanoseconds: minimum, and range above it.
_MIN_USED_NS, _USED_RANGE_NS = 500_000, 2_000_000
#: The lowest process id that a program sees, and how many different ids there are.
_FIRST_PROCESS, _PROCESSES = 1000, 29_000
#: How far each reading advances the clocks; and how far, in programs with threads of a runtime, a reading of a thread
#: that measures advances its own: dotnet measures until more than a microsecond has passed.
_TICK_NS, _OWN_TICK_NS = 1000, 1100
#: How far the start of another program advances the clocks.
_START_NS = 1_000_000
#: In unwatched sessions real time passes. There the time of day first stands still for this long, since programs draw
#: seeds from it when they start.
_FROZEN_NS = _NS // 2
_TIME_OF_DAY_CLOCKS = frozenset({time.CLOCK_REALTIME, 5, 11})  # CLOCK_REALTIME_COARSE, CLOCK_TAI
_ELAPSED_TIME_CLOCKS = frozenset({time.CLOCK_MONOTONIC, 4, 6, 7})  # its RAW and COARSE, CLOCK_BOOTTIME


class VisibleSeeds(NamedTuple):
    """Values that programs see when they start in a seeded environment, and often seed their generators from."""

    #: The time of day: in seconds since 1970, and the nanoseconds of the second.
    second: int
    nanosecond: int
    #: How long the machine seems to have run, in seconds.
    uptime_s: int
    #: The processor time that the program seems to have used when it first asks, in nanoseconds.
    used_ns: int
    #: The ids of the process and of its parent.
    process: int
    parent: int


def visible_seeds_of(number: int) -> VisibleSeeds:
    """Returns the values that programs see when they start in the seeded environment with this number."""
    second, nanosecond, uptime, used, process, parent = struct.unpack("=6Q", _bytes_of(number, "start", 48))
    return VisibleSeeds(
        _FIRST_SECOND + second % _SECONDS,
        nanosecond % _NS,
        _MIN_UPTIME_S + uptime % _UPTIME_RANGE_S,
        _MIN_USED_NS + used % _USED_RANGE_NS,
        _FIRST_PROCESS + process % _PROCESSES,
        _FIRST_PROCESS + parent % _PROCESSES,
    )


def _bytes_of(number: int, purpose: str, size: int) -> bytes:
    """Returns bytes that depend only on the number of an environment and on their purpose."""
    return hashlib.shake_128(f"{number} {purpose}".encode()).digest(size)


class SeededEnvironment:
    """The seeded environments of the sessions that run one after another on one launcher."""

    def __init__(self, folder: str | None, file_number: int = 0, measuring_ns: int | None = None) -> None:
        """Create the environment's file in `folder`, with the number `file_number` as its name.

        `folder` is from `folder_of_environments`; None if no library is loaded. For `measuring_ns` see `Program`.
        """
        self.folder = folder
        self._path = f"{folder}/{file_number}"
        self._tick_ns, self._measuring_ns = (_TICK_NS, 0) if measuring_ns is None else (0, measuring_ns)
        self._fields: mmap.mmap | None = None
        if folder is not None:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                # Writing reserves the space: on a full disk, touching a hole of a mapped file raises SIGBUS.
                os.pwrite(descriptor, bytes(_FIELDS.size), 0)
                self._fields = mmap.mmap(descriptor, _FIELDS.size)
            finally:
                os.close(descriptor)
        self.begin(0)

    @property
    def library(self) -> str | None:
        """The path of the library; a process that has mapped it sees this environment. None if no library is loaded."""
        return f"{self.folder}/{LIBRARY}" if self.folder else None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that make a program see this seeded environment."""
        return {"LD_PRELOAD": self.library, "PITBOSS_DETERMINISM": self._path} if self.library else {}

    def begin(self, number: int, *, is_unwatched: bool = False) -> None:
        """Begin another session, in the seeded environment with this number.

        With `is_unwatched` real time passes, and the clocks of elapsed time are the machine's: the kernel then handles
        deadlines, which refer to these clocks.
        """
        self._number = number
        #: How often `next_random_bytes` was called in this session.
        self._draws = 0
        self._skipped_ns = self._calls = self._starts = 0
        start = visible_seeds_of(number)
        self._time_of_day_ns = start.second * _NS + start.nanosecond
        self._elapsed_ns = start.uptime_s * _NS + start.nanosecond
        if self._fields is None:
            return
        _FIELDS.pack_into(
            self._fields,
            0,
            number,
            self._time_of_day_ns,
            self._elapsed_ns,
            start.used_ns,
            self._skipped_ns,
            self._tick_ns,
            self._calls,
            self._starts,
            time.monotonic_ns() if is_unwatched else 0,
            _FROZEN_NS,
            start.process,
            start.parent,
            _OWN_TICK_NS,
            self._measuring_ns,
        )

    def next_random_bytes(self, size: int) -> bytes:
        """Returns the next random bytes, for a program that draws them without the library."""
        self._draws += 1
        return _bytes_of(self._number, f"draw {self._draws}", size)

    def advance_clocks(self, duration_ns: int) -> None:
        """Advance the clocks: by a pause, or because another program starts."""
        self._skipped_ns += duration_ns
        self._write(_SKIPPED, self._skipped_ns)

    def note_call(self) -> None:
        """Note that the program has made a system call that we saw: this ends a wait that polls the clock, if any."""
        self._calls += 1
        self._write(_CALLS, self._calls)

    def note_start(self) -> None:
        """Note that the program starts another program, which takes time and gets different random bytes."""
        self._starts += 1
        self._write(_STARTS, self._starts)
        self.advance_clocks(_START_NS)

    @property
    def has_started_another(self) -> bool:
        """Whether the session's program has started another program."""
        return self._starts > 0

    def _write(self, field: tuple[struct.Struct, int], value: int) -> None:
        if self._fields is not None:
            field[0].pack_into(self._fields, field[1], value)

    def now_ns(self, clock: int, moved_ns: int) -> int:
        """Returns the time on a clock, for a process whose own reads have advanced the clock by `moved_ns`.

        `clock` is the number of the clock: see clock_gettime(2).
        """
        if clock not in _TIME_OF_DAY_CLOCKS and clock not in _ELAPSED_TIME_CLOCKS:
            return time.clock_gettime_ns(clock)
        passed_ns: int = self._skipped_ns + moved_ns
        return passed_ns + (self._time_of_day_ns if clock in _TIME_OF_DAY_CLOCKS else self._elapsed_ns)

    def close(self) -> None:
        """Release the environment's file."""
        if self._fields is not None:
            self._fields.close()
