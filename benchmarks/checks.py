"""The cost of a whole check compared with another checkout: `python -m benchmarks.checks OTHER [ROUNDS] [NAME …]`.

Each example is checked by the `pitboss` of both checkouts, in turn and on one core each. Seconds are those of
computing, of all processes, so that a busy machine does not matter; a ratio is the median of the ratios of all rounds.
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
    """Seconds of computing of all children that have ended, and of theirs."""
    times = os.times()
    return times.children_user + times.children_system


def checked(checkout: Path, example: str) -> tuple[float, str]:
    """Seconds of computing of one check, and what it printed; RuntimeError if the program is not accepted."""
    assignment = example.partition("/")[0]
    command = (".venv/bin/pitboss", "check", "-j", "1", "-a", f"specs/{assignment}", f"examples/{example}")
    start = cpu_s()
    done = subprocess.run(command, cwd=checkout, env=WITHOUT_CACHE, capture_output=True, text=True, check=False)
    seconds = cpu_s() - start
    if done.returncode:
        raise RuntimeError(f"{checkout}: {' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return seconds, done.stdout


def compared(example: str, checkouts: Sequence[Path], rounds: int) -> str:
    """A line on one example: the seconds before and after, and their ratio."""
    times: list[list[float]] = [[], []]
    for number in range(rounds):
        for index in (0, 1) if number % 2 == 0 else (1, 0):
            times[index].append(checked(checkouts[index], example)[0])
    before, after = map(statistics.median, times)
    ratio = statistics.median(late / early for early, late in zip(*times, strict=True))
    return f"{example:24}{before:9.2f} s{after:9.2f} s{ratio:8.2f}"


def main() -> None:
    """Measure all examples, or those that are named, and print a table."""
    other, *more = sys.argv[1:]
    rounds = int(more.pop(0)) if more and more[0].isdigit() else ROUNDS
    print(f"{'example':24}{'before':>11}{'after':>11}{'ratio':>8}", flush=True)
    for example in more or EXAMPLES:
        print(compared(example, (Path(other), ROOT), rounds), flush=True)


if __name__ == "__main__":
    main()
