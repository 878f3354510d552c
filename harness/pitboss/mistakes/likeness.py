"""Compares a known wrong program with a session: whether it behaves in the same way.

Used to name a submission's mistake, and for the matrix of cases and the mistakes that they catch.
"""

from __future__ import annotations

from pitboss.assignments.assignment import Stage
from pitboss.draws.replay import replay
from pitboss.errors import HarnessError
from pitboss.judging.apart import first_difference
from pitboss.judging.outcome import Witness
from pitboss.mistakes.reach import until
from pitboss.running.references import DrawSource, ExpectedRun
from pitboss.transcripts.invocation import Invocation
from pitboss.transcripts.scripts import InputScript, typing
from pitboss.transcripts.transcript import Event, Transcript


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
    Sessions are compared as far as the witness reaches; with `is_whole`, to their end.
    """
    reads = None if is_whole else witness.reach
    actual = witness.actual if reads is None else until(witness.actual, reads)
    run = program if reads is None else _runs_until(program, reads)
    try:
        if witness.draws is not None:
            guesses, invocation = None in witness.draws, witness.invocation
            made = replay(
                actual,
                witness.draws,
                stage,
                witness.policy,
                run,
                guesses=guesses,
                is_told=False,
                invocation=invocation,
            )
            return made.difference is None
        told = run(input_script or typing(witness.actual.lines), invocation=witness.invocation)
    except HarnessError:
        return False
    if told.ending.exit_code != actual.ending.exit_code:
        return False
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


def _runs_until(program: ExpectedRun, reads: int) -> ExpectedRun:
    """The program, of whose sessions only what comes before the end of this read is seen."""

    def run(
        input_script: InputScript, draws: DrawSource | None = None, /, *, invocation: Invocation | None = None
    ) -> Transcript:
        return until(program(input_script, draws, invocation=invocation), reads)

    return run
