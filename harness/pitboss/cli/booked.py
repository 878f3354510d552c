"""Grading into a gradebook: what has changed is run, and each report and score is written down as soon as it is known.

Stopped at any moment it is the same gradebook with fewer reports; what is there is not run again.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.cli.asked import called_from_here
from pitboss.cli.grading import Where, each_checked
from pitboss.gradebook.book import Gradebook, is_fault
from pitboss.gradebook.reasons import reasons
from pitboss.gradebook.scoring import Change, rescored
from pitboss.gradebook.values import Row, SourceFile
from pitboss.intake.handed import Handed, Person
from pitboss.intake.joining import joined
from pitboss.intake.roster import Roster
from pitboss.judging.results import Report
from pitboss.judging.verdicts import Verdict
from pitboss.kept.causes import Causes, Common
from pitboss.machine import signals
from pitboss.running.job import Job
from pitboss.submissions.texts import texts_of

#: With its place: the name of a program that no digest can be made of.
_NOT_KNOWN = "not known: "


class Booked(NamedTuple):
    """What came of grading a class into a gradebook."""

    #: How many were not run again, since nothing has changed, and how many were run.
    unchanged: int = 0
    run: int = 0
    #: Whom that leaves, where it was stopped.
    missing: tuple[str, ...] = ()
    #: Of whom something newer counts.
    older: tuple[str, ...] = ()
    #: Whom pitboss could not grade, by its own fault or that of the assignment, with the reason.
    faults: tuple[tuple[str, str], ...] = ()
    #: The number of the signal that stopped it; 0 where nothing did.
    signal: int = 0

    def and_then(self, other: Booked) -> Booked:
        """What came of this and of another download."""
        return Booked(*(one + more for one, more in zip(self, other, strict=True)))  # type: ignore[operator]


class Scoring:
    """The scores of a gradebook while it is graded: each is another as soon as what it hangs on is."""

    def __init__(self, book: Gradebook, job: Job) -> None:
        """As it is before anything is run."""
        self._book, self._policy = book, job.assignment.grading
        self._before = {person.key: book.run(person.key) for person in book.people()}
        #: In the order in which they were made; a first score is none.
        self.changes: list[Change] = []

    def look(self, people: Iterable[Person] | None = None) -> None:
        """Compute the scores of these people, or of all."""
        changes = rescored(self._book, self._policy, self._why, people)
        self.changes += [one for one in changes if one.before is not None]

    def _why(self, row: Row) -> tuple[str, ...]:
        then, now = self._before.get(row.person.key, 0), self._book.run(row.person.key)
        if then == now:
            return ("the policy or the due date has changed",)
        return reasons(self._book.of_run(then), self._book.of_run(now))


class _Work(NamedTuple):
    """A submission that is run, for everybody who handed it in."""

    path: Path
    who: tuple[tuple[Handed, Causes], ...]

    @property
    def name(self) -> str:
        """Whose it is, in faults."""
        return self.who[0][0].person.name


class Into(NamedTuple):
    """What a class is graded into, and by what."""

    book: Gradebook
    job: Job
    common: Common
    scoring: Scoring
    where: Where


def grade_into(into: Into, handed: Iterable[Handed], *, is_fresh: bool) -> Booked:
    """Run what has changed since an earlier run, or all where `is_fresh`.

    Raises UsageError or SessionError where the gradebook cannot be written.
    """
    book = into.book
    found = [(one, _causes(into.common, one)) for one in _known_people(book, handed)]
    book.take((one, causes.program) for one, causes in found)
    there = [(one, causes) for one, causes in found if one.path is not None]
    older = [one.person.name for one, causes in there if book.program(one.person.key) != causes.program]
    there = [(one, causes) for one, causes in there if book.program(one.person.key) == causes.program]
    for one, causes in there:
        _add_sources(book, one, causes.program)
    left = [(one, causes) for one, causes in there if is_fresh or not _is_known(book, one, causes)]
    done: set[str] = set()
    failed: dict[str, str] = {}
    process, stopped_by = os.getpid(), 0
    try:
        _run(into, _work(left), done, failed)
    except KeyboardInterrupt:
        if os.getpid() != process:  # a worker that had hardly begun
            os._exit(1)
        stopped_by = signals.last_signal() or signal.SIGINT
    missing = tuple(one.person.name for one, _ in left if one.person.key not in done)
    faults = [(one.person.name, failed[one.person.key]) for one, _ in left if one.person.key in failed]
    unchanged = len(there) - len(left)
    return Booked(unchanged, len(done), missing, tuple(older), tuple(faults), stopped_by if missing else 0)


def _known_people(book: Gradebook, handed: Iterable[Handed]) -> list[Handed]:
    """The same with the people of the gradebook where one of them is meant, whom another download called otherwise.

    Nobody is meant who is in this download already, or by two.
    """
    rows, people = list(handed), book.people()
    known, here = {person.key for person in people}, {one.person.key for one in rows}
    roster = Roster(book.path, tuple(people))
    strangers = [one for one in rows if one.person.key not in known]
    found = iter(joined(strangers, roster))
    meant = [one.person if one.person.key in known else next(found).person for one in rows]
    counts = Counter(person.key for person in meant)
    return [
        one if person.key in here or counts[person.key] > 1 else msgspec.structs.replace(one, person=person)
        for one, person in zip(rows, meant, strict=True)
    ]


def _causes(common: Common, one: Handed) -> Causes:
    """What a person's result hangs on. Where that cannot be told, what was handed in has its place for a name."""
    causes = common.of(one.path) if one.path is not None else None
    return causes or Causes(f"{_NOT_KNOWN}{one.source}" if one.path else "", "", "", "")


