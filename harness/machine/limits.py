"""What a session may use. Values."""

from __future__ import annotations

import msgspec

#: The stack of a program, whatever this shell has: how deep a recursion may go decides verdicts.
STACK_BYTES = 8 << 20


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one session may use before it is stopped. Every limit has an ending of its own."""

    #: Real CPU time of each process, in whole seconds (RLIMIT_CPU counts no finer).
    cpu_s: int = 1
    #: Real time in which the program does nothing, asks for nothing and shows nothing.
    idle_s: int = 10
    #: Real time of the whole session: sleeps that are skipped or expected are not counted, nor is time for which the
    #: program is kept from running by what else the machine does.
    session_s: int = 60
    memory_mb: int = 256
    output_kb: int = 1024
    processes: int = 32
    file_mb: int = 16

    @property
    def most_s(self) -> int:
        """How long a session may take; never less than what the other limits allow by themselves."""
        return max(self.session_s, 2 * (self.cpu_s + self.idle_s))
