r"""Sentences on what happened in a session, for a student who has programmed for eight weeks.

A newline is called `a newline (\n)`, a blank a space. "line 3" is a line of the screen; the sentence says so where it
could be mistaken for a line of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType

from pitboss.judging.comparison import Difference, Split, difference_between
from pitboss.judging.ending_wording import (
    GUESSES,
    ending_sentence,
    hint_at_sleep,
    is_traceback,
    remark_sentence,
)
from pitboss.judging.line_wording import sentence_of_lines
from pitboss.judging.pause_wording import (
    FLUSHES,
    NEWLINE,
    is_or_are,
    place_of,
    sentence_of_pause,
    text_of,
    wanted_there,
)
from pitboss.judging.word_wording import sentence_of_word
from pitboss.machine.limits import Limits
from pitboss.transcripts.policy import Policy
from pitboss.transcripts.quoting import quoted, quoted_end, quoted_pair
from pitboss.transcripts.screen_lines import last_line
from pitboss.transcripts.transcript import (
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

_TEXT_GUESS = " Most often a string is not terminated, or the source file is not saved as UTF-8."

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
    """One or two sentences on a session; empty if there is nothing to say.

    `runs_out` means that the program asked for more input than there is; what it did after that is not its fault.
    """
    parts = []
    is_plain = actual.ending.kind is EndingKind.EXITED and actual.ending.exit_code in (0, expected.ending.exit_code)
    runs_out = runs_out or actual.ending.kind is EndingKind.OUT_OF_LINES
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


def without_guesses(summary: str) -> str:
    """The summary without guesses at the cause: once the cause is known, a guess is redundant or wrong."""
    for guess in (*GUESSES, _TEXT_GUESS):
        summary = summary.replace(guess, "")
    return summary


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _before_it(difference: Difference) -> str:
    """Where on the screen the program ended, or what differed before it ended."""
    split = difference.told
    first = _found(split)
    has_traceback = isinstance(first, Shown) and is_traceback(first.text)
    if not all(isinstance(event, Paused) for event in split.actual) and not has_traceback:
        return "Before that: " + _lower(sentence_of(difference))
    seen = last_line(split.before)
    if seen:
        return f"On the screen it had reached line {split.line}, after {quoted_end(seen)}."
    if not split.before:
        return "It had not shown anything yet."
    return f"On the screen it had reached the start of line {split.line}."


def near_miss(difference: Difference) -> str:
    """The kind of text that differs, if nothing else does and it hardly matters; else empty."""
    if not difference.is_of_texts:
        return ""
    expected = (*difference.matched, *difference.expected)
    actual = (*difference.matched, *difference.actual)
    for name, policy in _NEAR_MISSES:
        if difference_between(canonical(expected), canonical(actual), policy) is None:
            return name
    return ""


def sentence_of(difference: Difference) -> str:
    """A sentence on the first difference."""
    if difference.sentence:
        return difference.sentence
    if sentence := sentence_of_lines(difference):
        return sentence
    split = difference.told
    kinds = type(_wanted(split)), type(_found(split))
    if Paused in kinds:
        return sentence_of_pause(split)
    words = _WORDS.get(kinds)
    return words(split) if words else f"It differs on line {split.line}."


def _wanted(split: Split) -> Event | None:
    return split.expected[0] if split.expected else None


def _found(split: Split) -> Event | None:
    return split.actual[0] if split.actual else None


def _shown(event: Event | None) -> bytes:
    assert isinstance(event, Shown)
    return event.text


def _typed(event: Event | None) -> bytes:
    assert isinstance(event, Typed)
    return event.line


# The end of the input, and of the program


def _read_too_much(split: Split) -> str:
    return f"It tries to read more input than there is, {place_of(split)}, where {wanted_there(_wanted(split))}."


def _read_too_little(split: Split) -> str:
    should = f"It should have tried to read more {place_of(split)}, and found no input left"
    return f"{should}; {_did(_found(split))} instead."


def _did(found: Event | None) -> str:
    match found:
        case Shown():
            return f"it shows {text_of(found)}"
        case Typed(line):
            return f"it reads the line {quoted(line)}"
    return "it ended"


# Lines read


def _ended_before_line(split: Split) -> str:
    return f"It ended {place_of(split)}, where it should have read the line {quoted(_typed(_wanted(split)))}."


def _line_not_read(split: Split) -> str:
    line, text = _typed(_wanted(split)), _shown(_found(split))
    if text[:1] == b"\n":
        return f"It prints {NEWLINE} {place_of(split)}, where it should have read the line {quoted(line)} first."
    return f"On line {split.line} it shows {text_of(Shown(text))} where it should have read the line {quoted(line)}."


def _early_question(split: Split) -> str:
    wanted, line = _wanted(split), _typed(_found(split))
    sentence = f"It reads the line {quoted(line)} {place_of(split)}"
    if not isinstance(wanted, Shown):
        return f"{sentence}, where {wanted_there(wanted)}."
    text = text_of(wanted)
    later = b"".join(event.text for event in split.actual if isinstance(event, Shown))
    if wanted.text.strip() and later.startswith(wanted.text):
        kept_back = "it prints that too late, or its output is still in a buffer: then flush it before reading"
        return f"{sentence} before it shows {text}: {kept_back} ({FLUSHES})."
    if split.expected[1:2] == (Typed(line),) and b"\n" not in wanted.text:
        prompt = last_line(split.before)
        if not prompt:
            return f"{sentence} without showing {text} first."
        return f"The prompt {quoted_end(prompt)} on line {split.line} lacks {text} at its end."
    return f"{sentence} before {text} {is_or_are(text)} shown."


# Texts


def _ended_early(split: Split) -> str:
    text, last = _shown(_wanted(split)), last_line(split.before)
    if text == b"\n" and len(split.expected) == 1 and last:
        return f"The last line, {quoted_end(last)}, does not end with a newline."
    wanted = text_of(Shown(text))
    return f"It ended too early, {place_of(split)}: {wanted} {is_or_are(wanted)} expected next."


def _went_on(split: Split) -> str:
    text = _shown(_found(split))
    if text.strip(b"\n"):
        number = split.line + len(text) - len(text.lstrip(b"\n"))
        return f"It shows {text_of(Shown(text))} on line {number}, where it should have ended."
    if last_line(split.before):
        return f"It prints {NEWLINE} too many at the end of line {split.line}."
    return f"There is an empty line too many at the end (line {split.line})."


def _other_text(split: Split) -> str:
    wanted, found = _shown(_wanted(split)), _shown(_found(split))
    start, expected_start, number = last_line(split.before), last_line(split.expected_before), split.line
    if found[:2] == b"\r\n" and wanted[:1] == b"\n":
        return f"Line {number} ends in \\r\\n, as on Windows; {NEWLINE} alone is expected."
    text = text_of(Shown(wanted))
    if not start and found[:1] == b"\n":
        return f"Line {number} is empty where {text} {is_or_are(text)} expected."
    if not start and not expected_start and wanted[:1] == b"\n":
        return f"Line {number} is {text_of(Shown(found))} where an empty line is expected."
    if found[:1] == b"\n":
        return f"Line {number} ends after {quoted_end(start)}; {text} {is_or_are(text)} missing on it."
    expected, actual, remark = quoted_pair((expected_start, wanted), (start, found))
    if not _is_readable(start, found):
        return (
            f"Line {number} has bytes that are not valid characters: it is {actual} where {expected} is "
            f"expected{remark}.{_TEXT_GUESS}"
        )
    if sentence := sentence_of_word(split):
        return sentence
    sentence = f"Line {number} is {actual} where {expected} is expected{remark}."
    if b"\0" in found.partition(b"\n")[0]:
        return f"{sentence} \\x00 is the '\\0' at the end of a string, which should not be printed."
    return sentence


def _is_readable(start: bytes, found: bytes) -> bool:
    """Whether a line is valid UTF-8; its last character may be cut off, since the program may have been stopped."""
    line, newline, _ = found.partition(b"\n")
    try:
        (start + line).decode("utf-8")
    except UnicodeDecodeError as error:
        return not newline and error.reason == "unexpected end of data"
    return True


#: The function that words a difference, by the expected event and the actual one (NoneType where the session ends).
_WORDS: dict[tuple[type, type], Callable[[Split], str]] = {
    (Shown, Shown): _other_text,
    (Shown, Typed): _early_question,
    (Shown, InputEnded): _read_too_much,
    (Shown, NoneType): _ended_early,
    (Typed, Shown): _line_not_read,
    (Typed, Typed): _early_question,
    (Typed, InputEnded): _read_too_much,
    (Typed, NoneType): _ended_before_line,
    (InputEnded, Shown): _read_too_little,
    (InputEnded, Typed): _read_too_little,
    (InputEnded, InputEnded): _read_too_much,
    (InputEnded, NoneType): _read_too_little,
    (NoneType, Shown): _went_on,
    (NoneType, Typed): _early_question,
    (NoneType, InputEnded): _read_too_much,
}
