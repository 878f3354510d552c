"""Each line of defence stops its attacks while all others are switched off; with all lines off each attack succeeds.

An attack that succeeds does no harm: it only prints ESCAPED.
"""

import os
import socket

import pytest

from pitboss.model.invocation import Script, script_of_lines
from pitboss.sandbox import filters, landlock, limits
from pitboss.sandbox.limits import Limits
from pitboss.sandbox.sandbox import Level, Sandbox
from pitboss.sessions.programs import Program
from pitboss.sessions.tracing import driver, family, launcher
from pitboss.sessions.tracing.driver import TracingDriver
from pitboss.sessions.tracing.launcher_client import SessionFolder

pytestmark = pytest.mark.needs("root")  # with all lines off, attacks have the rights of root

LIMITS = Limits(cpu_s=1, idle_s=2, memory_mb=128, processes=16)
#: The C code before each attack: it prints ESCAPED if `works`, the attack, succeeds, and `stopped` otherwise.
HEAD = """
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
static int works(void);
int main(void) { puts(works() ? "ESCAPED" : "stopped"); return 0; }
"""
#: Attacks by the line of defence that should stop them. Each is the body of the C function `works`, which returns
#: whether the attack succeeded. The fixture `attack` replaces PORT and the names of its files and folder.
ATTACKS = {
    "filter": {
        "a connection": "struct sockaddr_in there = {AF_INET, htons(PORT), {htonl(INADDR_LOOPBACK)}};"
        " return connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&there, sizeof there) == 0;",
        "a datagram socket": "int pair[2]; return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0;",
        "netlink": "return socket(AF_NETLINK, SOCK_RAW, 0) >= 0;",
        "shared memory": "int id = syscall(SYS_shmget, 0, 4096, 01600); if (id >= 0) syscall(SYS_shmctl, id, 0, 0); return id >= 0;",
        "a message queue": "int id = syscall(SYS_msgget, 0, 01600); if (id >= 0) syscall(SYS_msgctl, id, 0, 0); return id >= 0;",
        "a semaphore": "int id = syscall(SYS_semget, 0, 1, 01600); if (id >= 0) syscall(SYS_semctl, id, 0, 0, 0); return id >= 0;",
        "a namespace": "return unshare(CLONE_NEWUSER) == 0;",
        "the owner of a socket's signals": "int pair[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, pair); return fcntl(pair[0], F_SETOWN, getpid()) == 0;",
        "a lease": 'return fcntl(open("f", O_CREAT | O_RDWR, 0600), F_SETLEASE, F_WRLCK) == 0;',
        "the priority of its starter": "return setpriority(PRIO_PROCESS, getppid(), getpriority(PRIO_PROCESS, getppid())) == 0;",
        "a signal to its starter": "return kill(getppid(), 0) == 0;",
        "the limits of its starter": "struct rlimit l; return syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, 0, &l) == 0;",
        "a folder watched": 'return inotify_add_watch(inotify_init(), "/tmp", IN_CREATE) >= 0;',
        "the limit that marks its processes": "struct rlimit l = {5, 5}; return syscall(SYS_setrlimit, 10, &l) == 0;",
        "a performance counter": "char event[128] = {1, 0, 0, 0, 112}; return syscall(SYS_perf_event_open, event, 0, -1, -1, 0) >= 0;",
        "a key": "return syscall(SYS_keyctl, 0, -3, 1) >= 0;",
        "its own name as a host": 'char name[65] = ""; read(open("/proc/sys/kernel/hostname", O_RDONLY), name, 64); name[strcspn(name, "\\n")] = 0;'
        " return sethostname(name, strlen(name)) == 0;",
    },
    "Landlock": {
        "a file read": 'return open("/etc/shadow", O_RDONLY) >= 0;',
        "a file of ours": 'return open("CANARY", O_RDONLY) >= 0;',
        "a file written": 'return open("CANARY", O_WRONLY) >= 0;',
        "a file removed": 'return unlink("REMOVABLE") == 0;',
        "a file created": 'return open("FOLDER/file", O_CREAT | O_WRONLY, 0600) >= 0;',
        "a folder created": 'return mkdir("FOLDER/folder", 0700) == 0;',
        "a link": 'symlink("CANARY", "link"); return open("link", O_RDONLY) >= 0;',
        "a folder listed": 'return opendir("FOLDER") && readdir(opendir("FOLDER"));',
        "a device": 'return open("/dev/full", O_WRONLY) >= 0;',
        "a terminal": 'return open("/dev/ptmx", O_RDWR | O_NOCTTY) >= 0;',
        "shared memory": 'int f = shm_open("/pitboss-defence", O_CREAT | O_RDWR, 0600); shm_unlink("/pitboss-defence"); return f >= 0;',
    },
    "user": {
        "root": "return geteuid() == 0;",
        "a file of root": 'return open("SECRET", O_RDONLY) >= 0;',
        "another user": "return setresuid(12345, 12345, 12345) == 0;",
        "another group": "return setresgid(12345, 12345, 12345) == 0;",
        "a device created": 'return mknod("device", S_IFCHR | 0600, 0x103) == 0;',
        "a higher priority": "return setpriority(PRIO_PROCESS, 0, -1) == 0;",
        "a real-time policy": "struct sched_param first = {1}; return sched_setscheduler(0, SCHED_FIFO, &first) == 0;",
        "the mode of a file of root": 'return chmod("SECRET", 0600) == 0;',
        "the owner of a file of root": 'return chown("SECRET", 0, 0) == 0;',
    },
    "limits": {
        "a large file": 'signal(SIGXFSZ, SIG_IGN); return ftruncate(open("large", O_CREAT | O_RDWR, 0600), 1 << 30) == 0;',
        "many open files": "int f = 0; for (int i = 0; i < 400; i++) f = dup(1); return f >= 0;",
        "a core dump": "struct rlimit l; getrlimit(RLIMIT_CORE, &l); return l.rlim_max != 0;",
        "processor time": "struct rlimit l; getrlimit(RLIMIT_CPU, &l); return l.rlim_max > 100;",
        "a file in memory": 'signal(SIGXFSZ, SIG_IGN); return ftruncate(memfd_create("m", 0), 1 << 30) == 0;',
    },
    "own session": {
        "a group of its starter": "return getpgid(0) == getpgid(getppid());",
        "the session of its starter": "return getsid(0) == getsid(getppid());",
    },
    "removal of what was left": {
        "a note": 'int was = access("note", F_OK) == 0; close(open("note", O_CREAT | O_WRONLY, 0)); return was;',
        "a folder": 'int was = access("folder", F_OK) == 0; mkdir("folder", 0); chmod(".", 0700); return was;',
        "a pipe": 'int was = access("pipe", F_OK) == 0; mkfifo("pipe", 0600); return was;',
    },
}
#: Of the attacks on each line, all but the first two are marked slow.
CASES = [
    pytest.param(line, name, id=f"{line}-{name}", marks=pytest.mark.slow if index > 1 else ())
    for line, attacks in ATTACKS.items()
    for index, name in enumerate(attacks)
]


