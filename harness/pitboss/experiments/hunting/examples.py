"""Runs the cases of a stage with its references, so that the hunt can learn the stage's questions and steps."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pitboss.assignments.assignment import Case, Generated, Recorded, Stage
from pitboss.assignments.cases import Session, all_sessions_of
from pitboss.assignments.options import Option, settings_near, with_setting
from pitboss.errors import HarnessError
from pitboss.experiments.hunting.questions import KnownGames, learn_games
from pitboss.experiments.relation import run_in_session
from pitboss.model.transcript import Event, Transcript, exited
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.expected_transcript import expectation_of
from pitboss.sessions.references import ExpectedRun
from pitboss.unseeded.drawn import invented_draws

#: The maximum number of sessions that are used for each case.
_MAX_PER_CASE = 6
#: The maximum number of sessions that are used for a stage.
_MAX_PER_STAGE = 200


def known_games(stage: Stage, *, until: float) -> KnownGames:
    """The questions and steps in the cases of a stage.

    Stops at the time `until` (time.monotonic), but uses at least one session. The games of the hunt run with the
    arguments and files of the stage, so cases with other arguments or files are ignored.
    """
    cases = tuple(case for case in stage.spec.cases if case.invocation == stage.invocation)
    stage = msgspec.structs.replace(stage, spec=msgspec.structs.replace(stage.spec, cases=cases))
    sessions = (transcript.events for _, transcript in _example_sessions(stage))
    return learn_games(_until_deadline(sessions, until), is_seeded=stage.is_seeded)


def examples_of(stage: Stage) -> Iterator[tuple[Case, Transcript]]:
    """Sessions of the public cases, run by the stage's own reference, each with its case.

    A recorded case's transcript has the recorded events; standard error and files that the case does not specify are
    the reference's.
    """
    public_cases = tuple(case for case in stage.spec.cases if case.visibility == "public")
    spec = msgspec.structs.replace(stage.spec, cases=public_cases)
    stage = msgspec.structs.replace(stage, spec=spec, tolerated=(), options=fixed_options(stage))
    return _example_sessions(stage, is_whole=True)


def fixed_options(stage: Stage) -> tuple[Option, ...]:
    return tuple(msgspec.structs.replace(option, is_free=False) for option in stage.options)


def seed_range(stage: Stage) -> tuple[int, int]:
    """The lowest and the highest seed to type: 1, or the lowest seed in the cases if that is lower; and 2**31 - 1."""
    seeds = [session.seed for session in all_sessions_of(stage) if session.seed is not None]
    for case in stage.spec.cases:
        first_lines = Transcript(case.session.events).lines[:1] if isinstance(case.session, Recorded) else ()
        seeds += [int(line) for line in first_lines if re.fullmatch(rb"-?[0-9]{1,9}", line)]
    return min((1, *seeds)), (1 << 31) - 1


def _until_deadline(sessions: Iterable[Sequence[Event]], until: float) -> Iterator[Sequence[Event]]:
    """The sessions up to the first that is complete after the time `until` (time.monotonic)."""
    for events in sessions:
        yield events
        if time.monotonic() > until:
            return


def _example_sessions(stage: Stage, *, is_whole: bool = False) -> Iterator[tuple[Case, Transcript]]:
    """Sessions of all cases in turn, each with its case, run by the stage's reference.

    If the stage has a reader, each generated session is also run by tolerated references and with other settings. The
    transcript of a recorded session has only events and exit code, unless `is_whole` and the stage has no reader.
    """
    sessions = _alternating_sessions(stage)
    variant_stages = [msgspec.structs.replace(stage, reference=variant.reference) for variant in stage.tolerated]
    variant_stages += [with_setting(stage, setting) for setting in settings_near(stage.options)]
    runs = [expected_run_here(run_stage) for run_stage in (stage, *(variant_stages if stage.reader else ()))]
    for session in sessions:
        for index, expected_run in enumerate(runs):
            if index and isinstance(session.case.session, Recorded):  # A recording is the same with every reference.
                break
            try:
                yield session.case, _expected_transcript(stage, session, expected_run, is_whole=is_whole)
            except HarnessError:  # `pitboss verify` reports the error
                continue


def _alternating_sessions(stage: Stage) -> list[Session]:
    """The first session of each case, then the second session of each case, and so on."""
    sessions_by_case: dict[str, list[Session]] = {}
    for session in all_sessions_of(stage):
        sessions_by_case.setdefault(session.case.name, []).append(session)
    alternating = (
        case_sessions[turn]
        for turn in range(_MAX_PER_CASE)
        for case_sessions in sessions_by_case.values()
        if turn < len(case_sessions)
    )
    return list(alternating)[:_MAX_PER_STAGE]


def _expected_transcript(stage: Stage, session: Session, expected_run: ExpectedRun, *, is_whole: bool) -> Transcript:
    """The expected transcript of a session; for `is_whole` see `_example_sessions`."""
    match session.case:
        case Case(session=Recorded(events), exit_code=exit_code) if stage.reader or not is_whole:
            return Transcript(events, exited(exit_code))
        case Case(session=Generated()) if stage.reader:
            return run_in_session(expected_run, session, invented_draws(stage.draws, session.number))
    return expectation_of(session, expected_run)
