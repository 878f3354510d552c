"""`pitboss scores` and `mark`: reading a gradebook, and adding marks to it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pitboss.assignments.rubricfile import read_rubric
from pitboss.cli.common_options import write_file
from pitboss.cli.consoles import report_console, say
from pitboss.cli.prompts import loaded
from pitboss.errors import HarnessError, UsageError, as_found, listed
from pitboss.gradebook.book import (
    ANSWER,
    COMMENT,
    DECLINE,
    DUE,
    LATE,
    OVERRIDE,
    PICKED,
    REQUEST,
    RUBRIC,
    STAGE,
    STYLE,
    Gradebook,
)
from pitboss.gradebook.marking import (
    add_marks,
    check_manual_stage,
    check_rubric_item,
    days_in,
    line_in,
    mark_person,
    points_in,
    set_rubric,
    share_in,
)
from pitboss.gradebook.number_format import format_number
from pitboss.gradebook.people import parse_due, person_called, user_name
from pitboss.gradebook.scoring import class_due, count_outdated, is_undated
from pitboss.reports.score_words import score_words
from pitboss.submissions.importers.imported import distinct_names

if TYPE_CHECKING:
    from pitboss.assignments.assignment import Assignment
    from pitboss.assignments.grading_policy import GradingPolicy
    from pitboss.gradebook.grades import Grade
    from pitboss.gradebook.person_records import PersonRecord, Scored

book_argument = click.argument("path", type=click.Path(path_type=Path), metavar="GRADEBOOK")


def assignment_of(book: Gradebook) -> Assignment:
    """Load a gradebook's assignment; UsageError if it can no longer be found."""
    return loaded(book.class_facts().get("called") or None)


class ClassHeading(NamedTuple):
    """The assignment and stages shown in tables and pages of a class."""

    assignment: str
    title: str
    stages: tuple[str, ...]
    #: None if the assignment cannot be loaded.
    policy: GradingPolicy | None = None


def heading_of(book: Gradebook) -> ClassHeading:
    """Returns the assignment and its stages; if it cannot be loaded, reports that and returns the graded stages."""
    try:
        assignment = assignment_of(book)
    except HarnessError as error:
        say(str(error))
        say("the assignment cannot be loaded: these are the scores stored in the gradebook")
        about = book.class_facts()
        stages = (stage.stage for row in book.rows() if row.report is not None for stage in row.report.stages)
        return ClassHeading(about.get("assignment", ""), about.get("title", ""), tuple(dict.fromkeys(stages)))
    return ClassHeading(
        assignment.name, assignment.title, tuple(stage.name for stage in assignment.stages), assignment.grading
    )


def say_if_outdated(
    book: Gradebook, policy: GradingPolicy | None, rows: Iterable[tuple[PersonRecord, Scored | None]]
) -> None:
    """Print how many of these scores were not computed by the assignment's current policy."""
    count = count_outdated(book, rows, policy) if policy is not None else 0
    if count:
        scores = "a score here was" if count == 1 else f"{count} scores here were"
        command = f"`pitboss regrade {shlex.quote(str(book.path))}`"
        changed = "the grading policy, or how pitboss applies it, has changed"
        say(f"{changed} since {scores} computed: {command} computes them again")


def _policy_now(book: Gradebook) -> GradingPolicy | None:
    """Returns the policy of the assignment; None if it cannot be loaded."""
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
    from pitboss.reports.score_table import person_sum, score_table, scores_csv, scores_json

    with Gradebook(path) as book:
        if who is not None:
            person = person_called(book.people(), who)
            row, history, marks = book.row(person), book.scores(person.key), book.marks(person.key)
            say_if_outdated(book, _policy_now(book), [(row, history[-1] if history else None)])
            name = distinct_names(book.people())[person.key]
            report_console().print(person_sum(name, row, history, marks))
            return
        heading, rows = heading_of(book), list(book.scored_rows())
        say_if_outdated(book, heading.policy, rows)
        stages = heading.stages
        if not (csv_path or json_path or html_folder or sheet_path):
            report_console().print(score_table(stages, rows, class_due(book)))
        if csv_path:
            write_file(csv_path, scores_csv(stages, rows, class_due(book)))
        if json_path:
            write_file(json_path, scores_json(book.class_facts(), rows))
        if sheet_path:
            from pitboss.reports.mark_sheet import mark_sheet

            write_file(sheet_path, mark_sheet(book, assignment_of(book).grading))
        if html_folder:
            from pitboss.cli.book_pages import write_pages

            write_pages(book, heading, html_folder, is_for_instructor=has_hidden)
        _say_written([csv_path, json_path, sheet_path, html_folder], len(rows))


def _say_written(paths: Iterable[str | Path | None], people: int) -> None:
    """Print which files were written; on standard error if one of them is standard output."""
    written = [str(path) for path in paths if path]
    count = f"{people} {'person' if people == 1 else 'people'}"
    for path in written:
        if path != "-":
            click.echo(f"wrote {path} ({count})", err="-" in written)


