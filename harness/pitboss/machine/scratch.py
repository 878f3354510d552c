"""Temporary folders for builds and sessions, removed with everything in them.

All folders of a run are inside one outer folder, so that nothing is left behind even if the run is interrupted:

    /tmp/pitboss-run-000/               created and locked by the first process, see flock(2)
        build-000/                      an inner folder for each use, also by the workers of the run

The names have the lowest free number and nothing random: a program can see the folders' names, and sees the same names
in each run unless another run is using the number.

The outer folder is removed after the last use of an inner folder. If this fails, it is removed when the process ends.
A run that was killed leaves its outer folder behind, without a lock: the next run of the same user removes the folder.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from itertools import count

from pitboss.errors import SessionError
from pitboss.machine import removal, users
from pitboss.machine.retry import obtain

_RUN_PREFIX = "pitboss-run-"
#: A character that ends a path, or means something else, in a list of libraries, a makefile or a shell.
_SEPARATOR = re.compile(r"[^\w+,\-./@]")
#: The modes of the folder of a run. Everything in that folder is readable, so whoever may pass through the folder may
#: read submissions. With the first mode only we may pass, with the second also the group of programs that run as other
#: users.
_PRIVATE_MODE, _GROUP_MODE = 0o700, 0o710
#: The umask of programs, and of all files created for them: with a stricter umask other users could not read what they
#: need, and a program could see from the modes of its files whose machine it runs on.
_UMASK = 0o022


class _RunFolder:
    """The outer folder, which contains all other folders of this run."""

    def __init__(self) -> None:
        #: Empty while the folder does not exist.
        self.path = ""
        #: The descriptor that locks the folder.
        self._lock = -1
        #: The id of the process that created the folder.
        self._owner = 0
        #: The number of current uses in this process.
        self._uses = 0
        self._has_swept = False
        #: The umask of the user who started us, while ours replaces it; else None.
        self.replaced_umask: int | None = None
        #: Folders still to be removed, with their locks: a removal fails if no descriptor is free, for example.
        self._unremoved: list[tuple[str, int]] = []

    def enter(self) -> None:
        """Begin a use of the folder; create it unless it exists."""
        if not self.path:
            self.path, self._lock = obtain("no folder for builds and sessions can be created", _locked_folder)
            self._owner, self._uses = os.getpid(), 0
            self.replaced_umask = os.umask(_UMASK)
            if not self._has_swept:
                self._has_swept = True
                _sweep(os.path.dirname(self.path))
        if self._owner == os.getpid():
            self._uses += 1

    def leave(self) -> None:
        """End a use of the folder; remove it after the last one."""
        if self._owner == os.getpid():
            self._uses -= 1
            if self._uses == 0:
                self.remove()

    def remove(self) -> None:
        """Remove the folder with everything in it, if this process created the folder."""
        if self._owner != os.getpid():
            return
        if self.path:
            self._unremoved.append((self.path, self._lock))
            self.path = ""
        if self.replaced_umask is not None:
            os.umask(self.replaced_umask)
            self.replaced_umask = None
        for leftover in list(self._unremoved):
            path, lock = leftover
            if removal.remove(path):
                self._unremoved.remove(leftover)
                os.close(lock)


_run = _RunFolder()


def remove_all() -> None:
    """Remove all folders of this run; called at exit."""
    _run.remove()


atexit.register(remove_all)


@contextlib.contextmanager
def run_folder() -> Iterator[None]:
    """Use the outer folder of the run as long as the context lasts; workers forked meanwhile share the folder."""
    _run.enter()
    try:
        yield
    finally:
        _run.leave()


@contextlib.contextmanager
def folder(purpose: str, mode: int = 0o755) -> Iterator[str]:
    """A new folder, removed with everything in it at the end of the context; SessionError if none can be created."""
    with run_folder():
        path = obtain(f"no folder for a {purpose} can be created", lambda: _make_folder(purpose, mode))
        try:
            yield path
        finally:
            removal.remove(path)


@contextlib.contextmanager
def invoking_users_umask() -> Iterator[None]:
    """In this context files are created with the umask of the user who started us, which may make them private."""
    if _run.replaced_umask is None:
        yield
        return
    our_umask = os.umask(_run.replaced_umask)
    try:
        yield
    finally:
        os.umask(our_umask)


#: The maximum number of files that `used_bytes` counts, since more would take too long.
MAX_FILES = 50_000
#: What `used_bytes` returns if there are more files, or some that it cannot count.
TOO_MUCH = 1 << 62


def used_bytes(path: str) -> int:
    """Returns how much disk space a folder uses with everything in it; TOO_MUCH if it has too many files to count.

    Opens to us what a command has closed, which counts as too many files if that fails. Root opens nothing: it can read
    all, or it may be unable to read even the folders that others have not closed.
    """
    used = files = 0
    unvisited = [path]
    while unvisited:
        current = unvisited.pop()
        try:
            descriptor = _open_folder(current)
            try:
                if os.geteuid() and os.fstat(descriptor).st_mode & 0o500 != 0o500:
                    os.fchmod(descriptor, 0o700)
                with os.scandir(descriptor) as entries:
                    for entry in entries:
                        files += 1
                        with contextlib.suppress(FileNotFoundError):
                            used += entry.stat(follow_symlinks=False).st_blocks * 512
                            if entry.is_dir(follow_symlinks=False):
                                unvisited.append(f"{current}/{entry.name}")
            finally:
                os.close(descriptor)
        except PermissionError:
            files += MAX_FILES + 1 if os.geteuid() else 0
        except OSError:  # usually the folder was just removed
            pass
        if files > MAX_FILES:
            return TOO_MUCH
    return used


#: Nearly the longest path that the kernel accepts (PATH_MAX is 4096); nested folders may have longer paths.
_MAX_PATH_LENGTH = 4000


def _open_folder(path: str) -> int:
    """A descriptor of a folder, even if its path is longer than the kernel accepts."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.ExitStack() as outer:
        descriptor, remaining_path = None, path
        while len(remaining_path) > _MAX_PATH_LENGTH:
            end = remaining_path.rindex("/", 0, _MAX_PATH_LENGTH)
            descriptor = os.open(remaining_path[:end], flags, dir_fd=descriptor)
            outer.callback(os.close, descriptor)
            remaining_path = remaining_path[end + 1 :]
        if os.geteuid():
            return removal.open_folder(remaining_path, descriptor)
        return os.open(remaining_path, flags, dir_fd=descriptor)


