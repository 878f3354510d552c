"""The wrong programs of the YAML files beside this one: written into a folder, checked, and compared with the truth.

An entry is an edit of an example (`of`, `stage`, `edits`), its `truth`, which was written down before it was run, and
what may be told of it: `right` are the names that say the truth.
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
from pitboss.compare.check_events import Begun, Judged, StageWork
from pitboss.compare.results import StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.experiments.naming import diagnosis
from pitboss.sandbox import progress
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job

ROOT = Path(__file__).resolve().parents[2]
#: Nobody waits long for input in these programs.
_IDLE_S = 2
Entry = dict[str, Any]


class Tried(NamedTuple):
    """What was said of one program, and the processor time of its failed sessions and of the naming, in seconds."""

    report: StageReport
    sessions_s: float
    naming_s: float


def entries_of(assignment: str) -> dict[str, Entry]:
    """The wrong programs of an assignment, by id."""
    entries: dict[str, Entry] = yaml.safe_load((Path(__file__).with_name(f"{assignment}.yaml")).read_text("utf-8"))
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
    stage = msgspec.structs.replace(stage, limits=msgspec.structs.replace(stage.limits, idle_s=_IDLE_S))
    job = Job(loaded, (stage,), find_conditions(), assignment, runs_all=True)
    at: dict[str, float] = {}

    def listen(told: object) -> None:
        now = _cpu_s()
        if isinstance(told, Begun) and told.work is StageWork.RUNNING:
            at.setdefault("run", now)
        elif isinstance(told, Judged):
            at.setdefault("judged", now)

    with_diagnosis = diagnosis.with_diagnosis

    def timed(*arguments: Any) -> StageReport:
        began = _cpu_s()
        named = with_diagnosis(*arguments)
        at["naming"] = _cpu_s() - began
        return named

    with (
        tempfile.TemporaryDirectory() as name,
        progress.subscribe(listen),
        patch.object(diagnosis, "with_diagnosis", timed),
    ):
        Path(name).chmod(0o755)
        write(assignment, entry, Path(name))
        (report,) = check(job, Path(name), count=1).stages
    failed = sum(not one.is_accepted for one in report.results)
    running_s = at["judged"] - at["run"] if "run" in at else 0.0
    return Tried(report, running_s * failed / max(1, len(report.results)), at.get("naming", 0.0))


def _cpu_s() -> float:
    """The processor time of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def kind_of(entry: Entry, report: StageReport) -> str:
    """How what is told of a program stands to the truth: right, false, none, near, or that it is accepted."""
    if report.verdict is not Verdict.WRONG_ANSWER:
        return report.verdict.value.lower()
    whole = [one.id for one in report.diagnosis if one.explains == one.of]
    if not whole:
        return "near" if report.diagnosis else "none"
    return "right" if set(whole) <= set(entry.get("right", ())) else "false"
