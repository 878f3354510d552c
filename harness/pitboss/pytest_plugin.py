"""A pytest plugin that collects spec files: each session is a test of the reference, or of `--submission DIR`.

Therefore -k, --lf, -n and --junit-xml work for assignments like for any tests. With a submission, the first session of
a stage runs all collected sessions of that stage.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pitboss.assignments.assignment import Assignment, Stage
from pitboss.assignments.cases import Session, all_sessions_of, sessions_of
from pitboss.assignments.specfile import ASSIGNMENT_FILE, load_assignment
from pitboss.checking.builds import build_stage
from pitboss.checking.check import judge_of
from pitboss.compare.findings import WrittenFinding
from pitboss.compare.outcome import judged_result, result_of
from pitboss.compare.results import Result, Verdict
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.mutant_list import MUTANT_FILE, load_listed
from pitboss.kits.verification import expected_and_actual_transcripts
from pitboss.machine import scratch
from pitboss.machine.pool import Pool
from pitboss.model.transcript import Transcript
from pitboss.reports.conversation import difference_lines
from pitboss.reports.finding_sentences import summary_and_hint
from pitboss.reports.report import as_text
from pitboss.reports.screen import screen_difference
from pitboss.reports.shell_commands import rerun_command
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.session_files import with_submitted_files
from pitboss.submissions.compilers import Build
from pitboss.submissions.course_files import with_course_folders
from pitboss.submissions.sources import Source
from pitboss.submissions.submission import open_submission, program_count

#: The maximum width of a conversation in a failure, in columns, without its line numbers.
_CONVERSATION_COLUMNS = 180
#: The maximum width of the conversation with its line numbers.
_NUMBERED_COLUMNS = 200


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--submission DIR` and `--given DIR`."""
    group = parser.getgroup("pitboss")
    group.addoption(
        "--submission",
        metavar="DIR",
        help="test the programs in DIR instead of the reference; the specs of other assignments are deselected",
    )
    group.addoption(
        "--given",
        action="append",
        default=[],
        metavar="[STAGE=]DIR",
        help="with --submission: use these files of the course instead of the assignment's",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the spec files in the same folder as an assignment.yaml."""
    folder = file_path.parent
    if file_path.suffix != ".yaml" or file_path.name == ASSIGNMENT_FILE or not (folder / ASSIGNMENT_FILE).is_file():
        return None
    collector: pytest.Collector = SpecFile.from_parent(parent, path=file_path)
    return collector


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """If specs of several assignments were collected, keep only those of the submission's assignment."""
    submission = config.getoption("--submission")
    assignments = {
        item.judge.assignment.folder: item.judge.assignment for item in items if isinstance(item, SessionItem)
    }
    if config.getoption("--given"):
        if not submission:
            raise pytest.UsageError("--given needs --submission: the files of the course are for building a submission")
        if assignments and not any(stage.given for assignment in assignments.values() for stage in assignment.stages):
            raise pytest.UsageError("--given: no stage of these assignments has files that the course gives")
    if not submission or len(assignments) < 2:
        return
    path = Path(submission)
    if not path.exists():
        raise pytest.UsageError(f"--submission: {path}: there is no such folder")
    try:
        counts = {folder: program_count(path, assignment.stages) for folder, assignment in assignments.items()}
    except HarnessError as error:
        raise pytest.UsageError(f"--submission: {error}") from None
    most_programs = max(counts.values())
    candidates = [folder for folder, count in counts.items() if count == most_programs]
    if len(candidates) > 1:
        names = ", ".join(os.path.relpath(folder) for folder in candidates)
        problem = (
            "it could belong to several assignments"
            if most_programs
            else "it has no program of any of these assignments"
        )
        raise pytest.UsageError(f"--submission: {path}: {problem}; give the specs of one of {names}")
    others = [item for item in items if isinstance(item, SessionItem) and item.judge.assignment.folder != candidates[0]]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in set(others)]


class SpecFile(pytest.File):
    """A spec file: its sessions are tests."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each session."""
        try:
            assignment = load_assignment(self.path.parent)
            if any(stage.given for stage in assignment.stages):
                assignment = with_course_folders(assignment, self.config.getoption("--given"))
        except HarnessError as error:
            raise self.CollectError(str(error)) from None
        stage = next((stage for stage in assignment.stages if stage.spec.path.name == self.path.name), None)
        if stage is None and self.path.name == MUTANT_FILE:
            try:  # the list of mutants has no sessions, but errors in it are reported
                load_listed(assignment)
            except HarnessError as error:
                raise self.CollectError(str(error)) from None
            return
        # A file with texts for mistakes has no sessions.
        if stage is None and self.path.name in {stage.words.path.name for stage in assignment.stages if stage.words}:
            return
        if stage is None:
            raise self.CollectError(f"{self.path}: no stage of {ASSIGNMENT_FILE} has this spec file")
        submission = self.config.getoption("--submission")
        judge = _Judge(assignment, stage, Path(submission) if submission else None)
        for session in sessions_of(stage) if submission else all_sessions_of(stage):
            item: SessionItem = SessionItem.from_parent(self, name=session.name)
            item.prepare(judge, session)
            yield item


