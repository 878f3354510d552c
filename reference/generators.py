"""The exact `rand()` of four C libraries: the sequence that follows srand(seed).

A seed is a C int, which srand converts to unsigned.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Protocol

#: 2**32, the mask of its 32 bits, and the prime number 2**31 - 1.
_WORD, _MASK, _PRIME = 1 << 32, (1 << 32) - 1, (1 << 31) - 1


class Generator(Protocol):
    """One sequence of random numbers."""

    def rand(self) -> int:
        """The next number, from 0 to the library's RAND_MAX."""


class Glibc:
    """The additive feedback generator of glibc's random(3): r[i] = r[i-3] + r[i-31], with the lowest bit dropped.

    The first 31 words are steps of a linear congruential generator. Then 310 numbers are discarded: ten rounds of 31.
    """

    #: The factors that give the other words of the state from the first one.
    _STEPS = tuple(pow(16807, exponent, _PRIME) for exponent in range(1, 31))

    def __init__(self, seed: int) -> None:
        """Start the sequence of a seed; seed 0 gives the sequence of seed 1."""
        word = seed % _WORD or 1
        # The words are C ints: with a negative seed the congruential steps start from a negative number.
        signed = word - _WORD if word > _PRIME else word
        state = [word, *[step * signed % _PRIME for step in self._STEPS]]
        # A round adds each word to the word three places later: a running sum along every third word. Carries affect
        # only higher bits, and the sums grow by a few bits a round, so they are truncated to 32 bits only at the end.
        first, second, third = state[0::3], state[1::3], state[2::3]
        for _ in range(10):
            first, second, third = [*accumulate(first)], [*accumulate(second)], [*accumulate(third)]
            first[0] += second[-1]
            second[0] += third[-1]
            third[0] += first[-1]
        state[0::3], state[1::3], state[2::3] = first, second, third
        self._state, self._index = [word & _MASK for word in state], 3

    def rand(self) -> int:
        """The next number, from 0 to 2147483647."""
        state, index = self._state, self._index
        number = state[index] = state[index] + state[index - 3] & _MASK
        self._index = index + 1 if index < 30 else 0
        return number >> 1


class Musl:
    """musl's rand(): the upper half of a 64-bit linear congruential generator, as in its src/prng/rand.c."""

    def __init__(self, seed: int) -> None:
        """Start the sequence of a seed."""
        self._state = (seed - 1) % _WORD

    def rand(self) -> int:
        """The next number, from 0 to 2147483647."""
        self._state = (6364136223846793005 * self._state + 1) % (1 << 64)
        return self._state >> 33


class Bsd:
    """rand() of macOS and of older FreeBSD: the minimal standard generator of Park and Miller, 1988.

    FreeBSD has since moved the range by one (state = seed % 2147483646 + 1, each number one less). macOS keeps the
    earlier do_rand, and so does this class.
    """

    def __init__(self, seed: int) -> None:
        """Start the sequence of a seed; 0 is replaced by 123459876, as in do_rand of both libraries."""
        self._state = seed % _WORD

    def rand(self) -> int:
        """The next number, from 0 to 2147483647."""
        state = self._state or 123459876
        # Schrage's method with C's division, on a long that holds the unsigned seed.
        state = 16807 * (state % 127773) - 2836 * (state // 127773)
        self._state = state + _PRIME if state < 0 else state
        return self._state % (_PRIME + 1)


class Msvc:
    """rand() of Microsoft's C runtime: 15 bits of a 32-bit linear congruential generator."""

    def __init__(self, seed: int) -> None:
        """Start the sequence of a seed."""
        self._state = seed % _WORD

    def rand(self) -> int:
        """The next number, from 0 to 32767."""
        self._state = (214013 * self._state + 2531011) % _WORD
        return self._state >> 16 & 0x7FFF


#: The generators by the usual names of the libraries.
GENERATORS: dict[str, Callable[[int], Generator]] = {
    "glibc (Linux)": Glibc,
    "musl": Musl,
    "macOS and BSD": Bsd,
    "Windows (MSVC)": Msvc,
}
