"""What a memory of the reference saves where a draw was never shown: `python -m benchmarks.unshown`.

A program counts two for each guess and never says which number it drew, so every number is tried in each session. The
reference is a command. Both ways go through the same sessions, one after the other; the starts of the command are
exact, the seconds are this machine's.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pitboss.assignments.specfile import load_assignment
from pitboss.model.comparison_policy import EXACT
from pitboss.model.scripts import typing
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.unseeded.replay import GivenDraws, replay
from pitboss.unseeded.replay_memory import Memory

MOST, SESSIONS = 50, 10
GAME = """#!/usr/bin/env python3
import os, random
drawn = os.environ.get("PITBOSS_DRAWS")
number, count = int(drawn.split()[0]) if drawn else random.randint(1, {most}), 0
while True:
    try:
        guess = int(input("Guess: "))
    except EOFError:
        print("Bye.")
        break
    count += 1
    if guess == number:
        print("Right:", count)
        break
    print("Too low." if guess < number else "Too high.")
"""
ASSIGNMENT = """title: Guess
seeded: no
draws: {{values: 1..{most}}}
stages: [{{name: guess, reference: {{command: [./right.py]}}, reader: reading:nothing}}]
"""
READER = """from types import SimpleNamespace
def nothing(conversation):
    return SimpleNamespace(draws=(None,), problem=None)
"""


def written(folder: Path) -> Path:
    """The assignment in a folder."""
    (folder / "right.py").write_text(GAME.format(most=MOST))
    (folder / "right.py").chmod(0o755)
    (folder / "assignment.yaml").write_text(ASSIGNMENT.format(most=MOST))
    (folder / "reading.py").write_text(READER)
    return folder


def halving(number: int) -> Iterator[bytes]:
    """The guesses that halve what is left until the number is found."""
    low, high = 1, MOST
    while low <= high:
        guess = (low + high) // 2
        yield b"%d" % guess
        if guess == number:
            return
        low, high = (guess + 1, high) if guess < number else (low, guess - 1)


def main() -> None:
    """Print a row for each way."""
    with tempfile.TemporaryDirectory() as name:
        folder = written(Path(name))
        folder.chmod(0o755)
        (stage,) = load_assignment(folder, may_lack_cases=True).stages
        run, sessions = expected_run_here(stage), list[Transcript]()
        for number in range(1, MOST + 1, MOST // SESSIONS):
            right = run(typing(halving(number)), GivenDraws((str(number),), stage.draws))
            count = len(right.lines)
            last = right.events[-1]
            wrong = type(last)(b"Right: %d\n" % (2 * count))  # type: ignore[call-arg]
            sessions.append(Transcript((*right.events[:-1], wrong)))
        print(f"{MOST} values, {len(sessions)} sessions     starts of the reference   seconds")
        for title, memory in (("without a memory", None), ("with one", Memory())):
            starts = 0

            def counted(*given: object, **named: object) -> Transcript:
                nonlocal starts
                starts += 1
                return run(*given, **named)  # type: ignore[arg-type]

            start = time.perf_counter()
            for actual in sessions:
                replay(actual, (None,), stage, EXACT, counted, memory=memory)
            print(f"{title:<28}{starts:>24,}{time.perf_counter() - start:>10.1f}")


if __name__ == "__main__":
    main()
