"""The cost of naming a mistake compared with the failed sessions: `python -m benchmarks.diagnosis`.

Each program with a known mistake is run on all cases of its stage on all cores, as `pitboss check` does, and its
mistake is named. The same is done for a program with a mistake in no catalogue, for which all pairs are tried. The
time of a session is that of one core.
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
from pitboss.compare.seeded import run_all
from pitboss.compare.verdicts import Verdict
from pitboss.experiments.naming.diagnosis import diagnosed
from pitboss.sandbox.pool import Pool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from reference.blackjack.play import main as play
from reference.blackjack.players import hit_below_17

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = sorted(path.parent for path in (ROOT / "tests" / "misconceptions").glob("*/expect.yaml"))
GAMES = 5000


def measured(job: Job, stage_name: str, source: Path, folder: Path) -> tuple[int, int, float, float, str]:
    """The numbers of sessions and of failed ones, seconds to run the failed ones and to name the mistake, its name."""
    stage = job.assignment.stage(stage_name)
    binary = folder / stage_name
    subprocess.run(["cc", "-O2", "-w", "-o", binary, source], check=True)
    sessions = sessions_of(stage)
    start = time.perf_counter()
    results = run_all(Pool(), job, Program((str(binary),), folder), sessions)
    running_s = time.perf_counter() - start
    witnesses = [
        JudgedSession(result.actual, session.case.policy, result.verdict is Verdict.ACCEPTED)
        for session, result in zip(sessions, results, strict=True)
    ]
    failed = sum(not one.is_accepted for one in witnesses)
    start = time.perf_counter()
    found = diagnosed(stage, witnesses)
    naming_s = time.perf_counter() - start
    name = next((one.id for one in found if one.explains == one.of), "no name")
    return len(sessions), failed, running_s * failed / len(sessions), naming_s, name


class _Console:
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
    """The number of `play` games a second that the reference plays in this process."""
    start = time.perf_counter()
    for seed in range(GAMES):
        play(_Console(seed))
    return GAMES / (time.perf_counter() - start)


def main() -> None:
    """Measure every known mistake for which there is a program, and print the sums."""
    assignment = load_assignment(ROOT / "specs" / "blackjack")
    job = Job(assignment, assignment.stages, find_conditions("watched", "landlock"), "blackjack")
    print(f"{'program':32}{'stage':9}{'failed':>8}{'sessions':>11}{'naming':>9}  name")
    sums = [0.0, 0.0]
    for folder in FOLDERS:
        expected = yaml.safe_load((folder / "expect.yaml").read_text())
        with tempfile.TemporaryDirectory() as name:
            Path(name).chmod(0o755)
            source = folder / f"{expected['stage']}.c"
            count, failed, running_s, naming_s, told = measured(job, expected["stage"], source, Path(name))
        sums[0] += running_s
        sums[1] += naming_s
        print(
            f"{folder.name:32}{expected['stage']:9}{failed:4}/{count:<4}{running_s * 1e3:8.0f} ms"
            f"{naming_s * 1e3:6.0f} ms  {told}"
        )
    print(f"naming takes {sums[1] / sums[0]:.2f} of the time of the failed sessions")
    print(f"the reference plays {games_a_second():.0f} games of `play` a second in this process")


if __name__ == "__main__":
    sys.exit(main())
