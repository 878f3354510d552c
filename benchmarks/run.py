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
from harness.checking import Job, core_count, judge_program, workers
from harness.drivers import find_conditions
from harness.programs import Program
from harness.rendering.data import check_json
from harness.rendering.report import as_text, report_of
from harness.results import Report
from harness.specfile import load_assignment

ROUNDS = 7
AS_WRITTEN_CASES = 10

ASSIGNMENT = """title: Benchmark
stages:
  - name: betting
    reference: reference.blackjack.betting:main
players:
  the player: benchmarks.cases:player
"""
SPEC = """program: betting
cases:
  - name: sessions
    seeds: 1..{count}
    player: the player
"""


def assignment_folder(folder: Path, count: int) -> Path:
    """An assignment that consists of the sessions to be held."""
    folder.mkdir()
    (folder / "assignment.yaml").write_text(ASSIGNMENT)
    (folder / "betting.yaml").write_text(SPEC.format(count=count))
    return folder


def checked(program: Path, folder: Path, sandbox: str, processes: int) -> float:
    """Cases a second of pitboss, from loading the spec to the report."""
    start = time.perf_counter()
    assignment = load_assignment(folder)
    (stage,) = assignment.stages
    job = Job(assignment, assignment.stages, find_conditions("watched", sandbox), "benchmark")
    with workers(processes) as pool:
        report = judge_program(job, stage, Program((str(program),), program.parent), pool, processes)
    whole = Report("benchmark", "Benchmark", "ada", (report,), (), job.conditions.sentences)
    as_text(report_of(whole))
    check_json(whole)
    took = time.perf_counter() - start
    if report.passed != report.total:
        raise RuntimeError(f"{report.total - report.passed} sessions were not accepted")
    return report.total / took


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
        program = base / "ada" / "betting"
        program.parent.mkdir()
        subprocess.run(["cc", "-O2", "-o", program, PROGRAM_SOURCE], check=True)
        folder = assignment_folder(base / "benchmark", len(cases))
        runs: dict[str, Callable[[], float]] = {
            "C, one loop over 16 terminals (the limit)": lambda: limit(rival, cases),
            "pitboss, no sandbox": lambda: checked(program, folder, "none", cores),
            "pitboss, Landlock and filter": lambda: checked(program, folder, "landlock", cores),
            "pexpect over posix_spawn, two processes": lambda: tuned(rival, cases, 2),
            "pexpect tuned, two processes": lambda: tuned_spawn(rival, cases, 2),
            "pexpect tuned": lambda: tuned_spawn(rival, cases, 1),
        }
        if shutil.which("bwrap"):
            runs["pitboss, bubblewrap"] = lambda: checked(program, folder, "bubblewrap", cores)
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
