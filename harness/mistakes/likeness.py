"""Compares a known wrong program with a session: whether it behaves in the same way.

Used to name a submission's mistake, and for the matrix of cases and the mistakes that they catch.
"""

from __future__ import annotations

from harness.assignments.assignment import Stage
from harness.draws.replay import replay
from harness.errors import HarnessError
from harness.judging.apart import first_difference
from harness.judging.outcome import Witness
from harness.judging.verdicts import asked_too_often
from harness.running.references import DrawSource, ExpectedRun
from harness.transcripts.invocation import Invocation
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
    What nobody grades, since it follows an end of input that the right program does not read, may differ, and so may
    the ending after it; with `is_whole`, nothing may.
    """
    ends = None if is_whole else ungraded_from(witness)
    actual = witness.actual if ends is None else _until(witness.actual, ends)
    run = program if ends is None else _runs_until(program, ends)
    try:
        if witness.draws is not None:
            made = replay(actual, witness.draws, stage, witness.policy, run, invocation=witness.invocation)
            return made.difference is None
        told = run(input_script or typing(actual.lines), invocation=witness.invocation)
    except HarnessError:
        return False
    if told.ending.exit_code != actual.ending.exit_code:
        return False
    return first_difference(told, actual, witness.policy) is None


def ungraded_from(witness: Witness) -> int | None:
    """The number of the end of input after which nothing is graded, from 1; None if all of the session is graded."""
    expected = witness.expected or ()
    if not asked_too_often(expected, witness.actual.events):
        return None
    return 1 + sum(isinstance(event, InputEnded) for event in expected)


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


def _until(told: Transcript, ends: int) -> Transcript:
    """The session up to and including this end of input, as if it had ended well there; all of it if it has fewer."""
    places = [index for index, event in enumerate(told.events) if isinstance(event, InputEnded)]
    return told if len(places) < ends else Transcript(told.events[: places[ends - 1] + 1])


def _runs_until(program: ExpectedRun, ends: int) -> ExpectedRun:
    """The program, of whose sessions only what comes before this end of input is seen."""

    def run(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        return _until(program(input_script, draws, invocation=invocation), ends)

    return run
