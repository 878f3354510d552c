"""Sentences on the first difference of two sessions: a text, a typed line, a pause, or the end of the input or session.

A sentence says that lines or a pause are missing or too many only if both sessions then go on alike. Otherwise it says
what was observed and what is expected.
"""

from __future__ import annotations

import re
from types import NoneType
from typing import NamedTuple

from pitboss.compare.cause import LineError, LineErrorKind, is_shown_late, line_error_of, text_kept_in_buffer
from pitboss.compare.checkers import Rejection
from pitboss.compare.comparison import STANDARD_ERROR, Difference, Split
from pitboss.model.equality import BLANKS
from pitboss.model.notation import duration_of
from pitboss.model.quoting import quoted, quoted_end, quoted_pair
from pitboss.model.transcript import (
    Event,
    FileKind,
    InputEnded,
    Line,
    Paused,
    Shown,
    Typed,
    has_text,
    last_line,
    lines_of,
    text_in,
    unfinished_line,
)

_NEWLINE = "a newline (\\n)"
#: The calls that show a text at once, in the languages in which output may stay in a buffer.
_FLUSH_CALLS = "fflush(stdout) in C, std::cout.flush() in C++, print with flush=True in Python"
#: The units in which some functions take a pause, by their number in a second.
_UNITS = {1_000: "milliseconds", 1_000_000: "microseconds"}
#: A text up to the end of its first line that is not empty.
_FIRST_LINE = re.compile(rb"\n*[^\n]*")
#: What an expected text shows in place of a part that depends on draws that were never shown.
_UNKNOWN_TEXT = "…"
#: The blanks between two words; as a group, so that `split` returns the blanks too.
_BLANKS_BETWEEN_WORDS = re.compile(r"([ \t]+)")
#: The most frequent causes of bytes that are not valid UTF-8.
_ENCODING_GUESS = " Most often a string is not terminated, or the source file is not saved as UTF-8."

#: Sentences on a wrong file, by the kind of what exists at its path; REGULAR is for a file that should not exist.
_FILE_SENTENCES = {
    FileKind.REGULAR: "After it ended there is a file {name}, which should not be there.",
    FileKind.MISSING: "After it ended there is no file {name}, which it should have written.",
    FileKind.LINK: "{name} is a link to something else; it should be a file of its own.",
    FileKind.FOLDER: "{name} is a folder; it should be a file.",
    FileKind.SPECIAL: "{name} is a pipe or a socket, for example; it should be an ordinary file.",
    FileKind.CLOSED: "{name} cannot be read: its mode forbids it. Most often open was called without a mode (0644).",
    FileKind.TOO_LARGE: "{name} is larger than a session may show, most likely because a loop never stops writing.",
}

_Events = tuple[Event, ...]


def sentence_of(difference: Difference, *, has_guesses: bool = True) -> str:
    """Returns a sentence on the first difference; `has_guesses` adds the most frequent causes."""
    if difference.rejected is not None:
        return _checker_sentence(difference, difference.rejected)
    if difference.judging_start_line is not None:
        line = quoted(difference.judging_start_line)
        return f"It never shows a line such as {line}, which is where judging begins."
    if difference.found_kind is not None:
        return _FILE_SENTENCES[difference.found_kind].format(name=difference.place)
    if difference.is_silent:
        return "It writes nothing to its standard error, where it must say what is wrong."
    if not difference.place:  # on the screen
        return _sentence_of_events(difference, has_guesses)
    place = "On its standard error" if difference.place == STANDARD_ERROR else f"In {difference.place}"
    split = difference.quoted
    if split.expected and not split.before and not split.actual:
        return f"{place}, there is nothing; {_expectation_clause(split.expected[0])} first."
    return f"{place}, {with_lower_initial(_sentence_of_events(difference, has_guesses))}"


