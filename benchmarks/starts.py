"""Copies of a program compared with starts of it: `python -m benchmarks.starts [COUNT] [ROUNDS]`.

The same sessions of the same programs, in one process, with --start exec and --start fork in turn: those of the first
stage of an example, without naming a mistake, comparing included. Seconds are those of a clock and those of computing,
of all processes; a ratio is the median of the ratios of all rounds.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pitboss.harness.assignments.assignment import Stage
from pitboss.harness.assignments.specfile import load_assignment
from pitboss.harness.grading.check import judge_program
from pitboss.harness.machine.pool import Pool
from pitboss.harness.running.copying import Start
from pitboss.harness.running.drivers import find_conditions
from pitboss.harness.running.job import Job
from pitboss.harness.running.programs import Program
from pitboss.harness.submissions.build import interpreter

ROOT = Path(__file__).resolve().parent.parent
ASSIGNMENT = """title: Starts
stages:
  - name: {stage}
    reference: {reference}
"""
SPEC = """program: {stage}
cases:
  - name: many
    seeds: 1..{count}
    answers: [{answers}]
"""


class Workload(NamedTuple):
    """A stage of an example, and what is typed in each of its sessions after the seed."""

    title: str
    stage: str
    reference: str
    answers: str
    program: Callable[[Path], Program]


def _compiled(source: str) -> Callable[[Path], Program]:
    def build(folder: Path) -> Program:
        path = folder / "program"
        subprocess.run(["cc", "-O2", "-o", path, ROOT / source], check=True)
        return Program((str(path),), folder)

    return build


def _script(folder: str, name: str) -> Callable[[Path], Program]:
    return lambda _: Program((interpreter(), str(ROOT / folder / name)), ROOT / folder)


def _hello(folder: Path) -> Program:
    path = folder / "hello.py"
    path.write_text('number = int(input("Number? "))\nprint(f"Hello, world {number}!")\n', encoding="utf-8")
    return Program((interpreter(), str(path)), folder)


WORKLOADS = (
    Workload(
        "C, deal",
        "deal",
        "pitboss.reference.blackjack.deal:main",
        "h, h, s",
        _compiled("examples/blackjack/ada/deal.c"),
    ),
    Workload("Python, hello", "hello", "saying:hello", "", _hello),
    Workload(
        "Python, shuffle (with ctypes)",
        "shuffle",
        "pitboss.reference.blackjack.shuffle:main",
        "",
        _script("examples/blackjack/margaret", "shuffle.py"),
    ),
)


def spent(job: Job, stage: Stage, program: Program) -> tuple[float, float]:
    """Seconds of the clock and of computing of all sessions of a stage; RuntimeError unless all are accepted."""
    began, used = time.perf_counter(), sum(os.times()[:4])
    report = judge_program(job, stage, program, Pool())
    if report.passed != report.total:
        raise RuntimeError(f"{report.total - report.passed} sessions of {program.argv} were not accepted")
    return time.perf_counter() - began, sum(os.times()[:4]) - used


def compared(of: Workload, count: int, rounds: int) -> str:
    """A line on one workload."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "specs").mkdir()
        shutil.copy(ROOT / "tests" / "toy" / "hello" / "saying.py", folder / "specs")
        values = {**of._asdict(), "count": count}
        (folder / "specs" / "assignment.yaml").write_text(ASSIGNMENT.format(**values))
        (folder / "specs" / f"{of.stage}.yaml").write_text(SPEC.format(**values))
        assignment, program = load_assignment(folder / "specs"), of.program(folder)
        figures: dict[Start, list[tuple[float, float]]] = {"exec": [], "fork": []}
        for _ in range(rounds):
            for start, found in figures.items():
                conditions = find_conditions("watched", "landlock", start=start)
                job = Job(assignment, assignment.stages, conditions, "starts")
                found.append(spent(job, job.stages[0], program))
    columns = [f"{of.title:32}"]
    for place in (0, 1):
        exec_ms, fork_ms = (1000 * statistics.median(one[place] for one in figures[way]) / count for way in figures)
        ratio = statistics.median(
            one[place] / other[place] for one, other in zip(figures["exec"], figures["fork"], strict=True)
        )
        columns.append(f"{exec_ms:8.2f} {fork_ms:8.2f} {ratio:6.2f}")
    return "".join(columns)


def main() -> None:
    """Measure all and print a table."""
    count, rounds = ([int(word) for word in sys.argv[1:]] + [200, 9][len(sys.argv) - 1 :])[:2]
    print(f"{count} sessions, {rounds} rounds; ms of a session")
    print(f"{'':32}{'clock: exec':>11}{'fork':>6}{'ratio':>7}{'computing: exec':>15}{'fork':>6}")
    for one in WORKLOADS:
        print(compared(one, count, rounds), flush=True)


if __name__ == "__main__":
    main()
