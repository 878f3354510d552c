"""Sentences that say that a pause, or a text next to one, is missing, superfluous, or in the wrong place.

Each cause that is named has been tried: with it corrected, the sessions agree further than with any other correction.
If no correction helps, the sentence gives only what was seen and what is expected.
"""

from __future__ import annotations

from pitboss.compare.comparison import Split
from pitboss.model.notation import duration_of
from pitboss.model.quoting import quoted, quoted_end
from pitboss.model.screen_lines import last_line
from pitboss.model.transcript import Event, InputEnded, Paused, Shown, Typed, canonical, character_start

NEWLINE = "a newline (\\n)"
#: How a text is shown at once, in the languages in which it may stay in a buffer.
FLUSHES = "fflush(stdout) in C, std::cout.flush() in C++, print with flush=True in Python"
_FLUSH = f"Show it at once, before it sleeps: {FLUSHES}."
#: Measured pauses may be off by as much.
_NEAR_MS = 350
_ALL = 1 << 40
#: How often a second has these units.
_UNITS = {1_000: "milliseconds", 1_000_000: "microseconds"}
_Events = tuple[Event, ...]


# Words for events


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


def wanted_there(event: Event | None) -> str:
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
    seen = last_line(split.before)
    return f"after {quoted_end(seen)} (line {split.line})" if seen else f"at the start of line {split.line}"


def _next(events: _Events) -> str:
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


def _whole(event: Event) -> str:
    """A whole text in words: its first nonempty line, and the number of further lines."""
    text = event.text if isinstance(event, Shown) else b""
    if not text.strip(b"\n"):
        return NEWLINE if len(text) == 1 else f"{len(text)} newlines"
    more = text.strip(b"\n").count(b"\n")
    return text_of(event) + (f" and {more} more line{'s' if more > 1 else ''}" if more else "")


# Possible causes, each with both rests as they would be without it


def _likeliest(expected: _Events, actual: _Events) -> str:
    """The cause whose correction makes the sessions agree furthest; empty if none does.

    On a tie a missing text wins.
    """
    best, furthest = "", 0
    for name, one, other in _tries(expected, actual):
        agreed = _agreement(canonical(one), canonical(other))
        if agreed > furthest:
            best, furthest = name, agreed
    return best


def _tries(expected: _Events, actual: _Events) -> list[tuple[str, _Events, _Events]]:
    tries: list[tuple[str, _Events, _Events]] = []
    place = _first_text(expected)
    if place is not None:
        tries.append(("text missing", (*expected[:place], *expected[place + 1 :]), actual))
    place = _first_text(actual)
    if place is not None:
        tries.append(("text too many", expected, (*actual[:place], *actual[place + 1 :])))
    match expected, actual:
        case (Paused() as pause, *_), (Shown() as shown, Paused() as later, *rest) if pause == later:
            tries.append(("pause late", expected, (later, shown, *rest)))
        case (Shown(text), Paused() as pause, *_), (Paused() as early, Shown(shown), *rest):
            if pause == early and shown.startswith(text):
                tries.append(("pause early", expected, (Shown(text), early, Shown(shown[len(text) :]), *rest)))
    if isinstance(expected[0] if expected else None, Paused):
        tries.append(("pause missing", expected[1:], actual))
    if isinstance(actual[0] if actual else None, Paused):
        tries.append(("pause too many", expected, actual[1:]))
    return tries


def _first_text(events: _Events) -> int | None:
    """The index of the first text if it comes next, or right after a pause; else None."""
    place = 1 if events and isinstance(events[0], Paused) else 0
    return place if isinstance(events[place] if len(events) > place else None, Shown) else None


def _agreement(one: _Events, other: _Events) -> int:
    """How far two sessions agree, in bytes; 0 if they share neither a line with text nor a line read."""
    if one == other:
        return _ALL
    size, is_certain = 0, False
    for left, right in zip(one, other, strict=False):
        if left == right:
            size += len(left.text) if isinstance(left, Shown) else 1
            is_certain = is_certain or isinstance(left, Typed) or (isinstance(left, Shown) and bool(left.text.strip()))
            continue
        if isinstance(left, Shown) and isinstance(right, Shown):
            shared = _shared(left.text, right.text)
            size += len(shared)
            is_certain = is_certain or bool(shared.strip())
        break
    return size if is_certain else 0


def _shared(one: bytes, other: bytes) -> bytes:
    """The common leading lines of two texts; the shorter one may end inside its last line, but inside no character."""
    shorter, longer = sorted((one, other), key=len)
    if longer.startswith(shorter) and character_start(longer, len(shorter)) == len(shorter):
        return shorter
    lines = []
    for left, right in zip(one.splitlines(keepends=True), other.splitlines(keepends=True), strict=False):
        if left != right:
            break
        lines.append(left)
    return b"".join(lines)


# Sentences


def sentence_of_pause(split: Split) -> str:
    """The sentence for a difference where a pause comes next in one session or in both."""
    expected, actual = split.expected, split.actual
    if sentence := _buffered_text(split):
        return sentence
    match expected[:1], actual[:1]:
        case (Paused(wanted),), (Paused(found),):
            return _other_length(split, wanted, found)
        case (Paused(wanted),), ():
            following = f", then {_next(expected)}" if expected[1:] else ""
            return f"It ended too early, {place_of(split)}: a pause of {seconds(wanted)} is expected next{following}."
        case (Paused(wanted),), _:
            return _pause_expected(split, wanted)
        case _, (Paused(found),):
            return _pause_found(split, found)
    raise ValueError("no pause comes next in either session")


