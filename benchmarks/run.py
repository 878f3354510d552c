"""Compares pitboss with the limit (limit.c) and with pexpect: `python -m benchmarks.run [WORKLOAD]`.

All run the same sessions of the same C program. pitboss runs the program with its pauses and compares exactly; the time
of pitboss includes loading the spec, computing the expected transcripts, starting workers, comparing and reporting. The
rivals run the program without its pauses, since they would have to wait for the pauses. Each round measures all in
turn, since machines are noisy; a ratio is the median of the ratios of all rounds.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from benchmarks.cases import WORKLOADS, Workload
from benchmarks.rivals import SOURCES, as_written, built_program, description_of_cases, limit, tuned, tuned_spawn
from pitboss.assignments.assignment import Stage
from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import judge_program
from pitboss.compare.results import Report, StageReport
from pitboss.machine.pool import Pool
from pitboss.machine.workers import core_count, workers
from pitboss.reports.report import as_text, report_of
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program

ROUNDS = 15
AS_WRITTEN_CASES = 10
LIMIT, OURS = "C, one loop over 16 terminals (the limit)", "pitboss, Landlock and filter"

ASSIGNMENT = """title: Benchmark
stages:
  - name: {stage}
    reference: reference.blackjack.{stage}:main
players:
  one: {one}
  other: {other}
"""
SPEC = """program: {stage}
cases:
  - name: a hundred games of one
    seeds: 101..200
    player: one
"""
OTHER_HALF = """
  - name: a hundred games of another
    seeds: 201..300
    player: other
"""


def assignment_folder(workload: Workload, folder: Path, *, is_half: bool = False) -> Path:
    """Write an assignment with the sessions of a workload, or with the first hundred (`is_half`); return its folder."""
    folder.mkdir()
    names = {"stage": workload.stage} | dict(
        zip(("one", "other"), (f"{player.__module__}:{player.__name__}" for player in workload.players), strict=True)
    )
    (folder / "assignment.yaml").write_text(ASSIGNMENT.format(**names))
    (folder / f"{workload.stage}.yaml").write_text(SPEC.format(**names) + ("" if is_half else OTHER_HALF))
    return folder


def checked(program: Path, folder: Path, sandbox: str, processes: int) -> float:
    """Return the cases per second of pitboss with one submission, from loading the spec to the report."""
    start = time.perf_counter()
    assignment = load_assignment(folder)
    job = Job(assignment, assignment.stages, find_conditions("watched", sandbox), "benchmark")
    with workers(processes, takes_part=True) as pool:
        report = judge_program(job, job.stages[0], _as_program(program), pool)
        reported(job, [report])
    return report.total / (time.perf_counter() - start)


def graded(programs: list[Path], folder: Path, sandbox: str, processes: int) -> float:
    """Return the cases per second of pitboss with several submissions, each run by one worker as in `pitboss grade`."""
    start = time.perf_counter()
    assignment = load_assignment(folder)
    job = Job(assignment, assignment.stages, find_conditions("watched", sandbox), "benchmark")
    with workers(processes) as pool:
        tasks = [pool.submit(_judge_in_this_process, job, job.stages[0], _as_program(program)) for program in programs]
        reports = [task.result() for task in tasks]
        reported(job, reports)
    return sum(report.total for report in reports) / (time.perf_counter() - start)


def _judge_in_this_process(job: Job, stage: Stage, program: Program) -> StageReport:
    """Judge a submission in this process, as a worker does in `pitboss grade`."""
    return judge_program(job, stage, program, Pool())


def _as_program(path: Path) -> Program:
    return Program((str(path),), path.parent)


def reported(job: Job, reports: list[StageReport]) -> None:
    """Render the reports as text; raises RuntimeError unless all sessions were accepted."""
    for report in reports:
        as_text(report_of(Report("benchmark", "Benchmark", "ada", (report,), (), job.conditions.sentences)))
        if report.passed != report.total:
            raise RuntimeError(f"{report.total - report.passed} sessions were not accepted")


def main() -> None:
    """Measure pitboss and its rivals, and print a table."""
    workload = WORKLOADS[(sys.argv[1:] or ["deal"])[0]]
    cases, prompts, cores = workload.cases(), workload.prompts, core_count()
    print(f"{description_of_cases(cases)}; on {cores} cores")
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        base.chmod(0o755)
        without_pauses = built_program(workload, base)
        ada, grace = (base / student / workload.stage for student in ("ada", "grace"))
        for program in (ada, grace):
            program.parent.mkdir()
            subprocess.run(["cc", "-O2", "-o", program, SOURCES / f"{workload.stage}.c"], check=True)
        whole = assignment_folder(workload, base / "whole")
        half = assignment_folder(workload, base / "half", is_half=True)
        runs: dict[str, Callable[[], float]] = {
            LIMIT: lambda: limit(without_pauses, cases),
            "the same, all lines typed ahead": lambda: limit(without_pauses, cases, types_ahead=True),
            "pitboss, no sandbox": lambda: checked(ada, whole, "none", cores),
            OURS: lambda: checked(ada, whole, "landlock", cores),
            "pexpect over posix_spawn, two processes": lambda: tuned(without_pauses, cases, prompts, 2),
            "pexpect tuned, two processes": lambda: tuned_spawn(without_pauses, cases, prompts, 2),
            "pexpect tuned": lambda: tuned_spawn(without_pauses, cases, prompts, 1),
        }
        if shutil.which("bwrap"):
            runs["pitboss, bubblewrap, one submission"] = lambda: checked(ada, whole, "bubblewrap", cores)
            runs["pitboss, bubblewrap, two of 100 each"] = lambda: graded([ada, grace], half, "bubblewrap", cores)
        figures: dict[str, list[float]] = {title: [] for title in runs}
        for _ in range(ROUNDS):
            for title, run in runs.items():
                figures[title].append(run())
        figures["pexpect as written"] = [as_written(without_pauses, cases[:AS_WRITTEN_CASES], prompts)]
    table(figures)


def table(figures: dict[str, list[float]]) -> None:
    """Print the median of each measurement, and its ratio to the limit; `figures` has the cases per second by title."""

    def ratio(title: str, base_title: str) -> float:
        pairs = zip(figures[title], cycle(figures[base_title]), strict=False)  # "pexpect as written" is measured once
        return statistics.median(value / base_value for value, base_value in pairs)

    medians = {title: statistics.median(values) for title, values in figures.items()}
    print(f"{'':44}{'cases/s':>9}{'low':>8}{'high':>8}{'of the limit':>14}")
    for title, median in sorted(medians.items(), key=lambda item: -item[1]):
        low, high = min(figures[title]), max(figures[title])
        print(f"{title:44}{median:9.1f}{low:8.1f}{high:8.1f}{ratio(title, LIMIT):14.3f}")
    for title in ("pexpect tuned", "pexpect tuned, two processes", "pexpect as written"):
        print(f"pitboss with Landlock and filter is {ratio(OURS, title):.1f} times {title}")


if __name__ == "__main__":
    sys.exit(main())
