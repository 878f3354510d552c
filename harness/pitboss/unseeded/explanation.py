"""Adds findings about draws to a result, and puts … for expected text that depends on draws not shown so far."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pitboss.assignments.assignment import Draws, Stage
from pitboss.compare.comparison import Difference, first_difference
from pitboss.compare.findings import Compared, Impossible
from pitboss.compare.outcome import with_partly_unknown_line
from pitboss.compare.results import Result, Verdict
from pitboss.errors import HarnessError
from pitboss.model.comparison_policy import Policy
from pitboss.model.transcript import Event, Shown
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.randomness import twice_in_a_bag
from pitboss.unseeded.reader import DrawnSession, Reading, reader_of
from pitboss.unseeded.replay import Replay, with_open_line

#: About how many other values are tried for an unknown draw.
_OTHER_VALUES = 3
#: For how many unknown draws other values are tried: the last ones.
_LAST_DRAWS = 3


def with_draw_findings(result: Result, reading: Reading, replayed: Replay, stage: Stage) -> Result:
    """Returns the result with … for unknown draws in the expected line, and with a finding on a wrong draw.

    A draw is wrong if it is unreadable, impossible or repeated. `reading` has the draws of the session, `replayed` is
    the reference's run with these draws.
    """
    problem, draws = reading.problem, stage.draws
    if replayed.open_line is not None and result.verdict is Verdict.WRONG_ANSWER:
        result = with_partly_unknown_line(result, replayed.open_line, stage.limits)
    if problem is not None and result.verdict in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
        difference = result.difference
        finding = Impossible(problem, tuple(draws.values))
        is_impossible = problem.form is None  # the line can be read, but its value cannot be drawn
        is_before_difference = difference is None or difference.place or difference.line >= problem.line
        # If the expected line depends on draws that were never shown, the impossible draw may explain the difference,
        # although that comes earlier.
        if is_before_difference or (is_impossible and replayed.open_line is not None):
            return msgspec.structs.replace(result, verdict=Verdict.WRONG_ANSWER, finding=finding)
        if is_impossible and isinstance(result.finding, Compared):
            return msgspec.structs.replace(result, finding=msgspec.structs.replace(result.finding, draw=finding))
    # Reported only for an accepted session: after a difference, text may be misread as draws.
    twice = twice_in_a_bag(draws, reading.draws)
    if twice and result.verdict is Verdict.ACCEPTED:
        return msgspec.structs.replace(result, verdict=Verdict.WRONG_ANSWER, finding=twice)
    return result


def without_later_draws(
    replayed: Replay, session: DrawnSession, result: Result, policy: Policy, run: ExpectedRun, stage: Stage
) -> Replay:
    """Returns the replay, with … in the expected line for draws that the program showed only after the differing line.

    A value shown after the difference may have been drawn for another purpose, or be text that was misread as a draw.
    """
    actual, difference = session.transcript, result.difference
    differs_on_screen = replayed.difference is not None and difference is not None and not difference.place
    if (
        not differs_on_screen
        or replayed.open_line is not None
        or session.reading.problem
        or actual is None
        or difference is None
    ):
        return replayed
    # Compared under this policy, like `others` below: `replayed.difference` may be of another policy, and elsewhere.
    best = msgspec.structs.replace(replayed, difference=first_difference(replayed.expected, actual, policy))
    if best.difference is None:
        return replayed
    invocation = session.session.case.invocation
    try:
        draws_so_far = reader_of(stage)(_up_to_difference(difference)).draws
        variants = _draws_with_other_values(draws_so_far, replayed.given, stage.draws)
        open_line = with_open_line(best, variants, actual, stage, policy, run, invocation=invocation).open_line
    except HarnessError:
        return replayed  # a reader or a reference that fails on half a session is no evidence about the program
    return msgspec.structs.replace(replayed, open_line=open_line)


def _up_to_difference(difference: Difference) -> tuple[Event, ...]:
    """The program's session up to the end of the line that differs."""
    quoted = difference.quoted
    event = quoted.actual[0] if quoted.actual else None
    return (*quoted.before, Shown(event.text.partition(b"\n")[0])) if isinstance(event, Shown) else quoted.before


def _draws_with_other_values(draws: Sequence[str | None], given_draws: Sequence[str], source: Draws) -> list[list[str]]:
    """Variants of the draws so far, each with another value for one of the last unknown draws, or for the next draw."""
    draws_so_far = [value if draw is None else draw for draw, value in zip(draws, given_draws, strict=False)]
    unknown = [index for index, draw in enumerate(draws[: len(draws_so_far)]) if draw is None][-_LAST_DRAWS:]
    possible = [value for value in source.values if not source.bag or value not in draws_so_far] or source.values
    values = possible[:: max(1, len(possible) // _OTHER_VALUES)]
    variants = [[*draws_so_far[:index], value, *draws_so_far[index + 1 :]] for index in unknown for value in values]
    return [*variants, *([*draws_so_far, value] for value in values)]
