"""What a result hangs on besides submission and assignment: pitboss itself, the libraries it uses, and this machine.

Nothing is started for it. A compiler is told by its file: another version is another file, of another size or time.
"""

from __future__ import annotations

import os
import resource
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path

from pitboss.model.languages import TOOLS
from pitboss.sandbox.digests import Digest

_HARNESS = Path(__file__).resolve().parent.parent
#: What builds programs, runs them and confines them.
_TOOLS = (
    *TOOLS,
    *("gcc", "g++", "clang", "as", "ld", "ar", "make", "nm", "addr2line", "llvm-symbolizer"),
    *("dotnet", "bash", "sh", "bwrap", "valgrind"),
)
#: What lists the packages of a system: any change of these may be one of a library, a header or a compiler's part.
_SYSTEM = (
    "/var/lib/dpkg/status",
    "/var/lib/rpm/rpmdb.sqlite",
    "/var/lib/rpm/Packages",
    "/var/lib/pacman/local",
    "/lib/apk/db/installed",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/alternatives",
    "/usr/include",
    "/usr/lib",
    "/usr/local/include",
    "/usr/local/lib",
    "/usr/bin/python3",
)
#: What the kernel lets us confine programs with, as files of one line, and lines of a process's status.
_ALLOWED = (
    "/proc/self/uid_map",
    "/proc/self/gid_map",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/sys/kernel/security/lsm",
)
_OF_STATUS = ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp:")
#: The first processor's lines that say which instructions it has: mathematics may differ in the last digit.
_OF_PROCESSOR = ("vendor_id", "model name", "flags")
_PROCESSOR_BYTES = 8192
#: The limits of a shell that programs inherit: see sandbox/ulimits.py.
_LIMITS = ("AS", "CORE", "CPU", "DATA", "FSIZE", "NOFILE", "STACK", "MEMLOCK", "MSGQUEUE")
#: Variables of ours that change a result. That of the user is PATH: it says which compiler is found.
_VARIABLES = ("PATH", "PITBOSS_", "PYTHONPATH", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD")


def digest_of_pitboss() -> str:
    """A digest of pitboss' own files."""
    digest = Digest("pitboss")
    digest.add_path(_HARNESS)
    return digest.text()


def digest_of_machine(environment: Mapping[str, str]) -> str:
    """A digest of Python with its packages, and of what of this machine and this shell a result may hang on.

    Taken before anything runs: pitboss itself raises limits of its shell.
    """
    digest = Digest("machine")
    digest.add(sys.version, os.path.realpath(sys.executable), *_packages())
    digest.add(*_named(environment))
    # The process id, the name of the machine and the time are no part of it: see sessions/determinism.py.
    digest.add(
        *(getattr(os.uname(), field) for field in ("sysname", "release", "version", "machine")), str(os.geteuid())
    )
    digest.add(
        *(_identity_of(shutil.which(tool) or tool) for tool in _TOOLS),
        *map(_identity_of, _SYSTEM),
        *map(_line, _ALLOWED),
    )
    # Whatever else is found by its name: a folder's time changes with the names in it.
    digest.add(*map(_identity_of, environment.get("PATH", "").split(os.pathsep)))
    digest.add(*_lines("/proc/self/status", _OF_STATUS), *_lines("/proc/cpuinfo", _OF_PROCESSOR))
    kinds = (getattr(resource, f"RLIMIT_{name}", None) for name in _LIMITS)
    digest.add(*(str(resource.getrlimit(kind)) for kind in kinds if kind is not None))
    return digest.text()


def _packages() -> list[str]:
    """The names of Python's installed packages with their versions, of all folders where they are looked for."""
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    names: list[str] = []
    for folder in sorted(folders):
        try:
            names += sorted(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info", ".pth")))
        except OSError:
            continue
    return names


def _named(environment: Mapping[str, str]) -> list[str]:
    return sorted(f"{name}={value}" for name, value in environment.items() if name.startswith(_VARIABLES))


def _identity_of(path: str) -> str:
    """What tells a file from any other that was, or will be, in its place; `missing` where there is none."""
    try:
        real = os.path.realpath(path)
        state = os.stat(real)
    except OSError:
        return f"{path} missing"
    return f"{path} {real} {state.st_ino} {state.st_size} {state.st_mtime_ns}"


def _line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline()
    except OSError:
        return ""


def _lines(path: str, starts: Iterable[str]) -> list[str]:
    """The first line for each of these starts, of those at the top of a file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            top = file.read(_PROCESSOR_BYTES).splitlines()
    except OSError:
        return []
    found = (next((line for line in top if line.startswith(start)), "") for start in starts)
    return list(found)
