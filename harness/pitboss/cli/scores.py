"""`pitboss scores` shows the scores in a gradebook; `pitboss policy` how another grading policy would change them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from pitboss.assignments.gradingfile import grading_of_file
from pitboss.cli.common_options import write_file
from pitboss.cli.consoles import print_sentence, report_console
from pitboss.cli.resolving import resolve_assignment
from pitboss.errors import HarnessError, UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.grades import format_number
from pitboss.gradebook.people import find_person
from pitboss.gradebook.scoring import GradedPerson, circumstances_of, class_due, count_outdated, policy_effects
from pitboss.reports.score_table import score_words
from pitboss.submissions.importers.imported import distinct_names

if TYPE_CHECKING:
    from pitboss.assignments.assignment import Assignment
    from pitboss.assignments.grading_policy import GradingPolicy
    from pitboss.gradebook.grades import Grade
    from pitboss.gradebook.people import PersonRecord, Scored


book_argument = click.argument("path", type=click.Path(path_type=Path), metavar="GRADEBOOK")


def assignment_of(book: Gradebook) -> Assignment:
    """Load a gradebook's assignment; UsageError if the assignment can no longer be found."""
    # `called` is how the assignment was named on the command line.
    return resolve_assignment(book.class_facts().get("called") or None)


class ClassHeading(NamedTuple):
    """The assignment and stages shown in tables and pages of a class."""

    assignment: str
    title: str
    stages: tuple[str, ...]
    #: The current grading policy; None if the assignment cannot be loaded.
    policy: GradingPolicy | None = None


def heading_of(book: Gradebook) -> ClassHeading:
    """Returns the assignment and its stages.

    If the assignment cannot be loaded, prints why, and returns the stages in the gradebook's reports.
    """
    try:
        assignment = assignment_of(book)
    except HarnessError as error:
        print_sentence(str(error))
        print_sentence("the assignment cannot be loaded: these are the scores stored in the gradebook")
        class_facts = book.class_facts()
        stages = (
            stage.stage
            for record in book.person_records()
            if record.report is not None
            for stage in record.report.stages
        )
        return ClassHeading(
            class_facts.get("assignment", ""), class_facts.get("title", ""), tuple(dict.fromkeys(stages))
        )
    return ClassHeading(
        assignment.name, assignment.title, tuple(stage.name for stage in assignment.stages), assignment.grading
    )


def say_if_outdated(
    book: Gradebook, policy: GradingPolicy | None, scored_records: Iterable[tuple[PersonRecord, Scored | None]]
) -> None:
    """Print how many of these scores were not computed by the assignment's current policy."""
    count = count_outdated(book, scored_records, policy) if policy is not None else 0
    if count:
        scores, them = ("a score here was", "it") if count == 1 else (f"{count} scores here were", "them")
        command = f"`pitboss regrade {shlex.quote(str(book.path))}`"
        cause = "the grading policy, or how pitboss applies it, has changed"
        print_sentence(f"{cause} since {scores} computed: {command} computes {them} again")


def _current_policy(book: Gradebook) -> GradingPolicy | None:
    """Returns the current policy of the assignment; None if the assignment cannot be loaded."""
    try:
        return assignment_of(book).grading
    except HarnessError:
        return None


@click.command()
@book_argument
@click.argument("who", required=False, metavar="[PERSON]")
@click.option("--csv", "csv_path", metavar="FILE", help="Write the table as CSV; - for standard output.")
@click.option(
    "--json", "json_path", metavar="FILE", help="Write scores with their sums as JSON; - for standard output."
)
@click.option(
    "--html", "html_folder", type=click.Path(path_type=Path), metavar="DIR", help="Write an HTML page for each student."
)
@click.option(
    "--hidden", "has_hidden", is_flag=True, help="With --html: include hidden cases, and a page of the class."
)
@click.option("--marks", "sheet_path", metavar="FILE", help="Write a sheet of marks to edit, for `mark --from`.")
def scores(
    path: Path,
    who: str | None,
    csv_path: str | None,
    json_path: str | None,
    html_folder: Path | None,
    has_hidden: bool,
    sheet_path: str | None,
) -> None:
    """Show the scores of a class, or how one student's score adds up.

    Reads the GRADEBOOK that `pitboss grade` wrote. With a PERSON (a key, a login, an address or a name), shows how the
    score adds up, its history and all marks. If a file is written, no table is printed. The class is sorted by names as
    they are displayed, not by family names.
    """
    if who is not None and (csv_path or json_path or html_folder or sheet_path):
        raise UsageError("--csv, --json, --html and --marks are for the whole class: leave out the person")
    from pitboss.reports.class_table import score_table, scores_csv
    from pitboss.reports.report_json import scores_json
    from pitboss.reports.score_table import person_score_view

    with Gradebook(path) as book:
        if who is not None:
            person = find_person(book.people(), who)
            record, history, marks = book.person_record(person), book.scores(person.key), book.marks(person.key)
            say_if_outdated(book, _current_policy(book), [(record, history[-1] if history else None)])
            name = distinct_names(book.people())[person.key]
            report_console().print(person_score_view(name, record, history, marks))
            return
        heading, scored_records = heading_of(book), list(book.scored_records())
        say_if_outdated(book, heading.policy, scored_records)
        stages = heading.stages
        if not (csv_path or json_path or html_folder or sheet_path):
            report_console().print(score_table(stages, scored_records, class_due(book)))
        if csv_path:
            write_file(csv_path, scores_csv(stages, scored_records, class_due(book)))
        if json_path:
            write_file(json_path, scores_json(book.class_facts(), scored_records))
        if sheet_path:
            from pitboss.reports.mark_sheet import mark_sheet

            write_file(sheet_path, mark_sheet(book, assignment_of(book).grading))
        if html_folder:
            from pitboss.cli.book_pages import write_pages

            write_pages(book, heading, html_folder, is_for_instructor=has_hidden)
        _say_written([csv_path, json_path, sheet_path, html_folder], len(scored_records))


def _say_written(paths: Iterable[str | Path | None], people_count: int) -> None:
    """Print which files were written; on standard error if one of them is standard output."""
    written = [str(path) for path in paths if path]
    people = "1 person" if people_count == 1 else f"{people_count} people"
    for path in written:
        if path != "-":
            click.echo(f"wrote {path} ({people})", err="-" in written)


def score_text(grade: Grade | None) -> str:
    """Returns a score as part of a sentence, such as “8 of 10”; “none” if there is no grade."""
    return f"{score_words(grade)} of {format_number(grade.out_of)}" if grade else "none"


@click.command()
@book_argument
@click.option(
    "--try", "tried", type=click.Path(path_type=Path), metavar="FILE", help="A file with another `grading` section."
)
@click.option("--details", is_flag=True, help="Also show which lines of each sum differ.")
def policy(path: Path, tried: Path | None, details: bool) -> None:
    """Show how another grading policy would change the scores.

    Changes nothing in the GRADEBOOK.
    """
    from pitboss.reports.score_table import policy_table

    if tried is None:
        raise UsageError("--try FILE is missing: a file with another `grading`, such as a copy of assignment.yaml")
    with Gradebook(path) as book:
        assignment, due = assignment_of(book), class_due(book)
        other_policy = grading_of_file(tried, assignment.stages)
        graded_people = [
            GradedPerson(record.person.name, record.report, circumstances_of(record, due))
            for record in book.person_records()
            if not record.is_waiting  # a waiting submission has not run yet, so there is nothing to score
        ]
        report_console().print(
            policy_table(policy_effects(graded_people, assignment.grading, other_policy), has_details=details)
        )