class _Judge:
    """Judges the sessions of one stage; the sessions of a submission are all run together for the first result."""

    def __init__(self, assignment: Assignment, stage: Stage, submission: Path | None) -> None:
        self.assignment: Assignment = assignment
        self._stage, self.submission = stage, submission
        self._results: dict[str, Result] | None = None
        #: Why the submission has no program for this stage; empty if it has one, or no result has been needed yet.
        self._reason_missing = ""

    def result(self, session: Session, collected_sessions: list[Session]) -> Result:
        """Return the result of a session; for a submission, run all collected sessions of the stage first."""
        if self.submission is None:
            return self._reference_result(session)
        if self._reason_missing:
            raise NotHandedIn(self._reason_missing)
        if self._results is None:
            try:
                results = self._submission_results(self.submission, collected_sessions)
            except NotHandedIn as error:
                self._reason_missing = str(error)
                raise
            self._results = {result.session: result for result in results}
        return self._results[session.name]

    def _reference_result(self, session: Session) -> Result:
        expected, actual = expected_and_actual_transcripts(session, expected_run_here(self._stage))
        return judged_result(session, expected, actual, self.assignment.name)

    def _submission_results(self, folder: Path, collected_sessions: list[Session]) -> list[Result]:
        job = Job(self.assignment, (self._stage,), find_conditions(), self.assignment.name)
        with open_submission(folder) as submission:
            source = submission.sources((self._stage,))[self._stage.name]
            if source is None:
                raise NotHandedIn(f"Not handed in: {submission.reason_for_missing_program(self._stage)}")
            return self._results_of_source(job, source, collected_sessions)

    def _results_of_source(self, job: Job, source: Source, collected_sessions: list[Session]) -> list[Result]:
        with scratch.folder("build") as builds:
            build = build_stage(job, source, f"{builds}/{self._stage.name}")
            if build.program is None:
                return [_unbuilt_result(session, build) for session in collected_sessions]
            # The sessions of this stage have the submission's own files; of these, only the collected ones are run.
            stage = with_submitted_files(self._stage, build.program.folder)
            collected_names = {session.name for session in collected_sessions}
            sessions = [session for session in sessions_of(stage) if session.name in collected_names]
            return list(judge_of(stage)(job, stage, build.program, sessions, Pool()).results)


def _unbuilt_result(session: Session, build: Build) -> Result:
    verdict = Verdict.JUDGE_ERROR if build.is_fault else Verdict.COMPILE_ERROR
    finding = WrittenFinding(f"{build.reason}\n{build.messages}")
    return result_of(session, verdict, Transcript(()), Transcript(()), finding=finding)


class NotHandedIn(Exception):
    """The submission has no program for a stage."""


class NotAccepted(Exception):
    """A session that was not accepted."""

    def __init__(self, result: Result) -> None:
        """Keep the result for `SessionItem.repr_failure`."""
        super().__init__(summary_and_hint(result))
        self.result = result


class SessionItem(pytest.Item):
    """The test of one session; `spec_session` is the session of the spec, `session` pytest's own."""

    def prepare(self, judge: _Judge, session: Session) -> None:
        """Set the session and the judge; called once, before the item runs."""
        self.judge, self.spec_session = judge, session

    def runtest(self) -> None:
        """Run and judge the session."""
        stage_sessions = [
            item.spec_session
            for item in self.session.items
            if isinstance(item, SessionItem) and item.judge is self.judge
        ]
        if self.judge.submission and self.spec_session.stage.is_manual:
            pytest.skip(f"{self.spec_session.stage.name} is graded by hand")
        try:
            result = self.judge.result(self.spec_session, stage_sessions)
        except NotHandedIn as error:
            pytest.skip(str(error))
        if result.verdict is not Verdict.ACCEPTED:
            raise NotAccepted(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the failure as text; a traceback only for errors in pitboss itself."""
        error = excinfo.value
        if isinstance(error, NotAccepted):
            result = error.result
            report_lines = [f"{result.verdict.words}: {summary_and_hint(result)}"]
            if result.difference is not None:
                lines = difference_lines(screen_difference(result.difference), _CONVERSATION_COLUMNS)
                report_lines += [as_text(line, width=_NUMBERED_COLUMNS).rstrip() for line in lines]
            folder = str(self.judge.submission or "")
            return "\n".join([*report_lines, rerun_command(result.rerun, folder) if result.rerun else ""])
        if isinstance(error, HarnessError):
            return str(error)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the spec file, the line of the case (from 0), and the session's name."""
        line = self.spec_session.case.place.rpartition(":")[2]
        return self.path, int(line) - 1 if line.isdigit() else 0, self.name
