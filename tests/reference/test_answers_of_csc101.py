import random
from collections import Counter

import pytest

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.specfile import load_assignment
from reference.csc101 import game, players
from reference.csc101.rules import CARDS, Rules
from tests.conftest import ROOT

CSC101 = load_assignment(ROOT / "specs" / "csc101")
#: How many checks are simulated, and the least number of sessions of each check in which the answer must be typed.
CHECKS, LEAST_SESSIONS = 20, 3
#: The ends of questions.
AGAIN, BET, COMMAND = "another hand: ", "Place your bet: ", "Enter command: "


class PlayerConsole:
    """A console at which a player types; `answers` lists each question with its answer."""

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


def play_session(player, rules, rng):
    """Play one session; return the set of its answers, as pairs of a question and an answer."""
    console, deck = PlayerConsole(player), rng.sample(CARDS, len(CARDS))
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
def test_in_each_check_at_least_three_sessions_type_the_answer(stage, rules, question, answer):
    session_counts = Counter(session.case.name for session in all_sessions_of(CSC101.stage(stage)))
    assert session_counts.total() > LEAST_SESSIONS
    for check in range(CHECKS):
        rng, sessions_with_answer = random.Random(check), 0
        for case in session_counts:
            # A case is named after the function of its player, if it has one.
            player = getattr(players, case.replace(" ", "_"), None)
            if player is not None:
                for _ in range(session_counts[case]):
                    pairs = play_session(player, rules, rng)
                    sessions_with_answer += any(prompt.endswith(question) and line == answer for prompt, line in pairs)
        assert sessions_with_answer >= LEAST_SESSIONS
