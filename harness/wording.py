"""Saying in one sentence what happened, for somebody who has programmed for eight weeks."""

from __future__ import annotations

from harness.assignment import Limits
from harness.comparison import Difference, Policy, difference_between, last_line
from harness.notation import duration_of, visible
from harness.transcript import (
    Ending,
    EndingKind,
    Event,
    InputEnded,
    Paused,
    Remark,
    Shown,
    Transcript,
    Typed,
    canonical,
)

_LONGEST_QUOTE = 60

_SIGNALS = {
    "SIGSEGV": "It crashed: it used memory that is not its own (a segmentation fault). Most often that is an index "
    "outside its array, a pointer that points nowhere, or a function that calls itself for ever.",
    "SIGBUS": "It crashed: it used memory that is not there (a bus error).",
    "SIGFPE": "It crashed: it divided a whole number by zero.",
    "SIGABRT": "It was aborted: the C library or an assert found something badly wrong, such as memory that was "
    "freed twice or written past its end.",
    "SIGILL": "It crashed: it ran into something that is no instruction.",
    "SIGSYS": "It was stopped: it asked the system for something that a console program has no need of.",
    "SIGXFSZ": "It was stopped: it wrote a file larger than is allowed.",
    "SIGPIPE": "It was stopped: it wrote into a pipe that nobody reads.",
}

_REMARKS = {
    Remark.RAW: "It had switched the terminal from whole lines to single keys, so Enter was read as a key too.",
    Remark.CLOSED_OUTPUT: "It had closed its output, so nothing it printed after that can be seen.",
    Remark.CLOSED_INPUT: "It had closed its input, so it could read nothing after that.",
    Remark.ECHO: "It turned the terminal's echo on; what is typed never counts as output.",
}

_NEAR_MISSES: tuple[tuple[str, Policy], ...] = (
    ("Only blanks at the ends of lines differ", Policy(trailing_blanks="ignored")),
    ("Only empty lines differ", Policy(blank_lines="ignored")),
    (
        "Only empty lines and blanks at the ends of lines differ",
        Policy(trailing_blanks="ignored", blank_lines="ignored"),
    ),
    ("Only upper and lower case differ", Policy(letter_case="ignored")),
)


def summary_of(
    difference: Difference | None, *, expected: Transcript, actual: Transcript, limits: Limits, runs_out: bool
) -> str:
    """One or two sentences on a session; empty where there is nothing to say.

    `runs_out` says that the program asked for more input than there is, so that what it did then is not its fault.
    """
    parts = []
    is_plain = actual.ending.kind is EndingKind.EXITED and actual.ending.exit_code in (0, expected.ending.exit_code)
    if not is_plain and not (runs_out and difference):
        parts.append(ending_sentence(actual, limits, expected.ending.exit_code))
        if difference is not None:
            parts.append(_before_it(difference, actual))
    elif difference is not None:
        miss = near_miss(difference)
        parts.append(
            sentence_of(difference, actual) if not miss else f"{miss}: {_lower(sentence_of(difference, actual))}"
        )
    elif actual.ending.exit_code != expected.ending.exit_code:
        parts.append(f"It ended with exit code {actual.ending.exit_code}; {expected.ending.exit_code} is expected.")
    parts += [_REMARKS[remark] for remark in actual.remarks if difference is not None or remark is Remark.ECHO]
    return " ".join(part for part in parts if part)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


# Endings


def ending_sentence(actual: Transcript, limits: Limits, exit_code: int) -> str:
    """What an ending that is not a plain return means."""
    ending = actual.ending
    match ending.kind:
        case EndingKind.EXITED:
            return _exit_sentence(ending, actual, exit_code)
        case EndingKind.SIGNALLED:
            return _SIGNALS.get(ending.signal, f"It was ended by the signal {ending.signal}.")
        case EndingKind.OUT_OF_CPU_TIME:
            return f"It used more than {limits.cpu_s} s of processor time: a loop in it never ends."
        case EndingKind.OUT_OF_IDLE_TIME:
            return (
                "It went on without showing anything or asking for anything: it waits for something that never comes."
            )
        case EndingKind.OVER_OUTPUT:
            return f"It printed more than {limits.output_kb} kB: a loop in it never stops printing."
        case EndingKind.OVER_MEMORY:
            return f"It used more than {limits.memory_mb} MB of memory: something in it takes memory for ever."
        case EndingKind.OVER_PROCESSES:
            return f"It started more than {limits.processes} processes at once."
        case EndingKind.LEFT_PROCESSES:
            return "It ended and left a process of its own running; every process it starts must end before it does."
        case EndingKind.DEAF:
            return "The input had ended, and it asked for more again and again: it does not notice the end of input."
        case EndingKind.FAULT:
            return f"This session could not be held, which is no fault of the program: {ending.detail}"


