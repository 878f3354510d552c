"""Finding problems in an assignment's own specs: recorded cases that drifted, generated ones that do not end.

With a reader, the reference's own sessions must read back to the draws that it made.
"""

from __future__ import annotations

import re

from harness.assignments.assignment import Answers, Generated, Recorded, Stage
from harness.assignments.authored import Patience
from harness.assignments.cases import Session, all_sessions_of
from harness.assignments.players import input_script_of
from harness.draws.reader import reader_of
from harness.draws.replay import GivenDraws, replay
from harness.errors import HarnessError
from harness.running.drivers import expected_run_here
from harness.running.expected_transcript import expectation_of
from harness.running.references import ExpectedRun, checked_run
from harness.running.textfiles import with_contents
from harness.transcripts.invocation import Invocation
from harness.transcripts.policy import Policy
from harness.transcripts.scope import checked, judged_part, limits_scope
from harness.transcripts.scripts import typing
from harness.transcripts.transcript import Event, InputEnded, Transcript, exited


def retold(
    stage: Stage,
    events: tuple[Event, ...],
    expected_run: ExpectedRun,
    *,
    exit_code: int | None = None,
    place: str = "",
    invocation: Invocation | None = None,
) -> Transcript:
    """Run the reference on the lines typed in a session and, with a reader, on its draws.

    Raises SpecError if the reference fails; with an `exit_code`, also if it does not end as the case at `place` says.
    """
    lines = typing(Transcript(events).lines)
    draws = GivenDraws(reader_of(stage)(events).draws, stage.draws) if stage.reader else None
    told = expected_run(lines, draws, invocation=invocation)
    return told if exit_code is None else checked_run(told, exit_code, place)


def is_the_same(recorded: tuple[Event, ...], told: tuple[Event, ...], policy: Policy) -> bool:
    """Whether a recorded session is exactly what the reference does, but for what is not judged, such as a date."""
    return recorded == told or (limits_scope(policy) and judged_part(recorded, policy) == judged_part(told, policy))


def told_twice(session: Session, expected_run: ExpectedRun) -> tuple[Transcript, Transcript]:
    """The transcript that the spec asks for, and the reference's; they are equal if both are right."""
    stage, case = session.stage, session.case
    match case.session:
        case Recorded(events):
            alone = case.invocation.without_contents
            actual = retold(stage, events, expected_run, exit_code=case.exit_code, place=case.place, invocation=alone)
            checked(actual.events, case.policy, case.place)
            return Transcript(events, exited(case.exit_code)), actual
        case Generated() as generated if stage.reader:
            script, alone = input_script_of(generated, None, case.place), case.invocation.without_contents
            actual = checked_run(expected_run(script, invocation=alone), case.exit_code, case.place)
            checked(actual.events, case.policy, case.place)
            draws = reader_of(stage)(actual.events).draws
            return replay(actual, draws, stage, case.policy, expected_run, invocation=alone).expected, actual
    expected = expectation_of(session, expected_run)
    return expected, expected


def _of_files(session: Session, expected_run: ExpectedRun, actual: Transcript) -> str:
    """A sentence on a file whose content in the spec is not what the reference writes; empty if there is none."""
    case = session.case
    if not any(one.content is not None for one in case.invocation.outputs) or session.stage.reader:
        return ""
    told = retold(session.stage, actual.events, expected_run, invocation=case.invocation.without_contents)
    wanted = {one.name: one for one in with_contents(told, case.invocation).written}
    for one in told.written:
        if wanted[one.name] != one:
            return f"{case.place}: {case.name!r} says of {one.name} what the reference does not write now"
    return ""


def problems_of(stage: Stage, assignment: str) -> list[str]:
    """The distinct problems of a stage's spec, as sentences with their places."""
    expected_run, patience = expected_run_here(stage), Patience()
    found: dict[str, None] = {}
    for session in all_sessions_of(stage):
        case = session.case
        try:
            expected, actual = patience.call(told_twice, session, expected_run)
        except HarnessError as error:
            found[_placed(case.place, str(error))] = None
            continue
        is_same = is_the_same(expected.events, actual.events, case.policy)
        if not is_same or expected.ending != actual.ending:
            if isinstance(case.session, Recorded):
                command = f"pitboss record {stage.name} --assignment {assignment}"
                found[f"{case.place}: {case.name!r} is not what the reference does now; refresh it: {command}"] = None
            else:
                found[f"{case.place}: a session of {case.name!r} is read back otherwise than it was drawn"] = None
        elif problem := _of_files(session, expected_run, actual):
            found[problem] = None
        elif _runs_out(session, actual):
            found[f"{case.place}: the answers of {case.name!r} do not end its session; add some"] = None
    return list(found)


def _placed(place: str, sentence: str) -> str:
    """The sentence with the place of its case in front, unless it already begins with a place."""
    return sentence if re.match(r"\S+:\d+: ", sentence) else f"{place}: {sentence}"


def _runs_out(session: Session, told: Transcript) -> bool:
    answers = session.case.session.answers if isinstance(session.case.session, Generated) else None
    return isinstance(answers, Answers) and any(isinstance(event, InputEnded) for event in told.events)
