"""Temporary folders for builds and sessions, removed with everything in them.

All folders of a run are inside one folder, so that nothing is left, whenever the run is interrupted:

    /tmp/pitboss-run-000/               created and locked by the first process, see flock(2)
        build-000/                      one for each use, also by its workers

The names have the lowest free number and nothing random: a program can see the folders' names, and sees the same names
in each run unless another run is using the number.

The outer folder is removed with the last use of an inner one; what could not be removed then is removed when the
process ends. A run that was killed leaves its folder without a lock: the next run of the same user removes it.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from itertools import count

from pitboss.errors import SessionError
from pitboss.sandbox import removal, users
from pitboss.sandbox.retry import obtain

_RUN = "pitboss-run-"
#: The modes of the folder of a run. Everything in it is readable, so any user who could pass through it could read
#: submissions. Only we may; with the second mode its group may too, which has the programs that we run as other users.
_CLOSED, _PASSED_THROUGH = 0o700, 0o710
#: The umask of programs, and of all files created for them: with a stricter one other users could not read what they
#: need, and a program could tell from the modes of its files whose machine it runs on.
_UMASK = 0o022


class _RunFolder:
    """The folder that contains all others of this run."""

    def __init__(self) -> None:
        self.path = ""
        self._lock = -1
        #: The process that created the folder, and the number of current uses in this process.
        self._owner = self._users = 0
        self._has_swept = False
        #: The umask of the user who started us; None while it is in force.
        self.users_umask: int | None = None
        #: Folders still to be removed, with their locks: removing one fails if no descriptor is free, for example.
        self._left: list[tuple[str, int]] = []

    def enter(self) -> None:
        """Begin a use of the folder; create it unless it exists."""
        if not self.path:
            self.path, self._lock = obtain("no folder for builds and sessions can be created", _locked_folder)
            self._owner, self._users = os.getpid(), 0
            self.users_umask = os.umask(_UMASK)
            if not self._has_swept:
                self._has_swept = True
                _sweep(os.path.dirname(self.path))
        if self._owner == os.getpid():
            self._users += 1

    def leave(self) -> None:
        """End a use of the folder; remove it after the last one."""
        if self._owner == os.getpid():
            self._users -= 1
            if self._users == 0:
                self.remove()

    def remove(self) -> None:
        """Remove it with everything in it, if this process created it."""
        if self._owner != os.getpid():
            return
        if self.path:
            self._left.append((self.path, self._lock))
            self.path = ""
        if self.users_umask is not None:
            os.umask(self.users_umask)
            self.users_umask = None
        for leftover in list(self._left):
            path, lock = leftover
            if removal.remove(path):
                self._left.remove(leftover)
                os.close(lock)


_run = _RunFolder()


def remove_all() -> None:
    """Remove all folders of this run; called at exit."""
    _run.remove()


atexit.register(remove_all)


@contextlib.contextmanager
def run_folder() -> Iterator[None]:
    """Use one folder for the run as long as the context lasts; workers forked meanwhile share it."""
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
def users_umask() -> Iterator[None]:
    """Create files in this context with the modes that the user who started us wants, such as private ones."""
    if _run.users_umask is None:
        yield
        return
    ours = os.umask(_run.users_umask)
    try:
        yield
    finally:
        os.umask(ours)


#: The maximum number of files that are counted, since more take too long; and the result if there are more.
MAX_FILES, TOO_MUCH = 50_000, 1 << 62


def used_bytes(path: str) -> int:
    """Returns how much disk space a folder uses with everything in it; TOO_MUCH if it has too many files to count.

    Does not count deleted files that are still open, nor folders that an ordinary user's command has made unreadable.
    """
    used = files = 0
    left = [path]
    while left:
        folder = left.pop()
        with contextlib.suppress(OSError):  # usually it was just removed
            descriptor = _opened(folder)
            try:
                with os.scandir(descriptor) as entries:
                    for entry in entries:
                        files += 1
                        used += entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            left.append(f"{folder}/{entry.name}")
            finally:
                os.close(descriptor)
        if files > MAX_FILES:
            return TOO_MUCH
    return used


#: Nearly the longest path that the kernel accepts (PATH_MAX); nested folders may have longer ones.
_LONGEST_PATH = 4000


def _opened(folder: str) -> int:
    """A descriptor of a folder, even if its path is longer than the kernel accepts."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.ExitStack() as outer:
        descriptor, rest = None, folder
        while len(rest) > _LONGEST_PATH:
            end = rest.rindex("/", 0, _LONGEST_PATH)
            descriptor = os.open(rest[:end], flags, dir_fd=descriptor)
            outer.callback(os.close, descriptor)
            rest = rest[end + 1 :]
        return os.open(rest, flags, dir_fd=descriptor)


def _make_folder(purpose: str, mode: int) -> str:
    path = _numbered(f"{_run.path}/{purpose}-")
    try:
        os.chmod(path, mode)
    except OSError:
        os.rmdir(path)
        raise
    return path


def _numbered(prefix: str) -> str:
    """A new folder with the lowest number that is free."""
    for number in count():
        path = f"{prefix}{number:03}"
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        return path
    raise AssertionError("there is always another number")


def groups_of_programs() -> tuple[int, ...]:
    """Returns the groups of programs that do not run as our user: these may pass through the folder of the run."""
    group = users.group_of_programs()
    return () if group is None else (group,)


def _close_to_others(path: str) -> None:
    groups = groups_of_programs()
    if groups:
        os.chown(path, -1, groups[0])
    os.chmod(path, _PASSED_THROUGH if groups else _CLOSED)


def _locked_folder() -> tuple[str, int]:
    """A new folder for a run, and the descriptor that locks it."""
    while True:
        path = _numbered(f"{_temporary_folder()}/{_RUN}")
        try:
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        except OSError:
            os.rmdir(path)
            raise
        try:
            if _is_locked(lock) and _is_still(path, lock):  # otherwise a sweep came in between
                _close_to_others(path)
                return path, lock
        except OSError:
            os.close(lock)
            os.rmdir(path)
            raise
        os.close(lock)


def _is_still(path: str, descriptor: int) -> bool:
    """Whether a path still leads to the folder that is open, and not to a newer one."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _temporary_folder() -> str:
    try:
        return os.path.realpath(tempfile.gettempdir())
    except FileNotFoundError as error:
        reason = f"there is no folder for temporary files: {error.strerror}"
        raise SessionError(f"{reason}; set TMPDIR to one that is writable") from error


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sweep(temporary: str) -> None:
    """Remove the folders of this user's runs that were killed."""
    with os.scandir(temporary) as entries:
        found = [entry.path for entry in entries if entry.name.startswith(_RUN)]
    for path in found:
        try:
            if os.lstat(path).st_uid != os.geteuid():
                continue
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if _is_locked(lock):
                removal.remove(path)
        finally:
            os.close(lock)
