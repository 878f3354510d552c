"""Finds the line of the student's code that misuses memory.

The program is built once more with AddressSanitizer and UndefinedBehaviorSanitizer, see gcc(1), and their output is
parsed. If the sanitizers find nothing and valgrind is installed, valgrind looks for uninitialized values. The result
changes no verdict: it only explains a crash or a failed session.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.cases import environment_seed_of
from pitboss.compare.results import Result, read_past_end
from pitboss.errors import SessionError, UsageError, fitted
from pitboss.machine import scratch
from pitboss.machine.files import text_of
from pitboss.model.invocation import Script, script_of_lines
from pitboss.model.transcript import EndingKind, Transcript
from pitboss.sandbox.limits import STACK_BYTES
from pitboss.sessions.determinism import is_native
from pitboss.sessions.job import Job
from pitboss.sessions.programs import Program
from pitboss.submissions.build import build
from pitboss.submissions.sources import MAX_BYTES, Source

_STACK_IS_FULL = (
    f"its stack of {STACK_BYTES >> 20} MB is full: functions call one another too often or without end, or an array is "
    "huge"
)
#: Why a program crashes, as a clause for the student, by the kind of error that AddressSanitizer prints.
_REASONS_BY_KIND = {
    "heap-buffer-overflow": "it uses memory outside what malloc or new gave it",
    "stack-buffer-overflow": "it uses an element outside an array",
    "dynamic-stack-buffer-overflow": "it uses an element outside an array",
    "global-buffer-overflow": "it uses an element outside an array",
    "stack-buffer-underflow": "it uses an element before the beginning of an array",
    "heap-use-after-free": "it uses memory that was freed before",
    "attempting double-free": "it frees the same memory twice",
    "attempting free on address which was not malloc()-ed": "it frees an address that malloc or new did not give it",
    "stack-use-after-return": "it uses a variable of a function that has ended",
    "stack-use-after-scope": "it uses a variable outside the braces that it lives in",
    "stack-overflow": _STACK_IS_FULL,
    "ABRT": "it ends itself there: by abort, by an assert that does not hold, or by an exception that nothing catches",
    "SEGV": "it uses memory that is not its own: often a missing & in scanf, a wild index, or a pointer never set",
    "FPE": "it divides by zero",
}
#: The kind of error in the output of AddressSanitizer.
_KIND = re.compile(
    rb"ERROR: AddressSanitizer: ([A-Za-z-]+(?: double-free| free on address which was not malloc\(\)-ed)?)"
)
#: A call in AddressSanitizer's list: its groups are the file and the line. The name of the function comes before the
#: file; the name of a C++ function may contain blanks and brackets.
_ASAN_CALL = re.compile(rb"^ *#\d+ 0x[0-9a-f]+ in (?:[^\n]*/|[^\n]* )([^\n/]+?):(\d+)(?::\d+)?\r?$", re.MULTILINE)
#: The end of the first list of calls. The lists that follow show where the memory was allocated or freed.
_NEXT_LIST = re.compile(rb"\n\r?\n")
#: A message of UndefinedBehaviorSanitizer: the file, the line and the text.
_UNDEFINED_BEHAVIOUR = re.compile(rb"([^\s:]+):(\d+):\d+: runtime error: ([^\n]+)")
#: UndefinedBehaviorSanitizer's texts about an index, with the size of the array, and about an overflow.
_BOUNDS = re.compile(r"index (-?\d+) out of bounds for type '[^\[]*\[(\d+)\]")
_OVERFLOW = re.compile(r"signed integer overflow: (-?\d+) ([-+*]) (-?\d+) cannot be represented")
#: The maximum number of characters to quote from a source line.
_LONGEST_CODE = 120


class CrashPlace(msgspec.Struct, frozen=True):
    """Where and why a program crashed."""

    file: str
    line: int
    #: The reason, as a clause about the program, such as `it divides by zero`.
    why: str

    def sentence(self, source: str) -> str:
        """A sentence for the student that quotes the line; `source` is the text of the file."""
        lines = source.splitlines()
        code = fitted(lines[self.line - 1].strip(), _LONGEST_CODE) if self.line <= len(lines) else ""
        return f"In {self.file}, line {self.line}{f', “{code}”' if code else ''}: {self.why}."


def crash_place_in(output: bytes, files: frozenset[str]) -> CrashPlace | None:
    """Returns the place of the crash that the sanitizers printed; None if it is not in one of these files."""
    undefined = _UNDEFINED_BEHAVIOUR.search(output)
    if undefined:
        file = _file_at_end(output[: undefined.end(1)], files)
        if file:
            return CrashPlace(file, int(undefined[2]), _reason_for(undefined[3].decode("utf-8", "replace")))
    kind = _KIND.search(output)
    if kind is None:
        return None
    why = _REASONS_BY_KIND.get(kind[1].decode())
    if why is None:  # such as an allocation that fails only under the sanitizers
        return None
    return _first_call(_ASAN_CALL, _NEXT_LIST.split(output[kind.end() :], maxsplit=1)[0], files, why)


def _file_at_end(output: bytes, files: frozenset[str]) -> str:
    """Returns the file whose name is at the end of the output, after a folder or other text; or an empty text."""
    candidates = [file for file in files if re.search(rb"(?:^|[\s:/])%s\Z" % re.escape(file.encode()), output)]
    return max(candidates, key=len, default="")


def _first_call(pattern: re.Pattern[bytes], calls: bytes, files: frozenset[str], why: str) -> CrashPlace | None:
    """Returns the place of the innermost call, in a list of calls, that is in one of these files; None without one."""
    matches = (match for match in pattern.finditer(calls) if match[1].decode("utf-8", "replace") in files)
    return next((CrashPlace(match[1].decode(), int(match[2]), why) for match in matches), None)


def _reason_for(message: str) -> str:
    """Returns a clause for the student that explains a message of UndefinedBehaviorSanitizer, or else the message."""
    bounds = _BOUNDS.search(message)
    if bounds:
        last_index = int(bounds[2]) - 1
        return f"it uses index {bounds[1]} of an array of {bounds[2]}, whose indexes go from 0 to {last_index}"
    if "null pointer passed as argument" in message:
        return "it passes a pointer that points nowhere to a function that needs what it points to"
    if "null pointer" in message:
        return "it follows a pointer that points nowhere"
    if "insufficient space for an object" in message:
        return "it uses memory outside what it asked for, or outside an array"
    if "division by zero" in message:
        return "it divides by zero"
    if "overflow" in message:
        is_upwards = is_overflow_upwards(message)
        if is_upwards is not None:
            return f"a number {'grows larger' if is_upwards else 'becomes smaller'} than its type can hold"
    return message


def is_overflow_upwards(message: str) -> bool | None:
    """Returns True if a number grows too large for its type, False if it becomes too small, None for other messages."""
    match = _OVERFLOW.match(message)
    if match is None:
        return None
    left, right = int(match[1]), int(match[3])
    return {"+": left + right, "-": left - right, "*": left * right}[match[2]] > 0


#: The first line that valgrind prints about the use of an uninitialized value.
_UNSET_VALUE = re.compile(rb"==\d+== (?:Conditional jump or move depends on|Use of) uninitialised value")
#: A call in valgrind's list: its groups are the file and the line.
_VALGRIND_CALL = re.compile(rb"^==\d+==    (?:at|by) 0x[0-9A-F]+: [^\n]* \(([^():\n]+):(\d+)\)\r?$", re.MULTILINE)
#: The empty line after valgrind's list of calls.
_EMPTY_LINE = re.compile(rb"\n==\d+== *\r?\n")


def unset_value_in(output: bytes, files: frozenset[str]) -> CrashPlace | None:
    """Returns where valgrind reports the use of an uninitialized value; None if not in one of these files."""
    match = _UNSET_VALUE.search(output)
    if match is None:
        return None
    why = "it uses the value of a variable that was never given one"
    return _first_call(_VALGRIND_CALL, _EMPTY_LINE.split(output[match.end() :], maxsplit=1)[0], files, why)


#: The beginning of a report of AddressSanitizer or valgrind, or of UndefinedBehaviorSanitizer.
_REPORT = re.compile(rb"AddressSanitizer:DEADLYSIGNAL|(?:=+\r?\n)?==\d+==|[^\s:]+:\d+:\d+: runtime error: ")
_NON_ALPHANUMERIC = re.compile(rb"[^0-9A-Za-z]+")


def is_same_session(rerun: Transcript, judged: Transcript, report_offset: int, *, is_whole: bool = False) -> bool:
    """Whether a session under a check was the same as the judged session until the check ended it.

    The report is at `report_offset` of its `error_output`; blanks and punctuation are ignored. With `is_whole` the
    judged session must have ended there too. If a program draws other values under a check, the typed lines answer
    other questions; and it may get memory that the judged session lacked, or lack stack that it had.
    """
    output = rerun.text if rerun.errors else rerun.text[:report_offset]
    output, judged_output = (_NON_ALPHANUMERIC.sub(b"", text) for text in (output, judged.text))
    return (
        not read_past_end(judged.events, rerun.events)
        and rerun.lines == judged.lines[: len(rerun.lines)]
        and judged_output.startswith(output)
        and (not is_whole or output == judged_output)
    )


def build_arguments_for(language: str, flags: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the arguments to add to a build command so that the compiler gets these flags.

    A makefile that does not use $(CC) or $(CXX) builds without the flags.
    """
    if language != "make":
        return flags
    words = " ".join(("-g", *flags))
    return (f"CC=cc {words}", f"CXX=c++ {words}")


