"""Compares a known wrong program with a session: whether it behaves in the same way.

Used to name a submission's mistake, and for the matrix of cases and the mistakes that they catch.
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
    """Whether a program reproduces a session; false if it fails or does not end.

    The program gets the session's draws, and its typed lines or an `input_script` that chooses them from the screen.
    Sessions are compared up to the first read past the end of input, since what follows is not part of a mistake;
    with `is_whole`, to their end.
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
    """The events of a program run on the lines and draws of a session; None if it fails or does not end.

    Draws that were not shown get arbitrary values.
    """
    try:
        if witness.draws is None:
            return program(typing(witness.actual.lines)).events
        return replay(witness.actual, witness.draws, stage, witness.policy, program, guesses=False).expected.events
    except HarnessError:
        return None


def _asked_for(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """The events up to and including the first read past the end of input."""
    end = next((index for index, event in enumerate(events) if isinstance(event, InputEnded)), len(events))
    return events[: end + 1]
