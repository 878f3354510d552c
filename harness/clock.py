"""A clock of its own for each session of a program without a seed, so that one seeded by the second draws anew."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import msgspec

from harness import scratch
from harness.programs import Program

_SOURCE = Path(__file__).with_name("clock.c")
_LIBRARY = ".pitboss-clock.so"


def with_own_clock(program: Program) -> Program:
    """The same program, to be started with a clock that differs from session to session.

    Without a C compiler, or for a program that loads no libraries, the clock is the machine's: sessions that begin
    in the same second may then draw the same, which costs variety and nothing else.
    """
    library = _built()
    if library is None:
        return program
    beside = program.folder / _LIBRARY
    beside.write_bytes(library)
    beside.chmod(0o755)
    return msgspec.structs.replace(program, environment=(*program.environment, ("LD_PRELOAD", str(beside))))


@cache
def _built() -> bytes | None:
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    with scratch.folder("clock") as folder:
        target = Path(folder) / _LIBRARY
        done = subprocess.run(
            [compiler, "-O1", "-shared", "-fPIC", "-o", target, _SOURCE], capture_output=True, check=False
        )
        return target.read_bytes() if done.returncode == 0 else None
