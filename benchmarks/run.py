"""pitboss beside the limit and beside pexpect, in one run: `python -m benchmarks.run`.

Everybody holds the same sessions of the same C program. pitboss runs it with its pauses, compares exactly, and its
time includes loading the spec, computing what is expected, starting its workers, comparing and reporting; the others
run it with its pauses left out, since they would have to wait for them. Rounds alternate, since machines are noisy, and
ratios are of the medians.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.cases import bench_cases
from benchmarks.rivals import PROGRAM_SOURCE, as_written, built_program, limit, tuned, tuned_spawn
from harness.checking import judge_here, judge_program
from harness.drivers import find_conditions
from harness.holding import Job
from harness.programs import Program
from harness.rendering.report import as_text, report_of
from harness.results import Report, StageReport
from harness.specfile import load_assignment
from harness.workers import core_count, workers

ROUNDS = 7
AS_WRITTEN_CASES = 10

ASSIGNMENT = """title: Benchmark
stages:
  - name: play
    reference: reference.blackjack.play:main
players:
  hit below 17: reference.blackjack.players:hit_below_17
"""
SPEC = """program: play
cases:
  - name: a hundred games of one who stands
    seeds: 101..200
    answers: [s]
  - name: a hundred games of one who hits below 17
    seeds: 201..300
    player: hit below 17
"""
HALF = SPEC.partition("  - name: a hundred games of one who hits")[0]


def assignment_folder(folder: Path, spec: str) -> Path:
    """An assignment that consists of the sessions to be held."""
    folder.mkdir()
    (folder / "assignment.yaml").write_text(ASSIGNMENT)
    (folder / "play.yaml").write_text(spec)
    return folder


def checked(program: Path, folder: Path, sandbox: str, processes: int) -> float:
    """Cases a second of pitboss with one submission, from loading the spec to the report."""
    start = time.perf_counter()
    assignment = load_assignment(folder)
    job = Job(assignment, assignment.stages, find_conditions("watched", sandbox), "benchmark")
    with workers(processes) as pool:
        report = judge_program(job, job.stages[0], _as_program(program), pool, processes)
        reported(job, [report])
    return report.total / (time.perf_counter() - start)


def graded(programs: list[Path], folder: Path, sandbox: str, processes: int) -> float:
    """Cases a second of pitboss with several submissions, each held by one worker, as `pitboss grade` does."""
    start = time.perf_counter()
    assignment = load_assignment(folder)
    job = Job(assignment, assignment.stages, find_conditions("watched", sandbox), "benchmark")
    with workers(processes) as pool:
        futures = [pool.submit(judge_here, job, job.stages[0], _as_program(program)) for program in programs]
        reports = [future.result() for future in futures]
        reported(job, reports)
    return sum(report.total for report in reports) / (time.perf_counter() - start)


def _as_program(path: Path) -> Program:
    return Program((str(path),), path.parent)


def reported(job: Job, reports: list[StageReport]) -> None:
    """Make the reports a person reads, of sessions that were all accepted."""
    for report in reports:
        as_text(report_of(Report("benchmark", "Benchmark", "ada", (report,), (), job.conditions.sentences)))
        if report.passed != report.total:
            raise RuntimeError(f"{report.total - report.passed} sessions were not accepted")


def main() -> None:
    """Measure everybody and print a table."""
    cases = bench_cases()
    prompts = sum(len(case.typed) for case in cases) / len(cases)
    pauses = sum(case.pauses for case in cases) / len(cases)
    size = sum(len(case.output) for case in cases) / len(cases)
    cores = core_count()
    print(
        f"{len(cases)} cases on {cores} cores; each {prompts:.1f} lines typed, {pauses:.1f} pauses of 2 s, "
        f"{size:.0f} bytes"
    )
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        base.chmod(0o755)
        rival = built_program(base)
        ada, grace = (base / name / "play" for name in ("ada", "grace"))
        for program in (ada, grace):
            program.parent.mkdir()
            subprocess.run(["cc", "-O2", "-o", program, PROGRAM_SOURCE], check=True)
        whole, half = assignment_folder(base / "whole", SPEC), assignment_folder(base / "half", HALF)
        runs: dict[str, Callable[[], float]] = {
            "C, one loop over 16 terminals (the limit)": lambda: limit(rival, cases),
            "pitboss, no sandbox": lambda: checked(ada, whole, "none", cores),
            "pitboss, Landlock and filter": lambda: checked(ada, whole, "landlock", cores),
            "pexpect over posix_spawn, two processes": lambda: tuned(rival, cases, 2),
            "pexpect tuned, two processes": lambda: tuned_spawn(rival, cases, 2),
            "pexpect tuned": lambda: tuned_spawn(rival, cases, 1),
        }
        if shutil.which("bwrap"):
            runs["pitboss, bubblewrap, one submission"] = lambda: checked(ada, whole, "bubblewrap", cores)
            runs["pitboss, bubblewrap, two of 100 each"] = lambda: graded([ada, grace], half, "bubblewrap", cores)
        figures: dict[str, list[float]] = {title: [] for title in runs}
        for _ in range(ROUNDS):
            for title, run in runs.items():
                figures[title].append(run())
        figures["pexpect as written"] = [as_written(rival, cases[:AS_WRITTEN_CASES])]
    table(figures)


def table(figures: dict[str, list[float]]) -> None:
    """Print medians, and each as a ratio of the limit."""
    medians = {title: statistics.median(values) for title, values in figures.items()}
    best = max(medians.values())
    print(f"{'':44}{'cases/s':>9}{'low':>8}{'high':>8}{'of the limit':>14}")
    for title, median in sorted(medians.items(), key=lambda item: -item[1]):
        low, high = min(figures[title]), max(figures[title])
        print(f"{title:44}{median:9.1f}{low:8.1f}{high:8.1f}{median / best:14.3f}")
    ours = medians["pitboss, Landlock and filter"]
    for title in ("pexpect tuned", "pexpect tuned, two processes", "pexpect as written"):
        print(f"pitboss with Landlock and filter is {ours / medians[title]:.1f} times {title}")


if __name__ == "__main__":
    sys.exit(main())
