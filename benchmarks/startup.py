"""How long pitboss takes until it says anything: `python -m benchmarks.startup [ROUNDS]`.

Every command's help, what else is shown without running a program, and what a check imports before it runs one, beside
Python itself doing nothing. A person waits for the elapsed time; processor time says what it costs also where the
machine has other things to do, and the ratio is that of processor times. Rounds alternate: a time is the median of all
rounds, a ratio that of the ratios of each.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from pitboss.cli.commands import COMMANDS

ROUNDS = 11
ROOT = Path(__file__).parent.parent
BARE = "python -c pass"
#: What is imported for a check of an accepted program where no terminal shows its progress.
IMPORTED = ("cli.main", "cli.checks", "cli.checking", "reports.report")


class Taken(NamedTuple):
    """What a command took, in seconds: of the clock, and of a processor."""

    elapsed_s: float
    processor_s: float


def taken_by(argv: list[str]) -> Taken:
    """What a command takes; what it says goes nowhere."""
    begun = time.perf_counter()
    child = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return Taken(time.perf_counter() - begun, used.ru_utime + used.ru_stime)


def main() -> None:
    """Measure all and print a table, the slowest first."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    asked = ["", "--help", "--version", "chek", "assignments", *(f"{name} --help" for name in COMMANDS)]
    lines = {f"pitboss {words}".strip(): [sys.executable, "-m", "pitboss", *words.split()] for words in asked}
    modules = ", ".join(f"pitboss.{name}" for name in IMPORTED)
    lines["imports of a check"] = [sys.executable, "-c", f"import {modules}"]
    lines[BARE] = [sys.executable, "-c", "pass"]
    figures: dict[str, list[Taken]] = {line: [] for line in lines}
    for argv in lines.values():  # what is compiled and read for the first time is not counted
        taken_by(argv)
    for _ in range(rounds):
        for line, argv in lines.items():
            figures[line].append(taken_by(argv))
    print(f"{'':28}{'ms':>6}{'low':>6}{'high':>6}{'of a processor':>16}{'of python -c pass':>19}")
    for line in sorted(lines, key=lambda line: -statistics.median(one.processor_s for one in figures[line])):
        elapsed = [1000 * one.elapsed_s for one in figures[line]]
        used = 1000 * statistics.median(one.processor_s for one in figures[line])
        pairs = zip(figures[line], figures[BARE], strict=True)
        ratio = statistics.median(one.processor_s / bare.processor_s for one, bare in pairs)
        print(
            f"{line:28}{statistics.median(elapsed):6.0f}{min(elapsed):6.0f}{max(elapsed):6.0f}{used:16.0f}{ratio:19.1f}"
        )


if __name__ == "__main__":
    main()
