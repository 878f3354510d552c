"""The cost of wrong programs compared with right ones: `python -m benchmarks.wrong [ASSIGNMENT]...`.

Each submission of tests/submissions/ASSIGNMENT/*/ is checked in the stage that it is about, and so is the example that
is right, just before it, on one core and by a pitboss of its own. Seconds are those of computing, of all processes. It
prints the ratios that are above 1, the middle one, and that of all seconds.
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
    """The seconds that a submission took, and those of the right one before it."""

    name: str
    verdict: str
    seconds: float
    right_s: float

    @property
    def ratio(self) -> float:
        """How much more it took."""
        return self.seconds / self.right_s


def seconds(assignment: str, stage: str, folder: Path) -> float:
    """Seconds of computing of one check."""
    command = (".venv/bin/pitboss", "check", "-j", "1", "-a", assignment, str(folder), stage, "--all")
    before = cpu_s()
    subprocess.run(command, cwd=ROOT, env=WITHOUT_CACHE, capture_output=True, check=False)
    return cpu_s() - before


def compared(assignment: str) -> list[Compared]:
    """All submissions of an assignment that are wrong."""
    found = []
    for path in sorted((ROOT / "tests" / "submissions" / assignment).glob("*/*/expect.yaml")):
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
        if told["verdict"] == "ACCEPTED":
            continue
        right = seconds(assignment, told["stage"], ROOT / "examples" / assignment / RIGHT[assignment])
        wrong = seconds(assignment, told["stage"], path.parent)
        found.append(
            Compared(str(path.parent.relative_to(ROOT / "tests" / "submissions")), told["verdict"], wrong, right)
        )
    return found


def main() -> None:
    """Measure all, or the assignments that are named, and print what takes longer."""
    found = [one for assignment in sys.argv[1:] or RIGHT for one in compared(assignment)]
    for one in sorted(found, key=lambda one: -one.ratio):
        if one.ratio > 1:
            print(f"{one.name:70}{one.verdict:24}{one.seconds:7.2f} s{one.right_s:7.2f} s{one.ratio:7.2f}")
    ratios = [one.ratio for one in found]
    all_s, right_s = (sum(getattr(one, name) for one in found) for name in ("seconds", "right_s"))
    print(f"{len(found)} submissions, {sum(ratio > 1 for ratio in ratios)} of them above 1")
    print(f"middle {statistics.median(ratios):.2f}, all seconds {all_s / right_s:.2f}")


if __name__ == "__main__":
    main()
