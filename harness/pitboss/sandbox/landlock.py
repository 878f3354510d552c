"""Landlock: restricts a thread, and all programs it starts, to paths that they may read, execute or write.

See landlock(7). An older kernel has an older Landlock version, which restricts fewer things; see `version`.
"""

from __future__ import annotations

import ctypes
import os
import stat

from pitboss.machine import abi
from pitboss.machine.shortages import is_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
#: The 13 rights of the first Landlock version; later versions added the rights below.
_FIRST_VERSION_RIGHTS = (1 << 13) - 1
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
#: The rights that a rule for a file may have; all further rights apply only to folders.
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

#: Sets of rights for the rules of other modules: to read (and execute), to list the names in folders, to write, and to
#: use devices.
READ = _EXECUTE | _READ_FILE | _READ_DIR
LIST = _READ_DIR
WRITE = READ | _FIRST_VERSION_RIGHTS | _REFER | _TRUNCATE
DEVICE = _READ_FILE | _WRITE_FILE | _IOCTL_DEV

_BIND_TCP, _CONNECT_TCP = 1, 2
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1, 2


def version() -> int:
    """The kernel's Landlock version; 0 if the kernel has no Landlock, or Landlock is switched off."""
    try:
        # The flag 1 is LANDLOCK_CREATE_RULESET_VERSION.
        return abi.call("landlock_create_ruleset", None, 0, 1) if abi.IS_KNOWN else 0
    except OSError:
        return 0


def restricts_signals() -> bool:
    """Whether this kernel can prevent a restricted program from signalling other processes (Linux 6.12)."""
    return version() >= 6


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("rights", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def restrict(rules: Iterable[tuple[str, int]]) -> None:
    """Confine this thread to `rules`, pairs of a path and its rights; paths that cannot be opened are skipped.

    Raises OSError if there is no Landlock or resources are short. Also sets no_new_privs on the thread.
    """
    abi_version = version()
    file_rights = _FIRST_VERSION_RIGHTS | (_REFER if abi_version >= 2 else 0) | (_TRUNCATE if abi_version >= 3 else 0)
    file_rights |= _IOCTL_DEV if abi_version >= 5 else 0
    network = _BIND_TCP | _CONNECT_TCP if abi_version >= 4 else 0
    scoped = _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNALS if abi_version >= 6 else 0
    # The size of _Ruleset in bytes, without the fields that this version lacks: `network` since 4, `scoped` since 6.
    size = 8 + (8 if abi_version >= 4 else 0) + (8 if abi_version >= 6 else 0)
    attributes = _Ruleset(file_rights, network, scoped)
    ruleset = abi.call("landlock_create_ruleset", ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    try:
        for path, rights in rules:
            _add_rule(ruleset, path, rights & file_rights)
        abi.call("prctl", abi.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        abi.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _add_rule(ruleset: int, path: str, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        if is_short(error.errno):  # the path may exist: without a rule for it a correct program would fail
            raise
        return
    try:
        if not stat.S_ISDIR(os.fstat(parent).st_mode):
            rights &= _FILE_RIGHTS
        rule = _PathBeneath(rights, parent)
        # The type 1 is LANDLOCK_RULE_PATH_BENEATH.
        abi.call("landlock_add_rule", ruleset, 1, ctypes.byref(rule), 0)
    finally:
        os.close(parent)
