"""A class at a glance: a summary of each person, and the most common failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import FAILED, Verdict
from pitboss.gradebook.book import OVERRIDE, STYLE, Gradebook, requests_of
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.person_records import HandedIn, has_open
from pitboss.submissions.importers.imported import Person

#: The maximum number of common mistakes or failed cases that are listed; and the number of ranges below 100 %.
_MOST, _RANGES = 12, 10


class Cell(msgspec.Struct, frozen=True):
    """A person's result in one stage."""

    name: str
    verdict: Verdict
    passed: int
    total: int
    mistakes: tuple[str, ...]


class _Ran(msgspec.Struct, frozen=True):
    """The parts of a run's report that are cached."""

    verdict: str
    stages: tuple[Cell, ...]
    #: The cases that failed, as `stage: case`.
    failed: tuple[str, ...]
    mistakes: tuple[str, ...]


class Brief(msgspec.Struct, frozen=True):
    """The summary of a person on the class page."""

    person: Person
    #: The index of this person among all listed, sorted by name.
    order: int
    verdict: str
    stages: tuple[Cell, ...]
    failed: tuple[str, ...]
    mistakes: tuple[str, ...]
    grade: Grade | None
    #: The mark for style, as the text of a fraction; empty if there is none.
    style: str
    is_overridden: bool
    has_open_request: bool = False
    #: Why there is no report, in words; empty if there is one.
    state: str = ""

    @property
    def is_without_program(self) -> bool:
        """Whether something was handed in that has no program for any stage."""
        return bool(self.stages) and all(one.verdict is Verdict.NOT_HANDED_IN for one in self.stages)

    @property
    def score(self) -> Fraction | None:
        """The score; None while it is open."""
        return self.grade.score if self.grade else None

    @property
    def so_far(self) -> Fraction | None:
        """The score, or its minimum while it is open; None if no grade was computed."""
        return self.grade.so_far if self.grade else None

    @property
    def style_share(self) -> Fraction | None:
        """The mark for style; None if there is none."""
        return Fraction(self.style) if self.style else None


class Briefs:
    """Reads a class from its gradebook. Only the reports of runs are cached, as they never change."""

    def __init__(self, part: frozenset[str] | None = None) -> None:
        """Read all people, or only people whose keys are in `part`."""
        self._part = part
        self._ran: dict[int, _Ran] = {0: _Ran("", (), (), ())}

    def of(self, book: Gradebook) -> list[Brief]:
        """Return the summaries of all people in the part, sorted by name."""
        people = (one for one in book.people() if self._part is None or one.key in self._part)
        return [self._brief(book, person, order) for order, person in enumerate(people)]

    def _brief(self, book: Gradebook, person: Person, order: int) -> Brief:
        run, scored = book.run(person.key), book.score(person.key)
        if run not in self._ran:
            found = book.of_run(run)
            self._ran[run] = _ran(found[1]) if found else self._ran[0]
        ran = self._ran[run]
        marks = book.marks(person.key)
        last = {mark.kind: mark.value for mark in marks}
        return Brief(
            person,
            order,
            ran.verdict or (Verdict.NOT_HANDED_IN.value if book.program(person.key) is None else ""),
            ran.stages,
            ran.failed,
            ran.mistakes,
            scored.grade if scored else None,
            last.get(STYLE, ""),
            bool(last.get(OVERRIDE)),
            has_open(requests_of(marks)),
            "" if run else _state(book.row(person).handed_in),
        )


def _state(handed_in: HandedIn | None) -> str:
    if handed_in is None:
        return "nothing handed in"
    return "cannot be taken" if handed_in.problem else "not run yet"


def _ran(report: Report) -> _Ran:
    failed = [f"{stage.stage}: {one.case}" for stage in report.stages for one in stage.results if one.verdict in FAILED]
    titles = [one.title for stage in report.stages for one in stage.diagnosis if one.title]
    return _Ran(
        report.verdict.value if report.stages else Verdict.EMPTY.value,
        tuple(map(_cell, report.stages)),
        tuple(dict.fromkeys(failed)),
        tuple(dict.fromkeys(titles)),
    )


def _cell(stage: StageReport) -> Cell:
    titles = tuple(one.title for one in stage.diagnosis if one.title)
    return Cell(stage.stage, stage.verdict, stage.passed, stage.total, titles)


class Range(NamedTuple):
    """A range of scores, and how many people have a score in it."""

    text: str
    people: int
    #: The length of its bar, as a percentage of the bar of the fullest range.
    width: int


def distribution(class_: Iterable[Brief]) -> list[Range]:
    """Counts people by their score as a share of the points that it is out of: ten ranges, and 100 % and more.

    A score that is not final counts as its minimum.
    """
    shares = [one.grade.so_far / one.grade.out_of for one in class_ if one.grade is not None and one.grade.out_of]
    counts = Counter(min(max(int(share * _RANGES), 0), _RANGES) if share > 0 else 0 for share in shares)
    full = max(counts.values(), default=0)
    texts = [f"{10 * at} % to under {10 * at + 10} %" for at in range(_RANGES)] + ["100 % and more"]
    return [Range(text, counts[at], 100 * counts[at] // full if full else 0) for at, text in enumerate(texts)]


class CommonFailure(NamedTuple):
    """A mistake or failed case, and how many people have it."""

    text: str
    people: int


def named_most(class_: Iterable[Brief]) -> list[CommonFailure]:
    """The most common mistakes, each with the number of people who have it; the most common first."""
    return _most(title for one in class_ for title in one.mistakes)


def failed_most(class_: Iterable[Brief]) -> list[CommonFailure]:
    """The cases that fail most often, each with the number of people who fail it."""
    return _most(case for one in class_ for case in one.failed)


def _most(texts: Iterable[str]) -> list[CommonFailure]:
    counts = Counter(texts)
    return [CommonFailure(text, counts[text]) for text in sorted(counts, key=lambda text: (-counts[text], text))][
        :_MOST
    ]


def middle(class_: Sequence[Brief]) -> Fraction | None:
    """The median of all scores that are not open; None if there are none."""
    scores = sorted(one.score for one in class_ if one.score is not None)
    half = len(scores) // 2
    return None if not scores else scores[half] if len(scores) % 2 else (scores[half - 1] + scores[half]) / 2
