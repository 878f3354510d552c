"""Compares the cost of checking wrong programs with that of right ones: `python -m benchmarks.wrong [ASSIGNMENT]...`.

Each wrong submission in tests/submissions/ASSIGNMENT is checked with the stage that its expect.yaml names. Just before,
the right example is checked with the same stage. Each check is a new pitboss process on one core; times are processor
seconds of all its processes. Prints the ratios above 1, the median ratio, and the ratio of the sums.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import yaml

from benchmarks.checks import cpu_s
from benchmarks.environment import WITHOUT_CACHE

ROOT = Path(__file__).resolve().parent.parent
RIGHT = {
    "blackjack": "ada",
    "bjm0": "otto",
    "csc101": "kathleen",
    "ece2036": "vera",
    "tournament": "hanna",
}


class Compared(NamedTuple):
    """The processor seconds to check a wrong submission, and to check the right example just before."""

    name: str
    verdict: str
    seconds: float
    right_s: float

    @property
    def ratio(self) -> float:
        """How many times as long as the right example the submission took."""
        return self.seconds / self.right_s


def seconds(assignment: str, stage: str, folder: Path) -> float:
    """Check one stage of the submission in a folder; return the processor seconds."""
    command = (".venv/bin/pitboss", "check", "-j", "1", "-a", assignment, str(folder), stage, "--all")
    before = cpu_s()
    subprocess.run(command, cwd=ROOT, env=WITHOUT_CACHE, capture_output=True, check=False)
    return cpu_s() - before


def compared(assignment: str) -> list[Compared]:
    """Check all wrong submissions of an assignment, and the right example before each of them."""
    comparisons = []
    for path in sorted((ROOT / "tests" / "submissions" / assignment).glob("*/*/expect.yaml")):
        expected = yaml.safe_load(path.read_text(encoding="utf-8"))
        if expected["verdict"] == "ACCEPTED":
            continue
        right_s = seconds(assignment, expected["stage"], ROOT / "examples" / assignment / RIGHT[assignment])
        wrong_s = seconds(assignment, expected["stage"], path.parent)
        comparisons.append(
            Compared(
                str(path.parent.relative_to(ROOT / "tests" / "submissions")), expected["verdict"], wrong_s, right_s
            )
        )
    return comparisons


def main() -> None:
    """Measure the assignments named on the command line, or else all, and print the ratios."""
    comparisons = [pair for assignment in sys.argv[1:] or RIGHT for pair in compared(assignment)]
    for pair in sorted(comparisons, key=lambda pair: -pair.ratio):
        if pair.ratio > 1:
            print(f"{pair.name:70}{pair.verdict:24}{pair.seconds:7.2f} s{pair.right_s:7.2f} s{pair.ratio:7.2f}")
    ratios = [pair.ratio for pair in comparisons]
    all_s, right_s = (sum(getattr(pair, name) for pair in comparisons) for name in ("seconds", "right_s"))
    print(f"{len(comparisons)} submissions, {sum(ratio > 1 for ratio in ratios)} of them above 1")
    print(f"middle {statistics.median(ratios):.2f}, all seconds {all_s / right_s:.2f}")


if __name__ == "__main__":
    main()
