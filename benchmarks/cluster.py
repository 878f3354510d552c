"""Measures how a cluster of two workers on this machine grades a class: `python -m benchmarks.cluster OTHER [ROUNDS]`.

OTHER is a checkout of another version. Prints the elapsed seconds for a class of twelve small programs and for a class
of four programs that play blackjack: by the cluster with each version in turn, and by this version without a cluster.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.checking.cluster.clusters import CLUSTER_ENVIRONMENT, Cluster

ROOT = Path(__file__).parent.parent
SMALL = ROOT / "tests" / "submissions" / "ACCEPTED" / "plain"
#: For each class: the assignment, a right program, and how many students hand in this program.
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
            other_s, this_s = (graded_by(root, folder, program, count) for root in (other, ROOT))
            local_s = graded_by(ROOT, folder, program, count, is_here=True)
            print(f"{name:12}{other_s:8.1f} s{this_s:8.1f} s{this_s / other_s:10.2f}{local_s:10.1f} s", flush=True)


def graded_by(root: Path, assignment: str, program: Path, count: int, *, is_here: bool = False) -> float:
    """Grade a class of `count` copies of a program with the pitboss of a checkout; return the elapsed seconds.

    `is_here`: grade without the cluster.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for number in range(count):
            shutil.copytree(program, folder / "class" / f"s{number}")
        cluster = Cluster(folder, root / "harness")
        try:
            cluster.wait_for_connection(*(cluster.start_worker(pitboss=root / "harness", HOME=name) for _ in range(2)))
            arguments = ["grade", "class", "-a", str(root / assignment), "-g", "book"]
            arguments += [] if is_here else ["--cluster", cluster.address]
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "pitboss", *arguments],
                cwd=folder,
                env={**CLUSTER_ENVIRONMENT, "PYTHONPATH": str(root / "harness"), "HOME": name},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            return time.perf_counter() - start
        finally:
            cluster.close()


if __name__ == "__main__":
    main()
