"""Finds known mistakes, or pairs of mistakes, that explain sessions: programs that make them behave identically."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.functions import resolve_function
from pitboss.assignments.options import accepted_by, own_keywords
from pitboss.compare.comparison import difference_between
from pitboss.compare.outcome import JudgedSession
from pitboss.experiments.catalogue import Mistake, pairs_of
from pitboss.experiments.relation import Experiment, SessionOrder, experiment_of
from pitboss.model.transcript import Event, Transcript, Typed
from pitboss.sessions.references import ExpectedRun, at_most_events, expected_run_in_process
from pitboss.unseeded.replay import progress

#: How many failed sessions are tried first when no mistake explains all sessions.
_SAMPLE = 8
#: The minimum share of failed sessions that a mistake must explain to be reported in this case.
_NEAR = 0.85
#: The maximum number of mistakes that are reported in this case if several explain equally many sessions.
_MAX_NEAR = 3
#: A wrong reference is stopped after _MORE_EVENTS times the events of the longest session, plus _FURTHER_EVENTS: a
#: pause may be split into a hundred parts.
_MORE_EVENTS, _FURTHER_EVENTS = 4, 1_000
#: The maximum share of the failed sessions that may have hidden draws.
_HIDDEN = 0.34


def right_run(stage: Stage) -> ExpectedRun | None:
    """Returns a function that runs the stage's reference in this process; None if the reference is not a function."""
    function = stage.reference.function
    if not function:
        return None
    main = resolve_function(function, stage.name)
    return expected_run_in_process(main, stage.name, accepted_by(main, own_keywords(stage.options)))


def explaining(stage: Stage, mistakes: Iterable[Mistake], seen: Sequence[JudgedSession]) -> list[Mistake]:
    """Returns the mistakes that explain all of these sessions, failed and accepted."""
    # Failed sessions come first: they contradict nearly every mistake, and accepted sessions contradict few.
    ordered = sorted(seen, key=lambda session: (None in (session.draws or ()), session.is_accepted, length(session)))
    experiments = [experiment_of(session, stage) for session in ordered]
    order = SessionOrder(experiments)
    with at_most_events(_MORE_EVENTS * max(map(length, seen), default=0) + _FURTHER_EVENTS):
        return [mistake for mistake in mistakes if order.first(contradicts(mistake, stage)) is None]


def contradicts(mistake: Mistake, stage: Stage) -> Callable[[Experiment], bool]:
    """Returns a function that tells whether a program with this mistake cannot have produced a session."""
    run = mistake.run_of(stage.name)
    assert run is not None
    return lambda experiment: not experiment.is_explained_by(run)


def near_explanations(
    stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[JudgedSession], accepted: Sequence[JudgedSession]
) -> list[tuple[int, Mistake]]:
    """Returns the mistakes that explain the most failed sessions, nearly all, and contradict no accepted session.

    Each mistake comes after the number of failed sessions that it explains.
    """
    failed_experiments, accepted_experiments = (
        [experiment_of(session, stage) for session in group] for group in (failed, accepted)
    )
    sampled = failed[:: max(1, len(failed) // _SAMPLE)][:_SAMPLE]
    sample = [experiment_of(session, stage) for session in sorted(sampled, key=length)]
    max_misses = int((1 - _NEAR) * len(sample))
    ranked = []
    for mistake in mistakes:
        misses = contradicts(mistake, stage)
        excess_misses = islice(filter(misses, sample), max_misses, None)
        if next(excess_misses, None) is None and not any(map(misses, accepted_experiments)):
            ranked.append((len(failed) - sum(map(misses, failed_experiments)), mistake))
    max_explained = max((explains for explains, _ in ranked), default=0)
    is_near = max_explained > 1 and max_explained >= _NEAR * len(failed)
    return [pair for pair in ranked if is_near and pair[0] == max_explained][:_MAX_NEAR]


def beyond(stage: Stage, mistake: Mistake, failed: Sequence[JudgedSession]) -> tuple[str, ...]:
    """Returns the names of the failed sessions that a mistake does not explain."""
    misses = contradicts(mistake, stage)
    return tuple(session.session for session in failed if misses(experiment_of(session, stage)))


def is_mostly_hidden(failed: Sequence[JudgedSession], most: float = 0.0) -> bool:
    """Whether many failed sessions hide more than the share `most` of their draws.

    Then a diagnosis proves little and takes long, since each hidden draw is guessed for each program that is tried.
    """
    hidden = sum((session.draws or ()).count(None) > len(session.draws or ()) * most for session in failed)
    return hidden > len(failed) * _HIDDEN


def length(judged: JudgedSession) -> int:
    """The length of a session in events; short sessions are tried first."""
    return len(judged.actual.events)


#: How many failed sessions decide which pairs of mistakes are worth trying.
_PROBES = 4


def pairs_that_may(stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[JudgedSession]) -> Iterator[Mistake]:
    """Returns the pairs of mistakes that may explain some failed sessions, judged from runs of each mistake alone.

    There are thousands of pairs. A program with two mistakes first differs from the correct program where a program
    with one of the two first does. So this program must first differ between the same two typed lines as the session,
    and the text there must come from this mistake or from both.
    """
    probes = [_parts(stage, mistakes, session) for session in sorted(failed, key=length)[:_PROBES]]

    def may_explain(one: str, other: str) -> bool:
        for observed, alone in probes:
            first, later = sorted((alone[one], alone[other]))
            if first.parts != observed.parts or (later.parts != observed.parts and first.agrees <= observed.agrees):
                return False
        return True

    return pairs_of(stage, may_explain)


class _Alone(NamedTuple):
    """After how many typed lines a run differs from the correct program, and how far it agrees with the session."""

    parts: int
    agrees: int


def _parts(stage: Stage, mistakes: Sequence[Mistake], judged: JudgedSession) -> tuple[_Alone, dict[str, _Alone]]:
    """Where the session first differs from the correct program, and where each mistake alone does, by mistake id."""
    experiment = msgspec.structs.replace(experiment_of(judged, stage), reach=None)
    right = right_run(stage)
    normal = experiment.observed(right) if right else None
    if normal is None:  # then any mistake may explain the session
        unknown = _Alone(0, 0)
        return unknown, {mistake.id: unknown for mistake in mistakes}

    def parts(transcript: Transcript) -> int:
        difference = difference_between(normal.transcript.events, transcript.events, judged.policy)
        return _NEVER if difference is None else _typed(difference.matched)

    alone = {}
    for mistake in mistakes:
        run = mistake.run_of(stage.name)
        assert run is not None
        wrong = experiment.observed(run)
        # If a program with one mistake fails or does not end here, a pair with this mistake may do anything.
        alone[mistake.id] = (
            _Alone(parts(judged.actual), _NEVER)
            if wrong is None
            else _Alone(parts(wrong.transcript), progress(wrong.difference))
        )
    return _Alone(parts(judged.actual), progress(normal.difference)), alone


#: More typed lines than any session has.
_NEVER = 1 << 60


def _typed(events: tuple[Event, ...]) -> int:
    return sum(isinstance(event, Typed) for event in events)
