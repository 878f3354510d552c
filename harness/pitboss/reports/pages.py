"""The values that the templates of pages display, and the pages' file names.

Student output is passed as text, never as markup.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

import msgspec

from pitboss.compare.results import Report, Result, StageReport, Verdict
from pitboss.gradebook.grades import Grade, format_number
from pitboss.gradebook.marks import Request
from pitboss.gradebook.people import PersonRecord
from pitboss.model.transcript import Event, Shown
from pitboss.reports.finding_sentences import (
    hidden_cases_sentence,
    how_started,
    mistake_groups,
    note_of,
    sentence_on_accepted,
    sentence_on_construct,
    stage_summary,
    summary_of,
    unjudged_sentence,
)
from pitboss.reports.score_table import score_words
from pitboss.reports.screen import (
    Piece,
    cut_end,
    fit_difference,
    marked_lines,
    screen_difference,
    without_middles,
)
from pitboss.reports.shell_commands import rerun_command

#: The maximum number of failed cases to show for a stage.
_MAX_CASES = 12
#: The maximum number of columns to show of a line on which two sessions part.
_DIFFERENCE_COLUMNS = 400
#: The maximum numbers of columns and of lines to show of a whole session.
_MAX_COLUMNS, _MAX_LINES = 2000, 1000

#: Verdicts of sessions that are not shown as failed, although `StageReport.failures` has the skipped sessions too.
_NOT_FAILED = (Verdict.ACCEPTED, Verdict.SKIPPED, Verdict.NEEDS_REVIEW)


class ConversationRow(msgspec.Struct, frozen=True):
    """A line of the conversation, as displayed."""

    #: `same`, `expected` or `actual`: the session that the line belongs to.
    kind: str
    #: The text in front of the line, such as the line number.
    gutter: str
    pieces: tuple[Piece, ...]


def submission_values(
    report: Report,
    style: str,
    index: str = "",
    grade: dict[str, object] | None = None,
    code: Sequence[object] = (),
    requests: Sequence[Request] = (),
) -> dict[str, object]:
    """Returns the values of a submission's page.

    `style` is the text of the style sheet. `index` is the link to the class's page, or empty. `grade` are the values of
    the submission's grade, if it has a grade. `code` are its sources with remarks on their lines. `requests` are the
    student's requests about the grade.
    """
    return {
        "code": code,
        "grade": grade,
        "requests": requests,
        "report": report,
        "style": style,
        "index": index,
        "stages": [_stage_values(stage) for stage in report.stages],
    }


def grade_values(grade: Grade, record: PersonRecord) -> dict[str, object]:
    """Returns the values of a grade: its lines, their sum, and the comments on the program."""
    return {
        "lines": [(line.text, format_number(line.amount)) for line in grade.lines],
        "total": f"{score_words(grade)} of {format_number(grade.out_of)}",
        "open": grade.open,
        "comments": [comment.value for comment in record.comments],
        "line_comments": record.line_comments,
    }


def _stage_values(stage: StageReport) -> dict[str, object]:
    failed = [result for result in stage.failures if result.verdict not in _NOT_FAILED]
    return {
        "report": stage,
        "messages": stage.build_messages.expandtabs(8),
        "note": note_of(stage),
        "summary": stage_summary(stage),
        "not_run": sum(result.verdict is Verdict.SKIPPED for result in stage.results),
        "accepted_differences": [sentence_on_accepted(accepted) for accepted in stage.accepted_differences],
        "not_judged": unjudged_sentence(stage),
        "constructs": list(map(sentence_on_construct, stage.broken)),
        "hidden": hidden_cases_sentence(stage.hidden) if stage.hidden else "",
        "verdict": stage.verdict.words,
        "mistakes": mistake_groups(stage.diagnosis),
        "manual_cases": [case_values(result) for result in stage.results if result.verdict is Verdict.NEEDS_REVIEW],
        "cases": [case_values(result) for result in failed[:_MAX_CASES]],
        "more": max(0, len(failed) - _MAX_CASES),
    }


def case_values(result: Result) -> dict[str, object]:
    """Returns the values of a session: the actual and the expected session in full, and their difference."""
    return {
        "result": result,
        "summary": summary_of(result),
        "started": how_started(result.stage, result.started),
        "again": rerun_command(result.rerun) if result.rerun else "",
        "verdict": result.verdict.words,
        "rows": _conversation_rows(result),
        "expected": _session_text(_expected_events(result)),
        "actual": _session_text(result.actual.events),
        "side_outputs": _side_outputs(result),
    }


def _expected_events(result: Result) -> tuple[Event, ...]:
    """Returns the events of the expected session, as far as they are known."""
    if not result.has_unknown_text or result.difference is None:
        return result.expected.events
    return (*result.difference.quoted.expected_before, *result.difference.quoted.expected)


def _side_outputs(result: Result) -> list[tuple[str, str, str]]:
    """Returns the outputs compared besides the screen: the name, the program's text and the expected text of each."""
    actual, expected = result.actual, result.expected
    side_outputs = (
        [("standard error", actual.errors, expected.errors)] if None not in (actual.errors, expected.errors) else []
    )
    actual_files = {file.name: file for file in actual.written}
    side_outputs += [
        (file.name, actual_files[file.name].content, file.content)
        for file in expected.written
        if file.name in actual_files
    ]
    return [
        (name, _session_text([Shown(text or b"")]), _session_text([Shown(expected_text or b"")]))
        for name, text, expected_text in side_outputs
    ]


