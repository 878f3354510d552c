import importlib
import random
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.assignments.specfile import load_assignment
from pitboss.unseeded.reader import spans_of_rule
from reference.csc101 import game as csc101_game
from reference.csc101 import reading as csc101_reading
from reference.csc101.reshuffle import RULES
from reference.csc101.rules import CARDS as CSC101_CARDS
from reference.ece2036 import game as ece2036_game
from reference.ece2036 import reading as ece2036_reading
from reference.ece2036 import split as ece2036_split
from reference.reading import Reading
from tests.conftest import ROOT


class ScriptedConsole:
    """A console that types the given lines, and records the conversation in the form that readers expect."""

    def __init__(self, lines):
        self.lines, self.conversation = list(lines), []

    def write(self, text):
        self.conversation.append(("shown", text))

    def read_line(self):
        if not self.lines:
            return None
        self.conversation.append(("typed", self.lines[0]))
        return self.lines.pop(0)

    def pause(self, seconds):
        """Nothing to wait for."""


class NoCardsLeft(Exception):
    """The program wants more cards than there are."""


class PlayedGame(NamedTuple):
    """A game: as one text, with typed lines between \\0 and \\1; and as the conversation that a reader gets."""

    text: str
    conversation: list[tuple[str, str]]


def play_program(main, draws, lines):
    """Play a game with these draws and typed lines; returns None if the draws do not suffice."""
    console, remaining_draws = ScriptedConsole(lines), iter(draws)

    def draw():
        try:
            return next(remaining_draws)
        except StopIteration:
            raise NoCardsLeft from None

    try:
        main(console, draw)
    except NoCardsLeft:
        return None
    text = "".join(text if kind == "shown" else f"\x00{text}\x01" for kind, text in console.conversation)
    return PlayedGame(text, console.conversation)


def assert_replay_is_the_same(main, read, values, first_game, lines):
    """A replay with the draws read back from the first game is the same conversation, to the last character.

    A draw that was not shown is replaced by an arbitrary one of the values.
    """
    reading = read(first_game.conversation)
    assert reading.problem is None
    draws_to_replay = [values[0] if draw is None else draw for draw in reading.draws]
    replayed_game = play_program(main, [*draws_to_replay, *values, *values], lines)
    assert replayed_game is not None
    assert replayed_game.text == first_game.text


def main_and_reader(name, stage):
    main = importlib.import_module(f"reference.{name}.{stage}").main
    return main, importlib.import_module(f"reference.{name}.reading").read


#: Lines that are typed in the games of each assignment, valid and invalid ones.
TYPED_LINES = {
    "csc101": ("h", "s", "s", "q", "c", "2", "d", "10", "x", "", "c"),
    "ece2036": ("h", "s", "s", "20", "30", "d", "p", "1000", "25"),
    "tournament": ("y", "n", "n", "20", "35", "", "100", "abc"),
}
PROGRAMS = [
    ("csc101", "basic"),
    ("csc101", "reshuffle"),
    ("csc101", "split"),
    ("csc101", "betting"),
    ("csc101", "errors"),
    ("ece2036", "blackjack"),
    ("ece2036", "double"),
    ("ece2036", "split"),
    ("tournament", "minimum"),
    ("tournament", "blackjack"),
    ("tournament", "aces"),
]


@pytest.mark.parametrize(("name", "stage"), PROGRAMS, ids=[f"{name}/{stage}" for name, stage in PROGRAMS])
@settings(max_examples=150)
@given(data=st.data())
def test_a_replay_with_the_draws_read_back_is_the_same_game(name, stage, data):
    """For any draws and lines."""
    main, read = main_and_reader(name, stage)
    values = load_assignment(ROOT / "specs" / name).stage(stage).draws.values
    if name == "csc101":
        draws = data.draw(st.permutations(values)) + data.draw(st.permutations(values))
    else:
        draws = data.draw(st.lists(st.sampled_from(values), min_size=40, max_size=60))
    lines = data.draw(st.lists(st.sampled_from(TYPED_LINES[name]), max_size=24))
    first_game = play_program(main, draws, lines)
    if first_game is not None:
        assert_replay_is_the_same(main, read, values, first_game, lines)


