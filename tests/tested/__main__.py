"""Tests of the tests: which mechanical changes of our own code they do not see.

    python -m tests.tested map [TEST …]             runs the tests once, and notes which of them run which lines
    python -m tests.tested run COUNT [--seed N] [--of WORD …]
                                                    draws mutants of files with these words in their paths, and runs
                                                    on each mutant the tests of its lines

Mutants whose effect no test can see are listed in unseen.yaml with the reason.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.tested.drawing import Mutant, draw_mutants
from tests.tested.lines import MAP, Lines, write_map
from tests.tested.trying import Copy, Outcome, copy_tree
from tests.tested.unseen import is_unseen

#: No further test is run on a mutant once its tests take more than this time together, without the mutant.
_MAX_S = 20.0


def main(arguments: list[str]) -> int:
    """Run the subcommand; the exit code is 1 if a mutant survived that unseen.yaml does not list."""
    parser = argparse.ArgumentParser(prog="python -m tests.tested", description=__doc__)
    parser.add_argument("--map", type=Path, default=MAP, help="the file of the map")
    commands = parser.add_subparsers(dest="command", required=True)
    mapping = commands.add_parser("map")
    mapping.add_argument("tests", nargs="*")
    running = commands.add_parser("run")
    running.add_argument("count", type=int)
    running.add_argument("--seed", type=int, default=1)
    running.add_argument("--of", nargs="*", default=[])
    options = parser.parse_args(arguments)
    if options.command == "map":
        return write_map(options.map, options.tests)
    return run(Lines(options.map), options.count, options.seed, options.of)


def run(lines: Lines, count: int, seed: int, words: list[str]) -> int:
    """Draw mutants of files with one of these words in their paths; test each and print its outcome.

    The exit code is as in `main`.
    """
    files = [file for file in lines.files() if not words or any(word in file for word in words)]
    mutants = draw_mutants(
        files, count, seed, is_wanted=lambda file, statement_lines: bool(lines.tests_of(file, statement_lines))
    )
    counts: Counter[str] = Counter()
    with copy_tree() as copy:
        for mutant in mutants:
            is_listed = is_unseen(mutant.file, mutant.change)
            outcome = "listed as unseen" if is_listed else tried(copy, lines, mutant).value
            counts[outcome] += 1
            print(f"{outcome:10} {mutant.id}", flush=True)
    print(", ".join(f"{number} {outcome}" for outcome, number in counts.items()))
    return 1 if counts[Outcome.SURVIVED.value] else 0


def tried(copy: Copy, lines: Lines, mutant: Mutant) -> Outcome:
    """The outcome of a mutant in the tests that run its lines: the quickest of them, up to `_MAX_S`."""
    tests: list[str] = []
    for test in lines.tests_of(mutant.file, mutant.lines):
        tests.append(test)
        if lines.seconds(tests) > _MAX_S:
            break
    return copy.outcome_of(mutant, tests, lines.seconds(tests))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
