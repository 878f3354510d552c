"""Shows submissions that share passages: in the terminal, on a page with the passages side by side, and as JSON.

Sources are hostile: the template cuts lines and escapes everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from pitboss.errors import listed
from pitboss.model.words import counted
from pitboss.reports import shapes
from pitboss.reports.columns import Column, table_of
from pitboss.reports.report_json import format_json, shape_from
from pitboss.reports.similarity.works import ALWAYS_FOUND, Comparison, K, Pair, W
from pitboss.reports.templates import page, style

#: The additional style sheet of pages with similar submissions.
SIMILARITY_STYLE = "similarity.css"
SAME_PERSON = "the same person"


def similarity_page(comparison: Comparison, title: str, notes: Sequence[str] = ()) -> str:
    """Returns a page with the pairs, and their passages side by side; `notes` follow the remarks on code left out."""
    values = similarity_values(comparison, notes)
    styles = {"style": style(), "more_style": style(SIMILARITY_STYLE)}
    return page("similarity.html.j2", {**values, "title": title, **styles})


def similarity_values(
    comparison: Comparison, notes: Sequence[str] = (), link_to_pair: Callable[[Pair], str] = lambda pair: ""
) -> dict[str, object]:
    """Returns the values of the template `similarity_parts.html.j2`; pair number n has the id `pair-n`.

    `link_to_pair` returns the link to a page with both submissions of a pair; empty if there is no such page.
    """
    return {
        "remarks": [*remarks(comparison), *notes],
        "pairs": comparison.pairs,
        "link_to_pair": link_to_pair,
        "percentage": percentage,
        "same_person": SAME_PERSON,
    }


def remarks(comparison: Comparison) -> list[str]:
    """Returns sentences on the submissions that were compared, and on the code that was left out."""
    earlier = f" and {comparison.earlier_works:,} of earlier classes" if comparison.earlier_works else ""
    limit_clause = (
        f", of which the first {len(comparison.pairs)} are shown" if comparison.count > len(comparison.pairs) else ""
    )
    pairs = f"{comparison.count:,} pair{' shares' if comparison.count == 1 else 's share'} passages{limit_clause}"
    sentences = [
        f"{len(group.titles):,} submissions are alike, apart from names, texts and comments: {listed(group.titles)}. "
        "They share nine tenths or more of the compared code, which is left out since so many people have it; "
        f"`--common {group.max_people}` keeps it, and shows their pairs."
        for group in comparison.alike
    ]
    sentences.append(f"{comparison.works:,} submissions{earlier} compared: {pairs}.")
    if comparison.given:
        total = comparison.works + comparison.earlier_works
        sentences.append(f"Left out: what everybody was given, found in {comparison.given:,} of {total:,} submissions.")
    if comparison.common:
        sentences.append(
            f"Left out: {counted(comparison.common, 'fingerprint')} that more than {comparison.max_people} people of "
            "one class have in common."
        )
    if comparison.nothing_left:
        sentences.append(f"Nothing is left to compare in: {listed(comparison.nothing_left)}.")
    if comparison.cut:
        sentences.append(f"Too long, so only the beginning was compared: {listed(comparison.cut)}.")
    return sentences


def similarity_json(comparison: Comparison, about: dict[str, str], notes: Sequence[str] = ()) -> str:
    """Returns the pairs as JSON: their passages as line numbers, without text. `about` describes the gradebook."""
    document = shapes.Similarity(
        schema=shapes.SIMILARITY_FORMAT,
        gradebook=about,
        tokens=shapes.Fingerprints(K, W, ALWAYS_FOUND),
        remarks=(*remarks(comparison), *notes),
        pairs=tuple(map(_pair_json, comparison.pairs)),
    )
    return format_json(document)


def percentage(share: float) -> str:
    """Returns a share as a percentage, rounded down: 100 % means that everything is shared."""
    return f"{int(share * 100)} %" if share >= 0.01 else "under 1 %"


def _pair_json(pair: Pair) -> shapes.SimilarPair:
    return shapes.SimilarPair(
        left=shape_from(shapes.ReportedSimilarity, pair.left, fingerprints=pair.of_left),
        right=shape_from(shapes.ReportedSimilarity, pair.right, fingerprints=pair.of_right),
        shared_fingerprints=pair.shared,
        same_person=pair.is_same_person,
        passages=tuple(
            shape_from(
                shapes.ReportedPassage,
                passage,
                left=shape_from(shapes.LinesOf, passage.left),
                right=shape_from(shapes.LinesOf, passage.right),
            )
            for passage in pair.passages
        ),
    )


def similarity_table(comparison: Comparison, notes: Sequence[str] = ()) -> Group:
    """Returns a table with a row for each pair, the most similar pair first.

    Below the table are remarks on what was compared and left out, and `notes`.
    """
    columns: tuple[Column[Pair], ...] = (
        Column("submission", lambda pair: pair.left.title),
        Column("shared", lambda pair: percentage(pair.share_of_left), justify="right"),
        Column(
            "other submission", lambda pair: f"{pair.right.title}{f', {SAME_PERSON}' if pair.is_same_person else ''}"
        ),
        Column("shared", lambda pair: percentage(pair.share_of_right), justify="right"),
        Column("passages", lambda pair: f"{len(pair.passages):,}", justify="right"),
    )
    table = table_of(columns, comparison.pairs)
    parts: list[Table | Text] = [table, Text()] if comparison.pairs else []
    return Group(*parts, *(Text(remark) for remark in (*remarks(comparison), *notes)))
