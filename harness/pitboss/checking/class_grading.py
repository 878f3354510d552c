"""Grades a class into a gradebook: runs the submissions that have changed, and writes each report and score at once.

Grading can be stopped at any moment: the reports that are in the gradebook by then are complete, and the next grading
does not run their submissions again.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.checking.builds import toolchain_remarks
from pitboss.checking.causes import ClassCauses, ReportCache, class_causes
from pitboss.checking.check import check_in_this_process
from pitboss.checking.partial import report_from_task, report_on_job
from pitboss.compare.results import Report, StageReport, Verdict
from pitboss.gradebook.book import Gradebook, has_our_fault
from pitboss.gradebook.people import PersonRecord, SourceFile
from pitboss.gradebook.scoring import ScoreChange, score_change_reasons, update_scores
from pitboss.machine import signals
from pitboss.machine.workers import workers
from pitboss.sandbox.digests import Causes
from pitboss.sessions.job import Job
from pitboss.submissions.importers.imported import ImportedSubmission, Person
from pitboss.submissions.importers.roster import Roster, match_with_roster, share_in_teams
from pitboss.submissions.texts import texts_of

#: Replaces the digest of a program if the digest cannot be computed; the program's location in the download follows.
_UNKNOWN_PROGRAM = "not known: "
#: A function that is called at the beginning, and whenever a submission is finished, with the number of finished
#: submissions and the total.
Progress = Callable[[int, int], None]
#: A function that is called with sentences for the user.
Announce = Callable[[str], None]


class Backend(NamedTuple):
    """The machines and cores that check the submissions of a class."""

    #: How many cores of this machine to use.
    core_count: int
    #: The address of a cluster's scheduler; if empty, this machine checks all submissions.
    cluster: str = ""


class GradingSummary(NamedTuple):
    """The outcome of grading a download into a gradebook."""

    #: The number of submissions that were not run again, since nothing has changed.
    unchanged: int = 0
    #: The number of submissions that were run. A shared submission is counted once for each student.
    run: int = 0
    #: The names of students who were not graded, if grading was stopped.
    missing: tuple[str, ...] = ()
    #: The names of students whose submission in this download is not graded: the gradebook has a newer submission.
    older: tuple[str, ...] = ()
    #: Names of students whose grading failed, by a fault of pitboss or of the assignment, with the reason.
    faults: tuple[tuple[str, str], ...] = ()
    #: The number of the signal that stopped the grading; 0 if no signal did.
    signal: int = 0

    def merge_summary(self, other: GradingSummary) -> GradingSummary:
        """The combined outcome of this download and another."""
        return GradingSummary(*(value + more for value, more in zip(self, other, strict=True)))  # type: ignore[operator]


class _Submission(NamedTuple):
    """A submission, with all students who handed it in together."""

    path: Path
    #: An entry for each student, with the causes of the student's result: digests of everything that it depends on.
    people: tuple[tuple[ImportedSubmission, Causes], ...]

    @property
    def name(self) -> str:
        return self.people[0][0].person.name

    @property
    def causes(self) -> Causes:
        return self.people[0][1]


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
        """Prepare to grade with the course's files `given`; `say` is called with sentences for the user."""
        self._book, self._job, self._given = book, job, tuple(given)
        self._backend, self._say, self._progress = backend, say, progress
        #: The causes that the results of all submissions share.
        self._common = self._shared_causes()
        #: The number of the last run before this grading.
        self._last_run = book.last_run_number()
        #: The number of each student's current run before this grading, by the student's key.
        self._runs_before = {person.key: book.current_run_number(person.key) for person in book.people()}
        self._cache = ReportCache("grade", job.called, str(job.assignment.folder), *map(str, self._given))
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
        """Grade the submissions of one download, `handed`; return a summary.

        Runs only submissions that have changed since an earlier run, or all submissions if `is_fresh`.
        `has_roster`: a roster describes the students completely; otherwise the gradebook adds missing details.
        `later`: the submissions of later downloads. Each replaces the same student's submission in `handed`, unless
        both submissions have a time of submission: of these, the gradebook keeps the newer one.
        """
        book = self._book
        current_submissions = self._not_superseded(self._with_known_people(handed, has_roster=has_roster), later)
        # Pairs of a submission and the causes of its result.
        all_pairs = [(handed_in, self._causes(handed_in)) for handed_in in current_submissions]
        book.add_submissions((handed_in, causes.program) for handed_in, causes in all_pairs)
        older_names, pairs_with_path = list[str](), list[tuple[ImportedSubmission, Causes]]()
        for handed_in, causes in all_pairs:
            if handed_in.path is None:
                continue
            # A student's current submission in the gradebook is another program only if it is newer.
            if book.program(handed_in.person.key) == causes.program:
                pairs_with_path.append((handed_in, causes))
            else:
                older_names.append(handed_in.person.name)
        for handed_in, causes in pairs_with_path:
            _add_sources(book, handed_in, causes.program)
        pairs_to_run = [pair for pair in pairs_with_path if is_fresh or not self._reuse_run(*pair)]
        people_to_run = [handed_in.person for handed_in, _ in pairs_to_run]
        graded_keys, fault_by_key = set[str](), dict[str, str]()
        process_id, stop_signal, run_count = os.getpid(), 0, 0
        try:
            with contextlib.closing(self._reports(_submissions(pairs_to_run), is_fresh=is_fresh)) as reports:
                for submission, report, was_run in reports:
                    self._add_report(submission, report)
                    run_count += len(submission.people) if was_run else 0
                    graded_keys |= {handed_in.person.key for handed_in, _ in submission.people}
                    if has_our_fault(report):
                        fault_by_key |= {handed_in.person.key: _fault_in(report) for handed_in, _ in submission.people}
        except KeyboardInterrupt:
            if os.getpid() != process_id:  # this process is a worker that was forked a moment ago
                os._exit(1)
            stop_signal = signals.last_signal() or signal.SIGINT
        self._rescore()
        missing = tuple(person.name for person in people_to_run if person.key not in graded_keys)
        return GradingSummary(
            # The reused runs of the gradebook, and the reports from the cache.
            unchanged=len(pairs_with_path) - len(pairs_to_run) + len(graded_keys) - run_count,
            run=run_count,
            missing=missing,
            older=tuple(older_names),
            faults=tuple(
                (person.name, fault_by_key[person.key]) for person in people_to_run if person.key in fault_by_key
            ),
            signal=stop_signal if missing else 0,
        )

    def forget_run_if_changed(self) -> bool:
        """Return whether the assignment, the course's files or pitboss have changed since this grading began.

        If so, forget the causes of the new runs, so that the next grading repeats them.
        """
        if not self._common.assignment or self._shared_causes() == self._common:
            return False
        self._book.forget_causes(self._last_run)
        return True

    def students_with_old_results(self) -> list[str]:
        """The names of students with a result from an earlier version of the assignment.

        The download lacks their submissions, so these could not be run again. Empty if the assignment's present version
        is unknown.
        """
        assignment_digest = self._common.assignment
        if not assignment_digest:
            return []
        return [
            person.name
            for person in self._book.people()
            if (causes := self._book.causes(person.key)) and causes.assignment not in ("", assignment_digest)
        ]

    def _shared_causes(self) -> ClassCauses:
        """Compute the causes that all submissions share, from the present content of the files."""
        job = self._job
        request = (*(stage.name for stage in job.stages), str(job.runs_all), repr(job.conditions))
        return class_causes(job.assignment, request, self._given)

    def _causes(self, handed_in: ImportedSubmission) -> Causes:
        """The causes of a submission's result; all empty if the submission has no path.

        If the causes cannot be determined, only the program is identified, by its location in the download.
        """
        causes = self._common.causes_of(handed_in.path) if handed_in.path is not None else None
        return causes or Causes(f"{_UNKNOWN_PROGRAM}{handed_in.source}" if handed_in.path else "", "", "", "")

    def _with_known_people(self, handed: Iterable[ImportedSubmission], *, has_roster: bool) -> list[ImportedSubmission]:
        """Return the submissions, each with the gradebook's student if it has the student under another key.

        The gradebook's student is not used if another submission of this download has this student's key, or if two
        submissions match the student. `has_roster` as for `grade`.
        """
        submissions, people = list(handed), self._book.people()
        people_by_key = {person.key: person for person in people}
        keys_in_download = {handed_in.person.key for handed_in in submissions}
        unmatched = [handed_in for handed_in in submissions if handed_in.person.key not in people_by_key]
        matches = iter(match_with_roster(unmatched, Roster(self._book.path, tuple(people))))
        people_of_submissions = [
            handed_in.person if handed_in.person.key in people_by_key else next(matches).person
            for handed_in in submissions
        ]
        counts = Counter(person.key for person in people_of_submissions)
        identified_submissions = [
            handed_in
            if person.key in keys_in_download or counts[person.key] > 1
            else msgspec.structs.replace(handed_in, person=person)
            for handed_in, person in zip(submissions, people_of_submissions, strict=True)
        ]
        if not has_roster:
            identified_submissions = [
                _completed_by_gradebook(people_by_key[handed_in.person.key], handed_in)
                if handed_in.person.key in people_by_key
                else handed_in
                for handed_in in identified_submissions
            ]
        return share_in_teams(identified_submissions, people)

    def _not_superseded(
        self, handed: Iterable[ImportedSubmission], later: Iterable[ImportedSubmission]
    ) -> list[ImportedSubmission]:
        """The submissions `handed` that no submission in `later` replaces, runnable or not; see `grade`."""
        later_submissions = self._with_known_people(later, has_roster=False)
        undated_keys, dated_keys = set[str](), set[str]()
        for handed_in in later_submissions:
            if not handed_in.is_missing:
                keys = undated_keys if handed_in.at is None else dated_keys
                keys.add(handed_in.person.key)
        return [
            handed_in
            for handed_in in handed
            if handed_in.person.key not in undated_keys
            and not (handed_in.person.key in dated_keys and handed_in.at is None)
        ]

    def _reuse_run(self, handed_in: ImportedSubmission, causes: Causes) -> bool:
        """Make the last run with these causes the student's current run; return whether such a run exists."""
        return bool(causes.assignment) and self._book.reuse_run(handed_in.person.key, causes)

    def _reports(
        self, submissions: Sequence[_Submission], *, is_fresh: bool
    ) -> Generator[tuple[_Submission, Report, bool], None, None]:
        """Yield each submission, its report, and whether the submission was run. Cached reports come first."""
        keys = {
            submission: self._cache.key(submission.causes, submission.name)
            for submission in submissions
            if self._job.conditions.are_repeatable
        }
        cached = {
            submission: report
            for submission, key in keys.items()
            if not is_fresh and (report := self._cache.report(key))
        }
        for submission, report in cached.items():
            yield submission, report, False
        uncached = [submission for submission in submissions if submission not in cached]
        if uncached and not self._backend.cluster:
            paths = [submission.path for submission in uncached]
            for remark in toolchain_remarks(paths, self._job.assignment.language, self._job.conditions):
                self._say(remark)
        self._progress(0, len(uncached))
        for done, (submission, report) in enumerate(check_submissions(self._job, uncached, self._backend, self._say)):
            self._progress(done + 1, len(uncached))
            yield submission, report, True
            key = keys.get(submission, "")
            if key and self._is_unchanged(submission) and self._shared_causes() == self._common:
                self._cache.save(key, report)

    def _add_report(self, submission: _Submission, report: Report) -> None:
        is_unchanged = self._is_unchanged(submission)
        labelled_report = msgspec.structs.replace(
            report, folder="", called=self._job.called, has_hidden=self._job.has_hidden
        )
        for handed_in, causes in submission.people:
            personal_report = msgspec.structs.replace(labelled_report, submission=handed_in.person.name)
            # If a cause changed during the run, the causes are recorded as unknown, so that the next grading runs the
            # submission again.
            self._book.add_report(
                handed_in.person.key, causes if is_unchanged else causes.only_program, personal_report
            )
            self._rescore([handed_in.person])

    def _is_unchanged(self, submission: _Submission) -> bool:
        """Whether the submission's files are as they were before the run."""
        return self._common.causes_of(submission.path) == submission.causes

    def _rescore(self, people: Iterable[Person] | None = None) -> None:
        """Update the scores of these students, or of all students, and record the changes."""
        changes = update_scores(self._book, self._job.assignment.grading, self._reasons, people)
        self.changes += [change for change in changes if change.before is not None]

    def _reasons(self, row: PersonRecord) -> tuple[str, ...]:
        """The reasons why a student's score has changed, as clauses."""
        run_before, run_now = self._runs_before.get(row.person.key, 0), self._book.current_run_number(row.person.key)
        if run_before == run_now:
            return ("the policy, the due date, or how pitboss words a score has changed",)
        return score_change_reasons(self._book.run_by_number(run_before), self._book.run_by_number(run_now))