def _buffered_text(split: Split) -> str:
    """That a text comes after pauses instead of before them, as from a buffer; empty if not all that was seen fits.

    Up to the next read the program shows what it should and pauses for as long, but all of its pauses come first. A
    single one may as well be in the wrong place.
    """
    expected, actual = _until_read(split.expected), _until_read(split.actual)
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
        f"{_capital(text_of(late))} comes only after the pause of {seconds(actual[0].duration_ms)}, and should come "
        f"before it: it is still in a buffer while the program sleeps. {_FLUSH}"
    )


def _until_read(events: _Events) -> _Events:
    """The events before the next line or end of input that is read."""
    reads = (place for place, event in enumerate(events) if isinstance(event, Typed | InputEnded))
    return events[: next(reads, len(events))]


def _other_length(split: Split, wanted: int, found: int) -> str:
    """The pauses differ in length: perhaps because the text between two pauses is missing or superfluous."""
    # Where the same text follows, whatever else may be so, it pauses for so long before that text.
    is_followed_alike = split.expected[1:2] == split.actual[1:2]
    cause = "" if is_followed_alike else _likeliest(split.expected, split.actual)
    if cause == "text missing":
        text = _whole(split.expected[1])
        return f"{_capital(text)} {is_or_are(text)} missing {place_of(split)}, after a pause of {seconds(wanted)}."
    if cause == "text too many":
        return f"{_too_many(split, split.actual[1])}: it comes inside a pause of {seconds(wanted)}."
    following = _next(split.expected)
    if following == _next(split.actual):
        sentence = f"It pauses for {seconds(found)} before {following}; the pause should be {seconds(wanted)}."
        return f"{sentence}{_on_unit(wanted, found)}"
    return f"It pauses for {seconds(found)} on line {split.line}, where {wanted_there(split.expected[0])}."


def _on_unit(wanted_ms: int, found_ms: int) -> str:
    """Whether a pause may be given in another unit than the function takes, as a question; empty if not.

    >>> _on_unit(2_000, 2_000_000), _on_unit(500, 500)
    (' That is 1,000 times as long: is it given in milliseconds to a function that takes seconds?', '')
    """
    for factor, unit in _UNITS.items():
        if found_ms == wanted_ms * factor:
            return f" That is {factor:,} times as long: is it given in {unit} to a function that takes seconds?"
        if found_ms * factor == wanted_ms:
            return f" That is {factor:,} times too short: is it given in seconds to a function that takes {unit}?"
    return ""


def _pause_expected(split: Split, wanted: int) -> str:
    """A pause that comes late, is missing, or comes after a superfluous text."""
    following, found = _next(split.expected), split.actual[0]
    match _likeliest(split.expected, split.actual):
        case "text too many":
            return f"{_too_many(split, found)}: a pause of {seconds(wanted)} is expected there, then {following}."
        case "pause late":
            line = found.text.rstrip(b"\n").rpartition(b"\n")[2] if isinstance(found, Shown) else b""
            instead = quoted_end(line) if line else NEWLINE
            return (
                f"A pause of {seconds(wanted)} is missing before {following}: the pause comes after {instead} instead."
            )
        case "pause missing":
            return f"A pause of {seconds(wanted)} is missing before {following} (line {split.line})."
    there = f"where {wanted_there(split.expected[0])}"
    match found:
        case Shown():
            return f"It shows {text_of(found)} {_place_of_text(split, found)}, {there}."
        case Typed(line):
            return f"It reads the line {quoted(line)} {place_of(split)}, {there}."
    return f"It tries to read more input than there is, {place_of(split)}, {there}."


def _pause_found(split: Split, found: int) -> str:
    """A pause that comes early, is superfluous, or comes where a text is missing."""
    wanted, pause = (
        split.expected[0] if split.expected else None,
        f"It pauses for {seconds(found)} on line {split.line}",
    )
    match _likeliest(split.expected, split.actual):
        case "text missing" if wanted is not None:
            text = _whole(wanted)
            return (
                f"{_capital(text)} {is_or_are(text)} missing {place_of(split)}, before the pause of {seconds(found)}."
            )
        case "pause early" if isinstance(wanted, Shown):
            line = wanted.text.rstrip(b"\n").rpartition(b"\n")[2]
            after = quoted_end(line) if line else NEWLINE
            return f"{pause}, before {text_of(wanted)}; the pause should come after {after} instead."
        case "pause too many":
            return f"{pause}, before {_next(split.actual)}; no pause is expected there."
    return f"{pause}, where {wanted_there(wanted)}."


def _too_many(split: Split, event: Event) -> str:
    return f"It shows {_whole(event)} too many {_place_of_text(split, event)}"


def _place_of_text(split: Split, event: Event) -> str:
    """The place of the next text: that of its first nonempty line, which is what messages quote."""
    text = event.text if isinstance(event, Shown) else b""
    if not text.strip(b"\n"):
        return place_of(split)
    number = split.line + len(text) - len(text.lstrip(b"\n"))
    return f"on line {number}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
