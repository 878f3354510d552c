"""`pitboss export`: scores and sessions in the formats of other tools, and bundles for students."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from pitboss.assignments.specfile import assignments_in
from pitboss.cli.book_pages import report_without_stages
from pitboss.cli.common_options import spec_folders, write_file
from pitboss.cli.scores import heading_of, say_if_outdated
from pitboss.compare.results import Report
from pitboss.errors import UsageError, listed
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.grades import format_sum
from pitboss.reports.exports.junit import junit_xml
from pitboss.reports.exports.platform_tables import canvas_table, moodle_worksheet
from pitboss.reports.exports.sheet import FilledTable, Overlap, SheetEntry, fill_table
from pitboss.submissions.importers.imported import distinct_names


@click.command()
@click.argument("target", metavar="GRADEBOOK|ASSIGNMENT")
@click.option("--canvas", type=click.Path(path_type=Path), metavar="FILE", help="The gradebook exported from Canvas.")
@click.option("--column", metavar="TITLE", help="The column in Canvas (default: the assignment's title).")
@click.option("--moodle", type=click.Path(path_type=Path), metavar="FILE", help="The grading worksheet from Moodle.")
@click.option("--output", "-o", metavar="FILE", help="Where to write the filled table; - for standard output.")
@click.option("--scale", is_flag=True, help="Scale scores to the column's points.")
@click.option("--cap", is_flag=True, help="With --moodle: reduce scores above the maximum to the maximum.")
@click.option("--partly", is_flag=True, help="Fill in even if few students of the table are in the gradebook.")
@click.option("--junit", metavar="FILE", help="Write all sessions as JUnit XML.")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="For an assignment: a new or empty folder for the bundle.",
)
@click.option(
    "--language", "-l", metavar="NAME", help="For an assignment: the language of the skeletons (default: the course's)."
)
def export(target: str, into: Path | None, language: str | None, **options: Any) -> int:
    """Fill scores into a platform's table, or make a student bundle.

    From a GRADEBOOK: fills the scores into the table that your course platform exported (--canvas, --moodle), or
    writes the sessions for other tools (--junit).

    From an ASSIGNMENT, by name or folder: writes a folder with everything that students need to check their programs,
    without answers (--into): skeletons, handout, makefile, and recorded sessions of the public cases.
    """
    book_options = [f"--{name}" for name in _BOOK_OPTIONS if options[name] not in (None, False)]
    bundle_options = [name for name, value in (("--into", into), ("--language", language)) if value is not None]
    if _is_for_bundle(target, book_options, bundle_options):
        from pitboss.cli.kits import write_bundle

        if into is None:
            raise UsageError(f"--into DIR is missing: a new or empty folder for the bundle of {target}")
        return write_bundle(target, into, language)
    _export_book(Path(target), **options)
    return 0


#: The options for a gradebook.
_BOOK_OPTIONS = ("canvas", "moodle", "column", "output", "scale", "cap", "partly", "junit")


def _is_for_bundle(target: str, book_options: list[str], bundle_options: list[str]) -> bool:
    """Whether `target` is an assignment, for which a bundle is made, rather than a gradebook.

    `book_options` and `bundle_options` are the names of the options that were given. Raises UsageError if they exclude
    each other.
    """
    if book_options and bundle_options:
        raise UsageError(
            f"{bundle_options[0]} is for an assignment, and {book_options[0]} for a gradebook: "
            "give the options of one of them"
        )
    path = Path(target)
    if bundle_options and os.path.isfile(path):
        raise UsageError(
            f"{target}: this is a file, and {bundle_options[0]} is for an assignment: name the assignment or its folder"
        )
    is_assignment = not os.path.exists(path) and target in assignments_in(spec_folders())
    return bool(bundle_options) or (not book_options and (is_assignment or os.path.isdir(path)))


def _export_book(
    path: Path,
    *,
    canvas: Path | None,
    moodle: Path | None,
    column: str | None,
    output: str | None,
    scale: bool,
    cap: bool,
    partly: bool,
    junit: str | None,
) -> None:
    """Write the files that the options request from a gradebook; UsageError if an option is missing."""
    table = canvas or moodle
    if (canvas and moodle) or not (table or junit):
        raise UsageError(
            "give either --canvas FILE or --moodle FILE, with the table that the platform exported; or --junit FILE"
        )
    if table and not output:
        raise UsageError("--output FILE is missing: name a new file, since the table that you give is not changed")
    if table and output and output != "-" and Path(output).exists() and Path(output).samefile(table):
        raise UsageError(f"--output {output}: this is the table that you give, which is not changed; name another file")
    if cap and not moodle:
        raise UsageError("--cap is only for Moodle: Canvas accepts scores above its points")
    with Gradebook(path) as book:
        if table and output:
            name, text, entries = str(table), _read_table(table), _sheet_entries(book)
            heading = heading_of(book)
            say_if_outdated(book, heading.policy, book.scored_records())
            platform_table = (
                canvas_table(name, text, column or heading.title) if canvas else moodle_worksheet(name, text)
            )
            filled = fill_table(platform_table, entries, scales=scale, caps=cap)
            if filled.overlap.is_doubtful and not partly:
                raise UsageError(_doubt_sentence(table, filled.overlap))
            write_file(output, filled.text)
            _print_count(filled, output)
        if junit:
            write_file(junit, junit_xml(_reports_of_people(book)))


def _reports_of_people(book: Gradebook) -> Iterator[Report]:
    """Yields a report on everybody in the gradebook, even on people for whom nothing was run."""
    facts, people = book.class_facts(), book.people()
    display_names = distinct_names(people)
    for person in people:
        stored_report = book.report(person.key)
        report = stored_report or report_without_stages(
            book.person_record(person), facts.get("assignment", ""), facts.get("title", "")
        )
        yield msgspec.structs.replace(report, submission=display_names[person.key])


def _doubt_sentence(table: Path, overlap: Overlap) -> str:
    """Returns a sentence on why a table may belong to another class."""
    counts = listed(f"{count} by {head}" for head, count in overlap.by_head.items())
    in_both, by_head = overlap.people_in_both, f" ({counts})" if counts else ""
    people = f"{in_both} of the {overlap.rows} people in this table are in the gradebook{by_head}"
    absent = f"{overlap.people - in_both} of the gradebook's {overlap.people} are not in the table"
    return f"{table}: {people}, and {absent}: the table may be of another class; --partly fills in the {in_both} anyway"


def _print_count(filled: FilledTable, output: str) -> None:
    """Print how many scores were filled in, and what was not filled in."""
    scores = "1 score is" if filled.count == 1 else f"{filled.count} scores are"
    click.echo(f"pitboss: {scores} in {output}", err=True)
    for sentence in filled.remarks:
        click.echo(f"pitboss: {sentence}", err=True)


def _read_table(path: Path) -> str:
    try:
        # Not opened as text, which would change line ends: the filled table must differ only in its scores.
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise UsageError(f"{path}: this is not UTF-8; export it again as CSV in UTF-8") from None


def _sheet_entries(book: Gradebook) -> list[SheetEntry]:
    """Returns an entry for each graded student: score and feedback."""
    entries = []
    for person in book.people():
        scored = book.score(person.key)
        if scored is not None:
            record = book.person_record(person)
            comments = [comment.value for comment in record.comments]
            comments += [f"{comment.place}: {comment.text}" for comment in record.line_comments]
            comments += [
                f"Request {request.state}: {request.answer}" for request in record.requests if request.state != "open"
            ]
            feedback = "\n".join([*format_sum(scored.grade), *comments])
            entries.append(SheetEntry(person, scored.grade.score, scored.grade.out_of, feedback))
    return entries
