"""The expected transcript of a session: the recorded one, or that of a run of the reference."""

from __future__ import annotations

import msgspec

from pitboss.assignments.assignment import Generated, Recorded
from pitboss.assignments.cases import Session
from pitboss.assignments.players import MOST_LINES, input_script_of
from pitboss.errors import UsageError
from pitboss.model.relaxation import checked
from pitboss.model.scripts import typing
from pitboss.model.transcript import Transcript, exited
from pitboss.sessions.references import ExpectedRun, checked_run
from pitboss.sessions.textfiles import with_contents


def expectation_of(session: Session, run: ExpectedRun) -> Transcript:
    """The expected transcript of a session: the recorded one, or that of a run of the reference now.

    Raises UsageError if the reference does not end by itself with these answers. Whatever is raised because the
    reference fails is not the submission's fault either.
    """
    match session.case.session:
        case Recorded(events):
            checked(events, session.case.policy, session.case.place)
            recorded, invocation = Transcript(events, exited(session.case.exit_code)), session.case.invocation
            if not invocation.needs_reference:
                return with_contents(recorded, invocation)
            told = run(typing(recorded.lines), invocation=invocation)
            told = checked_run(told, session.case.exit_code, session.case.place)
            return msgspec.structs.replace(recorded, written=told.written, errors=told.errors)
        case Generated():
            place = session.case.place
            expected = run(
                input_script_of(session.case.session, session.seed, place), invocation=session.case.invocation
            )
            if len(expected.lines) >= MOST_LINES:
                raise UsageError(
                    f"{place}: {session.name!r} does not end: the reference asked for more than "
                    f"{MOST_LINES} lines — give answers that end it"
                )
            checked(expected.events, session.case.policy, place)
            return checked_run(expected, session.case.exit_code, place)
