"""Reading the cards back from the screen, round by round, from the lines that name them."""

from __future__ import annotations

import re

from reference.ece2036.rules import CARDS, RIGHT
from reference.reading import Conversation, Reading, Unreadable, in_order_of_appearance, in_turn, screen_of

_CARDS = frozenset(CARDS)
#: Whose hand a line shows, how it is called, and its cards. The hands of a split pair may be named, as in
#: "Player's first hand is:" and "Player's hand 2 is:".
HAND = re.compile(
    r"(Player|Dealer).{0,3}s (first card|(?:[^:\s]+ ){0,2}hand(?: (?!value\b)[^:\s]+){0,2}) is:(.*)", re.IGNORECASE
)
_ROUND = re.compile(r"Round [0-9]+")
_FORM = "Player's hand is: Six Jack"


class _Round:
    """The cards of one round that were shown."""

    def __init__(self) -> None:
        self.hands: list[list[str]] = []
        self.is_split = self.is_just_split = False
        self.dealer: list[str] = []

    def ask(self, *, splits: bool) -> None:
        """Process an answer: a bet before the first hand; without a hand shown after it a split was refused."""
        self.is_just_split = splits and bool(self.hands)

    def see(self, cards: list[str]) -> None:
        """Process a line with the player's cards: the current hand with one more card, or the next of a split pair."""
        self.is_split = self.is_split or self.is_just_split
        last = self.hands[-1] if self.hands else None
        if last is not None and len(cards) > len(last) and cards[: len(last)] == last and not self.is_just_split:
            last[:] = cards
        elif last is None or self.is_just_split or (self.is_split and len(self.hands) == 2):
            # The second hand of a split may begin with the same two cards as the first, and is still a new hand.
            self.hands.append(list(cards))
        elif not self.is_split:  # in an order of its own, or the new card alone
            last[:] = in_order_of_appearance(last, cards) if len(cards) > 1 else [*last, *cards]
        self.is_just_split = False

    def draws(self) -> list[str | None]:
        """The cards in the order in which they are dealt."""
        first = self.hands[0] if self.hands else []
        dealt = in_turn(RIGHT.deal_order, {"p": first, "d": self.dealer})
        split = self.hands[1:3]
        # Both hands get their second card at once; that of the second hand may never be shown.
        count = 2 if self.is_split else 0
        seconds = [split[index][1] if index < len(split) and len(split[index]) > 1 else None for index in range(count)]
        further = [card for hand in split for card in hand[2:]]
        return [*dealt, *first[2:], *seconds, *further, *self.dealer[2:]]


def _answers(conversation: Conversation) -> dict[int, str]:
    """The lines that were typed, each by the number of the line of the screen that it ends.

    They are told from what is shown without regard to the prompts, which anybody may word.
    """
    answers, number = {}, 1
    for kind, text in conversation:
        if kind == "typed":
            answers[number] = text.strip()
        number += 1 if kind == "typed" else text.count("\n")
    return answers


def read(conversation: Conversation, split_key: str = RIGHT.split_key) -> Reading:
    """Read the cards of all rounds; a card that was never shown is None."""
    rounds, problem, answers = [_Round()], None, _answers(conversation)
    for number, line in enumerate(screen_of(conversation).split("\n"), 1):
        if "Round" in line and _ROUND.search(line) and (rounds[-1].hands or rounds[-1].dealer):
            rounds.append(_Round())
        if number in answers:
            rounds[-1].ask(splits=answers[number] == split_key)
        shown = HAND.search(line) if " is:" in line else None
        if shown is None:
            continue
        cards = shown[3].split()
        if not cards or not _CARDS.issuperset(cards):
            if shown[2] not in ("hand", "first card"):
                continue  # a text that anybody may word
            problem = Unreadable(number, line, _FORM)
            break
        if shown[1].lower() == "player":
            rounds[-1].see(cards)
        else:
            rounds[-1].dealer = in_order_of_appearance(rounds[-1].dealer, cards)
    draws = [card for each in rounds if each.hands or each.dealer for card in each.draws()]
    return Reading(tuple(draws), problem)
