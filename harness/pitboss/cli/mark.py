"""`pitboss mark` adds marks to a gradebook; `pitboss merge` adds the marks in copies of it."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import click

from pitboss.assignments.grading_policy import GradingPolicy
from pitboss.assignments.gradingfile import read_rubric
from pitboss.cli.consoles import print_sentence, report_console
from pitboss.cli.scores import assignment_of, book_argument, score_text
from pitboss.errors import UsageError, as_found, listed
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.marking import (
    add_marks,
    check_manual_stage,
    check_rubric_item,
    line_comment_kind,
    mark_person,
    set_rubric,
)
from pitboss.gradebook.marking import merge as merge_copy
from pitboss.gradebook.marks import (
    COMMENT,
    DUE,
    KINDS,
    PICKED,
    RUBRIC,
    STAGE,
    STYLE,
    MarkKind,
)
from pitboss.gradebook.people import find_person, user_name
from pitboss.gradebook.scoring import is_undated
from pitboss.submissions.importers.imported import distinct_names


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
    texts = {**options, "stage": share if equals else None}
    marks: list[tuple[str, str]] = []
    for kind in KINDS.values():
        name = kind.key.strip()
        if (text := texts.get(name)) is not None:
            # The kind of a mark on a stage includes the stage's name.
            marks.append((f"{kind.key}{stage if kind.key == STAGE else ''}", _value_of_option(kind, text, reason)))
        if kind.key == RUBRIC:
            marks += [(f"{RUBRIC}{key}", PICKED) for key in options["picked"]]
            marks += [(f"{RUBRIC}{key}", "") for key in options["unpicked"]]
    return marks


def _value_of_option(kind: MarkKind, text: str, reason: str) -> str:
    """Returns the value of the mark that an option adds: empty for the text `none`, which takes the mark back."""
    if text == "none" and kind.can_be_withdrawn:
        return ""
    option = f"--{kind.key.strip()}"
    if kind.needs_reason and not reason.strip():
        raise UsageError(f"{option} needs --reason: the reason is shown in the student's sum")
    return kind.parse(text, option)


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
        _warn_of_useless_marks(book, policy, {person.key: [kind for kind, value in marks if value]})


def _set_rubric(path: Path, rubric: Path, *, by: str) -> None:
    """Set the rubric of a gradebook from a file, and print how many scores changed."""
    items = read_rubric(rubric)
    with Gradebook(path) as book:
        changed_count = set_rubric(book, assignment_of(book).grading, items, by=by)
    counts = f"{len(items)} item{'s' if len(items) > 1 else ''}"
    click.echo(f"the rubric has {counts}; {changed_count or 'no'} score{'' if changed_count == 1 else 's'} changed")


def _mark_from_sheet(path: Path, sheet_path: Path, *, reason: str, by: str, is_sure: bool) -> None:
    """Add all marks that were edited in a sheet if the user agrees; otherwise add no mark."""
    from pitboss.reports.mark_sheet import MarkSheet, mark_table, summary_of_changes

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
        _warn_of_useless_marks(book, policy, added_kinds)


def _warn_of_useless_marks(book: Gradebook, policy: GradingPolicy, added_kinds: Mapping[str, Collection[str]]) -> None:
    """Print that style has no weight, and for whom a due date has no effect: neither a time nor days late are known.

    `added_kinds`: the kinds of the marks that were added, by the person's key.
    """
    if not policy.style and any(STYLE in kinds for kinds in added_kinds.values()):
        print_sentence("style changes no score here: the assignment's grading gives it no weight")
    if not policy.late or not any(DUE in kinds for kinds in added_kinds.values()):
        return
    people = book.people()
    display_names = distinct_names(people)
    records = [book.person_record(person) for person in people if DUE in added_kinds.get(person.key, ())]
    names = [display_names[record.person.key] for record in records if is_undated(record) and not record.late]
    if names:
        print_sentence(
            f"{listed(names)}: the due date has no effect, since the submission time is unknown; set the days late "
            "with --late DAYS"
        )


@click.command()
@book_argument
@click.argument("copies", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="COPY...")
def merge(path: Path, copies: tuple[Path, ...]) -> int:
    """Merge the marks in copies of a gradebook into it.

    For a class that is split among graders: each grader reviews a copy (`pitboss review COPY --only 1/3`), and one of
    them merges the copies. Existing marks stay. If two graders gave a style score, the later score is used, and is
    listed.
    """
    from pitboss.reports.score_table import merge_sentences

    for copy in copies:
        if copy.exists() and path.exists() and copy.samefile(path):
            raise UsageError(f"{copy}: this is the gradebook itself; name copies of it")
    knows_everybody = True
    with Gradebook(path) as book:
        policy, names = assignment_of(book).grading, distinct_names(book.people())
        for copy in copies:
            with Gradebook(copy) as copied_book:
                merged = merge_copy(book, copied_book, policy, f"marks of {copy.name} were merged")
            for sentence in merge_sentences(str(copy), merged, names):
                print_sentence(sentence)
            for change in merged.changes:
                before = score_text(change.before.grade if change.before else None)
                click.echo(f"{names[change.person.key]}: {before} → {score_text(change.now)}")
            # `unknown`: people with marks in the copy who are not in the gradebook; their marks are not merged.
            knows_everybody = knows_everybody and not merged.unknown
    return 0 if knows_everybody else 1
