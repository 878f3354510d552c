"""Checks a submission: builds its stages, runs and judges their sessions, on all cores or in this process.

Modules that few checks need, such as the naming of mistakes, are imported in the functions that use them: most programs
are correct, and need none of these modules.

A submission may declare its features in a file, if the assignment provides for such a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Generated, Stage
from pitboss.assignments.cases import Session, sessions_of
from pitboss.assignments.options import stage_features, with_declared_features
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import ASSIGNMENT_FILE
from pitboss.checking.builds import builds_of
from pitboss.checking.memory_misuse import report_with_crash_line, with_misuse_remarks
from pitboss.checking.partial import CheckProgress, fault_report, faults_in, report_on_job
from pitboss.compare.findings import Oddity
from pitboss.compare.outcome import JudgedSession, StageJudge
from pitboss.compare.results import FAILED, Begun, Failed, Judged, Report, StageReport, StageWork, Verdict
from pitboss.compare.seeded import judge_seeded, judged_on_live_input
from pitboss.errors import HarnessError, NoProgramError, RefusalError
from pitboss.experiments.adequacy.named_sessions import requested_sessions
from pitboss.machine import progress, scratch
from pitboss.machine.pool import Pool
from pitboss.machine.retry import our_faults
from pitboss.machine.workers import core_count, workers
from pitboss.model.construct_rules import UnmetRequirement
from pitboss.model.languages import LANGUAGES
from pitboss.model.words import shortlist
from pitboss.sessions.determinism import unfixed_sources_sentence
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.references import expected_run_of
from pitboss.sessions.session_files import with_submitted_files
from pitboss.submissions import reference_source  # noqa: F401 — it builds references that are sources
from pitboss.submissions.compilers import Build
from pitboss.submissions.explanations import fields_on_build
from pitboss.submissions.sources import Source, declaration_in
from pitboss.submissions.stage_files import likely_files
from pitboss.submissions.submission import Submission, name_of, open_submission
from pitboss.submissions.toolchains import numbers_in, tool_version


def apply_declarations(
    job: Job, sources: dict[str, Source | None]
) -> tuple[Job, dict[str, StageReport], tuple[str, ...]]:
    """Return the job with the declared features, reports on stages whose feature is not declared, and notes.

    `sources` has the source of each stage. The reports are by stage; the notes are sentences for the student. A stage
    stays as it is without such a file, or if something is wrong in the file.
    """
    file_name, notes = job.assignment.declared_in, dict[str, None]()
    stages: list[Stage] = []
    reports: dict[str, StageReport] = {}
    for stage in job.stages:
        source = sources.get(stage.name) if file_name else None
        declaration = declaration_in(source.folder, file_name, stage) if source is not None else None
        stages.append(stage)
        if declaration is None:
            continue
        if declaration.problem:
            notes[declaration.problem] = None
            continue
        key_by_feature = dict(declaration.keys_by_feature)
        feature_texts = [f"{feature}, typed as {key}" if key else feature for feature, key in key_by_feature.items()]
        notes[f"{file_name} declares {shortlist(feature_texts) if feature_texts else 'no features'}."] = None
        undeclared_feature = next(
            (feature.name for feature in stage_features(stage) if feature.name not in key_by_feature), None
        )
        if undeclared_feature is not None:
            reason = f"{file_name} does not declare {undeclared_feature}."
            reports[stage.name] = StageReport(stage.name, stage.title, Verdict.NOT_OFFERED, reason=reason)
        stages[-1] = with_declared_features(stage, key_by_feature)
    return msgspec.structs.replace(job, stages=tuple(stages)), reports, tuple(notes)


#: With fewer sessions than this, starting more processes costs more than it saves.
_FEW_SESSIONS = 24
#: The name of a build folder, which programs can see, contains the submission's name. These characters of the
#: submission's name are replaced there.
_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9_.-]")
#: The name of a build folder contains at most this many characters of the submission's name.
_MAX_NAME_LENGTH = 40
_NOT_CHECKED = "the submission could not be checked"
_ALL_HIDDEN = "all its cases are hidden; they are run when the class is graded."


def check(job: Job, folder: Path, *, name: str = "", cores: int = 0) -> Report:
    """Check one submission on this many cores (0: all), and return its report; a signal leads to a partial report.

    Raises UsageError if nothing in the folder can be checked, SpecError if the assignment is wrong, SessionError if the
    submission could not be checked on this machine.
    """
    name, process_id = name or name_of(folder), os.getpid()
    check_progress = CheckProgress(job, name)
    try:
        with progress.subscribe(check_progress.record_event), our_faults(_NOT_CHECKED):
            return msgspec.structs.replace(_check(job, folder, name, cores), unrequested=job.unchecked_stages)
    except KeyboardInterrupt:
        if os.getpid() != process_id:  # this process is a worker that was forked a moment ago
            os._exit(1)
        return check_progress.report()


def _check(job: Job, folder: Path, name: str, cores: int) -> Report:
    """Check one submission; parameters and errors as for `check`."""
    with open_submission(folder) as submission:
        job, sources = _submitted_stages(job, submission)
        if not any(sources.values()):
            raise NoProgramError(_no_program_message(job, folder, submission))
        check_names_exist(job)
        session_count = sum(len(_sessions(job, stage)) for stage in job.stages)
        cores = cores or core_count()
        if cores == 1 or session_count < _FEW_SESSIONS:
            return _check_stages(job, submission, name, sources, Pool())
        with workers(cores, takes_part=True) as pool:
            return _check_stages(job, submission, name, sources, pool)


def _no_program_message(job: Job, folder: Path, submission: Submission) -> str:
    ambiguous = next((stage for stage in job.stages if submission.is_ambiguous(stage)), None)
    location = "this folder" if folder == Path(".") else str(folder)
    if submission.problems or ambiguous:
        missing = f"Not handed in: {submission.reason_for_missing_program(ambiguous or job.stages[0])}"
        return f"{location}: {' '.join(submission.problems) or missing}"
    file_names = " or ".join(likely_files(job.stages[0]))
    stages = f"of {job.assignment.name} " if len(job.stages) > 1 else ""
    alternatives = dict.fromkeys(hint.rstrip(".") for stage in job.stages for hint in submission.file_hints(stage))
    hints = [submission.content, *alternatives]
    return (
        f"{location}: no program {stages}is here — a submission has files such as {file_names}, "
        f"or a Makefile that makes them; {'. '.join(hints)}"
    )


def check_names_exist(job: Job) -> None:
    """Check that a job's references, readers, players and known mistakes exist, before a run; raises SpecError if not.

    Raises RefusalError if this machine has an older version of a language than the assignment states.

    The functions that are called here raise the SpecError. What they return is not needed.
    """
    for language, version in job.assignment.versions:
        tool = tool_version(language)
        if tool and numbers_in(tool) < numbers_in(version):
            needs = f"programs may need {LANGUAGES[language].title} {version}, and this machine has {tool}"
            raise RefusalError(f"{job.assignment.folder / ASSIGNMENT_FILE}: {needs}")
    for stage in job.stages:
        for reference in stage.references:
            expected_run_of(stage, job.conditions.driver_of, reference)
        if stage.reader:
            from pitboss.unseeded.reader import reader_of

            reader_of(stage)
        if stage.mistake_folders:  # a program is accepted only if its sessions could have shown each known mistake
            from pitboss.experiments.catalogue import mistakes_of

            mistakes_of(stage)
        for case in stage.spec.cases:
            if isinstance(case.session, Generated):
                input_script_of(case.session, None, case.place)


def check_in_this_process(job: Job, folder: Path, name: str) -> Report:
    """Check one submission in this process alone; a worker calls this for each submission of a class.

    In the report, a submission that is a folder is called `name`; one that is a file keeps its own name. An error on
    our side or in the assignment becomes a fault in this report; other submissions are not affected.
    """
    try:
        with our_faults(_NOT_CHECKED), open_submission(folder, is_alone=True) as submission:
            submitted_job, sources = _submitted_stages(job, submission)
            report = _check_stages(
                submitted_job, submission, name if folder.is_dir() else name_of(folder), sources, Pool()
            )
            return msgspec.structs.replace(report, unrequested=job.unchecked_stages)
    except HarnessError as error:
        return fault_report(job, name, str(error))


def _submitted_stages(job: Job, submission: Submission) -> tuple[Job, dict[str, Source | None]]:
    """Return the job without optional stages that were not handed in, and the sources of its stages by name."""
    sources = submission.sources(job.stages)
    stages = tuple(stage for stage in job.stages if sources[stage.name] or not stage.is_optional)
    stages = stages or job.stages
    return msgspec.structs.replace(job, stages=stages), {stage.name: sources[stage.name] for stage in stages}


def _requested_names(job: Job) -> tuple[str, ...]:
    """The names of the requested cases or sessions; empty unless a single stage is checked."""
    return job.only if len(job.stages) == 1 else ()


def _sessions(job: Job, stage: Stage) -> list[Session]:
    return requested_sessions(job.assignment, stage, _requested_names(job))


def _check_stages(job: Job, submission: Submission, name: str, sources: dict[str, Source | None], pool: Pool) -> Report:
    # The files beside a single source file are not part of the submission, so it has no file of declared features.
    job, undeclared_reports, notes = apply_declarations(job, {} if submission.is_one_file else sources)
    with scratch.folder(f"build-{_UNSAFE_CHARACTERS.sub('_', name)[:_MAX_NAME_LENGTH]}") as build_folder:
        sources_to_build = {
            stage: source for stage, source in sources.items() if source is not None and stage not in undeclared_reports
        }
        build_of = builds_of(job, sources_to_build, Path(build_folder), pool)
        reports: dict[str, StageReport] = {}
        for stage in job.stages:
            if stage.name in undeclared_reports:
                reports[stage.name] = undeclared_reports[stage.name]
                continue
            progress.notify(Begun(StageWork.COMPILING, stage.name))
            source = sources[stage.name]
            reports[stage.name] = (
                _stage_report(_StageCheck(job, stage, build_of[stage.name](), source, sources, reports, pool))
                if source is not None
                else _not_handed_in_report(stage, submission)
            )
            progress.notify(Judged(reports[stage.name]))
        reports = with_misuse_remarks(job, sources, reports, pool)
        variation_notes = _notes_on_varying_draws(job, build_of)
    return report_on_job(
        job,
        name,
        reports.values(),
        faults=faults_in(reports.values()),
        notes=(*submission.notes, *notes, *variation_notes),
        draws_vary=bool(variation_notes),
        has_reference=all(stage.has_reference for stage in job.stages),
    )


def _notes_on_varying_draws(job: Job, build_of: dict[str, Callable[[], Build]]) -> tuple[str, ...]:
    """Return sentences on the programs of stages with a reader, if the programs' random values differ in each run.

    `build_of` has, for each stage, a function that returns the stage's build.
    """
    builds = [build_of[stage.name]() for stage in job.stages if stage.reader and stage.name in build_of]
    sentences = (unfixed_sources_sentence(built.program) for built in builds if built.program is not None)
    return tuple(dict.fromkeys(sentence for sentence in sentences if sentence))


def _not_handed_in_report(stage: Stage, submission: Submission) -> StageReport:
    verdict, reason = Verdict.NOT_HANDED_IN, submission.reason_for_missing_program(stage)
    if submission.is_empty:
        verdict, reason = Verdict.EMPTY, "nothing was handed in."
    total = 0 if stage.is_manual else len(sessions_of(stage))
    report = StageReport(stage.name, stage.title, verdict, reason=reason, total=total)
    is_begun = not submission.is_empty and (submission.is_ambiguous(stage) or bool(submission.problems))
    return msgspec.structs.replace(report, is_manual=stage.is_manual, is_begun=is_begun)


class _StageCheck(NamedTuple):
    """A stage of a submission with the result of its build: the argument of the functions in _REPORT_STEPS."""

    job: Job
    stage: Stage
    build: Build
    source: Source
    #: The sources of all stages, by name.
    sources: Mapping[str, Source | None]
    #: The reports on earlier stages, by name.
    earlier: Mapping[str, StageReport]
    pool: Pool

    @property
    def sessions(self) -> list[Session]:
        return _sessions(self.job, self.stage)


def _stage_report(check: _StageCheck) -> StageReport:
    """The first report that a function in _REPORT_STEPS returns, with the messages and details of the build added."""
    stage, build = check.stage, check.build
    report = next(filter(None, (step(check) for step in _REPORT_STEPS)))
    report = msgspec.structs.replace(
        report,
        **fields_on_build(build),
        build_was_stopped=build.was_stopped,
        given=stage.given_as if stage.is_given_by_option else "",
        broken=_broken_requirements(check) if build.program is not None else (),
    )
    stage_with_files = with_submitted_files(stage, build.program.folder) if build.program else stage
    return report_with_crash_line(check.job, stage_with_files, check.source, build.program, report)


def _broken_requirements(check: _StageCheck) -> tuple[UnmetRequirement, ...]:
    """The requirements that a stage's sources break; the programs of other stages are not examined."""
    if not check.stage.requirements:
        return ()
    from pitboss.submissions.constructs import unmet_requirements

    other_programs = {
        source.file for name, source in check.sources.items() if source is not None and name != check.stage.name
    }
    return unmet_requirements(check.source, check.stage.requirements, other_programs - {check.source.file})


