"""The report on a class for people in the terminal, as rich text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.reports.findings import stage_summary
from pitboss.reports.report import verdict_text


def class_table(stages: Sequence[str], reports: Sequence[Report]) -> Group:
    """A class: a row for each submission, faults on our side, and how sessions were run."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("submission")
    for stage in stages:
        table.add_column(stage)
    for report in reports:
        by_name = {stage.stage: stage for stage in report.stages}
        cells = (stage_cell(by_name[name]) if name in by_name else Text() for name in stages)
        table.add_row(Text(report.submission), *cells)
    accepted = sum(report.verdict is Verdict.ACCEPTED for report in reports)
    parts: list[object] = [table, Text(), Text(f"{accepted} of {len(reports)} accepted in every stage")]
    parts += [Text(f"{report.submission}: {note}") for report in reports for note in _notes(report)]
    faults = [f"{report.submission}: {fault}" for report in reports for fault in report.faults]
    parts += [Text(fault, style="bold magenta") for fault in faults]
    parts += [Text(sentence, style="dim") for sentence in (reports[0].conditions if reports else ())]
    return Group(*parts)  # type: ignore[arg-type]


def _notes(report: Report) -> tuple[str, ...]:
    """Where programs were found; or if no stage has a program, why."""
    missing = [stage for stage in report.stages if stage.verdict is Verdict.NOT_HANDED_IN]
    is_all = bool(missing) and len(missing) == len(report.stages)
    return (*report.notes, *((stage_summary(missing[0]),) if is_all else ()))


def stage_cell(stage: StageReport) -> Text:
    """A stage in a table of a class: its verdict, and how many of its sessions passed."""
    text = verdict_text(stage.verdict)
    if stage.results and stage.verdict is not Verdict.ACCEPTED and not stage.is_for_person:
        text.append(f"\n{stage.passed}/{stage.total}", style="dim")
    return text
