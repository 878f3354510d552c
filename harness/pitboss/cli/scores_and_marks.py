"""`pitboss scores` shows the scores in a gradebook; `pitboss mark` adds marks to a gradebook."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pitboss.assignments.rubricfile import read_rubric
from pitboss.cli.common_options import write_file
from pitboss.cli.consoles import print_sentence, report_console
from pitboss.cli.resolving import resolve_assignment
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
from pitboss.gradebook.days import parse_due
from pitboss.gradebook.grades import format_number
from pitboss.gradebook.marking import (
    add_marks,
    check_manual_stage,
    check_rubric_item,
    line_comment_kind,
    mark_person,
    parse_days,
    parse_points,
    parse_share,
    set_rubric,
)
from pitboss.gradebook.people import find_person, user_name
from pitboss.gradebook.scoring import class_due, count_outdated, is_undated
from pitboss.reports.score_words import score_words
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
    from pitboss.reports.score_table import person_score_view, score_table, scores_csv, scores_json

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
@click.option("--yes", "is_sure", is_flag=True, help="With --from: add the marks without asking.")
def mark(
    path: Path,
    who: str | None,
    reason: str,
    by: str | None,
    sheet: Path | None,
    rubric: Path | None,
    is_sure: bool,
    **options: Any,
) -> None:
    """Give a student a style score, a comment or another due date.

    Stores the mark in the GRADEBOOK; PERSON is a key, a login, an address or a full name.

    --override sets a score of your own. The value `none` takes a mark back. --from adds the marks of a whole class,
    from a sheet that `scores --marks` wrote.
    """
    marks, by = _marks_from_options(options, reason), by or user_name()
    if rubric is not None:
        if who is not None or marks or sheet is not None:
            raise UsageError("--rubric sets the rubric of the gradebook: of the other options only --by is allowed")
        _set_rubric(path, rubric, by=by)
    elif sheet is not None:
        if who is not None or marks:
            raise UsageError(
                "--from takes all marks from the sheet: of the other options only --reason, --by and --yes are allowed"
            )
        _mark_from_sheet(path, sheet, reason=reason, by=by, is_sure=is_sure)
    elif who is None:
        raise UsageError("nobody is named — name a student, or give --from FILE with the marks of a class")
    elif not marks:
        score_options = "--style, --stage, --override, --due, --late, --pick, --unpick"
        raise UsageError(f"nothing is given — give {score_options}, --comment, --request, --answer or --decline")
    else:
        _mark_student(path, who, options, marks, reason=reason, by=by)


def _marks_from_options(options: Mapping[str, Any], reason: str) -> list[tuple[str, str]]:
    """Returns the marks given by options, as pairs of a kind and a value; an empty value takes the mark back."""
    if options["place"] is not None and options["comment"] is None:
        raise UsageError("--at needs a comment: give --comment TEXT too, or --comment none to take it back")
    if options["answer"] is not None and options["decline"] is not None:
        raise UsageError("--answer and --decline exclude each other: give one")
    stage, equals, share = (options["stage"] or "").partition("=")
    if options["stage"] is not None and not equals:
        raise UsageError(f"--stage {as_found(stage)} — give a stage and its share, as in {stage}=80%")
    # STAGE and RUBRIC are prefixes: the kind of such a mark includes the name of the stage or the key of the item.
    kinds_and_values = [
        (STYLE, _value_of_option(options["style"], lambda text: parse_share(text, "--style"))),
        (f"{STAGE}{stage}", _value_of_option(share if equals else None, lambda text: parse_share(text, "--stage"))),
        (OVERRIDE, _value_of_option(options["override"], lambda text: _override_points(text, reason))),
        (DUE, _value_of_option(options["due"], parse_due)),
        (LATE, _value_of_option(options["late"], lambda text: parse_days(text, "--late"))),
        (COMMENT, _value_of_option(options["comment"], lambda text: _nonempty_text(text, "--comment", "all comments"))),
        *((f"{RUBRIC}{key}", PICKED) for key in options["picked"]),
        *((f"{RUBRIC}{key}", "") for key in options["unpicked"]),
        (
            REQUEST,
            _value_of_option(options["request"], lambda text: _nonempty_text(text, "--request", "the open requests")),
        ),
        (ANSWER, _answer_text(options["answer"], "--answer")),
        (DECLINE, _answer_text(options["decline"], "--decline")),
    ]
    return [(kind, value) for kind, value in kinds_and_values if value is not None]


def _mark_student(
    path: Path, who: str, options: Mapping[str, Any], marks: list[tuple[str, str]], *, reason: str, by: str
) -> None:
    """Add marks for a student and print the change of the score; UsageError for an unknown stage, item or line."""
    with Gradebook(path) as book:
        people = book.people()
        person, policy = find_person(people, who, needs_whole_name=True), assignment_of(book).grading
        if options["stage"] is not None:
            check_manual_stage(policy, options["stage"].partition("=")[0], "--stage ")
        for option, keys in (("--pick ", options["picked"]), ("--unpick ", options["unpicked"])):
            for key in keys:
                check_rubric_item(book, key, option)
        if options["place"] is not None:
            line_kind = line_comment_kind(book, person, options["place"], "--at ")
            marks = [(line_kind if kind == COMMENT else kind, value) for kind, value in marks]
        scores_before_and_after = mark_person(book, policy, person, marks, reason=reason, by=by)
        before, after = (score_text(scored.grade if scored else None) for scored in scores_before_and_after)
        name = distinct_names(people)[person.key]
        click.echo(f"{name}: {before} → {after}" if before != after else f"{name}: noted; the score stays {after}")
        _warn_of_weightless_style(policy, marks)
        _warn_of_useless_due_dates(book, policy, {person.key: [kind for kind, value in marks if value]})


def _set_rubric(path: Path, rubric: Path, *, by: str) -> None:
    """Set the rubric of a gradebook from a file, and print how many scores changed."""
    items = read_rubric(rubric)
    with Gradebook(path) as book:
        changed_count = set_rubric(book, assignment_of(book).grading, items, by=by)
    counts = f"{len(items)} item{'s' if len(items) > 1 else ''}"
    click.echo(f"the rubric has {counts}; {changed_count or 'no'} score{'' if changed_count == 1 else 's'} changed")


def _mark_from_sheet(path: Path, sheet_path: Path, *, reason: str, by: str, is_sure: bool) -> None:
    """Add all marks that were edited in a sheet if the user agrees; otherwise add no mark."""
    from pitboss.reports.mark_sheet import MarkSheet
    from pitboss.reports.mark_table import mark_table, summary_of_changes

    with Gradebook(path) as book:
        policy = assignment_of(book).grading
        sheet = MarkSheet(sheet_path, policy)
        changes = sheet.changes(book, reason)
        if sheet.ignored:
            print_sentence(f"{sheet_path}: these columns are not marks and are ignored: {listed(sheet.ignored)}")
        if not changes:
            click.echo("nothing in the sheet differs from the gradebook")
            return
        report_console().print(mark_table(changes, distinct_names(book.people())))
        if not is_sure:
            click.echo(summary_of_changes(changes))
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
        click.echo(f"{summary_of_changes(changes)} added")
        added_kinds = {
            person_marks.person.key: [change.added.kind for change in person_marks.changes if change.added.value]
            for person_marks in changes
        }
        _warn_of_useless_due_dates(book, policy, added_kinds)
        _warn_of_weightless_style(
            policy,
            [(change.added.kind, change.added.value) for person_marks in changes for change in person_marks.changes],
        )


def _warn_of_weightless_style(policy: GradingPolicy, marks: Iterable[tuple[str, str]]) -> None:
    """If the marks contain style scores and the assignment gives these no weight, print that they change nothing."""
    if not policy.style and any(kind == STYLE and value for kind, value in marks):
        print_sentence("style changes no score here: the assignment's grading gives it no weight")


def _warn_of_useless_due_dates(
    book: Gradebook, policy: GradingPolicy, added_kinds: Mapping[str, Collection[str]]
) -> None:
    """Print for which people a new due date has no effect, since neither submission time nor days late are known.

    `added_kinds`: the kinds of the marks that were added, by the person's key.
    """
    if not policy.late or not any(DUE in kinds for kinds in added_kinds.values()):
        return
    people = book.people()
    display_names = distinct_names(people)
    records = [book.person_record(person) for person in people if DUE in added_kinds.get(person.key, ())]
    names = [display_names[record.person.key] for record in records if is_undated(record) and not record.late]
    if names:
        reason = "the submission time is unknown"
        print_sentence(
            f"{listed(names)}: the due date has no effect, since {reason}; set the days late with --late DAYS"
        )


def _value_of_option(text: str | None, read: Callable[[str], str]) -> str | None:
    """Returns the value of the mark that an option adds: None without the option, empty for the text `none`.

    Any other text is converted by `read`. An empty value takes the mark back.
    """
    if text is None:
        return None
    return "" if text == "none" else read(text)


def _nonempty_text(text: str, option: str, removed_marks: str) -> str:
    """Returns the text; UsageError if it is empty, with a hint that `none` would take back `removed_marks`."""
    if not text.strip():
        raise UsageError(f"{option} is empty — give a text, or none to take back {removed_marks}")
    return text


def _answer_text(text: str | None, option: str) -> str | None:
    """Returns an answer to a request, or None without the option; UsageError for an empty text and for `none`.

    An answer cannot be taken back, since the student may have read it.
    """
    if text is None or (text.strip() and text != "none"):
        return text
    raise UsageError(f"{option} {as_found(text)} — give a text for the student to read")


def _override_points(text: str, reason: str) -> str:
    """Returns the points that --override gives; UsageError if --reason is missing."""
    if not reason.strip():
        raise UsageError("--override needs --reason: the reason is shown in the student's sum")
    return parse_points(text, "--override")


def score_text(grade: Grade | None) -> str:
    """Returns a score as part of a sentence, such as “8 of 10”; “none” if there is no grade."""
    return f"{score_words(grade)} of {format_number(grade.out_of)}" if grade else "none"
