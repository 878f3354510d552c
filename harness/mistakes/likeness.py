"""Compares a known wrong program with a session: whether it behaves in the same way.

Used to name a submission's mistake, and for the matrix of cases and the mistakes that they catch.
"""

from __future__ import annotations

from harness.assignments.assignment import Stage
from harness.draws.replay import replay
from harness.errors import HarnessError
from harness.judging.apart import first_difference
from harness.judging.outcome import Witness
from harness.running.references import ExpectedRun
from harness.transcripts.scripts import InputScript, typing
from harness.transcripts.transcript import Event, InputEnded, Transcript


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
            made = replay(actual, witness.draws, stage, witness.policy, program, invocation=witness.invocation)
            return made.difference is None
        told = program(input_script or typing(actual.lines), invocation=witness.invocation)
    except HarnessError:
        return False
    if told.ending.exit_code != actual.ending.exit_code:
        return False
    if not is_whole:
        told, actual = _asked_for(told), _asked_for(actual)
    return first_difference(told, actual, witness.policy) is None


def told_by(program: ExpectedRun, witness: Witness, stage: Stage) -> tuple[Event, ...] | None:
    """The events of a program run on the lines and draws of a session; None if it fails or does not end.

    Draws that were not shown get arbitrary values.
    """
    try:
        if witness.draws is None:
            return program(typing(witness.actual.lines), invocation=witness.invocation).events
        made = replay(
            witness.actual, witness.draws, stage, witness.policy, program, guesses=False, invocation=witness.invocation
        )
        return made.expected.events
    except HarnessError:
        return None


def _asked_for(told: Transcript) -> Transcript:
    """The session up to and including the first read past the end of input."""
    end = next((index for index, event in enumerate(told.events) if isinstance(event, InputEnded)), None)
    return told if end is None else Transcript(told.events[: end + 1], told.ending)
