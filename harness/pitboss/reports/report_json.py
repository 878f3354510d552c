"""Reports and scores as JSON; the fields are documented in docs/json.md, and typed in `shapes`.

The JSON Schemas of all JSON output are generated from the Python types of the output.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import UNSET

from pitboss.compare.comparison import Difference
from pitboss.compare.results import Report, Result, StageReport, Verdict
from pitboss.gradebook.grades import json_number
from pitboss.gradebook.people import HandedIn, PersonRecord, Scored
from pitboss.model.notation import notation_of
from pitboss.model.transcript import Ending, EndingKind, Paused, Shown, Transcript, canonical
from pitboss.reports import shapes
from pitboss.reports.finding_sentences import sentence_on_construct, stage_summary, summary_of
from pitboss.reports.shell_commands import rerun_command

#: The Python type, the version and the title of each format, by its name.
_FORMATS: dict[str, tuple[object, str, str]] = {
    "check": (shapes.Checked[shapes.ReportedResult], shapes.CHECK_FORMAT, "what `pitboss check --json` writes"),
    "grade": (shapes.ReportedClass, shapes.GRADE_FORMAT, "what `pitboss grade --json` writes"),
    "scores": (shapes.Scores, shapes.SCORES_FORMAT, "what `pitboss scores --json` writes"),
    "similarity": (shapes.Similarity, shapes.SIMILARITY_FORMAT, "what `pitboss similar --json` writes"),
}


def report_schemas() -> dict[str, str]:
    """Returns the text of the JSON Schema of each format, by file name."""
    return {f"{name}.schema.json": _schema(*arguments) for name, arguments in _FORMATS.items()}


def _schema(json_type: object, version: str, title: str) -> str:
    schema = msgspec.json.schema(json_type)
    definition = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    definition["properties"]["schema"] = {"const": version}
    definition["required"] = sorted({*definition["required"], "schema"}, key=list(definition["properties"]).index)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps({**head, **schema}, indent=2) + "\n"


# UNSET in a field leaves the field out of the JSON.

#: The type of the parts that are stored in one dictionary.
V = TypeVar("V", bound=msgspec.Struct)


def shape_from(shape: type[V], source: object, **fields: object) -> V:
    """Returns a value for JSON with these fields; every other field has the value of that name in `source`."""
    names = (name for name in shape.__struct_fields__ if name not in fields)
    return shape(**{name: getattr(source, name) for name in names}, **fields)


def check_json(report: Report) -> str:
    return format_json(_checked_report(report, _reported_result, schema=shapes.CHECK_FORMAT))


def grade_json(assignment: str, reports: Mapping[str, Report], missing: Sequence[str] = ()) -> str:
    """Returns the reports of a class as JSON; `missing` names submissions that were not graded.

    `reports` has the reports by the keys of the people.
    """
    shared_parts = _SharedParts()
    submissions = [
        _checked_report(report, shared_parts.class_result, key=key, has_notes=True) for key, report in reports.items()
    ]
    faults = [f"{report.submission}: {fault}" for report in reports.values() for fault in report.faults]
    return format_json(
        shapes.ReportedClass(
            schema=shapes.GRADE_FORMAT,
            assignment=assignment,
            transcripts=shared_parts.transcripts,
            sessions=shared_parts.sessions,
            submissions=tuple(submissions),
            missing=tuple(missing),
            faults=tuple(faults),
        )
    )


def format_json(value: msgspec.Struct) -> str:
    """Returns a value as JSON, indented for human readers."""
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False, indent=2) + "\n"


class _SharedParts:
    """Transcripts and cases that many results of a class share, each stored once under its digest."""

    def __init__(self) -> None:
        self.transcripts: dict[str, shapes.ReportedSession] = {}
        self.sessions: dict[str, shapes.ReportedCase] = {}

    def class_result(self, result: Result, report: Report) -> shapes.ClassResult:
        """Stores the shared parts of a result, and returns the result with the parts' digests in their place."""
        reported = _reported_result(result, report)
        expected = _store(self.transcripts, reported.expected) if reported.expected else None
        return shape_from(
            shapes.ClassResult,
            reported,
            session=_store(self.sessions, shape_from(shapes.ReportedCase, reported, expected=expected)),
            summary=reported.summary or UNSET,
            actual=_store(self.transcripts, reported.actual) if reported.actual else UNSET,
            first_difference=reported.first_difference or UNSET,
            replay=reported.replay or UNSET,
        )


def _store(parts_by_digest: dict[str, V], value: V) -> str:
    key = hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:16]
    parts_by_digest.setdefault(key, value)
    return key


def _checked_report(
    report: Report,
    result_of: Callable[[Result, Report], shapes.R],
    *,
    schema: str | msgspec.UnsetType = UNSET,
    key: str | msgspec.UnsetType = UNSET,
    has_notes: bool = False,
) -> shapes.Checked[shapes.R]:
    """Returns a report for JSON; `result_of` converts each result.

    `has_notes` adds the instructor's notes on mistakes, for a report that no student sees.
    """
    return shape_from(
        shapes.Checked,
        report,
        schema=schema,
        key=key,
        stages=tuple(_reported_stage(stage, has_notes=has_notes) for stage in report.stages),
        results=tuple(result_of(result, report) for stage in report.stages for result in stage.results),
        stopped=report.stopped or UNSET,
    )


