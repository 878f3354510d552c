"""The same verdict every time: `python -m benchmarks.repeats [--count 50] [--conditions | --luck] [PROGRAM]...`.

Right programs of all assignments and languages are checked COUNT times each, every time by a new pitboss, under the
sandbox and driver that pitboss chooses; with --conditions under each sandbox and driver. All reports under the same
conditions must be equal to the byte (what is shown, the JSON and the page), and the verdicts under all of them. It
prints one line for each program and conditions, and fails where two reports or verdicts differ.

Sessions always have the same clocks, process numbers and random bytes, so a right program that draws its own numbers is
tried with one luck only. With --luck the right programs under tests/submissions of each assignment without a seed are
checked COUNT times in all for each assignment, every time with a luck of its own; each must be accepted.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.environment import WITHOUT_CACHE
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.verdicts import Verdict
from pitboss.sessions import determinism
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.labelled import expected_of, labelled

ROOT = Path(__file__).resolve().parent.parent
DICE, PIGS = "tests/toy/dice", "tests/checking/pigs"


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
        done = subprocess.run(command, cwd=ROOT, env=WITHOUT_CACHE, capture_output=True, check=False)
        if not report.exists():
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
        written = (done.stdout, done.stderr, report.read_bytes(), page.read_bytes())
        digest = hashlib.sha256(b"\0".join(written)).hexdigest()
        stages = json.loads(report.read_text(encoding="utf-8"))["stages"]
    return Told(digest, tuple((stage["stage"], stage["verdict"]) for stage in stages))


def repeated(program: Program, conditions: tuple[str, str], count: int) -> list[Told]:
    """Check a program so many times under the same conditions."""
    return [told(program, conditions) for _ in range(count)]


#: After how many checks it prints how many were accepted.
_COUNTED_EACH = 100
#: The assignments whose programs draw their own cards.
UNSEEDED = ("csc101", "ece2036", "tournament")


@contextmanager
def luck(number: int) -> Iterator[None]:
    """Other clocks, process numbers and random bytes in each session than always."""
    always = determinism._bytes_of
    determinism._bytes_of = lambda session, what, size: hashlib.shake_128(
        f"{number}: {session} {what}".encode()
    ).digest(size)
    determinism.coarse_seeds_in.cache_clear()
    try:
        yield
    finally:
        determinism._bytes_of = always
        determinism.coarse_seeds_in.cache_clear()


def rejected_by_luck(name: str, count: int, first: int) -> int:
    """How many of so many checks of right programs were not accepted, each with a luck of its own."""
    assignment, conditions = load_assignment(ROOT / "specs" / name), find_conditions("auto", "auto")
    right = [
        (folder, stage)
        for folder in (one.values[0] for one in labelled(ROOT / "tests" / "submissions" / name, 2))
        if (expected := expected_of(folder))["verdict"] == Verdict.ACCEPTED.value
        if (stage := assignment.stage(expected["stage"])) is not None
    ]
    began, wrong = time.monotonic(), 0
    for number, (folder, stage) in zip(range(first, first + count), itertools.cycle(right), strict=False):
        with luck(number):
            (report,) = check(Job(assignment, (stage,), conditions, name), folder).stages
        if report.verdict is not Verdict.ACCEPTED:
            wrong += 1
            print(f"{name}: luck {number}: {folder.name} {stage.name}: {report.verdict.value}", flush=True)
        if (done := number - first + 1) % _COUNTED_EACH == 0 and done < count:
            print(f"{name:18}accepted {done - wrong:,} times of {done:,} so far", flush=True)
    taken = f"{time.monotonic() - began:7.0f} s"
    print(f"{name:18}{len(right)} programs, accepted {count - wrong:,} times of {count:,} {taken}", flush=True)
    return wrong


def main() -> int:
    """Check the programs and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--conditions", action="store_true")
    parser.add_argument("--luck", action="store_true")
    parser.add_argument("--first", type=int, default=0, help="the number of the first luck")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"one of: {', '.join(PROGRAMS)}")
    given = parser.parse_args()
    if given.luck:
        os.environ.update(WITHOUT_CACHE)
        return int(sum(rejected_by_luck(name, given.count, given.first) for name in given.programs or UNSEEDED) > 0)
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
