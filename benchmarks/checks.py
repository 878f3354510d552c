"""Compares the cost of checks by two checkouts: `python -m benchmarks.checks OTHER [ROUNDS] [NAME …]`.

OTHER is a checkout of another version. The `pitboss` of each checkout checks each example, in turn and on one core.
Times are processor seconds of all processes, so that a busy machine does not matter; a ratio is the median of the
ratios of all rounds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.environment import WITHOUT_CACHE

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ("csc101/kathleen", "ece2036/vera", "tournament/hanna", "blackjack/ada", "bjm0/otto")
ROUNDS = 5


def cpu_s() -> float:
    """Return the processor seconds of all child processes that have ended, and of their children."""
    times = os.times()
    return times.children_user + times.children_system


def checked(checkout: Path, example: str) -> tuple[float, str]:
    """Check an example; return the processor seconds and the printed text.

    Raises RuntimeError if the program is not accepted.
    """
    assignment = example.partition("/")[0]
    command = (".venv/bin/pitboss", "check", "-j", "1", "-a", f"specs/{assignment}", f"examples/{example}")
    start = cpu_s()
    process = subprocess.run(command, cwd=checkout, env=WITHOUT_CACHE, capture_output=True, text=True, check=False)
    seconds = cpu_s() - start
    if process.returncode:
        raise RuntimeError(
            f"{checkout}: {' '.join(command)}: exit code {process.returncode}\n{process.stdout}{process.stderr}"
        )
    return seconds, process.stdout


def compared(example: str, checkouts: Sequence[Path], rounds: int) -> str:
    """Return the table row of an example: processor seconds in the first and second checkout, and their ratio."""
    times: list[list[float]] = [[], []]
    for round_number in range(rounds):
        for index in (0, 1) if round_number % 2 == 0 else (1, 0):
            times[index].append(checked(checkouts[index], example)[0])
    before, after = map(statistics.median, times)
    ratio = statistics.median(late / early for early, late in zip(*times, strict=True))
    return f"{example:24}{before:9.2f} s{after:9.2f} s{ratio:8.2f}"


def main() -> None:
    """Measure the examples named on the command line, or else all, and print a table."""
    other, *arguments = sys.argv[1:]
    rounds = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else ROUNDS
    print(f"{'example':24}{'before':>11}{'after':>11}{'ratio':>8}", flush=True)
    for example in arguments or EXAMPLES:
        print(compared(example, (Path(other), ROOT), rounds), flush=True)


if __name__ == "__main__":
    main()
