"""Sentences on differences at which a session pauses: a pause is missing, unexpected, too late, too long or too short.

A sentence says that a pause is missing, unexpected or of a wrong length only if both sessions go on alike after it.
Otherwise it says what was observed and what is expected.
"""

from __future__ import annotations

import re

from pitboss.compare.cause import text_kept_in_buffer
from pitboss.compare.comparison import Split
from pitboss.model.notation import duration_of
from pitboss.model.quoting import quoted, quoted_end
from pitboss.model.screen_lines import last_line
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed

NEWLINE = "a newline (\\n)"
#: The calls that show a text at once, in the languages in which output may stay in a buffer.
FLUSH_CALLS = "fflush(stdout) in C, std::cout.flush() in C++, print with flush=True in Python"
#: The units in which some functions take a pause, by their number in a second.
_UNITS = {1_000: "milliseconds", 1_000_000: "microseconds"}
#: A text up to the end of its first line that is not empty.
_FIRST_LINE = re.compile(rb"\n*[^\n]*")
_Events = tuple[Event, ...]


# Events in words


def seconds_text(duration_ms: int) -> str:
    """Returns a duration in seconds as text, such as `0.5 s`."""
    return duration_of(duration_ms).removesuffix("s") + " s"


def text_of(event: Event | None) -> str:
    """Returns the first nonempty line of an event's text, quoted or in words such as “3 spaces”."""
    text = event.text if isinstance(event, Shown) else b""
    line = text.lstrip(b"\n").partition(b"\n")[0]
    if line and not line.strip(b" "):
        return "a space" if len(line) == 1 else f"{len(line)} spaces"
    return quoted(line) if line else NEWLINE


def is_or_are(text: str) -> str:
    """Returns the verb that follows a text in words: “is”, or “are” after a plural.

    >>> is_or_are("“ok”"), is_or_are("3 spaces")
    ('is', 'are')
    """
    return "are" if text.endswith(" spaces") else "is"


def expectation_clause(event: Event | None) -> str:
    """Returns, as the end of a sentence, what is expected where the sessions part; `event` is the expected event."""
    match event:
        case Shown():
            text = text_of(event)
            return f"{text} {is_or_are(text)} expected"
        case Typed(line):
            return f"it should have read the line {quoted(line)}"
        case Paused(duration_ms):
            return f"a pause of {seconds_text(duration_ms)} is expected"
        case InputEnded():
            return "it should have tried to read more"
    return "it should have ended"


def location_of_split(split: Split) -> str:
    """Returns the location on the program's screen where the sessions part, in words."""
    screen_line = last_line(split.before)
    return (
        f"after {quoted_end(screen_line)} (line {split.line})" if screen_line else f"at the start of line {split.line}"
    )


# Sentences


def sentence_of_pause(split: Split) -> str:
    """Returns the sentence for a difference at which a pause comes next in one session or in both."""
    expected, actual = split.expected, split.actual
    if late_text := text_kept_in_buffer(split):
        return (
            f"{text_of(late_text)} comes only after {_next_in_words(actual)}, and should come before the pause: "
            "the text is still in a buffer while the program sleeps. "
            f"Show the text at once, before the sleep: {FLUSH_CALLS}."
        )
    match expected, actual:
        case (Paused(wanted_ms), *_), (Paused(actual_ms), *_) if _begin_alike(expected[1:], actual[1:]):
            sentence = f"It pauses for {seconds_text(actual_ms)} before {_next_in_words(expected[1:])}"
            return f"{sentence}; the pause should be {seconds_text(wanted_ms)}.{_unit_question(wanted_ms, actual_ms)}"
        case (Paused(wanted_ms), Shown(text), *_), (Shown(early), Paused(late_ms), *_) if wanted_ms == late_ms and (
            text.startswith(early) or _begin_alike(expected[1:], actual)
        ):
            line = early.rstrip(b"\n").rpartition(b"\n")[2]
            return (
                f"A pause of {seconds_text(wanted_ms)} is missing before {text_of(Shown(text))}: "
                f"the pause comes after {quoted_end(line) if line else NEWLINE} instead."
            )
        case (Paused(wanted_ms), *_), _ if _begin_alike(expected[1:], actual):
            following = _next_in_words(expected[1:])
            return f"A pause of {seconds_text(wanted_ms)} is missing before {following} (line {split.line})."
        case _, (Paused(actual_ms), *_):
            sentence = f"It pauses for {seconds_text(actual_ms)} on line {split.line}"
            if _begin_alike(expected, actual[1:]):
                return f"{sentence}, before {_next_in_words(expected)}; no pause is expected there."
            return f"{sentence}, where {expectation_clause(next(iter(expected), None))}."
    expectation = expectation_clause(expected[0])
    match next(iter(actual), None):
        case Shown() as shown:
            return f"It shows {text_of(shown)} {_text_location(split, shown)}, where {expectation}."
        case Typed(line):
            return f"It reads the line {quoted(line)} {location_of_split(split)}, where {expectation}."
        case InputEnded():
            return f"It tries to read more input than there is, {location_of_split(split)}, where {expectation}."
    return f"It ended too early, {location_of_split(split)}: {expectation} next."


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
        case (Shown() as shown,):
            return text_of(shown)
        case (Paused(duration_ms),):
            return f"the pause of {seconds_text(duration_ms)}"
    return "the end"


def _unit_question(wanted_ms: int, actual_ms: int) -> str:
    """Returns a question: does the program give a pause in the wrong unit? Empty if the lengths do not suggest that.

    >>> _unit_question(2_000, 2_000_000), _unit_question(500, 500)
    (' That is 1,000 times as long: is it given in milliseconds to a function that takes seconds?', '')
    """
    for factor, unit in _UNITS.items():
        if actual_ms == wanted_ms * factor:
            return f" That is {factor:,} times as long: is it given in {unit} to a function that takes seconds?"
        if actual_ms * factor == wanted_ms:
            return f" That is {factor:,} times too short: is it given in seconds to a function that takes {unit}?"
    return ""


def _text_location(split: Split, event: Event) -> str:
    """Returns the location of the line that messages quote: the first nonempty line of the text that comes next."""
    text = event.text if isinstance(event, Shown) else b""
    if not text.strip(b"\n"):
        return location_of_split(split)
    line = split.line + len(text) - len(text.lstrip(b"\n"))
    return f"on line {line}"
