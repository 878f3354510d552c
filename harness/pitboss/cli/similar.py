"""`pitboss similar`: shows which submissions of a class look alike, for instructors to judge."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from pitboss.cli.common_options import WholeNumber, template_folder, write_file
from pitboss.cli.consoles import report_console
from pitboss.cli.scores import assignment_of, book_argument
from pitboss.errors import HarnessError, UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.machine.files import text_of
from pitboss.reports.similarity.pair_search import MAX_PAIRS, MAX_PEOPLE, compare_works
from pitboss.reports.similarity.works import MAX_CHARACTERS, Comparison, Work, language_of
from pitboss.reports.similarity_page import similarity_json, similarity_page
from pitboss.submissions.importers.imported import distinct_names
from pitboss.submissions.texts import texts_of

#: Sources, as pairs of a path and a text.
_Files = list[tuple[str, str]]


earlier_option = click.option(
    "--with",
    "earlier",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="GRADEBOOK",
    help="Also compare with this gradebook of an earlier class. May be repeated.",
)


@click.command()
@book_argument
@earlier_option
@click.option(
    "--starter",
    "starters",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="PATH",
    help="A file or folder that all students were given. May be repeated.",
)
@click.option(
    "--common",
    type=WholeNumber(2),
    default=MAX_PEOPLE,
    show_default=True,
    metavar="PEOPLE",
    help="Leave out passages that more than this many students of a class share.",
)
@click.option(
    "--pairs", type=WholeNumber(1, 1000), default=MAX_PAIRS, show_default=True, help="How many pairs to show."
)
@click.option("--html", "html_path", metavar="FILE", help="Write a page with the passages side by side.")
@click.option("--json", "json_path", metavar="FILE", help="Write the pairs as JSON; - for standard output.")
def similar(
    path: Path,
    earlier: tuple[Path, ...],
    starters: tuple[Path, ...],
    common: int,
    pairs: int,
    html_path: str | None,
    json_path: str | None,
) -> None:
    """Show which submissions share passages.

    Compares the submissions in the GRADEBOOK with each other and with submissions of earlier classes. Computes no
    score: judge for yourself.
    """
    with Gradebook(path) as book:
        class_facts = book.class_facts()
        comparison, notes = compare_class(book, earlier, _starter_files(starters), common, pairs)
    if "-" not in (html_path, json_path):
        from pitboss.reports.similarity_page import similarity_table

        report_console().print(similarity_table(comparison, notes))
    if html_path:
        title = f"{class_facts.get('title') or path.name.removesuffix('.gradebook')}: similar submissions"
        write_file(html_path, similarity_page(comparison, title, notes))
    if json_path:
        heading = {name: class_facts.get(name, "") for name in ("assignment", "title")}
        write_file(json_path, similarity_json(comparison, heading, notes))


def compare_class(
    book: Gradebook,
    earlier: Sequence[Path],
    starter_files: Sequence[tuple[str, str]] = (),
    max_sharing_people: int = MAX_PEOPLE,
    max_pairs: int = MAX_PAIRS,
) -> tuple[Comparison, list[str]]:
    """Compare the submissions of a class with each other and with the submissions of earlier classes.

    `earlier`: the gradebooks of the earlier classes.
    `starter_files`: further sources that all students were given, as pairs of a path and a text.
    `max_sharing_people`: passages that more than this many students of a class share are left out.
    `max_pairs`: the maximum number of pairs to return.

    Returns the comparison, and sentences on starter kits whose passages could not be left out. Raises UsageError if
    there is nothing to compare.
    """
    names = _gradebook_names([book.path, *earlier])
    works = works_of(book)
    given_files, notes = files_given_to_students(book, works)
    if not any(work.files for work in works):
        raise UsageError(
            f"{book.path}: there are no sources in it to compare; grade the class into it again to add them"
        )
    for other_path, name in zip(earlier, names[1:], strict=True):
        with Gradebook(other_path) as other:
            works += works_of(other, name)
    common_files = [*given_files, *starter_files]
    return compare_works(works, common_files, max_people=max_sharing_people, max_pairs=max_pairs), notes


def check_earlier_gradebooks(book: Gradebook, earlier: Sequence[Path]) -> None:
    """Raise UsageError for a file that is given twice, or that is not a gradebook."""
    _gradebook_names([book.path, *earlier])
    for path in earlier:
        Gradebook(path).close()


def works_of(book: Gradebook, name_of_earlier_class: str = "") -> list[Work]:
    """Returns each student's sources.

    `name_of_earlier_class`: the name of the gradebook if it is of an earlier class; otherwise empty.
    """
    people = book.people()
    names = distinct_names(people)
    return [
        Work(
            person.key,
            names[person.key],
            tuple((file.path, file.text) for file in book.sources(person.key)),
            name_of_earlier_class,
        )
        for person in people
    ]


def files_given_to_students(book: Gradebook, works: Sequence[Work]) -> tuple[_Files, list[str]]:
    """Returns the files that all students were given: starter kits, and given files of the gradebook's assignment.

    Returns also sentences on kits that cannot be left out. Only kits in the languages of these works are returned.
    """
    from pitboss.kits.starters import KIT_LANGUAGES, kit_of

    try:
        assignment = assignment_of(book)
    except HarnessError as error:
        return [], [f"The assignment's own starter kit is not left out: {error}"]
    files: _Files = [file for stage in assignment.stages if stage.given for file in texts_of(stage.given)]
    notes: list[str] = []
    submitted_languages = {language_of(path) for work in works for path, _ in work.files}
    for language in KIT_LANGUAGES:
        if language not in submitted_languages:
            continue
        try:
            files += kit_of(assignment, language, template_folder()).items()
        except HarnessError as error:
            notes.append(f"The starter kit in {language} is not left out: {error}")
    return files, notes


def _starter_files(paths: Sequence[Path]) -> _Files:
    """Returns the sources of the files and folders that --starter names; UsageError for a path without a source."""
    all_files: _Files = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: there is no such file or folder; --starter names what all students were given")
        # A single file is not read by texts_of: that reads submissions, and a header alone is no submission.
        is_source = path.is_file() and language_of(path.name) is not None
        files = ((path.name, text_of(path, MAX_CHARACTERS)),) if is_source else texts_of(path)
        if not any(language_of(name) for name, _ in files):
            raise UsageError(f"{path}: there is no source in it; --starter names what all students were given")
        all_files += files
    return all_files


def _gradebook_names(paths: Sequence[Path]) -> list[str]:
    """Returns distinct names of gradebooks; UsageError if a file is given twice."""
    for number, path in enumerate(paths):
        if any(path.resolve() == other.resolve() for other in paths[:number]):
            raise UsageError(f"{path}: this gradebook is given twice")
    stems = [path.name.removesuffix(".gradebook") for path in paths]
    return [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]