class SanitizerCheck(msgspec.Struct, frozen=True):
    """A tool that finds misuse of memory, and how to build and run a program with this tool."""

    name: str
    #: Additional compiler flags.
    flags: tuple[str, ...]
    #: The tool's command, which the program's command follows; empty if the tool is compiled into the program.
    command: tuple[str, ...]
    #: Additional environment variables of the program: pairs of a name and a value.
    environment: tuple[tuple[str, str], ...]
    #: Returns the place of the crash, from the program's output and the names of the student's files.
    place_in: Callable[[bytes, frozenset[str]], CrashPlace | None]


#: Our preloaded library is loaded before the sanitizers' library. Without the first option, the sanitizers would
#: therefore refuse to run. Allocations that are too large return NULL, as they do without sanitizers.
ASAN_OPTIONS = (
    "verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=0:detect_stack_use_after_return=1:color=never"
)

#: Each check stops at the first finding and ignores leaks. Debian's `valgrind` is a script that starts valgrind.bin;
#: here valgrind.bin is started directly.
CHECKS = (
    SanitizerCheck(
        name="sanitizers",
        flags=(
            "-fsanitize=address,undefined",
            # These checks report code that the standard leaves undefined but that all machines run alike. Their
            # reports would hide the real failure.
            "-fno-sanitize=alignment,shift-base,pointer-overflow",
            "-fno-sanitize-recover=all",
            "-fno-omit-frame-pointer",
            "-O0",  # otherwise memory accesses whose result is unused are optimised away
        ),
        command=(),
        environment=(
            ("ASAN_OPTIONS", f"{ASAN_OPTIONS}:handle_abort=1"),
            ("UBSAN_OPTIONS", "print_stacktrace=0:color=never"),
        ),
        place_in=crash_place_in,
    ),
    SanitizerCheck(
        name="valgrind",
        flags=("-O0",),
        command=("/usr/bin/valgrind.bin", "-q", "--vgdb=no", "--exit-on-first-error=yes", "--error-exitcode=99"),
        environment=(("VALGRIND_LIB", "/usr/libexec/valgrind"),),
        place_in=unset_value_in,
    ),
)


