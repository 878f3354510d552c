"""A program without a feature may do as it likes once its bag is used up; one that goes on drawing has the feature."""

import itertools
import random
from dataclasses import replace

import pytest

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.drawn import DrawnSession
from pitboss.unseeded.unseeded import Judge
from reference.csc101 import game
from reference.csc101.rules import CARDS, Rules, points
from tests.conftest import ROOT

CSC101 = load_assignment(ROOT / "specs" / "csc101")
STAGE = CSC101.stage("reshuffle")
SESSIONS = [one for one in all_sessions_of(STAGE) if one.case.name in ("one hand", "long player")]
SAID = f"Not offered: in all {len(SESSIONS)} sessions the program behaves like a right one without reshuffling."


class Blank(Rules):
    """Any number of cards without a value, of which the dealer takes a few; nothing is split."""

    def is_pair(self, hand):
        return False

    def dealer_draws(self, dealer, players):
        return len(dealer) < 12 and super().dealer_draws(dealer, players)


ENDS = Rules()
#: Goes on after the last card without saying so.
GOES_ON = Blank(reshuffle=True, reshuffling_told="never", points=lambda hand: points([*filter(CARDS.count, hand)]))


class Last:
    """A console with a word at the end of a program that nobody quits."""

    def __init__(self, console, word):
        self._console, self._word, self._line = console, word, ""

    def __getattr__(self, name):
        return getattr(self._console, name)

    def read_line(self):
        self._line = self._console.read_line()
        return self._line

    def end(self):
        if self._line not in (None, "q"):
            self._console.write(self._word)


def cards(chance, after):
    """A deck, and then the same text without end, or these ones and further decks."""
    yield from chance.sample(CARDS, len(CARDS))
    yield from itertools.repeat(after) if isinstance(after, str) else after
    while True:
        yield from chance.sample(CARDS, len(CARDS))


def outcome(rules, after="", word=""):
    """The outcome of a program with these rules, cards after the 52nd, and word at the end where nobody quits."""

    def program(console, draw):
        last = Last(console, word)
        code = game.main(last, draw, rules)
        last.end()
        return code

    judge = Judge(Job(CSC101, (STAGE,), find_conditions(), "csc101"), STAGE)
    run, chance, drawn = expected_run_in_process(program, "the program"), random.Random(1), []
    for session in SESSIONS:
        script = input_script_of(session.case.session, None, session.case.place)
        output = run(script, cards(chance, after).__next__)
        drawn.append(DrawnSession(session, output, judge.read(output.events)))
    return judge.outcome(drawn)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "after", "word"),
    [
        (ENDS, "", "\nThe deck is empty. Thank you for playing, and come again!\n"),
        (GOES_ON, "", ""),
        (GOES_ON, "--", ""),
    ],
    ids=["says goodbye", "nothing", "dashes"],
)
def test_without_reshuffling_a_program_does_as_it_likes_after_the_last_card(rules, after, word):
    found = outcome(rules, after, word)
    assert (found.verdict.value, found.not_offered) == ("NOT_OFFERED", SAID)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "after", "word"),
    [
        (GOES_ON, (), ""),
        (GOES_ON, ("--",) * 5, ""),
        (ENDS, "", "\nReshuffling ...\n"),
        (replace(GOES_ON, dealer_stands_at=16), "--", ""),
    ],
    ids=["in silence", "after dashes", "in words alone", "blank and wrong"],
)
def test_a_program_that_reshuffles_wrongly_is_wrong(rules, after, word):
    found = outcome(rules, after, word)
    assert (found.verdict.value, found.not_offered) == ("WRONG_ANSWER", "")
