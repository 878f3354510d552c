"""The `rand()` of four C libraries, exact: srand(seed), then rand() again and again.

A seed is a C int and is taken as srand takes it, as unsigned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

_WORD, _PRIME = 1 << 32, 2147483647


class Generator(Protocol):
    """One sequence of random numbers."""

    def rand(self) -> int:
        """The next number, from 0 to the library's RAND_MAX."""


class Glibc:
    """The additive feedback generator of glibc's random(3): r[i] = r[i-3] + r[i-31], its lowest bit dropped.

    The state comes from 31 steps of a linear congruential generator, and 310 numbers are thrown away.
    """

    def __init__(self, seed: int) -> None:
        """Start the sequence of a seed; 0 counts as 1."""
        word = seed % _WORD or 1
        word -= _WORD if word >= 1 << 31 else 0
        state = [word]
        for _ in range(30):
            word = 16807 * word % _PRIME
            state.append(word)
        state += state[:3]
        add = state.append
        for index in range(34, 344):
            add(state[index - 3] + state[index - 31] & 0xFFFFFFFF)
        self._state = state

    def rand(self) -> int:
        """The next number, from 0 to 2147483647."""
        state = self._state
        number = state[-3] + state[-31] & 0xFFFFFFFF
        state.append(number)
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
    """rand() of macOS and of older FreeBSD: the minimal standard generator of Park and Miller, 1988."""

    def __init__(self, seed: int) -> None:
        """Start the sequence of a seed; 0 counts as 123459876, as in do_rand of their libc."""
        self._state = seed % _WORD

    def rand(self) -> int:
        """The next number, from 0 to 2147483647."""
        state = self._state or 123459876
        # Schrage's method with C's division, of a long that holds the unsigned seed.
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


#: By the name under which people know the library.
GENERATORS: dict[str, Callable[[int], Generator]] = {
    "glibc (Linux)": Glibc,
    "musl": Musl,
    "macOS and BSD": Bsd,
    "Windows (MSVC)": Msvc,
}
