import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.model.invocation import script_of_lines
from pitboss.model.notation import events_in
from pitboss.model.transcript import InputEnded, Shown, Typed, canonical
from pitboss.sessions.references import RecordingConsole
from reference.blackjack import play
from reference.blackjack.betting import money
from reference.blackjack.rules import FOR_FUN, FOR_MONEY, Outcome, points
from reference.blackjack.table import TEXT_OF_CARD
from reference.cards import FRESH_DECK, PredeterminedDecks

#: The number of each card, by its text, such as A♠.
CARDS = {text.strip(): card for card, text in TEXT_OF_CARD.items()}


def run_session(program, *lines):
    """Run a blackjack program on these lines to its successful end; return its canonical events."""
    console = RecordingConsole(script_of_lines(line.encode("utf-8", "surrogateescape") for line in lines))
    exit_code = importlib.import_module(f"reference.blackjack.{program}").main(console)
    console.flush()
    assert exit_code == 0
    return canonical(console.events)


def shown_text(events):
    return b"".join(event.text for event in events if isinstance(event, Shown))


DEAL_1 = """Seed: <<1>>

 Player Dealer
|  2♠  |  Q♠  |
|  3♥  |  7♣  |
Hit or stand? [h/s] <<h>>

 Player Dealer
|  2♠  |  Q♠  |
|  3♥  |  7♣  |
|  6♦  |      |
Hit or stand? [h/s] <<s>>

 Player Dealer
|  2♠  |  Q♠  |
|  3♥  |  7♣  |
|  6♦  |      |
<pause 2s>Dealer hits.

 Player Dealer
|  2♠  |  Q♠  |
|  3♥  |  7♣  |
|  6♦  |  2♥  |
<pause 2s>Dealer hits.

 Player Dealer
|  2♠  |  Q♠  |
|  3♥  |  7♣  |
|  6♦  |  2♥  |
|      |  3♦  |
<pause 2s>Dealer stands.
"""

PLAY_3 = """Seed: <<3>>

 Player Dealer
|  8♣  |  9♠  |
|  7♦  |  **  |
Hit or stand? [h/s] <<h>>

 Player Dealer
|  8♣  |  9♠  |
|  7♦  |  **  |
|  9♥  |      |
Player busts!

 Player Dealer
|  8♣  |  9♠  |
|  7♦  | 10♦  |
|  9♥  |      |
<pause 2s>Dealer stands.

Final scores: Player 24, Dealer 19.
Dealer wins!
"""

PLAY_23 = """Seed: <<23>>

 Player Dealer
|  8♣  |  A♠  |
| 10♥  |  **  |
Hit or stand? [h/s] <<s>>

 Player Dealer
|  8♣  |  A♠  |
| 10♥  |  2♥  |
<pause 2s>Dealer hits.

 Player Dealer
|  8♣  |  A♠  |
| 10♥  |  2♥  |
|      | 10♣  |
<pause 2s>Dealer hits.

 Player Dealer
|  8♣  |  A♠  |
| 10♥  |  2♥  |
|      | 10♣  |
|      |  5♥  |
<pause 2s>Dealer stands.

Final scores: Player 18, Dealer 18.
Push! Play again.

 Player Dealer
|  A♣  |  8♠  |
|  K♥  |  **  |
Hit or stand? [h/s] <<s>>

 Player Dealer
|  A♣  |  8♠  |
|  K♥  |  5♥  |
<pause 2s>Dealer hits.

 Player Dealer
|  A♣  |  8♠  |
|  K♥  |  5♥  |
|      |  2♣  |
<pause 2s>Dealer hits.

 Player Dealer
|  A♣  |  8♠  |
|  K♥  |  5♥  |
|      |  2♣  |
|      |  J♥  |
<pause 2s>Dealer busts!

Final scores: Player 21, Dealer 25.
Player wins!
"""

ERRORS_42 = """Seed: <<42>>

Place your bet: <<0>>
Bet must be between 1 and 1,000,000
Place your bet: <<10>>

 Player Dealer
|  K♠  |  4♦  |
|  7♥  |  **  |
Hit, stand or double down? [h/s/d] <<d>>
Bet doubled to 20
Hit or stand? [h/s] <<h>>

 Player Dealer
|  K♠  |  4♦  |
|  7♥  |  **  |
|  6♣  |      |
Player busts!

 Player Dealer
|  K♠  |  4♦  |
|  7♥  |  A♦  |
|  6♣  |      |
<pause 2s>Dealer stands.

Final scores: Player 23, Dealer 15.
Dealer wins!
Winnings: -20
Enter 'q' to quit, anything else to play another hand: <<c>>

Place your bet: <eof>
"""


@pytest.mark.parametrize(
    ("program", "lines", "expected"),
    [
        ("deal", "1 h s", DEAL_1),
        ("play", "3 h", PLAY_3),
        ("play", "23 s s", PLAY_23),
        ("errors", "42 0 10 d h c", ERRORS_42),
    ],
)
def test_each_program_produces_its_transcript_exactly(program, lines, expected):
    assert run_session(program, *lines.split()) == events_in(expected)


