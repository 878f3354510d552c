"""Digests of pitboss, its libraries and this machine: a result depends on them, not only on submission and assignment.

A compiler is not asked for its version, which would take time, but identified by its file: the file of another version
differs in size or time. Only a proxy, such as rustup's, is asked which toolchain it starts.
"""

from __future__ import annotations

import os
import resource
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path

from pitboss.sandbox.digests import Digest
from pitboss.sandbox.tools import BUILD_TOOLS, find_tool

_HARNESS = Path(__file__).resolve().parent.parent
#: The tools that build programs, run them and confine them.
_IDENTIFIED_TOOLS = (*BUILD_TOOLS, "python3", "nm", "addr2line", "llvm-symbolizer", "bwrap", "valgrind")
#: The system's lists of packages, and folders: if one changes, a library, a header or a part of a compiler may have
#: changed.
_SYSTEM_PATHS = (
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
#: Files of one line that show which means of confinement the kernel allows.
_CONFINEMENT_FILES = (
    "/proc/self/uid_map",
    "/proc/self/gid_map",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/sys/kernel/security/lsm",
)
#: The beginnings of the lines of /proc/self/status that show how this process itself is confined.
_STATUS_PREFIXES = ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp:")
#: The beginnings of the lines of /proc/cpuinfo about the processor's instructions: with other instructions, results of
#: arithmetic may differ in the last digit.
_PROCESSOR_PREFIXES = ("vendor_id", "model name", "flags")
#: How many bytes of /proc/self/status and /proc/cpuinfo are read: enough for the lines above; in /proc/cpuinfo, which
#: repeats them for each core, for those of the first core.
_TOP_BYTES = 8192
#: The shell's limits that programs inherit, without `RLIMIT_`: see sandbox/ulimits.py.
_LIMITS = ("AS", "CORE", "CPU", "DATA", "FSIZE", "NOFILE", "STACK", "MEMLOCK", "MSGQUEUE")
#: The beginnings of the names of environment variables that can change a result. PATH decides which compiler is found.
_VARIABLE_PREFIXES = ("PATH", "PITBOSS_", "PYTHONPATH", "TMPDIR", "LD_LIBRARY_PATH", "LD_PRELOAD")


def digest_of_pitboss() -> str:
    """A digest of pitboss' own files."""
    digest = Digest("pitboss")
    digest.add_path(_HARNESS)
    return digest.text()


def digest_of_machine(environment: Mapping[str, str]) -> str:
    """A digest of all that a result may depend on in this machine and this shell, such as Python and its packages.

    Compute the digest before anything runs, since it contains limits that pitboss itself raises later.
    """
    digest = Digest("machine")
    digest.add(sys.version, os.path.realpath(sys.executable), *_packages())
    digest.add(*_relevant_variables(environment))
    # The process id, the host name and the time are no part of the digest: see sessions/determinism.py.
    digest.add(
        *(getattr(os.uname(), field) for field in ("sysname", "release", "version", "machine")), str(os.geteuid())
    )
    tools = [tool for tool in map(find_tool, _IDENTIFIED_TOOLS) if tool]
    digest.add(
        *(_identity_of(tool.path) for tool in tools),
        *(_identity_of(f"{tool.folder}/sdk") for tool in tools if tool.folder),  # the folder of dotnet's compilers
        *map(_identity_of, _SYSTEM_PATHS),
        *map(_first_line, _CONFINEMENT_FILES),
    )
    # For all other programs that are found by name, the folders in PATH: a folder's time changes with the names in it.
    digest.add(*map(_identity_of, environment.get("PATH", "").split(os.pathsep)))
    digest.add(*_lines_with_prefixes("/proc/self/status", _STATUS_PREFIXES))
    digest.add(*_lines_with_prefixes("/proc/cpuinfo", _PROCESSOR_PREFIXES))
    rlimits = (getattr(resource, f"RLIMIT_{name}", None) for name in _LIMITS)
    digest.add(*(str(resource.getrlimit(rlimit)) for rlimit in rlimits if rlimit is not None))
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


def _relevant_variables(environment: Mapping[str, str]) -> list[str]:
    return sorted(f"{name}={value}" for name, value in environment.items() if name.startswith(_VARIABLE_PREFIXES))


def _identity_of(path: str) -> str:
    """A text that changes whenever the file at a path is replaced or changed; ends in `missing` without a file."""
    try:
        real = os.path.realpath(path)
        state = os.stat(real)
    except OSError:
        return f"{path} missing"
    return f"{path} {real} {state.st_ino} {state.st_size} {state.st_mtime_ns}"


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline()
    except OSError:
        return ""


def _lines_with_prefixes(path: str, prefixes: Iterable[str]) -> list[str]:
    """For each prefix the first line that begins with the prefix in the top of a file; an empty text if none does.

    An empty list if the file cannot be read.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            top = file.read(_TOP_BYTES).splitlines()
    except OSError:
        return []
    lines = (next((line for line in top if line.startswith(prefix)), "") for prefix in prefixes)
    return list(lines)
