"""Tests of the tests: which mechanical changes of our own code they do not see.

    python -m tests.tested map [TEST …]             notes which tests run which lines, once: takes as long as they do
    python -m tests.tested run COUNT [--seed N] [--of WORD …]
                                                    draws mutants of files with these words in their paths, and tries them

Survivors that nobody can see are listed in unseen.yaml with the reason.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.tested.drawing import Mutant, drawn
from tests.tested.lines import MAP, Lines, make
from tests.tested.trying import Copy, End, copied
from tests.tested.unseen import is_unseen

#: Of the tests that run a line, so many seconds' worth are run at most, the quickest first.
_MAX_S = 20.0


def main(arguments: list[str]) -> int:
    """Do what is asked for; the exit code is 1 if a mutant survived that is not listed."""
    parser = argparse.ArgumentParser(prog="python -m tests.tested", description=__doc__)
    parser.add_argument("--map", type=Path, default=MAP, help="the file of the map")
    commands = parser.add_subparsers(dest="command", required=True)
    mapping = commands.add_parser("map")
    mapping.add_argument("tests", nargs="*")
    running = commands.add_parser("run")
    running.add_argument("count", type=int)
    running.add_argument("--seed", type=int, default=1)
    running.add_argument("--of", nargs="*", default=[])
    asked = parser.parse_args(arguments)
    if asked.command == "map":
        return make(asked.map, asked.tests)
    return run(Lines(asked.map), asked.count, asked.seed, asked.of)


def run(lines: Lines, count: int, seed: int, words: list[str]) -> int:
    """Draw mutants, try each, and say which survived; see `main`."""
    files = [file for file in lines.files() if not words or any(word in file for word in words)]
    mutants = drawn(files, count, seed, is_wanted=lambda file, found: bool(lines.tests_of(file, found)))
    counts: Counter[str] = Counter()
    with copied() as copy:
        for mutant in mutants:
            end = "listed as unseen" if is_unseen(mutant.file, mutant.words) else tried(copy, lines, mutant).value
            counts[end] += 1
            print(f"{end:10} {mutant.id}", flush=True)
    print(", ".join(f"{number} {end}" for end, number in counts.items()))
    return 1 if counts[End.SURVIVED.value] else 0


def tried(copy: Copy, lines: Lines, mutant: Mutant) -> End:
    """What becomes of a mutant in the tests that run its line."""
    tests: list[str] = []
    for test in lines.tests_of(mutant.file, mutant.lines):
        tests.append(test)
        if lines.seconds(tests) > _MAX_S:
            break
    return copy.tried(mutant, tests, lines.seconds(tests))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