def _checker_sentence(difference: Difference, rejection: Rejection) -> str:
    """Returns the message of the assignment's own checker, with the line that the message is about."""
    sentence = rejection.sentence or "The instructor's check of this session says that it is not right."
    sentence = sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."
    if rejection.line is None:
        return sentence
    text = text_in(next(iter(lines_of(difference.quoted.actual)), ()))
    return f"Line {difference.line}{f', {quoted(text)}' if text else ''}: {sentence}"


def with_lower_initial(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


# The table


#: The sentence on a difference, by the types of the next expected and the next actual event; NoneType is the end of the
#: session. `_values` returns what is filled in.
_SENTENCES: dict[tuple[type, type], str] = {
    (Shown, NoneType): "It ended too early, {location}: {expectation} next.",
    (Paused, NoneType): "It ended too early, {location}: {expectation} next.",
    (Typed, Shown): "On line {line} it shows {actual} where {expectation}.",
    (InputEnded, Shown): "It should have tried to read more {location}, and found no input left; it shows {actual} "
    "instead.",
}
#: The sentence by the type of the actual event alone.
_OTHER_SENTENCES: dict[type, str] = {
    Shown: "It shows {actual} {actual_location}, where {expectation}.",
    Typed: "It reads the line {actual} {location}, where {expectation}.",
    Paused: "It pauses for {actual} on line {line}, where {expectation}.",
    InputEnded: "It tries to read more input than there is, {location}, where {expectation}.",
    NoneType: "It ended {location}, where {expectation}.",
}
#: The same on standard error and in files, where nothing is read.
_SENTENCES_OFF_SCREEN: dict[tuple[type, type], str] = {
    (Shown, NoneType): "The text ends {location}: {expectation} next.",
    (NoneType, Shown): "{actual} {verb} {actual_location}, where nothing more is expected.",
}


def _sentence_of_events(difference: Difference, has_guesses: bool) -> str:
    """Returns a sentence on a difference in events; `has_guesses` adds the most frequent causes."""
    split = difference.quoted
    if sentence := _sentence_of_lines(difference) or _special_sentence(split, has_guesses):
        return sentence
    expected, actual = next(iter(split.expected), None), next(iter(split.actual), None)
    kinds = type(expected), type(actual)
    off_screen = _SENTENCES_OFF_SCREEN.get(kinds) if difference.place else None
    template = off_screen or _SENTENCES.get(kinds) or _OTHER_SENTENCES[kinds[1]]
    return template.format_map(_values(split, expected, actual))


def _special_sentence(split: Split, has_guesses: bool) -> str:
    """Returns a sentence that says more than that of the table; empty if there is none."""
    screen_line = last_line(split.before)
    match next(iter(split.expected), None), next(iter(split.actual), None):
        case Shown(expected_text), Shown(actual_text):
            return _different_text(split, expected_text, actual_text, has_guesses)
        case Shown() as expected, Typed(line):
            return _early_reading(split, expected, line)
        case Shown(b"\n"), None if screen_line and len(split.expected) == 1:
            return f"The last line, {quoted_end(screen_line)}, does not end with a newline."
        case Typed() as expected, Shown(text) if text[:1] == b"\n":
            return f"It prints {_NEWLINE} {_location(split)}, where {_expectation_clause(expected)} first."
        case None, Shown(text) if not screen_line and not text.strip(b"\n"):
            return f"There is an empty line too many at the end (line {split.line})."
        case InputEnded(), Shown(blanks) if not blanks.strip(BLANKS) and len(split.expected) == 1:
            return _sentence_after_input(split)
        case (Paused(), _) | (_, Paused()):
            return _sentence_of_pause(split)
    return ""


def _values(split: Split, expected: Event | None, actual: Event | None) -> dict[str, object]:
    """Returns what the sentences of the table say, by its name there."""
    text = actual.text if isinstance(actual, Shown) else b""
    first_line = split.line + len(text) - len(text.lstrip(b"\n"))
    return {
        "line": split.line,
        "location": _location(split),
        "expectation": _expectation_clause(expected),
        "actual": _in_words(actual),
        "verb": is_or_are(_in_words(actual)),
        # Where the line is that is quoted: the first nonempty line of the text that comes next.
        "actual_location": f"on line {first_line}" if text.strip(b"\n") else _location(split),
    }


# Events in words


def _seconds_text(duration_ms: int) -> str:
    """Returns a duration in seconds as text, such as `0.5 s`."""
    return duration_of(duration_ms).removesuffix("s") + " s"


def text_of(text: bytes) -> str:
    """Returns the first nonempty line of a text, quoted or in words such as “3 spaces”."""
    line = text.lstrip(b"\n").partition(b"\n")[0]
    if line and not line.strip(b" "):
        return "a space" if len(line) == 1 else f"{len(line)} spaces"
    return quoted(line) if line else _NEWLINE


def _in_words(event: Event | None) -> str:
    """Returns what an event shows, reads or how long it pauses; empty for the end of the input or session."""
    match event:
        case Shown(text):
            return text_of(text)
        case Typed(line):
            return quoted(line)
        case Paused(duration_ms):
            return _seconds_text(duration_ms)
    return ""


def is_or_are(text: str) -> str:
    """Returns the verb that follows a text in words: “is”, or “are” after a plural.

    >>> is_or_are("“ok”"), is_or_are("3 spaces")
    ('is', 'are')
    """
    return "are" if text.endswith(" spaces") else "is"


def _expectation_clause(event: Event | None) -> str:
    """Returns, as the end of a sentence, what is expected where the sessions part; `event` is the expected event."""
    match event:
        case Shown(text):
            words = text_of(text)
            return f"{words} {is_or_are(words)} expected"
        case Typed(line):
            return f"it should have read the line {quoted(line)}"
        case Paused(duration_ms):
            return f"a pause of {_seconds_text(duration_ms)} is expected"
        case InputEnded():
            return "it should have tried to read more"
    return "it should have ended"


def _location(split: Split) -> str:
    """Returns the location on the program's screen where the sessions part, in words."""
    screen_line = last_line(split.before)
    return (
        f"after {quoted_end(screen_line)} (line {split.line})" if screen_line else f"at the start of line {split.line}"
    )


# Sentences on pauses


def _sentence_of_pause(split: Split) -> str:
    """Returns a sentence on a pause that is missing, unexpected, of a wrong length or too late; else an empty text."""
    expected, actual = split.expected, split.actual
    if late_text := text_kept_in_buffer(split):
        return (
            f"{text_of(late_text.text)} comes only after {_next_in_words(actual)}, and should come before the pause: "
            "the text is still in a buffer while the program sleeps. "
            f"Show the text at once, before the sleep: {_FLUSH_CALLS}."
        )
    match expected, actual:
        case (Paused(wanted_ms), *_), (Paused(actual_ms), *_) if _begin_alike(expected[1:], actual[1:]):
            sentence = f"It pauses for {_seconds_text(actual_ms)} before {_next_in_words(expected[1:])}"
            return f"{sentence}; the pause should be {_seconds_text(wanted_ms)}.{_unit_question(wanted_ms, actual_ms)}"
        # If the next pause is at its place in both sessions, this one is missing rather than late.
        case (Paused(wanted_ms), Shown(text), *_), (Shown(early), Paused(late_ms), *_) if (
            wanted_ms == late_ms
            and (text.startswith(early) or _begin_alike(expected[1:], actual))
            and expected[1:3] != actual[:2]
        ):
            line = early.rstrip(b"\n").rpartition(b"\n")[2]
            return (
                f"A pause of {_seconds_text(wanted_ms)} is missing before {text_of(text)}: "
                f"the pause comes after {quoted_end(line) if line else _NEWLINE} instead."
            )
        case (Paused(wanted_ms), *_), _ if _begin_alike(expected[1:], actual):
            following = _next_in_words(expected[1:])
            return f"A pause of {_seconds_text(wanted_ms)} is missing before {following} (line {split.line})."
        case _, (Paused(actual_ms), *_) if _begin_alike(expected, actual[1:]):
            following = _next_in_words(expected)
            return (
                f"It pauses for {_seconds_text(actual_ms)} on line {split.line}, before {following}; "
                "no pause is expected there."
            )
    return ""


def _begin_alike(expected: _Events, actual: _Events) -> bool:
    """Whether two sessions go on with the same event; of a text, up to its first line that is not empty."""
    return _next_event(expected) == _next_event(actual)


def _next_event(events: _Events) -> Event | None:
    match events[:1]:
        case (Shown(text),) if match := _FIRST_LINE.match(text):
            return Shown(match[0])
    return events[0] if events else None


def _next_in_words(events: _Events) -> str:
    """Returns the first event in words, after “before” or “after”."""
    match events[:1]:
        case (Typed(line),):
            return f"it reads the line {quoted(line)}"
        case (InputEnded(),):
            return "it tries to read more"
        case (Shown(text),):
            return text_of(text)
        case (Paused(duration_ms),):
            return f"the pause of {_seconds_text(duration_ms)}"
    return "the end"


def _unit_question(wanted_ms: int, actual_ms: int) -> str:
    """Returns a question: does the program give a pause in the wrong unit? Empty if the lengths do not suggest that.

    >>> _unit_question(2_000, 2_000_000), _unit_question(500, 500)
    (' That is 1,000 times as long: is it given in milliseconds to a function that takes seconds?', '')
    """
    for factor, unit in _UNITS.items():
        if actual_ms == wanted_ms * factor:
            return f" That is {factor:,} times as long: is it given in {unit} to a function that takes seconds?"
    return ""


# Sentences on texts


def _early_reading(split: Split, expected: Shown, line: bytes) -> str:
    """Returns a sentence on a text that is shown too late, or of which a prompt lacks the end; else an empty text."""
    text, prompt = text_of(expected.text), last_line(split.before)
    sentence = f"It reads the line {quoted(line)} {_location(split)}"
    if is_shown_late(split, expected.text):
        likely_causes = "it prints that too late, or its output is still in a buffer: then flush it before reading"
        return f"{sentence} before it shows {text}: {likely_causes} ({_FLUSH_CALLS})."
    if split.expected[1:2] != (Typed(line),) or b"\n" in expected.text:
        return ""
    if not prompt:
        return f"{sentence} without showing {text} first."
    return f"The prompt {quoted_end(prompt)} on line {split.line} lacks {text} at its end."


def _sentence_after_input(split: Split) -> str:
    """Returns a sentence on blanks, an end of input and a text; else an empty text.

    Blanks before an end of input do not end a line, so they are compared although blanks at the end are ignored.
    """
    match split.actual[1:]:
        case (InputEnded(), Shown(following), *_):
            sentence = f"It found no input left {_location(split)}, where it should have ended"
            return f"{sentence}; it shows {text_of(following)} instead."
    return ""


#: A number that is cut off at the end of a text, and the rest of the number at the start of the next text.
_CUT_NUMBER, _REST_OF_NUMBER = re.compile(rb"[0-9][.,]?$"), re.compile(rb"[.,]?[0-9]")


def _different_text(split: Split, expected_text: bytes, actual_text: bytes, has_guesses: bool) -> str:
    start, expected_start, number = last_line(split.before), last_line(split.expected_before), split.line
    if actual_text[:2] == b"\r\n" and expected_text[:1] == b"\n":
        return f"Line {number} ends in \\r\\n, as on Windows; {_NEWLINE} alone is expected."
    text = text_of(expected_text)
    if not start and actual_text[:1] == b"\n":
        return f"Line {number} is empty where {text} {is_or_are(text)} expected."
    if not start and not expected_start and expected_text[:1] == b"\n":
        return f"Line {number} is {text_of(actual_text)} where an empty line is expected."
    # Whether the difference cuts a number in two: then both lines are quoted, with the whole numbers.
    is_in_number = _CUT_NUMBER.search(start) is not None and _REST_OF_NUMBER.match(expected_text) is not None
    if actual_text[:1] == b"\n" and not is_in_number:
        # If `expected_text` is the whole expected line, and the program's line is the beginning of it, only the rest of
        # the expected line is missing.
        if start and not expected_start and expected_text.startswith(start):
            text = text_of(expected_text[len(start) :])
        return f"Line {number} ends after {quoted_end(start)}; {text} {is_or_are(text)} missing on it."
    expected, actual, remark = quoted_pair((expected_start, expected_text), (start, actual_text))
    if not _is_valid_utf8(start, actual_text):
        return (
            f"Line {number} has bytes that are not valid characters: it is {actual} where {expected} is "
            f"expected{remark}.{_ENCODING_GUESS if has_guesses else ''}"
        )
    if sentence := _sentence_of_word(split, expected_text, actual_text):
        return sentence
    sentence = f"Line {number} is {actual} where {expected} is expected{remark}."
    if b"\0" in actual_text.partition(b"\n")[0]:
        return f"{sentence} \\x00 is the '\\0' at the end of a string, which should not be printed."
    return sentence


def _is_valid_utf8(start: bytes, rest: bytes) -> bool:
    """Whether a line is valid UTF-8; its last character may be cut off, since the program may have been stopped."""
    line, newline, _ = rest.partition(b"\n")
    try:
        (start + line).decode("utf-8")
    except UnicodeDecodeError as error:
        return not newline and error.reason == "unexpected end of data"
    return True


# Sentences on a line with one wrong word


def _sentence_of_word(split: Split, expected_text: bytes, actual_text: bytes) -> str:
    """Returns a sentence if only one word of the line differs, and the line ends alike in both sessions; else empty."""
    expected = last_line(split.expected_before), expected_text.partition(b"\n")[0]
    actual = last_line(split.before), actual_text.partition(b"\n")[0]
    if not _have_same_line_end(split, expected_text, actual_text):
        return ""
    try:
        word_pair = _only_different_word(b"".join(expected).decode("utf-8"), b"".join(actual).decode("utf-8"))
    except UnicodeDecodeError:
        return ""
    if word_pair is None:
        return ""
    right, wrong = (quoted(word.encode()) for word in word_pair)
    line = quoted_pair(expected, actual).actual
    return f"Line {split.line}, {line}, has {wrong} where {right} is expected."


def _have_same_line_end(split: Split, expected_text: bytes, actual_text: bytes) -> bool:
    """Whether the line ends with a newline in both sessions, or before events of the same type."""
    if b"\n" in expected_text or b"\n" in actual_text:
        return b"\n" in expected_text and b"\n" in actual_text
    return [type(event) for event in split.expected[1:2]] == [type(event) for event in split.actual[1:2]]


def _only_different_word(expected: str, actual: str) -> tuple[str, str] | None:
    """Returns the only word that differs, as the expected and the actual word; None if more than that differs.

    The blanks next to the word may differ as well, if they make up for its length, as in a table.
    """
    # The parts of a line: words at even indexes, the blanks between the words at odd indexes.
    expected_parts, actual_parts = _BLANKS_BETWEEN_WORDS.split(expected), _BLANKS_BETWEEN_WORDS.split(actual)
    pairs = enumerate(zip(expected_parts, actual_parts, strict=False))
    differing = [index for index, (expected_part, actual_part) in pairs if expected_part != actual_part]
    words = [index for index in differing if index % 2 == 0]
    if len(expected_parts) != len(actual_parts) or len(words) != 1 or len(expected.split()) < 2:
        return None
    is_in_place = len(expected) == len(actual) and all(abs(index - words[0]) <= 1 for index in differing)
    right, wrong = expected_parts[words[0]], actual_parts[words[0]]
    if (differing != words and not is_in_place) or _UNKNOWN_TEXT in right:
        return None
    return (right, wrong) if right and wrong and (right + wrong).isprintable() else None


# Sentences on whole lines: see `cause.line_error_of`


class _ScreenLine(NamedTuple):
    """A line with text on the program's screen."""

    number: int
    text: bytes

    def __str__(self) -> str:
        return f"{text_of(self.text)} (line {self.number})"


def _sentence_of_lines(difference: Difference) -> str:
    """Returns a sentence on whole lines; empty if the sessions differ otherwise, or if the lines cannot be quoted."""
    error, split = line_error_of(difference), difference.quoted
    if error is None:
        return ""
    screen_lines = _screen_lines(split)
    if not screen_lines:
        is_at_end = error.kind is LineErrorKind.MISSING and not any(map(has_text, error.actual))
        return _missing(error, f"at the end (line {split.line})", is_at_end=True) if is_at_end else ""
    count = _quoted_count(error)
    texts = [text for line in error.actual if (text := text_in(line).rstrip())][:count]
    # A line that a policy changed is not on the screen as it was compared, and is not quoted.
    if not texts or texts != [line.text.rstrip() for line in screen_lines[:count]]:
        return ""
    first, last = screen_lines[0], screen_lines[len(texts) - 1]
    match error.kind:
        case LineErrorKind.MISSING:
            return _missing(error, f"before {first}", is_at_end=False)
        case LineErrorKind.EXTRA:
            return _extra(error, first, last)
        case LineErrorKind.SWAPPED:
            order = f"{text_of(last.text)} should come before {text_of(first.text)}"
            return f"Lines {first.number} and {last.number} are swapped: {order}."
        case LineErrorKind.REORDERED:
            expected = _quote(error.trimmed[0])
            beginning = f"line {first.number} is {text_of(first.text)} where {expected} is expected"
            return f"All lines from line {split.line} on are there, in another order: {beginning}."


def _screen_lines(split: Split) -> list[_ScreenLine]:
    """Returns the lines with text on the program's screen, from the first difference on."""
    lines = lines_of((*unfinished_line(split.before), *split.actual))
    numbered = [_ScreenLine(number, text_in(line)) for number, line in enumerate(lines, split.line)]
    return [line for line in numbered if line.text.strip()]


def _quoted_count(error: LineError) -> int:
    """Returns how many of the program's lines with text must be on the screen, so that a sentence can quote them."""
    match error.kind:
        case LineErrorKind.MISSING:
            return 1
        case LineErrorKind.EXTRA:
            return max(1, sum(bool(text_in(line).strip()) for line in error.lines))
        case LineErrorKind.SWAPPED:
            return 2
    return len(error.actual)


def _missing(error: LineError, place: str, *, is_at_end: bool) -> str:
    trimmed = error.trimmed
    if not trimmed:
        lines = "An empty line is" if len(error.lines) == 1 else f"{len(error.lines)} empty lines are"
        return f"{lines} missing {place}."
    first, last, pause = _quote(trimmed[0]), _quote(trimmed[-1]), trimmed[0][0]
    if len(trimmed) > 1:
        return "" if is_at_end else f"{len(trimmed)} lines are missing {place}, from {first} to {last}."
    clause = f", with the pause of {_seconds_text(pause.duration_ms)} before it" if isinstance(pause, Paused) else ""
    return (
        f"The last line, {first}, is missing{clause}." if is_at_end else f"The line {first} is missing {place}{clause}."
    )


def _extra(error: LineError, first: _ScreenLine, last: _ScreenLine) -> str:
    trimmed, count = error.trimmed, len(error.lines)
    if not trimmed:
        return f"There {'is an empty line' if count == 1 else f'are {count} empty lines'} too many before {first}."
    if len(trimmed) == 1:
        return f"There is a line too many: {first}."
    lines = f"(lines {first.number} to {last.number}), from {_quote(trimmed[0])} to {_quote(trimmed[-1])}"
    return f"There are {len(trimmed)} lines too many {lines}."


def _quote(line: Line) -> str:
    return text_of(text_in(line))
