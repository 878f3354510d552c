"""Grades a class into a gradebook: runs what has changed, and writes each report and score at once.

It can be stopped at any moment: the reports in the gradebook are complete, and their submissions are not run again.
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

from pitboss.checking.backend import Announce, Backend, check_submissions
from pitboss.checking.cache.lookup import Cache
from pitboss.checking.inputs import Common, common
from pitboss.checking.missing_toolchains import toolchain_remarks
from pitboss.compare.results import Report, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.gradebook.book import Gradebook, is_fault
from pitboss.gradebook.person_records import Causes, PersonRecord, SourceFile
from pitboss.gradebook.reasons import reasons
from pitboss.gradebook.scoring import ScoreChange, update_scores
from pitboss.sandbox import signals
from pitboss.sessions.job import Job
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from pitboss.submissions.importers.joining import match_with_roster
from pitboss.submissions.importers.roster import Roster
from pitboss.submissions.importers.teams import share_in_teams
from pitboss.submissions.texts import texts_of

#: Followed by its path, the name of a program whose digest cannot be computed.
_UNKNOWN_PROGRAM = "not known: "
#: Called with the number of finished submissions and the total, whenever another is finished.
Progress = Callable[[int, int], None]


class GradingSummary(NamedTuple):
    """The outcome of grading a download into a gradebook."""

    #: How many submissions were not run again, since nothing has changed, and how many were run.
    unchanged: int = 0
    run: int = 0
    #: The names of students who were not graded, if it was stopped.
    missing: tuple[str, ...] = ()
    #: The names of students with a newer submission, which is graded instead.
    older: tuple[str, ...] = ()
    #: Names of students whose grading failed, by a fault of pitboss or of the assignment, with the reason.
    faults: tuple[tuple[str, str], ...] = ()
    #: The number of the signal that stopped it; 0 if none did.
    signal: int = 0

    def and_then(self, other: GradingSummary) -> GradingSummary:
        """The combined outcome of this download and another."""
        return GradingSummary(*(value + more for value, more in zip(self, other, strict=True)))  # type: ignore[operator]


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
        say: Announce = lambda sentence: None,
        progress: Progress = lambda done, total: None,
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
            say("the code of the assignment cannot be determined, so all submissions are run each time")

    def grade(
        self,
        handed: Iterable[ImportedSubmission],
        *,
        is_fresh: bool = False,
        has_roster: bool = False,
        later: Iterable[ImportedSubmission] = (),
    ) -> GradingSummary:
        """Run submissions that have changed since an earlier run, or all if `is_fresh`.

        `has_roster`: a roster describes the students completely; otherwise the gradebook adds missing details.
        `later` are the submissions of later downloads: they replace these, unless both have a time of submission.
        """
        book = self._book
        current = self._not_superseded(self._in_book(handed, has_roster=has_roster), later)
        with_causes = [(handed_in, self._causes(handed_in)) for handed_in in current]
        book.add_submissions((handed_in, causes.program) for handed_in, causes in with_causes)
        present = [(handed_in, causes) for handed_in, causes in with_causes if handed_in.path is not None]
        older = [
            handed_in.person.name
            for handed_in, causes in present
            if book.program(handed_in.person.key) != causes.program
        ]
        present = [
            (handed_in, causes) for handed_in, causes in present if book.program(handed_in.person.key) == causes.program
        ]
        for handed_in, causes in present:
            _add_sources(book, handed_in, causes.program)
        left = [
            (handed_in, causes) for handed_in, causes in present if is_fresh or not self._is_in_book(handed_in, causes)
        ]
        graded, faults = set[str](), dict[str, str]()
        process, stopped_by, run = os.getpid(), 0, 0
        try:
            with contextlib.closing(self._reports(_submissions(left), is_fresh=is_fresh)) as reports:
                for submission, report, was_run in reports:
                    self._add_report(submission, report)
                    run += len(submission.people) * was_run
                    graded |= {handed_in.person.key for handed_in, _ in submission.people}
                    if is_fault(report):
                        faults |= {handed_in.person.key: _fault_in(report) for handed_in, _ in submission.people}
        except KeyboardInterrupt:
            if os.getpid() != process:  # a worker forked a moment ago
                os._exit(1)
            stopped_by = signals.last_signal() or signal.SIGINT
        self._rescore()
        missing = tuple(handed_in.person.name for handed_in, _ in left if handed_in.person.key not in graded)
        return GradingSummary(
            unchanged=len(present) - len(left) + len(graded) - run,
            run=run,
            missing=missing,
            older=tuple(older),
            faults=tuple(
                (handed_in.person.name, faults[handed_in.person.key])
                for handed_in, _ in left
                if handed_in.person.key in faults
            ),
            signal=stopped_by if missing else 0,
        )

    def changed_meanwhile(self) -> bool:
        """Whether the assignment has changed since the beginning; if so, the next run repeats everything."""
        if not self._common.assignment or self._common_now() == self._common:
            return False
        self._book.forget_causes(self._last_run)
        return True

    def outdated(self) -> list[str]:
        """The names of students whose result is from earlier specs, since the download lacks their submission."""
        now = self._common.assignment
        causes = {person.name: self._book.causes(person.key) for person in self._book.people() if now}
        return [
            name for name, recorded in causes.items() if recorded is not None and recorded.assignment not in ("", now)
        ]

    def _common_now(self) -> Common:
        job = self._job
        request = (*(stage.name for stage in job.stages), str(job.runs_all), repr(job.conditions))
        return common(job.assignment, request, self._given)

    def _causes(self, handed_in: ImportedSubmission) -> Causes:
        """What a result depends on. If that is unknown, the submission is identified by its path."""
        causes = self._common.causes_of(handed_in.path) if handed_in.path is not None else None
        return causes or Causes(f"{_UNKNOWN_PROGRAM}{handed_in.source}" if handed_in.path else "", "", "", "")

    def _in_book(self, handed: Iterable[ImportedSubmission], *, has_roster: bool) -> list[ImportedSubmission]:
        """These submissions, with the gradebook's student where an earlier download described the student differently.

        A student of the gradebook is not used if this download has the student anyway, or if two submissions match.
        """
        submissions, people = list(handed), self._book.people()
        by_key, here = {person.key: person for person in people}, {handed_in.person.key for handed_in in submissions}
        unknown = [handed_in for handed_in in submissions if handed_in.person.key not in by_key]
        matches = iter(match_with_roster(unknown, Roster(self._book.path, tuple(people))))
        matched = [
            handed_in.person if handed_in.person.key in by_key else next(matches).person for handed_in in submissions
        ]
        counts = Counter(person.key for person in matched)
        renamed = [
            handed_in
            if person.key in here or counts[person.key] > 1
            else msgspec.structs.replace(handed_in, person=person)
            for handed_in, person in zip(submissions, matched, strict=True)
        ]
        if not has_roster:
            renamed = [
                _completed_by_gradebook(by_key[handed_in.person.key], handed_in)
                if handed_in.person.key in by_key
                else handed_in
                for handed_in in renamed
            ]
        return share_in_teams(renamed, people)

    def _not_superseded(
        self, handed: Iterable[ImportedSubmission], later: Iterable[ImportedSubmission]
    ) -> list[ImportedSubmission]:
        """The submissions that no later download replaces, regardless of the gradebook's reports."""
        after = self._in_book(later, has_roster=False)
        undated, dated = set[str](), set[str]()
        for handed_in in after:
            if handed_in.path is not None or handed_in.problem:
                (undated if handed_in.at is None else dated).add(handed_in.person.key)
        return [
            handed_in
            for handed_in in handed
            if handed_in.person.key not in undated and not (handed_in.person.key in dated and handed_in.at is None)
        ]

    def _is_in_book(self, handed_in: ImportedSubmission, causes: Causes) -> bool:
        return bool(causes.assignment) and self._book.reuse_run(handed_in.person.key, causes)

    def _reports(
        self, submissions: Sequence[_Submission], *, is_fresh: bool
    ) -> Generator[tuple[_Submission, Report, bool], None, None]:
        """Yield submissions with their report and whether they were run: first the cached reports."""
        self._cache.begin(self._job.assignment, self._job.conditions)
        keys = {submission: self._cache.key_in_class(submission.path, submission.name) for submission in submissions}
        cached = (
            {}
            if is_fresh
            else {
                submission: report
                for submission in submissions
                if (report := self._cache.cached_report(keys[submission]))
            }
        )
        for submission, report in cached.items():
            yield submission, report, False
        left = {
            submission: (submission.path, submission.name) for submission in submissions if submission not in cached
        }
        if left and not self._backend.cluster:
            paths = [path for path, _ in left.values()]
            for remark in toolchain_remarks(paths, self._job.assignment.language, self._job.conditions):
                self._say(remark)
        self._progress(0, len(left))
        for done, (submission, report) in enumerate(check_submissions(self._job, left, self._backend, self._say)):
            self._progress(done + 1, len(left))
            yield submission, report, True
            self._cache.save_in_class(keys[submission], submission.path, submission.name, report)

    def _add_report(self, submission: _Submission, report: Report) -> None:
        """Add a report for all students of a submission, and score it."""
        is_unchanged = self._common.causes_of(submission.path) == submission.people[0][1]
        labelled = msgspec.structs.replace(report, folder="", called=self._job.called, has_hidden=self._job.has_hidden)
        for handed, causes in submission.people:
            own = msgspec.structs.replace(labelled, submission=handed.person.name)
            # If something changed while it was run, its causes are unknown, and it is run again the next time.
            self._book.add_report(handed.person.key, causes if is_unchanged else causes.unknown, own)
            self._rescore([handed.person])

    def _rescore(self, people: Iterable[Person] | None = None) -> None:
        """Compute the scores of these students, or of all."""
        changes = update_scores(self._book, self._job.assignment.grading, self._reasons, people)
        self.changes += [change for change in changes if change.before is not None]

    def _reasons(self, row: PersonRecord) -> tuple[str, ...]:
        then, now = self._runs_before.get(row.person.key, 0), self._book.run(row.person.key)
        if then == now:
            return ("the policy, the due date, or the way pitboss writes a sum has changed",)
        return reasons(self._book.run_by_number(then), self._book.run_by_number(now))


