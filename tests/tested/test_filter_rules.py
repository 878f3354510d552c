"""Each rule of the system call filter, by running the filter as the kernel would: see bpf(4) and seccomp(2)."""

import errno
import struct

import pytest

from pitboss.sandbox import abi, filters, requests

ALLOW, NOTIFY, KILL = "allow", "ask", "kill"
EPERM, ENOSYS = errno.EPERM, errno.ENOSYS
OURS = (4_321, 4_322)
#: An address whose lower half is zero, and one whose upper half is.
HIGH, LOW = 7 << 32, 4096


def decided(program, name, arguments=(), *, architecture=abi.AUDIT_ARCH):
    """What a filter says to a call, of a name or a number."""
    number = abi.NR.get(name, name)
    given = [argument & (1 << 64) - 1 for argument in (*arguments, *[0] * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *given)
    steps = list(struct.iter_unpack("<HBBI", program))
    at, loaded = 0, 0
    while True:
        code, yes, no, k = steps[at]
        at += 1
        match code:
            case 0x20:
                (loaded,) = struct.unpack_from("<I", data, k)
            case 0x54:
                loaded &= k
            case 0x15 | 0x25 | 0x35 | 0x45:
                holds = {0x15: loaded == k, 0x25: loaded > k, 0x35: loaded >= k, 0x45: loaded & k}[code]
                at += yes if holds else no
            case 0x06:
                return {0x7FFF0000: ALLOW, 0x7FC00000: NOTIFY, 0x80000000: KILL}.get(k, k & 0xFFFF)
            case _:
                raise AssertionError(f"no such step: {code:x}")


def program(**asked):
    return filters.filter_program(**{"watches": False, "confines": False, **asked})


WATCHING, CONFINING = program(watches=True), program(confines=True, protects=OURS)
FILES = abi.files_of_a_program()

#: Where a program is watched: calls with their arguments, and what becomes of each.
WATCHED = [
    ("read", (0,), NOTIFY),
    ("read", (1,), ALLOW),
    ("readv", (0,), NOTIFY),
    ("readv", (3,), ALLOW),
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
    *((name, (FILES, 0), ALLOW) for name in ("dup2", "dup3")),
    *((name, (FILES - 1, 0), NOTIFY) for name in ("dup2", "dup3")),
    *(("ioctl", (0, k), EPERM) for k in (requests.TIOCSTI, requests.TIOCLINUX, requests.TIOCSETD)),
    *(("ioctl", (0, k), NOTIFY) for k in requests.MODES),
    ("ioctl", (0, 0x5401), ALLOW),  # TCGETS
    *(
        (name, (), NOTIFY)
        for name in ("alarm", "setitimer", "getitimer", "timerfd_settime", "timer_settime", "timer_delete")
    ),
    *((name, (0, 0, 0, timeout), ALLOW) for name in ("epoll_wait", "epoll_pwait") for timeout in (0, -1)),
    *((name, (0, 0, 0, 1), NOTIFY) for name in ("epoll_wait", "epoll_pwait")),
    *(
        (name, (*[0] * place, timeout), ALLOW if timeout == 0 else NOTIFY)
        for name, place in (("epoll_pwait2", 3), ("rt_sigtimedwait", 2), ("mq_timedreceive", 4))
        for timeout in (0, LOW, HIGH)
    ),
    *(("futex", (LOW, operation, 1, LOW), NOTIFY) for operation in (0, 9, 128, 137, 256, 265)),
    *(("futex", (LOW, operation, 1, 0), ALLOW) for operation in (0, 9, 128)),
    *(("futex", (LOW, operation, 1, LOW), ALLOW) for operation in (1, 3, 10, 129)),
    (1, (1,), ALLOW),  # write
    (0x40000000 - 1, (), ALLOW),
    (0x40000000, (), KILL),  # read, by its x32 number
    ("clone", (0,), ALLOW),
]


@pytest.mark.parametrize(("name", "arguments", "outcome"), WATCHED)
def test_a_watched_program_stops_where_it_should_and_nowhere_else(name, arguments, outcome):
    assert decided(WATCHING, name, arguments) == outcome


@pytest.mark.parametrize("name", filters._REFUSED)
def test_what_no_console_program_needs_is_refused_where_it_is_confined(name):
    assert decided(CONFINING, name) == EPERM
    assert decided(WATCHING, name) == ALLOW


@pytest.mark.parametrize("task", OURS)
def test_our_tasks_are_protected_and_no_others(task):
    for name in filters.TO_TASKS:
        assert decided(CONFINING, name, (task, 9)) == EPERM
        assert decided(CONFINING, name, (9, task)) == ALLOW
        assert decided(program(confines=True), name, (task, 9)) == ALLOW
    for name in filters.TO_TASKS_SECOND:
        own = abi.PRIO_PROCESS if name == "setpriority" else abi.IOPRIO_WHO_PROCESS
        assert decided(CONFINING, name, (own, task)) == EPERM
        assert decided(CONFINING, name, (own, task - 9)) == ALLOW
        assert decided(CONFINING, name, (own + 1, task - 9)) == EPERM


def test_a_session_of_our_own_user_changes_nothing_of_our_files_and_schedules_only_itself():
    ours, nothing = program(confines=True, protects=OURS, is_of_our_user=True), 0
    assert {decided(ours, name, (LOW, 0o777)) for name in filters._OF_FILES} == {nothing}
    assert {decided(ours, name, (LOW,)) for name in filters._OF_ATTRIBUTES} == {errno.ENOTSUP}
    assert {decided(ours, "ioctl", (3, 0x40086602 & ~0xFF00 | kind << 8)) for kind in requests.OF_FILE_SYSTEMS} == {
        errno.ENOTSUP
    }
    assert decided(ours, "ioctl", (0, 0x5401)) == decided(ours, "read", (3,)) == ALLOW
    for name in ("sched_setattr", "sched_setaffinity", "sched_setscheduler"):
        assert (decided(ours, name, (0, 3)), decided(ours, name, (9, 3))) == (ALLOW, EPERM)
    assert decided(ours, "sched_setscheduler", (9, 0)) == ALLOW
    assert [decided(ours, "setpriority", (abi.PRIO_PROCESS, task)) for task in (0, 9)] == [ALLOW, EPERM]
    assert decided(CONFINING, "chmod", (LOW, 0o777)) == decided(CONFINING, "setxattr", (LOW,)) == ALLOW


#: Where a program is confined, beside what is refused altogether.
CONFINED = [
    ("clone", (0x20000,), EPERM),  # CLONE_NEWNS
    ("clone", (0x10000000,), EPERM),  # CLONE_NEWUSER
    ("clone", (abi.CLONE_PARENT | 0x11,), EPERM),
    ("clone", (0x11,), ALLOW),
    *((name, (), ENOSYS) for name in ("clone3", "io_uring_setup", "io_uring_enter", "io_uring_register")),
    *(("socketpair", (abi.AF_UNIX, kind), ALLOW) for kind in (1, 5, 1 | 0o2000000, 5 | 0o4000)),
    *(("socketpair", (abi.AF_UNIX, kind), EPERM) for kind in (2, 3, 2 | 0o2000000)),
    ("socketpair", (2, 1), EPERM),
    ("sendto", (3,), ALLOW),
    ("sendto", (3, 0, 0, 0, LOW), EPERM),
    ("sendto", (3, 0, 0, 0, HIGH), EPERM),
    ("prlimit64", (0, 7, LOW), ALLOW),
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
def test_a_confined_program_may_what_it_may(name, arguments, outcome):
    assert decided(CONFINING, name, arguments) == outcome


def test_signals_are_refused_where_nothing_else_holds_them():
    assert decided(program(confines=True, refuses_signals=True), "kill", (1,)) == EPERM


def test_random_bytes_stop_a_program_where_they_are_watched():
    drawing = program(watches=True, is_drawing=True)
    assert decided(drawing, "getrandom") == NOTIFY
    assert decided(drawing, "arch_prctl", (abi.ARCH_SET_FS,)) == NOTIFY
    assert decided(drawing, "arch_prctl", (abi.ARCH_SET_FS + 1,)) == ALLOW
    assert decided(WATCHING, "getrandom") == decided(WATCHING, "arch_prctl", (abi.ARCH_SET_FS,)) == ALLOW


@pytest.mark.parametrize("one", [WATCHING, CONFINING], ids=["watching", "confining"])
def test_numbers_of_another_architecture_kill(one):
    assert decided(one, "read", architecture=0x40000003) == KILL
