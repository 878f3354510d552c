"""Judging one session: compares the expected and the actual transcript under the case's policy."""

from __future__ import annotations

import msgspec

from harness.assignments.answers import replay_command
from harness.assignments.cases import Session
from harness.judging.apart import first_difference
from harness.judging.location import located
from harness.judging.results import Result
from harness.judging.verdicts import Verdict, asked_too_often, verdict_of
from harness.judging.wording import summary_of
from harness.transcripts.scope import unjudged_lines
from harness.transcripts.transcript import Transcript

#: How much is kept of a file that is wrong.
_KEPT_BYTES = 65536


def judged(session: Session, expected: Transcript, actual: Transcript, assignment: str) -> Result:
    """The result of one session."""
    policy = session.case.policy
    difference = first_difference(expected, actual, policy)
    if difference is not None and not difference.place:
        difference = located(difference, expected.events, actual.events, policy)
    not_judged = unjudged_lines(actual.events, policy)
    verdict = verdict_of(difference, expected=expected.events, exit_code=expected.ending.exit_code, actual=actual)
    if verdict is Verdict.ACCEPTED and not actual.remarks:
        actual = expected  # one value instead of two equal ones, also when sent between processes
    summary = ""
    if verdict is not Verdict.ACCEPTED or actual.remarks:
        summary = summary_of(
            difference,
            expected=expected,
            actual=actual,
            limits=session.stage.limits,
            runs_out=asked_too_often(expected.events, actual.events),
        )
        actual = _trimmed(actual) if actual.written else actual
    return Result(
        stage=session.stage.name,
        case=session.name,
        verdict=verdict,
        summary=summary,
        expected=expected,
        actual=actual,
        difference=difference,
        points=session.case.points,
        visibility=session.case.visibility,
        draws_anew=bool(session.stage.reader),
        replay="" if verdict is Verdict.ACCEPTED else replay_command(session, expected.events, assignment),
        place=session.case.place,
        not_judged=not_judged,
    )


def _trimmed(actual: Transcript) -> Transcript:
    """The transcript with the beginnings of the files that were written."""
    written = tuple(msgspec.structs.replace(one, content=one.content[:_KEPT_BYTES]) for one in actual.written)
    return msgspec.structs.replace(actual, written=written)
