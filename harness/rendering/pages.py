"""What a page shows of a report, as values for its template; student output is text, never markup."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from harness.rendering.plain import plain_session
from harness.rendering.screen import Line, Piece, parting_of
from harness.results import Report, Result, StageReport
from harness.verdicts import WORDS, Verdict

#: So many failed cases of a stage are shown.
_MOST_CASES = 12


class Row(msgspec.Struct, frozen=True):
    """A line of the conversation: its kind (same, expected, actual), what stands before it, its pieces."""

    kind: str
    gutter: str
    pieces: tuple[Piece, ...]


def submission_values(report: Report, style: str, index: str = "") -> dict[str, object]:
    """The values of a submission's page; `index` is the link to the class, empty where there is none."""
    return {"report": report, "style": style, "index": index, "stages": [_stage(stage) for stage in report.stages]}


def _stage(stage: StageReport) -> dict[str, object]:
    failed = [one for one in stage.results if one.verdict is not Verdict.ACCEPTED]
    return {
        "report": stage,
        "verdict": WORDS[stage.verdict],
        "cases": [_case(one) for one in failed[:_MOST_CASES]],
        "more": max(0, len(failed) - _MOST_CASES),
    }


def _case(result: Result) -> dict[str, object]:
    return {
        "result": result,
        "verdict": WORDS[result.verdict],
        "rows": _rows(result),
        "expected": plain_session(result.expected.events),
        "actual": plain_session(result.actual.events),
    }


def _rows(result: Result) -> list[Row]:
    if result.difference is None:
        return []
    parting = parting_of(result.difference)
    rows = [_row("same", str(number), line) for number, line in enumerate(parting.context, parting.first_number)]
    return [*rows, _row("expected", "expected", parting.expected), _row("actual", "yours", parting.actual)]


def _row(kind: str, gutter: str, line: Line) -> Row:
    return Row(kind, gutter, tuple(line))


def class_values(title: str, stages: Sequence[str], reports: Sequence[Report], style: str) -> dict[str, object]:
    """The values of the page of a class, with a link to each submission's."""
    rows = [
        {
            "name": report.submission,
            "page": page_of(report.submission),
            "cells": [_cell(report, name) for name in stages],
        }
        for report in reports
    ]
    accepted = sum(report.verdict is Verdict.ACCEPTED for report in reports)
    return {"title": title, "style": style, "stages": stages, "rows": rows, "accepted": accepted}


def page_of(submission: str) -> str:
    """The name of a submission's page."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in submission) + ".html"


def _cell(report: Report, name: str) -> dict[str, object] | None:
    stage = next((one for one in report.stages if one.stage == name), None)
    if stage is None:
        return None
    failed = stage.results and stage.verdict is not Verdict.ACCEPTED
    return {
        "verdict": stage.verdict,
        "words": WORDS[stage.verdict],
        "count": f"{stage.passed} of {stage.total}" if failed else "",
        "mistakes": [one.title for one in stage.diagnosis[:2]],
    }
