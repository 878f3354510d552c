"""The same verdict every time: `python -m benchmarks.repeats [--count 50] [--conditions] [PROGRAM]...`.

Right programs of all assignments and languages are checked COUNT times each, every time by a new pitboss, under the
sandbox and driver that pitboss chooses; with --conditions under each sandbox and driver. All reports under the same
conditions must be equal to the byte (what is shown, the JSON and the page), and the verdicts under all of them. It
prints one line for each program and conditions, and fails where two reports or verdicts differ.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.environment import WITHOUT_KEPT

ROOT = Path(__file__).resolve().parent.parent
DICE, PIGS = "tests/toy/dice", "tests/grading/pigs"


class Program(NamedTuple):
    """A right program, or those of a submission, and its assignment."""

    assignment: str
    folder: str


PROGRAMS = {
    "csc101 C": Program("csc101", "examples/csc101/kathleen"),
    "ece2036 C++": Program("ece2036", "examples/ece2036/vera"),
    "tournament C#": Program("tournament", "examples/tournament/hanna"),
    "blackjack C": Program("blackjack", "examples/blackjack/ada"),
    "blackjack Python": Program("blackjack", "examples/blackjack/margaret"),
    "bjm0 C": Program("bjm0", "examples/bjm0/otto"),
    "dice C": Program(DICE, f"{PIGS}/c"),
    "dice C++": Program(DICE, f"{PIGS}/cpp"),
    "dice C#": Program(DICE, f"{PIGS}/csharp"),
    "dice Java": Program(DICE, f"{PIGS}/java"),
    "dice Python": Program(DICE, f"{PIGS}/python"),
}
CHOSEN = ("auto", "auto")
CONDITIONS = tuple(
    (driver, sandbox) for driver in ("watched", "expecting") for sandbox in ("none", "landlock", "bubblewrap")
)


class Told(NamedTuple):
    """What one check told."""

    #: A hash of all that it wrote.
    digest: str
    #: The verdict on each stage.
    verdicts: tuple[tuple[str, str], ...]


def told(program: Program, conditions: tuple[str, str]) -> Told:
    """Check a program once, by a pitboss of its own."""
    driver, sandbox = conditions
    with tempfile.TemporaryDirectory() as folder:
        report, page = Path(folder, "report.json"), Path(folder, "page.html")
        files = ["--json", str(report), "--html", str(page)]
        command = [sys.executable, "-m", "pitboss", "check", program.folder, "--assignment", program.assignment]
        command += ["--driver", driver, "--sandbox", sandbox, *files]
        done = subprocess.run(command, cwd=ROOT, env=WITHOUT_KEPT, capture_output=True, check=False)
        if not report.exists():
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
        written = (done.stdout, done.stderr, report.read_bytes(), page.read_bytes())
        digest = hashlib.sha256(b"\0".join(written)).hexdigest()
        stages = json.loads(report.read_text(encoding="utf-8"))["stages"]
    return Told(digest, tuple((stage["stage"], stage["verdict"]) for stage in stages))


def repeated(program: Program, conditions: tuple[str, str], count: int) -> list[Told]:
    """Check a program so many times under the same conditions."""
    return [told(program, conditions) for _ in range(count)]


def main() -> int:
    """Check the programs and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--conditions", action="store_true")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"one of: {', '.join(PROGRAMS)}")
    given = parser.parse_args()
    is_wrong = False
    for name in given.programs or PROGRAMS:
        verdicts = set()
        for conditions in CONDITIONS if given.conditions else (CHOSEN,):
            began = time.monotonic()
            found = repeated(PROGRAMS[name], conditions, given.count)
            digests, here = {one.digest for one in found}, {one.verdicts for one in found}
            verdicts |= here
            counts = f"{len(found)} runs, {len(digests)} reports, {len(here)} verdicts"
            words = ", ".join(f"{stage} {verdict}" for stage, verdict in found[0].verdicts)
            print(
                f"{name:18}{' '.join(conditions):22}{counts:36}{time.monotonic() - began:7.0f} s  {words}", flush=True
            )
            is_wrong |= len(digests) > 1
        is_wrong |= len(verdicts) > 1
        if len(verdicts) > 1:
            print(f"{name}: the verdicts differ: {verdicts}")
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
