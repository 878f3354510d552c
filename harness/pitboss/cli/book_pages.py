"""Writes the pages of a gradebook: a page for each person, and for the instructor a page of the class."""

from __future__ import annotations

import datetime
from pathlib import Path

import click
import msgspec

from pitboss.cli.common_options import make_folder, write_file
from pitboss.cli.scores import ClassHeading
from pitboss.compare.published import student_report
from pitboss.compare.results import Report
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.people import PersonRecord
from pitboss.gradebook.scoring import class_due, is_past_due
from pitboss.reports.pages import INDEX, class_values, grade_values, page_file_names, submission_values
from pitboss.reports.review.source_view import annotated_files
from pitboss.reports.score_table import lateness_text, score_words
from pitboss.reports.style_facts import facts_of, missing_library
from pitboss.reports.templates import page, style
from pitboss.submissions.importers.imported import distinct_names, unique_identifiers


def write_pages(book: Gradebook, heading: ClassHeading, folder: Path, *, is_for_instructor: bool) -> None:
    """Write the pages into a folder, which is created if it is missing; UsageError if that fails.

    Without `is_for_instructor` the pages are for students: no hidden cases, no names of other students and no page of
    the class. Cases with the visibility `after due` are included once the due date has passed for everybody.
    """
    make_folder(folder)
    if not is_for_instructor and (folder / INDEX).exists():
        raise UsageError(
            f"{folder}: this folder has a page of a class, which students must not see; name another folder, or remove "
            f"{INDEX}"
        )
    if missing := missing_library():
        click.echo(f"pitboss: {missing}", err=True)
    is_after_due = not is_for_instructor and is_past_due(book, datetime.datetime.now(datetime.UTC))
    people = book.people()
    identities, display_names = unique_identifiers(people), distinct_names(people)
    file_names = page_file_names([identities[person.key] for person in people])
    for person, file_name in zip(people, file_names, strict=True):
        record, scored = book.person_record(person), book.score(person.key)
        report = book.report(person.key) or report_without_stages(record, heading.assignment, heading.title)
        grade = grade_values(scored.grade, record) if scored else None
        report = msgspec.structs.replace(report, submission=display_names[person.key])
        shown_report = report if is_for_instructor else student_report(report, is_past_due=is_after_due)
        sources = book.sources(person.key)
        code = annotated_files(
            sources, shown_report, facts_of((source.path, source.text) for source in sources), record.line_comments
        )
        values = submission_values(
            shown_report, style(), INDEX if is_for_instructor else "", grade, code, record.requests
        )
        write_file(str(folder / file_name), page("submission.html.j2", values))
    if is_for_instructor:
        _write_class(book, heading, folder, file_names)


def _write_class(book: Gradebook, heading: ClassHeading, folder: Path, file_names: list[str]) -> None:
    """Write the instructor's page of the class; `file_names` are the files of the students' pages."""
    scored_records, due = list(book.scored_records()), class_due(book)
    people = [record.person for record, _ in scored_records]
    display_names, identities = distinct_names(people), unique_identifiers(people)
    reports = (
        msgspec.structs.replace(
            record.report or report_without_stages(record, heading.assignment, heading.title),
            submission=display_names[record.person.key],
        )
        for record, _ in scored_records
    )
    scores = [score_words(scored.grade) if scored else "" for _, scored in scored_records]
    late = [lateness_text(record, due) for record, _ in scored_records]
    values = class_values(
        heading.title, heading.stages, reports, file_names, style(), scores, list(identities.values()), late
    )
    write_file(str(folder / INDEX), page("class.html.j2", values))


def report_without_stages(record: PersonRecord, assignment: str, title: str) -> Report:
    """Returns a report on a student whose programs were not run."""
    problem = record.handed_in.problem if record.handed_in else ""
    return Report(assignment, title, record.person.name, (), notes=(problem,) if problem else ())
