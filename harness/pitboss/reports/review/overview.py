"""A class at a glance: a summary of each person, and the most common failures."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from pitboss.compare.results import FAILED, Report, StageReport, Verdict
from pitboss.gradebook.book import Gradebook
from pitboss.gradebook.grades import Grade
from pitboss.gradebook.marks import OVERRIDE, STYLE, has_open, requests_of
from pitboss.gradebook.people import HandedIn
from pitboss.submissions.importers.imported import Person

#: The maximum number of common mistakes, and of failed cases, to list.
_MAX_LISTED = 12
#: The number of score ranges below 100 %.
_RANGE_COUNT = 10


class Cell(msgspec.Struct, frozen=True):
    """A person's result in one stage."""

    #: The name of the stage.
    name: str
    verdict: Verdict
    #: How many sessions were accepted.
    passed: int
    #: How many sessions the stage has.
    total: int
    #: The titles of the mistakes that explain failures.
    mistakes: tuple[str, ...]

    @property
    def counts(self) -> str:
        """After a failure the counts of accepted and of all sessions, such as `3 of 5`; else empty."""
        has_counts = self.total and self.verdict not in (Verdict.ACCEPTED, Verdict.NEEDS_REVIEW)
        return f"{self.passed} of {self.total}" if has_counts else ""


class _RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a run's report that are cached."""

    #: The value of the verdict on the submission; empty if the submission was not run.
    verdict: str
    stages: tuple[Cell, ...]
    #: The cases that failed, as `stage: case`.
    failed: tuple[str, ...]
    #: The titles of the mistakes that explain failures.
    mistakes: tuple[str, ...]


class PersonSummary(_RunSummary, frozen=True):
    """The summary of a person on the class page."""

    person: Person
    #: The index of the person among all listed people, sorted by name.
    order: int
    #: The current grade; None if no grade was computed.
    grade: Grade | None
    #: The style score as the text of a fraction; empty if style was not graded.
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
        """The style score; None if style was not graded."""
        return Fraction(self.style) if self.style else None


class SummaryReader:
    """Reads the summaries of a class from its gradebook. Caches parts of the reports, which never change."""

    def __init__(self, part: frozenset[str] | None = None) -> None:
        """Read all people, or only people whose keys are in `part`."""
        self._part = part
        #: The cached parts of each run by its number; number 0 means that a person has no run.
        self._runs: dict[int, _RunSummary] = {0: _RunSummary(verdict="", stages=(), failed=(), mistakes=())}

    def summaries_of(self, book: Gradebook) -> list[PersonSummary]:
        """Return the summaries of all people in the part, sorted by name."""
        people = (person for person in book.people() if self._part is None or person.key in self._part)
        return [self._summary(book, person, order) for order, person in enumerate(people)]

    def _summary(self, book: Gradebook, person: Person, order: int) -> PersonSummary:
        run, current_score = book.current_run_number(person.key), book.score(person.key)
        if run not in self._runs:
            run_report = book.run_by_number(run)
            self._runs[run] = _run_summary(run_report[1]) if run_report else self._runs[0]
        run_fields = msgspec.structs.asdict(self._runs[run])
        if not run_fields["verdict"] and book.program(person.key) is None:
            run_fields["verdict"] = Verdict.NOT_HANDED_IN.value
        marks = book.marks(person.key)
        value_by_kind = {mark.kind: mark.value for mark in marks}
        return PersonSummary(
            person,
            order,
            **run_fields,
            grade=current_score.grade if current_score else None,
            style=value_by_kind.get(STYLE, ""),
            is_overridden=bool(value_by_kind.get(OVERRIDE)),
            has_open_request=has_open(requests_of(marks)),
            state="" if run else _missing_report_text(book.person_record(person).handed_in),
        )


def _missing_report_text(handed_in: HandedIn | None) -> str:
    if handed_in is None:
        return "nothing handed in"
    return "cannot be used" if handed_in.problem else "not run yet"


def _run_summary(report: Report) -> _RunSummary:
    failed = [
        f"{stage.stage}: {result.case}"
        for stage in report.stages
        for result in stage.results
        if result.verdict in FAILED
    ]
    titles = [mistake.title for stage in report.stages for mistake in stage.diagnosis if mistake.title]
    return _RunSummary(
        verdict=report.verdict.value if report.stages else Verdict.EMPTY.value,
        stages=tuple(map(_stage_cell, report.stages)),
        failed=tuple(dict.fromkeys(failed)),
        mistakes=tuple(dict.fromkeys(titles)),
    )


def _stage_cell(stage: StageReport) -> Cell:
    titles = tuple(mistake.title for mistake in stage.diagnosis if mistake.title)
    return Cell(stage.stage, stage.verdict, stage.passed, stage.total, titles)


class Range(NamedTuple):
    """A range of scores, as a bar of the distribution."""

    #: The range in words.
    text: str
    #: The number of people with a score in the range.
    people: int
    #: The length of the range's bar, as a percentage of the longest bar.
    width: int


def distribution(class_: Iterable[PersonSummary]) -> list[Range]:
    """Counts people by their score as a share of the possible points: ten ranges, and 100 % and more.

    A score that is not final is counted at its minimum.
    """
    shares = [
        summary.grade.so_far / summary.grade.out_of
        for summary in class_
        if summary.grade is not None and summary.grade.out_of
    ]
    # The index of a share's range. A negative share is counted in the first range, more than 100 % in the last.
    counts = Counter(min(max(int(share * _RANGE_COUNT), 0), _RANGE_COUNT) for share in shares)
    largest = max(counts.values(), default=0)
    texts = [f"{10 * index} % to under {10 * index + 10} %" for index in range(_RANGE_COUNT)] + ["100 % and more"]
    return [
        Range(text, counts[index], 100 * counts[index] // largest if largest else 0) for index, text in enumerate(texts)
    ]


class CommonFailure(NamedTuple):
    """A mistake or a failed case, with the number of people concerned."""

    #: The title of the mistake, or the case as `stage: case`.
    text: str
    #: The number of people with the mistake or the failed case.
    people: int


def most_common_mistakes(class_: Iterable[PersonSummary]) -> list[CommonFailure]:
    """Returns the most common mistakes with their numbers of people; the most common first."""
    return _most_common(title for summary in class_ for title in summary.mistakes)


def most_failed_cases(class_: Iterable[PersonSummary]) -> list[CommonFailure]:
    """Returns the cases that most people fail, with their numbers of people; the most common first."""
    return _most_common(case for summary in class_ for case in summary.failed)


def _most_common(texts: Iterable[str]) -> list[CommonFailure]:
    counts = Counter(texts)
    return [CommonFailure(text, counts[text]) for text in sorted(counts, key=lambda text: (-counts[text], text))][
        :_MAX_LISTED
    ]


def median_score(class_: Sequence[PersonSummary]) -> Fraction | None:
    """Returns the median of all final scores; None if no score is final."""
    scores = [summary.score for summary in class_ if summary.score is not None]
    return statistics.median(scores) if scores else None
