"""A known wrong program beside a session: whether it does what was done there.

Naming a submission's mistake asks this, and so does the matrix of cases and the mistakes that they catch.
"""

from __future__ import annotations

from harness.assignments.assignment import Stage
from harness.draws.replay import replay
from harness.errors import HarnessError
from harness.judging.comparison import difference_between
from harness.judging.outcome import Witness
from harness.running.references import ExpectedRun
from harness.transcripts.scripts import InputScript, typing
from harness.transcripts.transcript import Event, InputEnded


def does_same(
    program: ExpectedRun,
    witness: Witness,
    stage: Stage,
    *,
    input_script: InputScript | None = None,
    is_whole: bool = False,
) -> bool:
    """Whether a program does in a session what was done in it; it does not where it fails or comes to no end.

    It is given the draws of the session, and its lines or an `input_script` that decides on them from what is shown.
    Sessions are compared until more input is asked for than there is, since what follows that is no part of a mistake;
    where `is_whole`, to their end.
    """
    actual = witness.actual
    try:
        if witness.draws is not None:
            return replay(actual, witness.draws, stage, witness.policy, program).difference is None
        told = program(input_script or typing(actual.lines))
    except HarnessError:
        return False
    if told.ending.exit_code != actual.ending.exit_code:
        return False
    if is_whole:
        return difference_between(actual.events, told.events, witness.policy) is None
    return difference_between(_asked_for(told.events), _asked_for(actual.events), witness.policy) is None


def told_by(program: ExpectedRun, witness: Witness, stage: Stage) -> tuple[Event, ...] | None:
    """What a program does with the lines and draws of a session; None where it fails or comes to no end.

    Draws that were not shown are any.
    """
    try:
        if witness.draws is None:
            return program(typing(witness.actual.lines)).events
        return replay(witness.actual, witness.draws, stage, witness.policy, program, guesses=False).expected.events
    except HarnessError:
        return None


def _asked_for(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """What was done until more input was asked for than there is."""
    end = next((index for index, event in enumerate(events) if isinstance(event, InputEnded)), len(events))
    return events[: end + 1]