def _add_sources(book: Gradebook, handed_in: ImportedSubmission, program: str) -> None:
    """Add the submitted files to the gradebook for people to read, unless it has files with this digest (`program`)."""
    if handed_in.path is not None and (program.startswith(_UNKNOWN_PROGRAM) or not book.has_sources(program)):
        book.add_sources(program, (SourceFile(*file) for file in texts_of(handed_in.path)))


def _completed_by_gradebook(known_person: Person, handed_in: ImportedSubmission) -> ImportedSubmission:
    """The submission, with the gradebook's description of the student if that has details that the submission lacks."""
    new_person = handed_in.person
    lacks_details = any(
        getattr(known_person, name) and not getattr(new_person, name) for name in ("login", "email", "section", "team")
    )
    if not lacks_details:
        return handed_in
    ids = tuple(dict.fromkeys((*known_person.ids, *new_person.ids)))
    return msgspec.structs.replace(
        handed_in, person=msgspec.structs.replace(known_person, ids=ids, email=known_person.email or new_person.email)
    )


def _submissions(pairs: list[tuple[ImportedSubmission, Causes]]) -> list[_Submission]:
    """Group submissions: one for all students with the same path, or with the same program in the same team."""
    groups: dict[object, list[tuple[ImportedSubmission, Causes]]] = {}
    for handed_in, causes in pairs:
        is_team_program = handed_in.person.team and not causes.program.startswith(_UNKNOWN_PROGRAM)
        group_key = (handed_in.person.team, causes.program) if is_team_program else handed_in.path
        groups.setdefault(group_key, []).append((handed_in, causes))
    paths_and_people = ((people[0][0].path, tuple(people)) for people in groups.values())
    return [_Submission(path, people) for path, people in paths_and_people if path]


