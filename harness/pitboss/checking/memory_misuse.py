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
from pitboss.assignments.cases import environment_seed_of
from pitboss.checking.revealing import revealing_sessions
from pitboss.checking.sanitizer_findings import ENVIRONMENT, FLAGS, finding_in
from pitboss.compare.check_events import Begun, StageWork
from pitboss.compare.results import Result, StageReport
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError, SessionError
from pitboss.experiments.sanitizers import LANGUAGES, CrashPlace, added_for
from pitboss.model.languages import is_c_source, is_header
from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import ENDLESS
from pitboss.sandbox import progress, scratch
from pitboss.sandbox.files import beginning_of, text_of
from pitboss.sandbox.pool import Pool, Task
from pitboss.sessions.job import Job
from pitboss.sessions.preloading import is_native
from pitboss.sessions.programs import Program
from pitboss.sessions.session_files_setup import with_own_files
from pitboss.submissions.build import build
from pitboss.submissions.sources import MAX_BYTES, Source

#: A stage is nearly accepted if at least this share of its sessions is accepted, and the others merely differ.
_NEARLY = 0.9
#: Programs under the sanitizers are several times slower and larger, so they get at least this much memory. After a
#: session that uses up this time no other is begun.
_MEMORY_MB, _CPU_S = 1024, 1
#: Follows the sentence that names the line.
COSTS_NOTHING = (
    "The session in which it does so was correct all the same, so this costs no points; with another compiler it may "
    "fail."
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
    groups: dict[Source, list[Stage]] = {}
    for stage in job.stages:
        source = sources.get(stage.name)
        if source is not None and _is_eligible(job, stage, source, reports[stage.name]):
            groups.setdefault(msgspec.structs.replace(source, program=""), []).append(stage)
    suspects = [_suspects(stages, reports) for stages in groups.values()]
    if any(suspects):
        progress.notify(Begun(StageWork.CHECKING_MEMORY, ""))
    tasks = [
        (group, pool.submit(memory_misuse_in, job, sources[group[0].stage.name], group)) for group in suspects if group
    ]
    remarked = dict(reports)
    for group, task in tasks:
        sentences = _result(task)
        remarks = dict.fromkeys(sentence for sentence in sentences if sentence)
        for suspect, sentence in zip(group, sentences, strict=False):
            if sentence in remarks:
                del remarks[sentence]
                name = suspect.stage.name
                remarked[name] = msgspec.structs.replace(remarked[name], memory=f"{sentence} {COSTS_NOTHING}")
    return remarked


def _result(task: Task[list[str]]) -> list[str]:
    """The findings of a task; empty if its worker died, since a remark is not worth a fault."""
    try:
        return task.result()
    except SessionError:
        return []


def _is_eligible(job: Job, stage: Stage, source: Source, report: StageReport) -> bool:
    """Whether sessions of a stage may be rerun."""
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
    failed = {result.verdict for result in report.results if result.verdict is not Verdict.ACCEPTED}
    is_near = report.passed >= _NEARLY * len(report.results)
    return report.verdict is Verdict.WRONG_ANSWER and failed <= {Verdict.WRONG_ANSWER} and is_near


def memory_misuse_in(job: Job, source: Source, suspects: tuple[_Suspect, ...]) -> list[str]:
    """For each stage of one program, a sentence on the line that misuses memory; empty if none is found."""
    try:
        with scratch.folder("misuse") as builds:
            into = Path(builds) / source.program
            built = build(source, into, job.conditions, flags=added_for(source.language, FLAGS))
            # This machine may have no sanitizers, or the program may be a script.
            if built.program is None or not is_native(built.program):
                return ["" for _ in suspects]
            program = msgspec.structs.replace(built.program, environment=ENVIRONMENT, reserves_memory=True)
            return [_sentence_on(job, suspect, program, source) for suspect in suspects]
    except (HarnessError, OSError):  # see _result
        return ["" for _ in suspects]


def _sentence_on(job: Job, suspect: _Suspect, program: Program, source: Source) -> str:
    """Returns a sentence on the first finding, in the order of the sessions; empty without findings."""
    stage = with_own_files(suspect.stage, program.folder)
    memory_mb = max(_MEMORY_MB, stage.limits.memory_mb)
    limits = msgspec.structs.replace(stage.limits, memory_mb=memory_mb, cpu_s=_CPU_S)
    own, places, last = _own_files(source, program.folder), dict[int, CrashPlace](), len(suspect.sessions)

    def scripts() -> Iterator[Script]:
        for session in suspect.sessions:
            if not places and last == len(suspect.sessions):
                yield _script(stage, session)

    with job.conditions.driver_of(program, limits) as driver:
        for number, transcript in driver.sessions(scripts()):
            place = finding_in(transcript, suspect.sessions[number].actual, own)
            if place is not None:
                places[number] = place
            elif transcript.ending.kind in ENDLESS:
                last = min(last, number)
    first = min(places, default=last)
    # Which sessions were run after a session that does not end depends on timing, so their findings are ignored.
    if first >= last:
        return ""
    text = text_of(program.folder / places[first].file, MAX_BYTES)
    return places[first].sentence(text)


def _script(stage: Stage, session: Result) -> Script:
    """Returns a script that repeats a session, and shows standard error, which the sanitizers write to."""
    case = next((case for case in stage.spec.cases if case.place == session.place), None)
    invocation = case.invocation if case else stage.invocation
    invocation = msgspec.structs.replace(invocation, stderr="shown", outputs=())
    return Script(
        typing(session.actual.lines),
        environment_seed=environment_seed_of(stage, session.case, session.seed, session.number),
        invocation=invocation,
    )


def _own_files(source: Source, built: Path) -> frozenset[str]:
    """The names of the student's own files in the folder of a build: students cannot fix the course's files."""
    files = {path.name: path for path in built.iterdir() if (is_c_source(path) or is_header(path)) and path.is_file()}
    if source.given is None:
        return frozenset(files)
    given = {path.name: path for path in source.given.rglob("*") if path.is_file()}
    return frozenset(name for name, path in files.items() if name not in given or not _are_same(path, given[name]))


def _are_same(path: Path, other: Path) -> bool:
    return beginning_of(path, MAX_BYTES) == beginning_of(other, MAX_BYTES)
