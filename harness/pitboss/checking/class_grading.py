"""Grades a class into a gradebook: runs what has changed, and writes each report and score at once.

If it is stopped at any moment, the gradebook only has fewer reports; those that it has are not run again.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.checking.backend import Backend, Say, each_checked
from pitboss.checking.cache.lookup import Cache
from pitboss.checking.inputs import Common, common
from pitboss.checking.missing_toolchains import toolchain_remarks
from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.book import Gradebook, is_fault
from pitboss.gradebook.person_records import Causes, PersonRecord, SourceFile
from pitboss.gradebook.reasons import reasons
from pitboss.gradebook.scoring import ScoreChange, rescored
from pitboss.sandbox import signals
from pitboss.sessions.job import Job
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from pitboss.submissions.importers.joining import joined
from pitboss.submissions.importers.roster import Roster
from pitboss.submissions.importers.teams import shared_in_teams
from pitboss.submissions.texts import texts_of

#: With its path: the name of a program whose digest cannot be computed.
_UNKNOWN_PROGRAM = "not known: "
#: Called with the number of submissions done, and of all, whenever one is done.
Progress = Callable[[int, int], None]


class GradingSummary(NamedTuple):
    """The outcome of grading a download into a gradebook."""

    #: How many submissions were not run again, since nothing has changed, and how many were run.
    unchanged: int = 0
    run: int = 0
    #: The names of students who were not graded, if it was stopped.
    missing: tuple[str, ...] = ()
    #: The names of students whose newer submission counts.
    older: tuple[str, ...] = ()
    #: Names of students whose grading failed, by a fault of pitboss or of the assignment, with the reason.
    faults: tuple[tuple[str, str], ...] = ()
    #: The number of the signal that stopped it; 0 if none did.
    signal: int = 0

    def and_then(self, other: GradingSummary) -> GradingSummary:
        """The outcome of this and another download together."""
        return GradingSummary(*(one + more for one, more in zip(self, other, strict=True)))  # type: ignore[operator]


class _Submission(NamedTuple):
    """A submission, with all students who handed it in together."""

    path: Path
    people: tuple[tuple[ImportedSubmission, Causes], ...]

    @property
    def name(self) -> str:
        """The name of its first student."""
        return self.people[0][0].person.name


class ClassGrading:
    """Grades the downloads of a class into a gradebook.

    Raises UsageError or SessionError if the gradebook cannot be written.
    """

    def __init__(
        self,
        book: Gradebook,
        job: Job,
        given: Sequence[Path] = (),
        *,
        backend: Backend,
        say: Say = lambda sentence: None,
        progress: Progress = lambda done, of: None,
    ) -> None:
        """With the course's files `given`; `say` is called with sentences for the user."""
        self._book, self._job, self._given = book, job, tuple(given)
        self._backend, self._say, self._progress = backend, say, progress
        self._common, self._last_run = self._common_now(), book.last_run()
        self._runs_before = {person.key: book.run(person.key) for person in book.people()}
        self._cache = _cache_of(job, self._given)
        #: The scores that have changed, in order; a first score is not a change.
        self.changes: list[ScoreChange] = []
        if self._cache.refusal:
            say(self._cache.refusal)
        if not self._common.assignment:
            say("what the assignment runs is unknown, so all submissions are run each time")

    def grade(
        self,
        handed: Iterable[ImportedSubmission],
        *,
        is_fresh: bool = False,
        has_roster: bool = False,
        later: Iterable[ImportedSubmission] = (),
    ) -> GradingSummary:
        """Run what has changed since an earlier run, or everything if `is_fresh`.

        `has_roster`: a roster describes the students completely; otherwise the gradebook adds what it knows of them.
        `later` is what the downloads after this one have: it counts instead, unless both say when they were handed in.
        """
        book = self._book
        current = self._not_superseded(self._in_book(handed, has_roster=has_roster), later)
        found = [(one, self._causes(one)) for one in current]
        book.take((one, causes.program) for one, causes in found)
        there = [(one, causes) for one, causes in found if one.path is not None]
        older = [one.person.name for one, causes in there if book.program(one.person.key) != causes.program]
        there = [(one, causes) for one, causes in there if book.program(one.person.key) == causes.program]
        for one, causes in there:
            _add_sources(book, one, causes.program)
        left = [(one, causes) for one, causes in there if is_fresh or not self._is_in_book(one, causes)]
        graded, faults = set[str](), dict[str, str]()
        process, stopped_by, run = os.getpid(), 0, 0
        try:
            with contextlib.closing(self._reports(_submissions(left), is_fresh=is_fresh)) as reports:
                for submission, report, was_run in reports:
                    self._note(submission, report)
                    run += len(submission.people) * was_run
                    graded |= {one.person.key for one, _ in submission.people}
                    if is_fault(report):
                        faults |= {one.person.key: _fault_in(report) for one, _ in submission.people}
        except KeyboardInterrupt:
            if os.getpid() != process:  # a worker that had hardly begun
                os._exit(1)
            stopped_by = signals.last_signal() or signal.SIGINT
        self._rescore()
        missing = tuple(one.person.name for one, _ in left if one.person.key not in graded)
        return GradingSummary(
            unchanged=len(there) - len(left) + len(graded) - run,
            run=run,
            missing=missing,
            older=tuple(older),
            faults=tuple((one.person.name, faults[one.person.key]) for one, _ in left if one.person.key in faults),
            signal=stopped_by if missing else 0,
        )

    def changed_meanwhile(self) -> bool:
        """Whether the assignment has changed since the beginning; then everything is run again the next time."""
        if not self._common.assignment or self._common_now() == self._common:
            return False
        self._book.forget_causes(self._last_run)
        return True

    def outdated(self) -> list[str]:
        """The names of students whose result is from earlier specs, since the download lacks their submission."""
        now = self._common.assignment
        causes = {person.name: self._book.causes(person.key) for person in self._book.people() if now}
        return [name for name, of in causes.items() if of is not None and of.assignment not in ("", now)]

    def _common_now(self) -> Common:
        job = self._job
        words = (*(stage.name for stage in job.stages), str(job.runs_all), repr(job.conditions))
        return common(job.assignment, words, self._given)

    def _causes(self, one: ImportedSubmission) -> Causes:
        """What a result depends on. If that is unknown, the submission is identified by its path."""
        causes = self._common.of(one.path) if one.path is not None else None
        return causes or Causes(f"{_UNKNOWN_PROGRAM}{one.source}" if one.path else "", "", "", "")

    def _in_book(self, handed: Iterable[ImportedSubmission], *, has_roster: bool) -> list[ImportedSubmission]:
        """These submissions, with the gradebook's students where another download named the same ones differently.

        A student of the gradebook who is in this download already, or whom two submissions may mean, is not used.
        """
        rows, people = list(handed), self._book.people()
        by_key, here = {person.key: person for person in people}, {one.person.key for one in rows}
        strangers = [one for one in rows if one.person.key not in by_key]
        found = iter(joined(strangers, Roster(self._book.path, tuple(people))))
        meant = [one.person if one.person.key in by_key else next(found).person for one in rows]
        counts = Counter(person.key for person in meant)
        called = [
            one if person.key in here or counts[person.key] > 1 else msgspec.structs.replace(one, person=person)
            for one, person in zip(rows, meant, strict=True)
        ]
        if not has_roster:
            called = [
                _completed_by_gradebook(by_key[one.person.key], one) if one.person.key in by_key else one
                for one in called
            ]
        return shared_in_teams(called, people)

    def _not_superseded(
        self, handed: Iterable[ImportedSubmission], later: Iterable[ImportedSubmission]
    ) -> list[ImportedSubmission]:
        """The same without those for whom a later download counts, whatever the gradebook has."""
        after = self._in_book(later, has_roster=False)
        undated, dated = set[str](), set[str]()
        for one in after:
            if one.path is not None or one.problem:
                (undated if one.at is None else dated).add(one.person.key)
        return [
            one for one in handed if one.person.key not in undated and not (one.person.key in dated and one.at is None)
        ]

    def _is_in_book(self, one: ImportedSubmission, causes: Causes) -> bool:
        return bool(causes.assignment) and self._book.recall(one.person.key, causes)

    def _reports(
        self, submissions: Sequence[_Submission], *, is_fresh: bool
    ) -> Generator[tuple[_Submission, Report, bool], None, None]:
        """The report on each submission, and whether it was run: cached ones first, then each when it is ready."""
        self._cache.begin(self._job.assignment, self._job.conditions)
        keys = {one: self._cache.key_in_class(one.path, one.name) for one in submissions}
        cached = {} if is_fresh else {one: report for one in submissions if (report := self._cache.found(keys[one]))}
        for submission, report in cached.items():
            yield submission, report, False
        left = {one: (one.path, one.name) for one in submissions if one not in cached}
        if left and not self._backend.cluster:
            paths = [path for path, _ in left.values()]
            for remark in toolchain_remarks(paths, self._job.assignment.language, self._job.conditions):
                self._say(remark)
        self._progress(0, len(left))
        for done, (submission, report) in enumerate(each_checked(self._job, left, self._backend, self._say)):
            self._progress(done + 1, len(left))
            yield submission, report, True
            self._cache.keep_in_class(keys[submission], submission.path, submission.name, report)

    def _note(self, submission: _Submission, report: Report) -> None:
        """Add a report for all students of a submission, and score it."""
        is_as_before = self._common.of(submission.path) == submission.people[0][1]
        called = msgspec.structs.replace(report, folder="", called=self._job.called, has_hidden=self._job.has_hidden)
        for handed, causes in submission.people:
            own = msgspec.structs.replace(called, submission=handed.person.name)
            # If something changed while it was run, its causes are unknown, and it is run again the next time.
            self._book.add_report(handed.person.key, causes if is_as_before else causes.unknown, own)
            self._rescore([handed.person])

    def _rescore(self, people: Iterable[Person] | None = None) -> None:
        """Compute the scores of these students, or of all."""
        changes = rescored(self._book, self._job.assignment.grading, self._reasons, people)
        self.changes += [one for one in changes if one.before is not None]

    def _reasons(self, row: PersonRecord) -> tuple[str, ...]:
        then, now = self._runs_before.get(row.person.key, 0), self._book.run(row.person.key)
        if then == now:
            return ("the policy, the due date, or how pitboss writes a sum has changed",)
        return reasons(self._book.of_run(then), self._book.of_run(now))


