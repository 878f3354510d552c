"""Selects the accepted sessions that most likely reveal misuse of memory: extreme sessions, and some of each kind.

Programs most often write past the end of an array that grows with the session, or that holds a typed line. Starting a
program under the sanitizers is slow, so a session in which nothing new is typed or shown is not selected: it most
likely runs the same lines of code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pitboss.compare.results import Result
from pitboss.compare.verdicts import Verdict
from pitboss.model.transcript import Shown

#: The maximum number of sessions selected per stage.
MAX_SELECTED = 8
_WORD = re.compile(rb"[0-9]+|[^\W0-9_]+")
_DIGIT = re.compile(rb"[0-9]")


def revealing_sessions(results: Sequence[Result]) -> list[Result]:
    """Select accepted sessions of public cases, for stages that share one program. The selection is deterministic.

    It begins with the extreme sessions and the longest session of each stage; then it repeatedly adds the session with
    the most lines and words not yet covered.
    """
    candidates = [result for result in results if result.verdict is Verdict.ACCEPTED and result.visibility == "public"]
    if not candidates:
        return []
    selection = [max(candidates, key=measure) for measure in _MEASURES]
    stages = dict.fromkeys(result.stage for result in candidates)
    selection += [max((result for result in candidates if result.stage == stage), key=_MEASURES[0]) for stage in stages]
    with_words = [(result, _words_in(result)) for result in candidates]
    selected = {id(result) for result in selection}
    seen = {word for result, words in with_words if id(result) in selected for word in words}
    while len(selected) < MAX_SELECTED * len(stages):
        result, words = max(with_words, key=lambda pair: len(pair[1] - seen))
        if words <= seen:
            break
        selected.add(id(result))
        selection.append(result)
        seen |= words
    return list({id(result): result for result in selection}.values())


def _words_in(result: Result) -> frozenset[bytes]:
    """The lines that are typed in a session and the words that it shows, with every digit replaced by 0."""
    typed = (b"\n" + _DIGIT.sub(b"0", line) for line in result.actual.lines)
    words = (_DIGIT.sub(b"0", word) for word in _WORD.findall(result.actual.text))
    return frozenset((*typed, *words))


def _longest_output(result: Result) -> int:
    """The longest output between two typed lines; a printed table suggests a large array."""
    return max((len(event.text) for event in result.actual.events if isinstance(event, Shown)), default=0)


def _longest_repetition(result: Result) -> int:
    """The longest run of equal typed lines, as when a program asks again and again whether to add another item."""
    longest = count = 0
    last = None
    for line in result.actual.lines:
        count = count + 1 if line == last else 1
        longest, last = max(longest, count), line
    return longest


def _longest_line(result: Result) -> int:
    return max(map(len, result.actual.lines), default=0)


#: Ties go to the earliest case.
_MEASURES: tuple[Callable[[Result], int], ...] = (
    lambda result: len(result.actual.lines),
    lambda result: len(result.actual.text),
    _longest_repetition,
    _longest_output,
    _longest_line,
)
