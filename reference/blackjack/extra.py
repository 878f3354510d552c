"""Stage 6, optional: several players at one table, who bet an ante and, to play on, a call; a shoe of seven decks.

    Seed: 7
    Players: 2

    Ante: $5 each
    Dealer shows K♠
    Player 1: 10♥  4♣  (14)
    Fold or play? [f/p] p
    Player 2: ...
    ...
    Dealer:  K♠  7♦  (17)
    Player 1 loses $10
    Player 2 wins $10
    Winnings: Player 1 -10, Player 2 +10
    Enter 'q' to quit, anything else to play another hand: q

A player folds and loses the ante, or plays for another $5 and then hits and stands as in the stages before. A win
pays $10, a push returns the bets, and no player loses more than $10. The shoe is refilled and shuffled, continuing the
sequence of rand(), when less than a deck is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from reference.blackjack.deal import HIT_OR_STAND
from reference.blackjack.rules import FOR_FUN, Outcome, Rules
from reference.blackjack.shuffle import SEED_PROMPT
from reference.blackjack.table import TEXT_OF_CARD
from reference.cards import FRESH_DECK, shuffle_down
from reference.console import Console, InputEnded
from reference.generators import Glibc
from reference.words import Words

PLAYERS_PROMPT, FOLD_OR_PLAY = "Players: ", "Fold or play? [f/p] "
QUIT_PROMPT = "Enter 'q' to quit, anything else to play another hand: "
ANTE, CALL = 5, 5
MAX_PLAYERS, DECKS = 7, 7


@dataclass
class _Seat:
    """A player at the table."""

    name: str
    winnings: int = 0
    hand: list[int] = field(default_factory=list)
    #: Whether the player has not folded in this round.
    is_in: bool = True


class Shoe:
    """Seven decks shuffled together; with seed 0 they stay in order, one after the other."""

    def __init__(self, seed: int) -> None:
        """Start rand() with the seed, fill the shoe and shuffle it."""
        self._rand: Callable[[], int] | None = Glibc(seed).rand if seed else None
        self._cards: list[int] = []
        self.fill()

    def fill(self) -> None:
        """Put all cards back and shuffle them."""
        self._cards = list(FRESH_DECK) * DECKS
        if self._rand is not None:
            shuffle_down(self._cards, self._rand)

    @property
    def is_low(self) -> bool:
        """Whether less than one deck is left."""
        return len(self._cards) < len(FRESH_DECK)

    def card(self) -> int:
        """Remove the next card from the end of the shoe and return it."""
        return self._cards.pop()


def main(console: Console, cards: object = None, rules: Rules = FOR_FUN) -> int:
    """Run the program and return its exit code. The program deals from its own shoe and ignores `cards`."""
    words = Words(console)
    with suppress(InputEnded):
        shoe = Shoe(words.ask_integer(SEED_PROMPT))
        count = 0
        while not 1 <= count <= MAX_PLAYERS:
            count = words.ask_integer(PLAYERS_PROMPT)
        seats = [_Seat(f"Player {number}") for number in range(1, count + 1)]
        while True:
            _round(console, words, shoe, seats, rules)
            if words.ask(QUIT_PROMPT) == "q":
                break
            if shoe.is_low:
                console.write("Shuffling the shoe.\n")
                shoe.fill()
    return 0


def _round(console: Console, words: Words, shoe: Shoe, seats: Sequence[_Seat], rules: Rules) -> None:
    """Play one round with all seats."""
    dealer: list[int] = []
    for seat in seats:
        seat.hand, seat.is_in = [], True
    for _ in range(2):
        for hand in (*(seat.hand for seat in seats), dealer):
            hand.append(shoe.card())
    console.write(f"\nAnte: ${ANTE} each\nDealer shows {TEXT_OF_CARD[dealer[0]]}\n")
    for seat in seats:
        _turn(console, words, shoe, seat, rules)
    if any(seat.is_in and not rules.busts(seat.hand) for seat in seats):
        # `dealer_stands` only asks whether the player's hand is bust. Some player's is not, like this empty hand.
        while not rules.dealer_stands([], dealer):
            dealer.append(shoe.card())
    console.write(_hand_line("Dealer", dealer, rules))
    for seat in seats:
        _settle(console, seat, dealer, rules)
    totals = ", ".join(f"{seat.name} {seat.winnings:+d}" if seat.winnings else f"{seat.name} 0" for seat in seats)
    console.write(f"Winnings: {totals}\n")


def _turn(console: Console, words: Words, shoe: Shoe, seat: _Seat, rules: Rules) -> None:
    """Let a seat fold, or play its hand to the end."""
    console.write(_hand_line(seat.name, seat.hand, rules))
    if words.ask_letter(FOLD_OR_PLAY, "fp") == "f":
        seat.is_in = False
        return
    while not rules.busts(seat.hand) and words.ask_letter(HIT_OR_STAND, "hs") == "h":
        seat.hand.append(shoe.card())
        console.write(_hand_line(seat.name, seat.hand, rules))
    if rules.busts(seat.hand):
        console.write(f"{seat.name} busts!\n")


def _settle(console: Console, seat: _Seat, dealer: Sequence[int], rules: Rules) -> None:
    """Print what a seat wins or loses, and add the amount to the seat's winnings."""
    stake = ANTE + CALL if seat.is_in else ANTE
    outcome = rules.outcome(seat.hand, dealer) if seat.is_in else Outcome.LOSS
    results = {Outcome.WIN: f"wins ${stake}", Outcome.LOSS: f"loses ${stake}", Outcome.PUSH: "gets the bets back"}
    seat.winnings += {Outcome.WIN: stake, Outcome.LOSS: -stake, Outcome.PUSH: 0}[outcome]
    console.write(f"{seat.name} {results[outcome]}\n")


def _hand_line(name: str, hand: Sequence[int], rules: Rules) -> str:
    """The line that shows a hand: its owner, cards and points."""
    return f"{name}: {' '.join(TEXT_OF_CARD[card] for card in hand)} ({rules.points(hand)})\n"