def _cache_of(job: Job, given: Sequence[Path]) -> Cache:
    """The cached reports of this job, on any submissions."""
    stages = ",".join(stage.name for stage in job.stages)
    asked = ("grade", job.called, stages, str(job.runs_all), repr(job.conditions), str(job.assignment.folder))
    return Cache((*asked, *map(str, given)), lambda: [job.assignment.folder], given)


def _add_sources(book: Gradebook, one: ImportedSubmission, program: str) -> None:
    """Add the submitted files to the gradebook for people to read, once for each content."""
    if one.path is not None and (program.startswith(_UNKNOWN_PROGRAM) or not book.has_sources(program)):
        book.add_sources(program, (SourceFile(*file) for file in texts_of(one.path)))


def _completed_by_gradebook(person: Person, handed: ImportedSubmission) -> ImportedSubmission:
    """A submission, with everything that the gradebook knows of its student and the download does not."""
    new = handed.person
    is_poorer = any(getattr(person, name) and not getattr(new, name) for name in ("login", "email", "section", "team"))
    if not is_poorer:
        return handed
    ids = tuple(dict.fromkeys((*person.ids, *new.ids)))
    return msgspec.structs.replace(
        handed, person=msgspec.structs.replace(person, ids=ids, email=person.email or new.email)
    )


