"""Adds to a result what its draws show: no draw is quoted as expected before the program has shown it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitboss.assignments.assignment import Draws, Stage
from pitboss.compare.comparison import Difference
from pitboss.compare.findings import Compared, Impossible
from pitboss.compare.judgement import with_open_line
from pitboss.compare.results import Result
from pitboss.compare.side_outputs import first_difference
from pitboss.compare.verdicts import Verdict
from pitboss.errors import HarnessError
from pitboss.model.comparison_policy import Policy
from pitboss.model.transcript import Event, Shown
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.randomness import twice_in_a_bag
from pitboss.unseeded.reader import Reading, reader_of
from pitboss.unseeded.replay import Replay, open_line_of, replay

#: How many other values are tried for each of the last unknown draws, and for how many of these draws.
_OTHERS, _LAST = 3, 3


def explained(result: Result, reading: Reading, replayed: Replay, stage: Stage) -> Result:
    """Returns the result with what its draws, as they were read, add to it."""
    problem, draws = reading.problem, stage.draws
    if replayed.open_line is not None and result.verdict is Verdict.WRONG_ANSWER:
        result = with_open_line(result, replayed.open_line, stage.limits)
    if problem is not None and result.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
        difference = result.difference
        finding = Impossible(problem, tuple(draws.values))
        is_open = replayed.open_line is not None
        is_first = difference is None or difference.place or difference.line >= problem.line
        if is_first or (problem.form is None and is_open):  # an earlier difference depends on this draw
            return msgspec.structs.replace(result, verdict=Verdict.WRONG_ANSWER, finding=finding)
        if problem.form is None and isinstance(result.finding, Compared):
            return msgspec.structs.replace(result, finding=msgspec.structs.replace(result.finding, draw=finding))
    # After a difference, text may be misread as draws.
    twice = twice_in_a_bag(draws, reading.draws) if draws.bag else None
    if twice and result.verdict is Verdict.ACCEPTED:
        return msgspec.structs.replace(result, verdict=Verdict.WRONG_ANSWER, finding=twice)
    return result


def with_known_draws(
    replayed: Replay, session: DrawnSession, result: Result, policy: Policy, run: ExpectedRun, stage: Stage
) -> Replay:
    """Returns the replay, with … in the expected line for draws that the program showed only after the differing line.

    What it shows there may have been drawn for something else, or misread as a draw.
    """
    actual, difference = session.transcript, result.difference
    has_parted = replayed.difference is not None and difference is not None and not difference.place
    if (
        not has_parted
        or replayed.open_line is not None
        or session.reading.problem
        or actual is None
        or difference is None
    ):
        return replayed
    # Under this policy, as the others below: with the program's own texts the two may differ in another place.
    best = msgspec.structs.replace(replayed, difference=first_difference(replayed.expected, actual, policy))
    if best.difference is None:
        return replayed
    invocation = session.session.case.invocation
    try:
        draws_so_far = reader_of(stage)(_up_to_difference(difference)).draws
        others = [
            replay(actual, draws, stage, policy, run, guesses=False, is_reported=False, invocation=invocation)
            for draws in _with_others(draws_so_far, replayed.given, stage.draws)
        ]
    except HarnessError:
        return replayed  # a reader or a reference that fails on half a session is no evidence about the program
    return msgspec.structs.replace(replayed, open_line=open_line_of(best, others))


def _up_to_difference(difference: Difference) -> tuple[Event, ...]:
    """The program's session up to the end of the line that differs."""
    split = difference.quoted
    rest = split.actual[0] if split.actual else None
    return (*split.before, Shown(rest.text.partition(b"\n")[0])) if isinstance(rest, Shown) else split.before


def _with_others(shown: Sequence[str | None], given: Sequence[str], source: Draws) -> list[list[str]]:
    """The draws so far, with other values for the last ones that are unknown and for the next one."""
    so_far = [value if draw is None else draw for draw, value in zip(shown, given, strict=False)]
    unknown = [index for index, draw in enumerate(shown[: len(so_far)]) if draw is None][-_LAST:]
    free = [value for value in source.values if not source.bag or value not in so_far] or source.values
    values = free[:: max(1, len(free) // _OTHERS)]
    other = [[*so_far[:index], value, *so_far[index + 1 :]] for index in unknown for value in values]
    return [*other, *([*so_far, value] for value in values)]