def test_several_words_on_a_line_are_read_one_by_one():
    assert shown_text(run_session("play", "3 h")).endswith(b"Dealer wins!\n")


@pytest.mark.parametrize("program", ["shuffle", "deal", "play", "betting"])
def test_the_end_of_input_ends_a_program_without_input_checks(program):
    assert run_session(program)[-1] == InputEnded()


@pytest.mark.parametrize("lines", [(), ("7",), ("7", "10"), ("x",), ("1", "10", "d")])
def test_the_program_errors_shows_a_newline_at_the_end_of_input(lines):
    events = run_session("errors", *lines)
    assert isinstance(events[-2], InputEnded)
    assert events[-1].text == b"\n"


def hand_of_spades(text):
    """The cards of these faces, such as "A 10 K", all of them spades."""
    return [CARDS[f"{face}♠"] for face in text.split()]


@pytest.mark.parametrize(
    ("hand", "total"),
    [
        ("A A", 12),
        ("8 A J A", 20),
        ("A K", 21),
        ("A 5 5 K", 21),
        ("A A 9", 21),
        ("K Q 2", 22),
        ("A 6", 17),
        ("7 7 7", 21),
    ],
)
def test_a_hand_has_these_points(hand, total):
    assert points(hand_of_spades(hand)) == total


@pytest.mark.parametrize(
    ("player", "dealer", "for_fun", "for_money"),
    [
        ("A K", "7 7 7", Outcome.PUSH, Outcome.WIN),
        ("7 7 7", "A K", Outcome.PUSH, Outcome.LOSS),
        ("A K", "A Q", Outcome.PUSH, Outcome.PUSH),
        ("K Q 2", "K Q 5", Outcome.LOSS, Outcome.LOSS),
        ("2 3", "K Q 5", Outcome.WIN, Outcome.WIN),
    ],
)
def test_hands_have_these_outcomes_for_fun_and_for_money(player, dealer, for_fun, for_money):
    assert FOR_FUN.outcome(hand_of_spades(player), hand_of_spades(dealer)) is for_fun
    assert FOR_MONEY.outcome(hand_of_spades(player), hand_of_spades(dealer)) is for_money


HANDS = st.lists(st.sampled_from(FRESH_DECK), min_size=1, max_size=11)


@given(HANDS)
def test_points_are_the_same_in_any_order(cards):
    assert points(cards) == points(sorted(cards)) == points(cards[::-1])


@given(HANDS)
def test_an_ace_never_busts_a_hand_by_counting_11(cards):
    lowest = sum(1 if card % 100 == 14 else min(card % 100, 10) for card in cards)
    assert points(cards) in (lowest, lowest + 10)
    assert points(cards) == lowest or points(cards) <= 21


@given(HANDS)
def test_only_two_cards_are_a_blackjack(cards):
    assert FOR_MONEY.is_blackjack(cards) == (len(cards) == 2 and points(cards) == 21)


@pytest.mark.parametrize(
    ("halves", "text"), [(30, "+15"), (-10, "-5"), (0, "0"), (15, "+7.5"), (-15, "-7.5"), (1, "+0.5")]
)
def test_money_is_shown_with_its_sign(halves, text):
    assert money(halves) == text


@settings(max_examples=150)
@given(
    st.lists(st.one_of(st.text(max_size=20), st.sampled_from(["7", "10", "h", "s", "d", "q", "0", "-1"])), max_size=30)
)
def test_the_program_errors_ends_properly_after_any_input(lines):
    events = run_session("errors", *(line.replace("\n", "").encode("utf-8", "replace").decode() for line in lines))
    assert events[-1] == Typed(b"q") or events[-2:] == (InputEnded(), Shown(b"\n"))


@given(st.binary(max_size=5000).filter(lambda line: b"\n" not in line))
def test_an_unknown_command_is_shown_byte_for_byte(line):
    typed = line.decode("utf-8", "surrogateescape")
    output = shown_text(run_session("errors", "7001", "10", typed))
    command = line.strip(b" \t\n\v\f\r")
    if command not in (b"h", b"s", b"d"):
        assert b"Command '%s' unrecognized\n" % command in output


@pytest.mark.parametrize("seed", ["2147483648", "-2147483649", "1.0", "0x1", "1 2", "", "+", "9" * 400])
def test_a_seed_that_is_not_an_int_is_refused(seed):
    assert b"Seed must be an integer\nSeed: " in run_session("errors", seed)[2].text


def test_the_program_play_deals_from_a_given_deck():
    deck = [CARDS[card] for card in ["9♣", "8♣", "10♠", "2♠", "9♠", "10♥"]]
    console = RecordingConsole(script_of_lines([b"1", b"s"]))
    play.main(console, PredeterminedDecks([deck]))
    console.flush()
    assert b"Final scores: Player 12, Dealer 19." in console.events[-1].text
