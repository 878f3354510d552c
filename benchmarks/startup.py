"""Measures how long pitboss takes to start: `python -m benchmarks.startup [ROUNDS]`.

Measures the help of every command, other output for which no program is run, and the imports of a check; and, for
comparison, Python itself doing nothing. A person waits for the elapsed time. The processor time shows the cost even on
a busy machine, so ratios compare processor times. Each round measures all in turn: a time is the median of all rounds,
a ratio the median of the ratios of all rounds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from pitboss.cli.main import COMMANDS

ROUNDS = 11
ROOT = Path(__file__).parent.parent
BARE = "python -c pass"
#: The modules of pitboss that a check of an accepted program imports if no terminal shows its progress.
IMPORTED = ("cli.main", "cli.check", "checking.check", "reports.report")


class CommandTimes(NamedTuple):
    """The seconds that one run of a command took: elapsed time and processor time."""

    elapsed_s: float
    processor_s: float


def taken_by(argv: list[str]) -> CommandTimes:
    """Run a command, discard its output, and return the seconds that it took."""
    start = time.perf_counter()
    child = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return CommandTimes(time.perf_counter() - start, usage.ru_utime + usage.ru_stime)


def main() -> None:
    """Measure all command lines and print a table, the slowest first."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    # `chek` is misspelt on purpose: pitboss suggests `check`.
    argument_strings = ["", "--help", "--version", "chek", "assignments", *(f"{name} --help" for name in COMMANDS)]
    lines = {f"pitboss {text}".strip(): [sys.executable, "-m", "pitboss", *text.split()] for text in argument_strings}
    modules = ", ".join(f"pitboss.{name}" for name in IMPORTED)
    lines["imports of a check"] = [sys.executable, "-c", f"import {modules}"]
    lines[BARE] = [sys.executable, "-c", "pass"]
    figures: dict[str, list[CommandTimes]] = {line: [] for line in lines}
    for argv in lines.values():  # the first run, which compiles and reads files, is not measured
        taken_by(argv)
    for _ in range(rounds):
        for line, argv in lines.items():
            figures[line].append(taken_by(argv))
    print(f"{'':28}{'ms':>6}{'low':>6}{'high':>6}{'of a processor':>16}{'of python -c pass':>19}")
    for line in sorted(lines, key=lambda line: -statistics.median(taken.processor_s for taken in figures[line])):
        elapsed_ms = [1000 * taken.elapsed_s for taken in figures[line]]
        processor_ms = 1000 * statistics.median(taken.processor_s for taken in figures[line])
        pairs = zip(figures[line], figures[BARE], strict=True)
        ratio = statistics.median(taken.processor_s / bare.processor_s for taken, bare in pairs)
        print(
            f"{line:28}{statistics.median(elapsed_ms):6.0f}{min(elapsed_ms):6.0f}{max(elapsed_ms):6.0f}"
            f"{processor_ms:16.0f}{ratio:19.1f}"
        )


if __name__ == "__main__":
    main()
