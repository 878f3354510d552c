import random
from collections import Counter
from typing import NamedTuple

import pytest

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.specfile import load_assignment
from reference.ece2036 import blackjack, double, game, players, split
from reference.ece2036.rules import CARDS, worth
from tests.conftest import ROOT

ECE2036 = load_assignment(ROOT / "specs" / "ece2036")
PLAYERS = (players.types_all_keys, players.types_all_keys_without_money)
PROGRAMS = {"blackjack": blackjack.main, "double": double.main, "split": split.main}
#: How many checks are simulated, and in how many of them a kind of decision may be missing.
CHECKS, MAX_MISSED = 10, 1


class PlayerConsole:
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


class Decision(NamedTuple):
    """A kind of decision: what determines which keys are offered."""

    #: The number of cards in the hand; 4 stands for four or more.
    cards: int
    is_split: bool
    is_pair: bool
    #: Whether the player has the money to double or to split; also true at later decisions and after a split, where
    #: money does not matter.
    has_money: bool


def kind_of_decision(game_state, hand):
    is_split = len(game_state._hands) == 2
    is_pair = len(hand) == 2 and worth(hand[0]) == worth(hand[1])
    has_money = len(hand) > 2 or is_split or 2 * game_state._bet <= game_state._money
    return Decision(min(len(hand), 4), is_split, is_pair, has_money)


def record_refusals(monkeypatch, program, session_counts, seed):
    """Play the sessions of a check; return the keys that were refused, each with the kind of decision."""
    refused, original_refusal = set(), game._Game._refusal

    def recorded_refusal(self, letter, features, hand):
        refused.add((letter, kind_of_decision(self, hand)))
        return original_refusal(self, letter, features, hand)

    monkeypatch.setattr(game._Game, "_refusal", recorded_refusal)
    rng = random.Random(seed)
    for player, count in zip(PLAYERS, session_counts, strict=True):
        for _ in range(count):
            console = PlayerConsole(player)
            program(console, lambda: rng.choice(CARDS))
            assert len(console._typed) < players.MAX_LINES_OF_MANY, "the player did not leave the game"
    monkeypatch.setattr(game._Game, "_refusal", original_refusal)
    return refused


FIRST_DECISIONS = [Decision(2, False, is_pair, has_money) for is_pair in (True, False) for has_money in (True, False)]
LATER_DECISIONS = [Decision(cards, False, False, True) for cards in (3, 4)]
SPLIT_DECISIONS = [Decision(2, True, True, True), Decision(2, True, False, True), Decision(3, True, False, True)]
#: For each stage and key: the kinds of decisions at which the key is not offered.
REFUSED_DECISIONS = {
    "blackjack": dict.fromkeys("dp", FIRST_DECISIONS + LATER_DECISIONS),
    "double": {
        "d": [kind for kind in FIRST_DECISIONS if not kind.has_money] + LATER_DECISIONS,
        "p": FIRST_DECISIONS + LATER_DECISIONS,
    },
    "split": {
        "d": FIRST_DECISIONS + LATER_DECISIONS + SPLIT_DECISIONS,
        "p": [kind for kind in FIRST_DECISIONS if not (kind.is_pair and kind.has_money)]
        + LATER_DECISIONS
        + SPLIT_DECISIONS,
    },
}


@pytest.mark.parametrize("stage", PROGRAMS)
def test_each_key_is_typed_at_every_kind_of_decision_that_lacks_it(monkeypatch, stage):
    sessions_of_case = Counter(session.case.name for session in all_sessions_of(ECE2036.stage(stage)))
    session_counts = [sessions_of_case["types all keys"], sessions_of_case["types all keys without money"]]
    missed = Counter()
    for seed in range(CHECKS):
        refused = record_refusals(monkeypatch, PROGRAMS[stage], session_counts, seed)
        expected = {(key, kind) for key, kinds in REFUSED_DECISIONS[stage].items() for kind in kinds}
        missed.update(expected - refused)
        assert {key for key, _ in refused} >= set(players._OTHER_KEYS)
    assert {kind: count for kind, count in missed.items() if count > MAX_MISSED} == {}


@pytest.mark.parametrize("name", ["hand", "first hand", "hand 1", "Second Hand"])
def test_a_player_decides_by_the_last_hand_whatever_its_title(name):
    screen = (
        "Dealer's first card is: Two\nPlayer's hand is: Ten Ten\nPlayer's hand value is 20\n"
        f"Player's {name} is: Ten Two\nPlayer's {name} value is 12\nWhat would you like to do? Enter (h)it or (s)tand: "
    )
    assert players.hit_below_17(screen, ("20", "p")) == "h"
