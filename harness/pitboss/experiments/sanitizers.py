"""Finds the line of the student's code that misuses memory.

The program is built once more with AddressSanitizer and UndefinedBehaviorSanitizer, see gcc(1), and their output is
parsed. If the sanitizers find nothing and valgrind is installed, valgrind looks for uninitialized values. The result
changes no verdict: it only explains a crash or a failed session.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.cases import environment_seed_of
from pitboss.compare.results import Result
from pitboss.errors import SessionError, UsageError
from pitboss.model.scripts import Script, typing
from pitboss.model.transcript import EndingKind
from pitboss.sandbox import scratch
from pitboss.sandbox.files import text_of
from pitboss.sessions.job import Job
from pitboss.sessions.preloading import is_native
from pitboss.submissions.build import build
from pitboss.submissions.sources import MAX_BYTES, Source

_KINDS = {
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
    "stack-overflow": "functions call one another without end, or an array is huge",
    "ABRT": "it ends itself there: by abort, by an assert that does not hold, or by an exception that nothing catches",
    "SEGV": "it uses memory that is not its own: often a missing & in scanf, a wild index, or a pointer never set",
    "FPE": "it divides by zero",
}
_ADDRESS = re.compile(
    rb"ERROR: AddressSanitizer: ([A-Za-z-]+(?: double-free| free on address which was not malloc\(\)-ed)?)"
)
#: The name of a C++ function may contain blanks and brackets.
_FRAME = re.compile(rb"^ *#\d+ 0x[0-9a-f]+ in (?:[^\n]*/|[^\n]* )([^\n/]+?):(\d+)(?::\d+)?\r?$", re.MULTILINE)
#: The end of the first list of calls. The lists that follow show where the memory was allocated or freed.
_NEXT_LIST = re.compile(rb"\n\r?\n")
_UNDEFINED = re.compile(rb"([^\s:]+):(\d+):\d+: runtime error: ([^\n]+)")
_BOUNDS = re.compile(r"index (-?\d+) out of bounds for type '[^\[]*\[(\d+)\]")
_OVERFLOW = re.compile(r"signed integer overflow: (-?\d+) ([-+*]) (-?\d+) cannot be represented")
#: The maximum number of characters to quote from a source line.
_LONGEST_CODE = 120


class CrashPlace(msgspec.Struct, frozen=True):
    """Where and why a program crashed."""

    file: str
    line: int
    why: str

    def sentence(self, source: str) -> str:
        """A sentence for the student that quotes the line; `source` is the text of the file."""
        lines = source.splitlines()
        code = lines[self.line - 1].strip() if self.line <= len(lines) else ""
        code = code if len(code) <= _LONGEST_CODE else f"{code[: _LONGEST_CODE - 1]}…"
        return f"In {self.file}, line {self.line}{f', “{code}”' if code else ''}: {self.why}."


def place_in(output: bytes, files: frozenset[str]) -> CrashPlace | None:
    """The place that the sanitizers printed, if it is in one of these files."""
    undefined = _UNDEFINED.search(output)
    if undefined:
        file = _at_end_of(output[: undefined.end(1)], files)
        if file:
            return CrashPlace(file, int(undefined[2]), _of_undefined(undefined[3].decode("utf-8", "replace")))
    kind = _ADDRESS.search(output)
    if kind is None:
        return None
    why = _KINDS.get(kind[1].decode())
    if why is None:  # such as an allocation that fails only under the sanitizers
        return None
    calls = _NEXT_LIST.split(output[kind.end() :], maxsplit=1)[0]
    return next((CrashPlace(file, line, why) for file, line in _calls_in(_FRAME, calls) if file in files), None)


def _at_end_of(output: bytes, files: frozenset[str]) -> str:
    """The file whose name ends the output, after a folder or the program's own output; empty if no name does."""
    candidates = [file for file in files if re.search(rb"(?:^|[\s:/])%s\Z" % re.escape(file.encode()), output)]
    return max(candidates, key=len, default="")


def _calls_in(call_pattern: re.Pattern[bytes], calls: bytes) -> Iterator[tuple[str, int]]:
    """Yields the file name and the line of each call in a list of calls, the innermost call first."""
    for match in call_pattern.finditer(calls):
        yield match[1].decode("utf-8", "replace"), int(match[2])


def _of_undefined(message: str) -> str:
    bounds = _BOUNDS.search(message)
    if bounds:
        last = int(bounds[2]) - 1
        return f"it uses index {bounds[1]} of an array of {bounds[2]}, whose indexes go from 0 to {last}"
    if "null pointer passed as argument" in message:
        return "it passes a pointer that points nowhere to a function that needs what it points to"
    if "null pointer" in message:
        return "it follows a pointer that points nowhere"
    if "insufficient space for an object" in message:
        return "it uses memory outside what it asked for, or outside an array"
    if "division by zero" in message:
        return "it divides by zero"
    if "overflow" in message:
        is_large = grows(message)
        if is_large is not None:
            return f"a number {'grows larger' if is_large else 'becomes smaller'} than its type can hold"
    return message


def grows(message: str) -> bool | None:
    """Whether a number grows too large for its type; False if the number becomes too small, None for other messages."""
    match = _OVERFLOW.match(message)
    if match is None:
        return None
    left_operand, right_operand = int(match[1]), int(match[3])
    return {"+": left_operand + right_operand, "-": left_operand - right_operand, "*": left_operand * right_operand}[
        match[2]
    ] > 0


