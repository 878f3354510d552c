"""Tests draws by wagers: a predictor that can foretell draws wins, and a correct program's draws cannot be foretold.

A predictor begins with a wealth of 1 and wagers on each draw before it is known, at the odds of a correct program. The
stake depends on what came before, so a predictor whose forecasts come true wins more and more. None is expected to win
against fair draws, so the mean wealth of all exceeds x with a chance of at most 1 / x, whatever the program draws,
however many sessions are run and whenever one stops (Ville's inequality; see Shafer and Vovk, Game-Theoretic
Foundations for Probability and Finance, 2019). So more sessions may be run until the evidence is clear.

There is a predictor for each way in which draws go wrong: a value comes too often or too rarely; it comes too often at
the same index of a session or a fresh bag; a draw, or three draws in a row, are followed by the same value as before.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from pitboss.assignments.assignment import Draws
from pitboss.sessions.determinism import coarse_seeds_in

#: With this wealth draws count as not random. A correct program reaches it in one of a million checks of ten stages.
ENOUGH = 1e7
#: With this wealth it is unclear whether draws are random, and more sessions are run. One in a hundred correct programs
#: gets there.
SUSPICIOUS = 1e2
#: A run of this many draws foretells the next one.
_RECALLED = 3
#: The prior: as if before the first draw a value had come half a time, in as many draws as that takes by chance. See
#: Krichevsky and Trofimov, The Performance of Universal Encoding, 1981.
_SEEN_BEFORE = 0.5


class Predictor(msgspec.Struct):
    """Foretells one value at a time."""

    #: How often a value was foretold, how often it came, and how often it would by chance.
    foretold: int = 0
    came: int = 0
    expected: float = 0.0
    #: The natural logarithm of the wealth.
    log_wealth: float = 0.0

    def wager(self, chance: float, has_come: bool, *, is_most: bool) -> None:
        """Record whether a foretold value came; `chance` is its probability, or an upper bound if `is_most`."""
        belief = (self.came + _SEEN_BEFORE) / (self.foretold + _SEEN_BEFORE / chance)
        if is_most:  # below this bound it is unknown which odds are fair
            belief = max(belief, chance)
        self.log_wealth += math.log(belief / chance if has_come else (1 - belief) / (1 - chance))
        self.foretold += 1
        self.came += has_come
        self.expected += chance


class Wagers:
    """The wagers on the draws of one program's sessions."""

    def __init__(self, source: Draws) -> None:
        """Start without sessions; the program draws from this source."""
        self._source = source
        self._draws = 0
        self._readings: list[tuple[str | None, ...]] = []
        self._came: Counter[str] = Counter()
        self._places, self._pairs, self._runs = Predictor(), Predictor(), Predictor()
        #: How often each value came at each index of a session or bag; and the most frequent value at each index.
        self._at_place: Counter[tuple[int, str]] = Counter()
        self._favourite: dict[int, str] = {}
        #: What last came after each value, and after each run of _RECALLED values; and how often each value was
        #: followed by the value that it foretold.
        self._after: dict[str, str] = {}
        self._after_several: dict[tuple[str, ...], str] = {}
        self._again: Counter[tuple[str, str]] = Counter()

    def after(self, readings: Sequence[tuple[str | None, ...]]) -> Wagers:
        """Return the wagers after exactly these sessions; sessions added already are not added again."""
        is_begun = list(readings[: len(self._readings)]) == self._readings
        wagers = self if is_begun else Wagers(self._source)
        for reading in readings[len(wagers._readings) :]:
            wagers.add(reading)
        return wagers

    def add(self, draws: Sequence[str | None]) -> None:
        """Wager on the draws of a further session; None is a draw that was not shown.

        Draws from the first impossible one on, such as a repeated draw, are left out: that is reported separately.
        """
        self._readings.append(tuple(draws))
        bag = self._source.bag
        left = dict.fromkeys(self._source.values)
        before: tuple[str, ...] = ()
        for number, draw in enumerate(draws):
            if bag and number % bag == 0:
                left = dict.fromkeys(self._source.values)
            if draw is None:
                before = ()
                continue
            if draw not in left:
                return
            self._wager(number % bag if bag else number, before, draw, left)
            before = (*before, draw)[-_RECALLED:]
            if bag:
                del left[draw]

    def _wager(self, place: int, before: tuple[str, ...], draw: str, left: dict[str, None]) -> None:
        self._wager_once(self._places, self._favourite.get(place), draw, left)
        if before and self._wager_once(self._pairs, self._after.get(before[-1]), draw, left):
            self._again[before[-1], draw] += 1
        if len(before) == _RECALLED:
            self._wager_once(self._runs, self._after_several.get(before), draw, left)
            self._after_several[before] = draw
        if before:
            self._after[before[-1]] = draw
        self._at_place[place, draw] += 1
        favourite = self._favourite.setdefault(place, draw)
        if self._at_place[place, draw] > self._at_place[place, favourite]:
            self._favourite[place] = draw
        self._came[draw] += 1
        self._draws += 1

    def _wager_once(self, predictor: Predictor, foretold: str | None, draw: str, left: dict[str, None]) -> bool:
        """Have a predictor wager on the value that it foretells, if that can come; returns whether it came."""
        if foretold not in left or len(left) == 1:
            return False
        rarest = self._source.rarest is not None
        predictor.wager(self._source.max_chance if rarest else 1 / len(left), foretold == draw, is_most=rarest)
        return foretold == draw

    def _log_wealth_of(self, value: str) -> float:
        """The log wealth of the predictor that always foretells this value, if all are equally likely in each draw.

        It equals the wealth after one wager for each draw, since that does not depend on their order.
        """
        count, came, chance = self._draws, self._came[value], 1 / len(self._source.values)
        hits, misses = _SEEN_BEFORE, _SEEN_BEFORE / chance - _SEEN_BEFORE
        believed = _log_beta(came + hits, count - came + misses) - _log_beta(hits, misses)
        return believed - came * math.log(chance) - (count - came) * math.log(1 - chance)

    def _by_value(self) -> dict[str, float]:
        """The log wealth of each predictor of a single value; empty unless all values are equally likely."""
        is_even = not self._source.bag and self._source.rarest is None
        return {value: self._log_wealth_of(value) for value in self._source.values} if is_even else {}

    @property
    def log_wealth(self) -> float:
        """The natural logarithm of the mean wealth of all predictors.

        Predictors of a single value, if there are any, together begin with half of the wealth.
        """
        others = _log_mean([predictor.log_wealth for predictor in (self._places, self._pairs, self._runs)])
        values = list(self._by_value().values())
        return _log_mean([_log_mean(values), others]) if values else others

    @property
    def is_no_chance(self) -> bool:
        """Whether the draws are not random."""
        return self.log_wealth >= math.log(ENOUGH)

    @property
    def is_undecided(self) -> bool:
        """Whether it is unclear if the draws are random, so that more sessions should be run."""
        return math.log(SUSPICIOUS) <= self.log_wealth < math.log(ENOUGH)

    def finding(self) -> str:
        """Return the evidence that the draws are not random, as sentences with numbers; empty if they may be random."""
        if not self.is_no_chance:
            return ""
        values = self._by_value()
        value = max(values, key=values.__getitem__, default="")
        sentences = {
            self._about_value(value): values.get(value, -math.inf),
            self._about_places(): self._places.log_wealth,
            self._about_pairs(): self._pairs.log_wealth,
            self._about_runs(): self._runs.log_wealth,
        }
        return max(sentences, key=sentences.__getitem__)

    def _about_value(self, value: str) -> str:
        count, expected = self._came[value], self._draws / len(self._source.values)
        came = f"{value} came {_times(count)}" if count else f"{value} never came"
        return (
            f"In {self._draws:,} draws over {len(self._readings):,} sessions {came}; {_about_text(expected)} expected. "
            "All values should be equally likely."
        )

    def _about_places(self) -> str:
        if not self._favourite:
            return ""
        place = max(self._favourite, key=lambda place: self._at_place[place, self._favourite[place]])
        of_bag = f" of {self._source.bag}" if self._source.bag else ""
        example = f"{self._favourite[place]} as number {place + 1}{of_bag}"
        return self._bet_sentence(self._places, f"a draw was what had come most at its place before, such as {example}")

    def _about_pairs(self) -> str:
        followed = "a draw was followed by what had followed it the last time"
        if self._again:
            (first, other), _ = self._again.most_common(1)[0]
            followed += f", such as {first} by {other}"
        return self._bet_sentence(self._pairs, followed)

    def _about_runs(self) -> str:
        return self._bet_sentence(
            self._runs, "three draws were followed by what had followed the same three the last time"
        )

    def _bet_sentence(self, predictor: Predictor, what: str) -> str:
        came = _times(predictor.came).capitalize()
        return (
            f"{came} in {predictor.foretold:,} {what}; {_about_text(predictor.expected)} expected. "
            "Earlier draws should not predict the next one."
        )


