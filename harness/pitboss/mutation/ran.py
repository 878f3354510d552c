"""Which statements of a reference run in a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from pitboss.assignments.authored import call
from pitboss.assignments.options import Option, accepted_by, own_keywords
from pitboss.mutation.copies import Copy, Original
from pitboss.mutation.uses import Statement

Main = Callable[..., object]


class Ran:
    """Which sessions run which statements of a reference."""

    def __init__(self, original: Original, options: Sequence[Option] = ()) -> None:
        """Nothing has run yet but what loading the modules runs; the reference has these options."""
        self._copy = Copy(original, is_probed=True)
        self.main = with_options(call("the reference", self._copy.main), options)
        self.loaded = {name: bytes(ran) for name, ran in self._copy.ran.items()}
        self.total = {name: bytearray(ran) for name, ran in self._copy.ran.items()}
        self._reset()

    def _reset(self) -> None:
        for name, ran in self._copy.ran.items():
            ran[:] = bytes(len(ran))
            self.loaded.setdefault(name, bytes(len(ran)))

    def taken(self) -> set[Statement]:
        """The statements that ran since this was last asked."""
        found = set()
        for name, ran in self._copy.ran.items():
            total = self.total.setdefault(name, bytearray(len(ran)))
            for number in _ones(ran):
                total[number] = 1
                found.add((name, number))
        self._reset()
        return found


def with_options(main: Main, options: Sequence[Option]) -> Main:
    """A program with the first value of each option."""
    keywords = accepted_by(main, own_keywords(options))
    return partial(main, **keywords) if keywords else main


def _ones(ran: bytearray) -> Iterator[int]:
    number = ran.find(1)
    while number >= 0:
        yield number
        number = ran.find(1, number + 1)
