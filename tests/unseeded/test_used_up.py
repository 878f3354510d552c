import itertools
import random
from dataclasses import replace

import msgspec
import pytest

from pitboss.assignments.cases import all_sessions_of
from pitboss.assignments.players import input_script_of
from pitboss.assignments.specfile import load_assignment
from pitboss.compare.comparison import Difference, first_difference
from pitboss.kits.verification import expected_and_actual_transcripts
from pitboss.model.transcript import Shown, Transcript, Typed, exited
from pitboss.sessions.drivers import find_conditions
from pitboss.sessions.job import Job
from pitboss.sessions.references import expected_run_in_process
from pitboss.unseeded.reader import DrawnSession, Reading
from pitboss.unseeded.replay import Replay
from pitboss.unseeded.unseeded import Judge
from pitboss.unseeded.used_up import ends_where_used_up
from reference.csc101 import game
from reference.csc101.rules import CARDS, Rules, points
from tests.conftest import ROOT

CSC101 = load_assignment(ROOT / "specs" / "csc101")
STAGE = CSC101.stage("reshuffle")
SESSIONS = [session for session in all_sessions_of(STAGE) if session.case.name in ("one hand", "long player")]
NOT_OFFERED_SENTENCE = (
    f"Not offered: in all {len(SESSIONS)} sessions the program behaves like a correct program without reshuffling."
)


class BlankCards(Rules):
    """Rules that allow any number of blank cards, worth nothing: the dealer stops at twelve cards, nothing is split."""

    def is_pair(self, hand):
        return False

    def dealer_draws(self, dealer, players):
        return len(dealer) < 12 and super().dealer_draws(dealer, players)


#: The game ends with the last card.
ENDING_RULES = Rules()
#: The game continues after the last card, without a message.
CONTINUING_RULES = BlankCards(
    reshuffle=True,
    reshuffling_announced="never",
    points=lambda hand: points([card for card in hand if card in CARDS]),  # a blank card is not in CARDS
)


class FarewellConsole:
    """A console that adds a farewell at the end of a program, unless the player quit or the input ended."""

    def __init__(self, console, farewell):
        self._console, self._farewell, self._line = console, farewell, ""

    def __getattr__(self, name):
        return getattr(self._console, name)

    def read_line(self):
        self._line = self._console.read_line()
        return self._line

    def end(self):
        if self._line not in (None, "q"):
            self._console.write(self._farewell)


def draw_cards(rng, after_deck):
    """A shuffled deck, then what `after_deck` says.

    A text comes for ever, in place of each card; the texts of a tuple come once, followed by further decks.
    """
    yield from rng.sample(CARDS, len(CARDS))
    yield from itertools.repeat(after_deck) if isinstance(after_deck, str) else after_deck
    while True:
        yield from rng.sample(CARDS, len(CARDS))


def outcome(rules, after_deck="", farewell=""):
    """The outcome of a program with these rules; see `draw_cards` for `after_deck`, `FarewellConsole` for `farewell`."""

    def program(console, draw):
        console_with_farewell = FarewellConsole(console, farewell)
        code = game.main(console_with_farewell, draw, rules)
        console_with_farewell.end()
        return code

    judge = Judge(Job(CSC101, (STAGE,), find_conditions(), "csc101"), STAGE)
    run, rng, drawn_sessions = expected_run_in_process(program, "the program"), random.Random(1), []
    for session in SESSIONS:
        script = input_script_of(session.case.session, None, session.case.place)
        output = run(script, draw_cards(rng, after_deck).__next__)
        drawn_sessions.append(DrawnSession(session, output, judge.read(output.events)))
    return judge.outcome(drawn_sessions)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "after_deck", "farewell"),
    [
        (ENDING_RULES, "", "\nThe deck is empty. Thank you for playing, and come again!\n"),
        (CONTINUING_RULES, "", ""),
        (CONTINUING_RULES, "--", ""),
    ],
    ids=["says goodbye", "deals empty cards", "deals dashes"],
)
def test_without_reshuffling_anything_is_allowed_after_the_last_card(rules, after_deck, farewell):
    result = outcome(rules, after_deck, farewell)
    assert (result.verdict.value, result.not_offered) == ("NOT_OFFERED", NOT_OFFERED_SENTENCE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "after_deck", "farewell"),
    [(CONTINUING_RULES, (), ""), (CONTINUING_RULES, ("--",) * 5, ""), (ENDING_RULES, "", "\nReshuffling ...\n")],
    ids=["a new deck in silence", "a new deck after dashes", "only says that it reshuffles"],
)
def test_a_program_that_reshuffles_wrongly_is_wrong(rules, after_deck, farewell):
    result = outcome(rules, after_deck, farewell)
    assert (result.verdict.value, result.not_offered) == ("WRONG_ANSWER", "")


@pytest.mark.slow
def test_another_mistake_does_not_hide_that_a_program_does_not_reshuffle():
    result = outcome(replace(CONTINUING_RULES, dealer_stands_at=16), "--")
    assert result.verdict.value == "NOT_OFFERED"
    assert result.not_offered == (
        "Not offered: apart from mistakes the program behaves like a correct program without reshuffling."
    )


@pytest.mark.parametrize(("seed", "index"), [(310, 0), (1805, 0), (3166, 1)], ids=["five", "five again", "six"])
def test_cards_that_were_dealt_when_the_deck_was_used_up_may_be_of_any_order(seed, index):
    """The last hand is dealt but not shown; whether its cards use up the deck depends on their order."""
    stage, rng = CSC101.stage("basic"), random.Random(seed)
    session = [session for session in all_sessions_of(stage) if session.case.name == "long player"][index]
    script = input_script_of(session.case.session, None, session.case.place)
    program = expected_run_in_process(lambda console, draw: game.main(console, draw, ENDING_RULES), "the program")
    judge = Judge(Job(CSC101, (stage,), find_conditions(), "csc101"), stage)
    deck = [rng.sample(CARDS, len(CARDS)) for _ in range(index + 1)][-1]

    def run(input_script, draws=None, **keywords):
        return program(input_script, draws or itertools.chain(deck, itertools.repeat("")).__next__, **keywords)

    output = run(script)
    reading = judge.read(output.events)
    assert len(set(CARDS) - set(reading.draws)) > 4
    assert judge.outcome([DrawnSession(session, output, reading)]).verdict.value == "ACCEPTED"
    expected, actual = expected_and_actual_transcripts(session, run)  # what `verify` and pytest compare
    assert first_difference(expected, actual, session.case.policy) is None


def test_no_end_is_tried_if_the_reference_differs_before_the_last_typed_line():
    stage, cards = CSC101.stage("basic"), CARDS[:-3]
    session = next(session for session in all_sessions_of(stage) if session.case.name == "long player")
    events = (Shown(b"Command: "), Typed(b"h"), Shown(b"Again: "), Typed(b"c"))
    drawn = DrawnSession(session, Transcript(events, exited()), Reading(tuple(cards)))

    def end_count(*matched):
        difference = Difference(matched, (Shown(b"x"),), (Shown(b"y"),))
        return sum(1 for _ in ends_where_used_up(drawn, Replay(drawn.transcript, difference), stage.draws))

    assert (end_count(*events[:1]), end_count(*events[:3]), end_count(*events)) == (0, 0, 6)
    says_goodbye = Transcript((*events, Shown(b"Bye!")), exited())
    drawn = msgspec.structs.replace(drawn, transcript=says_goodbye)  # cut after the last typed line
    assert (end_count(*events[:1]), end_count(*events[:3]), end_count(*events)) == (0, 0, 7)