_VALUE = re.compile(rb"==\d+== (?:Conditional jump or move depends on|Use of) uninitialised value")
_CALL = re.compile(rb"^==\d+==    (?:at|by) 0x[0-9A-F]+: [^\n]* \(([^():\n]+):(\d+)\)\r?$", re.MULTILINE)
_NO_CALL = re.compile(rb"\n==\d+== *\r?\n")


def unset_value_in(output: bytes, files: frozenset[str]) -> CrashPlace | None:
    """The place of the uninitialized value that valgrind printed, if it is in one of these files."""
    match = _VALUE.search(output)
    if match is None:
        return None
    why = "it uses the value of a variable that was never given one"
    calls = _NO_CALL.split(output[match.end() :], maxsplit=1)[0]
    return next((CrashPlace(file, line, why) for file, line in _calls_in(_CALL, calls) if file in files), None)


def added_for(language: str, flags: tuple[str, ...]) -> tuple[str, ...]:
    """The words to add to a build command so that its compiler gets these flags.

    A makefile that does not use $(CC) or $(CXX) builds without the flags.
    """
    if language != "make":
        return flags
    words = " ".join(("-g", *flags))
    return (f"CC=cc {words}", f"CXX=c++ {words}")


class SanitizerCheck(msgspec.Struct, frozen=True):
    """A way to look for misuse of memory."""

    name: str
    #: Additional compiler flags.
    flags: tuple[str, ...]
    #: The words in front of the program's own command.
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    #: Parses the program's output, given the names of the student's files.
    place_in: Callable[[bytes, frozenset[str]], CrashPlace | None]

    def flags_for(self, language: str) -> tuple[str, ...]:
        """The words to add to a build command."""
        return added_for(language, self.flags)

    def is_here(self) -> bool:
        """Whether the tools that the check needs are installed."""
        return not self.command or os.path.exists(self.command[0])


#: The preloaded library comes before the sanitizers' library, which would refuse to run without the first option.
#: Allocations that are too large return NULL, as they do without sanitizers.
ASAN_OPTIONS = (
    "verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=0:detect_stack_use_after_return=1:color=never"
)

#: Each check stops at the first finding and ignores leaks. Debian's `valgrind` is a script that starts valgrind.bin.
CHECKS = (
    SanitizerCheck(
        "sanitizers",
        (
            "-fsanitize=address,undefined",
            # These report what the standard leaves undefined but all machines do alike, and hide the real failure.
            "-fno-sanitize=alignment,shift-base,pointer-overflow",
            "-fno-sanitize-recover=all",
            "-fno-omit-frame-pointer",
            "-O0",  # otherwise memory accesses whose result is unused are optimised away
        ),
        (),
        (
            ("ASAN_OPTIONS", f"{ASAN_OPTIONS}:handle_abort=1"),
            ("UBSAN_OPTIONS", "print_stacktrace=0:color=never"),
        ),
        place_in,
    ),
    SanitizerCheck(
        "valgrind",
        ("-O0",),
        ("/usr/bin/valgrind.bin", "-q", "--vgdb=no", "--exit-on-first-error=yes", "--error-exitcode=99"),
        (("VALGRIND_LIB", "/usr/libexec/valgrind"),),
        unset_value_in,
    ),
)


#: A makefile may build from any language; programs that are not machine code are skipped.
LANGUAGES = ("c", "cpp", "make")
#: Programs under a check are several times slower and larger.
_MEMORY_MB, _CPU_S = 1024, 10


def misused_memory(job: Job, stage: Stage, source: Source, suspect: Result) -> str:
    """A sentence about where a program misuses memory in a session; empty if no check finds anything."""
    if job.conditions.driver != "watched":
        return ""
    try:
        with scratch.folder("checked") as builds:
            for check in CHECKS:
                if check.is_here():
                    into = Path(builds) / check.name
                    place = _found(job, stage, source, suspect, check, into)
                    if place is not None:
                        return place.sentence(text_of(into / place.file, MAX_BYTES))
    except (SessionError, UsageError, OSError):
        pass  # this only explains a failure that is reported anyway
    return ""


def _found(
    job: Job, stage: Stage, source: Source, suspect: Result, check: SanitizerCheck, into: Path
) -> CrashPlace | None:
    built = build(source, into, job.conditions, flags=check.flags_for(source.language))
    if built.program is None or not is_native(built.program):
        return None
    argv = (*check.command, *built.program.argv)
    program = msgspec.structs.replace(built.program, argv=argv, environment=check.environment, reserves_memory=True)
    limits = msgspec.structs.replace(stage.limits, memory_mb=max(_MEMORY_MB, stage.limits.memory_mb), cpu_s=_CPU_S)
    invocation = next((case.invocation for case in stage.spec.cases if case.place == suspect.place), stage.invocation)
    # The checks report on the standard error.
    invocation = msgspec.structs.replace(invocation, stderr="shown", outputs=())
    # A program that was stopped when its lines ran out may run forever after the end of input.
    ends = (lambda _: True) if suspect.actual.ending.kind is EndingKind.OUT_OF_LINES else None
    lines, environment_seed = (
        typing(suspect.actual.lines),
        environment_seed_of(stage, suspect.case, suspect.seed, suspect.number),
    )
    script = Script(lines, environment_seed=environment_seed, invocation=invocation, has_left=ends)
    with job.conditions.driver_of(program, limits) as driver:
        for _, transcript in driver.sessions([script]):
            return check.place_in(transcript.text, frozenset(path.name for path in into.iterdir()))
    return None
