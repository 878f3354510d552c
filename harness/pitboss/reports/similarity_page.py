"""Which submissions share passages: the values of a page with the passages side by side, and JSON.

Sources are hostile: lines are cut, what is no printable character is replaced, and the template escapes everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pitboss.errors import listed
from pitboss.reports import shapes
from pitboss.reports.json_and_csv import dumped
from pitboss.reports.similarity.winnowing import ALWAYS_FOUND, K, W
from pitboss.reports.similarity.works import Comparison, Lines, Pair, Passage, Work
from pitboss.reports.templates import page, style

#: The style sheet that these pages have besides that of all.
SIMILARITY = "similarity.css"
SAME_PERSON = "the same person"
#: The maximum number of passages of a pair, lines of a passage and columns of a line that are shown.
_MAX_PASSAGES, _MAX_LINES, _LONGEST = 20, 120, 300
_LONGEST_NAME = 120


def similarity_page(comparison: Comparison, title: str, notes: Sequence[str] = ()) -> str:
    """A page with all pairs, and their passages side by side; `notes` are shown with what was left out."""
    values = similarity_values(comparison, notes)
    return page("similarity.html.j2", {**values, "title": title, "style": style(), "more_style": style(SIMILARITY)})


def similarity_values(
    comparison: Comparison, notes: Sequence[str] = (), beside: Callable[[Pair], str] = lambda pair: ""
) -> dict[str, object]:
    """The values of `similarity_parts.html.j2`; pair number n has the id `pair-n`.

    `beside` is the link to a page with both submissions of a pair, empty where there is none.
    """
    return {
        "remarks": [*remarks(comparison), *notes],
        "pairs": [
            pair_values(pair, number) | {"beside": beside(pair)} for number, pair in enumerate(comparison.pairs, 1)
        ],
    }


def pair_values(pair: Pair, number: int) -> dict[str, object]:
    """The values of one pair."""
    return {
        "id": f"pair-{number}",
        "left": _clean(pair.left.title, _LONGEST_NAME),
        "right": _clean(pair.right.title, _LONGEST_NAME),
        "share_of_left": percentage(pair.share_of_left),
        "share_of_right": percentage(pair.share_of_right),
        "same_person": SAME_PERSON if pair.is_same_person else "",
        "count": len(pair.passages),
        "passages": [_passage(one) for one in pair.passages[:_MAX_PASSAGES]],
        "more": max(len(pair.passages) - _MAX_PASSAGES, 0),
    }


def remarks(comparison: Comparison) -> list[str]:
    """What was compared, and what was left out, as sentences."""
    earlier = f" and {comparison.earlier_works:,} of earlier classes" if comparison.earlier_works else ""
    first = (
        f", of which the first {len(comparison.pairs)} are shown" if comparison.count > len(comparison.pairs) else ""
    )
    pairs = f"{comparison.count:,} pair{' shares' if comparison.count == 1 else 's share'} something{first}"
    sentences = [
        f"{len(group.titles):,} submissions are alike, names, texts and comments aside: {listed(group.titles)}. They "
        "share nine tenths or more of what is compared, which is left out since so many people have it; `--common "
        f"{group.most_people}` leaves it in, and shows their pairs."
        for group in comparison.alike
    ]
    sentences.append(f"{comparison.works:,} submissions{earlier} compared: {pairs}.")
    if comparison.given:
        total = comparison.works + comparison.earlier_works
        sentences.append(f"Left out: what everybody was given, found in {comparison.given:,} of {total:,} submissions.")
    if comparison.common:
        sentences.append(
            f"Left out: {_count(comparison.common)} that more than {comparison.most_people} people of one class have "
            "in common."
        )
    if comparison.nothing_left:
        sentences.append(f"Nothing is left to compare of: {listed(comparison.nothing_left)}.")
    if comparison.cut:
        sentences.append(f"Too long, and compared only at the beginning: {listed(comparison.cut)}.")
    return sentences


def similarity_json(comparison: Comparison, about: dict[str, str], notes: Sequence[str] = ()) -> str:
    """The pairs with the lines of their passages, without their text."""
    document = shapes.Similarity(
        schema=shapes.SIMILARITY_FORMAT,
        gradebook=about,
        tokens=shapes.Fingerprints(K, W, ALWAYS_FOUND),
        remarks=(*remarks(comparison), *notes),
        pairs=tuple(map(_pair_json, comparison.pairs)),
    )
    return dumped(document)


def percentage(share: float) -> str:
    """A share for people, rounded down, so that 100 % is all of it."""
    return f"{int(share * 100)} %" if share >= 0.01 else "under 1 %"


def _count(fingerprints: int) -> str:
    return f"{fingerprints:,} fingerprint{'' if fingerprints == 1 else 's'}"


def _pair_json(pair: Pair) -> shapes.SimilarPair:
    return shapes.SimilarPair(
        left=_work_json(pair.left, pair.of_left),
        right=_work_json(pair.right, pair.of_right),
        shared_fingerprints=pair.shared,
        same_person=pair.is_same_person,
        passages=tuple(
            shapes.ReportedPassage(one.tokens, _lines_json(one.left), _lines_json(one.right)) for one in pair.passages
        ),
    )


def _work_json(work: Work, count: int) -> shapes.ReportedSimilarity:
    return shapes.ReportedSimilarity(work.key, work.name, work.earlier, count)


def _lines_json(lines: Lines) -> shapes.LinesOf:
    return shapes.LinesOf(lines.path, lines.first, lines.last)


def _passage(passage: Passage) -> dict[str, object]:
    return {"tokens": passage.tokens, "left": _side(passage.left), "right": _side(passage.right)}


def _side(lines: Lines) -> dict[str, object]:
    texts = lines.text.split("\n")
    shown = [(lines.first + number, _clean(text, _LONGEST)) for number, text in enumerate(texts[:_MAX_LINES])]
    where = f"line {lines.first}" if lines.first == lines.last else f"lines {lines.first} to {lines.last}"
    return {
        "path": _clean(lines.path, _LONGEST_NAME),
        "where": where,
        "lines": shown,
        "more": max(len(texts) - _MAX_LINES, 0),
    }


def _clean(text: str, longest: int) -> str:
    """A line without characters that move others, as those that turn the direction do; cut if it is long."""
    cut = text if len(text) <= longest else f"{text[:longest]}…"
    return "".join(one if one.isprintable() or one == "\t" else "�" for one in cut)