@click.command()
@book_argument
@click.argument("who", required=False, metavar="[PERSON]")
@click.option("--style", metavar="SHARE", help="The style score, as a percentage (80%) or a share (4/5).")
@click.option("--override", metavar="SCORE", help="Replace the computed score. Needs --reason.")
@click.option("--stage", metavar="STAGE=SHARE", help="Score of a manually graded stage.")
@click.option("--due", metavar="INSTANT", help="This student's due date.")
@click.option("--late", metavar="DAYS", help="How many days late, regardless of timestamps; negative if early.")
@click.option("--comment", metavar="TEXT", help="Add a comment.")
@click.option("--at", "place", metavar="FILE:LINE", help="With --comment: put it at this line of a source.")
@click.option("--pick", "picked", multiple=True, metavar="KEY", help="Pick an item of the rubric. May be repeated.")
@click.option("--unpick", "unpicked", multiple=True, metavar="KEY", help="Unpick an item. May be repeated.")
@click.option("--request", metavar="TEXT", help="Record what the student asks to have regraded.")
@click.option("--answer", metavar="TEXT", help="Answer the student's open requests.")
@click.option("--decline", metavar="TEXT", help="Decline the student's open requests, with this answer.")
@click.option("--reason", default="", metavar="TEXT", help="Why; stored with the mark.")
@click.option("--by", metavar="NAME", help="Author of the mark (default: you).")
@click.option(
    "--from", "sheet", type=click.Path(path_type=Path), metavar="FILE", help="Add the marks edited in this sheet."
)
@click.option("--rubric", type=click.Path(path_type=Path), metavar="FILE", help="Set the rubric of the gradebook.")
@click.option("--yes", "is_sure", is_flag=True, help="With --from: add them without asking.")
def mark(
    path: Path,
    who: str | None,
    reason: str,
    by: str | None,
    sheet: Path | None,
    rubric: Path | None,
    is_sure: bool,
    **given: Any,
) -> None:
    """Give a student a style score, a comment or another due date.

    Stores the mark in the GRADEBOOK; PERSON is a key, a login, an address or a full name.

    --override sets a score of your own. The value `none` takes a mark back. --from adds the marks of a whole class,
    from a sheet that `scores --marks` wrote.
    """
    marks, by = _marks_of(given, reason), by or user_name()
    if rubric is not None:
        if who is not None or marks or sheet is not None:
            raise UsageError("--rubric sets the rubric of the gradebook: it goes only with --by")
        _set_rubric(path, rubric, by=by)
    elif sheet is not None:
        if who is not None or marks:
            raise UsageError("--from takes all marks from the sheet: it goes only with --reason, --by and --yes")
        _mark_from_sheet(path, sheet, reason=reason, by=by, is_sure=is_sure)
    elif who is None:
        raise UsageError("nobody is named — name a student, or give --from FILE with the marks of a class")
    elif not marks:
        scores = "--style, --stage, --override, --due, --late, --pick, --unpick"
        raise UsageError(f"nothing is given — give {scores}, --comment, --request, --answer or --decline")
    else:
        _mark_student(path, who, given, marks, reason=reason, by=by)


def _marks_of(given: Mapping[str, Any], reason: str) -> list[tuple[str, str]]:
    """Returns the marks given by options, as pairs of a kind and a value."""
    if given["place"] is not None and given["comment"] is None:
        raise UsageError("--at needs a comment: give --comment TEXT too, or --comment none to take it back")
    if given["answer"] is not None and given["decline"] is not None:
        raise UsageError("--answer and --decline exclude each other: give one")
    stage, equals, share = (given["stage"] or "").partition("=")
    if given["stage"] is not None and not equals:
        raise UsageError(f"--stage {as_found(stage)} — give a stage and its share, as in {stage}=80%")
    added = [
        (STYLE, _or_none(given["style"], lambda text: share_in(text, "--style"))),
        (f"{STAGE}{stage}", _or_none(share if equals else None, lambda text: share_in(text, "--stage"))),
        (OVERRIDE, _or_none(given["override"], lambda text: _points(text, reason))),
        (DUE, _or_none(given["due"], parse_due)),
        (LATE, _or_none(given["late"], lambda text: days_in(text, "--late"))),
        (COMMENT, _or_none(given["comment"], lambda text: _text(text, "--comment", "all comments"))),
        *((f"{RUBRIC}{key}", PICKED) for key in given["picked"]),
        *((f"{RUBRIC}{key}", "") for key in given["unpicked"]),
        (REQUEST, _or_none(given["request"], lambda text: _text(text, "--request", "the open requests"))),
        (ANSWER, _answer(given["answer"], "--answer")),
        (DECLINE, _answer(given["decline"], "--decline")),
    ]
    return [(kind, value) for kind, value in added if value is not None]


