"""Measures what a cache of the reference's runs saves if a draw was never shown: `python -m benchmarks.unshown`.

A wrong program counts each guess twice and never shows which number it drew, so every number is tried in each session.
The reference is a command. The same sessions are replayed without a cache and with one. How often the command is
started is the same on every machine; the seconds are not.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pitboss.assignments.specfile import load_assignment
from pitboss.model.comparison_policy import EXACT
from pitboss.model.invocation import script_of_lines
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.unseeded.replay import GivenDraws, Memory, replay

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


def write_assignment(folder: Path) -> Path:
    """Write the assignment into a folder, and return the folder."""
    (folder / "right.py").write_text(GAME.format(most=MOST))
    (folder / "right.py").chmod(0o755)
    (folder / "assignment.yaml").write_text(ASSIGNMENT.format(most=MOST))
    (folder / "reading.py").write_text(READER)
    return folder


def halving(number: int) -> Iterator[bytes]:
    """Yield the guesses of a binary search for the number."""
    low, high = 1, MOST
    while low <= high:
        guess = (low + high) // 2
        yield b"%d" % guess
        if guess == number:
            return
        low, high = (guess + 1, high) if guess < number else (low, guess - 1)


def main() -> None:
    """Replay the sessions without a cache and with one, and print a row for each."""
    with tempfile.TemporaryDirectory() as name:
        folder = write_assignment(Path(name))
        folder.chmod(0o755)
        (stage,) = load_assignment(folder, may_lack_cases=True).stages
        run, sessions = expected_run_here(stage), list[Transcript]()
        for number in range(1, MOST + 1, MOST // SESSIONS):
            right_transcript = run(script_of_lines(halving(number)), GivenDraws((str(number),), stage.draws))
            guess_count = len(right_transcript.lines)
            last_output = right_transcript.events[-1]
            wrong_output = type(last_output)(b"Right: %d\n" % (2 * guess_count))  # type: ignore[call-arg]
            sessions.append(Transcript((*right_transcript.events[:-1], wrong_output)))
        print(f"{MOST} values, {len(sessions)} sessions     starts of the reference   seconds")
        for title, memory in (("without a memory", None), ("with one", Memory())):
            start_count = 0

            def counting_run(*arguments: object, **keywords: object) -> Transcript:
                nonlocal start_count
                start_count += 1
                return run(*arguments, **keywords)  # type: ignore[arg-type]

            start_time = time.perf_counter()
            for actual in sessions:
                replay(actual, (None,), stage, EXACT, counting_run, memory=memory)
            print(f"{title:<28}{start_count:>24,}{time.perf_counter() - start_time:>10.1f}")


if __name__ == "__main__":
    main()
