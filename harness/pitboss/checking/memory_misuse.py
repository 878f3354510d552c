"""Looks for misuse of memory that no session shows, by running an accepted program again under the sanitizers.

Memory beyond the end of an array, or memory that was freed, often still contains the right values. So a stage of a
program in C or C++ that is accepted, or nearly so, is built again and a few of its sessions are rerun: see
revealing.py. A finding becomes a remark, which changes no verdict; in case of doubt there is no remark.

    misuse/            the program, built with the sanitizers
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.checking.revealing import revealing_sessions
from pitboss.checking.sanitizer_findings import ENVIRONMENT, FLAGS, finding_in
from pitboss.compare.results import Begun, Result, StageReport, StageWork, Verdict
from pitboss.errors import HarnessError, SessionError
from pitboss.experiments.sanitizers import LANGUAGES, CrashPlace, build_arguments_for, script_of_session
from pitboss.model.invocation import Script
from pitboss.model.languages import is_c_source, is_header
from pitboss.model.transcript import OVER_A_LIMIT
from pitboss.sandbox import progress, scratch
from pitboss.sandbox.files import beginning_of, text_of
from pitboss.sandbox.pool import Pool, Task
from pitboss.sessions.determinism import is_native
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.session_files import with_submitted_files
from pitboss.submissions.build import build
from pitboss.submissions.sources import MAX_BYTES, Source

#: A stage is nearly accepted if at least this share of its sessions is accepted, and all others are wrong answers.
_MIN_ACCEPTED_SHARE = 0.9
#: The limits of programs under the sanitizers, which make them several times slower and larger: at least this much
#: memory, and exactly this much CPU time. After a session that reaches a limit, no further session is begun.
_MEMORY_MB, _CPU_S = 1024, 1
#: Follows the sentence on the line that misuses memory.
COSTS_NOTHING = (
    "The session in which this happens was still correct, so this costs no points; with another compiler the program "
    "may fail."
)


class _Suspect(NamedTuple):
    """A stage, and its sessions to rerun."""

    stage: Stage
    sessions: tuple[Result, ...]


def with_misuse_remarks(
    job: Job, sources: Mapping[str, Source | None], reports: Mapping[str, StageReport], pool: Pool
) -> dict[str, StageReport]:
    """Returns the reports by stage, with a remark if sessions under the sanitizers show misuse of memory.

    Stages with the same source are built once, and each remark is made only on the first stage that it applies to.
    """
    if not job.remarks_on_memory or job.conditions.driver != "watched":
        return dict(reports)
    stages_by_source: dict[Source, list[Stage]] = {}
    for stage in job.stages:
        source = sources.get(stage.name)
        if source is not None and _is_eligible(job, stage, source, reports[stage.name]):
            stages_by_source.setdefault(msgspec.structs.replace(source, program=""), []).append(stage)
    suspects_of_programs = [
        suspects for stages in stages_by_source.values() if (suspects := _suspects(stages, reports))
    ]
    if suspects_of_programs:
        progress.notify(Begun(StageWork.CHECKING_MEMORY, ""))
    tasks = [
        (suspects, pool.submit(memory_misuse_in, job, sources[suspects[0].stage.name], suspects))
        for suspects in suspects_of_programs
    ]
    new_reports = dict(reports)
    for suspects, task in tasks:
        sentences = _sentences_of_task(task)
        unassigned_sentences = dict.fromkeys(sentence for sentence in sentences if sentence)
        # If the worker died, there are no sentences.
        for suspect, sentence in zip(suspects, sentences, strict=False):
            if sentence in unassigned_sentences:
                del unassigned_sentences[sentence]
                name = suspect.stage.name
                new_reports[name] = msgspec.structs.replace(new_reports[name], memory=f"{sentence} {COSTS_NOTHING}")
    return new_reports


def _sentences_of_task(task: Task[list[str]]) -> list[str]:
    """The sentences that a task returns; empty if its worker died, since a missing remark is no reason for a fault."""
    try:
        return task.result()
    except SessionError:
        return []


def _is_eligible(job: Job, stage: Stage, source: Source, report: StageReport) -> bool:
    # Only a complete check of the stage counts: not one of requested cases, nor of a session from the command line. The
    # case of the latter is not in the spec file, so its place has no line number.
    is_complete = not job.only and all(case.place != str(stage.spec.path) for case in stage.spec.cases)
    return source.language in LANGUAGES and is_complete and is_nearly_accepted(report) and not report.crash


def _suspects(stages: Sequence[Stage], reports: Mapping[str, StageReport]) -> tuple[_Suspect, ...]:
    """Returns the stages of one program that have sessions to rerun, each with these sessions."""
    selection = revealing_sessions([result for stage in stages for result in reports[stage.name].results])
    suspects = (
        _Suspect(stage, tuple(result for result in selection if result.stage == stage.name)) for stage in stages
    )
    return tuple(suspect for suspect in suspects if suspect.sessions)


def is_nearly_accepted(report: StageReport) -> bool:
    """Whether a stage is accepted, or at least nine in ten of its sessions are and the others are wrong answers."""
    if report.verdict is Verdict.ACCEPTED:
        return True
    failed_verdicts = {result.verdict for result in report.results if result.verdict is not Verdict.ACCEPTED}
    passes_nearly_all = report.passed >= _MIN_ACCEPTED_SHARE * len(report.results)
    return report.verdict is Verdict.WRONG_ANSWER and failed_verdicts <= {Verdict.WRONG_ANSWER} and passes_nearly_all


def memory_misuse_in(job: Job, source: Source, suspects: tuple[_Suspect, ...]) -> list[str]:
    """For each stage of one program, return a sentence on the line that misuses memory; empty if no line is found."""
    try:
        with scratch.folder("misuse") as scratch_folder:
            build_folder = Path(scratch_folder) / source.program
            built = build(source, build_folder, job.conditions, flags=build_arguments_for(source.language, FLAGS))
            # This machine may have no sanitizers, or the program may be a script.
            if built.program is None or not is_native(built.program):
                return ["" for _ in suspects]
            program = msgspec.structs.replace(built.program, environment=ENVIRONMENT)
            return [_sentence_on(job, suspect, program, source) for suspect in suspects]
    except (HarnessError, OSError):  # a missing remark is no reason for a fault
        return ["" for _ in suspects]


def _sentence_on(job: Job, suspect: _Suspect, program: Program, source: Source) -> str:
    """Returns a sentence on the first finding, in the order of the sessions; empty without findings."""
    stage = with_submitted_files(suspect.stage, program.folder)
    memory_mb = max(_MEMORY_MB, stage.limits.memory_mb)
    limits = msgspec.structs.replace(stage.limits, memory_mb=memory_mb, cpu_s=_CPU_S)
    own_files = _own_files(source, program.folder)
    place_by_session: dict[int, CrashPlace] = {}
    # The index of the first session that does not end; if all sessions end, the number of sessions.
    first_endless = len(suspect.sessions)

    def scripts() -> Iterator[Script]:
        """Yield the scripts of the sessions, until there is a finding or a session that does not end."""
        for session in suspect.sessions:
            if not place_by_session and first_endless == len(suspect.sessions):
                yield script_of_session(stage, session)

    with job.conditions.driver_of(program, limits) as driver:
        for number, transcript in driver.sessions(scripts()):
            place = finding_in(transcript, suspect.sessions[number].actual, own_files)
            if place is not None:
                place_by_session[number] = place
            elif transcript.ending.kind in OVER_A_LIMIT:
                first_endless = min(first_endless, number)
    first_finding = min(place_by_session, default=first_endless)
    # Timing decides which sessions are run after a session that does not end, so their findings are ignored.
    if first_finding >= first_endless:
        return ""
    text = text_of(program.folder / place_by_session[first_finding].file, MAX_BYTES)
    return place_by_session[first_finding].sentence(text)


def _own_files(source: Source, build_folder: Path) -> frozenset[str]:
    """The names of the student's own files in the folder of a build: students cannot fix the course's files."""
    files = {
        path.name: path for path in build_folder.iterdir() if (is_c_source(path) or is_header(path)) and path.is_file()
    }
    if source.course_files_folder is None:
        return frozenset(files)
    course_files = {path.name: path for path in source.course_files_folder.rglob("*") if path.is_file()}
    return frozenset(
        name
        for name, path in files.items()
        if name not in course_files or beginning_of(path, MAX_BYTES) != beginning_of(course_files[name], MAX_BYTES)
    )