@settings(max_examples=100)
@given(
    draws=st.permutations(CSC101_CARDS),
    lines=st.lists(st.sampled_from(TYPED_LINES["csc101"]), max_size=24),
    setting=st.fixed_dictionaries(
        {"deal_order": st.sampled_from(["pdpd", "ppdd", "dpdp", "ddpp"]), "deals_hidden_first": st.booleans()}
    ),
)
def test_the_draws_of_csc101_are_read_back_in_any_order_of_dealing(draws, lines, setting):
    rules = replace(RULES, **setting)
    game = play_program(lambda console, draw: csc101_game.main(console, draw, rules), [*draws, *draws], lines)
    if game is not None:
        read = csc101_reading.read(game.conversation, **setting).draws
        assert all(card in (None, drawn) for card, drawn in zip(read, [*draws, *draws], strict=False))


@pytest.mark.parametrize(("name", "stage"), PROGRAMS, ids=[f"{name}/{stage}" for name, stage in PROGRAMS])
@settings(max_examples=100)
@given(data=st.data())
def test_no_rule_of_a_feature_comes_up_in_a_program_without_the_feature(name, stage, data):
    """Otherwise sessions of any program that goes wrong there count as sessions with the feature."""
    loaded = load_assignment(ROOT / "specs" / name).stage(stage)
    lacking = [option for option in loaded.options if option.feature_rule and option.values[0].value is False]
    if name == "csc101":
        draws = data.draw(st.permutations(loaded.draws.values)) + data.draw(st.permutations(loaded.draws.values))
    else:
        draws = data.draw(st.lists(st.sampled_from(loaded.draws.values), min_size=40, max_size=60))
    lines = data.draw(st.lists(st.sampled_from(TYPED_LINES[name]), max_size=24))
    game = play_program(main_and_reader(name, stage)[0], draws, lines)
    screen, typed_ends = "", set()
    for kind, text in game.conversation if game is not None else ():
        screen += text + ("\n" if kind == "typed" else "")
        typed_ends |= {len(screen) - 1, len(screen)} if kind == "typed" else set()
    for rule in (rule for option in lacking for rule in option.rules):
        spans = spans_of_rule(rule, screen, loaded)
        assert [screen[start:end] for start, end in spans if end not in typed_ends] == [], rule.name


def test_each_of_several_refused_bets_counts():
    """Otherwise a refusal that is a mistake does not count as one of error checking if a right one comes before it."""
    stage = load_assignment(ROOT / "specs" / "csc101").stage("errors")
    (errors,) = (option for option in stage.options if option.name == "errors")
    (refused,) = (rule for rule in errors.with_others if rule.name == "bet refused")
    screen = "".join(f"Place your bet: {bet}\n\nBet must be between 1 and 1,000,000\n\n" for bet in ("0", "x", "-1"))
    assert len(spans_of_rule(refused, screen + "Place your bet: 1\n", stage)) == 3


def test_the_sample_game_of_the_reshuffling_brief_is_reproduced():
    """The brief's sample game begins in the middle of a deck; here the deck has only the five cards that are left."""
    rules = replace(RULES, cards_in_deck=5)
    game = play_program(
        lambda console, draw: csc101_game.main(console, draw, rules),
        ["2H", "QH", "4C", "JS", "10C", "3D"],
        ["h", "h", "s", "q"],
    )
    assert game is not None
    assert "".join(text for kind, text in game.conversation if kind == "shown") == (
        "\nPlayer's Hand: 2H, 4C\nDealer's Hand: QH, X\n\nEnter command: "
        "\nPlayer's Hand: 2H, 4C, 10C\nDealer's Hand: QH, X\n\nEnter command: "
        "\nReshuffling ...\n\nPlayer's Hand: 2H, 4C, 10C, 3D\nDealer's Hand: QH, X\n\nEnter command: "
        "\nPlayer's Hand: 2H, 4C, 10C, 3D\nDealer's Hand: QH, JS\n\nDealer wins.\n\n"
        "Enter 'q' to quit, anything else to play another hand: "
    )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "stage"), PROGRAMS, ids=[f"{name}/{stage}" for name, stage in PROGRAMS])
