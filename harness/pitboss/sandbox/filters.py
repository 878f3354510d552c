"""The system call filter: calls at which a program stops and we are notified, and calls that are refused."""

from __future__ import annotations

import ctypes
import errno
import struct

from pitboss.sandbox import abi, requests

_ALLOW, _NOTIFY, _ERRNO, _KILL = 0x7FFF0000, 0x7FC00000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _MORE, _AT_LEAST, _HAS_BITS, _RETURN, _AND = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06, 0x54
_REFUSAL = _ERRNO | errno.EPERM
#: Returns 0 without making the call.
_NOTHING = _ERRNO | 0
#: Offsets in struct seccomp_data; the low half of an argument comes first on this machine.
_NUMBER, _ARCH, _CALLER, _ARGUMENTS = 0, 4, 8, 16
#: A C library extends at most this far from any of its functions.
_LIBRARY_BYTES = 2 << 20

#: Calls that no console program needs and a hostile one could use. pidfd_send_signal accepts an open /proc/NUMBER as a
#: process, even of a single thread: see TO_TASKS.
_REFUSED = tuple(
    """ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd mount umount2 pivot_root chroot
    setns unshare open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr bpf perf_event_open
    userfaultfd keyctl add_key request_key kexec_load kexec_file_load init_module finit_module delete_module
    reboot swapon swapoff acct quotactl settimeofday clock_settime clock_adjtime adjtimex sethostname
    setdomainname iopl ioperm vhangup open_by_handle_at name_to_handle_at fanotify_init shmget shmat shmctl
    semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open socket connect bind listen
    pidfd_send_signal inotify_add_watch""".split()  # noqa: SIM905
)

#: Calls that act on a task by its number, and so could affect the thread that starts programs: it has the same user.
TO_TASKS = tuple(
    """kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open sched_setparam sched_setscheduler
    sched_setattr sched_setaffinity""".split()  # noqa: SIM905
)
#: Calls that also act on a task, whose number is the second argument: setpriority(2), ioprio_set(2).
TO_TASKS_SECOND = ("setpriority", "ioprio_set")

#: Calls that change a file's metadata, which Landlock does not prevent: a program of our own user could reach any file
#: of ours by its path. They do nothing; extended attributes, which hardly any file has, seem to be unsupported.
_OF_FILES = tuple(
    "chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes futimesat utimensat".split()  # noqa: SIM905
)
_OF_ATTRIBUTES = tuple(
    """setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat
    file_setattr""".split()  # noqa: SIM905
)
#: Calls that change how a task is scheduled, which lasts as long as the task.
_SCHEDULING = ("sched_setattr", "sched_setaffinity", "setpriority", "ioprio_set")


def _step(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, k)


def _return(action: int) -> bytes:
    return _step(_RETURN, action)


def _argument(index: int) -> bytes:
    return _step(_LOAD, _ARGUMENTS + 8 * index)


def _on_call(name: str, *then: bytes) -> list[bytes]:
    """If the call is `name` run `then`, which returns; otherwise continue after it."""
    return [_step(_EQUAL, abi.NR[name], 0, len(then)), *then]


def _return_if(code: int, value: int, action: int) -> list[bytes]:
    return [_step(code, value, 0, 1), _return(action)]


def _return_unless(value: int, action: int) -> list[bytes]:
    return [_step(_EQUAL, value, 1, 0), _return(action)]


def _unless_null(index: int, action: int) -> list[bytes]:
    """Return `action` if an argument is a non-null pointer: either half of it alone may be zero."""
    halves = (_ARGUMENTS + 8 * index, _ARGUMENTS + 8 * index + 4)
    return [step for half in halves for step in (_step(_LOAD, half), *_return_unless(0, action))]