def _report_if_manual(check: _StageCheck) -> StageReport | None:
    job, stage = check.job, check.stage
    if not stage.is_manual:
        return None
    from pitboss.checking.manual_stage import manual_report
    from pitboss.submissions.texts import top_comment

    progress.notify(Begun(StageWork.RUNNING, stage.name))
    return manual_report(job, stage, check.build, top_comment(check.source), _requested_names(job))


def _report_if_not_built(check: _StageCheck) -> StageReport | None:
    build = check.build
    if build.program is not None:
        return None
    verdict = Verdict.JUDGE_ERROR if build.is_fault else Verdict.COMPILE_ERROR
    return msgspec.structs.replace(_skipped_report(check), verdict=verdict, summary=build.reason)


def _report_if_no_sessions(check: _StageCheck) -> StageReport | None:
    if check.sessions:
        return None
    not_checked = check.stage.not_checked
    summary = f"Not run here: {not_checked}" if not_checked else ""
    return msgspec.structs.replace(_skipped_report(check), reason=not_checked or _ALL_HIDDEN, summary=summary)


def _report_if_prerequisite_failed(check: _StageCheck) -> StageReport | None:
    needed_reports = (
        check.earlier[needed_stage] for needed_stage in check.stage.needs if needed_stage in check.earlier
    )
    failed_report = next((report for report in needed_reports if report.verdict is not Verdict.ACCEPTED), None)
    if failed_report is None or check.job.runs_all:
        return None
    return msgspec.structs.replace(_skipped_report(check), reason=_reason_not_run(check.stage, failed_report))