def _make_folder(purpose: str, mode: int) -> str:
    path = _make_numbered_folder(f"{_run.path}/{purpose}-")
    try:
        os.chmod(path, mode)
    except OSError:
        os.rmdir(path)
        raise
    return path


def _make_numbered_folder(prefix: str) -> str:
    """Create a folder whose name is `prefix` and the lowest free number; returns its path."""
    for number in count():
        path = f"{prefix}{number:03}"
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
            return path
    raise AssertionError("there is always another number")


def groups_of_programs() -> tuple[int, ...]:
    """Returns the groups of programs that do not run as our user; members may pass through the folder of the run."""
    group = users.group_of_programs()
    return () if group is None else (group,)


def _keep_others_out(path: str) -> None:
    """Let nobody pass through the folder of a run but us and our programs."""
    groups = groups_of_programs()
    if groups:
        os.chown(path, -1, groups[0])
    os.chmod(path, _GROUP_MODE if groups else _PRIVATE_MODE)


def _locked_folder() -> tuple[str, int]:
    """Create the folder of a run; returns its path and the descriptor that locks it."""
    while True:
        path = _make_numbered_folder(f"{temporary_folder()}/{_RUN_PREFIX}")
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        except OSError:
            os.rmdir(path)
            raise
        try:
            if _try_lock(lock) and _is_same_folder(path, lock):  # else another run removes the folder
                _keep_others_out(path)
                return path, lock
        except OSError:
            os.close(lock)
            os.rmdir(path)
            raise
        os.close(lock)


def _is_same_folder(path: str, descriptor: int) -> bool:
    """Whether a path still leads to the open folder, and not to a newer folder."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def temporary_folder() -> str:
    """Returns the folder that TMPDIR names, else another, whose path has no blank and no mark; SessionError if none is.

    The loader, make and shells read such a path as several: `LD_PRELOAD=/tmp/a b/library.so` loads two libraries.
    """
    # Not tempfile.gettempdir(), which tries each folder by a file that an interrupt would leave behind.
    for path in filter(None, (tempfile.tempdir, os.environ.get("TMPDIR"), "/tmp", "/var/tmp")):
        real_path = os.path.realpath(path)
        if not _SEPARATOR.search(real_path) and os.access(real_path, os.W_OK | os.X_OK):
            return real_path
    raise SessionError(
        "there is no folder for temporary files; set TMPDIR to one that is writable, with nothing but letters, digits "
        "and + , - . / @ _ in its path"
    )


def _try_lock(descriptor: int) -> bool:
    """Lock an open folder; returns False if that is impossible, mostly because another process has locked it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(temporary_folder: str) -> None:
    """Remove the folders of killed runs of this user: those that no process has locked."""
    with os.scandir(temporary_folder) as entries:
        paths = [entry.path for entry in entries if entry.name.startswith(_RUN_PREFIX)]
    for path in paths:
        try:
            if os.lstat(path).st_uid != os.geteuid():
                continue
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if _try_lock(lock):
                removal.remove(path)
        finally:
            os.close(lock)