def switch_off(monkeypatch, *lines):
    for line in lines:
        _SWITCHES[line](monkeypatch)


def _no_limits(monkeypatch):
    """Set no limit but the one by whose value pitboss recognizes the processes of a session."""
    monkeypatch.setattr(limits, "_pairs", lambda *_: ())
    monkeypatch.setattr(family, "set_limits", limits.set_limits)


def _no_filter(monkeypatch):
    monkeypatch.setattr(filters, "_confinement_steps", lambda *_: [])
    monkeypatch.setattr(filters, "_protection_steps", lambda *_: [])
    monkeypatch.setattr(filters, "_escape_steps", lambda *_: [])
    monkeypatch.setattr(filters, "_cached_parts", {})


def _no_removal(monkeypatch):
    """Empty the session folder only once, so that the second session sees the files of the first."""
    real_renew, renewed_folders = SessionFolder.renew, []

    def renew_once(self):
        if self not in renewed_folders:
            real_renew(self)
            renewed_folders.append(self)

    monkeypatch.setattr(SessionFolder, "renew", renew_once)


#: How to switch off each line of defence.
_SWITCHES = {
    "filter": _no_filter,
    "Landlock": lambda monkeypatch: monkeypatch.setattr(driver, "landlock_rules", lambda *_: ()),
    "user": lambda monkeypatch: monkeypatch.setattr(driver, "may_become_others", lambda: False),
    "limits": _no_limits,
    "own session": lambda monkeypatch: monkeypatch.setattr(launcher, "_SPAWN_SETSID", 0),
    "removal of what was left": _no_removal,
}