def _exit_sentence(ending: Ending, actual: Transcript, exit_code: int) -> str:
    if _TRACEBACK in actual.text:
        return f"It stopped with an error: {actual.text.decode('utf-8', 'replace').rstrip().splitlines()[-1]}."
    return f"It ended with exit code {ending.exit_code} instead of {exit_code} (what main returns is its exit code)."


def _before_it(difference: Difference, actual: Transcript) -> str:
    """Where it was when it came to its end, or what had been different before that."""
    if not all(isinstance(event, Paused) for event in difference.actual) and not _has_traceback(difference.actual):
        return "Before that: " + _lower(sentence_of(difference, actual))
    seen = last_line(difference.matched)
    if seen:
        return f"That was on line {difference.line}, after {quoted(seen)}."
    if not difference.matched:
        return "That was before it had shown anything."
    return f"That was at the start of line {difference.line}."


_TRACEBACK = b"Traceback (most recent call last):"


def _has_traceback(events: tuple[Event, ...]) -> bool:
    return bool(events) and isinstance(events[0], Shown) and events[0].text.startswith(_TRACEBACK)


# Differences


def near_miss(difference: Difference) -> str:
    """What kind of text alone differs, where it is one that hardly matters; else empty."""
    expected = (*difference.matched, *difference.expected)
    actual = (*difference.matched, *difference.actual)
    for name, policy in _NEAR_MISSES:
        if difference_between(canonical(expected), canonical(actual), policy) is None:
            return name
    return ""


def sentence_of(difference: Difference, actual: Transcript) -> str:
    """What the first difference is."""
    expected_first = difference.expected[0] if difference.expected else None
    actual_first = difference.actual[0] if difference.actual else None
    where = f"line {difference.line}"
    match expected_first, actual_first:
        case Paused(wanted), Paused(found):
            before = _next_text(difference.expected)
            return f"It pauses {_seconds(found)} before {before}; it should be {_seconds(wanted)}."
        case Paused(wanted), _:
            return _missing_pause(difference, wanted)
        case _, Paused(found):
            before = _next_text(difference.actual)
            return f"It pauses {_seconds(found)} on {where}, before {before}; no pause is expected there."
        case _, InputEnded():
            instead = (
                "it should have ended" if expected_first is None else f"{_next_text(difference.expected)} is expected"
            )
            return f"It asks for more input than there is, {_after(difference)}, where {instead}."
        case Typed(line), None:
            return f"It ended {_after(difference)}, where it should have read the line {quoted(line)}."
        case Typed(line), Shown(text) if text[:1] == b"\n":
            seen = quoted(last_line(difference.matched))
            return f"Line {difference.line} ends after {seen}, where it should have read the line {quoted(line)} first."
        case Typed(line), Shown():
            shown = _next_text(difference.actual)
            return f"On {where} it shows {shown} where it should have read the line {quoted(line)}."
        case _, Typed(line):
            return _early_question(difference, line)
        case InputEnded(), _:
            did = "it ended" if actual_first is None else f"it shows {_next_text(difference.actual)}"
            return f"It should have asked for more input {_after(difference)}, and met its end; {did} instead."
        case Shown(text), None:
            return _ended_early(difference, text)
        case None, Shown(text):
            if text == b"\n" and not last_line(difference.matched):
                return f"There is an empty line too many at the end (line {difference.line})."
            return f"It shows {quoted(text)} after the end, {where}; nothing more is expected."
        case Shown(wanted_text), Shown(found_text):
            return _other_text(difference, wanted_text, found_text)
    return f"It differs on {where}."


