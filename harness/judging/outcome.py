"""How a stage is judged: one interface, sessions to run in and an outcome out, and what both ways to do it share.

Stages that draw nothing, or what a seed says, are judged in one way (see seeded.py), those whose draws are read back in
another (see unseeded.py). Who calls either need not know which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from harness.assignments.assignment import Stage
from harness.assignments.cases import Session
from harness.judging.judgement import judged
from harness.judging.results import Result, StageReport, worst
from harness.judging.verdicts import Verdict
from harness.machine.pool import Pool
from harness.running.attempts import MOST_ENDLESS
from harness.running.job import Job
from harness.running.programs import Program
from harness.transcripts.policy import Policy
from harness.transcripts.transcript import Ending, EndingKind, Event, Transcript


class Witness(msgspec.Struct, frozen=True):
    """A session that was run, as far as a known mistake has to do the same."""

    actual: Transcript
    policy: Policy
    is_accepted: bool
    #: What it drew, where that is read back; None in it for a draw that was never shown.
    draws: tuple[str | None, ...] | None = None
    #: What is expected, where what is done to the text throughout is to be told.
    expected: tuple[Event, ...] | None = None


class Outcome(msgspec.Struct, frozen=True):
    """The sessions of a stage, run and judged."""

    #: In the order of the sessions.
    results: tuple[Result, ...]
    #: The sessions that are accepted or wrong: all that tells how the program behaves.
    witnesses: tuple[Witness, ...] = ()
    #: What no single session shows, in sentences for the student: each costs the stage its acceptance.
    findings: tuple[str, ...] = ()
    #: Which tolerated reference the sessions were judged by; empty for the stage's own.
    judged_as: str = ""
    #: How often each rule of the stage was met in accepted sessions, where it is counted.
    rules: tuple[tuple[str, int], ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict on the stage."""
        verdict = worst(result.verdict for result in self.results)
        return Verdict.WRONG_ANSWER if self.findings and verdict is Verdict.ACCEPTED else verdict

    def report(self, stage: Stage) -> StageReport:
        """The report on the stage."""
        return StageReport(
            stage.name,
            stage.title,
            self.verdict,
            self.results,
            len(self.results),
            summary=" ".join(self.findings),
            judged_as=self.judged_as,
            rules=self.rules,
        )


class StageJudge(Protocol):
    """Runs sessions of a stage with a program, their work shared by a pool, and judges them.

    What goes wrong on our side, or in code of the assignment, is a fault of the session in which it did.
    """

    def __call__(self, job: Job, stage: Stage, program: Program, sessions: Sequence[Session], pool: Pool, /) -> Outcome:
        """The outcome of these sessions, and of those that were run besides where the stage asks for more."""
        ...


def witness_of(
    session: Session,
    result: Result,
    *,
    actual: Transcript | None = None,
    draws: tuple[str | None, ...] | None = None,
) -> Witness | None:
    """A judged session as a witness; None for one that tells nothing.

    `actual` is given where the result may have the expected transcript in its place.
    """
    if result.verdict not in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
        return None
    is_accepted = result.verdict is Verdict.ACCEPTED
    return Witness(actual or result.actual, session.case.policy, is_accepted, draws, result.expected.events)


def fault(session: Session, detail: str, job: Job) -> Result:
    """A session that could not be run, by our fault."""
    actual = Transcript((), Ending(EndingKind.FAULT, detail=detail))
    return judged(session, Transcript(()), actual, job.called)


def not_run(session: Session) -> Result:
    """A session that was not tried, since those before it did not end by themselves."""
    return Result(
        stage=session.stage.name,
        case=session.name,
        verdict=Verdict.SKIPPED,
        summary=f"Not run: {MOST_ENDLESS} sessions of this stage before it did not end by themselves.",
        expected=Transcript(()),
        actual=Transcript(()),
        points=session.case.points,
        visibility=session.case.visibility,
        place=session.case.place,
    )
