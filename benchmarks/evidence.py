"""The cost of evidence before acceptance: `python -m benchmarks.evidence [ROUNDS]`.

Each example without a seed is built and judged on one core: until every rule of the stage has come up, and then also
until every known mistake has been shown. Seconds are those of computing, so that a busy machine does not matter. Rounds
alternate, and a ratio is the median of the ratios of all rounds.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pitboss.assignments.assignment import Stage
from pitboss.assignments.cases import sessions_of
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.verdicts import Verdict
from pitboss.experiments.adequacy.exposure import SOURCES, Source
from pitboss.experiments.adequacy.gathering import judge_unseeded
from pitboss.sandbox.pool import Pool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.submissions.build import build
from pitboss.submissions.sources import find_source

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = (("csc101", "kathleen"), ("ece2036", "vera"), ("tournament", "hanna"))
ROUNDS = 7


def cpu_s() -> float:
    """Seconds of computing of this process and of the programs that it ran."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def judged(job: Job, stage: Stage, program: Program, sources: Sequence[Source]) -> tuple[float, int, int]:
    """Seconds of computing to judge a stage, the number of sessions, and how many known mistakes could not be shown."""
    start = cpu_s()
    outcome = judge_unseeded(job, stage, program, sessions_of(stage), Pool(), sources)
    if outcome.verdict is not Verdict.ACCEPTED:
        raise RuntimeError(f"{stage.name} was not accepted")
    return cpu_s() - start, len(outcome.results), len(outcome.unshown)


def main() -> None:
    """Measure all examples and print a table."""
    rounds = int((sys.argv[1:] or [ROUNDS])[0])
    print(f"{'stage':32}{'by rules':>18}{'with evidence':>22}{'ratio':>8}{'not shown':>11}")
    sums: list[list[float]] = [[], []]
    for name, student in EXAMPLES:
        assignment, conditions = load_assignment(ROOT / "specs" / name), find_conditions("watched", "landlock")
        for stage in assignment.stages:
            job = Job(assignment, (stage,), conditions, name)
            source = find_source(ROOT / "examples" / name / student, stage)
            assert source is not None
            with tempfile.TemporaryDirectory() as folder:
                Path(folder).chmod(0o755)
                program = build(source, Path(folder) / "built", conditions).program
                assert program is not None
                judged(job, stage, program, SOURCES)
                pairs = [[judged(job, stage, program, sources) for sources in ((), SOURCES)] for _ in range(rounds)]
            before, after = ([one[index][0] for one in pairs] for index in (0, 1))
            counts = [statistics.median(one[index][1] for one in pairs) for index in (0, 1)]
            ratio = statistics.median(late / early for early, late in zip(before, after, strict=True))
            sums[0].append(statistics.median(before))
            sums[1].append(statistics.median(after))
            print(
                f"{f'{name} {stage.name}, {student}':32}{sums[0][-1]:7.2f} s in {counts[0]:5.0f}"
                f"{sums[1][-1]:11.2f} s in {counts[1]:5.0f}{ratio:8.2f}{max(one[1][2] for one in pairs):11}"
            )
    before_s, after_s = map(sum, sums)
    print(f"all stages: {before_s:.2f} s by rules, {after_s:.2f} s with evidence: {after_s / before_s:.2f}")


if __name__ == "__main__":
    sys.exit(main())
