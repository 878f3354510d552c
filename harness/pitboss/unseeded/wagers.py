"""Tests draws by wagers: a predictor that can foretell draws wins, and a correct program's draws cannot be foretold.

A predictor begins with a wealth of 1 and wagers on each draw before it is known, at the odds of a correct program. The
stake depends on earlier draws, so a predictor whose forecasts come true wins more and more. With fair draws, the
expected wealth of each predictor never grows. Therefore the mean wealth of all predictors exceeds x with a probability
of at most 1 / x, whatever a correct program draws, and whenever the sessions are stopped (Ville's inequality; see
Shafer and Vovk, Game-Theoretic Foundations for Probability and Finance, 2019). So more sessions may be run until the
evidence is clear.

There is a predictor for each way in which draws go wrong: a value comes too often or too rarely; a value comes too
often at the same index of a session or a fresh bag; a draw, or three draws in a row, are followed by the same value as
the last time.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from pitboss.assignments.assignment import Draws
from pitboss.sessions.determinism import coarse_seeds_in

#: From this wealth on, draws are reported as not random. A correct program reaches this wealth in one of a million
#: checks of ten stages.
CONVINCING_WEALTH = 1e7
#: From this wealth up to CONVINCING_WEALTH, it is unclear whether draws are random, and more sessions are run. One in a
#: hundred correct programs reaches this wealth.
SUSPICIOUS_WEALTH = 1e2
#: How many draws in a row the predictor of runs uses to foretell the next draw.
_RUN_LENGTH = 3
#: The prior: before the first draw, a foretold value is assumed to have come this often, in as many assumed draws as
#: give this number by chance. See Krichevsky and Trofimov, The Performance of Universal Encoding, 1981.
_PRIOR_COUNT = 0.5


class Predictor(msgspec.Struct):
    """Foretells one value at a time."""

    #: How often the predictor foretold a value.
    foretold: int = 0
    #: How often the foretold value came.
    came: int = 0
    #: How often the foretold value would have come by chance.
    expected: float = 0.0
    #: The natural logarithm of the predictor's wealth.
    log_wealth: float = 0.0

    def wager(self, chance: float, has_come: bool, *, is_upper_bound: bool) -> None:
        """Record whether a foretold value came; `chance` is its probability, or an upper bound if `is_upper_bound`."""
        belief = (self.came + _PRIOR_COUNT) / (self.foretold + _PRIOR_COUNT / chance)
        if is_upper_bound:  # fair odds are known only for a belief of at least the upper bound
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
        self._draw_count = 0
        self._draws_of_sessions: list[tuple[str | None, ...]] = []
        self._value_counts: Counter[str] = Counter()
        self._index_predictor, self._pair_predictor, self._run_predictor = Predictor(), Predictor(), Predictor()
        #: How often each value came at each index of a session or bag.
        self._counts_at_index: Counter[tuple[int, str]] = Counter()
        #: The most frequent value at each index.
        self._most_frequent: dict[int, str] = {}
        #: The value that last followed each value.
        self._next_value: dict[str, str] = {}
        #: The value that last followed each run of _RUN_LENGTH values.
        self._next_after_run: dict[tuple[str, ...], str] = {}
        #: By a value and the value after it, how often the second had followed the first the last time too.
        self._repeated_pairs: Counter[tuple[str, str]] = Counter()

    def wagers_on(self, draws_of_sessions: Sequence[tuple[str | None, ...]]) -> Wagers:
        """Return the wagers on exactly these sessions; sessions that were already added are not added again."""
        is_continued = list(draws_of_sessions[: len(self._draws_of_sessions)]) == self._draws_of_sessions
        wagers = self if is_continued else Wagers(self._source)
        for draws in draws_of_sessions[len(wagers._draws_of_sessions) :]:
            wagers.add(draws)
        return wagers

    def add(self, draws: Sequence[str | None]) -> None:
        """Wager on the draws of a further session; None is a draw that was not shown.

        From the first impossible draw on, such as a repeated value, draws are ignored: the impossible draw is reported
        separately.
        """
        self._draws_of_sessions.append(tuple(draws))
        bag = self._source.bag
        possible = dict.fromkeys(self._source.values)
        previous: tuple[str, ...] = ()
        for number, draw in enumerate(draws):
            if bag and number % bag == 0:
                possible = dict.fromkeys(self._source.values)
            if draw is None:
                previous = ()
                continue
            if draw not in possible:
                return
            self._wager(number % bag if bag else number, previous, draw, possible)
            previous = (*previous, draw)[-_RUN_LENGTH:]
            if bag:
                del possible[draw]

    def _wager(self, index: int, previous: tuple[str, ...], draw: str, possible: dict[str, None]) -> None:
        """Have each predictor wager on a draw at this index, after the previous draws; then record the draw."""
        self._wager_once(self._index_predictor, self._most_frequent.get(index), draw, possible)
        if previous and self._wager_once(self._pair_predictor, self._next_value.get(previous[-1]), draw, possible):
            self._repeated_pairs[previous[-1], draw] += 1
        if len(previous) == _RUN_LENGTH:
            self._wager_once(self._run_predictor, self._next_after_run.get(previous), draw, possible)
            self._next_after_run[previous] = draw
        if previous:
            self._next_value[previous[-1]] = draw
        self._counts_at_index[index, draw] += 1
        most_frequent = self._most_frequent.setdefault(index, draw)
        if self._counts_at_index[index, draw] > self._counts_at_index[index, most_frequent]:
            self._most_frequent[index] = draw
        self._value_counts[draw] += 1
        self._draw_count += 1

    def _wager_once(self, predictor: Predictor, foretold: str | None, draw: str, possible: dict[str, None]) -> bool:
        """Have a predictor wager on the value that it foretells, if that value is possible; returns whether it came."""
        if foretold not in possible or len(possible) == 1:
            return False
        has_bound = self._source.rarest is not None
        chance = self._source.max_probability if has_bound else 1 / len(possible)
        predictor.wager(chance, foretold == draw, is_upper_bound=has_bound)
        return foretold == draw

    def _log_wealth_of(self, value: str) -> float:
        """The log wealth of the predictor that always foretells this value, if all are equally likely in each draw.

        The formula gives the wealth after one wager on each draw: that wealth does not depend on the order of draws.
        """
        count, came, chance = self._draw_count, self._value_counts[value], 1 / len(self._source.values)
        prior_hits, prior_misses = _PRIOR_COUNT, _PRIOR_COUNT / chance - _PRIOR_COUNT
        log_evidence = _log_beta(came + prior_hits, count - came + prior_misses) - _log_beta(prior_hits, prior_misses)
        return log_evidence - came * math.log(chance) - (count - came) * math.log(1 - chance)

    def _log_wealth_by_value(self) -> dict[str, float]:
        """The log wealth of each predictor of a single value; empty unless all values are always equally likely."""
        is_uniform = not self._source.bag and self._source.rarest is None
        return {value: self._log_wealth_of(value) for value in self._source.values} if is_uniform else {}

    @property
    def log_wealth(self) -> float:
        """The natural logarithm of the mean wealth of all predictors.

        Predictors of a single value, if there are any, together begin with half of the wealth.
        """
        others = _log_mean(
            [predictor.log_wealth for predictor in (self._index_predictor, self._pair_predictor, self._run_predictor)]
        )
        values = list(self._log_wealth_by_value().values())
        return _log_mean([_log_mean(values), others]) if values else others

    @property
    def cannot_be_chance(self) -> bool:
        """Whether the draws are not random."""
        return self.log_wealth >= math.log(CONVINCING_WEALTH)

    @property
    def is_undecided(self) -> bool:
        """Whether it is unclear if the draws are random, so that more sessions should be run."""
        return math.log(SUSPICIOUS_WEALTH) <= self.log_wealth < math.log(CONVINCING_WEALTH)

    def finding(self) -> str:
        """Return the evidence that the draws are not random, as sentences with numbers; empty if they may be random."""
        if not self.cannot_be_chance:
            return ""
        wealth_by_value = self._log_wealth_by_value()
        # Empty if there are no predictors of a single value; the sentence on it is then never the best.
        value = max(wealth_by_value, key=wealth_by_value.__getitem__, default="")
        wealth_by_sentence = {
            self._sentence_on_value(value): wealth_by_value.get(value, -math.inf),
            self._sentence_on_indexes(): self._index_predictor.log_wealth,
            self._sentence_on_pairs(): self._pair_predictor.log_wealth,
            self._sentence_on_runs(): self._run_predictor.log_wealth,
        }
        return max(wealth_by_sentence, key=wealth_by_sentence.__getitem__)

    def _sentence_on_value(self, value: str) -> str:
        count, expected = self._value_counts[value], self._draw_count / len(self._source.values)
        came = f"{value} came {_times_text(count)}" if count else f"{value} never came"
        return (
            f"In {self._draw_count:,} draws over {len(self._draws_of_sessions):,} sessions {came}; "
            f"{_rounded_with_verb(expected)} expected. All values should be equally likely."
        )

    def _sentence_on_indexes(self) -> str:
        if not self._most_frequent:
            return ""
        index = max(self._most_frequent, key=lambda index: self._counts_at_index[index, self._most_frequent[index]])
        of_bag = f" of {self._source.bag}" if self._source.bag else ""
        example = f"{self._most_frequent[index]} as number {index + 1}{of_bag}"
        return self._predictor_sentence(
            self._index_predictor, f"a draw was the most frequent value at its place before, such as {example}"
        )

    def _sentence_on_pairs(self) -> str:
        followed = "a draw was followed by the value that had followed it the last time"
        if self._repeated_pairs:
            (first, other), _ = self._repeated_pairs.most_common(1)[0]
            followed += f", such as {first} by {other}"
        return self._predictor_sentence(self._pair_predictor, followed)

    def _sentence_on_runs(self) -> str:
        return self._predictor_sentence(
            self._run_predictor,
            "three draws were followed by the value that had followed the same three draws the last time",
        )

    def _predictor_sentence(self, predictor: Predictor, event: str) -> str:
        came = _times_text(predictor.came).capitalize()
        return (
            f"{came} in {predictor.foretold:,} {event}; {_rounded_with_verb(predictor.expected)} expected. "
            "Earlier draws should not predict the next one."
        )


def without_coinciding_seeds(sessions: Iterable[tuple[int, tuple[str | None, ...]]]) -> list[tuple[str | None, ...]]:
    """Returns the draws of sessions, without sessions that repeat another session because their seeds coincide.

    `sessions` are pairs: the seed of a session's environment (clock, process id and the like), and the session's draws.
    A program that seeds from its process id, or from the milliseconds of the clock, is right although it draws the same
    in two environments with the same process id or milliseconds. A wrong program, which draws the same in every
    session, draws the same even in environments that have no seed in common.
    """
    unexplained: list[tuple[str | None, ...]] = []
    by_seed: defaultdict[tuple[str, int], list[tuple[str | None, ...]]] = defaultdict(list)
    for environment_seed, draws in sessions:
        seeds = coarse_seeds_in(environment_seed)
        if any(_agree_where_shown(draws, other) for seed in seeds for other in by_seed[seed]):
            continue
        unexplained.append(draws)
        for seed in seeds:
            by_seed[seed].append(draws)
    return unexplained


def _agree_where_shown(draws: Sequence[str | None], other: Sequence[str | None]) -> bool:
    """Whether the draws of two sessions are equal wherever both were shown; False if no draw was shown in both."""
    both = [pair for pair in zip(draws, other, strict=False) if None not in pair]
    return bool(both) and all(first == second for first, second in both)


def _times_text(count: int) -> str:
    if not count:
        return "never"
    return "once" if count == 1 else f"{count:,} times"


def _rounded_with_verb(expected: float) -> str:
    """The expected number as rounded text, with a verb.

    >>> _rounded_with_verb(0.2), _rounded_with_verb(1.3), _rounded_with_verb(17.0)
    ('less than 1 is', 'about 1 is', 'about 17 are')
    """
    if expected < 0.5:
        return "less than 1 is"
    return f"about {expected:,.0f} {'is' if expected < 1.5 else 'are'}"


def _log_beta(first: float, other: float) -> float:
    """The natural logarithm of the beta function."""
    return math.lgamma(first) + math.lgamma(other) - math.lgamma(first + other)


def _log_mean(logarithms: Sequence[float]) -> float:
    """The logarithm of the mean of the numbers that have these logarithms."""
    highest = max(logarithms)
    return highest + math.log(sum(math.exp(logarithm - highest) for logarithm in logarithms) / len(logarithms))
