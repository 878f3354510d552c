"""A small program that limits and confines itself, then executes a command such as a compiler or make.

Run as `python -I -S confine.py SETUP COMMAND…`, SETUP being JSON: `limits` (pairs of an rlimit's name and value),
`rules` (Landlock: paths and rights; empty for none), `user_id` (null for ours), `groups` (further groups of that user),
`filter` (what the system call filter applies to: `this` process, what bubblewrap starts `inside`, or null for none),
`is_of_our_user` (whether it is a session that runs as our user), `environment` (variables of the command alone),
`has_fixed_addresses` (whether the command sees the same addresses each time), `subreaper` (the arguments of
pitboss.sandbox.subreaper.become_subreaper; null for no subreaper).
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
    from pitboss.sandbox import abi, filters, landlock, seccomp, subreaper  # noqa: F401 before they become unreadable

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
    except OSError as error:  # as a shell reports it: our traceback must not appear in a program's output
        sys.exit(f"{program}: {error.strerror}")


def _confine(setup: dict[str, Any], argv: list[str]) -> None:
    """Limit and confine this process; adds arguments for bubblewrap to `argv`. Raises OSError if that fails."""
    from pitboss.sandbox import abi, filters, landlock, seccomp

    if setup["has_fixed_addresses"]:
        abi.fix_addresses()
    for name, value in setup["limits"]:
        # At its soft limit of CPU time a process receives SIGXCPU, which shows why; at the hard limit it is killed.
        hard = value + 1 if name == "RLIMIT_CPU" else value
        resource.setrlimit(getattr(resource, name), (value, hard))
    if setup["user_id"] is not None:
        os.setgroups(setup["groups"])
        os.setresgid(*[setup["user_id"]] * 3)
        os.setresuid(*[setup["user_id"]] * 3)
    if setup["rules"]:
        landlock.restrict([(path, rights) for path, rights in setup["rules"]])
    if setup["filter"] == "this":
        refuses_signals = not landlock.restricts_signals()
        protects = (os.getppid(), setup["subreaper"]["parent"])
        steps = filters.filter_program(
            watches=False,
            confines=True,
            refuses_signals=refuses_signals,
            is_of_our_user=setup["is_of_our_user"],
            protects=protects,
        )
        seccomp.install(steps, listens=False)
    elif setup["filter"] == "inside":
        # The first process inside is bubblewrap's own, with the program's user if we are not root. The kernel does not
        # deliver the program's signals to it, but returns success.
        steps = filters.filter_program(
            watches=False, confines=True, is_of_our_user=setup["is_of_our_user"], protects=(1,)
        )
        argv[1:1] = ["--seccomp", str(_opened(steps))]


def _opened(content: bytes) -> int:
    """A descriptor from which `content` can be read, also by the program that we execute."""
    descriptor = os.memfd_create("filter", 0)
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _command_path(name: str) -> str:
    """The path of a command, searched as a shell does.

    os.execvp would search too late: it first imports more of Python, which cannot be read by then.
    """
    folders = os.environ.get("PATH", "/usr/bin:/bin").split(":") if "/" not in name else []
    candidates = [f"{folder}/{name}" for folder in folders]
    return next((path for path in candidates if os.access(path, os.X_OK)), name)


if __name__ == "__main__":
    main()
