"""Finds causes of a difference; nothing else looks for causes.

`cause_of` finds a cause that explains the whole session (`findings.Cause`): the sessions are the same to their ends
once that cause alone is corrected. `line_error_of` finds whole lines that are missing, extra, swapped or in another
order. The functions on late text recognize a program that does not flush its output.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Collection
from enum import Enum
from itertools import chain, pairwise, takewhile
from typing import NamedTuple

import msgspec

from pitboss.compare.comparison import Difference, Split, difference_between, events_of_text, first_difference
from pitboss.compare.findings import Cause, OtherStream, PassedOver
from pitboss.model.comparison_policy import Policy
from pitboss.model.transcript import (
    EndingKind,
    Event,
    InputEnded,
    Line,
    Paused,
    Remark,
    Shown,
    Transcript,
    Typed,
    canonical,
    has_text,
    is_text,
    lines_of,
    shared_length,
    text_in,
    unfinished_line,
)

#: The maximum number of missing or extra lines to look for.
_MAX_LINES = 24
#: If sessions differ again after a correction of lines, they must first agree on at least this many lines with text.
_MIN_AGREEING = 2
#: The maximum error of a measured pause, in milliseconds.
_NEAR_MS = 350
_NUMBER = re.compile(rb"\s*[+-]?[0-9]+(?:[.,][0-9]+)?\s*")


def cause_of(difference: Difference, expected: Transcript, actual: Transcript, policy: Policy) -> Cause | None:
    """Returns the cause of the first difference between two sessions; None unless it explains all their differences."""
    is_whole = actual.ending.kind is EndingKind.EXITED and not actual.bytes_dropped
    if not is_whole or difference.place or difference.judging_start_line is not None:
        return None
    return (
        _skipped_line_cause(difference, expected, actual, policy)
        or _wrong_stream_cause(expected, actual, policy)
        or _wrong_stream_message_cause(difference, expected, actual)
    )


# Blank lines that the program skips


def _skipped_line_cause(
    difference: Difference, expected: Transcript, actual: Transcript, policy: Policy
) -> PassedOver | None:
    """Returns the cause if the program skips blank lines that it should answer; None if that is not the only cause."""
    match difference.matched[-1:], difference.expected[:1], difference.actual[:1]:
        case (Typed(line),), (Shown(),), (Typed(following),) if not line.strip():
            pass
        case _:
            return None
    # A program that reads single keys reads no lines. If the program shows nothing afterwards, it may have used the
    # blank line for anything.
    shows_more = any(isinstance(event, Shown) and event.text.strip() for event in difference.actual[1:])
    if Remark.RAW in actual.remarks or not shows_more or expected.ending != actual.ending:
        return None
    for is_skipped in (operator.not_, _is_blank):  # empty lines, or all blank lines
        answers, events = _without_answers(expected.events, is_skipped)
        if not answers or first_difference(msgspec.structs.replace(expected, events=events), actual, policy):
            continue
        if any(text.strip() in actual.complaint for text in answers):  # answered on standard error
            return None
        # A program that reads word by word skips lines of blanks too.
        skips_every_blank_line = is_skipped is _is_blank or not any(
            line and not line.strip() for line in expected.lines
        )
        answers_words = skips_every_blank_line and _is_answer_to_words(answers, expected.events)
        return PassedOver(line, following, difference.quoted.line - 1, answers[0], answers_words=answers_words)
    return None


def _is_blank(line: bytes) -> bool:
    return not line.strip()


def _without_answers(
    events: tuple[Event, ...], is_skipped: Callable[[bytes], bool]
) -> tuple[list[bytes], tuple[Event, ...]]:
    """Returns the answers to the lines that the program skips, and the session without these answers.

    An answer is all text that is shown after such a line, if that text ends with the same question as before the line.
    """
    answers: dict[int, bytes] = {}
    for number in range(2, len(events) - 1):
        match events[number - 2 : number + 2]:
            case (Shown(before), Typed(line), Shown(text), Typed() | InputEnded()) if is_skipped(line) and _question_in(
                before
            ) == _question_in(text):
                answers[number] = text
    remaining = (event for number, event in enumerate(events) if number not in answers)
    return list(answers.values()), canonical(remaining)


def _question_in(text: bytes) -> bytes:
    """Returns the last non-empty line of a text: the question after which a line is typed."""
    return text.rstrip(b"\n").rpartition(b"\n")[2]


def _is_answer_to_words(answers: Collection[bytes], events: tuple[Event, ...]) -> bool:
    """Whether any of these texts also follows a line that is neither blank nor a number."""
    typed_before = (
        typed.line
        for typed, shown in pairwise(events)
        if isinstance(typed, Typed) and isinstance(shown, Shown) and shown.text in answers
    )
    return any(line.strip() and not _NUMBER.fullmatch(line) for line in typed_before)


# Texts on the wrong stream: standard error instead of the screen, or the screen instead of standard error


def _wrong_stream_cause(expected: Transcript, actual: Transcript, policy: Policy) -> OtherStream | None:
    """Returns the cause if the sessions are the same once the texts on the wrong stream are moved; else None."""
    expected_errors, actual_errors = (
        transcript.complaint if transcript.errors is None else transcript.errors for transcript in (expected, actual)
    )
    are_errors_compared = expected.errors is not None and actual.errors is not None
    if moved := _find_moved_texts(expected.events, actual.events, actual_errors, policy):
        is_on_errors, corrected_events = True, moved.second_with_texts
        is_stream_right = not are_errors_compared or _matches_without_moved_texts(
            actual_errors, moved, expected_errors, policy
        )
    elif moved := _find_moved_texts(actual.events, expected.events, expected_errors, policy):
        is_on_errors, corrected_events = False, moved.first_without_texts
        if are_errors_compared:
            is_stream_right = _matches_without_moved_texts(expected_errors, moved, actual_errors, policy)
        else:  # the texts must not also be on standard error
            is_stream_right = not any(text in actual_errors for text in moved.texts)
    else:
        return None
    corrected = msgspec.structs.replace(actual, events=corrected_events, errors=None, ending=expected.ending)
    if (
        not is_stream_right
        or first_difference(msgspec.structs.replace(expected, errors=None), corrected, policy) is not None
    ):
        return None
    return OtherStream(moved.texts, is_on_errors=is_on_errors)


def _wrong_stream_message_cause(difference: Difference, expected: Transcript, actual: Transcript) -> OtherStream | None:
    """Returns the cause if the program ends with a message on the screen that belongs on standard error; else None.

    The wording of the message is free, and the program writes nothing to standard error.
    """
    if not expected.accepts_any_errors or (actual.errors or b"").strip() or difference.expected:
        return None
    match difference.actual:
        case (Shown(text),) if text.strip():
            return OtherStream((text,), is_on_errors=False)
    return None


def _matches_without_moved_texts(errors: bytes, moved: _MovedTexts, other_errors: bytes, policy: Policy) -> bool:
    """Whether a session's standard error, without the moved texts, is the standard error of the other session.

    If `errors` contains a moved text twice, either occurrence may be the moved one.
    """
    text, other_events = b"".join(moved.texts), events_of_text(other_errors)
    if difference_between(events_of_text(moved.remaining_stream), other_events, policy) is None:
        return True
    moved_again = _find_moved_texts(events_of_text(errors), other_events, text, policy)
    return moved_again is not None and b"".join(moved_again.texts) == text


class _MovedTexts(NamedTuple):
    """Texts that a first session shows on its screen, and a second session writes to its other stream.

    The other stream is standard error; if standard error is ignored, only its end is known.
    """

    texts: tuple[bytes, ...]
    #: The second session with these texts on its screen.
    second_with_texts: tuple[Event, ...]
    #: The first session without these texts.
    first_without_texts: tuple[Event, ...]
    #: The other stream of the second session, without these texts.
    remaining_stream: bytes


def _find_moved_texts(
    first: tuple[Event, ...], second: tuple[Event, ...], stream: bytes, policy: Policy
) -> _MovedTexts | None:
    """Returns the texts that `first` shows in addition to `second`; None unless `stream` has all these texts, in order.

    `stream` is the other stream of the second session. A piece that the second screen shows next is not moved.
    """
    if not stream.strip():
        return None
    pieces, second_pieces = (list(chain.from_iterable(lines_of(events))) for events in (first, second))
    texts: list[bytes] = []
    with_texts: list[Event] = []
    without_texts: list[Event] = []
    remaining_parts: list[bytes] = []
    used = 0  # how many bytes of the stream come before the next moved text
    for piece in pieces:
        index = len(without_texts)
        second_piece = second_pieces[index] if index < len(second_pieces) else None
        if (
            second_piece is not None
            and type(piece) is type(second_piece)
            and difference_between((piece,), (second_piece,), policy) is None
        ):
            with_texts.append(second_piece)
            without_texts.append(piece)
            continue
        start = _offset_in(stream, piece.text, used) if isinstance(piece, Shown) else None
        if start is None or not isinstance(piece, Shown):
            return None
        texts.append(piece.text)
        with_texts.append(piece)
        remaining_parts.append(stream[used:start])
        used = start + len(piece.text)
    if len(without_texts) < len(second_pieces) or not b"".join(texts).strip():
        return None
    remaining_stream = b"".join((*remaining_parts, stream[used:]))
    return _MovedTexts(tuple(texts), canonical(with_texts), canonical(without_texts), remaining_stream)


def _offset_in(stream: bytes, text: bytes, minimum: int) -> int | None:
    """Returns the first offset of `text` in `stream`, from `minimum` on; None if the text is not found.

    The text must begin at the start of a line, or at `minimum` itself.
    """
    start = stream.find(text, minimum)
    while start > 0 and start != minimum and stream[start - 1 : start] != b"\n":
        start = stream.find(text, start + 1)
    return None if start < 0 else start


# Whole lines


class LineErrorKind(Enum):
    """What is wrong with whole lines from the first difference on."""

    MISSING = "missing"
    EXTRA = "extra"
    #: The first two lines are swapped.
    SWAPPED = "swapped"
    #: All lines to the end are there, in another order.
    REORDERED = "reordered"


class LineError(NamedTuple):
    """An error in whole lines. Lines are as they were compared: a policy may have changed them."""

    kind: LineErrorKind
    #: The missing lines, else the expected lines from the difference on; for EXTRA, the extra lines.
    lines: list[Line]
    #: The program's lines from the difference on.
    actual: list[Line]

    @property
    def trimmed(self) -> tuple[Line, ...]:
        """The lines without empty lines at either end."""
        indexes = [index for index, line in enumerate(self.lines) if text_in(line).strip()]
        return tuple(self.lines[indexes[0] : indexes[-1] + 1]) if indexes else ()


class _Agreement(NamedTuple):
    """How far two sessions agree; a greater value is further."""

    #: Whether the sessions agree to their ends.
    is_complete: bool
    #: The number of lines with text on which the sessions agree before they differ.
    lines: int


class _Correction(NamedTuple):
    """A correction of the program's lines, from the first difference on."""

    #: How far the sessions agree after this correction.
    agreement: _Agreement
    #: The number of lines that are changed, negative: of corrections after which the sessions agree equally far, the
    #: one that changes fewest lines is best.
    negative_size: int
    #: None if lines are replaced one for one.
    kind: LineErrorKind | None
    lines: list[Line]


