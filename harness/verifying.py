"""What is wrong with an assignment's own specs: recorded cases that drifted, generated ones that do not end.

Where draws are read back, the reference's own sessions must read back to what it drew.
"""

from __future__ import annotations

from harness.assignment import Answers, Generated, Recorded, Stage
from harness.cases import Session, all_sessions_of, expectation_of
from harness.drivers import performance_here
from harness.errors import SpecError, UsageError
from harness.players import typist_of
from harness.readers import reader_of
from harness.references import Performance
from harness.replaying import Supply, replay
from harness.sessions import typing
from harness.transcript import Event, InputEnded, Transcript, exited


def retold(stage: Stage, events: tuple[Event, ...], perform: Performance) -> Transcript:
    """What the reference does where this was typed, and where draws are read back, this was drawn."""
    lines = typing(Transcript(events).lines)
    if not stage.reader:
        return perform(lines)
    return perform(lines, Supply(reader_of(stage)(events).draws, stage.draws))


def told_twice(session: Session, perform: Performance) -> tuple[Transcript, Transcript]:
    """What a session of the spec asks for, and what the reference does; the same where both are right."""
    stage, case = session.stage, session.case
    match case.session:
        case Recorded(events):
            return Transcript(events, exited(case.exit_code)), retold(stage, events, perform)
        case Generated() as generated if stage.reader:
            actual = perform(typist_of(generated, None, case.place))
            return replay(actual, reader_of(stage)(actual.events), stage, case.policy, perform).expected, actual
    expected = expectation_of(session, perform)
    return expected, expected


def problems_of(stage: Stage, assignment: str) -> list[str]:
    """Each problem of a stage's spec, once, as a sentence with its place."""
    perform = performance_here(stage)
    found: dict[str, None] = {}
    for session in all_sessions_of(stage):
        case = session.case
        try:
            expected, actual = told_twice(session, perform)
        except (SpecError, UsageError) as error:
            found[str(error)] = None
            continue
        if (expected.events, expected.ending) != (actual.events, actual.ending):
            if isinstance(case.session, Recorded):
                command = f"pitboss record {stage.name} --assignment {assignment}"
                found[f"{case.place}: {case.name!r} is not what the reference does now; refresh it: {command}"] = None
            else:
                found[f"{case.place}: a session of {case.name!r} is read back otherwise than it was drawn"] = None
        elif _runs_out(session, actual):
            found[f"{case.place}: the answers of {case.name!r} do not end its session; add some"] = None
    return list(found)


def _runs_out(session: Session, told: Transcript) -> bool:
    answers = session.case.session.answers if isinstance(session.case.session, Generated) else None
    return isinstance(answers, Answers) and any(isinstance(event, InputEnded) for event in told.events)
