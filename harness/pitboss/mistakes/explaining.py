"""Which known mistakes explain sessions: those whose wrong program does exactly what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pitboss.assignments.assignment import Stage
from pitboss.assignments.functions import resolved
from pitboss.assignments.options import accepted_by, own_keywords
from pitboss.judging.outcome import Witness
from pitboss.mistakes.catalogue import Mistake
from pitboss.mistakes.likeness import does_same
from pitboss.running.references import ExpectedRun, at_most_events, expected_run_in_process

#: How many failed sessions are used to rank mistakes that do not explain all; a mistake that explains a smaller part
#: of them than _NEAR is not reported.
_SAMPLE, _NEAR = 8, 0.85
#: How many of those are reported that explain as many.
_MOST_NEAR = 3
#: A wrong reference with more events than these many times those of the longest session, and some more, has gone
#: astray: at most it sleeps in a hundred parts.
_MORE_EVENTS, _FURTHER_EVENTS = 4, 1_000
#: How many times as long as the session asked first one may be that is asked instead.
_LONGER = 2
#: In how large a part of the failed sessions draws may be hidden.
_HIDDEN = 0.34


def right_run(stage: Stage) -> ExpectedRun | None:
    """The stage's own reference if it is a function, like the wrong ones; else None."""
    function = stage.reference.function
    if not function:
        return None
    main = resolved(function, stage.name)
    return expected_run_in_process(main, stage.name, accepted_by(main, own_keywords(stage.options)))


def explaining(stage: Stage, mistakes: Iterable[Mistake], seen: Sequence[Witness]) -> list[Mistake]:
    """The mistakes that explain all of these sessions, failed and accepted ones alike."""
    # A failed session contradicts nearly every mistake, and an accepted one few of them.
    sooner = sorted(seen, key=lambda one: (None in (one.draws or ()), one.is_accepted, length(one)))
    with at_most_events(_MORE_EVENTS * max(map(length, seen), default=0) + _FURTHER_EVENTS):
        return [mistake for mistake in mistakes if does_all(does(stage, mistake), sooner)]


def does_all(does: Callable[[Witness], bool], seen: list[Witness]) -> bool:
    """Whether `does` holds for all sessions; a short one that it does not hold for is asked first from then on.

    What contradicts one mistake contradicts most of the others, too.
    """
    for index, witness in enumerate(seen):
        if not does(witness):
            if length(witness) <= _LONGER * length(seen[0]):
                seen.insert(0, seen.pop(index))
            return False
    return True


def near(
    stage: Stage, mistakes: Sequence[Mistake], failed: Sequence[Witness], accepted: Sequence[Witness]
) -> list[tuple[int, Mistake]]:
    """The mistakes that explain the most failed sessions, nearly all, and contradict none of the accepted ones."""
    sample = sorted(failed[:: max(1, len(failed) // _SAMPLE)][:_SAMPLE], key=length)
    ranked = []
    for mistake in mistakes:
        does_it = does(stage, mistake)
        if _does_most(does_it, sample) and all(map(does_it, accepted)):
            ranked.append((sum(map(does_it, failed)), mistake))
    most = max((explains for explains, _ in ranked), default=0)
    is_near = most > 1 and most >= _NEAR * len(failed)
    return [one for one in ranked if is_near and one[0] == most][:_MOST_NEAR]


def _does_most(does: Callable[[Witness], bool], sample: Sequence[Witness]) -> bool:
    """Whether `does` holds for most sessions of a sample; stops as soon as the answer is certain."""
    misses = 0
    for witness in sample:
        misses += not does(witness)
        if misses > (1 - _NEAR) * len(sample):
            return False
    return True


def does(stage: Stage, mistake: Mistake) -> Callable[[Witness], bool]:
    """A function that returns whether the wrong program of a stage reproduces a session."""
    expected_run = mistake.run_of(stage.name)
    assert expected_run is not None
    return lambda witness: does_same(expected_run, witness, stage)


def cost(witness: Witness) -> tuple[bool, int]:
    """Draws that were never shown are guessed, which takes long; and so do long sessions."""
    return None in (witness.draws or ()), length(witness)


def is_mostly_hidden(failed: Sequence[Witness], most: float = 0.0) -> bool:
    """Whether many sessions have a larger part than `most` of their draws that was never shown.

    Then little can be said, and that only slowly, since each of these draws is guessed for each program that is tried.
    """
    hidden = sum((one.draws or ()).count(None) > len(one.draws or ()) * most for one in failed)
    return hidden > len(failed) * _HIDDEN


def length(witness: Witness) -> int:
    """How long a session is, in events; short ones are tried first."""
    return len(witness.actual.events)