def line_error_of(difference: Difference) -> LineError | None:
    """Returns what is wrong with whole lines; None if a difference is something else, or what is wrong is uncertain.

    After the correction of the error, the sessions must agree to their ends or for at least as many lines as were
    corrected, and further than after any other kind of correction. Lines with typed input, or at which the program
    found the end of input, are never moved.
    """
    unfinished = unfinished_line(difference.matched)
    expected, actual = lines_of((*unfinished, *difference.expected)), lines_of((*unfinished, *difference.actual))
    if not expected:
        return None
    missing, extra = LineErrorKind.MISSING, LineErrorKind.EXTRA
    replaced = range(1, min(_MAX_LINES, len(expected), len(actual)) + 1)
    corrections = [
        *(_Correction(_agreement(expected[n:], actual[n:]), -n, None, []) for n in replaced),
        *(_Correction(_agreement(expected[n:], actual), -n, missing, expected[:n]) for n in _block_sizes(expected)),
        *(_Correction(_agreement(expected, actual[n:]), -n, extra, actual[:n]) for n in _block_sizes(actual)),
    ]
    is_swapped = (
        expected[:2] == actual[1::-1]
        and len({*map(text_in, expected[:2])}) == 2
        and all(is_text(line) and text_in(line).strip() for line in expected[:2])
    )
    if is_swapped:
        is_complete, lines = _agreement(expected[2:], actual[2:])
        # Two lines in each other's position are evidence enough, even if no later line agrees.
        agreement = _Agreement(is_complete, lines + _MIN_AGREEING)
        corrections.append(_Correction(agreement, -1, LineErrorKind.SWAPPED, expected))
    if not corrections:
        return None
    best = max(corrections, key=lambda correction: correction[:2])
    is_solved = any(correction.agreement.is_complete for correction in corrections if correction.kind)
    if not is_solved and _is_reordered(expected, actual):
        return LineError(LineErrorKind.REORDERED, expected, actual)
    is_best_kind = all(other.agreement < best.agreement for other in corrections if other.kind is not best.kind)
    is_certain = best.agreement.is_complete or best.agreement.lines >= max(_MIN_AGREEING, -best.negative_size)
    return LineError(best.kind, best.lines, actual) if best.kind and is_best_kind and is_certain else None


