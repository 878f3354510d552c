"""Reads the errors that the sanitizers print in an accepted session, and decides which are certain enough to report.

The sanitizers see every use of memory outside its allocation, but not everything that they print is an error of the
program: they need more stack and memory than the program itself, and code may rely on behaviour that the standard
leaves open. So an error is reported only if its kind is listed here, if it is at a line of the student's code, and if
the session was the same as without the sanitizers until then.
"""

from __future__ import annotations

import re

import msgspec

from pitboss.experiments.sanitizers import (
    ASAN_OPTIONS,
    CrashPlace,
    crash_place_in,
    is_overflow_upwards,
    is_same_session,
)
from pitboss.model.transcript import EndingKind, Transcript

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
    if match is None:
        return None
    return match.start(), text[match.start(1) :]


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
