"""Removes folders that a hostile program has filled: however deep, however many, and even without access rights.

The removal uses only two descriptors and the names along one path: whole paths may be longer than the kernel accepts,
and a recursion deeper than Python allows. This module imports little, since the process inside a bubblewrap needs it.
"""

from __future__ import annotations

import os

_OPEN_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PATH_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: How often we try to remove a folder that a program may still be filling.
_TRIES = 3


class _Level:
    """A folder on the current path: its identity and name, and the names of its subfolders still to be emptied."""

    def __init__(self, descriptor: int, name: str) -> None:
        """Go into the folder that is open as `descriptor`: this already removes its files and empty subfolders."""
        _take_ownership(descriptor)
        status = os.fstat(descriptor)
        self.identity, self.name = (status.st_dev, status.st_ino), name
        self.subfolders = _remove_files(descriptor)


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

    If `above` is not None, it is the descriptor of the folder that the path is relative to.
    """
    folder = open_folder(path, above)
    try:
        levels = [_Level(folder, "")]
        while levels:
            folder = _step(levels, folder)
    finally:
        if folder >= 0:
            os.close(folder)


def _step(levels: list[_Level], folder: int) -> int:
    """Go down into the next subfolder; if none is left, go up and remove the folder that was emptied.

    `folder` is the descriptor of the last level. Returns the descriptor of the folder that we go to, -1 at the end.
    """
    level = levels[-1]
    if level.subfolders:
        return _down(levels, folder, level.subfolders.pop())
    levels.pop()
    if not levels:
        os.close(folder)
        return -1
    parent = os.open("..", _OPEN_FLAGS, dir_fd=folder)
    os.close(folder)
    status = os.fstat(parent)
    if (status.st_dev, status.st_ino) != levels[-1].identity:  # the folder was moved to another parent: give up
        os.close(parent)
        levels.clear()
        return -1
    try:
        os.rmdir(level.name, dir_fd=parent)
    except OSError:
        pass
    return parent


def _down(levels: list[_Level], folder: int, name: str) -> int:
    """Go down into a subfolder: close `folder` and return the subfolder's descriptor; `folder` if it cannot be read."""
    try:
        subfolder = open_folder(name, folder)
    except OSError:
        return folder
    try:
        levels.append(_Level(subfolder, name))
    except OSError:
        os.close(subfolder)
        return folder
    os.close(folder)
    return subfolder


def _remove_files(descriptor: int) -> list[str]:
    """Remove the files and empty subfolders of a folder; returns the names of the other subfolders."""
    subfolders = []
    for name in os.listdir(descriptor):
        try:
            os.unlink(name, dir_fd=descriptor)
        except FileNotFoundError:
            continue
        except OSError:  # for a subfolder Linux returns EISDIR, other systems EPERM
            if not _remove_if_empty(name, descriptor):
                subfolders.append(name)
    return subfolders


def _remove_if_empty(name: str, parent: int) -> bool:
    """Remove a subfolder if it is empty; returns whether it was removed."""
    try:
        os.rmdir(name, dir_fd=parent)
    except OSError:
        return False
    return True


def open_folder(name: str, parent: int | None) -> int:
    """The descriptor of a folder in `parent`; gives us access to it first if needed."""
    try:
        return os.open(name, _OPEN_FLAGS, dir_fd=parent)
    except PermissionError:
        _unlock(name, parent)
        return os.open(name, _OPEN_FLAGS, dir_fd=parent)


def _unlock(name: str, parent: int | None) -> None:
    """Give ourselves access to a folder. We own the folder, or we are root but may not read other users' files."""
    if os.geteuid() == 0:
        os.chown(name, 0, 0, dir_fd=parent, follow_symlinks=False)
    descriptor = os.open(name, _PATH_FLAGS, dir_fd=parent)
    try:
        # chmod(2) follows links, so we change the open folder, by its path in /proc; without /proc by its name.
        path = f"/proc/self/fd/{descriptor}"
        if os.path.exists(path):
            os.chmod(path, 0o700)
        else:
            os.chmod(name, 0o700, dir_fd=parent)
    finally:
        os.close(descriptor)


def _take_ownership(descriptor: int) -> None:
    """Give ourselves all rights to an open folder."""
    status = os.fstat(descriptor)
    try:
        if os.geteuid() == 0 and status.st_uid != 0:
            os.fchown(descriptor, 0, 0)
        if status.st_mode & 0o700 != 0o700:
            os.fchmod(descriptor, 0o700)
    except OSError:
        pass
