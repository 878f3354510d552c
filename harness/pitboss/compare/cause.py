"""The cause of a difference, where the whole session says that it is this one: see `findings.Cause`.

Each is a claim. It is made only if the sessions are the same to their ends once exactly that is mended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import pairwise

import msgspec

from pitboss.compare.apart import first_difference
from pitboss.compare.comparison import Difference
from pitboss.compare.findings import Cause, PassedOver
from pitboss.model.policy import Policy
from pitboss.model.transcript import EndingKind, Event, InputEnded, Remark, Shown, Transcript, Typed, canonical

_NUMBER = re.compile(rb"\s*[+-]?[0-9]+(?:[.,][0-9]+)?\s*")


def cause_of(difference: Difference, expected: Transcript, actual: Transcript, policy: Policy) -> Cause | None:
    """The cause of the first difference of two sessions under a policy; None unless all of both is explained by it."""
    if actual.ending.kind is not EndingKind.EXITED or actual.bytes_dropped or difference.never_begins is not None:
        return None
    return _passed_over(difference, expected, actual, policy)


# Blank lines that are passed over


def _passed_over(difference: Difference, expected: Transcript, actual: Transcript, policy: Policy) -> PassedOver | None:
    match difference.place, difference.matched[-1:], difference.expected[:1], difference.actual[:1]:
        case "", (Typed(line),), (Shown(),), (Typed(following),) if not line.strip():
            pass
        case _:
            return None
    # Single keys are no lines. What nothing follows may have been taken for anything.
    shows_more = any(isinstance(event, Shown) and event.text.strip() for event in difference.actual[1:])
    if Remark.RAW in actual.remarks or not shows_more or expected.ending != actual.ending:
        return None
    for is_passed in (_is_empty, _is_blank):
        answers, events = _without_answers(expected.events, is_passed)
        if not answers or first_difference(msgspec.structs.replace(expected, events=events), actual, policy):
            continue
        if any(text.strip() in actual.complaint for text in answers):
            return None
        # What reads words looks at no line of blanks either.
        takes_all = is_passed is _is_blank or not any(map(_is_of_blanks, expected.lines))
        is_answered = takes_all and _is_answer_to_words(answers, expected.events)
        return PassedOver(line, following, difference.told.line - 1, answers[0], answers_words=is_answered)
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
    """What a session shows for such lines after which it asks the same again, and the session without that."""
    answers: dict[int, bytes] = {}
    for number in range(2, len(events) - 1):
        match events[number - 2 : number + 2]:
            case (Shown(asked), Typed(line), Shown(text), Typed() | InputEnded()) if is_passed(line) and _question_in(
                asked
            ) == _question_in(text):
                answers[number] = text
    kept = (event for number, event in enumerate(events) if number not in answers)
    return list(answers.values()), canonical(kept)


def _question_in(text: bytes) -> bytes:
    """The last line of a text that is not empty: the question behind which a line is typed."""
    return text.rstrip(b"\n").rpartition(b"\n")[2]


def _is_answer_to_words(answers: Collection[bytes], events: tuple[Event, ...]) -> bool:
    """Whether one of these texts is shown for a line too that is neither blank nor a number."""
    return any(
        isinstance(typed, Typed) and isinstance(shown, Shown) and shown.text in answers and _is_word(typed.line)
        for typed, shown in pairwise(events)
    )


def _is_word(line: bytes) -> bool:
    return bool(line.strip()) and not _NUMBER.fullmatch(line)
