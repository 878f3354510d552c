"""Choosing the accepted sessions in which misuse of memory is likeliest to show: long ones, and unusual input.

What is used beyond its end is most often an array that grows with the session, or the text of a line that was typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from harness.judging.results import Result
from harness.judging.verdicts import Verdict
from harness.transcripts.transcript import Shown

#: The most sessions of a stage that are chosen.
MOST = 12


def chosen_from(results: Sequence[Result]) -> list[Result]:
    """At most MOST accepted sessions of public cases, the likeliest first; the same for the same results."""
    left = [one for one in results if one.verdict is Verdict.ACCEPTED and one.visibility == "public"]
    ranked = [sorted(left, key=measure, reverse=True) for measure in _MEASURES]
    ranked.append(_of_new_lines(left))
    turns = (one for turn in zip(*ranked, strict=True) for one in turn)
    return list({one.case: one for one in turns}.values())[:MOST]


def _shown_at_once(result: Result) -> int:
    """The most that is shown between two lines that are typed: a table grows with what is in it."""
    return max((len(event.text) for event in result.actual.events if isinstance(event, Shown)), default=0)


def _lines_alike(result: Result) -> int:
    """The most equal lines that are typed in a row: where one more is asked for, the answer is the same again."""
    most = count = 0
    last = None
    for line in result.actual.lines:
        count = count + 1 if line == last else 1
        most, last = max(most, count), line
    return most


def _longest_line(result: Result) -> int:
    return max(map(len, result.actual.lines), default=0)


#: Sorting is stable, so that of equals the first in the order of the cases comes first.
_MEASURES: tuple[Callable[[Result], int], ...] = (
    lambda result: len(result.actual.lines),
    lambda result: len(result.actual.text),
    _lines_alike,
    _shown_at_once,
    _longest_line,
)


def _of_new_lines(results: Iterable[Result]) -> list[Result]:
    """The sessions, those first in which most lines are typed that none before them has."""
    left, ranked, seen = list(results), list[Result](), set[bytes]()
    while left:
        new = [len({*one.actual.lines} - seen) for one in left]
        if not max(new):
            break
        ranked.append(left.pop(new.index(max(new))))
        seen |= {*ranked[-1].actual.lines}
    return ranked + left