def _agreement(expected: list[Line], actual: list[Line]) -> _Agreement:
    """Returns how far these lines agree, from the first line of both."""
    count = 0
    for expected_line, actual_line in zip(expected, actual, strict=False):
        if expected_line != actual_line:
            return _Agreement(False, count)
        count += has_text(expected_line)
    return _Agreement(len(expected) == len(actual), count)


def _block_sizes(lines: list[Line]) -> range:
    """Returns the possible sizes of a block of missing or extra first lines; all lines of a block must be text."""
    return range(1, sum(1 for _ in takewhile(is_text, lines[:_MAX_LINES])) + 1)


def _is_reordered(expected: list[Line], actual: list[Line]) -> bool:
    """Whether all lines are text, and the same lines are shown in another order; not if only pauses have moved."""
    if len(expected) <= _MIN_AGREEING or Counter(expected) != Counter(actual) or not all(map(is_text, expected)):
        return False
    first, second = (next(filter(bytes.strip, map(text_in, lines)), b"") for lines in (expected, actual))
    return first != second


# Late texts: the program does not flush its output


def text_kept_in_buffer(split: Split) -> Shown | None:
    """Returns the first visible text that comes after pauses instead of before them; None if no buffer explains that.

    Up to the next read, such a program shows the expected text and pauses for as long as expected, but all pauses come
    first. At least two pauses must be expected: a single pause may just as well be in the wrong place itself.
    """
    expected, actual = _events_until_read(split.expected), _events_until_read(split.actual)
    match actual:
        case (Paused(actual_ms), Shown(text)) if text == _text_of(expected):
            pass
        case _:
            return None
    pauses_ms = [event.duration_ms for event in expected if isinstance(event, Paused)]
    if len(pauses_ms) < 2 or abs(sum(pauses_ms) - actual_ms) > _NEAR_MS:
        return None
    last_pause = max(index for index, event in enumerate(expected) if isinstance(event, Paused))
    visible = (event for event in expected[:last_pause] if isinstance(event, Shown) and event.text.strip())
    return next(visible, None)


def is_shown_late(split: Split, missing: bytes) -> bool:
    """Whether a missing text seems to be shown too late, rather than not at all."""
    if not missing.strip() or not _text_of(split.actual).startswith(missing):
        return False
    expected, actual = (_text_of(events).decode("latin-1") for events in (split.expected, split.actual))
    # Both texts begin with `missing`. It is only late if the actual text then goes on like the expected text; it is
    # missing if the actual text is rather like the expected text after `missing`.
    return shared_length(expected, actual) > shared_length(expected[len(missing) :], actual)


def _events_until_read(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Returns the events before the program next reads a line or the end of input."""
    return tuple(takewhile(lambda event: not isinstance(event, Typed | InputEnded), events))


def _text_of(events: tuple[Event, ...]) -> bytes:
    return b"".join(event.text for event in events if isinstance(event, Shown))