def _reported_stage(stage: StageReport, *, has_notes: bool) -> shapes.ReportedStage:
    differences = (
        (difference, difference.text.decode("utf-8", "replace") if difference.text else None)
        for difference in stage.accepted_differences
    )
    mistakes = ((mistake, mistake.note if has_notes and mistake.note else UNSET) for mistake in stage.diagnosis)
    return shape_from(
        shapes.ReportedStage,
        stage,
        summary=stage_summary(stage),
        accepted_differences=tuple(
            shape_from(shapes.ReportedText, difference, actual=text) for difference, text in differences
        ),
        rules=tuple(shapes.ReportedRule(name, met) for name, met in stage.rules),
        constructs=tuple(map(sentence_on_construct, stage.broken)),
        diagnosis=tuple(shape_from(shapes.Explanation, mistake, note=note) for mistake, note in mistakes),
        build=shapes.Built(
            command=stage.build_command,
            messages=stage.build_messages,
            explanation=stage.build_explanation,
            tool=stage.tool,
            made_with=stage.made_with,
        ),
    )


def _reported_result(result: Result, report: Report) -> shapes.ReportedResult:
    expected = _reported_session(result.expected)
    actual = expected if result.actual == result.expected else _reported_session(result.actual)
    return shape_from(
        shapes.ReportedResult,
        result,
        case=result.session,  # in the JSON, each session is a case
        summary=summary_of(result),
        expected=None if result.verdict is Verdict.NEEDS_REVIEW else expected,
        # If an accepted session equals the expected one, `expected` alone is enough.
        actual=None if result.verdict is Verdict.ACCEPTED and actual == expected else actual,
        first_difference=_first_difference(result.difference) if result.difference else None,
        points=json_number(result.points),
        replay=rerun_command(result.rerun, report.folder) if result.rerun else "",
        hint=result.hint or UNSET,
        not_judged=result.not_judged or UNSET,
    )


def _reported_session(transcript: Transcript) -> shapes.ReportedSession:
    """Returns a session for JSON; it has standard error and written files only if the transcript has them."""
    standard_error = UNSET if transcript.errors is None else notation_of(canonical([Shown(transcript.errors)]))
    files = tuple(
        shapes.ReportedFile(file.name, file.kind.value, notation_of(canonical([Shown(file.content)])))
        for file in transcript.written
    )
    return shapes.ReportedSession(
        transcript=notation_of(transcript.events),
        ending=ending_text(transcript.ending),
        bytes_dropped=transcript.bytes_dropped,
        paused_ms=sum(event.duration_ms for event in transcript.events if isinstance(event, Paused)),
        remarks=tuple(remark.value for remark in transcript.remarks),
        stderr=standard_error,
        files=files or UNSET,
    )


def ending_text(ending: Ending) -> str:
    """Returns how a program ended, in a few words.

    >>> ending_text(Ending(EndingKind.EXITED, exit_code=3))
    'exited with 3'
    """
    match ending.kind:
        case EndingKind.EXITED if ending.is_any_failure:  # only an expected ending
            return "exited with any code but 0"
        case EndingKind.EXITED:
            return f"exited with {ending.exit_code}"
        case EndingKind.SIGNALLED:
            return f"signalled {ending.signal}"
    return str(ending.kind.value)


def _first_difference(difference: Difference) -> shapes.FirstDifference:
    return shapes.FirstDifference(
        line=difference.line,
        column=difference.column,
        place=difference.place or UNSET,
        expected=notation_of(difference.quoted.expected[:1]),
        actual=notation_of(difference.quoted.actual[:1]),
    )


def scores_json(about: Mapping[str, str], rows: Iterable[tuple[PersonRecord, Scored | None]]) -> str:
    """Returns the scores of a class as JSON, with the lines that add up to each score.

    Numbers are strings, since a fraction such as 7/3 is exact. `about` has the class's `assignment` and `due` date.
    """
    people = tuple(_person_json(record, scored) for record, scored in rows)
    due = about.get("due", "").partition("[")[0]  # without the time zone's name in brackets
    return format_json(shapes.Scores(shapes.SCORES_FORMAT, about.get("assignment", ""), due, people))


def _person_json(record: PersonRecord, scored: Scored | None) -> shapes.PersonScore:
    grade, report, override = scored.grade if scored else None, record.report, record.override
    stages = report.stages if report else ()
    return shape_from(
        shapes.PersonScore,
        record.person,
        handed_in=_hand_in_json(record.handed_in) if record.handed_in else None,
        score=str(grade.score) if grade and grade.score is not None else None,
        out_of=str(grade.out_of) if grade else None,
        sum=tuple(shapes.SumLine(line.text, str(line.amount)) for line in grade.lines) if grade else (),
        open=grade.open if grade else (),
        style=record.style or None,
        override=shapes.SetScore(override.value, override.reason) if override else None,
        line_comments=tuple(
            shapes.CommentAt(comment.path, comment.line, comment.text) for comment in record.line_comments
        ),
        rubric=tuple(shape_from(shapes.PickedItem, item) for item in record.picked),
        comments=tuple(comment.value for comment in record.comments),
        requests=tuple(shape_from(shapes.RegradeRequest, request) for request in record.requests),
        verdict=report.verdict if report else Verdict.NOT_HANDED_IN,
        stages=tuple(shape_from(shapes.StageCounts, stage) for stage in stages),
    )


def _hand_in_json(hand_in: HandedIn) -> shapes.ReportedHandIn:
    return shape_from(shapes.ReportedHandIn, hand_in, at=hand_in.at.isoformat() if hand_in.at else None)
