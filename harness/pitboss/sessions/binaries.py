"""Explains why this machine cannot start a file that should be a program."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Callable
from pathlib import Path

import msgspec

from pitboss.model.transcript import Ending, EndingKind
from pitboss.sandbox.files import beginning_of
from pitboss.sessions.programs import Program

#: The names of machines in os.uname(), by their number in elf(5).
_MACHINES = {
    3: "i386",
    8: "mips",
    20: "powerpc",
    21: "ppc64le",
    22: "s390x",
    40: "arm",
    62: "x86_64",
    183: "aarch64",
    243: "riscv64",
}
#: A machine runs its own programs; some also run those of their predecessor.
_ALSO_RUNS = {"x86_64": "i386", "aarch64": "arm"}
_OBJECT_FILE = 1
_LOADER = 3
_FOREIGN = {
    b"\xfe\xed\xfa\xce": "macOS",
    b"\xfe\xed\xfa\xcf": "macOS",
    b"\xce\xfa\xed\xfe": "macOS",
    b"\xcf\xfa\xed\xfe": "macOS",
    b"\xca\xfe\xba\xbe": "macOS",
}
_HEAD_BYTES = 4096

#: The kernel's messages when the interpreter of a program is missing or cannot be reached.
_MISSES = frozenset({os.strerror(errno.ENOENT), os.strerror(errno.EACCES), os.strerror(errno.ENOTDIR)})

Reachable = Callable[[str], bool]


def _is_there(interpreter: str) -> bool:
    """Whether an interpreter exists; assumed for a relative path, which depends on where the program runs."""
    return not interpreter.startswith("/") or os.path.exists(interpreter)


def refusal_of(path: Path, is_reachable: Reachable = _is_there) -> str:
    """Why a file cannot be started, as a sentence; empty if we find no reason."""
    if path.is_dir():
        return f"{path.name} is a folder, not a program."
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return f"{path.name} is not an ordinary file, so it is not a program."
        head = beginning_of(path, _HEAD_BYTES)
    except OSError:
        return ""
    if not os.access(path, os.X_OK):
        return f"{path.name} is not executable (make it so: chmod +x {path.name})."
    if not head:
        return f"{path.name} is an empty file."
    if head.startswith(b"#!"):
        return _of_script(path.name, head, is_reachable)
    if head.startswith(b"\x7fELF"):
        return _of_elf(path.name, head, is_reachable)
    if head[:4] in _FOREIGN:
        return f"{path.name} is a program for {_FOREIGN[head[:4]]}."
    if head[:2] == b"MZ":  # the kernel may be configured to run these, too: see binfmt_misc
        return ""
    return _of_text(path.name, head)


def _of_script(name: str, head: bytes, is_reachable: Reachable) -> str:
    line = head.partition(b"\n")[0][2:]
    interpreter = line.strip(b" \t").split(maxsplit=1)[0] if line.strip() else b""
    name_of_interpreter = os.fsdecode(interpreter.strip())
    if not interpreter:
        return f"{name} is a script whose first line names no interpreter, such as #!/bin/sh."
    if line.endswith(b"\r"):
        return f"{name} is a script with Windows line endings, so “{name_of_interpreter}” is not found."
    if not is_reachable(name_of_interpreter):
        return f"{name} needs the interpreter {name_of_interpreter}, which is not there."
    return ""


def _of_elf(name: str, head: bytes, is_reachable: Reachable) -> str:
    is_64, order = head[4:5] == b"\x02", ">" if head[5:6] == b"\x02" else "<"
    if len(head) < (64 if is_64 else 52):
        return f"{name} is a program that is cut off after {len(head)} bytes."
    kind, machine = struct.unpack_from(f"{order}HH", head, 16)
    ours = os.uname().machine
    if _MACHINES.get(machine) not in (ours, _ALSO_RUNS.get(ours)):
        return f"{name} is a program for {_MACHINES.get(machine, 'another machine')}, and this is {ours}."
    if kind == _OBJECT_FILE:
        return f"{name} is an object file, not a program: it was compiled (-c) but not linked."
    loader = _loader(head, order, is_64=is_64)
    if loader and not is_reachable(loader):
        return f"{name} needs the loader {loader}, which is not there."
    return ""


def _loader(head: bytes, order: str, *, is_64: bool) -> str:
    """The loader of a dynamically linked program; empty if it needs none, or its name is not in `head`."""
    start = struct.unpack_from(f"{order}Q" if is_64 else f"{order}I", head, 32 if is_64 else 28)[0]
    size, count = struct.unpack_from(f"{order}HH", head, 54 if is_64 else 42)
    for place in range(start, start + size * min(count, 64), size or 1):
        if place + size > len(head):
            break
        if struct.unpack_from(f"{order}I", head, place)[0] != _LOADER:
            continue
        offset, length = (
            (struct.unpack_from(f"{order}Q", head, place + 8)[0], struct.unpack_from(f"{order}Q", head, place + 32)[0])
            if is_64
            else struct.unpack_from(f"{order}I8xI", head, place + 4)
        )
        return os.fsdecode(head[offset : offset + length].rstrip(b"\0"))
    return ""


def is_dynamic(path: Path) -> bool:
    """Whether a program for this machine is dynamically linked, so that it also loads our preloaded library."""
    head = beginning_of(path, _HEAD_BYTES)
    order = ">" if head[5:6] == b"\x02" else "<"
    return bool(_loader(head, order, is_64=head[4:5] == b"\x02"))


def _of_text(name: str, head: bytes) -> str:
    if b"\0" not in head:
        return (
            f"{name} is text, not a program; a script begins with a line that names its interpreter, such as #!/bin/sh."
        )
    return f"{name} is not a program that this machine can run."


def with_start_failure_explained(ending: Ending, program: Program) -> Ending:
    """The ending, with the reason if the program could not be started; our fault unless the file is the student's."""
    if ending.kind is not EndingKind.NOT_STARTED:
        return ending
    path = Path(program.argv[0])
    if program.is_trusted or program.folder not in path.parents:
        return Ending(EndingKind.FAULT, detail=f"{path} could not be started: {ending.detail}")
    reason = refusal_of(path)
    if not reason and ending.detail in _MISSES:  # the file itself exists, so its interpreter is missing
        reason = refusal_of(path, lambda _: False)
    if not reason and _head_of(path)[:2] == b"MZ":
        reason = f"{path.name} is a program for Windows."
    reason = reason or f"{path.name}: {ending.detail}."
    return msgspec.structs.replace(ending, detail=reason)


def _head_of(path: Path) -> bytes:
    """The beginning of a file; empty if it cannot be read."""
    try:
        return beginning_of(path, _HEAD_BYTES)
    except OSError:
        return b""
