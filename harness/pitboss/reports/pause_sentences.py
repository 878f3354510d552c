"""Sentences on a pause, or a text next to a pause, that is missing, superfluous, or in the wrong place.

Each cause that a sentence names was tried: with it corrected, the sessions agree further than with any other
correction. If no correction helps, the sentence gives only what was observed and what is expected.
"""

from __future__ import annotations

from pitboss.compare.comparison import Split
from pitboss.model.notation import duration_of
from pitboss.model.quoting import quoted, quoted_end
from pitboss.model.screen_lines import last_line
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, canonical, character_start

NEWLINE = "a newline (\\n)"
#: How to show a text at once, in the languages in which it may stay in a buffer.
FLUSHES = "fflush(stdout) in C, std::cout.flush() in C++, print with flush=True in Python"
_FLUSH = f"Show it at once, before it sleeps: {FLUSHES}."
#: The maximum error of a measured pause.
_NEAR_MS = 350
_FULL_AGREEMENT = 1 << 40
#: How many of each unit make a second.
_UNITS = {1_000: "milliseconds", 1_000_000: "microseconds"}
_Events = tuple[Event, ...]


# Events in words


def seconds(duration_ms: int) -> str:
    """A duration in words."""
    return duration_of(duration_ms).removesuffix("s") + " s"


def text_of(event: Event | None) -> str:
    """The text of an event in words: its first nonempty line."""
    text = event.text if isinstance(event, Shown) else b""
    line = text.lstrip(b"\n").partition(b"\n")[0]
    if line and not line.strip(b" "):
        return "a space" if len(line) == 1 else f"{len(line)} spaces"
    return quoted(line) if line else NEWLINE


def is_or_are(text: str) -> str:
    """The verb for a text in words."""
    return "are" if text.endswith((" spaces", " lines", " line", " newlines")) else "is"


def expected_here(event: Event | None) -> str:
    """What is expected where the sessions part, as the end of a sentence."""
    match event:
        case Shown():
            text = text_of(event)
            return f"{text} {is_or_are(text)} expected"
        case Typed(line):
            return f"it should have read the line {quoted(line)}"
        case Paused(duration_ms):
            return f"a pause of {seconds(duration_ms)} is expected"
        case InputEnded():
            return "it should have tried to read more"
    return "it should have ended"


def place_of(split: Split) -> str:
    """Where the sessions part, on the program's screen."""
    screen_line = last_line(split.before)
    return (
        f"after {quoted_end(screen_line)} (line {split.line})" if screen_line else f"at the start of line {split.line}"
    )


def _next_event_text(events: _Events) -> str:
    """The next event that is not a pause, in words."""
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
    """A whole text in words: its first nonempty line, and the number of further lines."""
    text = event.text if isinstance(event, Shown) else b""
    if not text.strip(b"\n"):
        return NEWLINE if len(text) == 1 else f"{len(text)} newlines"
    more = text.strip(b"\n").count(b"\n")
    return text_of(event) + (f" and {more} more line{'s' if more > 1 else ''}" if more else "")


# Possible causes, each with the rest of both sessions as it would be without the cause


def _likeliest_cause(expected: _Events, actual: _Events) -> str:
    """The cause whose correction makes the sessions agree furthest; empty if no correction helps.

    Ties go to the earlier correction, such as a missing text.
    """
    best, furthest = "", 0
    for name, expected_rest, actual_rest in _corrections(expected, actual):
        agreed = _agreeing_bytes(canonical(expected_rest), canonical(actual_rest))
        if agreed > furthest:
            best, furthest = name, agreed
    return best


