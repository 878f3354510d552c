"""Finds known mistakes, and pairs of them, that explain sessions: programs with them do exactly the same there."""

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

#: How many failed sessions are tried first with mistakes that do not explain all; and the minimum share of failed
#: sessions that such a mistake must explain to be reported.
_SAMPLE, _NEAR = 8, 0.85
#: The maximum number of such mistakes that are reported if several explain equally many sessions.
_MAX_NEAR = 3
#: A wrong reference is stopped after _MORE_EVENTS times the events of the longest session, and _FURTHER_EVENTS more:
#: a pause may be split into a hundred parts.
_MORE_EVENTS, _FURTHER_EVENTS = 4, 1_000
#: The maximum share of the failed sessions that may have hidden draws.
_HIDDEN = 0.34


def right_run(stage: Stage) -> ExpectedRun | None:
    """Returns what runs the stage's own reference if it is a function, as wrong references are; else None."""
    function = stage.reference.function
    if not function:
        return None
    main = resolve_function(function, stage.name)
    return expected_run_in_process(main, stage.name, accepted_by(main, own_keywords(stage.options)))


def explaining(stage: Stage, mistakes: Iterable[Mistake], seen: Sequence[JudgedSession]) -> list[Mistake]:
    """Returns the mistakes that explain all of these sessions, failed and accepted."""
    # Failed sessions come first: they contradict nearly every mistake, and accepted ones contradict few.
    sooner = sorted(seen, key=lambda session: (None in (session.draws or ()), session.is_accepted, length(session)))
    experiments = [experiment_of(session, stage) for session in sooner]
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
    """Returns the mistakes that explain the most failed sessions, nearly all, and contradict no accepted one.

    Each comes after the number of failed sessions that it explains.
    """
    of_failed, of_accepted = ([experiment_of(session, stage) for session in some] for some in (failed, accepted))
    some = failed[:: max(1, len(failed) // _SAMPLE)][:_SAMPLE]
    sample = [experiment_of(session, stage) for session in sorted(some, key=length)]
    max_misses = int((1 - _NEAR) * len(sample))
    ranked = []
    for mistake in mistakes:
        misses = contradicts(mistake, stage)
        beyond = islice(filter(misses, sample), max_misses, None)
        if next(beyond, None) is None and not any(map(misses, of_accepted)):
            ranked.append((len(failed) - sum(map(misses, of_failed)), mistake))
    most = max((explains for explains, _ in ranked), default=0)
    is_near = most > 1 and most >= _NEAR * len(failed)
    return [pair for pair in ranked if is_near and pair[0] == most][:_MAX_NEAR]


def beyond(stage: Stage, mistake: Mistake, failed: Sequence[JudgedSession]) -> tuple[str, ...]:
    """Returns the names of the failed sessions that a mistake does not explain."""
    misses = contradicts(mistake, stage)
    return tuple(session.session for session in failed if misses(experiment_of(session, stage)))


def is_mostly_hidden(failed: Sequence[JudgedSession], most: float = 0.0) -> bool:
    """Whether in many sessions more than a share of `most` of the draws was never shown.

    Then a diagnosis proves little and takes long, since each of these draws is guessed for each program that is tried.
    """
    hidden = sum((session.draws or ()).count(None) > len(session.draws or ()) * most for session in failed)
    return hidden > len(failed) * _HIDDEN


def length(judged: JudgedSession) -> int:
    """The length of a session in events; short ones are tried first."""
    return len(judged.actual.events)


#: How many failed sessions decide which pairs of mistakes are worth trying.
_PROBES = 4


def pairs_that_may(stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[JudgedSession]) -> Iterator[Mistake]:
    """Returns the pairs of mistakes that may explain some failed sessions, judged from runs of each mistake alone.

    There are thousands of pairs. A program with two mistakes first differs from the right one where one of them alone
    first does. So this difference must lie between the same two typed lines as the session's, and the text there must
    come from that mistake or from both.
    """
    probes = [_parts(stage, mistakes, session) for session in sorted(failed, key=length)[:_PROBES]]

    def may_explain(one: str, other: str) -> bool:
        for done, alone in probes:
            first, later = sorted((alone[one], alone[other]))
            if first.parts != done.parts or (later.parts != done.parts and first.agrees <= done.agrees):
                return False
        return True

    return pairs_of(stage, may_explain)


class _Alone(NamedTuple):
    """After how many typed lines a program differs from the right one, and how far it agrees with the session."""

    parts: int
    agrees: int


def _parts(stage: Stage, mistakes: Sequence[Mistake], judged: JudgedSession) -> tuple[_Alone, dict[str, _Alone]]:
    """Where the session first differs from the correct program, and where each mistake alone does, by its id."""
    experiment = msgspec.structs.replace(experiment_of(judged, stage), reach=None)
    right = right_run(stage)
    normal = experiment.observed(right) if right else None
    if normal is None:  # then any mistake may explain it
        unknown = _Alone(0, 0)
        return unknown, {mistake.id: unknown for mistake in mistakes}

    def parts(done: Transcript) -> int:
        difference = difference_between(normal.transcript.events, done.events, judged.policy)
        return _NEVER if difference is None else _typed(difference.matched)

    alone = {}
    for mistake in mistakes:
        run = mistake.run_of(stage.name)
        assert run is not None
        wrong = experiment.observed(run)
        # A mistake that fails or does not end here may do anything in a pair.
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
