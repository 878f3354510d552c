"""Provides the random bytes that programs get where they stop for them: from the kernel's call, and when they begin.

Each program begins with 16 random bytes from the kernel. Its C library makes its stack guard from these, so they may
appear in uninitialized memory.
"""

from __future__ import annotations

from pitboss.sandbox import abi
from pitboss.sandbox.abi import NR
from pitboss.sessions.determinism import SeededEnvironment

#: The calls in which programs stop for them; the second is the first that all make.
DRAWS = frozenset({NR["getrandom"], NR["arch_prctl"]})
#: The maximum number of bytes of one call; the kernel may also return fewer than were asked for.
_MOST = 4096
#: How many bytes a program begins with.
_FIRST = 16
#: After so many programs with the first bytes at one address, they are there in all programs of this launcher.
_ENOUGH = 3


class RandomBytes:
    """The random bytes of the programs of one launcher."""

    def __init__(self, environment: SeededEnvironment) -> None:
        """They follow from the number of this seeded environment."""
        self._environment = environment
        #: Where the first bytes were, and in how many programs in a row.
        self._at = self._seen = 0
        #: The arguments of these programs, which lie above the first bytes and so move them.
        self._arguments: tuple[str, ...] = ()

    def begin(self, arguments: tuple[str, ...]) -> None:
        """Begin a session, whose program has these arguments."""
        if arguments != self._arguments:
            self._arguments, self._seen = arguments, 0

    def answer(self, listener: int, call: abi.Notification) -> None:
        """Give a program its bytes, and answer it."""
        if call.number == NR["getrandom"]:
            address, size, *_ = call.arguments
            random = self._environment.drawn(min(size, _MOST))
            abi.write_memory_of(call.tid, address, random)
            abi.answer(listener, call, len(random))
            return
        try:
            abi.write_memory_of(call.tid, self._place(call.tid), self._environment.drawn(_FIRST))
        except OSError:
            pass  # it has ended
        abi.let_through(listener, call)

    def _place(self, tid: int) -> int:
        """The address of a program's first bytes; the session's own program has them where those before it had."""
        if self._environment.has_started or self._seen < _ENOUGH:
            at = abi.random_bytes_at(tid)
            if not self._environment.has_started:
                self._seen = self._seen + 1 if at == self._at else 1
                self._at = at
            return at
        return self._at
