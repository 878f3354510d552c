"""Reads what the sanitizers print about an accepted session, and decides when it is certain enough to be reported.

They see every use of memory outside its allocation, but not everything they print is the program's fault: they need
more stack and memory than the program itself, and code may rely on what the standard leaves open. So only the errors
listed here are reported, at a line of the student's code, in a session that went as without the sanitizers until then.
"""

from __future__ import annotations

import re

import msgspec

from pitboss.experiments.sanitizers import ASAN_OPTIONS, CrashPlace, grows, place_in
from pitboss.model.transcript import EndingKind, InputEnded, Transcript

#: The exit code of a program that the sanitizers ended.
_EXIT_CODE = 99
#: Extra flags for the compiler. Without optimization every use of memory is compiled. To build faster: little debugging
#: information, no warnings, and no look-up of what the sanitizers' own libraries load.
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
#: Errors that certainly are misuse. A stack or memory that is too small may be so only under the sanitizers.
_CERTAIN = re.compile(
    rb"=+\n==\d+==(ERROR: AddressSanitizer: (?:(?:heap|stack|dynamic-stack|global)-buffer-overflow"
    rb"|stack-buffer-underflow|heap-use-after-free|stack-use-after-(?:return|scope)|attempting double-free"
    rb"|attempting free on address which was not malloc\(\)-ed)) "
)
_UNDEFINED = re.compile(rb"^[^\n]*?([^\s:]+:\d+):\d+: runtime error: ([^\n]+)$", re.MULTILINE)
#: With other messages on null pointers the program may only compute an address.
_NULL = re.compile(rb"(?:load of|store to|member call on) null pointer")
#: The name of an array whose length is computed, and the sentence to use instead.
_COMPUTED_LENGTH, _OUTSIDE = "[*]", "it uses an element outside an array"
_WORDS = re.compile(rb"[^0-9A-Za-z]+")


def finding_in(transcript: Transcript, accepted: Transcript, files: frozenset[str]) -> CrashPlace | None:
    """The line of one of these files that misuses memory, if a session under the sanitizers shows one.

    `accepted` is the session without them.
    """
    ending = transcript.ending
    if ending.kind is not EndingKind.EXITED or ending.exit_code != _EXIT_CODE:
        return None
    text = transcript.text
    report = _address_report(text) or _undefined_report(text)
    if report is None or not _went_the_same(transcript, accepted, text[: report[0]]):
        return None
    place = place_in(report[1], files)
    return msgspec.structs.replace(place, why=_OUTSIDE) if place and _COMPUTED_LENGTH in place.why else place


def _address_report(text: bytes) -> tuple[int, bytes] | None:
    """Where a report of AddressSanitizer begins, and the report."""
    match = _CERTAIN.search(text)
    if match is None:
        return None
    return match.start(), text[match.start(1) :]


def _undefined_report(text: bytes) -> tuple[int, bytes] | None:
    """Where a report of UndefinedBehaviorSanitizer begins, and the report in the form that `place_in` reads."""
    match = _UNDEFINED.search(text)
    if match is None:
        return None
    message = match[2]
    is_certain = (
        b" out of bounds for type " in message
        or _NULL.match(message) is not None
        or bool(grows(message.decode("utf-8", "replace")))
    )
    return (match.start(1), b"%s:1: runtime error: %s" % (match[1], message)) if is_certain else None


def _went_the_same(transcript: Transcript, accepted: Transcript, output: bytes) -> bool:
    """Whether a session went as without the sanitizers until they ended it, ignoring blanks and punctuation.

    If a program draws other values under them, the typed lines answer other questions.
    """
    ends = sum(isinstance(event, InputEnded) for event in transcript.events)
    if ends > sum(isinstance(event, InputEnded) for event in accepted.events):
        return False
    is_same_input = transcript.lines == accepted.lines[: len(transcript.lines)]
    return is_same_input and _WORDS.sub(b"", accepted.text).startswith(_WORDS.sub(b"", output))