def test_ten_thousand_games_are_replayed_without_a_difference(name, stage):
    main, read = main_and_reader(name, stage)
    values = load_assignment(ROOT / "specs" / name).stage(stage).draws.values
    rng = random.Random(f"{name} {stage}")
    games = 0
    while games < 10_000:
        if name == "csc101":
            draws = [*rng.sample(values, 52), *rng.sample(values, 52)]
        else:
            draws = [rng.choice(values) for _ in range(60)]
        lines = [rng.choice(TYPED_LINES[name]) for _ in range(rng.randrange(14))]
        first_game = play_program(main, draws, lines)
        if first_game is not None:
            games += 1
            assert_replay_is_the_same(main, read, values, first_game, lines)


def test_a_refused_split_draws_no_cards(monkeypatch):
    """A program may always offer to split, and ask again if there is no pair or not enough money."""
    prompt = ece2036_game.SPLIT_PROMPT
    monkeypatch.setattr(ece2036_game, "_PROMPTS", dict.fromkeys(ece2036_game._PROMPTS, prompt))
    values = load_assignment(ROOT / "specs" / "ece2036").stage("split").draws.values
    rng = random.Random(7)
    refusals = (ece2036_game.NO_PAIR, ece2036_game.NO_MONEY_TO_SPLIT, ece2036_game.TOO_LATE_TO_SPLIT)
    refused_splits = [f"{prompt}\x00p\x01{refusal}\n{prompt}" for refusal in refusals]
    refusal_count = 0
    for _ in range(2000):
        draws = [rng.choice(rng.sample(values, 4)) for _ in range(60)]
        lines = [rng.choice(("p", "p", "s", "h", "20", "150", "200")) for _ in range(20)]
        first_game = play_program(ece2036_split.main, draws, lines)
        if first_game is not None:
            assert_replay_is_the_same(ece2036_split.main, ece2036_reading.read, values, first_game, lines)
            refusal_count += sum(first_game.text.count(refused_split) for refused_split in refused_splits)
    assert refusal_count > 100


def test_hands_that_follow_each_other_without_a_question_are_read_separately():
    """For each round the program shows the player's hand, the dealer's half-hidden hand, and both hands again."""
    hands = (("4C, KS", "9D, X", "9D, 3H"), ("3C, 7S", "2D, X", "2D, 9C"))
    output = "".join(
        f"Player's Hand: {player}\nDealer's Hand: {dealer}\nPlayer's Hand: {player}\nDealer's Hand: {whole}\n"
        for player, dealer, whole in hands
    )
    reading = csc101_reading.read([("shown", output)])
    assert reading.draws == ("4C", "9D", "KS", "3H", "3C", "2D", "7S", "9C")


@pytest.mark.parametrize(
    ("lines", "draws"),
    [
        (("P: 8C, 5S", "D: 9D, X", "P: 2C, 8C, 5S"), ("8C", "9D", "5S", None, "2C")),
        (("P: 8C, 5S", "D: 9D, X", "P: 2C"), ("8C", "9D", "5S", None, "2C")),
        (("P: 8C, 5S", "D: 9D, X", "P: 8C, 5S", "D: 3H, 9D"), ("8C", "9D", "5S", "3H")),
        (("P: 8C, 5S", "D: X, 9D", "P: 8C, 5S", "D: 3H, 9D"), ("8C", "9D", "5S", "3H")),
    ],
    ids=["new card first", "new card alone", "hole card first", "hole card first, hidden"],
)
def test_cards_listed_in_another_order_count_as_drawn_when_they_appear(lines, draws):
    """Otherwise a replay would expect a card at the start of the hand that the program shows much later."""
    output = "".join(f"{line}\n" for line in lines).replace("P:", "Player's Hand:").replace("D:", "Dealer's Hand:")
    assert csc101_reading.read([("shown", output)]).draws == draws


