"""Replaces the random bytes that programs get from the kernel: by getrandom(2), and when they start.

The kernel gives each program 16 random bytes at its start. The C library derives its stack guard from these bytes, so
they may appear in uninitialized memory.
"""

from __future__ import annotations

from pitboss.machine import abi
from pitboss.machine.abi import NR
from pitboss.sessions.determinism import SeededEnvironment

#: The calls at which programs are stopped, to give them random bytes. arch_prctl is the first call of every program.
DRAWS = frozenset({NR["getrandom"], NR["arch_prctl"]})
#: The maximum number of bytes returned by a call of getrandom(2): the kernel, too, may return fewer than requested.
_MAX_BYTES = 4096
#: The number of random bytes at the start of a program.
_START_BYTES = 16
#: If this many programs in a row had these bytes at the same address, we rely on that address from then on.
_MIN_REPEATS = 3


class RandomBytes:
    """The random bytes of the programs of one launcher."""

    def __init__(self, environment: SeededEnvironment) -> None:
        """Draw from this seeded environment."""
        self._environment = environment
        #: The address at which the last examined program had its random bytes.
        self._address = 0
        #: How many programs in a row had their random bytes at this address.
        self._repeats = 0
        #: The arguments of these programs. They lie above the random bytes in memory, so with other arguments the
        #: random bytes are at another address.
        self._arguments: tuple[str, ...] = ()

    def begin(self, arguments: tuple[str, ...]) -> None:
        """Begin a session, whose program has these arguments."""
        if arguments != self._arguments:
            self._arguments, self._repeats = arguments, 0

    def answer(self, listener: int, call: abi.Notification) -> None:
        """Give a stopped program its random bytes, and let it continue."""
        if call.number == NR["getrandom"]:
            address, size, *_ = call.arguments
            random_bytes = self._environment.next_random_bytes(min(size, _MAX_BYTES))
            abi.write_memory_of(call.tid, address, random_bytes)
            abi.answer(listener, call, len(random_bytes))
            return
        try:
            address = self._address_of_start_bytes(call.tid)
            abi.write_memory_of(call.tid, address, self._environment.next_random_bytes(_START_BYTES))
        except OSError:
            pass  # the program has ended
        abi.let_through(listener, call)

    def _address_of_start_bytes(self, tid: int) -> int:
        """The address of the random bytes that a program got at its start.

        The address is looked up. But for a session's first program we rely on the address from earlier sessions, once
        it was the same in `_MIN_REPEATS` sessions in a row.
        """
        if self._environment.has_started_another or self._repeats < _MIN_REPEATS:
            address = abi.address_of_random_bytes(tid)
            if not self._environment.has_started_another:
                self._repeats = self._repeats + 1 if address == self._address else 1
                self._address = address
            return address
        return self._address
