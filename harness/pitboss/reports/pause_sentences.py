"""Sentences on a pause, or a text next to a pause, that is missing, superfluous, or in the wrong place.

Each cause that a sentence names was tried: correcting this cause makes the sessions agree further than correcting any
other cause. If no correction helps, the sentence only says what was observed and what is expected.
"""

from __future__ import annotations

from pitboss.compare.comparison import Split
from pitboss.model.notation import duration_of
from pitboss.model.quoting import quoted, quoted_end
from pitboss.model.screen_lines import last_line
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, canonical, character_start

NEWLINE = "a newline (\\n)"
#: The calls that show a text at once, in the languages in which output may stay in a buffer.
FLUSH_CALLS = "fflush(stdout) in C, std::cout.flush() in C++, print with flush=True in Python"
_FLUSH = f"Show the text at once, before the sleep: {FLUSH_CALLS}."
#: The maximum error of a measured pause, in milliseconds.
_NEAR_MS = 350
#: The agreement of equal sessions: more than the number of bytes of any session.
_FULL_AGREEMENT = 1 << 40
#: The units in which some functions take a pause, by their number in a second.
_UNITS = {1_000: "milliseconds", 1_000_000: "microseconds"}
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

    >>> is_or_are("“ok”"), is_or_are("3 spaces"), is_or_are("“ok” and 1 more line")
    ('is', 'are', 'are')
    """
    return "are" if text.endswith((" spaces", " lines", " line", " newlines")) else "is"


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


def _next_event_text(events: _Events) -> str:
    """Returns the first event that is not a pause, in words; “the end” if only pauses follow."""
    for event in events:
        match event:
            case Shown():
                return text_of(event)
            case Typed(line):
                return f"it reads the line {quoted(line)}"
            case InputEnded():
                return "it tries to read more"
    return "the end"


def _full_text(event: Event) -> str:
    """Returns a whole text in words: its first nonempty line, and the number of further lines."""
    text = event.text if isinstance(event, Shown) else b""
    if not text.strip(b"\n"):
        return NEWLINE if len(text) == 1 else f"{len(text)} newlines"
    more = text.strip(b"\n").count(b"\n")
    return text_of(event) + (f" and {more} more line{'s' if more > 1 else ''}" if more else "")


# Possible causes, each with the remaining events of both sessions as they would be without this cause


def _likeliest_cause(expected: _Events, actual: _Events) -> str:
    """Returns the name of the cause whose correction makes the sessions agree furthest; empty if no correction helps.

    If several corrections help equally, the first in the order of `_corrections` is chosen: a missing text first.
    """
    best_cause, best_agreement = "", 0
    for name, corrected_expected, corrected_actual in _corrections(expected, actual):
        agreement = _agreeing_bytes(canonical(corrected_expected), canonical(corrected_actual))
        if agreement > best_agreement:
            best_cause, best_agreement = name, agreement
    return best_cause


def _corrections(expected: _Events, actual: _Events) -> list[tuple[str, _Events, _Events]]:
    """Returns each cause that may apply: its name, and the expected and the actual events after its correction."""
    corrections: list[tuple[str, _Events, _Events]] = []
    index = _first_text_index(expected)
    if index is not None:
        corrections.append(("missing text", (*expected[:index], *expected[index + 1 :]), actual))
    index = _first_text_index(actual)
    if index is not None:
        corrections.append(("extra text", expected, (*actual[:index], *actual[index + 1 :])))
    match expected, actual:
        case (Paused() as pause, *_), (Shown() as early_text, Paused() as late_pause, *tail) if pause == late_pause:
            corrections.append(("late pause", expected, (late_pause, early_text, *tail)))
        case (Shown(text), Paused() as pause, *_), (Paused() as early_pause, Shown(late_text), *tail):
            if pause == early_pause and late_text.startswith(text):
                moved = (Shown(text), early_pause, Shown(late_text[len(text) :]), *tail)
                corrections.append(("early pause", expected, moved))
    if isinstance(expected[0] if expected else None, Paused):
        corrections.append(("missing pause", expected[1:], actual))
    if isinstance(actual[0] if actual else None, Paused):
        corrections.append(("extra pause", expected, actual[1:]))
    return corrections


def _first_text_index(events: _Events) -> int | None:
    """Returns the index of the first text if nothing but a pause precedes this text; else None."""
    index = 1 if events and isinstance(events[0], Paused) else 0
    return index if isinstance(events[index] if len(events) > index else None, Shown) else None


def _agreeing_bytes(expected: _Events, actual: _Events) -> int:
    """Returns how far two sessions agree: the bytes of their common text, plus 1 for each other common event.

    Returns 0 if they have neither a nonblank text nor a typed line in common: the rest may agree by chance.
    """
    if expected == actual:
        return _FULL_AGREEMENT
    size, is_certain = 0, False
    for left, right in zip(expected, actual, strict=False):
        if left == right:
            size += len(left.text) if isinstance(left, Shown) else 1
            is_certain = is_certain or isinstance(left, Typed) or (isinstance(left, Shown) and bool(left.text.strip()))
            continue
        if isinstance(left, Shown) and isinstance(right, Shown):
            shared = _shared_lines(left.text, right.text)
            size += len(shared)
            is_certain = is_certain or bool(shared.strip())
        break
    return size if is_certain else 0


def _shared_lines(first: bytes, second: bytes) -> bytes:
    """Returns the common leading lines of two texts.

    If one text is the beginning of the other, all of it is returned, even an incomplete last line; but not if it ends
    inside a character.
    """
    shorter, longer = sorted((first, second), key=len)
    if longer.startswith(shorter) and character_start(longer, len(shorter)) == len(shorter):
        return shorter
    lines = []
    for left, right in zip(first.splitlines(keepends=True), second.splitlines(keepends=True), strict=False):
        if left != right:
            break
        lines.append(left)
    return b"".join(lines)


# Sentences


def sentence_of_pause(split: Split) -> str:
    """Returns the sentence for a difference at which a pause comes next in one session or in both."""
    expected, actual = split.expected, split.actual
    if sentence := _buffered_text_sentence(split):
        return sentence
    match expected[:1], actual[:1]:
        case (Paused(wanted_ms),), (Paused(actual_ms),):
            return _length_sentence(split, wanted_ms, actual_ms)
        case (Paused(wanted_ms),), ():
            following = f", then {_next_event_text(expected)}" if expected[1:] else ""
            expectation = f"a pause of {seconds_text(wanted_ms)} is expected next{following}"
            return f"It ended too early, {location_of_split(split)}: {expectation}."
        case (Paused(wanted_ms),), _:
            return _missing_pause_sentence(split, wanted_ms)
        case _, (Paused(actual_ms),):
            return _extra_pause_sentence(split, actual_ms)
    raise ValueError("no pause comes next in either session")


def _buffered_text_sentence(split: Split) -> str:
    """Returns a sentence if a text comes after pauses instead of before them, as if it was in a buffer; else empty.

    Up to the next read, such a program shows the expected text and pauses for as long as expected, but all pauses come
    first. At least two pauses must be expected: a single pause may just as well be in the wrong place itself.
    """
    expected, actual = _events_until_read(split.expected), _events_until_read(split.actual)
    if len(actual) != 2 or not (isinstance(actual[0], Paused) and isinstance(actual[1], Shown)):
        return ""
    pauses_ms = [event.duration_ms for event in expected if isinstance(event, Paused)]
    text = b"".join(event.text for event in expected if isinstance(event, Shown))
    late_text = next((event for event in expected if isinstance(event, Shown) and event.text.strip()), None)
    comes_before_pause = (
        any(isinstance(event, Paused) for event in expected[expected.index(late_text) :]) if late_text else False
    )
    is_as_long = len(pauses_ms) > 1 and abs(sum(pauses_ms) - actual[0].duration_ms) <= _NEAR_MS
    if not comes_before_pause or text != actual[1].text or not is_as_long:
        return ""
    return (
        f"{_capitalized(text_of(late_text))} comes only after the pause of {seconds_text(actual[0].duration_ms)}, and "
        f"should come before the pause: the text is still in a buffer while the program sleeps. {_FLUSH}"
    )


def _events_until_read(events: _Events) -> _Events:
    """Returns the events before the program next reads a line or the end of input."""
    reads = (index for index, event in enumerate(events) if isinstance(event, Typed | InputEnded))
    return events[: next(reads, len(events))]


def _length_sentence(split: Split, wanted_ms: int, actual_ms: int) -> str:
    """Returns the sentence for two pauses of different lengths.

    Perhaps a text between two pauses is missing, or a superfluous text interrupts a pause.
    """
    # If the same event follows in both sessions, the pause before it certainly has the wrong length.
    has_same_next_event = split.expected[1:2] == split.actual[1:2]
    cause = "" if has_same_next_event else _likeliest_cause(split.expected, split.actual)
    if cause == "missing text":
        text = _full_text(split.expected[1])
        location = f"{location_of_split(split)}, after a pause of {seconds_text(wanted_ms)}"
        return f"{_capitalized(text)} {is_or_are(text)} missing {location}."
    if cause == "extra text":
        return f"{_extra_text_clause(split, split.actual[1])}: it comes inside a pause of {seconds_text(wanted_ms)}."
    following = _next_event_text(split.expected)
    if following == _next_event_text(split.actual):
        sentence = f"It pauses for {seconds_text(actual_ms)} before {following}"
        return f"{sentence}; the pause should be {seconds_text(wanted_ms)}.{_unit_question(wanted_ms, actual_ms)}"
    return (
        f"It pauses for {seconds_text(actual_ms)} on line {split.line}, where {expectation_clause(split.expected[0])}."
    )


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


def _missing_pause_sentence(split: Split, wanted_ms: int) -> str:
    """Returns the sentence if only the expected session pauses next.

    The pause comes late or is missing, or a superfluous text comes before the pause.
    """
    following, event = _next_event_text(split.expected), split.actual[0]
    match _likeliest_cause(split.expected, split.actual):
        case "extra text":
            return (
                f"{_extra_text_clause(split, event)}: a pause of {seconds_text(wanted_ms)} is expected there, "
                f"then {following}."
            )
        case "late pause":
            line = event.text.rstrip(b"\n").rpartition(b"\n")[2] if isinstance(event, Shown) else b""
            preceding_text = quoted_end(line) if line else NEWLINE
            return (
                f"A pause of {seconds_text(wanted_ms)} is missing before {following}: "
                f"the pause comes after {preceding_text} instead."
            )
        case "missing pause":
            return f"A pause of {seconds_text(wanted_ms)} is missing before {following} (line {split.line})."
    expectation = f"where {expectation_clause(split.expected[0])}"
    match event:
        case Shown():
            return f"It shows {text_of(event)} {_text_location(split, event)}, {expectation}."
        case Typed(line):
            return f"It reads the line {quoted(line)} {location_of_split(split)}, {expectation}."
    return f"It tries to read more input than there is, {location_of_split(split)}, {expectation}."


def _extra_pause_sentence(split: Split, actual_ms: int) -> str:
    """Returns the sentence if only the actual session pauses next.

    The pause comes early or is superfluous, or a text is missing before the pause.
    """
    expected = split.expected[0] if split.expected else None
    pause_clause = f"It pauses for {seconds_text(actual_ms)} on line {split.line}"
    match _likeliest_cause(split.expected, split.actual):
        case "missing text" if expected is not None:
            text = _full_text(expected)
            return (
                f"{_capitalized(text)} {is_or_are(text)} missing {location_of_split(split)}, "
                f"before the pause of {seconds_text(actual_ms)}."
            )
        case "early pause" if isinstance(expected, Shown):
            line = expected.text.rstrip(b"\n").rpartition(b"\n")[2]
            preceding_text = quoted_end(line) if line else NEWLINE
            return f"{pause_clause}, before {text_of(expected)}; the pause should come after {preceding_text} instead."
        case "extra pause":
            return f"{pause_clause}, before {_next_event_text(split.actual)}; no pause is expected there."
    return f"{pause_clause}, where {expectation_clause(expected)}."


def _extra_text_clause(split: Split, event: Event) -> str:
    return f"It shows {_full_text(event)} too many {_text_location(split, event)}"


def _text_location(split: Split, event: Event) -> str:
    """Returns the location of the line that messages quote: the first nonempty line of the text that comes next."""
    text = event.text if isinstance(event, Shown) else b""
    if not text.strip(b"\n"):
        return location_of_split(split)
    line = split.line + len(text) - len(text.lstrip(b"\n"))
    return f"on line {line}"


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
