"""The first difference of two whole sessions: on the screen, then on their standard errors, then in their files."""

from __future__ import annotations

import msgspec

from pitboss.judging.comparison import Difference, Split, difference_between
from pitboss.judging.location import located
from pitboss.judging.pause_wording import is_or_are, text_of
from pitboss.judging.reading_texts import settled
from pitboss.judging.wording import sentence_of
from pitboss.transcripts.policy import Policy
from pitboss.transcripts.quoting import quoted, quoted_end
from pitboss.transcripts.relaxation import first_judged, from_the_start, judged_part, never_begins
from pitboss.transcripts.screen_lines import last_line
from pitboss.transcripts.transcript import Event, FileKind, Shown, Transcript, Written

STANDARD_ERROR = "standard error"
#: No more than this of a line is ever quoted.
_LONGEST_BYTES = 16384

_KINDS = {
    FileKind.MISSING: "After it ended there is no file {name}, which it should have written.",
    FileKind.LINK: "{name} is a link to something else; it should be a file of its own.",
    FileKind.FOLDER: "{name} is a folder; it should be a file.",
    FileKind.SPECIAL: "{name} is not an ordinary file (but a pipe or a socket, say); it should be one.",
    FileKind.CLOSED: "{name} cannot be read: its mode forbids it. Most often open was called without a mode (0644).",
    FileKind.TOO_LARGE: "{name} is larger than a session may show, most likely because a loop never stops writing.",
}


def first_difference(expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
    """The first difference of two sessions, or None; standard errors and files count if both ended alike."""
    difference = difference_between(expected.events, actual.events, policy)
    if never_begins(actual.events, policy) and not never_begins(expected.events, policy):
        line = quoted(first_judged(expected.events, policy))
        found = difference or Difference((), judged_part(expected.events, policy), ())
        sentence = f"It never shows a line such as {line}, which is where judging begins."
        return msgspec.structs.replace(found, sentence=sentence, is_of_texts=False)
    if difference is not None or expected.ending != actual.ending:
        return difference
    return _apart(expected, actual, policy)


def _apart(expected: Transcript, actual: Transcript, policy: Policy) -> Difference | None:
    """The first difference apart from the screen."""
    policy = from_the_start(policy)
    if policy.free and policy.taken is None:  # what they are is shown on the screen
        _, policy = settled(expected.events, actual.events, policy)
        policy = policy if policy.taken is not None else policy.with_taken({})
    if expected.errors is not None and actual.errors is not None:
        difference = _of_texts(expected.errors, actual.errors, policy, STANDARD_ERROR)
        if difference is not None:
            return difference
    found = {one.name: one for one in actual.written}
    for one in expected.written:
        difference = _of_files(one, found[one.name], policy) if one.name in found else None
        if difference is not None:
            return difference
    return None


def _of_files(expected: Written, actual: Written, policy: Policy) -> Difference | None:
    is_wanted = expected.kind is FileKind.REGULAR
    if actual.kind is FileKind.REGULAR and is_wanted:
        return _of_texts(expected.content, actual.content, policy, expected.name)
    if expected.kind is actual.kind:
        return None
    unwanted = "After it ended there is a file {name}, which should not be there."
    sentence = _KINDS[actual.kind] if is_wanted else unwanted
    return Difference(
        (),
        _shown(expected.content),
        _shown(actual.content),
        place=expected.name,
        sentence=sentence.format(name=expected.name),
        is_of_texts=False,
    )


def _shown(text: bytes) -> tuple[Event, ...]:
    return (Shown(text),) if text else ()


def _of_texts(wanted: bytes, found: bytes, policy: Policy, place: str) -> Difference | None:
    expected, actual = _shown(wanted), _shown(found)
    difference = difference_between(expected, actual, policy)
    if difference is None:
        return None
    told = located(difference, expected, actual, policy).told
    split = msgspec.structs.replace(told, expected=_quotable(told.expected), actual=_quotable(told.actual))
    difference = msgspec.structs.replace(difference, split=split)
    where = "On its standard error" if place == STANDARD_ERROR else f"In {place}"
    sentence = f"{where}, {_sentence(difference, is_empty=not found)}"
    return msgspec.structs.replace(difference, place=place, sentence=sentence)


def _quotable(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """A text without its end, if it is longer than any quotation."""
    return tuple(Shown(event.text[:_LONGEST_BYTES]) if isinstance(event, Shown) else event for event in events)


def _sentence(difference: Difference, *, is_empty: bool) -> str:
    """The rest of the sentence on two texts."""
    split = difference.told
    if split.expected and split.actual:
        sentence = sentence_of(difference)
        return sentence[:1].lower() + sentence[1:]
    if split.expected:
        return _ended_early(split, is_empty=is_empty)
    return _went_on(split) if split.actual else "what is there differs."


def _ended_early(split: Split, *, is_empty: bool) -> str:
    text, last = text_of(split.expected[0]), last_line(split.before)
    if is_empty:
        return f"there is nothing; {text} {is_or_are(text)} expected first."
    if split.expected == (Shown(b"\n"),) and last:
        return f"the last line, {quoted_end(last)}, does not end with a newline."
    after = f"after {quoted_end(last)}" if last else "at its start"
    return f"the text ends on line {split.line}, {after}: {text} {is_or_are(text)} expected next."


def _went_on(split: Split) -> str:
    event, last = split.actual[0], last_line(split.before)
    assert isinstance(event, Shown)
    if event.text.strip(b"\n"):
        number = split.line + len(event.text) - len(event.text.lstrip(b"\n"))
        return f"{text_of(event)} {is_or_are(text_of(event))} on line {number}, where nothing more is expected."
    if last:
        return f"a newline (\\n) is too many at the end of line {split.line}."
    return f"an empty line is too many at the end (line {split.line})."
