"""Making a game smaller: fewer lines, shorter lines, a smaller seed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pitboss.hunting.games import Game

#: Seeds to try instead of a larger one.
_SMALL_SEEDS = range(1, 21)
#: Short lines to try instead of longer ones.
_SHORT_LINES = (b"1", b"10")


def size_of(game: Game) -> tuple[int, int, int]:
    """The size of a game, for comparison: its lines, then the bytes to type, then the seed."""
    return len(game.lines), sum(map(len, game.lines)), abs(game.seed or 0)


def smaller_than(game: Game) -> Iterator[Game]:
    """Smaller games, those that leave out most first; some of them may not be playable."""
    lines, count = game.lines, len(game.lines)
    size = count // 2
    while size >= 1:
        for start in range(0, count - size + 1):
            yield msgspec.structs.replace(game, lines=lines[:start] + lines[start + size :])
        size //= 2
    for place, line in enumerate(lines):
        for other in _SHORT_LINES:
            if len(other) < len(line):
                yield msgspec.structs.replace(game, lines=(*lines[:place], other, *lines[place + 1 :]))
    if game.seed is not None and abs(game.seed) > _SMALL_SEEDS[-1]:
        yield from (msgspec.structs.replace(game, seed=seed) for seed in _SMALL_SEEDS)