def _submissions(left: list[tuple[ImportedSubmission, Causes]]) -> list[_Submission]:
    """One submission for all students who share it: the same path, or a team that has it in several places."""
    together: dict[object, list[tuple[ImportedSubmission, Causes]]] = {}
    for one, causes in left:
        is_known = one.person.team and not causes.program.startswith(_UNKNOWN_PROGRAM)
        together.setdefault((one.person.team, causes.program) if is_known else one.path, []).append((one, causes))
    return [_Submission(people[0][0].path, tuple(people)) for people in together.values() if people[0][0].path]


def _fault_in(report: Report) -> str:
    """The first fault of a report, as a sentence."""
    summaries = [stage.summary for stage in report.stages if stage.verdict is Verdict.JUDGE_ERROR]
    sessions = [one for stage in report.stages for one in stage.results if one.verdict is Verdict.JUDGE_ERROR]
    found = [text for text in (*report.faults, *(one.fault for one in sessions), *summaries) if text]
    return found[0] if found else "it could not be judged"


def report_on(book: Gradebook, row: PersonRecord, job: Job) -> Report | None:
    """The whole report that counts for a student, even if there was nothing to run; None if it has not been run yet."""
    if row.is_waiting:
        return None
    return book.report(row.person.key) or _on_nothing(job, row)


def _on_nothing(job: Job, row: PersonRecord) -> Report:
    """The report on a student without a program."""
    problem = row.handed_in.problem if row.handed_in else ""
    verdict = Verdict.NOT_HANDED_IN if problem else Verdict.EMPTY
    reason = "" if problem else "there is nothing of this person."
    summary = problem or f"Not handed in: {reason}"
    stages = tuple(
        StageReport(
            stage.name,
            stage.title,
            verdict,
            reason=reason,
            summary=summary,
            is_begun=False,
            is_manual=stage.is_manual,
        )
        for stage in job.stages
        if not stage.is_optional
    )
    conditions = job.conditions.sentences
    name = row.person.name
    return Report(job.assignment.name, job.assignment.title, name, stages, conditions=conditions, unasked=job.unasked)
