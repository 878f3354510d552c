"""The limits of a session."""

from __future__ import annotations

import msgspec

#: The stack of a program, regardless of this shell's limit: verdicts depend on the possible depth of recursion.
STACK_BYTES = 8 << 20


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much one session may use before it is stopped. Each limit has its own kind of ending."""

    #: Real CPU time of each process, in whole seconds (RLIMIT_CPU counts no finer).
    cpu_s: int = 1
    #: Real time in which the program does nothing, asks for nothing and shows nothing.
    idle_s: int = 10
    #: Real time of the whole session. Sleeps that are skipped or expected do not count, nor does time in which the
    #: program gets no core because the machine is busy.
    session_s: int = 60
    memory_mb: int = 256
    output_kb: int = 1024
    #: How many programs and copies of itself run at the same time; and how many it starts, one after another.
    processes: int = 32
    starts: int = 1000
    file_mb: int = 16

    @property
    def folder_mb(self) -> int:
        """The maximum size of all files in its folder together: a few of the largest files."""
        return 4 * self.file_mb

    @property
    def tasks(self) -> int:
        """How many processes and threads it may have, including zombies.

        The kernel counts threads like processes, and a Java program has some for each core.
        """
        return 8 * self.processes

    @property
    def max_session_s(self) -> int:
        """How long a session may take, in seconds; never less than the other limits allow."""
        return max(self.session_s, 2 * (self.cpu_s + self.idle_s))
