"""Searches for the setting of a stage's options that a program has: one option at a time, not all combinations.

The search begins with the setting found before, at first the stage's own, and a few sessions that it does not explain.
It makes the change of one option that explains most of them, and continues from there. If no single change helps, two
changes at once are tried, since one deviation may hide another. Sessions that are still unexplained are added, a few at
a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, islice
from typing import Protocol

from pitboss.assignments.options import Option, Setting, with_value
from pitboss.model.transcript import Shown
from pitboss.unseeded.replay import Replay, expected_remainder

#: How many unexplained sessions are added to the sample at a time.
_ADDED_SESSIONS = 3
#: In how many unexplained sessions of the sample pairs of changes are tried.
_PAIR_SESSIONS = 2
#: How many sessions are examined for those in which the values of unknown draws are guessed for a changed setting, and
#: for how many of these they are.
_EXAMINED_SESSIONS, _GUESSED_SESSIONS = 12, 3
#: After how many rounds in a row without a better setting the search gives up.
MAX_FRUITLESS = 3
#: How many sessions are explained, how far the other sessions agree, and how many lines they share after that.
Score = tuple[int, int, int]


def score_of(replays: Sequence[Replay]) -> Score:
    """Returns how many sessions these replays explain, and how far they agree with the other sessions.

    The lines after the first difference decide where every session differs early, as in a program that leaves out all
    empty lines.
    """
    others = [replay for replay in replays if not replay.explains]
    agreement = sum(replay.agreement for replay in others)
    return len(replays) - len(others), agreement, sum(map(_later_lines_in_common, others))


def _later_lines_in_common(replay: Replay) -> int:
    """How many lines after the first difference are in both sessions, in any order."""
    if replay.difference is None or replay.failure:
        return 0
    expected, actual = (
        Counter(line for event in events if isinstance(event, Shown) for line in event.text.split(b"\n") if line)
        for events in (replay.difference.expected, replay.difference.actual)
    )
    return (expected & actual).total()


class SettingReplays(Protocol):
    """The sessions of a submission, by number, replayed under any setting."""

    def quick_replay(self, setting: Setting, number: int, /) -> Replay:
        """Return the replay of a session, with arbitrary values for draws that were never shown."""
        ...

    def has_unknown_draws(self, number: int, /) -> bool:
        """Whether a session has draws that were never shown."""
        ...

    def explains(self, setting: Setting, number: int, /) -> bool: ...


class SettingSearch:
    """A search over the free options of a stage."""

    def __init__(self, options: Sequence[Option], replays: SettingReplays, max_fruitless: int = MAX_FRUITLESS) -> None:
        """Search settings of these options; give up after `max_fruitless` rounds in a row that find nothing better."""
        self._options, self._replays, self._max_fruitless = options, replays, max_fruitless

    def best_setting(self, own: Setting, numbers: Sequence[int], first: Setting | None = None) -> Setting:
        """Return the setting that explains these sessions best, without unnecessary changes of the stage's own setting.

        The search begins with `first`, which explained fewer sessions; by default with the stage's own setting.
        """
        best, sample, fruitless_rounds = first or own, list[int](), 0
        while fruitless_rounds < self._max_fruitless:
            new_sessions = self._next_unexplained(best, numbers, sample)
            if not new_sessions and all(self._replays.explains(best, number) for number in sample):
                break
            sample += new_sessions
            improved = self._better_setting(best, sample)
            fruitless_rounds = 0 if improved is not None else fruitless_rounds + 1
            if improved is None and not new_sessions:
                break
            best = improved or best
        best = self._without_needless_changes(
            own, self._better_with_guesses(best, numbers), sample, list(dict.fromkeys((*sample, *numbers)))
        )
        return self._with_shown_features(best, numbers)

    def _with_shown_features(self, best: Setting, numbers: Sequence[int]) -> Setting:
        """The setting plus features that only unexplained sessions show, if these sessions agree further with them.

        A program with a mistake may show a feature in a single unexplained session, which need not be in the sample.
        """
        unexplained = [number for number in numbers if not self._replays.explains(best, number)]
        feature_changes = (
            change for change in self._changes(best) if unexplained and self._options[change.index].feature_rule
        )
        for change in feature_changes:
            setting = change(best)
            is_better = self.score(setting, unexplained) > self.score(best, unexplained)
            if is_better and self._still_explains(setting, best, numbers):
                best = setting
        return best

    def _still_explains(self, setting: Setting, best: Setting, numbers: Sequence[int]) -> bool:
        """Whether a setting explains each of these sessions that `best` explains."""
        explained = (number for number in numbers if self._replays.explains(best, number))
        return all(self._replays.explains(setting, number) for number in explained)

    def _better_with_guesses(self, best: Setting, numbers: Sequence[int]) -> Setting:
        """A setting near `best` that explains more sessions when the values of unknown draws are guessed, or `best`.

        The right setting may be found only now: until now, unknown draws had arbitrary values, which make a session end
        differently, so the right setting seemed to explain fewer sessions. Guessing takes many replays of each session.
        """
        has_unknown_draws = {number: self._replays.has_unknown_draws(number) for number in numbers}
        for change in self._changes(best) if any(has_unknown_draws.values()) else ():
            wrong = [number for number in numbers if not self._replays.explains(best, number)]
            if not wrong:
                break
            setting = change(best)
            # The first in which the change matters, since a mistake may be all that is wrong in the others, and one for
            # each expected text; among them those with unknown draws.
            examined = sorted(wrong, key=lambda number: not has_unknown_draws[number])[:_EXAMINED_SESSIONS]
            first = max(examined, key=partial(self._agrees_otherwise, setting, best))
            by_expected_text: dict[bytes, int] = {}
            for number in (first, *examined):
                by_expected_text.setdefault(expected_remainder(self._replays.quick_replay(best, number)), number)
            guessed = islice(by_expected_text.values(), _GUESSED_SESSIONS)
            is_better = any(self._replays.explains(setting, number) for number in guessed)
            if is_better and self._explains_more(setting, best, numbers):
                best = setting
        return best

    def _agrees_otherwise(self, setting: Setting, best: Setting, number: int) -> bool:
        """Whether a session agrees longer, or less long, with a setting than with `best`."""
        return (
            self._replays.quick_replay(setting, number).agreement != self._replays.quick_replay(best, number).agreement
        )

    def score(self, setting: Setting, numbers: Sequence[int]) -> Score:
        """Return how many of these sessions a setting explains, and how far it agrees with the other sessions."""
        return score_of([self._replays.quick_replay(setting, number) for number in numbers])

    def _next_unexplained(self, setting: Setting, numbers: Sequence[int], sample: Sequence[int]) -> list[int]:
        """The first sessions outside the sample that a setting does not explain."""
        unexplained: list[int] = []
        for number in numbers:
            if number not in sample and not self._replays.explains(setting, number):
                unexplained.append(number)
                if len(unexplained) == _ADDED_SESSIONS:
                    break
        return unexplained

    def _better_setting(self, best: Setting, sample: Sequence[int]) -> Setting | None:
        """A setting near `best` that explains more of the sample; None if no setting does."""
        changes = list(self._changes(best))
        improved = self._best_of(best, (change(best) for change in changes), sample)
        if improved is not None:
            return improved
        unexplained = [number for number in sample if not self._replays.explains(best, number)][:_PAIR_SESSIONS]
        changes = [change for change in changes if self._matters(change(best), best, unexplained)]
        pairs = ((change, other) for change, other in combinations(changes, 2) if change.index != other.index)
        improved = self._best_of(best, (other(change(best)) for change, other in pairs), unexplained)
        # A change that helps in a few sessions may harm in others, so the score of the whole sample must rise.
        return improved if improved is not None and self.score(improved, sample) > self.score(best, sample) else None

    def _best_of(self, best: Setting, settings: Iterator[Setting], sample: Sequence[int]) -> Setting | None:
        """The setting with the highest score, the first of equals; None if no setting is better than `best`."""
        highest, found = self.score(best, sample), None
        for setting in settings:
            score = self.score(setting, sample)
            if score > highest:
                highest, found = score, setting
        return found

    def _matters(self, setting: Setting, best: Setting, numbers: Sequence[int]) -> bool:
        """Whether a setting makes any difference in these sessions."""
        quick_replay = self._replays.quick_replay
        return any(quick_replay(setting, number) != quick_replay(best, number) for number in numbers)

    def _changes(self, setting: Setting) -> Iterator[_Change]:
        for index, option in enumerate(self._options):
            if option.is_free:
                yield from (_Change(index, value) for value in range(len(option.values)) if value != setting[index])

    def _without_needless_changes(
        self, own: Setting, best: Setting, sample: Sequence[int], numbers: Sequence[int]
    ) -> Setting:
        """The setting `best`, without those of its changes to the stage's own setting that explain nothing.

        If the program has a mistake, a change that explains more of the sample may explain fewer of all sessions: such
        a change is undone as well.
        """
        for index in range(len(best)):
            if best[index] == own[index]:
                continue
            reverted = with_value(best, index, own[index])
            if self._is_as_good(reverted, best, sample, numbers) or self._explains_more(reverted, best, numbers):
                best = reverted
        return best

    def _is_as_good(self, setting: Setting, best: Setting, sample: Sequence[int], numbers: Sequence[int]) -> bool:
        """Whether a setting scores at least as high as `best` in the sample, and explains all that `best` explains.

        Lines after a difference count only if `best` explains no session: otherwise they are the same by chance.
        """
        explains_any = any(self._replays.explains(best, number) for number in numbers)
        counted = slice(2 if explains_any else None)
        scores_as_high = self.score(setting, sample)[counted] >= self.score(best, sample)[counted]
        return scores_as_high and self._still_explains(setting, best, numbers)

    def _explains_more(self, setting: Setting, best: Setting, numbers: Sequence[int]) -> bool:
        """Whether a setting explains more of these sessions than `best`; replays nothing if `best` explains all."""
        wrong = [number for number in numbers if not self._replays.explains(best, number)]
        # To guess for a session that is not explained takes long, so no more are replayed than decide.
        ordered = sorted(numbers, key=set(wrong).__contains__)
        missed = (number for number in ordered if not self._replays.explains(setting, number))
        return len(list(islice(missed, len(wrong)))) < len(wrong)


class _Change:
    """A change of one option to another value; a call returns the changed setting."""

    def __init__(self, index: int, value: int) -> None:
        """Change the option at `index` to its value with the index `value`."""
        self.index, self.value = index, value

    def __call__(self, setting: Setting) -> Setting:
        return with_value(setting, self.index, self.value)
