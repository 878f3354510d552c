"""The clock of a session: the machine's, advanced by the pauses that were skipped, and with its own time of day.

So a program that is seeded by the second draws differently in each session, and one that reads the clock after a pause
sees that time has passed. A small library does this, loaded before the program's own (see clock.c). How far the clock
is moved is in a file for each session that runs at the same time, which only we can write:

    CLOCKS/clock.so, 0 … N
"""

from __future__ import annotations

import contextlib
import functools
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

from harness.machine import scratch
from harness.machine.obtaining import obtained
from harness.running.programs import Program

_SOURCE = Path(__file__).with_name("clock.c")
_LIBRARY = "clock.so"
_MOVED = struct.Struct("=qq")
#: How many of the times it returned last the library keeps.
_TOLD = 256
_NS, _SECONDS_OF_A_YEAR = 10**9, 31_536_000
#: Coprime to the seconds of a year, so that no two numbers below that have the same second.
_STEP_S = 104_729
_OF_THE_DAY = frozenset({time.CLOCK_REALTIME, 5, 11})  # CLOCK_REALTIME_COARSE, CLOCK_TAI
_OF_ELAPSED_TIME = frozenset({time.CLOCK_MONOTONIC, 4, 6, 7})  # its RAW and COARSE, CLOCK_BOOTTIME
#: Symbols, at least one of which a program needs to read a clock or to start another program that may. A linker may
#: store a name as the end of a longer one.
_READS = re.compile(
    rb"(?<!/)(?:time|times|timeofday|timespec_get|clock|chrono\w*|timedwait|clockwait|timedlock|dlopen|fork|clone)\0"
)
_STARTS = re.compile(rb"(?:system|popen|posix_spawnp?|exec[lv]p?e?|execvpe|fexecve)\0")


class Clock:
    """The clock of the sessions that run one after another on one launcher."""

    def __init__(self, folder: str, number: int) -> None:
        """Create its file in a folder that `folder_of_clocks` created."""
        self.folder, self._path = folder, f"{folder}/{number}"
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self.begin(0)

    @property
    def library(self) -> str:
        """The path of the library; a process that has mapped it sees this clock."""
        return f"{self.folder}/{_LIBRARY}"

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        """The environment variables that make a program see this clock."""
        return (("LD_PRELOAD", self.library), ("PITBOSS_CLOCK", self._path))

    def begin(self, number: int) -> None:
        """Begin another session; its time of day depends on `number`."""
        self._time_of_day_ns, self._skipped_ns = number * _STEP_S % _SECONDS_OF_A_YEAR * _NS, 0
        self._write()

    def skip(self, duration_ns: int) -> None:
        """Advance by a pause that was skipped."""
        self._skipped_ns += duration_ns
        self._write()

    def _write(self) -> None:
        os.pwrite(self._file, _MOVED.pack(self._time_of_day_ns, self._skipped_ns), 0)

    def moved_ns(self, clock: int) -> int:
        """How far a clock of the machine, by its number, is moved for a program that sees this one."""
        if clock in _OF_THE_DAY:
            return self._time_of_day_ns + self._skipped_ns
        return self._skipped_ns if clock in _OF_ELAPSED_TIME else 0

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


@contextlib.contextmanager
def folder_of_clocks(program: Program) -> Iterator[str | None]:
    """A folder with the library, for a program that may read a clock; it exists as long as the context lasts.

    None if the program reads no clock, or there is no C compiler. Then, and for a program that loads no libraries, the
    clock is the machine's: sessions that begin in the same second may draw the same, and pauses do not move it.
    """
    library = _built() if _may_read_clocks(program) else None
    if library is None:
        yield None
        return
    with scratch.folder("clocks") as folder:
        path = Path(folder) / _LIBRARY
        obtained("no clock for sessions can be made", partial(path.write_bytes, library.text))
        path.chmod(0o755)
        yield folder


def _may_read_clocks(program: Program) -> bool:
    """Whether a program may read a clock; loading the library takes a few percent of a short session."""
    path = Path(program.argv[0])
    if not path.is_relative_to(program.folder):
        return True  # it is the runtime of some language
    try:
        text = path.read_bytes()
    except OSError:
        return True
    return not text.startswith(b"\x7fELF") or bool(_READS.search(text) or _STARTS.search(text))


def place_of_what_was_told() -> tuple[int, int]:
    """The offset in the library of the times it returned last, and their number; (0, 0) if unknown."""
    library = _built()
    return (library.told_at, _TOLD) if library and library.told_at else (0, 0)


class _Library(NamedTuple):
    text: bytes
    told_at: int


@functools.cache
def _built() -> _Library | None:
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    with scratch.folder("clock") as folder:
        target = Path(folder) / _LIBRARY
        # Linked to no other library, since it uses those of the program; few segments, since each takes time to load.
        flags = ("-O1", "-shared", "-fPIC", "-nostdlib", "-Wl,-z,noseparate-code,-z,norelro,--build-id=none")
        argv = [compiler, *flags, "-o", str(target), str(_SOURCE)]
        # If it is killed, what it leaves behind is removed with the folder.
        done = subprocess.run(argv, capture_output=True, env={**os.environ, "TMPDIR": folder}, check=False)
        return _Library(target.read_bytes(), _told_at(target)) if done.returncode == 0 else None


def _told_at(library: Path) -> int:
    """The address of the times that it returned last; 0 without binutils."""
    if shutil.which("nm") is None:
        return 0
    names = subprocess.run(["nm", "-D", str(library)], capture_output=True, text=True, check=False).stdout
    found = re.search(r"^([0-9a-f]+) \w pitboss_told_ns$", names, re.MULTILINE)
    return int(found[1], 16) if found else 0
