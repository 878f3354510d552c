"""The system call filter: calls at which a program stops and we are notified, and calls that are refused.

A filter is installed on a thread: see seccomp(2). The numbers of the requests of ioctl(2) and fcntl(2) are from
include/uapi/asm-generic/ioctls.h, fcntl.h, and linux/sockios.h, fs.h and btrfs.h.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from pitboss.machine import abi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SET_MODE_FILTER = 1
#: SECCOMP_FILTER_FLAG_NEW_LISTENER and SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV.
_NEW_LISTENER, _WAIT_KILLABLE = 1 << 3, 1 << 5
#: The size of an instruction of a filter, struct sock_filter.
_STEP_BYTES = 8


class _FilterProgram(ctypes.Structure):
    """The kernel's struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def install(program: bytes, *, listens: bool) -> int | None:
    """Install the filter `program` on this thread and on all processes that it starts.

    Returns the listener, a descriptor from which notifications of system calls are read; None unless `listens`.

    Raises OSError if the kernel refuses: EBUSY if we already run under a filter with a listener, EINVAL or EACCES in
    containers that forbid filters.
    """
    steps = ctypes.create_string_buffer(program, len(program))
    argument = _FilterProgram(len(program) // _STEP_BYTES, ctypes.addressof(steps))
    abi.call("prctl", abi.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if not listens:
        abi.call("seccomp", _SET_MODE_FILTER, 0, ctypes.byref(argument))
        return None
    try:
        # A signal must not interrupt a system call of which the listener was notified: a shell treats EINTR of fork as
        # a failure.
        return abi.call("seccomp", _SET_MODE_FILTER, _NEW_LISTENER | _WAIT_KILLABLE, ctypes.byref(argument))
    except OSError as error:
        if error.errno != errno.EINVAL:  # Linux before 5.19 does not know _WAIT_KILLABLE
            raise
        return abi.call("seccomp", _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(argument))


#: Changes of a terminal's mode: with struct termios, termios2, and the old termio.
TCSETS, TCSETSW, TCSETSF = 0x5402, 0x5403, 0x5404
TCSETS2, TCSETSW2, TCSETSF2 = 0x402C542B, 0x402C542C, 0x402C542D
TCSETA, TCSETAW, TCSETAF = 0x5406, 0x5407, 0x5408
MODE_REQUESTS = (TCSETS, TCSETSW, TCSETSF, TCSETS2, TCSETSW2, TCSETSF2, TCSETA, TCSETAW, TCSETAF)

#: Discards text that has been typed and not read yet, or written and not passed on yet: see tcflush(3).
TCFLSH = 0x540B

#: With these requests a program could type for us, divert the terminal's text, or hang up the terminal.
TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS, TIOCVHANGUP = 0x5412, 0x541C, 0x5423, 0x541D, 0x5437
TERMINAL_REQUESTS = (TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS, TIOCVHANGUP)

#: With these requests, and with these commands of fcntl(2), a program could make the kernel send signals to a process
#: that the program may not signal itself.
FIOSETOWN, SIOCSPGRP, FIOASYNC = 0x8901, 0x8902, 0x5452
OWNER_REQUESTS = (FIOSETOWN, SIOCSPGRP, FIOASYNC)
F_SETOWN, F_SETSIG, F_SETOWN_EX = 8, 10, 15
#: With this command a program could make any process that opens one of the program's files wait for most of a minute.
F_SETLEASE = 1024
FCNTL_COMMANDS = (F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE)

#: The letters of ioctl(2) requests to file systems, in bits 8 to 15 of the number. Such requests change a file
#: permanently, and Landlock does not prevent them.
FILE_SYSTEM_LETTERS = (ord("f"), ord("v"), ord("X"), 0x94)


#: Actions: SECCOMP_RET_ALLOW, _USER_NOTIF, _ERRNO (with an errno in the low bits) and _KILL_PROCESS.
_ALLOW, _NOTIFY, _ERRNO, _KILL = 0x7FFF0000, 0x7FC00000, 0x00050000, 0x80000000
#: Instructions of classic BPF: load a word, four conditional jumps, return an action, bitwise and with a constant.
_LOAD, _EQUAL, _MORE, _AT_LEAST, _HAS_BITS, _RETURN, _AND = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06, 0x54
_REFUSAL = _ERRNO | errno.EPERM
#: The action with which a call returns 0 without being made.
_NO_EFFECT = _ERRNO | 0
#: Offsets in struct seccomp_data: the call's number, the architecture, the address of the caller, and the arguments.
#: Each argument has eight bytes, the low half first.
_NUMBER, _ARCH, _CALLER, _ARGUMENTS = 0, 4, 8, 16
#: A C library extends at most this far from any of its functions.
_LIBRARY_BYTES = 2 << 20

#: Calls that no console program needs and a hostile one could use. Among them is pidfd_send_signal: the process to
#: signal may be given as an open /proc/NUMBER, even by the number of a thread. So the filter does not see the number,
#: and could not protect our tasks from this call, as it does from TASK_CALLS.
_REFUSED_CALLS = tuple(
    """ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd mount umount2 pivot_root chroot
    setns unshare open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr bpf perf_event_open
    userfaultfd keyctl add_key request_key kexec_load kexec_file_load init_module finit_module delete_module
    reboot swapon swapoff acct quotactl settimeofday clock_settime clock_adjtime adjtimex sethostname
    setdomainname iopl ioperm vhangup open_by_handle_at name_to_handle_at fanotify_init shmget shmat shmctl
    semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open socket connect bind listen
    pidfd_send_signal inotify_add_watch""".split()  # noqa: SIM905
)

#: Calls that act on a task by its number, and so could affect the thread that starts programs: the thread has the
#: same user as the programs.
TASK_CALLS = tuple(
    """kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open sched_setparam sched_setscheduler
    sched_setattr sched_setaffinity""".split()  # noqa: SIM905
)
#: Calls that act on a task too, but have its number as their second argument: setpriority(2), ioprio_set(2).
TASK_CALLS_BY_SECOND_ARGUMENT = ("setpriority", "ioprio_set")

#: Calls that change a file's metadata. Landlock does not prevent them, so a program of our own user could change any
#: file of ours by its path. The filter makes these calls return 0 without an effect.
_METADATA_CALLS = tuple(
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat".split()  # noqa: SIM905
)
#: Calls that change extended attributes, which hardly any file has. They fail with ENOTSUP, as if unsupported.
_ATTRIBUTE_CALLS = tuple(
    """setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat
    file_setattr""".split()  # noqa: SIM905
)
#: Calls that could wait for some time, or read the terminal, unseen by us. In watched sessions they fail with ENOSYS.
UNAVAILABLE_CALLS = ("io_setup", "io_uring_setup", "futex_waitv", "futex_wait", "mq_timedreceive")
#: Calls that change how a task is scheduled. The change lasts as long as the task.
_SCHEDULING_CALLS = ("sched_setattr", "sched_setaffinity", "setpriority", "ioprio_set")


def _step(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
    """One instruction with its constant `k`; a jump skips the next `yes` steps if its condition holds, else `no`."""
    return struct.pack("<HBBI", code, yes, no, k)


def _return(action: int) -> bytes:
    """The step that ends the filter with an action."""
    return _step(_RETURN, action)


def _argument(index: int) -> bytes:
    """The step that loads the low half of an argument of the call."""
    return _step(_LOAD, _ARGUMENTS + 8 * index)


def _on_call(name: str, *body: bytes) -> list[bytes]:
    """Steps that run `body` if the call is `name`, and skip it otherwise.

    `body` must end the filter or load the call's number again, since later steps compare that.
    """
    return [_step(_EQUAL, abi.NR[name], 0, len(body)), *body]


def _on_calls(names: Iterable[str], *body: bytes) -> list[bytes]:
    """Steps that run `body`, as in `_on_call`, if the call is one of `names`."""
    return [step for name in names for step in _on_call(name, *body)]


def _return_if(code: int, value: int, action: int) -> list[bytes]:
    """Return `action` if the condition of the jump instruction `code` is true for the loaded word and `value`."""
    return [_step(code, value, 0, 1), _return(action)]


def _return_if_any(values: Iterable[int], action: int) -> list[bytes]:
    """Return `action` if the loaded word is one of these values."""
    return [step for value in values for step in _return_if(_EQUAL, value, action)]


def _return_unless(value: int, action: int) -> list[bytes]:
    """Return `action` unless the loaded word is `value`."""
    return [_step(_EQUAL, value, 1, 0), _return(action)]


def _return_unless_null(index: int, action: int) -> list[bytes]:
    """Return `action` if an argument is a non-null pointer: both halves are checked, since one half may be zero."""
    halves = (_ARGUMENTS + 8 * index, _ARGUMENTS + 8 * index + 4)
    return [step for half in halves for step in (_step(_LOAD, half), *_return_unless(0, action))]


def _watch_steps(max_descriptors: int, *, stops_at_reads: bool) -> list[bytes]:
    """Stop at sleeps, at reads of and waits for descriptor 0, and at changes of the terminal or the process itself.

    Without `stops_at_reads` reads of descriptor 0 are allowed. Programs have only descriptors below `max_descriptors`.
    """
    notify, allow = _return(_NOTIFY), _return(_ALLOW)
    stop_if_input = [_argument(0), *_return_if(_EQUAL, 0, _NOTIFY), allow]
    steps: list[bytes] = []
    if stops_at_reads:
        steps += _on_calls(("read", "readv", "splice"), *stop_if_input)
        steps += _on_call("sendfile", _argument(1), *_return_if(_EQUAL, 0, _NOTIFY), allow)
        steps += _on_call("preadv2", _argument(0), *_return_if(_EQUAL, 0, _NOTIFY), _step(_LOAD, _NUMBER))
    # A fork is not stopped: a signal, such as SIGCHLD for an earlier child, could interrupt the fork before we have
    # seen it, and a shell treats that as a failure. RLIMIT_NPROC limits the number of processes, and we also check it.
    steps += _on_calls(("nanosleep", "clock_nanosleep", "execve", "execveat"), notify)
    # A wait for two or more descriptors without a timeout is internal to a language runtime, so it is allowed. poll
    # gets a timeout as a number, the other calls get the address of a timeout.
    for name, index_of_count, stop_at_timeout in (
        ("select", 0, _stop_if_not_null(4)),
        ("pselect6", 0, _stop_if_not_null(4)),
        ("poll", 1, _stop_if_positive(2)),
        ("ppoll", 1, _stop_if_not_null(2)),
    ):
        steps += _on_call(name, _argument(index_of_count), *_return_if_less(2, _NOTIFY), *stop_at_timeout)
    # Stop only at the close of a standard descriptor: 0, 1 or 2.
    steps += _on_call("close", _argument(0), *_return_if(_AT_LEAST, 3, _ALLOW), notify)
    # Our own posix_spawn is allowed to duplicate the terminal to 0, from a descriptor that no program can have.
    allow_our_spawn = [_argument(0), *_return_if(_AT_LEAST, max_descriptors, _ALLOW)]
    steps += _on_calls(("dup2", "dup3"), *allow_our_spawn, _argument(1), *_return_if(_EQUAL, 0, _NOTIFY), allow)
    # With these requests a program could discard what it has written, or have other text take its place. So we stop at
    # them, and read the written text first.
    steps += _ioctl_steps((*MODE_REQUESTS, TCFLSH), _NOTIFY)
    return steps + _timing_steps()


def _ioctl_steps(more_requests: Iterable[int], action: int) -> list[bytes]:
    """Refuse requests of ioctl(2) that would type, hang up a terminal or send signals; return `action` for others."""
    refuse = _return_if_any((*TERMINAL_REQUESTS, *OWNER_REQUESTS), _REFUSAL)
    return _on_call("ioctl", _argument(1), *refuse, *_return_if_any(more_requests, action), _return(_ALLOW))


def _draw_steps() -> list[bytes]:
    """Stop where a program gets random bytes: at getrandom, and at ARCH_SET_FS.

    A program makes the latter call before it first uses the random bytes with which the kernel started it.
    """
    set_fs_steps = [_argument(0), *_return_if(_EQUAL, abi.ARCH_SET_FS, _NOTIFY), _return(_ALLOW)]
    return [*_on_call("getrandom", _return(_NOTIFY)), *_on_call("arch_prctl", *set_fs_steps)]


def _escape_steps() -> list[bytes]:
    """Refuse calls whose effect no filter can see, and some flags of clone.

    In new namespaces a program would be root. With CLONE_PARENT it could create a process as our child, which nobody
    would count or end.
    """
    refuse_flags = _return_if(_HAS_BITS, abi.CLONE_NAMESPACES | abi.CLONE_PARENT, _REFUSAL)
    steps = _on_call("clone", _argument(0), *refuse_flags, _return(_ALLOW))
    # The flags of clone3 and the calls of a ring are in memory, hidden from filters. libc falls back to clone.
    hidden = ("clone3", "io_setup", "io_uring_setup", "io_uring_enter", "io_uring_register")
    return steps + _on_calls(hidden, _return(_ERRNO | errno.ENOSYS))


def _cache_steps() -> list[bytes]:
    """Refuse to say which pages of a file are in memory, since these carry a note from a session to the next one."""
    if_cached = [_argument(5), *_return_if(_HAS_BITS, abi.RWF_NOWAIT, _ERRNO | errno.EOPNOTSUPP), _return(_ALLOW)]
    return [*_on_call("preadv2", *if_cached), *_on_calls(("mincore", "cachestat"), _return(_ERRNO | errno.ENOSYS))]


def _timing_steps() -> list[bytes]:
    """Stop at the rarer calls that set a timer or wait with a timeout."""
    timer_calls = ("alarm", "setitimer", "getitimer", "timerfd_settime", "timer_settime", "timer_delete")
    steps = _on_calls(timer_calls, _return(_NOTIFY))
    steps += _on_calls(("epoll_wait", "epoll_pwait"), *_stop_if_positive(3))
    steps += _on_call("epoll_pwait2", *_stop_if_not_null(3))
    steps += _on_call("rt_sigtimedwait", *_stop_if_not_null(2))
    # A language runtime makes many futex calls. We stop only at waits with a timeout: FUTEX_WAIT (0) and
    # FUTEX_WAIT_BITSET (9). The mask removes the flags from the operation.
    stop_at_timeout = _stop_if_not_null(3)
    waits = [_step(_EQUAL, 0, 2, 0), _step(_EQUAL, 9, 1, 0), _return(_ALLOW)]
    steps += _on_call("futex", *_allow_ours(), _argument(1), _step(_AND, 0x7F), *waits, *stop_at_timeout)
    # Waits and reads that we could not follow. The program's report says that they fail: see `calls.Unavailable`.
    steps += _on_calls(UNAVAILABLE_CALLS, _return(_NOTIFY))
    stop_at_socket_timeouts = _return_if_any(abi.SOCKET_TIMEOUTS, _NOTIFY)
    of_sockets = [_argument(1), *_return_unless(abi.SOL_SOCKET, _ALLOW), _argument(2)]
    return steps + _on_call("setsockopt", *of_sockets, *stop_at_socket_timeouts, _return(_ALLOW))


def _allow_ours() -> list[bytes]:
    """Allow calls from our own C library, with which the thread that starts programs waits for Python's lock.

    The kernel maps a program's C library to other addresses than ours. In one case in a million it maps both to the
    same addresses: then the waits of that program pass in real time.
    """
    address = ctypes.cast(abi.libc.pthread_cond_timedwait, ctypes.c_void_p).value or 0
    steps: list[bytes] = []
    # For each high half that an address in the library may have: allow the low halves from `low` to `last`.
    for high in {address - _LIBRARY_BYTES >> 32, address + _LIBRARY_BYTES >> 32}:
        low = max(address - _LIBRARY_BYTES, high << 32) & 0xFFFFFFFF
        last = min(address + _LIBRARY_BYTES, (high + 1 << 32) - 1) & 0xFFFFFFFF
        allow_range = [_step(_LOAD, _CALLER), _step(_AT_LEAST, low, 0, 2), _step(_MORE, last, 1, 0), _return(_ALLOW)]
        steps += [_step(_LOAD, _CALLER + 4), _step(_EQUAL, high, 0, len(allow_range)), *allow_range]
    return steps


def _return_if_less(value: int, action: int) -> list[bytes]:
    return [_step(_AT_LEAST, value, 1, 0), _return(action)]


def _stop_if_positive(index: int) -> list[bytes]:
    """Stop if an argument is a positive timeout; with 0 the call returns at once, and a negative one is no timeout."""
    return [_argument(index), *_return_if(_EQUAL, 0, _ALLOW), *_return_if(_AT_LEAST, 1 << 31, _ALLOW), _return(_NOTIFY)]


def _stop_if_not_null(index: int) -> list[bytes]:
    """Stop if an argument, the address of a timeout, is not 0."""
    return [*_return_unless_null(index, _NOTIFY), _return(_ALLOW)]


def _confinement_steps(refuses_signals: bool) -> list[bytes]:
    # In watched sessions an earlier step stops at TCFLSH. In other sessions TCFLSH has no effect: there, too, programs
    # must not discard written text.
    steps = _ioctl_steps((TCFLSH,), _NO_EFFECT)
    steps += _on_call("fcntl", _argument(1), *_return_if_any(FCNTL_COMMANDS, _REFUSAL), _return(_ALLOW))
    steps += _on_calls((*_REFUSED_CALLS, *(("kill",) if refuses_signals else ())), _return(_REFUSAL))
    # The only sockets allowed are pairs of stream or SEQPACKET sockets, which stay connected to each other. A datagram
    # socket, which SOCK_RAW creates too, could send to any other datagram socket by its path: Landlock does not prevent
    # that, and a filter cannot see the address that sendmsg has in memory.
    steps += _on_call(
        "socketpair",
        _argument(0),
        *_return_unless(abi.AF_UNIX, _REFUSAL),
        _argument(1),
        _step(_AND, abi.SOCK_KINDS),
        *_return_if(_EQUAL, abi.SOCK_STREAM, _ALLOW),
        *_return_unless(abi.SOCK_SEQPACKET, _REFUSAL),
        _return(_ALLOW),
    )
    # Priorities may only be set for one task, not for a group or a user; `_protection_steps` protects our own tasks.
    reload_number = _step(_LOAD, _NUMBER)
    steps += _on_call("setpriority", _argument(0), *_return_unless(abi.PRIO_PROCESS, _REFUSAL), reload_number)
    steps += _on_call("ioprio_set", _argument(0), *_return_unless(abi.IOPRIO_WHO_PROCESS, _REFUSAL), reload_number)
    # A program may send to the end of a pair, but not with the address of another socket.
    steps += _on_call("sendto", *_return_unless_null(4, _REFUSAL), _return(_ALLOW))
    # Limits belong to a process: a program could change our limits through the thread of ours that runs as the
    # program's user. So a program may name only itself (0). It may read but not change its RLIMIT_LOCKS, which marks
    # the session that a process belongs to: see limits.set_limits.
    steps += _on_call(
        "prlimit64",
        _argument(0),
        *_return_unless(0, _REFUSAL),
        _argument(1),
        *_return_unless(abi.RLIMIT_LOCKS, _ALLOW),
        *_return_unless_null(2, _REFUSAL),
        _return(_ALLOW),
    )
    steps += _on_call("setrlimit", _argument(0), *_return_if(_EQUAL, abi.RLIMIT_LOCKS, _REFUSAL), _return(_ALLOW))
    return steps + _cache_steps()


def _metadata_steps() -> list[bytes]:
    """Prevent a program from changing anything but the contents of files: see _METADATA_CALLS."""
    steps = _on_calls(_METADATA_CALLS, _return(_NO_EFFECT))
    steps += _on_calls(_ATTRIBUTE_CALLS, _return(_ERRNO | errno.ENOTSUP))
    refuse_changes = _return_if_any((letter << 8 for letter in FILE_SYSTEM_LETTERS), _ERRNO | errno.ENOTSUP)
    return steps + _on_call("ioctl", _argument(1), _step(_AND, 0xFF00), *refuse_changes, _step(_LOAD, _NUMBER))


def _protection_steps(tasks: tuple[int, ...], is_of_our_user: bool) -> list[bytes]:
    """Protect these tasks of ours: a program may signal and schedule all tasks that have its user.

    A program of our own user may change only its own scheduling: changes to other tasks would last into the next
    session. But it may set the default policy (0) for any task.
    """
    refuse_ours = _return_if_any(tasks, _REFUSAL)
    only_itself = [*_return_if(_EQUAL, 0, _ALLOW), _return(_REFUSAL)]
    itself_or_default_policy = [
        *_return_if(_EQUAL, 0, _ALLOW),
        _argument(1),
        *_return_unless(0, _REFUSAL),
        _return(_ALLOW),
    ]
    own_user_steps = dict.fromkeys(_SCHEDULING_CALLS, only_itself) | {"sched_setscheduler": itself_or_default_policy}
    steps: list[bytes] = []
    for names, index in ((TASK_CALLS, 0), (TASK_CALLS_BY_SECOND_ARGUMENT, 1)):
        for name in names:
            restriction = own_user_steps.get(name) if is_of_our_user else None
            steps += _on_call(name, _argument(index), *refuse_ours, *(restriction or [_return(_ALLOW)]))
    return steps


def filter_program(
    *,
    watches: bool,
    confines: bool,
    refuses_signals: bool = False,
    stops_at_draws: bool = False,
    stops_at_reads: bool = True,
    is_of_our_user: bool = False,
    protected_tasks: tuple[int, ...] = (),
) -> bytes:
    """The filter in the kernel's format: an array of struct sock_filter.

    With `watches` programs stop at the calls in `_watch_steps`, reads of descriptor 0 only with `stops_at_reads`, and
    with `stops_at_draws` where they get random bytes.
    With `confines` harmful calls are refused, as are calls that act on the `protected_tasks`, and with
    `refuses_signals` every kill(2). With `is_of_our_user` a session runs as our user, and may change neither the
    metadata of our files nor how our tasks are scheduled.

    A call with another architecture's numbers kills the program, since our numbers would mean something else there.
    """
    flags = (watches, confines, refuses_signals, stops_at_draws, stops_at_reads, is_of_our_user)
    before, after = _parts(*flags, abi.max_files_of_a_program())
    protected = protected_tasks if confines else ()
    return b"".join((before, *(_protection_steps(protected, is_of_our_user) if protected else ()), after))


#: The results of `_parts` by its arguments; all launchers of a process share them. (Importing functools is slow.)
_cached_parts: dict[tuple[int, ...], tuple[bytes, bytes]] = {}


def _parts(*key: int) -> tuple[bytes, bytes]:
    """The parts of the filter before and after `_protection_steps`, from a cache; `key` as for `_make_parts`."""
    if key not in _cached_parts:
        _cached_parts[key] = _make_parts(*key)
    return _cached_parts[key]


def _make_parts(
    watches: int,
    confines: int,
    refuses_signals: int,
    stops_at_draws: int,
    stops_at_reads: int,
    is_of_our_user: int,
    max_descriptors: int,
) -> tuple[bytes, bytes]:
    steps = [
        _step(_LOAD, _ARCH),
        _step(_EQUAL, abi.AUDIT_ARCH, 1, 0),
        _return(_KILL),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, 0x40000000, 0, 1),  # the numbers of the x32 ABI
        _return(_KILL),
        *(_metadata_steps() if is_of_our_user else ()),
        *(_watch_steps(max_descriptors, stops_at_reads=bool(stops_at_reads)) if watches else ()),
        *(_draw_steps() if stops_at_draws else ()),
        *_escape_steps(),
        *(_confinement_steps(bool(refuses_signals)) if confines else ()),
    ]
    return b"".join(steps), _return(_ALLOW)
