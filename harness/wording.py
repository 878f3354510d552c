r"""Saying in one sentence what happened, for somebody who has programmed for eight weeks.

A newline is told as `a newline (\n)`, a blank as a space; "line 3" is a line of the screen, and where it could be
taken for one of the program it says so.
"""

from __future__ import annotations

from harness.assignment import Limits
from harness.comparison import Difference, Policy, difference_between, last_line
from harness.endings import ending_sentence, hint_at_sleep, is_traceback, remark_sentence
from harness.notation import duration_of
from harness.quoting import quoted, quoted_end, quoted_pair
from harness.transcript import EndingKind, Event, InputEnded, Paused, Remark, Shown, Transcript, Typed, canonical

_NEWLINE = "a newline (\\n)"

_NEAR_MISSES: tuple[tuple[str, Policy], ...] = (
    ("Only spaces or tabs at the ends of lines differ", Policy(trailing_blanks="ignored")),
    ("Only empty lines differ", Policy(blank_lines="ignored")),
    (
        "Only empty lines and spaces at the ends of lines differ",
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
            parts += [_before_it(difference), hint_at_sleep(actual.ending, difference.expected)]
    elif difference is not None:
        miss = near_miss(difference)
        parts.append(sentence_of(difference) if not miss else f"{miss}: {_lower(sentence_of(difference))}")
    elif actual.ending.exit_code != expected.ending.exit_code:
        parts.append(f"It ended with exit code {actual.ending.exit_code}; {expected.ending.exit_code} is expected.")
    parts += [remark_sentence(one) for one in actual.remarks if difference is not None or one is Remark.ECHO]
    return " ".join(part for part in parts if part)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _before_it(difference: Difference) -> str:
    """Where it was when it came to its end, or what had been different before that."""
    first = difference.actual[0] if difference.actual else None
    has_traceback = isinstance(first, Shown) and is_traceback(first.text)
    if not all(isinstance(event, Paused) for event in difference.actual) and not has_traceback:
        return "Before that: " + _lower(sentence_of(difference))
    seen = last_line(difference.before)
    if seen:
        return f"On the screen it had come to line {difference.line}, after {quoted_end(seen)}."
    if not difference.before:
        return "It had not shown anything yet."
    return f"On the screen it had come to the start of line {difference.line}."


def near_miss(difference: Difference) -> str:
    """What kind of text alone differs, where it is one that hardly matters; else empty."""
    expected = (*difference.matched, *difference.expected)
    actual = (*difference.matched, *difference.actual)
    for name, policy in _NEAR_MISSES:
        if difference_between(canonical(expected), canonical(actual), policy) is None:
            return name
    return ""


def sentence_of(difference: Difference) -> str:
    """What the first difference is."""
    wanted = difference.expected[0] if difference.expected else None
    found = difference.actual[0] if difference.actual else None
    match wanted, found:
        case Paused(), _:
            return _pause_expected(difference, wanted.duration_ms)
        case _, Paused(duration_ms):
            pause = f"It pauses {_seconds(duration_ms)} on line {difference.line}"
            return f"{pause}, before {_next(difference.actual)}; no pause is expected there."
        case _, InputEnded():
            return f"It tries to read more input than there is, {_after(difference)}, where {_should(difference)}."
        case InputEnded(), _:
            did = "it ended" if found is None else f"it shows {_text_of(found)}"
            return f"It should have tried to read more {_after(difference)}, and found no input left; {did} instead."
        case Typed(line), None:
            return f"It ended {_after(difference)}, where it should have read the line {quoted(line)}."
        case Typed(line), Shown(text):
            return _line_not_read(difference, line, text)
        case _, Typed(line):
            return _early_question(difference, line)
        case Shown(text), None:
            return _ended_early(difference, text)
        case None, Shown(text):
            return _went_on(difference, text)
        case Shown(wanted_text), Shown(found_text):
            return _other_text(difference, wanted_text, found_text)
    return f"It differs on line {difference.line}."


# Where it is, and what stands there


def _after(difference: Difference) -> str:
    seen = last_line(difference.before)
    return f"after {quoted_end(seen)} (line {difference.line})" if seen else f"at the start of line {difference.line}"


def _should(difference: Difference) -> str:
    wanted = difference.expected[0] if difference.expected else None
    return f"{_text_of(wanted)} is expected" if isinstance(wanted, Shown) else "it should have ended"


def _text_of(event: Event) -> str:
    """The text of an event in words; its first line that is not empty."""
    text = event.text if isinstance(event, Shown) else b""
    if text == b" ":
        return "a space"
    return quoted(text.lstrip(b"\n")) if text.strip(b"\n") else _NEWLINE


def _next(events: tuple[Event, ...]) -> str:
    """What comes next, after pauses."""
    for event in events:
        if isinstance(event, Shown):
            return _text_of(event)
        if isinstance(event, Typed):
            return f"it reads the line {quoted(event.line)}"
    return "the end"


def _seconds(duration_ms: int) -> str:
    return duration_of(duration_ms).removesuffix("s") + " s"


# Pauses


def _pause_expected(difference: Difference, wanted_ms: int) -> str:
    """A pause that is of another length, comes later, or is missing."""
    wanted, following = _seconds(wanted_ms), _next(difference.expected)
    match difference.actual:
        case (Paused(found_ms), *_):
            return f"It pauses {_seconds(found_ms)} before {following}; it should be {wanted}."
        case () if difference.expected[1:]:
            return f"It ended too early, {_after(difference)}: a pause of {wanted} is expected next, then {following}."
        case (Shown(shown), Paused(found_ms), *_) if found_ms == wanted_ms:
            late = difference.expected[1] if len(difference.expected) > 1 else None
            if isinstance(late, Shown) and late.text.startswith(shown):
                line = shown.rstrip(b"\n").rpartition(b"\n")[2]
                instead = quoted_end(line) if line else _NEWLINE
                return f"A pause of {wanted} is missing before {following}: the pause comes after {instead} instead."
    return f"A pause of {wanted} is missing before {following} (line {difference.line})."


# Lines that are read


def _line_not_read(difference: Difference, line: bytes, text: bytes) -> str:
    if text[:1] == b"\n":
        return f"It prints {_NEWLINE} {_after(difference)}, where it should have read the line {quoted(line)} first."
    shown = quoted(text)
    return f"On line {difference.line} it shows {shown} where it should have read the line {quoted(line)}."


def _early_question(difference: Difference, line: bytes) -> str:
    wanted = difference.expected[0] if difference.expected else None
    sentence = f"It reads the line {quoted(line)} {_after(difference)}"
    if not isinstance(wanted, Shown):
        return f"{sentence}, where it should have ended."
    text = _text_of(wanted)
    later = b"".join(event.text for event in difference.actual if isinstance(event, Shown))
    if wanted.text.strip() and later.startswith(wanted.text):
        kept_back = "it prints that too late, or its output is kept back (then call fflush(stdout) before reading)"
        return f"{sentence} before it shows {text}: {kept_back}."
    if difference.expected[1:2] == (Typed(line),) and b"\n" not in wanted.text:
        prompt = last_line(difference.before)
        if not prompt:
            return f"{sentence} without showing {text} first."
        return f"The prompt {quoted_end(prompt)} on line {difference.line} lacks {text} at its end."
    return f"{sentence} before {_next(difference.expected)} is shown."


# Texts


def _ended_early(difference: Difference, text: bytes) -> str:
    last = last_line(difference.before)
    if text == b"\n" and len(difference.expected) == 1 and last:
        return f"The last line, {quoted_end(last)}, does not end with a newline."
    return f"It ended too early, {_after(difference)}: {_text_of(Shown(text))} is expected next."


def _went_on(difference: Difference, text: bytes) -> str:
    if text.strip(b"\n"):
        number = difference.line + len(text) - len(text.lstrip(b"\n"))
        return f"It shows {_text_of(Shown(text))} on line {number}, where it should have ended."
    if last_line(difference.before):
        return f"It prints {_NEWLINE} too many at the end of line {difference.line}."
    return f"There is an empty line too many at the end (line {difference.line})."


def _other_text(difference: Difference, wanted: bytes, found: bytes) -> str:
    start, number = last_line(difference.before), difference.line
    if found[:2] == b"\r\n" and wanted[:1] == b"\n":
        return f"Line {number} ends in \\r\\n, as on Windows; {_NEWLINE} alone is expected."
    if not start and found[:1] == b"\n":
        return f"Line {number} is empty where {quoted(wanted)} is expected."
    if not start and wanted[:1] == b"\n":
        return f"Line {number} is {quoted(found)} where an empty line is expected."
    if found[:1] == b"\n":
        return f"Line {number} ends after {quoted_end(start)}; {quoted(wanted)} is missing on it."
    expected, actual = quoted_pair(start, wanted, found)
    if not _is_readable(start, found):
        return (
            f"Line {number} has bytes that are no characters: it is {actual} where {expected} is expected. Most often "
            "a string lacks its end, or the source file is not saved as UTF-8."
        )
    sentence = f"Line {number} is {actual} where {expected} is expected."
    if b"\0" in found.partition(b"\n")[0]:
        return f"{sentence} \\x00 is the '\\0' at the end of a string, which should not be printed."
    return sentence


def _is_readable(start: bytes, found: bytes) -> bool:
    """Whether a line is text; a character that is cut off at the very end may be so since the program was stopped."""
    line, newline, _ = found.partition(b"\n")
    try:
        (start + line).decode("utf-8")
    except UnicodeDecodeError as error:
        return not newline and error.reason == "unexpected end of data"
    return True
