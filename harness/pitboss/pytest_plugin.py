"""pytest collects spec files: each session is a test, against the reference or against `--submission DIR`.

So -k, --lf, -n and --junit-xml work for assignments as for any tests. With a submission, the first session of a stage
runs all collected sessions of that stage.
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
from pitboss.compare.judgement import judged_result
from pitboss.compare.results import Result
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError
from pitboss.experiments.mutants.mutant_list import MUTANT_FILE, load_listed
from pitboss.kits.verification import both_transcripts
from pitboss.model.transcript import Transcript
from pitboss.reports.conversation import parting_lines
from pitboss.reports.finding_sentences import summary_and_hint
from pitboss.reports.report import as_text
from pitboss.reports.screen import parting_of
from pitboss.reports.shell_commands import rerun_command
from pitboss.sandbox import scratch
from pitboss.sandbox.pool import Pool
from pitboss.sessions.drivers import expected_run_here, find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.session_files_setup import with_own_files
from pitboss.submissions.compilers import Build
from pitboss.submissions.course_folder import with_given
from pitboss.submissions.sources import Source
from pitboss.submissions.submission import open_submission, program_count


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--submission DIR` and `--given DIR`."""
    group = parser.getgroup("pitboss")
    group.addoption(
        "--submission",
        metavar="DIR",
        help="run spec files against the programs in DIR, not the reference; only those of its assignment",
    )
    group.addoption(
        "--given",
        action="append",
        default=[],
        metavar="[STAGE=]DIR",
        help="with --submission: the files that the course gives, in the place of the assignment's",
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
            raise pytest.UsageError("--given needs --submission: the reference is not built with any files")
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
    most = max(counts.values())
    meant = [folder for folder, count in counts.items() if count == most]
    if len(meant) > 1:
        names = ", ".join(f"{os.path.relpath(folder)}" for folder in (meant if most else counts))
        found = "it could be of several assignments" if most else "it has no program of any of these assignments"
        raise pytest.UsageError(f"--submission: {path}: {found}; give the specs of one of {names}")
    others = [item for item in items if isinstance(item, SessionItem) and item.judge.assignment.folder != meant[0]]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in set(others)]


class SpecFile(pytest.File):
    """A spec file: its sessions are tests."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item for each session."""
        try:
            assignment = load_assignment(self.path.parent)
            if any(stage.given for stage in assignment.stages):
                assignment = with_given(assignment, self.config.getoption("--given"))
        except HarnessError as error:
            raise self.CollectError(str(error)) from None
        stage = next((stage for stage in assignment.stages if stage.spec.path.name == self.path.name), None)
        if stage is None and self.path.name == MUTANT_FILE:
            try:
                load_listed(assignment)
            except HarnessError as error:
                raise self.CollectError(str(error)) from None
            return
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
    """Judges the sessions of one stage; those of a submission are run all at once."""

    def __init__(self, assignment: Assignment, stage: Stage, submission: Path | None) -> None:
        self.assignment: Assignment = assignment
        self._stage, self.submission = stage, submission
        self._results: dict[str, Result] | None = None
        #: Why there is no program for this stage, once that is known.
        self._missing = ""

    def result(self, session: Session, wanted: list[Session]) -> Result:
        if self.submission is None:
            return self._of_reference(session)
        if self._missing:
            raise NotHandedIn(self._missing)
        if self._results is None:
            try:
                self._results = {result.session: result for result in self._of_submission(self.submission, wanted)}
            except NotHandedIn as missing:
                self._missing = str(missing)
                raise
        return self._results[session.name]

    def _of_reference(self, session: Session) -> Result:
        expected, actual = both_transcripts(session, expected_run_here(self._stage))
        return judged_result(session, expected, actual, self.assignment.name)

    def _of_submission(self, folder: Path, wanted: list[Session]) -> list[Result]:
        job = Job(self.assignment, (self._stage,), find_conditions(), self.assignment.name)
        with open_submission(folder) as submission:
            source = submission.sources((self._stage,))[self._stage.name]
            if source is None:
                raise NotHandedIn(f"Not handed in: {submission.missing(self._stage)}")
            return self._of_source(job, source, wanted)

    def _of_source(self, job: Job, source: Source, wanted: list[Session]) -> list[Result]:
        with scratch.folder("build") as builds:
            built = build_stage(job, source, f"{builds}/{self._stage.name}")
            if built.program is None:
                return [_not_built(session, built) for session in wanted]
            stage = with_own_files(self._stage, built.program.folder)
            names = {session.name for session in wanted}
            wanted = [session for session in sessions_of(stage) if session.name in names]
            return list(judge_of(stage)(job, stage, built.program, wanted, Pool()).results)


def _not_built(session: Session, built: Build) -> Result:
    nothing = Transcript(())
    verdict = Verdict.JUDGE_ERROR if built.is_fault else Verdict.COMPILE_ERROR
    return Result(
        session.stage.name,
        session.case.name,
        verdict,
        nothing,
        nothing,
        finding=WrittenFinding(f"{built.reason}\n{built.messages}"),
        seed=session.seed,
        number=session.number,
    )


class NotHandedIn(Exception):
    """The submission has no program for a stage."""


class NotAccepted(Exception):
    """A session that was not accepted."""

    def __init__(self, result: Result) -> None:
        """Carry the result to the report."""
        super().__init__(summary_and_hint(result))
        self.result = result


class SessionItem(pytest.Item):
    """One session."""

    def prepare(self, judge: _Judge, session: Session) -> None:
        """Set the session and the judge; called once, before the item runs."""
        self.judge, self.spec_session = judge, session

    def runtest(self) -> None:
        """Run and judge it."""
        mine = [
            item.spec_session
            for item in self.session.items
            if isinstance(item, SessionItem) and item.judge is self.judge
        ]
        if self.judge.submission and self.spec_session.stage.is_manual:
            pytest.skip(f"{self.spec_session.stage.name} is graded by hand")
        try:
            result = self.judge.result(self.spec_session, mine)
        except NotHandedIn as missing:
            pytest.skip(str(missing))
        if result.verdict is not Verdict.ACCEPTED:
            raise NotAccepted(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The failure as text; a traceback only for errors in pitboss itself."""
        error = excinfo.value
        if isinstance(error, NotAccepted):
            result = error.result
            shown = [f"{result.verdict.words}: {summary_and_hint(result)}"]
            if result.difference is not None:
                lines = parting_lines(parting_of(result.difference), 180)
                shown += [as_text(line, width=200).rstrip() for line in lines]
            folder = str(self.judge.submission or "")
            return "\n".join([*shown, rerun_command(result.rerun, folder) if result.rerun else ""])
        if isinstance(error, HarnessError):
            return str(error)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The file and line of the case, and the session's name."""
        line = self.spec_session.case.place.rpartition(":")[2]
        return self.path, int(line) - 1 if line.isdigit() else 0, self.name
