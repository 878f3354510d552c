"""Digests: short numbers for texts, files and whole folders, for pitboss, its libraries and this machine.

A digest changes with any byte of the content. A result depends on those of pitboss and the machine too, not only on
submission and assignment.

A compiler is not asked for its version, which would take time, but identified by its file: the file of another version
differs in size or time. Only a proxy, such as rustup's, is asked which toolchain it starts.
"""

from __future__ import annotations

import os
import resource
import stat
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from pitboss.machine.files import read_open_file
from pitboss.sandbox.tools import BUILD_TOOLS, find_tool

_DIGEST_BYTES = 20
#: A folder with more files or bytes is not read for a digest: it is neither an assignment nor a submission.
_MAX_FILES, _MAX_BYTES = 5000, 256 << 20
_READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
#: Folders that tools create beside code and specs, and that no code of an assignment reads.
TOOL_FOLDERS = frozenset({"__pycache__", ".git", ".hg", ".svn", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"})
#: A function that is called with the path and the content of each file added to a digest.
Note = Callable[[str, bytes], None]


class NoDigestError(Exception):
    """A digest cannot be computed: a file cannot be read, or there are too many files or bytes."""


class Digest:
    """A digest of the parts added to it; it also depends on their order and on the boundaries between them."""

    def __init__(self, purpose: str, without: Iterable[Path] = ()) -> None:
        """Begin an empty digest; the paths in `without` are left out. Digests for different purposes differ."""
        self._without = frozenset(map(str, without))
        self._hash = blake2b(digest_size=_DIGEST_BYTES)
        self._files = self._bytes = 0
        self.add(purpose)

    def add(self, *parts: str | bytes) -> None:
        """Add texts."""
        for part in parts:
            data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
            self._hash.update(b"%d:" % len(data))
            self._hash.update(data)

    def add_path(self, path: Path, note: Note = lambda path, content: None) -> None:
        """Add a file with its content, or a folder of code or specs with everything below it, following links.

        The folders of tools are left out. `note` is called with each file's path and content. Raises NoDigestError if
        something cannot be read, or there are too many files or bytes.
        """
        self._add_all(path, follows=True, note=note)

    def add_submission(self, path: Path) -> None:
        """Add all files in a submission's folder that its programs may read, or that decide which programs we find.

        As in builds, links to folders are not followed; of a link to a file the content is added. Raises NoDigestError
        like `add_path`.
        """
        self._add_all(path, follows=False)

    def text(self) -> str:
        """The digest so far, in hexadecimal digits."""
        return self._hash.hexdigest()

    def _add_all(self, path: Path, *, follows: bool, note: Note = lambda path, content: None) -> None:
        """Add a file, or a folder with everything below it: see `_add_any`; NoDigestError instead of OSError."""
        self._note = note
        try:
            self._add_any(str(path), follows=follows, outer_folders=())
        except OSError as error:
            raise NoDigestError(f"{path}: {error.strerror}") from error

    def _add_any(self, path: str, *, follows: bool, outer_folders: tuple[str, ...]) -> None:
        """Add the file or folder at a path, or only the word `missing` if there is nothing.

        With `follows` links to folders are followed too.
        `outer_folders` are the folders that we are already adding, to recognize a link back to one of them.
        """
        try:
            mode = os.stat(path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            self.add("missing")
            return
        self.add(f"{stat.S_IFMT(mode):o} {stat.S_IMODE(mode):o}")
        if stat.S_ISDIR(mode):
            self._add_folder(path, follows=follows, outer_folders=outer_folders)
        elif stat.S_ISREG(mode):
            self._add_file(path)

    def _add_folder(self, path: str, *, follows: bool, outer_folders: tuple[str, ...]) -> None:
        real_path = os.path.realpath(path) if follows else path
        if real_path in outer_folders:  # a link leads back to a folder that contains it
            return
        with os.scandir(path) as entries:
            contents = sorted(entries, key=lambda entry: entry.name)
        contents = [entry for entry in contents if not self._is_left_out(entry, follows=follows)]
        self.add(f"folder of {len(contents)}")
        for entry in contents:
            self._count(0)
            self.add(entry.name)
            is_link = entry.is_symlink()
            if is_link:
                self.add("link", os.readlink(entry.path))
            if follows or not is_link or _is_file(entry):
                self._add_any(entry.path, follows=follows, outer_folders=(*outer_folders, real_path))

    def _is_left_out(self, entry: os.DirEntry[str], *, follows: bool) -> bool:
        """Whether an entry is left out: as requested, or as a folder.

        In a submission (`follows` is false) the folders are the hidden ones, which are never copied for a build;
        elsewhere those of tools.
        """
        has_name_to_leave_out = entry.name in TOOL_FOLDERS if follows else entry.name.startswith(".")
        return (has_name_to_leave_out and entry.is_dir(follow_symlinks=follows)) or entry.path in self._without

    def _add_file(self, path: str) -> None:
        descriptor = os.open(path, _READ_FLAGS)
        try:
            state = os.fstat(descriptor)
            self._count(state.st_size)
            content = read_open_file(descriptor, state.st_size + 1)
            if len(content) > state.st_size:
                raise NoDigestError(f"{path}: it grows while it is read")
            self.add(content)
            self._note(path, content)
        finally:
            os.close(descriptor)

    def _count(self, size: int) -> None:
        """Count an entry of a folder (size 0), or a file that is read; NoDigestError if there are too many."""
        self._files, self._bytes = self._files + 1, self._bytes + size
        if self._files > _MAX_FILES or self._bytes > _MAX_BYTES:
            raise NoDigestError(f"more than {_MAX_FILES} files or {_MAX_BYTES >> 20} MB")


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


class Causes(NamedTuple):
    """Digests of everything that a result depends on."""

    #: Digest of the submission.
    program: str
    #: Digest of the specs, and of the code of the reference, readers, players and mistakes.
    assignment: str
    #: Digest of the command's options: stages, limits, files of the course.
    options: str
    #: Digest of pitboss itself.
    pitboss: str

    @property
    def only_program(self) -> Causes:
        """A copy with only the program's digest; the others are empty, so that no later run has the same causes."""
        return self._replace(assignment="", options="", pitboss="")

    def changed_since(self, earlier: Causes) -> tuple[str, ...]:
        """The names of the causes whose digests differ from an earlier run's."""
        return tuple(name for name in self._fields if getattr(self, name) != getattr(earlier, name))


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
#: The shell's limits that programs inherit, without `RLIMIT_`: see sandbox/limits.py.
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
        *(line for path in _CONFINEMENT_FILES for line in _lines_with_prefixes(path, [""])),
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


def _lines_with_prefixes(path: str, prefixes: Iterable[str]) -> list[str]:
    """For each prefix the first line that begins with the prefix in the top of a file; an empty text if none does.

    The texts are empty if the file cannot be read.
    """
    top: list[str] = []
    with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        top = file.read(_TOP_BYTES).splitlines()
    return [next((line for line in top if line.startswith(prefix)), "") for prefix in prefixes]