def _add_sources(book: Gradebook, one: Handed, program: str) -> None:
    """Keep what was handed in for people to read, once for each content."""
    if one.path is not None and (program.startswith(_NOT_KNOWN) or not book.has_sources(program)):
        book.add_sources(program, (SourceFile(*file) for file in texts_of(one.path)))


def _is_known(book: Gradebook, one: Handed, causes: Causes) -> bool:
    return bool(causes.assignment) and book.recall(one.person.key, causes)


def _work(left: list[tuple[Handed, Causes]]) -> list[_Work]:
    """One run for all who handed in the same together."""
    by_path: dict[Path, list[tuple[Handed, Causes]]] = {}
    for one, causes in left:
        assert one.path is not None
        by_path.setdefault(one.path, []).append((one, causes))
    return [_Work(path, tuple(who)) for path, who in by_path.items()]


def _run(into: Into, work: list[_Work], done: set[str], failed: dict[str, str]) -> None:
    """Run these, and write down what came of each.

    Adds the keys of those who have a report to `done`, and the fault of each whom we could not grade to `failed`.
    """
    submissions = {one: (one.path, one.name) for one in work}
    for one, found in each_checked(into.job, submissions, into.where):
        # A session is run again in the student's own folder, wherever that is.
        report = called_from_here(found, into.job, Path("."))
        is_as_before = into.common.of(one.path) == one.who[0][1]
        for handed, causes in one.who:
            person = handed.person
            own = msgspec.structs.replace(report, submission=person.name)
            # What was changed while it was run has no cause that is known: it is run again the next time.
            into.book.add_report(person.key, causes if is_as_before else causes.unknown, own)
            done.add(person.key)
            into.scoring.look([person])
            if is_fault(report):
                failed[person.key] = _fault_in(report)


def _fault_in(report: Report) -> str:
    """The first fault of a report, as a sentence."""
    summaries = [stage.summary for stage in report.stages if stage.verdict is Verdict.JUDGE_ERROR]
    sessions = [one for stage in report.stages for one in stage.results if one.verdict is Verdict.JUDGE_ERROR]
    found = [text for text in (*report.faults, *(one.fault for one in sessions), *summaries) if text]
    return found[0] if found else "it could not be judged"