def _mark_student(
    path: Path, who: str, given: Mapping[str, Any], marks: list[tuple[str, str]], *, reason: str, by: str
) -> None:
    """Add marks for a student and print the change of the score; UsageError for an unknown stage, item or line."""
    with Gradebook(path) as book:
        people = book.people()
        person, policy = person_called(people, who, is_whole=True), assignment_of(book).grading
        if given["stage"] is not None:
            check_manual_stage(policy, given["stage"].partition("=")[0], "--stage ")
        for option, keys in (("--pick ", given["picked"]), ("--unpick ", given["unpicked"])):
            for key in keys:
                check_rubric_item(book, key, option)
        if given["place"] is not None:
            line_kind = line_in(book, person, given["place"], "--at ")
            marks = [(line_kind if kind == COMMENT else kind, value) for kind, value in marks]
        marked = mark_person(book, policy, person, marks, reason=reason, by=by)
        before, after = (score_text(scored.grade if scored else None) for scored in marked)
        name = distinct_names(people)[person.key]
        click.echo(f"{name}: {before} → {after}" if before != after else f"{name}: noted; the score stays {after}")
        _say_weightless(policy, marks)
        _say_undated(book, policy, {person.key: [kind for kind, value in marks if value]})


def _set_rubric(path: Path, rubric: Path, *, by: str) -> None:
    items = read_rubric(rubric)
    with Gradebook(path) as book:
        changed = set_rubric(book, assignment_of(book).grading, items, by=by)
    counts = f"{len(items)} item{'s' if len(items) > 1 else ''}"
    click.echo(f"the rubric has {counts}; {changed or 'no'} score{'' if changed == 1 else 's'} changed")


def _mark_from_sheet(path: Path, sheet_path: Path, *, reason: str, by: str, is_sure: bool) -> None:
    """Add the marks edited in a sheet: all of them if the user agrees, or none."""
    from pitboss.reports.mark_sheet import MarkSheet
    from pitboss.reports.mark_table import count_words, mark_table

    with Gradebook(path) as book:
        policy = assignment_of(book).grading
        sheet = MarkSheet(sheet_path, policy)
        changes = sheet.changes(book, reason)
        if sheet.ignored:
            say(f"{sheet_path}: these columns are not marks and are ignored: {listed(sheet.ignored)}")
        if not changes:
            click.echo("nothing in the sheet differs from the gradebook")
            return
        report_console().print(mark_table(changes, distinct_names(book.people())))
        if not is_sure:
            click.echo(count_words(changes))
        if not is_sure and not sys.stdin.isatty():
            raise UsageError("nothing was changed: there is no terminal to ask in — --yes adds these marks")
        if not is_sure and not click.confirm("Add these marks?", err=True):
            click.echo("nothing was changed")
            return
        with book.writing():
            if sheet.changes(book, reason) != changes:
                raise UsageError(f"{path}: marks or scores have changed meanwhile, and nothing was added; try again")
            for person_marks in changes:
                add_marks(book, policy, person_marks.person, [change.added for change in person_marks.changes], by=by)
        click.echo(f"{count_words(changes)} added")
        added = {
            person_marks.person.key: [change.added.kind for change in person_marks.changes if change.added.value]
            for person_marks in changes
        }
        _say_undated(book, policy, added)
        _say_weightless(policy, [change.added[:2] for person_marks in changes for change in person_marks.changes])


def _say_weightless(policy: GradingPolicy, marks: Iterable[tuple[str, str]]) -> None:
    """Print that style scores change nothing if the assignment gives them no weight."""
    if not policy.style and any(kind == STYLE and value for kind, value in marks):
        say("style changes no score here: the assignment's grading gives it no weight")


def _say_undated(book: Gradebook, policy: GradingPolicy, added: Mapping[str, Collection[str]]) -> None:
    """Print for whom a new due date has no effect; `added` has the kinds of marks by people's keys."""
    if not policy.late or not any(DUE in kinds for kinds in added.values()):
        return
    people = book.people()
    display_names = distinct_names(people)
    rows = [book.row(person) for person in people if DUE in added.get(person.key, ())]
    names = [display_names[row.person.key] for row in rows if is_undated(row) and not row.late]
    if names:
        reason = "the submission time is unknown"
        say(f"{listed(names)}: the due date has no effect, since {reason}; set the days late with --late DAYS")


def _or_none(text: str | None, read: Callable[[str], str]) -> str | None:
    """Returns an option's value: None if it is not given, empty if `none` takes a mark back."""
    return "" if text == "none" else text if text is None else read(text)


def _text(text: str, option: str, earlier: str) -> str:
    if not text.strip():
        raise UsageError(f"{option} is empty — give a text, or none to take back {earlier}")
    return text


def _answer(text: str | None, option: str) -> str | None:
    """Returns an answer to a request; UsageError for `none`, since the student may have read the earlier answer."""
    if text is None or (text.strip() and text != "none"):
        return text
    raise UsageError(f"{option} {as_found(text)} — give a text for the student to read")


def _points(text: str, reason: str) -> str:
    if not reason.strip():
        raise UsageError("--override needs --reason: it is shown in the student's sum")
    return points_in(text, "--override")


def score_text(grade: Grade | None) -> str:
    """Returns a score as part of a sentence."""
    return f"{score_words(grade)} of {format_number(grade.out_of)}" if grade else "none"