#: The languages to check. A makefile may build from any language, but programs that are not machine code are skipped.
LANGUAGES = ("c", "cpp", "make")
#: The minimum of a program's memory limit during a check: there a program needs several times its usual memory.
_MIN_MEMORY_MB = 1024
#: A program's limit of CPU time during a check: there a program is several times slower than usual.
_CPU_S = 10


def sentence_on_misused_memory(job: Job, stage: Stage, source: Source, program: Program, suspect: Result) -> str:
    """Returns a sentence on where a program misuses memory in the session with the result `suspect`.

    The sentence is empty if no misuse is found, or if the program cannot be checked here.
    """
    if job.conditions.driver != "watched" or not is_native(program):
        return ""
    try:
        # The checks need more memory. If that alone changes the session, they would judge another one.
        rerun = _rerun(job, stage, program, suspect)
        ending = suspect.actual.ending
        is_same_ending = (rerun.ending.kind, rerun.ending.signal) == (ending.kind, ending.signal)
        if not is_same_ending or not is_same_session(rerun, suspect.actual, len(rerun.text), is_whole=True):
            return ""
        with scratch.folder("checked") as builds:
            for check in CHECKS:
                if not check.command or os.path.exists(check.command[0]):
                    build_folder = Path(builds) / check.name
                    crash_place = _place_found_by(job, stage, source, suspect, check, build_folder)
                    if crash_place is not None:
                        return crash_place.sentence(text_of(build_folder / crash_place.file, MAX_BYTES))
    except (SessionError, UsageError, OSError):
        pass  # the sentence would only explain a failure that is reported anyway
    return ""


