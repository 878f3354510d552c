"""Answers that only a careless program takes for others are typed in csc101 in three sessions of a check, not by luck."""

import random
from collections import Counter

import pytest

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.specfile import load_assignment
from reference.csc101 import game, players
from reference.csc101.rules import CARDS, Rules
from tests.conftest import ROOT

CSC101 = load_assignment(ROOT / "specs" / "csc101")
#: How many checks are simulated, and in how many sessions of each an answer is typed at least.
CHECKS, LEAST = 20, 3
AGAIN, BET, COMMAND = "another hand: ", "Place your bet: ", "Enter command: "


class Played:
    """A console at which a player types; has each answer with the question before it."""

    def __init__(self, player):
        self._player, self._shown, self.answers = player, "", []

    def write(self, text):
        self._shown += text

    def read_line(self):
        line = self._player(self._shown, tuple(answer for _, answer in self.answers))
        if line is not None:
            self.answers.append((self._shown.rpartition("\n")[2], line))
            self._shown += f"{line}\n"
        return line


def answers_in(player, rules, chance):
    """All answers of a session, with their questions."""
    console, deck = Played(player), chance.sample(CARDS, len(CARDS))
    game.main(console, deck.pop, rules)
    return set(console.answers)


@pytest.mark.parametrize(
    ("stage", "rules", "question", "answer"),
    [
        ("basic", Rules(), AGAIN, "Q"),
        ("basic", Rules(betting=True), AGAIN, "Q"),
        ("errors", Rules(errors=True, betting=True), BET, "5 x"),
        ("errors", Rules(errors=True), COMMAND, "xyz"),
        ("errors", Rules(errors=True, betting=True, split=True), COMMAND, "xyz"),
    ],
)
def test_an_answer_is_typed_in_three_sessions_of_each_check(stage, rules, question, answer):
    times = Counter(session.case.name for session in all_sessions_of(CSC101.stage(stage)))
    assert times.total() > LEAST
    for check in range(CHECKS):
        chance, typed = random.Random(check), 0
        for case in times:
            player = getattr(players, case.replace(" ", "_"), None)
            if player is not None:
                sessions = [answers_in(player, rules, chance) for _ in range(times[case])]
                typed += sum(
                    any(asked.endswith(question) and line == answer for asked, line in one) for one in sessions
                )
        assert typed >= LEAST