def _cache_of(job: Job, given: Sequence[Path]) -> Cache:
    """The cached reports of this job, on any submissions."""
    stages = ",".join(stage.name for stage in job.stages)
    asked = ("grade", job.called, stages, str(job.runs_all), repr(job.conditions), str(job.assignment.folder))
    return Cache((*asked, *map(str, given)), lambda: [job.assignment.folder], given)


def _add_sources(book: Gradebook, handed_in: ImportedSubmission, program: str) -> None:
    """Add the submitted files to the gradebook for people to read, once per content."""
    if handed_in.path is not None and (program.startswith(_UNKNOWN_PROGRAM) or not book.has_sources(program)):
        book.add_sources(program, (SourceFile(*file) for file in texts_of(handed_in.path)))


def _completed_by_gradebook(person: Person, handed: ImportedSubmission) -> ImportedSubmission:
    """The submission, with those details of its student that the gradebook has and the download lacks."""
    new = handed.person
    lacks_details = any(
        getattr(person, name) and not getattr(new, name) for name in ("login", "email", "section", "team")
    )
    if not lacks_details:
        return handed
    ids = tuple(dict.fromkeys((*person.ids, *new.ids)))
    return msgspec.structs.replace(
        handed, person=msgspec.structs.replace(person, ids=ids, email=person.email or new.email)
    )


