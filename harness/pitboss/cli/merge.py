"""`pitboss merge`: adds the marks of several graders, made in copies of a gradebook, to the gradebook."""

from __future__ import annotations

from pathlib import Path

import click

from pitboss.cli.consoles import print_sentence
from pitboss.cli.scores_and_marks import assignment_of, book_argument, score_text
from pitboss.errors import UsageError
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.marking import merge as merge_copy
from pitboss.submissions.importers.imported import distinct_names


@click.command()
@book_argument
@click.argument("copies", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="COPY...")
def merge(path: Path, copies: tuple[Path, ...]) -> int:
    """Merge the marks in copies of a gradebook into it.

    For a class that is split among graders: each grader reviews a copy (`pitboss review COPY --only 1/3`), and one of
    them merges the copies. Existing marks stay. If two graders gave a style score, the later score is used, and is
    listed.
    """
    from pitboss.reports.merge_words import merge_sentences

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
