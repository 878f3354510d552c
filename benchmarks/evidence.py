"""Measures what adequacy costs before an unseeded stage is accepted: `python -m benchmarks.evidence [ROUNDS]`.

Each unseeded example is built, and judged on one core in two ways: only until every rule of the stage has occurred, and
also until the sessions would have rejected each known mistake. Times are processor seconds, so that a busy machine does
not matter. Each round judges in both ways; a ratio is the median of the ratios of all rounds.
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
from pitboss.compare.results import Verdict
from pitboss.experiments.adequacy.exposure import SOURCES, Source
from pitboss.experiments.adequacy.gathering import judge_unseeded
from pitboss.machine.pool import Pool
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.submissions.build import build
from pitboss.submissions.sources import find_source

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = (("csc101", "kathleen"), ("ece2036", "vera"), ("tournament", "hanna"))
ROUNDS = 7


def cpu_s() -> float:
    """Return the processor seconds of this process and of the programs that it has run."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def judged(job: Job, stage: Stage, program: Program, sources: Sequence[Source]) -> tuple[float, int, int]:
    """Judge a stage; `sources` provide the wrong programs that the sessions must show.

    Returns the processor seconds, the number of sessions, and how many known mistakes no session could show. Raises
    RuntimeError if the program is not accepted.
    """
    start = cpu_s()
    outcome = judge_unseeded(job, stage, program, sessions_of(stage), Pool(), sources)
    if outcome.verdict is not Verdict.ACCEPTED:
        raise RuntimeError(f"{stage.name} was not accepted")
    return cpu_s() - start, len(outcome.results), len(outcome.unshown)


def main() -> None:
    """Measure all examples and print a table."""
    rounds = int((sys.argv[1:] or [ROUNDS])[0])
    print(f"{'stage':32}{'by rules':>18}{'with evidence':>22}{'ratio':>8}{'not shown':>11}")
    # For each way, by rules and with evidence, the medians of all stages.
    medians_s: list[list[float]] = [[], []]
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
                round_results = [
                    [judged(job, stage, program, sources) for sources in ((), SOURCES)] for _ in range(rounds)
                ]
            rules_s, evidence_s = ([results[way][0] for results in round_results] for way in (0, 1))
            counts = [statistics.median(results[way][1] for results in round_results) for way in (0, 1)]
            ratio = statistics.median(late / early for early, late in zip(rules_s, evidence_s, strict=True))
            medians_s[0].append(statistics.median(rules_s))
            medians_s[1].append(statistics.median(evidence_s))
            unshown_count = max(results[1][2] for results in round_results)
            print(
                f"{f'{name} {stage.name}, {student}':32}{medians_s[0][-1]:7.2f} s in {counts[0]:5.0f}"
                f"{medians_s[1][-1]:11.2f} s in {counts[1]:5.0f}{ratio:8.2f}{unshown_count:11}"
            )
    before_s, after_s = map(sum, medians_s)
    print(f"all stages: {before_s:.2f} s by rules, {after_s:.2f} s with evidence: {after_s / before_s:.2f}")


if __name__ == "__main__":
    sys.exit(main())
