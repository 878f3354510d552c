"""Selects the accepted sessions that most likely reveal misuse of memory: long sessions, and sessions with new words.

Programs most often write past the end of an array that grows with the session, or that holds a typed line. Starting a
program under the sanitizers is slow. So a session in which nothing new is typed or shown is not selected, since such a
session most likely runs the same lines of code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby

from pitboss.compare.results import Result, Verdict
from pitboss.model.transcript import Shown

#: At most this many sessions are selected for each stage; a stage may have more if another has fewer.
MAX_SELECTED_PER_STAGE = 8
_WORD = re.compile(rb"[0-9]+|[^\W0-9_]+")
_DIGIT = re.compile(rb"[0-9]")


def revealing_sessions(results: Sequence[Result]) -> list[Result]:
    """Select accepted sessions of public cases; `results` are of stages that share one program.

    Selects the session with the maximum of each measure and the longest session of each stage. Then repeatedly adds the
    session with the most words that no selected session contains. The selection is deterministic.
    """
    candidates = [result for result in results if result.verdict is Verdict.ACCEPTED and result.visibility == "public"]
    if not candidates:
        return []
    selection = [max(candidates, key=measure) for measure in _MEASURES]
    stages = dict.fromkeys(result.stage for result in candidates)
    selection += [max((result for result in candidates if result.stage == stage), key=_MEASURES[0]) for stage in stages]
    words_of_candidates = [(result, _words_in(result)) for result in candidates]
    selected_ids = {id(result) for result in selection}
    covered = {word for result, words in words_of_candidates if id(result) in selected_ids for word in words}
    while len(selected_ids) < MAX_SELECTED_PER_STAGE * len(stages):
        result, words = max(words_of_candidates, key=lambda pair: len(pair[1] - covered))
        if words <= covered:
            break
        selected_ids.add(id(result))
        selection.append(result)
        covered |= words
    return list({id(result): result for result in selection}.values())


def _words_in(result: Result) -> frozenset[bytes]:
    """Returns the typed lines of a session, and the words of its text, with every digit replaced by 0."""
    # A newline marks typed lines, since a typed word is not the same as that word in the output.
    typed = (b"\n" + _DIGIT.sub(b"0", line) for line in result.actual.lines)
    words = (_DIGIT.sub(b"0", word) for word in _WORD.findall(result.actual.text))
    return frozenset((*typed, *words))


def _longest_output(result: Result) -> int:
    """Returns the length of the longest output between two typed lines; a printed table suggests a large array."""
    return max((len(event.text) for event in result.actual.events if isinstance(event, Shown)), default=0)


def _longest_repetition(result: Result) -> int:
    """Returns the largest number of equal lines typed in a row.

    With equal answers to a question such as “Another item?”, a program fills an array.
    """
    return max((len(list(equal_lines)) for _, equal_lines in groupby(result.actual.lines)), default=0)


def _longest_line(result: Result) -> int:
    return max(map(len, result.actual.lines), default=0)


#: The session with the maximum of a measure is selected; of several such sessions, the session of the earliest case.
#: The first measure, the number of typed lines, also determines the longest session of each stage.
_MEASURES: tuple[Callable[[Result], int], ...] = (
    lambda result: len(result.actual.lines),
    lambda result: len(result.actual.text),
    _longest_repetition,
    _longest_output,
    _longest_line,
)