def _missing_pause(difference: Difference, wanted_ms: int) -> str:
    """A pause that is not where it should be: there is none, or it comes later."""
    following = difference.expected[1] if len(difference.expected) > 1 else None
    sentence = f"A pause of {_seconds(wanted_ms)} is missing before {_next_text(difference.expected)}"
    if isinstance(following, Shown) and difference.actual and isinstance(difference.actual[0], Shown):
        shown = difference.actual[0].text
        if shown and following.text.startswith(shown) and Paused(wanted_ms) in difference.actual[1:2]:
            return f"{sentence}: the pause comes after {quoted(shown)} instead."
    return f"{sentence} (line {difference.line})."


def _early_question(difference: Difference, line: bytes) -> str:
    wanted = difference.expected[0] if difference.expected else None
    sentence = f"It reads the line {quoted(line)} {_after(difference)}"
    if wanted is None:
        return f"{sentence}, where it should have ended."
    if isinstance(wanted, Shown) and wanted.text.strip() and _shown(difference.actual).startswith(wanted.text):
        text = _next_text(difference.expected)
        kept_back = "its output is kept back until later (call fflush(stdout) before reading)"
        return f"{sentence} before it shows {text}: {kept_back}."
    if isinstance(wanted, Shown) and difference.expected[1:2] == (Typed(line),) and b"\n" not in wanted.text:
        missing = "a blank" if wanted.text == b" " else quoted(wanted.text)
        return (
            f"The prompt {quoted(last_line(difference.matched))} on line {difference.line} lacks {missing} at its end."
        )
    return f"{sentence} before {_next_text(difference.expected)} is shown."


def _shown(events: tuple[Event, ...]) -> bytes:
    return b"".join(event.text for event in events if isinstance(event, Shown))


def _ended_early(difference: Difference, text: bytes) -> str:
    if text == b"\n" and len(difference.expected) == 1 and last_line(difference.matched):
        return f"The last line, {quoted(last_line(difference.matched))}, does not end with a newline."
    missing = text.lstrip(b"\n") or text
    return f"It ended too early, {_after(difference)}: {quoted(missing)} is expected next."


def _other_text(difference: Difference, wanted: bytes, found: bytes) -> str:
    start = last_line(difference.matched)
    number = difference.line
    if found[:1] == b"\r":
        return (
            f"Line {number} ends in a carriage return (\\r\\n, a Windows line end); a plain newline (\\n) is expected."
        )
    if not _is_text(start + found.partition(b"\n")[0]):
        shown = f"it shows {_line(start, found)} where {_line(start, wanted)} is expected"
        return f"Line {number} has bytes that are not UTF-8, such as Latin-1 text: {shown}."
    if not start and found[:1] == b"\n":
        return f"Line {number} is empty where {_line(start, wanted)} is expected."
    if not start and wanted[:1] == b"\n":
        return f"Line {number} is {_line(start, found)} where an empty line is expected."
    if found[:1] == b"\n":
        return f"Line {number} ends after {quoted(start)}; {_line(b'', wanted)} is missing on it."
    return f"Line {number} is {_line(start, found)} where {_line(start, wanted)} is expected."


def _is_text(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _line(start: bytes, rest: bytes) -> str:
    return quoted(start + rest.partition(b"\n")[0])


def _after(difference: Difference) -> str:
    seen = last_line(difference.matched)
    return f"after {quoted(seen)} (line {difference.line})" if seen else f"at the start of line {difference.line}"


def _next_text(events: tuple[Event, ...]) -> str:
    text = next((event.text for event in events if isinstance(event, Shown)), b"")
    return quoted(text.lstrip(b"\n")) if text.strip(b"\n") else "the end"


def _seconds(duration_ms: int) -> str:
    return duration_of(duration_ms).removesuffix("s") + " s"


def quoted(text: bytes) -> str:
    """The first line of a text in quotation marks, cut where it is long, with what cannot be seen escaped."""
    line = text.partition(b"\n")[0]
    shown = visible(line).replace("\\<", "<").replace("\\\\", "\\")
    if len(shown) > _LONGEST_QUOTE:
        shown = shown[: _LONGEST_QUOTE - 1] + "…"
    return f"“{shown}”"
