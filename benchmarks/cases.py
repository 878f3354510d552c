"""The workloads that benchmarks.run and benchmarks.rivals measure: two hundred sessions each, always the same.

A session is complete: it has exactly the answers that the program asks for, and ends when the program exits.
`python -m benchmarks.cases [WORKLOAD]` prints the sessions of a workload, one on each line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from reference.blackjack.betting import main as betting
from reference.blackjack.deal import main as deal
from reference.blackjack.play import main as play
from reference.blackjack.players import Player, hit_below_17, one_hand, stand_at_once

_FNV_START, _FNV_PRIME, _FNV_MASK = 14695981039346656037, 1099511628211, 2**64 - 1


@dataclass(frozen=True)
class Workload:
    """Two hundred sessions of one stage: seeds 101 to 200 with the first player, 201 to 300 with the second."""

    stage: str
    main: Callable[[_Console], object]
    prompts: tuple[bytes, ...]
    players: tuple[Player, Player]

    def cases(self) -> list[Case]:
        """Return the sessions, computed by the reference."""
        return [
            _record_case(self.main, seed, player)
            for start, player in zip((101, 201), self.players, strict=True)
            for seed in range(start, start + 100)
        ]


@dataclass(frozen=True)
class Case:
    """One session: the typed lines, and the program's output."""

    seed: int
    answers: tuple[str, ...]
    output: bytes
    pauses: int
    #: For each typed line, how many bytes of output the program has shown when it asks for the line.
    dues: tuple[int, ...]

    @property
    def typed(self) -> tuple[str, ...]:
        """All typed lines, the seed first."""
        return (str(self.seed), *self.answers)

    @property
    def fnv(self) -> int:
        """The 64-bit FNV-1a hash of the output."""
        value = _FNV_START
        for byte in self.output:
            value = (value ^ byte) * _FNV_PRIME & _FNV_MASK
        return value


def four_hits(shown: str, typed: tuple[str, ...]) -> str:
    """Hit four times, then stand; `typed` begins with the seed."""
    return "h" if len(typed) <= 4 else "s"


#: `deal` has the usual number of prompts and pauses of a hand of blackjack, `betting` shows less text, and `play` has
#: the shortest sessions.
WORKLOADS = {
    "deal": Workload("deal", deal, (b"Seed: ", b"[h/s] "), (four_hits, four_hits)),
    "betting": Workload(
        "betting",
        betting,
        (b"Seed: ", b"[h/s/d] ", b"[h/s] ", b"Place your bet: ", b"another hand: "),
        (stand_at_once, one_hand),
    ),
    "play": Workload("play", play, (b"Seed: ", b"[h/s] "), (stand_at_once, hit_below_17)),
}


def case_lines(cases: Iterable[Case], *, types_ahead: bool = False) -> str:
    """Return the cases as text for limit.c; `types_ahead`: type all lines at the start, not each at its prompt."""
    return "".join(
        " ".join(f"{0 if types_ahead else due}:{line}" for due, line in zip(case.dues, case.typed, strict=True)) + "\n"
        for case in cases
    )


def expected_lines(cases: Iterable[Case]) -> str:
    """Return the length and hash of each case's output as text for limit.c."""
    return "".join(f"{len(case.output)} {case.fnv:x}\n" for case in cases)


class _Console:
    """Records what the program writes, and asks the player for each line."""

    def __init__(self, seed: int, player: Player) -> None:
        self._player = player
        self.lines: list[str] = [str(seed)]
        self.shown: list[str] = []
        self.dues: list[int] = []
        self.pauses = 0
        self._has_seed = False

    def write(self, text: str) -> None:
        self.shown.append(text)

    def read_line(self) -> str | None:
        self.dues.append(sum(len(text.encode()) for text in self.shown))
        if not self._has_seed:
            self._has_seed = True
            return self.lines[0]
        line = self._player("".join(self.shown), tuple(self.lines))
        self.lines.append(str(line))
        return line

    def pause(self, seconds: float) -> None:
        self.pauses += 1


def _record_case(main: Callable[[_Console], object], seed: int, player: Player) -> Case:
    console = _Console(seed, player)
    main(console)
    output = "".join(console.shown).encode()
    return Case(seed, tuple(console.lines[1:]), output, console.pauses, tuple(console.dues))


if __name__ == "__main__":
    print(case_lines(WORKLOADS[(sys.argv[1:] or ["deal"])[0]].cases()), end="")
