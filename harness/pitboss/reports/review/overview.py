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

#: The maximum number of common mistakes or failed cases to list, and the number of score ranges below 100 %.
_MAX_LISTED, _RANGE_COUNT = 12, 10


class Cell(msgspec.Struct, frozen=True):
    """A person's result in one stage."""

    name: str
    verdict: Verdict
    passed: int
    total: int
    mistakes: tuple[str, ...]


class _CachedRun(msgspec.Struct, frozen=True):
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
    #: The style score as the text of a fraction; empty if not graded.
    style: str
    is_overridden: bool
    has_open_request: bool = False
    #: Why there is no report; empty if there is a report.
    state: str = ""

    @property
    def is_without_program(self) -> bool:
        """Whether there is a submission, but no program for any stage in it."""
        return bool(self.stages) and all(cell.verdict is Verdict.NOT_HANDED_IN for cell in self.stages)

    @property
    def score(self) -> Fraction | None:
        """The score; None while the grade is open."""
        return self.grade.score if self.grade else None

    @property
    def so_far(self) -> Fraction | None:
        """The score, or its minimum while the grade is open; None if no grade was computed."""
        return self.grade.so_far if self.grade else None

    @property
    def style_share(self) -> Fraction | None:
        """The style score; None if not graded."""
        return Fraction(self.style) if self.style else None


class Briefs:
    """Reads a class from its gradebook. Only the reports of runs are cached, since they never change."""

    def __init__(self, part: frozenset[str] | None = None) -> None:
        """Read all people, or only people whose keys are in `part`."""
        self._part = part
        self._cached_runs: dict[int, _CachedRun] = {0: _CachedRun("", (), (), ())}

    def briefs_of(self, book: Gradebook) -> list[Brief]:
        """Return the summaries of all people in the part, sorted by name."""
        people = (person for person in book.people() if self._part is None or person.key in self._part)
        return [self._brief(book, person, order) for order, person in enumerate(people)]

    def _brief(self, book: Gradebook, person: Person, order: int) -> Brief:
        run, scored = book.run(person.key), book.score(person.key)
        if run not in self._cached_runs:
            run_report = book.run_by_number(run)
            self._cached_runs[run] = _cached_run(run_report[1]) if run_report else self._cached_runs[0]
        cached = self._cached_runs[run]
        marks = book.marks(person.key)
        value_by_kind = {mark.kind: mark.value for mark in marks}
        return Brief(
            person,
            order,
            cached.verdict or (Verdict.NOT_HANDED_IN.value if book.program(person.key) is None else ""),
            cached.stages,
            cached.failed,
            cached.mistakes,
            scored.grade if scored else None,
            value_by_kind.get(STYLE, ""),
            bool(value_by_kind.get(OVERRIDE)),
            has_open(requests_of(marks)),
            "" if run else _missing_report_text(book.row(person).handed_in),
        )


def _missing_report_text(handed_in: HandedIn | None) -> str:
    """Why there is no report."""
    if handed_in is None:
        return "nothing handed in"
    return "cannot be used" if handed_in.problem else "not run yet"


def _cached_run(report: Report) -> _CachedRun:
    failed = [
        f"{stage.stage}: {result.case}"
        for stage in report.stages
        for result in stage.results
        if result.verdict in FAILED
    ]
    titles = [mistake.title for stage in report.stages for mistake in stage.diagnosis if mistake.title]
    return _CachedRun(
        report.verdict.value if report.stages else Verdict.EMPTY.value,
        tuple(map(_stage_cell, report.stages)),
        tuple(dict.fromkeys(failed)),
        tuple(dict.fromkeys(titles)),
    )


def _stage_cell(stage: StageReport) -> Cell:
    titles = tuple(mistake.title for mistake in stage.diagnosis if mistake.title)
    return Cell(stage.stage, stage.verdict, stage.passed, stage.total, titles)


class Range(NamedTuple):
    """A range of scores, and how many people have a score in it."""

    text: str
    people: int
    #: The length of its bar, as a percentage of the longest bar.
    width: int


def distribution(class_: Iterable[Brief]) -> list[Range]:
    """Counts people by their score as a share of the possible points: ten ranges, and 100 % and more.

    A score that is not final is counted at its minimum.
    """
    shares = [
        brief.grade.so_far / brief.grade.out_of for brief in class_ if brief.grade is not None and brief.grade.out_of
    ]
    counts = Counter(min(max(int(share * _RANGE_COUNT), 0), _RANGE_COUNT) if share > 0 else 0 for share in shares)
    largest = max(counts.values(), default=0)
    texts = [f"{10 * index} % to under {10 * index + 10} %" for index in range(_RANGE_COUNT)] + ["100 % and more"]
    return [
        Range(text, counts[index], 100 * counts[index] // largest if largest else 0) for index, text in enumerate(texts)
    ]


class CommonFailure(NamedTuple):
    """A mistake or failed case, and how many people have it."""

    text: str
    people: int


def most_common_mistakes(class_: Iterable[Brief]) -> list[CommonFailure]:
    """The most common mistakes, each with the number of people who have it; the most common first."""
    return _most_common(title for brief in class_ for title in brief.mistakes)


def most_failed_cases(class_: Iterable[Brief]) -> list[CommonFailure]:
    """The cases that fail most often, each with the number of people who fail it."""
    return _most_common(case for brief in class_ for case in brief.failed)


def _most_common(texts: Iterable[str]) -> list[CommonFailure]:
    counts = Counter(texts)
    return [CommonFailure(text, counts[text]) for text in sorted(counts, key=lambda text: (-counts[text], text))][
        :_MAX_LISTED
    ]


def median_score(class_: Sequence[Brief]) -> Fraction | None:
    """The median of all final scores; None if there are none."""
    scores = sorted(brief.score for brief in class_ if brief.score is not None)
    half = len(scores) // 2
    return None if not scores else scores[half] if len(scores) % 2 else (scores[half - 1] + scores[half]) / 2
