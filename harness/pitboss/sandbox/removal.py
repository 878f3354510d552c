"""Removes folders that a hostile program has filled: however deep, however many, and even if we have no access.

It stores only the names along one path and two descriptors: a whole path may be longer than the kernel accepts, and a
recursion deeper than Python allows. It imports little, since the process inside a bubblewrap needs it.
"""

from __future__ import annotations

import os

_OPENING = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAMING = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: How often we empty a folder that a program may still be filling.
_TRIES = 3


class _Level:
    """A folder on the way down: its identity, and the names of the folders in it that are still to be emptied."""

    def __init__(self, descriptor: int, name: str) -> None:
        _take_ownership(descriptor)
        found = os.fstat(descriptor)
        self.identity, self.name = (found.st_dev, found.st_ino), name
        self.left = _cleared(descriptor)


def remove(path: str) -> bool:
    """Remove a folder with everything in it; returns whether it is gone. Follows no links and raises nothing."""
    for _ in range(_TRIES):
        try:
            empty(path)
            os.rmdir(path)
        except FileNotFoundError:
            return True
        except OSError:
            continue
        return True
    return not os.path.lexists(path)


def empty(path: str, above: int | None = None) -> None:
    """Remove everything in a folder, as far as possible; OSError if it cannot be opened.

    The path is relative to `above`, an open folder, if that is given.
    """
    here = _opened(path, above)
    try:
        levels = [_Level(here, "")]
        while levels:
            here = _step(levels, here)
    finally:
        if here >= 0:
            os.close(here)


def _step(levels: list[_Level], here: int) -> int:
    """Go one folder down, or up and remove the one we leave; returns the folder that we are in then, -1 at the end."""
    level = levels[-1]
    if level.left:
        return _down(levels, here, level.left.pop())
    levels.pop()
    if not levels:
        os.close(here)
        return -1
    above = os.open("..", _OPENING, dir_fd=here)
    os.close(here)
    found = os.fstat(above)
    if (found.st_dev, found.st_ino) != levels[-1].identity:  # it was moved: the folder above is not ours
        os.close(above)
        levels.clear()
        return -1
    try:
        os.rmdir(level.name, dir_fd=above)
    except OSError:
        pass
    return above


def _down(levels: list[_Level], here: int, name: str) -> int:
    """Go down into a folder; returns the folder that we are in then, the same one if the other cannot be read."""
    try:
        below = _opened(name, here)
    except OSError:
        return here
    try:
        levels.append(_Level(below, name))
    except OSError:
        os.close(below)
        return here
    os.close(here)
    return below


def _cleared(descriptor: int) -> list[str]:
    """Remove the files and empty folders in a folder; returns the names of the other folders."""
    left = []
    for name in os.listdir(descriptor):
        try:
            os.unlink(name, dir_fd=descriptor)
        except FileNotFoundError:
            continue
        except OSError:  # for a folder Linux returns EISDIR, others EPERM
            if not _is_removed(name, descriptor):
                left.append(name)
    return left


def _is_removed(name: str, above: int) -> bool:
    try:
        os.rmdir(name, dir_fd=above)
    except OSError:
        return False
    return True


def _opened(name: str, above: int | None) -> int:
    """Open a folder, and give ourselves access first if needed."""
    try:
        return os.open(name, _OPENING, dir_fd=above)
    except PermissionError:
        _unlock(name, above)
        return os.open(name, _OPENING, dir_fd=above)


def _unlock(name: str, above: int | None) -> None:
    """Give ourselves access to a folder, as its owner or as root without power over files of others."""
    if os.geteuid() == 0:
        os.chown(name, 0, 0, dir_fd=above, follow_symlinks=False)
    locked = os.open(name, _NAMING, dir_fd=above)
    try:
        # Through its descriptor, since chmod(2) follows links; without /proc we have only its name.
        path = f"/proc/self/fd/{locked}"
        if os.path.exists(path):
            os.chmod(path, 0o700)
        else:
            os.chmod(name, 0o700, dir_fd=above)
    finally:
        os.close(locked)


def _take_ownership(descriptor: int) -> None:
    """Give ourselves all rights to an open folder."""
    found = os.fstat(descriptor)
    try:
        if found.st_uid != os.geteuid() == 0:
            os.fchown(descriptor, 0, 0)
        if found.st_mode & 0o700 != 0o700:
            os.fchmod(descriptor, 0o700)
    except OSError:
        pass
