"""The Linux system calls that Python has no function for, by number and struct: x86-64 only.

This module imports little, like all modules that a launcher needs: inside each bubblewrap a new Python loads them.

Numbers are from the kernel's arch/x86/entry/syscalls/syscall_64.tbl, constants from include/uapi/linux.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import select
import struct
import sys
from collections.abc import Sequence

libc = ctypes.CDLL(None, use_errno=True)

#: Whether the numbers of system calls in this module apply to this machine.
IS_KNOWN = sys.platform == "linux" and os.uname().machine == "x86_64" and struct.calcsize("P") == 8

_NUMBERS = """
    0 read  3 close  7 poll  16 ioctl  19 readv  23 select  27 mincore  29 shmget  30 shmat  31 shmctl  33 dup2
    34 pause  35 nanosleep  36 getitimer  37 alarm  38 setitimer  40 sendfile  41 socket  42 connect  44 sendto  49 bind
    50 listen  53 socketpair  54 setsockopt  56 clone  57 fork  58 vfork  59 execve  62 kill  64 semget  65 semop
    66 semctl  68 msgget  69 msgsnd  70 msgrcv  71 msgctl  72 fcntl  90 chmod  91 fchmod  92 chown  93 fchown  94 lchown
    101 ptrace  116 setgroups  117 setresuid  119 setresgid  126 capset  128 rt_sigtimedwait  129 rt_sigqueueinfo
    132 utime  135 personality  141 setpriority  142 sched_setparam  144 sched_setscheduler  153 vhangup  155 pivot_root
    157 prctl  158 arch_prctl  159 adjtimex  160 setrlimit  161 chroot  163 acct  164 settimeofday  165 mount
    166 umount2  167 swapon  168 swapoff  169 reboot  170 sethostname  171 setdomainname  172 iopl  173 ioperm
    175 init_module  176 delete_module  179 quotactl  188 setxattr  189 lsetxattr  190 fsetxattr  197 removexattr
    198 lremovexattr  199 fremovexattr  200 tkill  202 futex  203 sched_setaffinity  206 io_setup  220 semtimedop
    223 timer_settime  226 timer_delete  227 clock_settime  230 clock_nanosleep  232 epoll_wait  234 tgkill  235 utimes
    240 mq_open  243 mq_timedreceive  246 kexec_load  248 add_key  249 request_key  250 keyctl  251 ioprio_set
    254 inotify_add_watch  260 fchownat  261 futimesat  268 fchmodat  270 pselect6  271 ppoll  272 unshare  275 splice
    280 utimensat  281 epoll_pwait  286 timerfd_settime  292 dup3  297 rt_tgsigqueueinfo  298 perf_event_open
    300 fanotify_init  302 prlimit64  303 name_to_handle_at  304 open_by_handle_at  305 clock_adjtime  308 setns
    310 process_vm_readv  311 process_vm_writev  312 kcmp  313 finit_module  314 sched_setattr  317 seccomp
    318 getrandom  320 kexec_file_load  321 bpf  322 execveat  323 userfaultfd  327 preadv2  424 pidfd_send_signal
    425 io_uring_setup  426 io_uring_enter  427 io_uring_register  428 open_tree  429 move_mount  430 fsopen
    431 fsconfig  432 fsmount  433 fspick  434 pidfd_open  435 clone3  438 pidfd_getfd  440 process_madvise
    441 epoll_pwait2  442 mount_setattr  444 landlock_create_ruleset  445 landlock_add_rule  446 landlock_restrict_self
    449 futex_waitv  451 cachestat  452 fchmodat2  455 futex_wait  463 setxattrat  466 removexattrat  469 file_setattr
