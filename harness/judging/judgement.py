"""Judging one session: compares the expected and the actual transcript under the case's policy."""

from __future__ import annotations

from harness.assignments.answers import replay_command
from harness.assignments.cases import Session
from harness.judging.comparison import difference_between
from harness.judging.location import located
from harness.judging.results import Result
from harness.judging.submission_texts import Seen, remark_on
from harness.judging.verdicts import Verdict, asked_too_often, verdict_of
from harness.judging.wording import summary_of
from harness.transcripts.policy import Policy
from harness.transcripts.transcript import Transcript


def judged(
    session: Session, expected: Transcript, actual: Transcript, assignment: str, policy: Policy | None = None
) -> Result:
    """The result of one session, under the policy of its case, or another one that says more of the submission."""
    policy = policy or session.case.policy
    difference = difference_between(expected.events, actual.events, policy)
    if difference is not None:
        difference = located(difference, expected.events, actual.events, policy)
    verdict = verdict_of(difference, expected=expected.events, exit_code=expected.ending.exit_code, actual=actual)
    is_same = actual.events == expected.events or not (policy.free or policy.alternatives)
    if verdict is Verdict.ACCEPTED and not actual.remarks and is_same:
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
    if difference is not None and summary:
        remark = remark_on(difference, Seen(policy, expected.events, actual.events))
        summary = f"{summary} {remark}" if remark else summary
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
        replay="" if verdict is Verdict.ACCEPTED else replay_command(session, expected.events, assignment),
        place=session.case.place,
    )
