"""The Linux system calls that Python has no function for, by number and by struct: x86-64 only.

This module, and all that a slot needs besides, imports little: a Python starts with it inside each bubblewrap.

Numbers are from the kernel's arch/x86/entry/syscalls/syscall_64.tbl, constants from include/uapi/linux.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)

#: Whether the numbers below are this machine's.
IS_KNOWN = sys.platform == "linux" and os.uname().machine == "x86_64" and struct.calcsize("P") == 8

NR = {
    "read": 0, "close": 3, "poll": 7, "ioctl": 16, "readv": 19, "select": 23, "shmget": 29, "shmat": 30,
    "shmctl": 31, "dup2": 33, "pause": 34, "nanosleep": 35, "socket": 41, "clone": 56, "fork": 57, "vfork": 58,
    "execve": 59, "kill": 62, "semget": 64, "semop": 65, "semctl": 66, "msgget": 68, "msgsnd": 69, "msgrcv": 70,
    "msgctl": 71, "ptrace": 101, "setgroups": 116, "setresuid": 117, "setresgid": 119, "capset": 126, "vhangup": 153,
    "pivot_root": 155, "prctl": 157, "adjtimex": 159, "chroot": 161, "acct": 163, "settimeofday": 164, "mount":
    165, "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171,
    "iopl": 172, "ioperm": 173, "init_module": 175, "delete_module": 176, "quotactl": 179, "semtimedop": 220,
    "clock_settime": 227, "clock_nanosleep": 230, "epoll_wait": 232, "mq_open": 240, "kexec_load": 246,
    "add_key": 248, "request_key": 249, "keyctl": 250, "pselect6": 270, "ppoll": 271, "unshare": 272,
    "epoll_pwait": 281, "dup3": 292, "perf_event_open": 298, "fanotify_init": 300, "name_to_handle_at": 303,
    "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308, "process_vm_readv": 310, "process_vm_writev":
    311, "finit_module": 313, "seccomp": 317, "kexec_file_load": 320, "bpf": 321, "execveat": 322,
    "userfaultfd": 323, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree":
    428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435,
    "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "landlock_create_ruleset": 444,
    "landlock_add_rule": 445, "landlock_restrict_self": 446, "rt_sigqueueinfo": 129, "setpriority": 141,
    "sched_setparam": 142, "sched_setscheduler": 144, "tkill": 200, "sched_setaffinity": 203, "tgkill": 234,
    "connect": 42, "sendto": 44, "bind": 49, "listen": 50, "socketpair": 53, "setrlimit": 160,
    "pidfd_send_signal": 424,
    "ioprio_set": 251, "rt_tgsigqueueinfo": 297, "prlimit64": 302, "sched_setattr": 314, "pidfd_open": 434,
}  # fmt: skip

AUDIT_ARCH = 0xC000003E
PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36
PR_SET_DUMPABLE = 4
CLONE_FS = 0x200
#: Every flag of clone(2) that makes a namespace and does not collide with the signal number in the low byte.
CLONE_NAMESPACES = 0x7E020000

CLONE_NEWUTS = 0x04000000
#: All that a bubblewrap unshares but users: mounts, control groups, names, IPC, processes, network.
NAMESPACES = 0x6E020000

AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET, SOCK_KINDS = 1, 1, 5, 0xF
PRIO_PROCESS, IOPRIO_WHO_PROCESS = 0, 1
#: A limit that the kernel keeps and does not look at, since Linux 2.4.25.
RLIMIT_LOCKS = 10

#: The most files a program may have open, and so the first number of descriptors that are ours alone.
FIRST_OF_OURS = 256

#: ioctl requests of termios(3) as the kernel knows them, and two that would let a program type for us.
TCSETS, TCSETSW, TCSETSF = 0x5402, 0x5403, 0x5404
TCSETS2, TCSETSW2, TCSETSF2 = 0x402C542B, 0x402C542C, 0x402C542D
TIOCSTI, TIOCLINUX, TIOCSETD = 0x5412, 0x541C, 0x5423

_NOTIF_RECV, _NOTIF_SEND, _NOTIF_SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082104
_FLAG_CONTINUE = 1


def call(name: str, *arguments: object) -> int:
    """Make a system call by its name; OSError as Python's own wrappers raise it."""
    result = int(libc.syscall(NR[name], *arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def become(user_id: int) -> None:
    """Make this thread another user without any power, and no other: libc's own setresuid changes every thread."""
    call("setgroups", 0, None)
    call("setresgid", user_id, user_id, user_id)
    call("setresuid", user_id, user_id, user_id)
    # The kernel has dropped the capabilities with the id, but for where SECBIT_NO_SETUID_FIXUP is set.
    call("capset", struct.pack("=Ii", 0x20080522, 0), bytes(24))


def kill_all_we_may() -> None:
    """Kill every process that this thread may signal, but for our own."""
    try:
        call("kill", -1, 9)
    except ProcessLookupError:
        pass


class Notification:
    """A program stopped in a system call, waiting for our word."""

    __slots__ = ("arguments", "id", "number", "tid")

    def __init__(self, id_: int, tid: int, number: int, arguments: tuple[int, ...]) -> None:
        """Which notification, which task, which call, and its six arguments."""
        self.id, self.tid, self.number, self.arguments = id_, tid, number, arguments


_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_RESPONSE = struct.Struct("=QqiI")


def received(listener: int) -> Notification | None:
    """The next notification, or None when the program that sent it is gone already."""
    raw = bytearray(80)
    try:
        fcntl.ioctl(listener, _NOTIF_RECV, raw)
    except OSError:  # ENOENT: it was killed in between; EINTR: nothing was taken
        return None
    id_, tid, _, number, _, _, *arguments = _NOTIFICATION.unpack(raw)
    return Notification(id_, tid, number, tuple(arguments))


def let_through(listener: int, notification: Notification) -> None:
    """Have the kernel make the call as if nobody had looked."""
    _answer(listener, _RESPONSE.pack(notification.id, 0, 0, _FLAG_CONTINUE))


def answer(listener: int, notification: Notification, value: int = 0, error: int = 0) -> None:
    """Return from the call with a value, or with an errno, without it being made."""
    _answer(listener, _RESPONSE.pack(notification.id, value, -error, 0))


def _answer(listener: int, response: bytes) -> None:
    try:
        fcntl.ioctl(listener, _NOTIF_SEND, response)
    except OSError as error:
        if error.errno != 2:  # ENOENT: the program was killed while it waited
            raise


def wake_in_step(listener: int) -> None:
    """Wake the program on our own core when we answer it (Linux 6.6); without it nothing else changes."""
    try:
        fcntl.ioctl(listener, _NOTIF_SET_FLAGS, 1)
    except OSError:
        pass


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


#: Made once: a program is looked into at every sleep, by one thread.
_buffer = ctypes.create_string_buffer(64)
_local, _remote = _Vector(ctypes.addressof(_buffer), 0), _Vector(0, 0)
_local_at, _remote_at = ctypes.byref(_local), ctypes.byref(_remote)


def memory_of(tid: int, address: int, size: int) -> bytes:
    """`size` bytes of another process, 64 at the most; OSError where the address is none of its own."""
    _local.length = _remote.length = size
    _remote.base = address
    if libc.process_vm_readv(tid, _local_at, 1, _remote_at, 1, 0) != size:
        number = ctypes.get_errno()
        raise OSError(number, f"process_vm_readv: {os.strerror(number)}")
    return _buffer.raw[:size]
