"""Finds the cause of a difference, if that cause explains the whole session: see `findings.Cause`.

A cause is reported only if correcting it alone makes the sessions the same to their ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import pairwise
from typing import NamedTuple

import msgspec

from pitboss.compare.comparison import Difference, difference_between
from pitboss.compare.findings import Cause, OtherStream, PassedOver
from pitboss.compare.side_outputs import first_difference
from pitboss.model.comparison_policy import Policy
from pitboss.model.screen_lines import pieces_of
from pitboss.model.transcript import EndingKind, Event, InputEnded, Remark, Shown, Transcript, Typed, canonical

_NUMBER = re.compile(rb"\s*[+-]?[0-9]+(?:[.,][0-9]+)?\s*")


def cause_of(difference: Difference, expected: Transcript, actual: Transcript, policy: Policy) -> Cause | None:
    """Returns the cause of the first difference between two sessions; None unless it explains both to their ends."""
    is_whole = actual.ending.kind is EndingKind.EXITED and not actual.bytes_dropped
    if not is_whole or difference.place or difference.never_begins is not None:
        return None
    return (
        _passed_over(difference, expected, actual, policy)
        or _other_stream(expected, actual, policy)
        or _own_message(difference, expected, actual)
    )


# Blank lines that are passed over


def _passed_over(difference: Difference, expected: Transcript, actual: Transcript, policy: Policy) -> PassedOver | None:
    match difference.matched[-1:], difference.expected[:1], difference.actual[:1]:
        case (Typed(line),), (Shown(),), (Typed(following),) if not line.strip():
            pass
        case _:
            return None
    # Single keys are not lines. If nothing is shown afterwards, the line may have been used for anything.
    shows_more = any(isinstance(event, Shown) and event.text.strip() for event in difference.actual[1:])
    if Remark.RAW in actual.remarks or not shows_more or expected.ending != actual.ending:
        return None
    for is_passed in (_is_empty, _is_blank):
        answers, events = _without_answers(expected.events, is_passed)
        if not answers or first_difference(msgspec.structs.replace(expected, events=events), actual, policy):
            continue
        if any(text.strip() in actual.complaint for text in answers):
            return None
        # A program that reads words skips lines of blanks too.
        takes_all = is_passed is _is_blank or not any(map(_is_of_blanks, expected.lines))
        is_answered = takes_all and _is_answer_to_words(answers, expected.events)
        return PassedOver(line, following, difference.quoted.line - 1, answers[0], answers_words=is_answered)
    return None


def _is_empty(line: bytes) -> bool:
    return not line


def _is_blank(line: bytes) -> bool:
    return not line.strip()


def _is_of_blanks(line: bytes) -> bool:
    return bool(line) and not line.strip()


def _without_answers(
    events: tuple[Event, ...], is_passed: Callable[[bytes], bool]
) -> tuple[list[bytes], tuple[Event, ...]]:
    """Returns the texts between a line passed over and the repeated question, and the session without these texts."""
    answers: dict[int, bytes] = {}
    for number in range(2, len(events) - 1):
        match events[number - 2 : number + 2]:
            case (Shown(before), Typed(line), Shown(text), Typed() | InputEnded()) if is_passed(line) and _question_in(
                before
            ) == _question_in(text):
                answers[number] = text
    remaining = (event for number, event in enumerate(events) if number not in answers)
    return list(answers.values()), canonical(remaining)


def _question_in(text: bytes) -> bytes:
    """The last non-empty line of a text: the question after which a line is typed."""
    return text.rstrip(b"\n").rpartition(b"\n")[2]


def _is_answer_to_words(answers: Collection[bytes], events: tuple[Event, ...]) -> bool:
    """Whether any of these texts also follows a line that is neither blank nor a number."""
    return any(
        isinstance(typed, Typed) and isinstance(shown, Shown) and shown.text in answers and _is_word(typed.line)
        for typed, shown in pairwise(events)
    )


def _is_word(line: bytes) -> bool:
    return bool(line.strip()) and not _NUMBER.fullmatch(line)


# Texts on the other stream


def _other_stream(expected: Transcript, actual: Transcript, policy: Policy) -> OtherStream | None:
    expected_errors, actual_errors = (
        transcript.complaint if transcript.errors is None else transcript.errors for transcript in (expected, actual)
    )
    is_compared = expected.errors is not None and actual.errors is not None
    if moved := _moved(expected.events, actual.events, actual_errors, policy):
        screen, is_right = moved.filled, not is_compared or _is_left(actual_errors, moved, expected_errors, policy)
    elif moved := _moved(actual.events, expected.events, expected_errors, policy):
        is_there_too = not is_compared and any(text in actual_errors for text in moved.texts)
        screen, is_right = (
            moved.emptied,
            not is_there_too and (not is_compared or _is_left(expected_errors, moved, actual_errors, policy)),
        )
    else:
        return None
    mended = msgspec.structs.replace(actual, events=screen, errors=None, ending=expected.ending)
    if not is_right or first_difference(msgspec.structs.replace(expected, errors=None), mended, policy) is not None:
        return None
    return OtherStream(moved.texts, is_on_errors=screen is moved.filled)


def _own_message(difference: Difference, expected: Transcript, actual: Transcript) -> OtherStream | None:
    """A message in any wording that belongs on standard error, but is on the screen, after everything else."""
    if not expected.has_any_errors or (actual.errors or b"").strip() or difference.expected:
        return None
    match difference.actual:
        case (Shown(text),) if text.strip():
            return OtherStream((text,), is_on_errors=False)
    return None


def _is_left(stream: bytes, moved: _Moved, other_stream: bytes, policy: Policy) -> bool:
    """Whether `stream` without the moved texts is `other_stream`; `stream` may have moved lines twice."""
    text, rest, other = b"".join(moved.texts), _as_canonical(moved.rest), _as_canonical(other_stream)
    if difference_between(rest, other, policy) is None:
        return True
    moved_again = _moved(_as_canonical(stream), other, text, policy)
    return moved_again is not None and b"".join(moved_again.texts) == text


def _as_canonical(text: bytes) -> tuple[Event, ...]:
    return canonical((Shown(text),))


class _Moved(NamedTuple):
    """Extra texts on the screen of a first session that a second session has on its other stream."""

    texts: tuple[bytes, ...]
    #: The second session with these texts on its screen.
    filled: tuple[Event, ...]
    #: The first session without these texts.
    emptied: tuple[Event, ...]
    #: What remains of the other stream of the second session.
    rest: bytes


class _Step(NamedTuple):
    """A step in matching the pieces of a screen, using as little of the other stream as possible."""

    #: How much of the stream has been used.
    passed: int
    #: Where this piece begins in the stream; None if the piece is on both screens.
    start: int | None = None


def _moved(fuller: tuple[Event, ...], other: tuple[Event, ...], stream: bytes, policy: Policy) -> _Moved | None:
    """Returns what `fuller` shows in addition to `other`; None unless all of that is in `stream`, in order."""
    pieces, others = ([piece for piece, _ in pieces_of(events)] for events in (fuller, other))
    extra = len(pieces) - len(others)
    if not stream.strip() or not 0 < extra <= _MAX_MOVED or len(pieces) * extra > _MAX_TRIED:
        return None
    # The steps at each piece, keyed by how many of the pieces before that piece are moved.
    steps: list[dict[int, _Step]] = [{0: _Step(0)}]
    for number, piece in enumerate(pieces):
        next_steps: dict[int, _Step] = {}
        for count, step in steps[-1].items():
            other_number = number - count
            if other_number < len(others) and _is_alike(piece, others[other_number], policy):
                _add_shorter(next_steps, count, _Step(step.passed))
            if count < extra and isinstance(piece, Shown):
                start = _place_in(stream, piece.text, step.passed)
                if start is not None:
                    _add_shorter(next_steps, count + 1, _Step(start + len(piece.text), start))
        steps.append(next_steps)
    return _traced(steps, pieces, others, stream) if extra in steps[-1] else None


#: At most this many pieces of a screen may be moved.
_MAX_MOVED = 200
#: At most this many pairs of pieces are compared.
_MAX_TRIED = 200_000


def _add_shorter(steps: dict[int, _Step], count: int, step: _Step) -> None:
    if count not in steps or step.passed < steps[count].passed:
        steps[count] = step


def _is_alike(event: Event, other: Event, policy: Policy) -> bool:
    return event == other or (type(event) is type(other) and difference_between((event,), (other,), policy) is None)


def _place_in(stream: bytes, text: bytes, passed: int) -> int | None:
    """Returns the offset of `text` in `stream`, from `passed` on: at the start of a line, or at `passed` itself."""
    start = stream.find(text, passed)
    while start > 0 and start != passed and stream[start - 1 : start] != b"\n":
        start = stream.find(text, start + 1)
    return None if start < 0 else start


def _traced(steps: list[dict[int, _Step]], pieces: list[Event], others: list[Event], stream: bytes) -> _Moved | None:
    """Returns the moved texts, traced back from the last piece; None if they are all blank."""
    count, moved = len(pieces) - len(others), set[int]()
    rest = stream
    for number in range(len(pieces) - 1, -1, -1):
        step = steps[number + 1][count]
        if step.start is not None:
            moved.add(number)
            rest = rest[: step.start] + rest[step.passed :]
            count -= 1
    texts = tuple(piece.text for number, piece in enumerate(pieces) if number in moved and isinstance(piece, Shown))
    if not b"".join(texts).strip():
        return None
    remaining = iter(others)
    filled = [piece if number in moved else next(remaining) for number, piece in enumerate(pieces)]
    emptied = [piece for number, piece in enumerate(pieces) if number not in moved]
    return _Moved(texts, canonical(filled), canonical(emptied), rest)