def _corrections(expected: _Events, actual: _Events) -> list[tuple[str, _Events, _Events]]:
    """The causes that may apply, each with both sessions after its correction."""
    corrections: list[tuple[str, _Events, _Events]] = []
    index = _first_text_index(expected)
    if index is not None:
        corrections.append(("missing text", (*expected[:index], *expected[index + 1 :]), actual))
    index = _first_text_index(actual)
    if index is not None:
        corrections.append(("extra text", expected, (*actual[:index], *actual[index + 1 :])))
    match expected, actual:
        case (Paused() as pause, *_), (Shown() as shown, Paused() as later, *rest) if pause == later:
            corrections.append(("late pause", expected, (later, shown, *rest)))
        case (Shown(text), Paused() as pause, *_), (Paused() as early, Shown(shown), *rest):
            if pause == early and shown.startswith(text):
                corrections.append(("early pause", expected, (Shown(text), early, Shown(shown[len(text) :]), *rest)))
    if isinstance(expected[0] if expected else None, Paused):
        corrections.append(("missing pause", expected[1:], actual))
    if isinstance(actual[0] if actual else None, Paused):
        corrections.append(("extra pause", expected, actual[1:]))
    return corrections


def _first_text_index(events: _Events) -> int | None:
    """The index of the first text if it comes next, or right after a pause; else None."""
    index = 1 if events and isinstance(events[0], Paused) else 0
    return index if isinstance(events[index] if len(events) > index else None, Shown) else None


def _agreeing_bytes(expected: _Events, actual: _Events) -> int:
    """How far two sessions agree, in bytes; 0 if they share neither a line with text nor a line read."""
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
    """The common leading lines of two texts; the shorter text may end inside its last line, but not in a character."""
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
    """The sentence for a difference where a pause comes next in one session or in both."""
    expected, actual = split.expected, split.actual
    if sentence := _buffered_text_sentence(split):
        return sentence
    match expected[:1], actual[:1]:
        case (Paused(wanted_ms),), (Paused(actual_ms),):
            return _length_sentence(split, wanted_ms, actual_ms)
        case (Paused(wanted_ms),), ():
            following = f", then {_next_event_text(expected)}" if expected[1:] else ""
            return (
                f"It ended too early, {place_of(split)}: a pause of {seconds(wanted_ms)} is expected next{following}."
            )
        case (Paused(wanted_ms),), _:
            return _missing_pause_sentence(split, wanted_ms)
        case _, (Paused(actual_ms),):
            return _extra_pause_sentence(split, actual_ms)
    raise ValueError("no pause comes next in either session")


def _buffered_text_sentence(split: Split) -> str:
    """A sentence on a text that comes after pauses instead of before them, as from a buffer; else empty.

    Up to the next read the program shows the expected text and pauses for as long as expected, but all of its pauses
    come first. A single pause may just as well be in the wrong place.
    """
    expected, actual = _events_until_read(split.expected), _events_until_read(split.actual)
    if len(actual) != 2 or not (isinstance(actual[0], Paused) and isinstance(actual[1], Shown)):
        return ""
    pauses_ms = [event.duration_ms for event in expected if isinstance(event, Paused)]
    text = b"".join(event.text for event in expected if isinstance(event, Shown))
    late = next((event for event in expected if isinstance(event, Shown) and event.text.strip()), None)
    comes_before_pause = any(isinstance(event, Paused) for event in expected[expected.index(late) :]) if late else False
    is_as_long = len(pauses_ms) > 1 and abs(sum(pauses_ms) - actual[0].duration_ms) <= _NEAR_MS
    if not comes_before_pause or text != actual[1].text or not is_as_long:
        return ""
    return (
        f"{_capitalized(text_of(late))} comes only after the pause of {seconds(actual[0].duration_ms)}, and "
        f"should come before it: it is still in a buffer while the program sleeps. {_FLUSH}"
    )


def _events_until_read(events: _Events) -> _Events:
    """The events before the program next reads a line or the end of input."""
    reads = (index for index, event in enumerate(events) if isinstance(event, Typed | InputEnded))
    return events[: next(reads, len(events))]


