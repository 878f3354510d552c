"""Finds the known mistakes that explain sessions.

A mistake explains a session if a program with this mistake does in the session what the submission did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from pitboss.assignments.assignment import Stage
from pitboss.assignments.functions import resolve_function
from pitboss.assignments.options import accepted_by, own_keywords
from pitboss.compare.outcome import JudgedSession
from pitboss.experiments.catalogue import Mistake
from pitboss.experiments.relation import Experiment, SessionOrder, experiment_of
from pitboss.sessions.references import ExpectedRun, at_most_events, expected_run_in_process

#: If no mistake explains all sessions: how many failed sessions are tried first.
_SAMPLE_SIZE = 8
#: If no mistake explains all sessions: the minimum share of failed sessions that a reported mistake explains.
_MIN_NEAR_SHARE = 0.85
#: If no mistake explains all sessions: the maximum number of reported mistakes, which explain equally many sessions.
_MAX_NEAR_MISTAKES = 3
#: A wrong reference is stopped after _EVENTS_FACTOR times the events of the longest session, plus _EXTRA_EVENTS, since
#: one pause may be split into a hundred.
_EVENTS_FACTOR, _EXTRA_EVENTS = 4, 1_000
#: The share of failed sessions with hidden draws above which `have_many_hidden_draws` is true.
_MAX_SHARE_OF_HIDDEN_SESSIONS = 0.34


def right_run(stage: Stage) -> ExpectedRun | None:
    """Returns a function that runs the stage's reference in this process; None if the reference is not a function."""
    function = stage.reference.function
    if not function:
        return None
    main = resolve_function(function, stage.name)
    return expected_run_in_process(main, stage.name, accepted_by(main, own_keywords(stage.options)))


def mistakes_that_explain(
    stage: Stage, mistakes: Iterable[Mistake], sessions: Sequence[JudgedSession]
) -> list[Mistake]:
    # Sessions with hidden draws come last, since guessing these takes long. Of the sessions with hidden draws, and of
    # those without, failed ones come first: they contradict nearly every mistake, and accepted sessions contradict few.
    ordered = sorted(
        sessions, key=lambda session: (None in (session.draws or ()), session.is_accepted, event_count(session))
    )
    experiments = [experiment_of(session, stage) for session in ordered]
    order = SessionOrder(experiments)
    with at_most_events(_EVENTS_FACTOR * max(map(event_count, sessions), default=0) + _EXTRA_EVENTS):
        return [mistake for mistake in mistakes if order.first(contradiction_check(mistake, stage)) is None]


def contradiction_check(mistake: Mistake, stage: Stage) -> Callable[[Experiment], bool]:
    """Returns a function that tells whether a program with this mistake cannot have produced a session."""
    run = mistake.run_of(stage.name)
    assert run is not None
    return lambda experiment: not experiment.is_explained_by(run)


def near_explanations(
    stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[JudgedSession], accepted: Sequence[JudgedSession]
) -> list[tuple[int, Mistake]]:
    """Returns the mistakes that explain the most failed sessions, if nearly all, and contradict no accepted session.

    Each is returned as a pair: the number of failed sessions that the mistake explains, and the mistake. The list is
    empty if no mistake explains enough sessions.
    """
    failed_experiments, accepted_experiments = (
        [experiment_of(session, stage) for session in group] for group in (failed, accepted)
    )
    sampled = failed[:: max(1, len(failed) // _SAMPLE_SIZE)][:_SAMPLE_SIZE]
    sample = [experiment_of(session, stage) for session in sorted(sampled, key=event_count)]
    max_misses = int((1 - _MIN_NEAR_SHARE) * len(sample))
    ranked = []
    for mistake in mistakes:
        is_unexplained = contradiction_check(mistake, stage)
        excess_misses = islice(filter(is_unexplained, sample), max_misses, None)
        if next(excess_misses, None) is None and not any(map(is_unexplained, accepted_experiments)):
            ranked.append((len(failed) - sum(map(is_unexplained, failed_experiments)), mistake))
    max_explained = max((explained_count for explained_count, _ in ranked), default=0)
    is_near_enough = max_explained > 1 and max_explained >= _MIN_NEAR_SHARE * len(failed)
    if not is_near_enough:
        return []
    best = [(explained_count, mistake) for explained_count, mistake in ranked if explained_count == max_explained]
    return best[:_MAX_NEAR_MISTAKES]


def names_of_unexplained(stage: Stage, mistake: Mistake, failed: Sequence[JudgedSession]) -> tuple[str, ...]:
    is_unexplained = contradiction_check(mistake, stage)
    return tuple(session.session for session in failed if is_unexplained(experiment_of(session, stage)))


def have_many_hidden_draws(failed: Sequence[JudgedSession], max_share: float = 0.0) -> bool:
    """Whether in many failed sessions more than `max_share` of the draws are hidden, that is, were never shown.

    If so, a diagnosis proves little and takes long, since each hidden draw is guessed for each program that is tried.
    If `max_share` is 0, one hidden draw in a session is enough.
    """
    hidden_count = sum((session.draws or ()).count(None) > len(session.draws or ()) * max_share for session in failed)
    return hidden_count > len(failed) * _MAX_SHARE_OF_HIDDEN_SESSIONS


def event_count(judged: JudgedSession) -> int:
    """The length of a session in events; short sessions are tried first."""
    return len(judged.actual.events)