def _watching(files: int) -> list[bytes]:
    """Stop at sleeps, at waits for descriptor 0, and at changes of the terminal or of the process itself."""
    notify, allow = _return(_NOTIFY), _return(_ALLOW)
    from_input = [_argument(0), *_return_if(_EQUAL, 0, _NOTIFY), allow]
    steps: list[bytes] = []
    for name in ("read", "readv"):
        steps += _on_call(name, *from_input)
    # Not at a fork: a signal (SIGCHLD of an earlier child, say) could interrupt it before we have seen it, and a shell
    # treats that as a failure. The number of processes is limited by RLIMIT_NPROC and checked.
    for name in ("nanosleep", "clock_nanosleep", "execve", "execveat"):
        steps += _on_call(name, notify)
    # A wait for two or more descriptors without a timeout is internal to some runtime: it is let through.
    for name, count, timeout in (("select", 0, 4), ("pselect6", 0, 4), ("poll", 1, None), ("ppoll", 1, 2)):
        ended_by_time = _until_milliseconds(2) if timeout is None else _if_given(timeout)
        steps += _on_call(name, _argument(count), *_if_less(2, _NOTIFY), *ended_by_time)
    steps += _on_call("close", _argument(0), *_return_if(_AT_LEAST, 3, _ALLOW), notify)
    # Our own posix_spawn duplicates the terminal to 0 from a number that no program can have.
    ours = [_argument(0), *_return_if(_AT_LEAST, files, _ALLOW)]
    for name in ("dup2", "dup3"):
        steps += _on_call(name, *ours, _argument(1), *_return_if(_EQUAL, 0, _NOTIFY), allow)
    # What the program has written is read before it may throw that away, or have other text take its place.
    steps += _on_request(dict.fromkeys((*requests.MODES, requests.TCFLSH), _NOTIFY))
    return steps + _timing()


def _on_request(also: dict[int, int]) -> list[bytes]:
    """Refuse by ioctl what would type, hang up or send signals; `also` are actions for other requests."""
    actions = dict.fromkeys((*requests.OF_TERMINALS, *requests.OF_OWNERS), _REFUSAL) | also
    then = [step for request, action in actions.items() for step in _return_if(_EQUAL, request, action)]
    return _on_call("ioctl", _argument(1), *then, _return(_ALLOW))


def _drawing() -> list[bytes]:
    """Stop where a program is given random bytes: by getrandom, and before it first uses its initial bytes."""
    start = [_argument(0), *_return_if(_EQUAL, abi.ARCH_SET_FS, _NOTIFY), _return(_ALLOW)]
    return [*_on_call("getrandom", _return(_NOTIFY)), *_on_call("arch_prctl", *start)]


def _closing_ways_around() -> list[bytes]:
    """Refuse calls whose effect no filter can see, and new namespaces, in which a program would be root.

    A program could create a process as our child, which nobody would count or end.
    """
    refused = _return_if(_HAS_BITS, abi.CLONE_NAMESPACES | abi.CLONE_PARENT, _REFUSAL)
    steps = _on_call("clone", _argument(0), *refused, _return(_ALLOW))
    # The flags of clone3 and the calls of an io_uring are in memory; libc falls back to clone.
    for name in ("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register"):
        steps += _on_call(name, _return(_ERRNO | errno.ENOSYS))
    return steps


def _timing() -> list[bytes]:
    """Stop at the rarer calls that set a timer or wait with a timeout."""
    steps: list[bytes] = []
    for name in ("alarm", "setitimer", "getitimer", "timerfd_settime", "timer_settime", "timer_delete"):
        steps += _on_call(name, _return(_NOTIFY))
    for name in ("epoll_wait", "epoll_pwait"):
        steps += _on_call(name, *_until_milliseconds(3))
    for name, timeout in (("epoll_pwait2", 3), ("rt_sigtimedwait", 2), ("mq_timedreceive", 4)):
        steps += _on_call(name, *_if_given(timeout))
    # A runtime makes many of these; stop only at waits with a timeout: FUTEX_WAIT (0) and FUTEX_WAIT_BITSET (9).
    given = _if_given(3)
    waits = [_step(_EQUAL, 0, 2, 0), _step(_EQUAL, 9, 1, 0), _return(_ALLOW)]
    steps += _on_call("futex", *_if_ours(), _argument(1), _step(_AND, 0x7F), *waits, *given)
    return steps