def _judge(check: _StageCheck) -> StageReport:
    assert check.build.program is not None
    return judge_program(check.job, check.stage, check.build.program, check.pool)


#: Functions that are called in order for a stage, until one of them returns a report instead of None.
_REPORT_STEPS: tuple[Callable[[_StageCheck], StageReport | None], ...] = (
    _report_if_manual,
    _report_if_not_built,
    _report_if_no_sessions,
    _report_if_prerequisite_failed,
    _judge,
)


def _skipped_report(check: _StageCheck) -> StageReport:
    """A report without results, with the verdict SKIPPED; the caller adds the reason."""
    return StageReport(check.stage.name, check.stage.title, Verdict.SKIPPED, total=len(check.sessions))


def _reason_not_run(stage: Stage, failed_report: StageReport) -> str:
    """Why a stage is not run: a stage that it needs failed or was not handed in."""
    was_not_handed_in = failed_report.verdict is Verdict.NOT_HANDED_IN
    if len(stage.needs) > 1:
        reason = f", and {failed_report.stage} {'was not handed in' if was_not_handed_in else 'is not'}"
        return f"{stage.name} counts only when {shortlist(stage.needs)} are accepted{reason}."
    reason = ", and that was not handed in" if was_not_handed_in else ""
    return f"{stage.name} counts only when {failed_report.stage} is accepted{reason}."