def _place_found_by(
    job: Job, stage: Stage, source: Source, suspect: Result, check: SanitizerCheck, build_folder: Path
) -> CrashPlace | None:
    """Builds the program for this check, and runs the session of `suspect` again; returns the place that is reported.

    Returns None if the check reports nothing, if the session was another one than that of `suspect` before the report,
    or if the program cannot be built or is not machine code.
    """
    build_result = build(source, build_folder, job.conditions, flags=build_arguments_for(source.language, check.flags))
    if build_result.program is None or not is_native(build_result.program):
        return None
    argv = (*check.command, *build_result.program.argv)
    program = msgspec.structs.replace(build_result.program, argv=argv, environment=check.environment)
    rerun = _rerun(job, stage, program, suspect)
    place = check.place_in(rerun.error_output, frozenset(path.name for path in build_folder.iterdir()))
    report = _REPORT.search(rerun.error_output)
    if place is None or report is None:
        return None
    is_whole = place.why == _STACK_IS_FULL
    return place if is_same_session(rerun, suspect.actual, report.start(), is_whole=is_whole) else None


def _rerun(job: Job, stage: Stage, program: Program, suspect: Result) -> Transcript:
    """Runs the session of `suspect` again with the memory and the time that checks need."""
    limits = msgspec.structs.replace(stage.limits, memory_mb=max(_MIN_MEMORY_MB, stage.limits.memory_mb), cpu_s=_CPU_S)
    with job.conditions.driver_of(program, limits) as driver:
        ((_, transcript),) = driver.sessions([script_of_session(stage, suspect)])
    return transcript


def script_of_session(stage: Stage, session: Result) -> Script:
    """Returns a script that repeats a session, with standard error in the transcript: the tools write to it."""
    invocation = next((case.invocation for case in stage.spec.cases if case.place == session.place), stage.invocation)
    stderr = "shown" if invocation.stderr == "shown" else "compared"
    # A session that was stopped when its lines ran out is stopped there again, as if it had left the expected path:
    # after an end of input, the program might run forever.
    has_left_expected_path = (lambda _: True) if session.actual.ending.kind is EndingKind.OUT_OF_LINES else None
    return Script(
        script_of_lines(session.actual.lines),
        environment_seed=environment_seed_of(stage, session.case, session.seed, session.number),
        invocation=msgspec.structs.replace(invocation, stderr=stderr, outputs=()),
        has_left_expected_path=has_left_expected_path,
    )