def _submissions(left: list[tuple[ImportedSubmission, Causes]]) -> list[_Submission]:
    """One submission for all students who share it: the same path, or the same program of one team."""
    groups: dict[object, list[tuple[ImportedSubmission, Causes]]] = {}
    for handed_in, causes in left:
        is_known = handed_in.person.team and not causes.program.startswith(_UNKNOWN_PROGRAM)
        group = (handed_in.person.team, causes.program) if is_known else handed_in.path
        groups.setdefault(group, []).append((handed_in, causes))
    return [_Submission(people[0][0].path, tuple(people)) for people in groups.values() if people[0][0].path]


def _fault_in(report: Report) -> str:
    """The first fault of a report, as a sentence."""
    summaries = [stage.summary for stage in report.stages if stage.verdict is Verdict.JUDGE_ERROR]
    sessions = [result for stage in report.stages for result in stage.results if result.verdict is Verdict.JUDGE_ERROR]
    faults = [text for text in (*report.faults, *(result.fault for result in sessions), *summaries) if text]
    return faults[0] if faults else "it could not be judged"


def report_on(book: Gradebook, row: PersonRecord, job: Job) -> Report | None:
    """The complete report that a student is graded by, even if nothing could be run; None if it must still be run."""
    if row.is_waiting:
        return None
    return book.report(row.person.key) or _report_without_program(job, row)


def _report_without_program(job: Job, row: PersonRecord) -> Report:
    """The report on a student without a program."""
    problem = row.handed_in.problem if row.handed_in else ""
    verdict = Verdict.NOT_HANDED_IN if problem else Verdict.EMPTY
    reason = "" if problem else "this person handed in nothing."
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
