"""Checks that a reference draws each value of its assignment, and no value less often than the assignment says.

Submissions must draw the same values. If the reference never or rarely draws a value, a correct program would be
rejected for never drawing the value. Also checks that programs of known mistakes use the draws that they are given.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from pitboss.assignments.assignment import Case, Generated, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_script_of
from pitboss.compare.findings import Oddity
from pitboss.errors import HarnessError, as_found
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.relation import run_in_session
from pitboss.model.transcript import Transcript
from pitboss.reports.finding_sentences import sentence_on_draws
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.expected_transcript import check_max_lines
from pitboss.sessions.references import DRAWS_VARIABLE, ExpectedRun, checked_run
from pitboss.unseeded.drawn import invented_draws
from pitboss.unseeded.randomness import (
    MAX_TIMES,
    MIN_EXPECTED,
    expected_count,
    is_undecided,
    never_drawn,
    odd_draws,
)
from pitboss.unseeded.reader import reader_of

#: The draws are examined after every batch of this many sessions.
_BATCH = 24
#: Counting how often each value is drawn needs this many times as many draws as detecting a value that is never drawn.
_COUNTING_FACTOR = 8
#: The number of different sequences of draws that are tried to see whether a program uses its draws.
_DRAW_TRIALS = 6


def seeded_reference_run(session: Session) -> ExpectedRun:
    """How to run the reference in a session.

    A command with a reader gets the session's own environment seed, so that it draws differently in each session.
    """
    stage = session.stage
    return expected_run_here(
        stage, environment_seed=session.environment_seed if stage.reader and stage.reference.command else 0
    )


def unseeded_transcript(session: Session, run: ExpectedRun) -> Transcript:
    """The transcript of a generated session in which the reference makes its own draws.

    Raises SpecError if the reference fails or does not end.
    """
    case, generated = session.case, session.case.session
    assert isinstance(generated, Generated)
    script = input_script_of(generated, None, case.place)
    transcript = run(script, invocation=case.invocation.without_contents)
    check_max_lines(session, transcript.events)
    return checked_run(transcript, case.exit_code, case.place)


def draws_problem(stage: Stage) -> str:
    """A sentence on how the draws of a stage's reference are not random; empty without a problem.

    Repeats the sessions of the stage's cases until each value has been drawn, or chance cannot explain a missing value.
    If the reference is a function, runs many more sessions, to count how often each value is drawn. Runs at most as
    many sessions as the longest check, and only a few if even that many would not suffice. Raises HarnessError if the
    reference or the reader fails.
    """
    max_sessions, source, breaker = MAX_TIMES * stage.most_sessions, stage.draws, CircuitBreaker()
    may_count = not stage.reference.command and not source.bag
    readings: list[tuple[str | None, ...]] = []
    for session in _endless_sessions(stage) if source.values else ():
        transcript = breaker.call(unseeded_transcript, session, seeded_reference_run(session))
        readings.append(tuple(breaker.call(reader_of(stage), transcript.events).draws))
        if len(readings) % _BATCH:
            continue
        needed = (_COUNTING_FACTOR if may_count and not never_drawn(source, readings) else 1) * MIN_EXPECTED
        most_expected = expected_count(source, readings) * max_sessions / len(readings)
        is_enough = expected_count(source, readings) >= needed or most_expected < MIN_EXPECTED
        if is_enough and not is_undecided(source, readings, max_sessions / len(readings)):
            break
        if len(readings) >= max_sessions:
            break
    odd = odd_draws(source, readings)
    if odd is None:
        return ""
    hint = "" if source.bag else "; if the values are not equally likely, `rarest` says how likely the rarest value is"
    values_hint = " — only what can be drawn belongs among the `values`" if odd.kind is Oddity.MISSING else ""
    return (
        f"{stage.spec.path}: when the reference makes its own draws: {sentence_on_draws(odd)} "
        f"A correct program would be rejected for that{values_hint}{hint}"
    )


def ignored_draws_sentences(stage: Stage) -> Iterator[str]:
    """Sentences on programs of known mistakes that ignore the draws they are given.

    Such a program behaves the same with all draws, although the reference does not. Raises SpecError if a program
    cannot be built.
    """
    locations = {folder.words.id: folder.words.place for folder in stage.mistake_folders}
    session = next(_endless_sessions(stage), None) if stage.reader and locations else None
    if session is None:
        return
    for mistake in mistakes_of(stage):
        run = mistake.run_of(stage.name)
        if mistake.id in locations and run is not None and _ignores_draws(run, session):
            yield (
                f"{locations[mistake.id]}: mistake {as_found(mistake.id)} behaves the same with all draws — does its "
                f"program take its draws from {DRAWS_VARIABLE}, if that is set?"
            )


def _ignores_draws(run: ExpectedRun, session: Session) -> bool:
    """Whether a program behaves the same with all draws, although the reference does not; false if either fails."""
    reference_run = expected_run_here(session.stage)
    try:
        of_program, of_reference = _behaviours(run, session), _behaviours(reference_run, session)
    except HarnessError:
        return False
    return len(of_program) == 1 and len(of_reference) > 1


def _behaviours(run: ExpectedRun, session: Session) -> set[Transcript]:
    """The different behaviours of a program in a session with several sequences of draws."""
    return {run_in_session(run, session, invented_draws(session.stage.draws, number)) for number in range(_DRAW_TRIALS)}


def _endless_sessions(stage: Stage) -> Iterator[Session]:
    """Sessions of the generated cases in turn, endlessly; none if there is no such case."""
    cases: list[Case] = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    if not cases:
        return
    for number in itertools.count(1):
        yield from (Session(stage, case, None, number) for case in cases)