def test_a_dealers_hand_listed_in_another_order_keeps_its_first_card():
    output = "Round 1\nDealer's first card is: Queen\nPlayer's hand is: Six Jack\nDealer's hand is: Five Queen\n"
    assert ece2036_reading.read([("shown", output)]).draws == ("Six", "Queen", "Jack", "Five")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Player's first hand", "Player's second hand"),
        ("Player's First Hand", "Player's Second Hand"),
        ("Player's hand 1", "Player's hand 2"),
        ("Player's hand # 1", "Player's hand # 2"),
        ("Player's left hand of the pair", "Player's other right upper hand"),
        ("Player (hand A)’s hand", "Player (hand B)’s hand"),
        ("Player 1's hand", "Player 2's hand"),
    ],
)
def test_named_hands_of_a_split_pair_are_read(first, second):
    conversation = [
        ("shown", "Round 1\nDealer's first card is: Queen\nPlayer's hand is: Six Six\nhit, stand or split? "),
        ("typed", "p"),
        ("shown", f"{first} is: Six Two\n{first} value is 8\nhit or stand? "),
        ("typed", "s"),
        ("shown", f"{second} is: Six Ten\n{second} value is: 16\nhit or stand? "),
        ("typed", "s"),
        ("shown", "Dealer's hand is: Queen Seven\n"),
    ]
    assert ece2036_reading.read(conversation) == Reading(("Six", "Queen", "Six", "Seven", "Two", "Ten"))


def test_a_word_before_the_owner_is_no_owner():
    output = "Round 1\nThe player waits; the Dealer's first card is: Queen\nPlayer's hand is: Six Jack\n"
    assert ece2036_reading.read([("shown", output)]).draws == ("Six", "Queen", "Jack", None)


_DRAWS_OF_BOTH_HANDS = ("Six", "Queen", "Six", "Seven", "Two", "Two", "Ten", "Three")


@pytest.mark.parametrize(
    ("names", "draws"),
    [
        (("Player's first hand", "Player's second hand"), _DRAWS_OF_BOTH_HANDS),
        (("Player 1's hand", "Player 2's hand"), _DRAWS_OF_BOTH_HANDS),
        (("Player (hand A)’s hand", "Player (hand B)’s hand"), _DRAWS_OF_BOTH_HANDS),
        (("Player's hand", "Player's hand"), ("Six", "Queen", "Six", "Seven", "Two", "Two", "Three")),
    ],
)
def test_both_hands_of_a_split_pair_may_be_shown_at_once(names, draws):
    """Where two hands have the same cards, their names say which of them gets a card."""
    first, second = names
    conversation = [
        ("shown", "Round 1\nDealer's first card is: Queen\nPlayer's hand is: Six Six\nhit, stand or split? "),
        ("typed", "p"),
        ("shown", f"{first} is: Six Two\n{second} is: Six Two\nhit or stand? "),
        *((("typed", "h"), ("shown", f"{first} is: Six Two Ten\nhit or stand? ")) if first != second else ()),
        ("typed", "s"),
        ("shown", f"{second} is: Six Two\nhit or stand? "),
        ("typed", "h"),
        ("shown", f"{second} is: Six Two Three\nhit or stand? "),
        ("typed", "s"),
        ("shown", "Dealer's hand is: Queen Seven\n"),
    ]
    assert ece2036_reading.read(conversation).draws == draws
