"""Finds draws that a player would notice not to be random: values that never come, places and sessions that repeat.

Each kind of event has a probability that is tolerated, and another that is suspected. How much more likely the events
so far are with the second probability than with the first ever exceeds x with a probability of at most 1 / x, if each
event has the tolerated probability or less (Ville's inequality). It does not matter when the sessions are stopped, nor
that their lengths depend on the draws, as with a test for a fixed number of draws it would.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple

import msgspec

from pitboss.assignments.assignment import Draws
from pitboss.compare.findings import DrawnTwice, OddDraws, Oddity
from pitboss.unseeded.reader import Reading

#: An event that is less probable than this in a correct program is reported as a mistake: such an event does not happen
#: in the career of an instructor who checks a thousand submissions a day.
NEVER = 1e-9
#: If a value never came, or draws may not be random, more sessions are run, up to this many times the stage's maximum:
#: with one draw of 50 values in each session, it takes 1,500 sessions to be sure.
MAX_TIMES = 20
#: A value is missing if it should have come this often. Chance leaves out one of 100,000 values once in 10 ** 8 checks.
MIN_EXPECTED = 30
#: How many draws at the beginning of each session are compared.
_COMPARED_DRAWS = 4
#: The evidence at which draws are reported. There are six kinds of events with this limit, so a correct program is
#: reported in at most one of a million checks of ten stages.
_CONVINCING = math.log(1e8)
#: From this evidence on, more sessions are run.
_SUSPICIOUS = math.log(20)
#: A value is reported if it comes less often than the first or more often than the second of these times the expected.
_RARE, _FREQUENT = 2 / 3, 3 / 2
#: A value at one place of a session is reported if it comes there ten times as often as expected. Eight times is
#: tolerated: 52 swaps of 52 values leave one in its place in 15 of 100 cases. 14 times is suspected.
_TOLERATED, _CONCENTRATED, _SUSPECTED = 8, 10, 14
#: The number of places, counted from the beginning of each session, at which values are counted: two bags of 52.
_PLACES = 104

#: The kind with the highest number is reported: bags that are hardly mixed have nearly the same order too, for example.
_PRECEDENCE = {Oddity.SAME_ORDER: 0, Oddity.SHARE: 1, Oddity.PLACE: 1, Oddity.REPEATED: 2}
#: The draws of each session; None for a draw that was not shown.
DrawsOfSessions = Sequence[tuple[str | None, ...]]


class _Tally(NamedTuple):
    """How often an event came, and the share of all tries from which on it is reported."""

    finding: OddDraws
    reported_share: float
    #: The probability that is tolerated, and the one that is suspected.
    tolerated: float
    suspected: float
    #: The number of events of this kind, each of which may come by chance.
    of_kind: int = 1

    @property
    def evidence(self) -> float:
        """The logarithm of the evidence that this is not chance; minus infinity unless a player would notice."""
        came, of, tolerated, suspected = self.finding.count, self.finding.of, self.tolerated, self.suspected
        if (came - self.reported_share * of) * (suspected - tolerated) < 0:
            return -math.inf
        return came * math.log(suspected / tolerated) + (of - came) * math.log((1 - suspected) / (1 - tolerated))

    @property
    def is_convincing(self) -> bool:
        """Whether chance cannot explain this, although each event of the kind may come by chance."""
        return self.evidence >= _CONVINCING + math.log(self.of_kind)


def twice_in_a_bag(source: Draws, draws: Sequence[str | None]) -> DrawnTwice | None:
    """Returns the first value that is drawn twice from one bag; None if there is no such value, or no bag."""
    if not source.bag:
        return None
    for start in range(0, len(draws), source.bag):
        first_numbers: dict[str, int] = {}
        for number, draw in enumerate(draws[start : start + source.bag], start + 1):
            if draw is not None and draw in first_numbers:
                return DrawnTwice(draw, first_numbers[draw], number, source.bag)
            if draw is not None:
                first_numbers[draw] = number
    return None


def odd_draws(source: Draws, draws_of_sessions: DrawsOfSessions) -> OddDraws | None:
    """Returns what is odd about the draws of all sessions, and cannot be chance; None if nothing is."""
    found = _odd_draws(source, draws_of_sessions)
    return found and msgspec.structs.replace(found, bag=source.bag, nouns=source.nouns)


def _odd_draws(source: Draws, draws_of_sessions: DrawsOfSessions) -> OddDraws | None:
    if finding := _same_beginnings(source, draws_of_sessions):
        return finding
    odd = [count for count in _counts(source, tuple(draws_of_sessions)) if count.is_convincing]
    missing = never_drawn(source, draws_of_sessions)
    is_repeated = any(count.finding.kind is Oddity.REPEATED for count in odd)
    if missing and not is_repeated and expected_count(source, draws_of_sessions) >= MIN_EXPECTED:
        return OddDraws(Oddity.MISSING, missing, 0, _count(draws_of_sessions), len(draws_of_sessions))
    best = max(odd, key=lambda count: (_PRECEDENCE[count.finding.kind], count.evidence), default=None)
    return best and best.finding


def is_undecided(source: Draws, draws_of_sessions: DrawsOfSessions, times: float | None = None) -> bool:
    """Whether more sessions can decide that values are missing, or that draws are odd.

    With `times`, missing values are considered only if `times` as many sessions as these would decide it.
    """
    expected = expected_count(source, draws_of_sessions)
    is_decidable = expected < MIN_EXPECTED and (times is None or expected * times >= MIN_EXPECTED)
    if is_decidable and never_drawn(source, draws_of_sessions):
        return True
    counts = _counts(source, tuple(draws_of_sessions))
    return any(count.evidence >= _SUSPICIOUS and not count.is_convincing for count in counts)


def takes_new_bag_each_round(source: Draws, readings: Sequence[Reading]) -> bool:
    """Whether each round, as the reader gives them, draws from a new bag although the first is not used up."""
    repeated_after: set[int] = set()
    for reading in readings if source.bag else ():
        ends = (*reading.rounds[1:], len(reading.draws))
        rounds = [reading.draws[slice(*span)] for span in zip(reading.rounds, ends, strict=False)]
        if any(twice_in_a_bag(source, draws) for draws in rounds):
            return False
        for number, (one, following) in enumerate(pairwise(rounds)):
            if ends[number + 1] <= source.bag and {*one} & {*following} - {None}:
                repeated_after.add(number)
    # A bag that is refilled every second round, or when it is nearly empty, repeats nothing so early.
    return {0, 1} <= repeated_after


def never_drawn(source: Draws, draws_of_sessions: DrawsOfSessions) -> tuple[str, ...]:
    drawn = {draw for draws in draws_of_sessions for draw in draws}
    return tuple(value for value in source.values if value not in drawn)


def expected_count(source: Draws, draws_of_sessions: DrawsOfSessions) -> float:
    """Returns how often the rarest value should have come; without replacement, a missing value more often."""
    return source.min_probability * _count(draws_of_sessions)


def _same_beginnings(source: Draws, draws_of_sessions: DrawsOfSessions) -> OddDraws | None:
    """The finding that all sessions begin with the same draws, unless chance can explain that.

    A program may use the time in seconds as its seed, and two sessions in a row may run in the same second. So only
    every second session counts as a try. A draw that was not shown is no evidence.
    """
    beginnings = [draws[:_COMPARED_DRAWS] for draws in draws_of_sessions if draws]
    draws_by_index = [_draws_at(index, beginnings) for index in range(_COMPARED_DRAWS)]
    if any(len(set(draws)) > 1 for draws in draws_by_index):
        return None
    repeated = 0
    for index in range(_COMPARED_DRAWS):
        tries = len(_draws_at(index, beginnings[1::2]))
        # If none of the sessions between the tries shows the draw, the first try has nothing to repeat.
        repeated += tries if _draws_at(index, beginnings[::2]) else max(0, tries - 1)
    if source.max_probability**repeated >= NEVER:
        return None
    common_draws = tuple(draws[0] for draws in takewhile(len, draws_by_index))
    return OddDraws(Oddity.SAME, common_draws, len(beginnings), len(beginnings), len(beginnings))


def _draws_at(index: int, beginnings: DrawsOfSessions) -> list[str]:
    """The draw at this index of each session, without draws that were not shown."""
    return [draw for beginning in beginnings for draw in beginning[index : index + 1] if draw is not None]


@lru_cache(maxsize=4)
def _counts(source: Draws, draws_of_sessions: tuple[tuple[str | None, ...], ...]) -> tuple[_Tally, ...]:
    """How often each kind of event came that may be odd."""
    kinds = (_shares, _at_places, _in_order, _repeated)
    return tuple(count for counts_of in kinds for count in counts_of(source, draws_of_sessions))


def _shares(source: Draws, draws_of_sessions: DrawsOfSessions) -> Iterator[_Tally]:
    """How often each value came, unless it must come once in each bag; without values that never came."""
    came = Counter(draw for draws in draws_of_sessions for draw in draws if draw is not None)
    total, least = came.total(), source.min_probability
    for value, count in came.items() if not source.bag else ():
        finding = OddDraws(Oddity.SHARE, (value,), count, total, len(draws_of_sessions), total * least)
        yield _Tally(finding, _RARE * least, least, _RARE * least, len(source.values))
        if source.rarest is None and _FREQUENT * least < 1:
            yield _Tally(finding, _FREQUENT * least, least, _FREQUENT * least, len(source.values))


def _at_places(source: Draws, draws_of_sessions: DrawsOfSessions) -> Iterator[_Tally]:
    """How often each value came at each place, counted from the beginning of a session."""
    came = Counter(place for draws in draws_of_sessions for place in enumerate(draws[:_PLACES]))
    shown = Counter(index for draws in draws_of_sessions for index, draw in enumerate(draws[:_PLACES]) if draw)
    for (index, value), count in came.items():
        # Without replacement a value comes with this probability at most, once the earlier ones are known.
        most = 1 / (len(source.values) - index % source.bag) if source.bag else source.max_probability
        share = _CONCENTRATED * most
        if value is not None and count > 1 and share < 1:
            of, usual = shown[index], shown[index] * source.max_probability
            finding = OddDraws(Oddity.PLACE, (value,), count, of, len(draws_of_sessions), usual, index + 1)
            suspected = min(_SUSPECTED * most, (1 + share) / 2)
            yield _Tally(finding, share, _TOLERATED * most, suspected, _PLACES * len(source.values))


def _in_order(source: Draws, draws_of_sessions: DrawsOfSessions) -> Iterator[_Tally]:
    """How often a draw from a new bag was the same as at its place in the bag before; half of all is reported."""
    bag = source.bag
    tries = [
        (draws[number - bag], draws[number])
        for draws in (draws_of_sessions if bag else ())
        for number in range(bag, len(draws))
        # Near its end few values are left in a bag.
        if draws[number - bag] not in (None, *draws[number - number % bag : number]) and number % bag < bag * 3 / 4
    ]
    same = sum(earlier == draw for earlier, draw in tries)
    finding = OddDraws(Oddity.SAME_ORDER, (), same, len(tries), len(draws_of_sessions))
    yield _Tally(finding, 1 / 2, 1 / 4, 1 / 2)


def _repeated(source: Draws, draws_of_sessions: DrawsOfSessions) -> Iterator[_Tally]:
    """How often a draw was the same as the draw before; half of the way from the expected to all is reported."""
    pairs = [pair for draws in draws_of_sessions for pair in pairwise(draws) if None not in pair]
    same, most = sum(one == following for one, following in pairs), source.max_probability
    finding = OddDraws(Oddity.REPEATED, (), same, len(pairs), len(draws_of_sessions), len(pairs) * most)
    yield _Tally(finding, (1 + most) / 2, most, (1 + most) / 2)


def _count(draws_of_sessions: DrawsOfSessions) -> int:
    """The number of draws that were shown."""
    return sum(draw is not None for draws in draws_of_sessions for draw in draws)
