"""Checks that a reference draws each value of its assignment, and no value less often than the assignment says.

Submissions must draw the same values. If the reference never or rarely draws a value, a correct program would be
rejected for never drawing the value. Also checks that programs of known mistakes use the draws that they are given.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from pitboss.assignments.assignment import Case, Draws, Generated, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_script_of
from pitboss.errors import HarnessError, as_found
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.relation import run_in_session
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.expected_transcript import check_max_lines
from pitboss.sessions.references import DRAWS_VARIABLE, ExpectedRun, checked_run
from pitboss.unseeded.drawn import invented_draws
from pitboss.unseeded.randomness import (
    MAX_TIMES,
    NEVER,
    DrawsOfSessions,
    about_never_drawn,
    has_enough_draws,
    never_drawn,
    would_have_enough_draws,
)
from pitboss.unseeded.reader import reader_of
from pitboss.unseeded.wagers import Wagers, without_coinciding_seeds

#: The number of draws in a session is estimated from this many sessions. If the reference is a function, the draws are
#: examined after every batch of this many sessions.
_ESTIMATE_SESSIONS = 24
#: Counting how often each value is drawn needs this many times as many draws as detecting a value that is never drawn.
_COUNTING_FACTOR = 8
#: A value is reported if it is drawn significantly less often than this share of the expected number.
_SUSPICIOUS_SHARE = 0.75
#: The number of different sequences of draws that are tried to see whether a program uses its draws.
_DRAW_TRIALS = 6
_RAREST_HINT = "; if the values are not equally likely, `rarest` says how likely the rarest value is"


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
    """A sentence on values that a stage's reference never draws, or too rarely to be chance; empty without a problem.

    Repeats the sessions of the stage's cases until each value has been drawn, or chance cannot explain a missing value.
    If the reference is a function, runs many more sessions, to count how often each value is drawn. Runs at most as
    many sessions as the longest check, and only a few if even that many would not suffice. Raises HarnessError if the
    reference or the reader fails.
    """
    max_sessions, source, breaker = MAX_TIMES * stage.most_sessions, stage.draws, CircuitBreaker()
    is_function = not stage.reference.command
    readings: list[tuple[str | None, ...]] = []
    environment_seeds: list[int] = []
    for session in _endless_sessions(stage) if source.values else ():
        transcript = breaker.call(unseeded_transcript, session, seeded_reference_run(session))
        readings.append(tuple(breaker.call(reader_of(stage), transcript.events).draws))
        environment_seeds.append(session.environment_seed)
        if is_function and len(readings) % _ESTIMATE_SESSIONS:  # the batch is not complete
            continue
        lacks_values = bool(never_drawn(source, readings))
        if lacks_values and has_enough_draws(source, readings):
            return f"{stage.spec.path}: when the reference makes its own draws, {_never_drawn_text(source, readings)}"
        # Give up early if even the maximum number of sessions would not suffice.
        if len(readings) == _ESTIMATE_SESSIONS and not would_have_enough_draws(
            source, readings, max_sessions / _ESTIMATE_SESSIONS
        ):
            break
        # When each value has been drawn, a command is done, and so is a function that draws from a bag. Any other
        # function is run again until there are enough draws to count.
        is_complete = not lacks_values and (
            not is_function or source.bag or would_have_enough_draws(source, readings, 1 / _COUNTING_FACTOR)
        )
        if is_complete or len(readings) >= max_sessions:
            break
    problem = _rare_value_problem(source, readings) or _randomness_problem(
        source, readings if is_function else without_coinciding_seeds(zip(environment_seeds, readings, strict=True))
    )
    return f"{stage.spec.path}: when the reference makes its own draws, {problem}" if problem else ""


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


def _never_drawn_text(source: Draws, readings: DrawsOfSessions) -> str:
    sentence = about_never_drawn(source, readings)
    return (
        f"{sentence[0].lower()}{sentence[1:]} A correct program would be rejected for that — only what can be drawn "
        f"belongs among the `values`{_RAREST_HINT}"
    )


def _rare_value_problem(source: Draws, readings: DrawsOfSessions) -> str:
    """A sentence on the value drawn least often, if the value is rarer than the assignment says; else empty."""
    drawn = [draw for reading in readings for draw in reading if draw is not None]
    if source.bag or not drawn:
        return ""
    rarest = min(source.values, key=drawn.count)
    actual_count, expected_count = drawn.count(rarest), len(drawn) * source.min_probability
    if not _is_rarer(actual_count, len(drawn), _SUSPICIOUS_SHARE * source.min_probability):
        return ""
    times = "once" if actual_count == 1 else f"{actual_count:,} times"
    return (
        f"{rarest} came {times} in {len(drawn):,} draws, where about {expected_count:,.0f} times or more are expected. "
        f"A correct program might be rejected because some value did not come{_RAREST_HINT}"
    )


def _randomness_problem(source: Draws, readings: DrawsOfSessions) -> str:
    """A sentence on the evidence that the draws are not random; empty without such evidence."""
    finding = Wagers(source).wagers_on(readings).finding()
    hint = "" if source.bag else _RAREST_HINT
    return f"{finding[0].lower()}{finding[1:]} A correct program might be rejected for that{hint}" if finding else ""


def _is_rarer(count: int, draws: int, chance: float) -> bool:
    """Whether a value drawn `count` times in `draws` draws is significantly less probable than `chance`.

    Uses Chernoff's bound: P(X <= k) <= exp(-n D(k/n, p)).
    """
    share = count / draws
    if share >= chance:
        return False
    divergence = (share * math.log(share / chance) if share else 0) + (1 - share) * math.log((1 - share) / (1 - chance))
    return -draws * divergence < math.log(NEVER)


def _endless_sessions(stage: Stage) -> Iterator[Session]:
    """Sessions of the generated cases in turn, endlessly; none if there is no such case."""
    cases: list[Case] = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    if not cases:
        return
    for number in itertools.count(1):
        yield from (Session(stage, case, None, number) for case in cases)
