"""The texts that a submission shows instead of the free texts, in all its sessions, and remarks on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from pitboss.compare.comparison import Difference
from pitboss.compare.findings import RemarkKind, TextRemark
from pitboss.compare.reading_texts import SessionPair, meaning_of, meanings_in, texts_of
from pitboss.model.comparison_policy import FreeText, Policy
from pitboss.model.free_texts import names_in, spans_of, with_numbers
from pitboss.model.relaxation import BLANKS, accepted_alternatives, flat_text, relaxed, size_of
from pitboss.model.transcript import Event, Shown


class ObservedSession(NamedTuple):
    """A session of a submission, the expected session, and the policy by which they are compared."""

    policy: Policy
    expected: tuple[Event, ...]
    actual: tuple[Event, ...]


class AcceptedDifference(msgspec.Struct, frozen=True):
    """A text of the submission that was accepted instead of a different text of the reference."""

    #: The name of the free text; empty for an alternative.
    name: str
    expected: str
    #: None or empty if the submission shows nothing there.
    text: bytes | None


def texts_in(seen: Iterable[ObservedSession], *, beside: Iterable[ObservedSession] = ()) -> dict[str, bytes | None]:
    """Returns what a submission shows for each free text that occurred in its sessions, by name.

    A line that the reference shows, in these sessions or in `beside`, is never taken for a free text.
    """
    free = [session for session in seen if session.policy.free]
    if all(_is_own(session) for session in free):
        return {
            text.name: text.own_text
            for session in free
            for text in session.policy.free
            if text.name in names_in(session.expected, session.policy.free)
        }
    others = [session for session in beside if session.policy.free]
    meanings = frozenset[str]().union(*(meanings_in(session.expected, session.policy) for session in (*free, *others)))
    return texts_of([SessionPair(session.expected, session.actual, session.policy, meanings) for session in free])


def _is_own(session: ObservedSession) -> bool:
    """Whether a session shows the reference's own texts."""
    if session.expected == session.actual:
        return True
    return relaxed(session.expected, session.policy) == relaxed(session.actual, session.policy)


def accepted_differences(
    accepted: Iterable[ObservedSession], texts: Mapping[str, bytes | None]
) -> tuple[AcceptedDifference, ...]:
    """Returns the texts in which accepted sessions differ from the reference: free texts, then alternatives."""
    sessions = [session for session in accepted if session.expected != session.actual]
    free = {text.name: text for session in sessions for text in session.policy.free}
    # If texts are interchangeable, the reference's own text may be read although the program never shows it.
    own_texts = {text.own_text.strip(BLANKS) for text in free.values()} - {b""}
    unseen = {own for own in own_texts if not any(own in flat_text(session.actual) for session in sessions)}
    differences = [
        AcceptedDifference(name, text.own_text.decode(), texts[name])
        for name, text in free.items()
        if name in texts and (texts[name] or b"").strip(BLANKS) not in {text.own_text.strip(BLANKS), *unseen}
    ]
    differences += [
        AcceptedDifference("", first, text.encode() or None) for first, text in accepted_alternatives(sessions)
    ]
    return tuple(differences)


def remark_on(difference: Difference, seen: ObservedSession) -> TextRemark | None:
    """Returns a remark on a difference in a free text, or None.

    The remark says what the program shows for this text elsewhere, or which other text it shows here.
    """
    policy = seen.policy
    if not policy.free:
        return None
    pair = SessionPair(seen.expected, seen.actual, policy)
    known = (
        {text.name: text.text for text in policy.accepted_texts if text.is_seen}
        if policy.accepted_texts is not None
        else pair.read()
    )
    split = difference.quoted
    offset = size_of(split.expected_before)
    for span in spans_of(pair.expected, policy.free, with_numbers(known, policy.free, seen.actual)):
        between = flat_text(split.expected_before)[span.end :] if span.end < offset else b""
        if span.start > offset or between.strip(BLANKS + b"\n") or (between and span.start < span.end):
            continue
        rest = split.actual[0].text if split.actual and isinstance(split.actual[0], Shown) else b""
        if offset == span.end and span.start < span.end and rest[:1] in (b"", b"\n"):
            continue
        before = flat_text(split.before)
        shown = before[len(before) - (min(offset, span.end) - span.start) :] if offset > span.start else b""
        shown += rest.partition(b"\n")[0]
        free = next(text for text in policy.free if text.name == span.name)
        is_left_out = _is_left_out(rest, split.expected, span.end - offset)
        if free.name in known and not is_left_out and meaning_of(shown) in _other_meanings(free, seen, known):
            return None
        return _remark(free, shown, rest, split.expected, known, is_left_out=is_left_out)
    return None


def _other_meanings(free: FreeText, seen: ObservedSession, known: Mapping[str, bytes | None]) -> frozenset[str]:
    """The meanings of all texts but this one: a program that shows any other text means something else."""
    texts = [text for name, text in known.items() if text and name != free.name]
    texts += [text.encode() for text in seen.policy.reserved]
    return meanings_in(seen.expected, seen.policy) | {meaning_of(text) for text in texts}


def _remark(
    free: FreeText,
    shown: bytes,
    rest: bytes,
    expected: tuple[Event, ...],
    known: Mapping[str, bytes | None],
    *,
    is_left_out: bool,
) -> TextRemark | None:
    if free.name not in known:
        other = next((name for name, text in known.items() if text and meaning_of(text) == meaning_of(shown)), None)
        is_other = other is not None and shown.strip()
        return TextRemark(RemarkKind.OTHER, free.name, shown, other or "") if is_other else None
    text = known[free.name]
    if not text and not _goes_on(rest, expected):
        return None
    is_missing = text and (is_left_out or not shown.strip())
    return TextRemark(RemarkKind.MISSING if is_missing else RemarkKind.CHANGED, free.name, text)


def _is_left_out(rest: bytes, expected: tuple[Event, ...], length: int) -> bool:
    """Whether a session skips the next `length` expected bytes, and then continues as expected."""
    expected_text = expected[0].text if expected and isinstance(expected[0], Shown) else b""
    first = expected_text[length:].lstrip(b"\n").partition(b"\n")[0]
    return bool(first) and rest.lstrip(b"\n").startswith(first)


def _goes_on(rest: bytes, expected: tuple[Event, ...]) -> bool:
    """Whether a session continues as expected after one extra line."""
    expected_text = expected[0].text if expected and isinstance(expected[0], Shown) else b""
    first = expected_text.lstrip(b"\n").partition(b"\n")[0]
    return bool(first) and rest.lstrip(b"\n").partition(b"\n")[2].lstrip(b"\n").startswith(first)
