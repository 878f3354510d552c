"""A slip in a feature costs the stage of that feature, and no stage that is about something else.

Several stages may be one program. Where one fails only in sessions that differ after a feature was asked for, before
anything else is typed, and all others are right, it is judged without the sessions with that feature, and says so: if
the stage is not about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import Option
from pitboss.compare.outcome import Outcome
from pitboss.compare.results import Result
from pitboss.errors import HarnessError
from pitboss.model.transcript import Typed
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.reader import places_of, screen_of

#: How many sessions without the feature there must be at least, and how many for each that differs: else it may be
#: chance that what differs did so beside the feature.
_LEAST, _FOR_EACH = 12, 4


def without_other_features(outcome: Outcome, chosen: Selection, stage: Stage, stages: Sequence[Stage]) -> Outcome:
    """The outcome without the sessions of features that the stage is not about, if only these differ, and beside them.

    `stage` is the one before the choice, and `stages` are all of its assignment: some are about these features.
    """
    results, failed = outcome.results, [outcome.results[index] for index in outcome.wrong]
    if not failed:
        return outcome
    try:
        features = [_Feature(option, results, stages) for option in chosen.features_beside(stage)]
        blamed = [one for one in features if any(map(one.is_to_blame, failed))]
        apart = frozenset(index for index, one in enumerate(results) if any(each.is_in(one) for each in blamed))
        is_explained = all(any(one.is_to_blame(result) for one in blamed) for result in failed)
    except HarnessError:
        return outcome
    if not is_explained or len(results) - len(apart) < max(_LEAST, _FOR_EACH * len(failed)):
        return outcome
    # As the option's value says it: "with doubling".
    said = " or ".join(one.said for one in blamed)
    return outcome.without(apart, f"{len(apart)} sessions {said}, of which {len(failed)} are wrong")


class _Feature:
    """A feature that a program has, and the lines that ask for it, offered or not."""

    def __init__(self, option: Option, results: Sequence[Result], stages: Sequence[Stage]) -> None:
        """As it comes up in these sessions, by the rule of a stage that is about it."""
        self.said = option.values[1].said
        self._rules = {one.name: (rule, one) for one in stages for rule in one.rules if rule.name == option.shows}
        self._keys = {line for one in results for line, is_asked in self._typed(one) if is_asked}

    def is_in(self, result: Result) -> bool:
        """Whether a session types what asks for it."""
        return any(isinstance(one, Typed) and one.line.strip() in self._keys for one in result.expected.events)

    def is_to_blame(self, result: Result) -> bool:
        """Whether it was what was asked for last before the place where a session differs."""
        if result.difference is None or result.difference.place:
            return False
        before = result.difference.quoted.expected_before
        last = next((one.line.strip() for one in reversed(before) if isinstance(one, Typed)), None)
        return last in self._keys

    def _typed(self, result: Result) -> Iterator[tuple[bytes, bool]]:
        """Each typed line of a session, and whether it asks for the feature where that is offered."""
        events, size = result.expected.events, 0
        screen = screen_of(events)
        ends = {end for rule, stage in self._rules.values() for _, end in places_of(rule, screen, stage)}
        for event in events:
            size += len(screen_of([event]))
            if isinstance(event, Typed):
                yield event.line.strip(), size - 1 in ends
