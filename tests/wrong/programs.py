"""The wrong programs of the YAML files in this folder: each is written into a folder, checked, and its diagnosis rated.

An entry has an edited example (`of`, `stage`, `edits`), its actual mistake in words (`truth`, written down before the
program was first run), and the ids of the diagnoses that name this mistake (`right`).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import msgspec
import yaml

from pitboss.assignments.specfile import load_assignment
from pitboss.checking.check import check
from pitboss.compare.results import Begun, Judged, StageReport, StageWork, Verdict
from pitboss.experiments.naming import diagnosis
from pitboss.machine import progress
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job

ROOT = Path(__file__).resolve().parents[2]
#: No program here is slow to read its input, so a short limit suffices.
_IDLE_S = 2
Entry = dict[str, Any]


class CheckedEntry(NamedTuple):
    """The report on a program, and the processor seconds of its failed sessions and of naming the mistake."""

    report: StageReport
    sessions_s: float
    naming_s: float


def known_mistake_edits(assignment: str) -> dict[str, Entry]:
    """The entries of an assignment's wrong programs, by id."""
    entries: dict[str, Entry] = yaml.safe_load((Path(__file__).with_name(f"{assignment}.yaml")).read_text("utf-8"))
    return entries


def write(assignment: str, entry: Entry, into: Path) -> None:
    """Write the program of an entry: the example with the entry's edits."""
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


def check_wrong_program(assignment: str, entry: Entry) -> CheckedEntry:
    """Check the program of an entry in the entry's stage only, and measure how long that takes."""
    loaded = load_assignment(ROOT / "specs" / assignment)
    stage = loaded.stage(str(entry["stage"]))
    stage = msgspec.structs.replace(stage, limits=msgspec.structs.replace(stage.limits, idle_s=_IDLE_S))
    job = Job(loaded, (stage,), find_conditions(), assignment, runs_all=True)
    #: When the sessions began ("run") and when they were judged ("judged"), as measured by `_cpu_s`.
    first_times: dict[str, float] = {}
    naming_s = 0.0

    def listen(event: object) -> None:
        if isinstance(event, Begun) and event.work is StageWork.RUNNING:
            first_times.setdefault("run", _cpu_s())
        elif isinstance(event, Judged):
            first_times.setdefault("judged", _cpu_s())

    original_with_diagnosis = diagnosis.with_diagnosis

    def timed_with_diagnosis(*arguments: Any) -> StageReport:
        nonlocal naming_s
        began = _cpu_s()
        report = original_with_diagnosis(*arguments)
        naming_s = _cpu_s() - began
        return report

    with (
        tempfile.TemporaryDirectory() as name,
        progress.subscribe(listen),
        patch.object(diagnosis, "with_diagnosis", timed_with_diagnosis),
    ):
        Path(name).chmod(0o755)
        write(assignment, entry, Path(name))
        (report,) = check(job, Path(name), cores=1).stages
    running_s = first_times["judged"] - first_times["run"] if "run" in first_times else 0.0
    share_of_failed = sum(not result.is_accepted for result in report.results) / max(1, len(report.results))
    return CheckedEntry(report, running_s * share_of_failed, naming_s)


def _cpu_s() -> float:
    """The processor seconds of this process and of its finished children."""
    return sum(os.times()[:4])


def rate_diagnosis(entry: Entry, report: StageReport) -> str:
    """How good the diagnosis of a program is: right, false, near or none; a verdict if it is not WRONG_ANSWER.

    "near": some mistake is named, but none that explains all failed sessions.
    """
    if report.verdict is not Verdict.WRONG_ANSWER:
        return report.verdict.value.lower()
    full_explanations = [mistake.id for mistake in report.diagnosis if mistake.explains == mistake.of]
    if not full_explanations:
        return "near" if report.diagnosis else "none"
    return "right" if set(full_explanations) <= set(entry.get("right", ())) else "false"
