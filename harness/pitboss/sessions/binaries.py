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

#: Names of machines as os.uname() returns them, by the number in the head of an ELF file: e_machine in elf(5).
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
#: The machines that can also run the programs of another machine, their predecessor.
_ALSO_RUNS = {"x86_64": "i386", "aarch64": "arm"}
#: The type of an object file: see elf(5).
_ET_REL = 1
#: The type of the program header that contains the loader's path.
_PT_INTERP = 3
#: How many program headers of a file we examine: programs have far fewer.
_MAX_HEADERS = 64
#: Other operating systems, by the first bytes of their programs.
_FOREIGN_SYSTEMS = {
    b"\xfe\xed\xfa\xce": "macOS",
    b"\xfe\xed\xfa\xcf": "macOS",
    b"\xce\xfa\xed\xfe": "macOS",
    b"\xcf\xfa\xed\xfe": "macOS",
    b"\xca\xfe\xba\xbe": "macOS",
}
#: How many bytes at the beginning of a file we examine.
_HEAD_BYTES = 4096

#: The kernel's messages if a program, its interpreter or its loader is missing or cannot be reached.
_MISSING_FILE_MESSAGES = frozenset({os.strerror(errno.ENOENT), os.strerror(errno.EACCES), os.strerror(errno.ENOTDIR)})

#: Whether the interpreter or loader with this path can be reached.
Reachable = Callable[[str], bool]


def _interpreter_exists(interpreter: str) -> bool:
    """Whether an interpreter exists; always True for a relative path, since the program's folder is not known here."""
    return not interpreter.startswith("/") or os.path.exists(interpreter)


def refusal_of(path: Path, is_reachable: Reachable = _interpreter_exists) -> str:
    """Why a file cannot be started, as a sentence; empty if we find no reason.

    `is_reachable` tells whether the file's interpreter or loader can be reached.
    """
    if path.is_dir():
        return f"{path.name} is a folder, not a program."
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return f"{path.name} is not an ordinary file, so it is not a program."
        head = beginning_of(path, _HEAD_BYTES)
    except OSError:
        return ""
    if not os.access(path, os.X_OK):
        return f"{path.name} is not executable (run: chmod +x {path.name})."
    if not head:
        return f"{path.name} is an empty file."
    if head.startswith(b"#!"):
        return _script_refusal(path.name, head, is_reachable)
    if head.startswith(b"\x7fELF"):
        return _elf_refusal(path.name, head, is_reachable)
    if head[:4] in _FOREIGN_SYSTEMS:
        return f"{path.name} is a program for {_FOREIGN_SYSTEMS[head[:4]]}."
    if head[:2] == b"MZ":  # the kernel may be configured to run Windows programs: see binfmt_misc
        return ""
    return _text_refusal(path.name, head)


def _script_refusal(name: str, head: bytes, is_reachable: Reachable) -> str:
    """Why a script cannot be started, as a sentence; empty if we find no reason. `head` is the script's beginning."""
    line = head.partition(b"\n")[0][2:]
    interpreter = line.strip(b" \t").split(maxsplit=1)[0] if line.strip() else b""
    interpreter_name = os.fsdecode(interpreter.strip())
    if not interpreter:
        return f"{name} is a script whose first line names no interpreter, such as #!/bin/sh."
    if line.endswith(b"\r"):
        return f"{name} is a script with Windows line endings, so “{interpreter_name}” is not found."
    if not is_reachable(interpreter_name):
        return f"{name} needs the interpreter {interpreter_name}, which is not there."
    return ""


def _elf_refusal(name: str, head: bytes, is_reachable: Reachable) -> str:
    """Why an ELF file cannot be started, as a sentence; empty if we find no reason. `head` is the file's beginning."""
    is_64, byte_order = head[4:5] == b"\x02", ">" if head[5:6] == b"\x02" else "<"
    if len(head) < (64 if is_64 else 52):  # the size of an ELF header
        return f"{name} is a program that is cut off after {len(head)} bytes."
    file_type, machine = struct.unpack_from(f"{byte_order}HH", head, 16)
    this_machine = os.uname().machine
    if _MACHINES.get(machine) not in (this_machine, _ALSO_RUNS.get(this_machine)):
        return f"{name} is a program for {_MACHINES.get(machine, 'another machine')}, and this is {this_machine}."
    if file_type == _ET_REL:
        return f"{name} is an object file, not a program: it was compiled (-c) but not linked."
    loader = _loader_in(head, byte_order, is_64=is_64)
    if loader and not is_reachable(loader):
        return f"{name} needs the loader {loader}, which is not there."
    return ""


def _loader_in(head: bytes, byte_order: str, *, is_64: bool) -> str:
    """The loader of a dynamically linked program; empty if the program needs no loader, or its path is not in `head`.

    For the offsets of the fields in the ELF header and in the program headers see elf(5).
    """
    (start,) = struct.unpack_from(f"{byte_order}Q" if is_64 else f"{byte_order}I", head, 32 if is_64 else 28)
    size, count = struct.unpack_from(f"{byte_order}HH", head, 54 if is_64 else 42)
    for entry in range(start, start + size * min(count, _MAX_HEADERS), size or 1):
        if entry + size > len(head):
            break
        (header_type,) = struct.unpack_from(f"{byte_order}I", head, entry)
        if header_type != _PT_INTERP:
            continue
        offset, length = (
            (
                struct.unpack_from(f"{byte_order}Q", head, entry + 8)[0],
                struct.unpack_from(f"{byte_order}Q", head, entry + 32)[0],
            )
            if is_64
            else struct.unpack_from(f"{byte_order}I8xI", head, entry + 4)
        )
        return os.fsdecode(head[offset : offset + length].rstrip(b"\0"))
    return ""


def is_dynamic(path: Path) -> bool:
    """Whether a program for this machine is dynamically linked: then its loader also loads our preloaded library."""
    head = beginning_of(path, _HEAD_BYTES)
    byte_order = ">" if head[5:6] == b"\x02" else "<"
    return bool(_loader_in(head, byte_order, is_64=head[4:5] == b"\x02"))


def _text_refusal(name: str, head: bytes) -> str:
    """Why a file of no executable format cannot be started, as a sentence."""
    if b"\0" not in head:
        return (
            f"{name} is text, not a program; a script begins with a line that names its interpreter, such as #!/bin/sh."
        )
    return f"{name} is not a program that this machine can run."


def explain_start_failure(ending: Ending, program: Program) -> Ending:
    """Returns the ending, with the reason if the program could not be started.

    The failure is a fault of ours if the program is trusted, or if its file is outside the student's folder.
    """
    if ending.kind is not EndingKind.NOT_STARTED:
        return ending
    path = Path(program.argv[0])
    if program.is_trusted or program.folder not in path.parents:
        return Ending(EndingKind.FAULT, detail=f"{path} could not be started: {ending.detail}")
    reason = refusal_of(path)
    if not reason and ending.detail in _MISSING_FILE_MESSAGES:  # the file itself exists, so its interpreter is missing
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
