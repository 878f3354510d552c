"""Excludes from a stage the sessions that fail only because of a feature tested by another stage.

Several stages may be one program. A mistake in a feature costs points only in the stage that tests the feature. Another
stage is judged without the sessions that use the feature if each of its wrong sessions differs right after a request
for the feature, before anything else is typed. The outcome says how many sessions were left out.
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
from pitboss.unseeded.reader import screen_of, spans_of_rule

#: The minimum number of sessions without the feature. With fewer sessions, it may be a coincidence that only sessions
#: with the feature differ.
_MIN_SESSIONS = 12
#: The minimum number of sessions without the feature for each failed session, for the same reason.
_MIN_PER_FAILURE = 4


def without_other_features(outcome: Outcome, selection: Selection, stage: Stage, stages: Sequence[Stage]) -> Outcome:
    """Returns the outcome without the sessions that use other features, if all failures come from using those features.

    `stage` is the stage before a setting was selected; `stages` are all stages of the assignment.
    """
    results, failed = outcome.results, [outcome.results[index] for index in outcome.deciding_wrong_indexes]
    if not failed:
        return outcome
    try:
        candidates = [_Feature(option, results, stages) for option in selection.features_beside(stage)]
        responsible = [candidate for candidate in candidates if any(map(candidate.explains, failed))]
        excluded = frozenset(
            index for index, result in enumerate(results) if any(feature.is_in(result) for feature in responsible)
        )
        is_explained = all(any(feature.explains(result) for feature in responsible) for result in failed)
    except HarnessError:
        return outcome
    if not is_explained or len(results) - len(excluded) < max(_MIN_SESSIONS, _MIN_PER_FAILURE * len(failed)):
        return outcome
    # Worded like the option's value: "with doubling".
    features = " or ".join(feature.in_words for feature in responsible)
    return outcome.without_results(excluded, f"{len(excluded)} sessions {features}, of which {len(failed)} are wrong")


class _Feature:
    """A feature that a program has, and the typed lines that request it.

    Such a line counts as a request everywhere in a session, even where the program does not offer the feature.
    """

    def __init__(self, option: Option, results: Sequence[Result], stages: Sequence[Stage]) -> None:
        """Collect the lines that request the feature in these sessions: those with which a match of its rule ends."""
        self.in_words = option.values[1].description
        self._rules = {
            stage.name: (rule, stage) for stage in stages for rule in stage.rules if rule.name == option.feature_rule
        }
        self._request_lines = {
            line for result in results for line, is_request in self._typed_lines(result) if is_request
        }

    def is_in(self, result: Result) -> bool:
        """Whether the feature is requested in a session."""
        return any(
            isinstance(event, Typed) and event.line.strip() in self._request_lines for event in result.expected.events
        )

    def explains(self, result: Result) -> bool:
        """Whether the last line typed before the first difference of a session requests the feature."""
        if result.difference is None or result.difference.place:
            return False
        before = result.difference.quoted.expected_before
        last_line = next((event.line.strip() for event in reversed(before) if isinstance(event, Typed)), None)
        return last_line in self._request_lines

    def _typed_lines(self, result: Result) -> Iterator[tuple[bytes, bool]]:
        """Each typed line of a session, and whether it requests the feature at a point where the program offers it."""
        events, position = result.expected.events, 0
        screen = screen_of(events)
        match_ends = {end for rule, stage in self._rules.values() for _, end in spans_of_rule(rule, screen, stage)}
        for event in events:
            position += len(screen_of([event]))
            if isinstance(event, Typed):
                # The match of a rule ends with the typed line, before its newline.
                yield event.line.strip(), position - 1 in match_ends
