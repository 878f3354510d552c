"""Landlock: restricts a thread, and all programs it starts, to paths that they may read, execute or write.

See landlock(7). An older kernel does not enforce what its Landlock version does not know; see `version`.
"""

from __future__ import annotations

import ctypes
import os
import stat

from pitboss.sandbox import abi
from pitboss.sandbox.shortages import is_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FIRST_VERSION = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
#: The rights that apply to a file; the other rights apply to folders only.
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

READ = _EXECUTE | _READ_FILE | _READ_DIR
LIST = _READ_DIR
WRITE = READ | _FIRST_VERSION | _REFER | _TRUNCATE
DEVICE = _READ_FILE | _WRITE_FILE | _IOCTL_DEV

_BIND_TCP, _CONNECT_TCP = 1, 2
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1, 2


def version() -> int:
    """The kernel's Landlock version; 0 if it has none or it is switched off."""
    try:
        return abi.call("landlock_create_ruleset", None, 0, 1) if abi.IS_KNOWN else 0
    except OSError:
        return 0


def restricts_signals() -> bool:
    """Whether a program inside can be prevented from sending signals outside (Linux 6.12)."""
    return version() >= 6


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def restrict(rules: Iterable[tuple[str, int]]) -> None:
    """Confine this thread to `rules`, pairs of a path and its rights; paths that do not exist are skipped.

    Raises OSError if there is no Landlock, or the machine is short of something. Sets no_new_privs on the thread.
    """
    abi_version = version()
    files = _FIRST_VERSION | (_REFER if abi_version >= 2 else 0) | (_TRUNCATE if abi_version >= 3 else 0)
    files |= _IOCTL_DEV if abi_version >= 5 else 0
    network = _BIND_TCP | _CONNECT_TCP if abi_version >= 4 else 0
    scoped = _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNALS if abi_version >= 6 else 0
    size = 24 if abi_version >= 6 else 16 if abi_version >= 4 else 8
    attributes = _Ruleset(files, network, scoped)
    ruleset = abi.call("landlock_create_ruleset", ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    try:
        for path, rights in rules:
            _allow(ruleset, path, rights & files)
        abi.call("prctl", abi.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        abi.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        if is_short(error.errno):  # it may exist, and without its rule a correct program would fail
            raise
        return
    try:
        if not stat.S_ISDIR(os.fstat(parent).st_mode):
            rights &= _OF_FILES
        rule = _PathBeneath(rights, parent)
        abi.call("landlock_add_rule", ruleset, 1, ctypes.byref(rule), 0)
    finally:
        os.close(parent)