def judge_program(job: Job, stage: Stage, program: Program, pool: Pool) -> StageReport:
    """Run and judge the requested sessions of a stage; return the report, with a diagnosis of wrong answers."""
    stage = with_submitted_files(stage, program.folder)
    progress.notify(Begun(StageWork.RUNNING, stage.name, is_open=bool(stage.reader)))
    outcome = judge_of(stage)(job, stage, program, _sessions(job, stage), pool)
    report = outcome.report(stage)
    _announce(report)
    if report.verdict is not Verdict.WRONG_ANSWER or _has_other_failure(report):
        return report
    from pitboss.experiments.naming.diagnosis import with_diagnosis

    judged_stage = outcome.stage or stage  # with the options by which the sessions were judged, if there are options
    # A few further sessions must not choose these again: then the draws of each would be read in another way. A feature
    # may show only in the further sessions.
    options = tuple(
        msgspec.structs.replace(option, is_free=option.is_free and bool(option.feature_rule))
        for option in judged_stage.options
    )
    further_stage = msgspec.structs.replace(judged_stage, options=options)

    def run_further(sessions: Sequence[Session]) -> Sequence[JudgedSession]:
        """Run the program in further sessions, which the diagnosis requests."""
        if not stage.reader:
            return judged_on_live_input(job, program, sessions)
        if not sessions:
            return ()
        # With `only`, no sessions for adequacy are added: the diagnosis asks only how these sessions go.
        further_job = msgspec.structs.replace(job, only=tuple(session.name for session in sessions))
        return judge_of(stage)(further_job, further_stage, program, sessions, pool).judged_sessions

    # The diagnosis may also use cases that this job leaves out.
    complete_stage = job.assignment.stage(stage.name)
    all_cases = with_submitted_files(complete_stage, program.folder).spec.cases if complete_stage else ()
    return with_diagnosis(
        report, judged_stage, outcome.judged_sessions, outcome.tolerated, run_further, job.assignment.stages, all_cases
    )


def _has_other_failure(report: StageReport) -> bool:
    """Whether a session failed with a verdict other than WRONG_ANSWER, such as a crash, or each round has a new bag.

    Then there is no diagnosis: a mistake must explain all failed sessions, and no wrong reference crashes; a new bag
    for each round looks like a mistake in refilling it.
    """
    if report.draws is not None and report.draws.kind is Oddity.NEW_BAG:
        return True
    return any(result.verdict in FAILED and result.verdict is not Verdict.WRONG_ANSWER for result in report.results)


def _announce(report: StageReport) -> None:
    """Send the listeners of `progress` the report on a stage, its first failure, and the next step."""
    progress.notify(Judged(report))
    failed = (result for result in report.results if result.verdict in FAILED)
    if (first := next(failed, None)) is not None:
        progress.notify(Failed(first))
    if report.verdict in FAILED:
        progress.notify(Begun(StageWork.NAMING, report.stage))


def judge_of(stage: Stage) -> StageJudge:
    if not stage.reader:
        return judge_seeded
    from pitboss.experiments.adequacy.gathering import judge_unseeded

    return judge_unseeded
