"""How a stage is judged: the interface of both implementations, and the code that they share.

Stages that draw nothing, or draw from a seed, are judged by seeded.py; stages whose draws are read back are judged by
unseeded.py. Callers need not know which one they use.
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
from harness.transcripts.invocation import PLAIN, Invocation
from harness.transcripts.policy import Policy
from harness.transcripts.transcript import Ending, EndingKind, Event, Transcript


class Witness(msgspec.Struct, frozen=True):
    """The parts of a session that a known mistake has to reproduce."""

    actual: Transcript
    policy: Policy
    is_accepted: bool
    #: The draws, if they are read back, with None for each draw that was never shown.
    draws: tuple[str | None, ...] | None = None
    #: The expected events, used to detect habits.
    expected: tuple[Event, ...] | None = None
    #: What the session had besides its terminal.
    invocation: Invocation = PLAIN
    #: Whether it differs from the expected session in a file or its standard error, and not on the screen.
    differs_apart: bool = False


class Outcome(msgspec.Struct, frozen=True):
    """The sessions of a stage, run and judged."""

    #: One for each session, in their order.
    results: tuple[Result, ...]
    #: The accepted and the wrong sessions: only these show how the program behaves.
    witnesses: tuple[Witness, ...] = ()
    #: Sentences for the student on problems that no single session shows; with any of them the stage is not accepted.
    findings: tuple[str, ...] = ()
    #: Which tolerated reference the sessions were judged by; empty for the stage's own.
    judged_as: str = ""
    #: How often each rule of the stage came up in accepted sessions, if that is counted.
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
    """Runs sessions of a stage with a program on the workers of a pool, and judges them.

    An error on our side or in the assignment's code is reported as a fault of the session in which it happened.
    """

    def __call__(self, job: Job, stage: Stage, program: Program, sessions: Sequence[Session], pool: Pool, /) -> Outcome:
        """The outcome of these sessions, and of any additional ones that the stage needs."""
        ...


def witness_of(
    session: Session,
    result: Result,
    *,
    actual: Transcript | None = None,
    draws: tuple[str | None, ...] | None = None,
) -> Witness | None:
    """A judged session as a witness; None unless it is accepted or wrong.

    Pass `actual` if the result may hold the expected transcript instead.
    """
    if result.verdict not in (Verdict.ACCEPTED, Verdict.WRONG_ANSWER):
        return None
    is_accepted = result.verdict is Verdict.ACCEPTED
    case, events = session.case, result.expected.events
    differs_apart = result.difference is not None and bool(result.difference.place)
    return Witness(actual or result.actual, case.policy, is_accepted, draws, events, case.invocation, differs_apart)


def fault(session: Session, detail: str, job: Job) -> Result:
    """The result of a session that could not be run because of a fault on our side."""
    actual = Transcript((), Ending(EndingKind.FAULT, detail=detail))
    return judged(session, Transcript(()), actual, job.called)


def not_run(session: Session) -> Result:
    """The result of a session that was not run because earlier ones did not end by themselves."""
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