def _session_text(events: Iterable[Event]) -> str:
    """Returns a session as text. Very long lines are cut at the end; a very long session is cut in the middle."""
    shortened, already_omitted = without_middles(events, _MAX_LINES, _MAX_COLUMNS)
    lines = ["".join(piece.text for piece in cut_end(line, _MAX_COLUMNS)) for line in marked_lines(shortened)]
    omitted = len(lines) - _MAX_LINES + already_omitted
    if omitted > 0:
        half = _MAX_LINES // 2
        lines[half:-half] = [f"… {omitted:,} more lines …"]
    return "\n".join(lines).rstrip("\n")


def _conversation_rows(result: Result) -> list[ConversationRow]:
    """Returns the expected and the actual line on which the sessions part, after the lines before them.

    Empty if the sessions do not differ.
    """
    if result.difference is None:
        return []
    difference = fit_difference(screen_difference(result.difference), _DIFFERENCE_COLUMNS)
    rows = [
        ConversationRow("same", str(number), line)
        for number, line in enumerate(difference.context, difference.first_number)
    ]
    if difference.expected is not None:
        rows.append(ConversationRow("expected", "expected", (*difference.expected[0], *difference.expected[1])))
    return [*rows, ConversationRow("actual", "yours", (*difference.actual[0], *difference.actual[1]))]


def class_values(
    title: str,
    stages: Sequence[str],
    reports: Iterable[Report],
    pages: Sequence[str],
    style: str,
    scores: Sequence[str] = (),
    who: Sequence[str] = (),
    late: Sequence[str] = (),
) -> dict[str, object]:
    """Returns the values of the page of a class.

    `pages` are the names of the submissions' pages. `scores` and `late` are the score and the lateness of each
    submission, or empty. `who` are the logins or keys of the people; a page shows them beside the names that do not
    contain them. `style` is the text of the style sheet.
    """
    rows, accepted = [], 0
    for number, (report, page) in enumerate(zip(reports, pages, strict=True)):
        accepted += bool(report.stages) and report.verdict is Verdict.ACCEPTED
        cells = [_cell_values(report, name) for name in stages]
        score = scores[number] if scores else ""
        has_key_in_name = not who or report.submission == who[number] or report.submission.endswith(f" ({who[number]})")
        label = "" if has_key_in_name else who[number]
        lateness = late[number] if late else ""
        row = {"name": report.submission, "who": label, "page": page, "cells": cells, "score": score, "late": lateness}
        rows.append(row)
    return {
        "title": title,
        "style": style,
        "stages": stages,
        "rows": rows,
        "accepted": accepted,
        "has_scores": bool(scores),
        "has_late": any(late),
    }


def _cell_values(report: Report, name: str) -> dict[str, object] | None:
    """Returns the values of a cell of the class table; None if the report lacks the stage."""
    stage = next((candidate for candidate in report.stages if candidate.stage == name), None)
    if stage is None:
        return None
    failed = stage.results and stage.verdict not in (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW)
    return {
        "verdict": stage.verdict,
        "words": stage.verdict.words,
        "count": f"{stage.passed} of {stage.total}" if failed else "",
        "mistakes": [mistake.title for mistake in stage.diagnosis[:2]],
    }


# File names of pages


INDEX = "index.html"
#: The maximum length of a name without suffixes. File systems allow 255 bytes, encrypted file systems 143: the limit
#: leaves room for digits of a hash, a number and `.html`.
_MAX_BYTES = 100
#: Names that Windows reserves, with or without a suffix, and `index`, the name of the class's page.
_RESERVED = {
    "index",
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
}


def page_file_names(submissions: Sequence[str]) -> list[str]:
    """Returns the file names of the submissions' pages, in the order of the submissions.

    A page has the name of its submission if that is a valid file name. If the name is invalid, or if some file system
    confuses the name with another, the first digits of the name's hash are appended: they are the same in the next run.

    >>> page_file_names(["ada", "a b", "a_b", "Ada", "index"])
    ['ada.html', 'a_b-c8687a08.html', 'a_b.html', 'Ada-99a563ab.html', 'index-1bc04b52.html']
    """
    names: dict[int, str] = {}
    used: set[str] = set()
    order = sorted(range(len(submissions)), key=lambda index: _rank(submissions[index]))
    for index in order:
        name = next(candidate for candidate in _candidates(submissions[index]) if _collision_key(candidate) not in used)
        used.add(_collision_key(name))
        names[index] = f"{name}.html"
    return [names[index] for index in range(len(submissions))]


def _rank(submission: str) -> tuple[bool, bool, str]:
    """Returns a sort key: unchanged names come first, and lower-case names before names that differ only in case."""
    return _safe_name(submission) != submission, submission != submission.lower(), submission


def _candidates(submission: str) -> Iterator[str]:
    """Yields possible names of a page without `.html`, the preferred name first."""
    safe_name = _safe_name(submission)
    if safe_name and _collision_key(safe_name.partition(".")[0]) not in _RESERVED:
        yield safe_name
    digest = hashlib.sha256(submission.encode("utf-8", "surrogatepass")).hexdigest()
    stem = safe_name or "submission"
    yield f"{stem}-{digest[:8]}"
    # Numbers are needed if two submissions have the same name, or if one is called like the page of another.
    yield from (f"{stem}-{digest[:8]}-{number}" for number in count(1))


def _safe_name(submission: str) -> str:
    """Returns a submission's name without characters that cause trouble in a file name, a link or a command."""
    normalized = unicodedata.normalize("NFC", submission)
    safe_name = "".join(character if character.isalnum() or character in "-_." else "_" for character in normalized)
    return safe_name.encode()[:_MAX_BYTES].decode("utf-8", "ignore").lstrip(".-").rstrip(".")


def _collision_key(name: str) -> str:
    """Returns a key that is equal for two names if some file system confuses them."""
    # Casefolding can undo the normalization, so the text is normalized again.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
