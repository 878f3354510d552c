"""What is named of wrong programs whose truth was written down before.

    python -m benchmarks.naming ASSIGNMENT [ID]...

The programs are those of tests/wrong/ASSIGNMENT.yaml. For each it prints the verdict, the truth and every name, with
how many of the failed sessions that explains.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import msgspec
import yaml

from harness.assignments.specfile import load_assignment
from harness.grading.check import check
from harness.judging.results import StageReport
from harness.running.drivers import find_conditions
from harness.running.job import Job

ROOT = Path(__file__).resolve().parent.parent


def report_on(assignment: str, entry: dict[str, object], into: Path) -> StageReport:
    """The report on one program, edited as its entry says."""
    folder = ROOT / "examples" / assignment / str(entry["of"])
    for path in folder.iterdir():
        if path.is_file():
            (into / path.name).write_bytes(path.read_bytes())
    edits: dict[str, list[list[str]]] = entry["edits"]  # type: ignore[assignment]
    for name, changes in edits.items():
        text = (into / name).read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1, (name, old)
            text = text.replace(old, new)
        (into / name).write_text(text, encoding="utf-8")
    loaded = load_assignment(ROOT / "specs" / assignment)
    stage = loaded.stage(str(entry["stage"]))
    stage = msgspec.structs.replace(stage, limits=msgspec.structs.replace(stage.limits, idle_s=2))
    job = Job(loaded, (stage,), find_conditions(), assignment, runs_all=True)
    return check(job, into).stages[0]


def main() -> int:
    """Print a line for each program, and what is said of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assignment")
    parser.add_argument("ids", nargs="*")
    given = parser.parse_args()
    entries = yaml.safe_load((ROOT / "tests" / "wrong" / f"{given.assignment}.yaml").read_text(encoding="utf-8"))
    started = time.monotonic()
    for id_, entry in entries.items():
        if given.ids and id_ not in given.ids:
            continue
        with tempfile.TemporaryDirectory() as name:
            Path(name).chmod(0o755)
            began = time.monotonic()
            report = report_on(given.assignment, entry, Path(name))
        failed = sum(not one.is_accepted for one in report.results)
        took_s = time.monotonic() - began
        print(f"{id_}: {report.verdict.value} {failed} of {len(report.results)} failed, {took_s:.1f} s")
        print(f"  truth: {entry['truth']}")
        for one in report.diagnosis:
            print(
                f"  {'place' if one.is_place else 'NAME' if one.explains == one.of else 'near'}: "
                f"{one.id}: {one.title} ({one.explains} of {one.of}, {one.tested} further)"
            )
        sys.stdout.flush()
    print(f"{time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
