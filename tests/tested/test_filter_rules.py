import errno
import struct

import pytest

from pitboss.machine import abi
from pitboss.sandbox import filters

#: What a filter can decide, besides an errno.
ALLOW, NOTIFY, KILL = "allow", "notify", "kill"
EPERM, ENOSYS = errno.EPERM, errno.ENOSYS
#: Thread ids of pitboss itself.
OUR_TASKS = (4_321, 4_322)
#: An address whose lower 32 bits are zero, and one whose upper 32 bits are zero: the filter compares halves.
HIGH, LOW = 7 << 32, 4096


def filter_decision(bpf_program, name, arguments=(), *, architecture=abi.AUDIT_ARCH):
    """What a filter decides on a call, given by name or number: ALLOW, NOTIFY, KILL or the errno."""
    number = abi.NR.get(name, name)
    padded = [argument & (1 << 64) - 1 for argument in (*arguments, *[0] * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *padded)
    steps = list(struct.iter_unpack("<HBBI", bpf_program))
    step, loaded = 0, 0
    while True:
        code, jump_true, jump_false, k = steps[step]
        step += 1
        match code:
            case 0x20:  # load
                (loaded,) = struct.unpack_from("<I", data, k)
            case 0x54:  # and
                loaded &= k
            case 0x15 | 0x25 | 0x35 | 0x45:  # conditional jump
                is_true = {0x15: loaded == k, 0x25: loaded > k, 0x35: loaded >= k, 0x45: loaded & k}[code]
                step += jump_true if is_true else jump_false
            case 0x06:  # return SECCOMP_RET_ALLOW, _USER_NOTIF, _KILL_PROCESS, or _ERRNO with the errno in the low half
                return {0x7FFF0000: ALLOW, 0x7FC00000: NOTIFY, 0x80000000: KILL}.get(k, k & 0xFFFF)
            case _:
                raise AssertionError(f"no such step: {code:x}")


def build_filter(**options):
    """The BPF program of a filter that neither watches nor confines unless the options say so."""
    return filters.filter_program(**{"watches": False, "confines": False, **options})


WATCHING, CONFINING = build_filter(watches=True), build_filter(confines=True, protected_tasks=OUR_TASKS)
#: Only pitboss uses file descriptors from this one on.
FIRST_RESERVED_FD = abi.max_files_of_a_program()

#: The decisions of the filter WATCHING: call, arguments, decision.
WATCHED = [
    ("read", (0,), NOTIFY),
    ("read", (1,), ALLOW),
    ("readv", (0,), NOTIFY),
    ("readv", (3,), ALLOW),
    *((name, (0, 5), NOTIFY) for name in ("splice", "preadv2")),
    *((name, (3, 0), ALLOW) for name in ("splice", "preadv2")),
    ("sendfile", (5, 0), NOTIFY),
    ("sendfile", (0, 3), ALLOW),
    *((name, (), NOTIFY) for name in filters.UNAVAILABLE_CALLS),
    *(("setsockopt", (3, abi.SOL_SOCKET, option), NOTIFY) for option in (20, 21, 66, 67)),  # SO_RCVTIMEO, SO_SNDTIMEO
    ("setsockopt", (3, abi.SOL_SOCKET, 7), ALLOW),  # SO_SNDBUF
    ("setsockopt", (3, 6, 20), ALLOW),
    *((name, (), NOTIFY) for name in ("nanosleep", "clock_nanosleep", "execve", "execveat")),
    ("select", (1, 0, 0, 0, LOW), NOTIFY),
    ("select", (2, 0, 0, 0, 0), ALLOW),
    ("select", (2, 0, 0, 0, LOW), NOTIFY),
    ("select", (2, 0, 0, 0, HIGH), NOTIFY),
    ("pselect6", (1,), NOTIFY),
    ("pselect6", (2,), ALLOW),
    ("pselect6", (9, 0, 0, 0, HIGH), NOTIFY),
    ("poll", (LOW, 1, -1), NOTIFY),
    ("poll", (LOW, 2, -1), ALLOW),
    ("poll", (LOW, 2, 0), ALLOW),
    ("poll", (LOW, 2, 1), NOTIFY),
    ("poll", (LOW, 2, 2**31 - 1), NOTIFY),
    ("ppoll", (LOW, 1), NOTIFY),
    ("ppoll", (LOW, 2), ALLOW),
    ("ppoll", (LOW, 2, LOW), NOTIFY),
    *(("close", (number,), NOTIFY) for number in (0, 1, 2)),
    ("close", (3,), ALLOW),
    *((name, (5, 0), NOTIFY) for name in ("dup2", "dup3")),
    *((name, (5, 1), ALLOW) for name in ("dup2", "dup3")),
    *((name, (FIRST_RESERVED_FD, 0), ALLOW) for name in ("dup2", "dup3")),
    *((name, (FIRST_RESERVED_FD - 1, 0), NOTIFY) for name in ("dup2", "dup3")),
    *(("ioctl", (0, request), EPERM) for request in (filters.TIOCSTI, filters.TIOCLINUX, filters.TIOCSETD)),
    *(("ioctl", (0, request), NOTIFY) for request in filters.MODE_REQUESTS),
    ("ioctl", (0, 0x5401), ALLOW),  # TCGETS
    *(
        (name, (), NOTIFY)
        for name in ("alarm", "setitimer", "getitimer", "timerfd_settime", "timer_settime", "timer_delete")
    ),
    *((name, (0, 0, 0, timeout), ALLOW) for name in ("epoll_wait", "epoll_pwait") for timeout in (0, -1)),
    *((name, (0, 0, 0, 1), NOTIFY) for name in ("epoll_wait", "epoll_pwait")),
    *(
        (name, (*[0] * timeout_index, timeout), ALLOW if timeout == 0 else NOTIFY)
        for name, timeout_index in (("epoll_pwait2", 3), ("rt_sigtimedwait", 2))
        for timeout in (0, LOW, HIGH)
    ),
    # FUTEX_WAIT is 0 and FUTEX_WAIT_BITSET 9; the flags are FUTEX_PRIVATE_FLAG, 128, and FUTEX_CLOCK_REALTIME, 256. The
    # other operations do not wait.
    *(("futex", (LOW, operation, 1, LOW), NOTIFY) for operation in (0, 9, 128, 137, 256, 265)),
    *(("futex", (LOW, operation, 1, 0), ALLOW) for operation in (0, 9, 128)),
    *(("futex", (LOW, operation, 1, LOW), ALLOW) for operation in (1, 3, 10, 129)),
    (1, (1,), ALLOW),  # write
    # Numbers from 0x40000000 on are those of the x32 ABI; the first is read.
    (0x40000000 - 1, (), ALLOW),
    (0x40000000, (), KILL),
    ("clone", (0,), ALLOW),
]


@pytest.mark.parametrize(("name", "arguments", "outcome"), WATCHED)
def test_the_filter_of_a_watched_program_decides_each_call(name, arguments, outcome):
    assert filter_decision(WATCHING, name, arguments) == outcome


def test_a_program_whose_input_is_a_file_stops_at_waits_but_not_at_reads():
    bpf_program = build_filter(watches=True, stops_at_reads=False)
    assert filter_decision(bpf_program, "read", (0,)) == filter_decision(bpf_program, "readv", (0,)) == ALLOW
    assert filter_decision(bpf_program, "nanosleep") == filter_decision(bpf_program, "poll", (LOW, 1, -1)) == NOTIFY


@pytest.mark.parametrize("name", filters._REFUSED_CALLS)
def test_a_confined_program_is_refused_calls_that_console_programs_never_need(name):
    assert filter_decision(CONFINING, name) == EPERM
    assert filter_decision(WATCHING, name) == ALLOW


@pytest.mark.parametrize("name", ["mincore", "cachestat", "io_setup", "io_uring_setup"])
def test_a_confined_program_cannot_ask_what_is_cached(name):
    assert filter_decision(CONFINING, name) == ENOSYS
    flags = (3, LOW, 1, 0, 0)
    assert filter_decision(CONFINING, "preadv2", (*flags, abi.RWF_NOWAIT | 1)) == errno.EOPNOTSUPP
    assert filter_decision(CONFINING, "preadv2", (*flags, 1)) == ALLOW


@pytest.mark.parametrize("task", OUR_TASKS)
def test_a_confined_program_cannot_touch_our_tasks(task):
    for name in filters.TASK_CALLS:
        assert filter_decision(CONFINING, name, (task, 9)) == EPERM
        assert filter_decision(CONFINING, name, (9, task)) == ALLOW
        assert filter_decision(build_filter(confines=True), name, (task, 9)) == ALLOW
    # The first argument of these calls is the kind of the second: the id of a task, or of a process group (+ 1).
    for name in filters.TASK_CALLS_BY_SECOND_ARGUMENT:
        by_task_id = abi.PRIO_PROCESS if name == "setpriority" else abi.IOPRIO_WHO_PROCESS
        assert filter_decision(CONFINING, name, (by_task_id, task)) == EPERM
        assert filter_decision(CONFINING, name, (by_task_id, task - 9)) == ALLOW
        assert filter_decision(CONFINING, name, (by_task_id + 1, task - 9)) == EPERM


def test_a_program_of_our_own_user_cannot_change_our_files_or_schedule_others():
    our_user = build_filter(confines=True, protected_tasks=OUR_TASKS, is_of_our_user=True)
    # The errno 0 means that the call appears to succeed, without an effect.
    assert {filter_decision(our_user, name, (LOW, 0o777)) for name in filters._METADATA_CALLS} == {0}
    assert {filter_decision(our_user, name, (LOW,)) for name in filters._ATTRIBUTE_CALLS} == {errno.ENOTSUP}
    # FS_IOC_SETFLAGS, with each letter in place of its own.
    assert {
        filter_decision(our_user, "ioctl", (3, 0x40086602 & ~0xFF00 | letter << 8))
        for letter in filters.FILE_SYSTEM_LETTERS
    } == {errno.ENOTSUP}
    assert filter_decision(our_user, "ioctl", (0, 0x5401)) == filter_decision(our_user, "read", (3,)) == ALLOW
    # The task 0 is the calling task, 9 another one.
    for name in ("sched_setattr", "sched_setaffinity", "sched_setscheduler"):
        assert (filter_decision(our_user, name, (0, 3)), filter_decision(our_user, name, (9, 3))) == (ALLOW, EPERM)
    assert filter_decision(our_user, "sched_setscheduler", (9, 0)) == ALLOW
    assert [filter_decision(our_user, "setpriority", (abi.PRIO_PROCESS, task)) for task in (0, 9)] == [ALLOW, EPERM]
    assert filter_decision(CONFINING, "chmod", (LOW, 0o777)) == filter_decision(CONFINING, "setxattr", (LOW,)) == ALLOW


#: The decisions of the filter CONFINING, apart from the calls that it always refuses.
CONFINED = [
    ("clone", (0x20000,), EPERM),  # CLONE_NEWNS
    ("clone", (0x10000000,), EPERM),  # CLONE_NEWUSER
    ("clone", (abi.CLONE_PARENT | 0x11,), EPERM),
    ("clone", (0x11,), ALLOW),  # SIGCHLD, as for fork
    *((name, (), ENOSYS) for name in ("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register")),
    # SOCK_STREAM is 1, SOCK_DGRAM 2, SOCK_RAW 3, SOCK_SEQPACKET 5; the flags are SOCK_CLOEXEC and SOCK_NONBLOCK.
    *(("socketpair", (abi.AF_UNIX, kind), ALLOW) for kind in (1, 5, 1 | 0o2000000, 5 | 0o4000)),
    *(("socketpair", (abi.AF_UNIX, kind), EPERM) for kind in (2, 3, 2 | 0o2000000)),
    ("socketpair", (2, 1), EPERM),  # AF_INET
    ("sendto", (3,), ALLOW),
    ("sendto", (3, 0, 0, 0, LOW), EPERM),
    ("sendto", (3, 0, 0, 0, HIGH), EPERM),
    ("prlimit64", (0, 7, LOW), ALLOW),  # RLIMIT_NOFILE of the calling process
    ("prlimit64", (0, abi.RLIMIT_LOCKS, 0, LOW), ALLOW),
    ("prlimit64", (0, abi.RLIMIT_LOCKS, LOW), EPERM),
    ("prlimit64", (0, abi.RLIMIT_LOCKS, HIGH), EPERM),
    ("prlimit64", (1, 7, 0), EPERM),
    ("setrlimit", (abi.RLIMIT_LOCKS,), EPERM),
    ("setrlimit", (7,), ALLOW),
    ("kill", (1,), ALLOW),
    ("read", (0,), ALLOW),
    ("nanosleep", (), ALLOW),
]


@pytest.mark.parametrize(("name", "arguments", "outcome"), CONFINED)
def test_the_filter_of_a_confined_program_decides_each_call(name, arguments, outcome):
    assert filter_decision(CONFINING, name, arguments) == outcome


def test_the_filter_refuses_signals_where_nothing_else_can():
    assert filter_decision(build_filter(confines=True, refuses_signals=True), "kill", (1,)) == EPERM


def test_a_filter_for_draws_notifies_of_random_bytes():
    watching_draws = build_filter(watches=True, stops_at_draws=True)
    assert filter_decision(watching_draws, "getrandom") == NOTIFY
    assert filter_decision(watching_draws, "arch_prctl", (abi.ARCH_SET_FS,)) == NOTIFY
    assert filter_decision(watching_draws, "arch_prctl", (abi.ARCH_SET_FS + 1,)) == ALLOW
    assert (
        filter_decision(WATCHING, "getrandom") == filter_decision(WATCHING, "arch_prctl", (abi.ARCH_SET_FS,)) == ALLOW
    )


@pytest.mark.parametrize("bpf_program", [WATCHING, CONFINING], ids=["watching", "confining"])
def test_a_call_of_another_architecture_kills_the_program(bpf_program):
    assert filter_decision(bpf_program, "read", architecture=0x40000003) == KILL  # AUDIT_ARCH_I386
