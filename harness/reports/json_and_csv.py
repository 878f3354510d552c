"""Reports as JSON and CSV; the fields are documented in docs/json.md."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from harness.judging.comparison import Difference
from harness.judging.results import Report, Result, StageReport
from harness.judging.verdicts import Verdict
from harness.transcripts.notation import notation_of
from harness.transcripts.transcript import Ending, EndingKind, Shown, Transcript, canonical

CHECK_SCHEMA, GRADE_SCHEMA = "pitboss/check/v1", "pitboss/grade/v1"


def check_json(report: Report) -> str:
    """The report on one submission as JSON."""
    return _dumped({"schema": CHECK_SCHEMA, **_report(report)})


def check_line(report: Report) -> str:
    """The report on one submission as one line of JSON in ASCII."""
    return json.dumps({"schema": CHECK_SCHEMA, **_report(report)}) + "\n"


def grade_json(assignment: str, reports: Sequence[Report], missing: Sequence[str] = ()) -> str:
    """The reports on a class as JSON; `missing` names submissions that were not graded."""
    submissions = [_report(report, has_notes=True) for report in reports]
    faults = [f"{report.submission}: {fault}" for report in reports for fault in report.faults]
    return _dumped(
        {
            "schema": GRADE_SCHEMA,
            "assignment": assignment,
            "submissions": submissions,
            "missing": list(missing),
            "faults": faults,
        }
    )


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _report(report: Report, *, has_notes: bool = False) -> dict[str, object]:
    """A report; `has_notes` where only the instructor sees it."""
    return {
        "assignment": report.assignment,
        "submission": report.submission,
        "verdict": report.verdict.value,
        "stages": [_stage(stage, has_notes=has_notes) for stage in report.stages],
        "results": [_result(result, report) for stage in report.stages for result in stage.results],
        "faults": list(report.faults),
        "conditions": list(report.conditions),
        "notes": list(report.notes),
        **({"stopped": report.stopped} if report.stopped else {}),
    }


def _stage(stage: StageReport, *, has_notes: bool) -> dict[str, object]:
    return {
        "stage": stage.stage,
        "verdict": stage.verdict.value,
        "passed": stage.passed,
        "total": stage.total,
        "summary": stage.summary,
        "judged_as": stage.judged_as,
        "taken": [
            {
                "name": one.name,
                "expected": one.expected,
                "actual": one.text.decode("utf-8", "replace") if one.text else None,
            }
            for one in stage.taken
        ],
        "crash": stage.crash,
        "memory": stage.memory,
        "comment": stage.comment,
        "rules": [{"rule": name, "met": met} for name, met in stage.rules],
        "unshown": list(stage.unshown),
        "diagnosis": [
            {
                "id": one.id,
                "title": one.title,
                "explains": one.explains,
                "of": one.of,
                **({"note": one.note} if has_notes and one.note else {}),
            }
            for one in stage.diagnosis
        ],
        "build": {
            "command": stage.build_command,
            "messages": stage.build_messages,
            "explanation": stage.build_explanation,
            "made_with": stage.made_with,
        },
    }


def _result(result: Result, report: Report) -> dict[str, object]:
    return {
        "stage": result.stage,
        "case": result.case,
        "verdict": result.verdict.value,
        "summary": result.summary,
        "expected": None if result.verdict is Verdict.FOR_A_PERSON else _transcript(result.expected),
        # An accepted session equals the expected one, so it is not repeated.
        "actual": None if result.verdict is Verdict.ACCEPTED else _transcript(result.actual),
        "first_difference": _difference(result.difference) if result.difference else None,
        "points": result.points,
        "visibility": result.visibility,
        "replay": report.command(result.replay) if result.replay else "",
        "place": result.place,
        **({"not_judged": result.not_judged} if result.not_judged else {}),
    }


def _transcript(transcript: Transcript) -> dict[str, object]:
    return {
        "transcript": notation_of(transcript.events),
        "ending": ending_text(transcript.ending),
        "bytes_dropped": transcript.bytes_dropped,
        "remarks": [remark.value for remark in transcript.remarks],
        **_apart(transcript),
    }


def _apart(transcript: Transcript) -> dict[str, object]:
    """What is compared besides the screen; only where anything is."""
    fields: dict[str, object] = {}
    if transcript.errors is not None:
        fields["stderr"] = notation_of(canonical([Shown(transcript.errors)]))
    if transcript.written:
        fields["files"] = [
            {"name": one.name, "is": one.kind.value, "content": notation_of(canonical([Shown(one.content)]))}
            for one in transcript.written
        ]
    return fields


def ending_text(ending: Ending) -> str:
    """An ending in a few words.

    >>> ending_text(Ending(EndingKind.EXITED, exit_code=3))
    'exited with 3'
    """
    match ending.kind:
        case EndingKind.EXITED:
            return f"exited with {ending.exit_code}"
        case EndingKind.SIGNALLED:
            return f"signalled {ending.signal}"
    return str(ending.kind.value)


def _difference(difference: Difference) -> dict[str, object]:
    return {
        "line": difference.line,
        "column": difference.column,
        **({"in": difference.place} if difference.place else {}),
        "expected": notation_of(difference.told.expected[:1]),
        "actual": notation_of(difference.told.actual[:1]),
    }


def grade_csv(stages: Sequence[str], reports: Sequence[Report]) -> str:
    """A class as CSV: a row for each submission, with the verdict and counts of each stage, and remarks on memory."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    heads = [f"{stage}{column}" for stage in stages for column in ("", " passed", " total")]
    writer.writerow(["submission", "verdict", *heads, "memory"])
    for report in reports:
        row: list[object] = [_safe(report.submission), report.verdict.value]
        by_name = {stage.stage: stage for stage in report.stages}
        for name in stages:
            stage = by_name.get(name)
            counts = [stage.passed, stage.total] if stage and not stage.is_for_person else ["", ""]
            row += [stage.verdict.value if stage else "", *counts]
        row.append(" ".join(f"{stage.stage}: {stage.memory}" for stage in report.stages if stage.memory))
        writer.writerow(row)
    return target.getvalue()


def _safe(name: str) -> str:
    """The name, changed if a spreadsheet would take it for a formula."""
    return f"'{name}" if name[:1] in "=+-@\t\r" else name
