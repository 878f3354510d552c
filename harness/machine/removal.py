"""Removing folders that somebody hostile has filled: however deep, however many, and locked against us.

Only the names of one way down are kept, and two descriptors: a path may be longer than the kernel takes, and a
recursion deeper than Python does. It imports little, since the process inside a bubblewrap needs it.
"""

from __future__ import annotations

import os

_OPENING = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAMING = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: How often a folder is emptied again that somebody may still be filling.
_TRIES = 3


class _Level:
    """A folder on the way down: which it is, and the names of the folders in it that are still to be emptied."""

    def __init__(self, descriptor: int, name: str) -> None:
        _own(descriptor)
        found = os.fstat(descriptor)
        self.identity, self.name = (found.st_dev, found.st_ino), name
        self.left = _cleared(descriptor)


def remove(path: str) -> bool:
    """Remove a folder with everything in it; whether it is gone. No link is followed, and nothing is raised."""
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


def empty(path: str) -> None:
    """Remove all that is in a folder, as far as possible; OSError where it cannot be opened."""
    here = _opened(path, None)
    try:
        levels = [_Level(here, "")]
        while levels:
            here = _step(levels, here)
    finally:
        if here >= 0:
            os.close(here)


def _step(levels: list[_Level], here: int) -> int:
    """Go one folder down, or up and remove the one that we come from; the folder we are in then, -1 at the end."""
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
    if (found.st_dev, found.st_ino) != levels[-1].identity:  # somebody has moved it: what is above is not ours
        os.close(above)
        levels.clear()
        return -1
    try:
        os.rmdir(level.name, dir_fd=above)
    except OSError:
        pass
    return above


def _down(levels: list[_Level], here: int, name: str) -> int:
    """Go down into a folder; the folder we are in then, the same where that one cannot be read."""
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
    """Remove all files in a folder and its empty folders; the names of the others."""
    left = []
    for name in os.listdir(descriptor):
        try:
            os.unlink(name, dir_fd=descriptor)
        except FileNotFoundError:
            continue
        except OSError:  # Linux says EISDIR of a folder, others EPERM
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
    """Open a folder, unlocked where it is locked."""
    try:
        return os.open(name, _OPENING, dir_fd=above)
    except PermissionError:
        _unlock(name, above)
        return os.open(name, _OPENING, dir_fd=above)


def _unlock(name: str, above: int | None) -> None:
    """Make it possible to open a folder: as its owner, or as root without the power over files of others."""
    if os.geteuid() == 0:
        os.chown(name, 0, 0, dir_fd=above, follow_symlinks=False)
    locked = os.open(name, _NAMING, dir_fd=above)
    try:
        # By its descriptor, since chmod(2) follows links; without a /proc of our own there is only its name.
        path = f"/proc/self/fd/{locked}"
        if os.path.exists(path):
            os.chmod(path, 0o700)
        else:
            os.chmod(name, 0o700, dir_fd=above)
    finally:
        os.close(locked)


def _own(descriptor: int) -> None:
    """Give ourselves every right to a folder that is open."""
    found = os.fstat(descriptor)
    try:
        if found.st_uid != os.geteuid() == 0:
            os.fchown(descriptor, 0, 0)
        if found.st_mode & 0o700 != 0o700:
            os.fchmod(descriptor, 0o700)
    except OSError:
        pass
