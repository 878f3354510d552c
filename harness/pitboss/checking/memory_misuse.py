"""Looks for misuse of memory, by running a session of a program again under the sanitizers.

Of a program that crashed, or is wrong for an unknown reason, one session is rerun. Memory beyond the end of an array,
or memory that was freed, often still contains the right values. So a stage of a program in C or C++ that is accepted,
or nearly so, is built again and a few of its sessions are rerun: see `revealing_sessions`. A finding becomes a remark,
which changes no verdict; in case of doubt there is no remark.

    misuse/            the program, built with the sanitizers

The sanitizers see every use of memory outside its allocation, but not everything that they print is an error of the
program: they need more stack and memory than the program itself, and code may rely on behaviour that the standard
leaves open. So an error is reported only if its kind is listed here, if it is at a line of the student's code, and if
the session was the same as without the sanitizers until then.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.compare.findings import Compared
from pitboss.compare.results import Begun, Result, StageReport, StageWork, Verdict
from pitboss.errors import HarnessError, SessionError
from pitboss.experiments.sanitizers import (
    ASAN_OPTIONS,
    LANGUAGES,
    CrashPlace,
    build_arguments_for,
    crash_place_in,
    is_overflow_upwards,
    is_same_session,
    script_of_session,
    sentence_on_misused_memory,
)
from pitboss.machine import progress, scratch
from pitboss.machine.files import beginning_of, text_of
from pitboss.machine.pool import Pool, Task
from pitboss.model.crashes import crash_in
from pitboss.model.invocation import Script
from pitboss.model.languages import is_c_source, is_header, suffix_of
from pitboss.model.transcript import OVER_A_LIMIT, EndingKind, Shown, Transcript
from pitboss.sessions.determinism import is_native
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.sessions.session_files import with_submitted_files
from pitboss.submissions.build import build
from pitboss.submissions.sources import MAX_BYTES, Source, files_below

#: The exit code of a program that the sanitizers ended.
_EXIT_CODE = 99
#: Extra flags for the compiler. Optimization is off (-O0), since it could remove uses of memory. The last three flags
#: make the build faster: little debugging information, no warnings, and no search for libraries that the sanitizers'
#: own libraries load.
FLAGS = (
    "-fsanitize=address,bounds,null,signed-integer-overflow",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-O0",
    "-g1",
    "-w",
    "-Wl,--allow-shlib-undefined",
)
ENVIRONMENT = (
    ("ASAN_OPTIONS", f"exitcode={_EXIT_CODE}:{ASAN_OPTIONS}"),
    ("UBSAN_OPTIONS", f"exitcode={_EXIT_CODE}:print_stacktrace=0:color=never"),
)
#: The errors of AddressSanitizer that certainly are misuse of memory. Exhausted stack or memory is not among these: it
#: may be exhausted only because of the sanitizers.
_CERTAIN = re.compile(
    rb"=+\n==\d+==(ERROR: AddressSanitizer: (?:(?:heap|stack|dynamic-stack|global)-buffer-overflow"
    rb"|stack-buffer-underflow|heap-use-after-free|stack-use-after-(?:return|scope)|attempting double-free"
    rb"|attempting free on address which was not malloc\(\)-ed)) "
)
#: A message of UndefinedBehaviorSanitizer. Groups: file and line; the error.
_UNDEFINED = re.compile(rb"^[^\n]*?([^\s:]+:\d+):\d+: runtime error: ([^\n]+)$", re.MULTILINE)
#: An access through a null pointer. With other messages on null pointers the program may only compute an address.
_NULL = re.compile(rb"(?:load of|store to|member call on) null pointer")
#: How a message shows a length of an array that is computed at run time.
_COMPUTED_LENGTH = "[*]"
#: The text that replaces a message with such a length.
_OUTSIDE = "it uses an element outside an array"


def finding_in(transcript: Transcript, accepted: Transcript, files: frozenset[str]) -> CrashPlace | None:
    """Returns the line that misuses memory, if the session shows one in one of the student's `files`.

    `transcript` is of the session under the sanitizers, `accepted` of the same session without them.
    """
    ending = transcript.ending
    if ending.kind is not EndingKind.EXITED or ending.exit_code != _EXIT_CODE:
        return None
    text = transcript.error_output
    offset_and_report = _address_report(text) or _undefined_report(text)
    if offset_and_report is None or not is_same_session(transcript, accepted, offset_and_report[0]):
        return None
    crash_place = crash_place_in(offset_and_report[1], files)
    return (
        msgspec.structs.replace(crash_place, why=_OUTSIDE)
        if crash_place and _COMPUTED_LENGTH in crash_place.why
        else crash_place
    )


def _address_report(text: bytes) -> tuple[int, bytes] | None:
    """Returns the offset and text of a report of AddressSanitizer on an error that is certain, if there is one."""
    match = _CERTAIN.search(text)
    return (match.start(), text[match.start(1) :]) if match else None


def _undefined_report(text: bytes) -> tuple[int, bytes] | None:
    """Returns the offset of a report of UndefinedBehaviorSanitizer, and the report in the form for `crash_place_in`.

    None if there is no report, or if its error is not certain.
    """
    match = _UNDEFINED.search(text)
    if match is None:
        return None
    message = match[2]
    is_certain = (
        b" out of bounds for type " in message
        or _NULL.match(message) is not None
        or bool(is_overflow_upwards(message.decode("utf-8", "replace")))
    )
    return (match.start(1), b"%s:1: runtime error: %s" % (match[1], message)) if is_certain else None


#: The verdicts on a session that misuse of memory may explain.
_MAY_BE_MISUSE = (Verdict.RUN_TIME_ERROR, Verdict.WRONG_ANSWER)


def report_with_crash_line(
    job: Job, stage: Stage, source: Source | None, program: Program | None, report: StageReport
) -> StageReport:
    """The report, with a sentence on the line that misuses memory if a rerun under memory checks finds the line.

    At most one session is rerun: a session that crashed, or one with an unexplained wrong answer. For a stack overflow
    in C#, where the runtime names the method alone, the sentence has the line of the method.
    """
    if source is not None and source.language in ("c", "cpp"):
        report = _with_findings(report, returns_from_main=True)
    suspect = _suspect(report)
    languages = (*LANGUAGES, "csharp")
    if suspect is None or source is None or program is None or source.language not in languages:
        return report
    if source.language == "csharp":
        crash = _sentence_on_stack_overflow(source, suspect)
    else:
        crash = sentence_on_misused_memory(job, stage, source, program, suspect)
    return _with_crash(report, crash, suspect.session) if crash else report


def _sentence_on_stack_overflow(source: Source, suspect: Result) -> str:
    """A sentence with the line of the method in which a C# program's stack overflowed.

    Empty unless just one line declares a method of that name: .NET says nothing of its class and parameters.
    """
    crash = crash_in(suspect.actual.error_output)
    _, _, method = crash.error.partition("Stack overflow: ") if crash else ("", "", "")
    declaration = re.compile(
        rf"(?!\s*(?://|/?\*|(?:return|await|throw|new|else|yield)\b))[^=;({{]*[\w>\]?]\s+{method}\s*(?:<[^>]*>)?\("
    )
    places: list[tuple[str, int]] = []
    with contextlib.suppress(OSError):
        for name in sorted(files_below(source.folder)) if method else ():
            lines = beginning_of(source.folder / name, MAX_BYTES).splitlines() if suffix_of(name) == ".cs" else []
            texts = (line.decode(errors="replace") for line in lines)
            places += [(name, number) for number, text in enumerate(texts, 1) if declaration.match(text)]
    if len(places) != 1:
        return ""
    file, number = places[0]
    return f"The method whose calls did not end, {method}, begins in line {number} of {file}."


def _with_crash(report: StageReport, sentence: str, session: str) -> StageReport:
    """The report with a sentence on the line that misuses memory, and the name of the session that shows it.

    The line counts as the cause of all failures, so the report need not guess a cause.
    """
    report = _with_findings(report, is_misuse_located=True)
    return msgspec.structs.replace(report, crash=sentence, crash_case=session)


def _with_findings(report: StageReport, **changes: bool) -> StageReport:
    """The report with these fields of the findings of its crashes and wrong answers."""
    results = tuple(
        msgspec.structs.replace(result, finding=msgspec.structs.replace(result.finding, **changes))
        if result.verdict in _MAY_BE_MISUSE and isinstance(result.finding, Compared)
        else result
        for result in report.results
    )
    return msgspec.structs.replace(report, results=results)


def _suspect(report: StageReport) -> Result | None:
    """The session to rerun with memory checks: a session that crashed, or else one with an unexplained wrong answer."""
    # The report says nothing about a hidden case, not even where it crashed, so public cases come first.
    results = sorted(report.results, key=lambda result: result.visibility != "public")
    crashed = next((result for result in results if result.actual.ending.kind is EndingKind.SIGNALLED), None)
    if crashed or report.diagnosis:  # a diagnosis explains the wrong answers: without a crash, return None
        return crashed
    wrong_results = (result for result in results if result.verdict is Verdict.WRONG_ANSWER)
    normal_endings = (EndingKind.EXITED, EndingKind.OUT_OF_LINES)
    return next((result for result in wrong_results if result.actual.ending.kind in normal_endings), None)


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
        unassigned_sentences = dict.fromkeys(filter(None, sentences))
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


# The accepted sessions that most likely reveal misuse of memory: long sessions, and sessions with new words
#
# Programs most often write past the end of an array that grows with the session, or that holds a typed line. Starting a
# program under the sanitizers is slow. So a session in which nothing new is typed or shown is not selected: such a
# session most likely runs the same lines of code.

#: At most this many sessions are selected for each stage; a stage may have more if another has fewer.
MAX_SELECTED_PER_STAGE = 8
_WORD = re.compile(rb"[0-9]+|[^\W0-9_]+")
_DIGIT = re.compile(rb"[0-9]")


def revealing_sessions(results: Sequence[Result]) -> list[Result]:
    """Select accepted sessions of public cases; `results` are of stages that share one program.

    Selects the session with the maximum of each measure and the longest session of each stage. Then repeatedly adds the
    session with the most words that no selected session contains. The selection is deterministic.
    """
    candidates = [result for result in results if result.verdict is Verdict.ACCEPTED and result.visibility == "public"]
    if not candidates:
        return []
    selection = [max(candidates, key=measure) for measure in _MEASURES]
    stages = dict.fromkeys(result.stage for result in candidates)
    selection += [max((result for result in candidates if result.stage == stage), key=_MEASURES[0]) for stage in stages]
    words_of_candidates = [(result, _words_in(result)) for result in candidates]
    selected_ids = {id(result) for result in selection}
    covered = {word for result, words in words_of_candidates if id(result) in selected_ids for word in words}
    while len(selected_ids) < MAX_SELECTED_PER_STAGE * len(stages):
        result, words = max(words_of_candidates, key=lambda pair: len(pair[1] - covered))
        if words <= covered:
            break
        selected_ids.add(id(result))
        selection.append(result)
        covered |= words
    return list({id(result): result for result in selection}.values())


def _words_in(result: Result) -> frozenset[bytes]:
    """Returns the typed lines of a session, and the words of its text, with every digit replaced by 0."""
    # A newline marks typed lines, since a typed word is not the same as that word in the output.
    typed = (b"\n" + _DIGIT.sub(b"0", line) for line in result.actual.lines)
    words = (_DIGIT.sub(b"0", word) for word in _WORD.findall(result.actual.text))
    return frozenset((*typed, *words))


def _longest_output(result: Result) -> int:
    """Returns the length of the longest output between two typed lines; a printed table suggests a large array."""
    return max((len(event.text) for event in result.actual.events if isinstance(event, Shown)), default=0)


def _longest_repetition(result: Result) -> int:
    """Returns the largest number of equal lines typed in a row.

    With equal answers to a question such as “Another item?”, a program fills an array.
    """
    return max((len(list(equal_lines)) for _, equal_lines in groupby(result.actual.lines)), default=0)


def _longest_line(result: Result) -> int:
    return max(map(len, result.actual.lines), default=0)


#: The session with the maximum of a measure is selected; of several such sessions, the session of the earliest case.
#: The first measure, the number of typed lines, also determines the longest session of each stage.
_MEASURES: tuple[Callable[[Result], int], ...] = (
    lambda result: len(result.actual.lines),
    lambda result: len(result.actual.text),
    _longest_repetition,
    _longest_output,
    _longest_line,
)
