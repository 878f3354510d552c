"""Provides the random bytes that programs get from the kernel: by getrandom(2), and when they start.

The kernel gives each program 16 random bytes at its start. The C library derives its stack guard from them, so they
may appear in uninitialized memory.
"""

from __future__ import annotations

from pitboss.sandbox import abi
from pitboss.sandbox.abi import NR
from pitboss.sessions.determinism import SeededEnvironment

#: The calls at which programs stop for random bytes; arch_prctl is the first call that all programs make.
DRAWS = frozenset({NR["getrandom"], NR["arch_prctl"]})
#: The maximum number of bytes per call; the kernel, too, may return fewer bytes than requested.
_MAX_BYTES = 4096
#: The number of random bytes at the start of a program.
_START_BYTES = 16
#: After this many programs with these bytes at the same address, we rely on it for all programs of the launcher.
_REPEATS_ENOUGH = 3


class RandomBytes:
    """The random bytes of the programs of one launcher."""

    def __init__(self, environment: SeededEnvironment) -> None:
        """Draw from this seeded environment."""
        self._environment = environment
        #: The last address of the bytes at the start, and in how many programs in a row they were there.
        self._address = self._repeats = 0
        #: The arguments of these programs, which lie above these bytes in memory and so move them.
        self._arguments: tuple[str, ...] = ()

    def begin(self, arguments: tuple[str, ...]) -> None:
        """Begin a session, whose program has these arguments."""
        if arguments != self._arguments:
            self._arguments, self._repeats = arguments, 0

    def answer(self, listener: int, call: abi.Notification) -> None:
        """Give a program its bytes, and answer it."""
        if call.number == NR["getrandom"]:
            address, size, *_ = call.arguments
            random = self._environment.drawn(min(size, _MAX_BYTES))
            abi.write_memory_of(call.tid, address, random)
            abi.answer(listener, call, len(random))
            return
        try:
            abi.write_memory_of(call.tid, self._address_of_start_bytes(call.tid), self._environment.drawn(_START_BYTES))
        except OSError:
            pass  # it has ended
        abi.let_through(listener, call)

    def _address_of_start_bytes(self, tid: int) -> int:
        """The address of a program's bytes at its start; in a session's first program as in the sessions before."""
        if self._environment.has_started or self._repeats < _REPEATS_ENOUGH:
            address = abi.random_bytes_at(tid)
            if not self._environment.has_started:
                self._repeats = self._repeats + 1 if address == self._address else 1
                self._address = address
            return address
        return self._address