def without_explained_draws(sessions: Iterable[tuple[int, tuple[str | None, ...]]]) -> list[tuple[str | None, ...]]:
    """Returns the draws of sessions, without sessions that repeat another one because their seeds coincide.

    Each session is given with the number of its seeded environment. A program that seeds from its process id, or from
    the milliseconds of the clock, draws the same in two environments that agree in that, and is right. A program that
    draws the same in every session does so even in environments that have no seed in common.
    """
    unexplained: list[tuple[str | None, ...]] = []
    by_seed: defaultdict[tuple[str, int], list[tuple[str | None, ...]]] = defaultdict(list)
    for environment_seed, draws in sessions:
        seeds = coarse_seeds_in(environment_seed)
        if any(_begin_alike(draws, other) for seed in seeds for other in by_seed[seed]):
            continue
        unexplained.append(draws)
        for seed in seeds:
            by_seed[seed].append(draws)
    return unexplained


def _begin_alike(one: Sequence[str | None], other: Sequence[str | None]) -> bool:
    """Whether draws are the same as far as both were shown; False if no draw was shown in both."""
    both = [pair for pair in zip(one, other, strict=False) if None not in pair]
    return bool(both) and all(first == second for first, second in both)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times" if count else "never"


def _about_text(expected: float) -> str:
    """A rounded number, with the verb.

    >>> _about_text(0.2), _about_text(1.3), _about_text(17.0)
    ('less than 1 is', 'about 1 is', 'about 17 are')
    """
    if expected < 0.5:
        return "less than 1 is"
    return f"about {expected:,.0f} {'is' if expected < 1.5 else 'are'}"


def _log_beta(first: float, other: float) -> float:
    return math.lgamma(first) + math.lgamma(other) - math.lgamma(first + other)


def _log_mean(logarithms: Sequence[float]) -> float:
    """The logarithm of the mean of the numbers that have these logarithms."""
    most = max(logarithms)
    return most + math.log(sum(math.exp(logarithm - most) for logarithm in logarithms) / len(logarithms))
