"""The limits of a session."""

from __future__ import annotations

import msgspec

#: The stack of a program, regardless of this shell's limit: verdicts depend on the possible depth of recursion.
STACK_BYTES = 8 << 20


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much one session may use before it is stopped. Most limits have their own EndingKind."""

    #: CPU time of each process, in whole seconds (RLIMIT_CPU counts no finer).
    cpu_s: int = 1
    #: Real time, in seconds, in which the program does nothing, waits for no input and writes nothing.
    idle_s: int = 10
    #: Real time of the whole session, in seconds. It does not include sleeps that are skipped or expected, nor time in
    #: which the program gets no core because the machine is busy.
    session_s: int = 60
    #: Memory that all processes of the session use together, not the addresses that they reserve.
    memory_mb: int = 256
    output_kb: int = 1024
    #: How many processes may run at the same time.
    processes: int = 32
    #: How many times programs may be started in the whole session.
    starts: int = 1000
    #: The maximum size of each file that a program writes.
    file_mb: int = 16

    @property
    def folder_mb(self) -> int:
        """The maximum total size of the files in the session's folder, in MB: four files of the maximum size."""
        return 4 * self.file_mb

    @property
    def tasks(self) -> int:
        """How many processes and threads the session may have at the same time, including zombies.

        The kernel counts threads like processes, and a Java program has some for each core.
        """
        return 8 * self.processes

    @property
    def max_session_s(self) -> int:
        """How long a session may take, in seconds: `session_s`, or twice `cpu_s` + `idle_s` if that is longer."""
        return max(self.session_s, 2 * (self.cpu_s + self.idle_s))