"""
#: The numbers of system calls, by their names.
NR = {name: int(number) for number, name in zip(_NUMBERS.split()[::2], _NUMBERS.split()[1::2], strict=True)}

AUDIT_ARCH = 0xC000003E
PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36
PR_SET_DUMPABLE = 4
CLONE_FS = 0x200
#: The arguments with which kcmp(2) compares the memory, and the open files, of two processes or threads.
KCMP_VM, KCMP_FILES = 1, 2
#: A flag of personality(2), and the code with which each program calls arch_prctl(2) once, soon after its start.
ADDR_NO_RANDOMIZE, ARCH_SET_FS = 0x40000, 0x1002
#: The argument with which personality(2) only returns the present value.
_QUERY_PERSONALITY = 0xFFFFFFFF
#: The type of the entry in the auxiliary vector, see getauxval(3), that has the address of a program's random bytes.
AT_RANDOM = 25
#: Every flag of clone(2) that creates a namespace and does not collide with the signal number in the low byte.
CLONE_NAMESPACES = 0x7E020000

CLONE_NEWUTS = 0x04000000
#: A flag of clone(2): the new process becomes a sibling of the caller, not a child.
CLONE_PARENT = 0x8000
#: The flags of all namespaces that a bubblewrap unshares, except user namespaces: mounts, control groups, host names,
#: IPC, processes and network.
BUBBLEWRAP_NAMESPACES = 0x6E020000

AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET, SOCK_KINDS = 1, 1, 5, 0xF
PRIO_PROCESS, IOPRIO_WHO_PROCESS = 0, 1
SOL_SOCKET = 1
#: SO_RCVTIMEO and SO_SNDTIMEO, each with its number from before and after the year 2038.
SOCKET_TIMEOUTS = (20, 21, 66, 67)
#: A flag of preadv2(2): read only what is in memory already.
RWF_NOWAIT = 8
#: A limit that the kernel stores and ignores, since Linux 2.4.25.
RLIMIT_LOCKS = 10

#: The highest and the lowest limit on the open files of a program. Below the lowest, a correct program would fail.
_MAX_FILES_OF_A_PROGRAM, _LEAST_FILES_OF_A_PROGRAM = 256, 96
#: How many descriptors a process that runs launchers needs in addition to those of a program.
_RESERVED_DESCRIPTORS = 32

#: Requests of ioctl(2) for a listener: SECCOMP_IOCTL_NOTIF_…, see seccomp_unotify(2).
_NOTIF_RECV, _NOTIF_SEND, _NOTIF_ID_VALID, _NOTIF_SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082102, 0x40082104
#: The flag of a response by which the kernel makes the call: SECCOMP_USER_NOTIF_FLAG_CONTINUE.
_CONTINUE = 1


def call(name: str, *arguments: object) -> int:
    """Make a system call by its name and return its result; raises OSError like Python's own wrappers."""
    result = int(libc.syscall(NR[name], *arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def max_files_of_a_program() -> int:
    """Returns the maximum number of files a program may have open; only pitboss uses descriptors from this number on.

    The number is lower if this process itself may open few files.
    """
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return _MAX_FILES_OF_A_PROGRAM
    return max(_LEAST_FILES_OF_A_PROGRAM, min(_MAX_FILES_OF_A_PROGRAM, allowed - _RESERVED_DESCRIPTORS))


def become(user_id: int, groups: Sequence[int] = ()) -> None:
    """Switch this thread to an unprivileged user with these supplementary groups; libc would switch every thread."""
    call("setgroups", len(groups), struct.pack(f"={len(groups)}I", *groups))
    call("setresgid", user_id, user_id, user_id)
    call("setresuid", user_id, user_id, user_id)
    # Drop all capabilities. The kernel does so when the id changes, unless SECBIT_NO_SETUID_FIXUP is set.
    version, no_capabilities = 0x20080522, bytes(24)  # _LINUX_CAPABILITY_VERSION_3; two structs of zeros
    call("capset", struct.pack("=Ii", version, 0), no_capabilities)


def turn_off_address_randomization(*, is_trial: bool = False) -> bool:
    """Switch off address randomization for programs of this thread; returns whether the kernel allows that.

    With `is_trial` address randomization is unchanged afterwards.
    """
    try:
        persona = call("personality", _QUERY_PERSONALITY)
        call("personality", persona | ADDR_NO_RANDOMIZE)
        if is_trial:
            call("personality", persona)
    except OSError:  # some containers forbid it
        return False
    return True


def address_of_random_bytes(tid: int) -> int:
    """Returns the address of the 16 random bytes that a program got from the kernel; OSError if unknown."""
    with open(f"/proc/{tid}/auxv", "rb") as vector:
        for name, value in struct.iter_unpack("=QQ", vector.read()):
            if name == AT_RANDOM:
                return int(value)
    raise OSError("no random bytes")


def kill_all_we_may() -> None:
    """Kill every process that this thread may signal, except this process."""
    try:
        call("kill", -1, 9)
    except ProcessLookupError:
        pass


class Notification:
    """The kernel's notification that a task is stopped in a system call and waits for our answer."""

    __slots__ = ("arguments", "id", "number", "tid")

    def __init__(self, id_: int, tid: int, number: int, arguments: tuple[int, ...]) -> None:
        """`id_` identifies the notification, `tid` the task, `number` the system call, which has six arguments."""
        self.id, self.tid, self.number, self.arguments = id_, tid, number, arguments


#: The kernel's struct seccomp_notif and struct seccomp_notif_resp.
_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_RESPONSE = struct.Struct("=QqiI")


def receive_notification(listener: int) -> Notification | None:
    """Returns the next notification; None if nothing was received. Raises OSError if the listener is lost.

    Nothing is received if the stopped task was killed, or if our call was interrupted.
    """
    raw = bytearray(_NOTIFICATION.size)
    try:
        fcntl.ioctl(listener, _NOTIF_RECV, raw)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EINTR):
            return None
        raise
    id_, tid, _, number, _, _, *arguments = _NOTIFICATION.unpack(raw)
    return Notification(id_, tid, number, tuple(arguments))


def is_waiting(listener: int, notification: Notification) -> bool:
    """Whether the stopped task still waits for our answer: the task may have been killed since."""
    try:
        fcntl.ioctl(listener, _NOTIF_ID_VALID, struct.pack("=Q", notification.id))
    except OSError:
        return False
    return True


def is_ready(listener: int) -> bool:
    """Whether a notification is ready to be received."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    return bool(poll.poll(0))


def let_through(listener: int, notification: Notification) -> None:
    """Let the kernel make the stopped system call as usual."""
    _send_response(listener, _RESPONSE.pack(notification.id, 0, 0, _CONTINUE))


def answer(listener: int, notification: Notification, value: int = 0, error: int = 0) -> None:
    """Answer a stopped system call with a return value or an errno; the kernel does not make the call."""
    _send_response(listener, _RESPONSE.pack(notification.id, value, -error, 0))


def _send_response(listener: int, response: bytes) -> None:
    try:
        fcntl.ioctl(listener, _NOTIF_SEND, response)
    except OSError as error:
        if error.errno != errno.ENOENT:  # ENOENT: the task was killed while it waited, and needs no answer
            raise


def wake_on_same_core(listener: int) -> None:
    """Make answers wake the program on our own core (Linux 6.6); does nothing on older kernels."""
    try:
        fcntl.ioctl(listener, _NOTIF_SET_FLAGS, 1)  # SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
    except OSError:
        pass


class _MemoryRange(ctypes.Structure):
    """The kernel's struct iovec."""

    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


#: The buffer of `memory_of`, created once: memory is read at every sleep, and always by the same thread.
_buffer = ctypes.create_string_buffer(2048)
_view = memoryview(_buffer)
_local, _remote = _MemoryRange(ctypes.addressof(_buffer), 0), _MemoryRange(0, 0)
_local_pointer, _remote_pointer = ctypes.byref(_local), ctypes.byref(_remote)


def memory_of(tid: int, address: int, size: int) -> bytes:
    """Returns `size` bytes of another process's memory, at most 2048; OSError if the address is invalid there."""
    _local.length = _remote.length = size
    _remote.base = address
    if libc.process_vm_readv(tid, _local_pointer, 1, _remote_pointer, 1, 0) != size:
        number = ctypes.get_errno()
        raise OSError(number, f"process_vm_readv: {os.strerror(number)}")
    return bytes(_view[:size])


def much_memory_of(tid: int, address: int, size: int) -> bytes:
    """Like `memory_of`, for any size."""
    parts = range(0, size, len(_buffer))
    return b"".join(memory_of(tid, address + start, min(len(_buffer), size - start)) for start in parts)


def write_memory_of(tid: int, address: int, data: bytes) -> None:
    """Write to the memory of another process; does nothing if that process itself may not write to the address."""
    buffer = ctypes.create_string_buffer(data, len(data))
    local, remote = _MemoryRange(ctypes.addressof(buffer), len(data)), _MemoryRange(address, len(data))
    libc.process_vm_writev(tid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)


def descriptor_of(tid: int, number: int) -> int:
    """Returns a new descriptor of this process for the file that a task has open as `number`.

    Raises OSError if the task has no such file open or has ended.
    """
    process_descriptor = call("pidfd_open", process_of(tid), 0)
    try:
        return call("pidfd_getfd", process_descriptor, number, 0)
    finally:
        os.close(process_descriptor)


def process_of(tid: int) -> int:
    """Returns the id of the process that a task belongs to; OSError if the task has ended."""
    return int(_status_field(tid, "Tgid"))


def signals_of(tid: int, *names: str) -> int:
    """Returns the signals of a task that proc_pid_status(5) lists under any of these names. Bit 0 is signal 1."""
    signals = 0
    for name in names:
        signals |= int(_status_field(tid, name), 16)
    return signals


def has_signal(tid: int) -> bool:
    """Whether a task has a pending signal that its program handles and does not block."""
    try:
        return bool(signals_of(tid, "SigPnd", "ShdPnd") & signals_of(tid, "SigCgt") & ~signals_of(tid, "SigBlk"))
    except OSError:
        return False


def _status_field(tid: int, name: str) -> str:
    # Only a newline ends a line: the name of a program may have any other control character.
    with open(f"/proc/{tid}/status", encoding="ascii", errors="replace", newline="\n") as status:
        for line in status:
            if line.startswith(f"{name}:"):
                return line.partition(":")[2].strip()
    raise ProcessLookupError(f"/proc/{tid}/status has no {name}")
