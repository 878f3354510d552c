"""Excludes from a stage the sessions that fail only because of a feature tested by another stage.

Several stages may be one program. A mistake in a feature costs points only in the stage that tests the feature. Another
stage is judged without the sessions in which the feature came up, if all wrong sessions are among them and enough right
ones are not. A feature comes up where it is requested, and where the reference does something else without it. If a
feature that the stage tests came up after it, that one is responsible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import inf

import msgspec

from pitboss.assignments.assignment import Stage
from pitboss.assignments.options import Option, Rule
from pitboss.compare.findings import DrawnTwice
from pitboss.compare.outcome import Outcome
from pitboss.compare.results import Result, Verdict
from pitboss.errors import HarnessError
from pitboss.model.transcript import Event
from pitboss.unseeded.choice import Selection
from pitboss.unseeded.reader import DrawnSession, rule_counts, screen_of, spans_of_rule, typed_lines

#: The minimum number of right sessions without the feature. With fewer sessions, it may be a coincidence that only
#: sessions with the feature are wrong.
_MIN_SESSIONS = 12
#: The minimum number of right sessions without the feature for each late failure, a session that goes wrong only some
#: typed lines after the feature came up.
_MIN_PER_LATE_FAILURE = 4
#: More sessions are run until all wrong sessions would have the feature by coincidence with at most this probability.
_COINCIDENCE = 0.05

#: How many lines are typed in a session before a feature changes what the reference does: see `Choice.typed_before`.
TypedBefore = Callable[[Selection, Option, int], int | None]


def without_other_features(outcome: Outcome, selection: Selection, stage: Stage, typed_before: TypedBefore) -> Outcome:
    """Returns the outcome without the sessions in which other features came up, if these features explain all failures.

    `stage` is the stage before a setting was selected.
    """
    results = outcome.results
    failed = [index for index, result in enumerate(results) if result.verdict is not Verdict.ACCEPTED]
    if not failed or outcome.findings or outcome.draws or not all(_is_explicable(results[index]) for index in failed):
        return outcome
    try:
        features = []
        for option, is_selected in selection.features(stage):
            starts = [typed_before(selection, option, index) for index in range(len(results))]
            changed = [index for index, start in enumerate(starts) if start is not None]
            refills = stage.draws.bag and all(
                len(selection.drawn[index].reading.draws) >= stage.draws.bag for index in changed
            )
            features.append(_Feature(option, is_selected, starts, results, stage, refills=bool(refills)))
        # The feature that came up in the fewest sessions explains most.
        others = [feature for feature in features if not feature.is_tested]
        others.sort(key=lambda feature: sum(map(feature.is_in, range(len(results)))))
        tested = {
            index: min((one.lines_since(index) for one in features if one.is_tested), default=inf) for index in failed
        }
        reasons = [
            next((other for other in others if other.is_in(index) and other.lines_since(index) < tested[index]), None)
            for index in failed
        ]
        if None in reasons:
            return outcome
        responsible = [other for other in others if other in reasons]
        excluded = [index for index in range(len(results)) if any(feature.is_in(index) for feature in responsible)]
        # In a wrong session the rules before its difference are counted too: until there the program is right.
        matched = [difference.quoted.expected_before for index in failed if (difference := results[index].difference)]
        failed_counts = [rule_counts(stage, events) for events in matched]
    except HarnessError:
        return outcome
    late = sum(all(other.lines_since(index) > 0 for other in responsible) for index in failed)
    right = len(results) - len(excluded)
    may_be_coincidence = right < _MIN_SESSIONS or (len(excluded) / len(results)) ** len(failed) > _COINCIDENCE
    outcome = msgspec.structs.replace(outcome, needs_more=may_be_coincidence and right >= len(failed))
    if may_be_coincidence and right < max(_MIN_SESSIONS, _MIN_PER_LATE_FAILURE * late):
        return outcome
    rules = ((name, count + sum(counts[name] for counts in failed_counts)) for name, count in outcome.rules)
    # Worded like the option's value: "with doubling".
    words = " or ".join(feature.words for feature in responsible)
    are_wrong = f"{len(failed)} {'is' if len(failed) == 1 else 'are'} wrong"
    without = f"without the {len(excluded)} sessions {words}, of which {are_wrong}"
    return outcome.judged_without(without, rules=tuple(rules), ignored_results=frozenset(excluded))


def _is_explicable(result: Result) -> bool:
    """Whether a session may be wrong because of another feature: on the screen, or by a value that is drawn twice."""
    is_twice = result.difference is None and isinstance(result.finding, DrawnTwice)
    is_on_screen = result.difference is not None and not result.difference.place
    return result.verdict is Verdict.WRONG_ANSWER and (is_twice or is_on_screen)


def differs_in_line(result: Result, pattern: str) -> bool:
    """Whether the first difference of a session is in an expected line that a regular expression matches."""
    if result.difference is None or result.difference.place:
        return False
    quoted = result.difference.quoted
    rest = screen_of(quoted.expected).partition("\n")[0]
    return bool(re.search(pattern, screen_of(quoted.expected_before).rpartition("\n")[2] + rest))


class _Feature:
    """A feature that a program has or may have, and where it comes up in the program's sessions.

    A typed line that requests it counts everywhere in a session, even where the program does not offer the feature.
    """

    def __init__(
        self,
        option: Option,
        is_selected: bool,
        starts: Sequence[int | None],
        results: Sequence[Result],
        stage: Stage,
        *,
        refills: bool,
    ) -> None:
        """`is_selected`: whether the selected setting has it. `starts`: what `TypedBefore` returns for each session.

        `refills`: whether it comes up only where a bag of draws is used up.
        """
        self._refills = refills
        self.words, self.is_tested, self._starts, self._results = option.words, option.is_tested, starts, results
        #: Functions that return where the rules of the feature match on a screen: see `spans_of_rule`.
        own_rules = [partial(spans_of_rule, rule, stage=stage) for rule in option.rules]
        self._rules = [*own_rules, *(partial(spans_of_rule, rule, stage=stage) for rule in option.with_others)]
        shows = partial(spans_of_rule, option.shown_rule, stage=stage)
        #: The typed lines that request the feature: those with which a match of the rule in `shows` ends.
        self._requests = set[bytes]()
        for result in results:
            ends = {end for _, end in shows(screen_of(result.expected.events))}
            self._requests |= {line for end, line in typed_lines(result.expected.events) if end in ends}
        # A program that never shows a feature does not have it, though the reference may agree further with it. In an
        # accepted session the reference shows what the program does, which may word it differently.
        screens = [(screen_of(result.actual.events), self._rules) for result in results]
        accepted = (result for result in results if result.verdict is Verdict.ACCEPTED)
        screens += [(screen_of(result.expected.events), own_rules) for result in accepted]
        self._is_selected = is_selected and any(spans(screen) for screen, rules in screens for spans in rules)
        #: Whether the program has the feature: it may agree further with a reference without it.
        self._is_in_program = self._is_selected or _is_shown(
            option, stage, [result.actual.events for result in results]
        )

    def is_in(self, index: int) -> bool:
        """Whether the feature came up in a session, or the program showed it where the reference does not."""
        result = self._results[index]
        lines = {line for _, line in typed_lines(result.expected.events)}
        is_requested = self._is_in_program and not self._requests.isdisjoint(lines)
        return is_requested or self._starts[index] is not None or self._is_shown_wrongly(result)

    def lines_since(self, index: int) -> float:
        """Return how many lines are typed from where the feature came up to a wrong session's first difference.

        -2 if the last line requests it, -1 if the program shows it there by mistake, inf if it did not come up.
        """
        result = self._results[index]
        if result.difference is None:  # a value was drawn twice
            return 0 if self._refills and self._starts[index] is not None else inf
        quoted, lines = result.difference.quoted, typed_lines(result.difference.quoted.expected_before)
        if self._is_in_program and lines and lines[-1][1] in self._requests:
            return -2
        if self._is_shown_wrongly(result):
            return -1
        if not self._is_selected:
            return inf
        counts = [count for count, (_, line) in enumerate(lines, 1) if line in self._requests]
        if (start := self._starts[index]) is not None and start <= len(lines):
            counts.append(start)
        screen, before = screen_of((*quoted.expected_before, *quoted.expected)), screen_of(quoted.expected_before)
        for start, end in (span for spans in self._rules for span in spans(screen)):
            counts += [sum(line_end <= end for line_end, _ in lines)] if start <= len(before) else []
        return len(lines) - max(counts, default=-inf)

    def _is_shown_wrongly(self, result: Result) -> bool:
        """Whether a rule of the feature matches the program's screen around the first difference."""
        if result.difference is None:
            return False
        quoted = result.difference.quoted
        position, screen = len(screen_of(quoted.before)), screen_of((*quoted.before, *quoted.actual))
        return any(start <= position <= end for spans in self._rules for start, end in spans(screen))


def features_never_shown(features: Iterable[Option], stage: Stage, drawn: Sequence[DrawnSession]) -> tuple[Option, ...]:
    """Those of these features that a program itself never showed; none if that cannot be determined."""
    sessions = [session.transcript.events for session in drawn if session.transcript is not None]
    try:
        return tuple(feature for feature in features if not _is_shown(feature, stage, sessions))
    except HarnessError:
        return ()


def _is_shown(feature: Option, stage: Stage, sessions: Iterable[tuple[Event, ...]]) -> bool:
    """Whether a program itself showed a feature in any of its sessions. Raises HarnessError if a rule fails.

    Where the rule that the feature shows is a typed line that requests it, the feature's other rules decide.
    """
    screens = [(screen_of(events), {end for end, _ in typed_lines(events)}) for events in sessions]

    def are_requests(rule: Rule) -> list[bool]:
        """Whether each match of a rule ends with a typed line."""
        return [end in ends for screen, ends in screens for _, end in spans_of_rule(rule, screen, stage)]

    is_requested = are_requests(feature.shown_rule)
    return not all(is_requested) or any(not all(are_requests(rule)) for rule in feature.rules if is_requested)
