"""A small program that limits and confines itself, then executes a command such as a compiler or make.

Run as `python -I -S confine.py SETUP COMMAND…`. SETUP is a JSON object with these keys:

    limits               pairs of an rlimit's name and its value
    rules                Landlock rules, pairs of a path and its rights; empty for no Landlock
    user_id              the user to become; null to stay our own user
    groups               further groups of that user
    filter               `this`: the system call filter applies to this process; `inside`: to what bubblewrap starts;
                         null: no filter
    is_of_our_user       whether the command is a tested program, not a compiler, that runs as our own user
    environment          variables that only the command gets
    has_fixed_addresses  whether memory addresses are the same in each run of the command
    subreaper            the arguments of pitboss.sandbox.subreaper.become_subreaper; null for no subreaper
"""

from __future__ import annotations

import errno
import json
import os
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main() -> None:
    """Confine this process and run the command in its place."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, os.path.dirname(package))
    # All imported now: once confined, this process cannot read the package.
    from pitboss.sandbox import filters, landlock, subreaper  # noqa: F401

    setup, argv = json.loads(sys.argv[1]), sys.argv[2:]
    program = _command_path(argv[0])
    if setup["subreaper"] is not None:
        subreaper.become_subreaper(**setup["subreaper"])
    try:
        _confine(setup, argv)
    except OSError as error:  # a shortage of this machine must not look like a failure of the command
        if setup["subreaper"] is None:
            raise
        subreaper.fail(setup["subreaper"]["report"], error.errno or errno.EIO)
    try:
        os.execve(program, argv, {**os.environ, **setup["environment"]})
    except OSError as error:  # reported as by a shell: our traceback must not appear in a program's output
        sys.exit(f"{program}: {error.strerror}")


def _confine(setup: dict[str, Any], argv: list[str]) -> None:
    """Limit and confine this process. If `argv` starts bubblewrap, insert the option that hands over the filter.

    Raises OSError if that fails.
    """
    from pitboss.machine import abi
    from pitboss.sandbox import filters, landlock

    if setup["has_fixed_addresses"]:
        abi.turn_off_address_randomization()
    for name, value in setup["limits"]:
        # At the soft limit of CPU time a process receives SIGXCPU, which shows why it ended; at the hard limit SIGKILL.
        hard = value + 1 if name == "RLIMIT_CPU" else value
        resource.setrlimit(getattr(resource, name), (value, hard))
    if setup["user_id"] is not None:
        user_id = setup["user_id"]
        os.setgroups(setup["groups"])
        os.setresgid(user_id, user_id, user_id)
        os.setresuid(user_id, user_id, user_id)
    if setup["rules"]:
        landlock.restrict([(path, rights) for path, rights in setup["rules"]])
    if setup["filter"] == "this":
        refuses_signals = not landlock.restricts_signals()  # the filter refuses signals if Landlock cannot
        protected_tasks = (os.getppid(), setup["subreaper"]["parent"])  # the subreaper, and the pitboss that started it
        steps = filters.filter_program(
            watches=False,
            confines=True,
            refuses_signals=refuses_signals,
            is_of_our_user=setup["is_of_our_user"],
            protected_tasks=protected_tasks,
        )
        filters.install(steps, listens=False)
    elif setup["filter"] == "inside":
        # Inside a bubblewrap, process 1 is bubblewrap's own. If we are not root, this process has the same user as the
        # program: kill(2) of process 1 would report success, although the kernel drops the signal. So the filter makes
        # this kill(2) fail.
        steps = filters.filter_program(
            watches=False, confines=True, is_of_our_user=setup["is_of_our_user"], protected_tasks=(1,)
        )
        argv[1:1] = ["--seccomp", str(_memory_file(steps))]


def _memory_file(content: bytes) -> int:
    """The descriptor of a file in memory with this content; the program that we execute inherits it."""
    descriptor = os.memfd_create("filter", 0)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _command_path(name: str) -> str:
    """The path of a command, found in PATH as by a shell; `name` itself if it is not found.

    os.execvp would search too late: it first imports more of Python, which the confined process cannot read.
    """
    folders = os.environ.get("PATH", "/usr/bin:/bin").split(":") if "/" not in name else []
    candidates = [f"{folder}/{name}" for folder in folders]
    return next((path for path in candidates if os.access(path, os.X_OK)), name)


if __name__ == "__main__":
    main()
