"""Players of ece2036: keys that are not offered are typed at every kind of decision, and not by luck."""

import random
from collections import Counter

import pytest

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.specfile import load_assignment
from reference.ece2036 import blackjack, double, game, players, split
from reference.ece2036.rules import CARDS, worth
from tests.conftest import ROOT

ECE2036 = load_assignment(ROOT / "specs" / "ece2036")
PLAYERS = (players.types_all_keys, players.types_all_keys_without_money)
PROGRAMS = {"blackjack": blackjack.main, "double": double.main, "split": split.main}
#: In so many of the checks that are simulated a kind of decision may not come up.
CHECKS, MAX_MISSED = 10, 1


class Played:
    """A console at which a player types."""

    def __init__(self, player):
        self._player, self._shown, self._typed = player, "", []

    def write(self, text):
        self._shown += text

    def read_line(self):
        line = self._player(self._shown, tuple(self._typed))
        if line is not None:
            self._typed.append(line)
            self._shown += f"{line}\n"
        return line


def kind_of(playing, hand):
    """What kind of decision it is: the number of cards, and what would allow a feature."""
    place = "of a split" if len(playing._hands) == 2 else "alone"
    pair = "pair" if len(hand) == 2 and worth(hand[0]) == worth(hand[1]) else "no pair"
    has_money = len(hand) > 2 or place != "alone" or 2 * playing._bet <= playing._money
    return min(len(hand), 4), place, pair, "money" if has_money else "no money"


def kinds_refused(monkeypatch, program, sessions, seed):
    """The kinds of decisions at which each key was refused in the sessions of a check."""
    seen, refusal = set(), game._Game._refusal

    def noticed(self, letter, hand):
        seen.add((letter, *kind_of(self, hand)))
        return refusal(self, letter, hand)

    monkeypatch.setattr(game._Game, "_refusal", noticed)
    generator = random.Random(seed)
    for player, times in zip(PLAYERS, sessions, strict=True):
        for _ in range(times):
            console = Played(player)
            program(console, lambda: generator.choice(CARDS))
            assert len(console._typed) < players.MAX_LINES_OF_MANY, "it leaves by itself"
    monkeypatch.setattr(game._Game, "_refusal", refusal)
    return seen


FIRST = [(2, "alone", pair, money) for pair in ("pair", "no pair") for money in ("money", "no money")]
LATER = [(cards, "alone", "no pair", "money") for cards in (3, 4)]
OF_A_SPLIT = [(2, "of a split", pair, "money") for pair in ("pair", "no pair")] + [
    (3, "of a split", "no pair", "money")
]
EXPECTED = {
    "blackjack": dict.fromkeys("dp", FIRST + LATER),
    "double": {"d": [kind for kind in FIRST if kind[3] == "no money"] + LATER, "p": FIRST + LATER},
    "split": {
        "d": FIRST + LATER + OF_A_SPLIT,
        "p": [kind for kind in FIRST if kind[2:] != ("pair", "money")] + LATER + OF_A_SPLIT,
    },
}


@pytest.mark.parametrize("stage", PROGRAMS)
def test_each_key_is_typed_at_each_kind_of_decision_at_which_it_is_not_offered(monkeypatch, stage):
    of_case = Counter(session.case.name for session in all_sessions_of(ECE2036.stage(stage)))
    sessions = [of_case["types all keys"], of_case["types all keys without money"]]
    missed = Counter()
    for seed in range(CHECKS):
        seen = kinds_refused(monkeypatch, PROGRAMS[stage], sessions, seed)
        expected = {(key, *kind) for key, kinds in EXPECTED[stage].items() for kind in kinds}
        missed.update(expected - seen)
        assert {key for key, *_ in seen} >= set(players._OTHER_KEYS)
    assert {kind: times for kind, times in missed.items() if times > MAX_MISSED} == {}


@pytest.mark.parametrize("name", ["hand", "first hand", "hand 1", "Second Hand"])
def test_a_player_decides_by_the_hand_that_was_shown_last_however_it_is_called(name):
    output = (
        "Dealer's first card is: Two\nPlayer's hand is: Ten Ten\nPlayer's hand value is 20\n"
        f"Player's {name} is: Ten Two\nPlayer's {name} value is 12\nWhat would you like to do? Enter (h)it or (s)tand: "
    )
    assert players.hit_below_17(output, ("20", "p")) == "h"
