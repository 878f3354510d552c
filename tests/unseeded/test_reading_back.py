"""What a reference drew is read back exactly from what it showed, whatever was drawn and typed."""

import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitboss.assignments.specfile import load_assignment
from reference.csc101.reading import read
from reference.reading import Reading
from tests.conftest import ROOT


class Scripted:
    """A console with lines to type, which notes the whole conversation as readers take it."""

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


class Out(Exception):
    """No more cards."""


def played(main, draws, lines):
    console, left = Scripted(lines), iter(draws)

    def draw():
        try:
            return next(left)
        except StopIteration:
            raise Out from None

    try:
        main(console, draw)
    except Out:
        return None
    return "".join(text if kind == "shown" else f"\x00{text}\x01" for kind, text in console.conversation), console


KEYS = {
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
def test_the_reference_reads_back_to_what_it_drew(name, stage, data):
    """Any draws and any lines: what is read back and replayed is the same conversation, to the last character."""
    main = importlib.import_module(f"reference.{name}.{stage}").main
    read = importlib.import_module(f"reference.{name}.reading").read
    values = load_assignment(ROOT / "specs" / name).stage(stage).draws.values
    if name == "csc101":
        draws = data.draw(st.permutations(values)) + data.draw(st.permutations(values))
    else:
        draws = data.draw(st.lists(st.sampled_from(values), min_size=40, max_size=60))
    lines = data.draw(st.lists(st.sampled_from(KEYS[name]), max_size=24))
    first = played(main, draws, lines)
    if first is None:  # it wanted more cards than there were
        return
    reading = read(first[1].conversation)
    assert reading.problem is None
    known = [values[0] if draw is None else draw for draw in reading.draws]
    again = played(main, [*known, *values], lines)
    assert again is not None
    assert again[0] == first[0]


def test_the_sample_of_reshuffling_replays():
    """The brief's sample begins in the middle of a deck: here with one of five cards."""
    from dataclasses import replace

    from reference.csc101 import game
    from reference.csc101.reshuffle import RIGHT

    rules = replace(RIGHT, cards_in_deck=5)
    output = played(
        lambda console, draw: game.main(console, draw, rules),
        ["2H", "QH", "4C", "JS", "10C", "3D"],
        ["h", "h", "s", "q"],
    )
    assert output is not None
    assert "".join(text for kind, text in output[1].conversation if kind == "shown") == (
        "\nPlayer's Hand: 2H, 4C\nDealer's Hand: QH, X\n\nEnter command: "
        "\nPlayer's Hand: 2H, 4C, 10C\nDealer's Hand: QH, X\n\nEnter command: "
        "\nReshuffling ...\n\nPlayer's Hand: 2H, 4C, 10C, 3D\nDealer's Hand: QH, X\n\nEnter command: "
        "\nPlayer's Hand: 2H, 4C, 10C, 3D\nDealer's Hand: QH, JS\n\nDealer wins.\n\n"
        "Enter 'q' to quit, anything else to play another hand: "
    )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "stage"), PROGRAMS, ids=[f"{name}/{stage}" for name, stage in PROGRAMS])
def test_ten_thousand_games_read_back_without_one_difference(name, stage):
    import random

    main = importlib.import_module(f"reference.{name}.{stage}").main
    read = importlib.import_module(f"reference.{name}.reading").read
    values = load_assignment(ROOT / "specs" / name).stage(stage).draws.values
    chance = random.Random(f"{name} {stage}")
    games = 0
    while games < 10_000:
        if name == "csc101":
            draws = [*chance.sample(values, 52), *chance.sample(values, 52)]
        else:
            draws = [chance.choice(values) for _ in range(60)]
        lines = [chance.choice(KEYS[name]) for _ in range(chance.randrange(14))]
        first = played(main, draws, lines)
        if first is None:
            continue
        games += 1
        reading = read(first[1].conversation)
        known = [values[0] if draw is None else draw for draw in reading.draws]
        assert reading.problem is None
        again = played(main, [*known, *values], lines)
        assert again is not None
        assert again[0] == first[0]


def test_a_split_that_is_offered_and_refused_deals_nothing(monkeypatch):
    """A program may offer it always, and ask again where there is no pair or no money for it."""
    import random

    from reference.ece2036 import game, reading, split

    monkeypatch.setattr(game, "_PROMPTS", dict.fromkeys(game._PROMPTS, game.SPLIT_PROMPT))
    values = load_assignment(ROOT / "specs" / "ece2036").stage("split").draws.values
    chance = random.Random(7)
    refusals = (game.NO_PAIR, game.NO_MONEY_TO_SPLIT, game.TOO_LATE_TO_SPLIT)
    refused = 0
    for _ in range(2000):
        draws = [chance.choice(chance.sample(values, 4)) for _ in range(60)]
        lines = [chance.choice(("p", "p", "s", "h", "20", "150", "200")) for _ in range(20)]
        first = played(split.main, draws, lines)
        if first is not None:
            found = reading.read(first[1].conversation)
            known = [values[0] if draw is None else draw for draw in found.draws]
            again = played(split.main, [*known, *values, *values], lines)
            assert again is not None
            assert again[0] == first[0]
            asked_again = (f"{game.SPLIT_PROMPT}\x00p\x01{output}\n{game.SPLIT_PROMPT}" for output in refusals)
            refused += sum(map(first[0].count, asked_again))
    assert refused > 100


def test_hands_of_a_program_that_never_asks_for_another_one_are_read_one_by_one():
    """Each has the player's hand, the dealer's hidden one, and both again."""
    hands = (("4C, KS", "9D, X", "9D, 3H"), ("3C, 7S", "2D, X", "2D, 9C"))
    output = "".join(
        f"Player's Hand: {player}\nDealer's Hand: {dealer}\nPlayer's Hand: {player}\nDealer's Hand: {whole}\n"
        for player, dealer, whole in hands
    )
    reading = read([("shown", output)])
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
def test_cards_shown_in_another_order_are_drawn_as_they_appear(lines, draws):
    """Else a card that the program shows much later would be expected where the hand begins."""
    names = {"P": "Player's Hand", "D": "Dealer's Hand"}
    assert read([("shown", "".join(f"{names[line[0]]}{line[1:]}\n" for line in lines))]).draws == draws


def test_a_dealers_hand_shown_in_another_order_is_drawn_as_it_appears():
    from reference.ece2036.reading import read

    output = "Round 1\nDealer's first card is: Queen\nPlayer's hand is: Six Jack\nDealer's hand is: Five Queen\n"
    assert read([("shown", output)]).draws == ("Six", "Queen", "Jack", "Five")


@pytest.mark.parametrize(
    ("first", "second"),
    [("first hand", "second hand"), ("First Hand", "Second Hand"), ("hand 1", "hand 2"), ("hand # 1", "hand # 2")],
)
def test_named_hands_of_a_split_pair_are_read(first, second):
    from reference.ece2036.reading import read

    split = [
        ("shown", "Round 1\nDealer's first card is: Queen\nPlayer's hand is: Six Six\nhit, stand or split? "),
        ("typed", "p"),
        ("shown", f"Player's {first} is: Six Two\nPlayer's {first} value is 8\nhit or stand? "),
        ("typed", "s"),
        ("shown", f"Player's {second} is: Six Ten\nPlayer's {second} value is: 16\nhit or stand? "),
        ("typed", "s"),
        ("shown", "Dealer's hand is: Queen Seven\n"),
    ]
    assert read(split) == Reading(("Six", "Queen", "Six", "Seven", "Two", "Ten"))