def _length_sentence(split: Split, wanted_ms: int, actual_ms: int) -> str:
    """The pauses differ in length: perhaps because the text between two pauses is missing or superfluous."""
    # If the same event follows in both sessions, the pause before it certainly has the wrong length.
    is_followed_alike = split.expected[1:2] == split.actual[1:2]
    cause = "" if is_followed_alike else _likeliest_cause(split.expected, split.actual)
    if cause == "missing text":
        text = _full_text(split.expected[1])
        return (
            f"{_capitalized(text)} {is_or_are(text)} missing {place_of(split)}, after a pause of {seconds(wanted_ms)}."
        )
    if cause == "extra text":
        return f"{_extra_text_clause(split, split.actual[1])}: it comes inside a pause of {seconds(wanted_ms)}."
    following = _next_event_text(split.expected)
    if following == _next_event_text(split.actual):
        sentence = f"It pauses for {seconds(actual_ms)} before {following}; the pause should be {seconds(wanted_ms)}."
        return f"{sentence}{_unit_question(wanted_ms, actual_ms)}"
    return f"It pauses for {seconds(actual_ms)} on line {split.line}, where {expected_here(split.expected[0])}."


def _unit_question(wanted_ms: int, actual_ms: int) -> str:
    """Asks whether a pause is given in the wrong unit for the function; empty if its length does not suggest that.

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
    """A pause that comes late, is missing, or comes after a superfluous text."""
    following, event = _next_event_text(split.expected), split.actual[0]
    match _likeliest_cause(split.expected, split.actual):
        case "extra text":
            return (
                f"{_extra_text_clause(split, event)}: a pause of {seconds(wanted_ms)} is expected there, "
                f"then {following}."
            )
        case "late pause":
            line = event.text.rstrip(b"\n").rpartition(b"\n")[2] if isinstance(event, Shown) else b""
            preceding_text = quoted_end(line) if line else NEWLINE
            return (
                f"A pause of {seconds(wanted_ms)} is missing before {following}: "
                f"the pause comes after {preceding_text} instead."
            )
        case "missing pause":
            return f"A pause of {seconds(wanted_ms)} is missing before {following} (line {split.line})."
    location = f"where {expected_here(split.expected[0])}"
    match event:
        case Shown():
            return f"It shows {text_of(event)} {_text_location(split, event)}, {location}."
        case Typed(line):
            return f"It reads the line {quoted(line)} {place_of(split)}, {location}."
    return f"It tries to read more input than there is, {place_of(split)}, {location}."


def _extra_pause_sentence(split: Split, actual_ms: int) -> str:
    """A pause that comes early, is superfluous, or comes where a text is missing."""
    expected, pause = (
        split.expected[0] if split.expected else None,
        f"It pauses for {seconds(actual_ms)} on line {split.line}",
    )
    match _likeliest_cause(split.expected, split.actual):
        case "missing text" if expected is not None:
            text = _full_text(expected)
            return (
                f"{_capitalized(text)} {is_or_are(text)} missing {place_of(split)}, "
                f"before the pause of {seconds(actual_ms)}."
            )
        case "early pause" if isinstance(expected, Shown):
            line = expected.text.rstrip(b"\n").rpartition(b"\n")[2]
            preceding_text = quoted_end(line) if line else NEWLINE
            return f"{pause}, before {text_of(expected)}; the pause should come after {preceding_text} instead."
        case "extra pause":
            return f"{pause}, before {_next_event_text(split.actual)}; no pause is expected there."
    return f"{pause}, where {expected_here(expected)}."


def _extra_text_clause(split: Split, event: Event) -> str:
    return f"It shows {_full_text(event)} too many {_text_location(split, event)}"


def _text_location(split: Split, event: Event) -> str:
    """The location of the first nonempty line of the next text, which messages quote."""
    text = event.text if isinstance(event, Shown) else b""
    if not text.strip(b"\n"):
        return place_of(split)
    line = split.line + len(text) - len(text.lstrip(b"\n"))
    return f"on line {line}"


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
