"""Copies of a program are what starts of it are: `python -m benchmarks.alike [--count 20] [FOLDER]...`.

Every program of examples/ and tests/submissions/ that can be copied, or those in the folders that are named, is built
once for each of its stages. Then all sessions of the stage are held COUNT times by copies and COUNT times by starts, on
all cores, and all transcripts of a session must be equal to the byte. Of sessions that do not end by themselves only
the ending counts: how far they come depends on the moment. It prints a line for each program, and fails where two
differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pitboss.harness.assignments.assignment import Stage
from pitboss.harness.assignments.cases import sessions_of
from pitboss.harness.assignments.specfile import load_assignment
from pitboss.harness.draws.unseeded import run_all_freely
from pitboss.harness.judging.seeded import run_all
from pitboss.harness.machine import scratch
from pitboss.harness.machine.pool import Pool
from pitboss.harness.machine.workers import core_count, workers
from pitboss.harness.running.copying import Start, may_be_copied
from pitboss.harness.running.drivers import find_conditions
from pitboss.harness.running.job import Job
from pitboss.harness.running.outfitting import outfitted
from pitboss.harness.running.programs import Program
from pitboss.harness.submissions.build import build
from pitboss.harness.submissions.submission import opened
from pitboss.harness.transcripts.transcript import ENDLESS, Transcript

ROOT = Path(__file__).resolve().parent.parent
STARTS: tuple[Start, ...] = ("exec", "fork")


class Found(NamedTuple):
    """A submission, and the folder of its assignment."""

    assignment: Path
    folder: Path


def submissions(named: Iterable[Path]) -> Iterator[Found]:
    """All submissions of examples/ and tests/submissions/, or those in the named folders."""
    wanted = [path.resolve() for path in named]
    specs, filed = ROOT / "specs", ROOT / "tests" / "submissions"
    found = [Found(specs / one.parent.name, one) for one in sorted((ROOT / "examples").glob("*/*"))]
    for one in sorted(filed.glob("*/*")):
        found.append(Found(ROOT / "tests" / "toy" / "teller", one))
    for one in sorted(filed.glob("*/*/*")):
        found.append(Found(specs / one.parent.parent.name, one))
    for one in found:
        is_wanted = not wanted or any(one.folder.is_relative_to(path) for path in wanted)
        if is_wanted and one.folder.is_dir() and (one.assignment / "assignment.yaml").exists():
            yield one


def transcripts(job: Job, stage: Stage, program: Program, pool: Pool) -> list[Transcript | None]:
    """What the sessions of a stage show, in their order; None for those that are not run."""
    sessions = sessions_of(stage)
    if stage.reader:
        tried = run_all_freely(pool, job, program, sessions)
        return [one.transcript if one else None for one in tried]
    return [result.actual for result in run_all(pool, job, program, sessions)]


def content(transcript: Transcript | None) -> object:
    """What must be the same each time."""
    if transcript is None or transcript.ending.kind in ENDLESS:
        return transcript and transcript.ending.kind
    return transcript


def differing(found: Found, stage: Stage, program: Program, count: int) -> tuple[int, int]:
    """How many sessions a stage has, and how many of them are not the same each time."""
    assignment = load_assignment(found.assignment)
    seen: dict[int, set[object]] = defaultdict(set)
    with workers(core_count(), takes_part=True) as pool:
        for _ in range(count):
            for start in STARTS:
                job = Job(assignment, (stage,), find_conditions("watched", start=start), found.assignment.name)
                for number, one in enumerate(transcripts(job, stage, program, pool)):
                    seen[number].add(content(one))
    return len(seen), sum(len(each) > 1 for each in seen.values())


def told(found: Found, count: int) -> tuple[str, bool]:
    """A line on a submission, empty if none of its programs can be copied, and whether all were the same."""
    assignment, words, is_same = load_assignment(found.assignment), [], True
    began = time.monotonic()
    with opened(found.folder) as submission, scratch.folder("build") as builds:
        for name, source in submission.sources(assignment.stages).items():
            stage = assignment.stage(name)
            if source is None or stage is None or stage.is_for_person:
                continue
            program = build(source, Path(builds) / name, find_conditions().sandbox).program
            if program is None or not may_be_copied(program):
                continue
            sessions, others = differing(found, outfitted(stage, program.folder), program, count)
            words.append(f"{name} {sessions} sessions" + (f", {others} DIFFER" if others else ""))
            is_same = is_same and not others
    place = found.folder.relative_to(ROOT)
    return (f"{place!s:66}{time.monotonic() - began:6.0f} s  {'; '.join(words)}" if words else ""), is_same


def main() -> int:
    """Hold all sessions both ways and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    programs, is_all_same = 0, True
    for found in submissions(given.folders):
        line, is_same = told(found, given.count)
        is_all_same = is_all_same and is_same
        if line:
            programs += 1
            print(line, flush=True)
    verdict = "all the same" if is_all_same else "NOT the same"
    print(f"{programs} submissions, each {given.count} times both ways: {verdict}")
    return 0 if is_all_same else 1


if __name__ == "__main__":
    sys.exit(main())
