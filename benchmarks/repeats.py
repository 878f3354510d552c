"""Tests that checks are repeatable: `python -m benchmarks.repeats [--count 50] [--conditions | --luck] [PROGRAM]...`.

Right programs of several assignments and languages are checked COUNT times each, every time by a new pitboss process,
with the driver and sandbox that pitboss chooses, or with --conditions with each driver and sandbox. All reports on a
program (text, JSON and page) must be equal to the byte if driver and sandbox are the same; the verdicts must be equal
with every driver and sandbox. It prints a line for each program, driver and sandbox, and fails if two reports or
verdicts differ.

The clocks, process ids and random bytes of a session are the same in every check, so a right program that draws its own
numbers is tried with only one set of draws. With --luck they are different in every check; a number, the luck of the
check, determines them. For each unseeded assignment, its right programs in tests/submissions are checked in turn, COUNT
times in all, and each must be accepted.
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
from pitboss.compare.results import Verdict
from pitboss.sessions import determinism
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from tests.labelled import labelled_folders, read_expected

ROOT = Path(__file__).resolve().parent.parent
DICE, PIGS = "tests/toy/dice", "tests/checking/pigs"


class Program(NamedTuple):
    """A submission with right programs: its assignment and its folder."""

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
#: Driver and sandbox: pitboss chooses both.
PITBOSS_CHOOSES = ("auto", "auto")
#: All pairs of driver and sandbox.
CONDITIONS = tuple(
    (driver, sandbox) for driver in ("watched", "expecting") for sandbox in ("none", "landlock", "bubblewrap")
)


class CheckResult(NamedTuple):
    """The result of one check."""

    #: A hash of the output, the JSON and the page.
    digest: str
    #: The name and verdict of each stage.
    verdicts: tuple[tuple[str, str], ...]


def check_once(program: Program, conditions: tuple[str, str]) -> CheckResult:
    """Check a program once, in a new process of pitboss, with this driver and sandbox."""
    driver, sandbox = conditions
    with tempfile.TemporaryDirectory() as folder:
        report, page = Path(folder, "report.json"), Path(folder, "page.html")
        files = ["--json", str(report), "--html", str(page)]
        command = [sys.executable, "-m", "pitboss", "check", program.folder, "--assignment", program.assignment]
        command += ["--driver", driver, "--sandbox", sandbox, *files]
        process = subprocess.run(command, cwd=ROOT, env=WITHOUT_CACHE, capture_output=True, check=False)
        if not report.exists():
            raise RuntimeError(f"{' '.join(command)}: {process.stderr.decode(errors='replace')}")
        written = (process.stdout, process.stderr, report.read_bytes(), page.read_bytes())
        digest = hashlib.sha256(b"\0".join(written)).hexdigest()
        stages = json.loads(report.read_text(encoding="utf-8"))["stages"]
    return CheckResult(digest, tuple((stage["stage"], stage["verdict"]) for stage in stages))


def repeated(program: Program, conditions: tuple[str, str], count: int) -> list[CheckResult]:
    """Check a program `count` times with the same driver and sandbox; return the result of each check."""
    return [check_once(program, conditions) for _ in range(count)]


#: After this many checks `rejected_by_luck` prints how many were accepted so far.
_PROGRESS_INTERVAL = 100
#: The assignments whose programs draw their own cards.
UNSEEDED = ("csc101", "ece2036", "tournament")


@contextmanager
def luck(number: int) -> Iterator[None]:
    """Within the block, sessions have other clocks, process ids and random bytes, which depend on `number`."""
    original = determinism._bytes_of
    determinism._bytes_of = lambda session, purpose, size: hashlib.shake_128(
        f"{number}: {session} {purpose}".encode()
    ).digest(size)
    try:
        yield
    finally:
        determinism._bytes_of = original


def rejected_by_luck(name: str, count: int, first: int) -> int:
    """Check right programs of an assignment `count` times, each time with the next luck, from the number `first` on.

    Returns how many of the checks did not accept the program.
    """
    assignment, conditions = load_assignment(ROOT / "specs" / name), find_conditions("auto", "auto")
    programs = [
        (folder, stage)
        for folder in (
            parameters.values[0] for parameters in labelled_folders(ROOT / "tests" / "submissions" / name, 2)
        )
        if (expected := read_expected(folder))["verdict"] == Verdict.ACCEPTED.value
        if (stage := assignment.stage(expected["stage"])) is not None
    ]
    start, rejected_count = time.monotonic(), 0
    for number, (folder, stage) in zip(range(first, first + count), itertools.cycle(programs), strict=False):
        with luck(number):
            (report,) = check(Job(assignment, (stage,), conditions, name), folder).stages
        if report.verdict is not Verdict.ACCEPTED:
            rejected_count += 1
            print(f"{name}: luck {number}: {folder.name} {stage.name}: {report.verdict.value}", flush=True)
        if (checked_count := number - first + 1) % _PROGRESS_INTERVAL == 0 and checked_count < count:
            print(f"{name:18}accepted {checked_count - rejected_count:,} times of {checked_count:,} so far", flush=True)
    elapsed = f"{time.monotonic() - start:7.0f} s"
    print(
        f"{name:18}{len(programs)} programs, accepted {count - rejected_count:,} times of {count:,} {elapsed}",
        flush=True,
    )
    return rejected_count


def main() -> int:
    """Check the programs and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--conditions", action="store_true")
    parser.add_argument("--luck", action="store_true")
    parser.add_argument("--first", type=int, default=0, help="the number of the first luck")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"one of: {', '.join(PROGRAMS)}")
    options = parser.parse_args()
    if options.luck:
        os.environ.update(WITHOUT_CACHE)
        return int(
            sum(rejected_by_luck(name, options.count, options.first) for name in options.programs or UNSEEDED) > 0
        )
    is_wrong = False
    for name in options.programs or PROGRAMS:
        verdicts = set()
        for conditions in CONDITIONS if options.conditions else (PITBOSS_CHOOSES,):
            start = time.monotonic()
            results = repeated(PROGRAMS[name], conditions, options.count)
            digests, condition_verdicts = {result.digest for result in results}, {result.verdicts for result in results}
            verdicts |= condition_verdicts
            counts = f"{len(results)} runs, {len(digests)} reports, {len(condition_verdicts)} verdicts"
            first_verdicts = ", ".join(f"{stage} {verdict}" for stage, verdict in results[0].verdicts)
            print(
                f"{name:18}{' '.join(conditions):22}{counts:36}{time.monotonic() - start:7.0f} s  {first_verdicts}",
                flush=True,
            )
            is_wrong |= len(digests) > 1
        is_wrong |= len(verdicts) > 1
        if len(verdicts) > 1:
            print(f"{name}: the verdicts differ: {verdicts}")
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
