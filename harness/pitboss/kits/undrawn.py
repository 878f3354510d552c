"""Checks that a reference draws each value of its assignment, and none less often than the assignment says.

Submissions are judged by the same values. If a value is never or rarely drawn, a correct program would be rejected for
never drawing it. The programs of known mistakes must use the draws that they are given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count

from pitboss.assignments.assignment import Case, Draws, Generated, Stage
from pitboss.assignments.authored import CircuitBreaker
from pitboss.assignments.cases import Session
from pitboss.assignments.players import input_script_of
from pitboss.errors import HarnessError, as_found
from pitboss.experiments.catalogue import mistakes_of
from pitboss.experiments.relation import played
from pitboss.model.transcript import Transcript
from pitboss.sessions.drivers import expected_run_here
from pitboss.sessions.expected_transcript import see_end
from pitboss.sessions.references import DRAWS_VARIABLE, ExpectedRun, checked_run
from pitboss.unseeded.drawn import invented
from pitboss.unseeded.randomness import (
    MAX_TIMES,
    NEVER,
    Readings,
    about_never_drawn,
    can_be_concluded,
    is_no_chance,
    never_drawn,
)
from pitboss.unseeded.reader import reader_of
from pitboss.unseeded.wagers import Wagers, without_explained_draws

#: After this many sessions, the number of draws in a session is estimated.
_ENOUGH = 24
#: _MANY times the draws that rule out chance for a missing value are used to count how often each is drawn; a value
#: that is drawn significantly less often than _CLEARLY times its expected number is reported.
_MANY, _CLEARLY = 8, 0.75
#: How many different draws are tried to see whether a program uses them.
_LUCKS = 6
_RARE = "; where these are not equally likely, `rarest` says how likely the rarest is"


def run_in_seeded_environment(session: Session) -> ExpectedRun:
    """The run of the reference in a session without a submission; a command draws differently in each session."""
    stage = session.stage
    return expected_run_here(
        stage, environment_seed=session.environment_seed if stage.reader and stage.reference.command else 0
    )


def unseeded_transcript(session: Session, run: ExpectedRun) -> Transcript:
    """A generated session in which the reference makes its own draws; SpecError if it fails or does not end."""
    case, generated = session.case, session.case.session
    assert isinstance(generated, Generated)
    script = input_script_of(generated, None, case.place)
    transcript = run(script, invocation=case.invocation.without_contents)
    see_end(session, transcript.events)
    return checked_run(transcript, case.exit_code, case.place)


def draws_problem(stage: Stage) -> str:
    """A sentence on values that a stage's reference never draws, or too rarely to be chance; empty without a problem.

    Runs sessions of its cases, again and again, until each value has been drawn or chance is ruled out; many more if
    it is a function, to count how often each is drawn. Never more than in the longest check, and only a few if that
    would not suffice. Raises HarnessError if the reference or the reader fails.
    """
    most, source, breaker = MAX_TIMES * stage.most_sessions, stage.draws, CircuitBreaker()
    is_quick = not stage.reference.command
    readings: list[tuple[str | None, ...]] = []
    environment_seeds: list[int] = []
    for session in _sessions(stage) if source.values else ():
        transcript = breaker.call(unseeded_transcript, session, run_in_seeded_environment(session))
        readings.append(tuple(breaker.call(reader_of(stage), transcript.events).draws))
        environment_seeds.append(session.environment_seed)
        if is_quick and len(readings) % _ENOUGH:
            continue
        lacks_some = bool(never_drawn(source, readings))
        if lacks_some and is_no_chance(source, readings):
            return f"{stage.spec.path}: when the reference draws by itself, {_never_drawn_text(source, readings)}"
        if len(readings) == _ENOUGH and not can_be_concluded(source, readings, most / _ENOUGH):
            break
        is_known = not lacks_some and (not is_quick or source.bag or can_be_concluded(source, readings, 1 / _MANY))
        if is_known or len(readings) >= most:
            break
    problem = _seldom(source, readings) or _unfair(
        source, readings if is_quick else without_explained_draws(zip(environment_seeds, readings, strict=True))
    )
    return f"{stage.spec.path}: when the reference draws by itself, {problem}" if problem else ""


def undrawn_mistakes(stage: Stage) -> Iterator[str]:
    """Sentences on programs of known mistakes that ignore the draws they are given.

    It behaves the same with any draws, although the reference does not. Raises SpecError if a program
    cannot be built.
    """
    places = {folder.words.id: folder.words.place for folder in stage.mistake_folders}
    session = next(_sessions(stage), None) if stage.reader and places else None
    if session is None:
        return
    for mistake in mistakes_of(stage):
        run = mistake.run_of(stage.name)
        if mistake.id in places and run is not None and _ignores_draws(run, session):
            yield (
                f"{places[mistake.id]}: mistake {as_found(mistake.id)} does the same whatever is drawn — does its "
                f"program take its draws from {DRAWS_VARIABLE}, if that is set?"
            )


def _ignores_draws(run: ExpectedRun, session: Session) -> bool:
    """Whether a program behaves the same with all draws although the reference does not."""
    behaviours = []
    for expected_run in (run, expected_run_here(session.stage)):
        try:
            behaviours.append(
                {played(expected_run, session, invented(session.stage.draws, number)) for number in range(_LUCKS)}
            )
        except HarnessError:
            return False
    return len(behaviours[0]) == 1 < len(behaviours[1])


def _never_drawn_text(source: Draws, readings: Readings) -> str:
    sentence = about_never_drawn(source, readings)
    return (
        f"{sentence[0].lower()}{sentence[1:]} A correct program would be rejected for that — only what can be drawn "
        f"belongs among the `values`{_RARE}"
    )


def _seldom(source: Draws, readings: Readings) -> str:
    """A sentence on the value drawn least often, if it is rarer than the assignment says; else empty."""
    drawn = [draw for reading in readings for draw in reading if draw is not None]
    if source.bag or not drawn:
        return ""
    rarest = min(source.values, key=drawn.count)
    count, expected = drawn.count(rarest), len(drawn) * source.least_chance
    if not _is_rarer(count, len(drawn), _CLEARLY * source.least_chance):
        return ""
    times = "once" if count == 1 else f"{count:,} times"
    return (
        f"{rarest} came {times} in {len(drawn):,} draws, where about {expected:,.0f} times or more are expected. A "
        f"correct program might be rejected because some value did not come{_RARE}"
    )


def _unfair(source: Draws, readings: Readings) -> str:
    """A sentence on draws that are not random as they are read back; else empty."""
    found = Wagers(source).after(readings).finding()
    rare = "" if source.bag else _RARE
    return f"{found[0].lower()}{found[1:]} A correct program might be rejected for that{rare}" if found else ""


def _is_rarer(count: int, draws: int, chance: float) -> bool:
    """Whether a count is too low to be chance, by Chernoff's bound: P(X <= k) <= exp(-n D(k/n, p))."""
    share = count / draws
    if share >= chance:
        return False
    divergence = (share * math.log(share / chance) if share else 0) + (1 - share) * math.log((1 - share) / (1 - chance))
    return -draws * divergence < math.log(NEVER)


def _sessions(stage: Stage) -> Iterator[Session]:
    """Sessions of the generated cases in turn, endlessly; none if there is no such case."""
    cases: list[Case] = [case for case in stage.spec.cases if isinstance(case.session, Generated)]
    for number in count(1) if cases else ():
        yield from (Session(stage, case, None, number) for case in cases)