@pytest.fixture
def attack(compiled, reachable):
    """A function that runs an attack in two sessions, and returns what it prints: ESCAPED if it succeeded in either.

    The attack can try two files that everybody may write, a secret file, an open folder and a listening port.
    """
    for name in ("canary", "removable"):
        (reachable / name).write_text("secret\n")
        (reachable / name).chmod(0o666)
    (reachable / "secret").write_text("secret\n")
    (reachable / "secret").chmod(0o600)
    (reachable / "open").mkdir()
    (reachable / "open").chmod(0o777)
    (reachable / "own").mkdir()
    reachable.chmod(0o777)

    def run_attack(line, name, level=Level.LANDLOCK):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            placeholders = {
                "PORT": listener.getsockname()[1],
                "CANARY": reachable / "canary",
                "SECRET": reachable / "secret",
                "REMOVABLE": reachable / "removable",
                "FOLDER": reachable / "open",
            }
            body = ATTACKS[line][name]
            for word, value in placeholders.items():
                body = body.replace(word, str(value))
            executable = compiled(f"{HEAD}static int works(void) {{ {body} }}\n")
            program = executable.rename(reachable / "own" / "program")
            with TracingDriver(Program((str(program),), program.parent), LIMITS, Sandbox(level), at_once=1) as sessions:
                scripts = [Script(script_of_lines(()), ())] * 2
                outputs = {transcript.text.decode() for _, transcript in sessions.sessions(scripts)}
                return "ESCAPED\n" if "ESCAPED\n" in outputs else "".join(outputs)

    return run_attack


@pytest.mark.parametrize(("line", "name"), CASES)
def test_each_line_of_defence_alone_stops_its_attacks(attack, monkeypatch, line, name):
    switch_off(monkeypatch, *(other_line for other_line in _SWITCHES if other_line != line))
    assert attack(line, name) == "stopped\n"


@pytest.mark.parametrize(("line", "name"), CASES)
def test_each_attack_succeeds_with_all_lines_off(attack, monkeypatch, line, name):
    switch_off(monkeypatch, *_SWITCHES)
    assert attack(line, name) == "ESCAPED\n"


#: Attacks that bubblewrap stops even with all other lines off: on other processes and folders, and the network.
BUBBLEWRAP_ATTACKS = {
    "a file of ours": ATTACKS["Landlock"]["a file of ours"],
    "a folder listed": ATTACKS["Landlock"]["a folder listed"],
    "a file removed": ATTACKS["Landlock"]["a file removed"],
    "a connection": ATTACKS["filter"]["a connection"],
    "a process of others": f'char path[64]; sprintf(path, "/proc/{os.getpid()}/status"); return open(path, O_RDONLY) >= 0;',
    "a device": ATTACKS["Landlock"]["a device"],
    "a file of the system": 'return open("/usr/share/pitboss-defence", O_CREAT | O_WRONLY, 0600) >= 0 && unlink("/usr/share/pitboss-defence") == 0;',
}


@pytest.mark.needs("bubblewrap")
@pytest.mark.parametrize("name", BUBBLEWRAP_ATTACKS)
def test_bubblewrap_alone_stops_its_attacks(attack, monkeypatch, name):
    monkeypatch.setitem(ATTACKS, "bubblewrap", BUBBLEWRAP_ATTACKS)
    switch_off(monkeypatch, *_SWITCHES)
    assert attack("bubblewrap", name, Level.BUBBLEWRAP) == "stopped\n"
    assert attack("bubblewrap", name, Level.NONE) == "ESCAPED\n"


def test_landlock_restricts_signals_from_version_6():
    assert landlock.restricts_signals() == (landlock.version() >= 6)
