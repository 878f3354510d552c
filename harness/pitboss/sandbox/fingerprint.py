"""Digests of what a result depends on besides submission and assignment: pitboss, its libraries, and this machine.

No process is started for this. A compiler is identified by its file: another version differs in size or time.
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
#: The tools that build programs, run them and confine them.
_TOOLS = (
    *TOOLS,
    *("gcc", "g++", "clang", "as", "ld", "ar", "make", "nm", "addr2line", "llvm-symbolizer"),
    *("dotnet", "bash", "sh", "bwrap", "valgrind"),
)
#: Lists of a system's packages: if one changes, a library, a header or a part of a compiler may have changed.
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
#: The means of confinement that the kernel allows, as files of one line, and lines of a process's status.
_ALLOWED = (
    "/proc/self/uid_map",
    "/proc/self/gid_map",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/sys/kernel/security/lsm",
)
_OF_STATUS = ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp:")
#: The first processor's lines about its instructions: results of arithmetic may differ in the last digit.
_OF_PROCESSOR = ("vendor_id", "model name", "flags")
_PROCESSOR_BYTES = 8192
#: The limits of a shell that programs inherit: see sandbox/ulimits.py.
_LIMITS = ("AS", "CORE", "CPU", "DATA", "FSIZE", "NOFILE", "STACK", "MEMLOCK", "MSGQUEUE")
#: Variables that change a result, by how their names begin; PATH decides which compiler is found.
_VARIABLES = ("PATH", "PITBOSS_", "PYTHONPATH", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD")


def digest_of_pitboss() -> str:
    """A digest of pitboss' own files."""
    digest = Digest("pitboss")
    digest.add_path(_HARNESS)
    return digest.text()


def digest_of_machine(environment: Mapping[str, str]) -> str:
    """A digest of Python with its packages, and of what a result may depend on in this machine and this shell.

    Compute it before anything runs: pitboss itself raises limits of its shell.
    """
    digest = Digest("machine")
    digest.add(sys.version, os.path.realpath(sys.executable), *_packages())
    digest.add(*_named(environment))
    # The process id, the host name and the time are not part of it: see sessions/determinism.py.
    digest.add(
        *(getattr(os.uname(), field) for field in ("sysname", "release", "version", "machine")), str(os.geteuid())
    )
    digest.add(
        *(_identity_of(shutil.which(tool) or tool) for tool in _TOOLS),
        *map(_identity_of, _SYSTEM),
        *map(_line, _ALLOWED),
    )
    # All other programs that are found by name: a folder's time changes with the names in it.
    digest.add(*map(_identity_of, environment.get("PATH", "").split(os.pathsep)))
    digest.add(*_lines("/proc/self/status", _OF_STATUS), *_lines("/proc/cpuinfo", _OF_PROCESSOR))
    kinds = (getattr(resource, f"RLIMIT_{name}", None) for name in _LIMITS)
    digest.add(*(str(resource.getrlimit(kind)) for kind in kinds if kind is not None))
    return digest.text()


def _packages() -> list[str]:
    """The names of Python's installed packages with their versions, in all folders of packages."""
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
    """A text that identifies a file among all files that ever have its path; `missing` if there is no file."""
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
    """For each of these prefixes the first line that has it, among the lines at the top of a file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            top = file.read(_PROCESSOR_BYTES).splitlines()
    except OSError:
        return []
    found = (next((line for line in top if line.startswith(start)), "") for start in starts)
    return list(found)
