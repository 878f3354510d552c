"""What is named of wrong programs whose truth was written down before, and what that costs.

    python -m benchmarks.naming ASSIGNMENT [ID]...

The programs are those of tests/wrong/ASSIGNMENT.yaml. For each it prints the verdict, the truth, what is told of its
mistake with how many of the failed sessions that explains, and the time of its failed sessions and of the naming. The
sums are those of the table in docs/naming.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec
import yaml

from harness.assignments.specfile import load_assignment
from harness.grading import check as checking
from harness.grading.check import check, with_diagnosis
from harness.judging.news import Begun, Judged, Work
from harness.judging.results import Diagnosis, StageReport
from harness.judging.verdicts import Verdict
from harness.machine import news
from harness.running.drivers import find_conditions
from harness.running.job import Job

ROOT = Path(__file__).resolve().parent.parent
Entry = dict[str, Any]


class Tried(NamedTuple):
    """What was said of one program, and how long its failed sessions and the naming took, in seconds."""

    report: StageReport
    sessions_s: float
    naming_s: float


def entries_of(assignment: str) -> dict[str, Entry]:
    """The wrong programs of an assignment, by id."""
    entries: dict[str, Entry] = yaml.safe_load((ROOT / "tests" / "wrong" / f"{assignment}.yaml").read_text("utf-8"))
    return entries


def write(assignment: str, entry: Entry, into: Path) -> None:
    """Write one program, edited as its entry says."""
    folder = ROOT / "examples" / assignment / str(entry["of"])
    for path in folder.iterdir():
        if path.is_file():
            (into / path.name).write_bytes(path.read_bytes())
    for name, changes in entry["edits"].items():
        text = (into / name).read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1, (name, old)
            text = text.replace(old, new)
        (into / name).write_text(text, encoding="utf-8")


def tried(assignment: str, entry: Entry) -> Tried:
    """Check one program with its stage only."""
    loaded = load_assignment(ROOT / "specs" / assignment)
    stage = loaded.stage(str(entry["stage"]))
    stage = msgspec.structs.replace(stage, limits=msgspec.structs.replace(stage.limits, idle_s=2))
    job = Job(loaded, (stage,), find_conditions(), assignment, runs_all=True)
    at: dict[str, float] = {}

    def listen(told: object) -> None:
        now = time.monotonic()
        if isinstance(told, Begun) and told.work is Work.RUNNING:
            at.setdefault("run", now)
        elif isinstance(told, Judged):
            at.setdefault("judged", now)

    def timed(*arguments: Any) -> StageReport:
        began = time.monotonic()
        named = with_diagnosis(*arguments)
        at["naming"] = time.monotonic() - began
        return named

    with tempfile.TemporaryDirectory() as name, news.heard_by(listen), patch.object(checking, "with_diagnosis", timed):
        Path(name).chmod(0o755)
        write(assignment, entry, Path(name))
        (report,) = check(job, Path(name), count=1).stages
    failed = sum(not one.is_accepted for one in report.results)
    running_s = at["judged"] - at["run"] if "run" in at else 0.0
    return Tried(report, running_s * failed / max(1, len(report.results)), at.get("naming", 0.0))


def told_as(one: Diagnosis) -> str:
    """What is told, as an entry writes it: the id of a mistake, or the title of a place in the rules."""
    return f"place: {one.title}" if one.is_place else one.id


def kind_of(entry: Entry, report: StageReport) -> str:
    """How what is told of a program stands to the truth: right, partly, false, none, near, or that it is accepted."""
    if report.verdict is not Verdict.WRONG_ANSWER:
        return report.verdict.value.lower()
    whole = [told_as(one) for one in report.diagnosis if one.explains == one.of]
    if not whole:
        return "near" if report.diagnosis else "none"
    right, partly = entry.get("right", ()), entry.get("partly", ())
    if not set(whole) <= {*right, *partly}:
        return "false"
    return "right" if set(whole) & set(right) else "partly"


def main() -> int:
    """Print what is told of each program, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignment")
    parser.add_argument("ids", nargs="*")
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    sessions_s = naming_s = longest_s = 0.0
    for id_, entry in entries_of(given.assignment).items():
        if given.ids and id_ not in given.ids:
            continue
        one = tried(given.assignment, entry)
        kind = kind_of(entry, one.report)
        counts[kind] += 1
        sessions_s, naming_s = sessions_s + one.sessions_s, naming_s + one.naming_s
        longest_s = max(longest_s, one.naming_s)
        print(f"{id_}: {kind}; {one.report.passed} of {len(one.report.results)} accepted")
        print(f"  time: {one.sessions_s:.2f} s for the failed sessions, {one.naming_s:.2f} s for the naming")
        print(f"  truth: {entry['truth']}")
        for said in one.report.diagnosis:
            whole = "" if said.explains == said.of else "something like "
            print(f"  told: {whole}{told_as(said)} ({said.explains} of {said.of}, {said.tested} further): {said.title}")
        sys.stdout.flush()
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    ratio = naming_s / max(sessions_s, 1e-9)
    print(f"naming takes {ratio:.2f} of the time of the failed sessions, {longest_s:.1f} s at most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