def _if_ours() -> list[bytes]:
    """Let calls from our own C library through: the thread that starts programs waits for Python's lock there.

    The kernel maps a program's own library elsewhere; in the one case in a million where it does not, the waits of that
    program pass in real time.
    """
    code = ctypes.cast(abi.libc.pthread_cond_timedwait, ctypes.c_void_p).value or 0
    steps: list[bytes] = []
    for high in {code - _LIBRARY_BYTES >> 32, code + _LIBRARY_BYTES >> 32}:
        low = max(code - _LIBRARY_BYTES, high << 32) & 0xFFFFFFFF
        last = min(code + _LIBRARY_BYTES, (high + 1 << 32) - 1) & 0xFFFFFFFF
        inside = [_step(_LOAD, _CALLER), _step(_AT_LEAST, low, 0, 2), _step(_MORE, last, 1, 0), _return(_ALLOW)]
        steps += [_step(_LOAD, _CALLER + 4), _step(_EQUAL, high, 0, len(inside)), *inside]
    return steps


def _if_less(value: int, action: int) -> list[bytes]:
    return [_step(_AT_LEAST, value, 1, 0), _return(action)]


def _until_milliseconds(index: int) -> list[bytes]:
    """Stop if an argument is a time in milliseconds: neither 0 (the call returns at once) nor negative (no timeout)."""
    return [_argument(index), *_return_if(_EQUAL, 0, _ALLOW), *_return_if(_AT_LEAST, 1 << 31, _ALLOW), _return(_NOTIFY)]


def _if_given(index: int) -> list[bytes]:
    """Stop if an argument, an address, is not 0."""
    high = _step(_LOAD, _ARGUMENTS + 8 * index + 4)
    return [
        _argument(index),
        _step(_EQUAL, 0, 1, 0),
        _return(_NOTIFY),
        high,
        *_return_if(_EQUAL, 0, _ALLOW),
        _return(_NOTIFY),
    ]


def _confining(refuses_signals: bool) -> list[bytes]:
    # In traced sessions these requests are handled before. Other sessions must not discard written text either.
    steps = _on_request({requests.TCFLSH: _NOTHING})
    refused = [step for command in requests.COMMANDS for step in _return_if(_EQUAL, command, _REFUSAL)]
    steps += _on_call("fcntl", _argument(1), *refused, _return(_ALLOW))
    for name in (*_REFUSED, *(("kill",) if refuses_signals else ())):
        steps += _on_call(name, _return(_REFUSAL))
    # The only sockets are pairs. A datagram socket, which SOCK_RAW creates too, could send to any other by its path:
    # Landlock does not prevent that, and sendmsg has the address in memory. The other kinds stay connected in pairs.
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
    # Priorities may only be set for one task, not for a group or a user; our own tasks are protected below.
    again = _step(_LOAD, _NUMBER)
    steps += _on_call("setpriority", _argument(0), *_return_unless(abi.PRIO_PROCESS, _REFUSAL), again)
    steps += _on_call("ioprio_set", _argument(0), *_return_unless(abi.IOPRIO_WHO_PROCESS, _REFUSAL), again)
    steps += _on_call("sendto", *_unless_null(4, _REFUSAL), _return(_ALLOW))
    # Limits belong to a process: ours could be changed through a thread that has the program's user.
    # One of them marks the session that a process belongs to: see rlimits.
    steps += _on_call(
        "prlimit64",
        _argument(0),
        *_return_unless(0, _REFUSAL),
        _argument(1),
        *_return_unless(abi.RLIMIT_LOCKS, _ALLOW),
        *_unless_null(2, _REFUSAL),
        _return(_ALLOW),
    )
    steps += _on_call("setrlimit", _argument(0), *_return_if(_EQUAL, abi.RLIMIT_LOCKS, _REFUSAL), _return(_ALLOW))
    return steps