def _fault_in(report: Report) -> str:
    summaries = [stage.summary for stage in report.stages if stage.verdict is Verdict.JUDGE_ERROR]
    sessions = [result for stage in report.stages for result in stage.results if result.verdict is Verdict.JUDGE_ERROR]
    faults = [text for text in (*report.faults, *(result.fault for result in sessions), *summaries) if text]
    return faults[0] if faults else "it could not be judged"


def report_on(book: Gradebook, row: PersonRecord, job: Job) -> Report | None:
    """The report that decides a student's grade, even if there was no program to run.

    None if the student's submission must still be run.
    """
    if row.is_waiting:
        return None
    return book.report(row.person.key) or _report_without_program(job, row)


def _report_without_program(job: Job, row: PersonRecord) -> Report:
    problem = row.handed_in.problem if row.handed_in else ""
    verdict = Verdict.NOT_HANDED_IN if problem else Verdict.EMPTY
    reason = "" if problem else "this person handed in nothing."
    summary = problem or f"Not handed in: {reason}"
    stages = (
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
    return report_on_job(job, row.person.name, stages)


# On the cores of this machine, or on the workers of a cluster


def check_submissions(
    job: Job, submissions: Sequence[_Submission], backend: Backend, say: Announce
) -> Iterator[tuple[_Submission, Report]]:
    """Check submissions; yields each report as soon as it is ready, and calls `say` with sentences for the user.

    Raises SessionError if a cluster cannot be reached or is lost.
    """
    if backend.cluster and submissions:
        from pitboss.checking.cluster.sharing import ClusterCheck

        paths_and_names = {submission: (submission.path, submission.name) for submission in submissions}
        with contextlib.closing(ClusterCheck(backend.cluster, job, paths_and_names, say)) as cluster_check:
            yield from cluster_check.reports()
        # Submissions that could not be sent, or whose reports could not be sent back.
        submissions = cluster_check.keys_for_this_machine
    if not submissions:
        return
    with workers(min(backend.core_count, len(submissions))) as pool:
        tasks = {pool.submit(check_in_this_process, job, each.path, each.name): each for each in submissions}
        for task in pool.as_done(list(tasks)):
            submission = tasks.pop(task)
            yield submission, report_from_task(task, job, submission.name)
