"""Compares the cost of naming a mistake with that of the failed sessions: `python -m benchmarks.diagnosis`.

Each program of tests/misconceptions is run on all cases of its stage on one core, and its mistake is named.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.outcome import JudgedSession
from pitboss.compare.results import Verdict
from pitboss.compare.seeded import run_all
from pitboss.experiments.naming.diagnosis import diagnoses_of_sessions
from pitboss.machine.pool import Pool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from reference.blackjack.play import main as play
from reference.blackjack.players import hit_below_17

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = sorted(path.parent for path in (ROOT / "tests" / "misconceptions").glob("*/expect.yaml"))
GAMES = 5000


def measured(job: Job, stage_name: str, source: Path, folder: Path) -> tuple[int, int, float, float, str]:
    """Build a program, run it on all cases of its stage, and name its mistake.

    Returns the number of sessions, the number of failed sessions, the seconds for the failed sessions (their share of
    the time of all), the seconds for naming, and the name of the mistake.
    """
    stage = job.assignment.stage(stage_name)
    binary = folder / stage_name
    subprocess.run(["cc", "-O2", "-w", "-o", binary, source], check=True)
    sessions = sessions_of(stage)
    start = time.perf_counter()
    results = run_all(Pool(), job, Program((str(binary),), folder), sessions)
    running_s = time.perf_counter() - start
    judged_sessions = [
        JudgedSession(result.actual, session.case.policy, result.verdict is Verdict.ACCEPTED)
        for session, result in zip(sessions, results, strict=True)
    ]
    failed_count = sum(not session.is_accepted for session in judged_sessions)
    start = time.perf_counter()
    diagnoses = diagnoses_of_sessions(stage, judged_sessions)
    naming_s = time.perf_counter() - start
    mistake_name = next((diagnosis.id for diagnosis in diagnoses if diagnosis.explains == diagnosis.of), "no name")
    return len(sessions), failed_count, running_s * failed_count / len(sessions), naming_s, mistake_name


class _Console:
    """Types the seed and then the answers of the player `hit_below_17`; skips pauses."""

    def __init__(self, seed: int) -> None:
        self._lines = [str(seed)]
        self._shown: list[str] = []

    def write(self, text: str) -> None:
        self._shown.append(text)

    def read_line(self) -> str | None:
        if len(self._lines) == 1 and len(self._shown) == 1:
            return self._lines[0]
        line = hit_below_17("".join(self._shown), tuple(self._lines))
        self._lines.append(str(line))
        return line

    def pause(self, seconds: float) -> None:
        pass


def games_a_second() -> float:
    """Return how many games of `play` the reference plays per second in this process."""
    start = time.perf_counter()
    for seed in range(GAMES):
        play(_Console(seed))
    return GAMES / (time.perf_counter() - start)


def main() -> None:
    """Measure all programs of tests/misconceptions, and print a row for each and the ratio of the sums."""
    assignment = load_assignment(ROOT / "specs" / "blackjack")
    job = Job(assignment, assignment.stages, find_conditions("watched", "landlock"), "blackjack")
    print(f"{'program':32}{'stage':9}{'failed':>8}{'sessions':>11}{'naming':>9}  name")
    running_sum_s = naming_sum_s = 0.0
    for folder in FOLDERS:
        expected = yaml.safe_load((folder / "expect.yaml").read_text())
        with tempfile.TemporaryDirectory() as name:
            Path(name).chmod(0o755)
            source = folder / f"{expected['stage']}.c"
            count, failed, running_s, naming_s, mistake_name = measured(job, expected["stage"], source, Path(name))
        running_sum_s += running_s
        naming_sum_s += naming_s
        print(
            f"{folder.name:32}{expected['stage']:9}{failed:4}/{count:<4}{running_s * 1e3:8.0f} ms"
            f"{naming_s * 1e3:6.0f} ms  {mistake_name}"
        )
    print(f"naming takes {naming_sum_s / running_sum_s:.2f} of the time of the failed sessions")
    print(f"the reference plays {games_a_second():.0f} games of `play` a second in this process")


if __name__ == "__main__":
    sys.exit(main())
