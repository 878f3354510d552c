"""Hunting: thousands of games beyond the specs, and the smallest that fails.

Games are made of what is known to be typed: at each question the lines that the stage's cases type there. Short
games come first, all of them for many seeds, so the first that fails has the fewest lines; longer ones follow.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, product

import msgspec

from harness.assignment import Answers, Case, Generated, Recorded, Stage
from harness.cases import Session, all_sessions_of, expectation_of
from harness.drivers import performance_here
from harness.players import typist_of
from harness.references import Performance
from harness.results import Result
from harness.sessions import typing
from harness.transcript import Event, InputEnded, Shown, Transcript, Typed
from harness.verdicts import Verdict

#: So many sessions of a spec tell what is typed at which question.
_SAMPLE = 120
#: Seeds tried with every short game, and the longest of these in lines after the seed.
_SEEDS, _SHORT = 220, 2
#: Longer games that are tried with seeds and lines at random.
_LONG = 1500


class Game(msgspec.Struct, frozen=True):
    """A session to try: its seed, and what is typed after it."""

    seed: int | None
    lines: tuple[bytes, ...]


def vocabulary_of(stage: Stage) -> dict[bytes, tuple[bytes, ...]]:
    """What is typed at each question of a stage, the last line of the screen, by its cases."""
    perform = performance_here(stage)
    found: dict[bytes, dict[bytes, None]] = {}
    for session in islice(_spread(stage), _SAMPLE):
        match session.case.session:
            case Recorded(events):
                told: Sequence[Event] = events
            case Generated() as generated if stage.reader:
                told = perform(typist_of(generated, None, session.case.place)).events
            case _:
                told = expectation_of(session, perform).events
        for before, event in pairwise(told):
            if isinstance(before, Shown) and isinstance(event, Typed):
                found.setdefault(before.text.rpartition(b"\n")[2], {})[event.line] = None
    return {question: tuple(lines) for question, lines in found.items()}


def _spread(stage: Stage) -> Iterator[Session]:
    """A few sessions of each case."""
    count: dict[str, int] = {}
    for session in all_sessions_of(stage):
        count[session.case.name] = count.get(session.case.name, 0) + 1
        if count[session.case.name] <= 6:
            yield session


def games_of(stage: Stage) -> Iterator[Game]:
    """Games to try, the shortest first."""
    perform, vocabulary = performance_here(stage), vocabulary_of(stage)
    seeded = stage.is_seeded
    seeds: Sequence[int | None] = range(_SEEDS) if seeded else [None] * 40
    words = tuple(dict.fromkeys(line for question, lines in vocabulary.items() for line in lines[:4]
                                if not (seeded and question.startswith(b"Seed"))))  # fmt: skip
    seen: set[Game] = set()
    for length in range(_SHORT + 1):
        for lines in islice(product(words, repeat=length), 40):
            for seed in seeds:
                game = Game(seed, lines)
                if stage.reader or _is_whole(perform(typing(_typed(game))), game):
                    seen.add(game)
                    yield game
    chance = random.Random(1)
    for number in range(_LONG):
        lines = _played(vocabulary, perform, number if seeded else None, chance)
        yield Game(number if seeded else None, lines)


def _is_whole(told: Transcript, game: Game) -> bool:
    """Whether a game comes to its end with just these lines."""
    return len(told.lines) == len(_typed(game)) and not any(isinstance(event, InputEnded) for event in told.events)


def _typed(game: Game) -> tuple[bytes, ...]:
    return (() if game.seed is None else (str(game.seed).encode(),)) + game.lines


def _played(
    vocabulary: dict[bytes, tuple[bytes, ...]], perform: Performance, seed: int | None, chance: random.Random
) -> tuple[bytes, ...]:
    """The lines of somebody who answers each question with something that is typed there."""
    lines: list[bytes] = []

    def typist(events: Sequence[Event]) -> bytes | None:
        if seed is not None and not any(isinstance(event, Typed) for event in events):
            return str(seed).encode()
        last = events[-1] if events else None
        question = last.text.rpartition(b"\n")[2] if isinstance(last, Shown) else b""
        if question not in vocabulary or len(lines) >= 60:
            return None
        lines.append(chance.choice(vocabulary[question]))
        return lines[-1]

    perform(typist)
    return tuple(lines)


def session_of(stage: Stage, game: Game) -> Session:
    """A game as a session of the stage."""
    generated = Generated((game.seed,), Answers(game.lines))
    case = Case("hunted", generated, stage.policy, place=str(stage.spec.path))
    return Session(stage, case, game.seed)


def smallest(results: Sequence[Result]) -> Result | None:
    """Of results that are not accepted the one with the fewest typed lines, and then the shortest."""
    failed = [one for one in results if one.verdict not in (Verdict.ACCEPTED, Verdict.SKIPPED, Verdict.JUDGE_ERROR)]
    return min(failed, key=lambda one: (len(one.actual.lines), len(one.expected.text)), default=None)