def _keeping_files() -> list[bytes]:
    """Let only the contents of files be changed: see _OF_FILES."""
    steps = [step for name in _OF_FILES for step in _on_call(name, _return(_NOTHING))]
    steps += [step for name in _OF_ATTRIBUTES for step in _on_call(name, _return(_ERRNO | errno.ENOTSUP))]
    kinds = [
        step for kind in requests.OF_FILE_SYSTEMS for step in _return_if(_EQUAL, kind << 8, _ERRNO | errno.ENOTSUP)
    ]
    return steps + _on_call("ioctl", _argument(1), _step(_AND, 0xFF00), *kinds, _step(_LOAD, _NUMBER))


def _protecting(tasks: tuple[int, ...], is_of_our_user: bool) -> list[bytes]:
    """Protect tasks of ours from what a program may do to tasks of its own user.

    A program of our own user may change only its own scheduling: changes to other tasks would last into the next
    session. A thread may have its usual policy set again, as Mono does for each.
    """
    refused = [step for task in tasks for step in _return_if(_EQUAL, task, _REFUSAL)]
    only_itself = [*_return_if(_EQUAL, 0, _ALLOW), _return(_REFUSAL)]
    usual_policy = [*_return_if(_EQUAL, 0, _ALLOW), _argument(1), *_return_unless(0, _REFUSAL), _return(_ALLOW)]
    rest = dict.fromkeys(_SCHEDULING, only_itself) | {"sched_setscheduler": usual_policy}
    steps: list[bytes] = []
    for names, place in ((TO_TASKS, 0), (TO_TASKS_SECOND, 1)):
        for name in names:
            others = rest.get(name) if is_of_our_user else None
            steps += _on_call(name, _argument(place), *refused, *(others or [_return(_ALLOW)]))
    return steps


def filter_program(
    *,
    watches: bool,
    confines: bool,
    refuses_signals: bool = False,
    is_drawing: bool = False,
    is_of_our_user: bool = False,
    protects: tuple[int, ...] = (),
) -> bytes:
    """The filter in the kernel's format, an array of struct sock_filter; `protects` are tasks not to be signalled.

    With `is_drawing` programs stop where they get random bytes; with `is_of_our_user` a session runs as our user, and
    may change neither our files nor how our tasks are scheduled.

    A call with another architecture's numbers kills the program, since our numbers would mean something else there.
    """
    before, after = _parts(watches, confines, refuses_signals, is_drawing, is_of_our_user, abi.files_of_a_program())
    protected = protects if confines else ()
    return b"".join((before, *(_protecting(protected, is_of_our_user) if protected else ()), after))


#: The parts that are the same for all launchers of a process, by their arguments. (Importing functools is slow.)
_cached_parts: dict[tuple[bool, bool, bool, bool, bool, int], tuple[bytes, bytes]] = {}


def _parts(
    watches: bool, confines: bool, refuses_signals: bool, is_drawing: bool, is_of_our_user: bool, files: int
) -> tuple[bytes, bytes]:
    """The parts of the filter before and after the protection of our own tasks."""
    key = (watches, confines, refuses_signals, is_drawing, is_of_our_user, files)
    if key not in _cached_parts:
        _cached_parts[key] = _make(*key)
    return _cached_parts[key]


def _make(
    watches: bool, confines: bool, refuses_signals: bool, is_drawing: bool, is_of_our_user: bool, files: int
) -> tuple[bytes, bytes]:
    steps = [
        _step(_LOAD, _ARCH),
        _step(_EQUAL, abi.AUDIT_ARCH, 1, 0),
        _return(_KILL),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, 0x40000000, 0, 1),  # the x32 numbers
        _return(_KILL),
        *(_keeping_files() if is_of_our_user else ()),
        *(_watching(files) if watches else ()),
        *(_drawing() if is_drawing else ()),
        *_closing_ways_around(),
        *(_confining(refuses_signals) if confines else ()),
    ]
    return b"".join(steps), _return(_ALLOW)
