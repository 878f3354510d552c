"""Reads the texts that a submission shows for free texts in all its sessions, and remarks on these texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from pitboss.compare.comparison import Difference
from pitboss.compare.findings import RemarkKind, TextRemark
from pitboss.compare.reading_texts import SessionPair, meaning_of, meanings_in, texts_by_majority
from pitboss.model.comparison_policy import OWN_TEXT, Policy
from pitboss.model.equality import BLANKS, Located, equality
from pitboss.model.free_texts import names_in, spans_of, with_varying_parts
from pitboss.model.line_rules import with_permitted_lines
from pitboss.model.transcript import Event, Shown, decoded, flat


class ObservedSession(NamedTuple):
    """A session of a submission, the expected session, and the policy by which they are compared."""

    policy: Policy
    expected: tuple[Event, ...]
    actual: tuple[Event, ...]


class AcceptedDifference(msgspec.Struct, frozen=True):
    """A text of the submission that was accepted instead of a different text of the reference."""

    #: The name of the free text; empty for an alternative text (see `Policy.alternatives`).
    name: str
    #: The reference's text.
    expected: str
    #: The submission's text; None or empty if the submission shows nothing instead.
    text: bytes | None


def texts_in(
    sessions: Iterable[ObservedSession], *, other_sessions: Iterable[ObservedSession] = ()
) -> dict[str, bytes | None]:
    """Returns the text that a submission shows for each free text in its sessions, by the free text's name.

    Another line that the reference shows, in these sessions or in `other_sessions`, is never taken for a free text.
    """
    free_sessions = [session for session in sessions if session.policy.free]
    # A session that is equal to the expected session shows the reference's own texts.
    if all(
        expected == actual or equality(policy).normalized(expected) == equality(policy).normalized(actual)
        for policy, expected, actual in free_sessions
    ):
        return {
            text.name: text.reference_text
            for session in free_sessions
            for text in session.policy.free
            if text.name in names_in(session.expected, session.policy.free)
        }
    other_free_sessions = [session for session in other_sessions if session.policy.free]
    meanings = frozenset[str]().union(
        *(meanings_in(session.expected, session.policy) for session in (*free_sessions, *other_free_sessions))
    )
    return texts_by_majority(
        [SessionPair(session.expected, session.actual, session.policy, meanings) for session in free_sessions]
    )


def accepted_differences(
    accepted: Iterable[ObservedSession], texts: Mapping[str, bytes | None]
) -> tuple[AcceptedDifference, ...]:
    """Returns the texts in which accepted sessions differ from the reference: free texts, then alternatives."""
    sessions = [session for session in accepted if session.expected != session.actual]
    free = {text.name: text for session in sessions for text in session.policy.free}
    # If texts are interchangeable, `texts` may have the reference's own text although the program never shows it.
    own_texts = {text.reference_text.strip(BLANKS) for text in free.values()} - {b""}
    screens = [flat(session.actual) for session in sessions]
    never_shown = {text for text in own_texts if not any(text.decode("latin-1") in screen for screen in screens)}
    differences = [
        AcceptedDifference(name, text.reference_text.decode(), texts[name])
        for name, text in free.items()
        if name in texts and (texts[name] or b"").strip(BLANKS) not in {text.reference_text.strip(BLANKS), *never_shown}
    ]
    differences += [
        AcceptedDifference("", expected_text, text.encode() or None)
        for expected_text, text in _accepted_alternatives(sessions)
    ]
    return tuple(differences)


def _accepted_alternatives(sessions: Iterable[ObservedSession]) -> list[tuple[str, str]]:
    """Returns the alternatives that programs show more often than the reference.

    Each result is the first text of a group, and the alternative, which is empty if the program omitted the text.
    """
    accepted: dict[str, dict[str, None]] = {}
    for policy, *both in sessions:
        equal = equality(policy)
        parts = (flat(equal.judged_part(events)) for events in both)
        expected, actual = (Located(part, part) for part in parts)
        expected = with_permitted_lines(expected, actual, equal)
        for group, pattern in equal.alternatives:
            first = next(filter(None, group))
            accepted_texts = accepted.setdefault(first, {})
            expected_texts, actual_texts = (
                list(map(decoded, pattern.findall(side.text))) for side in (expected, actual)
            )
            for text in dict.fromkeys(actual_texts) if any(OWN_TEXT in text for text in group) else group:
                looks_different = text.strip() != first.strip()
                if text and looks_different and actual_texts.count(text) > expected_texts.count(text):
                    accepted_texts[text] = None
            if "" in group and len(actual_texts) < len(expected_texts):
                accepted_texts[""] = None
    return [(first, text) for first, texts in accepted.items() for text in texts]


def remark_on(difference: Difference, session: ObservedSession) -> TextRemark | None:
    """Returns a remark on a difference in a free text; None for other differences, or if no remark is needed.

    The remark says what the program shows for this free text elsewhere, or which other free text it shows here.
    """
    policy = session.policy
    if not policy.free:
        return None
    pair = SessionPair(session.expected, session.actual, policy)
    known_texts = (
        {text.name: text.text for text in policy.accepted_texts if text.is_seen}
        if policy.accepted_texts is not None
        else pair.read()
    )
    split = difference.quoted
    expected_before = flat(split.expected_before)
    before = b"".join(event.text if isinstance(event, Shown) else b"\0" for event in split.before)
    offset = len(expected_before)
    for span in spans_of(
        pair.expected, policy.free, with_varying_parts(known_texts, policy.free, flat(session.actual), known_texts)
    ):
        # Skip free texts that begin after the difference, or end before it. A free text that the program omits has an
        # empty span here, and is not skipped if only blanks are between it and the difference.
        between = expected_before[span.end :]
        if span.start > offset or between.strip(" \t\r\n") or (between and span.start < span.end):
            continue
        actual_text = split.actual[0].text if split.actual and isinstance(split.actual[0], Shown) else b""
        if offset == span.end and span.start < span.end and actual_text[:1] in (b"", b"\n"):
            continue  # the whole free text was matched
        shown_text = before[len(before) - (min(offset, span.end) - span.start) :] if offset > span.start else b""
        shown_text += actual_text.partition(b"\n")[0]
        free, is_left_out = span.free, _is_left_out(actual_text, split.expected, span.end - offset)
        own_names = {text.name for text in policy.free if text == free or free.may_equal_text_of(text)}
        other_texts = {name: text for name, text in known_texts.items() if text and name not in own_names}
        if free.name not in known_texts:
            other = next(
                (name for name, text in other_texts.items() if meaning_of(text) == meaning_of(shown_text)), None
            )
            is_other = other is not None and shown_text.strip()
            return TextRemark(RemarkKind.OTHER, free.name, shown_text, other or "") if is_other else None
        texts = [*other_texts.values(), *(text.encode() for text in policy.reserved)]
        other_meanings = meanings_in(session.expected, policy) | set(map(meaning_of, texts))
        if not is_left_out and meaning_of(shown_text) in other_meanings:
            return None
        text = known_texts[free.name]
        if not text and not _continues_after_line(actual_text, split.expected):
            return None
        is_missing = text and (is_left_out or not shown_text.strip())
        return TextRemark(RemarkKind.MISSING if is_missing else RemarkKind.CHANGED, free.name, text)
    return None


def _is_left_out(actual_text: bytes, expected: tuple[Event, ...], length: int) -> bool:
    """Whether the program leaves out the next `length` expected bytes, and then continues as expected."""
    first = _first_line_after(expected, length)
    return bool(first) and actual_text.lstrip(b"\n").startswith(first)


def _continues_after_line(actual_text: bytes, expected: tuple[Event, ...]) -> bool:
    first = _first_line_after(expected, 0)
    return bool(first) and actual_text.lstrip(b"\n").partition(b"\n")[2].lstrip(b"\n").startswith(first)


def _first_line_after(expected: tuple[Event, ...], length: int) -> bytes:
    """Returns the first line with text in the expected text, without its first `length` bytes."""
    expected_text = expected[0].text if expected and isinstance(expected[0], Shown) else b""
    return expected_text[length:].lstrip(b"\n").partition(b"\n")[0]
