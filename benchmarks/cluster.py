"""A class graded by a cluster of two workers on this machine: `python -m benchmarks.cluster OTHER [ROUNDS]`.

OTHER is another checkout, as of the version before. Seconds of the clock for a class of twelve small programs and for
one of four that play blackjack, by both versions in turn, and by the cores of this machine without a cluster.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.checking.cluster.clusters import PATH, Cluster

ROOT = Path(__file__).parent.parent
SMALL = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
#: The assignment, a right program of it, and how often that is handed in.
CLASSES = {
    "teller": ("tests/toy/teller", SMALL, 12),
    "blackjack": ("specs/blackjack", ROOT / "examples/blackjack/ada", 4),
}


def main() -> None:
    """Measure both versions in turn, and print a line for each class and round."""
    other, rounds = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 2
    print(f"{'':12}{'other':>10}{'this':>10}{'ratio':>10}{'no cluster':>12}")
    for name, (folder, program, count) in CLASSES.items():
        for _ in range(rounds):
            before, now = (graded_by(root, folder, program, count) for root in (other, ROOT))
            here = graded_by(ROOT, folder, program, count, is_here=True)
            print(f"{name:12}{before:8.1f} s{now:8.1f} s{now / before:10.2f}{here:10.1f} s", flush=True)


def graded_by(root: Path, assignment: str, program: Path, count: int, *, is_here: bool = False) -> float:
    """How long a class takes that hands in this program, by the pitboss of a checkout."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for number in range(count):
            shutil.copytree(program, folder / "class" / f"s{number}")
        cluster = Cluster(folder, root / "harness")
        try:
            cluster.connected(*(cluster.worker(pitboss=root / "harness", HOME=name) for _ in range(2)))
            words = ["grade", "class", "-a", str(root / assignment), "-g", "book"]
            words += [] if is_here else ["--cluster", cluster.address]
            begun = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "pitboss", *words],
                cwd=folder,
                env={**PATH, "PYTHONPATH": str(root / "harness"), "HOME": name},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            return time.perf_counter() - begun
        finally:
            cluster.close()


if __name__ == "__main__":
    main()
