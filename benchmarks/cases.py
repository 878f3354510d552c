"""The deterministic list of `play` sessions that everything here is measured with.

A session is complete: it holds every answer the program asks for and none more, so that
the program ends by itself. `python -m benchmarks.cases` prints the list, one case a line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reference.blackjack.play import main as play
from reference.blackjack.players import Player, hit_below_17, stand_at_once

COUNT = 200
_FNV_START, _FNV_PRIME, _FNV_MASK = 14695981039346656037, 1099511628211, 2**64 - 1


@dataclass(frozen=True)
class Case:
    """One session: what is typed, and what the program writes."""

    seed: int
    answers: tuple[str, ...]
    output: bytes
    pauses: int

    @property
    def typed(self) -> tuple[str, ...]:
        """All lines typed, the seed first."""
        return (str(self.seed), *self.answers)

    @property
    def fnv(self) -> int:
        """The 64-bit FNV-1a hash of the output."""
        value = _FNV_START
        for byte in self.output:
            value = (value ^ byte) * _FNV_PRIME & _FNV_MASK
        return value


def bench_cases(count: int = COUNT) -> list[Case]:
    """The first so many generated cases of the play spec: of one who stands, then of one who hits below 17."""
    return [_case(seed, stand_at_once if seed <= 200 else hit_below_17) for seed in range(101, 101 + count)]


def case_lines(cases: Iterable[Case]) -> str:
    """The cases as limit.c reads them."""
    return "".join(" ".join(case.typed) + "\n" for case in cases)


def expected_lines(cases: Iterable[Case]) -> str:
    """The length and hash of each output, as limit.c reads them."""
    return "".join(f"{len(case.output)} {case.fnv:x}\n" for case in cases)


class _Console:
    """Notes what the program writes and lets the player type."""

    def __init__(self, seed: int, player: Player) -> None:
        self._player = player
        self.lines: list[str] = [str(seed)]
        self.shown: list[str] = []
        self.pauses = 0
        self._has_seed = False

    def write(self, text: str) -> None:
        self.shown.append(text)

    def read_line(self) -> str | None:
        if not self._has_seed:
            self._has_seed = True
            return self.lines[0]
        line = self._player("".join(self.shown), tuple(self.lines))
        self.lines.append(str(line))
        return line

    def pause(self, seconds: float) -> None:
        self.pauses += 1


def _case(seed: int, player: Player) -> Case:
    console = _Console(seed, player)
    play(console)
    return Case(seed, tuple(console.lines[1:]), "".join(console.shown).encode(), console.pauses)


if __name__ == "__main__":
    print(case_lines(bench_cases()), end="")
